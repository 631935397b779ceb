package linsolve

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

// backwardError is the largest |b − Ax|ᵢ/(|A||x| + |b|)ᵢ, or with Aᵀ, of
// residuals in exact arithmetic.
func backwardError(a *sparsity.Matrix, trans bool, x, b []float64) float64 {
	return backwardErrorBut(a, trans, x, b, nil)
}

// backwardErrorBut leaves out the residuals that vanish beside the largest term, with
// rows times 2^exp, unless exp is nil.
func backwardErrorBut(a *sparsity.Matrix, trans bool, x, b []float64, exp []int32) float64 {
	const exact = 1 << 13 // bits, more than sums of products of any numbers take
	number := func(v float64, prec uint) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }
	r, size := make([]*big.Float, len(b)), make([]*big.Float, len(b))
	for i, v := range b {
		r[i], size[i] = number(v, exact), number(math.Abs(v), 64)
	}
	p := a.Pattern()
	product := new(big.Float).SetPrec(106)
	for i := range b {
		for k, j := range p.Row(i) {
			to, of := i, int(j)
			if trans {
				to, of = of, to
			}
			product.Mul(number(a.Values()[int(p.RowPtr()[i])+k], 53), number(x[of], 53))
			r[to].Sub(r[to], product)
			size[to].Add(size[to], product.Abs(product))
		}
	}
	floor := new(big.Float)
	for i, e := range exp {
		r[i].SetMantExp(r[i], int(e))
		size[i].SetMantExp(size[i], int(e))
		if size[i].Cmp(floor) > 0 {
			floor.Copy(size[i])
		}
	}
	floor.Mul(floor, number(vanishing, 53))
	worst := 0.0
	for i := range r {
		if new(big.Float).Abs(r[i]).Cmp(floor) > 0 {
			quotient, _ := product.Quo(r[i], size[i]).Float64()
			worst = max(worst, math.Abs(quotient))
		}
	}
	return worst
}

// backwardBound is what a solution must satisfy: the computed residual that was
// acceptable, and the rounding errors that it has itself.
func backwardBound(n int) float64 { return acceptable(n) + float64(n+2)*epsilon }

// badlyScaled draws a matrix of order 3 to 9 with some two entries a row and a
// right-hand side. A quarter of the entries differs by 10^±15 from the others.
func badlyScaled(rnd *rand.Rand) (a *sparsity.Matrix, b []float64) {
	n := 3 + rnd.IntN(7)
	var ri, ci []int
	for i := range n {
		ri, ci = append(ri, i), append(ci, rnd.IntN(n))
		for j := range n {
			if rnd.IntN(n) < 2 {
				ri, ci = append(ri, i), append(ci, j)
			}
		}
	}
	a = sparsity.NewMatrix(sparsity.FromCoordinates(n, n, ri, ci))
	b = make([]float64, n)
	for k := range a.Values() {
		a.Values()[k] = rnd.NormFloat64()
		if rnd.IntN(4) == 0 {
			a.Values()[k] *= math.Pow(10, float64(rnd.IntN(30)-15))
		}
	}
	for i := range b {
		b[i] = float64(1 + rnd.IntN(9))
	}
	return a, b
}

// smallIntegers makes many unknowns 0 by cancellation, and their equations ones
// of rounding errors alone.
func smallIntegers(rnd *rand.Rand) (a *sparsity.Matrix, b []float64) {
	a, b = badlyScaled(rnd)
	for k := range a.Values() {
		a.Values()[k] = float64(1 + rnd.IntN(3))
	}
	for i := range b {
		b[i] = float64(max(0, rnd.IntN(5)-3))
	}
	return a, b
}

func inOtherUnits(rnd *rand.Rand) (a *sparsity.Matrix, b []float64) {
	a, b = smallIntegers(rnd)
	unit := func() float64 { return math.Pow(10, 20*(2*rnd.Float64()-1)) }
	col := make([]float64, len(b))
	for j := range col {
		col[j] = unit()
	}
	ptr := a.Pattern().RowPtr()
	for i := range b {
		row := unit()
		for k, j := range a.Pattern().Row(i) {
			a.Values()[int(ptr[i])+k] *= row * col[j]
		}
		b[i] *= row
	}
	return a, b
}

// A nil error means that no equation is missed; and no system is given up.
func TestSolutionsMissNoEquation(t *testing.T) {
	const systems = 34000 // of each kind, every other one refactorized with other values
	for name, draw := range map[string]func(*rand.Rand) (*sparsity.Matrix, []float64){
		"badly scaled":   badlyScaled,
		"small integers": smallIntegers,
		"other units":    inOtherUnits,
	} {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(44, 1))
			for k := range systems {
				a, b := draw(rnd)
				var lu LU
				if lu.Factorize(a) != nil {
					continue
				}
				if k%2 == 1 {
					for i := range a.Values() {
						a.Values()[i] *= float64(1 + rnd.IntN(3))
					}
					if lu.Refactorize(a) != nil {
						continue
					}
				}
				x := make([]float64, len(b))
				for _, trans := range []bool{false, true} {
					if err := lu.SolveInto(x, trans, b); err != nil {
						t.Fatalf("system %d, transposed %v: %v, condition %.3g", k, trans, err, lu.Cond())
					}
					if e := backwardError(a, trans, x, b); e > backwardBound(len(b)) {
						t.Fatalf("system %d, transposed %v: backward error %.3g, condition %.3g", k, trans, e, lu.Cond())
					}
				}
			}
		})
	}
}

// Column j of the inverse of the Hilbert matrix with elements 1/(i+j+1), here
// times 360360 to have integers, is an exact integer solution (Savage and Lukacs,
// Tables of inverses of finite segments of the Hilbert matrix, 1954):
//
//	(−1)^(i+j) (i+j+1) C(n+i, n−j−1) C(n+j, n−i−1) C(i+j, i)².
//
// With twice the digits refinement finds it to the last bit, at Cond ≈ 10⁹.
func TestExtendedRefinementIsExact(t *testing.T) {
	const n, scale = 7, 360360
	rows := make([][]float64, n)
	for i := range rows {
		for j := range n {
			rows[i] = append(rows[i], scale/float64(i+j+1))
		}
	}
	binomial := func(n, k int) float64 { return float64(new(big.Int).Binomial(int64(n), int64(k)).Int64()) }
	var lu LU
	require.NoError(t, lu.Factorize(fromDense(rows)))
	for j := range n {
		for _, trans := range []bool{false, true} {
			in, out := lu.rowExp, lu.colExp
			from, to, solve := lu.rowOrder, lu.colOrder, lu.factorSolve
			if trans {
				in, out = out, in
				from, to, solve = to, from, lu.factorSolveTrans
			}
			w := lu.borrow()
			s := newRefinement(n)
			e := make([]float64, n)
			e[j] = scale
			s.load(e, 1, in)
			s.component = 1
			for range 4 {
				s.refineExtended(n, w.y, from, to, solve,
					func() { lu.residual(&s, w.y, trans) },
					func() { lu.residualExtended(&s, trans) })
			}
			for i := range n {
				want := float64(i+j+1) * binomial(n+i, n-j-1) * binomial(n+j, n-i-1) * math.Pow(binomial(i+j, i), 2)
				if (i+j)%2 == 1 {
					want = -want
				}
				require.Equal(t, want, scaled(s.x[i], out[i]+s.exp), "element (%d, %d)", i, j)
			}
		}
	}
}

// b is scaled by a power of two, so the solution is, to the last bit, even where
// its residuals would underflow.
func TestSolutionsScaleWithTheRightHandSide(t *testing.T) {
	const n = 60
	rnd := rand.New(rand.NewPCG(45, 1))
	a := randomMatrix(rnd, n, 3)
	s := indefinite(rnd, n, 2, 0.3)
	var lu LU
	var ldl LDL
	require.NoError(t, lu.Factorize(a))
	require.NoError(t, ldl.Factorize(s))
	b := randomVector(rnd, n)
	for name, solve := range map[string]func(x, b []float64) error{
		"LU":            func(x, b []float64) error { return lu.SolveInto(x, false, b) },
		"LU transposed": func(x, b []float64) error { return lu.SolveInto(x, true, b) },
		"LDL":           ldl.SolveInto,
	} {
		want := make([]float64, n)
		require.NoError(t, solve(want, b))
		for _, e := range []int32{-1000, 1000} {
			x := make([]float64, n)
			for i, v := range b {
				x[i] = scaled(v, e)
			}
			require.NoError(t, solve(x, x), name)
			for i := range x {
				x[i] = scaled(x[i], -e)
			}
			require.Equal(t, want, x, name)
		}
	}
}

// Rows of 10²⁰⁰, columns of 1: scaled by themselves, the right-hand side of the
// transposed system and its solution would be 10⁴⁰⁰.
func TestRightHandSideIsScaledAsAWhole(t *testing.T) {
	a := fromDense([][]float64{{1e200, 0}, {1e200, 1}})
	var lu LU
	require.NoError(t, lu.Factorize(a))
	x := make([]float64, 2)
	require.NoError(t, lu.SolveInto(x, true, []float64{0, 1e200}))
	require.InDeltaSlice(t, []float64{-1, 1}, []float64{x[0] / 1e200, x[1] / 1e200}, 2*epsilon)
}

// Away from its one nonzero, the solution decays by a factor of 10⁴ from equation
// to equation, down to 10⁻³⁰⁰ and below: no refinement finds digits there, and
// nobody asks for them.
func TestDecayingSolutionsAreSolutions(t *testing.T) {
	const n = 400
	rnd := rand.New(rand.NewPCG(49, 1))
	a := tridiagonal(n)
	p := a.Pattern()
	for i := range n {
		for _, j := range p.Row(i) {
			a.Values()[p.Position(i, int(j))] = 1 + rnd.Float64()
			if int(j) != i {
				a.Values()[p.Position(i, int(j))] = 1e-4 * rnd.NormFloat64()
			}
		}
	}
	s := symmetric(a, false)
	var lu LU
	var ldl LDL
	require.NoError(t, lu.Factorize(a))
	require.NoError(t, ldl.Factorize(s))
	for _, at := range []int{0, n / 2, n - 1} {
		b, x := make([]float64, n), make([]float64, n)
		b[at] = 1
		for _, trans := range []bool{false, true} {
			require.NoError(t, lu.SolveInto(x, trans, b))
			requireFloored(t, a, trans, x, b)
			w := lu.borrow()
			require.LessOrEqual(t, w.column[0].steps, 12, "refined in vain")
			lu.idle.give(w)
		}
		require.NoError(t, ldl.SolveInto(x, b))
		require.InDelta(t, 1, s.At(at, at)*x[at], 1e-6)
	}
}

// requireFloored checks the bound of SolveTo for a matrix whose scales are near 1.
func requireFloored(t *testing.T, a *sparsity.Matrix, trans bool, x, b []float64) {
	p := a.Pattern()
	n := len(b)
	r, size := append([]float64(nil), b...), make([]float64, n)
	for i := range n {
		size[i] = math.Abs(b[i]) + 4*epsilon*largest(x)
	}
	for i := range n {
		for _, j := range p.Row(i) {
			v, to, of := a.At(i, int(j)), i, int(j)
			if trans {
				to, of = of, to
			}
			r[to] -= v * x[of]
			size[to] += math.Abs(v * x[of])
		}
	}
	for i := range n {
		require.LessOrEqual(t, math.Abs(r[i]), backwardBound(n)*size[i])
	}
}

// A solution that overflows is none, nor one of a right-hand side that is not finite.
func TestSolutionsAreFinite(t *testing.T) {
	a := sparsity.NewMatrix(sparsity.Diagonal(2))
	a.Values()[0], a.Values()[1] = 1, 1e-200
	s := sparsity.NewSymMatrix(a)
	var lu LU
	var ldl LDL
	var c Cholesky
	var q QR
	require.NoError(t, lu.Factorize(a))
	require.NoError(t, ldl.Factorize(s))
	require.NoError(t, c.Factorize(s))
	require.NoError(t, q.Factorize(a))
	type into func(x, b []float64) error
	for name, f := range map[string]struct {
		into
		mat.SolveToer
	}{
		"LU":            {func(x, b []float64) error { return lu.SolveInto(x, false, b) }, &lu},
		"LU transposed": {func(x, b []float64) error { return lu.SolveInto(x, true, b) }, &lu},
		"LDL":           {ldl.SolveInto, &ldl},
		"Cholesky":      {c.SolveInto, &c},
		"QR":            {func(x, b []float64) error { return q.SolveInto(x, false, b) }, &q},
		"QR transposed": {func(x, b []float64) error { return q.SolveInto(x, true, b) }, &q},
	} {
		for _, bad := range []float64{1e200, math.NaN(), math.Inf(-1)} {
			var short *ConvergenceError
			x, b := make([]float64, 2), []float64{1, bad}
			require.ErrorAs(t, f.into(x, b), &short, "%s, %v", name, bad)
			require.EqualError(t, short, "linsolve: solution not finite")
			require.False(t, finite(x[1]))
			b[1] = 1e-200
			require.NoError(t, f.into(x, b), name)
			require.InDeltaSlice(t, []float64{1, 1}, x, 4*epsilon)
			for _, trans := range []bool{false, true} {
				rhs := mat.NewDense(2, 3, []float64{1, 1, 1, 1, bad, 1})
				require.ErrorAs(t, f.SolveTo(new(mat.Dense), trans, rhs), &short, "%s, %v", name, bad)
			}
		}
	}
}
