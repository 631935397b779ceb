package minima

import (
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// Equality-constrained problems of L. Lukšan and J. Vlček, Sparse and partially
// separable test problems for unconstrained and equality constrained
// optimization, Technical Report 767, Institute of Computer Science, Academy of
// Sciences of the Czech Republic, 1999, in the form that Ipopt's scalable
// problems LuksanVlcek1 to 3 give them. Each function returns [f; c].

// A Constrained problem is one of any number of variables, with the function
// [f; c] and a start.
type Constrained struct {
	Name  string
	Func  func(x []reverse.Var) []reverse.Var
	Start func(n int) []float64
}

// LuksanVlcek lists the problems 5.1 to 5.3.
var LuksanVlcek = []Constrained{
	{"chained Rosenbrock", ChainedRosenbrock[reverse.Var], cycle(-1.2, 1)},
	{"chained Wood", ChainedWood[reverse.Var], cycle(-2, 1)},
	{"chained singular", ChainedSingular[reverse.Var], cycle(3, -1, 0, 1)},
}

// cycle is the start that repeats a period.
func cycle(period ...float64) func(n int) []float64 {
	return func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = period[i%len(period)]
		}
		return x
	}
}

// ChainedRosenbrock is problem 5.1, the chained Rosenbrock function with
// trigonometric-exponential constraints, n ≥ 3, from (−1.2, 1, −1.2, …):
//
//	f = Σ 100(xᵢ² − xᵢ₊₁)² + (xᵢ − 1)²,   0 ≤ i < n−1,
//	c = 3xₖ₊₁³ + 2xₖ₊₂ − 5 + sin(xₖ₊₁ − xₖ₊₂) sin(xₖ₊₁ + xₖ₊₂)
//	    + 4xₖ₊₁ − xₖ exp(xₖ − xₖ₊₁) − 3,   0 ≤ k < n−2.
func ChainedRosenbrock[T dual.Scalar[T]](x []T) []T {
	out := make([]T, 1, len(x)-1)
	for i := range len(x) - 1 {
		a := x[i].Square().Sub(x[i+1])
		out[0] = out[0].Add(a.Square().Scale(100)).Add(x[i].AddReal(-1).Square())
	}
	for k := range len(x) - 2 {
		u, v, w := x[k], x[k+1], x[k+2]
		c := v.Square().Mul(v).Scale(3).Add(w.Scale(2)).AddReal(-5)
		c = c.Add(v.Sub(w).Sin().Mul(v.Add(w).Sin()))
		c = c.Add(v.Scale(4)).Sub(u.Mul(u.Sub(v).Exp())).AddReal(-3)
		out = append(out, c)
	}
	return out
}

// ChainedWood is problem 5.2, the chained Wood function with Broyden banded
// constraints, n ≥ 16 and even, from (−2, 1, −2, …):
//
//	f = Σ 100(x₂ᵢ² − x₂ᵢ₊₁)² + (x₂ᵢ − 1)² + 90(x₂ᵢ₊₂² − x₂ᵢ₊₃)² + (x₂ᵢ₊₂ − 1)²
//	    + 10(x₂ᵢ₊₁ + x₂ᵢ₊₃ − 2)² + (x₂ᵢ₊₁ − x₂ᵢ₊₃)²/10,   0 ≤ i < n/2 − 1,
//	c = (2 + 5xₖ₊₅²)xₖ₊₅ + 1 + Σ xⱼ(1 + xⱼ),   k−5 ≤ j ≤ k+1, 0 ≤ k < n−9.
func ChainedWood[T dual.Scalar[T]](x []T) []T {
	n := len(x)
	out := make([]T, 1, n-8)
	for i := 0; i+3 < n; i += 2 {
		a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
		f := a.Square().Sub(b).Square().Scale(100).Add(a.AddReal(-1).Square())
		f = f.Add(c.Square().Sub(d).Square().Scale(90)).Add(c.AddReal(-1).Square())
		f = f.Add(b.Add(d).AddReal(-2).Square().Scale(10)).Add(b.Sub(d).Square().Scale(0.1))
		out[0] = out[0].Add(f)
	}
	for k := range n - 9 {
		z := x[k+5]
		c := z.Square().Scale(5).AddReal(2).Mul(z).AddReal(1)
		for j := max(0, k-5); j <= k+1; j++ {
			c = c.Add(x[j].Mul(x[j].AddReal(1)))
		}
		out = append(out, c)
	}
	return out
}

// ChainedSingular is problem 5.3, Powell's singular function, chained, with
// simplified trigonometric-exponential constraints, n ≥ 8 and a multiple of 4, from
// (3, −1, 0, 1, 3, …):
//
//	f  = Σ (x₂ᵢ + 10x₂ᵢ₊₁)² + 5(x₂ᵢ₊₂ − x₂ᵢ₊₃)² + (x₂ᵢ₊₁ − 2x₂ᵢ₊₂)⁴
//	     + 10(x₂ᵢ − x₂ᵢ₊₃)⁴,   0 ≤ i < n/2 − 1,
//	c₀ = 3x₀³ + 2x₁ − 5 + sin(x₀ − x₁) sin(x₀ + x₁),
//	c₁ = 4xₙ₋₃ − xₙ₋₄ exp(xₙ₋₄ − xₙ₋₃) − 3.
func ChainedSingular[T dual.Scalar[T]](x []T) []T {
	n := len(x)
	out := make([]T, 3)
	for i := 0; i+3 < n; i += 2 {
		a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
		f := a.Add(b.Scale(10)).Square().Add(c.Sub(d).Square().Scale(5))
		f = f.Add(b.Sub(c.Scale(2)).Square().Square()).Add(a.Sub(d).Square().Square().Scale(10))
		out[0] = out[0].Add(f)
	}
	a, b := x[0], x[1]
	out[1] = a.Square().Mul(a).Scale(3).Add(b.Scale(2)).AddReal(-5).Add(a.Sub(b).Sin().Mul(a.Add(b).Sin()))
	a, b = x[n-4], x[n-3]
	out[2] = b.Scale(4).Sub(a.Mul(a.Sub(b).Exp())).AddReal(-3)
	return out
}
