package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/series"
)

// run is the operation code on x and y of the value v, by its program; d is its partial
// derivative by x.
func (x Taylor) run(code op.Code, y Taylor, v, d float64) Taylor {
	p, m := series.Of(code), x.memory(y)
	var r [series.Registers]series.Lanes
	for k := range r {
		switch {
		case k == series.X:
			r[k].P = x.full(m).c
		case k == series.Y && code.Operands() == 2:
			r[k].P = y.full(m).c
		case k == series.Y && code.Constant() != op.NoConstant:
			r[k].P = m.make()
			r[k].P[0] = y.v
		case p.Uses(k, false):
			r[k].P = m.make()
		}
		r[k].Stride, r[k].N = 1, 1
	}
	r[series.Z].P[0] = v
	if p.Given {
		r[series.DX].P[0] = d
	}
	p.Run(&r, m.order, false)
	return m.number(r[series.Z].P)
}

// function is a function of x; where it has no finite derivative, or x is infinite, its
// series is composed instead.
func (x Taylor) function(code op.Code) Taylor {
	f := code.Info()
	v := f.F1(x.v)
	if x.c == nil {
		return Taylor{v: v}
	}
	d := f.D1(x.v, v)
	if x.v-x.v != 0 || v-v != 0 || d-d != 0 {
		dd := f.H1(x.v, v, d)
		return x.compose(v, func(k int) float64 { return singular(d, dd, k) })
	}
	return x.run(code, Taylor{}, v, d)
}

// singular is the k-th derivative over k!, k ≥ 1, of a function whose first ones are d
// and dd where these are not finite or x is not: the derivatives are infinite from then
// on, with signs that alternate or stay, or vanish.
func singular(d, dd float64, k int) float64 {
	switch {
	case k == 1:
		return d
	case dd == 0:
		return 0
	case dd-dd == 0 && k > 2:
		return math.NaN()
	case k%2 == 0:
		return dd / 2
	}
	return d
}

// compose is Σ f(k)·(x − x₀)ᵏ of the value v, k ≥ 1, by Horner's rule.
func (x Taylor) compose(v float64, f func(k int) float64) Taylor {
	if x.c == nil {
		return Taylor{v: v}
	}
	z := x.a.Variable(0)
	h := x.withValue(0)
	for k := x.a.order; k > 0; k-- {
		z = z.AddReal(f(k)).product(h, 0)
	}
	return z.withValue(v)
}

// binomial is the k-th derivative of x^p over k!.
func binomial(x, p float64, k int) float64 {
	c := 1.0
	for j := range k {
		c *= (p - float64(j)) / float64(j+1)
	}
	if c == 0 {
		return 0
	}
	return c * elem.PowReal(x, p-float64(k))
}

func (x Taylor) PowReal(p float64) Taylor {
	switch p {
	case 0:
		return Taylor{v: 1}
	case 1:
		return x
	case 2:
		return x.Square()
	case -1:
		return x.Inv()
	case 0.5:
		return x.Sqrt()
	}
	v := elem.PowReal(x.v, p)
	switch {
	case x.c == nil:
		return Taylor{v: v}
	case p-p != 0 || v != v:
		d := elem.PowRealD(x.v, p, v)
		dd := elem.PowRealDD(x.v, p, v, d)
		return x.compose(v, func(k int) float64 { return singular(d, dd, k) })
	case series.Powered(p) && x.v-x.v == 0:
		r := [series.Registers]series.Lanes{series.X: {P: x.c, Stride: 1, N: 1}}
		for k := series.Y + 1; k < series.Registers; k++ {
			r[k] = series.Lanes{P: x.a.make(), Stride: 1, N: 1}
		}
		r[series.Z].P[0] = v
		series.Power(&r, int(p), x.a.order, false)
		return x.a.number(r[series.Z].P)
	case series.Of(op.PowReal).Far(x.v, p, v):
		return x.compose(v, func(k int) float64 { return binomial(x.v, p, k) })
	}
	return x.run(op.PowReal, Taylor{v: p}, v, elem.PowRealD(x.v, p, v))
}

func (x Taylor) PowInt(n int) Taylor {
	z := x.PowReal(float64(n))
	if n == 0 || n == 1 {
		return z
	}
	return z.withValue(elem.PowInt(x.v, n))
}

// Pow is by partial derivatives unless x₀ > 0.
func (x Taylor) Pow(y Taylor) Taylor {
	v := elem.Pow(x.v, y.v)
	switch {
	case x.c == nil && y.c == nil:
		return Taylor{v: v}
	case y.c == nil && y.v-y.v == 0 && v == v:
		return x.PowReal(y.v).withValue(v)
	}
	dx, dy := elem.PowD(x.v, y.v, v)
	if !(x.v > 0) || v == 0 || v-v != 0 || x.c != nil && dx-dx != 0 || y.c != nil && dy-dy != 0 {
		dxx, dxy, dyy := elem.PowDD(x.v, y.v, v, dx, dy)
		return x.compose2(y, v, dx, dy, dxx, dxy, dyy)
	}
	return x.run(op.Pow, y, v, 0)
}

// compose2 is a function of x and y by its partial derivatives at a point where they are
// not finite: xⁱyʲ with i and j ≥ 1 but for xy is left out.
func (x Taylor) compose2(y Taylor, v, dx, dy, dxx, dxy, dyy float64) Taylor {
	if x.c == nil && y.c == nil {
		return Taylor{v: v}
	}
	z := x.compose(v, func(k int) float64 { return singular(dx, dxx, k) })
	z = z.Add(y.compose(0, func(k int) float64 { return singular(dy, dyy, k) }))
	if x.c != nil && y.c != nil {
		z = z.Add(x.withValue(0).Mul(y.withValue(0)).Scale(dxy))
	}
	return z.withValue(v)
}

func (x Taylor) Hypot(y Taylor) Taylor {
	v := math.Hypot(x.v, y.v)
	if v == 0 || v-v != 0 || x.c == nil && y.c == nil {
		dx, dy := elem.HypotD(x.v, y.v, v)
		dxx, dxy, dyy := elem.HypotDD(x.v, y.v, v, dx, dy)
		return x.compose2(y, v, dx, dy, dxx, dxy, dyy)
	}
	return x.run(op.Hypot, y, v, 0)
}

// Atan2 is that of numbers near 1, of the same angle.
func (y Taylor) Atan2(x Taylor) Taylor {
	v := math.Atan2(y.v, x.v)
	r := math.Hypot(x.v, y.v)
	if r == 0 || r-r != 0 || x.c == nil && y.c == nil {
		dy, dx := elem.Atan2D(y.v, x.v, v)
		dyy, dyx, dxx := elem.Atan2DD(y.v, x.v, v, dy, dx)
		return y.compose2(x, v, dy, dx, dyy, dyx, dxx)
	}
	s := math.Ldexp(1, max(-1000, min(-math.Ilogb(r), 1000)))
	return y.Scale(s).run(op.Atan2, x.Scale(s), v, 0)
}

// Gamma is from z′ = z(ln Γ)′x′, as the exponential function.
func (x Taylor) Gamma() Taylor {
	v := math.Gamma(x.v)
	d := elem.GammaD(x.v, v)
	if x.c != nil && x.v-x.v == 0 && v-v == 0 && d-d == 0 {
		return x.LogGamma().run(op.Exp, Taylor{}, v, v)
	}
	dd := elem.GammaDD(x.v, v, d)
	return x.compose(v, func(k int) float64 { return singular(d, dd, k) })
}

func (x Taylor) Sqrt() Taylor     { return x.function(op.Sqrt) }
func (x Taylor) Cbrt() Taylor     { return x.function(op.Cbrt) }
func (x Taylor) Exp() Taylor      { return x.function(op.Exp) }
func (x Taylor) Exp2() Taylor     { return x.function(op.Exp2) }
func (x Taylor) Expm1() Taylor    { return x.function(op.Expm1) }
func (x Taylor) Log() Taylor      { return x.function(op.Log) }
func (x Taylor) Log2() Taylor     { return x.function(op.Log2) }
func (x Taylor) Log10() Taylor    { return x.function(op.Log10) }
func (x Taylor) Log1p() Taylor    { return x.function(op.Log1p) }
func (x Taylor) Sin() Taylor      { return x.function(op.Sin) }
func (x Taylor) Cos() Taylor      { return x.function(op.Cos) }
func (x Taylor) Tan() Taylor      { return x.function(op.Tan) }
func (x Taylor) Asin() Taylor     { return x.function(op.Asin) }
func (x Taylor) Acos() Taylor     { return x.function(op.Acos) }
func (x Taylor) Atan() Taylor     { return x.function(op.Atan) }
func (x Taylor) Sinh() Taylor     { return x.function(op.Sinh) }
func (x Taylor) Cosh() Taylor     { return x.function(op.Cosh) }
func (x Taylor) Tanh() Taylor     { return x.function(op.Tanh) }
func (x Taylor) Asinh() Taylor    { return x.function(op.Asinh) }
func (x Taylor) Acosh() Taylor    { return x.function(op.Acosh) }
func (x Taylor) Atanh() Taylor    { return x.function(op.Atanh) }
func (x Taylor) Erf() Taylor      { return x.function(op.Erf) }
func (x Taylor) Erfc() Taylor     { return x.function(op.Erfc) }
func (x Taylor) Logistic() Taylor { return x.function(op.Logistic) }
func (x Taylor) Softplus() Taylor { return x.function(op.Softplus) }
func (x Taylor) LogGamma() Taylor { return x.polygamma(-1, elem.LogGamma(x.v)) }

// polygamma is ψ⁽ⁿ⁾(x) of the value v, ln |Γ| for n = −1.
func (x Taylor) polygamma(n int, v float64) Taylor {
	return x.compose(v, func(k int) float64 {
		d := elem.Polygamma(x.v, n+k)
		for j := range k {
			d /= float64(j + 1)
		}
		return d
	})
}

// incomplete is Σ of f's partial derivatives of the orders i, …, over their factorials,
// times powers of x − x₀, by Horner's rule in each argument.
func incomplete(x []Taylor, order []int, f func(order []int) float64, left int) Taylor {
	if len(order) == len(x) {
		return Taylor{v: f(order)}
	}
	first := x[len(order)]
	if first.c == nil {
		return incomplete(x, append(order, 0), f, left)
	}
	h := first.withValue(0)
	var z Taylor
	for k := left; k >= 0; k-- {
		d := incomplete(x, append(order, k), f, left-k)
		for j := range k {
			d = d.linear(d.v/float64(j+1), 1/float64(j+1), 0, Taylor{})
		}
		z = z.full(first.a).product(h, 0).Add(d)
	}
	return z
}

// orders is the order of the first of x that is no constant.
func orders(x ...Taylor) int {
	for _, x := range x {
		if x.a != nil {
			return x.a.order
		}
	}
	return 0
}

func (a Taylor) IncGamma(i, j int, x Taylor) Taylor {
	return incomplete([]Taylor{a, x}, nil, func(o []int) float64 { return incGamma(i+o[0], j+o[1], a.v, x.v) }, orders(a, x))
}

func (a Taylor) IncBeta(i, j, k int, b, x Taylor) Taylor {
	return incomplete([]Taylor{a, b, x}, nil, func(o []int) float64 { return incBeta(i+o[0], j+o[1], k+o[2], a.v, b.v, x.v) }, orders(a, b, x))
}
