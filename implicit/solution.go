package implicit

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/reverse"
)

// Solution is a solution w of F(w, λ) = 0, and with it the function w*(λ) that
// solves the equation for all λ near: with A = ∂₁F and B = ∂₂F at the solution,
//
//	∂w* = −A⁻¹B,
//
// the implicit function theorem. A is factorized once, every derivative solves
// with the same factors. A Solution is immutable and safe for concurrent use.
//
// A dst that is nil, or an empty matrix, is allocated; else it must have the
// right shape, and may be an argument. Vectors of wrong length panic. All
// methods return the error of a solution that is not accurate, and a dst that is
// of no use: with GMRES and BiCGStab a *linsolve.ConvergenceError if they do not
// converge.
type Solution struct {
	z *linearization
}

// At differentiates the solution w of F(w, λ) = 0 that is given, for a tape of F
// with the inputs [w; λ]; see Equation.At. For several points of one equation,
// NewEquation saves the preparations.
func At(f *reverse.Tape, w, lambda []float64) (*Solution, error) {
	return NewEquation(f).At(w, lambda)
}

// At computes ∂₁F and ∂₂F at the solution w for λ, which any method may have
// found, and factorizes ∂₁F. λ may be followed by parameters of the tape. It
// panics if lengths are wrong. A residual with
//
//	|Fᵢ(w, λ)| > Tolerance·(|∂₁F||w| + |∂₂F||λ|)ᵢ + Absolute
//
// gives a *NotARootError: changing the elements of w and λ by a fraction of
// Tolerance could not explain it. The default Tolerance, half of the digits,
// leaves derivatives an error of that order times the curvature of F; one
// step of Newton makes them exact. Where all terms of an equation may vanish at
// the solution, as for w + w³ = λ at λ = 0, only the exact solution passes, or
// one within Absolute.
//
// Where ∂₁F is singular, w is not a differentiable function of λ: the error is a
// *linsolve.SingularError whose rows are equations and whose columns are
// unknowns. A derivative that is not finite gives a *linsolve.NonFiniteError,
// whose columns from the number of unknowns on belong to λ, and errors of the
// tape are passed on. Cost: one Jacobian, one factorization.
func (eq *Equation) At(w, lambda []float64) (*Solution, error) {
	z := eq.linearization()
	z.place(w, lambda)
	if err := z.linearize(); err != nil {
		return nil, err
	}
	return &Solution{z}, nil
}

// linearize computes all there is to know of the point.
func (z *linearization) linearize() error {
	if err := z.evaluate(); err != nil {
		return err
	}
	if err := z.finite(); err != nil {
		return err
	}
	if err := z.root(); err != nil {
		return err
	}
	return z.factorize()
}

// Record is reverse.RecordVec for an equation: the tape of F with the inputs
// [w; λ]. It panics if f is nil or F has not as many elements as w.
func Record(f func(w, lambda []reverse.Var) []reverse.Var, w, lambda []float64) (*reverse.Tape, error) {
	if f == nil {
		panic("implicit: nil function")
	}
	m := len(w)
	return reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		y := f(x[:m:m], x[m:])
		if len(y) != m {
			panic(fmt.Sprintf("implicit: %d equations for %d unknowns", len(y), m))
		}
		return y
	}, slices.Concat(w, lambda))
}

// FixedPoint differentiates the solution w of w = g(w, λ) that is given, for a
// tape of g with the inputs [w; λ]: it is At for the equation w − g(w, λ) = 0
// that Fixed makes. How the iteration w ← g(w, λ) got there, and whether it
// converges at all, does not matter.
func FixedPoint(g *reverse.Tape, w, lambda []float64) (*Solution, error) {
	return At(Fixed(g), w, lambda)
}

// W returns a copy of the solution w.
func (s *Solution) W() []float64 { return slices.Clone(s.z.x[:s.z.eq.m]) }

// Lambda returns a copy of λ.
func (s *Solution) Lambda() []float64 { return slices.Clone(s.z.x[s.z.eq.m:s.z.eq.n]) }

func vector(dst []float64, n int) []float64 {
	if dst == nil {
		return make([]float64, n)
	}
	check(dst, n, "dst")
	return dst
}

func check(x []float64, n int, what string) {
	if len(x) != n {
		panic(fmt.Sprintf("implicit: %s has length %d, want %d", what, len(x), n))
	}
}

// matrix is dst with the size r×c, allocated if nil or empty.
func matrix(dst *mat.Dense, r, c int) *mat.Dense {
	if dst == nil {
		dst = new(mat.Dense)
	}
	if dst.IsEmpty() {
		if r > 0 && c > 0 {
			dst.ReuseAs(r, c)
		}
		return dst
	}
	if dr, dc := dst.Dims(); dr != r || dc != c {
		panic(fmt.Sprintf("implicit: dst is %d×%d, want %d×%d", dr, dc, r, c))
	}
	return dst
}

// JVP returns ∂w*·v, of length m: by how much w changes with λ in the direction v,
// of length ℓ. Cost: one solution.
func (s *Solution) JVP(dst, v []float64) ([]float64, error) {
	z := s.z
	check(v, z.eq.n-z.eq.m, "v")
	dst = vector(dst, z.eq.m)
	t := z.eq.borrow()
	defer z.eq.giveBack(t)
	if err := z.jvp(t.r, v); err != nil {
		return dst, err
	}
	copy(dst, t.r)
	return dst, nil
}

// VJP returns ∂w*ᵀ·w̄, of length ℓ: the gradient of w̄ᵀw* for w̄ of length m. Cost: one
// solution.
func (s *Solution) VJP(dst, bar []float64) ([]float64, error) {
	z := s.z
	check(bar, z.eq.m, "w̄")
	dst = vector(dst, z.eq.n-z.eq.m)
	t := z.eq.borrow()
	defer z.eq.giveBack(t)
	if err := z.multiplier(t.r, bar); err != nil {
		return dst, err
	}
	clear(dst)
	return dst, z.addMulBT(dst, t.r)
}

// JVPs returns ∂w*·V, m×k, for the columns of V, ℓ×k. Cost: k solutions, several at
// once.
func (s *Solution) JVPs(dst, v *mat.Dense) (*mat.Dense, error) {
	z := s.z
	m, l := z.eq.m, z.eq.n-z.eq.m
	r, k := v.Dims()
	if r != l {
		panic(fmt.Sprintf("implicit: V has %d rows, want %d", r, l))
	}
	if dst == v {
		v = mat.DenseCopyOf(v)
	}
	dst = matrix(dst, m, k)
	err := z.mulBAll(dst, k, func(col []float64, j int) { mat.Col(col, j, v) })
	if err != nil {
		return dst, err
	}
	return dst, z.solver.solveAll(dst, false)
}

// mulBAll stores −B·v for k columns v in dst.
func (z *linearization) mulBAll(dst *mat.Dense, k int, column func(v []float64, j int)) error {
	t := z.eq.borrow()
	defer z.eq.giveBack(t)
	v := t.d[:z.eq.n-z.eq.m]
	to := dst.RawMatrix()
	for j := range k {
		column(v, j)
		if err := z.mulB(t.r, v); err != nil {
			return err
		}
		for i, r := range t.r {
			to.Data[i*to.Stride+j] = -r
		}
	}
	return nil
}

// copyB stores −B in dst.
func (z *linearization) copyB(dst *mat.Dense) error {
	m := z.eq.m
	if z.jac == nil {
		return z.mulBAll(dst, z.eq.n-m, func(v []float64, j int) {
			clear(v)
			v[j] = 1
		})
	}
	dst.Zero()
	p, vals := z.jac.Pattern(), z.jac.Values()
	for i, k := range z.eq.split {
		for ; k < p.RowPtr()[i+1]; k++ {
			dst.Set(i, int(p.Row(i)[k-p.RowPtr()[i]])-m, -vals[k])
		}
	}
	return nil
}

// VJPs returns ∂w*ᵀ·W̄, ℓ×k, for the columns of W̄, m×k. Cost: k solutions, several at
// once.
func (s *Solution) VJPs(dst, bar *mat.Dense) (*mat.Dense, error) {
	z := s.z
	m, l := z.eq.m, z.eq.n-z.eq.m
	r, k := bar.Dims()
	if r != m {
		panic(fmt.Sprintf("implicit: W̄ has %d rows, want %d", r, m))
	}
	y := mat.DenseCopyOf(bar)
	y.Scale(-1, y)
	dst = matrix(dst, l, k)
	if l == 0 {
		return dst, nil
	}
	if err := z.solver.solveAll(y, true); err != nil {
		return dst, err
	}
	col, g := make([]float64, m), make([]float64, l)
	for j := range k {
		clear(g)
		if err := z.addMulBT(g, mat.Col(col, j, y)); err != nil {
			return dst, err
		}
		dst.SetCol(j, g)
	}
	return dst, nil
}

// Jacobian returns ∂w*, m×ℓ, the sensitivity matrix. Cost: ℓ solutions for its
// columns or m for its rows, whichever are fewer, several at once.
func (s *Solution) Jacobian(dst *mat.Dense) (*mat.Dense, error) {
	z := s.z
	m, l := z.eq.m, z.eq.n-z.eq.m
	dst = matrix(dst, m, l)
	if l == 0 {
		return dst, nil
	}
	if l <= m {
		if err := z.copyB(dst); err != nil {
			return dst, err
		}
		return dst, z.solver.solveAll(dst, false)
	}
	y := mat.NewDense(m, m, nil) // −A⁻ᵀ
	for i := range m {
		y.Set(i, i, -1)
	}
	if err := z.solver.solveAll(y, true); err != nil {
		return dst, err
	}
	col := make([]float64, m)
	to := dst.RawMatrix()
	for i := range m {
		row := to.Data[i*to.Stride:][:l]
		clear(row)
		if err := z.addMulBT(row, mat.Col(col, i, y)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}
