package domains

import (
	"math"
	"math/bits"

	"github.com/hesse-ad/hesse/sparsity"
)

// A Graph is a function reduced to what its patterns depend on: which nodes a
// node has first derivatives in, and between which of them it has second ones.
// Nodes stand after their arguments; the inputs are the first.
type Graph struct {
	inputs int
	start  []int32 // node i is linked to args[start[i]:start[i+1]]
	args   []int32
	curved []curvature // by increasing node
}

// A curvature says that the node has a second derivative in a and b.
type curvature struct{ node, a, b int32 }

// New returns a graph of inputs alone.
func New(inputs int) *Graph {
	return &Graph{inputs: inputs, start: make([]int32, inputs+1)}
}

func (g *Graph) nodes() int { return len(g.start) - 1 }

// links returns the nodes that node i has first derivatives in.
func (g *Graph) links(i int32) []int32 { return g.args[g.start[i]:g.start[i+1]] }

// Link adds an argument to the node that the next call of Node makes.
func (g *Graph) Link(a int32) { g.args = append(g.args, a) }

// Node makes a node of the arguments linked since the last call.
func (g *Graph) Node() int32 {
	if len(g.args) > math.MaxInt32 || len(g.start) > math.MaxInt32 {
		panic("hesse: too many operations")
	}
	g.start = append(g.start, int32(len(g.args)))
	return int32(len(g.start) - 2)
}

// Curve says that a node has a second derivative in a and b. Nodes come by
// increasing number; a node may have the number that Node gives next.
func (g *Graph) Curve(node, a, b int32) {
	g.curved = append(g.curved, curvature{node, a, b})
}

// Jacobian returns the len(outputs)×inputs pattern of first derivatives. An
// output −1 is a constant.
func (g *Graph) Jacobian(outputs []int32) *sparsity.Pattern {
	target := make([]bool, g.nodes())
	for _, o := range outputs {
		if o >= 0 {
			target[o] = true
		}
	}
	d := g.dependencies(target, g.setLimit(target))
	return d.pattern(len(outputs), func(k int, r *row) {
		if outputs[k] >= 0 {
			r.add(d.of[outputs[k]])
		}
	})
}

// Hessian returns the symmetric pattern of second derivatives of a sum of the
// outputs with any weights. An output −1 is a constant.
//
// A node adds to it if it reaches an output through first derivatives: for
// each of its curvatures (a, b) the products χ(a)×χ(b) and χ(b)×χ(a) of the
// sets of inputs that a and b depend on. Row j is the union of the partners of
// all sets that hold j: those that have it as an element of their own, and what
// descends from these. A union of partners meets the own elements of each set
// once. So where sets are nested, as in a recursion s ← φ(s, u_k), the cost is
// linear in the nonzeros and in Σ|χ| over the different a and b; where they are
// not, it is linear in the different products. A row that is full looks no further.
func (g *Graph) Hessian(outputs []int32) *sparsity.Pattern {
	live, d := g.curvatures(outputs)
	partners := g.partners(live, d)
	children, owners := d.descent(func(s int32) bool { return len(partners.of(s)) > 0 })
	var stack []int32
	return d.pattern(g.inputs, func(j int, r *row) {
		// Largest sets first: the row may be full with them.
		stack = append(stack[:0], owners.of(int32(j))...)
		for i := 0; i < len(stack); i++ {
			stack = append(stack, children.of(stack[i])...)
		}
		for i := len(stack) - 1; i >= 0 && r.len() < g.inputs; i-- {
			for _, t := range partners.of(stack[i]) {
				r.add(t)
			}
		}
	})
}

// partners returns for each set those that it is multiplied with.
func (g *Graph) partners(live []bool, d *sets) lists {
	a := make([]int32, 0, len(g.curved))
	b := make([]int32, 0, len(g.curved))
	squared := make([]bool, d.len())
	done := map[[2]int32]bool{}
	for _, c := range g.curved {
		if !live[c.node] {
			continue
		}
		s, t := d.of[c.a], d.of[c.b]
		if s == t {
			if squared[s] {
				continue
			}
			squared[s] = true
		} else if int64(d.set[s].size)*int64(d.set[t].size) > smallSet {
			key := [2]int32{min(s, t), max(s, t)}
			if done[key] {
				continue
			}
			done[key] = true
		}
		a, b = append(a, s), append(b, t)
		if s != t {
			a, b = append(a, t), append(b, s)
		}
	}
	return group(d.len(), a, b)
}

// curvatures finds the nodes that reach an output through first derivatives,
// and the dependencies of what these have second derivatives in.
func (g *Graph) curvatures(outputs []int32) (live []bool, d *sets) {
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
	return live, g.dependencies(target, g.setLimit(target))
}

// contributions calls f with the nodes that contribute to a row of the Hessian,
// and with how many entries for each curvature.
func (g *Graph) contributions(outputs []int32, row int32, f func(node int32, entries int)) {
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
			k = int(d.set[d.of[c.b]].size)
		}
		if live[c.node] && depends[c.b] {
			k = max(k, int(d.set[d.of[c.a]].size))
		}
		if k > 0 {
			f(c.node, k)
		}
	}
}

// setLimit bounds the work for sets of nodes that are no targets: some times the
// size of the graph, and what dependenciesByBits would take.
func (g *Graph) setLimit(target []bool) int {
	targets := 0
	for _, t := range target {
		if t {
			targets++
		}
	}
	args, words := float64(len(g.args)), float64(min(g.inputs, targets)/64)
	return int(min(1<<16+float64(8*float64(g.nodes()))+float64((8+words)*args), math.MaxInt32))
}

// dependencies finds for each target the set of inputs that it depends on.
//
// Sets are made only for targets and for nodes that more than one node needs,
// so that of a long sum not every partial sum has its own. Where those that are
// made for others alone take more than limit elements to look at, they are
// found by words of bits instead, in time O(args·min(inputs, targets)/64) and
// the space of the result.
func (g *Graph) dependencies(target []bool, limit int) *sets {
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
		before := d.work
		d.of[i] = d.union(found)
		if target[i] {
			before = d.work // has to be done in any case
		}
		if limit -= d.work - before; limit < 0 {
			return g.dependenciesByBits(target, uses)
		}
	}
	return d
}

// dependenciesByBits is dependencies with a bit for each of 64 inputs or
// targets, whichever are fewer, in one word a node.
func (g *Graph) dependenciesByBits(target []bool, uses []uint8) *sets {
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
	found := group(len(targets), row, col)
	for t, i := range targets {
		d.of[i] = d.intern(found.of(int32(t)))
	}
	return d
}
