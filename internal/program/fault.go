package program

import (
	"math/rand/v2"

	"github.com/hesse-ad/hesse/internal/op"
)

// Fault is where an infinity or a NaN comes from.
type Fault struct {
	Order int   // of the derivative that is not finite: 0, 1 or 2
	Index int   // which output, element of the gradient or row of the Hessian, the first one
	Node  int32 // the operation that made it, or an input or parameter
}

// Fault finds why an output, the gradient of Σ wⱼyⱼ or its Hessian is not
// finite, after Value; nil if all are. p must be Plain. The search starts at
// the result and follows what is not finite to the operation that made it of
// finite numbers, and of several such to the one that a sweep meets first. The
// Hessian is seen by its products with two random vectors, since what does not
// change along one, as (x−y)² along (1, 1), is hidden. Cost: two HVPs, node by
// node.
func (p *Program) Fault(ws *Workspace, w []float64) (*Fault, error) {
	bad := make([]bool, len(p.ops))
	for j, i := range p.outputs {
		if !finite(ws.V[i : i+1]) {
			bad[i] = true
			return &Fault{0, j, p.below(ws, ws.V, bad)}, nil
		}
	}
	if err := p.Linearize(ws, w); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 2))
	direction := func(x []float64, _ int) {
		for i := range x {
			x[i] = 1 + random.Float64() // exact
		}
	}
	for k := range p.inputs {
		if !finite(ws.Bar[k : k+1]) {
			bad[k] = true
			i, err := p.above(ws, ws.Bar, bad, p.adjointStep(ws))
			return &Fault{1, k, i}, err
		}
	}
	for range 2 {
		if err := p.HVP(ws, 1, direction); err != nil {
			return nil, err
		}
		if fault, err := p.secondFault(ws); fault != nil || err != nil {
			return fault, err
		}
	}
	return nil, nil
}

// secondFault finds why the product that HVP just made is not finite, nil if it
// is.
func (p *Program) secondFault(ws *Workspace) (*Fault, error) {
	u, t := ws.U[0], ws.T[0]
	bad := make([]bool, len(p.ops))
	for k := range p.inputs {
		if finite(u[k : k+1]) {
			continue
		}
		bad[k] = true
		i, err := p.above(ws, u, bad, func(z [][]float64, i int32) error { return p.secondNodes(ws, z, ws.T[:1], i, i+1) })
		if err != nil || i < int32(p.base) {
			return &Fault{2, k, i}, err
		}
		// It may have been given a tangent or an adjoint that is not finite.
		clear(bad)
		tangent := false
		p.eachOperand(i, func(j int32) {
			bad[j] = !finite(t[j : j+1])
			tangent = tangent || bad[j]
		})
		if tangent {
			return &Fault{2, k, p.below(ws, t, bad)}, nil
		}
		if bad[i] = !finite(ws.Bar[i : i+1]); bad[i] {
			i, err = p.above(ws, ws.Bar, bad, p.adjointStep(ws))
		}
		return &Fault{2, k, i}, err
	}
	return nil, nil
}

// adjointStep is the reverse sweep of one node.
func (p *Program) adjointStep(ws *Workspace) func(z [][]float64, i int32) error {
	return func(z [][]float64, i int32) error { return p.adjointNodes(ws, z, i, i+1) }
}

// below is the first node that is not finite in x, values or tangents, though
// its operands are, among those that the bad nodes got theirs from.
func (p *Program) below(ws *Workspace, x []float64, bad []bool) int32 {
	culprit := int32(-1)
	for i := int32(len(p.ops)) - 1; i >= 0; i-- {
		if !bad[i] {
			continue
		}
		made, node := true, i
		if p.ops[i] == Call {
			node -= p.b[i]
		}
		see := func(j int32) {
			if c := int(j) >= p.inputs+p.params && int(j) < p.base; !c && !finite(x[j:j+1]) {
				bad[j], made = true, false
			}
		}
		if p.ops[i] == Select {
			a := p.lists[p.a[i]:][:3]
			switch c := ws.V[a[2]]; {
			case c > 0:
				see(a[0])
			case c <= 0:
				see(a[1])
			case &x[0] == &ws.V[0]:
				see(a[2])
			}
		} else {
			p.eachOperand(node, see)
		}
		if made {
			culprit = i
		}
	}
	return culprit
}

// above is the last node that made of a finite adjoint in x one that is not,
// or added up to such a one, among those that the bad nodes got theirs from.
// step is the reverse sweep of one node.
func (p *Program) above(ws *Workspace, x []float64, bad []bool, step func(z [][]float64, i int32) error) (int32, error) {
	ws.careful = true
	defer func() { ws.careful = false }()
	z := make([]float64, len(x))
	explained := make([]bool, len(x))
	culprit := int32(-1)
	for i := int32(p.base); i < int32(len(p.ops)); i++ {
		affects := false
		p.eachOperand(i, func(j int32) { affects = affects || bad[j] })
		if !affects {
			continue
		}
		m := int32(1)
		if p.ops[i] == Call {
			m = p.calls[p.a[i]].outputs()
		}
		copy(z[i:i+m], x[i:i+m])
		if err := step([][]float64{z}, i); err != nil {
			return -1, err
		}
		guilty := false
		p.eachOperand(i, func(j int32) {
			if bad[j] && !finite(z[j:j+1]) {
				guilty, explained[j] = true, true
			}
			z[j] = 0
		})
		clear(z[i : i+m])
		switch {
		case !guilty:
		case finite(x[i : i+m]):
			culprit = i
		default:
			for k := i; k < i+m; k++ {
				bad[k] = !finite(x[k : k+1])
			}
		}
	}
	for i := range bad {
		if bad[i] && !explained[i] {
			culprit = max(culprit, int32(i))
		}
	}
	return culprit, nil
}

// OpName is the name of the operation of node i: that of the method of dual.Scalar
// that does it, or of a primitive.
func (p *Program) OpName(i int32) string {
	switch code := p.ops[i]; code {
	case DivReal:
		return Div.Info().Method
	case Own:
		return p.owns[p.b[i]].Name
	case Call:
		return p.calls[p.a[i]].f.Name()
	default:
		return code.Info().Method
	}
}

// Describe is the name of node i, an operation, and what it was applied to: its
// constant last, those of an affine sum first and before each operand.
func (p *Program) Describe(ws *Workspace, i int32) (name string, operands []float64) {
	name = p.OpName(i)
	code := p.ops[i]
	if code == Affine {
		w, x := p.affine(i)
		operands = append(operands, p.c[i])
		for k, j := range x {
			operands = append(operands, w[k], ws.V[j])
		}
		return name, operands
	}
	p.eachOperand(p.First(i), func(j int32) { operands = append(operands, ws.V[j]) })
	if code.Constant() != op.NoConstant {
		operands = append(operands, p.c[i])
	}
	return name, operands
}
