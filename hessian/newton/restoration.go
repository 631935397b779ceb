package newton

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// The restoration phase minimizes the violation of the constraints near the
// point x_R where no step was acceptable,
//
//	minimize  ρ Σ(p + n) + ½ζ‖D(x − x_R)‖²
//	subject to  c(x) − s − p + n = 0,  l ≤ (x, s) ≤ u,  p, n ≥ 0,
//
// by the method itself, until the filter accepts the point with 0.9 of the
// violation. D is diagonal, 1/|x_R| where that is above 1, and ζ = √μ vanishes with
// the barrier: what remains is a local minimum of ‖c‖₁. Wächter and Biegler, section
// 3.3.
const (
	rho         = 1000
	kappaResto  = 0.9
	maxRefused  = 3
	multiplierR = 1e3 // above it multipliers of bounds start again
)

// phase is what restoration needs to know.
type phase struct {
	inner     bool        // the solver is that of a restoration phase,
	restored  func() bool // which reports whether it has done
	refused   int         // restorations in vain
	ended     Status      // by the restoration phase
	endReason string
}

// rescue is what follows when the line search has failed: first steps that make
// the error of the whole system less, then the restoration phase.
func (s *solver) rescue() (ok bool, err error) {
	if ok, err := s.soften(); ok || err != nil {
		return ok, err
	}
	if s.inner {
		return s.resettle()
	}
	if s.at.theta <= s.tol*1e-2 || s.m == 0 {
		return s.regularize() // nothing to restore
	}
	if s.astray() {
		return true, s.startOver()
	}
	return s.restore()
}

// soften takes the step as far as bounds allow if that makes the error of the
// primal–dual system less: where the digits of φ are used up that is still to be
// seen.
func (s *solver) soften() (ok bool, err error) {
	const less = 1 - 1e-4
	old := s.systemError()
	s.alpha = min(s.primalFraction(s.step.v), s.dualFraction(s.step))
	usable, err := s.try(s.trial, s.step.v, s.alpha)
	if !usable || err != nil || s.trial.theta > s.filter.thetaMax {
		return false, err
	}
	phi, phiTrial := s.phiAt(s.at, s.mu), s.phiAt(s.trial, s.mu)
	if s.trial.theta >= s.at.theta && phiTrial > phi+drowned*max(1, math.Abs(phi)) {
		return false, nil
	}
	s.before.set(&s.state)
	if ok, err := s.move(s.step, s.trial); !ok || err != nil {
		return false, err
	}
	if s.systemError() <= less*old {
		return true, nil
	}
	s.set(&s.before)
	_, err = s.differentiate()
	return false, err
}

// systemError is the 1-norm of the primal–dual equations.
func (s *solver) systemError() float64 {
	copy(s.rv, s.g)
	s.addConstraints(s.rv, s.y)
	sum := s.at.theta
	for i, v := range s.rv {
		if i < s.n && s.fixed[i] {
			continue
		}
		sum += math.Abs(v + s.zu[i] - s.zl[i])
		lower, upper := s.bounded(i)
		if lower {
			sum += math.Abs(s.toLower(s.at.v, i)*s.zl[i] - s.mu)
		}
		if upper {
			sum += math.Abs(s.toUpper(s.at.v, i)*s.zu[i] - s.mu)
		}
	}
	return sum
}

// restore runs the restoration phase and goes on from where it leads.
func (s *solver) restore() (ok bool, err error) {
	phi := s.phiAt(s.at, s.mu)
	s.filter.add(s.at.theta, phi)
	r := s.restoration()
	size := len(s.at.v)
	probe := s.second
	r.restored = func() bool {
		copy(probe.v, r.at.v[:size])
		usable, err := s.evaluate(probe)
		return err == nil && usable && probe.theta <= kappaResto*s.at.theta &&
			s.filter.acceptable(probe.theta, s.phiAt(probe, s.mu))
	}
	if ok, err := r.settle(); !ok || err != nil {
		return false, err
	}
	status, reason, err := r.run()
	s.lines, s.lastShift = r.lines, 0
	if status == Failed {
		return false, err
	}
	stopped := status
	copy(s.trial.v, r.at.v[:size])
	usable, err := s.evaluate(s.trial)
	if err != nil {
		return false, err
	}
	switch {
	case stopped == Canceled || stopped == IterationLimit:
		s.ended, s.endReason = stopped, reason
	case stopped == Solved && r.restored():
	case floats.Norm(s.trial.c, math.Inf(1)) > max(s.tol, feasibility*1e-2):
		violation := floats.Norm(s.trial.c, math.Inf(1))
		s.ended, s.endReason = Infeasible, fmt.Sprintf("the sum of violations has a local minimum, the largest of them is %.3g", violation)
		switch stopped {
		case Solved:
		case Saddle:
			s.endReason = fmt.Sprintf("the sum of violations has a saddle, the largest of them is %.3g: another start may do", violation)
		default:
			s.ended, s.endReason = StepTooSmall, fmt.Sprintf("restoration of feasibility ended (%v) with constraints violated by %.3g", stopped, violation)
		}
	default:
		// Feasible, but no better than points before: the filter is forgotten.
		if s.refused++; s.refused > maxRefused {
			return false, nil
		}
		s.filter.pairs = s.filter.pairs[:0]
	}
	if !usable {
		return false, nil
	}
	s.adopt(s.trial)
	if ok, err = s.differentiate(); !ok || err != nil {
		return false, err
	}
	if s.ended != 0 {
		copy(s.y, r.y)
		return true, nil
	}
	return true, s.leastSquaresMultipliers()
}

// adopt goes to a point q. The multipliers of bounds take the step of Newton's
// method that belongs to v's, and start again where that makes them huge.
func (s *solver) adopt(q *point) {
	dv := s.step.v
	floats.SubTo(dv, q.v, s.at.v)
	largest := 0.0
	for i := range dv {
		lower, upper := s.bounded(i)
		s.step.zl[i], s.step.zu[i] = 0, 0
		if lower {
			d := s.toLower(s.at.v, i)
			s.step.zl[i] = s.mu/d - s.zl[i] - s.zl[i]/d*dv[i]
		}
		if upper {
			d := s.toUpper(s.at.v, i)
			s.step.zu[i] = s.mu/d - s.zu[i] + s.zu[i]/d*dv[i]
		}
	}
	alpha := s.dualFraction(s.step)
	s.at.set(q)
	for i := range s.zl {
		s.zl[i] += alpha * s.step.zl[i]
		s.zu[i] += alpha * s.step.zu[i]
		largest = max(largest, s.zl[i], s.zu[i])
	}
	if largest > multiplierR {
		for i := range s.zl {
			lower, upper := s.bounded(i)
			if lower {
				s.zl[i] = 1
			}
			if upper {
				s.zu[i] = 1
			}
		}
	}
	s.keepNear()
}

// restoration is the solver of the restoration phase from the current point.
func (s *solver) restoration() *solver {
	size := len(s.at.v)
	clone := func(v []float64) []float64 { return append([]float64(nil), v...) }
	p := &program{
		functions: s.functions,
		extraRow:  append([]int32(nil), s.extraRow...), extraSign: clone(s.extraSign),
		extraCost: make([]float64, s.extras()),
		lower:     clone(s.lower), upper: clone(s.upper),
		d: make([]float64, s.n), center: clone(s.at.v[:s.n]),
	}
	for i, x := range p.center {
		p.d[i] = 1 / max(1, math.Abs(x))
	}
	for row := range s.m {
		p.addExtra(row, -1, rho, 0, math.Inf(1))
		p.addExtra(row, 1, rho, 0, math.Inf(1))
	}
	r := newSolver(p)
	r.logger, r.ctx, r.tol, r.maxSteps, r.r = s.logger, s.ctx, s.tol, s.maxSteps, s.r
	r.inner = true
	r.mu = max(s.mu, floats.Norm(s.at.c, math.Inf(1)))
	r.followMu()
	copy(r.at.v, s.at.v)
	for i := range size {
		r.zl[i], r.zu[i] = min(rho, s.zl[i]), min(rho, s.zu[i])
	}
	return r
}

// followMu sets what depends on μ beside the barrier.
func (s *solver) followMu() {
	if s.inner {
		s.zeta = math.Sqrt(s.mu)
	}
}

// settle sets p and n, of the restoration phase, to what is best for its x and s,
// and the multipliers y to 0: (31) and (32).
func (s *solver) settle() (ok bool, err error) {
	first := len(s.at.v) - 2*s.m
	pn := s.at.v[first:]
	clear(pn)
	if ok, err = s.evaluate(s.at); !ok || err != nil {
		return false, err
	}
	for row, c := range s.at.c {
		h := math.Hypot(s.mu, rho*c)
		large := (s.mu + rho*math.Abs(c) + h) / (2 * rho)
		small := s.mu * (s.mu + h) / (rho * (s.mu + h + rho*math.Abs(c)))
		if c >= 0 {
			pn[2*row], pn[2*row+1] = large, small
		} else {
			pn[2*row], pn[2*row+1] = small, large
		}
		for k := first + 2*row; k < first+2*row+2; k++ {
			s.zl[k] = s.mu / s.at.v[k]
		}
	}
	clear(s.y)
	if ok, err = s.evaluate(s.at); !ok || err != nil {
		return false, err
	}
	return s.differentiate()
}

// resettle is the restoration of the restoration phase: p and n anew for the x
// there is, once in a row.
func (s *solver) resettle() (ok bool, err error) {
	if s.refused++; s.refused > maxRefused {
		return false, nil
	}
	if ok, err = s.settle(); !ok || err != nil {
		return false, err
	}
	s.filter.pairs = s.filter.pairs[:0]
	return true, nil
}
