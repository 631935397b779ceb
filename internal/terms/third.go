package terms

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/sparsity"
)

// A plan is closed under two transforms, shape by shape. Third derivatives are the Hessian of
// the one and the gradient of the other.

// Along is the plan of x ↦ F′(x)v. v comes behind the parameters.
func (pl *Plan) Along() *Plan {
	return pl.transform(pl.inputs, func(_ int, s, z *shape) {
		z.params = append(slices.Clone(s.params), shifted(s.vars, pl.params)...)
		z.derive(s, func(f *expr.Function, safe bool) *expr.Function { return f.Along(len(s.params), safe) })
		if s.swept != nil {
			z.swept = s.swept.along(s)
		}
	})
}

// Contract is the plan of x ↦ Σ Wᵢⱼ ∂²F/∂xᵢ∂xⱼ, F being the sum of the outputs times their
// weights, with W symmetric on the pattern w, or its lower triangle. What the terms have
// outside of w counts 0. The values of W and then a 0 come behind the parameters. Only
// ContractedGradient evaluates it.
func (pl *Plan) Contract(w *sparsity.Pattern) *Plan {
	v := variant{Derivative: expr.Hessian}
	entry := finder{Pattern: w, half: lower, partial: true}
	return pl.transform(w.NNZ()+1, func(k int, s, z *shape) {
		var entries []int
		z.params = slices.Clone(s.params)
		for _, p := range pl.positions(k, v) {
			list, found, buf := code.Builder{Most: p.count()}, false, new([3][code.Lanes]int32)
			p.blocks((*[2][code.Lanes]int32)(buf[:2]), func(_ int, i, j []int32) {
				for _, at := range entry.places(buf[2][:], i, j) {
					found = found || int(at) < w.NNZ()
					list.Append(int32(pl.params) + at)
				}
			})
			if !found {
				entries = append(entries, -1)
				continue
			}
			l := list.Index()
			if p.uniform() {
				l = code.OnePlace(l.First(), s.terms)
			}
			entries = append(entries, len(z.params))
			z.params = append(z.params, l)
		}
		if s.isSwept(v) {
			z.swept = s.swept.contract(entries)
			return
		}
		z.derive(s, func(f *expr.Function, safe bool) *expr.Function { return f.Contract(entries, safe) })
	})
}

// transform is the plan of the shapes that make makes of those of pl, with more parameters.
func (pl *Plan) transform(params int, make func(k int, s, z *shape)) *Plan {
	q := &Plan{dims: pl.dims, whole: pl.whole}
	q.params += params
	for k, s := range pl.shapes {
		z := &shape{dims: q.dims, terms: s.terms, vars: s.vars, rows: s.rows, data: s.data}
		make(k, s, z)
		q.shapes = append(q.shapes, z)
		q.whole = q.whole && q.params+len(z.Steps) <= 8*wholeSize
	}
	return q
}

// derive makes the function of z from that of s. The constants that it adds are the same in all
// terms.
func (z *shape) derive(s *shape, of func(f *expr.Function, safe bool) *expr.Function) {
	z.Function = *of(&s.Function, false)
	z.careful = func() *expr.Function { return of(s.function(true), true) }
}

// function is the function of the terms, safe where derivatives in it are to be derivative
// products.
func (s *shape) function(safe bool) *expr.Function {
	if safe && s.careful != nil {
		return s.careful()
	}
	return &s.Function
}

// ContractedGradient computes the gradient of a contraction, for the weights w of the outputs.
// Several workers give the same bits, and allocate a few objects each.
func (pl *Plan) ContractedGradient(workers int, g, x, params, w []float64) {
	pl.eval(variant{Derivative: expr.Gradient}, &arrays{x: x, params: params, w: w, g: g, workers: workers})
}
