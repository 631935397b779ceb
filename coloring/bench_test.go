package coloring

import (
	"fmt"
	"testing"

	"github.com/hesse-ad/hesse/sparsity"
)

// The patterns that the numbers of colors and times are given for.
var benchPatterns = []struct {
	name string
	p    func() *sparsity.Pattern
}{
	{"tridiagonal", func() *sparsity.Pattern { return sparsity.Banded(100_000, 1, 1) }},
	{"5-point", func() *sparsity.Pattern { return sparsity.StarStencil(316, 316) }},
	{"9-point", func() *sparsity.Pattern { return sparsity.BoxStencil(316, 316) }},
	{"7-point", func() *sparsity.Pattern { return sparsity.StarStencil(46, 46, 46) }},
	{"27-point", func() *sparsity.Pattern { return sparsity.BoxStencil(46, 46, 46) }},
	{"arrow", func() *sparsity.Pattern { return sparsity.Arrow(100_000, 0) }},
	{"band, 5 dense rows", func() *sparsity.Pattern { return bandWithDenseRows().Symmetrized() }},
}

// BenchmarkNew colors in one order, so that kinds can be compared; the last is
// the portfolio.
func BenchmarkNew(b *testing.B) {
	for _, x := range benchPatterns {
		p := x.p()
		for _, kind := range []Kind{Column, Distance2, Star, Acyclic, StarBicoloring} {
			for _, orders := range [][]Order{{Natural}, {SmallestLast}, {Random(1)}, nil} {
				name := "portfolio"
				if orders != nil {
					name = orders[0].String()
				}
				b.Run(fmt.Sprintf("%s/%v/%s", x.name, kind, name), func(b *testing.B) {
					b.ReportAllocs()
					colors := 0
					for b.Loop() {
						colors = New(kind, p, orders...).Num()
					}
					b.ReportMetric(float64(colors), "colors")
					b.ReportMetric(float64(p.NNZ()), "nonzeros")
				})
			}
		}
	}
}

func BenchmarkRecovery(b *testing.B) {
	for _, x := range benchPatterns {
		p := x.p()
		n, _ := p.Dims()
		for _, kind := range []Kind{Star, Acyclic} {
			c := New(kind, p, Natural)
			b.Run(fmt.Sprintf("%s/%v/plan", x.name, kind), func(b *testing.B) {
				for b.Loop() {
					c.Recovery(nil)
				}
			})
			r := c.Recovery(nil)
			vals := make([]float64, p.NNZ())
			product := make([]float64, n)
			b.Run(fmt.Sprintf("%s/%v/evaluate", x.name, kind), func(b *testing.B) {
				for b.Loop() {
					for k := range c.Columns().Num() {
						r.GatherColumns(vals, k, product)
					}
					r.Finish(vals)
				}
				b.ReportMetric(float64(r.Depth()), "depth")
			})
		}
	}
}
