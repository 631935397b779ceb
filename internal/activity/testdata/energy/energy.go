// Package energy is what the example reads.
package energy

import (
	"math"
	"os"
)

// A Spring has a stiffness and the length at which it rests.
type Spring struct{ Stiffness, Rest float64 }

// Energy is that of springs between points x of a line.
func Energy(x []float64, springs []Spring) float64 {
	e := 0.0
	for i, s := range springs {
		e += stretch(x[i+1]-x[i], s)
	}
	return e + stretch(1, springs[0])
}

func stretch(length float64, s Spring) float64 {
	d := length - s.Rest
	if d < 0 {
		os.Stdout.WriteString(s.String())
	}
	return 0.5 * s.Stiffness * math.Pow(d, 2)
}

func (s *Spring) String() string { return "spring" }

// Keep stores its argument where it outlives the call.
func Keep(x []float64) float64 {
	last = x[0]
	return last
}

var last float64
