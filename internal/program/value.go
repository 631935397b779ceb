package program

import (
	"github.com/hesse-ad/hesse/internal/elem"
)

// Value computes all nodes at the inputs x and the parameters params. If a
// comparison comes out otherwise than recorded it returns the first such guard.
func (p *Program) Value(ws *Workspace, x, params []float64) (*Guard, error) {
	copy(ws.V, x)
	copy(ws.V[p.inputs:], params)
	v := ws.V
	for k := range p.batches {
		b := &p.batches[k]
		if b.op == mixed {
			if err := p.valueNodes(ws, b.lo, b.hi); err != nil {
				return p.broken(v), err
			}
			continue
		}
		if b.rows() {
			p.rowValues(ws, b)
			continue
		}
		if ws.shares(b) {
			p.sharedValues(ws, b)
			continue
		}
		for lo := b.lo; lo < b.hi; lo += block {
			p.valueBlock(ws, b, lo, min(block, b.hi-lo))
		}
	}
	return p.broken(v), nil
}

// valueBlock evaluates the lanes lo … lo+m−1 of a batch.
func (p *Program) valueBlock(ws *Workspace, b *batch, lo, m int32) {
	v := ws.V
	dst := v[lo : lo+m]
	if b.op == Affine {
		b.addTerms(ws, dst, p.c[lo:], v, lo-b.lo)
		return
	}
	if b.a.how != direct || b.b.how != direct {
		ia, ib := p.a[lo:lo+m], p.b[lo:lo+m]
		switch b.op {
		case Add:
			addIndexed(dst, v, ia, ib)
			return
		case Sub:
			subIndexed(dst, v, ia, ib)
			return
		case Mul:
			mulIndexed(dst, v, ia, ib)
			return
		}
	}
	x := b.a.load(&ws.scratch[0], v, p.a, b, lo, m)
	y := p.c[lo : lo+m]
	if b.op.Operands() == 2 {
		y = b.b.load(&ws.scratch[1], v, p.b, b, lo, m)
	}
	values(b.op, dst, x, y)
}

// broken is the first guard that does not hold.
func (p *Program) broken(v []float64) *Guard {
	for k := range p.guards {
		if g := &p.guards[k]; !g.Holds(v) {
			return g
		}
	}
	return nil
}

// values evaluates an operation on lanes with the operands x and y; y is the
// constants where the operation has one.
func values(op Op, dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	switch op {
	case Add, AddReal:
		addTo(dst, x, y)
	case Sub:
		subTo(dst, x, y)
	case RSub:
		subTo(dst, y, x)
	case Mul, Scale:
		mulTo(dst, x, y)
	case Prod:
		for i := range dst {
			dst[i] = elem.Prod(x[i], y[i])
		}
	case Div, DivReal:
		for i := range dst {
			dst[i] = x[i] / y[i]
		}
	case Neg:
		negTo(dst, x)
	case Inv:
		for i := range dst {
			dst[i] = 1 / x[i]
		}
	case Square:
		mulTo(dst, x, x)
	case Sqrt:
		for i := range dst {
			dst[i] = elem.Sqrt(x[i])
		}
	case Detach:
		copy(dst, x)
	default:
		switch f := op.Info(); {
		case f.F1 != nil:
			for i := range dst {
				dst[i] = f.F1(x[i])
			}
		case f.FC != nil:
			for i := range dst {
				dst[i] = f.FC(x[i], y[i])
			}
		default:
			for i := range dst {
				dst[i] = f.F2(x[i], y[i])
			}
		}
	}
}

// valueNodes evaluates nodes of mixed operations one by one.
func (p *Program) valueNodes(ws *Workspace, lo, hi int32) error {
	v := ws.V
	for i := lo; i < hi; i++ {
		a, b := p.a[i], p.b[i]
		switch op := p.ops[i]; op {
		case Add:
			v[i] = v[a] + v[b]
		case Sub:
			v[i] = v[a] - v[b]
		case Mul:
			v[i] = v[a] * v[b]
		case Square:
			v[i] = v[a] * v[a]
		case Scale:
			v[i] = v[a] * p.c[i]
		case AddReal:
			v[i] = v[a] + p.c[i]
		case Own:
			v[i] = p.owns[b].At(int(p.c[i]))(v[a])
		case Sum:
			v[i] = p.sum(p.c[i], v, i)
		case Affine:
			w, x := p.affine(i)
			if b&1 != 0 && len(x) > 0 {
				v[i] = dotOf(p.c[i], w, v[x[0]:][:len(x)])
			} else {
				v[i] = dotIndexed(p.c[i], w, v, x)
			}
		case Dot:
			x, y := p.dot(i)
			if b&1 != 0 && len(x) > 0 {
				v[i] = dotOf(negZero, v[x[0]:][:len(x)], v[y[0]:][:len(x)])
				break
			}
			s := negZero
			for k, j := range x {
				s += float64(v[j] * v[y[k]])
			}
			v[i] = s
		case FMA, IncGamma, IncBeta:
			v[i] = p.partial(v, i)
		case Select:
			x, y, cond := p.lists[a], p.lists[a+1], p.lists[a+2]
			switch c := v[cond]; {
			case c > 0:
				v[i] = v[x]
			case c != c:
				v[i] = c
			default:
				v[i] = v[y]
			}
		case Call:
			if b > 0 {
				break
			}
			c := &p.calls[a]
			if err := c.f.Eval(v[i:i+c.outputs()], p.arguments(&ws.call.x, v, c)); err != nil {
				return c.failed(err)
			}
		default:
			y := p.c[i : i+1]
			if op.Operands() == 2 {
				y = v[b : b+1]
			}
			values(op, v[i:i+1], v[a:a+1], y)
		}
	}
	return nil
}

// sum is s plus the operands of a Sum node in an array over all nodes.
func (p *Program) sum(s float64, x []float64, i int32) float64 {
	a, b := p.a[i], p.b[i]
	if b&1 == 0 {
		return sumIndexed(s, x, p.lists[a:a+b>>1])
	}
	for range p.lists[a] {
		s = sumOf(s, x[p.lists[a+1]:][:p.lists[a+2]])
		a += 2
	}
	return s
}

// operands is the operands of a Sum node.
func (p *Program) operands(i int32) []int32 {
	a, b := p.a[i], p.b[i]
	if b&1 == 0 {
		return p.lists[a : a+b>>1]
	}
	x := make([]int32, 0, b>>1)
	for range p.lists[a] {
		for j := range p.lists[a+2] {
			x = append(x, p.lists[a+1]+j)
		}
		a += 2
	}
	return x
}

// affine is the weights and operands of an Affine node.
func (p *Program) affine(i int32) (w []float64, x []int32) {
	a, n := p.a[i], p.b[i]>>1
	at := p.lists[a]
	return p.coefs[at : at+n], p.lists[a+1 : a+1+n]
}

// dot is the operands of a Dot node.
func (p *Program) dot(i int32) (x, y []int32) {
	a, n := p.a[i], p.b[i]>>1
	return p.lists[a : a+n], p.lists[a+n : a+2*n]
}

// several is the operands of a node that always has so many.
func (p *Program) several(i int32) []int32 { return p.lists[p.a[i]:][:p.ops[i].Listed()] }

// partial is the value of such a node, or its derivative in operands k.
func (p *Program) partial(v []float64, i int32, k ...int) float64 {
	var x [3]float64
	for k, j := range p.several(i) {
		x[k] = v[j]
	}
	return p.ops[i].Partial(x[:], p.c[i], k...)
}
