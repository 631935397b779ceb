package dual

import "math"

// Of is a dual number V + D·ε, ε² = 0, whose parts are numbers of any kind T.
// It nests: Of[Of[Real]] carries second derivatives as Hyper does,
// Of[Hyper] third ones, and Of[reverse.Var] writes the tangent of a program
// onto a tape. Its methods are those of Scalar, which describes them.
//
// Its rules are written with the operations of T alone and compare nothing, so
// that they hold wherever a tape of them is evaluated.
type Of[T Scalar[T]] struct {
	V T // value
	D T // derivative
}

var _ Scalar[Of[Real]] = Of[Real]{}

// chain is the number of value v whose function has the derivative d at x.
func (x Of[T]) chain(v, d T) Of[T] { return Of[T]{v, d.Prod(x.D)} }

// chainWithin is chain where d has values beyond the domain of v.
func (x Of[T]) chainWithin(v, d T) Of[T] { return x.chain(v, inDomain(v, d)) }

// inDomain is d, but NaN where v is NaN: outside its domain a function has no derivative.
func inDomain[T Scalar[T]](v, d T) T {
	one := v.Const(1)
	return v.Select(one, one).Mul(d)
}

func (x Of[T]) Add(y Of[T]) Of[T] { return Of[T]{x.V.Add(y.V), x.D.Add(y.D)} }
func (x Of[T]) Sub(y Of[T]) Of[T] { return Of[T]{x.V.Sub(y.V), x.D.Sub(y.D)} }
func (x Of[T]) Mul(y Of[T]) Of[T] { return Of[T]{x.V.Mul(y.V), x.product(y)} }
func (x Of[T]) Neg() Of[T]        { return Of[T]{x.V.Neg(), x.D.Neg()} }

// product is the derivative of x·y.
func (x Of[T]) product(y Of[T]) T { return y.V.Prod(x.D).Add(x.V.Prod(y.D)) }

func (x Of[T]) Div(y Of[T]) Of[T] {
	v := x.V.Div(y.V)
	return Of[T]{v, x.D.Sub(v.Prod(y.D)).Prod(y.V.Inv())}
}

func (x Of[T]) Inv() Of[T] {
	v := x.V.Inv()
	return x.chain(v, v.Square().Neg())
}

func (x Of[T]) AddReal(c float64) Of[T] { return Of[T]{x.V.AddReal(c), x.D} }
func (x Of[T]) SubReal(c float64) Of[T] { return Of[T]{x.V.SubReal(c), x.D} }
func (x Of[T]) Scale(c float64) Of[T]   { return Of[T]{x.V.Scale(c), scale(c, x.D)} }
func (x Of[T]) RSub(c float64) Of[T]    { return Of[T]{x.V.RSub(c), x.D.Neg()} }

// scale is the derivative product c·d.
func scale[T Scalar[T]](c float64, d T) T {
	switch {
	case c == 0:
		var zero T
		return zero
	case c-c != 0: // ±∞, NaN
		return d.Const(c).Prod(d)
	}
	return d.Scale(c)
}

func (x Of[T]) RDiv(c float64) Of[T] {
	v := x.V.RDiv(c)
	return x.chain(v, v.Div(x.V).Neg())
}

func (x Of[T]) Square() Of[T] { return x.chain(x.V.Square(), x.V.Scale(2)) }

func (x Of[T]) Sqrt() Of[T] {
	v := x.V.Sqrt()
	return x.chain(v, v.RDiv(0.5))
}

func (x Of[T]) Cbrt() Of[T] {
	v := x.V.Cbrt()
	return x.chain(v, v.PowInt(-2).Scale(1./3))
}

func (x Of[T]) Hypot(y Of[T]) Of[T] {
	v := x.V.Hypot(y.V)
	var zero T // at the origin
	return Of[T]{v, v.Select(x.V.Div(v), zero).Prod(x.D).Add(v.Select(y.V.Div(v), zero).Prod(y.D))}
}

func (x Of[T]) Pow(y Of[T]) Of[T] {
	v := x.V.Pow(y.V)
	l := x.V.Log()
	dx := powD(y.V, x.V.Pow(y.V.SubReal(1)), l)
	dx = inDomain(v, dx)
	dy := v.Prod(l)
	return Of[T]{v, dx.Prod(x.D).Add(dy.Prod(y.D))}
}

// powD is y·w for w = x^(y−1) and l = ln x. Its derivative in y, y·wl + w,
// needs help at two places. At x = 0 < y < 1 it is −∞ + ∞: the second term is
// left out, which vanishes against the first as x does. At x < 0 it is NaN,
// which y = 0 would hide: what is added is 0 with this derivative.
func powD[T Scalar[T]](y, w, l T) T {
	finite := y.Prod(w).Step(y.Const(math.Inf(1)))
	d := finite.Select(y, y.Detach()).Prod(w)
	a := y.Atan() // unlike y never infinite
	return d.Add(l.Step(l.Const(math.Inf(-1))).Prod(a.Sub(a.Detach())))
}

func (x Of[T]) PowReal(p float64) Of[T] {
	switch p {
	case 0:
		return x.Const(1)
	case 1:
		return x
	case 2:
		return x.Square()
	case -1:
		return x.Inv()
	case 0.5:
		return x.Sqrt()
	}
	v := x.V.PowReal(p)
	d := scale(p, x.V.PowReal(p-1))
	if p-1 == -1 {
		return x.chainWithin(v, d)
	}
	return x.chain(v, d)
}

func (x Of[T]) PowInt(n int) Of[T] {
	switch n {
	case 0:
		return x.Const(1)
	case 1:
		return x
	case 2:
		return x.Square()
	case -1:
		return x.Inv()
	}
	return x.chain(x.V.PowInt(n), x.V.PowInt(n-1).Scale(float64(n)))
}

func (x Of[T]) Exp() Of[T] {
	v := x.V.Exp()
	return x.chain(v, v)
}

func (x Of[T]) Exp2() Of[T] {
	v := x.V.Exp2()
	return x.chain(v, v.Scale(math.Ln2))
}

func (x Of[T]) Expm1() Of[T] { return x.chain(x.V.Expm1(), x.V.Exp()) }

func (x Of[T]) Log() Of[T]   { return x.chainWithin(x.V.Log(), x.V.Inv()) }
func (x Of[T]) Log2() Of[T]  { return x.chainWithin(x.V.Log2(), x.V.RDiv(1/math.Ln2)) }
func (x Of[T]) Log10() Of[T] { return x.chainWithin(x.V.Log10(), x.V.RDiv(1/math.Ln10)) }
func (x Of[T]) Log1p() Of[T] { return x.chainWithin(x.V.Log1p(), x.V.AddReal(1).Inv()) }

func (x Of[T]) Sin() Of[T] { return x.chain(x.V.Sin(), x.V.Cos()) }
func (x Of[T]) Cos() Of[T] { return x.chain(x.V.Cos(), x.V.Sin().Neg()) }

func (x Of[T]) Tan() Of[T] {
	v := x.V.Tan()
	return x.chain(v, v.Square().AddReal(1))
}

func (x Of[T]) Asin() Of[T] { return x.chain(x.V.Asin(), x.oneMinusSquare().Sqrt().Inv()) }
func (x Of[T]) Acos() Of[T] { return x.chain(x.V.Acos(), x.oneMinusSquare().Sqrt().RDiv(-1)) }
func (x Of[T]) Atan() Of[T] { return x.chain(x.V.Atan(), x.V.Square().AddReal(1).Inv()) }

// oneMinusSquare is 1 − x²: as (1 − x)(1 + x) away from 0, which keeps the
// digits of the number near ±1, as it stands near 0, which keeps those of the
// derivative.
func (x Of[T]) oneMinusSquare() T {
	s := x.V.Square()
	return s.SubReal(0.25).Select(x.V.RSub(1).Mul(x.V.AddReal(1)), s.RSub(1))
}

func (y Of[T]) Atan2(x Of[T]) Of[T] {
	v := y.V.Atan2(x.V)
	r := y.V.Hypot(x.V)
	inv := r.Inv()
	r = inDomain(v, r)
	var zero T // at the origin
	dy, dx := r.Select(x.V.Prod(inv).Prod(inv), zero), r.Select(y.V.Prod(inv).Prod(inv), zero)
	return Of[T]{v, dy.Prod(y.D).Sub(dx.Prod(x.D))}
}

func (x Of[T]) Sinh() Of[T] { return x.chain(x.V.Sinh(), x.V.Cosh()) }
func (x Of[T]) Cosh() Of[T] { return x.chain(x.V.Cosh(), x.V.Sinh()) }
func (x Of[T]) Tanh() Of[T] { return x.chain(x.V.Tanh(), x.V.Cosh().Inv().Square()) }

func (x Of[T]) Asinh() Of[T] { return x.chain(x.V.Asinh(), x.V.Hypot(x.V.Const(1)).Inv()) }

// Acosh takes two roots: neither overflows, and the first is NaN below 1.
func (x Of[T]) Acosh() Of[T] {
	return x.chain(x.V.Acosh(), x.V.SubReal(1).Sqrt().Mul(x.V.AddReal(1).Sqrt()).Inv())
}

func (x Of[T]) Atanh() Of[T] { return x.chainWithin(x.V.Atanh(), x.oneMinusSquare().Inv()) }

func (x Of[T]) Erf() Of[T]  { return x.chain(x.V.Erf(), x.bell().Scale(2/math.SqrtPi)) }
func (x Of[T]) Erfc() Of[T] { return x.chain(x.V.Erfc(), x.bell().Scale(-2/math.SqrtPi)) }

// bell is exp(−x²).
func (x Of[T]) bell() T { return x.V.Square().Neg().Exp() }

func (x Of[T]) Gamma() Of[T] {
	v := x.V.Gamma()
	return x.chain(v, v.Prod(x.V.Polygamma(0)))
}

func (x Of[T]) LogGamma() Of[T]       { return x.chain(x.V.LogGamma(), x.V.Polygamma(0)) }
func (x Of[T]) Polygamma(n int) Of[T] { return x.chain(x.V.Polygamma(n), x.V.Polygamma(n+1)) }

// Logistic has the derivative sech²(x/2)/4. y(1 − y) has the same, but the
// derivative of that cancels near 0.
func (x Of[T]) Logistic() Of[T] {
	return x.chain(x.V.Logistic(), x.V.Scale(0.5).Cosh().Inv().Square().Scale(0.25))
}

func (x Of[T]) Softplus() Of[T] { return x.chain(x.V.Softplus(), x.V.Logistic()) }

func (x Of[T]) Abs() Of[T] {
	var zero T
	return x.chain(x.V.Abs(), zero.Step(x.V).Sub(x.V.Step(zero)))
}

func (x Of[T]) Max(y Of[T]) Of[T] { return Of[T]{x.V.Max(y.V), choose(x.V.Step(y.V), y.D, x.D)} }
func (x Of[T]) Min(y Of[T]) Of[T] { return Of[T]{x.V.Min(y.V), choose(y.V.Step(x.V), y.D, x.D)} }

// choose is a where s is 1, b where it is 0. Where it is NaN, a and b of 0 annihilate that.
func choose[T Scalar[T]](s, a, b T) T { return s.Prod(a).Add(s.RSub(1).Prod(b)) }

// Mod has the quotient as a constant.
func (x Of[T]) Mod(y Of[T]) Of[T] {
	v := x.V.Mod(y.V)
	q := x.V.Sub(v).Div(y.V).Round()
	return Of[T]{v, x.D.Sub(q.Prod(y.D))}
}

func (x Of[T]) Copysign(y Of[T]) Of[T] {
	var zero T
	sign := zero.Step(x.V).Sub(x.V.Step(zero))
	return x.chain(x.V.Copysign(y.V), sign.Mul(zero.Const(1).Copysign(y.V)))
}

func (x Of[T]) Floor() Of[T] { return Of[T]{V: x.V.Floor()} }
func (x Of[T]) Ceil() Of[T]  { return Of[T]{V: x.V.Ceil()} }
func (x Of[T]) Round() Of[T] { return Of[T]{V: x.V.Round()} }
func (x Of[T]) Trunc() Of[T] { return Of[T]{V: x.V.Trunc()} }

func (x Of[T]) Step(y Of[T]) Of[T] { return Of[T]{V: x.V.Step(y.V)} }

func (x Of[T]) Select(a, b Of[T]) Of[T] {
	one := x.V.Const(1)
	var zero T
	return Of[T]{x.V.Select(a.V, b.V), choose(x.V.Select(one, zero), a.D, b.D)}
}

func (x Of[T]) FMA(y, z Of[T]) Of[T] { return Of[T]{x.V.FMA(y.V, z.V), x.product(y).Add(z.D)} }

func (a Of[T]) IncGamma(i, j int, x Of[T]) Of[T] {
	da, dx := a.V.IncGamma(i+1, j, x.V), a.V.IncGamma(i, j+1, x.V)
	return Of[T]{a.V.IncGamma(i, j, x.V), da.Prod(a.D).Add(dx.Prod(x.D))}
}

func (a Of[T]) IncBeta(i, j, k int, b, x Of[T]) Of[T] {
	da, db, dx := a.V.IncBeta(i+1, j, k, b.V, x.V), a.V.IncBeta(i, j+1, k, b.V, x.V), a.V.IncBeta(i, j, k+1, b.V, x.V)
	return Of[T]{a.V.IncBeta(i, j, k, b.V, x.V), da.Prod(a.D).Add(db.Prod(b.D)).Add(dx.Prod(x.D))}
}

func (x Of[T]) Prod(y Of[T]) Of[T] { return Of[T]{x.V.Prod(y.V), x.product(y)} }

func (Of[T]) SumOf(x []Of[T]) Of[T] {
	v := make([]T, len(x))
	d := make([]T, len(x))
	for i, xi := range x {
		v[i], d[i] = xi.V, xi.D
	}
	var t T
	return Of[T]{t.SumOf(v), t.SumOf(d)}
}

// AffineOf leaves out the terms of the derivative whose coefficient is 0, and
// takes a coefficient that is not finite into the term: both are derivative
// products then.
func (Of[T]) AffineOf(c0 float64, c []float64, x []Of[T]) Of[T] {
	v := make([]T, len(x))
	cd := make([]float64, 0, len(x))
	d := make([]T, 0, len(x))
	for i, xi := range x {
		v[i] = xi.V
		switch ci := c[i]; {
		case ci == 0:
		case ci-ci != 0:
			cd = append(cd, 1)
			d = append(d, scale(ci, xi.D))
		default:
			cd = append(cd, ci)
			d = append(d, xi.D)
		}
	}
	var t T
	return Of[T]{t.AffineOf(c0, c, v), t.AffineOf(0, cd, d)}
}

// DotOf has the sum of 2n derivative products as its derivative: a product of
// T's DotOf would let 0·∞ through.
func (Of[T]) DotOf(x, y []Of[T]) Of[T] {
	xv := make([]T, len(x))
	yv := make([]T, len(x))
	d := make([]T, len(x))
	for i, xi := range x {
		xv[i], yv[i], d[i] = xi.V, y[i].V, xi.product(y[i])
	}
	var t T
	return Of[T]{t.DotOf(xv, yv), t.SumOf(d)}
}

func (x Of[T]) Const(c float64) Of[T] { return Of[T]{V: x.V.Const(c)} }
func (x Of[T]) Value() float64        { return x.V.Value() }
func (x Of[T]) shown() float64        { return Shown(x.V) }
func (x Of[T]) Detach() Of[T]         { return Of[T]{V: x.V.Detach()} }

func (x Of[T]) Less(y Of[T]) bool         { return x.V.Less(y.V) }
func (x Of[T]) LessEq(y Of[T]) bool       { return x.V.LessEq(y.V) }
func (x Of[T]) LessReal(c float64) bool   { return x.V.LessReal(c) }
func (x Of[T]) LessEqReal(c float64) bool { return x.V.LessEqReal(c) }
