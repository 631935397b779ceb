package terms_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

// Where second derivatives are too large for symbols, a Hessian by a coloring has its gradient,
// and its products, from the terms.
func TestHessiansByColoringHaveProductsByTerms(t *testing.T) {
	gradients, products := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		how := hessianByColoring(t)
		gradients += strings.Count(how, "gradients")
		products += strings.Count(how, "products by terms:")
	})
	assert.Greater(t, gradients, 10)
	assert.Greater(t, products, 10)
}

func FuzzHessiansByColoringHaveProductsByTerms(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { hessianByColoring(t) }))
}

func hessianByColoring(t *rapid.T) (explain string) {
	limits := terms.Limits
	defer func() { terms.Limits = limits }()
	terms.Limits.Edges = 0
	s := drawSeparable(t)
	mj, mh := s.bounds()
	count := len(s.terms)
	for k := 0; len(s.terms) < 600; k++ {
		t := s.terms[k]
		t.scale = 1 - float64(k)/2048 // not the same operations
		s.terms = append(s.terms, t)
	}
	tape, err := reverse.RecordParamsVec(s.function, s.x, s.params)
	require.NoError(t, err)
	n, w := len(s.x), []float64{1, 0.5, -2}[:s.rows]
	y, jac, hess := engine(t, tape.Inside().Engine(), s.x, s.params, w)
	times := float64(1 + len(s.terms)/count) // so many terms, and so many more sums
	for _, m := range slices.Concat(mj, mh) {
		floats.Scale(times*times, m)
	}
	check := func(what string, got, want, m float64) {
		t.Helper()
		if !close(got, want, tolerance(m)) {
			t.Fatalf("%s: %v, want %v ± %.2g\n%v", what, got, want, tolerance(m), s)
		}
	}
	var values []float64
	for _, workers := range []int{1, 3} {
		plan, err := hessian.SparseSettings{Workers: workers}.New(tape)
		require.NoError(t, err)
		if plan.Coloring() == nil {
			t.Skip("no second derivatives")
		}
		explain = plan.Explain()
		h, g := plan.Matrix(), slices.Clone(s.x)
		f, err := plan.EvalAll(h, g, g, w...)
		require.NoError(t, err)
		again, d, err := plan.ValueGradient(nil, s.x, w...)
		require.NoError(t, err)
		want, size := 0.0, 0.0
		for j, y := range y {
			want += w[j] * y
			size += math.Abs(y) + float64(len(s.terms))*1e3
		}
		check("f", f, want, size)
		check("f of ValueGradient", again, want, size)
		for i := range n {
			want, m := 0.0, 0.0
			for j := range jac {
				want += w[j] * jac[j][i]
				m += mj[j][i]
			}
			check("gradient", g[i], want, 2*m)
			check("gradient of ValueGradient", d[i], want, 2*m)
		}
		for i, row := range dense(plan.Pattern(), h.Values()) {
			for j := range row {
				check("Hessian", row[j], hess[i][j], 2*mh[i][j])
			}
		}
		if workers == 1 {
			values = slices.Clone(h.Values())
			continue
		}
		for k, v := range h.Values() {
			if v == v && math.Float64bits(v) != math.Float64bits(values[k]) {
				t.Fatalf("%d workers: %v, by one %v\n%v", workers, v, values[k], s)
			}
		}
	}
	return explain
}
