package reverse_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// longLoop is a loop of steps with many operations on few numbers, too many to be a kernel.
func longLoop(x V, by float64) V {
	_, sum := dual.Scan(dual.Loop[V]{
		Start: []V{x}, Steps: 3,
		Step: func(s, _, _, _ []V) (next, out []V) {
			y := s[0]
			for range 1500 {
				y = y.Sin().AddReal(by)
			}
			return []V{y}, []V{y.Square()}
		},
	})
	return sum[0]
}

// longLanes is 64 loops side by side with a state of one number each.
func longLanes(x V, by float64) V {
	lanes := make([]dual.Lane[V], 64)
	for i := range lanes {
		lanes[i] = dual.Lane[V]{Start: []V{x.AddReal(float64(i) / 64)}}
	}
	_, sum := dual.ScanLanes(dual.Loop[V]{
		Steps: 3,
		Step: func(s, _, _, _ []V) (next, out []V) {
			y := s[0]
			for range 20 {
				y = y.Sin().Scale(by).Exp()
			}
			return []V{y}, []V{y.Square()}
		},
	}, lanes)
	var total V
	for _, s := range sum {
		total = total.Add(s[0])
	}
	return total
}

// guardedLoop is a loop whose steps compare numbers.
func guardedLoop(x V, by float64) V {
	_, sum := dual.Scan(dual.Loop[V]{
		Start: []V{x}, Steps: 5,
		Step: func(s, _, _, _ []V) (next, out []V) {
			y := s[0].Sin()
			if y.LessReal(by) {
				y = y.Exp()
			}
			for range 700 {
				y = y.Cos().AddReal(0.3)
			}
			return []V{y}, []V{y.Square()}
		},
	})
	return sum[0]
}

// severalLoops is a loop from each input, with the same step where by is the same.
func severalLoops(t testing.TB, loop func(x V, by float64) V, by, x []float64) *reverse.Tape {
	tape, err := reverse.RecordVec(func(x []V) []V {
		y := make([]V, len(x))
		for i := range x {
			y[i] = loop(x[i], by[i])
		}
		return y
	}, x)
	require.NoError(t, err)
	return tape
}

// derivativesOf is the values, the gradient of their sum, and the product of its Hessian with
// (1, …, 1).
func derivativesOf(t testing.TB, tape *reverse.Tape, x []float64) (y, g, h []float64) {
	n, m := tape.Inputs(), tape.Outputs()
	y, g, h = make([]float64, m), make([]float64, n), make([]float64, n)
	ws := tape.Inside().Engine().Get()
	_, err := ws.Value(x, nil)
	require.NoError(t, err)
	for j := range y {
		y[j] = ws.Output(j)
	}
	require.NoError(t, ws.Gradient(ones(m)))
	copy(g, ws.Adjoints())
	require.NoError(t, ws.Linearize(ones(m)))
	require.NoError(t, ws.HVP(1, func(v []float64, _ int) { copy(v, ones(n)) }))
	copy(h, ws.Product(0))
	tape.Inside().Engine().Put(ws)
	return y, g, h
}

// Loops on one tape have the bits that they have alone, whether or not their steps are equal.
func TestScansWithEqualStepsHaveTheirOwnBits(t *testing.T) {
	by := []float64{0.5, 0.5, 0.25, math.Copysign(0, -1), 0, 0.5, 0, 0.25}
	x := []float64{0.1, 0.7, 0.1, -0.3, -0.3, 1.2, 0.9, 0.4}
	for name, loop := range map[string]func(x V, by float64) V{"long": longLoop, "lanes": longLanes, "guards": guardedLoop} {
		y, g, h := derivativesOf(t, severalLoops(t, loop, by, x), x)
		for i := range x {
			wantY, wantG, wantH := derivativesOf(t, severalLoops(t, loop, by[i:i+1], x[i:i+1]), x[i:i+1])
			for k, pair := range [][2]float64{{wantY[0], y[i]}, {wantG[0], g[i]}, {wantH[0], h[i]}} {
				require.Equal(t, math.Float64bits(pair[0]), math.Float64bits(pair[1]), "%s, loop %d, order %d", name, i, k)
			}
		}
	}
}

// Goroutines that evaluate loops with equal steps do not get at each other's numbers.
func TestScansWithEqualStepsConcurrently(t *testing.T) {
	by, x := []float64{0.5, 0.5, 0.5}, []float64{0.1, 0.7, 1.2}
	tape := severalLoops(t, guardedLoop, by, x)
	y, g, h := derivativesOf(t, tape, x)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 5 {
				gotY, gotG, gotH := derivativesOf(t, tape, x)
				if !slices.Equal(y, gotY) || !slices.Equal(g, gotG) || !slices.Equal(h, gotH) {
					t.Error("other bits")
				}
			}
		})
	}
	group.Wait()
}

// A tape is equal to one of the same function, and to none that differs in one thing.
func TestEqualTapes(t *testing.T) {
	repeat := func(index []int, rows []int, p float64) func(x []V) []V {
		return func(x []V) []V {
			return reverse.RepeatVec(func(x, p []V) []V { return []V{x[0].Sin().Mul(p[0])} },
				x, [][]int{index}, [][]float64{{1, p, 3}}, 2, [][]int{rows})
		}
	}
	one := func(f func(x []V) V) func(x []V) []V { return func(x []V) []V { return []V{f(x)} } }
	programs := []func(x []V) []V{
		one(func(x []V) V { return x[0].Sin() }),
		one(func(x []V) V { return x[1].Sin() }),
		one(func(x []V) V { return x[0].Cos() }),
		one(func(x []V) V { return x[0].Scale(0) }),
		one(func(x []V) V { return x[0].Scale(math.Copysign(0, -1)) }),
		one(func(x []V) V { return x[0].Max(dual.Const[V](0)) }),
		one(func(x []V) V { return x[0].Max(dual.Const[V](math.Copysign(0, -1))) }),
		one(func(x []V) V { return dual.Affine(1, []float64{1, 2, 3}, x) }),
		one(func(x []V) V { return dual.Affine(1, []float64{1, 2, 4}, x) }),
		one(func(x []V) V { return dual.Affine(2, []float64{1, 2, 3}, x) }),
		one(func(x []V) V { x[0].LessReal(1); return x[0].Exp() }),
		one(func(x []V) V { x[0].LessReal(2); return x[0].Exp() }),
		one(func(x []V) V { x[1].LessReal(1); return x[0].Exp() }),
		func(x []V) []V { return []V{x[0].Exp(), x[1].Exp()} },
		func(x []V) []V { return []V{x[1].Exp(), x[0].Exp()} },
		repeat([]int{0, 1, 2}, []int{0, 1, 1}, 2),
		repeat([]int{0, 2, 1}, []int{0, 1, 1}, 2),
		repeat([]int{0, 1, 2}, []int{0, 0, 1}, 2),
		repeat([]int{0, 1, 2}, []int{0, 1, 1}, 2.5),
		one(func(x []V) V { return longLoop(x[0], 1) }), // a loop is no equal of another
	}
	record := func(f func(x []V) []V) *reverse.Tape {
		tape, err := reverse.RecordVec(f, []float64{0.5, 0.25, 0.125})
		require.NoError(t, err)
		return tape
	}
	for i, f := range programs {
		for j, g := range programs {
			p, q := record(f).Inside().Engine(), record(g).Inside().Engine()
			require.Equal(t, i == j && i < len(programs)-1, p.Equal(&q.Tape), "%d, %d", i, j)
		}
	}
}
