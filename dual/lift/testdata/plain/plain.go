// Package plain has functions to lift.
package plain

import "math"

// Data is what Energy is given.
type Data struct {
	W     []float64
	Scale float64
	Prior Normal
}

// Normal is a normal distribution.
type Normal struct{ Mu, Sigma float64 }

// LogProb is the logarithm of the density at x.
func (n Normal) LogProb(x float64) float64 {
	z := (x - n.Mu) / n.Sigma
	return -0.5*z*z - math.Log(n.Sigma) - 0.5*math.Log(2*math.Pi)
}

// Energy is a sum of many things.
func Energy(x []float64, d *Data) float64 {
	s := 0.0
	var t float64
	for i, v := range x {
		// each one
		if v > 1 {
			s += d.W[i] * v * v
		} else if v == 0.5 {
			s -= v
		} else {
			s += math.Exp(-v) / 3
		}
		t = t*0.5 + helper(v, d.Scale)
	}
	p := Normal{Mu: x[0], Sigma: 2}
	for _, w := range d.W {
		s += p.LogProb(w)
		w *= x[0]
		s += w
	}
	y := make([]float64, len(x))
	copy(y, x)
	y = append(y, 1, s)
	f := func(a float64) float64 { return a*t + math.Pow(a, 3) }
	c, si := math.Sincos(x[0])
	s += d.Prior.LogProb(x[1]) + f(y[0]) - 2 - c*si
	if n := int(x[0]); n > 3 {
		s = -s
	}
	return sum(y...)*2 + max(s, 1, t) - apply(math.Sqrt, s*s)
}

func apply(f func(float64) float64, x float64) float64 { return f(x) }

func helper(v, scale float64) (r float64) {
	r = v * scale
	switch {
	case r < 0:
		return 0
	}
	return
}

func sum(x ...float64) float64 {
	s := 0.
	for i := range x {
		s += x[i]
	}
	return s
}

// Huber is robust.
func Huber(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		if v < 0 {
			v = -v
		}
		w := v
		if v > 1 {
			w = 2*v - 1 // linear
		} else {
			w = v * v
		}
		if w < s {
			s = w
		}
		s += clip(w)
	}
	for t := 0.0; t < s; t += x[0] {
		s--
	}
	return s
}

func clip(x float64) float64 {
	if x > 10 {
		return 10
	}
	return x
}
