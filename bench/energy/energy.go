package main

import "math"

//go:generate go run github.com/hesse-ad/hesse/dual/lift Energy

// Chain is a row of masses on springs.
type Chain struct {
	Stiffness, Length []float64
	Gravity           float64
}

// Energy returns the potential energy of a chain whose masses are at the heights x.
func Energy(x []float64, c *Chain) float64 {
	e := 0.0
	for i, h := range x {
		e += c.Gravity * h
		if i > 0 { // the spring to the mass before
			stretch := h - x[i-1] - c.Length[i]
			e += spring(c.Stiffness[i], stretch)
		}
	}
	return e
}

// spring stiffens as it is drawn out and is slack otherwise.
func spring(k, stretch float64) float64 {
	if stretch < 0 {
		return 0
	}
	return k/2*stretch*stretch + math.Pow(stretch, 4)/4
}
