package hessian

import (
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// Of returns ∇²f(x), n×n, of a function that is recorded for this once, forward over
// reverse. dst may be nil, empty or n×n. It panics if f is nil. Cost: reverse.Record
// and n products.
func Of(dst *mat.SymDense, f func(x []reverse.Var) reverse.Var, x []float64) (*mat.SymDense, error) {
	t, err := reverse.Record(f, x)
	if err != nil {
		return dst, err
	}
	return New(t, FoR).Dense(dst, x)
}

// Forward returns ∇²f(x), n×n, by hyper-dual numbers and without a tape. dst may be
// nil, empty or n×n. It panics if f is nil. Cost: n(n+1)/2 evaluations of f,
// memory n. Source: Fike, Alonso, The development of hyper-dual numbers for
// exact second-derivative calculations, AIAA 2011-886.
func Forward(dst *mat.SymDense, f func(x []dual.Hyper) dual.Hyper, x []float64) *mat.SymDense {
	n := len(x)
	if f == nil {
		panic("hessian: nil function")
	}
	checkDst(dst, n)
	dst = symmetric(dst, n)
	z := make([]dual.Hyper, n)
	for j := range z {
		for i := range j + 1 {
			for k, x := range x {
				z[k] = dual.Hyper{V: x}
			}
			z[i].D1, z[j].D2 = 1, 1
			dst.SetSym(i, j, f(z).D12)
		}
	}
	return dst
}

// ForwardBilinear returns uᵀ∇²f(x)v by hyper-dual numbers and without a tape. It
// panics if f is nil or the lengths differ. Cost: one evaluation of f.
func ForwardBilinear(f func(x []dual.Hyper) dual.Hyper, x, u, v []float64) float64 {
	if f == nil {
		panic("hessian: nil function")
	}
	check(u, len(x), "u")
	check(v, len(x), "v")
	z := make([]dual.Hyper, len(x))
	for k, x := range x {
		z[k] = dual.Hyper{V: x, D1: u[k], D2: v[k]}
	}
	return f(z).D12
}
