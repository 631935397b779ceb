package sparsity

import (
	"math"
	"math/bits"
	"slices"
)

// A graph is a function reduced to what its patterns depend on: which nodes a
// node has first derivatives in, and between which of them it has second ones.
// Nodes stand after their arguments; the inputs are the first.
type graph struct {
	inputs int
	start  []int32 // node i is linked to args[start[i]:start[i+1]]
	args   []int32
	curved []curvature // by increasing node
}

// A curvature says that the node has a second derivative in a and b.
type curvature struct{ node, a, b int32 }

func newGraph(inputs int) *graph {
	checkDims(inputs, inputs)
	return &graph{inputs: inputs, start: make([]int32, inputs+1)}
}

func (g *graph) nodes() int { return len(g.start) - 1 }

// links returns the nodes that node i has first derivatives in.
func (g *graph) links(i int32) []int32 { return g.args[g.start[i]:g.start[i+1]] }

// link adds an argument to the node that the next call of node makes.
func (g *graph) link(a int32) { g.args = append(g.args, a) }

// node makes a node of the arguments linked since the last call.
func (g *graph) node() int32 {
	if len(g.args) > math.MaxInt32 || len(g.start) > math.MaxInt32 {
		panic("sparsity: too many operations")
	}
	g.start = append(g.start, int32(len(g.args)))
	return int32(len(g.start) - 2)
}

func (g *graph) curve(node, a, b int32) {
	g.curved = append(g.curved, curvature{node, a, b})
}

// setLimit bounds the sets that dependencies are kept in, in elements: some of
// the size of the graph itself.
func (g *graph) setLimit() int { return 1<<16 + 8*(g.nodes()+len(g.args)) }

// jacobian returns the len(outputs)×inputs pattern of first derivatives. An
// output −1 is a constant.
func (g *graph) jacobian(outputs []int32) *Pattern {
	target := make([]bool, g.nodes())
	for _, o := range outputs {
		if o >= 0 {
			target[o] = true
		}
	}
	d := g.dependencies(target, g.setLimit())
	var i, j []int32
	for k, o := range outputs {
		if o < 0 {
			continue
		}
		for _, e := range d.elements(d.of[o]) {
			i = append(i, int32(k))
			j = append(j, e)
		}
	}
	return fromCoordinates(len(outputs), g.inputs, i, j)
}

// hessian returns the symmetric pattern of second derivatives of a sum of the
// outputs with any weights. An output −1 is a constant.
//
// A node adds to it if it reaches an output through first derivatives: for
// each of its curvatures (a, b) all pairs of an input that a depends on and an
// input that b depends on. The cost is linear in the number of these pairs,
// each different pair of sets counted once, and in the graph, except where
// dependencies themselves cost more.
func (g *graph) hessian(outputs []int32) *Pattern {
	live, d := g.curvatures(outputs)
	p := newPairs(d)
	total := 0
	for _, c := range g.curved {
		if live[c.node] && total < p.full {
			total += len(d.elements(d.of[c.a])) * len(d.elements(d.of[c.b]))
		}
	}
	p.i = make([]int32, 0, min(total, p.full))
	p.j = make([]int32, 0, cap(p.i))
	for _, c := range g.curved {
		if live[c.node] {
			p.add(d.of[c.a], d.of[c.b])
		}
	}
	return p.pattern()
}

// curvatures finds the nodes that reach an output through first derivatives,
// and the dependencies of what these have second derivatives in.
func (g *graph) curvatures(outputs []int32) (live []bool, d *sets) {
	live = make([]bool, g.nodes())
	for _, o := range outputs {
		if o >= 0 {
			live[o] = true
		}
	}
	for i := int32(len(live)) - 1; i >= int32(g.inputs); i-- {
		if live[i] {
			for _, a := range g.links(i) {
				live[a] = true
			}
		}
	}
	target := make([]bool, g.nodes())
	for _, c := range g.curved {
		if live[c.node] {
			target[c.a], target[c.b] = true, true
		}
	}
	return live, g.dependencies(target, g.setLimit())
}

// contributions calls f with the nodes that contribute to a row of the Hessian,
// and with how many entries for each curvature.
func (g *graph) contributions(outputs []int32, row int32, f func(node int32, entries int)) {
	live, d := g.curvatures(outputs)
	depends := make([]bool, g.nodes())
	depends[row] = true
	for i := int32(g.inputs); int(i) < len(depends); i++ {
		for _, a := range g.links(i) {
			depends[i] = depends[i] || depends[a]
		}
	}
	for _, c := range g.curved {
		k := 0
		if live[c.node] && depends[c.a] {
			k = len(d.elements(d.of[c.b]))
		}
		if live[c.node] && depends[c.b] {
			k = max(k, len(d.elements(d.of[c.a])))
		}
		if k > 0 {
			f(c.node, k)
		}
	}
}

// dependencies finds for each target the set of inputs that it depends on.
//
// Sets are made only for targets and for nodes that more than one node needs,
// so that of a long sum not every partial sum has its own. Where these sets
// still hold more than limit elements in all, they are found by words of bits
// instead, in time O(args·min(inputs, targets)/64) and the space of the result.
func (g *graph) dependencies(target []bool, limit int) *sets {
	n := int32(g.inputs)
	uses := make([]uint8, len(target)) // by nodes that are needed: 0, 1, 2 or more
	for i := int32(len(target)) - 1; i >= n; i-- {
		if target[i] || uses[i] > 0 {
			for _, a := range g.links(i) {
				uses[a] = min(uses[a]+1, 2)
			}
		}
	}

	d := newSets(g)
	var stack, found []int32
	seen := make([]int32, 0, len(target)) // by set: the last node that met it
	for i := n; i < int32(len(target)); i++ {
		if !target[i] && uses[i] < 2 {
			continue
		}
		found, stack = found[:0], append(stack[:0], i)
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, a := range g.links(v) {
				id := d.of[a]
				if id < 0 {
					stack = append(stack, a)
					continue
				}
				for int(id) >= len(seen) {
					seen = append(seen, -1)
				}
				if seen[id] != i {
					seen[id] = i
					found = append(found, id)
				}
			}
		}
		d.of[i] = d.union(found)
		if len(d.elems) > limit {
			return g.dependenciesByBits(target, uses)
		}
	}
	return d
}

// dependenciesByBits is dependencies with a bit for each of 64 inputs or
// targets, whichever are fewer, in one word a node.
func (g *graph) dependenciesByBits(target []bool, uses []uint8) *sets {
	n := int32(g.inputs)
	var targets []int32
	for i := n; i < int32(len(target)); i++ {
		if target[i] {
			targets = append(targets, i)
		}
	}
	word := make([]uint64, len(target))
	var row, col []int32 // target number, input
	if int(n) <= len(targets) {
		for lo := int32(0); lo < n; lo += 64 {
			clear(word[:n])
			for k := lo; k < min(lo+64, n); k++ {
				word[k] = 1 << (k - lo)
			}
			t := int32(0)
			for i := n; i < int32(len(target)); i++ {
				w := uint64(0)
				if target[i] || uses[i] > 0 {
					for _, a := range g.links(i) {
						w |= word[a]
					}
				}
				word[i] = w
				if target[i] {
					for ; w != 0; w &= w - 1 {
						row = append(row, t)
						col = append(col, lo+int32(bits.TrailingZeros64(w)))
					}
					t++
				}
			}
		}
	} else {
		for lo := 0; lo < len(targets); lo += 64 {
			clear(word)
			batch := targets[lo:min(lo+64, len(targets))]
			for k, i := range batch {
				word[i] = 1 << k
			}
			for i := batch[len(batch)-1]; i >= n; i-- {
				if w := word[i]; w != 0 {
					for _, a := range g.links(i) {
						word[a] |= w
					}
				}
			}
			for k, w := range word[:n] {
				for ; w != 0; w &= w - 1 {
					row = append(row, int32(lo+bits.TrailingZeros64(w)))
					col = append(col, int32(k))
				}
			}
		}
	}
	d := newSets(g)
	p := fromCoordinates(len(targets), g.inputs, row, col)
	for t, i := range targets {
		d.of[i] = d.intern(p.Row(t))
	}
	return d
}

// sets holds sets of inputs, large equal ones once. The set {k} has the
// number k, others follow.
type sets struct {
	of []int32 // the set of a node, −1 if not made

	inputs []int32 // 0, 1, 2, …: the singletons
	start  []int   // set len(inputs)+k is elems[start[k]:start[k+1]]
	elems  []int32

	byHash map[uint64]int32
	unions map[[2]int32]int32
	mark   []int32 // by input: the last union that met it
	stamp  int32
	list   []int32
}

// Up to smallSet elements a set, or pairs an interaction, are handled again
// rather than looked up.
const smallSet = 8

func newSets(g *graph) *sets {
	d := &sets{
		of:     make([]int32, g.nodes()),
		inputs: make([]int32, g.inputs),
		start:  []int{0},
		byHash: map[uint64]int32{},
		unions: map[[2]int32]int32{},
		mark:   make([]int32, g.inputs),
	}
	for i := range d.of {
		d.of[i] = -1
	}
	for k := range d.inputs {
		d.inputs[k] = int32(k)
		d.of[k] = int32(k)
	}
	return d
}

func (d *sets) elements(id int32) []int32 {
	if k := int(id) - len(d.inputs); k >= 0 {
		return d.elems[d.start[k]:d.start[k+1]]
	}
	return d.inputs[id : id+1]
}

// union returns the union of different sets.
func (d *sets) union(ids []int32) int32 {
	if len(ids) == 1 {
		return ids[0]
	}
	total, largest := 0, int32(-1)
	for _, id := range ids {
		e := d.elements(id)
		total += len(e)
		if largest < 0 || len(e) > len(d.elements(largest)) {
			largest = id
		}
	}
	memo := len(ids) == 2 && total > smallSet
	var key [2]int32
	if memo {
		key = [2]int32{min(ids[0], ids[1]), max(ids[0], ids[1])}
		if id, ok := d.unions[key]; ok {
			return id
		}
	}
	d.stamp++
	d.list = d.list[:0]
	for _, id := range ids {
		for _, e := range d.elements(id) {
			if d.mark[e] != d.stamp {
				d.mark[e] = d.stamp
				d.list = append(d.list, e)
			}
		}
	}
	id := largest
	if largest < 0 || len(d.list) > len(d.elements(largest)) {
		id = d.intern(d.list)
	}
	if memo {
		d.unions[key] = id
	}
	return id
}

// intern returns the number of the set with the elements of list, which it
// copies.
func (d *sets) intern(list []int32) int32 {
	if len(list) == 1 {
		return list[0]
	}
	id := int32(len(d.inputs) + len(d.start) - 1)
	if len(list) > smallSet {
		// The hash must not depend on the order of the elements.
		h := uint64(0)
		for _, e := range list {
			x := (uint64(e) + 1) * 0x9e3779b97f4a7c15
			x ^= x >> 32
			h += x * 0xd6e8feb86659fd93
		}
		if other, ok := d.byHash[h]; !ok {
			d.byHash[h] = id
		} else if d.equal(other, list) {
			return other
		}
	}
	d.elems = append(d.elems, list...)
	d.start = append(d.start, len(d.elems))
	return id
}

func (d *sets) equal(id int32, list []int32) bool {
	e := d.elements(id)
	if len(e) != len(list) {
		return false
	}
	d.stamp++
	for _, k := range list {
		d.mark[k] = d.stamp
	}
	return !slices.ContainsFunc(e, func(k int32) bool { return d.mark[k] != d.stamp })
}

// pairs collects the products of sets that make up a symmetric pattern.
type pairs struct {
	sets    *sets
	i, j    []int32 // positions i ≥ j, with repetitions
	full    int     // length at which to remove repetitions
	squared []bool  // by set: its product with itself is there
	done    map[[2]int32]bool
}

func newPairs(d *sets) *pairs {
	return &pairs{
		sets:    d,
		full:    max(1<<18, 4*len(d.inputs), 2*len(d.of)),
		squared: make([]bool, len(d.inputs)+len(d.start)-1),
		done:    map[[2]int32]bool{},
	}
}

// add adds all pairs of an element of set a and an element of set b.
func (p *pairs) add(a, b int32) {
	if a == b {
		if p.squared[a] {
			return
		}
		p.squared[a] = true
		e := p.sets.elements(a)
		for k, r := range e {
			for _, s := range e[:k+1] {
				p.append(r, s)
			}
		}
	} else {
		ea, eb := p.sets.elements(a), p.sets.elements(b)
		if len(ea)*len(eb) > smallSet {
			key := [2]int32{min(a, b), max(a, b)}
			if p.done[key] {
				return
			}
			p.done[key] = true
		}
		for _, r := range ea {
			for _, s := range eb {
				p.append(r, s)
			}
		}
	}
	if len(p.i) > p.full {
		p.compact()
		p.full = max(p.full, 2*len(p.i))
	}
}

func (p *pairs) append(r, s int32) {
	p.i = append(p.i, max(r, s))
	p.j = append(p.j, min(r, s))
}

// compact removes repetitions.
func (p *pairs) compact() {
	q := p.once()
	p.i = p.i[:0]
	for i := range q.rows {
		for range q.Row(i) {
			p.i = append(p.i, int32(i))
		}
	}
	p.j = append(p.j[:0], q.idx...)
}

func (p *pairs) pattern() *Pattern { return p.once().Symmetrized() }

// once is the pattern of the positions, without their mirror images.
func (p *pairs) once() *Pattern {
	n := len(p.sets.inputs)
	return fromCoordinates(n, n, p.i, p.j)
}
