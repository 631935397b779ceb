package newton

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	hugeMultiplier = 1e6  // relative to ∇f, in its scale
	outwards       = 1e-8 // bounds are moved, relative to max(1, |bound|)
)

// relaxation is the state of what is done against multipliers that grow without end: all bounds are
// moved outwards, until that takes too much off f.
type relaxation struct {
	hugeSteps    int       // iterations in a row with multipliers that are huge
	once         bool      // bounds are moved, or were
	lower, upper []float64 // the bounds before that, nil if they are in force
	before       state
	leastGain    float64 // since then
}

// shrinkMultipliers replaces multipliers that have been huge for some iterations by those
// of least squares, if these explain ∇f as well. Where rows of c′ nearly depend on each other
// they may be anything, and all that is left in W of a sum of constraints with multipliers
// that cancel are their curvatures.
func (s *solver) shrinkMultipliers() error {
	const patience, less = 10, 0.1
	size, huge := floats.Norm(s.y, math.Inf(1)), hugeMultiplier*max(1, floats.Norm(s.g, math.Inf(1)))
	if s.inner || max(size, floats.Norm(s.zl, math.Inf(1)), floats.Norm(s.zu, math.Inf(1))) <= huge {
		s.moved.hugeSteps = 0
		return nil
	}
	if s.moved.hugeSteps++; s.moved.hugeSteps < patience {
		return nil
	}
	s.moved.hugeSteps = 0
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
	if s.moved.once {
		return false
	}
	s.moved.once = true
	s.moved.before = s.newState()
	s.moved.before.set(&s.state)
	s.moved.lower, s.moved.upper = slices.Clone(s.lower), slices.Clone(s.upper)
	s.moved.leastGain = math.Inf(1)
	for i := range s.lower {
		s.lower[i] -= outwards * max(1, math.Abs(s.lower[i]))
		s.upper[i] += outwards * max(1, math.Abs(s.upper[i]))
	}
	s.filter.pairs = s.filter.pairs[:0]
	s.adaptive.errors = s.adaptive.errors[:0]
	s.keepNear()
	return true
}

// gained is what moved bounds have taken off f, to first order.
func (s *solver) gained() (sum float64) {
	for i := range s.moved.lower {
		lower, upper := s.bounded(i)
		if lower {
			sum += s.zl[i] * (s.moved.lower[i] - s.lower[i])
		}
		if upper {
			sum += s.zu[i] * (s.upper[i] - s.moved.upper[i])
		}
	}
	return sum
}

// tighten goes back to where bounds were moved, and goes on with those that were given.
func (s *solver) tighten() error {
	copy(s.lower, s.moved.lower)
	copy(s.upper, s.moved.upper)
	s.moved.lower, s.moved.upper = nil, nil
	s.set(&s.moved.before)
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
