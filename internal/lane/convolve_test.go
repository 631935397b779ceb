package lane

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Convolutions have the bits of their sums as written, in order, and leave all else as it is.
func TestConvolutionsAreSumsInOrder(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(21, 22))
		for n := range 40 {
			for k := range 6 {
				xs, ys := n+r.IntN(9), n+r.IntN(9)
				x, y := make([]float64, k*xs+n), make([]float64, k*ys+n)
				fill(r, x)
				fill(r, y)
				for lo := range k + 1 {
					hi := lo + r.IntN(k+1-lo)
					if r.IntN(8) == 0 {
						hi = lo - 1
					}
					for _, weighted := range []bool{false, true} {
						c := float64(1 + r.IntN(3))
						got, want := make([]float64, n+1), make([]float64, n+1)
						got[n], want[n] = 7, 7
						for i := range n {
							for j := lo; j <= hi; j++ {
								w := 1.0
								if weighted {
									w = float64(j)
								}
								want[i] += product(product(w, x[j*xs+i]), y[(k-j)*ys+i])
							}
							want[i] *= c
						}
						if weighted {
							ConvolveDerivative(got[:n], x, y, xs, ys, k, lo, hi, c)
						} else {
							Convolve(got[:n], x, y, xs, ys, k, lo, hi, c)
						}
						if !same(got, want) {
							t.Fatalf("%d lanes, k = %d, %d … %d, weighted %v: %v, want %v", n, k, lo, hi, weighted, got, want)
						}
					}
				}
			}
		}
		require.Panics(t, func() { Convolve(make([]float64, 4), make([]float64, 8), make([]float64, 7), 4, 4, 1, 0, 1, 1) })
	})
}
