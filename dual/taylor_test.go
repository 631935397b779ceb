package dual

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// nested is x + ε₁ + … + ε₅, whose k-th derivative stands at ε₁…εₖ.
type (
	nested2 = Of[Of[Real]]
	nested3 = Of[nested2]
	nested4 = Of[nested3]
	nested5 = Of[nested4]
)

// nest is x(t) = x₀ + d·t to order 5.
func nest(x, d float64) (z nested5) {
	z.V.V.V.V.V, z.V.V.V.V.D, z.V.V.V.D.V, z.V.V.D.V.V, z.V.D.V.V.V, z.D.V.V.V.V = Real(x), Real(d), Real(d), Real(d), Real(d), Real(d)
	return z
}

// coefficients are derivatives over factorials.
func coefficients(z nested5) []float64 {
	return []float64{
		float64(z.V.V.V.V.V), float64(z.V.V.V.V.D), float64(z.V.V.V.D.D) / 2, float64(z.V.V.D.D.D) / 6, float64(z.V.D.D.D.D) / 24, float64(z.D.D.D.D.D) / 120,
	}
}

// taylorNear reports whether a and b are the same number up to tolerance·scale, or both no number.
func taylorNear(a, b, tolerance, scale float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= tolerance*(math.Abs(a)+math.Abs(b)+scale)
}

// At ordinary points all operations have the derivatives of nested numbers to order 5.
func TestTaylorIsNested(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	unary, binary := unaryOps[Taylor](), binaryOps[Taylor]()
	unaryNested, binaryNested := unaryOps[nested5](), binaryOps[nested5]()
	a := NewTaylors(5)
	for range 40 {
		a.Reset()
		x, y := 0.05+0.9*r.Float64(), 0.05+0.9*r.Float64()
		dx, dy := r.NormFloat64(), r.NormFloat64()
		compare := func(name string, want nested5, got Taylor) {
			w := coefficients(want)
			scale := 0.0
			for _, v := range w {
				scale = max(scale, math.Abs(v))
			}
			for k, v := range w {
				require.True(t, taylorNear(v, got.Coefficient(k), 1e-10, scale), "%s at %v, %v along %v, %v: coefficient %d is %v, nested %v", name, x, y, dx, dy, k, got.Coefficient(k), v)
			}
		}
		for name, f := range unaryNested {
			at := x
			if name == "Acosh" {
				at++
			}
			compare(name, f(nest(at, dx)), unary[name](a.Variable(at, dx)))
		}
		for name, f := range binaryNested {
			compare(name, f(nest(x, dx), nest(y, dy)), binary[name](a.Variable(x, dx), a.Variable(y, dy)))
			compare(name, f(nest(x, 0), nest(y, dy)), binary[name](Const[Taylor](x), a.Variable(y, dy)))
			compare(name, f(nest(x, dx), nest(y, 0)), binary[name](a.Variable(x, dx), Const[Taylor](y)))
		}
		compare("FMA", nest(x, dx).FMA(nest(y, dy), nest(x, dy)), a.Variable(x, dx).FMA(a.Variable(y, dy), a.Variable(x, dy)))
	}
}

// The incomplete functions have the derivatives of hyper-dual numbers, and of their third
// partial ones.
func TestTaylorOfIncompleteFunctions(t *testing.T) {
	type nested = Of[Hyper]
	in := func(x, d float64) nested { return nested{Hyper{x, d, d, 0}, Hyper{V: d}} }
	for _, p := range [][3]float64{{1.3, 2.1, 0.4}, {0.6, 0.9, 0.7}} {
		a := NewTaylors(3)
		for _, d := range [][3]float64{{0.3, -0.5, 0.2}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}} {
			vary := func(k int) Taylor {
				if d[k] == 0 {
					return Const[Taylor](p[k])
				}
				return a.Variable(p[k], d[k])
			}
			for name, pair := range map[string]struct {
				want nested
				got  Taylor
			}{
				"gamma": {RegIncGamma(in(p[0], d[0]), in(p[2], d[2])), RegIncGamma(vary(0), vary(2))},
				"beta":  {RegIncBeta(in(p[0], d[0]), in(p[1], d[1]), in(p[2], d[2])), RegIncBeta(vary(0), vary(1), vary(2))},
			} {
				w := pair.want
				for k, v := range []float64{w.V.V, w.V.D1, w.V.D12 / 2, w.D.D12 / 6} {
					require.InDelta(t, v, pair.got.Coefficient(k), 1e-12*(1+math.Abs(v)), "%s at %v along %v, %d", name, p, d, k)
				}
			}
		}
	}
}

// At kinks, zeros, poles and infinities the first two derivatives are those of
// hyper-dual numbers, where these are numbers.
func TestTaylorHasTheConventions(t *testing.T) {
	points := []float64{math.Copysign(0, -1), 0, 1, -1, 0.3, -2.5, 7, 1e-200, inf, -inf, nan}
	unary, binary := unaryOps[Taylor](), binaryOps[Taylor]()
	hyperUnary, hyperBinary := unaryOps[Hyper](), binaryOps[Hyper]()
	a := NewTaylors(2)
	check := func(h Hyper, z Taylor, what ...any) {
		t.Helper()
		same := math.Float64bits(h.V) == math.Float64bits(z.Value()) || h.V != h.V && z.Value() != z.Value()
		if !same || !taylorNear(h.D1, z.Coefficient(1), 1e-12, 0) || !taylorNear(h.D12, 2*z.Coefficient(2), 1e-9, 1e-3*math.Abs(h.D1)) {
			t.Errorf("%v: %v %v %v, hyper-dual %v", what, z.Value(), z.Coefficient(1), 2*z.Coefficient(2), h)
		}
	}
	for _, x := range points {
		a.Reset()
		for name, f := range hyperUnary {
			check(f(Hyper{x, 1, 1, 0}), unary[name](a.Variable(x, 1)), name, x)
			check(f(Hyper{V: x}), unary[name](Const[Taylor](x)), name, x, "constant")
		}
		for name, f := range hyperBinary {
			for _, y := range points {
				check(f(Hyper{x, 1, 1, 0}, Hyper{V: y}), binary[name](a.Variable(x, 1), Const[Taylor](y)), name, x, y, "in x")
				check(f(Hyper{V: x}, Hyper{y, 1, 1, 0}), binary[name](Const[Taylor](x), a.Variable(y, 1)), name, x, y, "in y")
			}
		}
	}
}

// Random programs have the derivatives of nested numbers.
func TestTaylorOfRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		x, d := make([]float64, inputs), make([]float64, inputs)
		n, z := make([]nested5, inputs), make([]Taylor, inputs)
		a := NewTaylors(5)
		for i := range x {
			x[i], d[i] = rapid.Float64Range(0.1, 2).Draw(t, "x"), rapid.Float64Range(-1, 1).Draw(t, "d")
			n[i], z[i] = nest(x[i], d[i]), a.Variable(x[i], d[i])
		}
		scale := 0.0
		for _, v := range results(p, n) {
			for _, c := range coefficients(v) {
				scale = max(scale, math.Abs(c))
			}
			if !(scale < 1e8) {
				return // ill-conditioned, or infinite
			}
		}
		want, got := coefficients(run(p, n)), run(p, z)
		for k, v := range want {
			if !taylorNear(v, got.Coefficient(k), 1e-7, scale*(1+scale)) {
				t.Fatalf("%v\nat %v along %v: coefficient %d is %v, nested %v", p, x, d, k, got.Coefficient(k), v)
			}
		}
	})
}

// Closed forms to order 30: the coefficients of eˣ, ln x, xᵖ, sin x, cos x, 1/x and arctan
// are rational in x = 1 or ½ up to a factor.
func TestTaylorClosedForms(t *testing.T) {
	const order = 30
	a := NewTaylors(order)
	factorial := func(k int) float64 {
		f, _ := new(big.Float).SetInt(new(big.Int).MulRange(1, int64(max(k, 1)))).Float64()
		return f
	}
	for name, c := range map[string]struct {
		z    func(x Taylor) Taylor
		x    float64
		want func(k int) float64
	}{
		"exp":      {Taylor.Exp, 0.5, func(k int) float64 { return math.Exp(0.5) / factorial(k) }},
		"log":      {Taylor.Log, 2, func(k int) float64 { return -math.Pow(-0.5, float64(k)) / float64(k) }},
		"inv":      {Taylor.Inv, 2, func(k int) float64 { return math.Pow(-0.5, float64(k)) / 2 }},
		"sin":      {Taylor.Sin, 0.7, func(k int) float64 { return math.Sin(0.7+float64(k)*math.Pi/2) / factorial(k) }},
		"cos":      {Taylor.Cos, 0.7, func(k int) float64 { return math.Cos(0.7+float64(k)*math.Pi/2) / factorial(k) }},
		"sinh":     {Taylor.Sinh, 0.7, func(k int) float64 { return []float64{math.Sinh(0.7), math.Cosh(0.7)}[k%2] / factorial(k) }},
		"sqrt":     {Taylor.Sqrt, 2, func(k int) float64 { return binomial(2, 0.5, k) }},
		"cbrt":     {Taylor.Cbrt, 2, func(k int) float64 { return binomial(2, 1./3, k) }},
		"x^-2.5":   {func(x Taylor) Taylor { return x.PowReal(-2.5) }, 2, func(k int) float64 { return binomial(2, -2.5, k) }},
		"x^-7":     {func(x Taylor) Taylor { return x.PowInt(-7) }, -2, func(k int) float64 { return binomial(-2, -7, k) }},
		"x^7":      {func(x Taylor) Taylor { return x.PowInt(7) }, 3, func(k int) float64 { return binomial(3, 7, k) }},
		"x^3 at 0": {func(x Taylor) Taylor { return x.PowInt(3) }, 0, func(k int) float64 { return []float64{0, 1}[max(0, 1-(k-3)*(k-3))] }},
		"x^3 near": {func(x Taylor) Taylor { return x.PowReal(3) }, 1e-200, func(k int) float64 { return binomial(1e-200, 3, k) }},
		"atan":     {Taylor.Atan, 0, func(k int) float64 { return []float64{0, 1, 0, -1}[k%4] / float64(k) }},
		"atanh":    {Taylor.Atanh, 0, func(k int) float64 { return []float64{0, 1}[k%2] / float64(k) }},
		"1 over atan2": {func(x Taylor) Taylor { return Const[Taylor](1).Atan2(x) }, 0, func(k int) float64 {
			return []float64{0, -1, 0, 1}[k%4] / float64(k)
		}},
		"log gamma at 1": {Taylor.LogGamma, 1, func(k int) float64 { // DLMF 5.7.3: (−1)ᵏζ(k)/k
			if k == 1 {
				return -0.57721566490153286
			}
			zeta := 0.0
			for n := 60.; n > 0; n-- {
				zeta += math.Pow(n, -float64(k))
			}
			e := 1 - float64(k) // Euler and Maclaurin from 60 on
			zeta += math.Pow(60, e)/-e - math.Pow(60, -float64(k))/2 + float64(k)*math.Pow(60, -float64(k)-1)/12 - float64(k*(k+1)*(k+2))*math.Pow(60, -float64(k)-3)/720
			return []float64{1, -1}[k%2] * zeta / float64(k)
		}},
	} {
		a.Reset()
		z := c.z(a.Variable(c.x, 1))
		for k := 1; k <= order; k++ {
			want := c.want(k)
			require.InDelta(t, want, z.Coefficient(k), 4e-15*float64(k)*math.Abs(want)+1e-300, "%s, %d", name, k)
		}
	}
}

// An evaluation on memory that has grown allocates nothing.
func TestTaylorAllocatesNothing(t *testing.T) {
	a := NewTaylors(8)
	ops := unaryOps[Taylor]()
	for _, name := range []string{"Exp", "Tanh", "Asin", "Gamma", "PowReal 2.5", "Logistic", "Log"} {
		f := ops[name]
		switch name { // reflection allocates
		case "Exp":
			f = Taylor.Exp
		case "Tanh":
			f = Taylor.Tanh
		case "Asin":
			f = Taylor.Asin
		case "Gamma":
			f = Taylor.Gamma
		case "Logistic":
			f = Taylor.Logistic
		case "Log":
			f = Taylor.Log
		}
		require.Zero(t, testing.AllocsPerRun(10, func() {
			a.Reset()
			x := a.Variable(0.3, 1)
			f(x).Mul(x).Div(x.AddReal(1)).Atan2(x).Hypot(x)
		}), name)
	}
}

func TestTaylorMisuse(t *testing.T) {
	a, b := NewTaylors(2), NewTaylors(3)
	require.PanicsWithValue(t, "dual: negative order", func() { NewTaylors(-1) })
	require.PanicsWithValue(t, "dual: negative order", func() { a.Variable(1).Coefficient(-1) })
	require.PanicsWithValue(t, "dual: more coefficients than the order has", func() { a.Variable(slices.Repeat([]float64{1}, 4)...) })
	require.PanicsWithValue(t, "dual: polynomials of two Taylors", func() { a.Variable(1).Mul(b.Variable(1)) })
	require.Equal(t, 0., Taylor{}.Exp().Coefficient(7))
	require.Equal(t, 2, a.Order())
}
