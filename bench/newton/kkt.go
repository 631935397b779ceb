package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// KKT minimizes f(x) subject to c(x) = 0 by Newton's method for the
// Karush–Kuhn–Tucker conditions ∇L = 0, c = 0 of the Lagrangian
// L(x, y) = f(x) + yᵀc(x): a step solves
//
//	⎡W + δI  Jᵀ⎤ ⎡Δx⎤     ⎡∇L⎤
//	⎣  J     0 ⎦ ⎣Δy⎦ = − ⎣ c⎦
//
// with W the sparse Hessian of L in x and J the sparse Jacobian of c, by the
// sparse LU. The order of its elimination is found once.
//
// W + δI must be positive definite along the constraints, where JΔx = 0, or the
// step may lead to a saddle: δ is raised until W + δI + σJᵀJ with a large σ has a
// Cholesky factorization. The step is shortened until the merit function
// f + ν‖c‖₁ decreases. Where a full step fails for the curvature of c, it is
// corrected by a second one to the constraints. Near a minimum where the
// gradients of the constraints are independent, and W is positive definite along
// them, δ is 0, steps are full and convergence is quadratic.
//
// It is not for inequalities, nor for constraints in so many variables that JᵀJ
// is dense, and fails where those gradients are dependent.
//
// Sources: Nocedal and Wright, Numerical Optimization, 2nd edition, Springer
// 2006, sections 18.1 to 18.4, (18.36) for ν; Debreu, Definite and semidefinite
// quadratic forms, Econometrica 20, 1952, for σ; Wächter and Biegler, On the
// implementation of an interior-point filter line-search algorithm, Math.
// Program. 106, 2006, section 3.1, for how δ is raised.
type KKT struct {
	// Tolerance bounds the largest |∂L/∂xᵢ|, relative to the largest |∂f/∂xᵢ| if
	// that is above 1, and the largest |cⱼ|. 0 means 1e-9.
	Tolerance float64

	// MaxIterations is the largest number of steps; 0 means 200.
	MaxIterations int

	// Hessian and Jacobian say how these are computed.
	Hessian  hessian.SparseSettings
	Jacobian reverse.SparseSettings
}

// Minimize solves the problem of a tape with the outputs [f; c] from x0. If it
// ends elsewhere than at a local minimum, as far as that σ tells, the error is a
// *StoppedError; an error of the tape ends it, too, and a *linsolve.SingularError
// where the gradients of the constraints are dependent. Cost: an iteration takes
// a Hessian, a Jacobian, a factorization of each kind and some more of the second
// where δ is raised.
func (o KKT) Minimize(t *reverse.Tape, x0 []float64) (*Result, error) {
	if o.Tolerance == 0 {
		o.Tolerance = 1e-9
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 200
	}
	k, err := o.newSystem(t, x0)
	if err != nil {
		return k.Result, err
	}
	if err := k.evaluate(); err != nil {
		return k.Result, err
	}
	if !finite(k.F) || !finite(k.Constraint) || !finite(floats.Norm(k.g, math.Inf(1))) {
		return k.stop(kktMethod, "f or c is not finite at the start")
	}
	if err := k.startMultipliers(); err != nil {
		return k.Result, err
	}
	scale := max(1, math.Abs(k.F))
	nu := 1.0
	for {
		k.lagrangian()
		if k.Gradient <= o.Tolerance*max(1, floats.Norm(k.g, math.Inf(1))) && k.Constraint <= o.Tolerance {
			if err := k.evaluateHessian(); err != nil {
				return k.Result, err
			}
			if definite, err := k.definite(0); definite || err != nil {
				return k.Result, err
			}
			return k.stop(kktMethod, "saddle")
		}
		if k.Iterations == o.MaxIterations {
			return k.stop(kktMethod, "iterations")
		}
		k.Iterations++
		curvature, err := k.step()
		if err != nil {
			return k.Result, err
		}

		// The slope of the merit function along the step is that of f less ν‖c‖₁.
		slope, violation := floats.Dot(k.g, k.dx), floats.Norm(k.c, 1)
		if violation > 0 {
			const spare = 0.1
			floats.AddTo(k.multipliers, k.Y, k.dy)
			needed := max((slope+max(0, curvature)/2)/((1-spare)*violation), floats.Norm(k.multipliers, math.Inf(1)))
			nu = max(needed, (nu+needed)/2)
		}
		slope -= nu * violation
		merit := k.F + nu*violation
		noise := 1e-10 * max(scale, math.Abs(k.F)) // digits of f that may cancel
		better := func(alpha float64) (bool, error) {
			k.Values++
			err := clock(&k.Derivatives, func() error {
				_, err := t.Values(k.outputs, k.trial)
				return err
			})
			trial := k.outputs[0] + nu*floats.Norm(k.outputs[1:], 1)
			return trial <= merit+1e-4*alpha*slope+noise, err
		}
		alpha := 1.0
		for ; ; alpha /= 2 {
			if alpha < 1e-12 {
				return k.stop(kktMethod, "no descent")
			}
			floats.AddScaledTo(k.trial, k.X, alpha, k.dx)
			ok, err := better(alpha)
			if err == nil && !ok && alpha == 1 {
				if err = k.correct(); err == nil {
					ok, err = better(alpha)
				}
			}
			if err != nil {
				return k.Result, err
			}
			if ok {
				break
			}
		}
		copy(k.X, k.trial)
		floats.AddScaled(k.Y, alpha, k.dy)
		if err := k.evaluate(); err != nil {
			return k.Result, err
		}
	}
}

const kktMethod = "Newton–KKT"
