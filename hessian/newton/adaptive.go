package newton

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// The adaptive barrier of Nocedal, Wächter and Waltz: in free mode μ is chosen anew in
// each iteration, so that the step to the center of that μ makes the quality function
// least, a model of the errors after the step. If the errors themselves do not become
// less for some iterations, μ is kept, and lowered as always, until they have. Where that
// does not bring back what was lost, as multipliers of 10¹⁰ would not, the run starts over
// with a μ that is kept from the beginning.
const (
	sigmaMin, sigmaMax = 1e-6, 1e2 // of μ relative to the mean complementarity
	sigmaShifted       = 0.05      // least where δ_w > 0: what curvature the model has is not that of the problem
	sections           = 8         // of the search for σ
	references         = 4         // errors of that many iterations are remembered
	progress           = 0.9999    // of the largest of them, or less
	fixedShare         = 0.8       // of the mean complementarity, for a μ that is kept
	patience           = 10        // iterations for a μ that is kept
	regained           = 1e-2      // of the largest θ so far, or less, is progress
)

// adaptive is the state of the choice of μ.
type adaptive struct {
	on, free bool
	errors   []float64
	kept     int // iterations with μ kept

	start      state
	startError float64
	theta      float64 // the largest so far

	dualNorm, primalNorm float64 // 2-norms of what Newton's step makes 0

	affine, full *direction // of μ = 0 and of μ = 1
	probe        *direction
}

// meanComplementarity is the mean product of a multiplier and the distance to its
// bound, 0 without bounds.
func (s *solver) meanComplementarity() float64 {
	sum, count := 0.0, 0
	for i := range s.at.v {
		lower, upper := s.bounded(i)
		if lower {
			sum += s.zl[i] * s.toLower(s.at.v, i)
			count++
		}
		if upper {
			sum += s.zu[i] * s.toUpper(s.at.v, i)
			count++
		}
	}
	return sum / float64(max(1, count))
}

// totalError is the 1-norm of the optimality conditions.
func (s *solver) totalError() float64 {
	mu := s.mu
	s.mu = 0
	e := s.systemError()
	s.mu = mu
	return e
}

// adapt goes from one mode to the other.
func (s *solver) adapt() error {
	a := &s.adaptive
	e := s.totalError()
	if len(a.errors) == 0 {
		a.start = s.newState()
		a.start.set(&s.state)
		a.startError = e
	}
	a.theta = max(a.theta, s.at.theta)
	switch enough := len(a.errors) == 0 || e <= progress*slices.Max(a.errors); {
	case enough:
		a.errors = append(a.errors, e)
		if len(a.errors) > references {
			a.errors = a.errors[1:]
		}
		a.free, a.kept = true, 0
	case a.free:
		a.free = false
		s.setMu(fixedShare * s.meanComplementarity())
	default:
		if a.kept++; a.kept > patience && s.astray() {
			return s.startOver()
		}
	}
	return nil
}

// astray reports whether all is worse than at the start.
func (s *solver) astray() bool {
	a := &s.adaptive
	return a.on && len(a.errors) > 0 && s.at.theta > regained*a.theta && s.totalError() > a.startError
}

// startOver goes back to the start, to keep μ from there.
func (s *solver) startOver() error {
	a := &s.adaptive
	a.on, a.free = false, false
	s.set(&a.start)
	s.begin()
	s.lastShift, s.rejections, s.tinySteps = 0, 0, 0
	_, err := s.differentiate()
	return err
}

// setMu changes μ and what depends on it.
func (s *solver) setMu(mu float64) {
	s.mu = max(s.leastMu(), mu)
	s.tau = max(tauMin, 1-s.mu)
	s.filter.pairs = s.filter.pairs[:0]
	s.tinySteps = 0
	s.followMu()
}

// adaptiveStep chooses μ and computes the step for it, from those for 0 and for 1, as
// it is linear in μ.
func (s *solver) adaptiveStep() (ok bool) {
	a := &s.adaptive
	if a.affine == nil {
		n := len(s.at.v)
		a.affine, a.full, a.probe = newDirection(n, s.m), newDirection(n, s.m), newDirection(n, s.m)
	}
	for k, to := range []*direction{a.affine, a.full} {
		s.barrierGradient(s.rv, float64(k))
		s.addConstraints(s.rv, s.y)
		if !s.direct(to, s.rv, s.at.c, float64(k)) {
			return false
		}
	}
	mean := s.meanComplementarity()
	quality := func(logSigma float64) float64 {
		s.combine(a.probe, mean*math.Exp(logSigma))
		return s.quality(a.probe)
	}
	// Golden section, below 1 or above it.
	lo, hi := math.Log(sigmaMin), 0.0
	if s.shift > 0 {
		lo = math.Log(sigmaShifted)
	}
	if quality(0.01) < quality(0) {
		lo, hi = 0, math.Log(sigmaMax)
	}
	const golden = 0.381966011250105
	x, y := lo+golden*(hi-lo), hi-golden*(hi-lo)
	qx, qy := quality(x), quality(y)
	for range sections {
		if qx <= qy {
			hi, y, qy = y, x, qx
			x = lo + golden*(hi-lo)
			qx = quality(x)
		} else {
			lo, x, qx = x, y, qy
			y = hi - golden*(hi-lo)
			qy = quality(y)
		}
	}
	s.setMu(min(mean*math.Exp((lo+hi)/2), muMax))
	s.combine(s.step, s.mu)
	s.barrierGradient(s.phi, s.mu)
	return true
}

// combine sets d to the direction for μ.
func (s *solver) combine(d *direction, mu float64) {
	a := &s.adaptive
	mix := func(dst, affine, full []float64) {
		floats.SubTo(dst, full, affine)
		floats.AddScaledTo(dst, affine, mu, dst)
	}
	mix(d.v, a.affine.v, a.full.v)
	mix(d.y, a.affine.y, a.full.y)
	mix(d.zl, a.affine.zl, a.full.zl)
	mix(d.zu, a.affine.zu, a.full.zu)
}

// quality is the mean squares of the errors after the longest step along d, where the
// linear ones fall with the fraction that is taken.
func (s *solver) quality(d *direction) float64 {
	s.tau = max(tauMin, 1-s.mu)
	primal, dual := s.primalFraction(d.v), s.dualFraction(d)
	complementarity, count := 0.0, 0
	for i := range s.at.v {
		lower, upper := s.bounded(i)
		if lower {
			complementarity += sq((s.toLower(s.at.v, i) + primal*d.v[i]) * (s.zl[i] + dual*d.zl[i]))
			count++
		}
		if upper {
			complementarity += sq((s.toUpper(s.at.v, i) - primal*d.v[i]) * (s.zu[i] + dual*d.zu[i]))
			count++
		}
	}
	return sq((1-dual)*s.adaptive.dualNorm)/float64(max(1, s.n)) + sq((1-primal)*s.adaptive.primalNorm)/float64(max(1, s.m)) +
		complementarity/float64(max(1, count))
}

func sq(v float64) float64 { return v * v }
