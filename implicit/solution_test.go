package implicit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

type vars = []reverse.Var

func randomVector(rnd *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rnd.NormFloat64()
	}
	return v
}

var allSolvers = []Solver{SolverAuto, SolverDense, SolverSparse, SolverGMRES, SolverBiCGStab}

// with is settings by which GMRES and BiCGStab come near the residual ε·cond(A) that
// roundings leave. The systems here have a condition of some 100.
func with(s Solver) Settings {
	return Settings{Solver: s, Krylov: linsolve.Krylov{Tolerance: 1e-13}}
}

func record(t require.TestingT, w, lambda []float64, f func(w, lambda vars) vars) *reverse.Tape {
	tape, err := Record(f, w, lambda)
	require.NoError(t, err)
	return tape
}

// counted has the solver of every linearization of eq count its work.
type counted struct {
	solver
	factorizations, solutions *int
}

func (c counted) factorize(z *linearization) error {
	*c.factorizations++
	return c.solver.factorize(z)
}

func (c counted) solve(dst []float64, trans bool, b []float64) error {
	*c.solutions++
	return c.solver.solve(dst, trans, b)
}

func (c counted) solveAll(d *mat.Dense, trans bool) error {
	_, k := d.Dims()
	*c.solutions += k
	return c.solver.solveAll(d, trans)
}

func count(eq *Equation) (factorizations, solutions *int) {
	factorizations, solutions = new(int), new(int)
	inner := eq.newSolver
	eq.newSolver = func() solver { return counted{inner(), factorizations, solutions} }
	return factorizations, solutions
}

// A family is an equation with a known solution w = g(λ):
//
//	F(w, λ) = M(w, λ)·(w − g(λ)), M = C + diag(w² + sin λ₀)
//
// where C is regular, so that A and B and their derivatives are all there is.
type family struct {
	m, l  int
	c     *sparsity.Matrix
	shift []float64
	w     []float64
	point []float64 // λ
}

func newFamily(rnd *rand.Rand, m, l int) *family {
	f := &family{m: m, l: l, shift: randomVector(rnd, m), point: randomVector(rnd, l)}
	var ri, ci []int
	for i := range m {
		ri, ci = append(ri, i, i), append(ci, i, rnd.IntN(m))
	}
	f.c = sparsity.NewMatrix(sparsity.FromCoordinates(m, m, ri, ci))
	copy(f.c.Values(), randomVector(rnd, f.c.NNZ()))
	for i := range m {
		f.c.Values()[f.c.Pattern().Position(i, i)] = 4
	}
	g := f.solution(slices.Concat(f.point))
	f.w = g
	return f
}

// g is elements like sin(λᵢ)·exp(λᵢ₊₁/4) + shift.
func g[T dual.Scalar[T]](f *family, lambda []T) []T {
	out := make([]T, f.m)
	for i := range out {
		a, b := lambda[i%f.l], lambda[(i+1)%f.l]
		out[i] = a.AddReal(float64(i)).Sin().Mul(b.Scale(0.25).Exp()).AddReal(f.shift[i])
	}
	return out
}

func (f *family) solution(lambda []float64) []float64 {
	in := make([]dual.Real, len(lambda))
	for i, v := range lambda {
		in[i] = dual.Real(v)
	}
	out := make([]float64, f.m)
	for i, v := range g(f, in) {
		out[i] = float64(v)
	}
	return out
}

func (f *family) equation(w, lambda vars) vars {
	e := make(vars, f.m)
	for i, g := range g(f, lambda) {
		e[i] = w[i].Sub(g)
	}
	out := make(vars, f.m)
	for i := range out {
		out[i] = e[i].Mul(w[i].Square().Add(lambda[0].Sin()))
		f.c.DoRowNonZero(i, func(_, j int, v float64) { out[i] = out[i].Add(e[j].Scale(v)) })
	}
	return out
}

func (f *family) tape(t require.TestingT) *reverse.Tape {
	return record(t, f.w, f.point, f.equation)
}

// explicit is the tape of g.
func (f *family) explicit(t require.TestingT) *reverse.Tape {
	tape, err := reverse.RecordVec(func(x vars) vars { return g(f, x) }, f.point)
	require.NoError(t, err)
	return tape
}

func phi(w, lambda vars) reverse.Var {
	s := lambda[0].Exp()
	for i, w := range w {
		s = s.Add(w.Square().Mul(w)).Add(w.Mul(lambda[i%len(lambda)]).Cos())
	}
	return s
}

// phiTapes is φ over [w; λ] and φ(g(λ), λ) over λ.
func (f *family) phiTapes(t require.TestingT) (whole, reduced *reverse.Tape) {
	whole, err := reverse.Record(func(x vars) reverse.Var { return phi(x[:f.m], x[f.m:]) }, slices.Concat(f.w, f.point))
	require.NoError(t, err)
	reduced, err = reverse.Record(func(x vars) reverse.Var { return phi(g(f, x), x) }, f.point)
	require.NoError(t, err)
	return whole, reduced
}

func requireClose(t require.TestingT, want, got mat.Matrix, tolerance float64, msg ...any) {
	require.True(t, mat.EqualApprox(want, got, tolerance*(1+mat.Norm(want, 2))), append(msg, mat.Formatted(want), mat.Formatted(got))...)
}

func vec(x []float64) mat.Vector { return mat.NewVecDense(len(x), x) }

func TestDerivativesAreThoseOfTheKnownSolution(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 1))
	for _, size := range [][2]int{{1, 1}, {1, 5}, {5, 1}, {3, 3}, {10, 4}, {4, 30}, {150, 3}, {150, 160}} {
		f := newFamily(rnd, size[0], size[1])
		tape, explicit := f.tape(t), f.explicit(t)
		whole, reduced := f.phiTapes(t)
		u, v, bar := randomVector(rnd, f.l), randomVector(rnd, f.l), randomVector(rnd, f.m)
		for _, kind := range allSolvers {
			const tolerance = 1e-11
			eq := with(kind).New(tape)
			s, err := eq.At(f.w, f.point)
			require.NoError(t, err)
			require.Equal(t, f.w, s.W())
			require.Equal(t, f.point, s.Lambda())

			want, err := explicit.JVP(nil, f.point, v)
			require.NoError(t, err)
			got, err := s.JVP(nil, v)
			require.NoError(t, err)
			requireClose(t, vec(want), vec(got), tolerance, kind, size)

			want, err = explicit.VJP(nil, f.point, bar)
			require.NoError(t, err)
			got, err = s.VJP(nil, bar)
			require.NoError(t, err)
			requireClose(t, vec(want), vec(got), tolerance, kind, size)

			jac, err := explicit.Jacobian(nil, f.point)
			require.NoError(t, err)
			gotJac, err := s.Jacobian(nil)
			require.NoError(t, err)
			requireClose(t, jac, gotJac, tolerance, kind, size)

			right := mat.NewDense(f.l, 3, randomVector(rnd, 3*f.l))
			var wantAll mat.Dense
			wantAll.Mul(jac, right)
			gotAll, err := s.JVPs(nil, right)
			require.NoError(t, err)
			requireClose(t, &wantAll, gotAll, tolerance, kind, size)

			left := mat.NewDense(f.m, 3, randomVector(rnd, 3*f.m))
			var wantLeft mat.Dense
			wantLeft.Mul(jac.T(), left)
			gotAll, err = s.VJPs(nil, left)
			require.NoError(t, err)
			requireClose(t, &wantLeft, gotAll, tolerance, kind, size)

			// ẅ = g″[u, v], by one product for each element.
			want = make([]float64, f.m)
			for i := range want {
				e := make([]float64, f.m)
				e[i] = 1
				h, err := explicit.HVP(nil, f.point, v, e...)
				require.NoError(t, err)
				want[i] = mat.Dot(vec(h), vec(u))
			}
			got, err = s.Second(nil, u, v)
			require.NoError(t, err)
			requireClose(t, vec(want), vec(got), tolerance, kind, size)

			r, err := s.Reduce(whole)
			require.NoError(t, err)
			value, grad, err := reduced.ValueGradient(nil, f.point)
			require.NoError(t, err)
			require.InEpsilon(t, value, r.Value(), 1e-13)
			requireClose(t, vec(grad), vec(r.Gradient(nil)), tolerance, kind, size)
			want, err = reduced.HVP(nil, f.point, v)
			require.NoError(t, err)
			got, err = r.HVP(nil, v)
			require.NoError(t, err)
			requireClose(t, vec(want), vec(got), tolerance, kind, size)

			h, err := r.Hessian(nil)
			require.NoError(t, err)
			wantH := mat.NewDense(f.l, f.l, nil)
			for j := range f.l {
				e := make([]float64, f.l)
				e[j] = 1
				col, err := reduced.HVP(nil, f.point, e)
				require.NoError(t, err)
				wantH.SetCol(j, col)
			}
			requireClose(t, wantH, h, tolerance, kind, size)
		}
	}
}

func TestOneFactorizationServesAll(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 1))
	for _, size := range [][2]int{{7, 3}, {3, 7}, {120, 5}} {
		f := newFamily(rnd, size[0], size[1])
		whole, _ := f.phiTapes(t)
		for _, kind := range []Solver{SolverDense, SolverSparse} {
			eq := with(kind).New(f.tape(t))
			factorizations, solutions := count(eq)
			s, err := eq.At(f.w, f.point)
			require.NoError(t, err)
			spent := func(want int) {
				t.Helper()
				require.Equal(t, want, *solutions)
				*solutions = 0
			}
			u, v, bar := randomVector(rnd, f.l), randomVector(rnd, f.l), randomVector(rnd, f.m)
			_, err = s.JVP(nil, v)
			require.NoError(t, err)
			spent(1)
			_, err = s.VJP(nil, bar)
			require.NoError(t, err)
			spent(1)
			_, err = s.Jacobian(nil)
			require.NoError(t, err)
			spent(min(f.m, f.l))
			_, err = s.JVPs(nil, mat.NewDense(f.l, 2, nil))
			require.NoError(t, err)
			_, err = s.VJPs(nil, mat.NewDense(f.m, 2, nil))
			require.NoError(t, err)
			spent(4)
			_, err = s.Second(nil, u, v)
			require.NoError(t, err)
			spent(3)
			_, err = s.Second(nil, u, u)
			require.NoError(t, err)
			spent(2)
			r, err := s.Reduce(whole)
			require.NoError(t, err)
			spent(1)
			_, err = r.HVP(nil, v)
			require.NoError(t, err)
			spent(2)
			_, err = r.Hessian(nil)
			require.NoError(t, err)
			spent(min(f.m, f.l))
			require.Equal(t, 1, *factorizations)
		}
	}
}

func TestCircle(t *testing.T) {
	circle := record(t, []float64{1}, []float64{0}, func(y, x vars) vars {
		return vars{x[0].Square().Add(y[0].Square()).SubReal(1)}
	})
	for _, kind := range []Solver{SolverAuto, SolverDense, SolverSparse} {
		eq := Settings{Solver: kind}.New(circle)
		for _, y := range []float64{0.6, -0.6} {
			s, err := eq.At([]float64{y}, []float64{0.8})
			require.NoError(t, err)
			slope, err := s.JVP(nil, []float64{1})
			require.NoError(t, err)
			require.InDelta(t, -0.8/y, slope[0], 1e-14)
			bend, err := s.Second(nil, []float64{1}, []float64{1})
			require.NoError(t, err)
			require.InDelta(t, -1/(y*y*y), bend[0], 1e-13)
		}
		_, err := eq.At([]float64{0}, []float64{1})
		var singular *linsolve.SingularError
		require.ErrorAs(t, err, &singular)
		require.Equal(t, linsolve.SingularError{N: 1, StructuralRank: 1, Rows: []int{0}, Columns: []int{0}}, *singular)
		_, err = eq.At([]float64{0}, []float64{0.9})
		var not *NotARootError
		require.ErrorAs(t, err, &not)
		require.InDelta(t, 0.19, not.Residual, 1e-15)
	}
}

func TestSingularityNamesEquationsAndUnknowns(t *testing.T) {
	zero := make([]float64, 3)
	structural := record(t, zero, []float64{0}, func(w, lambda vars) vars {
		return vars{w[1].Sub(lambda[0]), w[0].Add(w[1]).Add(w[2]), w[1].Exp().SubReal(1)}
	})
	parallel := record(t, zero, []float64{0}, func(w, lambda vars) vars {
		return vars{w[0].Add(w[1]), w[2].Sub(lambda[0]), w[0].Sin().Add(w[1])}
	})
	for _, kind := range []Solver{SolverAuto, SolverDense, SolverSparse} {
		var singular *linsolve.SingularError
		_, err := Settings{Solver: kind}.New(structural).At(zero, []float64{0})
		require.ErrorAs(t, err, &singular)
		require.Equal(t, 2, singular.StructuralRank)
		require.Len(t, singular.Rows, 1)
		require.Contains(t, []int{0, 2}, singular.Rows[0])

		_, err = Settings{Solver: kind}.New(parallel).At(zero, []float64{0})
		require.ErrorAs(t, err, &singular)
		require.Equal(t, 3, singular.StructuralRank)
		require.Subset(t, []int{0, 2}, singular.Rows)
		require.Subset(t, []int{0, 1}, singular.Columns)
	}
}

// The verdict depends on the relative error of w alone, not on units.
func TestRootIsJudgedByRelativeErrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := math.Ldexp(1, rapid.IntRange(-300, 300).Draw(t, "unit of w"))
		scale := math.Ldexp(1, rapid.IntRange(-200, 200).Draw(t, "unit of F"))
		a := rapid.Float64Range(0.1, 10).Draw(t, "a")
		kind := rapid.SampledFrom(allSolvers).Draw(t, "solver")
		lambda := []float64{a * unit}
		tape := record(t, []float64{unit}, lambda, func(w, lambda vars) vars { // w/λ = λ/w
			return vars{w[0].Div(lambda[0]).Sub(lambda[0].Div(w[0])).Scale(scale)}
		})
		eq := Settings{Solver: kind}.New(tape)
		_, err := eq.At(lambda, lambda)
		require.NoError(t, err)
		_, err = eq.At([]float64{a * unit * (1 + 1e-8)}, lambda)
		require.NoError(t, err)
		_, err = eq.At([]float64{a * unit * (1 + 1e-7)}, lambda)
		var not *NotARootError
		require.ErrorAs(t, err, &not)
		require.Greater(t, not.Residual, not.Bound)
		loose := Settings{Solver: kind, Tolerance: 1e-6}.New(tape)
		_, err = loose.At([]float64{a * unit * (1 + 1e-7)}, lambda)
		require.NoError(t, err)
		absolute := Settings{Solver: kind, Absolute: scale}.New(tape)
		_, err = absolute.At([]float64{a * unit * 1.1}, lambda)
		require.NoError(t, err)
	})
}

func TestNotARootNamesTheWorstEquation(t *testing.T) {
	w, lambda := []float64{1, 2, 3}, []float64{1}
	tape := record(t, w, lambda, func(w, lambda vars) vars {
		return vars{w[0].Sub(lambda[0]), w[1].Scale(1e6).SubReal(2.1e6), w[2].SubReal(4)}
	})
	for _, kind := range allSolvers {
		_, err := Settings{Solver: kind}.New(tape).At(w, lambda)
		var not *NotARootError
		require.ErrorAs(t, err, &not)
		require.Equal(t, 2, not.Equation)
		require.Equal(t, 1.0, not.Residual)
		require.InEpsilon(t, 3*defaultRootTolerance, not.Bound, 1e-12)
	}
	_, err := At(tape, []float64{1, math.NaN(), 3}, lambda)
	var not *NotARootError
	require.ErrorAs(t, err, &not)
	require.Equal(t, 1, not.Equation)
}

// A size that overflows excuses nothing.
func TestOverflowIsNoRoot(t *testing.T) {
	w, lambda := []float64{1e160}, []float64{0.999e160}
	tape := record(t, w, lambda, func(w, l vars) vars { return vars{w[0].Sub(l[0]).Scale(1e150)} })
	var not *NotARootError
	for _, kind := range allSolvers {
		eq := Settings{Solver: kind}.New(tape)
		_, err := eq.At(w, lambda)
		require.ErrorAs(t, err, &not)
		require.InEpsilon(t, 1e307, not.Residual, 1e-9)
		_, err = eq.At(w, w)
		require.NoError(t, err)
	}
}

func TestDerivativeThatIsNotFinite(t *testing.T) {
	tape := record(t, []float64{1}, []float64{1, 0}, func(w, lambda vars) vars {
		return vars{w[0].Sub(lambda[0]).Add(lambda[1].Sqrt())}
	})
	_, err := At(tape, []float64{1}, []float64{1, 0})
	var infinite *linsolve.NonFiniteError
	require.ErrorAs(t, err, &infinite)
	require.Equal(t, linsolve.NonFiniteError{Row: 0, Column: 2, Value: math.Inf(1)}, *infinite)
}

func TestErrorsOfTheTapeArePassedOn(t *testing.T) {
	tape := record(t, []float64{1}, []float64{1}, func(w, lambda vars) vars {
		if lambda[0].LessReal(0) {
			return vars{w[0].Add(lambda[0])}
		}
		return vars{w[0].Sub(lambda[0])}
	})
	for _, kind := range allSolvers {
		eq := Settings{Solver: kind}.New(tape)
		var branch *reverse.BranchError
		_, err := eq.At([]float64{-1}, []float64{-1})
		require.ErrorAs(t, err, &branch)
	}
	_, err := FixedPoint(record(t, []float64{1}, []float64{1}, func(w, lambda vars) vars {
		if lambda[0].LessReal(0) {
			return vars{lambda[0].Scale(0.5)}
		}
		return vars{lambda[0].Sub(w[0].Scale(0.5)).Add(w[0].Scale(0.5))}
	}), []float64{-0.5}, []float64{-1})
	var branch *reverse.BranchError
	require.ErrorAs(t, err, &branch)
}

func TestIterationThatDoesNotConvergeSaysSo(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 1))
	f := newFamily(rnd, 50, 3)
	for _, kind := range []Solver{SolverGMRES, SolverBiCGStab} {
		s, err := Settings{Solver: kind, Krylov: linsolve.Krylov{MaxIterations: 1}}.New(f.tape(t)).At(f.w, f.point)
		require.NoError(t, err)
		var convergence *linsolve.ConvergenceError
		for name, call := range map[string]func() error{
			"JVP":      func() error { _, err := s.JVP(nil, f.point); return err },
			"VJP":      func() error { _, err := s.VJP(nil, f.w); return err },
			"Jacobian": func() error { _, err := s.Jacobian(nil); return err },
			"Second":   func() error { _, err := s.Second(nil, f.point, f.point); return err },
		} {
			require.ErrorAs(t, call(), &convergence, name)
		}
	}
}

func TestPreconditionerIsUsedForBothSystems(t *testing.T) {
	rnd := rand.New(rand.NewPCG(14, 1))
	f := newFamily(rnd, 50, 3)
	tape := f.tape(t)
	s, err := Settings{Solver: SolverSparse}.New(tape).At(f.w, f.point)
	require.NoError(t, err)
	lu := &s.z.solver.(*sparseSolver).lu
	want, err := s.Jacobian(nil)
	require.NoError(t, err)
	for _, kind := range []Solver{SolverGMRES, SolverBiCGStab} {
		o := Settings{Solver: kind, Precondition: lu.SolveInto, Krylov: linsolve.Krylov{MaxIterations: 1}}
		s, err := o.New(tape).At(f.w, f.point)
		require.NoError(t, err)
		got, err := s.Jacobian(nil)
		require.NoError(t, err)
		requireClose(t, want, got, 1e-9)
		left, err := s.VJPs(nil, eye(f.m))
		require.NoError(t, err)
		requireClose(t, want.T(), left, 1e-9)

		fails := errors.New("no preconditioner today")
		o.Precondition = func(dst []float64, trans bool, b []float64) error { return fails }
		s, err = o.New(tape).At(f.w, f.point)
		require.NoError(t, err)
		_, err = s.JVP(nil, f.point)
		require.ErrorIs(t, err, fails)
	}
}

func eye(n int) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, 1)
	}
	return d
}

// Without room for its factors a sparse system goes to GMRES, with its matrix.
func TestAutoTakesGMRESWhereFactorsDoNotFit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 1))
	f := newFamily(rnd, 200, 3)
	eq := with(SolverAuto).New(f.tape(t))
	want, err := eq.At(f.w, f.point)
	require.NoError(t, err)
	require.IsType(t, (*sparseSolver)(nil), want.z.solver)
	inner := eq.newSolver
	eq.newSolver = func() solver {
		s := inner().(*sparseSolver)
		s.lu.MaxFill = 10
		return s
	}
	for range 2 {
		got, err := eq.At(f.w, f.point)
		require.NoError(t, err)
		require.IsType(t, (*krylovSolver)(nil), got.z.solver)
		a, err := want.Jacobian(nil)
		require.NoError(t, err)
		b, err := got.Jacobian(nil)
		require.NoError(t, err)
		requireClose(t, a, b, 1e-11)
		c, err := got.VJPs(nil, eye(f.m))
		require.NoError(t, err)
		requireClose(t, a.T(), c, 1e-11)
	}
}

func TestBadlyScaledDenseRows(t *testing.T) {
	w, lambda := []float64{1, 1, 1}, []float64{1, 1, 1}
	scale := []float64{1e150, 1e-150, 1}
	rows := [][]float64{{1, 2, 3}, {0, 1, 1}, {1, 0, 2}}
	tape := record(t, w, lambda, func(w, lambda vars) vars {
		out := make(vars, 3)
		for i, row := range rows {
			sum := row[0] + row[1] + row[2]
			out[i] = dual.Affine(0, row, w).Sub(lambda[i].Scale(sum)).Scale(scale[i])
		}
		return out
	})
	var want [2]*mat.Dense
	for k, kind := range []Solver{SolverDense, SolverSparse} {
		s, err := Settings{Solver: kind}.New(tape).At(w, lambda)
		require.NoError(t, err)
		want[k], err = s.Jacobian(nil)
		require.NoError(t, err)
		left, err := s.VJPs(nil, eye(3))
		require.NoError(t, err)
		requireClose(t, want[k].T(), left, 1e-14)
	}
	requireClose(t, want[0], want[1], 1e-14)
}

// u·w₀ + w₁ = λ₀, 2u·w₀ + w₁ = λ₁ has w = ((λ₁ − λ₀)/u, 2λ₀ − λ₁), well-posed in
// whatever units u makes of w₀.
func TestUnitsOfUnknownsDoNotMatter(t *testing.T) {
	for _, solver := range []Solver{SolverDense, SolverSparse} {
		for _, u := range []float64{1e-20, 1e-17, 1e-8, 1e8, 1e20} {
			lambda := []float64{3, 4}
			tape := record(t, []float64{1 / u, 2}, lambda, func(w, lambda vars) vars {
				return vars{w[0].Scale(u).Add(w[1]).Sub(lambda[0]), w[0].Scale(2 * u).Add(w[1]).Sub(lambda[1])}
			})
			s, err := with(solver).New(tape).Newton([]float64{0, 0}, lambda)
			require.NoError(t, err)
			require.InDeltaSlice(t, []float64{1, 2}, []float64{s.W()[0] * u, s.W()[1]}, 1e-15)
			dw, err := s.JVP(nil, []float64{0, 1})
			require.NoError(t, err)
			require.InDeltaSlice(t, []float64{1, -1}, []float64{dw[0] * u, dw[1]}, 1e-15)
			g, err := s.VJP(nil, []float64{u, 1})
			require.NoError(t, err)
			require.InDeltaSlice(t, []float64{1, 0}, g, 1e-15)
			j, err := s.Jacobian(nil)
			require.NoError(t, err)
			require.InDelta(t, 1/u, j.At(0, 1), 1e-15/u)
		}
	}
}

func TestGivenPatternIsUsed(t *testing.T) {
	rnd := rand.New(rand.NewPCG(19, 1))
	f := newFamily(rnd, 40, 3)
	tape := f.tape(t)
	want, err := At(tape, f.w, f.point)
	require.NoError(t, err)
	wantJac, err := want.Jacobian(nil)
	require.NoError(t, err)
	// A few more entries, and all of them, which is evaluated dense.
	wider := tape.JacobianPattern().Union(sparsity.FromCoordinates(40, 43, []int{0, 7, 39}, []int{39, 42, 0}))
	for _, p := range []*sparsity.Pattern{wider, sparsity.Full(40, 43)} {
		s, err := Settings{Pattern: p, Solver: SolverSparse}.New(tape).At(f.w, f.point)
		require.NoError(t, err)
		require.Equal(t, p.NNZ(), s.z.jac.NNZ())
		got, err := s.Jacobian(nil)
		require.NoError(t, err)
		requireClose(t, wantJac, got, 1e-13)
	}
}

func TestFixedPointOfHeron(t *testing.T) {
	heron := record(t, []float64{1}, []float64{2}, func(x, a vars) vars {
		return vars{x[0].Add(a[0].Div(x[0])).Scale(0.5)}
	})
	for _, a := range []float64{1e-8, 2, 3e9} {
		root := math.Sqrt(a)
		for _, w := range []float64{root, -root} {
			s, err := FixedPoint(heron, []float64{w}, []float64{a})
			require.NoError(t, err)
			d, err := s.JVP(nil, []float64{1})
			require.NoError(t, err)
			require.InEpsilon(t, 1/(2*w), d[0], 1e-10)
			dd, err := s.Second(nil, []float64{1}, []float64{1})
			require.NoError(t, err)
			require.InEpsilon(t, -1/(4*w*a), dd[0], 1e-10)
		}
		_, err := FixedPoint(heron, []float64{1.001 * root}, []float64{a})
		var not *NotARootError
		require.ErrorAs(t, err, &not)
	}
}

func TestParametersOfTheTapeStayParameters(t *testing.T) {
	// w = p·λ + w/2, p no variable.
	tape, err := reverse.RecordParamsVec(func(x, p vars) vars {
		return vars{p[0].Mul(x[1]).Add(x[0].Scale(0.5))}
	}, []float64{4, 1}, []float64{2})
	require.NoError(t, err)
	fixed := Fixed(tape)
	require.Equal(t, 1, fixed.Params())
	for _, kind := range allSolvers {
		eq := Settings{Solver: kind}.New(fixed)
		for _, c := range []struct{ w, lambda []float64 }{{[]float64{4}, []float64{1}}, {[]float64{10}, []float64{1, 5}}} {
			s, err := eq.At(c.w, c.lambda)
			require.NoError(t, err)
			require.Equal(t, []float64{1}, s.Lambda())
			d, err := s.JVP(nil, []float64{1})
			require.NoError(t, err)
			require.InDelta(t, c.w[0], d[0], 1e-9)
			dd, err := s.Second(nil, []float64{1}, []float64{1})
			require.NoError(t, err)
			require.Zero(t, dd[0])
		}
	}
}

func TestFixedKeepsPrimitives(t *testing.T) {
	square := reverse.NewPrimitive("square", func(x float64) float64 { return x * x }, func(x float64) float64 { return 2 * x }, func(float64) float64 { return 2 })
	g := record(t, []float64{0.5}, []float64{1}, func(w, lambda vars) vars {
		return vars{square.Apply(w[0]).Add(reverse.Apply(swap{}, w[0], lambda[0])[0].Scale(0.25))}
	})
	_, err := FixedPoint(g, []float64{0.5}, []float64{1}) // w = w² + λ/4
	require.ErrorAs(t, err, new(*linsolve.SingularError))
	s, err := FixedPoint(g, []float64{0.25}, []float64{0.75})
	require.NoError(t, err)
	d, err := s.JVP(nil, []float64{1})
	require.NoError(t, err)
	require.InDelta(t, 0.5, d[0], 1e-15) // ¼/(1−2w)
	dd, err := s.Second(nil, []float64{1}, []float64{1})
	require.NoError(t, err)
	require.InDelta(t, 1, dd[0], 1e-14) // 2ẇ²/(1−2w)
}

// swap is (x, y) ↦ (y, x).
type swap struct{}

func (swap) Dims() (n, m int) { return 2, 2 }
func (swap) Name() string     { return "swap" }
func (swap) Eval(y, x []float64) error {
	y[0], y[1] = x[1], x[0]
	return nil
}
func (swap) JVP(dy, x, dx []float64) error   { dy[0], dy[1] = dx[1], dx[0]; return nil }
func (swap) VJP(gx, x, w []float64) error    { gx[0], gx[1] = w[1], w[0]; return nil }
func (swap) HVP(h, x, dx, w []float64) error { clear(h); return nil }
func (swap) Jacobian(i int) []int            { return []int{1 - i} }
func (swap) Hessian(i int) []int             { return []int{} }

func TestMayAlias(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 1))
	f := newFamily(rnd, 6, 6)
	whole, _ := f.phiTapes(t)
	for _, kind := range allSolvers {
		s, err := with(kind).New(f.tape(t)).At(f.w, f.point)
		require.NoError(t, err)
		r, err := s.Reduce(whole)
		require.NoError(t, err)
		for name, call := range map[string]func(dst, v []float64) ([]float64, error){
			"JVP":    s.JVP,
			"VJP":    s.VJP,
			"HVP":    r.HVP,
			"Second": func(dst, v []float64) ([]float64, error) { return s.Second(dst, v, f.point) },
		} {
			v := randomVector(rnd, 6)
			want, err := call(nil, v)
			require.NoError(t, err)
			got, err := call(v, v)
			require.NoError(t, err)
			require.Same(t, &v[0], &got[0])
			require.Equal(t, want, got, name)
		}
		for name, call := range map[string]func(dst, v *mat.Dense) (*mat.Dense, error){"JVPs": s.JVPs, "VJPs": s.VJPs} {
			v := mat.NewDense(6, 6, randomVector(rnd, 36))
			want, err := call(nil, v)
			require.NoError(t, err)
			got, err := call(v, v)
			require.NoError(t, err)
			require.Same(t, v, got)
			require.True(t, mat.Equal(want, got), name)
		}
	}
}

func TestSolutionIsSafeForConcurrentUse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 1))
	f := newFamily(rnd, 20, 4)
	whole, _ := f.phiTapes(t)
	for _, kind := range allSolvers {
		s, err := with(kind).New(f.tape(t)).At(f.w, f.point)
		require.NoError(t, err)
		r, err := s.Reduce(whole)
		require.NoError(t, err)
		results := func() (all [4][]float64) {
			all[0], _ = s.JVP(nil, f.point)
			all[1], _ = s.VJP(nil, f.w)
			all[2], _ = r.HVP(nil, f.point)
			all[3], _ = s.Second(nil, f.point, f.point)
			return all
		}
		want := results()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 5 {
					if got := results(); !slices.EqualFunc(got[:], want[:], slices.Equal) {
						t.Errorf("%v: results differ", kind)
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestEquationWithoutParameters(t *testing.T) {
	tape := record(t, []float64{2}, nil, func(w, _ vars) vars { return vars{w[0].Square().SubReal(4)} })
	for _, kind := range allSolvers {
		s, err := with(kind).New(tape).At([]float64{2}, nil)
		require.NoError(t, err)
		d, err := s.JVP(nil, nil)
		require.NoError(t, err)
		require.Equal(t, []float64{0}, d)
		g, err := s.VJP(nil, []float64{1})
		require.NoError(t, err)
		require.Empty(t, g)
		j, err := s.Jacobian(nil)
		require.NoError(t, err)
		require.True(t, j.IsEmpty())
	}
}

func TestMisuseOfEquationsPanics(t *testing.T) {
	tape := record(t, []float64{2}, []float64{4}, func(w, l vars) vars { return vars{w[0].Square().Sub(l[0])} })
	s, err := At(tape, []float64{2}, []float64{4})
	require.NoError(t, err)
	two := []float64{1, 2}
	wide, err := reverse.RecordVec(func(x vars) vars { return vars{x[0], x[0].Exp()} }, two[:1])
	require.NoError(t, err)
	nothing := func([]float64, []float64) {}
	for want, call := range map[string]func(){
		"implicit: nil tape":                                                      func() { NewEquation(nil) },
		"implicit: nil function":                                                  func() { Record(nil, nil, nil) },
		"implicit: 2 equations for 1 unknowns":                                    func() { Record(func(w, _ vars) vars { return vars{w[0], w[0]} }, []float64{1}, nil) },
		"implicit: 2 equations in 1 variables":                                    func() { NewEquation(wide) },
		"implicit: negative or unknown setting":                                   func() { Settings{Tolerance: -1}.New(tape) },
		"implicit: Krylov.Left or Right in Settings, where Precondition is meant": func() { Settings{Krylov: linsolve.Krylov{Left: nothing}}.New(tape) },
		"implicit: pattern is 2×2, want 1×2":                                      func() { Settings{Pattern: sparsity.Full(2, 2)}.New(tape) },
		"implicit: w has length 2, want 1":                                        func() { At(tape, two, two) },
		"implicit: λ has length 2, want 1 (and 0 parameters)":                     func() { At(tape, two[:1], two) },
		"implicit: v has length 2, want 1":                                        func() { s.JVP(nil, two) },
		"implicit: w̄ has length 2, want 1":                                       func() { s.VJP(nil, two) },
		"implicit: dst has length 2, want 1":                                      func() { s.JVP(two, two[:1]) },
		"implicit: φ has 4 inputs and 2 outputs, want 2 and 1":                    func() { s.Reduce(tape.Tangent()) },
		"implicit: V has 2 rows, want 1":                                          func() { s.JVPs(nil, eye(2)) },
		"implicit: W̄ has 2 rows, want 1":                                         func() { s.VJPs(nil, eye(2)) },
		"implicit: dst is 2×2, want 1×1":                                          func() { s.Jacobian(eye(2)) },
	} {
		require.PanicsWithValue(t, want, call)
	}
}

// w = √(λ − c) solves F + c = 0, F = w² − λ: the multiplier is the derivative of
// w³ in c.
func TestMultiplierIsTheDerivativeByAConstant(t *testing.T) {
	tape := record(t, []float64{2}, []float64{4}, func(w, l vars) vars { return vars{w[0].Square().Sub(l[0])} })
	phi, err := reverse.Record(func(x vars) reverse.Var { return x[0].PowInt(3) }, []float64{2, 4})
	require.NoError(t, err)
	for _, kind := range allSolvers {
		eq := with(kind).New(tape)
		require.Equal(t, 1, eq.Unknowns())
		require.Equal(t, 1, eq.Params())
		s, err := eq.At([]float64{2}, []float64{4})
		require.NoError(t, err)
		r, err := s.Reduce(phi)
		require.NoError(t, err)
		require.InDeltaSlice(t, []float64{-3}, r.Multiplier(nil), 1e-14, kind)
		dst := []float64{7}
		require.Same(t, &dst[0], &r.Multiplier(dst)[0])
		require.InDelta(t, -3, dst[0], 1e-14, "%v", kind)
		require.InDeltaSlice(t, []float64{3}, r.Gradient(nil), 1e-14, kind)
	}
}

func TestUnknownSolversAreNumbers(t *testing.T) {
	require.Equal(t, "BiCGStab Solver(5)", fmt.Sprint(SolverBiCGStab, " ", Solver(5)))
}
