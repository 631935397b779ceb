package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

const (
	// forcing bounds the residual ‖Hs + g‖ of a step, relative to ‖g‖.
	forcing = 0.1

	// exactly is the same for a step that is to pass the test: as long as something is left, there
	// may be less curvature along it.
	exactly = 1e-14

	// lanczosMax is how many products a step may take.
	lanczosMax = 10000

	// boundaryMax is how many of them after it came to the boundary.
	boundaryMax = 50
)

// A lanczosModel minimizes the quadratic gᵀs + ½sᵀHs in ‖s‖ ≤ Δ over the Krylov
// space of g and H, by products with H alone. As long as curvatures are positive and
// steps inside, the iterations are those of conjugate gradients, with
//
//	p₀ = −g,  αₖ = ‖gₖ‖²/pₖᵀHpₖ,  gₖ₊₁ = gₖ + αₖHpₖ,  pₖ₊₁ = −gₖ₊₁ + βₖpₖ,  βₖ = ‖gₖ₊₁‖²/‖gₖ‖².
//
// They are also the Lanczos process: in the orthogonal basis qₖ = ±gₖ/‖gₖ‖ the matrix H is
// tridiagonal, T with 1/αₖ + βₖ₋₁/αₖ₋₁ on its diagonal and √βₖ/|αₖ| beside it. Once the
// minimum is on the boundary it is s = Qh with the h that minimizes
//
//	‖g‖h₀ + ½hᵀTh, ‖h‖ ≤ Δ,
//
// by Newton's method for its λ, and Q is made a second time for it.
type lanczosModel struct {
	quadratic
	*evaluator
	x            []float64
	hp, p, res   []float64
	alpha, beta  []float64
	diag, beside []float64 // T
	size         float64   // largest |Ritz value|, about
	bent         bool      // negative curvature was met

	reference float64 // ‖g‖ at the start
	left      float64 // ‖Hs + g‖
	exact     bool    // the step is to leave nothing of g
}

func newLanczosModel(e *evaluator, n int) *lanczosModel {
	vector := func() []float64 { return make([]float64, n) }
	m := &lanczosModel{quadratic: newQuadratic(n), evaluator: e, x: vector(), hp: vector(), p: vector(), res: vector()}
	for i := range m.d {
		m.d[i], m.weight[i] = 1, 1
	}
	return m
}

func (m *lanczosModel) evaluate(x []float64) (f float64, err error) {
	copy(m.x, x)
	m.cost.Gradients++
	err = clock(&m.cost.Derivatives, func() (err error) {
		f, _, err = m.f.ValueGradient(m.g, x)
		return err
	})
	return f, err
}

func (m *lanczosModel) load([]float64) bool {
	g := floats.Norm(m.g, 2)
	if m.reference == 0 {
		m.reference = g
	}
	return finite(g)
}

// sure makes the step again until it leaves nothing of g.
func (m *lanczosModel) sure(length, decrease float64) (bool, error) {
	m.exact = true
	_, err := m.step(math.Inf(1))
	m.exact = false
	if !m.newton || m.bent || err != nil {
		return false, err
	}
	theta := m.leastRitz()
	return theta > 0 && (m.left <= length*theta || m.left*m.left <= decrease*theta), nil
}

// leastRitz is the least eigenvalue of T, +∞ of none.
func (m *lanczosModel) leastRitz() float64 {
	ritz := append([]float64(nil), m.diag...)
	if len(ritz) == 0 {
		return math.Inf(1)
	}
	if !(lapack.Implementation{}).Dsterf(len(ritz), ritz, append([]float64(nil), m.beside...)) {
		return math.NaN()
	}
	return ritz[0]
}

// singular is not known: g may be large in the units of a variable of little curvature.
func (m *lanczosModel) singular() bool { return false }

func (m *lanczosModel) rounded() bool {
	return floats.Norm(m.g, 2) <= roundings*m.size*floats.Norm(m.x, 2)
}

func (m *lanczosModel) definite() (bool, error) { return !m.bent, nil }

// product sets hp = Hp.
func (m *lanczosModel) product() error {
	m.cost.Products++
	return clock(&m.cost.Derivatives, func() error {
		_, err := m.f.HVP(m.hp, m.x, m.p)
		return err
	})
}

func (m *lanczosModel) step(radius float64) (decrease float64, err error) {
	clear(m.s)
	m.alpha, m.beta, m.diag, m.beside = m.alpha[:0], m.beta[:0], m.diag[:0], m.beside[:0]
	m.bent, m.newton, m.lambda, m.size = false, false, 0, 0
	copy(m.res, m.g)
	floats.ScaleTo(m.p, -1, m.g)
	m.left = 0
	g := floats.Norm(m.g, 2)
	if g == 0 {
		// Stationary: without a direction nothing is known of H.
		m.newton = true
		return 0, nil
	}
	enough := g * min(forcing, math.Sqrt(g/m.reference))
	if m.exact {
		enough = g * exactly
	}
	inside, atBoundary := true, 0
	var h []float64
	rr := g * g
	for k := range min(lanczosMax, 2*len(m.g)+10) {
		if err := m.product(); err != nil {
			return 0, err
		}
		curvature := floats.Dot(m.p, m.hp)
		if !finite(curvature) {
			return 0, errNoShift
		}
		alpha := rr / curvature
		d := curvature / rr
		if k > 0 {
			d += m.beta[k-1] / m.alpha[k-1]
		}
		m.alpha, m.diag = append(m.alpha, alpha), append(m.diag, d)
		m.size = max(m.size, math.Abs(d))
		m.bent = m.bent || curvature < 0
		if !finite(alpha) { // f is linear along p: the process ends here
			h, m.lambda = tridiagonalStep(m.diag, m.beside, g, radius)
			inside = false
			break
		}
		if inside {
			floats.AddScaled(m.s, alpha, m.p)
			if alpha < 0 || floats.Norm(m.s, 2) > radius {
				inside = false
			}
		}
		floats.AddScaled(m.res, alpha, m.hp)
		next := floats.Dot(m.res, m.res)
		beta := next / rr
		m.beta = append(m.beta, beta)
		off := math.Sqrt(beta) / math.Abs(alpha)
		if inside {
			if m.left = math.Sqrt(next); m.left <= enough {
				m.newton = true
				return m.insideDecrease(), nil
			}
		} else {
			h, m.lambda = tridiagonalStep(m.diag, m.beside, g, radius)
			if atBoundary++; off*math.Abs(h[k]) <= enough || atBoundary == boundaryMax || next == 0 {
				break
			}
		}
		m.beside = append(m.beside, off)
		rr = next
		floats.Scale(beta, m.p)
		floats.Sub(m.p, m.res)
	}
	if inside {
		return m.insideDecrease(), nil // as far as it came: a descent, not Newton's step
	}
	return m.assemble(h, g, radius)
}

// insideDecrease is −q(s): of conjugate gradients, −½gᵀs.
func (m *lanczosModel) insideDecrease() float64 { return -floats.Dot(m.g, m.s) / 2 }

// assemble sets s = Qh by a second pass and returns −q(s). As Q loses orthogonality to
// rounding errors, s may be longer than h, and is scaled back to the radius then, and
// q(s) is not that of h.
func (m *lanczosModel) assemble(h []float64, g, radius float64) (decrease float64, err error) {
	clear(m.s)
	copy(m.res, m.g)
	floats.ScaleTo(m.p, -1, m.g)
	sign := 1.0
	norm := g
	for k, c := range h {
		floats.AddScaled(m.s, sign*c/norm, m.res)
		if k+1 == len(h) {
			break
		}
		if err := m.product(); err != nil {
			return 0, err
		}
		floats.AddScaled(m.res, m.alpha[k], m.hp)
		norm *= math.Sqrt(m.beta[k])
		if m.alpha[k] > 0 {
			sign = -sign
		}
		floats.Scale(m.beta[k], m.p)
		floats.Sub(m.p, m.res)
	}
	if length := floats.Norm(m.s, 2); length > radius {
		floats.Scale(radius/length, m.s)
	}
	copy(m.p, m.s)
	if err := m.product(); err != nil {
		return 0, err
	}
	return -(floats.Dot(m.g, m.s) + floats.Dot(m.s, m.hp)/2), nil
}

// tridiagonalStep minimizes g·h₀ + ½hᵀTh in ‖h‖ ≤ Δ, where the minimum is on the
// boundary or T is not positive definite: (T + λI)h = −g·e₀ with the λ > −θ, θ the
// least eigenvalue of T, for which ‖h‖ = Δ. As no element beside the diagonal is 0
// there always is one.
func tridiagonalStep(diag, beside []float64, g, radius float64) (h []float64, lambda float64) {
	n := len(diag)
	h = make([]float64, n)
	d, w := make([]float64, n), make([]float64, n)
	// factorize makes T + λI = L diag(d) Lᵀ and reports whether d > 0.
	factorize := func(lambda float64) bool {
		for i := range n {
			d[i] = diag[i] + lambda
			if i > 0 {
				d[i] -= beside[i-1] * beside[i-1] / d[i-1]
			}
			if !(d[i] > 0) {
				return false
			}
		}
		return true
	}
	solve := func(b []float64) {
		for i := 1; i < n; i++ {
			b[i] -= beside[i-1] / d[i-1] * b[i-1]
		}
		for i := n - 1; i >= 0; i-- {
			b[i] /= d[i]
			if i+1 < n {
				b[i] -= beside[i] / d[i] * b[i+1]
			}
		}
	}
	lower, upper := 0.0, 0.0
	for i := range n {
		circle := 0.0
		if i > 0 {
			circle += beside[i-1]
		}
		if i+1 < n {
			circle += beside[i]
		}
		upper = max(upper, circle-diag[i])
	}
	upper += g / radius
	lambda = 0
	for range 200 {
		if !factorize(lambda) {
			lower = max(lower, lambda)
			lambda = (lower + upper) / 2
			continue
		}
		clear(h)
		h[0] = -g
		solve(h)
		length := floats.Norm(h, 2)
		if math.Abs(length-radius) <= 1e-3*radius || upper-lower <= epsilon*upper {
			break
		}
		if length > radius {
			lower = max(lower, lambda)
		} else if lambda == 0 {
			break // inside
		} else {
			upper = min(upper, lambda)
		}
		copy(w, h)
		solve(w)
		next := lambda + length*length/floats.Dot(h, w)*(length-radius)/radius
		if !(next > lower && next < upper) {
			next = (lower + upper) / 2
		}
		lambda = next
	}
	if length := floats.Norm(h, 2); length > radius {
		floats.Scale(radius/length, h)
	}
	return h, lambda
}
