package compile

import (
	"math"
	"slices"
	"unsafe"

	"github.com/hesse-ad/hesse/internal/tape"
)

// A sweep of second order carries a tangent and an adjoint for each node and direction. If
// it goes over whole batches, what a batch computes has left the caches when the next one
// reads it. So a large program that consists of many small independent parts, as sums over
// a mesh do, is cut into sections of some hundred parts. These are swept one after another,
// forward and at once back, and all keep their tangents and adjoints in the same memory.
// Parts are the connected components of the graph of the operations that such a sweep
// visits, without inputs and constants.
//
// The rest is the head: parts that are too large, or have nodes in mixed batches or rows.
// If that leaves too little, a second attempt is made in which operations with several uses,
// and all that they are computed from, belong to the head, so that they no longer connect
// parts. A program that is not cut is all head.

// mostNodes is how many nodes a section has at most, for the sake of the caches.
const mostNodes = 1 << 14

// Sections is a program as second-order sweeps go through it: forward over the head; over
// each section, the last one first, forward and back; back over the head.
type Sections struct {
	Head Section
	Rest []Section
	// Places is how many tangents and adjoints are kept. Those of inputs, parameters
	// and constants come first, in places that are their numbers.
	Places int
	// Unwritten is the inputs whose adjoints are added to before they are set.
	Unwritten []Span
}

// Section is pieces of batches, in the order of evaluation.
type Section struct {
	Pieces []Piece
	// Unwritten is the places of the adjoints of its nodes that are added to, or read,
	// before they are set.
	Unwritten []Span
}

// Piece is the nodes Lo … Hi−1 of Batch. Places is a batch of its own for these lanes that
// names nodes by the places of their tangents and adjoints; partials are found by Batch.
type Piece struct {
	Batch  *Batch
	Lo, Hi int32
	Places Batch
}

// Sections cuts the program so that a batch has about the given number of lanes in each
// section. Cost: O(N) time and memory in N nodes, a third of recording them.
func (p *Program) Sections(lanes int) *Sections {
	c := &cutter{Program: p, lanes: lanes, most: mostNodes}
	for k := range p.batches {
		if b := &p.batches[k]; p.visited(b) {
			c.batches = append(c.batches, b)
		}
	}
	c.cut()
	c.findPlaces()
	s := &Sections{Rest: make([]Section, c.count), Places: int(c.places)}
	for _, b := range c.batches {
		for lo := b.Lo; lo < b.Hi; {
			hi := c.end(b, lo)
			x := &s.Head
			if c.section != nil && c.section[lo] != inHead {
				x = &s.Rest[c.section[lo]]
			}
			x.Pieces = append(x.Pieces, Piece{b, lo, hi, p.part(b, lo, hi)})
			lo = hi
		}
	}
	c.finish(s)
	return s
}

// cutter is a program that is cut.
type cutter struct {
	*Program
	batches []*Batch // that a second-order sweep visits
	lanes   int      // of a batch in a section
	most    float64  // nodes that a section may have
	apart   bool     // parts that begin in different batches are in different sections
	section []int32  // by node, its section or inHead; nil if the program is not cut
	count   int32    // of sections
	place   []int32  // by node, its place; nil if that is its number
	places  int32    // how many places there are
	head    int32    // how many of them, the first ones, no section uses
}

const (
	inHead    = -1            // instead of a section: the node is in the head
	unvisited = math.MinInt32 // instead of a part: no section has the node
)

// cut finds the sections, if the program is large enough and falls into parts.
func (c *cutter) cut() {
	total, squares := 0.0, 0.0
	for _, b := range c.batches {
		total += float64(b.Len())
		squares += float64(float64(b.Len()) * float64(b.Len()))
	}
	// The average node is in a batch of squares/total lanes. If all batches had that length
	// there were total²/squares of them, of each of which a section has c.lanes.
	nodes := float64(c.lanes) * total * total / squares
	if !(nodes <= c.most && 2*nodes <= total) {
		return
	}
	section, count := c.sections(c.parts(nil, int32(nodes)/4), int32(nodes))
	if !c.worth(section, total) {
		section, count = c.sections(c.parts(c.shared(), int32(nodes)/4), int32(nodes))
	}
	if c.worth(section, total) {
		c.section, c.count = section, count
	}
}

// eachUse calls do(i, j) for each of the operations i = lo … hi−1 of a batch and each of its
// operands j that is an operation itself.
func (c *cutter) eachUse(b *Batch, lo, hi int32, do func(i, j int32)) {
	base := int32(c.Base())
	switch {
	case b.Kind == Mixed || b.Kind == Rows:
		for i := lo; i < hi; i++ {
			c.EachRun(i, func(at, n int32) {
				for j := max(at, base); j < at+n; j++ {
					do(i, j)
				}
			})
			if first := c.FirstOutput(i); first < i {
				do(i, first)
			}
		}
	default:
		for o := range b.operands {
			if o.Access == Consecutive && o.At+b.Len() <= base || o.Access == Uniform && o.At < base {
				continue
			}
			for k, j := range o.Index[lo-b.Lo : hi-b.Lo] {
				if j >= base {
					do(lo+int32(k), j)
				}
			}
		}
	}
}

// shared reports by node whether it is an operation with several uses, or one from which
// such an operation is computed.
func (c *cutter) shared() []bool {
	used, shared := make([]bool, c.Len()), make([]bool, c.Len())
	for _, b := range c.batches {
		c.eachUse(b, b.Lo, b.Hi, func(_, j int32) { used[j], shared[j] = true, used[j] || shared[j] })
	}
	for k := len(c.batches) - 1; k >= 0; k-- {
		b := c.batches[k]
		if slices.Contains(shared[b.Lo:b.Hi], true) {
			c.eachUse(b, b.Lo, b.Hi, func(i, j int32) { shared[j] = shared[j] || shared[i] })
		}
	}
	return shared
}

// parts finds the connected components of the operations that are visited and not shared
// (nil: none is), by disjoint sets. The result is, by node: for the first node of a part,
// minus the number of its nodes; for the others, an earlier node of the same part; unvisited
// for nodes in no part, and for those of parts that have more than most nodes, a shared one,
// or one that is not in lanes.
func (c *cutter) parts(shared []bool, most int32) []int32 {
	set := make([]int32, c.Len())
	for i := range set {
		set[i] = unvisited
	}
	root := func(i int32) int32 {
		for set[i] >= 0 {
			if up := set[set[i]]; up >= 0 {
				set[i] = up
			}
			i = set[i]
		}
		return i
	}
	for _, b := range c.batches {
		size := int32(-1)
		if b.Kind == Mixed || b.Kind == Rows {
			size = -most - 1 // as if it were too large
		}
		for i := b.Lo; i < b.Hi; i++ {
			set[i] = size
			if shared != nil && shared[i] {
				set[i] = -most - 1
			}
		}
		c.eachUse(b, b.Lo, b.Hi, func(i, j int32) {
			if set[j] == unvisited || shared != nil && shared[j] {
				return
			}
			if a, b := root(j), root(i); a != b {
				a, b = min(a, b), max(a, b)
				set[a] = max(set[a]+set[b], -most-1)
				set[b] = a
			}
		})
	}
	for i, v := range set {
		if v == -most-1 {
			set[i] = unvisited
		}
	}
	return set
}

// sections puts the parts, in their order, into sections of about the given number of nodes.
// The result is by node, its section or inHead, in the memory of parts.
func (c *cutter) sections(parts []int32, nodes int32) (section []int32, count int32) {
	left := int32(0)
	batch := 0
	for i, v := range parts {
		switch {
		case v == unvisited:
			parts[i] = inHead
		case v >= 0:
			parts[i] = parts[v] // an earlier node, whose section is known
		default:
			if left += v; left < 0 || c.apart && int32(i) >= c.batches[batch].Hi {
				count++
				left = nodes + v
			}
			for int32(i) >= c.batches[batch].Hi {
				batch++
			}
			parts[i] = count - 1
		}
	}
	return parts, count
}

// worth reports whether most nodes are in sections, and in long pieces: a lane of an
// operation takes some tenths of a nanosecond, and to begin a piece takes ten.
func (c *cutter) worth(section []int32, total float64) bool {
	nodes, pieces, last := 0, 0, int32(inHead)
	for i, s := range section {
		if s != inHead {
			nodes++
			if s != last || i == 0 {
				pieces++
			}
		}
		last = s
	}
	return float64(nodes) > total/2 && 16*nodes > c.lanes*pieces
}

// findPlaces gives each node a place: first come inputs, parameters, constants and the head,
// then the sections, all in the same places. If some batch is mixed or of rows, nodes of the
// head keep their numbers, because sweeps read the operands of such batches from the tape.
func (c *cutter) findPlaces() {
	c.places = int32(c.Len())
	if c.section == nil {
		return
	}
	const none = -1
	c.place = make([]int32, c.Len())
	c.head = int32(c.Base())
	next := make([]int32, c.count)
	single := false
	for _, b := range c.batches {
		single = single || b.Kind == Mixed || b.Kind == Rows
	}
	for i := range c.place {
		c.place[i] = none
	}
	for i := range c.head {
		c.place[i] = i
	}
	toHead := func(i int32) {
		if single {
			c.place[i] = i
		} else {
			c.place[i] = c.head
			c.head++
		}
	}
	for _, b := range c.batches {
		for i := b.Lo; i < b.Hi; i++ {
			if s := c.section[i]; s != inHead {
				c.place[i] = next[s]
				next[s]++
			} else {
				toHead(i)
			}
		}
	}
	// A batch is visited if one of its lanes needs it. The other lanes may read operations
	// that are not visited. The numbers there do not matter, but they need places in which
	// nothing else is disturbed.
	for _, b := range c.batches {
		c.eachUse(b, b.Lo, b.Hi, func(_, j int32) {
			if c.place[j] == none {
				toHead(j)
			}
		})
	}
	if single {
		c.head = int32(c.Len())
	}
	for i, s := range c.section {
		if s != inHead {
			c.place[i] += c.head
		}
	}
	c.places = c.head + slices.Max(next)
}

// end is the end of the longest piece of a batch, from node lo on, that is in one section
// and whose nodes and consecutive operands have consecutive places.
func (c *cutter) end(b *Batch, lo int32) int32 {
	if c.section == nil || b.Kind == Mixed || b.Kind == Rows {
		return b.Hi
	}
	n := int32(1)
	for lo+n < b.Hi && c.section[lo+n] == c.section[lo] && c.place[lo+n] == c.place[lo]+n {
		n++
	}
	for o := range b.operands {
		if at := o.At + lo - b.Lo; o.Access == Consecutive {
			k := int32(1)
			for k < n && c.place[at+k] == c.place[at]+k {
				k++
			}
			n = k
		}
	}
	return lo + n
}

// part is the nodes lo … hi−1 of a batch.
func (p *Program) part(b *Batch, lo, hi int32) Batch {
	c := *b
	c.Lo, c.Hi = lo, hi
	if b.Kind == Mixed || b.Kind == Rows {
		return c
	}
	c.Terms = slices.Clone(b.Terms)
	from, to := lo-b.Lo, hi-b.Lo
	for k := range c.Terms {
		if t := &c.Terms[k]; !t.uniform {
			t.weights = t.weights[from:to]
		}
	}
	if c.Tiles != nil {
		c.Tiles = c.Tiles[from:to]
	}
	for o := range c.operands {
		if o.Access == Consecutive {
			o.At += from
		}
		o.Index = o.Index[from:to]
	}
	c.ReadsOperations, c.InputsRead = false, Span{}
	p.noteReads(&c)
	return c
}

// finish finds the adjoints that a sweep sets, and has the pieces work on places.
func (c *cutter) finish(s *Sections) {
	batches := make([]*Batch, 0, len(c.batches))
	add := func(x *Section) {
		for k := range x.Pieces {
			batches = append(batches, &x.Pieces[k].Places)
		}
	}
	add(&s.Head)
	for k := range s.Rest {
		add(&s.Rest[k])
	}
	unwritten := c.findFirstWrites(SecondOrder, batches, new(scratch))
	base := int32(c.Base())
	for _, u := range unwritten {
		for i := u.Lo; i < u.Hi; i++ {
			x, at := &s.Head.Unwritten, i
			if c.section != nil {
				at = c.place[i]
				if c.section[i] != inHead {
					x = &s.Rest[c.section[i]].Unwritten
				}
			}
			if i < base {
				x = &s.Unwritten
			}
			*x = extend(*x, at)
		}
	}
	if c.section == nil {
		return
	}
	for _, b := range batches {
		c.toPlaces(b)
	}
}

// toPlaces has a batch work on places.
func (c *cutter) toPlaces(b *Batch) {
	if b.Kind == Mixed || b.Kind == Rows {
		return
	}
	b.Shift = b.Lo - c.place[b.Lo]
	b.Lo -= b.Shift
	b.Hi -= b.Shift
	indexed := false
	for o := range b.operands {
		indexed = indexed || o.Access == Indexed
	}
	for o := range b.operands {
		o.At = c.place[o.At]
		if indexed { // loops over indexed operands read all of them by Index
			index := make([]int32, len(o.Index))
			for k, j := range o.Index {
				index[k] = c.place[j]
			}
			o.Index, o.moved = index, true
		}
	}
}

// visited reports whether a second-order sweep does anything at a batch.
func (p *Program) visited(b *Batch) bool {
	if b.Kind != Mixed {
		return b.FeedsNonlinear || !b.Op.Linear()
	}
	for i := b.Lo; i < b.Hi; i++ {
		if b.FeedsNonlinear || !p.Op(i).Linear() {
			return true
		}
	}
	return false
}

// Bytes is the memory that the sections take.
func (s *Sections) Bytes() int {
	k := int(unsafe.Sizeof(*s)) + tape.BytesOf(s.Rest) + s.Head.bytes() + tape.BytesOf(s.Unwritten)
	for i := range s.Rest {
		k += s.Rest[i].bytes()
	}
	return k
}

func (s *Section) bytes() int {
	k := tape.BytesOf(s.Pieces) + tape.BytesOf(s.Unwritten)
	for i := range s.Pieces {
		b := &s.Pieces[i].Places
		k += tape.BytesOf(b.Terms)
		for o := range b.operands {
			if o.moved {
				k += tape.BytesOf(o.Index)
			}
		}
	}
	return k
}
