package newton

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// TrustRegion minimizes f: ℝⁿ → ℝ by Newton's method in a trust region: a step
// minimizes the quadratic model
//
//	q(s) = gᵀs + ½sᵀHs, ‖Ds‖ ≤ Δ,
//
// with the sparse Hessian H, to within a tenth; Dᵢ² is the largest |Hᵢᵢ| so far.
// The radius Δ grows where the model predicts f well and shrinks where it does
// not. The model is minimized whatever the signs of the eigenvalues of H, by a few
// Cholesky factorizations of H + λD², so that saddles are left.
//
// It has found a local minimum, or a valley of them, where H + λD² is positive
// definite with λ at 10⁻¹⁰ of the size of D⁻¹HD⁻¹ and one of these holds, none of
// which depends on the units of x or f:
//
//   - step: Newton's step moves x by little, ‖Cs‖ ≤ tol·‖Cx‖ with Cᵢ² = Hᵢᵢ;
//   - decrease: it promises little, −2q(s) ≤ tol²·|f|;
//   - rounding: no step makes f less, and g is what rounding x makes of 0,
//     |g| ≤ 16ε·|H||x|.
//
// Near a minimum with positive definite H a step is Newton's, one factorization
// each, and convergence is quadratic. It is not for functions whose H has dense
// factors: for those see the products of package hessian and conjugate
// gradients.
//
// Sources: Moré and Sorensen, Computing a trust region step, SIAM J. Sci. Stat.
// Comput. 4, 1983; Conn, Gould and Toint, Trust-Region Methods, SIAM 2000,
// sections 6.1, 7.3 and 17.4.
type TrustRegion struct {
	// Tolerance is tol; 0 means 1e-10.
	Tolerance float64

	// MaxIterations is the largest number of steps tried; 0 means 1000.
	MaxIterations int

	// Hessian says how the Hessian is computed; its lower triangle is.
	Hessian hessian.SparseSettings
}

// drowned is how small, relative to f, the decrease of f may be for its digits to
// be in doubt: terms of f that cancel make it more than some roundings.
const drowned = 1e-8

// Minimize minimizes the function of a tape from x0. If it ends elsewhere than at
// a solution the error is a *StoppedError; an error of the tape ends it, too.
// Cost: an iteration takes a value, a Hessian with gradient, and one
// factorization or some more.
func (o TrustRegion) Minimize(t *reverse.Tape, x0 []float64) (*Result, error) {
	const method = "trust region"
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 1000
	}
	n := len(x0)
	r := &Result{X: append([]float64(nil), x0...)}
	var plan *hessian.Sparse
	o.Hessian.Lower = true
	if err := clock(&r.Prepare, func() (err error) {
		plan, err = o.Hessian.New(t)
		return err
	}); err != nil {
		return r, err
	}
	p := newModel(plan.Matrix(), n, &r.Cost)
	step, trial, gradient := make([]float64, n), make([]float64, n), make([]float64, n)
	evaluate := func() error {
		r.Hessians++
		err := clock(&r.Derivatives, func() (err error) {
			r.F, err = plan.EvalAll(p.h.Triangle(), p.g, r.X)
			return err
		})
		r.Gradient = floats.Norm(p.g, math.Inf(1))
		return err
	}
	if err := evaluate(); err != nil {
		return r, err
	}
	if !finite(r.F) || !finite(r.Gradient) {
		return r.stop(method, "f is not finite at the start")
	}
	scale := math.Abs(r.F)
	radius, first := 0.0, 0.0
	for {
		if !p.load(r.X) {
			return r.stop(method, "the Hessian is not finite")
		}
		if r.Iterations == 0 {
			if radius = p.length(x0); radius == 0 {
				radius = floats.Norm(p.g, 2) // the length of a step down where curvatures are 1
			}
			if radius == 0 {
				radius = 1
			}
			first = radius
		}
		for accepted := false; !accepted; {
			if r.Iterations == o.MaxIterations {
				return r.stop(method, "iterations")
			}
			r.Iterations++
			predicted, err := p.step(radius)
			if errors.Is(err, errNoShift) {
				return r.stop(method, err.Error())
			}
			if err != nil {
				return r, err
			}
			length := floats.Norm(p.s, 2)
			floats.DivTo(step, p.s, p.d)
			floats.AddTo(trial, r.X, step)
			r.Step, r.Decrease = scaledNorm(p.weight, step)/scaledNorm(p.weight, r.X), 2*predicted/math.Abs(r.F)
			if p.newton && (r.Step <= o.Tolerance || r.Decrease <= o.Tolerance*o.Tolerance) {
				return r, nil
			}
			var value float64
			r.Values++
			if err := clock(&r.Derivatives, func() (err error) {
				value, err = t.Value(trial)
				return err
			}); err != nil {
				return r, err
			}

			ratio := (r.F - value) / predicted
			accepted = ratio >= 1e-3
			doubtful := predicted <= drowned*max(scale, math.Abs(r.F))
			if !accepted && doubtful && p.newton {
				// The difference may be rounding errors; near the solution a Newton step is
				// as well known by its gradient.
				r.Gradients++
				if err := clock(&r.Derivatives, func() error {
					_, err := plan.ValueGradient(gradient, trial)
					return err
				}); err != nil {
					return r, err
				}
				floats.Div(gradient, p.d)
				accepted = floats.Norm(gradient, 2) <= floats.Norm(p.g, 2)/2
			}
			switch {
			case !accepted || ratio < 0.25 && !doubtful:
				radius = length / 4
			case ratio >= 0.75 && length >= 0.8*radius:
				radius *= 2.5
			}
			if !accepted && !(length > max(epsilon*p.length(r.X), epsilon*epsilon*first)) {
				if p.rounded() {
					definite, err := p.definite()
					if definite || err != nil {
						return r, err
					}
				}
				return r.stop(method, "no descent")
			}
		}
		copy(r.X, trial)
		if err := evaluate(); err != nil {
			return r, err
		}
	}
}
