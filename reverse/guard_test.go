package reverse_test

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// comparisons are all there are, in both orders, with variables and constants
// on either side.
var comparisons = map[string]struct {
	outcome  func(x, y reverse.Var) bool
	of       func(x, y float64) bool
	op       string
	operands func(x, y float64) (float64, float64)
}{
	"x < y": {reverse.Var.Less, less, "Less", both},
	"y < x": {func(x, y reverse.Var) bool { return y.Less(x) }, func(x, y float64) bool { return y < x }, "Less", swapped},
	"x ≤ y": {reverse.Var.LessEq, lessEq, "LessEq", both},
	"y ≤ x": {func(x, y reverse.Var) bool { return y.LessEq(x) }, func(x, y float64) bool { return y <= x }, "LessEq", swapped},
	"x < 2": {func(x, y reverse.Var) bool { return x.LessReal(2) }, func(x, y float64) bool { return x < 2 }, "Less", withTwo},
	"x ≤ 2": {func(x, y reverse.Var) bool { return x.LessEqReal(2) }, func(x, y float64) bool { return x <= 2 }, "LessEq", withTwo},
	"x < const 2": {func(x, y reverse.Var) bool { return x.Less(dual.Const[reverse.Var](2)) },
		func(x, y float64) bool { return x < 2 }, "Less", withTwo},
	"x ≤ const 2": {func(x, y reverse.Var) bool { return x.LessEq(x.Const(2)) },
		func(x, y float64) bool { return x <= 2 }, "LessEq", withTwo},
	"const 2 < x": {func(x, y reverse.Var) bool { return dual.Const[reverse.Var](2).Less(x) },
		func(x, y float64) bool { return 2 < x }, "Less", twoWith},
	"const 2 ≤ x": {func(x, y reverse.Var) bool { return dual.Const[reverse.Var](2).LessEq(x) },
		func(x, y float64) bool { return 2 <= x }, "LessEq", twoWith},
	"x < x + y": {func(x, y reverse.Var) bool { return x.Less(x.Add(y)) },
		func(x, y float64) bool { return x < x+y }, "Less", func(x, y float64) (float64, float64) { return x, x + y }},
	"NaN < x": {func(x, y reverse.Var) bool { return dual.Const[reverse.Var](nan).Less(x) },
		func(x, y float64) bool { return false }, "Less", nil},
}

func less(x, y float64) bool                  { return x < y }
func lessEq(x, y float64) bool                { return x <= y }
func both(x, y float64) (float64, float64)    { return x, y }
func swapped(x, y float64) (a, b float64)     { return y, x }
func withTwo(x, _ float64) (a, b float64)     { return x, 2 }
func twoWith(x, _ float64) (a, b float64)     { return 2, x }
func equalFloats(a, b float64) bool           { return a == b || a != a && b != b }
func branches(x, y reverse.Var) []reverse.Var { return []reverse.Var{x.Mul(y), x.Add(y)} }

// hint is what a BranchError without a line ends with.
const hint = " (Recorder.Lines tells where, a Func records each branch by itself)"

// A tape holds at a point exactly if the comparison comes out as recorded.
func TestComparisonsGuard(t *testing.T) {
	grid := []float64{-inf, -1, minus0, 0, 1, 2, math.Nextafter(2, 3), 3, inf, nan}
	for name, c := range comparisons {
		for _, rx := range grid {
			for _, ry := range grid {
				tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
					y := branches(x[0], x[1])
					outcome := c.outcome(x[0], x[1])
					require.Equal(t, c.of(rx, ry), outcome, name)
					if outcome {
						return y[:1]
					}
					return y[1:]
				}, []float64{rx, ry})
				require.NoError(t, err)
				for _, x := range grid {
					for _, y := range grid {
						got, err := tape.Values(nil, []float64{x, y})
						if c.of(x, y) == c.of(rx, ry) {
							require.NoError(t, err, name)
							want := x + y
							if c.of(x, y) {
								want = x * y
							}
							require.True(t, equalFloats(want, got[0]), name)
							continue
						}
						require.Nil(t, got)
						var branch *reverse.BranchError
						require.ErrorAs(t, err, &branch, name)
						a, b := c.operands(x, y)
						require.Equal(t, c.op, branch.Op, name)
						require.Equal(t, c.of(rx, ry), branch.Recorded)
						require.True(t, equalFloats(a, branch.X) && equalFloats(b, branch.Y), "%s: %v, %v", name, branch.X, branch.Y)
						require.Empty(t, branch.File)
						require.Equal(t, fmt.Sprintf("reverse: %s(%v, %v) was %v when recorded"+hint, c.op, a, b, branch.Recorded), err.Error())
					}
				}
			}
		}
	}
}

func TestReadingAValueGuardsItsBits(t *testing.T) {
	grid := []float64{minus0, 0, 1, math.Nextafter(1, 2), inf, nan}
	for _, r := range grid {
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			return x[0].Scale(x[0].Value())
		}, []float64{r})
		require.NoError(t, err)
		for _, x := range grid {
			v, err := tape.Value([]float64{x})
			if math.Float64bits(x) == math.Float64bits(r) {
				require.NoError(t, err)
				require.True(t, equalFloats(r*x, v))
				continue
			}
			var branch *reverse.BranchError
			require.ErrorAs(t, err, &branch)
			require.Equal(t, "Value", branch.Op)
			require.True(t, equalFloats(branch.X, x) && equalFloats(branch.Y, r))
			require.Equal(t, fmt.Sprintf("reverse: the recording holds for the value %v alone, now it is %v"+hint, r, x), err.Error())
		}
	}
}

// What is recorded is what is evaluated: sums of zeros of any sign, too.
func TestValueReadWhileRecordingIsTheTapes(t *testing.T) {
	z := []float64{minus0, minus0, minus0, minus0, minus0, minus0, minus0, minus0, minus0, minus0}
	c := ones(len(z))
	for n := 1; n <= len(z); n++ {
		for name, f := range map[string]func(x []reverse.Var) reverse.Var{
			"Sum": dual.Sum[reverse.Var],
			"Dot": func(x []reverse.Var) reverse.Var {
				return dual.Dot(x, x).Add(dual.Dot(x[:1], []reverse.Var{dual.Const[reverse.Var](1)}))
			},
			"Affine": func(x []reverse.Var) reverse.Var { return dual.Affine(0, c[:len(x)], x) },
			"-0":     func(x []reverse.Var) reverse.Var { return dual.Affine(minus0, c[:len(x)], x) },
			"loop": func(x []reverse.Var) (s reverse.Var) {
				for _, x := range x {
					s = s.Add(x)
				}
				return s
			},
			"0 + x − x": func(x []reverse.Var) reverse.Var { return x[0].AddReal(0).Sub(x[0]).SubReal(0).RSub(0) },
		} {
			tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
				s := f(x)
				s.Value()
				return s.Inv()
			}, z[:n])
			require.NoError(t, err)
			_, err = tape.Value(z[:n])
			require.NoError(t, err, name)
		}
	}
}

// Every evaluation checks the guards and leaves dst as it was.
func TestEveryEvaluationReportsTheBranch(t *testing.T) {
	x := []float64{1, 2}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		if x[0].Less(x[1]) {
			return x[0].Mul(x[1])
		}
		return x[0]
	}, x)
	require.NoError(t, err)
	at, dst1, dst2, dst4 := []float64{2, 1}, []float64{7}, []float64{7, 7}, []float64{7, 7, 7, 7}
	tangent, adjoint := tape.Tangent(), tape.Adjoint()
	var branch *reverse.BranchError
	for name, err := range map[string]error{
		"Value":         second(tape.Value(at)),
		"Values":        second(tape.Values(dst1, at)),
		"Gradient":      second(tape.Gradient(dst2, at)),
		"VJP":           second(tape.VJP(dst2, at, []float64{1})),
		"JVP":           second(tape.JVP(dst1, at, x)),
		"HVP":           second(tape.HVP(dst2, at, x)),
		"weighted HVP":  second(tape.HVP(dst2, at, x, []float64{1}...)),
		"Jacobian":      second(tape.Jacobian(nil, at)),
		"Tangent":       second(tangent.Values(dst2, join(at, x))),
		"Tangent VJP":   second(tangent.VJP(dst4, join(at, x), x)),
		"Adjoint":       second(adjoint.Values(dst2, append(at[:2:2], 1))),
		"RoR":           second(adjoint.Adjoint().Values(nil, append(at[:2:2], 1, 1, 1))),
		"second of all": second(tangent.Tangent().Values(dst4, append(append(at[:2:2], x...), 1, 1, 1, 1))),
	} {
		require.ErrorAs(t, err, &branch, name)
		require.Equal(t, reverse.BranchError{Op: "Less", X: 2, Y: 1, Recorded: true}, *branch, name)
	}
	_, g, err := tape.ValueGradient(dst2, at)
	require.ErrorAs(t, err, &branch)
	require.Equal(t, []float64{7, 7}, g)
	require.Equal(t, []float64{7}, dst1)
	require.Equal(t, []float64{7, 7}, dst2)
	require.Equal(t, []float64{7, 7, 7, 7}, dst4)
	g, err = tape.Gradient(nil, at)
	require.Error(t, err)
	require.Nil(t, g)
	demand(t, "after", tape, x, 2, []float64{2, 1}, [][]float64{{0, 1}, {1, 0}})
}

func second[T any](_ T, err error) error { return err }

func TestTheFirstGuardIsReported(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		for k := range 20 {
			x[0].LessReal(float64(30 - k))
		}
		return x[0]
	}, []float64{1})
	require.NoError(t, err)
	for _, c := range []struct{ x, bound float64 }{{100, 30}, {30, 30}, {29, 29}, {15.5, 15}, {11, 11}} {
		var branch *reverse.BranchError
		_, err = tape.Value([]float64{c.x})
		require.ErrorAs(t, err, &branch)
		require.Equal(t, c.bound, branch.Y)
	}
	_, err = tape.Value([]float64{10.9})
	require.NoError(t, err)
}

// What only a guard reads is no part of the result, and kept.
func TestDeadCodeThatAGuardReadsIsKept(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		x[1].Sin().Exp().Square() // dead
		p := x[0].Exp().Mul(x[1].Exp())
		if p.Log().LessReal(10) {
			return x[0].Square()
		}
		return x[0]
	}, []float64{1, 2})
	require.NoError(t, err)
	require.Equal(t, 5, tape.Ops()) // exp, exp, ·, ln; x²
	demand(t, "guarded", tape, []float64{3, 4}, 9, []float64{6, 0}, [][]float64{{2, 0}, {0, 0}})
	_, err = tape.Value([]float64{3, 7.5})
	var branch *reverse.BranchError
	require.ErrorAs(t, err, &branch)
	require.InDelta(t, 10.5, branch.X, 1e-12)
}

// A branch by parameters is one, too.
func TestParametersAreGuarded(t *testing.T) {
	tape, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		if p[0].LessReal(3) {
			return []reverse.Var{x[0].Mul(p[0])}
		}
		return x
	}, []float64{2}, []float64{1})
	require.NoError(t, err)
	_, err = tape.Values(nil, []float64{9})
	require.NoError(t, err)
	_, err = tape.Values(nil, []float64{9, 2})
	require.NoError(t, err)
	_, err = tape.Values(nil, []float64{9, 3})
	require.Error(t, err)
}

// here is the file and line of its caller.
func here() (string, int) {
	_, file, line, _ := runtime.Caller(1)
	return file, line
}

func generic[T dual.Scalar[T]](x, y T) (bool, int) {
	_, line := here()
	return x.Less(y), line + 1
}

func of[T dual.Scalar[T]](x T) dual.Of[T] { return dual.Of[T]{V: x} }

func TestLinesOfComparisons(t *testing.T) {
	type Var = reverse.Var
	var lines []int
	var file string
	at := func(f string, line int) { file = f; lines = append(lines, line) }
	for name, compare := range map[string]func(x Var){
		"LessReal":      func(x Var) { at(here()); x.LessReal(2) },
		"LessEqReal":    func(x Var) { at(here()); x.LessEqReal(2) },
		"Less":          func(x Var) { at(here()); x.Less(x.Const(2)) },
		"LessEq":        func(x Var) { at(here()); x.LessEq(x.Const(2)) },
		"of a constant": func(x Var) { at(here()); dual.Const[reverse.Var](2).Less(x) },
		"Value":         func(x Var) { at(here()); x.Value() },
		"Of":            func(x Var) { at(here()); of(x).LessReal(2) },
		"Of Of":         func(x Var) { at(here()); of(of(x)).LessReal(2) },
		"generic":       func(x Var) { _, line := generic(x, x.Const(2)); lines = append(lines, line) },
		"generic Of": func(x Var) {
			_, line := generic(of(x), of(x.Const(2)))
			lines = append(lines, line)
		},
		"method value": func(x Var) { less := x.LessReal; at(here()); less(2) },
	} {
		lines = lines[:0]
		tape, err := reverse.Recorder{Lines: true}.RecordVec(func(x []Var) []Var {
			compare(x[0])
			return x
		}, []float64{1})
		require.NoError(t, err)
		for _, tape := range []*reverse.Tape{tape, tape.Tangent(), tape.Adjoint().Tangent()} {
			x := make([]float64, tape.Inputs())
			x[0] = 3
			_, err = tape.Values(nil, x)
			var branch *reverse.BranchError
			require.ErrorAs(t, err, &branch, name)
			require.Equal(t, "guard_test.go", filepath.Base(branch.File), name)
			require.Equal(t, lines[0], branch.Line, name)
			require.Contains(t, err.Error(), fmt.Sprintf("guard_test.go:%d", lines[0]))
		}
	}
	require.Equal(t, "guard_test.go", filepath.Base(file))
}

// zigzag has a branch for each integer part of x₀.
func zigzag(x []reverse.Var) reverse.Var {
	k := 0
	for !x[0].LessReal(float64(k + 1)) {
		k++
	}
	s := x[0].Scale(float64(k + 1))
	for range k {
		s = s.Mul(x[1]).Sin()
	}
	return s
}

func TestFuncRecordsAgain(t *testing.T) {
	var records atomic.Int32
	fn := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		records.Add(1)
		return zigzag(x)
	})
	eval := func(x []float64) {
		t.Helper()
		tape, err := reverse.Record(zigzag, x)
		require.NoError(t, err)
		want, err := tape.Gradient(nil, x)
		require.NoError(t, err)
		f, g, err := fn.ValueGradient(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, g)
		v, err := tape.Value(x)
		require.NoError(t, err)
		require.Equal(t, v, f)
		f, err = fn.Value(x)
		require.NoError(t, err)
		require.Equal(t, v, f)
		g, err = fn.Gradient(make([]float64, 2), x)
		require.NoError(t, err)
		require.Equal(t, want, g)
		want, err = tape.HVP(nil, x, []float64{1, 2})
		require.NoError(t, err)
		h, err := fn.HVP(nil, x, []float64{1, 2})
		require.NoError(t, err)
		require.Equal(t, want, h)
		own, err := fn.Tape(x)
		require.NoError(t, err)
		_, err = own.Value(x)
		require.NoError(t, err)
	}
	for k := range 16 {
		eval([]float64{float64(k) + 0.5, 0.7})
		require.Equal(t, int32(k+1), records.Load())
	}
	for k := range 16 { // all are kept
		eval([]float64{float64(k) + 0.25, 0.3})
	}
	require.Equal(t, int32(16), records.Load())
	eval([]float64{16.5, 0.7}) // forgets the branch that was not used for longest
	require.Equal(t, int32(17), records.Load())
	for k := 15; k > 0; k-- {
		eval([]float64{float64(k) + 0.75, 0.7})
	}
	require.Equal(t, int32(17), records.Load())
	eval([]float64{0.5, 0.7})
	require.Equal(t, int32(18), records.Load())
	eval([]float64{16.2, 0.7}) // it was the last used but for k = 0 … 15
	require.Equal(t, int32(19), records.Load())
}

func TestFuncOfAnyLength(t *testing.T) {
	fn := reverse.NewFunc(dual.Sum[reverse.Var])
	for range 3 {
		for n := range 30 {
			g, err := fn.Gradient(nil, make([]float64, n))
			require.NoError(t, err)
			require.Equal(t, ones(n), g)
		}
	}
}

func TestFuncPassesErrorsAndPanics(t *testing.T) {
	fail := errors.New("no")
	bad := &failing{eval: fail}
	fn := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		if x[0].LessReal(0) {
			panic("mine")
		}
		if x[0].LessReal(1) {
			return reverse.Apply(bad, x...)[0]
		}
		return x[0].Square()
	})
	_, err := fn.Value([]float64{0.5})
	require.ErrorIs(t, err, fail)
	require.PanicsWithValue(t, "mine", func() { fn.Value([]float64{-1}) })
	v, err := fn.Value([]float64{3})
	require.NoError(t, err)
	require.Equal(t, 9.0, v)
	bad.eval = nil
	v, err = fn.Value([]float64{0.5})
	require.NoError(t, err)
	require.Equal(t, 1.0, v)
	require.Panics(t, func() { fn.HVP(nil, []float64{3}, nil) })
	require.Panics(t, func() { fn.Gradient(make([]float64, 2), []float64{3}) })
}

// Goroutines that meet all branches at once get the bits of a single one.
func TestFuncIsSafeForConcurrentUse(t *testing.T) {
	fn := reverse.NewFunc(zigzag)
	const branches = 24 // more than are kept
	want := make([][]float64, branches)
	points := make([][]float64, branches)
	for k := range branches {
		points[k] = []float64{float64(k) + 0.5, 0.7}
		var err error
		want[k], err = reverse.NewFunc(zigzag).Gradient(nil, points[k])
		require.NoError(t, err)
	}
	var wg sync.WaitGroup
	var wrong atomic.Int32
	for i := range 16 {
		wg.Go(func() {
			for k := range 20 * branches {
				k = (k*(2*i+1) + i) % branches
				g, err := fn.Gradient(nil, points[k])
				if err != nil || g[0] != want[k][0] || g[1] != want[k][1] {
					wrong.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, wrong.Load())
}
