package hessian

import (
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/sparsity"
)

// NewCompressed prepares the sparse Hessian of a function that no tape holds, from its
// products: hv stores ∇²f(x)·v in dst, as what reverse/adjoint writes with -hvp does. p is
// its pattern, symmetric, given or that of the function recorded at a point
// (reverse.Tape.HessianPattern, where another branch may have another), with every nonzero:
// Verify of the result compares with products. It takes one product for each color of a star
// coloring. With an acyclic coloring, or several directions at once, it is
//
//	coloring.New(coloring.Acyclic, p).Compressed(4, hvs, nil)
//
// NewCompressed panics if p or hv is nil or p not symmetric.
func NewCompressed(p *sparsity.Pattern, hv func(dst, x, v []float64)) *coloring.Compressed {
	return coloring.New(coloring.Star, p).Compressed(1, coloring.Each(hv), nil)
}
