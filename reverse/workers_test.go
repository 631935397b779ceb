package reverse_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// shifted is a function with batches of all kinds: operands side by side, that
// overlap, by index, one for all, and affine sums.
func shifted(x []reverse.Var) []reverse.Var {
	n := len(x)
	y := make([]reverse.Var, 4)
	var sums [4][]reverse.Var
	for i := range n / 2 {
		a, b := x[i], x[n/2+i]
		sums[0] = append(sums[0], a.Mul(b).Exp())
		sums[1] = append(sums[1], x[i].Hypot(x[i+1]))
		sums[2] = append(sums[2], x[int64(i)*int64(i)%int64(n)].Sin().Mul(x[7*i%n]))
		sums[3] = append(sums[3], a.AffineOf(float64(i), []float64{1, -2, 0.5}, []reverse.Var{a, b, x[0]}).Square(), a.Atan2(x[1]))
	}
	for j, s := range sums {
		y[j] = y[j].SumOf(s)
	}
	return y
}

// Any number of workers gives the bits of one, in values and adjoints.
func TestWorkersGiveTheSameBits(t *testing.T) {
	const n = 100000
	x, w := make([]float64, n), []float64{1, -0.5, 2, 0.25}
	for i := range x {
		x[i] = math.Sin(float64(i)) / 2
	}
	tape, err := reverse.RecordVec(shifted, x)
	require.NoError(t, err)
	values, err := tape.Values(nil, x)
	require.NoError(t, err)
	g, err := tape.VJP(nil, x, w)
	require.NoError(t, err)
	for _, k := range []int{0, 2, 3, 8} {
		view := tape.WithWorkers(k)
		for range 2 {
			got, err := view.Values(nil, x)
			require.NoError(t, err)
			require.Equal(t, values, got)
			got, err = view.VJP(nil, x, w)
			require.NoError(t, err)
			require.Equal(t, g, got)
		}
		x[5] = math.NaN() // a careful sweep
		want, err := tape.VJP(nil, x, w)
		require.NoError(t, err)
		got, err := view.VJP(nil, x, w)
		require.NoError(t, err)
		for i := range want {
			require.True(t, equalFloats(want[i], got[i]))
		}
		x[5] = math.Sin(5) / 2
	}
}

func TestWorkersOfScalarFunctions(t *testing.T) {
	x := make([]float64, 20000)
	for i := range x {
		x[i] = 0.5 + 0.3*math.Sin(2*float64(i))
	}
	tape, err := reverse.Record(problems.Trig[reverse.Var], x)
	require.NoError(t, err)
	f, g, err := tape.ValueGradient(nil, x)
	require.NoError(t, err)
	view := tape.WithWorkers(3)
	f2, g2, err := view.ValueGradient(nil, x)
	require.NoError(t, err)
	require.Equal(t, f, f2)
	require.Equal(t, g, g2)
	f2, err = view.Value(x)
	require.NoError(t, err)
	require.Equal(t, f, f2)
}

// Rows of a matrix are points, whatever the workers; those at which another branch
// is taken are left alone.
func TestRowsArePoints(t *testing.T) { rapid.Check(t, rowsArePoints) }

func rowsArePoints(t *rapid.T) {
	g := randprog.Draw(t, options)
	tape := record(t, g)
	n, m := tape.Inputs(), tape.Outputs()
	k := rapid.IntRange(1, 9).Draw(t, "rows")
	x := mat.NewDense(k, n, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		return g.X[j] + rapid.SampledFrom([]float64{0, 1e-3, 0.5}).Draw(t, "shift")
	}, x)
	check := func(dst *mat.Dense, err error, columns int, one func(x []float64) ([]float64, error)) {
		t.Helper()
		var first error
		for i := range k {
			want, oneErr := one(x.RawRowView(i))
			switch {
			case oneErr == nil:
				for j := range columns {
					if !equalFloats(want[j], dst.At(i, j)) {
						t.Fatalf("row %d: %v, want %v", i, dst.RawRowView(i), want)
					}
				}
				continue
			case first == nil:
				first = &reverse.RowError{Row: i, Err: oneErr}
			}
			for j := range columns {
				if dst.At(i, j) != 7 {
					t.Fatalf("row %d, which failed, was written", i)
				}
			}
		}
		require.Equal(t, fmt.Sprint(first), fmt.Sprint(err)) // operands may be NaN
	}
	sevens := func(columns int) *mat.Dense {
		d := mat.NewDense(k, columns, nil)
		d.Apply(func(_, _ int, _ float64) float64 { return 7 }, d)
		return d
	}
	for _, workers := range []int{1, 3} {
		view := tape.WithWorkers(workers)
		dst, err := view.ValuesOfRows(sevens(m), x)
		check(dst, err, m, func(x []float64) ([]float64, error) { return tape.Values(nil, x) })
		if m == 1 {
			dst, err = view.GradientsOfRows(sevens(n), x)
			check(dst, err, n, func(x []float64) ([]float64, error) { return tape.Gradient(nil, x) })
		}
	}
}

func TestRowsMayHaveParametersAndBeOverwritten(t *testing.T) {
	tape, err := reverse.RecordParams(func(x, p []reverse.Var) reverse.Var {
		return x[0].Mul(x[1]).Mul(p[0])
	}, []float64{1, 2}, []float64{3})
	require.NoError(t, err)
	y, err := tape.ValuesOfRows(nil, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6}))
	require.NoError(t, err)
	require.Equal(t, []float64{6, 120}, y.RawMatrix().Data)
	x := mat.NewDense(2, 2, []float64{1, 2, 4, 5})
	g, err := tape.With([]float64{10}).GradientsOfRows(x, x)
	require.NoError(t, err)
	require.Same(t, x, g)
	require.Equal(t, []float64{20, 10, 50, 40}, x.RawMatrix().Data)
	require.PanicsWithValue(t, "reverse: X has 4 columns, want 2 inputs (and 1 parameters)", func() { tape.ValuesOfRows(nil, mat.NewDense(1, 4, nil)) })
	require.PanicsWithValue(t, "reverse: nil X", func() { tape.ValuesOfRows(nil, nil) })
	require.Panics(t, func() { tape.ValuesOfRows(mat.NewDense(1, 2, nil), x) })
}
