//go:build !race

package hessian_test

import (
	"iter"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

func TestStrategiesDoNotAllocate(t *testing.T) {
	for _, name := range []string{"rosen", "minsurf", "trig", "rnn", "helmholtz"} {
		size := 36
		if name == "rnn" {
			size = 4
		}
		in, tape := problem(t, name, size)
		n := len(in.X0)
		dst, g := mat.NewSymDense(n, nil), make([]float64, n)
		for _, s := range hessian.Strategies {
			h := hessian.New(tape, s)
			for what, f := range map[string]func(){
				"Dense":    func() { h.Dense(dst, in.X0) },
				"HVP":      func() { h.HVP(g, in.X0, in.X0) },
				"Bilinear": func() { h.Bilinear(in.X0, in.X0, in.X0) },
			} {
				if k := testing.AllocsPerRun(20, f); k > 0 {
					t.Errorf("%s: %s by %v: %v allocations", name, what, s, k)
				}
			}
		}
	}
	x := []float64{1, 2, 3}
	tape, err := reverse.RecordParamsVec(lagrangian, x, []float64{5})
	require.NoError(t, err)
	w, g, dst := []float64{1, 2, 3}, make([]float64, 3), mat.NewSymDense(3, nil)
	for _, s := range hessian.Strategies {
		h := hessian.New(tape, s)
		for _, f := range []func(){
			func() { h.Dense(dst, x, w...) },
			func() { h.HVP(g, x, x, w...) },
			func() { h.Bilinear(x, x, x, w...) },
		} {
			if k := testing.AllocsPerRun(20, f); k > 0 {
				t.Errorf("weights by %v: %v allocations", s, k)
			}
		}
	}
	for _, method := range []hessian.Method{hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
		s, err := hessian.SparseSettings{Method: method}.New(tape)
		require.NoError(t, err)
		h := s.Matrix()
		third, err := s.Third(nil)
		require.NoError(t, err)
		for _, at := range [][]float64{x, {1, 2, 3, 4}} { // with other parameters
			require.Zero(t, testing.AllocsPerRun(20, func() { s.EvalAll(h, g, at, w...) }), method)
			require.Zero(t, testing.AllocsPerRun(20, func() { s.Eval(h, at, w...) }), method)
			require.Zero(t, testing.AllocsPerRun(20, func() { s.ValueGradient(g, at, w...) }), method)
			require.Zero(t, testing.AllocsPerRun(20, func() { third.Along(h, at, x, w...) }), method)
			require.Zero(t, testing.AllocsPerRun(20, func() { third.Eval(g, at, h, w...) }), method)
			require.Zero(t, testing.AllocsPerRun(20, func() { third.EvalAlong(g, at, h, x, w...) }), method)
		}
	}
}

func TestWorkersAllocateFewObjects(t *testing.T) {
	in, tape := problem(t, "trig", 100000)
	s, err := hessian.SparseSettings{Workers: 4}.New(tape)
	require.NoError(t, err)
	h, g := s.Matrix(), make([]float64, len(in.X0))
	for _, f := range []func(){func() { s.EvalAll(h, g, in.X0) }, func() { s.ValueGradient(g, in.X0) }} {
		k := testing.AllocsPerRun(10, f)
		require.Greater(t, k, 0.0) // else there were no goroutines
		require.LessOrEqual(t, k, 40.0)
	}
}

func TestProblemDoesNotAllocate(t *testing.T) {
	p := hessian.Problem(reverse.NewFunc(kinked))
	x, g, h := []float64{1, 2, 3}, make([]float64, 3), mat.NewSymDense(3, nil)
	for _, f := range []func(){
		func() { p.Func(x) },
		func() { p.Grad(g, x) },
		func() { p.Func(x); p.Grad(g, x) },
		func() { p.Hess(h, x) },
		func() { p.Status() },
	} {
		require.Zero(t, testing.AllocsPerRun(20, f))
	}
}

func TestSparseEvalDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "minsurf", "trig"} {
		in, tape := problem(t, name, 400)
		for _, method := range []hessian.Method{hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
			s, err := hessian.SparseSettings{Method: method}.New(tape)
			require.NoError(t, err)
			require.Equal(t, method, s.Method())
			h, g := s.Matrix(), make([]float64, len(in.X0))
			require.Zero(t, testing.AllocsPerRun(10, func() { s.EvalAll(h, g, in.X0) }), "%s %v", name, method)
			require.Zero(t, testing.AllocsPerRun(10, func() { s.Eval(h, in.X0) }), "%s %v", name, method)
			require.Zero(t, testing.AllocsPerRun(10, func() { s.ValueGradient(g, in.X0) }), "%s %v", name, method)
		}
	}
}

// Nothing is allocated for a chunk.
func TestChunksDoNotAllocate(t *testing.T) {
	const n = 4
	x, row := start(n), make([]float64, n+1)
	logisticRow(row, 0)
	data := slices.Repeat(row, 100)
	chunks := func(k int) iter.Seq2[[]float64, error] {
		return func(yield func([]float64, error) bool) {
			for range k {
				if !yield(data, nil) {
					return
				}
			}
		}
	}
	few, many := chunks(10), chunks(500)
	for _, workers := range []int{1, 2} {
		c, err := hessian.SparseSettings{Workers: workers}.NewChunks(logistic, x, row)
		require.NoError(t, err)
		h, g := c.Matrix(), make([]float64, n)
		for _, f := range []func(iter.Seq2[[]float64, error]){
			func(s iter.Seq2[[]float64, error]) { c.EvalAll(h, g, x, s) },
			func(s iter.Seq2[[]float64, error]) { c.ValueGradient(g, x, s) },
		} {
			a := testing.AllocsPerRun(5, func() { f(few) })
			b := testing.AllocsPerRun(5, func() { f(many) })
			if workers == 1 {
				require.LessOrEqual(t, a, 4.0)
				require.Equal(t, a, b)
			}
			require.LessOrEqual(t, b, a+5) // goroutines that wait may take one
		}
	}
}

// All memory that is allocated for a sum over 262,144 rows, 23 MB of data, is what Bytes
// says and the working memory of a plan for each worker.
func TestChunksTakeNoMoreMemory(t *testing.T) {
	const n, rows, chunk = 10, 1 << 18, 1000
	x, row := start(n), make([]float64, n+1)
	logisticRow(row, 0)
	for _, workers := range []int{1, 2} {
		c, err := hessian.SparseSettings{Workers: workers}.NewChunks(logistic, x, row)
		require.NoError(t, err)
		h, g := c.Matrix(), make([]float64, n)
		buffer := make([]float64, chunk*(n+1))
		for r := range chunk {
			logisticRow(buffer[r*(n+1):(r+1)*(n+1)], r)
		}
		data := func(yield func([]float64, error) bool) {
			for r := 0; r < rows; r += chunk {
				if !yield(buffer[:min(chunk, rows-r)*(n+1)], nil) {
					return
				}
			}
		}
		allocated := func() uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := c.EvalAll(h, g, x, data)
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			return after.TotalAlloc - before.TotalAlloc
		}
		const working = 1 << 20
		require.Less(t, allocated(), uint64(c.Bytes()+working*workers))
		require.Less(t, c.Bytes(), 1<<19)
	}
}

func TestProductsByTermsDoNotAllocate(t *testing.T) {
	limits := terms.Limits
	defer func() { terms.Limits = limits }()
	terms.Limits.Edges = 0
	x := make([]float64, 20)
	for i := range x {
		x[i] = 1 / float64(i+2)
	}
	tape, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
		if x[0].LessReal(2) { // a comparison is left over
			for i := range 2000 {
				s = s.Add(x[i%20].Mul(x[i*i%19]).Add(x[i*7%17]).Sin().Exp().Scale(float64(i)))
			}
		}
		return s
	}, x)
	require.NoError(t, err)
	s, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	require.Contains(t, s.Explain(), "products by terms:")
	h, g := s.Matrix(), make([]float64, len(x))
	require.Zero(t, testing.AllocsPerRun(20, func() { s.EvalAll(h, g, x) }))
	require.Zero(t, testing.AllocsPerRun(20, func() { s.ValueGradient(g, x) }))
}
