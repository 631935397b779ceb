package sweep_test

import (
	"fmt"
	"testing"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/reverse"
)

// BenchmarkSweeps is the sweeps of which a Hessian by coloring is made.
func BenchmarkSweeps(b *testing.B) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig"} {
		for _, n := range []int{10000, 100000} {
			in := problems.Named(name).At(n)
			tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
			if err != nil {
				b.Fatal(err)
			}
			e := tape.Inside().Engine()
			ws := e.Get()
			one := []float64{1}
			if _, err := ws.Value(in.X0, nil); err != nil {
				b.Fatal(err)
			}
			if err := ws.Linearize(one); err != nil {
				b.Fatal(err)
			}
			ws.HVP(1, func(x []float64, s int) { x[0] = 1 })
			run := func(what string, f func() error) {
				b.Run(fmt.Sprintf("%s/%d/%s", name, n, what), func(b *testing.B) {
					for b.Loop() {
						if err := f(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			run("value", func() error { _, err := ws.Value(in.X0, nil); return err })
			run("gradient", func() error { return ws.Gradient(one) })
			run("linearize", func() error { return ws.Linearize(one) })
			for _, k := range []int{1, 3, sweep.MaxDirections} {
				run(fmt.Sprintf("HVP%d", k), func() error {
					return ws.HVP(k, func(x []float64, s int) {
						for i := s; i < len(x); i += k {
							x[i] = 1
						}
					})
				})
			}
		}
	}
}
