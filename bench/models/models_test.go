package models

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// nested carries second derivatives as Hyper does, by other code.
type nested = dual.Of[dual.Of[dual.Real]]

// seeded is x with what makes a number of each element.
func seeded[T any](x []float64, number func(i int, x float64) T) []T {
	y := make([]T, len(x))
	for i := range y {
		y[i] = number(i, x[i])
	}
	return y
}

func reals(x []float64) []dual.Real {
	return seeded(x, func(_ int, x float64) dual.Real { return dual.Real(x) })
}

func record(t *testing.T, x []float64, f func(x []reverse.Var) reverse.Var) *reverse.Tape {
	t.Helper()
	tape, err := reverse.Record(f, x)
	require.NoError(t, err)
	return tape
}

// each runs a test for every model, recorded.
func each(t *testing.T, test func(t *testing.T, m Model, tape *reverse.Tape)) {
	for _, m := range All {
		t.Run(m.Name, func(t *testing.T) { test(t, m, record(t, m.X0, Func[reverse.Var](m))) })
	}
}

// direction is dense and has no symmetry.
func direction(n int, phase float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Sin(float64(i+1)*float64(i+1) + phase)
	}
	return v
}

// tolerance is a multiple of the rounding errors in a derivative whose largest
// element is scale: the order of operations differs from mode to mode.
func tolerance(scale float64) float64 { return 1e-12 * scale }

func TestValueHasTheSameBitsInEveryMode(t *testing.T) {
	each(t, func(t *testing.T, m Model, tape *reverse.Tape) {
		want := Func[dual.Real](m)(reals(m.X0)).Value()
		require.False(t, math.IsNaN(want) || math.IsInf(want, 0))
		got, err := tape.Value(m.X0)
		require.NoError(t, err)
		require.Equal(t, want, got)
		same := func(got float64) { require.Equal(t, want, got) }
		if m.Name == "gaussian-process" { // of matrices: sums of BLAS, else of elements
			same = func(got float64) { require.InDelta(t, want, got, tolerance(want)) }
		}
		same(Func[dual.Number](m)(seeded(m.X0, func(_ int, x float64) dual.Number { return dual.Number{V: x} })).V)
		same(Func[dual.Hyper](m)(seeded(m.X0, func(_ int, x float64) dual.Hyper { return dual.Hyper{V: x} })).V)
	})
}

func TestGradientByForwardModeIsThatOfTheTape(t *testing.T) {
	each(t, func(t *testing.T, m Model, tape *reverse.Tape) {
		want, err := tape.Gradient(nil, m.X0)
		require.NoError(t, err)
		scale := floats.Norm(want, math.Inf(1))
		require.Positive(t, scale)
		for i, g := range want {
			if m.Name != "mlp-relu" { // of which a unit is off at all points
				require.NotZero(t, g, "parameter %d has no part in the model", i)
			}
		}
		f := Func[dual.Number](m)
		for k := range m.X0 {
			d := f(seeded(m.X0, func(i int, x float64) dual.Number {
				if i == k {
					return dual.Number{V: x, D: 1}
				}
				return dual.Number{V: x}
			}))
			require.InDelta(t, want[k], d.D, tolerance(scale), "variable %d", k)
		}
	})
}

// The Hessian by hyper-dual numbers is that of each strategy on the tape and of
// the sparse plans; nested dual numbers agree along directions.
func TestStrategiesAgree(t *testing.T) {
	each(t, func(t *testing.T, m Model, tape *reverse.Tape) {
		n := len(m.X0)
		want := hessian.Forward(nil, Func[dual.Hyper](m), m.X0)
		scale := max(mat.Max(want), -mat.Min(want))
		require.Positive(t, scale)
		same := func(got mat.Matrix, how any) {
			t.Helper()
			for i := range n {
				for j := range n {
					require.InDelta(t, want.At(i, j), got.At(i, j), tolerance(scale), "%v (%d, %d)", how, i, j)
				}
			}
		}
		u, v := direction(n, 0), direction(n, 1)
		var product mat.VecDense
		product.MulVec(want, mat.NewVecDense(n, v))
		hv := product.RawVector().Data
		uhv, sum := floats.Dot(u, hv), float64(n)*scale // products add up n elements
		for _, s := range hessian.Strategies {
			h := hessian.New(tape, s)
			dense, err := h.Dense(nil, m.X0)
			require.NoError(t, err)
			same(dense, s)
			got, err := h.HVP(nil, m.X0, v)
			require.NoError(t, err)
			require.InDeltaSlice(t, hv, got, tolerance(sum), "%v", s)
			b, err := h.Bilinear(m.X0, u, v)
			require.NoError(t, err)
			require.InDelta(t, uhv, b, tolerance(sum*float64(n)), "%v", s)
		}
		deep := Func[nested](m)(seeded(m.X0, func(i int, x float64) nested {
			return nested{
				V: dual.Of[dual.Real]{V: dual.Real(x), D: dual.Real(u[i])},
				D: dual.Of[dual.Real]{V: dual.Real(v[i])},
			}
		}))
		require.InDelta(t, uhv, float64(deep.D.D), tolerance(sum*float64(n)), "nested")

		for _, method := range []hessian.Method{hessian.Auto, hessian.ByStar, hessian.ByAcyclic} {
			plan, err := hessian.SparseSettings{Method: method}.New(tape)
			require.NoError(t, err)
			sparse := plan.Matrix()
			_, err = plan.Eval(sparse, m.X0)
			require.NoError(t, err)
			same(sparse, method)
			require.NoError(t, plan.Verify(m.X0))
		}
	})
}

// third is the third directional derivative of f along v, as a function.
func third(m Model, v []float64) func(x []reverse.Var) reverse.Var {
	type d1 = dual.Of[reverse.Var]
	type d2 = dual.Of[d1]
	type d3 = dual.Of[d2]
	return func(x []reverse.Var) reverse.Var {
		z := make([]d3, len(x))
		for i, x := range x {
			dir := dual.Const[reverse.Var](v[i])
			z[i] = d3{V: d2{V: d1{V: x, D: dir}, D: d1{V: dir}}, D: d2{V: d1{V: dir}}}
		}
		return Func[d3](m)(z).D.D.D
	}
}

// Central differences along v of the values and of the gradients are the
// derivatives to within h²/6·d³/dt³ at some t in [−h, h], for which twice that
// at 0 is taken, and to within the rounding errors of two evaluations over 2h:
// at most some units in the last place for each operation of the longest chain.
func TestCentralDifferences(t *testing.T) {
	const (
		h     = 1e-4
		ulps  = 256
		round = ulps * 0x1p-53 / h
	)
	each(t, func(t *testing.T, m Model, tape *reverse.Tape) {
		n := len(m.X0)
		v := direction(n, 2)
		floats.Scale(1/floats.Norm(v, 2), v)
		f3, g3, err := record(t, m.X0, third(m, v)).ValueGradient(nil, m.X0)
		require.NoError(t, err)
		at := func(step float64) (float64, []float64) {
			x := make([]float64, n)
			floats.AddScaledTo(x, m.X0, step, v)
			f, g, err := tape.ValueGradient(nil, x)
			require.NoError(t, err)
			return f, g
		}
		value, gradient := at(0)
		hv, err := tape.HVP(nil, m.X0, v)
		require.NoError(t, err)
		plusF, plusG := at(h)
		minusF, minusG := at(-h)
		within := func(want, got, d3, size float64, what string) {
			t.Helper()
			require.InDelta(t, want, got, h*h/3*math.Abs(d3)+round*size, what)
		}
		within(floats.Dot(gradient, v), (plusF-minusF)/(2*h), f3, math.Abs(value), "∇f·v")
		size := floats.Norm(gradient, math.Inf(1))
		for i := range n {
			within(hv[i], (plusG[i]-minusG[i])/(2*h), g3[i], size, "∇²f v")
		}
	})
}

func TestSweepsOfModelsDoNotAllocate(t *testing.T) {
	each(t, func(t *testing.T, m Model, tape *reverse.Tape) {
		g, v := make([]float64, len(m.X0)), direction(len(m.X0), 0)
		_, err := tape.Gradient(g, m.X0)
		require.NoError(t, err)
		require.Zero(t, testing.AllocsPerRun(5, func() {
			_, err := tape.Gradient(g, m.X0)
			require.NoError(t, err)
			_, err = tape.HVP(g, m.X0, v)
			require.NoError(t, err)
		}))
	})
}

func TestUnknownModelPanics(t *testing.T) {
	require.PanicsWithValue(t, `models: no model "perceptron"`, func() { Named("perceptron") })
	require.PanicsWithValue(t, `models: no model "perceptron"`, func() { Func[dual.Real](Model{Name: "perceptron"}) })
}
