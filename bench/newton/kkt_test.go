package newton

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
)

func recordVec(t *testing.T, f func(x []reverse.Var) []reverse.Var, x0 []float64) *reverse.Tape {
	t.Helper()
	tape, err := reverse.RecordVec(x0, f)
	require.NoError(t, err)
	return tape
}

// requireSolves checks the conditions at r.X, computed from the tape alone, and
// on small problems that the Hessian is positive definite along the constraints.
func requireSolves(t *testing.T, tape *reverse.Tape, r *Result) {
	t.Helper()
	n := len(r.X)
	weights := append([]float64{1}, r.Y...)
	out, err := tape.Values(nil, r.X)
	require.NoError(t, err)
	require.InEpsilon(t, out[0], r.F, 1e-12)
	require.LessOrEqual(t, floats.Norm(append(out[1:], 0), math.Inf(1)), 1e-9)
	g, err := tape.VJP(nil, r.X, weights)
	require.NoError(t, err)
	require.InDelta(t, floats.Norm(g, math.Inf(1)), r.Gradient, 1e-9)
	f, err := tape.VJP(nil, r.X, append([]float64{1}, make([]float64, len(r.Y))...))
	require.NoError(t, err)
	require.LessOrEqual(t, r.Gradient, 1e-9*max(1, floats.Norm(f, math.Inf(1))))
	if n > 100 {
		return
	}
	// The null space of J: the last columns of U of JᵀQ.
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, r.X, weights...)
	require.NoError(t, err)
	m := len(r.Y)
	if m == n {
		return
	}
	basis := mat.NewDense(n, n, nil)
	for i := range n {
		basis.Set(i, i, 1)
	}
	if m > 0 {
		j, err := tape.Jacobian(nil, r.X)
		require.NoError(t, err)
		var qr mat.QR
		qr.Factorize(j.Slice(1, m+1, 0, n).T())
		qr.QTo(basis)
	}
	z := basis.Slice(0, n, m, n)
	var reduced mat.Dense
	reduced.Product(z.T(), h, z)
	sym := mat.NewSymDense(n-m, nil)
	for i := range n - m {
		for k := range i + 1 {
			sym.SetSym(i, k, reduced.At(i, k))
		}
	}
	var eig mat.EigenSym
	require.True(t, eig.Factorize(sym, false))
	require.Positive(t, eig.Values(nil)[0], "a minimum along the constraints")
}

func TestKKTSolvesLuksanVlcek(t *testing.T) {
	for _, test := range []struct {
		p          Constrained
		n          int
		f, within  float64 // as Ipopt 3.14 finds it at n = 1000, 1002 and 1004
		iterations int     // at most; Ipopt takes 6, 20 and 10
	}{
		{LuksanVlcek[0], 50, 6.2325, 5e-5, 8},
		{LuksanVlcek[0], 1000, 6.2325, 5e-5, 8},
		{LuksanVlcek[0], 10000, 6.2325, 5e-5, 8},
		{LuksanVlcek[1], 1002, 28122, 0.5, 40},
		{LuksanVlcek[2], 60, 65.121, 5e-4, 12},
		{LuksanVlcek[2], 1004, 65.121, 5e-4, 12},
		{LuksanVlcek[2], 10000, 65.121, 5e-4, 12},
	} {
		x0 := test.p.Start(test.n)
		tape := recordVec(t, test.p.Func, x0)
		r, err := KKT{}.Minimize(tape, x0)
		require.NoError(t, err, test.p.Name)
		require.InDelta(t, test.f, r.F, test.within, test.p.Name)
		require.LessOrEqual(t, r.Iterations, test.iterations, test.p.Name)
		requireSolves(t, tape, r)
	}
}

func TestKKTEndsAtMinima(t *testing.T) {
	for _, n := range []int{20, 40, 60, 80, 100} {
		for _, p := range LuksanVlcek {
			x0 := p.Start(n)
			tape := recordVec(t, p.Func, x0)
			r, err := KKT{}.Minimize(tape, x0)
			require.NoError(t, err, "%s, n = %d", p.Name, n)
			requireSolves(t, tape, r)
		}
	}
}

func TestKKTConvergesQuadratically(t *testing.T) {
	for _, p := range LuksanVlcek {
		x0 := p.Start(1000)
		tape := recordVec(t, p.Func, x0)
		rough, err := KKT{Tolerance: 1e-4}.Minimize(tape, x0)
		require.NoError(t, err)
		fine, err := KKT{Tolerance: 1e-11}.Minimize(tape, x0)
		require.NoError(t, err)
		require.LessOrEqual(t, fine.Iterations, rough.Iterations+2, p.Name)
	}
}

func TestKKTIsTheSameByAnyMethod(t *testing.T) {
	for _, p := range LuksanVlcek {
		x0 := p.Start(40)
		tape := recordVec(t, p.Func, x0)
		want, err := KKT{}.Minimize(tape, x0)
		require.NoError(t, err)
		for _, o := range []KKT{
			{Hessian: hessian.SparseSettings{Method: hessian.ByStar}, Jacobian: reverse.SparseSettings{Method: reverse.ByBoth}},
			{Hessian: hessian.SparseSettings{Method: hessian.ByAcyclic}, Jacobian: reverse.SparseSettings{Method: reverse.ByRows}},
		} {
			got, err := o.Minimize(tape, x0)
			require.NoError(t, err)
			require.InDelta(t, want.F, got.F, 1e-9*want.F, p.Name)
			require.InDeltaSlice(t, want.X, got.X, 1e-7, p.Name)
		}
	}
}

// line is the minimum of x + y on the circle of radius √2, (−1, −1) with y = ½.
func line(x []reverse.Var) []reverse.Var {
	return []reverse.Var{x[0].Add(x[1]), x[0].Square().Add(x[1].Square()).SubReal(2)}
}

func TestKKTOnACircle(t *testing.T) {
	for _, x0 := range [][]float64{{-1, -0.5}, {0.1, -2}, {2, 1}, {-3, 5}, {1, 0.9}} {
		tape := recordVec(t, line, x0)
		r, err := KKT{}.Minimize(tape, x0)
		require.NoError(t, err, "%v", x0)
		require.InDeltaSlice(t, []float64{-1, -1}, r.X, 1e-9)
		require.InDelta(t, 0.5, r.Y[0], 1e-9)
		requireSolves(t, tape, r)
	}
}

func TestKKTKnowsAMaximum(t *testing.T) {
	x0 := []float64{1, 1}
	_, err := KKT{}.Minimize(recordVec(t, line, x0), x0)
	var stopped *StoppedError
	require.ErrorAs(t, err, &stopped)
	require.Equal(t, "saddle", stopped.Reason)
}

func TestKKTWithoutConstraints(t *testing.T) {
	x0 := []float64{-1.2, 1}
	tape := recordVec(t, func(x []reverse.Var) []reverse.Var { return []reverse.Var{problems.Rosen(x)} }, x0)
	r, err := KKT{}.Minimize(tape, x0)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{1, 1}, r.X, 1e-8)
}

func TestKKTOfLinearFunctions(t *testing.T) {
	x0 := []float64{0, 0}
	vertex := recordVec(t, func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Add(x[1]), x[0].SubReal(1), x[1].Add(x[0]).SubReal(3)}
	}, x0)
	r, err := KKT{}.Minimize(vertex, x0)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{1, 2}, r.X, 1e-12)
	require.InDeltaSlice(t, []float64{0, -1}, r.Y, 1e-12)

	unbounded := recordVec(t, func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Add(x[1].Scale(2)), x[0].Add(x[1]).SubReal(1)}
	}, x0)
	_, err = KKT{MaxIterations: 20}.Minimize(unbounded, x0)
	var stopped *StoppedError
	require.ErrorAs(t, err, &stopped)
	require.Equal(t, "iterations", stopped.Reason)
}

func TestKKTDependentConstraintsAreAnError(t *testing.T) {
	x0 := []float64{1, 2}
	tape := recordVec(t, func(x []reverse.Var) []reverse.Var {
		c := x[0].Add(x[1]).SubReal(1)
		return []reverse.Var{x[0].Square().Add(x[1].Square()), c, c.Scale(2)}
	}, x0)
	_, err := KKT{}.Minimize(tape, x0)
	var singular *linsolve.SingularError
	require.ErrorAs(t, err, &singular)
}

func TestKKTSaysWhereItStopped(t *testing.T) {
	x0 := LuksanVlcek[1].Start(20)
	r, err := KKT{MaxIterations: 3}.Minimize(recordVec(t, LuksanVlcek[1].Func, x0), x0)
	var stopped *StoppedError
	require.ErrorAs(t, err, &stopped)
	require.Equal(t, StoppedError{Method: "Newton–KKT", Iterations: 3, Gradient: r.Gradient, Constraint: r.Constraint, Reason: "iterations"}, *stopped)
	require.Contains(t, err.Error(), "constraint")

	bad := recordVec(t, func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0], x[0].Log()} }, []float64{0})
	_, err = KKT{}.Minimize(bad, []float64{0})
	require.ErrorAs(t, err, &stopped)
	require.Equal(t, "f or c is not finite at the start", stopped.Reason)
}
