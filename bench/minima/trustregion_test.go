package minima

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

// record returns a problem's tape and its start, that of Starts.
func record(t *testing.T, name string, n int) (*reverse.Tape, []float64) {
	t.Helper()
	for _, p := range problems.All {
		if p.Name == name {
			in := p.At(n)
			x0 := Start(in)
			tape, err := reverse.Record(problems.Func[reverse.Var](in), x0)
			require.NoError(t, err)
			return tape, x0
		}
	}
	t.Fatal(name)
	return nil, nil
}

func TestTrustRegionFindsKnownMinima(t *testing.T) {
	for _, test := range []struct {
		name       string
		n          int
		f, within  float64
		iterations int // at most
		x          func(i, n int) float64
	}{
		{"rosen", 1000, 0, 1e-12, 30, func(i, n int) float64 { return 1 }},
		{"rosen", 10000, 0, 1e-12, 30, func(i, n int) float64 { return 1 }},
		{"arrow", 1000, 0, 1e-12, 10, func(i, n int) float64 {
			if i == n-1 {
				return 0
			}
			return 1
		}},
		// From the description of BDQRTIC in the collection CUTE.
		{"bdqrtic", 100, 378.769, 5e-4, 15, nil},
		{"bdqrtic", 500, 1981.01, 5e-3, 15, nil},
		{"bdqrtic", 1000, 3983.82, 5e-3, 15, nil},
		{"minsurf", 1000, 1, 1e-12, 8, nil},
	} {
		tape, x0 := record(t, test.name, test.n)
		r, err := newton.TrustRegion{}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
		require.NoError(t, err, test.name)
		require.InDelta(t, test.f, r.F, test.within, test.name)
		require.LessOrEqual(t, r.Iterations, test.iterations, test.name)
		if test.x != nil {
			for i, x := range r.X {
				require.InDelta(t, test.x(i, len(x0)), x, 1e-8, "%s, x[%d]", test.name, i)
			}
		}
		f, err := tape.Value(r.X)
		require.NoError(t, err)
		require.InDelta(t, f, r.F, 1e-12*math.Abs(f), "F is f(X)")
		g, err := tape.Gradient(nil, r.X)
		require.NoError(t, err)
		require.InDelta(t, floats.Norm(g, math.Inf(1)), r.Errors.Dual, 1e-9)
	}
}

func TestTrustRegionEndsAtMinima(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig"} {
		tape, x0 := record(t, name, 64)
		requireMinimum(t, name, tape, x0)
		for i := range x0 { // of trig, many minima and saddles are near
			x0[i] = 1 + 0.3*math.Sin(float64(i))
		}
		requireMinimum(t, name, tape, x0)
		for i := range x0 {
			x0[i] = 0
		}
		requireMinimum(t, name, tape, x0)
	}
}

// requireMinimum minimizes from x0 and checks that the Hessian is positive
// semidefinite at the end, and that Newton's step there promises no more of f
// than 10⁻¹⁸ of what was gained.
func requireMinimum(t *testing.T, name string, tape *reverse.Tape, x0 []float64) {
	t.Helper()
	r, err := newton.TrustRegion{}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
	require.NoError(t, err, name)
	f, err := tape.Value(x0)
	require.NoError(t, err)
	g, err := tape.Gradient(nil, r.X)
	require.NoError(t, err)
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, r.X)
	require.NoError(t, err)
	var eig mat.EigenSym
	require.True(t, eig.Factorize(h, true))
	values := eig.Values(nil)
	size := values[len(values)-1]
	require.Greater(t, values[0], -1e-9*size, name)
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	decrease := 0.0
	for i, v := range values {
		along := mat.Dot(vectors.ColView(i), mat.NewVecDense(len(g), g))
		decrease += along * along / max(v, 1e-9*size) / 2
	}
	require.LessOrEqual(t, decrease, 1e-18*max(math.Abs(f-r.F), math.Abs(f)), name)
}

func TestTrustRegionConvergesQuadratically(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "trig"} {
		tape, x0 := record(t, name, 1000)
		rough, err := newton.TrustRegion{Settings: newton.Settings{Tolerance: 1e-5}}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
		require.NoError(t, err, name)
		fine, err := newton.TrustRegion{Settings: newton.Settings{Tolerance: 1e-11}}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
		require.NoError(t, err, name)
		require.LessOrEqual(t, fine.Iterations, rough.Iterations+3, name)
		require.LessOrEqual(t, fine.Factorizations-fine.Iterations, rough.Factorizations-rough.Iterations+3,
			"%s: one factorization a step", name)
	}
}

func TestTrustRegionIsTheSameByAnyMethod(t *testing.T) {
	tape, x0 := record(t, "bdqrtic", 50)
	want, err := newton.TrustRegion{Settings: newton.Settings{Hessian: hessian.SparseSettings{Method: hessian.ByTerms}}}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
	require.NoError(t, err)
	for _, method := range []hessian.Method{hessian.ByStar, hessian.ByAcyclic} {
		got, err := newton.TrustRegion{Settings: newton.Settings{Hessian: hessian.SparseSettings{Method: method}}}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, x0)
		require.NoError(t, err)
		require.Equal(t, want.Iterations, got.Iterations)
		require.InDeltaSlice(t, want.X, got.X, 1e-9)
	}
}
