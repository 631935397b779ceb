// Package elem holds the numeric rules of the elementary functions: value,
// first and second derivative on float64, each in one place. The numbers of
// package dual and the sweeps over a tape all call them.
//
// For a function F of one argument, with v = F(x) and d = F′(x),
//
//	F(x)         is the value; where it is absent, the value is math.F
//	FD(x, v)     is F′(x)
//	FDD(x, v, d) is F″(x)
//
// A real or integer parameter follows x throughout: PowReal(x, p),
// PowRealD(x, p, v), PowRealDD(x, p, v, d).
//
// For a function F of two arguments with v = F(x, y) and the gradient dx, dy,
//
//	FD(x, y, v)          is the gradient
//	FDD(x, y, v, dx, dy) is the Hessian, as ∂²/∂x², ∂²/∂x∂y, ∂²/∂y²
//
// Atan2D(y, x, v) and Atan2DD(y, x, v, dy, dx) keep the order of math.Atan2.
//
// Rounding costs a few units in the last place beyond what the condition of
// the function at x makes of half a unit in x: no rule subtracts what a better
// one would multiply. At kinks and poles the rules are those of package dual.
// A value that is NaN has NaN derivatives, but those that do not depend on x:
// the partials of Div, the second derivatives of the piecewise linear functions.
package elem

// Prod is the derivative product: a·b, but 0 where either factor is exactly 0,
// whatever the other (±∞ and NaN too).
func Prod(a, b float64) float64 {
	p := float64(a * b)
	if !(p >= p) && (a == 0 || b == 0) { // p is NaN, asked by one jump: p != p takes two
		return 0
	}
	return p
}
