package coloring

import (
	"fmt"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/internal/bucket"
	"github.com/hesse-ad/hesse/sparsity"
)

// An Order is the order in which a greedy coloring takes the vertices. It is
// what decides the number of colors. The same graph always gives the same order;
// ties are broken by the vertex number or, in the dynamic orders, for the vertex
// whose degree changed last. SmallestLast, which starts from the end, prefers
// large numbers, so that it is close to Natural where degrees are alike, as on grids.
//
// Degrees count neighbors in the graph, for Column and Row the other columns
// or rows that share a row or column; on a symmetric pattern these kinds, and
// Distance2, try an order by either degree. A dense row (more than 64 entries, and
// more than 1/64 of the longest) puts all of its columns at the same distance
// from each other: it counts as a constant, or an order would cost the square
// of its length.
type Order uint64

const (
	// Natural takes the vertices by their number.
	Natural Order = iota
	// LargestFirst takes the vertices by decreasing degree (Welsh, Powell 1967).
	LargestFirst
	// SmallestLast takes last a vertex of smallest degree, before it one of
	// smallest degree in the graph without that one, and so on (Matula, Beck
	// 1983). Good in most cases.
	SmallestLast
	// IncidenceDegree takes next a vertex with the most neighbors among those
	// already taken (Coleman, Moré 1983).
	IncidenceDegree
	// DynamicLargestFirst takes next a vertex with the most neighbors among
	// those not yet taken.
	DynamicLargestFirst

	seeded = 1 << 32
)

// Random returns the random order of a seed.
func Random(seed uint32) Order { return seeded | Order(seed) }

var orderNames = [...]string{"natural", "largest first", "smallest last", "incidence degree", "dynamic largest first"}

// String returns the name of the order, such as "smallest last" or "random(1)".
func (o Order) String() string {
	switch {
	case o < Order(len(orderNames)):
		return orderNames[o]
	case o>>32 == 1:
		return fmt.Sprintf("random(%d)", uint32(o))
	}
	return fmt.Sprintf("Order(%d)", uint64(o))
}

// byDegree reports whether the order depends on degrees.
func (o Order) byDegree() bool { return o != Natural && o < Order(len(orderNames)) }

// vertexOrder returns the n vertices in the order o. neighbors(v) is valid
// until its next call; extra[v], unless extra is nil, is added to the degree
// of v for good.
func vertexOrder(o Order, n int, neighbors func(v int32) []int32, extra []int32) []int32 {
	order := make([]int32, n)
	for v := range order {
		order[v] = int32(v)
	}
	switch {
	case o == Natural:
		return order
	case o>>32 == 1:
		rand.New(rand.NewPCG(uint64(uint32(o)), 0)).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		return order
	case o >= Order(len(orderNames)):
		panic("coloring: unknown order")
	}

	degree := make([]int32, n)
	if o != IncidenceDegree {
		for v := range int32(n) {
			d := int32(len(neighbors(v)))
			if extra != nil {
				d = min(d+extra[v], int32(n)-1)
			}
			degree[v] = d
		}
	}
	if o == LargestFirst {
		return largestFirst(degree)
	}
	dynamicOrder(order, o, degree, neighbors)
	return order
}

// dynamicOrder stores in order the vertices in a dynamic order o: a loop over buckets
// of vertices with the same degree, a doubly linked list each (survey, section 3.5).
// degree holds the degrees to begin with, among the vertices that count.
func dynamicOrder(order []int32, o Order, degree []int32, neighbors func(v int32) []int32) {
	n := len(order)
	b := newBuckets(degree, o == SmallestLast)
	largest, d := int32(n)-1, int32(0)
	step := int32(-1) // what taking a vertex adds to the degrees of its neighbors
	switch o {
	case IncidenceDegree:
		step = 1
	case DynamicLargestFirst:
		d = largest
	}
	for k := range n {
		switch o {
		case SmallestLast:
			for d = max(d-1, 0); b.head[d] < 0; d++ {
			}
			k = n - 1 - k
		case IncidenceDegree:
			for d = min(d+1, largest); b.head[d] < 0; d-- {
			}
		case DynamicLargestFirst:
			for ; b.head[d] < 0; d-- {
			}
		}
		v := b.head[d]
		b.remove(v)
		degree[v] = -1
		order[k] = v
		for _, w := range neighbors(v) {
			if degree[w] < 0 {
				continue
			}
			b.remove(w)
			degree[w] += step
			b.push(w)
		}
	}
}

// largestFirst sorts the vertices by decreasing degree, stably.
func largestFirst(degree []int32) []int32 {
	key := make([]int32, len(degree))
	for v, d := range degree {
		key[v] = int32(len(degree)) - 1 - d
	}
	order, _ := bucket.Sort(key, len(degree))
	return order
}

// buckets holds vertices by degree: head[d] is the first vertex of degree d,
// −1 if there is none.
type buckets struct {
	degree, head, next, prev []int32
}

// newBuckets returns the vertices with the smallest number first, or the largest.
func newBuckets(degree []int32, largest bool) *buckets {
	n := len(degree)
	all := make([]int32, 3*n)
	b := &buckets{degree, all[:n:n], all[n : 2*n : 2*n], all[2*n:]}
	for d := range b.head {
		b.head[d] = -1
	}
	for k := range int32(n) {
		v := k
		if !largest {
			v = int32(n) - 1 - k
		}
		b.push(v)
	}
	return b
}

func (b *buckets) push(v int32) {
	d := b.degree[v]
	h := b.head[d]
	b.prev[v], b.next[v], b.head[d] = -1, h, v
	if h >= 0 {
		b.prev[h] = v
	}
}

func (b *buckets) remove(v int32) {
	p, q := b.prev[v], b.next[v]
	if p >= 0 {
		b.next[p] = q
	} else {
		b.head[b.degree[v]] = q
	}
	if q >= 0 {
		b.prev[q] = p
	}
}

// order returns the vertices of g in the order o.
func (g *graph) order(o Order) []int32 {
	if g.ordered == nil || g.lastUsed != o {
		g.ordered, g.lastUsed = vertexOrder(o, g.len(), g.row, nil), o
	}
	return g.ordered
}

// netOrder returns the vertices of a hypergraph in the order o, neighbors
// being vertices in a common net: row v of of holds the nets of vertex v, row
// r of nets the vertices of net r.
func netOrder(o Order, of, nets *sparsity.Pattern) []int32 {
	n, m := of.Dims()
	if !o.byDegree() {
		return vertexOrder(o, n, nil, nil)
	}
	dense := denseSize(nets)
	extra := make([]int32, n)
	for r := range m {
		if row := nets.Row(r); len(row) > dense {
			for _, v := range row {
				extra[v] = int32(min(int(extra[v])+len(row)-1, n-1))
			}
		}
	}
	seen := make([]int32, n)
	for v := range seen {
		seen[v] = -1
	}
	var buf []int32
	stamp := int32(-1)
	neighbors := func(v int32) []int32 {
		stamp++
		seen[v] = stamp
		buf = buf[:0]
		for _, r := range of.Row(int(v)) {
			row := nets.Row(int(r))
			if len(row) > dense {
				continue
			}
			for _, w := range row {
				if seen[w] != stamp {
					seen[w] = stamp
					buf = append(buf, w)
				}
			}
		}
		return buf
	}
	return vertexOrder(o, n, neighbors, extra)
}
