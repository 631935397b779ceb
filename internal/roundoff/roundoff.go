// Package roundoff bounds rounding errors while a program runs: a Number is a
// number with a bound of how far it may be from what exact arithmetic would give
// (running error analysis: Wilkinson; Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, section 3.3). Like any dual.Scalar it nests: dual.Of[Number]
// bounds the errors of a derivative too, with what it amplifies of those of the
// values.
//
// The bound holds for every way in which the library computes the same number:
// sums are taken to be added up in the worst order. It is of first order in the
// sense that an error of an operand is carried through a function by evaluating
// it at the two ends of the operand's interval, between which it is taken to be
// monotone.
package roundoff

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/elem"
)

// Number is the number V, which is off by E at most. Where E is infinite nothing
// is known.
type Number struct {
	V float64
	// M is the sum of the absolute values of all that was added up in V, |V| for
	// what is no sum: rounding errors of a sum are relative to it.
	M float64
	E float64

	picked bool // V is a copy of another number's, which Max or Min took
}

var _ dual.Scalar[Number] = Number{}

const (
	// Arithmetic is the relative error of an arithmetic operation, half a unit in
	// the last place.
	Arithmetic = 0x1p-53
	// Function is that of an elementary function, 4 units: the most that
	// dual/accuracy.md has for values, and for derivatives where these are formed
	// of several. What there is a condition number beyond 2 is the error of a
	// function of an operand that is off by as much.
	Function = 0x1p-50
	// Primitive is what a user's function is taken to be off by, relative to the
	// largest of its results.
	Primitive = 0x1p-40
)

// Exact is the number v without an error.
func Exact(v float64) Number { return Number{V: v, M: math.Abs(v)} }

// relative is the error u·|v| of rounding to v, none of an infinity: what is
// beyond all numbers for any operand nearby is certain.
func relative(u, v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return u * math.Abs(v)
}

// Rounded is the number v with the error e.
func Rounded(v, e float64) Number {
	if e != e {
		e = math.Inf(1)
	}
	return Number{V: v, M: math.Abs(v), E: e}
}

// Spread is how far others are from v at most, +Inf if that is unknown.
func Spread(v float64, others ...float64) float64 {
	e := 0.0
	for _, x := range others {
		d := math.Abs(x - v)
		switch {
		case x == v: // infinite ones too
		case d != d:
			return math.Inf(1)
		default:
			e = max(e, d)
		}
	}
	return e
}

// Width is how far x may be from the number for which a function of several
// roundings is exact.
func (x Number) Width() float64 {
	if math.IsInf(x.V, 0) {
		return x.E
	}
	return x.E + Function*math.Abs(x.V)
}

// unary is f(x).
func (x Number) unary(f func(x dual.Real) dual.Real) Number {
	d := x.Width()
	at := func(x float64) float64 { return float64(f(dual.Real(x))) }
	v := at(x.V)
	return Rounded(v, Spread(v, at(x.V-d), at(x.V+d))+relative(Function, v))
}

// binary is f(x, y).
func (x Number) binary(y Number, f func(x, y dual.Real) dual.Real) Number {
	dx, dy := x.Width(), y.Width()
	at := func(x, y float64) float64 { return float64(f(dual.Real(x), dual.Real(y))) }
	v := at(x.V, y.V)
	e := Spread(v, at(x.V-dx, y.V), at(x.V+dx, y.V)) + Spread(v, at(x.V, y.V-dy), at(x.V, y.V+dy))
	return Rounded(v, e+relative(Function, v))
}

// jump is f(x) of a function that is evaluated without an error: its jumps are
// where they are.
func (x Number) jump(f func(x dual.Real) dual.Real) Number {
	at := func(x float64) float64 { return float64(f(dual.Real(x))) }
	v := at(x.V)
	return Rounded(v, Spread(v, at(x.V-x.E), at(x.V+x.E)))
}

func (x Number) Floor() Number { return x.jump(dual.Real.Floor) }
func (x Number) Ceil() Number  { return x.jump(dual.Real.Ceil) }
func (x Number) Round() Number { return x.jump(dual.Real.Round) }
func (x Number) Trunc() Number { return x.jump(dual.Real.Trunc) }

func (x Number) Mod(y Number) Number {
	v := x.jump(func(x dual.Real) dual.Real { return x.Mod(dual.Real(y.V)) })
	v.E += y.jump(func(y dual.Real) dual.Real { return dual.Real(x.V).Mod(y) }).E
	return v
}

func (x Number) Copysign(y Number) Number {
	v := Rounded(math.Copysign(x.V, y.V), x.E)
	if y.E > 0 && math.Abs(y.V) <= y.E { // may have the other sign
		v.E += 2 * math.Abs(x.V)
	}
	return v
}

// sum is v, the sum of numbers with the absolute sum m, of errors that sum up to
// e, in count additions.
func sum(v, m, e float64, count int) Number {
	e += float64(count) * relative(Arithmetic, m)
	if e != e {
		e = math.Inf(1)
	}
	return Number{V: v, M: m, E: e}
}

func (x Number) Add(y Number) Number { return sum(x.V+y.V, x.M+y.M, x.E+y.E, 1) }
func (x Number) Neg() Number         { return Number{V: -x.V, M: x.M, E: x.E} }

// copies reports whether x and y are one number, of which Max or Min took a copy.
func (x Number) copies(y Number) bool { return x.V-y.V == 0 && (x.picked || y.picked) }

func (x Number) Sub(y Number) Number {
	if x.copies(y) {
		return Number{}
	}
	return sum(x.V-y.V, x.M+y.M, x.E+y.E, 1)
}

func (x Number) AddReal(c float64) Number { return x.Add(Exact(c)) }
func (x Number) SubReal(c float64) Number { return x.Sub(Exact(c)) }
func (x Number) RSub(c float64) Number    { return Exact(c).Sub(x) }

func (x Number) Mul(y Number) Number { return x.times(y, x.V*y.V) }
func (x Number) Prod(y Number) Number {
	return x.times(y, elem.Prod(x.V, y.V))
}

// times is x·y, whose value is v.
func (x Number) times(y Number, v float64) Number {
	e := elem.Prod(math.Abs(x.V), y.E) + elem.Prod(x.E, math.Abs(y.V)) + elem.Prod(x.E, y.E)
	if math.Abs(v) < 0x1p-1022 && x.V != 0 && y.V != 0 {
		e += 0x1p-1074 // underflow
	}
	return Rounded(v, e+relative(Arithmetic, v))
}

func (x Number) Scale(c float64) Number { return x.times(Exact(c), c*x.V) }
func (x Number) Square() Number         { return x.Mul(x) }

// Div is off by the ends of the intervals: the smallest divisor counts.
func (x Number) Div(y Number) Number {
	v := x.V / y.V
	least := math.Abs(y.V) - y.E
	if !(least > 0) {
		return Rounded(v, math.Inf(1))
	}
	return Rounded(v, (x.E+elem.Prod(math.Abs(v), y.E))/least+relative(Arithmetic, v))
}

func (x Number) Inv() Number             { return Exact(1).Div(x) }
func (x Number) RDiv(c float64) Number   { return Exact(c).Div(x) }
func (x Number) Abs() Number             { return Rounded(math.Abs(x.V), x.E) }
func (x Number) Detach() Number          { return x }
func (x Number) Const(c float64) Number  { return Exact(c) }
func (x Number) Value() float64          { return x.V }
func (x Number) Less(y Number) bool      { return x.V < y.V }
func (x Number) LessEq(y Number) bool    { return x.V <= y.V }
func (x Number) LessReal(c float64) bool { return x.V < c }

func (x Number) LessEqReal(c float64) bool { return x.V <= c }

// PowReal has the exponent p as it is: another one near an integer would have no
// power of a negative number. Its own rounding, as that of p − 1 in derivatives,
// counts by |ln x|.
func (x Number) PowReal(p float64) Number {
	y := x.unary(func(x dual.Real) dual.Real { return x.PowReal(p) })
	if a := math.Abs(x.V); a > 0 && !math.IsInf(a, 1) {
		y.E += Function * math.Abs(y.V*p*math.Log(a))
	}
	return y
}

func (x Number) Pow(y Number) Number {
	if y.E == 0 {
		return x.PowReal(y.V)
	}
	return x.binary(y, dual.Real.Pow)
}

func (x Number) Max(y Number) Number { return x.pick(y, dual.Real(x.V).Max(dual.Real(y.V))) }
func (x Number) Min(y Number) Number { return x.pick(y, dual.Real(x.V).Min(dual.Real(y.V))) }

// pick is v, the value of x or of y. It is off by what the one taken is off by, and if both
// may be it, by what either is.
func (x Number) pick(y Number, v dual.Real) Number {
	z := Number{V: float64(v), M: math.Abs(float64(v)), E: x.E, picked: true}
	switch {
	case v != v:
		return Rounded(z.V, math.Inf(1))
	case !(math.Abs(x.V-y.V) > x.E+y.E):
		z.E = max(x.E, y.E)
	case z.V == y.V:
		z.E = y.E
	}
	return z
}

// Step is uncertain where x and y may be equal.
func (x Number) Step(y Number) Number {
	v := float64(dual.Real(x.V).Step(dual.Real(y.V)))
	if e := x.E + y.E; e > 0 && !(math.Abs(x.V-y.V) > e) && !x.copies(y) {
		return Rounded(v, 1)
	}
	return Exact(v)
}

// Select may be either where the sign of x is not certain.
func (x Number) Select(a, b Number) Number {
	v := b
	switch {
	case x.V > 0:
		v = a
	case x.V != x.V:
		return Rounded(x.V, math.Inf(1))
	}
	if x.E > 0 && math.Abs(x.V) <= x.E {
		v.M, v.E = max(a.M, b.M), max(a.E, b.E)+Spread(a.V, b.V)
	}
	return v
}

func (x Number) SumOf(z []Number) Number {
	v, m, e := 0.0, 0.0, 0.0
	for _, z := range z {
		v, m, e = v+z.V, m+z.M, e+z.E
	}
	return sum(v, m, e, len(z))
}

func (x Number) AffineOf(c0 float64, c []float64, z []Number) Number {
	terms := make([]Number, 0, len(z)+1)
	if c0 != 0 {
		terms = append(terms, Exact(c0))
	}
	for i, z := range z {
		terms = append(terms, z.Scale(c[i]))
	}
	return x.SumOf(terms)
}

func (x Number) DotOf(y, z []Number) Number {
	terms := make([]Number, len(y))
	for i := range y {
		terms[i] = y[i].Mul(z[i])
	}
	return x.SumOf(terms)
}

// FMA is bounded as a product and a sum, which round once more.
func (x Number) FMA(y, z Number) Number {
	v := x.Mul(y).Add(z)
	v.V = math.FMA(x.V, y.V, z.V)
	return v
}

func (x Number) IncGamma(i, j int, y Number) Number {
	return x.binary(y, func(x, y dual.Real) dual.Real { return x.IncGamma(i, j, y) })
}

func (x Number) IncBeta(i, j, k int, y, z Number) Number {
	v := x.binary(y, func(x, y dual.Real) dual.Real { return x.IncBeta(i, j, k, y, dual.Real(z.V)) })
	v.E += z.unary(func(z dual.Real) dual.Real { return dual.Real(x.V).IncBeta(i, j, k, dual.Real(y.V), z) }).E
	return v
}
