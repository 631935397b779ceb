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
//	q(s) = gᵀs + ½sᵀHs, ‖s‖ ≤ Δ,
//
// with the sparse Hessian H, to within a tenth. The radius Δ grows where the
// model predicts f well and shrinks where it does not. The model is minimized
// whatever the signs of the eigenvalues of H, by a few Cholesky factorizations
// of H + λI, so that saddles are left.
//
// It ends where the gradient vanishes and H + λI is positive definite with λ at
// 10⁻¹⁰ of the size of H: at a local minimum, or in a valley of them.
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
	// Tolerance bounds the largest |∂f/∂xᵢ|, relative to that at the start if it
	// is above 1. 0 means 1e-10.
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
	trial, gradient := make([]float64, n), make([]float64, n)
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
	tolerance := o.Tolerance * max(1, r.Gradient)
	scale := max(1, math.Abs(r.F))
	radius := floats.Norm(x0, 2)
	if radius == 0 {
		radius = 1
	}
	unit := radius
	for {
		if !p.load() {
			return r.stop(method, "the Hessian is not finite")
		}
		if r.Gradient <= tolerance {
			definite, err := p.definite()
			if definite || err != nil {
				return r, err
			}
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
			floats.AddTo(trial, r.X, p.s)
			var value float64
			r.Values++
			if err := clock(&r.Derivatives, func() (err error) {
				value, err = t.Value(trial)
				return err
			}); err != nil {
				return r, err
			}

			ratio := (r.F - value) / predicted
			length := floats.Norm(p.s, 2)
			accepted = ratio >= 1e-3
			if !accepted && predicted <= drowned*max(scale, math.Abs(r.F)) && p.newton() {
				// The difference may be rounding errors; near the solution a Newton step is
				// as well known by its gradient.
				r.Gradients++
				if err := clock(&r.Derivatives, func() error {
					_, err := plan.ValueGradient(gradient, trial)
					return err
				}); err != nil {
					return r, err
				}
				accepted = floats.Norm(gradient, math.Inf(1)) <= r.Gradient/2
			}
			switch {
			case !accepted || ratio < 0.25 && predicted > drowned*scale:
				radius = length / 4
			case ratio >= 0.75 && length >= 0.8*radius:
				radius *= 2.5
			}
			if !accepted && !(length > epsilon*max(unit, floats.Norm(r.X, 2))) {
				return r.stop(method, "no descent")
			}
		}
		copy(r.X, trial)
		if err := evaluate(); err != nil {
			return r, err
		}
	}
}
