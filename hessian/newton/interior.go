package newton

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/sparsity"
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
	hugeMultiplier     = 1e6  // relative to ∇f, in its scale
	relaxation         = 1e-8 // of bounds, relative to max(1, |bound|)
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

	mu, tau       float64
	at            *point
	y, zl, zu     []float64
	trial, second *point
	g             []float64 // ∇f of the program
	phi           []float64 // ∇φ_μ
	rv, rc        []float64 // residuals of a step

	sum              []float64 // Σ
	dx, dc           []float64
	shift, lastShift float64
	easy             int // iterations in a row whose first shift was right
	step, correction *direction

	filter     filter
	thetaMin   float64
	size       float64 // of v at the start
	pairs      int     // of a multiplier and a bound
	rejections int     // in a row, by the filter

	adaptive             adaptive
	dualNorm, primalNorm float64

	alpha, dualAlpha float64
	trials           int
	hugeSteps        int // iterations in a row with multipliers that are huge
	stay             struct {
		theta float64 // the violation, and for how many iterations it has been stationary
		count int
	}
	relaxed                  bool  // bounds are, or were
	strict                   state // before that, with the bounds
	strictLower, strictUpper []float64
	leastGain                float64 // since then
	dependent                bool    // rows of c′ nearly depend on each other: δ_c > 0
	tinySteps                int

	left, before state    // by the last step, and by one on trial
	best         struct { // of acceptable points, that of least error
		state
		excess float64
		since  int
	}

	// restored, in the restoration phase, reports whether it has done.
	restored func() bool
	inner    bool
	refused  int // restorations in vain

	ended     Status // by the restoration phase
	endReason string
}

func newSolver(p *program) *solver {
	n, m := len(p.lower), p.m
	vector := func(n int) []float64 { return make([]float64, n) }
	return &solver{
		program: p,
		at:      p.newPoint(), trial: p.newPoint(), second: p.newPoint(),
		y: vector(m), zl: vector(n), zu: vector(n), g: vector(n), phi: vector(n), rv: vector(n), rc: vector(m),
		sum: vector(n), dx: vector(p.n), dc: vector(m), step: newDirection(n, m), correction: newDirection(n, m),
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

// test reports whether the iterations are at an end, and how.
func (s *solver) test() (status Status, reason string, err error, done bool) {
	const growing = 10 // of what moved bounds take off f, where it falls if they help
	e, scaled := s.errors(0)
	s.r.Errors, s.r.Mu = e, s.mu
	excess := max(scaled.Primal/s.tol, scaled.Complementarity/s.tol, s.uncertainty()/s.gap())
	if !s.inner {
		excess = max(excess, s.violation()/feasibility)
	}
	if rounded, err := s.rounded(e.Dual); err != nil {
		return Failed, "", err, true
	} else if !rounded || excess > 1 {
		excess = max(excess, scaled.Dual/s.tol)
	}
	gain, gap := s.gained(), s.gap()
	s.leastGain = min(s.leastGain, gain)
	switch {
	case s.restored != nil && s.restored():
		return Solved, "", nil, true
	case gain > gap && (excess <= 1 || s.mu <= 10*s.leastMu() && gain > growing*max(gap, s.leastGain)):
		if err := s.tighten(); err != nil {
			return Failed, "", err, true
		}
	case excess <= 1:
		return s.optimal()
	case s.ctx.Err() != nil:
		return Canceled, "", s.ctx.Err(), true
	case s.at.f < -diverging*max(1, s.fScale) || floats.Norm(s.at.v, math.Inf(1)) > diverging*s.size:
		return Unbounded, fmt.Sprintf("f is %.3g", s.at.given), nil, true
	case s.r.Iterations >= s.maxSteps:
		status, reason, err = s.orAcceptable(IterationLimit)
		return status, reason, err, true
	}
	if !s.inner && scaled.largest() <= acceptable*s.tol {
		if s.best.since++; excess < s.best.excess/2 {
			s.keepBest(excess)
		}
		if s.best.since >= stalled {
			status, reason, err = s.orAcceptable(StepTooSmall)
			return status, reason, err, true
		}
	}
	return 0, "", nil, false
}

// rounded reports whether ∇f + c′ᵀy + z, of which dual is the largest element, is what rounding x
// makes of 0, as where multipliers are huge.
func (s *solver) rounded(dual float64) (bool, error) {
	x := s.at.v[:s.n]
	if w := s.b.w; s.inner || w == nil || !(dual <= roundings*floats.Norm(w.Values(), math.Inf(1))*floats.Norm(x, 1)) {
		return false, nil // without looking closer
	}
	if err := s.program.hessian(x, s.sigma, s.y); err != nil {
		return false, err
	}
	size := make([]float64, len(s.rv)) // |W||x|
	sparsity.NewSymMatrix(s.b.w).DoNonZero(func(i, j int, w float64) { size[i] += math.Abs(w * x[j]) })
	for i, v := range s.rv {
		if !(i < s.n && s.fixed[i]) && !(math.Abs(v) <= max(s.tol, roundings*size[i])) {
			return false, nil
		}
	}
	return true, nil
}

// violation is that of the constraints without their scales; c may be between its bounds
// where it is not the slack.
func (s *solver) violation() (most float64) {
	slack := 0
	for r, c := range s.at.c {
		v := math.Abs(c)
		if slack < len(s.extraRow) && int(s.extraRow[slack]) == r {
			i := s.n + slack
			c += s.at.v[i]
			v = max(s.lower[i]-c, c-s.upper[i])
			slack++
		}
		most = max(most, v/s.scale[r])
	}
	return most
}

// optimal is the end at a stationary point: a minimum if the matrix has the right
// inertia, but for rounding errors.
func (s *solver) optimal() (Status, string, error, bool) {
	const (
		flatness = 1e-8  // of curvatures that count as 0, relative to the largest
		straight = 1e-10 // the same, where all are 0 but for rounding
	)
	if err := s.curvatures(); err != nil {
		return Failed, "", err, true
	}
	largest := floats.Norm(s.b.w.Values(), math.Inf(1))
	if largest == 0 {
		return Solved, "", nil, true // without curvature the inertia is all rounding
	}
	flat := max(flatness*largest, straight)
	for {
		for _, shift := range [][2]float64{{0, 0}, {flat, deltaC}} {
			found, err := s.shifted(shift[0], shift[1])
			if err != nil {
				return Failed, "", err, true
			}
			if found == right {
				return Solved, "", nil, true
			}
		}
		if !s.b.kkt.moreStable() {
			break
		}
	}
	return Saddle, "", nil, true
}

// keepBest notes the current point as the best acceptable one.
func (s *solver) keepBest(excess float64) {
	s.best.excess, s.best.since = excess, 0
	s.best.take(s)
}

// orAcceptable goes back to the best acceptable point if there is one, else the
// status is the given one.
func (s *solver) orAcceptable(status Status) (Status, string, error) {
	if s.inner || s.best.at == nil {
		return status, "", nil
	}
	s.best.give(s)
	if _, err := s.differentiate(); err != nil {
		return Failed, "", err
	}
	reason := status.String()
	if first := s.uncertainty() + max(0, s.gained()); first > s.gap() {
		off, err := s.offBy(first)
		if err != nil {
			return Failed, "", err
		}
		reason += fmt.Sprintf(", the minimum may be off by %.3g", off/s.fScale)
	}
	return Acceptable, reason, nil
}

// shrinkMultipliers replaces multipliers that have been huge for some iterations by those
// of least squares, if these explain ∇f as well. Where rows of c′ nearly depend on each other
// they may be anything, and all that is left in W of a sum of constraints with multipliers
// that cancel are their curvatures.
func (s *solver) shrinkMultipliers() error {
	const patience, less = 10, 0.1
	size, huge := floats.Norm(s.y, math.Inf(1)), hugeMultiplier*max(1, floats.Norm(s.g, math.Inf(1)))
	if s.inner || max(size, floats.Norm(s.zl, math.Inf(1)), floats.Norm(s.zu, math.Inf(1))) <= huge {
		s.hugeSteps = 0
		return nil
	}
	if s.hugeSteps++; s.hugeSteps < patience {
		return nil
	}
	s.hugeSteps = 0
	if s.relax() || size <= huge {
		return nil
	}
	y := append([]float64(nil), s.y...)
	old, _ := s.errors(0)
	if err := s.leastSquaresMultipliers(); err != nil {
		return err
	}
	if now, _ := s.errors(0); now.Dual > old.Dual || floats.Norm(s.y, math.Inf(1)) > less*size {
		copy(s.y, y)
	}
	return nil
}

// relax moves all bounds outwards by 10⁻⁸, once: where constraints have no interior the only
// multipliers are infinite.
func (s *solver) relax() bool {
	if s.relaxed {
		return false
	}
	s.relaxed = true
	s.strict.take(s)
	s.strictLower, s.strictUpper = slices.Clone(s.lower), slices.Clone(s.upper)
	s.leastGain = math.Inf(1)
	for i := range s.lower {
		s.lower[i] -= relaxation * max(1, math.Abs(s.lower[i]))
		s.upper[i] += relaxation * max(1, math.Abs(s.upper[i]))
	}
	s.filter.pairs = s.filter.pairs[:0]
	s.adaptive.errors = s.adaptive.errors[:0]
	s.keepNear()
	return true
}

// gained is what moved bounds have taken off f, to first order.
func (s *solver) gained() (sum float64) {
	for i := range s.strictLower {
		lower, upper := s.bounded(i)
		if lower {
			sum += s.zl[i] * (s.strictLower[i] - s.lower[i])
		}
		if upper {
			sum += s.zu[i] * (s.upper[i] - s.strictUpper[i])
		}
	}
	return sum
}

// tighten goes back to where bounds were moved, and goes on with those that were given.
func (s *solver) tighten() error {
	copy(s.lower, s.strictLower)
	copy(s.upper, s.strictUpper)
	s.strictLower, s.strictUpper = nil, nil
	s.strict.give(s)
	s.begin()
	s.adaptive.errors = s.adaptive.errors[:0]
	_, err := s.differentiate()
	return err
}

// regularize is the last resort at a feasible point from where no step leads further: that
// rows of c′ depend on each other, but for rounding errors. From here on δ_c is positive.
func (s *solver) regularize() (ok bool, err error) {
	if s.inner || s.dependent || s.m == 0 {
		return false, nil
	}
	s.dependent = true
	s.filter.pairs = s.filter.pairs[:0]
	return true, s.leastSquaresMultipliers()
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

// offCenter is how far from μ the product of a distance to a bound and its multiplier is,
// but for what is above because numbers near the bound are no finer.
func offCenter(distance, bound, z, mu float64) float64 {
	off := distance*z - mu
	if off > 0 && distance <= 2*epsilon*math.Abs(bound) {
		return 0
	}
	return math.Abs(off)
}

// errors are the errors of the optimality conditions with μ in place of
// complementarity, and in the scale of the test.
func (s *solver) errors(mu float64) (e, scaled Errors) {
	copy(s.rv, s.g)
	s.addConstraints(s.rv, s.y)
	multipliers, count := 0.0, 0
	for i := range s.rv {
		s.rv[i] += s.zu[i] - s.zl[i]
		if i < s.n && s.fixed[i] {
			continue
		}
		e.Dual = max(e.Dual, math.Abs(s.rv[i]))
		lower, upper := s.bounded(i)
		if lower {
			e.Complementarity = max(e.Complementarity, offCenter(s.toLower(s.at.v, i), s.lower[i], s.zl[i], mu))
			multipliers += s.zl[i]
			count++
		}
		if upper {
			e.Complementarity = max(e.Complementarity, offCenter(s.toUpper(s.at.v, i), s.upper[i], s.zu[i], mu))
			multipliers += s.zu[i]
			count++
		}
	}
	e.Primal = floats.Norm(s.at.c, math.Inf(1))
	const from, most = 100, 100 // s_max, and what s_d and s_c may be
	sd := min(most, max(from, (floats.Norm(s.y, 1)+multipliers)/float64(max(1, s.m+count)))/from)
	sc := min(most, max(from, multipliers/float64(max(1, count)))/from)
	return e, Errors{Dual: e.Dual / sd, Primal: e.Primal, Complementarity: e.Complementarity / sc}
}
