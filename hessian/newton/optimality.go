package newton

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/sparsity"
)

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
	s.moved.leastGain = min(s.moved.leastGain, gain)
	switch {
	case s.restored != nil && s.restored():
		return Solved, "", nil, true
	case gain > gap && (excess <= 1 || s.mu <= 10*s.leastMu() && gain > growing*max(gap, s.moved.leastGain)):
		if err := s.tighten(); err != nil {
			return Failed, "", err, true
		}
	case excess <= 1:
		if part := s.misdirected(); part > acceptable*s.tol && !s.inner {
			return Acceptable, fmt.Sprintf("multipliers of sides that cannot bind are 0 only to within %.3g of ∇f", part), nil, true
		}
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

// offCenter is how far from μ the product of a distance to a bound and its multiplier is,
// but for what is above because numbers near the bound are no finer.
func offCenter(distance, bound, z, mu float64) float64 {
	off := distance*z - mu
	if off > 0 && distance <= 2*epsilon*math.Abs(bound) {
		return 0
	}
	return math.Abs(off)
}

// misdirected is the largest part in ∇f + c′ᵀy + z of multipliers of sides that cannot bind, which
// the Result has as 0: the damping of slacks leaves some.
func (s *solver) misdirected() (part float64) {
	for k, r := range s.extraRow {
		y, i := s.y[r], s.n+k
		if y > 0 && math.IsInf(s.upper[i], 1) || y < 0 && math.IsInf(s.lower[i], -1) {
			_, values := rowOf(s.b.j, s.output[r])
			part = max(part, math.Abs(y)*floats.Norm(values, math.Inf(1)))
		}
	}
	return part
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

// uncertainty is what f may be off by, to first order: the sum of all complementarity
// products and of those of multipliers and violations, as far as numbers can tell.
func (s *solver) uncertainty() (sum float64) {
	for i := range s.at.v {
		lower, upper := s.bounded(i)
		if lower {
			sum += offCenter(s.toLower(s.at.v, i), s.lower[i], s.zl[i], 0)
		}
		if upper {
			sum += offCenter(s.toUpper(s.at.v, i), s.upper[i], s.zu[i], 0)
		}
	}
	if s.inner {
		return sum
	}
	for r, c := range s.at.c {
		if c = math.Abs(s.y[r] * c); c > 0 {
			columns, values := rowOf(s.b.j, s.output[r])
			terms := math.Abs(s.scale[r] * s.outputs[s.output[r]])
			for k, j := range columns {
				terms += math.Abs(values[k] * s.at.v[j])
			}
			sum += max(0, c-roundings*terms*math.Abs(s.y[r]))
		}
	}
	return sum
}

// offBy is what f may be off by where that is the given number to first order. Where constraints
// have no interior it is p times that, p the highest order, 2 at least, in which those with a part
// in it vanish: with v = (t − t₀)ᵖ along ∇v is t − t₀ = p·v/v′, and v·v″/v′² = 1 − 1/p. What
// multipliers leave of ∇f counts over that distance.
func (s *solver) offBy(first float64) (float64, error) {
	const part, least, most = 0.01, 2, 100
	order, far := float64(least), 0.0
	unit, g := make([]float64, s.m), make([]float64, s.n)
	lower, upper := s.lower, s.upper
	if s.moved.lower != nil {
		lower, upper = s.moved.lower, s.moved.upper
	}
	i := s.n // of the next slack
	for r, c := range s.at.c {
		v, away := c, math.Abs(c)
		if k := i - s.n; k < len(s.extraRow) && int(s.extraRow[k]) == r {
			slack, bound := s.at.v[i], upper[i]
			if s.y[r] < 0 {
				bound = lower[i]
			}
			v, away = c+slack-bound, away+math.Abs(slack-bound)
			i++
		}
		if !(math.Abs(s.y[r])*away >= part*first) {
			continue
		}
		unit[r] = 1
		err := s.program.hessian(s.at.v[:s.n], 0, unit)
		if unit[r] = 0; err != nil {
			return 0, err
		}
		clear(g)
		columns, values := rowOf(s.b.j, s.output[r])
		for k, j := range columns {
			g[j] = values[k]
		}
		bend := 0.0 // gᵀWg
		sparsity.NewSymMatrix(s.b.w).DoNonZero(func(i, j int, w float64) { bend += g[i] * w * g[j] })
		if square := floats.Dot(values, values); square > 0 {
			p := 1 / (1 - v*bend/(square*square))
			if !(p > 0 && p < most) {
				p = most
			}
			order, far = max(order, p), max(far, p*math.Abs(v)/math.Sqrt(square))
		}
	}
	s.errors(0)
	return order*first + floats.Norm(s.rv[:s.n], 2)*far, nil
}

// gap is what that may be at a solution, also without the scale of f.
func (s *solver) gap() float64 {
	f := math.Abs(s.at.f)
	return min(10*s.tol*max(1, f), max(10*s.tol, gapUnscaled)*max(s.fScale, f))
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
	if s.best.at == nil {
		s.best.state = s.newState()
	}
	s.best.set(&s.state)
}

// orAcceptable goes back to the best acceptable point if there is one, else the
// status is the given one.
func (s *solver) orAcceptable(status Status) (Status, string, error) {
	if s.inner || s.best.at == nil {
		return status, "", nil
	}
	s.set(&s.best.state)
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
