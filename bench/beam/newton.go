package beam

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/sparsity"
)

// A Fit is a minimization of f(x), the sum of a model's terms over all parts, by
// Newton's method: steps −(H + λI)⁻¹∇f, with λ raised where H + λI is not positive
// definite or f would not decrease, and lowered again after steps that do.
type Fit struct {
	Model string
	Parts []Part
	Run   Runner
	Dir   string // a directory that all workers can write to

	// Each, if not nil, is told of each pass: its point, f, the largest |∂f| and λ.
	Each func(x []float64, f, gradient, lambda float64)

	passes int
}

// Result is where a Fit ended.
type Result struct {
	X           []float64
	F, Gradient float64 // f and the largest |∂f|
	Passes      int     // over the data
}

// ErrPasses says that no solution was found in as many passes as there may be.
var ErrPasses = errors.New("beam: no solution within 100 passes")

const (
	maxPasses = 100

	// A step s solves the problem that promises to change f by less than this much of
	// f: sᵀ∇f is twice what it does.
	tolerance = 1e-12
)

// Minimize minimizes from the model's start. A nil error means that Newton's own step,
// with λ = 0 and positive definite H, promises to change f by 10⁻¹² of it at most.
func (f *Fit) Minimize(ctx context.Context) (*Result, error) {
	m, ok := Models[f.Model]
	if !ok {
		return nil, fmt.Errorf("beam: no model %q", f.Model)
	}
	plan, err := plans[f.Model]()
	if err != nil {
		return nil, err
	}
	h := plan.Matrix()
	x, trial, step := append([]float64(nil), m.Start...), make([]float64, len(m.Start)), make([]float64, len(m.Start))
	at, err := f.pass(ctx, x)
	if err != nil {
		return nil, err
	}
	lambda := 0.0
	result := func() *Result {
		return &Result{x, at.F, floats.Norm(at.G, math.Inf(1)), f.passes}
	}
	for f.passes < maxPasses {
		if f.Each != nil {
			f.Each(x, at.F, result().Gradient, lambda)
		}
		copy(h.Values(), at.H)
		if lambda, err = solve(step, sparsity.NewSymMatrix(h), at.G, lambda); err != nil {
			return result(), err
		}
		if promise := -floats.Dot(step, at.G); lambda == 0 && promise <= tolerance*math.Abs(at.F) {
			return result(), nil
		}
		floats.AddTo(trial, x, step)
		next, err := f.pass(ctx, trial)
		if err != nil {
			return result(), err
		}
		switch slope := floats.Dot(step, at.G); {
		case next.F <= at.F+1e-4*slope:
			x, trial, at = trial, x, next
			if lambda /= 10; lambda < least(at) {
				lambda = 0
			}
		default:
			lambda = max(10*lambda, least(at))
		}
	}
	return result(), ErrPasses
}

// least is the smallest λ that is not 0, 10⁻³ of the mean size of H.
func least(s Sum) float64 { return 1e-3 * floats.Norm(s.H, 1) / float64(len(s.H)) }

// solve sets step = −(H + λI)⁻¹g with the first λ from the given one on that makes the
// matrix positive definite, and returns it.
func solve(step []float64, h *sparsity.SymMatrix, g []float64, lambda float64) (float64, error) {
	var c linsolve.Cholesky
	size := floats.Norm(h.Triangle().Values(), math.Inf(1))
	for ; lambda <= 1e6*size; lambda = max(10*lambda, 1e-3*size) {
		err := c.Factorize(h)
		if lambda > 0 {
			err = c.RefactorizeShift(h, lambda)
		}
		var not *linsolve.NotPositiveDefiniteError
		if errors.As(err, &not) {
			continue
		}
		if err != nil {
			return 0, err
		}
		floats.ScaleTo(step, -1, g)
		return lambda, c.SolveInto(step, step)
	}
	return 0, errors.New("beam: the Hessian is not finite")
}
