package energy

import (
	"fmt"
	"math"
	"slices"
)

// Normal is a normal distribution.
type Normal struct{ Mu, Sigma float64 }

// LogProb returns the logarithm of the density at x.
func (n Normal) LogProb(x float64) float64 {
	z := (x - n.Mu) / n.Sigma
	return -z*z/2 - math.Log(n.Sigma*math.Sqrt(2*math.Pi))
}

type problem struct {
	noise  Normal
	values []float64
	prior  *Normal
}

func posterior(p problem, slope, shift float64) float64 {
	s := p.prior.LogProb(slope)
	for i, v := range p.values {
		s += p.noise.LogProb(v - slope*float64(i) - shift)
	}
	return s
}

func clamp(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		if v < 0 {
			v = -v
		}
		if v > 2 {
			v = 2
		} else {
			v = v*v - 2
		}
		s += huber(v)
	}
	return s
}

func huber(v float64) float64 {
	if v > 1 {
		return 2*v - 1
	}
	return v * v
}

type layer struct {
	weights [][]float64
	bias    []float64
}

func output(net []layer, x []float64) float64 {
	in := slices.Clone(x)
	for _, l := range net {
		out := make([]float64, len(l.bias))
		for i, row := range l.weights {
			z := l.bias[i]
			for j, w := range row {
				z += w * in[j]
			}
			out[i] = math.Tanh(z)
		}
		in = out
	}
	return in[0]
}

// cheapest compares what may be infinite on both sides.
func cheapest(cost []float64) float64 {
	best, kind := math.Inf(1), 0.0
	for _, c := range cost {
		if c < best {
			kind = c * c
		} else {
			kind = best + 1
		}
		best = min(best, c)
	}
	return best + kind
}

func sumOfSquares[S ~[]E, E ~float64](x S) (s E) {
	for _, v := range x {
		s += v * v
	}
	return s
}

// trapezoid is the integral of f between x[0] and x[1].
func trapezoid[F interface{ LogProb(x float64) float64 }](x []float64, f F, n int) float64 {
	h := (x[1] - x[0]) / float64(n)
	s := (f.LogProb(x[0]) + f.LogProb(x[1])) / 2
	for i := 1; i < n; i++ {
		s += f.LogProb(x[0] + float64(i)*h)
	}
	return s * h
}

// tempered is the density of n, copied, with a standard deviation that depends on x.
func tempered(x []float64, n Normal) (float64, error) {
	n.Sigma *= x[0]
	if n.Sigma <= 0 {
		return 0, fmt.Errorf("standard deviation %g", n.Sigma)
	}
	return n.LogProb(x[1]), nil
}
