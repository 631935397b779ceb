package newton

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
)

// TrustRegion minimizes f: ℝⁿ → ℝ by Newton's method in a trust region: a step
// minimizes the quadratic model
//
//	q(s) = gᵀs + ½sᵀHs, ‖Ds‖ ≤ Δ.
//
// The radius Δ grows where the model predicts f well and shrinks where it does
// not, and points where f is not finite are turned back from. The model is
// minimized whatever the signs of the eigenvalues of H, so that saddles are left:
//
//   - with the sparse Hessian, to within a tenth, by a few Cholesky factorizations
//     of H + λD²; Dᵢ² is |Hᵢᵢ|, or half of what it was at the point before;
//   - with Products, by the Lanczos process, which takes a product Hv a step and
//     no matrix; D = I. It is for Hessians that are dense or whose factors are, and
//     wants variables of like size. Rosenbrock's chained function of 10⁶ variables
//     takes 18 iterations and 314 products from 1 + 0.9 sin i, 9 s on a 2-core x86-64
//     machine.
//
// It has found a local minimum, or a valley of them, where H + λD² is positive
// definite with λ at 10⁻¹¹ of the size of D⁻¹HD⁻¹, or the Lanczos process has met no
// negative curvature, and one of these holds, none of which depends on the units of
// f nor, but with Products, of x:
//
//   - step: Newton's step moves x by little, ‖Cs‖ ≤ tol·‖Cx‖ with Cᵢ² = Hᵢᵢ, or
//     C = I;
//   - decrease: it promises little, −2q(s) ≤ tol²·|f|;
//   - rounding: H is singular or no step makes f less, and g is what rounding x makes
//     of 0, |g| ≤ 16ε·|H||x|.
//
// Newton's step is s = −H⁻¹g. Where H is singular it is that of the λ above if this leaves in
// each variable at most half of g, or 10⁻¹⁰ of ‖D⁻¹g‖, or 16ε·|H||x|: along no direction without
// curvature f may fall. Products takes conjugate gradients until what is left of g, over the least
// curvature met, passes the same test.
//
// tol is Tolerance, 10⁻¹⁰ if 0. Near a minimum with positive definite H a step is
// Newton's, one factorization each, and convergence is quadratic.
//
// Sources: Moré and Sorensen, Computing a trust region step, SIAM J. Sci. Stat.
// Comput. 4, 1983; Conn, Gould and Toint, Trust-Region Methods, SIAM 2000,
// sections 6.1, 7.3 and 17.4; Gould, Lucidi, Roma and Toint, Solving the trust-region
// subproblem using the Lanczos method, SIAM J. Optim. 9, 1999.
type TrustRegion struct {
	Settings // MaxIterations is 1000 if 0

	// Products takes products with the Hessian in place of factorizations.
	Products bool
}

const (
	trustMethod     = "trust region"
	trustTolerance  = 1e-10
	trustIterations = 1000

	// drowned is how small, relative to f, the decrease of f may be for its digits
	// to be in doubt: terms of f that cancel make it more than some roundings.
	drowned = 1e-8
)

// quadratic is the model in variables scaled by D: with s = D⁻¹z, s stands for z
// and g for D⁻¹g.
type quadratic struct {
	g, s   []float64
	d      []float64 // D
	weight []float64 // C
	lambda float64   // of the last step
	newton bool      // it was Newton's, in full
}

func newQuadratic(n int) quadratic {
	vector := func() []float64 { return make([]float64, n) }
	return quadratic{g: vector(), s: vector(), d: vector(), weight: vector()}
}

func (q *quadratic) common() *quadratic { return q }

// length is ‖Dv‖.
func (q *quadratic) length(v []float64) float64 { return scaledNorm(q.d, v) }

// subproblem is how models are made and minimized.
type subproblem interface {
	common() *quadratic

	// evaluate computes f and the derivatives at x, g without scaling, load scales
	// them and reports whether they are finite.
	evaluate(x []float64) (f float64, err error)
	load(x []float64) bool

	// step leaves a step for a radius in s and returns −q(s).
	step(radius float64) (decrease float64, err error)

	// sure reports whether the last step, which should be Newton's, is that: what it leaves of g
	// could not make it longer than ‖s‖ = length and add more than decrease to −2q(s).
	sure(length, decrease float64) (bool, error)

	// rounded reports whether g is within the roundings of x of 0, singular and definite what
	// is known of the last H.
	rounded() bool
	singular() bool
	definite() (bool, error)
}

// Solve is as Method says, for a Problem without bounds. Cost: an iteration takes a value, a
// Hessian with gradient, and one factorization or some more; or with Products a gradient
// and products, those for a step to the boundary twice.
func (o TrustRegion) Solve(ctx context.Context, p Problem, x0 []float64) (*Result, error) {
	p.check("TrustRegion", false, false)
	o.Settings = o.orDefault(trustTolerance, trustIterations)
	n := len(x0)
	r := &Result{X: append([]float64(nil), x0...)}
	e := newEvaluator(p.Func, &o.Settings, &r.Cost)
	t := &trust{
		Result: r, tol: o.Tolerance, log: &logger{w: o.Log, each: o.Each}, evaluator: e,
		step: make([]float64, n), trial: make([]float64, n), gradient: make([]float64, n),
	}
	t.model = newExactModel(e, n)
	if o.Products {
		t.model = newLanczosModel(e, n)
	}
	t.quadratic = t.model.common()
	status, reason, err := t.run(ctx, o.MaxIterations)
	return r.end(trustMethod, status, reason, err)
}

// trust is a run of TrustRegion.
type trust struct {
	*Result
	*evaluator
	*quadratic
	model subproblem
	tol   float64
	log   *logger

	radius, first float64
	scale         float64 // |f| at the start

	step, trial, gradient []float64
}

// differentiate computes f and its derivatives at X, and the radius if there is
// none.
func (t *trust) differentiate() (reason string, err error) {
	if t.F, err = t.model.evaluate(t.X); err != nil {
		return "", err
	}
	t.Errors.Dual = floats.Norm(t.g, math.Inf(1))
	t.Unscaled = t.Errors
	if !finite(t.F) || !finite(t.Errors.Dual) {
		return "f is not finite", nil
	}
	if !t.model.load(t.X) {
		return "the Hessian is not finite", nil
	}
	if t.radius > 0 {
		return "", nil
	}
	t.scale = math.Abs(t.F)
	if t.radius = t.length(t.X); t.radius == 0 {
		t.radius = floats.Norm(t.g, 2) // the length of a step down where curvatures are 1
	}
	if t.radius == 0 {
		t.radius = 1
	}
	t.first = t.radius
	return "", nil
}

func (t *trust) run(ctx context.Context, maxIterations int) (Status, string, error) {
	alpha := 0.0 // of the step to X
	for {
		if reason, err := t.differentiate(); reason != "" || err != nil {
			return Failed, reason, err
		}
		t.inform(alpha)
		for accepted := false; !accepted; {
			switch {
			case ctx.Err() != nil:
				return Canceled, "", ctx.Err()
			case t.Iterations == maxIterations:
				return IterationLimit, "", nil
			}
			t.Iterations++
			predicted, err := t.model.step(t.radius)
			if errors.Is(err, errNoShift) {
				return StepTooSmall, err.Error(), nil
			}
			if err != nil {
				return Failed, "", err
			}
			length := floats.Norm(t.s, 2)
			floats.DivTo(t.step, t.s, t.d)
			floats.AddTo(t.trial, t.X, t.step)
			t.Step, t.Decrease = scaledNorm(t.weight, t.step)/scaledNorm(t.weight, t.X), 2*predicted/math.Abs(t.F)
			if solved, err := t.solved(predicted); solved || err != nil {
				return status(err), "", err
			}
			var value float64
			t.Values++
			if err := clock(&t.Derivatives, func() (err error) {
				value, err = t.f.Value(t.trial)
				return err
			}); err != nil {
				return Failed, "", err
			}
			if math.IsInf(value, -1) {
				return Unbounded, "", nil
			}

			ratio := (t.F - value) / predicted
			accepted = ratio >= 1e-3
			doubtful := predicted <= drowned*max(t.scale, math.Abs(t.F))
			if !accepted && doubtful && t.newton {
				// The difference may be rounding errors; near the solution a Newton step is
				// as well known by its gradient.
				t.Gradients++
				if err := clock(&t.Derivatives, func() error {
					_, err := t.f.Gradient(t.gradient, t.trial)
					return err
				}); err != nil {
					return Failed, "", err
				}
				floats.Div(t.gradient, t.d)
				accepted = floats.Norm(t.gradient, 2) <= floats.Norm(t.g, 2)/2
			}
			switch {
			case !accepted || ratio < 0.25 && !doubtful:
				t.radius = length / 4
			case ratio >= 0.75 && length >= 0.8*t.radius:
				t.radius *= 2.5
			}
			if !accepted && !(length > max(epsilon*t.length(t.X), epsilon*epsilon*t.first)) {
				if t.model.rounded() {
					if definite, err := t.model.definite(); err != nil {
						return Failed, "", err
					} else if definite {
						return Solved, "", nil
					}
				}
				return StepTooSmall, "", nil
			}
			if !accepted {
				t.inform(0)
			}
		}
		copy(t.X, t.trial)
		alpha = 1
	}
}

// solved is the test of step and decrease, and that of rounding where H is singular.
func (t *trust) solved(predicted float64) (bool, error) {
	if !t.newton {
		return false, nil
	}
	if t.model.singular() && t.model.rounded() {
		return t.model.definite()
	}
	length := t.tol * scaledNorm(t.weight, t.X)
	decrease := t.tol * t.tol * math.Abs(t.F)
	if scaledNorm(t.weight, t.step) > length && 2*predicted > decrease {
		return false, nil
	}
	sure, err := t.model.sure(length, decrease)
	if !sure || err != nil {
		return false, err
	}
	floats.DivTo(t.step, t.s, t.d)
	return scaledNorm(t.weight, t.step) <= length || -floats.Dot(t.g, t.s) <= decrease, nil
}

// status is that of an end with or without an error.
func status(err error) Status {
	if err != nil {
		return Failed
	}
	return Solved
}

// inform tells of the point reached, by the fraction alpha of the step: 1, or 0 of a step
// that was not taken.
func (t *trust) inform(alpha float64) {
	t.log.it = Iteration{
		Number: t.Iterations, X: t.X, F: t.F, Errors: t.Errors,
		Step: floats.Norm(t.step, math.Inf(1)), Shift: t.lambda, Radius: t.radius, Alpha: alpha, Trials: min(t.Iterations, 1),
	}
	t.log.line()
}

// scaledNorm is the length of the vector of dᵢvᵢ.
func scaledNorm(d, v []float64) float64 {
	length := 0.0
	for i := range v {
		length = math.Hypot(length, d[i]*v[i])
	}
	return length
}
