package reverse_test

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/reverse"
)

// The third derivative of a gradient along a direction, of order four in all: of f = x³y², along
// (1, 1), is that of (3x²y², 2x³y).
func ExampleTape_TaylorVJP() {
	t, _ := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].PowInt(3).Mul(x[1].Square()) }, []float64{1, 2})
	line := [][]float64{{1, 2}, {1, 1}}
	g, _ := t.TaylorVJP(nil, line, [][]float64{{1}}, 3)
	fmt.Println(6*g[3][0], 6*g[3][1])
	// Output: 108 60
}

// The coefficients of 1/(1 − x) along x = t², and of its square.
func ExampleTape_Taylor() {
	t, _ := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		y := x[0].RSub(1).Inv()
		return []reverse.Var{y, y.Square()}
	}, []float64{0})
	y, _ := t.Taylor(nil, [][]float64{{0}, {0}, {1}}, 6)
	for _, y := range y {
		fmt.Print(y, " ")
	}
	// Output: [1 1] [0 0] [1 2] [0 0] [1 3] [0 0] [1 4]
}

// wide is a program of n variables with operations of every kind of batch: elementwise ones,
// of one and two operands, at consecutive, gathered and the same places, sums, rows of a matrix,
// and single nodes.
func wide(x []reverse.Var) []reverse.Var {
	n := len(x)
	var y []reverse.Var
	for i := range x {
		a, b := x[i], x[(7*i+3)%n]
		y = append(y, a.Exp().Mul(b).Add(a.Mul(x[0]).Sin()), a.Square().AddReal(1).Sqrt().Div(b.Cosh()), a.PowInt(3), a.Hypot(b))
	}
	for i := range 8 {
		y = append(y, x[0].DotOf(x[:n/2], x[n/2-i%2:n-i%2]), x[0].SumOf(y[i:i+9]))
	}
	return append(y, x[0].FMA(x[1], x[2]), x[1].Atan2(x[2]), x[3].LogGamma(), x[4].Max(x[5]).Tanh())
}

func widePoint(n int) (x, v []float64) {
	x, v = make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], v[i] = 1.5+math.Sin(float64(i)), math.Cos(float64(3*i))
	}
	return x, v
}

// Orders 0, 1 and 2 are values, JVPs and curvatures; gradients along a line are VJPs, and their
// derivatives products with the Hessian.
func TestTaylorOfLowOrder(t *testing.T) {
	x, v := widePoint(300)
	tape, err := reverse.RecordVec(wide, x)
	require.NoError(t, err)
	m := tape.Outputs()
	values, err := tape.Values(nil, x)
	require.NoError(t, err)
	jvp, err := tape.JVP(nil, x, v)
	require.NoError(t, err)
	w := make([]float64, m)
	for j := range w {
		w[j] = math.Sin(float64(j))
	}
	g, err := tape.VJP(nil, x, w)
	require.NoError(t, err)
	h, err := tape.HVP(nil, x, v, w...)
	require.NoError(t, err)
	near := func(want, got []float64) {
		t.Helper()
		require.Len(t, got, len(want))
		for i, a := range want {
			require.InDelta(t, a, got[i], 1e-12*(1+math.Abs(a)), "%d", i)
		}
	}
	for _, order := range []int{0, 1, 2, 3, 12} {
		c := [][]float64{x, v}[:min(2, order+1)]
		y, err := tape.Taylor(nil, c, order)
		require.NoError(t, err)
		near(values, y[0])
		a, err := tape.TaylorVJP(nil, c, [][]float64{w}, order)
		require.NoError(t, err)
		near(g, a[0])
		if order > 0 {
			near(jvp, y[1])
			near(h, a[1])
		}
		if order > 1 { // (d/dt)² wᵀy = vᵀ(wᵀy)″v
			twice := 0.0
			want := 0.0
			for j := range w {
				twice += 2 * w[j] * y[2][j]
			}
			for i := range v {
				want += v[i] * h[i]
			}
			require.InEpsilon(t, want, twice, 1e-12)
		}
	}
}

// Beyond the bits of one evaluation: nothing is allocated once warm, orders may take turns,
// arguments may be results, and other evaluations stay as they were.
func TestTaylorAllocatesNothing(t *testing.T) {
	x, v := widePoint(300)
	tape, err := reverse.RecordVec(wide, x)
	require.NoError(t, err)
	c := [][]float64{x, v}
	w := [][]float64{make([]float64, tape.Outputs())}
	w[0][3] = 1
	for _, order := range []int{1, 2, 9} {
		y, err := tape.Taylor(nil, c, order)
		require.NoError(t, err)
		g, err := tape.TaylorVJP(nil, c, w, order)
		require.NoError(t, err)
		require.Zero(t, testing.AllocsPerRun(5, func() {
			_, _ = tape.Taylor(y, c, order)
			_, _ = tape.TaylorVJP(g, c, w, order)
		}), order)
	}
}

func TestTaylorTakesItsArguments(t *testing.T) {
	tape, err := reverse.RecordParams(func(x, p []reverse.Var) reverse.Var {
		if x[0].Less(x[1]) {
			return x[0].Exp().Mul(p[0])
		}
		return x[1].Sin()
	}, []float64{1, 2}, []float64{3})
	require.NoError(t, err)
	e := math.E
	y, err := tape.With([]float64{2}).Taylor(nil, [][]float64{{1, 2}, {1, 5}}, 2)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{2 * e, 2 * e, e}, []float64{y[0][0], y[1][0], y[2][0]}, 1e-14)
	// A point may bring its parameters; dst may be the curve.
	c := [][]float64{{1, 2, 4}, {1, 5}}
	g, err := tape.TaylorVJP([][]float64{c[1], nil}, c, [][]float64{{1}}, 1)
	require.NoError(t, err)
	require.InDelta(t, 4*e, c[1][0], 1e-13)
	require.InDelta(t, 4*e, g[1][0], 1e-13)
	require.Zero(t, g[1][1])

	var branch *reverse.BranchError
	dst := [][]float64{{7}, {8}}
	z, err := tape.Taylor(dst, [][]float64{{3, 2}, {1, 1}}, 1)
	require.ErrorAs(t, err, &branch)
	require.Equal(t, [][]float64{{7}, {8}}, z)
	_, err = tape.TaylorVJP(nil, [][]float64{{3, 2}, {1, 1}}, [][]float64{{1}}, 1)
	require.ErrorAs(t, err, &branch)

	x, v := []float64{1, 2}, []float64{1, 1}
	for name, misuse := range map[string]func(){
		"negative order":      func() { _, _ = tape.Taylor(nil, [][]float64{x}, -1) },
		"no coefficients":     func() { _, _ = tape.Taylor(nil, nil, 1) },
		"too many":            func() { _, _ = tape.Taylor(nil, [][]float64{x, v}, 0) },
		"short point":         func() { _, _ = tape.Taylor(nil, [][]float64{x[:1], v}, 1) },
		"short direction":     func() { _, _ = tape.Taylor(nil, [][]float64{x, v[:1]}, 1) },
		"dst of other order":  func() { _, _ = tape.Taylor(dst, [][]float64{x, v}, 2) },
		"dst of other length": func() { _, _ = tape.Taylor([][]float64{x, v}, [][]float64{x, v}, 1) },
		"no weights":          func() { _, _ = tape.TaylorVJP(nil, [][]float64{x, v}, nil, 1) },
		"weights too long":    func() { _, _ = tape.TaylorVJP(nil, [][]float64{x, v}, [][]float64{x}, 1) },
	} {
		require.Panics(t, misuse, name)
	}
}

// Goroutines with different orders and points have the bits of each alone.
func TestTaylorConcurrent(t *testing.T) {
	x, v := widePoint(60)
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		return append(wide(x[:40]), loops(x[40:43], 2)...)
	}, x)
	require.NoError(t, err)
	w := make([]float64, tape.Outputs())
	w[5], w[len(w)-1] = 1, 2
	run := func(k int) [2][][]float64 {
		at := append([]float64(nil), x...)
		at[0] += float64(k) / 100
		y, err := tape.Taylor(nil, [][]float64{at, v}, 1+k%4)
		require.NoError(t, err)
		g, err := tape.TaylorVJP(nil, [][]float64{at, v}, [][]float64{w}, 1+k%4)
		require.NoError(t, err)
		return [2][][]float64{y, g}
	}
	const n = 12
	var want, got [n][2][][]float64
	for k := range want {
		want[k] = run(k)
	}
	var all sync.WaitGroup
	for k := range got {
		all.Go(func() { got[k] = run(k) })
	}
	all.Wait()
	require.Equal(t, want, got)
}
