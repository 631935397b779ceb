package dual

import (
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// Inside the domains, every operation in every mode against textbook formulas
// for value, first and second derivative.
var unaryForms = []struct {
	op       string
	f, d, dd func(x float64) float64
	grid     []float64
}{
	{"Neg", func(x float64) float64 { return -x }, constant(-1), constant(0), every},
	{"AddReal 1.5", func(x float64) float64 { return x + 1.5 }, constant(1), constant(0), every},
	{"SubReal 1.5", func(x float64) float64 { return x - 1.5 }, constant(1), constant(0), every},
	{"Scale -2", func(x float64) float64 { return -2 * x }, constant(-2), constant(0), every},
	{"Scale 0", constant(0), constant(0), constant(0), every},
	{"RSub 2", func(x float64) float64 { return 2 - x }, constant(-1), constant(0), every},
	{"RDiv 3", power(3, -1), power(-3, -2), power(6, -3), nonzero},
	{"RDiv 0", constant(0), constant(0), constant(0), nonzero},
	{"Detach", func(x float64) float64 { return x }, constant(0), constant(0), every},
	{"Inv", power(1, -1), power(-1, -2), power(2, -3), nonzero},
	{"Square", power(1, 2), power(2, 1), constant(2), every},
	{"Sqrt", power(1, 0.5), power(0.5, -0.5), power(-0.25, -1.5), positive},
	{"Cbrt", math.Cbrt,
		func(x float64) float64 { return math.Cbrt(x) / (3 * x) },
		func(x float64) float64 { return -2 * math.Cbrt(x) / (9 * x * x) }, nonzero},
	{"PowReal 0", constant(1), constant(0), constant(0), every},
	{"PowReal 1", power(1, 1), constant(1), constant(0), every},
	{"PowReal 2", power(1, 2), power(2, 1), constant(2), every},
	{"PowReal 3", power(1, 3), power(3, 2), power(6, 1), every},
	{"PowReal -1", power(1, -1), power(-1, -2), power(2, -3), nonzero},
	{"PowReal 0.5", power(1, 0.5), power(0.5, -0.5), power(-0.25, -1.5), positive},
	{"PowReal 0.25", power(1, 0.25), power(0.25, -0.75), power(-0.1875, -1.75), positive},
	{"PowReal 1.5", power(1, 1.5), power(1.5, 0.5), power(0.75, -0.5), positive},
	{"PowReal 2.5", power(1, 2.5), power(2.5, 1.5), power(3.75, 0.5), positive},
	{"PowReal -0.5", power(1, -0.5), power(-0.5, -1.5), power(0.75, -2.5), positive},
	{"PowReal -2", power(1, -2), power(-2, -3), power(6, -4), nonzero},
	{"PowInt -4", power(1, -4), power(-4, -5), power(20, -6), nonzero},
	{"PowInt -3", power(1, -3), power(-3, -4), power(12, -5), nonzero},
	{"PowInt -2", power(1, -2), power(-2, -3), power(6, -4), nonzero},
	{"PowInt -1", power(1, -1), power(-1, -2), power(2, -3), nonzero},
	{"PowInt 0", constant(1), constant(0), constant(0), every},
	{"PowInt 1", power(1, 1), constant(1), constant(0), every},
	{"PowInt 2", power(1, 2), power(2, 1), constant(2), every},
	{"PowInt 3", power(1, 3), power(3, 2), power(6, 1), every},
	{"PowInt 4", power(1, 4), power(4, 3), power(12, 2), every},
	{"PowInt 7", power(1, 7), power(7, 6), power(42, 5), every},
	{"Exp", math.Exp, math.Exp, math.Exp, moderate},
	{"Exp2", math.Exp2,
		func(x float64) float64 { return math.Ln2 * math.Exp2(x) },
		func(x float64) float64 { return math.Ln2 * math.Ln2 * math.Exp2(x) }, moderate},
	{"Expm1", math.Expm1, math.Exp, math.Exp, moderate},
	{"Log", math.Log, power(1, -1), power(-1, -2), positive},
	{"Log2", math.Log2, power(math.Log2E, -1), power(-math.Log2E, -2), positive},
	{"Log10", math.Log10, power(math.Log10E, -1), power(-math.Log10E, -2), positive},
	{"Log1p", math.Log1p,
		func(x float64) float64 { return 1 / (1 + x) },
		func(x float64) float64 { return -1 / ((1 + x) * (1 + x)) }, append([]float64{-0.999, -0.5, -1e-9}, positive...)},
	{"Sin", math.Sin, math.Cos, func(x float64) float64 { return -math.Sin(x) }, moderate},
	{"Cos", math.Cos, func(x float64) float64 { return -math.Sin(x) }, func(x float64) float64 { return -math.Cos(x) }, moderate},
	{"Tan", math.Tan,
		func(x float64) float64 { return 1 / (math.Cos(x) * math.Cos(x)) },
		func(x float64) float64 { return 2 * math.Sin(x) / (math.Cos(x) * math.Cos(x) * math.Cos(x)) }, moderate},
	{"Asin", math.Asin, func(x float64) float64 { return unit(x, -0.5) }, func(x float64) float64 { return x * unit(x, -1.5) }, within1},
	{"Acos", math.Acos, func(x float64) float64 { return -unit(x, -0.5) }, func(x float64) float64 { return -x * unit(x, -1.5) }, within1},
	{"Atan", math.Atan,
		func(x float64) float64 { return 1 / (1 + x*x) },
		func(x float64) float64 { return -2 * x / ((1 + x*x) * (1 + x*x)) }, every},
	{"Sinh", math.Sinh, math.Cosh, math.Sinh, moderate},
	{"Cosh", math.Cosh, math.Sinh, math.Cosh, moderate},
	{"Tanh", math.Tanh,
		func(x float64) float64 { return 1 / (math.Cosh(x) * math.Cosh(x)) },
		func(x float64) float64 { return -2 * math.Sinh(x) / (math.Cosh(x) * math.Cosh(x) * math.Cosh(x)) }, moderate},
	{"Asinh", math.Asinh,
		func(x float64) float64 { return 1 / math.Sqrt(1+x*x) },
		func(x float64) float64 { return -x * math.Pow(1+x*x, -1.5) }, every},
	{"Acosh", math.Acosh,
		func(x float64) float64 { return 1 / math.Sqrt((x-1)*(x+1)) },
		func(x float64) float64 { return -x * math.Pow((x-1)*(x+1), -1.5) }, []float64{1 + 1e-12, 1.001, 1.5, 2, 7, 1e3, 1e9}},
	{"Atanh", math.Atanh,
		func(x float64) float64 { return unit(x, -1) },
		func(x float64) float64 { return 2 * x * unit(x, -2) }, within1},
	{"Erf", math.Erf,
		func(x float64) float64 { return bell(x) },
		func(x float64) float64 { return -2 * x * bell(x) }, moderate},
	{"Erfc", math.Erfc,
		func(x float64) float64 { return -bell(x) },
		func(x float64) float64 { return 2 * x * bell(x) }, moderate},
	{"Gamma", math.Gamma,
		func(x float64) float64 { return math.Gamma(x) * psi(0, x) },
		func(x float64) float64 { return math.Gamma(x) * (psi(0, x)*psi(0, x) + psi(1, x)) }, around1},
	{"LogGamma", logGamma,
		func(x float64) float64 { return psi(0, x) }, func(x float64) float64 { return psi(1, x) }, around1},
	{"Polygamma 0",
		func(x float64) float64 { return psi(0, x) }, func(x float64) float64 { return psi(1, x) }, func(x float64) float64 { return psi(2, x) }, around1},
	{"Polygamma 1",
		func(x float64) float64 { return psi(1, x) }, func(x float64) float64 { return psi(2, x) }, func(x float64) float64 { return psi(3, x) }, around1},
	{"Polygamma 2",
		func(x float64) float64 { return psi(2, x) }, func(x float64) float64 { return psi(3, x) }, func(x float64) float64 { return psi(4, x) }, around1},
	{"Logistic", sigma,
		func(x float64) float64 { return sigma(x) * sigma(-x) },
		func(x float64) float64 { return -sigma(x) * sigma(-x) * math.Tanh(x/2) }, moderate},
	{"Softplus", func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) },
		sigma, func(x float64) float64 { return sigma(x) * sigma(-x) }, moderate},
	{"Trunc", whole, constant(0), constant(0), every},
	{"Floor", func(x float64) float64 {
		if w := whole(x); w <= x {
			return w
		}
		return whole(x) - 1
	}, constant(0), constant(0), every},
	{"Ceil", func(x float64) float64 {
		if w := whole(x); w >= x {
			return w
		}
		return whole(x) + 1
	}, constant(0), constant(0), every},
	{"Round", func(x float64) float64 { return whole(x) + whole(2*(x-whole(x))) }, constant(0), constant(0), every},
	{"Abs", math.Abs, func(x float64) float64 { return math.Copysign(1, x) }, constant(0), nonzero},
	{"ReLU", func(x float64) float64 { return math.Max(x, 0) },
		func(x float64) float64 { return heaviside(x) }, constant(0), nonzero},
	{"ELU 0.5", func(x float64) float64 { return max(x, 0) + 0.5*math.Expm1(min(x, 0)) },
		func(x float64) float64 { return heaviside(x) + 0.5*math.Exp(x)*heaviside(-x) },
		func(x float64) float64 { return 0.5 * math.Exp(x) * heaviside(-x) }, []float64{-36.7, -3.1, -0.5, -1e-9, 1e-9, 0.5, 3.1}},
	{"GELU", func(x float64) float64 { return x * normalCDF(x) },
		func(x float64) float64 { return normalCDF(x) + x*normalPDF(x) },
		func(x float64) float64 { return (2 - x*x) * normalPDF(x) }, moderate},
	{"SiLU", func(x float64) float64 { return x * sigma(x) },
		func(x float64) float64 { return sigma(x) + x*sigma(x)*sigma(-x) },
		func(x float64) float64 { return sigma(x) * sigma(-x) * (2 - x*math.Tanh(x/2)) }, moderate},
	{"Polyval", func(x float64) float64 { return 3 - x + 2*x*x*x },
		func(x float64) float64 { return -1 + 6*x*x }, func(x float64) float64 { return 12 * x }, every},
}

var (
	nonzero  = []float64{-1e9, -36.7, -3.1, -1, -0.5, -1e-9, 1e-9, 0.1, 0.5, 1, 2, 3.1, 25.5, 36.7, 1e9}
	every    = append([]float64{0}, nonzero...)
	positive = nonzero[6:]
	moderate = []float64{-36.7, -10, -3.1, -1, -0.5, -0.1, -1e-9, 0, 1e-9, 0.1, 0.5, 1, 3.1, 10, 36.7}
	within1  = []float64{-1 + 1e-12, -0.999, -0.5, -1e-9, 0, 1e-9, 0.1, 0.5, 0.999, 1 - 1e-12}
	around1  = []float64{1e-9, 0.1, 0.5, 1, 1.25, 2, 3.1, 10, 25.5}
)

func constant(c float64) func(float64) float64 { return func(float64) float64 { return c } }

// power is c·x^p.
func power(c, p float64) func(float64) float64 {
	return func(x float64) float64 { return c * math.Pow(x, p) }
}

// unit is (1 − x²)^p.
func unit(x, p float64) float64  { return math.Pow((1-x)*(1+x), p) }
func bell(x float64) float64     { return 2 / math.SqrtPi * math.Exp(-x*x) }
func sigma(x float64) float64    { return 1 / (1 + math.Exp(-x)) }
func logGamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
func normalPDF(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

func heaviside(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

// psi is the polygamma function of order n for x > 0 by gonum, whose digamma
// function has an error of 1e-10.
func psi(n int, x float64) float64 {
	if n == 0 {
		return mathext.Digamma(x)
	}
	return -math.Pow(-1, float64(n)) * math.Gamma(float64(n+1)) * mathext.Zeta(float64(n+1), x)
}

// hasGolden reports whether golden.csv has lines of an operation, of which accuracy_test.go
// makes more than a closed form could.
func hasGolden(t *testing.T, name string) bool {
	lines, err := os.ReadFile("testdata/golden.csv")
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ = strings.Cut(name, " ")
	return strings.Contains(string(lines), "\n"+name+",")
}

func TestUnaryAgainstClosedForms(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range unaryForms {
		seen[c.op] = true
		eps := 2e-13
		switch c.op {
		case "Gamma", "LogGamma", "Polygamma 0":
			eps = 2e-10
		}
		for _, x := range c.grid {
			v, d, dd := c.f(x), c.d(x), c.dd(x)
			// Derivatives may lose what is small beside value and
			// derivative over a distance of |x| or 1.
			s := math.Max(1, math.Abs(x))
			tol := jet{
				v:   eps * math.Abs(v),
				d1:  eps * (math.Abs(d) + math.Abs(v)/s),
				d12: eps * (math.Abs(dd) + math.Abs(d)/s + math.Abs(v)/s/s),
			}
			for _, m := range modes {
				got := m.unary(c.op, seed{x, 2, -3})
				if !near(got.v, v, tol.v) || !near(got.d1, 2*d, 2*tol.d1) ||
					m.order == 2 && (!near(got.d2, -3*d, 3*tol.d1) || !near(got.d12, -6*dd, 6*tol.d12)) {
					t.Errorf("%s in %s at %g: %v, want %v", c.op, m.name, x, got, jet{v, 2 * d, -3 * d, -6 * dd})
				}
			}
		}
	}
	for op := range unaryOps[Real]() {
		if !seen[op] && !hasGolden(t, op) {
			t.Errorf("no closed form of %s, and no line in golden.csv", op)
		}
	}
}

func near(a, b, tol float64) bool { return a == b || math.Abs(a-b) <= tol }

// A gradient and Hessian, after the value.
// whole is x without its fraction.
func whole(x float64) float64 {
	if math.Abs(x) >= 1<<52 {
		return x
	}
	return float64(int64(x))
}

type form2 [6]func(x, y float64) float64

var binaryForms = []struct {
	op   string
	f    form2
	grid [][2]float64
}{
	{"Add", form2{func(x, y float64) float64 { return x + y }, constant2(1), constant2(1), constant2(0), constant2(0), constant2(0)}, plane},
	{"Sub", form2{func(x, y float64) float64 { return x - y }, constant2(1), constant2(-1), constant2(0), constant2(0), constant2(0)}, plane},
	{"Mul", form2{func(x, y float64) float64 { return x * y }, second, first, constant2(0), constant2(1), constant2(0)}, plane},
	{"Prod", form2{func(x, y float64) float64 { return x * y }, second, first, constant2(0), constant2(1), constant2(0)}, plane},
	{"Div", form2{
		func(x, y float64) float64 { return x / y },
		func(x, y float64) float64 { return 1 / y },
		func(x, y float64) float64 { return -x / (y * y) },
		constant2(0),
		func(x, y float64) float64 { return -1 / (y * y) },
		func(x, y float64) float64 { return 2 * x / (y * y * y) }}, plane[1:]},
	{"Hypot", hypotForm, plane[1:]},
	{"Norm2", hypotForm, plane[1:]},
	{"Pow", form2{
		math.Pow,
		func(x, y float64) float64 { return y * math.Pow(x, y-1) },
		func(x, y float64) float64 { return math.Pow(x, y) * math.Log(x) },
		func(x, y float64) float64 { return y * (y - 1) * math.Pow(x, y-2) },
		func(x, y float64) float64 { return math.Pow(x, y-1) * (1 + y*math.Log(x)) },
		func(x, y float64) float64 { return math.Pow(x, y) * math.Log(x) * math.Log(x) }},
		[][2]float64{{0.3, 2.5}, {0.3, -1.5}, {1, 3}, {2.5, 0}, {2.5, 1}, {2.5, 2}, {7, 0.5}, {40, -3}}},
	{"Atan2", form2{
		math.Atan2,
		func(y, x float64) float64 { return x / (x*x + y*y) },
		func(y, x float64) float64 { return -y / (x*x + y*y) },
		func(y, x float64) float64 { return -2 * x * y / ((x*x + y*y) * (x*x + y*y)) },
		func(y, x float64) float64 { return (y*y - x*x) / ((x*x + y*y) * (x*x + y*y)) },
		func(y, x float64) float64 { return 2 * x * y / ((x*x + y*y) * (x*x + y*y)) }}, plane[1:]},
	{"Max", form2{
		math.Max,
		func(x, y float64) float64 { return heaviside(x - y) },
		func(x, y float64) float64 { return heaviside(y - x) }, constant2(0), constant2(0), constant2(0)}, plane[1:]},
	{"Min", form2{
		math.Min,
		func(x, y float64) float64 { return heaviside(y - x) },
		func(x, y float64) float64 { return heaviside(x - y) }, constant2(0), constant2(0), constant2(0)}, plane[1:]},
	{"Mod", form2{
		func(x, y float64) float64 { return x - y*whole(x/y) }, constant2(1), func(x, y float64) float64 { return -whole(x / y) },
		constant2(0), constant2(0), constant2(0)},
		[][2]float64{{1, 2}, {2, 1}, {7.5, 2}, {-7.5, 2}, {7.5, -2}, {-1.5, 0.25}, {0.1, -7}, {-3, -4}, {1e-9, 2}, {30, -0.5}, {100, 7}}},
	{"Copysign", form2{
		func(x, y float64) float64 { return math.Abs(x) * (heaviside(y) - heaviside(-y)) },
		func(x, y float64) float64 { return (heaviside(x) - heaviside(-x)) * (heaviside(y) - heaviside(-y)) },
		constant2(0), constant2(0), constant2(0), constant2(0)}, plane[1:]},
	{"Step", form2{func(x, y float64) float64 { return heaviside(y - x) },
		constant2(0), constant2(0), constant2(0), constant2(0), constant2(0)}, plane[1:]},
	{"Select x", form2{
		func(x, y float64) float64 { return x*x*heaviside(x) + y*heaviside(-x) },
		func(x, y float64) float64 { return 2 * x * heaviside(x) },
		func(x, y float64) float64 { return heaviside(-x) },
		func(x, y float64) float64 { return 2 * heaviside(x) }, constant2(0), constant2(0)}, plane[1:]},
	{"Sum", form2{func(x, y float64) float64 { return 2*x + y }, constant2(2), constant2(1), constant2(0), constant2(0), constant2(0)}, plane},
	{"Affine", form2{func(x, y float64) float64 { return 1 + 2*x - 3*y }, constant2(2), constant2(-3), constant2(0), constant2(0), constant2(0)}, plane},
	{"Dot", form2{
		func(x, y float64) float64 { return x*y + y*y },
		second, func(x, y float64) float64 { return x + 2*y }, constant2(0), constant2(1), constant2(2)}, plane},
	{"LogSumExp", form2{
		func(x, y float64) float64 { return math.Log(math.Exp(x) + math.Exp(y)) },
		func(x, y float64) float64 { return sigma(x - y) },
		func(x, y float64) float64 { return sigma(y - x) },
		func(x, y float64) float64 { return sigma(x-y) * sigma(y-x) },
		func(x, y float64) float64 { return -sigma(x-y) * sigma(y-x) },
		func(x, y float64) float64 { return sigma(x-y) * sigma(y-x) }}, plane},
	{"Softmax", form2{
		func(x, y float64) float64 { return sigma(x - y) },
		func(x, y float64) float64 { return sigma(x-y) * sigma(y-x) },
		func(x, y float64) float64 { return -sigma(x-y) * sigma(y-x) },
		func(x, y float64) float64 { return sigma(x-y) * sigma(y-x) * math.Tanh((y-x)/2) },
		func(x, y float64) float64 { return -sigma(x-y) * sigma(y-x) * math.Tanh((y-x)/2) },
		func(x, y float64) float64 { return sigma(x-y) * sigma(y-x) * math.Tanh((y-x)/2) }}, plane},
}

var plane = [][2]float64{{0, 0}, {1, 2}, {2, 1}, {-1.5, 0.25}, {0.1, -7}, {-3, -4}, {1e-9, 2}, {2, 1e-9}, {30, -0.5}}

func constant2(c float64) func(x, y float64) float64 { return func(x, y float64) float64 { return c } }
func first(x, y float64) float64                     { return x }
func second(x, y float64) float64                    { return y }

var hypotForm = form2{
	func(x, y float64) float64 { return math.Sqrt(x*x + y*y) },
	func(x, y float64) float64 { return x / math.Sqrt(x*x+y*y) },
	func(x, y float64) float64 { return y / math.Sqrt(x*x+y*y) },
	func(x, y float64) float64 { return y * y * math.Pow(x*x+y*y, -1.5) },
	func(x, y float64) float64 { return -x * y * math.Pow(x*x+y*y, -1.5) },
	func(x, y float64) float64 { return x * x * math.Pow(x*x+y*y, -1.5) },
}

func TestBinaryAgainstClosedForms(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range binaryForms {
		seen[c.op] = true
		for _, p := range c.grid {
			x, y := p[0], p[1]
			var want [6]float64
			for i, f := range c.f {
				want[i] = f(x, y)
			}
			// Both directions have entries in both arguments.
			const a1, b1, a2, b2 = 2, -1, 0.5, 3
			wantJet := jet{
				want[0],
				a1*want[1] + b1*want[2],
				a2*want[1] + b2*want[2],
				a1*a2*want[3] + (a1*b2+a2*b1)*want[4] + b1*b2*want[5],
			}
			size := 0.0
			for _, w := range want {
				size = math.Max(size, math.Abs(w))
			}
			for _, m := range modes {
				got := m.binary(c.op, seed{x, a1, a2}, seed{y, b1, b2})
				const eps = 2e-13
				if !near(got.v, wantJet.v, eps*size) || !near(got.d1, wantJet.d1, 5*eps*size) ||
					m.order == 2 && (!near(got.d2, wantJet.d2, 5*eps*size) || !near(got.d12, wantJet.d12, 10*eps*size)) {
					t.Errorf("%s in %s at (%g, %g): %v, want %v", c.op, m.name, x, y, got, wantJet)
				}
			}
		}
	}
	for op := range binaryOps[Real]() {
		if !seen[op] && !hasGolden(t, op) {
			t.Errorf("no closed form of %s, and no line in golden.csv", op)
		}
	}
}
