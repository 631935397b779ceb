package nl

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

// infinite is where bounds begin to count as none, as Ipopt has it: modeling systems
// write 10²⁰ or more for ∞.
const infinite = 1e19

// Minimization is p for newton.InteriorPoint, with the tape of an objective. Integer
// variables are continuous in it.
func (p *Problem) Minimization(t *reverse.Tape) newton.Problem {
	bounds := func(x []float64, sign int) []float64 {
		x = slices.Clone(x)
		for i, v := range x {
			if v*float64(sign) >= infinite {
				x[i] = math.Inf(sign)
			}
		}
		return x
	}
	return newton.Problem{
		Func:  reverse.FuncOf(t),
		Lower: bounds(p.XLower, -1), Upper: bounds(p.XUpper, 1),
		ConstraintLower: bounds(p.CLower, -1), ConstraintUpper: bounds(p.CUpper, 1),
	}
}

// codes are those of a .sol file. What a method of Newton's kind can say is said of
// a neighborhood.
var codes = map[newton.Status]struct {
	code int
	what string
}{
	newton.Solved:         {0, "locally optimal"},
	newton.Acceptable:     {100, "nearly optimal: no further progress"},
	newton.Saddle:         {101, "a stationary point that is no minimum"},
	newton.Infeasible:     {200, "locally infeasible"},
	newton.Unbounded:      {300, "unbounded"},
	newton.IterationLimit: {400, "iteration limit"},
	newton.Canceled:       {401, "stopped"},
	newton.Failed:         {500, "failed"},
	newton.StepTooSmall:   {501, "failed: the steps are lost in rounding errors"},
}

// Solution is what to write of a result of Minimization and its error: the point in
// any case, multipliers with the signs of a .sol file, those of the bounds as the
// suffixes ipopt_zL_out and ipopt_zU_out, which Pyomo and JuMP know. Where integer
// variables were taken as continuous and are not integers a solution is one with a
// doubt.
func (p *Problem) Solution(r *newton.Result, err error, objective int) *Solution {
	c := codes[r.Status]
	maximize := objective != None && objective < len(p.Maximize) && p.Maximize[objective]
	f, sign := r.F, -1.0
	if maximize {
		f, sign = -r.F, 1
	}
	message := c.what
	var stopped *newton.StoppedError
	if errors.As(err, &stopped) { // whose status the message has said
		if stopped.Reason != "" {
			message += ", " + stopped.Reason
		}
		err = stopped.Err
	}
	if err != nil {
		message += " (" + err.Error() + ")"
	}
	if k := p.fractional(r.X); k > 0 && c.code < 100 {
		message += fmt.Sprintf("; %d integer variables are not integers: this is a relaxation", k)
		c.code = 102
	}
	s := p.NewSolution(fmt.Sprintf("hesse: %s\nobjective %s, %d iterations", message, decimal(f), r.Iterations), c.code)
	s.Objective = objective
	s.X = r.X
	s.Y = make([]float64, len(r.Y))
	for i, y := range r.Y {
		s.Y[i] = sign * y
	}
	lower, upper := Suffix{Name: "ipopt_zL_out"}, Suffix{Name: "ipopt_zU_out"}
	for i, z := range r.Z {
		f := &lower
		if z > 0 {
			f = &upper
		}
		if z != 0 {
			f.Index, f.Values = append(f.Index, i), append(f.Values, sign*z)
		}
	}
	s.Suffixes = []Suffix{lower, upper}
	return s
}

// fractional is how many integer variables are none at x.
func (p *Problem) fractional(x []float64) (k int) {
	const tolerance = 1e-5 // as solvers for integers have it
	for i, integer := range p.Integer {
		if integer && !(math.Abs(x[i]-math.Round(x[i])) <= tolerance) {
			k++
		}
	}
	return k
}
