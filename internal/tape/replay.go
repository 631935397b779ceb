package tape

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

// Replay runs the tape on other numbers, x the inputs and then the
// parameters, and returns all nodes in T. Comparisons are made again.
func Replay[T dual.Scalar[T]](t *Tape, x []T, prims Primitives[T]) []T {
	v := make([]T, t.count)
	copy(v, x)
	var zero T
	for i, c := range t.consts {
		v[t.inputs+t.params+i] = zero.Const(c)
	}
	for k := t.base; k < t.count; k++ {
		Evaluate(t, int32(k), v, prims)
	}
	for k := range t.guards {
		g := &t.guards[k]
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
		case ValueRead:
			a.Value()
		}
	}
	return v
}

// Evaluate sets v[i] of v, by node, to node i, an operation; of the first output of a call all
// outputs.
func Evaluate[T dual.Scalar[T]](t *Tape, i int32, v []T, prims Primitives[T]) {
	var zero T
	pick := func(index []int32) []T {
		z := make([]T, len(index))
		for k, j := range index {
			z[k] = v[j]
		}
		return z
	}
	a, b := t.Args(i)
	c := t.Constant(i)
	switch code := t.Op(i); code {
	case op.Sum:
		z := pick(t.SumAt(i))
		if c != 0 || !math.Signbit(c) || len(z) == 0 {
			z = append([]T{zero.Const(c)}, z...)
		}
		v[i] = zero.SumOf(z)
	case op.Affine:
		w, x := t.AffineAt(i)
		v[i] = zero.AffineOf(c, w, pick(x))
	case op.Dot:
		x, y := t.DotAt(i)
		v[i] = zero.DotOf(pick(x), pick(y))
	case op.FMA, op.IncGamma, op.IncBeta, op.Select:
		v[i] = ApplySeveral(code, c, pick(t.SeveralAt(i)))
	case op.Call:
		if c := t.CallAt(i); c != nil {
			copy(v[i:], prims.Call(c.Func, pick(c.Args)))
		}
	case op.Own:
		f, order := t.OwnAt(i)
		v[i] = prims.Own(f, order, v[a])
	default:
		if code.Operands() < 2 {
			b = a
		}
		v[i] = Apply(code, c, v[a], v[b])
	}
}

// ApplySeveral is an operation with two or three operands and orders of differentiation c, such
// as IncGamma.
func ApplySeveral[T dual.Scalar[T]](code op.Code, c float64, x []T) T {
	switch n := op.Orders(c); code {
	case op.FMA:
		return x[0].FMA(x[1], x[2])
	case op.IncGamma:
		return x[0].IncGamma(n[0], n[1], x[1])
	case op.IncBeta:
		return x[0].IncBeta(n[0], n[1], n[2], x[1], x[2])
	case op.Select:
		return x[2].Select(x[0], x[1])
	}
	panic("tape: no operation " + code.String())
}

// Pullback adds to bar, by node, what node i with the adjoint g contributes to the adjoints of
// its operands. The derivative rules are those of dual.Of[T]. v holds all nodes.
func Pullback[T dual.Scalar[T]](t *Tape, i int32, v []T, g T, bar []T, prims Primitives[T]) {
	add := func(j int32, x T) { bar[j] = bar[j].Add(x) }
	a, b := t.Args(i)
	c := t.Constant(i)
	one := g.Const(1)
	var zero T
	switch code := t.Op(i); code.Class() {
	case op.NoPartials:
	case op.List:
		switch code {
		case op.Sum:
			for _, j := range t.SumAt(i) {
				add(j, g)
			}
		case op.Affine:
			w, x := t.AffineAt(i)
			for k, j := range x {
				add(j, g.Prod(g.Const(w[k])))
			}
		case op.Dot:
			x, y := t.DotAt(i)
			for k, j := range x {
				add(j, g.Prod(v[y[k]]))
				add(y[k], g.Prod(v[j]))
			}
		case op.FMA, op.IncGamma, op.IncBeta:
			list := t.SeveralAt(i)
			x := make([]dual.Of[T], len(list))
			for k, j := range list {
				x[k].V = v[j]
			}
			for k, j := range list {
				x[k].D = one
				add(j, g.Prod(ApplySeveral(code, c, x).D))
				x[k].D = zero
			}
		case op.Select:
			cond, x, y := t.SelectAt(i)
			add(x, g.Prod(v[cond].Select(one, zero)))
			add(y, g.Prod(v[cond].Select(zero, one)))
		}
	case op.Unary:
		if code == op.Own {
			f, order := t.OwnAt(i)
			add(a, g.Prod(prims.Own(f, order+1, v[a])))
			return
		}
		add(a, g.Prod(Apply(code, c, dual.Of[T]{V: v[a], D: one}, dual.Of[T]{}).D))
	default:
		if code.Operands() < 2 {
			b = a
		}
		x, y := dual.Of[T]{V: v[a]}, dual.Of[T]{V: v[b]}
		x.D = one
		add(a, g.Prod(Apply(code, c, x, y).D))
		if code.Operands() == 2 {
			x.D, y.D = zero, one
			add(b, g.Prod(Apply(code, c, x, y).D))
		}
	}
}
