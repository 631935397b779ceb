package newton

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/internal/bounds"
	"github.com/hesse-ad/hesse/internal/roundoff"
)

// System solves F(x) = 0, x_L ≤ x ≤ x_U, for F: ℝⁿ → ℝᵐ. As many equations as unknowns without
// bounds are first left to Newton's method as implicit.Equation has it, with an LU
// factorization an iteration. Where that comes to no root System starts again by the method of
// LeastSquares for ½‖RF‖², where R is diagonal and brings the largest element of each row of RF′
// to 1 at the start. Its steps are Newton's, −F′⁻¹F, where these are short enough, and stay well
// defined where F′ is singular. There may be more or fewer equations than unknowns.
// Convergence is quadratic where F′ is regular at the solution.
//
// It has found a solution where
//
//	|Fᵢ| ≤ tol·(|F′||x|)ᵢ for all i,
//
// that is, where relative changes of x by tol could explain what is left; or where no step
// makes ‖RF‖ less and each Fᵢ is within twice the bound of the rounding errors of its
// computation, from x that is rounded too. tol is Tolerance, 10⁻¹⁰ if 0. The second method
// tries what is below tol·‖x₀‖∞ as 0, for roots there.
//
// For derivatives of a solution by parameters see package implicit.
type System struct {
	Settings // MaxIterations is 1000 if 0
}

// Solve is as Method says, for a Problem without constraints. The Result has ½‖F‖² as F,
// F(X) as C and the largest |Fᵢ| as Primal error. The status is Infeasible where ‖RF‖ has a
// local minimum that is not 0. Cost: an iteration takes F, a Jacobian and an LU or QR
// factorization, and some more where the step is to be shortened. All time of Newton's
// method counts as LinearAlgebra.
func (o System) Solve(ctx context.Context, p Problem, x0 []float64) (*Result, error) {
	const method = "system"
	p.check("System", true, false)
	ls := LeastSquares{Settings: o.orDefault(squaresTolerance, squaresIterations)}
	s := ls.newSquares(p, x0)
	if p.Lower == nil && p.Upper == nil {
		if found, err := s.newton(ctx); found || err != nil {
			return s.end(method, status(err), "", err)
		}
	}
	s.root = true
	s.small = ls.Tolerance * floats.Norm(s.X, math.Inf(1))
	status, reason, err := s.run(ctx)
	r := s.Result
	if s.p != nil {
		r.C = make([]float64, len(s.p.r))
		r.F, r.Errors.Primal = 0, 0
		r.Unscaled = Errors{}
		for i, v := range s.p.r {
			r.Errors.Primal = max(r.Errors.Primal, math.Abs(v))
			r.C[i] = v / s.rowScale[i]
			r.F += r.C[i] * r.C[i] / 2
			r.Unscaled.Primal = max(r.Unscaled.Primal, math.Abs(r.C[i]))
		}
	}
	return r.end(method, status, reason, err)
}

// newton solves the system by Newton's method, if it can and there are as many equations as
// unknowns.
func (s *squares) newton(ctx context.Context) (found bool, err error) {
	b, err := s.at(s.X)
	if err != nil || b.tape.Outputs() != len(s.X) {
		return false, err
	}
	if b.equation == nil || b.tolerance != s.Tolerance {
		plans := s.Plans
		each := func(x []float64, residual float64) error { return plans.each(x, residual) }
		settings := implicit.Settings{Tolerance: s.Tolerance, Each: each, Pattern: s.settings.Jacobian.Pattern}
		_ = clock(&s.Prepare, func() error {
			b.equation, b.tolerance = settings.New(b.tape), s.Tolerance
			return nil
		})
	}
	last := append([]float64(nil), s.X...)
	s.Plans.each = func(x []float64, residual float64) error {
		if s.Jacobians > 0 {
			s.Iterations++
		}
		s.Jacobians++
		s.Factorizations++
		floats.Sub(last, x)
		s.log.it = Iteration{Number: s.Iterations, X: x, Errors: Errors{Primal: residual},
			Step: floats.Norm(last, math.Inf(1)), Alpha: 1}
		s.log.line()
		copy(last, x)
		if s.Iterations == s.MaxIterations {
			return errLimit
		}
		return ctx.Err()
	}
	var solution *implicit.Solution
	if err := clock(&s.LinearAlgebra, func() (err error) {
		solution, err = b.equation.Newton(s.X, b.tape.Inside().Bound)
		return err
	}); err != nil {
		return false, nil
	}
	s.X, s.C = solution.W(), make([]float64, len(s.X))
	if err := s.evaluator.values(s.C, s.X); err != nil {
		return false, err
	}
	s.Errors.Primal = floats.Norm(s.C, math.Inf(1))
	s.F, s.Unscaled = floats.Dot(s.C, s.C)/2, s.Errors
	return true, nil
}

var errLimit = errors.New("iteration limit")

// scaleRows multiplies the rows of J and r by R, which it finds at the start.
func (p *linearModel) scaleRows(s *squares) {
	if s.rowScale == nil {
		s.rowScale = make([]float64, len(p.r))
		for i := range p.r {
			_, values := rowOf(p.j, i)
			size := 0.0
			for _, v := range values {
				size = max(size, math.Abs(v))
			}
			s.rowScale[i] = 1
			if size > 0 && finite(size) {
				s.rowScale[i] = math.Exp2(-math.Round(math.Log2(size)))
			}
		}
	}
	for i, scale := range s.rowScale {
		_, values := rowOf(p.j, i)
		for k := range values {
			values[k] *= scale
		}
		p.r[i] *= scale
	}
}

// isRoot reports whether r is 0 to the tolerance.
func (p *linearModel) isRoot(s *squares) bool {
	for i, r := range p.r {
		columns, values := rowOf(p.j, i)
		size := 0.0
		for k, j := range columns {
			size += math.Abs(values[k] * s.X[j])
		}
		if !(math.Abs(r) <= s.Tolerance*size) {
			return false
		}
	}
	return true
}

// trim sets what is small of X to 0 in trial and reports whether there is any that may be.
func (s *squares) trim() bool {
	some := false
	for i, x := range s.X {
		s.trial[i] = x
		if x != 0 && math.Abs(x) <= s.small && s.lower[i] <= 0 && s.upper[i] >= 0 {
			s.trial[i], some = 0, true
		}
	}
	return some
}

// isRounded reports whether F is within the bounds of its rounding errors of 0.
func (s *squares) isRounded() bool {
	t := s.p.b.tape.Inside()
	in := bounds.At(s.X, t.Bound, make([]float64, len(s.X)))
	for i, x := range s.X {
		in[i].V = roundoff.Rounded(x, epsilon/2*math.Abs(x))
	}
	for _, f := range bounds.Of(&t.Engine().Tape, in, nil).Outputs {
		if !(math.Abs(f.V.V) <= 2*f.V.E) {
			return false
		}
	}
	return true
}

// level reports whether ‖r‖ hardly depends on x any more, in the units of the largest
// derivatives so far: J vanishes where it has a minimum.
func (p *linearModel) level() bool {
	const little = 1e-7
	r := floats.Norm(p.r, 2)
	for i, g := range p.g {
		if !p.fixed[i] && math.Abs(g) > little*p.met[i]*r {
			return false
		}
	}
	return true
}
