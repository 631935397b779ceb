package domains

import (
	"slices"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/scan"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/sparsity"
)

// Jacobian returns the pattern of the Jacobian of a program. With the values v
// of all nodes, derivatives that are exactly 0 there are left out.
func Jacobian(p *tape.Tape, v []float64) *sparsity.Pattern {
	g, outputs := fromProgram(p, v, false, nil)
	return g.Jacobian(outputs)
}

// Hessian returns the symmetric pattern of the Hessian of any weighted sum of
// the outputs of a program; v is as for Jacobian.
func Hessian(p *tape.Tape, v []float64) *sparsity.Pattern {
	g, outputs := fromProgram(p, v, true, nil)
	return g.Hessian(outputs)
}

// fromProgram makes the graph of a program, with its curvatures if second. It
// calls name, if that is not nil, with the operation of each node that is no input.
func fromProgram(p *tape.Tape, v []float64, second bool, name func(code string)) (g *Graph, outputs []int32) {
	g = New(p.Inputs())
	g.start = slices.Grow(g.start, p.Ops())
	g.args = slices.Grow(g.args, 2*p.Ops())
	if second {
		g.curved = slices.Grow(g.curved, p.Ops()/2)
	}
	in := make([]int32, p.Inputs())
	for k := range in {
		in[k] = int32(k)
	}
	return g, (&builder{g, second, name}).add(p, in, v)
}

// builder makes a graph of programs.
type builder struct {
	*Graph
	second bool // with curvatures
	name   func(code string)
}

// done makes the node of an operation.
func (g *builder) done(code string) int32 {
	if g.name != nil {
		g.name(code)
	}
	return g.Node()
}

// add adds the nodes of a program whose inputs are the nodes in, −1 for constants;
// it returns those of its outputs.
func (g *builder) add(p *tape.Tape, in []int32, v []float64) (outputs []int32) {
	id := make([]int32, p.Len())
	for i := range id {
		id[i] = -1
	}
	copy(id, in)
	var node int32 // the one that is being made
	link := func(j int32) {
		if id[j] >= 0 {
			g.Link(id[j])
		}
	}
	curve := func(j, k int32) {
		if g.second && id[j] >= 0 && id[k] >= 0 {
			g.Curve(node, id[j], id[k])
		}
	}
	for i := int32(p.Base()); int(i) < p.Len(); i++ {
		if id[i] >= 0 { // an output of a call before
			continue
		}
		if f := p.CallAt(i); f != nil {
			copy(id[i:], g.apply(f, id, v))
			continue
		}
		node = int32(g.nodes())
		p.Structure(i, v, link, curve)
		id[i] = g.done(p.Op(i).String())
	}
	outputs = make([]int32, p.Outputs())
	for j := range outputs {
		outputs[j] = id[p.Output(j)]
	}
	return outputs
}

// apply adds the nodes of a call, where id are the nodes of its program, and returns
// those of its outputs.
func (g *builder) apply(f *tape.Call, id []int32, v []float64) []int32 {
	x := make([]int32, len(f.Args))
	for k, j := range f.Args {
		x[k] = id[j]
	}
	if f.Repeated != nil {
		return g.repeated(f, x, v)
	}
	if l, ok := f.Func.(*scan.Loop); ok {
		return g.loop(l, x)
	}
	y := make([]int32, f.Outputs())
	g.call(f, x, g.second, y, func(shared bool) int32 {
		if shared {
			return g.done(f.Name())
		}
		return g.done(op.Call.String())
	})
	return y
}

// repeated adds the nodes of alike terms with the operands x.
func (g *builder) repeated(f *tape.Call, x []int32, v []float64) []int32 {
	parts := make([][]int32, f.Outputs()) // the terms that are added up in each output
	// Without values, terms of the same inputs as the one before have its nodes, of
	// which the first is first.
	var before []int32
	first, shared := int32(-1), map[[2]int32]bool{} // of row and node
	eachTerm(f.Repeated, f.Args, v, g.second, func(vars, rows []int32, jacobian *sparsity.Pattern, hessian []*sparsity.Pattern) {
		if v == nil && first >= 0 && slices.Equal(vars, before) {
			for k, row := range rows {
				if use := [2]int32{row, first + int32(k)}; !shared[use] {
					shared[use] = true
					parts[row] = append(parts[row], use[1])
				}
			}
			return
		}
		before, first = append(before[:0], vars...), int32(g.nodes())
		for k, row := range rows {
			if g.second {
				g.curveTerm(x, vars, hessian[k])
			}
			for _, a := range jacobian.Row(k) {
				if j := x[vars[a]]; j >= 0 {
					g.Link(j)
				}
			}
			parts[row] = append(parts[row], g.done(f.Name()))
		}
	})
	y := make([]int32, len(parts))
	for k, nodes := range parts {
		for _, part := range nodes {
			g.Link(part)
		}
		y[k] = g.done(f.Name())
	}
	return y
}

// curveTerm gives the next node the curvature of an output of a term of the operands
// x[vars[0]], x[vars[1]], …
func (g *builder) curveTerm(x, vars []int32, hessian *sparsity.Pattern) {
	for a, b := range hessian.All() {
		if j, k := x[vars[a]], x[vars[b]]; b <= a && j >= 0 && k >= 0 {
			g.Curve(int32(g.nodes()), j, k)
		}
	}
}

// eachTerm calls f with the numbers of the inputs and outputs of each term and its
// patterns: that of its Jacobian and, if second, those of the Hessians of its
// outputs. x is the operands of the call, v nil or the values of all nodes.
func eachTerm(r tape.Repeated, x []int32, v []float64, second bool, f func(vars, rows []int32, jacobian *sparsity.Pattern, hessian []*sparsity.Pattern)) {
	term := r.Term()
	var jacobian *sparsity.Pattern
	var hessian []*sparsity.Pattern
	find := func(v []float64) {
		g, outputs := fromProgram(term, v, second, nil)
		jacobian, hessian = g.Jacobian(outputs), hessian[:0]
		for k := range outputs {
			if second {
				hessian = append(hessian, g.Hessian(outputs[k:k+1]))
			}
		}
	}
	if v == nil {
		find(nil)
		r.Each(func(vars, rows []int32, _ []float64) { f(vars, rows, jacobian, hessian) })
		return
	}
	local := make([]dual.Real, term.Inputs()+term.Params())
	values := make([]float64, term.Len())
	r.Each(func(vars, rows []int32, params []float64) {
		for a, j := range vars {
			local[a] = dual.Real(v[x[j]])
		}
		for k, c := range params {
			local[len(vars)+k] = dual.Real(c)
		}
		for i, y := range tape.Replay(term, local, primitives{}) {
			values[i] = float64(y)
		}
		find(values)
		f(vars, rows, jacobian, hessian)
	})
}

// primitives are those of terms: functions of one variable.
type primitives struct{}

func (primitives) Own(f *tape.Scalar1, order int, x dual.Real) dual.Real {
	return dual.Real(f.At(order)(float64(x)))
}

func (primitives) Call(f tape.Func, _ []dual.Real) []dual.Real {
	panic("domains: a term calls " + f.Name())
}

// Densest is the kind of operation that contributes most to a row of the
// Hessian of a program, and how many of them do; an empty name if none does. It
// is for explanations: the cost is that of detection.
func Densest(p *tape.Tape, row int) (op string, count int) {
	names := make([]string, p.Inputs())
	g, outputs := fromProgram(p, nil, true, func(op string) { names = append(names, op) })
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
