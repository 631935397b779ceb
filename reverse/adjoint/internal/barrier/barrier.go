// Package barrier prices an option by Monte Carlo, with paths that end early, and has the
// gradient of the price that command adjoint wrote.
package barrier

import (
	"math"
	"math/rand/v2"
)

// An Option is a call that ends worthless where the price of its share falls to a barrier,
// and how many paths of how many steps price it.
type Option struct {
	Strike, Barrier, Expiry float64
	Paths, Steps            int
	Seed                    uint64
}

//go:generate go run github.com/hesse-ad/hesse/reverse/adjoint Price

// Price is the price of an option, where x has the price of the share, its volatility and
// the rate of interest. Each step is weighed by the probability that a Brownian bridge
// between its ends stays above the barrier, which is 0 where a path reaches it: thus the
// mean is unbiased, and paths that end do not make it jump, so that it has the gradient of
// the price as its mean (Glasserman, Monte Carlo Methods in Financial Engineering, 2003,
// 6.4 and 7.2).
func Price(x []float64, o *Option) float64 {
	share, vol, rate := x[0], x[1], x[2]
	r := rand.New(rand.NewPCG(o.Seed, 0))
	dt := o.Expiry / float64(o.Steps)
	drift, sigma := (rate-vol*vol/2)*dt, vol*math.Sqrt(dt)
	sum := 0.0
paths:
	for range o.Paths {
		above := math.Log(share / o.Barrier)
		alive := 1.0
		for range o.Steps {
			next := above + drift + sigma*r.NormFloat64()
			if next <= 0 {
				continue paths
			}
			alive *= -math.Expm1(-2 * above * next / (sigma * sigma))
			above = next
		}
		if pay := o.Barrier*math.Exp(above) - o.Strike; pay > 0 {
			sum += alive * pay
		}
	}
	return math.Exp(-rate*o.Expiry) * sum / float64(o.Paths)
}
