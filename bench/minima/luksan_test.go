package minima

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

func recordVec(t *testing.T, f func(x []reverse.Var) []reverse.Var, x0 []float64) *reverse.Tape {
	t.Helper()
	tape, err := reverse.RecordVec(f, x0)
	require.NoError(t, err)
	return tape
}

// requireSolves checks the conditions at r.X, computed from the tape alone, and
// on small problems that the Hessian is positive definite along the constraints.
func requireSolves(t *testing.T, tape *reverse.Tape, r *newton.Result) {
	t.Helper()
	n := len(r.X)
	weights := append([]float64{1}, r.Y...)
	out, err := tape.Values(nil, r.X)
	require.NoError(t, err)
	require.InEpsilon(t, out[0], r.F, 1e-12)
	require.LessOrEqual(t, floats.Norm(append(out[1:], 0), math.Inf(1)), 1e-8)
	g, err := tape.VJP(nil, r.X, weights)
	require.NoError(t, err)
	require.InDelta(t, floats.Norm(g, math.Inf(1)), r.Unscaled.Dual, 1e-9)
	// f is scaled to derivatives of at most 100 at the start.
	f, err := tape.VJP(nil, tape.Point(), append([]float64{1}, make([]float64, len(r.Y))...))
	require.NoError(t, err)
	require.LessOrEqual(t, r.Unscaled.Dual, 1e-8*max(1, floats.Norm(f, math.Inf(1))/100))
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

func TestInteriorPointSolvesLuksanVlcek(t *testing.T) {
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
		r, err := newton.InteriorPoint{}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
		require.NoError(t, err, test.p.Name)
		require.InDelta(t, test.f, r.F, test.within, test.p.Name)
		require.LessOrEqual(t, r.Iterations, test.iterations, test.p.Name)
		requireSolves(t, tape, r)
	}
}

func TestLuksanVlcekEndsAtMinima(t *testing.T) {
	for _, n := range []int{20, 40, 60, 80, 100} {
		for _, p := range LuksanVlcek {
			x0 := p.Start(n)
			tape := recordVec(t, p.Func, x0)
			r, err := newton.InteriorPoint{}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
			require.NoError(t, err, "%s, n = %d", p.Name, n)
			requireSolves(t, tape, r)
		}
	}
}

func TestLuksanVlcekConvergesQuadratically(t *testing.T) {
	for _, p := range LuksanVlcek {
		x0 := p.Start(1000)
		tape := recordVec(t, p.Func, x0)
		rough, err := newton.InteriorPoint{Settings: newton.Settings{Tolerance: 1e-4}}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
		require.NoError(t, err)
		fine, err := newton.InteriorPoint{Settings: newton.Settings{Tolerance: 1e-11}}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
		require.NoError(t, err)
		require.LessOrEqual(t, fine.Iterations, rough.Iterations+2, p.Name)
	}
}

func TestLuksanVlcekIsTheSameByAnyMethod(t *testing.T) {
	for _, p := range LuksanVlcek {
		x0 := p.Start(40)
		tape := recordVec(t, p.Func, x0)
		want, err := newton.InteriorPoint{}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
		require.NoError(t, err)
		for _, o := range []newton.Settings{
			{Hessian: hessian.SparseSettings{Method: hessian.ByStar}, Jacobian: reverse.SparseSettings{Method: reverse.ByBoth}},
			{Hessian: hessian.SparseSettings{Method: hessian.ByAcyclic}, Jacobian: reverse.SparseSettings{Method: reverse.ByRows}},
		} {
			got, err := newton.InteriorPoint{Settings: o}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
			require.NoError(t, err)
			require.InDelta(t, want.F, got.F, 1e-9*want.F, p.Name)
			require.InDeltaSlice(t, want.X, got.X, 1e-7, p.Name)
		}
	}
}
