package hessian_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/ratio"
	"github.com/hesse-ad/hesse/reverse"
)

// BenchmarkRepeat is rosen by Repeat, with its terms in order and, mixed, in any:
// nanoseconds a term to record and to prepare the sparse Hessian, and bytes that
// are kept, in the plan those of the pattern too.
func BenchmarkRepeat(b *testing.B) {
	for _, mixed := range []bool{false, true} {
		for _, n := range []int{10_000, 1_000_000} {
			in, _ := problem(b, "rosen", 2)
			x := make([]float64, n)
			for i := range x {
				x[i] = 1 + 0.1*math.Cos(float64(i))
			}
			index := [][]int{make([]int, n-1), make([]int, n-1)}
			for i := range n - 1 {
				index[0][i], index[1][i] = i, i+1
			}
			name := fmt.Sprintf("n=%d", n)
			if mixed {
				name += "/mixed"
				rand.New(rand.NewPCG(1, 2)).Shuffle(n-1, func(i, j int) {
					for _, x := range index {
						x[i], x[j] = x[j], x[i]
					}
				})
			}
			record := func() *reverse.Tape {
				t, err := reverse.Record(func(x []reverse.Var) reverse.Var {
					return reverse.Repeat(func(x, _ []reverse.Var) reverse.Var {
						return x[1].Sub(x[0].Square()).Square().Scale(100).Add(x[0].RSub(1).Square())
					}, x, index, nil)
				}, x)
				if err != nil {
					b.Fatal(err)
				}
				return t
			}
			tape := record()
			s, err := hessian.NewSparse(tape)
			if err != nil {
				b.Fatal(err)
			}
			h, g := s.Matrix(), make([]float64, n)
			b.Run(name+"/prepare", func(b *testing.B) {
				recorded, prepared := math.Inf(1), math.Inf(1)
				for b.Loop() {
					start := time.Now()
					t := record()
					recorded = min(recorded, time.Since(start).Seconds())
					start = time.Now()
					hessian.NewSparse(t)
					prepared = min(prepared, time.Since(start).Seconds())
				}
				b.ReportMetric(recorded/float64(n)*1e9, "ns/recorded")
				b.ReportMetric(prepared/float64(n)*1e9, "ns/prepared")
				kept := func(f func() any) float64 {
					var before, after runtime.MemStats
					collect()
					runtime.ReadMemStats(&before)
					v := f()
					collect()
					runtime.ReadMemStats(&after)
					runtime.KeepAlive(v)
					return float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / float64(n)
				}
				b.ReportMetric(kept(func() any { return record() }), "B/tape")
				b.ReportMetric(kept(func() any { s, _ := hessian.NewSparse(tape); return s }), "B/plan")
			})
			plain := func() { sink += in.Plain(x) }
			b.Run(name+"/hessian", func(b *testing.B) { ratio.Report(b, plain, func() { s.Eval(h, x) }) })
			b.Run(name+"/gradient", func(b *testing.B) { ratio.Report(b, plain, func() { s.ValueGradient(g, x) }) })
			b.Run(name+"/tape", func(b *testing.B) { ratio.Report(b, plain, func() { tape.ValueGradient(g, x) }) })
		}
	}
}

// collect frees what pools hold, too: they keep it through one collection.
func collect() {
	runtime.GC()
	runtime.GC()
}
