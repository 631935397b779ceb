package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// running is a number with a bound, to first order and in units of 2⁻⁵³, on
// the error it was computed with: running error analysis (Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.3). Of[Of[running]] bounds what
// rounding did to a second derivative.
type running struct{ v, e float64 }

var _ Scalar[running] = running{}

// functionError bounds the relative error of the functions of packages math
// and elem, polygammaError the absolute one of the polygamma functions.
const (
	functionError  = 8
	polygammaError = 32
)

func (x running) apply(v, d float64) running {
	return running{v, elem.Prod(math.Abs(d), x.e) + functionError*math.Abs(v)}
}

func (x running) apply2(y running, v, dx, dy float64) running {
	return running{v, elem.Prod(math.Abs(dx), x.e) + elem.Prod(math.Abs(dy), y.e) + functionError*math.Abs(v)}
}

func (x running) Add(y running) running {
	return running{x.v + y.v, x.e + y.e + math.Abs(x.v+y.v)}
}
func (x running) Sub(y running) running  { return x.Add(y.Neg()) }
func (x running) Mul(y running) running  { return x.apply2(y, x.v*y.v, y.v, x.v) }
func (x running) Prod(y running) running { return x.apply2(y, elem.Prod(x.v, y.v), y.v, x.v) }
func (x running) Neg() running           { return running{-x.v, x.e} }
func (x running) Inv() running           { return x.apply(1/x.v, elem.InvD(x.v, 1/x.v)) }

func (x running) Div(y running) running {
	v := x.v / y.v
	dx, dy := elem.DivD(x.v, y.v, v)
	return x.apply2(y, v, dx, dy)
}

func (x running) AddReal(c float64) running { return x.Add(x.Const(c)) }
func (x running) SubReal(c float64) running { return x.Sub(x.Const(c)) }
func (x running) Scale(c float64) running   { return x.Mul(x.Const(c)) }
func (x running) RSub(c float64) running    { return x.Const(c).Sub(x) }
func (x running) RDiv(c float64) running    { return x.Const(c).Div(x) }

func (x running) Hypot(y running) running {
	v := math.Hypot(x.v, y.v)
	dx, dy := elem.HypotD(x.v, y.v, v)
	return x.apply2(y, v, dx, dy)
}

// powError is what math.Pow loses, in proportion to the logarithm of v = x^p.
func powError(x, p, v float64) float64 {
	return 4 * elem.Prod(math.Abs(v), elem.Prod(math.Abs(p), math.Abs(math.Log(math.Abs(x)))))
}

func (x running) Pow(y running) running {
	v := math.Pow(x.v, y.v)
	dx, dy := elem.PowD(x.v, y.v, v)
	r := x.apply2(y, v, dx, dy)
	r.e += powError(x.v, y.v, v)
	return r
}

func (y running) Atan2(x running) running {
	v := math.Atan2(y.v, x.v)
	dy, dx := elem.Atan2D(y.v, x.v, v)
	return y.apply2(x, v, dy, dx)
}

func (x running) PowReal(p float64) running {
	v := elem.PowReal(x.v, p)
	r := x.apply(v, elem.PowRealD(x.v, p, v))
	r.e += powError(x.v, p, v)
	return r
}

func (x running) PowInt(n int) running {
	v := elem.PowInt(x.v, n)
	r := x.apply(v, elem.PowIntD(x.v, n, v))
	r.e += powError(x.v, float64(n), v)
	return r
}

func (x running) Polygamma(n int) running {
	v := elem.Polygamma(x.v, n)
	r := x.apply(v, elem.PolygammaD(x.v, n, v))
	r.e += polygammaError
	return r
}

// number applies an operation of Number, whose derivative is the error's.
func (x running) number(f func(Number) Number) running {
	n := f(Number{x.v, 1})
	return x.apply(n.V, n.D)
}

func (x running) Abs() running { return running{math.Abs(x.v), x.e} }

func (x running) Max(y running) running    { return x.Step(y).Select(y, x) }
func (x running) Min(y running) running    { return y.Step(x).Select(y, x) }
func (x running) FMA(y, z running) running { return x.Mul(y).Add(z) }

// No rule and no helper that is bounded calls these.
func (running) IncGamma(i, j int, x running) running      { panic("no bound") }
func (running) IncBeta(i, j, k int, b, x running) running { panic("no bound") }

func (x running) Copysign(y running) running { return running{elem.Copysign(x.v, y.v), x.e} }

func (x running) Step(y running) running { return running{v: elem.Step(x.v, y.v)} }

func (x running) Select(a, b running) running {
	return running{elem.Select(x.v, a.v, b.v), elem.Select(x.v, a.e, b.e)}
}

func (running) SumOf(x []running) running {
	var s running
	for _, xi := range x {
		s = s.Add(xi)
	}
	return s
}

func (running) AffineOf(c0 float64, c []float64, x []running) running {
	s := running{v: c0}
	for i, ci := range c {
		s = s.Add(x[i].Scale(ci))
	}
	return s
}

func (running) DotOf(x, y []running) running {
	var s running
	for i, xi := range x {
		s = s.Add(xi.Mul(y[i]))
	}
	return s
}

func (running) Const(c float64) running { return running{v: c} }
func (x running) Detach() running       { return x }

// What would be a guard on a tape panics: no rule and no helper may ask.
func (running) Value() float64          { panic("guard: Value") }
func (running) Less(running) bool       { panic("guard: Less") }
func (running) LessEq(running) bool     { panic("guard: LessEq") }
func (running) LessReal(float64) bool   { panic("guard: LessReal") }
func (running) LessEqReal(float64) bool { panic("guard: LessEqReal") }
