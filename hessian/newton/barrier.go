package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/sparsity"
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
			s.dualNorm, s.primalNorm = floats.Norm(s.rv, 2), floats.Norm(s.at.c, 2)
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
	if s.strictLower != nil {
		lower, upper = s.strictLower, s.strictUpper
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
