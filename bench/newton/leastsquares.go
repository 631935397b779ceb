package newton

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/reverse"
)

// LeastSquares minimizes ½‖r(x)‖² of a few variables by the method of Levenberg
// and Marquardt: a step solves
//
//	min ‖Js + r‖, ‖Ds‖ ≤ Δ,
//
// by QR factorizations, with the Jacobian J and D its largest column norms so
// far. Where the bound does not bind it is the step of Gauss and Newton, Newton's
// but for the terms Σ rᵢ∇²rᵢ of the Hessian. The radius Δ grows where the linear
// model predicts ‖r‖ well and shrinks where it does not. Convergence is quadratic
// where r = 0 at the solution, linear at the rate of those terms elsewhere.
//
// It has found a solution where one of these holds, none of which depends on the
// units of x or r:
//
//   - cosine: r is orthogonal to the columns of J, |Jⱼᵀr| ≤ tol·‖Jⱼ‖‖r‖;
//   - step: J has full rank and the step of Gauss and Newton moves x by little,
//     ‖Cs‖ ≤ tol·‖Cx‖ with C the column norms of J;
//   - rounding: no step makes ‖r‖ less, and Jᵀr is what rounding x makes of 0,
//     |Jᵀr| ≤ 16ε·|J|ᵀ|J||x|.
//
// All hold where J vanishes, which may be at a maximum or at infinity.
//
// Where residuals are large, use TrustRegion on the tape of ½‖r(x)‖².
//
// Source: Moré, The Levenberg–Marquardt algorithm: implementation and theory,
// Lecture Notes in Mathematics 630, Springer 1978.
type LeastSquares struct {
	// Tolerance is tol; 0 means 1e-10.
	Tolerance float64

	// MaxIterations is the largest number of steps tried; 0 means 1000.
	MaxIterations int
}

// Minimize minimizes ½‖r‖² of a tape with the outputs r, not fewer than its
// inputs, from x0. If it ends elsewhere than at a solution as above the error is a
// *StoppedError; an error of the tape ends it, too. A Result counts the residuals
// as values and F is ½‖r‖². Cost: an iteration takes the residuals, a Jacobian and
// a QR factorization of it, and some of n×n matrices where the bound binds.
func (o LeastSquares) Minimize(t *reverse.Tape, x0 []float64) (*Result, error) {
	const method = "Levenberg–Marquardt"
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 1000
	}
	n, m := len(x0), t.Outputs()
	r := &Result{X: append([]float64(nil), x0...)}
	var plan *reverse.SparseJacobian
	if err := clock(&r.Prepare, func() (err error) {
		plan, err = reverse.NewSparseJacobian(t)
		return err
	}); err != nil {
		return r, err
	}
	p := newLinearModel(m, n)
	next := newLinearModel(m, n)
	values := plan.Matrix()
	evaluate := func(p *linearModel, x []float64) error {
		r.Jacobians++
		return clock(&r.Derivatives, func() error {
			err := plan.EvalAll(values, p.r, x)
			values.ToDense(p.j)
			return err
		})
	}
	if err := evaluate(p, r.X); err != nil {
		return r, err
	}
	p.load()
	r.F, r.Gradient = p.f, floats.Norm(p.g, math.Inf(1))
	if !finite(p.f) || !finite(floats.Norm(p.d, 2)) {
		return r.stop(method, "the residuals are not finite at the start")
	}
	trial := make([]float64, n)
	radius := p.length(x0)
	if radius == 0 {
		radius = floats.Norm(p.r, 2)
	}
	for {
		if p.cosine() <= o.Tolerance {
			return r, nil
		}
		if r.Iterations == o.MaxIterations {
			return r.stop(method, "iterations")
		}
		r.Iterations++
		predicted := 0.0
		_ = clock(&r.LinearAlgebra, func() error {
			predicted = p.step(radius, &r.Factorizations)
			return nil
		})
		r.Step, r.Decrease = scaledNorm(p.norm, p.s)/scaledNorm(p.norm, r.X), predicted/p.f
		if p.free && r.Step <= o.Tolerance && p.gaussNewton(r.X) <= o.Tolerance {
			return r, nil
		}
		floats.AddTo(trial, r.X, p.s)
		r.Values++
		if err := clock(&r.Derivatives, func() error {
			_, err := t.Values(next.r, trial)
			return err
		}); err != nil {
			return r, err
		}
		ratio := (p.f - floats.Dot(next.r, next.r)/2) / predicted
		accepted := ratio > 1e-4
		if !accepted && predicted <= drowned*p.f {
			// The difference may be rounding errors: what is left of r along J decides.
			if err := evaluate(next, trial); err != nil {
				return r, err
			}
			copy(next.d, p.d)
			next.load()
			accepted = next.cosine() <= 0.9*p.cosine()
		}
		length := p.length(p.s)
		switch {
		case !accepted || ratio < 0.25 && predicted > drowned*p.f:
			radius = length / 4
		case ratio >= 0.75:
			radius = max(radius, 2*length)
		}
		if !accepted {
			if !(length > epsilon*p.length(r.X)) {
				if p.rounded(r.X) {
					return r, nil
				}
				return r.stop(method, "no descent")
			}
			continue
		}
		copy(r.X, trial)
		if err := evaluate(p, r.X); err != nil {
			return r, err
		}
		p.load()
		r.F, r.Gradient = p.f, floats.Norm(p.g, math.Inf(1))
		if !finite(floats.Norm(p.d, 2)) {
			return r.stop(method, "the Jacobian is not finite")
		}
	}
}

// A linearModel is ½‖Js + r‖². With z = Ds, the z of a λ ≥ 0 minimizes
//
//	‖JD⁻¹z + r‖² + λ‖z‖²,
//
// and its length falls with λ. Newton's method for 1/‖z‖ = 1/Δ finds the λ of a
// radius Δ, as in Moré's article: with the factor R of JᵀJ + λD² in these units,
// ½ d‖z‖²/dλ = −‖R⁻ᵀz‖².
type linearModel struct {
	j    *mat.Dense
	r    []float64
	f    float64   // ½‖r‖²
	g    []float64 // Jᵀr
	norm []float64 // of the columns of J
	d    []float64 // their largest so far, 1 where all were 0
	met  []float64 // the same, 0 there

	s    []float64
	free bool // s is the step of Gauss and Newton: λ = 0

	stacked, r1    *mat.Dense // [JD⁻¹ r; √λI 0], and the R of its factorization
	largest, least float64    // elements of the diagonal of R
	qr             mat.QR
	z, w           *mat.VecDense
	js             *mat.VecDense
}

func newLinearModel(m, n int) *linearModel {
	vector := func(n int) []float64 { return make([]float64, n) }
	return &linearModel{
		j: mat.NewDense(m, n, nil), r: vector(m),
		g: vector(n), norm: vector(n), d: vector(n), met: vector(n), s: vector(n),
		stacked: mat.NewDense(m+n+1, n+1, nil), // a row of 0 more than columns, if m = 0
		r1:      new(mat.Dense),
		z:       mat.NewVecDense(n, nil), w: mat.NewVecDense(n, nil), js: mat.NewVecDense(m, nil),
	}
}

// load computes what follows from J and r.
func (p *linearModel) load() {
	p.f = floats.Dot(p.r, p.r) / 2
	mat.NewVecDense(len(p.g), p.g).MulVec(p.j.T(), mat.NewVecDense(len(p.r), p.r))
	for i := range p.d {
		p.norm[i] = mat.Norm(p.j.ColView(i), 2)
		p.met[i] = max(p.met[i], p.norm[i])
		if p.d[i] = p.met[i]; p.d[i] == 0 {
			p.d[i] = 1
		}
	}
}

// cosine is the largest cosine of an angle between r and a column of J.
func (p *linearModel) cosine() float64 {
	r, c := math.Sqrt(2*p.f), 0.0
	for i, g := range p.g {
		if g != 0 {
			c = max(c, math.Abs(g)/p.norm[i]/r)
		}
	}
	return c
}

// rounded reports whether Jᵀr is within the roundings of x of 0.
func (p *linearModel) rounded(x []float64) bool {
	m, n := p.j.Dims()
	bound := make([]float64, n)
	for i := range m {
		row, size := p.j.RawRowView(i), 0.0
		for k, v := range row {
			size += math.Abs(v * x[k])
		}
		for k, v := range row {
			bound[k] += math.Abs(v) * size
		}
	}
	for k, g := range p.g {
		if !(math.Abs(g) <= roundings*bound[k]) {
			return false
		}
	}
	return true
}

// length is ‖Dv‖.
func (p *linearModel) length(v []float64) float64 { return scaledNorm(p.d, v) }

// step leaves in s a step of ‖Ds‖ ≤ 1.1Δ, and returns by how much it makes the
// model less.
func (p *linearModel) step(radius float64, factorizations *int) (decrease float64) {
	const attempts = 20 // Newton's method for λ takes two or three
	lower, upper := 0.0, 0.0
	for i, g := range p.g {
		upper = math.Hypot(upper, g/p.d[i])
	}
	upper /= radius
	lambda := 0.0
	for range attempts {
		*factorizations++
		full := p.solve(lambda, p.d)
		length := mat.Norm(p.z, 2)
		if full && (lambda == 0 && length <= radius || math.Abs(length-radius) <= nearBoundary*radius) {
			break
		}
		next := 0.0
		if full {
			if length > radius {
				lower = max(lower, lambda)
			} else {
				upper = min(upper, lambda)
			}
			slope := mat.Norm(p.w, 2) / length
			next = lambda + (length-radius)/radius/(slope*slope)
		}
		if !(next > lower && next < upper) {
			next = max(0.001*upper, math.Sqrt(lower*upper))
		}
		lambda = next
	}
	p.free = lambda == 0
	for i := range p.s {
		p.s[i] = -p.z.AtVec(i) / p.d[i]
	}
	// ½‖r‖² − ½‖r + Js‖².
	p.js.MulVec(p.j, mat.NewVecDense(len(p.s), p.s))
	js := p.js.RawVector().Data
	return -floats.Dot(js, p.r) - floats.Dot(js, js)/2
}

// gaussNewton is the length of the step of Gauss and Newton relative to x, both in
// units of the column norms of J, in which the factorization is most accurate
// whatever D is; +∞ if J is nearly rank-deficient even so.
func (p *linearModel) gaussNewton(x []float64) float64 {
	const accurate = 1e-10 // what the least pivot must be, relative to the largest, for six digits
	if slices.Contains(p.norm, 0) || !p.solve(0, p.norm) || p.least < accurate*p.largest {
		return math.Inf(1)
	}
	return mat.Norm(p.z, 2) / scaledNorm(p.norm, x)
}

// solve computes −z and R⁻ᵀz of a λ, for D with the diagonal d, and reports whether
// R has full rank.
func (p *linearModel) solve(lambda float64, d []float64) bool {
	m, n := p.j.Dims()
	p.stacked.Zero()
	for i := range m {
		to := p.stacked.RawRowView(i)
		for k, v := range p.j.RawRowView(i) {
			to[k] = v / d[k]
		}
		to[n] = p.r[i]
	}
	for i := range n {
		p.stacked.Set(m+i, i, math.Sqrt(lambda))
	}
	p.qr.Factorize(p.stacked)
	p.r1.Reset()
	p.qr.RTo(p.r1)
	p.largest, p.least = 0, math.Inf(1)
	for i := range n {
		p.largest = max(p.largest, math.Abs(p.r1.At(i, i)))
		p.least = min(p.least, math.Abs(p.r1.At(i, i)))
	}
	if !(p.least > float64(n)*epsilon*p.largest) {
		return false
	}
	upper := mat.NewTriDense(n, mat.Upper, nil)
	for i := range n {
		for k := i; k < n; k++ {
			upper.SetTri(i, k, p.r1.At(i, k))
		}
	}
	_ = p.z.SolveVec(upper, p.r1.ColView(n).(*mat.VecDense).SliceVec(0, n)) // R is regular
	_ = p.w.SolveVec(upper.T(), p.z)
	return true
}

// Deviations returns the standard deviations of the parameters of a fit with the
// Jacobian J of m residuals by n parameters, m > n, and the sum of squares ‖r‖²:
//
//	σ√((JᵀJ)⁻¹ᵢᵢ), σ² = ‖r‖²/(m − n),
//
// the (JᵀJ)⁻¹ᵢᵢ as the squared lengths of the rows of R⁻¹, by a QR factorization
// of J with its columns scaled to the length 1: as accurate as the condition of J
// allows, not that of JᵀJ. They are +∞ where columns of J depend on each other.
func Deviations(j mat.Matrix, sumSquares float64) []float64 {
	m, n := j.Dims()
	if m <= n {
		panic("newton: standard deviations need more residuals than parameters")
	}
	scaled, norm := mat.DenseCopyOf(j), make([]float64, n)
	for k := range norm {
		column := scaled.ColView(k).(*mat.VecDense)
		norm[k] = mat.Norm(column, 2)
		if norm[k] != 0 {
			column.ScaleVec(1/norm[k], column)
		}
	}
	var qr mat.QR
	qr.Factorize(scaled)
	var r mat.Dense
	qr.RTo(&r)
	upper := mat.NewTriDense(n, mat.Upper, nil)
	regular := true
	for i := range n {
		for k := i; k < n; k++ {
			upper.SetTri(i, k, r.At(i, k))
		}
		regular = regular && math.Abs(r.At(i, i)) > float64(m)*epsilon
	}
	d := make([]float64, n)
	var inverse mat.TriDense
	if regular {
		_ = inverse.InverseTri(upper) // its warning of a condition is no error here
	}
	for i := range d {
		d[i] = math.Inf(1)
		if regular {
			row := 0.0
			for k := i; k < n; k++ {
				row = math.Hypot(row, inverse.At(i, k))
			}
			d[i] = math.Sqrt(sumSquares/float64(m-n)) * row / norm[i]
		}
	}
	return d
}

// curvatureDeviations returns √(variance·(A⁻¹)ᵢᵢ) of a matrix of curvature A, NaN
// where it is not positive definite.
func curvatureDeviations(a *mat.SymDense, variance float64) []float64 {
	n := a.SymmetricDim()
	d := make([]float64, n)

	// With rows and columns scaled to the diagonal 1.
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for k := range i + 1 {
			scaled.SetSym(i, k, a.At(i, k)/math.Sqrt(a.At(i, i))/math.Sqrt(a.At(k, k)))
		}
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	ok := chol.Factorize(scaled)
	if ok {
		chol.InverseTo(&inverse) // its warning of a condition is no error here
	}
	for i := range d {
		d[i] = math.NaN()
		if ok {
			d[i] = math.Sqrt(variance * inverse.At(i, i) / a.At(i, i))
		}
	}
	return d
}
