package implicit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// Optimality conditions (Fiacco, Introduction to Sensitivity and Stability
// Analysis in Nonlinear Programming, Academic Press 1983, chapter 3). A solution
// of
//
//	minimize f(x, λ) subject to c(x, λ) = 0, g(x, λ) ≤ 0
//
// with multipliers y and z ≥ 0 is a root of
//
//	∇ₓL = 0, c = 0, gᵢ = 0 for active i, zᵢ = 0 for the others,
//
// where L = f + yᵀc + zᵀg. If exactly one of gᵢ and zᵢ is 0 (strict
// complementarity) the active set is the same for all λ near. The matrix is
// regular if the gradients of the active constraints are linearly independent
// (LICQ) and ∇ₓₓL is positive definite where they vanish (second-order
// sufficient conditions).

// Optimality returns the tape of these equations in the unknowns w = [x; y; z] and λ.
// problem is the tape of [f; c; g] over the inputs [x; λ], x of length n, with p
// elements of c; active are the active ones among the others, g, counted from 0.
// Its Equation can be solved by Newton, and applied as a step of another
// function while the active set stays the same. It panics if shapes do not fit.
// Cost: the tape of a gradient is made.
func Optimality(problem *reverse.Tape, n, p int, active []int) *reverse.Tape {
	if problem == nil {
		panic("implicit: nil tape")
	}
	q := problem.Outputs() - 1 - p
	l := problem.Inputs() - n
	if n < 0 || p < 0 || q < 0 || l < 0 {
		panic(fmt.Sprintf("implicit: problem has %d inputs and %d outputs, too few for %d variables and %d equalities",
			problem.Inputs(), problem.Outputs(), n, p))
	}
	isActive := make([]bool, q)
	for _, i := range active {
		if i < 0 || i >= q {
			panic(fmt.Sprintf("implicit: no inequality %d", i))
		}
		isActive[i] = true
	}
	// The gradient of L by [x; y; z] is [∇ₓL; c; g].
	m := n + p + q
	at := problem.Point()
	point := slices.Concat(at[:n], make([]float64, p+q), at[n:])
	lagrangian, err := rerecord(problem, point, func(in, params []reverse.Var) []reverse.Var {
		out := replay(problem, slices.Concat(in[:n], in[m:]), params)
		var weights, constraints []reverse.Var
		for i, c := range out[1:] {
			if i < p || isActive[i-p] {
				weights, constraints = append(weights, in[n+i]), append(constraints, c)
			}
		}
		return []reverse.Var{out[0].Add(dual.Dot(weights, constraints))}
	})
	if err != nil {
		panic(err) // of a primitive that was evaluated there before
	}
	gradient := lagrangian.Adjoint()
	f, err := rerecord(gradient, point, func(in, params []reverse.Var) []reverse.Var {
		out := replay(gradient, append(slices.Clone(in), dual.Const[reverse.Var](1)), params)[:m]
		for i, active := range isActive {
			if !active {
				out[n+p+i] = in[n+p+i]
			}
		}
		return out
	})
	if err != nil {
		panic(err)
	}
	return f
}

// Optimum is a solution of an optimization problem with its multipliers: as a
// Solution its w is [x; y; z], so that a JVP is [ẋ; ẏ; ż] and dual variables
// have their sensitivities as well. It is immutable and safe for concurrent use.
type Optimum struct {
	*Solution
	active  []int
	problem *reverse.Tape
	n       int
	weights []float64 // [1; y; z], 0 for what is not active
	value   float64
}

// KKT differentiates the solution x of
//
//	minimize f(x, λ) subject to c(x, λ) = 0, g(x, λ) ≤ 0
//
// with the multipliers y and z of L = f + yᵀc + zᵀg, which any method may have
// found, for a tape of [f; c; g] with the inputs [x; λ]. λ may be followed by
// parameters of the tape. It panics if lengths do not fit.
//
// An inequality is active if its slack −gᵢ is 0 to within the tolerance and its
// multiplier is not. The slack is relative to |∂ₓgᵢ|‖x‖∞ + |∂_λgᵢ||λ|, with the
// Tolerance of the settings, and Absolute added; the multiplier is 0 if zᵢ∂ₓgᵢ
// is within Tolerance of the terms of ∇ₓL and its change with x and λ. If none or
// both are 0, or one is negative, the error is a *ComplementarityError. Then the optimality
// conditions, with 0 for the multipliers that are not active, are treated as by
// At, with its errors, except that linearly dependent gradients of active
// constraints give a *DependentError. That x is a
// minimum, and not just stationary, is not checked.
func KKT(problem *reverse.Tape, x, y, z, lambda []float64) (*Optimum, error) {
	return Settings{}.KKT(problem, x, y, z, lambda)
}

// KKT is the function KKT with settings.
func (o Settings) KKT(problem *reverse.Tape, x, y, z, lambda []float64) (*Optimum, error) {
	c := o.conditions(problem, x, y, z, lambda)
	s, _, err := c.classify(x, y, z)
	if err != nil {
		return nil, err
	}
	s.Solution, err = o.New(Optimality(problem, c.n, c.p, s.active)).At(slices.Concat(x, s.weights[1:]), lambda)
	if err != nil {
		return nil, c.explain(err, s.active)
	}
	return s, nil
}

// KKTNewton is KKT for x, y and z that are near the solution: Newton's method makes them
// exact first. The inequalities with z > 0 are taken for active; where with these a
// multiplier is negative or another constraint violated, the set is changed by that and
// Newton's method starts again, unless it did so with this set before, 50 times at most.
// Errors are those of Equation.Newton and of KKT. Cost: an equation is prepared for
// each set.
//
// Source: Hintermüller, Ito and Kunisch, The primal-dual active set strategy as a
// semismooth Newton method, SIAM J. Optim. 13, 2002.
func KKTNewton(problem *reverse.Tape, x, y, z, lambda []float64) (*Optimum, error) {
	return Settings{}.KKTNewton(problem, x, y, z, lambda)
}

// KKTNewton is the function KKTNewton with settings.
func (o Settings) KKTNewton(problem *reverse.Tape, x, y, z, lambda []float64) (*Optimum, error) {
	const sets = 50
	c := o.conditions(problem, x, y, z, lambda)
	start := slices.Concat(x, y, z)
	isActive := make([]bool, len(z))
	for i, z := range z {
		isActive[i] = z > 0
	}
	var tried [][]int
	for {
		var active []int
		for i, is := range isActive {
			if at := c.n + c.p + i; is {
				active = append(active, i)
				start[at] = max(z[i], 0)
			} else {
				start[at] = 0
			}
		}
		solution, err := o.New(Optimality(problem, c.n, c.p, active)).Newton(start, lambda)
		if err != nil {
			return nil, c.explain(err, active)
		}
		w := solution.W()
		s, wrong, err := c.classify(w[:c.n], w[c.n:c.n+c.p], w[c.n+c.p:])
		if err == nil {
			s.Solution = solution
			return s, nil
		}
		same := func(set []int) bool { return slices.Equal(set, active) }
		if len(wrong) == 0 || len(tried) == sets || slices.ContainsFunc(tried, same) {
			return nil, err
		}
		tried = append(tried, active)
		for _, i := range wrong {
			isActive[i] = !isActive[i]
		}
	}
}

// conditions is what the optimality conditions of a problem are checked with.
type conditions struct {
	settings Settings
	problem  *reverse.Tape
	lambda   []float64
	n, p     int
	jacobian *jacobian
	a        *sparsity.Matrix // ∂[f; c; g]
	value    []float64
}

func (o Settings) conditions(problem *reverse.Tape, x, y, z, lambda []float64) *conditions {
	if problem == nil {
		panic("implicit: nil tape")
	}
	n, p, q := len(x), len(y), len(z)
	if problem.Outputs() != 1+p+q {
		panic(fmt.Sprintf("implicit: problem has %d outputs, want 1 and %d constraints", problem.Outputs(), p+q))
	}
	if k := problem.Inputs() - n; len(lambda) != k && len(lambda) != k+problem.Params() {
		panic(fmt.Sprintf("implicit: λ has length %d, want %d (and %d parameters)", len(lambda), k, problem.Params()))
	}
	if o.Tolerance == 0 {
		o.Tolerance = defaultRootTolerance
	}
	c := &conditions{settings: o, problem: problem, lambda: lambda, n: n, p: p}
	c.jacobian = newJacobian(problem, nil)
	c.a, c.value = sparsity.NewMatrix(c.jacobian.pattern), make([]float64, 1+p+q)
	return c
}

// explain replaces the error of a singular matrix by a *DependentError if gradients of
// active constraints depend on each other.
func (c *conditions) explain(err error, active []int) error {
	if singular := (*linsolve.SingularError)(nil); errors.As(err, &singular) {
		if d := dependent(c.a, c.n, c.p, active); d != nil {
			d.Err = singular
			return d
		}
	}
	return err
}

// classify finds the active inequalities at a point. The first that is not strictly
// complementary is the error; wrong are those of them that are violated without a
// multiplier, or have a negative one without slack.
func (c *conditions) classify(x, y, z []float64) (s *Optimum, wrong []int, err error) {
	point := slices.Concat(x, c.lambda)
	if err := c.jacobian.eval(c.a, c.value, point, new(*mat.Dense)); err != nil {
		return nil, nil, err
	}
	s = &Optimum{problem: c.problem, n: c.n, weights: slices.Concat([]float64{1}, y, z), value: c.value[0]}
	gradient, err := c.gradientSize(s.weights, point)
	if err != nil {
		return nil, nil, err
	}
	largest := 0.0
	for _, x := range x {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		largest = 1
	}
	size := make([]float64, len(c.value))
	c.a.DoNonZero(func(i, j int, v float64) {
		if j < c.n {
			gradient[j] += math.Abs(v * s.weights[i])
			size[i] += float64(math.Abs(v) * largest)
		} else {
			size[i] += math.Abs(v * point[j])
		}
	})
	tolerance := c.settings.Tolerance
	for k := 1 + c.p; k < len(c.value); k++ {
		slack, multiplier := -c.value[k], s.weights[k]
		noSlack := math.Abs(slack) <= float64(tolerance*size[k])+c.settings.Absolute
		noMultiplier := true
		c.a.DoRowNonZero(k, func(_, j int, v float64) {
			if j < c.n && !(math.Abs(v*multiplier) <= tolerance*gradient[j]) {
				noMultiplier = false
			}
		})
		i := k - 1 - c.p
		switch {
		case noSlack && !noMultiplier && multiplier > 0:
			s.active = append(s.active, i)
			continue
		case noMultiplier && !noSlack && slack > 0:
			s.weights[k] = 0
			continue
		case noSlack != noMultiplier && (slack < 0 || multiplier < 0):
			wrong = append(wrong, i)
		}
		if err == nil {
			err = &ComplementarityError{Inequality: i, Slack: slack, Multiplier: multiplier}
		}
	}
	return s, wrong, err
}

// gradientSize is the change of ∇ₓL with x and λ: as in sizes, because all terms that it
// is a sum of may be 0.
func (c *conditions) gradientSize(weights, point []float64) ([]float64, error) {
	gradient := make([]float64, c.n)
	err := c.problem.Inside().Sweep(point, func(q *sweep.Engine, ws *sweep.Workspace) error {
		const k = sweep.MaxDirections
		if err := ws.Linearize(weights); err != nil {
			return err
		}
		if err := ws.HVP(k, func(v []float64, s int) { setSigned(v, point, s) }); err != nil {
			return err
		}
		for j := range gradient {
			for s := range k {
				h := ws.Product(s)[j]
				gradient[j] += float64(h * h)
			}
			gradient[j] = math.Sqrt(gradient[j] / k)
		}
		return nil
	})
	return gradient, err
}

// dependent finds active constraints whose gradients by x are linearly
// dependent, nil if there are none or too many to look at.
func dependent(jac *sparsity.Matrix, n, p int, active []int) *DependentError {
	const (
		// Where the smallest singular value of the gradients is δ that of the
		// whole matrix is some δ², which is singular at ε.
		least = 1e-7
		most  = 1 << 30 // operations
	)
	k := p + len(active)
	if k == 0 || n == 0 || float64(k)*float64(k)*float64(n+k) > most {
		return nil
	}
	a := mat.NewDense(k, n, nil)
	for r := range k {
		i := 1 + r
		if r >= p {
			i = 1 + p + active[r-p]
		}
		jac.DoRowNonZero(i, func(_, j int, v float64) {
			if j < n {
				a.Set(r, j, v)
			}
		})
		if norm := mat.Norm(a.RowView(r), 2); norm > 0 {
			row := a.RowView(r).(*mat.VecDense)
			row.ScaleVec(1/norm, row)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDFullU) {
		return nil
	}
	var u mat.Dense
	svd.UTo(&u)
	sigma := svd.Values(nil)
	d := &DependentError{}
	for r := range k {
		for c := range k {
			if (c >= len(sigma) || sigma[c] <= least*sigma[0]) && math.Abs(u.At(r, c)) >= 0.1*mat.Norm(u.ColView(c), math.Inf(1)) {
				if r < p {
					d.Equalities = append(d.Equalities, r)
				} else {
					d.Inequalities = append(d.Inequalities, active[r-p])
				}
				break
			}
		}
	}
	if d.Equalities == nil && d.Inequalities == nil {
		return nil
	}
	return d
}

// Active returns the active inequalities, ascending.
func (s *Optimum) Active() []int { return slices.Clone(s.active) }

// Value returns f(x, λ), the optimal value v(λ).
func (s *Optimum) Value() float64 { return s.value }

// ValueGradient returns ∇v(λ), of length ℓ, by the envelope theorem: the gradient of
// L by λ at fixed x, y and z. Cost: one VJP, no solution.
func (s *Optimum) ValueGradient(dst []float64) ([]float64, error) {
	l := s.z.eq.n - s.z.eq.m
	dst = vector(dst, l)
	g, err := s.problem.VJP(nil, s.point(), s.weights)
	if err == nil {
		copy(dst, g[s.n:])
	}
	return dst, err
}

// ValueHVP returns ∇²v(λ)·v, of length ℓ as v: the derivative of ValueGradient as x,
// y and z follow λ. Cost: one solution, a second-order sweep and a VJP.
func (s *Optimum) ValueHVP(dst, v []float64) ([]float64, error) {
	l := s.z.eq.n - s.z.eq.m
	check(v, l, "v")
	dst = vector(dst, l)
	dw, err := s.JVP(nil, v)
	if err != nil {
		return dst, err
	}
	point := s.point()
	h, err := s.problem.HVP(nil, point, slices.Concat(dw[:s.n], v), s.weights...)
	if err != nil {
		return dst, err
	}
	// Multipliers that stay 0 do not move either.
	g, err := s.problem.VJP(nil, point, append([]float64{0}, dw[s.n:]...))
	if err != nil {
		return dst, err
	}
	for j := range dst {
		dst[j] = h[s.n+j] + g[s.n+j]
	}
	return dst, nil
}

// point is [x; λ] and the parameters.
func (s *Optimum) point() []float64 {
	return slices.Concat(s.z.x[:s.n], s.z.x[s.z.eq.m:])
}
