package small

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/ratio"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// results is room for value, gradient and Hessian.
func results(t testing.TB, p Problem) (plan *hessian.Sparse, m *sparsity.Matrix, h, g []float64) {
	tape, err := p.Record()
	require.NoError(t, err)
	plan, err = hessian.SparseSettings{Method: hessian.ByTerms}.New(tape)
	require.NoError(t, err)
	m = plan.Matrix()
	return plan, m, make([]float64, len(m.Values())), make([]float64, len(p.X))
}

// By hand, by the plan and as written they are the same.
func TestDerivativesAgree(t *testing.T) {
	for _, p := range Problems() {
		plan, m, h, g := results(t, p)
		want := make([]float64, len(p.X))
		f, err := plan.EvalAll(m, want, p.X)
		require.NoError(t, err)
		assert.Equal(t, f, p.Source(h, g, p.X), p.Name)
		assert.Equal(t, want, g, p.Name)
		assert.Equal(t, m.Values(), h, p.Name)
		clear(h)
		clear(g)
		assert.InEpsilon(t, f, p.ByHand(h, g, p.X), 1e-13, p.Name)
		for i := range g {
			assert.InDelta(t, want[i], g[i], 1e-11*(1+f*f), "%s %d", p.Name, i)
		}
		for k, v := range m.Values() {
			assert.InDelta(t, v, h[k], 1e-12*(1+v*v), "%s %d", p.Name, k)
		}
	}
}

// The files are as they would be written now, but for the versions in their first lines.
func TestFilesAreUpToDate(t *testing.T) {
	for name, p := range map[string]int{"HS71": 0, "Wood": 1, "Powell": 2, "CartPole": 3} {
		plan, _, _, _ := results(t, Problems()[p])
		var b bytes.Buffer
		require.NoError(t, plan.WriteGo(&b, reverse.GoSource{Package: "small", Name: name, Functions: []reverse.GoFunction{reverse.GoAll}}))
		have, err := os.ReadFile(strings.ToLower(name) + "_derivatives.go")
		require.NoError(t, err)
		body := func(s string) string { _, s, _ = strings.Cut(s, "\n"); return s }
		assert.Equal(t, body(b.String()), body(string(have)), name)
	}
}

func TestSourceDoesNotAllocate(t *testing.T) {
	for _, p := range Problems() {
		_, _, h, g := results(t, p)
		assert.Zero(t, testing.AllocsPerRun(10, func() { p.Source(h, g, p.X) }), p.Name)
	}
}

// BenchmarkHessian has ×f in units of what is written by hand.
func BenchmarkHessian(b *testing.B) {
	for _, p := range Problems() {
		plan, m, h, g := results(b, p)
		byHand := func() { p.ByHand(h, g, p.X) }
		b.Run(p.Name+"/source", func(b *testing.B) {
			ratio.Report(b, byHand, func() { p.Source(h, g, p.X) })
		})
		b.Run(p.Name+"/plan", func(b *testing.B) {
			ratio.Report(b, byHand, func() {
				if _, err := plan.EvalAll(m, g, p.X); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}
