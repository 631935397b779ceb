package newton

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/sparsity"
)

// LeastSquares minimizes ½Σ ρ(‖r_b(x)‖²), x_L ≤ x ≤ x_U, for residuals r: ℝⁿ → ℝᵐ in
// blocks r_b, by the method of Levenberg and Marquardt: a step solves
//
//	min ‖Js + r‖, ‖Ds‖ ≤ Δ,
//
// with the sparse Jacobian J and D its largest column norms so far. Where the bound
// does not bind it is the step of Gauss and Newton, Newton's but for the terms
// Σ rᵢ∇²rᵢ of the Hessian. The radius Δ grows where the linear model predicts ‖r‖
// well and shrinks where it does not. Convergence is quadratic where r = 0 at the
// solution, linear at the rate of those terms elsewhere.
//
// Variables that a step would take over their bounds stop there; one at a bound
// that the gradient pushes against does not move.
//
// It has found a solution where one of these holds for the variables that are not
// pushed against a bound, none of which depends on the units of x or r:
//
//   - cosine: r is orthogonal to the columns of J, |Jⱼᵀr| ≤ tol·‖Jⱼ‖‖r‖;
//   - step: J has full rank and the step of Gauss and Newton moves x by little,
//     ‖Cs‖ ≤ tol·‖Cx‖ with C the column norms of J;
//   - rounding: no step makes ‖r‖ less, and Jᵀr is what rounding x makes of 0,
//     |Jᵀr| ≤ 16ε·|J|ᵀ|J||x|.
//
// tol is Tolerance, 10⁻¹⁰ if 0. All hold where J vanishes, which may be at a maximum
// or at infinity.
//
// Where residuals are large, use TrustRegion for ½‖r(x)‖².
//
// Sources: Moré, The Levenberg–Marquardt algorithm: implementation and theory,
// Lecture Notes in Mathematics 630, Springer 1978; Kanzow, Yamashita and Fukushima,
// Levenberg–Marquardt methods with strong local convergence properties for solving
// nonlinear equations with convex constraints, J. Comput. Appl. Math. 172, 2004, for
// bounds; Triggs, McLauchlan, Hartley and Fitzgibbon, Bundle adjustment: a modern
// synthesis, Vision Algorithms, Springer 2000, for losses.
type LeastSquares struct {
	Settings // MaxIterations is 1000 if 0

	// Loss is ρ; nil means ρ(s) = s.
	Loss Loss

	// Block is how many residuals, one after the other, a loss takes together: 2 of the
	// two coordinates of a point, which has one distance from where it should be. 1 if 0.
	Block int

	// Normal solves for steps by a Cholesky factorization of JᵀJ + λD² in place of a
	// QR factorization of [J; √λD]: several times faster where J has many more rows
	// than columns, with half of the digits.
	Normal bool
}

// Loss is a function ρ of the square s of a residual, or of the norm of a block, with ρ(0) = 0, ρ′(0) = 1 and
// ρ′ ≥ 0, that grows more slowly than s, so that outliers have less weight. It
// returns ρ(s), ρ′(s) and ρ″(s).
type Loss func(s float64) (rho, d, dd float64)

// Huber returns the loss that is r² up to |r| = k and grows in proportion to |r| from
// there: 2k|r| − k². It panics if k is not positive.
func Huber(k float64) Loss {
	checkWidth(k)
	return func(s float64) (rho, d, dd float64) {
		if s <= k*k {
			return s, 1, 0
		}
		r := math.Sqrt(s)
		return 2*k*r - k*k, k / r, -k / (2 * s * r)
	}
}

// Cauchy returns the loss k² ln(1 + r²/k²). It panics if k is not positive.
func Cauchy(k float64) Loss {
	checkWidth(k)
	return func(s float64) (rho, d, dd float64) {
		t := 1 + s/(k*k)
		return k * k * math.Log1p(s/(k*k)), 1 / t, -1 / (k * k * t * t)
	}
}

func checkWidth(k float64) {
	if !(k > 0) {
		panic(fmt.Sprintf("newton: loss of width %v", k))
	}
}

const (
	squaresMethod     = "Levenberg–Marquardt"
	squaresTolerance  = 1e-10
	squaresIterations = 1000
	leastResidual     = 1e-140
	change            = 100 // of λ, where the rank is not full
)

// Solve is as Method says, for a Problem without constraints. A Result counts the residuals
// as values. Cost: an iteration takes the residuals, a Jacobian, a factorization, and
// some more where the radius binds.
func (o LeastSquares) Solve(ctx context.Context, p Problem, x0 []float64) (*Result, error) {
	p.check("LeastSquares", true, false)
	o.Settings = o.orDefault(squaresTolerance, squaresIterations)
	s := o.newSquares(p, x0)
	status, reason, err := s.run(ctx)
	s.Unscaled = s.Errors
	if s.p != nil && (p.Lower != nil || p.Upper != nil) {
		s.Z = s.p.multipliers()
	}
	return s.end(squaresMethod, status, reason, err)
}

func (o *LeastSquares) newSquares(p Problem, x0 []float64) *squares {
	n := len(x0)
	result := &Result{X: append([]float64(nil), x0...)}
	s := &squares{
		LeastSquares: o, Result: result, log: &logger{w: o.Log, each: o.Each},
		evaluator: newEvaluator(p.Func, &o.Settings, &result.Cost),
		trial:     make([]float64, n),
	}
	if s.block = o.Block; s.block == 0 {
		s.block = 1
	}
	s.lower, s.upper = p.bounds(n)
	for i, x := range s.X {
		s.X[i] = min(max(x, s.lower[i]), s.upper[i])
	}
	return s
}

// squares is a run of LeastSquares.
type squares struct {
	*LeastSquares
	*Result
	*evaluator
	log          *logger
	lower, upper []float64
	p, next      *linearModel // here, and at a trial point in doubt
	trial        []float64
	radius       float64

	// Of System:
	root     bool
	rowScale []float64 // R
	small    float64   // xⱼ that may be 0
}

// linearize computes r and J at x, for p.
func (s *squares) linearize(p **linearModel, x []float64) error {
	b, err := s.at(x)
	if err != nil {
		return err
	}
	if m := b.tape.Outputs(); s.block < 0 || m%s.block != 0 {
		panic(fmt.Sprintf("newton: %d residuals in blocks of %d", m, s.block))
	}
	if err := s.withJacobian(b); err != nil {
		return err
	}
	if *p == nil || (*p).b != b {
		*p = newLinearModel(b, len(x), *p)
	}
	q := *p
	s.cost.Jacobians++
	if err := clock(&s.cost.Derivatives, func() error { return b.jacobian.EvalAll(q.j, q.r, s.in(b, x)) }); err != nil {
		return err
	}
	return clock(&s.cost.LinearAlgebra, func() error {
		q.load(s, x)
		return nil
	})
}

// value is the objective for residuals r.
func (s *squares) value(r []float64) float64 {
	if s.Loss == nil {
		return floats.Dot(r, r) / 2
	}
	sum := 0.0
	for block := range slices.Chunk(r, s.block) {
		rho, _, _ := s.Loss(floats.Dot(block, block))
		sum += rho
	}
	return sum / 2
}

// residuals stores r(x), scaled.
func (s *squares) residuals(dst, x []float64) error {
	err := s.evaluator.values(dst, x)
	for i, scale := range s.rowScale {
		dst[i] *= scale
	}
	return err
}

// arrive computes what is wanted at X.
func (s *squares) arrive() error {
	if err := s.linearize(&s.p, s.X); err != nil {
		return err
	}
	s.F = s.p.f
	s.Errors.Dual = 0
	for i, g := range s.p.g {
		if !s.p.fixed[i] {
			s.Errors.Dual = max(s.Errors.Dual, math.Abs(g))
		}
	}
	return nil
}

func (s *squares) run(ctx context.Context) (Status, string, error) {
	for i, l := range s.lower {
		if l > s.upper[i] {
			return Infeasible, contradiction(l, s.upper[i], "variable", i), nil
		}
	}
	if err := s.arrive(); err != nil {
		return Failed, "", err
	}
	if !finite(s.F) || !finite(floats.Norm(s.p.d, 2)) {
		return Failed, "the residuals are not finite at the start", nil
	}
	if size := floats.Norm(s.p.r, math.Inf(1)); size > 0 && size < leastResidual {
		return Failed, fmt.Sprintf("the squares of residuals of %.3g at the start underflow", size), nil
	}
	if s.radius = s.p.length(s.X); s.radius == 0 {
		s.radius = floats.Norm(s.p.r, 2)
	}
	values := make([]float64, len(s.p.r))
	s.inform(0)
	slow := false // the last step hardly made f less
	for {
		p := s.p
		switch {
		case s.root && p.isRoot(s):
			return Solved, "", nil
		case (slow || !s.root) && p.cosine() <= s.Tolerance:
			return s.stationary()
		case ctx.Err() != nil:
			return Canceled, "", ctx.Err()
		case s.Iterations >= s.MaxIterations:
			return IterationLimit, "", nil
		}
		if s.root && s.trim() {
			if err := s.residuals(values, s.trial); err != nil {
				return Failed, "", err
			}
			if s.value(values) <= s.Tolerance*p.f {
				copy(s.X, s.trial)
				if err := s.arrive(); err != nil {
					return Failed, "", err
				}
				continue
			}
		}
		s.Iterations++
		predicted := 0.0
		if err := clock(&s.LinearAlgebra, func() (err error) {
			predicted, err = p.step(s)
			return err
		}); err != nil {
			return Failed, "", err
		}
		s.Step, s.Decrease = scaledNorm(p.norm, p.s)/scaledNorm(p.norm, s.X), predicted/p.f
		if !s.root && p.free && s.Step <= s.Tolerance && p.gaussNewton(s) <= s.Tolerance {
			return Solved, "", nil
		}
		floats.AddTo(s.trial, s.X, p.s)
		for i, x := range s.trial { // against rounding
			s.trial[i] = min(max(x, s.lower[i]), s.upper[i])
		}
		if err := s.residuals(values, s.trial); err != nil {
			return Failed, "", err
		}
		ratio := (p.f - s.value(values)) / predicted
		accepted := predicted > 0 && ratio > 1e-4
		if !accepted && predicted > 0 && predicted <= drowned*p.f {
			// The difference may be rounding errors. That of the gradients is not: with
			// them f falls by −½(g + g⁺)ᵀs, but for terms of the third order.
			if err := s.linearize(&s.next, s.trial); err != nil {
				return Failed, "", err
			}
			fall := 0.0
			for i, x := range s.trial {
				fall -= (p.g[i] + s.next.g[i]) / 2 * (x - s.X[i])
			}
			ratio = fall / predicted
			accepted = ratio > 1e-4 || s.next.cosine() <= 0.9*p.cosine()
		}
		length := p.length(p.s)
		switch {
		case !accepted || ratio < 0.25:
			s.radius = length / 4
		case ratio >= 0.75:
			s.radius = max(s.radius, 2*length)
		}
		p.predict(s.radius)
		if !accepted {
			if !(length > epsilon*p.length(s.X)) {
				switch {
				case s.root && s.isRounded():
					return Solved, "", nil
				case p.rounded(s.X) || s.root && p.level():
					return s.stationary()
				}
				return StepTooSmall, "", nil
			}
			s.inform(0)
			continue
		}
		slow = ratio*predicted <= 0.1*p.f
		copy(s.X, s.trial)
		if err := s.arrive(); err != nil {
			return Failed, "", err
		}
		if !finite(floats.Norm(s.p.d, 2)) {
			return Failed, "the Jacobian is not finite", nil
		}
		s.inform(1)
	}
}

// stationary is the end at a stationary point.
func (s *squares) stationary() (Status, string, error) {
	if s.root {
		return Infeasible, "‖F‖ has a local minimum", nil
	}
	return Solved, "", nil
}

// inform tells of the point reached, by the fraction alpha of the step: 1, or 0 of a step
// that was not taken.
func (s *squares) inform(alpha float64) {
	s.log.it = Iteration{
		Number: s.Iterations, X: s.X, F: s.F, Errors: s.Errors,
		Step: floats.Norm(s.p.s, math.Inf(1)), Shift: s.p.lambda, Radius: s.radius, Alpha: alpha, Trials: min(s.Iterations, 1),
	}
	s.log.line()
}

// A linearModel is ½‖Js + r‖², for a loss with the rows of J and r weighted so that
// it has the gradient of the objective and, where that is positive, its curvature
// along each residual or block. With z = Ds, the z of a λ ≥ 0 minimizes
//
//	‖JD⁻¹z + r‖² + λ‖z‖²,
//
// and its length falls with λ. Newton's method for 1/‖z‖ = 1/Δ predicts it for a radius Δ
// from the last J and λ, 0 to begin with, and goes on where a step is too long, as in Moré's article: with A = D⁻¹JᵀJD⁻¹ + λI, ½ d‖z‖²/dλ = −zᵀA⁻¹z.
type linearModel struct {
	b     *branch
	j     *sparsity.Matrix // weighted
	r     []float64
	f     float64   // the objective
	g     []float64 // Jᵀr
	fixed []bool    // at a bound, and pushed against it
	norm  []float64 // of the columns of J
	d     []float64 // their largest so far, 1 where all were 0
	met   []float64 // the same, 0 there

	s      []float64
	lambda float64
	next   float64 // λ to begin with
	// Some λ was too little for full rank.
	deficient bool
	whole     bool // no bound met
	free      bool // s is the step of Gauss and Newton: λ = 0, no bound met

	z, w, js []float64
	held     []bool
}

func newLinearModel(b *branch, n int, old *linearModel) *linearModel {
	vector := func(n int) []float64 { return make([]float64, n) }
	m := b.tape.Outputs()
	p := &linearModel{
		b: b, j: b.jacobian.Matrix(), r: vector(m), g: vector(n), fixed: make([]bool, n),
		norm: vector(n), d: vector(n), met: vector(n), s: vector(n), z: vector(n), w: vector(n), js: vector(m),
		held: make([]bool, n),
	}
	if old != nil {
		copy(p.met, old.met)
		p.next, p.deficient = old.next, old.deficient
	}
	return p
}

// load computes what follows from J and r at x.
func (p *linearModel) load(s *squares, x []float64) {
	if s.root {
		p.scaleRows(s)
	}
	p.f = s.value(p.r)
	if s.Loss != nil {
		p.weigh(s.Loss, s.block)
	}
	clear(p.g)
	clear(p.norm)
	for i, r := range p.r {
		columns, values := rowOf(p.j, i)
		for k, j := range columns {
			p.g[j] += values[k] * r
			p.norm[j] = math.Hypot(p.norm[j], values[k])
		}
	}
	for i := range p.d {
		p.met[i] = max(p.met[i], p.norm[i])
		if p.d[i] = p.met[i]; p.d[i] == 0 {
			p.d[i] = 1
		}
		p.fixed[i] = s.lower[i] == s.upper[i] || x[i] == s.lower[i] && p.g[i] >= 0 || x[i] == s.upper[i] && p.g[i] <= 0
	}
}

// multipliers are those of the bounds that bind.
func (p *linearModel) multipliers() []float64 {
	z := make([]float64, len(p.g))
	for i, g := range p.g {
		if p.fixed[i] {
			z[i] = -g
		}
	}
	return z
}

// weigh makes J and r those of a sum of squares with the gradient of the losses and, along
// a block r and across it, their curvatures a = ρ′ + 2ρ″‖r‖², at least a tenth of ρ′, and
// ρ′: with u = r/‖r‖ rows √ρ′(I + (√(a/ρ′) − 1)uuᵀ)J and residuals ρ′r/√a.
func (p *linearModel) weigh(loss Loss, size int) {
	for first := 0; first < len(p.r); first += size {
		r := p.r[first : first+size]
		s := floats.Dot(r, r)
		_, d, dd := loss(s)
		a := max(d+2*dd*s, 0.1*d)
		columns, _ := rowOf(p.j, first)
		values := p.j.Values()[p.j.Pattern().RowPtr()[first]:] // of rows with the same columns
		across := 0.0                                          // (√(a/ρ′) − 1)/‖r‖²
		if a != d {
			across = (math.Sqrt(a/d) - 1) / s
		}
		for k := range columns {
			along := 0.0
			for i, r := range r {
				along += r * values[i*len(columns)+k]
			}
			for i, r := range r {
				v := &values[i*len(columns)+k]
				*v = math.Sqrt(d) * (*v + across*along*r)
			}
		}
		if d > 0 {
			d /= math.Sqrt(a)
		}
		floats.Scale(d, r)
	}
}

// cosine is the largest cosine of an angle between r and a column of J.
func (p *linearModel) cosine() float64 {
	r, c := floats.Norm(p.r, 2), 0.0
	for i, g := range p.g {
		if g != 0 && !p.fixed[i] {
			c = max(c, math.Abs(g)/p.norm[i]/r)
		}
	}
	return c
}

// rounded reports whether Jᵀr is within the roundings of x of 0.
func (p *linearModel) rounded(x []float64) bool {
	bound := make([]float64, len(p.g))
	for i := range p.r {
		columns, values := rowOf(p.j, i)
		size := 0.0
		for k, j := range columns {
			size += math.Abs(values[k] * x[j])
		}
		for k, j := range columns {
			bound[j] += math.Abs(values[k]) * size
		}
	}
	for k, g := range p.g {
		if !p.fixed[k] && !(math.Abs(g) <= roundings*bound[k]) {
			return false
		}
	}
	return true
}

// length is ‖Dv‖.
func (p *linearModel) length(v []float64) float64 { return scaledNorm(p.d, v) }

// step leaves in s a step of ‖Ds‖ ≤ 1.2Δ between the bounds, and returns by how much
// it makes the model less.
func (p *linearModel) step(sq *squares) (decrease float64, err error) {
	const (
		attempts = 20 // Newton's method for λ takes one or two
		long     = 1.2
		least    = 1e-30
	)
	upper := 0.0
	for i, g := range p.g {
		if !p.fixed[i] {
			upper = math.Hypot(upper, g/p.d[i])
		}
	}
	radius := sq.radius
	upper /= radius
	lower, lambda, singular := 0.0, p.next, false
	if lambda < least {
		lambda = 0
	}
	for range attempts {
		full, err := p.solve(sq, lambda, p.d)
		if err != nil {
			return 0, err
		}
		p.lambda = lambda
		if full && floats.Norm(p.z, 2) <= long*radius {
			break
		}
		lower = max(lower, lambda)
		if full {
			lambda = p.towards(radius)
		} else {
			lambda, singular = change*lambda, true
		}
		if !(lambda > max(lower, least) && lambda < upper) {
			lambda = max(1e-3*upper, math.Sqrt(lower*upper))
		}
	}
	p.deficient = p.deficient || singular
	p.free, p.whole = p.lambda == 0, true
	for i, z := range p.z {
		p.s[i] = -z / p.d[i]
	}
	if err := p.keepInside(sq); err != nil {
		return 0, err
	}
	// ½‖r‖² − ½‖r + Js‖².
	p.applyTo(p.js, p.s)
	return -floats.Dot(p.js, p.r) - floats.Dot(p.js, p.js)/2, nil
}

// predict sets the λ to begin with for a radius, by J at the last point.
func (p *linearModel) predict(radius float64) {
	if p.next = p.lambda; p.whole && p.lambda > 0 {
		p.next = max(0, p.towards(radius))
	}
	if p.deficient {
		p.next = max(p.next, p.lambda/change)
	}
}

// towards is the next λ of Newton's method for ‖z‖ = radius.
func (p *linearModel) towards(radius float64) float64 {
	length := floats.Norm(p.z, 2)
	return p.lambda + (length-radius)/radius*length*length/p.b.squares.inverseForm(p.z)
}

// applyTo sets dst = Jv.
func (p *linearModel) applyTo(dst, v []float64) {
	for i := range dst {
		columns, values := rowOf(p.j, i)
		dst[i] = 0
		for k, j := range columns {
			dst[i] += values[k] * v[j]
		}
	}
}

// keepInside stops what the step s would take over a bound there, and has the other
// variables make the best of it, with the same λ, until none is taken over.
func (p *linearModel) keepInside(sq *squares) error {
	const rounds = 10
	outside := func(i int) (stop float64, ok bool) {
		low, high := sq.lower[i]-sq.X[i], sq.upper[i]-sq.X[i]
		return min(max(p.s[i], low), high), p.s[i] < low || p.s[i] > high
	}
	copy(p.held, p.fixed)
	for range rounds {
		changed := false
		clear(p.w)
		for i := range p.s {
			if stop, ok := outside(i); ok {
				p.s[i], p.held[i] = stop, true
				changed = true
			}
			if p.held[i] && !p.fixed[i] {
				p.w[i] = p.s[i]
			}
		}
		if !changed {
			return nil
		}
		p.free, p.whole = false, false
		p.applyTo(p.js, p.w)
		floats.Add(p.js, p.r)
		full, err := p.solveHeld(sq, p.lambda, p.d, p.held, p.js)
		if err != nil {
			return err
		}
		if !full {
			break
		}
		for i, z := range p.z {
			if !p.held[i] {
				p.s[i] = -z / p.d[i]
			}
		}
	}
	for i := range p.s {
		p.s[i], _ = outside(i)
	}
	return nil
}

// gaussNewton is the length of the step of Gauss and Newton relative to x, both in
// units of the column norms of J, in which the factorization is most accurate
// whatever D is; +∞ if J is nearly rank-deficient even so.
func (p *linearModel) gaussNewton(sq *squares) float64 {
	const accurate = 1e10 // what the condition may be, for six digits
	for i, v := range p.norm {
		if v == 0 && !p.fixed[i] {
			return math.Inf(1)
		}
	}
	norm := append([]float64(nil), p.norm...)
	for i := range norm {
		if norm[i] == 0 {
			norm[i] = 1
		}
	}
	full, err := p.solve(sq, 0, norm)
	if !full || err != nil || p.b.squares.condition() > accurate {
		return math.Inf(1)
	}
	return floats.Norm(p.z, 2) / scaledNorm(p.norm, sq.X)
}

// solve computes −z of a λ, for D with the diagonal d, and reports whether the
// matrix has full rank.
func (p *linearModel) solve(sq *squares, lambda float64, d []float64) (full bool, err error) {
	return p.solveHeld(sq, lambda, d, p.fixed, p.r)
}

// solveHeld is solve for other residuals and with what is held in its place.
func (p *linearModel) solveHeld(sq *squares, lambda float64, d []float64, held []bool, r []float64) (full bool, err error) {
	if _, normal := p.b.squares.(*normalEquations); p.b.squares == nil || normal != sq.Normal {
		if sq.Normal {
			p.b.squares = newNormalEquations(p.j)
		} else {
			p.b.squares = newStackedQR(p.j)
		}
	}
	sq.cost.Factorizations++
	if full, err = p.b.squares.factorize(p.j, d, held, lambda); !full || err != nil {
		return false, err
	}
	return true, p.b.squares.solve(p.z, r)
}

// squaresFactor solves the linear least-squares problems of a branch.
type squaresFactor interface {
	// factorize takes JD⁻¹, with columns of 0 for what is fixed, and λ, and reports
	// whether the matrix has full rank.
	factorize(j *sparsity.Matrix, d []float64, fixed []bool, lambda float64) (full bool, err error)

	// solve minimizes ‖JD⁻¹z − r‖² + λ‖z‖².
	solve(z, r []float64) error

	// inverseForm is zᵀA⁻¹z, condition that of the matrix that was factorized.
	inverseForm(z []float64) float64
	condition() float64
}
