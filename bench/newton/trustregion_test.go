package newton

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// record returns a problem's tape and its start, that of Starts.
func record(t *testing.T, name string, n int) (*reverse.Tape, []float64) {
	t.Helper()
	for _, p := range problems.All {
		if p.Name == name {
			in := p.At(n)
			x0 := Start(in)
			tape, err := reverse.Record(x0, problems.Func[reverse.Var](in))
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
		r, err := TrustRegion{}.Minimize(tape, x0)
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
		require.InDelta(t, floats.Norm(g, math.Inf(1)), r.Gradient, 1e-9)
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
	r, err := TrustRegion{}.Minimize(tape, x0)
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

// With x in units of powers of 2, and f in one, nothing is rounded otherwise: the
// same steps are taken.
func TestUnitsDoNotMatter(t *testing.T) {
	x0 := []float64{-1.2, 1, 0.7, -2}
	residuals := func(unit, size float64) func(x []reverse.Var) []reverse.Var {
		return func(x []reverse.Var) []reverse.Var {
			y := make([]reverse.Var, len(x))
			for i := range x {
				y[i] = x[i].Scale(math.Pow(unit, float64(i-1)))
			}
			var r []reverse.Var
			for i := 0; i+1 < len(y); i++ {
				r = append(r, y[i+1].Sub(y[i].Square()).Scale(10*size), y[i].RSub(1).Scale(size), y[i].Sin().AddReal(2).Scale(size))
			}
			return r
		}
	}
	var minima, fits []*Result
	for _, unit := range []float64{1, 1 << 40, 1.0 / (1 << 30)} {
		for _, size := range []float64{1, 1 << 50, 1.0 / (1 << 60)} {
			start := make([]float64, len(x0))
			for i := range x0 {
				start[i] = x0[i] * math.Pow(unit, float64(1-i))
			}
			r := residuals(unit, size)
			half, err := reverse.Record(start, func(x []reverse.Var) reverse.Var {
				r := r(x)
				return dual.Dot(r, r)
			})
			require.NoError(t, err)
			m, err := TrustRegion{}.Minimize(half, start)
			require.NoError(t, err, "x in %g, r in %g", unit, size)
			f, err := LeastSquares{}.Minimize(recordVec(t, r, start), start)
			require.NoError(t, err, "x in %g, r in %g", unit, size)
			for _, r := range []*Result{m, f} {
				for i := range r.X {
					r.X[i] *= math.Pow(unit, float64(i-1))
				}
			}
			minima, fits = append(minima, m), append(fits, f)
		}
	}
	for _, runs := range [][]*Result{minima, fits} {
		for _, r := range runs[1:] {
			require.Equal(t, runs[0].X, r.X)
			require.Equal(t, runs[0].Iterations, r.Iterations)
		}
	}
}

func TestTrustRegionConvergesQuadratically(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "trig"} {
		tape, x0 := record(t, name, 1000)
		rough, err := TrustRegion{Tolerance: 1e-5}.Minimize(tape, x0)
		require.NoError(t, err, name)
		fine, err := TrustRegion{Tolerance: 1e-11}.Minimize(tape, x0)
		require.NoError(t, err, name)
		require.LessOrEqual(t, fine.Iterations, rough.Iterations+3, name)
		require.LessOrEqual(t, fine.Factorizations-fine.Iterations, rough.Factorizations-rough.Iterations+3,
			"%s: one factorization a step", name)
	}
}

func TestTrustRegionIsTheSameByAnyMethod(t *testing.T) {
	tape, x0 := record(t, "bdqrtic", 50)
	want, err := TrustRegion{Hessian: hessian.SparseSettings{Method: hessian.ByTerms}}.Minimize(tape, x0)
	require.NoError(t, err)
	for _, method := range []hessian.Method{hessian.ByStar, hessian.ByAcyclic} {
		got, err := TrustRegion{Hessian: hessian.SparseSettings{Method: method}}.Minimize(tape, x0)
		require.NoError(t, err)
		require.Equal(t, want.Iterations, got.Iterations)
		require.InDeltaSlice(t, want.X, got.X, 1e-9)
	}
}

func TestTrustRegionLeavesSaddlesAndMaxima(t *testing.T) {
	wells := func(x []reverse.Var) reverse.Var { // minima at (±1, 0), of −¼
		return x[0].PowInt(4).Scale(0.25).Sub(x[0].Square().Scale(0.5)).Add(x[1].Square().Scale(0.5))
	}
	for _, x0 := range [][]float64{{0, 0}, {0, 1}, {1e-9, -3}, {0.1, 0}} {
		tape, err := reverse.Record(x0, wells)
		require.NoError(t, err)
		r, err := TrustRegion{}.Minimize(tape, x0)
		require.NoError(t, err)
		require.InDelta(t, -0.25, r.F, 1e-15)
		require.InDelta(t, 1, math.Abs(r.X[0]), 1e-9)
	}
	tape, err := reverse.Record([]float64{0, 0}, func(x []reverse.Var) reverse.Var { return x[0].Cos().Add(x[1].Cos()) })
	require.NoError(t, err)
	r, err := TrustRegion{}.Minimize(tape, []float64{0, 0})
	require.NoError(t, err)
	require.InDelta(t, -2, r.F, 1e-15)
}

func TestTrustRegionSaysWhereItStopped(t *testing.T) {
	for reason, test := range map[string]struct {
		f func(x []reverse.Var) reverse.Var
		o TrustRegion
	}{
		"iterations":                   {func(x []reverse.Var) reverse.Var { return x[0].Exp() }, TrustRegion{MaxIterations: 5}},
		"f is not finite at the start": {func(x []reverse.Var) reverse.Var { return x[0].Log() }, TrustRegion{}},
		"the Hessian is not finite":    {func(x []reverse.Var) reverse.Var { return x[0].PowReal(1.5).Add(x[0]) }, TrustRegion{}},
		"no descent":                   {func(x []reverse.Var) reverse.Var { return x[0].Neg().Max(x[0].Scale(2)) }, TrustRegion{}},
	} {
		tape, err := reverse.Record([]float64{0}, test.f)
		require.NoError(t, err)
		r, err := test.o.Minimize(tape, []float64{0})
		var stopped *StoppedError
		require.ErrorAs(t, err, &stopped, reason)
		require.Equal(t, reason, stopped.Reason)
		require.Equal(t, r.Iterations, stopped.Iterations)
		require.Contains(t, err.Error(), reason)
	}
	for _, f := range []func(x []reverse.Var) reverse.Var{ // of huge elements
		func(x []reverse.Var) reverse.Var {
			return x[0].Square().Add(x[1].Mul(x[0])).Scale(1e300).Sub(x[1].Square())
		},
		func(x []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Scale(1e308).Add(x[0].Square().Scale(1e-300)) },
		func(x []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Scale(-1e160).Mul(x[0]).Add(x[1]) },
	} {
		tape, err := reverse.Record([]float64{1, 1}, f)
		require.NoError(t, err)
		_, err = TrustRegion{MaxIterations: 50}.Minimize(tape, []float64{1, 1})
		var stopped *StoppedError
		require.ErrorAs(t, err, &stopped)
	}
	broken, err := reverse.Record([]float64{1}, func(x []reverse.Var) reverse.Var {
		if x[0].LessReal(0.5) {
			return x[0].Square()
		}
		return x[0].Square().Scale(2)
	})
	require.NoError(t, err)
	_, err = TrustRegion{}.Minimize(broken, []float64{1})
	var branch *reverse.BranchError
	require.ErrorAs(t, err, &branch)
}

// least is the minimum of gᵀs + ½sᵀHs in ‖s‖ ≤ Δ, by the eigenvectors of H.
func least(h mat.Symmetric, g []float64, radius float64) float64 {
	n := len(g)
	var eig mat.EigenSym
	eig.Factorize(h, true)
	values := eig.Values(nil)
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	c := mat.NewVecDense(n, nil)
	c.MulVec(vectors.T(), mat.NewVecDense(n, g))
	at := func(lambda float64) (q, length float64) {
		for i, mu := range values {
			if g := c.AtVec(i); g != 0 {
				s := -g / (mu + lambda)
				q += g*s + mu*s*s/2
				length = math.Hypot(length, s)
			}
		}
		return q, length
	}
	if values[0] > 0 {
		if q, length := at(0); length <= radius {
			return q
		}
	}
	lo := max(0, -values[0])
	hi := lo + floats.Norm(g, 2)/radius + 1
	lo += 1e-14 * (1 + lo)
	for range 200 {
		mid := (lo + hi) / 2
		if _, length := at(mid); length > radius {
			lo = mid
		} else {
			hi = mid
		}
	}
	q, length := at(hi)
	// In the hard case the rest of the way is along the first eigenvector.
	return q + min(0, values[0])*max(0, radius*radius-length*length)/2
}

func TestModelStepIsNearlyTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := newModel(sparsity.NewMatrix(sparsity.Full(n, n).Lower()), n, new(Cost))
		values := m.h.Triangle().Values()
		for i := range values {
			values[i] = rnd.NormFloat64()
		}
		shift := rapid.SampledFrom([]float64{0, 3, -3}).Draw(t, "shift")
		for i := range n {
			values[m.h.Triangle().Pattern().Position(i, i)] += shift
		}
		if rapid.Bool().Draw(t, "diagonal") { // the hard case is met
			for i := range n {
				for j := range i {
					values[m.h.Triangle().Pattern().Position(i, j)] = 0
				}
			}
		}
		for i := range m.g {
			m.g[i] = rnd.NormFloat64() * float64(rnd.IntN(2))
		}
		require.True(t, m.load(make([]float64, n)))
		for _, radius := range []float64{1e-3, 0.3, 1, 10, 1e4} {
			decrease, err := m.step(radius)
			require.NoError(t, err)
			s := mat.NewVecDense(n, m.s)
			q := floats.Dot(m.g, m.s) + mat.Inner(s, m.h, s)/2
			want := least(m.h, m.g, radius)
			tolerance := 1e-9 * (math.Abs(want) + max(m.highest, -m.lowest)*mat.Dot(s, s))
			require.InDelta(t, decrease, -q, tolerance)
			require.LessOrEqual(t, floats.Norm(m.s, 2), (1+nearBoundary)*radius*(1+1e-9))
			// A length of 0.9Δ forgoes up to 1 − 0.9² of the decrease.
			require.LessOrEqual(t, q, 0.8*want+tolerance)
		}
	})
}
