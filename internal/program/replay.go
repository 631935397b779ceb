package program

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
)

// Primitives is how Replay applies a user's primitives to numbers of type T.
type Primitives[T any] interface {
	Own(f *Scalar1, order int, x T) T
	Call(f Func, x []T) []T
}

// Replay runs the program on other numbers, x the inputs and then the
// parameters, and returns all nodes in T. Comparisons are made again.
func Replay[T dual.Scalar[T]](p *Program, x []T, prims Primitives[T]) []T {
	v := make([]T, len(p.ops))
	copy(v, x)
	var zero T
	for i, c := range p.consts {
		v[p.inputs+p.params+i] = zero.Const(c)
	}
	pick := func(index []int32) []T {
		z := make([]T, len(index))
		for k, j := range index {
			z[k] = v[j]
		}
		return z
	}
	for k := p.base; k < len(p.ops); k++ {
		i := int32(k)
		a, b, c := p.a[i], p.b[i], p.c[i]
		switch op := p.ops[i]; op {
		case Sum:
			z := pick(p.operands(i))
			if c != 0 || !math.Signbit(c) || len(z) == 0 {
				z = append([]T{zero.Const(c)}, z...)
			}
			v[i] = zero.SumOf(z)
		case Affine:
			w, x := p.affine(i)
			v[i] = zero.AffineOf(c, w, pick(x))
		case Dot:
			x, y := p.dot(i)
			v[i] = zero.DotOf(pick(x), pick(y))
		case FMA, IncGamma, IncBeta:
			v[i] = applySeveral(op, c, pick(p.several(i)))
		case Select:
			v[i] = v[p.lists[a+2]].Select(v[p.lists[a]], v[p.lists[a+1]])
		case Call:
			if b == 0 {
				call := &p.calls[a]
				copy(v[i:], prims.Call(call.f, pick(p.lists[call.args:call.args+call.n])))
			}
		case Own:
			v[i] = prims.Own(p.owns[b], int(c), v[a])
		default:
			v[i] = Apply(op, c, v[a], v[b])
		}
	}
	for k := range p.guards {
		g := &p.guards[k]
		switch a := v[g.A]; g.Kind {
		case Less:
			a.Less(v[g.B])
		case LessEq:
			a.LessEq(v[g.B])
		case LessReal:
			a.LessReal(g.C)
		case LessEqReal:
			a.LessEqReal(g.C)
		case GreaterReal:
			zero.Const(g.C).Less(a)
		case GreaterEqReal:
			zero.Const(g.C).LessEq(a)
		case Value:
			a.Value()
		}
	}
	return v
}

// applySeveral is an operation on so many operands as it always has.
func applySeveral[T dual.Scalar[T]](code Op, c float64, x []T) T {
	switch n := op.Orders(c); code {
	case FMA:
		return x[0].FMA(x[1], x[2])
	case IncGamma:
		return x[0].IncGamma(n[0], n[1], x[1])
	case IncBeta:
		return x[0].IncBeta(n[0], n[1], n[2], x[1], x[2])
	}
	panic("program: no operation " + code.String())
}

// Pullback adds, for node i with the adjoint g, its operands' adjoints to bar:
// the derivative rules are those of dual.Of[T]. v holds all nodes.
func Pullback[T dual.Scalar[T]](p *Program, i int32, v []T, g T, bar []T, prims Primitives[T]) {
	add := func(j int32, x T) { bar[j] = bar[j].Add(x) }
	a, b, c := p.a[i], p.b[i], p.c[i]
	one := g.Const(1)
	var zero T
	switch code := p.ops[i]; code.Class() {
	case op.NoPartials:
	case op.List:
		switch code {
		case Sum:
			for _, j := range p.operands(i) {
				add(j, g)
			}
		case Affine:
			w, x := p.affine(i)
			for k, j := range x {
				add(j, g.Prod(g.Const(w[k])))
			}
		case Dot:
			x, y := p.dot(i)
			for k, j := range x {
				add(j, g.Prod(v[y[k]]))
				add(y[k], g.Prod(v[j]))
			}
		case FMA, IncGamma, IncBeta:
			list := p.several(i)
			x := make([]dual.Of[T], len(list))
			for k, j := range list {
				x[k].V = v[j]
			}
			for k, j := range list {
				x[k].D = one
				add(j, g.Prod(applySeveral(code, c, x).D))
				x[k].D = zero
			}
		case Select:
			cond := v[p.lists[a+2]]
			add(p.lists[a], g.Prod(cond.Select(one, zero)))
			add(p.lists[a+1], g.Prod(cond.Select(zero, one)))
		}
	case op.Unary:
		if code == Own {
			add(a, g.Prod(prims.Own(p.owns[b], int(c)+1, v[a])))
			return
		}
		add(a, g.Prod(Apply(code, c, dual.Of[T]{V: v[a], D: one}, dual.Of[T]{}).D))
	default:
		x, y := dual.Of[T]{V: v[a]}, dual.Of[T]{V: v[b]}
		x.D = one
		add(a, g.Prod(Apply(code, c, x, y).D))
		if code.Operands() == 2 {
			x.D, y.D = zero, one
			add(b, g.Prod(Apply(code, c, x, y).D))
		}
	}
}

// Operands of the call whose first output is node i, and its function; nil if
// node i is something else.
func (p *Program) CallAt(i int32) (f Func, operands []int32) {
	if p.ops[i] != Call || p.b[i] != 0 {
		return nil, nil
	}
	c := &p.calls[p.a[i]]
	return c.f, p.lists[c.args : c.args+c.n]
}

// Base is the first node that is an operation.
func (p *Program) Base() int { return p.base }

// Len is the number of nodes.
func (p *Program) Len() int { return len(p.ops) }
