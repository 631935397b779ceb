package expr

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// Functions are closed under two transforms, from which derivatives of third and fourth order
// follow: their steps are the expressions of a derivative. safe says that its products are
// derivative products.

// Along returns the derivatives Σ vₐ·∂f/∂xₐ of the results f along v. vₐ is the parameter
// params + a.
func (f *Function) Along(params int, safe bool) *Function {
	g := newSteps()
	out, _ := f.derive(g, Request{Derivative: Tangent, Directions: 1, Safe: safe})
	var results []Expr
	for _, o := range out {
		if o.Of == Tangent {
			results = append(results, o.Expr)
		}
	}
	return f.of(g, results, params)
}

// Contract returns the sum of the entries of the Hessian, of the sum of the results times
// their weights, each times a parameter: params[e] for entry e, which is left out if that is
// negative. What lies off the diagonal counts twice.
func (f *Function) Contract(params []int, safe bool) *Function {
	g := newSteps()
	out, _ := f.derive(g, Request{Derivative: Hessian, Weighted: true, Safe: safe})
	var sum Expr
	for _, o := range out {
		if o.Of != Hessian || params[o.Entry] < 0 {
			continue
		}
		h := o.Expr
		if o.A != o.B {
			h = constant(2).Prod(h)
		}
		sum = sum.Add(g.leaf(Parameter, params[o.Entry], 0).Prod(h))
	}
	results := make([]Expr, len(f.Results))
	results[0] = sum
	return f.of(g, results, 0)
}

func newSteps() *Graph {
	g := NewGraph(func(Node) bool { return false }, false)
	g.steps = true
	return g
}

// of is the function whose results are expressions in g, derived from f. What g has of a
// direction is a parameter, from params on.
func (f *Function) of(g *Graph, results []Expr, params int) *Function {
	z := &Function{Constants: slices.Clone(f.Constants), Primitives: f.Primitives}
	ends := make([]int32, len(results))
	for k, x := range results {
		ends[k] = x.Node(g)
	}
	need := make([]bool, len(g.nodes))
	for _, i := range ends {
		need[i] = true
	}
	for i := len(need) - 1; i >= 0; i-- {
		if need[i] {
			g.nodes[i].Operands(func(j int32) { need[j] = true })
		}
	}
	data := map[uint64]int32{}
	number := func(n Node) int32 {
		k, ok := data[n.K]
		if !ok {
			k = int32(len(z.Constants))
			z.Constants = append(z.Constants, Constant{Value: n.Constant()})
			data[n.K] = k
		}
		return k
	}
	var steps []Node
	at := make([]int32, len(g.nodes))
	for i, n := range g.nodes {
		if !need[i] {
			continue
		}
		switch n.Renumber(at); {
		case n.Leaf == Direction:
			n = Node{Leaf: Parameter, A: int32(params) + n.A}
		case n.Leaf == Operation && n.Op == op.Const:
			n = Node{Leaf: Data, A: number(n)}
		case n.HasReal():
			n.C, n.K = number(n), 0
		}
		at[i] = int32(len(steps))
		steps = append(steps, n)
	}
	for k, i := range ends {
		ends[k] = at[i]
	}
	z.Steps, z.Results = VariablesFirst(steps, ends, nil)
	return z
}
