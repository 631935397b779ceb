package newton

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// InteriorPoint finds local minima of a Problem by a primal–dual interior-point
// method with a filter line search. Inequalities get slack variables, bounds a
// logarithmic barrier with a parameter μ that goes to 0; a step is one of Newton's
// method for the optimality conditions with μ in place of complementarity,
//
//	⎡W + Σ + δ_wI   c′ᵀ ⎤ ⎡Δx⎤     ⎡∇φ_μ + c′ᵀy⎤
//	⎣     c′       −δ_cI⎦ ⎣Δy⎦ = − ⎣     c     ⎦ ,
//
// with the sparse Hessian W of the Lagrangian f + yᵀc, the sparse Jacobian c′ and a
// sparse LDLᵀ, whose inertia tells where δ_w must be raised for the step to lead
// downwards. The line search takes a point that makes either the violation of the
// constraints or the barrier function less than all before in the filter; where a
// step fails for the curvature of c, second-order corrections follow it. Where no
// step is acceptable the restoration phase minimizes ‖c‖₁, by the same method.
// Constraints may depend on each other: δ_c keeps multipliers small then. They may have no
// interior, as 0 ≥ 0 or xy ≤ 0 with x, y ≥ 0: once multipliers have been huge for ten iterations all
// bounds, of slacks too, are moved outwards by 10⁻⁸·max(1, |bound|), unless that takes more
// off f than it may be off by. Then the tests hold at a point as near to X, which keeps to its
// own bounds and has the Unscaled errors of the Result.
//
// A point is a solution if it passes these tests, where tol is Tolerance, 10⁻⁸ if 0:
//
//   - With f and c scaled: ‖∇f + c′ᵀy + z‖∞/s_d, the violation of constraints and bounds, and
//     ‖complementarity‖∞/s_c are at most tol. s_d and s_c are the mean absolute multiplier
//     divided by 100, but at least 1 and at most 100. The scales bring derivatives at the
//     start down to 100, or those of f up to 1 where all are below 0.01. Where multipliers
//     are huge ∇f + c′ᵀy + z may be what rounding x makes of 0: at most 16ε·|W||x|.
//     The Result has 0 for multipliers of sides that cannot bind, which changes that by at
//     most 100·tol.
//   - With f and c scaled: the sum of all complementarity products and of |yᵢ| times the
//     violations, which is how much f may be off, is at most 10·tol·max(1, |f|).
//   - As given: the violation is at most 10⁻⁶, and f may be off by at most
//     max(10⁻⁶, 10·tol)·max(1, |f|).
//
// Where derivatives are far smaller at the solution than at the start, the method goes on
// from there with new scales, as far as rounding errors let it. The inertia of the last
// steps tells whether the point is a minimum and not just stationary.
//
// It is for sparse problems of any size whose factors fit, convex or not. It wants f and
// c twice continuously differentiable between the bounds, where all its points
// stay; f and c need not be defined elsewhere, and steps are shortened where
// they are not finite. For least squares and unconstrained problems LeastSquares
// and TrustRegion take fewer iterations, with other safeguards.
//
// Sources: Wächter and Biegler, On the implementation of an interior-point filter
// line-search algorithm for large-scale nonlinear programming, Math. Program. 106,
// 2006; Nocedal, Wächter and Waltz, Adaptive barrier update strategies for nonlinear
// interior methods, SIAM J. Optim. 19, 2009.
type InteriorPoint struct {
	Settings

	// Warm, if not nil, is the result of a similar problem, of the same sizes: its
	// multipliers and its last barrier parameter are where this one starts, with x0
	// less moved off its bounds.
	Warm *Result

	// Mu is the first barrier parameter; 0 means 0.1, or that of Warm.
	Mu float64

	// Monotone keeps μ until its barrier problem is solved, instead of choosing it anew
	// in each iteration. On most problems it takes more iterations. Where the other choice
	// goes astray the run starts over with this one.
	Monotone bool

	// Unscaled leaves f and c as they are.
	Unscaled bool
}

const (
	interiorMethod = "interior point"

	interiorTolerance  = 1e-8
	interiorIterations = 3000
	feasibility        = 1e-6 // of the unscaled violation
	gapUnscaled        = 1e-6 // what f may be off by, without its scale, relative to max(1, |f|)
	acceptable         = 100  // times the tolerance
	stalled            = 15   // iterations at an acceptable level without progress
	diverging          = 1e14 // of −f, as scaled, and of x relative to the start
	finerIterations    = 50   // from a solution in a better scale
)

// Solve is as Method says. Cost: an iteration takes a Hessian, a Jacobian, one or two
// values, a factorization and a solution or some more.
func (o InteriorPoint) Solve(ctx context.Context, p Problem, x0 []float64) (*Result, error) {
	p.check("InteriorPoint", true, true)
	o.Settings = o.orDefault(interiorTolerance, interiorIterations)
	e := newEvaluator(p.Func, &o.Settings, nil)
	r := &Result{X: append([]float64(nil), x0...)}
	status, reason, err, flat := o.run(ctx, p, r, e)
	if status == Solved && flat {
		// The scale was of a steep place.
		finer := &Result{X: append([]float64(nil), r.X...), Cost: r.Cost}
		o.Warm, o.Mu, o.MaxIterations = r, 0, min(o.MaxIterations, r.Iterations+finerIterations)
		if status, _, _, _ := o.run(ctx, p, finer, e); status == Solved {
			r = finer
		} else {
			r.Cost = finer.Cost
		}
	}
	return r.end(interiorMethod, status, reason, err)
}

// run minimizes p from r.X. flat says that derivatives are far smaller at the end than
// where the scales are from.
func (o *InteriorPoint) run(ctx context.Context, p Problem, r *Result, e *evaluator) (status Status, reason string, err error, flat bool) {
	e.cost = &r.Cost
	s, status, reason, err := o.start(ctx, p, r, e)
	if status == Solved {
		status, reason, err = s.run()
		if status != Failed { // the last errors may be those of a restoration, or of a later point
			r.Errors, _ = s.errors(0)
			r.Mu = s.mu
		}
		if size := floats.Norm(s.y, math.Inf(1)); status != Solved && reason == "" && size > hugeMultiplier {
			reason = fmt.Sprintf("multipliers are up to %.1e: constraints depend on each other here", size)
		}
	}
	if s != nil && s.at != nil {
		if e := s.report(p); e != nil && err == nil {
			status, err = Failed, e
		}
		if status == Solved && r.Unscaled.Primal > feasibility {
			status, reason = Acceptable, fmt.Sprintf("constraints violated by %.3g, above %.3g", r.Unscaled.Primal, feasibility)
		}
		flat = status == Solved && !o.Unscaled && s.flatter()
	}
	return status, reason, err, flat
}

// solver is a run of the method on a program.
type solver struct {
	*program
	*logger
	ctx      context.Context
	tol      float64
	maxSteps int
	r        *Result

	state           // where it is
	g     []float64 // ∇f of the program there
	size  float64   // of v at the start
	pairs int       // of a multiplier and a bound

	newtonSystem
	lineSearch
	adaptive adaptive
	moved    relaxation
	phase

	best struct { // of acceptable points, that of least error
		state
		excess float64
		since  int
	}
	stay struct {
		theta float64 // the violation, and for how many iterations it has been stationary
		count int
	}
}

func newSolver(p *program) *solver {
	n, m := len(p.lower), p.m
	return &solver{
		program: p, state: p.newState(), g: make([]float64, n),
		newtonSystem: newNewtonSystem(n, m, p.n), lineSearch: newLineSearch(p),
	}
}

// differentiate computes the derivatives at the current point.
func (s *solver) differentiate() (ok bool, err error) {
	ok, err = s.derivatives(s.at.v[:s.n])
	if ok {
		s.gradient(s.g, s.at)
	}
	return ok, err
}

// run iterates from a point with values and derivatives. Solved is what all that
// is well returns.
func (s *solver) run() (Status, string, error) {
	s.begin()
	if s.inner || s.r.Iterations == 0 {
		s.inform()
	}
	for {
		if status, reason, err, done := s.test(); done {
			return status, reason, err
		}
		if err := s.lowerBarrier(); err != nil {
			return Failed, "", err
		}
		s.r.Iterations++
		if s.inner {
			s.r.Restorations++
		}
		ok, err := s.advance()
		if err != nil {
			return Failed, "", err
		}
		if !ok {
			return s.orAcceptable(StepTooSmall)
		}
		if s.ended != Failed {
			return s.ended, s.endReason, s.ctx.Err()
		}
		s.inform()
	}
}

// advance takes a step, or what replaces it.
func (s *solver) advance() (ok bool, err error) {
	if s.stuck() {
		return s.restore()
	}
	if ok, err = s.newtonStep(); err != nil {
		return false, err
	}
	if ok {
		ok, err = s.search()
	}
	if err == nil && !ok {
		ok, err = s.rescue()
	}
	return ok, err
}

// stuck reports whether the violation has been stationary for some iterations: where f
// falls without end beside it, every step is acceptable to the filter.
func (s *solver) stuck() bool {
	const patience, less, flat = 15, 0.99, 1e-4
	if s.inner || s.at.theta <= feasibility || s.at.theta < less*s.stay.theta {
		s.stay.theta, s.stay.count = s.at.theta, 0
		return false
	}
	clear(s.rv)
	s.addConstraints(s.rv, s.at.c)
	most := 0.0 // of the projected gradient of ½‖c‖²
	for i, g := range s.rv {
		if i < s.n && s.fixed[i] {
			continue
		}
		lower, upper := s.bounded(i)
		if lower {
			g = min(g, s.toLower(s.at.v, i))
		}
		if upper {
			g = max(g, -s.toUpper(s.at.v, i))
		}
		most = max(most, math.Abs(g))
	}
	if most > flat*floats.Norm(s.at.c, math.Inf(1)) {
		s.stay.count = 0
		return false
	}
	if s.stay.count++; s.stay.count < patience {
		return false
	}
	s.stay.count = 0
	return true
}

// begin sets the filter for the current point.
func (s *solver) begin() {
	s.thetaMin = 1e-4 * max(1, s.at.theta)
	s.filter = filter{thetaMax: 1e4 * max(1, s.at.theta)}
	s.tau = max(tauMin, 1-s.mu)
	s.best.excess = math.Inf(1)
	s.pairs = 0
	for i := range s.at.v {
		lower, upper := s.bounded(i)
		if lower {
			s.pairs++
		}
		if upper {
			s.pairs++
		}
	}
	s.size = max(1, floats.Norm(s.at.v, math.Inf(1)))
}

// newtonStep computes the direction; ok is false if there is none.
func (s *solver) newtonStep() (ok bool, err error) {
	if err := s.shrinkMultipliers(); err != nil {
		return false, err
	}
	for {
		if ok, err = s.prepare(); !ok || err != nil {
			return false, err
		}
		if s.adaptive.free {
			ok = s.adaptiveStep()
		} else {
			s.barrierGradient(s.phi, s.mu)
			copy(s.rv, s.phi)
			s.addConstraints(s.rv, s.y)
			ok = s.direct(s.step, s.rv, s.at.c, s.mu)
		}
		if ok || !s.b.kkt.moreStable() {
			return ok, nil
		}
	}
}
