package sparsity

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/program"
)

// OfProgram returns the patterns of the Jacobian of a program and of the
// Hessian of any weighted sum of its outputs; the one that is not wanted is
// nil. With the values v of all nodes, derivatives that are exactly 0 there are
// left out. It is what reverse.Tape's methods call; rules and cost are those of
// Jacobian and Hessian.
func OfProgram(p *program.Program, v []float64, wantJacobian, wantHessian bool) (jacobian, hessian *Pattern) {
	g, outputs := fromProgram(p, v)
	if wantJacobian {
		jacobian = g.jacobian(outputs)
	}
	if wantHessian {
		hessian = g.hessian(outputs)
	}
	return jacobian, hessian
}

func fromProgram(p *program.Program, v []float64) (g *graph, outputs []int32) {
	g = newGraph(p.Inputs())
	g.start = slices.Grow(g.start, p.Ops())
	g.args = slices.Grow(g.args, 2*p.Ops())
	g.curved = slices.Grow(g.curved, p.Ops()/2)
	id := make([]int32, p.Len())
	for i := range id {
		id[i] = int32(i)
		if i >= p.Inputs() {
			id[i] = -1
		}
	}
	var node int32 // the one that is being made
	link := func(j int32) {
		if id[j] >= 0 {
			g.link(id[j])
		}
	}
	curve := func(j, k int32) {
		if id[j] >= 0 && id[k] >= 0 {
			g.curve(node, id[j], id[k])
		}
	}
	for i := int32(p.Base()); int(i) < p.Len(); i++ {
		if id[i] >= 0 { // an output of a call before
			continue
		}
		if f, x := p.CallAt(i); f != nil {
			_, m := f.Dims()
			node = g.node() // has the curvature of all outputs
			for j := range x {
				columns(f.Hessian(j), len(x), func(k int32) {
					if int(k) <= j {
						curve(x[j], x[k])
					}
				})
			}
			all := node
			for j := range m {
				columns(f.Jacobian(j), len(x), func(k int32) { link(x[k]) })
				g.link(all)
				id[int(i)+j] = g.node()
			}
			continue
		}
		node = int32(g.nodes())
		p.Structure(i, v, link, curve)
		id[i] = g.node()
	}
	outputs = make([]int32, p.Outputs())
	for j := range outputs {
		outputs[j] = id[p.Output(j)]
	}
	return g, outputs
}

// columns calls f with each of a primitive's columns, all n if they are nil.
func columns(list []int32, n int, f func(k int32)) {
	if list == nil {
		for k := range n {
			f(int32(k))
		}
		return
	}
	for _, k := range list {
		f(k)
	}
}

// Densest is the kind of operation that contributes most to a row of the
// Hessian of a program, and how many of them do; an empty name if none does. It
// is for explanations: the cost is that of detection.
func Densest(p *program.Program, row int) (op string, count int) {
	g, outputs := fromProgram(p, nil)
	names := make([]string, g.nodes())
	k := p.Inputs()
	for i := p.Base(); i < p.Len(); i++ {
		name := p.Op(int32(i)).String()
		if f, _ := p.CallAt(int32(i)); f != nil {
			names[k] = f.Name() // the node of the curvature
			k++
		}
		names[k] = name
		k++
	}
	entries, nodes := map[string]int{}, map[string]int{}
	last := int32(-1)
	g.contributions(outputs, int32(row), func(node int32, k int) {
		name := names[node]
		entries[name] += k
		if node != last {
			nodes[name]++
			last = node
		}
	})
	for name, k := range entries {
		if op == "" || k > entries[op] || k == entries[op] && name < op {
			op = name
		}
	}
	return op, nodes[op]
}
