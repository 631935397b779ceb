package reverse_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// eachLane runs the lanes one after another, as they stand.
func eachLane(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V) {
	for _, a := range lanes {
		z := l
		z.Start, z.Vars, z.Data = a.Start, a.Vars, a.Data
		z.Steps = max(l.Steps, len(a.Vars), len(a.Data))
		s, out := asLoop(z, nil, false)
		last, sum = append(last, s), append(sum, out[0])
	}
	return last, sum
}

func TestLanesAreTheirLoops(t *testing.T) {
	rapid.Check(t, lanesAreLoops)
}

func lanesAreLoops(t *rapid.T) {
	reverse.SetSideBySide(t, rapid.IntRange(1, 3).Draw(t, "together"))
	f := drawScanned(t, randprog.Options{MaxInputs: 5, MaxOutputs: 2, MaxLen: 10, Branches: rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "branches")})
	if len(f.step.X) == 0 || f.steps == 0 {
		t.Skip("no inputs")
	}
	lengths := []int{f.steps, f.steps} // of the lanes
	rows := f.u > 0 || len(f.data[0]) > 0
	if rows {
		lengths = rapid.SliceOfN(rapid.IntRange(0, f.steps), 1, 4).Draw(t, "lengths")
	}
	x := f.x[f.n : f.n+f.w : f.n+f.w]
	for i := range lengths {
		for _, s := range f.x[:f.n] {
			x = append(x, s*(1+1e-2*float64(i)))
		}
		x = append(x, f.x[f.n+f.w:]...)
	}
	record := func(scan func(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V)) *reverse.Tape {
		tape, err := reverse.RecordVec(func(x []V) []V {
			l := dual.Loop[reverse.Var]{Shared: x[:f.w], Step: scanStep(f, scalarHooks), Checkpoints: f.checkpoints, Memory: f.memory}
			if !rows {
				l.Steps = f.steps
			}
			z := x[f.w:]
			var lanes []dual.Lane[reverse.Var]
			for i, steps := range lengths {
				a := dual.Lane[reverse.Var]{Start: z[:f.n]}
				for e := range steps {
					if f.u > 0 {
						a.Vars = append(a.Vars, z[f.n+e*f.u:][:f.u])
					}
					if row := f.data[(e+i)%len(f.data)]; len(row) > 0 {
						a.Data = append(a.Data, row)
					}
				}
				lanes = append(lanes, a)
				z = z[f.n+f.u*f.steps:]
			}
			last, sum := scan(l, lanes)
			y := x[:1:1]
			for i := range lanes {
				y = append(append(y, last[i]...), sum[i]...)
			}
			return append(y, y[len(y)-1].Sin().Mul(y[1%len(y)]))
		}, x)
		if err != nil {
			t.Fatal(err)
		}
		return tape
	}
	if len(x) == 0 {
		t.Skip("no inputs")
	}
	a, b := record(dual.ScanLanes), record(eachLane)
	bound, err := f.boundAt(b, x)
	require.NoError(t, err)
	if !(bound < 1e9) {
		t.Skip("ill-conditioned")
	}
	parts := []string{"strategies", "transforms", "patterns"}
	compare := sameTapes
	if slices.Max(lengths) != slices.Min(lengths) { // the sums of long lanes are added up in parts
		compare = sameButBits
	}
	compare(t, f, a, b, x, 1e-9*(1+bound), rapid.SampledFrom(parts).Draw(t, "part"))
}

// Side by side, lanes of one length are one operation, whose step is one as well.
func TestLanesAreOneOperation(t *testing.T) {
	const lanes = 64
	x := []float64{10, 28, 8. / 3}
	for i := range 3 * lanes {
		x = append(x, 1+0.01*float64(i))
	}
	of := func(scan func(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V)) *reverse.Tape {
		tape, err := reverse.Record(func(x []V) V { return lorenzLanes(x, 20, scan) }, x)
		require.NoError(t, err)
		return tape
	}
	a, b := of(dual.ScanLanes), of(eachLane)
	require.Less(t, a.Ops(), 6*lanes) // the loop, its states and sums, and their sum
	sameTapes(t, named("lorenz"), a, b, x, 1e-7, "patterns")
	require.True(t, a.HessianPattern().Equal(b.HessianPattern()))
	g := make([]float64, len(x))
	require.Less(t, testing.AllocsPerRun(5, func() { a.Gradient(g, x) }), 1.0)
}

// lorenzLanes is Σ x_k² over the steps of trajectories from many states.
func lorenzLanes(x []V, steps int, scan func(l dual.Loop[reverse.Var], lanes []dual.Lane[reverse.Var]) (last, sum [][]V)) (total V) {
	var lanes []dual.Lane[reverse.Var]
	for z := x[3:]; len(z) > 0; z = z[3:] {
		lanes = append(lanes, dual.Lane[reverse.Var]{Start: z[:3]})
	}
	_, sum := scan(dual.Loop[reverse.Var]{
		Shared: x[:3], Steps: steps,
		Step: func(s, w, _, _ []V) (next, out []V) {
			next = lorenzStep(s, w, 0.005)
			return next, []V{next[0].Square()}
		},
	}, lanes)
	for _, s := range sum {
		total = total.Add(s[0])
	}
	return total
}

func TestLanesMisuse(t *testing.T) {
	step := func(s, _, _, _ []dual.Real) (next, out []dual.Real) { return s, s }
	for want, lanes := range map[string][]dual.Lane[dual.Real]{
		"dual: lane 1 with a state of length 2, want 1": {{Start: make([]dual.Real, 1)}, {Start: make([]dual.Real, 2)}},
		"dual: lane 2 with Data of length 1, want 2":    {{}, {Data: [][]float64{{1, 2}}}, {Data: [][]float64{{1}}}},
		"dual: lane 1 with Vars of length 0, want 1":    {{Vars: [][]dual.Real{{1}}}, {Data: [][]float64{{1}}}},
	} {
		require.PanicsWithValue(t, want, func() { dual.ScanLanes(dual.Loop[dual.Real]{Step: step}, lanes) }, fmt.Sprint(lanes))
	}
}

// Lanes of package dual's numbers take what they leave out from the loop.
func TestLanesOfNumbers(t *testing.T) {
	last, sum := dual.ScanLanes(dual.Loop[dual.Real]{
		Start: []dual.Real{1}, Data: [][]float64{{1}, {2}, {3}},
		Step: func(s, _, _, p []dual.Real) (next, out []dual.Real) {
			return []dual.Real{s[0] + p[0]}, []dual.Real{s[0] * p[0]}
		},
	}, []dual.Lane[dual.Real]{{}, {Start: []dual.Real{10}}, {Data: [][]float64{{5}}}})
	require.Equal(t, [][]dual.Real{{7}, {16}, {6}}, last)
	require.Equal(t, [][]dual.Real{{1 + 4 + 12}, {10 + 22 + 39}, {5}}, sum)
}
