package newton

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/sparsity"
)

// kkt is the matrix
//
//	⎡W + Dₓ   c′ᵀ⎤
//	⎣  c′   −D_c ⎦
//
// of a branch, with the diagonal matrices Dₓ and D_c, and its factorization.
// Fixed variables have rows and columns of the identity.
type kkt struct {
	n, m   int
	fixed  []bool // and output, of the functions
	output []int
	matrix *sparsity.SymMatrix
	ldl    linsolve.LDL

	// Places in the lower triangle of the elements of b.w and b.j, −1 for those
	// that have none, and of the diagonal.
	wAt, jAt, diagonalAt []int32

	rhs     []float64
	analyze bool // find the order anew
}

// The pivots of LDL are bounded by the least threshold with which solutions are good:
// larger ones fill the factors where values are unlike those the order was found for,
// as the coefficients of constraints are after some steps.
const (
	firstThreshold = 1e-8
	mostThreshold  = 1e-2
	raiseThreshold = 0.75 // its power
)

func newKKT(fn *functions, b *branch) *kkt {
	k := &kkt{n: fn.n, m: fn.m, fixed: fn.fixed, output: fn.output, rhs: make([]float64, fn.n+fn.m)}
	k.ldl.Threshold = firstThreshold
	rowOfOutput := make([]int, 1+len(fn.outputs))
	for i := range rowOfOutput {
		rowOfOutput[i] = -1
	}
	for r, out := range fn.output {
		rowOfOutput[out] = fn.n + r
	}
	var rows, cols []int
	each := func(visit func(i, j int) int32) (w, jac []int32) {
		for i := range fn.n {
			for _, j := range b.w.Pattern().Row(i) {
				at := int32(-1)
				if !fn.fixed[i] && !fn.fixed[j] {
					at = visit(i, int(j))
				}
				w = append(w, at)
			}
		}
		outputs, _ := b.j.Dims()
		for out := range outputs {
			for _, j := range b.j.Pattern().Row(out) {
				at := int32(-1)
				if r := rowOfOutput[out]; r >= 0 && !fn.fixed[j] {
					at = visit(r, int(j))
				}
				jac = append(jac, at)
			}
		}
		return w, jac
	}
	each(func(i, j int) int32 {
		rows, cols = append(rows, i), append(cols, j)
		return 0
	})
	for i := range fn.n + fn.m {
		rows, cols = append(rows, i), append(cols, i)
	}
	p := sparsity.FromCoordinates(fn.n+fn.m, fn.n+fn.m, rows, cols)
	k.matrix = sparsity.NewSymMatrix(sparsity.NewMatrix(p))
	k.wAt, k.jAt = each(func(i, j int) int32 { return int32(p.Position(i, j)) })
	for i := range fn.n + fn.m {
		k.diagonalAt = append(k.diagonalAt, int32(p.Position(i, i)))
	}
	return k
}

// assemble sets the matrix; a nil w stands for W = 0.
func (k *kkt) assemble(w, j *sparsity.Matrix, fixed []bool, dx, dc []float64) {
	values := k.matrix.Triangle().Values()
	clear(values)
	if w != nil {
		for t, v := range w.Values() {
			if at := k.wAt[t]; at >= 0 {
				values[at] = v
			}
		}
	}
	for t, v := range j.Values() {
		if at := k.jAt[t]; at >= 0 {
			values[at] = v
		}
	}
	for i, d := range dx {
		if fixed[i] {
			d = 1
		}
		values[k.diagonalAt[i]] += d
	}
	for r, d := range dc {
		values[k.diagonalAt[k.n+r]] = -d
	}
}

// The inertia that was found.
type inertia uint8

const (
	right    inertia = iota // n positive, m negative eigenvalues
	doubtful                // the same, but of a matrix so near to a singular one that it may be rounding
	singular                // or not to be solved with
	wrong
)

// factorize factorizes the matrix.
func (k *kkt) factorize() (inertia, error) {
	var err error
	if k.analyze || k.ldl.SymmetricDim() == 0 {
		err = k.ldl.Factorize(k.matrix)
		k.analyze = false
	} else {
		err = k.ldl.Refactorize(k.matrix)
	}
	var none *linsolve.SingularError
	if err != nil && !errors.As(err, &none) {
		return wrong, err
	}
	_, negative, zero := k.ldl.Inertia()
	switch {
	case zero > 0:
		return singular, nil
	case negative != k.m:
		return wrong, nil
	case err != nil:
		return doubtful, nil
	}
	return right, nil
}

// moreStable raises the threshold of the next factorizations, if that can be.
func (k *kkt) moreStable() bool {
	t := k.ldl.Threshold
	k.ldl.Threshold = min(math.Pow(t, raiseThreshold), mostThreshold)
	return k.ldl.Threshold > t
}

// solve solves with rhs, in place, and reports whether the solution is one.
func (k *kkt) solve() bool {
	const enough = 1e-6 // residual, relative to the terms of an equation
	err := k.ldl.SolveInto(k.rhs, k.rhs)
	var short *linsolve.ConvergenceError
	var nearly mat.Condition // singular: equations hold
	if errors.As(err, &short) && short.Residual <= enough || errors.As(err, &nearly) {
		err = nil
	}
	for _, v := range k.rhs {
		if !finite(v) {
			return false
		}
	}
	return err == nil
}

// The constants of algorithm IC, with the names of its paper.
const (
	deltaWMin   = 1e-20
	deltaWFirst = 1e-4
	deltaWMax   = 1e40
	kappaMinus  = 1.0 / 3
	kappaPlus   = 8.0
	kappaFirst  = 100.0 // κ̄⁺
	easySteps   = 3     // after so many δ_w falls faster
	deltaC      = 1e-8
	deltaCMost  = 1e-6 // where less leaves it singular
	kappaC      = 0.25
)

// shifts finds δ_w and δ_c with which the matrix has the right inertia, by
// algorithm IC of Wächter and Biegler: try is called with growing ones. Where the first δ_w has
// been right and the step full for some iterations, δ_w falls by κ⁻, κ⁻², κ⁻³, ….
func (s *solver) shifts(try func(deltaW, deltaC float64) (inertia, error)) (ok bool, err error) {
	dc := 0.0
	if s.dependent {
		dc = deltaC * math.Pow(s.mu, kappaC)
	}
	found, err := try(0, dc)
	if found == right || err != nil {
		return err == nil, err
	}
	for most := max(deltaCMost, dc); found == singular && dc < most; {
		dc = max(100*dc, deltaC*math.Pow(s.mu, kappaC))
		if found, err = try(0, dc); found == right || err != nil {
			return err == nil, err
		}
	}
	dw, factor := deltaWFirst, kappaFirst
	if s.lastShift > 0 {
		lower := math.Pow(kappaMinus, float64(max(1, s.easy-easySteps+1)))
		dw, factor = max(deltaWMin, lower*s.lastShift), kappaPlus
	}
	s.easy++
	if s.alpha < 1 {
		s.easy = 0
	}
	for ; dw <= deltaWMax; dw *= factor {
		found, err := try(dw, dc)
		if err != nil {
			return false, err
		}
		if found == right {
			s.lastShift = dw
			return true, nil
		}
		s.easy = 0
		if found == singular {
			dc = max(dc, deltaC*math.Pow(s.mu, kappaC))
		}
	}
	return false, nil
}

// newtonSystem is the primal–dual system at a point, and its solutions.
type newtonSystem struct {
	sum              []float64 // Σ
	dx, dc           []float64 // Dₓ and D_c
	shift, lastShift float64   // δ_w, and the last that was not 0
	easy             int       // iterations in a row whose first shift was right
	dependent        bool      // rows of c′ nearly depend on each other: δ_c > 0

	rv, rc           []float64 // residuals
	step, correction *direction
}

func newNewtonSystem(v, m, n int) newtonSystem {
	vector := func(n int) []float64 { return make([]float64, n) }
	return newtonSystem{
		sum: vector(v), dx: vector(n), dc: vector(m), rv: vector(v), rc: vector(m),
		step: newDirection(v, m), correction: newDirection(v, m),
	}
}

// direction is a primal–dual step.
type direction struct{ v, y, zl, zu []float64 }

func newDirection(v, m int) *direction {
	return &direction{v: make([]float64, v), y: make([]float64, m), zl: make([]float64, v), zu: make([]float64, v)}
}

// prepare computes the Hessian and factorizes the matrix of the primal–dual
// system at the current point,
//
//	⎡W + Σ + δ_wI  [c′ A]ᵀ⎤ ⎡Δv⎤     ⎡∇φ_μ + [c′ A]ᵀy⎤
//	⎣[c′ A]        −δ_cI  ⎦ ⎣Δy⎦ = − ⎣   c(x) + Ae   ⎦ ,
//
// from which the extra variables are eliminated: with S = Σₑ + δ_wI,
//
//	Δe = −S⁻¹(rₑ + AᵀΔy),  D_c = δ_cI + A S⁻¹Aᵀ.
//
// The inertia of the whole is right if and only if that of what is left is.
func (s *solver) prepare() (ok bool, err error) {
	if err := s.curvatures(); err != nil {
		return false, err
	}
	return s.shifts(func(deltaW, deltaC float64) (inertia, error) {
		found, err := s.shifted(deltaW, deltaC)
		if found == doubtful {
			found = right // the solution will tell
		}
		return found, err
	})
}

// curvatures computes W and Σ.
func (s *solver) curvatures() error {
	for i := range s.at.v {
		s.sum[i] = 0
		lower, upper := s.bounded(i)
		if lower {
			s.sum[i] += s.zl[i] / s.toLower(s.at.v, i)
		}
		if upper {
			s.sum[i] += s.zu[i] / s.toUpper(s.at.v, i)
		}
	}
	for i := range s.d {
		s.sum[i] += s.zeta * s.d[i] * s.d[i]
	}
	return s.program.hessian(s.at.v[:s.n], s.sigma, s.y)
}

// shifted factorizes the matrix with δ_w and δ_c.
func (s *solver) shifted(deltaW, deltaC float64) (inertia, error) {
	s.shift = deltaW
	for i := range s.n {
		s.dx[i] = s.sum[i] + deltaW
	}
	for r := range s.dc {
		s.dc[r] = deltaC
	}
	for k, r := range s.extraRow {
		s.dc[r] += 1 / (s.sum[s.n+k] + deltaW)
	}
	return s.factorizeKKT(s.b.w)
}

// factorizeKKT factorizes with dx and dc; a nil w stands for W = 0.
func (s *solver) factorizeKKT(w *sparsity.Matrix) (found inertia, err error) {
	if err := s.withHessian(s.b); err != nil {
		return wrong, err
	}
	s.cost.Factorizations++
	err = clock(&s.cost.LinearAlgebra, func() error {
		if k := s.b.kkt; k == nil || !slices.Equal(k.fixed, s.fixed) || !slices.Equal(k.output, s.output) {
			s.b.kkt = newKKT(s.functions, s.b)
		}
		k := s.b.kkt
		k.assemble(w, s.b.j, s.fixed, s.dx, s.dc)
		found, err = k.factorize()
		return err
	})
	return found, err
}

// direct computes the direction for the residuals rv of the dual equations, with
// μ in place of complementarity, and rc of the constraints.
func (s *solver) direct(to *direction, rv, rc []float64, mu float64) (ok bool) {
	k := s.b.kkt
	for i := range s.n {
		k.rhs[i] = -rv[i]
		if s.fixed[i] {
			k.rhs[i] = 0
		}
	}
	for r := range s.m {
		k.rhs[s.n+r] = -rc[r]
	}
	for t, r := range s.extraRow {
		k.rhs[s.n+int(r)] += s.extraSign[t] * rv[s.n+t] / (s.sum[s.n+t] + s.shift)
	}
	_ = clock(&s.cost.LinearAlgebra, func() error {
		ok = k.solve()
		return nil
	})
	copy(to.v, k.rhs[:s.n])
	copy(to.y, k.rhs[s.n:])
	for t, r := range s.extraRow {
		to.v[s.n+t] = -(rv[s.n+t] + s.extraSign[t]*to.y[r]) / (s.sum[s.n+t] + s.shift)
	}
	for i, dv := range to.v {
		lower, upper := s.bounded(i)
		to.zl[i], to.zu[i] = 0, 0
		if lower {
			d := s.toLower(s.at.v, i)
			to.zl[i] = mu/d - s.zl[i] - s.zl[i]/d*dv
		}
		if upper {
			d := s.toUpper(s.at.v, i)
			to.zu[i] = mu/d - s.zu[i] + s.zu[i]/d*dv
		}
	}
	return ok
}
