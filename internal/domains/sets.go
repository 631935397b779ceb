package domains

import (
	"math"
	"math/bits"
	"slices"

	"github.com/hesse-ad/hesse/internal/bucket"
	"github.com/hesse-ad/hesse/sparsity"
)

// sets holds sets of inputs, large equal ones once. A set is its parent, one
// set that it contains, and the elements of its own, which the parent lacks: of
// χ₁ ⊂ χ₂ ⊂ …, as a recursion s ← φ(s, u_k) makes them, each element is stored
// once.
//
// The set {k} has the number k and no parent; a parent has a smaller number
// than its children.
type sets struct {
	of []int32 // the set of a node, −1 if not made

	set   []set
	elems []int32

	byHash map[uint64]int32
	unions map[[2]int32]int32

	// The set at hand, −1 for none: its elements, and sets that it contains,
	// its ancestors among them, carry the stamp.
	current int32
	stamp   int32
	mark    []int32 // by input
	within  []int32 // by set
	delta   []int32
	work    int // elements looked at
}

type set struct {
	parent, size int32 // parent −1: none
	hash         uint64
	lo, hi       int // the own elements are elems[lo:hi]
}

// Sets of up to smallSet elements, and products of up to so many pairs, are
// handled again rather than looked up.
const smallSet = 8

func newSets(g *Graph) *sets {
	d := &sets{
		of:      make([]int32, g.nodes()),
		byHash:  map[uint64]int32{},
		unions:  map[[2]int32]int32{},
		mark:    make([]int32, g.inputs),
		current: -1,
	}
	room := min(2*g.inputs, g.nodes())
	d.set = make([]set, 0, room)
	d.within = make([]int32, 0, room)
	d.elems = make([]int32, 0, room)
	for i := range d.of {
		d.of[i] = -1
	}
	for k := range int32(g.inputs) {
		d.of[k] = k
		d.elems = append(d.elems, k)
		d.set = append(d.set, set{-1, 1, hashOf(k), int(k), int(k) + 1})
	}
	d.within = d.within[:g.inputs]
	return d
}

func (d *sets) len() int { return len(d.set) }

// own returns the elements of s that its parent lacks.
func (d *sets) own(s int32) []int32 { return d.elems[d.set[s].lo:d.set[s].hi] }

// A set's hash is the sum of those of its elements.
func hashOf(k int32) uint64 {
	x := (uint64(k) + 1) * 0x9e3779b97f4a7c15
	x ^= x >> 32
	return x * 0xd6e8feb86659fd93
}

// none makes the empty set the one at hand.
func (d *sets) none() {
	d.current = -1
	d.stamp++
	d.delta = d.delta[:0]
}

// enter makes s the set at hand.
func (d *sets) enter(s int32) {
	d.delta = d.delta[:0]
	a := s
	for a > d.current {
		a = d.set[a].parent
	}
	if a < 0 || a != d.current { // s is no descendant of the set at hand
		d.none()
	}
	d.take(s)
	d.delta = d.delta[:0]
	d.current = s
}

// take adds to the set at hand, and to delta, the elements of s that it lacks.
func (d *sets) take(s int32) {
	for ; s >= 0 && d.within[s] != d.stamp; s = d.set[s].parent {
		d.within[s] = d.stamp
		own := d.own(s)
		d.work += len(own)
		for _, e := range own {
			if d.mark[e] != d.stamp {
				d.mark[e] = d.stamp
				d.delta = append(d.delta, e)
			}
		}
	}
}

// union returns the union of different sets.
func (d *sets) union(ids []int32) int32 {
	if len(ids) == 1 {
		return ids[0]
	}
	total, largest := 0, int32(-1)
	for _, s := range ids {
		total += int(d.set[s].size)
		if largest < 0 || d.set[s].size > d.set[largest].size {
			largest = s
		}
	}
	memo := len(ids) == 2 && total > smallSet
	var key [2]int32
	if memo {
		key = [2]int32{min(ids[0], ids[1]), max(ids[0], ids[1])}
		if s, ok := d.unions[key]; ok {
			return s
		}
	}
	if largest < 0 {
		d.none()
	} else {
		d.enter(largest)
	}
	for _, s := range ids {
		d.take(s)
	}
	s := d.child()
	if memo {
		d.unions[key] = s
	}
	return s
}

// intern returns the set with the elements of list.
func (d *sets) intern(list []int32) int32 {
	if len(list) == 1 {
		return list[0]
	}
	held := 0
	for _, e := range list {
		if d.mark[e] == d.stamp {
			held++
		}
	}
	if d.current < 0 || held < int(d.set[d.current].size) {
		d.none()
	}
	d.delta = d.delta[:0]
	for _, e := range list {
		if d.mark[e] != d.stamp {
			d.mark[e] = d.stamp
			d.delta = append(d.delta, e)
		}
	}
	return d.child()
}

// child returns the set at hand with the elements of delta, which carry the
// stamp already, and makes it the set at hand.
func (d *sets) child() int32 {
	if d.current >= 0 && len(d.delta) == 0 {
		return d.current
	}
	size, h := int32(len(d.delta)), uint64(0)
	if d.current >= 0 {
		size += d.set[d.current].size
		h = d.set[d.current].hash
	}
	for _, e := range d.delta {
		h += hashOf(e)
	}
	s := int32(d.len())
	if size > smallSet {
		if other, ok := d.byHash[h]; !ok {
			d.byHash[h] = s
		} else if d.set[other].size == size && d.holds(other) {
			d.current, d.within[other] = other, d.stamp
			return other
		}
	}
	lo := len(d.elems)
	d.elems = append(d.elems, d.delta...)
	d.set = append(d.set, set{d.current, size, h, lo, len(d.elems)})
	d.within = append(d.within, d.stamp)
	d.current = s
	return s
}

// holds reports whether s is part of the set at hand and its delta.
func (d *sets) holds(s int32) bool {
	for ; s >= 0 && d.within[s] != d.stamp; s = d.set[s].parent {
		if slices.ContainsFunc(d.own(s), func(e int32) bool { return d.mark[e] != d.stamp }) {
			return false
		}
	}
	return true
}

// lists are lists of numbers: list i is elems[start[i]:start[i+1]].
type lists struct {
	start []int
	elems []int32
}

func (l lists) of(i int32) []int32 { return l.elems[l.start[i]:l.start[i+1]] }

// group returns n lists: b[k] stands in list a[k], in the order of k.
func group(n int, a, b []int32) lists {
	start, elems := bucket.Rows[int](n, func(put func(i, x int32)) {
		for k, i := range a {
			put(i, b[k])
		}
	})
	return lists{start, elems}
}

// descent returns how the wanted sets descend from each other, without the
// others but where their descendants part: the next descendants of a set, and
// for each input the sets from which all wanted ones descend that hold it.
func (d *sets) descent(wanted func(s int32) bool) (children, owners lists) {
	const none, several = -1, -2
	// below is first what is wanted below a set, then the set that stands for it:
	// itself, or the only one below it.
	below := slices.Repeat([]int32{none}, d.len())
	for s := int32(d.len()) - 1; s >= 0; s-- {
		if wanted(s) || below[s] == several {
			below[s] = s
		}
		if p := d.set[s].parent; p >= 0 && below[s] != none {
			if below[p] == none {
				below[p] = below[s]
			} else {
				below[p] = several
			}
		}
	}
	var parent, child []int32
	input, owner := make([]int32, 0, len(d.elems)), make([]int32, 0, len(d.elems))
	for s := range int32(d.len()) {
		if below[s] == none {
			continue
		}
		if p := d.set[s].parent; p >= 0 && below[p] == p {
			parent, child = append(parent, p), append(child, below[s])
		}
		for _, e := range d.own(s) {
			input, owner = append(input, e), append(owner, below[s])
		}
	}
	return group(d.len(), parent, child), group(len(d.mark), input, owner)
}

// A row collects a union of sets.
type row struct {
	d *sets
	// The elements as bits, 64 to a word, and as a list. Sets with more own
	// elements than there are words are kept as words, too, and then they are
	// added without the list, which is not whole any more.
	words  []uint64
	list   []int32
	whole  bool
	packed map[int32][]uint64
}

func (d *sets) newRow() *row {
	r := &row{d: d, words: make([]uint64, (len(d.mark)+63)/64), whole: true, packed: map[int32][]uint64{}}
	for s := range int32(d.len()) {
		if own := d.own(s); r.dense(own) {
			words := make([]uint64, len(r.words))
			for _, e := range own {
				words[e>>6] |= 1 << (e & 63)
			}
			r.packed[s] = words
		}
	}
	return r
}

func (r *row) dense(own []int32) bool { return len(own) > max(len(r.words), smallSet) }

// add adds the elements of s.
func (r *row) add(s int32) {
	d := r.d
	for ; s >= 0 && d.within[s] != d.stamp; s = d.set[s].parent {
		d.within[s] = d.stamp
		own := d.own(s)
		if r.dense(own) {
			for k, w := range r.packed[s] {
				r.words[k] |= w
			}
			r.whole = false
			continue
		}
		for _, e := range own {
			if w := &r.words[e>>6]; *w>>(e&63)&1 == 0 {
				*w |= 1 << (e & 63)
				r.list = append(r.list, e)
			}
		}
	}
}

// len returns the number of elements.
func (r *row) len() int {
	if r.whole {
		return len(r.list)
	}
	n := 0
	for _, w := range r.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// appendTo appends the elements in order and empties the row.
func (r *row) appendTo(idx []int32) []int32 {
	if r.whole && len(r.list) <= len(r.words) {
		lo := len(idx)
		idx = append(idx, r.list...)
		slices.Sort(idx[lo:])
		for _, e := range r.list {
			r.words[e>>6] = 0
		}
	} else {
		for k, w := range r.words {
			for ; w != 0; w &= w - 1 {
				idx = append(idx, int32(k<<6+bits.TrailingZeros64(w)))
			}
			r.words[k] = 0
		}
	}
	r.list, r.whole = r.list[:0], true
	return idx
}

// pattern returns the pattern whose row k, of rows, is what fill puts into it.
func (d *sets) pattern(rows int, fill func(k int, r *row)) *sparsity.Pattern {
	r := d.newRow()
	ptr, idx := make([]int32, rows+1), []int32(nil)
	for k := range rows {
		d.none()
		fill(k, r)
		if more := r.len(); more > cap(idx)-len(idx) {
			// As much as the rows so far let expect; but the first may be the longest.
			expected := float64(len(idx)) / float64(max(k, 1)) * float64(rows-k)
			idx = slices.Grow(idx, more+int(min(float64(3*len(idx)), expected)))
		}
		idx = r.appendTo(idx)
		if len(idx) > math.MaxInt32 {
			panic("hesse: too many nonzeros")
		}
		ptr[k+1] = int32(len(idx))
	}
	return sparsity.NewPattern(rows, len(d.mark), ptr, slices.Clip(idx))
}
