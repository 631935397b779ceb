//go:build !race

package sweep_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// held is the memory that what f returns holds, as the runtime counts it.
func held[T any](f func() T) (T, int) {
	measure := func() int {
		for range 3 { // pools are emptied by the second
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := measure()
	x := f()
	return x, measure() - before
}

func TestBytesIsWhatTheRuntimeCounts(t *testing.T) {
	const (
		n     = 20000
		pages = 20 << 13 // the runtime rounds each large array up to whole pages
	)
	type V = reverse.Var
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + float64(i%10)
	}
	for name, f := range map[string]func(x []V) []V{
		"alike operations": func(x []V) []V {
			y := make([]V, n)
			for i := range y {
				y[i] = x[i].Sin().Mul(x[n-1-i]).Exp()
			}
			return y
		},
		"a chain": func(x []V) []V {
			s := x[0]
			for range n { // batches of one or two
				s = s.Sin().Mul(x[1]).AddReal(1).Exp().Inv().Sqrt()
			}
			return []V{s}
		},
		"guards": func(x []V) []V {
			s := x[0]
			for i := range x {
				if x[i].Less(x[(i+7)%n]) {
					s = s.Add(x[i])
				}
			}
			return []V{s}
		},
		"lists": func(x []V) []V {
			y := make([]V, 0, n)
			for i := 0; i+8 < n; i++ {
				y = append(y, dual.Affine(1, []float64{1, 2, 3, float64(i)}, []V{x[i], x[i+5], x[i+2], x[n-1-i]}),
					dual.Dot([]V{x[i], x[i+3]}, []V{x[n-1-i], x[i+4]}), x[i].Select(x[i+1], x[n-1-i]), dual.Sum([]V{x[i], x[n-1-i], x[i+3]}))
			}
			return y
		},
		"stencil": func(x []V) []V {
			y := make([]V, n-2)
			for i := range y {
				y[i] = dual.Affine(0, []float64{1, -2, 1}, x[i:i+3])
			}
			return y
		},
		"primitives": func(x []V) []V {
			y := make([]V, n-1)
			for i := range y {
				y[i] = reverse.Apply(randprog.XYY{}, x[i], x[i+1])[0].Add(randprog.Sine.Apply(x[i]))
			}
			return y
		},
		"constants": func(x []V) []V {
			y := make([]V, n)
			for i := range y {
				y[i] = x[i].Max(dual.Const[reverse.Var](float64(i) / 7))
			}
			return y
		},
	} {
		p, bytes := held(func() *sweep.Engine {
			tape, err := reverse.RecordVec(f, x)
			require.NoError(t, err)
			p := tape.Inside().Engine()
			ws := p.Get()
			_, err = ws.Value(x, nil) // the first second-order sweep cuts the program
			require.NoError(t, err)
			require.NoError(t, ws.Linearize(make([]float64, p.Outputs())))
			require.NoError(t, ws.HVP(1, func([]float64, int) {}))
			return p
		})
		require.InDelta(t, bytes, p.Bytes(), 0.01*float64(bytes)+pages, name)

		ws, bytes := held(func() *sweep.Workspace {
			ws := p.Get()
			_, err := ws.Value(x, nil)
			require.NoError(t, err)
			w := make([]float64, p.Outputs())
			require.NoError(t, ws.Linearize(w))
			require.NoError(t, ws.HVP(3, func([]float64, int) {}))
			return ws
		})
		require.InDelta(t, bytes, ws.Bytes(), 0.01*float64(bytes)+pages, name)
		runtime.KeepAlive(p)
	}
}
