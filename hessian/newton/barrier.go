package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// The barrier function is
//
//	φ_μ(v) = f(v) − μ Σ ln(vᵢ − lᵢ) − μ Σ ln(uᵢ − vᵢ) + κ_d μ Σ (vᵢ − lᵢ) + κ_d μ Σ (uᵢ − vᵢ),
//
// the linear terms for variables with one bound only, so that it is bounded below
// where f does not depend on them.

// Constants of the barrier, with the names of Wächter and Biegler.
const (
	firstMu  = 0.1
	muMax    = 1e5
	kappaEps = 10.0
	kappaMu  = 0.2
	thetaMu  = 1.5
	tauMin   = 0.99
	kappaD   = 1e-5
	kappaZ   = 1e10 // κ_Σ
)

// phiAt is φ_μ.
func (s *solver) phiAt(q *point, mu float64) float64 {
	logs, damping := 0.0, 0.0
	for i := range q.v {
		lower, upper := s.bounded(i)
		if lower {
			d := s.toLower(q.v, i)
			logs += math.Log(d)
			if !upper {
				damping += d
			}
		}
		if upper {
			d := s.toUpper(q.v, i)
			logs += math.Log(d)
			if !lower {
				damping += d
			}
		}
	}
	return q.f - mu*logs + kappaD*mu*damping
}

// barrierGradient is ∇φ_μ at the current point.
func (s *solver) barrierGradient(dst []float64, mu float64) {
	copy(dst, s.g)
	for i := range dst {
		lower, upper := s.bounded(i)
		if lower {
			dst[i] -= mu / s.toLower(s.at.v, i)
			if !upper {
				dst[i] += kappaD * mu
			}
		}
		if upper {
			dst[i] += mu / s.toUpper(s.at.v, i)
			if !lower {
				dst[i] -= kappaD * mu
			}
		}
	}
}

// lowerBarrier makes μ smaller as long as the barrier problem is solved well
// enough for it, and forgets the filter, whose φ is another then.
func (s *solver) lowerBarrier() error {
	if s.adaptive.on && s.pairs > 0 {
		if err := s.adapt(); err != nil {
			return err
		}
		if s.adaptive.free {
			s.errors(0)
			s.adaptive.dualNorm, s.adaptive.primalNorm = floats.Norm(s.rv, 2), floats.Norm(s.at.c, 2)
			return nil
		}
	}
	for s.mu > s.leastMu() {
		if _, e := s.errors(s.mu); e.largest() > kappaEps*s.mu && s.tinySteps < 2 {
			break
		}
		s.setMu(min(kappaMu*s.mu, math.Pow(s.mu, thetaMu)))
	}
	return nil
}

// leastMu is how small μ becomes: enough for the test.
func (s *solver) leastMu() float64 {
	return min(s.tol/(kappaEps+1), s.gap()/float64(2*max(1, s.pairs)))
}

// keepNear keeps each multiplier within κ_Σ of μ/d, so that Σ cannot differ from
// the Hessian of the barrier by any factor.
func (s *solver) keepNear() {
	near := func(z, d float64) float64 { return max(min(z, kappaZ*s.mu/d), s.mu/(kappaZ*d)) }
	for i := range s.zl {
		lower, upper := s.bounded(i)
		if lower {
			s.zl[i] = near(s.zl[i], s.toLower(s.at.v, i))
		}
		if upper {
			s.zu[i] = near(s.zu[i], s.toUpper(s.at.v, i))
		}
	}
}
