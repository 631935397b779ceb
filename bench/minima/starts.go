package minima

import (
	"math"

	"github.com/hesse-ad/hesse/bench/problems"
)

// Start returns the point from which an instance is minimized: its X0, but for
// rosen and trig points from which the number of iterations does not grow with n,
// see the package comment.
func Start(in *problems.Instance) []float64 {
	n := len(in.X0)
	switch in.Name {
	case "rosen":
		x := make([]float64, n)
		for i := range x {
			x[i] = 1 + 0.9*math.Sin(float64(i))
		}
		return x
	case "trig":
		return cycle(-1.2, 1)(n)
	default:
		return append([]float64(nil), in.X0...)
	}
}
