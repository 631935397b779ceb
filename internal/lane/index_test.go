package lane

import (
	"math/rand/v2"
	"testing"
)

func TestGatherAndScatter(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for n := range 68 {
			for _, step := range []int{-3, -1, 0, 1, 2, 7} {
				places, steps := make([]int32, n), make([]int32, n)
				first := 0
				if step < 0 {
					first = -step * 70
				}
				for i := range places {
					places[i] = int32(r.IntN(20)) // some more than once
					steps[i] = int32(first + i*step)
				}
				x, src := make([]float64, 600), make([]float64, n)
				for i := range x {
					x[i] = r.NormFloat64()
				}
				for i := range src {
					src[i] = r.NormFloat64()
				}
				check := func(index []int32, gather func(dst, x []float64), scatter func(x, src []float64)) {
					t.Helper()
					dst := make([]float64, n)
					gather(dst, x)
					for i, at := range index {
						compare(t, dst[i], x[at], i)
					}
					got, want := append([]float64(nil), x...), append([]float64(nil), x...)
					scatter(got, src)
					for i, at := range index {
						want[at] += src[i]
					}
					for i := range want {
						compare(t, got[i], want[i], i)
					}
				}
				got, want := append([]float64(nil), x...), append([]float64(nil), x...)
				compare(t, ScatterSteps(append([]float64(nil), x...), make([]float64, n), first, step), 0, n)
				AddSteps(got, 1.5, first, step, n)
				for _, at := range steps {
					want[at] += 1.5
				}
				for i := range want {
					compare(t, got[i], want[i], i)
				}
				SetSteps(got, src, first, step)
				for i, at := range steps {
					want[at] = src[i]
				}
				for i := range want {
					compare(t, got[i], want[i], i)
				}
				got, want = append(append([]float64(nil), x...), x...), append(append([]float64(nil), x...), x...)
				CopySteps(got, first, step, len(x)+n, 2, n)
				for i, at := range steps {
					want[len(x)+n+2*i] = want[at]
				}
				for i := range want {
					compare(t, got[i], want[i], i)
				}
				check(places, func(dst, x []float64) { Gather(dst, x, places) }, func(x, src []float64) { Scatter(x, src, places) })
				check(steps, func(dst, x []float64) { GatherSteps(dst, x, first, step) }, func(x, src []float64) { ScatterSteps(x, src, first, step) })
			}
		}
	})
}

// A place that is not in the array panics, it is not read or written.
func TestPlacesBeyondTheArrayPanic(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		panics := func(name string, f func()) {
			t.Helper()
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}
		x, y := make([]float64, 30)[:20], make([]float64, 10)
		for lane := range y {
			for _, bad := range []int32{-1, 20, 29, -1 << 31, 1<<31 - 1} {
				index := make([]int32, len(y))
				index[lane] = bad
				panics("Gather", func() { Gather(y, x, index) })
				panics("Scatter", func() { Scatter(x, y, index) })
			}
		}
		for _, c := range [][2]int{{-1, 1}, {11, 1}, {2, 2}, {19, -3}, {9, -1 << 28}, {0, 1 << 28}} {
			panics("GatherSteps", func() { GatherSteps(y, x, c[0], c[1]) })
			panics("AddSteps", func() { AddSteps(x, 1, c[0], c[1], len(y)) })
			panics("CopySteps from", func() { CopySteps(x, c[0], c[1], 0, 1, len(y)) })
			panics("CopySteps to", func() { CopySteps(x, 0, 1, c[0], c[1], len(y)) })
			panics("SetSteps", func() { SetSteps(x, y, c[0], c[1]) })
			panics("ScatterSteps", func() { ScatterSteps(x, y, c[0], c[1]) })
		}
	})
}
