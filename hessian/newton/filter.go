package newton

// filter is pairs (θ, φ) of constraint violation and barrier function. A point is
// acceptable to it if it is better than each of them in one of the two. It starts
// with what lies beyond θ_max.
type filter struct {
	thetaMax float64
	pairs    []pair
}

type pair struct{ theta, phi float64 }

// Constants of the filter and its line search, with the names of Wächter and
// Biegler.
const (
	gammaTheta = 1e-5
	gammaPhi   = 1e-8
	gammaAlpha = 0.05
	delta      = 1.0
	sTheta     = 1.1
	sPhi       = 2.3
	etaPhi     = 1e-8
	kappaSOC   = 0.99
	maxSOC     = 4
)

func (f *filter) acceptable(theta, phi float64) bool {
	if theta > f.thetaMax {
		return false
	}
	for _, p := range f.pairs {
		if theta > p.theta && noLess(phi, p.phi) {
			return false
		}
	}
	return true
}

// add enters a point with the margins that later ones must gain, and drops what it
// dominates.
func (f *filter) add(theta, phi float64) {
	p := pair{(1 - gammaTheta) * theta, phi - gammaPhi*theta}
	kept := f.pairs[:0]
	for _, q := range f.pairs {
		if q.theta < p.theta || q.phi < p.phi {
			kept = append(kept, q)
		}
	}
	f.pairs = append(kept, p)
}

// noLess reports φ ≥ ψ beyond rounding.
func noLess(phi, psi float64) bool { return !lessEq(phi, psi, psi) }

// lessEq reports a ≤ b up to rounding errors of numbers of the size of base.
func lessEq(a, b, base float64) bool { return a-b <= 10*epsilon*abs(base) }

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
}
