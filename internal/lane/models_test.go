package lane_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/reverse"
)

// points is a thousand points in so many dimensions.
func points(dimensions int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([][]float64, 1000)
	for i := range x {
		x[i] = make([]float64, dimensions)
		for k := range x[i] {
			x[i][k] = r.NormFloat64()
		}
	}
	return x
}

// affine is w₀ + Σ wₖ₊₁xₖ.
func affine(w []reverse.Var, x []float64) reverse.Var {
	s := w[0]
	for k, x := range x {
		s = s.Add(w[k+1].Scale(x))
	}
	return s
}

// sum is the sum of f over the points.
func sum(x [][]float64, f func(i int, x []float64) reverse.Var) (s reverse.Var) {
	for i, x := range x {
		s = s.Add(f(i, x))
	}
	return s
}

// models are functions of n parameters.
var models = []struct {
	name string
	n    int
	f    func(w []reverse.Var) reverse.Var
}{
	{"logistic regression", 11, func(w []reverse.Var) reverse.Var {
		return sum(points(10), func(i int, x []float64) reverse.Var {
			return affine(w, x).Scale(float64(2*(i%2) - 1)).Softplus()
		})
	}},
	{"softmax cross-entropy", 55, func(w []reverse.Var) reverse.Var {
		return sum(points(10), func(i int, x []float64) reverse.Var {
			z := make([]reverse.Var, 5)
			for k := range z {
				z[k] = affine(w[11*k:], x)
			}
			return dual.LogSumExp(z).Sub(z[i%5])
		})
	}},
	{"MLP", 8*4 + 9, func(w []reverse.Var) reverse.Var {
		return sum(points(3), func(i int, x []float64) reverse.Var {
			y := w[40]
			for k := range 8 {
				y = y.Add(affine(w[4*k:], x).Tanh().Mul(w[32+k]))
			}
			return y.AddReal(float64(i%2) - 0.5).Square()
		})
	}},
	// The particles are the unknowns.
	{"Gaussian mixture", 3000, func(w []reverse.Var) reverse.Var {
		mean := points(3)[:4]
		return sum(points(3), func(i int, _ []float64) reverse.Var {
			z := make([]reverse.Var, len(mean))
			for k := range z {
				for d, m := range mean[k] {
					z[k] = z[k].Sub(w[3*i+d].AddReal(-m).Square().Scale(0.5))
				}
			}
			return dual.LogSumExp(z).Neg()
		})
	}},
	// The weights, means and logarithms of deviations are.
	{"GMM log-likelihood", 5 * 4, func(w []reverse.Var) reverse.Var {
		return sum(points(3), func(i int, x []float64) reverse.Var {
			z := make([]reverse.Var, 4)
			for k := range z {
				p := w[5*k:]
				var s reverse.Var
				for d, x := range x {
					s = s.Add(p[d].AddReal(-x).Square())
				}
				z[k] = p[3].Sub(p[4].Scale(3)).Sub(s.Mul(p[4].Scale(-2).Exp()).Scale(0.5))
			}
			return dual.LogSumExp(z).Sub(dual.LogSumExp([]reverse.Var{w[3], w[8], w[13], w[18]}))
		})
	}},
}

// What vector instructions make of gradients and of products with the Hessian.
func BenchmarkModels(b *testing.B) {
	defer lane.Choose("")
	for _, m := range models {
		x, v, dst := make([]float64, m.n), make([]float64, m.n), make([]float64, m.n)
		r := rand.New(rand.NewPCG(3, 4))
		for i := range x {
			x[i], v[i] = 0.5*r.NormFloat64(), r.NormFloat64()
		}
		tape, err := reverse.Record(m.f, x)
		if err != nil {
			b.Fatal(err)
		}
		for _, set := range []string{"portable", "avx2", "avx512"} {
			lane.Choose(set)
			b.Run(m.name+"/gradient/"+set, func(b *testing.B) {
				for b.Loop() {
					if _, err := tape.Gradient(dst, x); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(m.name+"/product/"+set, func(b *testing.B) {
				for b.Loop() {
					if _, err := tape.HVP(dst, x, v); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
