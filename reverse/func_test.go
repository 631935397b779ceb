package reverse_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

func TestFuncOfAVectorFunctionRecordsAgain(t *testing.T) {
	fn := reverse.NewFuncParamsVec(func(x, p []reverse.Var) []reverse.Var {
		if x[0].LessReal(0) {
			return []reverse.Var{x[0].Neg(), p[0]}
		}
		return []reverse.Var{x[0].Square(), p[0].Mul(x[0])}
	}, []float64{3})
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{2}, []float64{4, 6}}, {[]float64{-2}, []float64{2, 3}}, {[]float64{5}, []float64{25, 15}},
	} {
		y, err := fn.Values(nil, c.x)
		require.NoError(t, err)
		require.Equal(t, c.want, y)
	}
	require.Panics(t, func() { _, _ = fn.Value([]float64{2}) })

	plain := reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0].Square(), x[0]} })
	dst := make([]float64, 2)
	y, err := plain.Values(dst, []float64{3})
	require.NoError(t, err)
	require.Equal(t, []float64{9, 3}, y)
	require.Same(t, &dst[0], &y[0])
}

// What is prepared for a tape, such as a plan, can be kept for as long as the tape
// is: also with parameters, and whichever branch was met last.
func TestTapesOfAFuncStayTheSame(t *testing.T) {
	fn := reverse.NewFuncParams(func(x, p []reverse.Var) reverse.Var {
		if x[0].LessReal(0) {
			return x[0].Neg()
		}
		return p[0].Mul(x[0])
	}, []float64{3})
	left, right := []float64{-1}, []float64{1}
	a, err := fn.Tape(left)
	require.NoError(t, err)
	b, err := fn.Tape(right)
	require.NoError(t, err)
	for range 3 {
		again, err := fn.Tape(left)
		require.NoError(t, err)
		require.Same(t, a, again)
		again, err = fn.Tape(right)
		require.NoError(t, err)
		require.Same(t, b, again)
	}
}

func TestFuncOfATapeKeepsToIt(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		if x[0].LessReal(0) {
			return x[0].Neg()
		}
		return x[0].Square()
	}, []float64{1})
	require.NoError(t, err)
	fn := reverse.FuncOf(tape)
	f, g, err := fn.ValueGradient(nil, []float64{3})
	require.NoError(t, err)
	require.Equal(t, []float64{9, 6}, []float64{f, g[0]})
	_, err = fn.Value([]float64{-1})
	var branch *reverse.BranchError
	require.ErrorAs(t, err, &branch)
	_, err = fn.Tape([]float64{-1})
	require.ErrorAs(t, err, &branch)
	require.Panics(t, func() { _, _ = fn.Value([]float64{1, 2}) })
	require.PanicsWithValue(t, "reverse: nil tape", func() { reverse.FuncOf(nil) })
}

// A tape that holds at x is one whose loops take the recorded ways there, too.
func TestTapeOfAFuncHoldsInItsLoops(t *testing.T) {
	step := func(s, _, _, _ []reverse.Var) (next, out []reverse.Var) {
		t := s[0].SubReal(1)
		if t.LessReal(0) {
			return []reverse.Var{s[0].AddReal(0.1)}, []reverse.Var{t.Square().Scale(4)}
		}
		return []reverse.Var{s[0].AddReal(0.1)}, []reverse.Var{t.Square()}
	}
	loop := func(x []reverse.Var) reverse.Var {
		_, sum := dual.Scan(dual.Loop[reverse.Var]{Start: x[:1], Steps: 3, Step: step})
		return sum[0]
	}
	for name, f := range map[string]func(x []reverse.Var) reverse.Var{
		"scan": loop,
		"while": func(x []reverse.Var) reverse.Var {
			last, _ := dual.Scan(dual.Loop[reverse.Var]{
				Start: x[:1], Steps: 50, While: func(s, _ []reverse.Var) bool { return s[0].LessReal(0) },
				Step: func(s, _, _, _ []reverse.Var) (next, out []reverse.Var) {
					if s[0].LessReal(-2) {
						return []reverse.Var{s[0].AddReal(1)}, nil
					}
					return []reverse.Var{s[0].Scale(0.5).AddReal(0.5)}, nil
				},
			})
			return last[0].Square()
		},
		"scan in a scan": func(x []reverse.Var) reverse.Var {
			last, _ := dual.Scan(dual.Loop[reverse.Var]{Start: x[:1], Steps: 2, Step: func(s, _, _, _ []reverse.Var) (next, out []reverse.Var) {
				return []reverse.Var{loop(s)}, nil
			}})
			return last[0]
		},
	} {
		fn := reverse.NewFunc(f)
		for _, x := range [][]float64{{3}, {-3}, {0.85}, {3}} {
			tape, err := fn.Tape(x)
			require.NoError(t, err, name)
			got, err := tape.Value(x)
			require.NoError(t, err, "%s at %v", name, x)
			fresh, err := reverse.Record(f, x)
			require.NoError(t, err)
			want, err := fresh.Value(x)
			require.NoError(t, err)
			require.Equal(t, want, got)
			again, err := fn.Tape(x)
			require.NoError(t, err)
			require.Same(t, tape, again)
		}
	}
}

var errNegative = errors.New("negative")

// root is √x, of x ≥ 0.
func root[T dual.Scalar[T]](x T) (T, error) {
	if x.LessReal(0) {
		return x, errNegative
	}
	return x.Sqrt(), nil
}

// An error that a function ends with is that of whatever records it, and no other
// recording is the worse for it.
func TestErrorsEndRecordings(t *testing.T) {
	f := func(x []reverse.Var) reverse.Var { return reverse.Must(root(x[0])).Scale(2) }
	step := func(s, _, _, _ []reverse.Var) (next, out []reverse.Var) {
		y := reverse.Must(root(s[0]))
		return []reverse.Var{y}, []reverse.Var{y}
	}
	for name, f := range map[string]func(x []reverse.Var) reverse.Var{
		"function": f,
		"list": func(x []reverse.Var) reverse.Var {
			return reverse.Must(func() ([]reverse.Var, error) { y, err := root(x[0]); return []reverse.Var{y}, err }())[0].Scale(2)
		},
		"term": func(x []reverse.Var) reverse.Var {
			return reverse.Repeat(func(x, _ []reverse.Var) reverse.Var { return f(x) }, x, [][]int{{0}}, nil)
		},
		"loop": func(x []reverse.Var) reverse.Var { // whose end is recorded otherwise, too, where root fails
			_, sum := dual.Scan(dual.Loop[reverse.Var]{Start: x, Steps: 1, Step: step})
			last, _ := dual.Scan(dual.Loop[reverse.Var]{Start: x, Steps: 9, Step: step,
				While: func(s, _ []reverse.Var) bool { return !reverse.Must(root(s[0])).LessReal(1.7) }})
			return sum[0].Add(last[0])
		},
	} {
		t.Run(name, func(t *testing.T) {
			fn := reverse.NewFunc(f)
			for range 2 {
				v, err := fn.Value([]float64{4})
				require.NoError(t, err)
				require.Equal(t, 4.0, v)
				_, _, err = fn.ValueGradient(nil, []float64{-4})
				require.ErrorIs(t, err, errNegative)
				_, err = fn.Tape([]float64{-4})
				require.ErrorIs(t, err, errNegative)
			}
			_, err := reverse.Record(f, []float64{-4})
			require.ErrorIs(t, err, errNegative)
			_, err = reverse.Gradient(nil, f, []float64{-4})
			require.ErrorIs(t, err, errNegative)
			vec := func(x []reverse.Var) []reverse.Var { return []reverse.Var{f(x)} }
			require.ErrorIs(t, reverse.CheckRepeats(vec, []float64{-4}), errNegative)
		})
	}
	require.PanicsWithError(t, "negative", func() { reverse.Must(root(dual.Real(-1))) })
	require.PanicsWithValue(t, "other", func() {
		_, _ = reverse.Record(func(x []reverse.Var) reverse.Var { panic("other") }, []float64{1})
	})
}

// The first evaluations of a large function, before its tape is arranged, are those of a tape.
func TestFirstEvaluationsOfAFuncAreThoseOfATape(t *testing.T) {
	const n = 40
	f := func(x, p []reverse.Var) (s reverse.Var) {
		for k := range 600 {
			y := x[k%n].Mul(x[7*k%n]).Add(p[0].AddReal(float64(k) / 600)).Sin()
			if k%50 == 0 && x[k%3].LessReal(0.5) {
				y = y.Exp()
			}
			s = s.Add(y.Mul(x[k*k%n]))
		}
		return s
	}
	x, v := make([]float64, n), make([]float64, n)
	fn := reverse.NewFuncParams(f, []float64{0.3})
	for k := range 14 {
		for i := range x {
			x[i], v[i] = math.Cos(float64(i*(1+k%3)))+0.1*float64(k%2), math.Sin(float64(i))
		}
		p := []float64{float64(k % 4)}
		tape, err := reverse.RecordParams(f, x, p)
		require.NoError(t, err)
		require.Greater(t, tape.Ops(), 1024)
		want, g, err := tape.ValueGradient(nil, x)
		require.NoError(t, err)
		at := fn.With(p)
		got, grad, err := at.ValueGradient(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.InDeltaSlice(t, g, grad, 1e-11) // sums of some hundred numbers of order 1
		value, err := at.Value(x)
		require.NoError(t, err)
		require.Equal(t, want, value)
		if k%5 == 4 {
			h, err := tape.HVP(nil, x, v)
			require.NoError(t, err)
			product, err := at.HVP(nil, x, v)
			require.NoError(t, err)
			require.InDeltaSlice(t, h, product, 1e-11)
		}
	}
}
