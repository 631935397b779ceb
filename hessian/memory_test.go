//go:build !race

package hessian_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/reverse"
)

// held is the memory that what f returns holds.
func held[T any](f func() T) (T, float64) {
	measure := func() uint64 {
		for range 3 { // pools are emptied by the second
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := measure()
	x := f()
	return x, float64(measure()) - float64(before)
}

// What a tape, its working memory and the plans of a Hessian hold grows with the
// size of the problem, and is what Bytes and the documentation say.
func TestMemoryGrowsAsDocumented(t *testing.T) {
	const (
		inTape = iota
		inGradient
		inDirections
		inTerms
		inStar
		kinds
	)
	names := [kinds]string{"tape", "gradient", "directions", "terms", "star"}
	measure := func(name string, n int) (perOp [kinds]float64) {
		var x []float64
		tape, bytes := held(func() *reverse.Tape {
			in, tape := problem(t, name, n)
			x = in.X0
			return tape
		})
		require.InEpsilon(t, tape.Bytes()+16*len(x), bytes, 0.1, name) // and two points
		perOp[inTape] = bytes

		p := inside.Program(tape)
		ws, bytes := held(func() *program.Workspace {
			ws := p.Get()
			_, err := p.Value(ws, x, nil)
			require.NoError(t, err)
			require.NoError(t, p.Gradient(ws, []float64{1}))
			return ws
		})
		require.InEpsilon(t, ws.Bytes(), bytes, 0.1, name)
		perOp[inGradient] = bytes

		before := ws.Bytes()
		_, perOp[inDirections] = held(func() any {
			require.NoError(t, p.Linearize(ws, []float64{1}))
			require.NoError(t, p.HVP(ws, 4, func(v []float64, s int) { v[s] = 1 }))
			return nil
		})
		require.InEpsilon(t, ws.Bytes()-before, perOp[inDirections], 0.1, name)

		for kind, method := range map[int]hessian.Method{inTerms: hessian.ByTerms, inStar: hessian.ByStar} {
			tape.HessianPattern() // kept by the tape
			_, perOp[kind] = held(func() *hessian.Sparse {
				s, err := hessian.SparseSettings{Method: method}.New(tape)
				require.NoError(t, err)
				h := s.Matrix()
				require.NoError(t, s.Eval(h, x))
				return s
			})
		}
		runtime.KeepAlive(ws)
		for k := range perOp {
			perOp[k] /= float64(tape.Ops())
		}
		return perOp
	}
	for _, name := range []string{"trig", "minsurf"} {
		small, large := measure(name, 10000), measure(name, 20000)
		for k, what := range names {
			t.Logf("%s: %s: %.1f and %.1f bytes an operation", name, what, small[k], large[k])
			require.InEpsilon(t, small[k], large[k], 0.15, "%s: %s", name, what)
		}
		require.LessOrEqual(t, large[inTape], 24.0, name)
		require.LessOrEqual(t, large[inGradient], 20.0, name)
		require.LessOrEqual(t, large[inDirections], 4*16+24.0, name)
	}
}
