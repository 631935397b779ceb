package sweep

import (
	"math/rand/v2"

	"github.com/hesse-ad/hesse/internal/op"
)

// Fault says where an infinity or a NaN comes from.
type Fault struct {
	Order int   // of the derivative that is not finite: 0, 1 or 2
	Index int   // which output, element of the gradient or row of the Hessian, the first one
	Node  int32 // the operation that made it, or an input or parameter
}

// Fault finds why an output, the gradient of Σ wⱼyⱼ or its Hessian is not
// finite, after Value; nil if all are. The program must be a Plain one. The search starts
// at the result and follows numbers that are not finite back to the operation that made
// one of finite numbers, and of several such operations to the one that a sweep meets
// first. The Hessian is seen by its products with two random vectors; one fixed vector
// could hide a fault, as (1, 1) hides those of (x−y)². Cost: two HVPs, node by node.
func (ws *Workspace) Fault(w []float64) (*Fault, error) {
	e := ws.e
	bad := make([]bool, e.Len())
	for j, i := range e.OutputNodes() {
		if !finite(ws.v[i : i+1]) {
			bad[i] = true
			return &Fault{0, j, ws.below(ws.v, bad)}, nil
		}
	}
	if err := ws.Linearize(w); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 2))
	direction := func(x []float64, _ int) {
		for i := range x {
			x[i] = 1 + random.Float64() // exact
		}
	}
	for k := range e.Inputs() {
		if !finite(ws.bar[k : k+1]) {
			bad[k] = true
			i, err := ws.above(ws.bar, bad, ws.adjointStep())
			return &Fault{1, k, i}, err
		}
	}
	for range 2 {
		if err := ws.HVP(1, direction); err != nil {
			return nil, err
		}
		if fault, err := ws.secondFault(); fault != nil || err != nil {
			return fault, err
		}
	}
	return nil, nil
}

// secondFault finds why the product that HVP just made is not finite, nil if it
// is.
func (ws *Workspace) secondFault() (*Fault, error) {
	e := ws.e
	u, t := ws.u[0], ws.t[0]
	bad := make([]bool, e.Len())
	for k := range e.Inputs() {
		if finite(u[k : k+1]) {
			continue
		}
		bad[k] = true
		i, err := ws.above(u, bad, func(z [][]float64, i int32) error { return ws.secondNodes(z, ws.t[:1], i, i+1) })
		if err != nil || i < int32(e.Base()) {
			return &Fault{2, k, i}, err
		}
		// Operation i made it, of numbers that may include a tangent or an adjoint that is
		// not finite. If so, that one is followed instead.
		clear(bad)
		tangent := false
		e.EachOperand(i, func(j int32) {
			bad[j] = !finite(t[j : j+1])
			tangent = tangent || bad[j]
		})
		if tangent {
			return &Fault{2, k, ws.below(t, bad)}, nil
		}
		if bad[i] = !finite(ws.bar[i : i+1]); bad[i] {
			i, err = ws.above(ws.bar, bad, ws.adjointStep())
		}
		return &Fault{2, k, i}, err
	}
	return nil, nil
}

// adjointStep is the reverse sweep of one node.
func (ws *Workspace) adjointStep() func(z [][]float64, i int32) error {
	return func(z [][]float64, i int32) error { return ws.adjointNodes(z, i, i+1) }
}

// below is the first node whose number in x, values or tangents, is not finite though those
// of its operands are, among the bad nodes and all on which they depend. It adds to bad.
func (ws *Workspace) below(x []float64, bad []bool) int32 {
	e := ws.e
	values := &x[0] == &ws.v[0]
	culprit := int32(-1)
	for i := int32(e.Len()) - 1; i >= 0; i-- {
		if !bad[i] {
			continue
		}
		made := true
		see := func(j int32) {
			if c := int(j) >= e.Inputs()+e.Params() && int(j) < e.Base(); !c && !finite(x[j:j+1]) {
				bad[j], made = true, false
			}
		}
		if e.Op(i) == op.Select {
			cond, x, y := e.SelectAt(i)
			switch c := ws.v[cond]; {
			case c > 0:
				see(x)
			case c <= 0:
				see(y)
			case values:
				see(cond)
			}
		} else {
			e.EachOperand(e.FirstOutput(i), see)
		}
		if made {
			culprit = i
		}
	}
	return culprit
}

// above is the last node that has a finite adjoint in x and adds one to an operand that is
// not finite, or at whose adjoint finite numbers add up to one that is not, among the nodes
// from which bad nodes got their adjoints. step is the reverse sweep of one node. It adds to
// bad.
func (ws *Workspace) above(x []float64, bad []bool, step func(z [][]float64, i int32) error) (int32, error) {
	e := ws.e
	ws.careful = true
	defer func() { ws.careful = false }()
	z := make([]float64, len(x))
	explained := make([]bool, len(x))
	culprit := int32(-1)
	for i := int32(e.Base()); i < int32(e.Len()); i++ {
		affects := false
		e.EachOperand(i, func(j int32) { affects = affects || bad[j] })
		if !affects {
			continue
		}
		m := int32(1)
		if c := e.CallAt(i); c != nil {
			m = c.Outputs()
		}
		copy(z[i:i+m], x[i:i+m])
		if err := step([][]float64{z}, i); err != nil {
			return -1, err
		}
		guilty := false
		e.EachOperand(i, func(j int32) {
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
