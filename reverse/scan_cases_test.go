package reverse_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// bounce is a ball that falls and bounces off the ground: x = [height; speed; g].
func bounce(x []V, steps int, scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) V {
	last, sum := scan(dual.Loop[reverse.Var]{
		Start: x[:2], Shared: x[2:], Steps: steps,
		Step: func(s, w, _, _ []V) (next, out []V) {
			y, v := s[0].Add(s[1].Scale(0.1)), s[1].Sub(w[0].Scale(0.1))
			if y.LessReal(0) {
				y, v = y.Neg(), v.Scale(-0.9)
			}
			return []V{y, v}, []V{y.Square()}
		},
	}, nil, false)
	return last[0].Mul(last[1]).Add(sum[0][0])
}

func TestScanGoesOtherWaysInItsSteps(t *testing.T) {
	const steps = 60
	x := []float64{1, 0, 9.81}
	a, err := reverse.Record(func(x []V) V { return bounce(x, steps, asScan[V]) }, x)
	require.NoError(t, err)
	require.Less(t, a.Ops(), 10) // not written out
	for _, x := range [][]float64{x, {2, 1, 9.81}, {0.5, -1, 3}, {1, 5, 20}} {
		b, err := reverse.Record(func(x []V) V { return bounce(x, steps, asLoop[V]) }, x)
		require.NoError(t, err)
		for _, part := range []string{"strategies", "transforms", "patterns"} {
			sameTapes(t, named("bounce"), a, b, x, 1e-6, part)
		}
	}
}

type named string

func (n named) String() string { return string(n) }

func TestScanNamesTheStepThatBranches(t *testing.T) {
	high := []float64{100, 0, 9.81} // does not reach the ground in ten steps
	low := []float64{1, 0, 9.81}
	f := func(x []V) V { return bounce(x, 10, asScan[V]) }
	tape, err := reverse.Recorder{Lines: true}.Record(f, high)
	require.NoError(t, err)
	first := 0 // the first step after which the ball is below the ground
	for y, v := low[0], low[1]; y+0.1*v >= 0; first++ {
		y, v = y+0.1*v, v-0.1*low[2]
	}
	for what, err := range map[string]error{
		"value":    second(tape.Value(low)),
		"gradient": second(tape.Gradient(nil, low)),
		"HVP":      second(tape.HVP(nil, low, low)),
		"tangent":  second(tape.Tangent().Values(nil, append(low, low...))),
	} {
		var branch *reverse.BranchError
		require.ErrorAs(t, err, &branch, what)
		require.Equal(t, []int{first}, branch.Steps, what)
		require.Equal(t, "Less", branch.Op)
		require.Contains(t, branch.File, "scan_cases_test.go")
		require.Contains(t, err.Error(), fmt.Sprintf(" in step %d at ", first))
	}
	// A Func records again.
	fn := reverse.NewFunc(f)
	for _, x := range [][]float64{high, low, high} {
		got, err := fn.Gradient(nil, x)
		require.NoError(t, err)
		want, err := reverse.Gradient(nil, func(x []V) V { return bounce(x, 10, asLoop[V]) }, x)
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 1e-9)
	}
}

func TestScanOfTooManyWaysIsWrittenOut(t *testing.T) {
	const steps = 100
	f := func(scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) func(x []V) V {
		return func(x []V) V {
			last, _ := scan(dual.Loop[reverse.Var]{
				Start: x, Steps: steps,
				Step: func(s, _, _, _ []V) (next, out []V) { return []V{s[0].Scale(1 + 0.01*s[0].Value()).Sin()}, nil },
			}, nil, false)
			return last[0]
		}
	}
	a, err := reverse.Record(f(asScan[V]), []float64{0.7})
	require.NoError(t, err)
	require.GreaterOrEqual(t, a.Ops(), steps)
	b, err := reverse.Record(f(asLoop[V]), []float64{0.7})
	require.NoError(t, err)
	sameTapes(t, named("reading"), a, b, []float64{0.7}, 1e-12, "strategies")
}

func TestTapesOfScansDoNotGrow(t *testing.T) {
	x := []float64{1, 1, 1, 10, 28, 8. / 3}
	var ops, bytes []int
	for _, steps := range []int{10, 100000} {
		tape, err := reverse.Record(func(x []V) V { return lorenzLoop(x, steps, 0) }, x)
		require.NoError(t, err)
		require.Equal(t, 36, tape.HessianPattern().NNZ())
		ops, bytes = append(ops, tape.Ops()), append(bytes, tape.Bytes())
	}
	require.Equal(t, ops[0], ops[1])
	require.Equal(t, bytes[0], bytes[1])
}

// Of three tanks one after the other, s_i depends on those before it and on what
// flows in.
func TestPatternOfALongScan(t *testing.T) {
	const n, steps = 5, 1000
	tape, err := reverse.RecordVec(func(x []V) []V {
		last, _ := dual.Scan(dual.Loop[reverse.Var]{
			Start: x[:n], Shared: x[n:], Steps: steps,
			Step: func(s, w, _, _ []V) (next, out []V) {
				in := w[0]
				for _, s := range s {
					flow := s.Square().Scale(0.1)
					next = append(next, s.Add(in.Sub(flow).Scale(0.01)))
					in = flow
				}
				return next, nil
			},
		})
		return last
	}, make([]float64, n+1))
	require.NoError(t, err)
	p := tape.JacobianPattern()
	for i := range n {
		for j := range n + 1 {
			require.Equal(t, j <= i || j == n, slices.Contains(p.Row(i), int32(j)), "%d %d", i, j)
		}
	}
}

// In multiple shooting every interval has a state and controls of its own, and its
// defects depend on them alone.
func TestPatternOfMultipleShooting(t *testing.T) {
	const intervals, n, steps = 6, 2, 30
	shoot := func(x []V, scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) (defects []V) {
		for i := range intervals {
			z := x[i*(n+1):]
			last, _ := scan(dual.Loop[reverse.Var]{
				Start: z[:n], Shared: z[n : n+1], Steps: steps,
				Step: func(s, w, _, _ []V) (next, out []V) {
					return []V{s[0].Add(s[1].Scale(0.01)), s[1].Add(s[0].Sin().Neg().Add(w[0]).Scale(0.01))}, nil
				},
			}, nil, false)
			if i+1 < intervals {
				for j := range n {
					defects = append(defects, last[j].Sub(x[(i+1)*(n+1)+j]))
				}
			} else {
				defects = append(defects, last...)
			}
		}
		return defects
	}
	x := make([]float64, intervals*(n+1))
	for i := range x {
		x[i] = 0.3 * math.Sin(float64(i))
	}
	a, err := reverse.RecordVec(func(x []V) []V { return shoot(x, asScan[V]) }, x)
	require.NoError(t, err)
	b, err := reverse.RecordVec(func(x []V) []V { return shoot(x, asLoop[V]) }, x)
	require.NoError(t, err)
	require.True(t, a.JacobianPattern().Equal(b.JacobianPattern()))
	require.True(t, a.HessianPattern().Equal(b.HessianPattern()))
	sameTapes(t, named("shooting"), a, b, x, 1e-10, "patterns")
}

func TestTraceNamesTheStep(t *testing.T) {
	f := func(x []V) V {
		last, _ := dual.Scan(dual.Loop[reverse.Var]{
			Start: x, Steps: 9,
			Step: func(s, _, _, _ []V) (next, out []V) { return []V{s[0].SubReal(1).Log().AddReal(3)}, nil },
		})
		return last[0]
	}
	// 3 − 1 = 2, ln 2 + 3 = 3.69, …; from 1.05: ln 0.05 + 3 = 0.004, whose logarithm is none.
	fault, err := reverse.Trace(f, []float64{1.05})
	require.NoError(t, err)
	require.Equal(t, []int{1}, fault.Steps)
	require.Equal(t, "Log", fault.Op)
	require.Contains(t, fault.Error(), "in step 1")
	fault, err = reverse.Trace(f, []float64{3})
	require.NoError(t, err)
	require.Nil(t, fault)
}

// counted is x² and counts its evaluations.
type counted struct{ n *int }

func (counted) Dims() (n, m int)                { return 1, 1 }
func (counted) Name() string                    { return "counted" }
func (c counted) Eval(y, x []float64) error     { *c.n++; y[0] = 0.5 * x[0] * x[0]; return nil }
func (counted) JVP(dy, x, dx []float64) error   { dy[0] = x[0] * dx[0]; return nil }
func (counted) VJP(gx, x, w []float64) error    { gx[0] = x[0] * w[0]; return nil }
func (counted) HVP(h, x, dx, w []float64) error { h[0] = w[0] * dx[0]; return nil }
func (counted) Jacobian(int) []int              { return nil }
func (counted) Hessian(int) []int               { return nil }

// leastAdvances is t(T, c) = r·T − β(c+1, r−1), see Griewank and Walther 2000.
func leastAdvances(steps, c int) int {
	choose := func(n, k int) int { // binomial coefficient
		b := 1
		for i := 1; i <= k; i++ {
			b = b * (n - k + i) / i
		}
		return b
	}
	r := 0
	for choose(c+r, c) < steps {
		r++
	}
	return r*steps - choose(c+r, c+1)
}

// A gradient advances the states of a loop of T steps by t(T, c) steps, once more to
// the last state, and evaluates each step again when it is reversed.
func TestCheckpointsTakeTheFewestSteps(t *testing.T) {
	for _, c := range []int{1, 2, 3, 5, 12} {
		for _, steps := range []int{1, 2, 7, 40, 333} {
			count := 0
			f := counted{&count}
			tape, err := reverse.Record(func(x []V) V {
				last, _ := dual.Scan(dual.Loop[reverse.Var]{
					Start: x, Steps: steps, Checkpoints: c,
					Step: func(s, _, _, _ []V) (next, out []V) { return reverse.Apply(f, s...), nil },
				})
				return last[0]
			}, []float64{0.9})
			require.NoError(t, err)
			count = 0
			_, err = tape.Gradient(nil, []float64{0.9})
			require.NoError(t, err)
			require.Equal(t, leastAdvances(steps, c)+1+steps, count, "%d checkpoints, %d steps", c, steps)
		}
	}
}

func TestScanHasTheConventionsOfTheTape(t *testing.T) {
	inf := math.Inf(1)
	f := func(scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) func(x []V) V {
		return func(x []V) V {
			last, sum := scan(dual.Loop[reverse.Var]{
				Start: x[:1], Shared: x[1:2], Vars: [][]V{x[2:3], x[3:4], x[2:3]}, Steps: 3,
				Step: func(s, w, u, _ []V) (next, out []V) {
					r := u[0].Sqrt() // has the partial ∞ at 0
					return []V{s[0].Mul(w[0]).Add(r.Mul(w[0]))}, []V{s[0].Hypot(w[0]).Add(r.Square())}
				},
			}, nil, false)
			return last[0].Add(sum[0][0])
		}
	}
	for _, x := range [][]float64{{1, 2, 3, 4}, {0, 0, 0, 0}, {1, 0, 0, 1}, {0, 1, 0, 0}, {math.NaN(), 0, 1, 1}, {inf, 0, 1, 1}, {1, 1, -1, 1}} {
		a, err := reverse.Record(f(asScan[V]), x)
		require.NoError(t, err)
		b, err := reverse.Record(f(asLoop[V]), x)
		require.NoError(t, err)
		for _, part := range []string{"strategies", "transforms"} {
			sameTapes(t, named(fmt.Sprint(x)), a, b, x, 1e-12, part)
		}
	}
}

// What comes after a loop may have a pole at its results: then adjoints are infinite, or
// NaN in a sweep without derivative products, and meet partial derivatives that are 0.
func TestScanBeforeAPole(t *testing.T) {
	steps := map[string]func(s, w []V) []V{
		"products": func(s, w []V) []V { return []V{s[0].Mul(w[0]), s[1].Scale(0.5).Add(w[1].Mul(s[0]))} },
		"sine":     func(s, w []V) []V { return []V{s[0].Mul(w[0]).Sin(), s[1].Scale(0.5).Add(w[1].Mul(s[0])).Mul(w[1])} },
		"hypot":    func(s, w []V) []V { return []V{s[0].Mul(w[0]), s[1].Add(w[1]).Hypot(s[0])} },
	}
	poles := map[string]func(last, sum []V) V{
		"root":     func(last, sum []V) V { return last[0].Sqrt() },
		"absolute": func(last, sum []V) V { return last[1].Square().Sqrt() },
		"power":    func(last, sum []V) V { return sum[0].Abs().PowReal(0.3) },
		"distance": func(last, sum []V) V { return last[0].Hypot(sum[0]) },
	}
	for of, step := range steps {
		for at, pole := range poles {
			for _, checkpoints := range []int{0, 2} {
				f := func(scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) func(x []V) V {
					return func(x []V) V {
						last, out := scan(dual.Loop[reverse.Var]{
							Start: x[:2], Shared: x[2:], Steps: 12, Checkpoints: checkpoints,
							Step: func(s, w, _, _ []V) (next, out []V) { return step(s, w), []V{s[0].Mul(s[1])} },
						}, nil, false)
						return pole(last, out[0])
					}
				}
				regular := []float64{0.3, 0.4, 0.7, 0.5}
				a, err := reverse.Record(f(asScan[V]), regular)
				require.NoError(t, err)
				b, err := reverse.Record(f(asLoop[V]), regular)
				require.NoError(t, err)
				for _, x := range [][]float64{{0, 0, 0, 0}, {0.8, 0, 0.1, 0}, {0, 0.2, 0.7, 0}, {0, 0, 0.7, 0.1}, {0.5, 0.2, 0, 0.3}} {
					for _, part := range []string{"strategies", "transforms"} {
						sameTapes(t, named(fmt.Sprint(of, " ", at, " ", x)), a, b, x, 1e-9, part)
					}
				}
			}
		}
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	x := rnnWeights(4)
	for what, f := range map[string]func(x []V) V{
		"lorenz":      func(x []V) V { return lorenzLoop(x[:6], 50, 0) },
		"checkpoints": func(x []V) V { return lorenzLoop(x[:6], 50, 3) },
		"rnn":         func(x []V) V { return rnnLoop(x, 4, 20) },
		"heat":        func(x []V) V { return heatLoop(x, 20, 0) },
		"bounce":      func(x []V) V { return bounce([]V{x[0].Square(), x[1], x[2].AddReal(9)}, 30, asScan[V]) },
	} {
		tape, err := reverse.Record(f, x)
		require.NoError(t, err)
		g, v := make([]float64, len(x)), ones(len(x))
		for kind, run := range map[string]func(){
			"value":    func() { tape.Value(x) },
			"gradient": func() { tape.Gradient(g, x) },
			"HVP":      func() { tape.HVP(g, x, v) },
		} {
			run()
			require.Zero(t, allocsOfWarm(run), "%s of %s", kind, what)
		}
	}
}

func TestScanConcurrently(t *testing.T) {
	x := []float64{1, 1, 1, 10, 28, 8. / 3}
	tape, err := reverse.Record(func(x []V) V { return lorenzLoop(x, 200, 4) }, x)
	require.NoError(t, err)
	want := make([][]float64, 8)
	at := func(i int) []float64 { return append([]float64{1 + 0.1*float64(i)}, x[1:]...) }
	all := func(i int) []float64 {
		g, err := tape.Gradient(nil, at(i))
		h, err2 := tape.HVP(nil, at(i), x)
		if err != nil || err2 != nil {
			t.Error(errors.Join(err, err2))
		}
		return append(g, h...)
	}
	for i := range want {
		want[i] = all(i)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range want {
				if got := all(i); !slices.Equal(got, want[i]) {
					t.Errorf("%v, want %v", got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestScanMisuse(t *testing.T) {
	step := func(s, _, _, _ []V) (next, out []V) { return s, s }
	for want, l := range map[string]dual.Loop[reverse.Var]{
		"dual: Loop without a Step":                                 {},
		"dual: Loop with a negative number of steps":                {Step: step, Steps: -1},
		"dual: Loop with a negative number of checkpoints or bytes": {Step: step, Checkpoints: -1},
		"dual: Loop with 2 rows of Vars, want 3":                    {Step: step, Steps: 3, Vars: make([][]V, 2)},
		"dual: Loop with 2 rows of Data, want 3":                    {Step: step, Steps: 3, Data: make([][]float64, 2)},
		"dual: Loop with Data[1] of length 1, want 0":               {Step: step, Data: [][]float64{{}, {1}}},
		"dual: Loop with Vars[1] of length 1, want 0":               {Step: step, Vars: [][]V{{}, {{}}}},
		"dual: step with a state of length 0, want 1":               {Steps: 1, Start: make([]V, 1), Step: func(_, _, _, _ []V) (next, out []V) { return nil, nil }},
		"reverse: Vars of two recordings mixed":                     {Steps: 1},
	} {
		require.PanicsWithValue(t, want, func() {
			reverse.Record(func(x []V) V {
				if l.Steps == 1 && l.Step == nil {
					l.Start, l.Step = x, func(s, _, _, _ []V) (next, out []V) { return []V{s[0].Add(x[0])}, nil }
				}
				if len(l.Start) > 0 {
					l.Start = x
				}
				dual.Scan(l)
				return x[0]
			}, []float64{1})
		})
	}
	require.PanicsWithValue(t, "dual: outputs of step 2 of 2", func() { dual.ScanAt(dual.Loop[reverse.Var]{Step: step, Steps: 2}, []int{2}) })
}

func TestScanOfNoSteps(t *testing.T) {
	l := dual.Loop[dual.Real]{Start: []dual.Real{3}, Step: func(s, _, _, _ []dual.Real) (next, out []dual.Real) { panic("no step") }}
	last, sum := dual.Scan(l)
	require.Equal(t, []dual.Real{3}, last)
	require.Nil(t, sum)
}

// A gradient of a loop of 10⁴ steps allocates no more for its states than it may,
// besides what it allocates for one of ten steps.
func TestScanKeepsToItsMemory(t *testing.T) {
	const n, most = 50, 64 << 10
	x := append([]float64{0.5}, rnnWeights(8)[:n]...)
	allocated := func(steps, memory int) int {
		tape, err := reverse.Record(func(x []V) V {
			last, _ := dual.Scan(dual.Loop[reverse.Var]{
				Start: x[1:], Shared: x[:1], Steps: steps, Memory: memory,
				Step: func(s, w, _, _ []V) (next, out []V) {
					for i := range s {
						next = append(next, s[i].Add(s[(i+1)%n].Sub(s[i]).Mul(w[0])))
					}
					return next, nil
				},
			})
			return dual.SumSquares(last)
		}, x)
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = tape.Gradient(nil, x)
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	const few, rest = 64, 16 << 10 // enough steps for blocks
	base := allocated(few, 0)
	require.Less(t, allocated(10000, most), base+most+rest)
	require.Greater(t, allocated(10000, 0), base+8*n*(10000-few)) // all states
}

// shrinking is x/2, and fails below 1.
type shrinking struct{ counted }

var errSmall = errors.New("too small")

func (shrinking) Eval(y, x []float64) error {
	y[0] = x[0] / 2
	if y[0] < 1 {
		return errSmall
	}
	return nil
}

func TestErrorsOfPrimitivesPassThroughScans(t *testing.T) {
	f := func(x []V) V {
		last, sum := dual.Scan(dual.Loop[reverse.Var]{
			Start: x, Steps: 3,
			Step: func(s, _, _, _ []V) (next, out []V) { y := reverse.Apply(shrinking{}, s...); return y, y },
		})
		return last[0].Add(sum[0])
	}
	_, err := reverse.Record(f, []float64{4}) // fails in the last step
	require.ErrorIs(t, err, errSmall)
	_, err = reverse.Record(f, []float64{0.5})
	require.ErrorIs(t, err, errSmall)
	tape, err := reverse.Record(f, []float64{40})
	require.NoError(t, err)
	_, err = tape.Gradient(nil, []float64{4})
	require.ErrorIs(t, err, errSmall)
	y, err := tape.Value([]float64{16}) // 2 + 8 + 4 + 2
	require.NoError(t, err)
	require.Equal(t, 16.0, y)
}

// Where a value is NaN so are its derivatives, though the partial 1/x of ln x is a number.
func TestScanBeyondADomain(t *testing.T) {
	for _, steps := range []int{3, 40} {
		for _, checkpoints := range []int{0, 2} {
			f := func(scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) func(x []V) []V {
				return func(x []V) []V {
					last, out := scan(dual.Loop[reverse.Var]{
						Start: x[:1], Shared: x[1:], Steps: steps, Checkpoints: checkpoints,
						Step: func(s, w, _, _ []V) (next, out []V) {
							return []V{s[0].Sub(w[0]).Scale(0.9)}, []V{s[0].Log(), s[0].Mul(w[0])}
						},
					}, nil, false)
					return append(last, out[0]...)
				}
			}
			a, err := reverse.RecordVec(f(asScan[V]), []float64{1, 0})
			require.NoError(t, err)
			b, err := reverse.RecordVec(f(asLoop[V]), []float64{1, 0})
			require.NoError(t, err)
			for _, x := range [][]float64{{1, 0}, {1, 0.3}, {1, 0}} {
				for _, part := range []string{"strategies", "transforms"} {
					sameButBits(t, named("logarithm"), a, b, x, 1e-9, part)
				}
			}
		}
	}
}

// Steps without a state are lanes however many operations they have. Their sums and derivatives
// are those of the loop that is written out, also of the steps that are left after the blocks.
func TestScanWithoutAState(t *testing.T) {
	for _, d := range []int{3, 12, 40, 70} { // up to 2,700 operations
		m := d + d*(d+1)/2
		x, v := make([]float64, m), make([]float64, m)
		for i := range x {
			x[i], v[i] = math.Sin(float64(i)), math.Cos(float64(3*i))
		}
		form := func(w, p []reverse.Var) reverse.Var {
			var s reverse.Var
			for i, at := 0, d; i < d; i++ {
				var y reverse.Var
				for j := range i + 1 {
					y = y.Add(w[at].Mul(p[0].Scale(float64(j)).Sin().Sub(w[j])))
					at++
				}
				s = s.Add(y.Square())
			}
			return s
		}
		l := dual.Loop[reverse.Var]{Step: func(_, w, _, p []reverse.Var) (next, out []reverse.Var) { return nil, []reverse.Var{form(w, p)} }}
		for k := range 75 {
			l.Data = append(l.Data, []float64{math.Sin(float64(k))})
		}
		loop, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			l.Shared = x
			_, sum := dual.Scan(l)
			return sum[0]
		}, x)
		require.NoError(t, err)
		plain, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			var s reverse.Var
			for _, p := range l.Data {
				s = s.Add(form(x, []reverse.Var{dual.Const[reverse.Var](p[0])}))
			}
			return s
		}, x)
		require.NoError(t, err)
		f, g, err := loop.ValueGradient(nil, x)
		require.NoError(t, err)
		wantF, wantG, err := plain.ValueGradient(nil, x)
		require.NoError(t, err)
		require.InEpsilon(t, wantF, f, 1e-12)
		require.InDeltaSlice(t, wantG, g, 1e-11*floats.Norm(wantG, math.Inf(1)))
		h, err := loop.HVP(nil, x, v)
		require.NoError(t, err)
		wantH, err := plain.HVP(nil, x, v)
		require.NoError(t, err)
		require.InDeltaSlice(t, wantH, h, 1e-11*floats.Norm(wantH, math.Inf(1)))
		jvp, err := loop.JVP(nil, x, v)
		require.NoError(t, err)
		require.InEpsilon(t, floats.Dot(wantG, v), jvp[0], 1e-9)
	}
}
