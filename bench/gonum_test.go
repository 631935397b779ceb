package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
)

// The defaults of fd are square and cube roots of the rounding unit, so that it
// loses half of the digits, or a third.
func TestRivalsHaveTheSameDerivatives(t *testing.T) {
	tolerance := map[string]float64{
		"gonum fd.Forward":          1e-6,
		"gonum fd.Central":          1e-8,
		"gonum fd.Hessian":          1e-2,
		"gonum fd.Hessian, central": 1e-6,
	}
	for _, p := range problems.All {
		if p.Name != "rosen" && p.Name != "trig" {
			continue
		}
		in := p.At(7)
		for _, figure := range gonumFigures[:2] {
			rivals := rivalsOf(in, figure)
			assert.Greater(t, len(rivals), 4)
			for _, r := range rivals {
				r.run()
				tol, ok := tolerance[r.name]
				if !ok {
					tol = 1e-14
				}
				assert.LessOrEqual(t, relative(r.dst, rivals[0].dst), tol, "%s, %s by %s", p.Name, figure, r.name)
			}
		}
	}
}

func TestExactRosenIsWithinRoundingOfTheTape(t *testing.T) {
	g, h := exactRosen([]float64{1, 1, 1, 2})
	assert.Equal(t, mat.NewDense(1, 4, []float64{0, 0, -400, 200}), g)
	assert.Equal(t, []float64{802, 1002, 602, 200}, []float64{h.At(0, 0), h.At(1, 1), h.At(2, 2), h.At(3, 3)})
	assert.Equal(t, []float64{-400, -400, -400, 0}, []float64{h.At(0, 1), h.At(1, 2), h.At(2, 3), h.At(0, 3)})
	s := steps()
	assert.Less(t, s.tape[0], 1e-15)
	assert.Less(t, s.tape[1], 1e-15)
	// Truncation is of the first order in the step for forward differences, of
	// the second for central ones; the errors at 10⁻² and 10⁻³ show it.
	for _, c := range s.curves {
		order := 100.0
		if c.method == "forward" {
			order = 10
		}
		assert.InEpsilon(t, order, c.errors[1]/c.errors[2], 0.1, "%s %s", c.figure, c.method)
	}
}
