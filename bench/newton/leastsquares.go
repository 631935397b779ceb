package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/reverse"
)

// LeastSquares minimizes ½‖r(x)‖² of a few variables by the method of Levenberg
// and Marquardt: a step solves
//
//	min ‖Js + r‖² + λ‖Ds‖²
//
// by a QR factorization, with the Jacobian J and D its largest column norms so
// far. With λ = 0 it is the step of Gauss and Newton, Newton's but for the terms
// Σ rᵢ∇²rᵢ of the Hessian; λ falls where the linear model predicts ‖r‖ well.
// Convergence is quadratic where r = 0 at the solution, linear at the rate of
// those terms elsewhere.
//
// Where residuals are large, use TrustRegion on the tape of ½‖r(x)‖².
//
// Sources: Moré, The Levenberg–Marquardt algorithm: implementation and theory,
// Lecture Notes in Mathematics 630, Springer 1978, for D and the criteria to
// stop; Nielsen, Damping parameter in Marquardt's method, report IMM-REP-1999-05,
// Technical University of Denmark, for λ.
type LeastSquares struct {
	// Tolerance bounds the cosines of the angles between r and the columns of J,
	// and the length of a last step relative to x, both as scaled by D. 0 means
	// 1e-10.
	Tolerance float64

	// MaxIterations is the largest number of steps tried; 0 means 500.
	MaxIterations int
}

// Minimize minimizes ½‖r‖² of a tape with the outputs r, not fewer than its
// inputs, from x0. If it ends elsewhere than at a stationary point the error is a
// *StoppedError; an error of the tape ends it, too. A Result counts the residuals
// as values and F is ½‖r‖². Cost: an iteration takes the residuals, a Jacobian and
// a QR factorization.
func (o LeastSquares) Minimize(t *reverse.Tape, x0 []float64) (*Result, error) {
	const method = "Levenberg–Marquardt"
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 500
	}
	n, m := len(x0), t.Outputs()
	r := &Result{X: append([]float64(nil), x0...)}
	var plan *reverse.SparseJacobian
	if err := clock(&r.Prepare, func() (err error) {
		plan, err = reverse.NewSparseJacobian(t)
		return err
	}); err != nil {
		return r, err
	}
	var (
		values  = plan.Matrix()
		j       = mat.NewDense(m, n, nil)
		stacked = mat.NewDense(m+n, n, nil)
		rhs     = mat.NewVecDense(m+n, nil)
		y       = rhs.RawVector().Data[:m] // the rows of λ have 0
		step    = mat.NewVecDense(n, nil)
		s       = step.RawVector().Data
		trial   = make([]float64, n)
		g, d    = make([]float64, n), make([]float64, n)
		linear  mat.VecDense
		qr      mat.QR
	)
	evaluate := func() error {
		r.Jacobians++
		err := clock(&r.Derivatives, func() error { return plan.EvalAll(values, y, r.X) })
		r.F = floats.Dot(y, y) / 2
		values.ToDense(j)
		residuals := mat.NewVecDense(m, y)
		mat.NewVecDense(n, g).MulVec(j.T(), residuals)
		r.Gradient = floats.Norm(g, math.Inf(1))
		for i := range d {
			d[i] = max(d[i], mat.Norm(j.ColView(i), 2))
		}
		return err
	}
	if err := evaluate(); err != nil {
		return r, err
	}
	if !finite(r.F) || !finite(floats.Norm(d, 2)) {
		return r.stop(method, "the residuals are not finite at the start")
	}
	damping, growth := 1e-3, 2.0
	for {
		if stationary(j, g, math.Sqrt(2*r.F), o.Tolerance) {
			return r, nil
		}
		if r.Iterations == o.MaxIterations {
			return r.stop(method, "iterations")
		}
		r.Iterations++
		r.Factorizations++
		if err := clock(&r.LinearAlgebra, func() error {
			stacked.Zero()
			stacked.Slice(0, m, 0, n).(*mat.Dense).Copy(j)
			for i := range n {
				stacked.Set(m+i, i, math.Sqrt(damping)*max(d[i], math.SmallestNonzeroFloat64))
			}
			qr.Factorize(stacked)
			err := qr.SolveVecTo(step, false, rhs)
			if _, ill := err.(mat.Condition); ill {
				err = nil // as good as it gets: the step is tried
			}
			return err
		}); err != nil {
			return r, err
		}
		floats.SubTo(trial, r.X, s)

		// ½‖r‖² − ½‖r − Js‖² for the step −s.
		linear.MulVec(j, step)
		predicted := floats.Dot(linear.RawVector().Data, y) - mat.Dot(&linear, &linear)/2
		var out []float64
		r.Values++
		if err := clock(&r.Derivatives, func() (err error) {
			out, err = t.Values(nil, trial)
			return err
		}); err != nil {
			return r, err
		}
		ratio := (r.F - floats.Dot(out, out)/2) / predicted
		scaled := func(v []float64) float64 {
			length := 0.0
			for i := range v {
				length = math.Hypot(length, d[i]*v[i])
			}
			return length
		}
		small := scaled(s) <= o.Tolerance*scaled(r.X)
		if ratio > 1e-4 {
			damping *= max(1.0/3, 1-math.Pow(2*ratio-1, 3))
			growth = 2
			copy(r.X, trial)
			if err := evaluate(); err != nil {
				return r, err
			}
		} else {
			damping *= growth
			growth *= 2
		}
		if small {
			return r, nil
		}
	}
}

// stationary reports whether the residuals, of length r, are orthogonal to the
// columns of J, g being Jᵀr.
func stationary(j *mat.Dense, g []float64, r, tolerance float64) bool {
	for i, v := range g {
		if !(math.Abs(v) <= tolerance*r*mat.Norm(j.ColView(i), 2)) {
			return false
		}
	}
	return true
}

// Deviations returns the standard deviations of the parameters of a fit,
//
//	√(σ² (A⁻¹)ᵢᵢ), σ² = ‖r‖²/(m − n),
//
// where A is the matrix of curvature: JᵀJ for those of the linear model, the
// Hessian of ½‖r‖² for those that take the curvature of the model into account.
// They are NaN if A is not positive definite.
func Deviations(a *mat.SymDense, variance float64) []float64 {
	n := a.SymmetricDim()
	d := make([]float64, n)

	// With rows and columns scaled to the diagonal 1.
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for k := range i + 1 {
			scaled.SetSym(i, k, a.At(i, k)/math.Sqrt(a.At(i, i))/math.Sqrt(a.At(k, k)))
		}
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	ok := chol.Factorize(scaled)
	if ok {
		chol.InverseTo(&inverse) // its warning of a condition is no error here
	}
	for i := range d {
		d[i] = math.NaN()
		if ok {
			d[i] = math.Sqrt(variance * inverse.At(i, i) / a.At(i, i))
		}
	}
	return d
}
