package dual

import (
	"math"
	"math/big"
	"testing"
)

// gammaSeries is P(n, x) = e⁻ˣ Σ_{k≥n} xᵏ/k! for a whole n, in 300 bits.
func gammaSeries(n int, x float64) float64 {
	const prec = 300
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	exp, tail, term := number(0), number(0), number(1)
	for k := 0; k < 400; k++ {
		if exp.Add(exp, term); k >= n {
			tail.Add(tail, term)
		}
		term.Mul(term, number(x)).Quo(term, number(float64(k+1)))
	}
	v, _ := tail.Quo(tail, exp).Float64()
	return v
}

// betaSum is I(m, n, x), the probability of at least m in m+n−1 trials.
func betaSum(m, n int, x float64) float64 {
	const prec = 300
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	p, q := number(x), new(big.Float).SetPrec(prec).Sub(number(1), number(x))
	sum := number(0)
	for k := m; k < m+n; k++ {
		term := new(big.Float).SetPrec(prec).SetInt(new(big.Int).Binomial(int64(m+n-1), int64(k)))
		for range k {
			term.Mul(term, p)
		}
		for range m + n - 1 - k {
			term.Mul(term, q)
		}
		sum.Add(sum, term)
	}
	v, _ := sum.Float64()
	return v
}

// within reports whether got is within 4(c + 1) units of the last place of want,
// which accuracy.md promises.
func within(got, want, condition float64) bool {
	return math.Abs(got-want) <= 4*(condition+1)*math.Abs(want)*0x1p-52
}

// Of whole parameters the functions are sums, in the largest of which 400 terms
// of a series and the bits of 300 leave nothing out.
func TestIncompleteFunctionsOfWholeNumbers(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 20, 60} {
		for _, x := range []float64{1e-3, 0.3, 1, 2.5, 7, 19.5, 60, 75} {
			y := RegIncGamma(Hyper{V: float64(n), D1: 1}, Hyper{V: x, D2: 1})
			want := gammaSeries(n, x)
			if c := (math.Abs(float64(n)*y.D1) + math.Abs(x*y.D2)) / want; !within(y.V, want, c) {
				t.Errorf("P(%d, %g) = %.17g, want %.17g", n, x, y.V, want)
			}
		}
	}
	for _, m := range []int{1, 2, 5, 30} {
		for _, n := range []int{1, 3, 12} {
			for _, x := range []float64{1e-3, 0.25, 0.5, 0.8, 0.97} {
				a, b := float64(m), float64(n)
				y := RegIncBeta(Hyper{V: a, D1: 1}, Hyper{V: b, D2: 1}, Hyper{V: x})
				z := RegIncBeta(Number{V: a}, Number{V: b}, Number{V: x, D: 1})
				want := betaSum(m, n, x)
				if c := (math.Abs(a*y.D1) + math.Abs(b*y.D2) + math.Abs(x*z.D)) / want; !within(y.V, want, c) {
					t.Errorf("I(%d, %d, %g) = %.17g, want %.17g", m, n, x, y.V, want)
				}
			}
		}
	}
}

// Derivatives of any order are those of the order below: the error of a central
// difference with step h is |f‴|h²/6 and what rounding, 2⁻⁴⁶ of the largest value
// near by, makes of its ends.
func TestDerivativesOfIncompleteFunctionsAreThoseOfTheOrderBelow(t *testing.T) {
	check := func(name string, f func(order, axis int, at float64) float64, axes int, at []float64) {
		for axis := range axes {
			x := at[axis]
			h := 1e-4 * x
			lo, hi, d, third := f(0, axis, x-h), f(0, axis, x+h), f(1, axis, x), f(3, axis, x)
			size := math.Max(math.Abs(lo), math.Abs(hi))
			tol := math.Abs(third)*h*h/3 + size*0x1p-46/h
			if got := (hi - lo) / (2 * h); !(math.Abs(got-d) <= tol) {
				t.Errorf("%s in operand %d at %v: %.12g, differences %.12g ± %.1g", name, axis, at, d, got, tol)
			}
		}
	}
	for _, p := range [][]float64{{0.2, 0.1}, {0.7, 2}, {3, 1.5}, {3, 5}, {40, 38}} {
		for i := range 3 {
			for j := range 3 {
				check("IncGamma", func(order, axis int, at float64) float64 {
					x, n := [2]float64{p[0], p[1]}, [2]int{i, j}
					x[axis] = at
					n[axis] += order
					return float64(Real(x[0]).IncGamma(n[0], n[1], Real(x[1])))
				}, 2, p)
			}
		}
	}
	for _, p := range [][]float64{{0.3, 0.6, 0.4}, {2, 0.5, 0.9}, {4, 7, 0.3}, {30, 12, 0.75}} {
		for i := range 8 {
			base := [3]int{i & 1, i >> 1 & 1, i >> 2}
			check("IncBeta", func(order, axis int, at float64) float64 {
				x, n := [3]float64{p[0], p[1], p[2]}, base
				x[axis] = at
				n[axis] += order
				return float64(Real(x[0]).IncBeta(n[0], n[1], n[2], Real(x[1]), Real(x[2])))
			}, 3, p)
		}
	}
}
