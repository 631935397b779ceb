package dual

import (
	"math"
	"testing"
)

var minus0 = math.Copysign(0, -1)

// The derivatives at kinks, poles and the ends of domains, the same in every
// mode. A row is x, f(x), f′(x), f″(x).
var edges = map[string][][4]float64{
	"Abs":     {{0, 0, 0, 0}, {minus0, 0, 0, 0}, {inf, inf, 1, 0}, {-inf, inf, -1, 0}, {nan, nan, nan, 0}},
	"ReLU":    {{0, 0, 0, 0}, {minus0, 0, 0, 0}, {inf, inf, 1, 0}, {-inf, 0, 0, 0}},
	"ELU 0.5": {{0, 0, 0.5, 0.5}, {inf, inf, 1, 0}, {-inf, -0.5, 0, 0}},
	"GELU":    {{inf, inf, 1, 0}, {-inf, 0, 0, 0}},
	"SiLU":    {{inf, inf, 1, 0}, {-inf, 0, 0, 0}},

	"Inv":    {{0, inf, -inf, inf}, {minus0, -inf, -inf, -inf}, {inf, 0, 0, 0}, {nan, nan, nan, nan}},
	"RDiv 3": {{0, inf, -inf, inf}, {minus0, -inf, -inf, -inf}, {-inf, 0, 0, 0}, {nan, nan, nan, nan}},
	"RDiv 0": {{0, nan, nan, nan}, {nan, nan, nan, nan}},
	"Sqrt":   {{0, 0, inf, -inf}, {minus0, 0, inf, -inf}, {-1, nan, nan, nan}, {inf, inf, 0, 0}, {-inf, nan, nan, nan}},
	"Cbrt":   {{0, 0, inf, -inf}, {minus0, 0, inf, inf}, {inf, inf, 0, 0}, {-inf, -inf, 0, 0}},

	"PowReal 0":     {{0, 1, 0, 0}, {inf, 1, 0, 0}, {nan, 1, 0, 0}},
	"PowReal 1":     {{0, 0, 1, 0}, {inf, inf, 1, 0}},
	"PowReal 2":     {{0, 0, 0, 2}, {inf, inf, inf, 2}, {-inf, inf, -inf, 2}},
	"PowReal 3":     {{0, 0, 0, 0}, {-inf, -inf, inf, -inf}},
	"PowReal -1":    {{0, inf, -inf, inf}, {minus0, -inf, -inf, -inf}},
	"PowReal 0.5":   {{0, 0, inf, -inf}, {minus0, 0, inf, -inf}, {-1, nan, nan, nan}},
	"PowReal 0.25":  {{0, 0, inf, -inf}, {minus0, 0, inf, -inf}, {-1, nan, nan, nan}, {inf, inf, 0, 0}},
	"PowReal 1.5":   {{0, 0, 0, inf}, {-1, nan, nan, nan}, {inf, inf, inf, 0}},
	"PowReal 2.5":   {{0, 0, 0, 0}, {-1, nan, nan, nan}},
	"PowReal -0.5":  {{0, inf, -inf, inf}, {minus0, inf, -inf, inf}, {-1, nan, nan, nan}, {inf, 0, 0, 0}},
	"PowReal -2":    {{0, inf, -inf, inf}, {minus0, inf, inf, inf}, {-inf, 0, 0, 0}},
	"PowReal 1e-20": {{0, 0, inf, -inf}, {-1, nan, nan, nan}},
	"PowInt 0":      {{0, 1, 0, 0}, {nan, 1, 0, 0}},
	"PowInt 1":      {{0, 0, 1, 0}},
	"PowInt 2":      {{0, 0, 0, 2}},
	"PowInt 3":      {{0, 0, 0, 0}},
	"PowInt 4":      {{0, 0, 0, 0}, {-inf, inf, -inf, inf}},
	"PowInt -2":     {{0, inf, -inf, inf}, {minus0, inf, inf, inf}},
	"PowInt -3":     {{0, inf, -inf, inf}, {minus0, -inf, -inf, -inf}},

	"Exp":   {{-inf, 0, 0, 0}, {inf, inf, inf, inf}, {nan, nan, nan, nan}},
	"Exp2":  {{-inf, 0, 0, 0}, {inf, inf, inf, inf}},
	"Expm1": {{-inf, -1, 0, 0}, {inf, inf, inf, inf}},
	"Log":   {{0, -inf, inf, -inf}, {minus0, -inf, -inf, -inf}, {-1, nan, nan, nan}, {inf, inf, 0, 0}, {-inf, nan, nan, nan}},
	"Log2":  {{0, -inf, inf, -inf}, {-1, nan, nan, nan}, {inf, inf, 0, 0}},
	"Log10": {{0, -inf, inf, -inf}, {-1, nan, nan, nan}, {inf, inf, 0, 0}},
	"Log1p": {{-1, -inf, inf, -inf}, {-2, nan, nan, nan}, {inf, inf, 0, 0}},

	"Sin":  {{inf, nan, nan, nan}, {nan, nan, nan, nan}},
	"Cos":  {{inf, nan, nan, nan}},
	"Tan":  {{inf, nan, nan, nan}},
	"Asin": {{1, math.Pi / 2, inf, inf}, {-1, -math.Pi / 2, inf, -inf}, {2, nan, nan, nan}, {-inf, nan, nan, nan}},
	"Acos": {{1, 0, -inf, -inf}, {-1, math.Pi, -inf, inf}, {2, nan, nan, nan}},
	"Atan": {{inf, math.Pi / 2, 0, 0}, {-inf, -math.Pi / 2, 0, 0}},

	"Sinh":  {{inf, inf, inf, inf}, {-inf, -inf, inf, -inf}},
	"Cosh":  {{inf, inf, inf, inf}, {-inf, inf, -inf, inf}},
	"Tanh":  {{inf, 1, 0, 0}, {-inf, -1, 0, 0}},
	"Asinh": {{inf, inf, 0, 0}, {-inf, -inf, 0, 0}},
	"Acosh": {{1, 0, inf, -inf}, {0.5, nan, nan, nan}, {-2, nan, nan, nan}, {0, nan, nan, nan}, {inf, inf, 0, 0}},
	"Atanh": {{1, inf, inf, inf}, {-1, -inf, inf, -inf}, {2, nan, nan, nan}, {-inf, nan, nan, nan}},

	"Erf":         {{inf, 1, 0, 0}, {-inf, -1, 0, 0}},
	"Erfc":        {{inf, 0, 0, 0}, {-inf, 2, 0, 0}},
	"Gamma":       {{0, inf, -inf, inf}, {minus0, -inf, -inf, -inf}, {-1, nan, nan, nan}, {inf, inf, inf, inf}, {-inf, nan, nan, nan}},
	"LogGamma":    {{0, inf, -inf, inf}, {minus0, inf, inf, inf}, {-1, inf, nan, nan}, {inf, inf, inf, 0}},
	"Polygamma 0": {{0, -inf, inf, -inf}, {minus0, inf, inf, inf}, {-1, nan, nan, nan}, {inf, inf, 0, 0}, {-inf, nan, nan, nan}},
	"Polygamma 1": {{0, inf, -inf, inf}, {-2, nan, nan, nan}, {inf, 0, 0, 0}},
	"Logistic":    {{inf, 1, 0, 0}, {-inf, 0, 0, 0}, {nan, nan, nan, nan}},
	"Softplus":    {{inf, inf, 1, 0}, {-inf, 0, 0, 0}, {nan, nan, nan, nan}},
}

// same is equality in which NaN equals itself and finite numbers may differ by
// rounding.
func same(a, b float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= 1e-13*math.Abs(b)
}

func sameJet(a, b jet, order int) bool {
	return same(a.v, b.v) && same(a.d1, b.d1) && (order == 1 || same(a.d2, b.d2) && same(a.d12, b.d12))
}

func TestUnaryConventionsInEveryMode(t *testing.T) {
	for op, rows := range edges {
		for _, r := range rows {
			want := jet{r[1], 2 * r[2], 3 * r[2], 6 * r[3]}
			for _, m := range modes {
				if got := m.unary(op, seed{r[0], 2, 3}); !sameJet(got, want, m.order) {
					t.Errorf("%s in %s at %g: %v, want %v", op, m.name, r[0], got, want)
				}
			}
		}
	}
}

// The derivatives of functions of two arguments where one of them has a
// convention or a limit. A row is x, y, then value, gradient and Hessian.
var edges2 = map[string][][8]float64{
	"Max": {
		{1, 1, 1, 1, 0, 0, 0, 0}, {0, minus0, 0, 1, 0, 0, 0, 0}, {minus0, 0, 0, 1, 0, 0, 0, 0},
		{inf, 1, inf, 1, 0, 0, 0, 0}, {-inf, 1, 1, 0, 1, 0, 0, 0}, {inf, inf, inf, 1, 0, 0, 0, 0},
	},
	"Min": {
		{1, 1, 1, 1, 0, 0, 0, 0}, {0, minus0, 0, 1, 0, 0, 0, 0},
		{-inf, 1, -inf, 1, 0, 0, 0, 0}, {inf, 1, 1, 0, 1, 0, 0, 0},
	},
	"Step":     {{1, 1, 0, 0, 0, 0, 0, 0}, {nan, 1, nan, 0, 0, 0, 0, 0}, {1, nan, nan, 0, 0, 0, 0, 0}, {-inf, 1, 1, 0, 0, 0, 0, 0}},
	"Select x": {{0, 3, 3, 0, 1, 0, 0, 0}},
	"Hypot": {
		{0, 0, 0, 0, 0, 0, 0, 0}, {minus0, 0, 0, 0, 0, 0, 0, 0},
		{0, -2, 2, 0, -1, 0.5, 0, 0}, {3e200, 4e200, 5e200, 0.6, 0.8, 0.64 / 5e200, -0.48 / 5e200, 0.36 / 5e200},
		{3e-200, 4e-200, 5e-200, 0.6, 0.8, 0.64 / 5e-200, -0.48 / 5e-200, 0.36 / 5e-200},
		{nan, 1, nan, nan, nan, nan, nan, nan},
	},
	"Norm2": {{0, 0, 0, 0, 0, 0, 0, 0}, {0, -2, 2, 0, -1, 0.5, 0, 0}, {nan, 1, nan, nan, nan, nan, nan, nan}},
	"Atan2": {
		{0, 0, 0, 0, 0, 0, 0, 0}, {0, minus0, math.Pi, 0, 0, 0, 0, 0}, {minus0, minus0, -math.Pi, 0, 0, 0, 0, 0},
		{0, -1, math.Pi, -1, 0, 0, -1, 0}, {1, 0, math.Pi / 2, 0, -1, 0, 1, 0},
		{1, inf, 0, 0, 0, 0, 0, 0}, {inf, 1, math.Pi / 2, 0, 0, 0, 0, 0}, {inf, -inf, 3 * math.Pi / 4, 0, 0, 0, 0, 0},
		{1e200, 1e200, math.Pi / 4, 5e-201, -5e-201, 0, 0, 0},
		{nan, 1, nan, nan, nan, nan, nan, nan}, {nan, inf, nan, nan, nan, nan, nan, nan},
	},
	"Pow": {
		{0, 0, 1, 0, -inf, 0, inf, inf}, {3, 0, 1, 0, math.Log(3), 0, 1. / 3, math.Log(3) * math.Log(3)},
		{0, 1, 0, 1, 0, 0, -inf, 0}, {0, 2, 0, 0, 0, 2, 0, 0}, {0, 3, 0, 0, 0, 0, 0, 0}, {0, 1.5, 0, 0, 0, inf, 0, 0},
		{0, -1, inf, -inf, -inf, inf, inf, inf},
		{-2, 3, -8, 12, nan, -12, nan, nan}, {-2, 0.5, nan, nan, nan, nan, nan, nan}, {-2, 1e-20, nan, nan, nan, nan, nan, nan},
	},
	"Div": {
		{0, 2, 0, 0.5, 0, 0, -0.25, 0}, {1, 0, inf, inf, -inf, 0, -inf, inf}, {1, minus0, -inf, -inf, -inf, 0, -inf, -inf},
		{1, inf, 0, 0, 0, 0, 0, 0},
		{0, 0, nan, nan, nan, nan, nan, nan}, {inf, inf, nan, nan, nan, nan, nan, nan}, {nan, 2, nan, nan, nan, nan, nan, nan},
	},
	"Mul":  {{0, inf, nan, inf, 0, 0, 1, 0}, {nan, 0, nan, 0, nan, 0, 1, 0}},
	"Prod": {{0, inf, 0, inf, 0, 0, 1, 0}, {nan, 0, 0, 0, nan, 0, 1, 0}, {inf, inf, inf, inf, inf, 0, 1, 0}},
	"LogSumExp": {
		{-inf, -inf, -inf, 0, 0, 0, 0, 0}, {inf, 1, inf, 0, 0, 0, 0, 0}, {-inf, 2, 2, 0, 1, 0, 0, 0},
		{1e300, 1e300, 1e300, 0.5, 0.5, 0.25, -0.25, 0.25}, {-1e308, 1e308, 1e308, 0, 1, 0, 0, 0},
		{nan, 1, nan, nan, nan, nan, nan, nan},
	},
}

func TestBinaryConventionsInEveryMode(t *testing.T) {
	for op, rows := range edges2 {
		for _, r := range rows {
			x, y := r[0], r[1]
			for _, m := range modes {
				check := func(what string, sx, sy seed, d1, d2, d12 float64) {
					want := jet{r[2], d1, d2, d12}
					if got := m.binary(op, sx, sy); !sameJet(got, want, m.order) {
						t.Errorf("%s in %s at (%g, %g), %s: %v, want %v", op, m.name, x, y, what, got, want)
					}
				}
				check("∂xx", seed{x, 1, 1}, seed{y, 0, 0}, r[3], r[3], r[5])
				check("∂xy", seed{x, 1, 0}, seed{y, 0, 1}, r[3], r[4], r[6])
				check("∂yx", seed{x, 0, 1}, seed{y, 1, 0}, r[4], r[3], r[6])
				check("∂yy", seed{x, 0, 0}, seed{y, 1, 1}, r[4], r[4], r[7])
			}
		}
	}
}

var extremes = []float64{-inf, -math.MaxFloat64, -1e160, -170.5, -3, -1, -0.5, -1e-160, -5e-324, minus0, 0, 5e-324, 1e-160, 0.5, 1, 2, 170, 1e160, math.MaxFloat64, inf, nan}

// A constant has no derivative whatever is done with it. Only where a choice
// between two numbers cannot be made, its derivative is as undefined.
func TestConstantsStayConstantAtExtremes(t *testing.T) {
	constant := func(got jet, order int) bool {
		return got.d1 == 0 && (order == 1 || got.d2 == 0 && got.d12 == 0)
	}
	for _, m := range modes {
		for op := range unaryOps[Real]() {
			for _, x := range extremes {
				if x != x && (op == "ReLU" || op == "ELU 0.5") {
					continue
				}
				if got := m.unary(op, seed{x, 0, 0}); !constant(got, m.order) {
					t.Errorf("%s in %s of the constant %g: %v", op, m.name, x, got)
				}
			}
		}
		for op := range binaryOps[Real]() {
			for _, x := range extremes {
				for _, y := range extremes {
					got := m.binary(op, seed{x, 0, 0}, seed{y, 0, 0})
					if got.v == got.v && !constant(got, m.order) {
						t.Errorf("%s in %s of the constants %g, %g: %v", op, m.name, x, y, got)
					}
				}
			}
		}
	}
}
