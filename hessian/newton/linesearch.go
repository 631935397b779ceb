package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// lineSearch is the state of the filter line search.
type lineSearch struct {
	tau              float64   // the fraction of the distance to a bound that a step may go
	phi              []float64 // ∇φ_μ
	trial, second    *point
	alpha, dualAlpha float64 // that x and the multipliers took of the last step, after
	trials           int

	filter     filter
	thetaMin   float64
	rejections int // in a row, by the filter
	tinySteps  int

	left, before state // by the last step, and by one on trial
}

func newLineSearch(p *program) lineSearch {
	return lineSearch{
		phi: make([]float64, len(p.lower)), trial: p.newPoint(), second: p.newPoint(),
		left: p.newState(), before: p.newState(),
	}
}

// primalFraction is the largest α ≤ 1 with which v keeps the fraction 1−τ of its
// distances to the bounds.
func (s *solver) primalFraction(dv []float64) float64 {
	alpha := 1.0
	for i, d := range dv {
		lower, upper := s.bounded(i)
		if lower && d < 0 {
			alpha = min(alpha, -s.tau*s.toLower(s.at.v, i)/d)
		}
		if upper && d > 0 {
			alpha = min(alpha, s.tau*s.toUpper(s.at.v, i)/d)
		}
	}
	return alpha
}

// dualFraction is the same for the multipliers of the bounds.
func (s *solver) dualFraction(d *direction) float64 {
	alpha := 1.0
	for i := range s.zl {
		if dz := d.zl[i]; dz < 0 {
			alpha = min(alpha, -s.tau*s.zl[i]/dz)
		}
		if dz := d.zu[i]; dz < 0 {
			alpha = min(alpha, -s.tau*s.zu[i]/dz)
		}
	}
	return alpha
}

// search is algorithm A of Wächter and Biegler, steps: it goes along the
// direction to a point that the filter accepts. ok is false if there is none.
func (s *solver) search() (ok bool, err error) {
	phi := s.phiAt(s.at, s.mu)
	slope := floats.Dot(s.phi, s.step.v)
	theta := s.at.theta
	s.alpha = s.primalFraction(s.step.v)
	s.dualAlpha = s.dualFraction(s.step)
	s.trials = 0
	if s.isTiny() {
		return s.takeTiny()
	}
	least := s.leastAlpha(slope, theta)
	byFilter := false
	for first := true; s.alpha >= least; first = false {
		s.trials++
		usable, err := s.try(s.trial, s.step.v, s.alpha)
		if err != nil {
			return false, err
		}
		if usable {
			accepted, filtered := s.accepts(s.trial, phi, slope, theta, s.alpha)
			if accepted {
				if ok, err := s.accept(s.step, s.trial, phi, slope, theta); ok || err != nil {
					return ok, err
				}
			}
			byFilter = byFilter || filtered
			if first && !accepted && s.trial.theta >= theta {
				if accepted, err := s.correct(phi, slope, theta); accepted || err != nil {
					return accepted, err
				}
			}
		}
		s.alpha /= 2
	}
	s.noteRejection(byFilter)
	return false, nil
}

// leastAlpha is α_min, (23): below it there is nothing to gain, or the step is lost in
// rounding errors.
func (s *solver) leastAlpha(slope, theta float64) float64 {
	a := gammaTheta
	if slope < 0 {
		a = min(a, gammaPhi*theta/-slope)
		if theta <= s.thetaMin {
			a = min(a, delta*math.Pow(theta, sTheta)/math.Pow(-slope, sPhi))
		}
	}
	longest := 0.0
	for i, d := range s.step.v {
		longest = max(longest, math.Abs(d)/(1+math.Abs(s.at.v[i])))
	}
	return max(gammaAlpha*a, min(lost, lost/longest))
}

// try evaluates the point v + αΔv and reports whether it is finite.
func (s *solver) try(q *point, dv []float64, alpha float64) (bool, error) {
	floats.AddScaledTo(q.v, s.at.v, alpha, dv)
	return s.evaluate(q)
}

// switching is (19): the step leads downhill enough for the barrier function alone
// to decide.
func (s *solver) switching(slope, theta, alpha float64) bool {
	return slope < 0 && theta <= s.thetaMin && alpha*math.Pow(-slope, sPhi) > delta*math.Pow(theta, sTheta)
}

// accepts is step; byFilter says that the filter alone was against.
func (s *solver) accepts(q *point, phi, slope, theta, alpha float64) (accepted, byFilter bool) {
	phiTrial := s.phiAt(q, s.mu)
	if !finite(phiTrial) || q.theta > s.filter.thetaMax {
		return false, false
	}
	if s.switching(slope, theta, alpha) {
		accepted = lessEq(phiTrial, phi+etaPhi*alpha*slope, phi)
	} else {
		accepted = lessEq(q.theta, (1-gammaTheta)*theta, theta) || lessEq(phiTrial, phi-gammaPhi*theta, phi)
	}
	if accepted && !s.filter.acceptable(q.theta, phiTrial) {
		return false, true
	}
	return accepted, false
}

// correct tries second-order corrections of a step that made ‖c‖ larger: steps for
// which the constraints are linearized at the trial point, step.
func (s *solver) correct(phi, slope, theta float64) (accepted bool, err error) {
	for r := range s.rc {
		s.rc[r] = s.alpha*s.at.c[r] + s.trial.c[r]
	}
	old := s.trial.theta
	for range maxSOC {
		copy(s.rv, s.phi)
		s.addConstraints(s.rv, s.y)
		if !s.direct(s.correction, s.rv, s.rc, s.mu) {
			return false, nil
		}
		alpha := s.primalFraction(s.correction.v)
		usable, err := s.try(s.second, s.correction.v, alpha)
		if !usable || err != nil {
			return false, err
		}
		if ok, _ := s.accepts(s.second, phi, slope, theta, s.alpha); ok {
			s.alpha = alpha
			return s.accept(s.correction, s.second, phi, slope, theta)
		}
		if s.second.theta > kappaSOC*old {
			return false, nil
		}
		old = s.second.theta
		for r := range s.rc {
			s.rc[r] = alpha*s.rc[r] + s.second.c[r]
		}
	}
	return false, nil
}

// accept goes to a point q = v + αΔv and enters the old one in the filter unless φ
// alone decided.
func (s *solver) accept(d *direction, q *point, phi, slope, theta float64) (ok bool, err error) {
	alpha := s.alpha
	if !(s.switching(slope, theta, alpha) && lessEq(s.phiAt(q, s.mu), phi+etaPhi*alpha*slope, phi)) {
		s.filter.add(theta, phi)
	}
	s.rejections, s.tinySteps = 0, 0
	return s.move(d, q)
}

// move goes to q, with the multipliers of a direction. Where derivatives are not
// finite it stays, and ok is false.
func (s *solver) move(d *direction, q *point) (ok bool, err error) {
	s.dualAlpha = s.dualFraction(d)
	s.left.set(&s.state)
	defer func() {
		if !ok && err == nil {
			s.set(&s.left)
			_, err = s.differentiate()
		}
	}()
	s.at.set(q)
	floats.AddScaled(s.y, s.alpha, d.y)
	floats.AddScaled(s.zl, s.dualAlpha, d.zl)
	floats.AddScaled(s.zu, s.dualAlpha, d.zu)
	s.keepNear()
	return s.differentiate()
}

// noteRejection forgets a filter that was against too often in a row: it may hold
// the points of another, far part of the way.
func (s *solver) noteRejection(byFilter bool) {
	const patience = 5
	if !byFilter {
		s.rejections = 0
		return
	}
	if s.rejections++; s.rejections >= patience {
		s.filter.pairs = s.filter.pairs[:0]
		s.rejections = 0
	}
}

// lost is how far a step must go, relative to 1 + |v|, not to be lost in rounding errors.
const lost = 10 * epsilon

// isTiny reports whether the step is lost in rounding errors.
func (s *solver) isTiny() bool {
	for i, d := range s.step.v {
		if math.Abs(d) > lost*(1+math.Abs(s.at.v[i])) {
			return false
		}
	}
	return s.at.theta <= 1e-4
}

// takeTiny takes such a step without asking. A second one in a row makes μ smaller;
// with the least μ it is the end.
func (s *solver) takeTiny() (ok bool, err error) {
	if s.tinySteps++; s.tinySteps > 2 {
		return false, nil
	}
	usable, err := s.try(s.trial, s.step.v, s.alpha)
	if !usable || err != nil {
		return false, err
	}
	return s.move(s.step, s.trial)
}

// state is a point with its multipliers.
type state struct {
	at        *point
	y, zl, zu []float64
	mu        float64
}

func (p *program) newState() state {
	n := len(p.lower)
	return state{at: p.newPoint(), y: make([]float64, p.m), zl: make([]float64, n), zu: make([]float64, n)}
}

// set copies o.
func (t *state) set(o *state) {
	t.at.set(o.at)
	copy(t.y, o.y)
	copy(t.zl, o.zl)
	copy(t.zu, o.zu)
	t.mu = o.mu
}
