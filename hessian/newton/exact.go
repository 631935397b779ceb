package newton

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/sparsity"
)

const (
	// nearBoundary is how far from the radius the length of a step may be that
	// should have it.
	nearBoundary = 0.1

	// gap is how much of the model's decrease a step may forgo.
	gap = 0.1

	// roundings is how far from 0, relative to its terms, a derivative may be that
	// is 0 but for the rounding of x to a few units of the last place.
	roundings = 16 * epsilon

	// flatness is what counts as no negative curvature, relative to ‖H‖: well
	// above the rounding errors of a factorization, and small enough that the
	// step with H + λI for this λ is Newton's but for λ/μ in a direction of
	// curvature μ.
	flatness = 1e-11
)

// An exactModel is the quadratic q(s) = gᵀs + ½sᵀHs, in variables scaled by D: with
// s = D⁻¹z, load replaces g by D⁻¹g and H by D⁻¹HD⁻¹. Dᵢ² is |Hᵢᵢ|, or half of what it was at
// the point before if that is larger, so that neither the units of x nor those of f matter; s stands
// for z, and H and g for the scaled ones, from here on.
//
// Its minimum in ‖s‖ ≤ Δ is the s for which a λ ≥ 0 makes H + λI positive
// semidefinite, (H + λI)s = −g and λ(Δ − ‖s‖) = 0. Where H + λI is definite ‖s‖
// decreases with λ, and 1/‖s‖ is nearly linear: Newton's method finds the λ with
// ‖s‖ = Δ. In the hard case it does not exist, as g has no part along the
// eigenvectors of the least eigenvalue −λ; then a step along one of them, up to
// the boundary, is to be added. Whether a step is good enough is told by the dual
// value −½(sᵀ(H + λI)s + λΔ²), which is below the minimum for any such λ.
type exactModel struct {
	quadratic
	*evaluator
	b    *branch
	h    *sparsity.SymMatrix
	chol *linsolve.Cholesky

	// Of H: bounds on its eigenvalues by Gershgorin's circles, and flatness·‖H‖.
	lowest, highest, floor float64

	flat bool // λ = 0 was not definite, floor was

	// The direction of length 1 of the least curvature uᵀHu that was met: that of a
	// diagonal element to begin with.
	u    []float64
	bend float64

	w, circle []float64

	met []float64 // D, with 0 for 1 where no curvature was met
	x   []float64 // |H||x| without scaling
	pos []float64 // the point
}

func newExactModel(e *evaluator, n int) *exactModel {
	vector := func() []float64 { return make([]float64, n) }
	return &exactModel{
		quadratic: newQuadratic(n), evaluator: e,
		u: vector(), w: vector(), circle: vector(), met: vector(), x: vector(),
	}
}

// evaluate computes f, g and H at x.
func (m *exactModel) evaluate(x []float64) (f float64, err error) {
	b, err := m.at(x)
	if err != nil {
		return 0, err
	}
	if err := m.withHessian(b); err != nil {
		return 0, err
	}
	if b != m.b {
		m.use(b)
	}
	m.cost.Hessians++
	err = clock(&m.cost.Derivatives, func() (err error) {
		f, err = b.hessian.EvalAll(b.w, m.g, m.in(b, x))
		return err
	})
	return f, err
}

// use takes the matrix of another branch.
func (m *exactModel) use(b *branch) {
	m.b, m.h = b, sparsity.NewSymMatrix(b.w)
	if b.cholesky == nil {
		b.cholesky = new(linsolve.Cholesky)
	}
	m.chol = b.cholesky
}

// load takes new values of g and H at x, scales them and reports whether they are
// finite.
func (m *exactModel) load(x []float64) bool {
	p, values := m.h.Triangle().Pattern(), m.h.Triangle().Values()
	diagonal := m.w
	clear(diagonal)
	clear(m.circle)
	clear(m.x)
	clear(m.weight)
	at := 0
	m.flat, m.pos = false, x
	floats.Scale(0.7, m.met)
	for i := range diagonal {
		for _, j := range p.Row(i) {
			v := math.Abs(values[at])
			at++
			m.x[i] += v * math.Abs(x[j])
			m.circle[i] = max(m.circle[i], v)
			if int(j) == i {
				m.met[i] = max(m.met[i], math.Sqrt(v))
				m.weight[i] = math.Sqrt(max(values[at-1], 0))
			} else {
				m.x[j] += v * math.Abs(x[i])
				m.circle[j] = max(m.circle[j], v)
			}
		}
	}
	for i, d := range m.met {
		if d == 0 { // no curvature of its own: that of its largest coupling
			d = math.Sqrt(m.circle[i])
		}
		if d == 0 {
			d = 1
		}
		m.d[i] = d
		m.g[i] /= d
	}

	clear(m.circle)
	at = 0
	for i := range diagonal {
		for _, j := range p.Row(i) {
			values[at] = values[at] / m.d[i] / m.d[j]
			v := values[at]
			at++
			if int(j) == i {
				diagonal[i] = v
			} else {
				m.circle[i] += math.Abs(v)
				m.circle[j] += math.Abs(v)
			}
		}
	}
	m.lowest, m.highest = math.Inf(1), math.Inf(-1)
	for i, d := range diagonal {
		m.lowest = min(m.lowest, d-m.circle[i])
		m.highest = max(m.highest, d+m.circle[i])
	}
	m.floor = max(flatness*max(m.highest, -m.lowest), math.SmallestNonzeroFloat64)
	least := floats.MinIdx(diagonal)
	m.bend = diagonal[least]
	clear(m.u)
	m.u[least] = 1
	return finite(m.floor)
}

// rounded reports whether g is within the roundings of x of 0.
func (m *exactModel) rounded() bool {
	for i, g := range m.g {
		if !(math.Abs(g*m.d[i]) <= roundings*m.x[i]) {
			return false
		}
	}
	return true
}

// factorize factorizes H + λI and reports whether it is positive definite. If
// not, it returns a lower bound on the λ for which it is.
func (m *exactModel) factorize(lambda float64) (definite bool, above float64, err error) {
	err = clock(&m.cost.LinearAlgebra, func() error {
		m.cost.Factorizations++
		if m.chol.SymmetricDim() == 0 {
			if err := m.chol.Factorize(m.h); lambda == 0 {
				return err
			}
		}
		return m.chol.RefactorizeShift(m.h, lambda)
	})
	var e *linsolve.NotPositiveDefiniteError
	if !errors.As(err, &e) {
		return err == nil, 0, err
	}
	// vᵀ(H + λI)v ≤ 0 bounds the least eigenvalue of H.
	m.chol.NegativeCurvature(m.w)
	length := floats.Norm(m.w, 2)
	bend := e.Pivot/(length*length) - lambda
	if !finite(bend) { // entries near the largest number
		return false, lambda, nil
	}
	if bend < m.bend {
		m.bend = bend
		floats.ScaleTo(m.u, 1/length, m.w)
	}
	return false, -bend, nil
}

// sure reports whether s, of a λ up to the floor, is Newton's step as far as numbers tell: what
// λ leaves of g is at most half of it in each variable, or little beside the whole, or of the size of
// rounding errors. Where H is singular to rounding errors only a λ at the floor tells.
func (m *exactModel) sure(float64, float64) (bool, error) {
	const leaves, beside = 0.5, 10 * flatness
	if m.lambda == 0 && m.chol.Cond()*float64(len(m.s))*epsilon <= 0.1 {
		return true, nil
	}
	if m.forget() || m.lambda == 0 {
		if ok, _, err := m.factorize(m.floor); !ok || err != nil {
			return false, err
		}
		m.lambda = m.floor
		floats.ScaleTo(m.s, -1, m.g)
		if err := m.chol.SolveInto(m.s, m.s); err != nil {
			return false, err
		}
	}
	g := floats.Norm(m.g, 2)
	for i, s := range m.s {
		left := m.lambda * math.Abs(s)
		if !(left <= max(leaves*math.Abs(m.g[i]), beside*g) || left*m.d[i] <= roundings*m.x[i]) {
			return false, nil
		}
	}
	return true, nil
}

func (m *exactModel) singular() bool { return m.lambda > 0 }

// forget replaces a D that was larger at the points before, and whose λ could hide curvatures.
func (m *exactModel) forget() (stale bool) {
	p, values := m.h.Triangle().Pattern(), m.h.Triangle().Values()
	for i, d := range m.met {
		at := p.Position(i, i)
		stale = stale || d > 0 && !(at >= 0 && math.Abs(values[at]) >= 0.5)
	}
	if !stale {
		return false
	}
	at := 0
	for i := range m.d {
		for _, j := range p.Row(i) {
			values[at] *= m.d[i] * m.d[j]
			at++
		}
		m.g[i] *= m.d[i]
	}
	clear(m.met)
	return m.load(m.pos)
}

// definite reports whether H is positive definite, or flat.
func (m *exactModel) definite() (bool, error) {
	m.forget()
	if !m.flat {
		if ok, _, err := m.factorize(0); ok || err != nil {
			return ok, err
		}
	}
	ok, _, err := m.factorize(m.floor)
	return ok, err
}

// step leaves in s an s with ‖s‖ ≤ 1.1Δ and q(s) ≤ 0.9 of the minimum, nearly, and
// returns −q(s).
func (m *exactModel) step(radius float64) (decrease float64, err error) {
	const attempts = 60 // a bisection of anything would be through
	m.newton = false
	g := floats.Norm(m.g, 2)
	lower := max(0, -m.bend, g/radius-m.highest)
	upper := max(0, g/radius-m.lowest)
	lambda := m.lambda
	if lambda <= m.floor {
		lambda = 0
		if m.flat {
			lambda = m.floor
		}
	}
	if lambda < lower || lambda > max(upper, m.floor) {
		lambda = between(lower, upper)
	}
	best := math.Inf(-1) // decrease of the step in s, none yet
	tried := false       // no shift
	for range attempts {
		if !finite(lambda) {
			break
		}
		tried = tried || lambda <= m.floor
		definite, above, err := m.factorize(lambda)
		if err != nil {
			return 0, err
		}
		if !definite {
			lower = max(lower, lambda, above)
			if lambda < m.floor && lower <= m.floor {
				m.flat = true
				lambda = m.floor
			} else {
				m.flat = m.flat && lambda != m.floor
				upper = max(upper, 2*lower)
				lambda = between(lower, upper)
			}
			continue
		}

		// s = −(H + λI)⁻¹g, and what Newton's method for λ needs.
		var slope float64
		if err := clock(&m.cost.LinearAlgebra, func() error {
			floats.ScaleTo(m.s, -1, m.g)
			if err := m.chol.SolveInto(m.s, m.s); err != nil {
				return err
			}
			err := m.chol.SolveInto(m.w, m.s)
			slope = floats.Dot(m.s, m.w)
			return err
		}); err != nil {
			return 0, err
		}
		m.lambda = lambda
		length := floats.Norm(m.s, 2)
		down := -floats.Dot(m.g, m.s) // sᵀ(H + λI)s
		best = (down + lambda*length*length) / 2
		if length <= radius && lambda <= m.floor || math.Abs(length-radius) <= nearBoundary*radius {
			m.newton = lambda <= m.floor
			return best, nil
		}
		next := lambda + length*length/slope*(length-radius)/radius
		if length > radius {
			lower = lambda
		} else {
			upper = lambda
			if decrease, ok := m.toBoundary(radius, length, down); ok {
				return decrease, nil
			}
		}
		switch {
		case next > lower: // and below the solution
			lambda = next
		case !tried && lower <= m.floor:
			lambda = 0
			if m.flat {
				lambda = m.floor
			}
		default:
			lambda = between(lower, upper)
		}
	}
	if math.IsInf(best, -1) {
		return 0, errNoShift
	}
	// Along s the model decreases as far as the boundary.
	length := floats.Norm(m.s, 2)
	t := min(1, radius/length)
	down := -floats.Dot(m.g, m.s)
	floats.Scale(t, m.s)
	return t*down - t*t/2*(down-m.lambda*length*length), nil
}

var errNoShift = errors.New("no shift makes the Hessian positive definite")

// between is a λ inside the bounds, nearer to the lower one where they differ by
// magnitudes.
func between(lower, upper float64) float64 {
	return max(math.Sqrt(lower*upper), lower+0.01*(upper-lower))
}

// toBoundary adds to s, which is inside, a step along the direction of negative
// curvature, if that or s alone is good enough; down is sᵀ(H + λI)s.
func (m *exactModel) toBoundary(radius, length, down float64) (decrease float64, ok bool) {
	dual := down + m.lambda*radius*radius // −2 times the dual value
	if m.lambda*(radius*radius-length*length) <= gap*dual {
		return (down + m.lambda*length*length) / 2, true
	}
	// The shorter way to ‖s + αu‖ = Δ.
	su := floats.Dot(m.s, m.u)
	out := (radius - length) * (radius + length)
	alpha := out / (su + math.Copysign(math.Sqrt(su*su+out), su))
	lost := alpha * alpha * (m.bend + m.lambda)
	if lost > gap*dual {
		return 0, false
	}
	floats.AddScaled(m.s, alpha, m.u)
	return (dual - lost) / 2, true
}
