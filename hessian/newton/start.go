package newton

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	// kappa1 and kappa2 are how far into the box between its bounds a variable
	// starts: κ₁·max(1, |l|) or κ₂(u − l), whichever is less.
	kappa1, kappa2 = 1e-2, 1e-2

	// kappaWarm takes the place of both for a warm start.
	kappaWarm = 1e-6

	// multiplierMax is the largest first multiplier that is not taken for an
	// artifact of dependent constraints.
	multiplierMax = 1e3
)

// start prepares the run from r.X. The status is Solved if all is well; else the run ends with
// it.
func (o *InteriorPoint) start(ctx context.Context, p Problem, r *Result, e *evaluator) (*solver, Status, string, error) {
	n := len(r.X)
	lower, upper := p.bounds(n)
	fn := &functions{evaluator: e, n: n, fixed: make([]bool, n), fScale: 1}
	for i := range lower {
		if lower[i] > upper[i] || math.IsInf(lower[i], 1) || math.IsInf(upper[i], -1) {
			return nil, Infeasible, contradiction(lower[i], upper[i], "variable", i), nil
		}
		fn.fixed[i] = lower[i] == upper[i]
	}
	push := [2]float64{kappa1, kappa2}
	if o.Warm != nil {
		push = [2]float64{kappaWarm, kappaWarm}
	}
	for i := range r.X {
		r.X[i] = inside(r.X[i], lower[i], upper[i], push)
	}

	// The first evaluation tells the number of constraints.
	b, err := fn.at(r.X)
	if err != nil {
		return nil, Failed, "", err
	}
	m := b.tape.Outputs() - 1
	fn.outputs, fn.weights = make([]float64, 1+m), make([]float64, 1+m)
	cl, cu := p.constraints(m)
	constant, err := fn.constants(b, r.X)
	if err != nil {
		return nil, Failed, "", err
	}
	if against := fn.constrain(cl, cu, constant, o.Tolerance); against != "" {
		return nil, Infeasible, against, nil
	}

	if ok, err := fn.derivatives(r.X); !ok || err != nil {
		return nil, Failed, "derivatives at the start are not finite", err
	}
	if !o.Unscaled {
		if err := fn.setScales(r.X); err != nil {
			return nil, Failed, "", err
		}
	}
	g := &program{functions: fn, lower: lower, upper: upper, sigma: 1}
	for row, out := range fn.output {
		if l, u := cl[out-1], cu[out-1]; l != u {
			g.addExtra(row, -1, 0, fn.scale[row]*l, fn.scale[row]*u)
		}
	}

	s := newSolver(g)
	s.logger = &logger{w: o.Log, each: o.Each}
	s.adaptive.on = !o.Monotone
	s.ctx, s.tol, s.maxSteps, s.r = ctx, o.Tolerance, o.MaxIterations, r
	copy(s.at.v, r.X)
	if ok, err := s.evaluate(s.at); !ok || err != nil {
		return s, Failed, "f or c is not finite at the start", err
	}
	for k, row := range g.extraRow { // s = c(x), between its bounds
		i := n + k
		s.at.v[i] = inside(s.at.c[row], g.lower[i], g.upper[i], push)
	}
	if ok, err := s.evaluate(s.at); !ok || err != nil {
		return s, Failed, "f or c is not finite at the start", err
	}
	if ok, err := s.differentiate(); !ok || err != nil {
		return s, Failed, "derivatives at the start are not finite", err
	}
	if o.Warm != nil {
		s.warm(o.Warm)
	} else if err := s.cold(); err != nil {
		return s, Failed, "", err
	}
	if o.Mu > 0 {
		s.mu = o.Mu
	}
	return s, Solved, "", nil
}

// constrain sets which outputs are constraints, between the bounds cl and cu: those without
// bounds are none, nor are those that are constant and hold to within the tolerance. If
// bounds contradict each other it says so.
func (fn *functions) constrain(cl, cu []float64, constant []bool, tolerance float64) (against string) {
	for j := range cl {
		switch c := fn.outputs[1+j]; {
		case cl[j] > cu[j] || math.IsInf(cl[j], 1) || math.IsInf(cu[j], -1):
			return contradiction(cl[j], cu[j], "constraint", j)
		case math.IsInf(cl[j], -1) && math.IsInf(cu[j], 1):
			continue
		case constant[j] && cl[j]-tolerance <= c && c <= cu[j]+tolerance:
			continue // a slack would have no room between its bounds if c is one of them
		}
		fn.output = append(fn.output, 1+j)
		target := 0.0
		if cl[j] == cu[j] {
			target = cl[j]
		}
		fn.target = append(fn.target, target)
		fn.scale = append(fn.scale, 1)
	}
	fn.m = len(fn.output)
	return ""
}

// constants reports which constraints have none but fixed variables in a branch, and
// sets outputs to the values at x.
func (fn *functions) constants(b *branch, x []float64) ([]bool, error) {
	if err := fn.evaluator.values(fn.outputs, x); err != nil {
		return nil, err
	}
	if err := fn.withJacobian(b); err != nil {
		return nil, err
	}
	constant := make([]bool, len(fn.outputs)-1)
	for j := range constant {
		constant[j] = true
		for _, i := range b.j.Pattern().Row(1 + j) {
			constant[j] = constant[j] && fn.fixed[i]
		}
	}
	return constant, nil
}

// inside moves v between its bounds.
func inside(v, l, u float64, kappa [2]float64) float64 {
	if l == u {
		return l
	}
	if math.IsNaN(v) {
		return v
	}
	if low := min(kappa[0]*max(1, math.Abs(l)), kappa[1]*(u-l)); !math.IsInf(l, -1) {
		v = max(v, l+low)
	}
	if high := min(kappa[0]*max(1, math.Abs(u)), kappa[1]*(u-l)); !math.IsInf(u, 1) {
		v = min(v, u-high)
	}
	return v
}

// cold sets the first multipliers: 1 of bounds, of constraints those that make
// the dual error least.
func (s *solver) cold() error {
	s.mu = firstMu
	for i := range s.zl {
		lower, upper := s.bounded(i)
		if lower {
			s.zl[i] = 1
		}
		if upper {
			s.zu[i] = 1
		}
	}
	err := s.leastSquaresMultipliers()
	if s.b.kkt != nil && s.settings.Plans == nil {
		s.b.kkt.analyze = true // by values that are more like those to come
	}
	return err
}

// leastSquaresMultipliers sets y to those of least ‖∇f − z_L + z_U + [c′ A]ᵀy‖,
// by the system with W + Σ = I, or to 0 if these are not determined or huge.
func (s *solver) leastSquaresMultipliers() error {
	clear(s.y)
	if s.m == 0 {
		return nil
	}
	for i := range s.dx {
		s.dx[i] = 1
	}
	clear(s.dc)
	for i := range s.sum {
		s.sum[i] = 1
	}
	s.shift = 0
	for _, r := range s.extraRow {
		s.dc[r]++
	}
	for _, shift := range []float64{0, deltaC} {
		for r := range s.dc {
			s.dc[r] += shift
		}
		found, err := s.factorizeKKT(nil)
		if err != nil {
			return err
		}
		if found != right {
			continue
		}
		floats.SubTo(s.rv, s.g, s.zl)
		floats.Add(s.rv, s.zu)
		clear(s.rc)
		if s.direct(s.step, s.rv, s.rc, s.mu) && floats.Norm(s.step.y, math.Inf(1)) <= multiplierMax {
			copy(s.y, s.step.y)
			break
		}
	}
	clear(s.step.v)
	return nil
}

// warm sets multipliers and μ from those of a result.
func (s *solver) warm(r *Result) {
	if len(r.Z) != s.n || len(r.Y) != len(s.outputs)-1 {
		panic(fmt.Sprintf("newton: Warm has %d variables and %d constraints, want %d and %d",
			len(r.Z), len(r.Y), s.n, len(s.outputs)-1))
	}
	s.mu = min(firstMu, max(r.Mu, s.tol))
	for row, out := range s.output {
		s.y[row] = r.Y[out-1] * s.fScale / s.scale[row]
	}
	for i := range s.zl {
		z := 0.0 // z_U − z_L
		if i < s.n {
			z = r.Z[i] * s.fScale
		} else {
			z = s.y[s.extraRow[i-s.n]]
		}
		lower, upper := s.bounded(i)
		if lower {
			s.zl[i] = max(-z, s.mu/s.toLower(s.at.v, i))
		}
		if upper {
			s.zu[i] = max(z, s.mu/s.toUpper(s.at.v, i))
		}
	}
	s.keepNear()
}

// report sets the Result to the current point, in the units of the problem, with the
// errors of p as it is given.
func (s *solver) report(p Problem) error {
	r := s.r
	n, m := s.n, len(s.outputs)-1
	lower, upper := p.bounds(n)
	copy(r.X, s.at.v[:n])
	for i := range r.X {
		r.X[i] = min(max(r.X[i], lower[i]), upper[i])
	}
	r.C, r.Y, r.Z = make([]float64, m), make([]float64, m), make([]float64, n)
	cl, cu := p.constraints(m)
	for row, out := range s.output {
		y := s.y[row] * s.scale[row] / s.fScale
		if y > 0 && math.IsInf(cu[out-1], 1) || y < 0 && math.IsInf(cl[out-1], -1) {
			y = 0 // of a side that cannot bind, within the errors
		}
		r.Y[out-1] = y
	}
	for i := range r.Z {
		r.Z[i] = (s.zu[i] - s.zl[i]) / s.fScale
	}
	b, err := s.evaluator.at(r.X)
	if err != nil {
		return err
	}
	if err := s.withJacobian(b); err != nil {
		return err
	}
	s.cost.Jacobians++
	if err := clock(&s.cost.Derivatives, func() error { return b.jacobian.EvalAll(b.j, s.outputs, s.in(b, r.X)) }); err != nil {
		return err
	}
	r.F = s.outputs[0]
	copy(r.C, s.outputs[1:])
	gradient := make([]float64, n)
	for out := range s.outputs {
		weight := 1.0
		if out > 0 {
			weight = r.Y[out-1]
		}
		columns, values := rowOf(b.j, out)
		for k, j := range columns {
			if weight != 0 {
				gradient[j] += weight * values[k]
			}
		}
	}
	r.Unscaled = Errors{}
	u := &r.Unscaled
	product := func(z, v, l, u float64) float64 { // of a multiplier with the distance to its bound
		switch {
		case l == u || z == 0:
			return 0
		case z > 0:
			return z * math.Abs(u-v)
		}
		return -z * math.Abs(v-l)
	}
	for i, g := range gradient {
		if s.fixed[i] {
			r.Z[i] = -g
		}
		u.Dual = max(u.Dual, math.Abs(g+r.Z[i]))
		u.Complementarity = max(u.Complementarity, product(r.Z[i], r.X[i], lower[i], upper[i]))
	}
	for j, c := range r.C {
		if math.IsInf(cl[j], -1) && math.IsInf(cu[j], 1) {
			continue // it may be NaN
		}
		u.Primal = max(u.Primal, cl[j]-c, c-cu[j])
		u.Complementarity = max(u.Complementarity, product(r.Y[j], c, cl[j], cu[j]))
	}
	return nil
}
