package reverse

import (
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/sparsity"
)

// NewCompressed prepares the sparse Jacobian of a function that no tape holds, from its
// products: jv stores F′(x)·v in dst, jtw F′(x)ᵀ·w, as what reverse/adjoint writes with -jvp
// and -vjp does. Either may be nil; with both, a bicoloring is taken where it has fewer
// colors. p is the pattern, with every nonzero: Verify of the result compares with products.
// Its sister for Hessians is hessian.NewCompressed. It panics if p or both products are nil.
func NewCompressed(p *sparsity.Pattern, jv, jtw func(dst, x, v []float64)) *coloring.Compressed {
	kind := coloring.StarBicoloring
	switch {
	case jtw == nil:
		kind = coloring.Column
	case jv == nil:
		kind = coloring.Row
	}
	return coloring.New(kind, p).Compressed(1, coloring.Each(jv), coloring.Each(jtw))
}
