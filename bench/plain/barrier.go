package plain

import "math"

// An option pays what the mean price of a path is above strike, unless the path ended
// above bound.
type option struct {
	strike, bound float64
	steps, paths  int
	normal        []float64 // for each path its steps
}

// barrier is the discounted mean over paths of a geometric Brownian motion for one year.
func barrier(x []float64, o *option) float64 {
	dt := 1 / float64(o.steps)
	drift := (x[2] - x[1]*x[1]/2) * dt
	vol := x[1] * math.Sqrt(dt)
	sum := 0.0
	for p := 0; p < o.paths; p++ {
		s, mean, alive := x[0], 0.0, true
		for t := 0; t < o.steps; t++ {
			s *= math.Exp(drift + vol*o.normal[p*o.steps+t])
			mean += s
			if s > o.bound {
				alive = false
				break
			}
		}
		if alive {
			pay := mean/float64(o.steps) - o.strike
			if pay > 0 {
				sum += pay
			}
		}
	}
	return math.Exp(-x[2]) * sum / float64(o.paths)
}
