package reverse_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// A view with the parameters p has the results, bits and errors, of [x; p] in
// one slice: itself and its transforms, whatever branches p would take.
func TestWithIsThePointWithParameters(t *testing.T) { rapid.Check(t, withIsThePointWithParameters) }

func withIsThePointWithParameters(t *rapid.T) {
	g := randprog.Draw(t, options)
	n := len(g.X) - rapid.IntRange(0, len(g.X)).Draw(t, "params")
	tape, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		return randprog.Run(g, slices.Concat(x, p), randprog.Vars)
	}, g.X[:n], g.X[n:])
	if err != nil {
		t.Fatal(err)
	}
	p := slices.Clone(g.X[n:])
	for i := range p {
		p[i] += rapid.SampledFrom([]float64{0, 1e-3, 0.5}).Draw(t, "shift")
	}
	x, u, v := g.X[:n], g.U[:n], g.V[:n]
	w := make([]float64, tape.Outputs())
	for j := range w {
		w[j] = 1 - float64(j)/3
	}
	view := tape.With(p)
	same := func(what string, got []float64, err error, want []float64, err2 error) {
		t.Helper()
		if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("%s: %v, want %v", what, err, err2)
		}
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }) {
			t.Fatalf("%s: %v, want %v\n%v", what, got, want, g)
		}
	}
	all := func(x ...[]float64) []float64 { return slices.Concat(append(x, p)...) }
	got, err := view.Values(nil, x)
	want, err2 := tape.Values(nil, all(x))
	same("Values", got, err, want, err2)
	got, err = view.HVP(nil, x, v, w...)
	want, err2 = tape.HVP(nil, all(x), v, w...)
	same("weighted HVP", got, err, want, err2)
	got, err = view.Tangent().VJP(nil, slices.Concat(x, u), slices.Concat(w, w))
	want, err2 = tape.Tangent().VJP(nil, all(x, u), slices.Concat(w, w))
	same("Tangent", got, err, want, err2)
	got, err = view.Adjoint().JVP(nil, slices.Concat(x, w), slices.Concat(v, w))
	want, err2 = tape.Adjoint().JVP(nil, all(x, w), slices.Concat(v, w))
	same("Adjoint", got, err, want, err2)
	got, err = view.Values(nil, g.X)
	want, err2 = tape.Values(nil, g.X)
	same("other parameters", got, err, want, err2)
}

// branching is a·exp(b·p₀) + p₁a², with a branch on each of x₀ and p₀.
func branching(x, p []reverse.Var) reverse.Var {
	y := x[0].Mul(x[1].Mul(p[0]).Exp())
	if p[0].LessReal(0) {
		y = y.Neg()
	}
	if x[0].LessReal(1) {
		y = y.Scale(3)
	}
	return y.Add(p[1].Mul(x[0].Square()))
}

func TestWithCopiesAndShares(t *testing.T) {
	x, p := []float64{2, 0.5}, []float64{1, 0}
	tape, err := reverse.RecordParams(branching, x, p)
	require.NoError(t, err)
	p[1] = 100
	got, err := tape.Value(x)
	require.NoError(t, err)
	require.Equal(t, 2*math.Exp(0.5), got)
	view := tape.With(p)
	p[1] = 0
	got, err = view.Value(x)
	require.NoError(t, err)
	require.Equal(t, 2*math.Exp(0.5)+400, got)
	require.Same(t, tape.HessianPattern(), view.HessianPattern())
	var branch *reverse.BranchError
	_, err = tape.With([]float64{-1, 0}).Value(x)
	require.ErrorAs(t, err, &branch)
	require.Panics(t, func() { tape.With(x[:1]) })
	require.Panics(t, func() { tape.With(nil) })
	require.Zero(t, testing.AllocsPerRun(10, func() { view.Gradient(p, x) }))
}

// All views of a function share its branches, and each has its own parameters,
// from any number of goroutines.
func TestFuncWithParameters(t *testing.T) {
	points := [][]float64{{2, 0.5}, {0.5, 2}, {-1, 1}}
	params := [][]float64{{1, 0}, {-1, 2}, {0.5, -3}, {-2, 1}}
	calls := 0
	var mu sync.Mutex
	fn := reverse.NewFuncParams(func(x, p []reverse.Var) reverse.Var {
		mu.Lock()
		defer mu.Unlock()
		calls++
		return branching(x, p)
	}, params[0])
	check := func(fn *reverse.Func, x, p []float64) {
		one, err := reverse.RecordParams(branching, x, p)
		require.NoError(t, err)
		want, err := one.Gradient(nil, x)
		require.NoError(t, err)
		got, err := fn.Gradient(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, got)
		tape, err := fn.Tape(x)
		require.NoError(t, err)
		got, err = tape.Gradient(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for range 2 {
		for _, p := range params {
			view := fn.With(p)
			for _, x := range points {
				check(view, x, p)
			}
		}
		require.Equal(t, 4, calls, "a recording a branch")
	}
	for _, x := range points {
		check(fn, x, params[0])
	}
	var wg sync.WaitGroup
	for _, p := range params {
		wg.Go(func() {
			view := fn.With(p)
			for range 20 {
				for _, x := range points {
					check(view, x, p)
				}
			}
		})
	}
	wg.Wait()
	view, g := fn.With(params[1]), make([]float64, 2)
	for range 2 { // the tape comes to the front, and the views of the new order are made
		_, err := view.Gradient(g, points[0])
		require.NoError(t, err)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { view.Gradient(g, points[0]) }))
	require.Panics(t, func() { fn.With(nil) })
	require.Panics(t, func() { reverse.NewFuncParams(nil, nil) })
}
