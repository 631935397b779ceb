package dual

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/num/dual"
	"gonum.org/v1/gonum/num/hyperdual"
)

// Package gonum/num away from the points where its hyper-dual rules and ours
// differ: a real part of 0 among them.
func TestAgainstGonum(t *testing.T) {
	for _, c := range []struct {
		op string
		f  func(dual.Number) dual.Number
		g  func(hyperdual.Number) hyperdual.Number
		x  []float64
	}{
		{"Inv", dual.Inv, hyperdual.Inv, moderate},
		{"Sqrt", dual.Sqrt, hyperdual.Sqrt, positive},
		{"Exp", dual.Exp, hyperdual.Exp, moderate},
		{"Log", dual.Log, hyperdual.Log, positive},
		{"Sin", dual.Sin, hyperdual.Sin, moderate},
		{"Cos", dual.Cos, hyperdual.Cos, moderate},
		{"Tan", dual.Tan, hyperdual.Tan, []float64{-1, -0.5, 0.1, 0.5, 1, 3.1}},
		{"Asin", dual.Asin, hyperdual.Asin, []float64{-0.9, -0.5, 0.1, 0.5}},
		{"Acos", dual.Acos, hyperdual.Acos, []float64{-0.9, -0.5, 0.1, 0.5}},
		{"Atan", dual.Atan, hyperdual.Atan, moderate},
		{"Sinh", dual.Sinh, hyperdual.Sinh, moderate},
		{"Cosh", dual.Cosh, hyperdual.Cosh, moderate},
		{"Tanh", dual.Tanh, hyperdual.Tanh, []float64{-1, -0.5, 0.1, 0.5, 1, 3.1}},
		{"Asinh", dual.Asinh, hyperdual.Asinh, moderate},
		{"Acosh", dual.Acosh, hyperdual.Acosh, []float64{1.5, 3.1, 10}},
		{"Atanh", dual.Atanh, hyperdual.Atanh, []float64{-0.9, -0.5, 0.1, 0.5}},
		{"PowReal 2.5",
			func(x dual.Number) dual.Number { return dual.PowReal(x, 2.5) },
			func(x hyperdual.Number) hyperdual.Number { return hyperdual.PowReal(x, 2.5) }, positive},
	} {
		for _, x := range c.x {
			if x == 0 {
				continue
			}
			s := seed{x, 2, -3}
			f := c.f(dual.Number{Real: x, Emag: s.d1})
			g := c.g(hyperdual.Number{Real: x, E1mag: s.d1, E2mag: s.d2})
			want := jet{g.Real, g.E1mag, g.E2mag, g.E1E2mag}
			scale := math.Abs(want.d12) + math.Abs(want.d1)/math.Max(1, math.Abs(x))
			for _, m := range modes {
				got := m.unary(c.op, s)
				if !near(got.v, f.Real, 1e-13*math.Abs(f.Real)) || !near(got.d1, f.Emag, 1e-12*math.Abs(f.Emag)) ||
					m.order == 2 && (!near(got.d2, want.d2, 1e-12*math.Abs(want.d2)) || !near(got.d12, want.d12, 1e-12*scale)) {
					t.Errorf("%s in %s at %g: %v, gonum has %v and %v", c.op, m.name, x, got, f, g)
				}
			}
		}
	}
}

// The first derivative against central differences of the value, the second
// against those of the first. Their error is h²/6 times a third derivative,
// here sampled over the interval, and the rounding of f over h.
func TestAgainstDifferences(t *testing.T) {
	ops := unaryOps[Of[Hyper]]()
	jets := func(op string, x float64) (f [4]float64) {
		r := ops[op](Of[Hyper]{Hyper{V: x, D1: 1, D2: 1}, Hyper{V: 1}})
		return [4]float64{r.V.V, r.V.D1, r.V.D12, r.D.D12}
	}
	for _, c := range unaryForms {
		if c.op == "Detach" {
			continue // not differentiated, on purpose
		}
		for _, x := range []float64{-2.6, -0.7, -0.3, 0.3, 0.7, 1.9, 5.3} {
			const h = 0x1p-12
			lo, mid, hi := jets(c.op, x-h), jets(c.op, x), jets(c.op, x+h)
			if mid[0] != mid[0] {
				continue // outside the domain
			}
			for k := range 2 {
				got := (hi[k] - lo[k]) / (2 * h)
				// f‴ bounds the first row, and in place of f⁗ the
				// difference of f‴ the second.
				third := math.Max(math.Abs(lo[3]), math.Abs(hi[3]))
				if k == 1 {
					third = math.Abs(hi[3]-lo[3]) / (2 * h)
				}
				size := math.Max(math.Abs(lo[k]), math.Abs(hi[k]))
				tol := 2*h*h/6*third + 32*0x1p-53/h*(size+math.Abs(x*mid[k+1])) + 1e-13
				if !near(got, mid[k+1], tol) {
					t.Errorf("%s at %g: derivative %d is %g, differences give %g ± %g", c.op, x, k+1, mid[k+1], got, tol)
				}
			}
		}
	}
}
