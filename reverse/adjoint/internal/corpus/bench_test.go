package corpus

import (
	"math"
	"testing"
)

// Gradients in units of their functions, at 10⁴ inputs.
func BenchmarkGradients(b *testing.B) {
	x, g := make([]float64, 10000), make([]float64, 10000)
	for i := range x {
		x[i] = 0.3 + 0.1*math.Sin(float64(i))
	}
	for _, name := range []string{"rosen", "chain", "product"} {
		f := functions[name]
		b.Run(name+"/function", func(b *testing.B) {
			for b.Loop() {
				f.plain(x)
			}
		})
		b.Run(name+"/gradient", func(b *testing.B) {
			for b.Loop() {
				f.gradient(g, x)
			}
		})
	}
}

// What is saved is kept for the next call.
func TestRepeatedGradientsOfLoopsAllocateNothing(t *testing.T) {
	x, g := make([]float64, 100), make([]float64, 100)
	for _, name := range []string{"rosen", "product", "barrier"} {
		f := functions[name].gradient
		f(g, x)
		if n := testing.AllocsPerRun(20, func() { f(g, x) }); n > 0.1 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
