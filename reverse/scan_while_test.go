package reverse_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// grown is x[0] times x[1] until it reaches x[2], and the sum of the numbers before.
func grown[T dual.Scalar[T]](x []T, checkpoints int) (last, sum T) {
	s, out := dual.Scan(dual.Loop[T]{
		Start: x[:1], Shared: x[1:], Checkpoints: checkpoints,
		While: func(s, w []T) bool { return s[0].Less(w[1]) },
		Step:  func(s, w, _, _ []T) (next, out []T) { return []T{s[0].Mul(w[0])}, s },
	})
	return s[0], out[0]
}

// The last number is a·qᵀ, the sum a(qᵀ − 1)/(q − 1), with as many steps T as it takes.
func TestScanWhile(t *testing.T) {
	f := func(checkpoints int) func(x []V) []V {
		return func(x []V) []V {
			last, sum := grown(x, checkpoints)
			return []V{last, sum}
		}
	}
	points := [][]float64{{1, 1.5, 100}, {1, 1.01, 100}, {100, 2, 3}, {0.001, 1.02, 7}, {2.9, 2, 3}}
	for _, checkpoints := range []int{0, 3} {
		for _, recorded := range points {
			tape, err := reverse.RecordVec(f(checkpoints), recorded)
			require.NoError(t, err)
			for _, x := range points {
				a, q := x[0], x[1]
				steps := max(0, math.Ceil(math.Log(x[2]/a)/math.Log(q)))
				qt := math.Pow(q, steps)
				slope := steps * qt / q // dqᵀ/dq
				want := [][]float64{
					{qt, a * slope, 0},
					{(qt - 1) / (q - 1), a * (slope/(q-1) - (qt-1)/((q-1)*(q-1))), 0},
				}
				y, err := tape.Values(nil, x)
				require.NoError(t, err)
				require.InEpsilon(t, a*qt, y[0], 1e-9)
				require.InDelta(t, a*want[1][0], y[1], 1e-9*(1+y[1]))
				for what, jac := range map[string]func() []float64{
					"row 0":    func() []float64 { return must(tape.VJP(nil, x, []float64{1, 0}))[:2] },
					"row 1":    func() []float64 { return must(tape.VJP(nil, x, []float64{0, 1}))[:2] },
					"column 0": func() []float64 { return must(tape.JVP(nil, x, []float64{1, 0, 0})) },
					"column 1": func() []float64 { return must(tape.JVP(nil, x, []float64{0, 1, 0})) },
				} {
					expect := []float64{want[0][0], want[1][0]}
					switch what {
					case "row 0", "row 1":
						expect = want[what[4]-'0'][:2]
					case "column 1":
						expect = []float64{want[0][1], want[1][1]}
					}
					got := jac()
					for i := range got {
						require.InDelta(t, expect[i], got[i], 1e-8*(1+math.Abs(expect[i])), "%s at %v recorded at %v", what, x, recorded)
					}
				}
				// ∂²(a·qᵀ) is T·qᵀ⁻¹ and a·T(T−1)qᵀ⁻².
				second := [][]float64{{0, slope}, {slope, a * steps * (steps - 1) * qt / q / q}}
				for _, s := range []hessian.Strategy{hessian.FoR, hessian.RoF, hessian.RoR, hessian.FoF} {
					h, err := hessian.New(tape, s).Dense(nil, x, 1, 0)
					require.NoError(t, err)
					for i, row := range second {
						for j, want := range row {
							require.InDelta(t, want, h.At(i, j), 1e-8*(1+math.Abs(want)), "%v at %v", s, x)
						}
					}
				}
			}
		}
	}
}

func must(x []float64, err error) []float64 {
	if err != nil {
		panic(err)
	}
	return x
}

// What no step puts out is 0, and the number of outputs is known without one.
func TestOutputsOfStepsThatAreNotTaken(t *testing.T) {
	l := func(x []V) dual.Loop[reverse.Var] {
		return dual.Loop[reverse.Var]{
			Start: x, Steps: 5,
			While: func(s, _ []V) bool { return s[0].LessReal(8) },
			Step:  func(s, _, _, _ []V) (next, out []V) { y := s[0].Scale(2); return []V{y}, []V{y, y.Square()} },
		}
	}
	rows := func(at []int) func(x []V) []V {
		return func(x []V) []V {
			last, out := dual.ScanAt(l(x), at)
			return slices.Concat(append(out, last)...)
		}
	}
	for _, recorded := range []float64{100, 3, 1} {
		for at, want := range map[string][]float64{"all": {6, 36, 12, 144, 0, 0, 0, 0, 0, 0, 12}, "some": {0, 0, 6, 36, 12, 144, 6, 36, 12}} {
			list := []int{4, 0, 1, 0}
			if at == "all" {
				list = nil
			}
			tape, err := reverse.RecordVec(rows(list), []float64{recorded})
			require.NoError(t, err)
			y, err := tape.Values(nil, []float64{3})
			require.NoError(t, err)
			require.Equal(t, want, y)
			y, err = tape.Values(nil, []float64{8})
			require.NoError(t, err)
			require.Equal(t, append(make([]float64, len(want)-1), 8), y)
		}
	}
	require.PanicsWithValue(t, "dual: outputs of all steps of a Loop without a bound", func() {
		dual.ScanAt(dual.Loop[reverse.Var]{
			Step:  func(s, _, _, _ []V) (next, out []V) { return s, s },
			While: func(_, _ []V) bool { return false },
		}, nil)
	})
}

// The pattern is that of any number of steps, not of those at the recorded point.
func TestPatternOfAScanWhile(t *testing.T) {
	const n = 5
	f := func(x []V) []V {
		last, sum := dual.Scan(dual.Loop[reverse.Var]{
			Start: x[:n], Shared: x[n:],
			While: func(s, w []V) bool { return s[0].Less(w[0]) },
			Step: func(s, _, _, _ []V) (next, out []V) { // each goes on to the next
				next = append(next, s[0].AddReal(1))
				for i := 1; i < n; i++ {
					next = append(next, s[i-1].Square())
				}
				return next, s[n-1:]
			},
		})
		return append(last, sum...)
	}
	for _, recorded := range []float64{-1, 1.5, 9} { // none, two and ten steps
		tape, err := reverse.RecordVec(f, []float64{0, 1, 1, 1, 1, recorded})
		require.NoError(t, err)
		for steps := range 8 {
			x := []float64{0.1, 0.2, 0.3, 0.4, 0.5, float64(steps)}
			j, err := tape.Jacobian(nil, x)
			require.NoError(t, err)
			p := tape.JacobianPattern()
			for i := range n + 1 {
				for k := range n + 1 {
					if j.At(i, k) != 0 {
						require.Contains(t, p.Row(i), int32(k), "recorded with %v: row %d of %d steps", recorded, i, steps)
					}
				}
			}
			sparse, err := hessian.NewSparse(tape)
			require.NoError(t, err)
			h, err := sparse.Eval(nil, x, ones(n+1)...)
			require.NoError(t, err)
			want, err := hessian.New(tape, hessian.FoR).Dense(nil, x, ones(n+1)...)
			require.NoError(t, err)
			for i := range n + 1 {
				for k := range n + 1 {
					require.InDelta(t, want.At(i, k), h.At(i, k), 1e-12)
				}
			}
		}
		require.NotContains(t, tape.JacobianPattern().Row(0), int32(1))
	}
}

// A gradient advances the states by a third more steps at most than if their number
// were known, and evaluates each step again when it is reversed; no step is evaluated
// beyond the last.
func TestCheckpointsOnline(t *testing.T) {
	for _, c := range []int{1, 2, 5, 12} {
		for _, steps := range []int{0, 1, 2, 3, 40, 333} {
			count := 0
			f := counted{&count}
			tape, err := reverse.Record(func(x []V) V {
				last, _ := dual.Scan(dual.Loop[reverse.Var]{
					Start: x[:2], Shared: x[2:], Checkpoints: c,
					While: func(s, w []V) bool { return s[1].Less(w[0]) },
					Step: func(s, _, _, _ []V) (next, out []V) {
						return append(reverse.Apply(f, s[0]), s[1].AddReal(1)), nil
					},
				})
				return last[0]
			}, []float64{0.9, 0, 7})
			require.NoError(t, err)
			x := []float64{0.9, 0, float64(steps)}
			count = 0
			g, err := tape.Gradient(nil, x)
			require.NoError(t, err)
			s, d := 0.9, 1.0
			for range steps {
				s, d = s*s/2, d*s
			}
			require.InDelta(t, d, g[0], 1e-12)
			if steps == 0 {
				require.Zero(t, count)
				continue
			}
			least := leastAdvances(steps, c) + 1
			require.GreaterOrEqual(t, count-steps, least)
			require.LessOrEqual(t, 3*(count-steps), 4*least, "%d checkpoints, %d steps", c, steps)
		}
	}
}

func TestScanWhileNamesTheStepThatBranches(t *testing.T) {
	f := func(x []V) V {
		last, _ := dual.Scan(dual.Loop[reverse.Var]{
			Start: []V{x[0], {}}, Shared: x[1:],
			While: func(s, w []V) bool { return s[1].Less(w[0]) },
			Step: func(s, _, _, _ []V) (next, out []V) {
				y := s[0].Scale(0.5)
				if !s[1].LessReal(3) && s[1].LessReal(4) {
					y = y.Sin()
				}
				return []V{y, s[1].AddReal(1)}, nil
			},
		})
		return last[0]
	}
	tape, err := reverse.Record(f, []float64{1, 2})
	require.NoError(t, err)
	_, err = tape.Gradient(nil, []float64{1, 3})
	require.NoError(t, err)
	_, err = tape.Gradient(nil, []float64{1, 7})
	var branch *reverse.BranchError
	require.ErrorAs(t, err, &branch)
	require.Equal(t, []int{3}, branch.Steps)
	fn := reverse.NewFunc(f)
	for _, steps := range []float64{2, 7, 3, 0, 5} {
		y, err := fn.Value([]float64{1, steps})
		require.NoError(t, err)
		want := 1.0
		for k := range int(steps) {
			want *= 0.5
			if k == 3 {
				want = math.Sin(want)
			}
		}
		require.Equal(t, want, y)
	}
	fault, err := reverse.Trace(func(x []V) V {
		last, _ := dual.Scan(dual.Loop[reverse.Var]{
			Start: x, While: func(s, _ []V) bool { return s[0].LessReal(5) },
			Step: func(s, _, _, _ []V) (next, out []V) { return []V{s[0].AddReal(-2).Log().AddReal(1)}, nil },
		})
		return last[0]
	}, []float64{4})
	require.NoError(t, err)
	require.Equal(t, []int{1}, fault.Steps) // ln 2 + 1 − 2 < 0
}

func TestScanWhileDoesNotAllocate(t *testing.T) {
	for _, checkpoints := range []int{0, 4} {
		tape, err := reverse.Record(func(x []V) V { last, sum := grown(x, checkpoints); return last.Add(sum) }, []float64{1, 1.01, 9})
		require.NoError(t, err)
		x, g := []float64{1, 1.02, 50}, make([]float64, 3)
		for what, run := range map[string]func(){
			"value":    func() { tape.Value(x) },
			"gradient": func() { tape.Gradient(g, x) },
			"HVP":      func() { tape.HVP(g, x, x) },
		} {
			run()
			require.Zero(t, allocsOfWarm(run), fmt.Sprint(what, checkpoints))
		}
	}
}

// allocsOfWarm is how many allocations a run takes while memory of earlier ones is not
// given back.
func allocsOfWarm(run func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 3 {
		run()
	}
	return testing.AllocsPerRun(20, run)
}
