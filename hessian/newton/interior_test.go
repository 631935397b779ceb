package newton

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

var inf = math.Inf(1)

func recordVec(t *testing.T, f func(x []reverse.Var) []reverse.Var, x0 []float64) *reverse.Tape {
	t.Helper()
	tape, err := reverse.RecordVec(f, x0)
	require.NoError(t, err)
	return tape
}

// requireOptimal checks the conditions of a local minimum at r, computed from the
// function alone.
func requireOptimal(t *testing.T, p Problem, r *Result) {
	t.Helper()
	n, m := len(r.X), len(r.Y)
	tape, err := p.Func.Tape(r.X)
	require.NoError(t, err)
	out, err := tape.Values(nil, r.X)
	require.NoError(t, err)
	require.Equal(t, out[0], r.F)
	require.Equal(t, out[1:], r.C)
	g, err := tape.VJP(nil, r.X, append([]float64{1}, r.Y...))
	require.NoError(t, err)
	floats.Add(g, r.Z)
	require.LessOrEqual(t, floats.Norm(g, inf), 1e-5*max(1, floats.Norm(r.Y, inf), floats.Norm(r.Z, inf)))
	lower, upper := boundsOf("", p.Lower, p.Upper, n)
	cl, cu := make([]float64, m), make([]float64, m)
	if p.ConstraintLower != nil || p.ConstraintUpper != nil {
		cl, cu = boundsOf("Constraint", p.ConstraintLower, p.ConstraintUpper, m)
	}
	complementary := func(z, v, l, u float64) {
		require.GreaterOrEqual(t, v, l-1e-6)
		require.LessOrEqual(t, v, u+1e-6)
		if z > 1e-6 {
			require.InDelta(t, u, v, 1e-4)
		}
		if z < -1e-6 {
			require.InDelta(t, l, v, 1e-4)
		}
	}
	for i, z := range r.Z {
		complementary(z, r.X[i], lower[i], upper[i])
	}
	for j, y := range r.Y {
		complementary(y, r.C[j], cl[j], cu[j])
	}
}

func requireStatus(t *testing.T, want Status, r *Result, err error) *StoppedError {
	t.Helper()
	var stopped *StoppedError
	require.ErrorAs(t, err, &stopped)
	require.Equal(t, want, stopped.Status, "%v", err)
	require.Equal(t, want, r.Status)
	require.Equal(t, r.Iterations, stopped.Iterations)
	require.Contains(t, err.Error(), want.String())
	return stopped
}

// line is the minimum of x + y on the circle of radius √2, (−1, −1) with y = ½.
func line(x []reverse.Var) []reverse.Var {
	return []reverse.Var{x[0].Add(x[1]), x[0].Square().Add(x[1].Square()).SubReal(2)}
}

var background = context.Background()

func TestInteriorPointOnACircle(t *testing.T) {
	for _, x0 := range [][]float64{{-1, -0.5}, {0.1, -2}, {2, 1}, {-3, 5}, {1, 0.9}} {
		p := Problem{Func: reverse.NewFuncVec(line)}
		r, err := InteriorPoint{}.Solve(background, p, x0)
		require.NoError(t, err, "%v", x0)
		require.InDeltaSlice(t, []float64{-1, -1}, r.X, 1e-8)
		require.InDelta(t, 0.5, r.Y[0], 1e-8)
		requireOptimal(t, p, r)
	}
}

func TestInteriorPointKnowsAMaximum(t *testing.T) {
	r, err := InteriorPoint{}.Solve(background, Problem{Func: reverse.NewFuncVec(line)}, []float64{1, 1})
	requireStatus(t, Saddle, r, err)
}

func TestInteriorPointWithoutConstraints(t *testing.T) {
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		return x[1].Sub(x[0].Square()).Square().Scale(100).Add(x[0].RSub(1).Square())
	})
	r, err := InteriorPoint{}.Solve(background, Problem{Func: f}, []float64{-1.2, 1})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{1, 1}, r.X, 1e-8)

	// A flat minimum: its Hessian vanishes.
	r, err = InteriorPoint{}.Solve(background, Problem{Func: reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		return x[0].Sub(x[1]).PowInt(4)
	})}, []float64{3, 1})
	require.NoError(t, err)
	require.InDelta(t, r.X[0], r.X[1], 1e-2)
}

// Linear programs: a vertex by equations alone, one by bounds, a whole edge of
// solutions, and one with redundant constraints.
func TestInteriorPointOfLinearPrograms(t *testing.T) {
	sum := func(c []float64, x []reverse.Var) reverse.Var {
		s := dual.Const[reverse.Var](0)
		for i, c := range c {
			s = s.Add(x[i].Scale(c))
		}
		return s
	}
	vertex := Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Add(x[1]), x[0].SubReal(1), x[1].Add(x[0]).SubReal(3)}
	})}
	r, err := InteriorPoint{}.Solve(background, vertex, []float64{0, 0})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{1, 2}, r.X, 1e-8)
	require.InDeltaSlice(t, []float64{0, -1}, r.Y, 1e-8)

	for _, c := range [][]float64{{-3, -5}, {-1, -3}, {-1, -1}} { // the second is along an edge
		p := Problem{
			Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
				return []reverse.Var{
					sum(c, x), sum([]float64{1, 1}, x), sum([]float64{1, 3}, x), sum([]float64{2, 6}, x), sum([]float64{1, -1}, x),
				}
			}),
			Lower:           []float64{0, 0},
			ConstraintUpper: []float64{4, 9, 18, inf},
		}
		r, err := InteriorPoint{}.Solve(background, p, []float64{0, 0})
		require.NoError(t, err, "%v", c)
		requireOptimal(t, p, r)
		best := math.Inf(1)
		for _, x := range [][]float64{{0, 0}, {4, 0}, {1.5, 2.5}, {0, 3}} {
			best = min(best, floats.Dot(c, x))
		}
		require.InDelta(t, best, r.F, 1e-6)
	}
}

func TestInteriorPointSaysUnbounded(t *testing.T) {
	for name, p := range map[string]Problem{
		"linear": {Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{x[0].Add(x[1].Scale(2)), x[0].Add(x[1]).SubReal(1)}
		})},
		"cubic": {Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{x[0].PowInt(3).Add(x[1]), x[0].Sub(x[1])}
		}), ConstraintUpper: []float64{5}},
		"bounded on one side": {Func: reverse.NewFunc(func(x []reverse.Var) reverse.Var {
			return x[0].Neg().Sub(x[1].Square())
		}), Lower: []float64{0, 0}},
	} {
		r, err := InteriorPoint{}.Solve(background, p, []float64{0.5, 0.5})
		require.Error(t, err, name)
		requireStatus(t, Unbounded, r, err)
	}
}

func TestInteriorPointSaysInfeasible(t *testing.T) {
	square := func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Add(x[1]), x[0].Square().Add(x[1].Square()).AddReal(1)}
	}
	parallel := func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Square().Add(x[1].Square()), x[0].Add(x[1]).SubReal(1), x[0].Add(x[1]).SubReal(2)}
	}
	// Infeasible, though each of the constraints is not: isolated circles.
	circles := func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{
			x[0], x[0].Square().Add(x[1].Square()), x[0].SubReal(3).Square().Add(x[1].Square()),
		}
	}
	for name, p := range map[string]Problem{
		"x² + y² + 1 = 0":       {Func: reverse.NewFuncVec(square)},
		"parallel lines":        {Func: reverse.NewFuncVec(parallel)},
		"circles apart":         {Func: reverse.NewFuncVec(circles), ConstraintUpper: []float64{1, 1}},
		"bounds against a line": {Func: reverse.NewFuncVec(line), Lower: []float64{3, 3}, Upper: []float64{4, 4}},
	} {
		r, err := InteriorPoint{}.Solve(background, p, []float64{0.7, 0.2})
		require.Error(t, err, name)
		requireStatus(t, Infeasible, r, err)
		require.LessOrEqual(t, r.Iterations, 300, name)
		require.Greater(t, r.Unscaled.Primal, 1e-3, name)
	}
	crossed := Problem{Func: reverse.NewFuncVec(line), Lower: []float64{1, 0}, Upper: []float64{0, 1}}
	r, err := InteriorPoint{}.Solve(background, crossed, []float64{0, 0})
	require.Contains(t, requireStatus(t, Infeasible, r, err).Reason, "variable 0")
}

// Linearly dependent constraints that do not contradict each other.
func TestInteriorPointWithDependentConstraints(t *testing.T) {
	p := Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		c := x[0].Add(x[1]).SubReal(1)
		return []reverse.Var{x[0].Square().Add(x[1].Square()), c, c.Scale(2), c.Mul(x[0])}
	})}
	r, err := InteriorPoint{}.Solve(background, p, []float64{1, 2})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0.5, 0.5}, r.X, 1e-7)
}

func TestInteriorPointWithFixedVariablesAndFreeRows(t *testing.T) {
	p := Problem{
		Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{
				x[0].SubReal(3).Square().Add(x[1].Mul(x[2])).Add(x[2].Square()),
				x[0].Div(x[1]), // without bounds
				x[0].Add(x[1]).Add(x[2]),
				x[1].Square(), // of a fixed variable alone, and true
			}
		}),
		Lower: []float64{-inf, 2, -5}, Upper: []float64{inf, 2, inf},
		ConstraintLower: []float64{-inf, -inf, 4}, ConstraintUpper: []float64{inf, 3, 4},
	}
	// f = (x−3)² + 2w + w² with x + w ≤ 1: 2(x−3) = 2 + 2w, x + w = 1: x = 2.5.
	r, err := InteriorPoint{}.Solve(background, p, []float64{0, 7, 0})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{2.5, 2, -1.5}, r.X, 1e-7)
	require.Equal(t, 2.0, r.X[1])
	require.Zero(t, r.Y[0])
	require.InDelta(t, 1, r.Y[1], 1e-6)
	requireOptimal(t, p, r)
	require.LessOrEqual(t, r.Unscaled.Dual, 1e-7)
}

// Complementarity constraints, xy ≤ 0 with x, y ≥ 0, have no interior and no
// regular point: multipliers are unbounded.
func TestInteriorPointWithComplementarity(t *testing.T) {
	p := Problem{
		Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{
				x[0].SubReal(1).Square().Add(x[1].SubReal(1).Square()).Add(x[0].Scale(0.1)), x[0].Mul(x[1]),
			}
		}),
		Lower: []float64{0, 0}, ConstraintUpper: []float64{0},
	}
	r, err := InteriorPoint{}.Solve(background, p, []float64{0.3, 0.6})
	require.LessOrEqual(t, r.Unscaled.Primal, 1e-6)
	require.True(t, math.Abs(r.F-1) < 1e-3 || math.Abs(r.F-1.0975) < 1e-3, "%v: %v", r.F, err)
}

// f and c in bad units end with the same x.
func TestInteriorPointInBadUnits(t *testing.T) {
	for _, unit := range []float64{1, 1e-2, 1e7} {
		for _, size := range []float64{1, 1e-4, 1e9} {
			p := Problem{
				Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
					a, b := x[0].Scale(1/unit), x[1]
					f := b.Sub(a.Square()).Square().Scale(100).Add(a.RSub(1).Square())
					return []reverse.Var{f.Scale(size), a.Mul(b).Scale(size), a.Add(b.Square())}
				}),
				ConstraintLower: []float64{size, 0},
				Upper:           []float64{0.5 * unit, inf},
			}
			r, err := InteriorPoint{}.Solve(background, p, []float64{-2 * unit, 1})
			require.NoError(t, err, "unit %g, size %g", unit, size)
			require.InEpsilon(t, 306.5, r.F/size, 1e-4, "unit %g, size %g", unit, size)
		}
	}
}

// The function is defined between its bounds only, and steps turn back from where
// it is not.
func TestInteriorPointTurnsBackWhereNothingIsDefined(t *testing.T) {
	p := Problem{
		Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{x[0].Log().Neg().Sub(x[1].Log()), x[0].Sqrt().Add(x[1])}
		}),
		ConstraintUpper: []float64{2},
	}
	// √x + y = 2, 1/x = λ/(2√x), 1/y = λ: √x = 2/λ, y = 1/λ, λ = 3/2.
	r, err := InteriorPoint{}.Solve(background, p, []float64{9, 0.01})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{16. / 9, 2. / 3}, r.X, 1e-7)

	nowhere := Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0], x[0].Log()} })}
	r, err = InteriorPoint{}.Solve(background, nowhere, []float64{0})
	requireStatus(t, Failed, r, err)
}

// Functions with branches are recorded again, each with its own patterns.
func TestInteriorPointRecordsAgain(t *testing.T) {
	recorded := 0
	p := Problem{
		Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			recorded++
			f := x[0].SubReal(2).Square().Add(x[1].Square())
			if x[0].LessReal(1) {
				return []reverse.Var{f, x[0].Add(x[1])}
			}
			return []reverse.Var{f, x[0].Square().Add(x[1]).Add(x[0].SubReal(1).Mul(x[1]).Mul(x[0]))} // as smooth at x = 1 as it must be
		}),
		ConstraintLower: []float64{1.5},
	}
	r, err := InteriorPoint{}.Solve(background, p, []float64{-3, 0})
	require.NoError(t, err)
	require.InDelta(t, 2, r.X[0], 1e-7)
	require.Equal(t, 2, recorded)

	tape := recordVec(t, func(x []reverse.Var) []reverse.Var {
		if x[0].LessReal(0) {
			return []reverse.Var{x[0].Neg()}
		}
		return []reverse.Var{x[0]}
	}, []float64{1})
	r, err = InteriorPoint{}.Solve(background, Problem{Func: reverse.FuncOf(tape), Lower: []float64{-1}}, []float64{1})
	var branch *reverse.BranchError
	require.ErrorAs(t, err, &branch)
	requireStatus(t, Failed, r, err)
}

func TestInteriorPointStops(t *testing.T) {
	p := Problem{Func: reverse.NewFuncVec(line)}
	x0 := []float64{0.1, -2}
	r, err := InteriorPoint{Settings: Settings{MaxIterations: 2}}.Solve(background, p, x0)
	requireStatus(t, IterationLimit, r, err)
	require.Equal(t, 2, r.Iterations)

	ctx, cancel := context.WithCancel(background)
	r, err = InteriorPoint{Settings: Settings{Each: func(it *Iteration) {
		if it.Number == 3 {
			cancel()
		}
	}}}.Solve(ctx, p, x0)
	requireStatus(t, Canceled, r, err)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 3, r.Iterations)
}

func TestInteriorPointLogsEachIteration(t *testing.T) {
	var b bytes.Buffer
	var numbers []int
	p := Problem{Func: reverse.NewFuncVec(line)}
	o := InteriorPoint{Settings: Settings{Log: &b, Each: func(it *Iteration) { numbers = append(numbers, it.Number) }}}
	r, err := o.Solve(background, p, []float64{0.1, -2})
	require.NoError(t, err)
	require.Len(t, numbers, r.Iterations+1)
	require.Equal(t, r.Iterations, numbers[len(numbers)-1])
	require.Equal(t, 1+(r.Iterations+1), strings.Count(b.String(), "\n"), b.String())
}

func TestInteriorPointStartsWarm(t *testing.T) {
	problem := func(a float64) Problem {
		return Problem{
			Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
				return []reverse.Var{
					x[0].Mul(x[3]).Mul(x[0].Add(x[1]).Add(x[2])).Add(x[2]),
					x[0].Mul(x[1]).Mul(x[2]).Mul(x[3]),
					x[0].Square().Add(x[1].Square()).Add(x[2].Square()).Add(x[3].Square()),
				}
			}),
			Lower: []float64{1, 1, 1, 1}, Upper: []float64{5, 5, 5, 5},
			ConstraintLower: []float64{25, a}, ConstraintUpper: []float64{inf, a},
		}
	}
	first, err := InteriorPoint{}.Solve(background, problem(40), []float64{1, 5, 5, 1})
	require.NoError(t, err)
	cold, err := InteriorPoint{}.Solve(background, problem(40.1), []float64{1, 5, 5, 1})
	require.NoError(t, err)
	warm, err := InteriorPoint{Warm: first}.Solve(background, problem(40.1), first.X)
	require.NoError(t, err)
	require.InEpsilon(t, cold.F, warm.F, 1e-7)
	require.Less(t, warm.Iterations, cold.Iterations)
}

func TestInteriorPointMisuse(t *testing.T) {
	f := reverse.NewFuncVec(line)
	for message, p := range map[string]Problem{
		"newton: nil function":                         {},
		"newton: Lower has length 1, want 2":           {Func: f, Lower: []float64{0}},
		"newton: ConstraintUpper has length 2, want 1": {Func: f, ConstraintUpper: []float64{0, 0}},
		"newton: Upper[1] is NaN":                      {Func: f, Upper: []float64{0, math.NaN()}},
	} {
		require.PanicsWithValue(t, message, func() { _, _ = InteriorPoint{}.Solve(background, p, []float64{0, 0}) })
	}
}

// Where constraints have no interior there are no multipliers, or none that are finite.
func TestInteriorPointWithoutInterior(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		p         Problem
		x0        []float64
		f         float64
		x         []float64
		unbounded bool
	}{
		"complementarity": {p: Problem{
			Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
				return []reverse.Var{x[0].SubReal(1).Square().Add(x[1].SubReal(2).Square()), x[0].Mul(x[1])}
			}),
			Lower: []float64{0, 0}, ConstraintLower: []float64{-inf}, ConstraintUpper: []float64{0},
		}, x0: []float64{1, 1}, f: 1, x: []float64{0, 2}},
		"a row 0 ≥ 0 and one that holds x at its bound": {p: Problem{
			Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
				f := x[0].Sub(x[1]).Square().Add(x[1].SubReal(1).Square())
				return []reverse.Var{f, x[0].Scale(0), x[0].Scale(3)}
			}),
			Lower: []float64{0, -inf}, ConstraintLower: []float64{0, -inf}, ConstraintUpper: []float64{inf, 0},
		}, x0: []float64{2, 5}, f: 0.5, x: []float64{0, 0.5}},
		"rows without variables, unbounded": {p: Problem{
			Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
				f := x[1].Scale(1.7).Sub(x[0].Scale(0.4))
				return []reverse.Var{f, x[0].Scale(-4), x[0].Scale(2), x[0].Scale(0), x[0].Scale(0), x[0].Scale(0)}
			}),
			Upper: []float64{0, inf}, ConstraintLower: []float64{8, -inf, -0.46, -1, -0.05}, ConstraintUpper: []float64{8, -4, 0.35, inf, 0.83},
		}, x0: []float64{4, 1.5}, unbounded: true},
	} {
		r, err := InteriorPoint{}.Solve(background, c.p, c.x0)
		require.LessOrEqual(t, r.Iterations, 60, name)
		if c.unbounded {
			requireStatus(t, Unbounded, r, err)
			continue
		}
		require.NoError(t, err, name)
		require.InDelta(t, c.f, r.F, 1e-6, name)
		require.InDeltaSlice(t, c.x, r.X, 1e-6, name)
	}
}

// A second run with the plans of the first prepares nothing and allocates little; other bounds, with a
// variable fixed, are another matrix.
func TestPlansAreKept(t *testing.T) {
	const n = 60
	p := Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		f := x[0].Square()
		out := []reverse.Var{f}
		for i := range n - 1 {
			out[0] = out[0].Add(x[i+1].Sub(x[i].Square()).Square()).Add(x[i].SubReal(1).PowInt(4))
			out = append(out, x[i].Mul(x[i+1]))
		}
		return out
	}), ConstraintLower: make([]float64, n-1), ConstraintUpper: make([]float64, n-1), Lower: make([]float64, n)}
	for i := range p.ConstraintUpper {
		p.ConstraintUpper[i] = 2
	}
	start := make([]float64, n)
	for i := range start {
		start[i] = 0.5 + 0.01*float64(i)
	}
	plans := new(Plans)
	first, err := InteriorPoint{Settings: Settings{Plans: plans}}.Solve(background, p, start)
	require.NoError(t, err)
	require.Positive(t, first.Prepare)
	second, err := InteriorPoint{Settings: Settings{Plans: plans}}.Solve(background, p, start)
	require.NoError(t, err)
	require.Zero(t, second.Prepare)
	require.InDelta(t, first.F, second.F, 1e-9)
	require.InDeltaSlice(t, first.X, second.X, 1e-6)

	fresh := testing.AllocsPerRun(3, func() { _, _ = InteriorPoint{}.Solve(background, p, start) })
	kept := testing.AllocsPerRun(3, func() {
		_, _ = InteriorPoint{Settings: Settings{Plans: plans}}.Solve(background, p, start)
	})
	require.Less(t, kept, fresh/4)

	p.Upper = make([]float64, n)
	for i := range p.Upper {
		p.Upper[i] = 3
	}
	p.Lower[4], p.Upper[4] = 0.75, 0.75
	want, err := InteriorPoint{}.Solve(background, p, start)
	require.NoError(t, err)
	got, err := InteriorPoint{Settings: Settings{Plans: plans}}.Solve(background, p, start)
	require.NoError(t, err)
	require.Equal(t, 0.75, got.X[4])
	require.InDelta(t, want.F, got.F, 1e-7)
}

// Constraints whose gradients vanish on the whole feasible set have huge multipliers, which
// are solutions as far as numbers tell: x cos 3r + y sin 3r = r is a spiral that touches.
func TestInteriorPointOnASpiralThatTouches(t *testing.T) {
	p := Problem{Func: reverse.NewFuncVec(func(x vars) vars {
		r := x[0].Square().Add(x[1].Square()).Sqrt()
		return vars{x[0].SubReal(3).Square().Add(x[1].Square()),
			x[0].Mul(r.Scale(3).Cos()).Add(x[1].Mul(r.Scale(3).Sin())).Sub(r)}
	})}
	for _, at := range []float64{3, 10, 30, 100} {
		r, err := InteriorPoint{}.Solve(background, p, []float64{at, 1})
		require.NoError(t, err)
		require.LessOrEqual(t, r.Iterations, 80)
		radius := math.Hypot(r.X[0], r.X[1])
		angle := math.Remainder(3*radius-math.Atan2(r.X[1], r.X[0]), 2*math.Pi)
		require.InDelta(t, 0, angle, 1e-3) // 1 − cos = 10⁻⁶/r or less
		// Nowhere near on the curve is the distance to (3, 0) less.
		for _, d := range []float64{-0.1, -0.01, 0.01, 0.1} {
			rho := radius + d
			require.Greater(t, math.Pow(rho*math.Cos(3*rho)-3, 2)+math.Pow(rho*math.Sin(3*rho), 2), r.F-1e-6*r.F)
		}
	}
}

// A parameter that changes leaves the plans: the projection of it on a disc.
func TestPlansForParameters(t *testing.T) {
	f := reverse.NewFuncParamsVec(func(x, a []reverse.Var) []reverse.Var {
		return []reverse.Var{
			x[0].Sub(a[0]).Square().Add(x[1].Sub(a[1]).Square()), x[0].Square().Add(x[1].Square()),
		}
	}, []float64{1, 1})
	plans := new(Plans)
	for k := range 5 {
		a := []float64{1 + float64(k), 2}
		r, err := InteriorPoint{Settings: Settings{Plans: plans}}.Solve(background, Problem{
			Func: f.With(a), ConstraintLower: []float64{math.Inf(-1)}, ConstraintUpper: []float64{1},
		}, []float64{0.1, 0.1})
		require.NoError(t, err)
		require.Equal(t, k == 0, r.Prepare > 0)
		length := math.Hypot(a[0], a[1])
		require.InDeltaSlice(t, []float64{a[0] / length, a[1] / length}, r.X, 1e-6)

		q, err := TrustRegion{Settings: Settings{Plans: plans}}.Solve(background, Problem{Func: reverse.NewFunc(func(x []reverse.Var) reverse.Var {
			return x[0].SubReal(a[0]).Square()
		})}, []float64{0})
		require.NoError(t, err)
		require.InDelta(t, a[0], q.X[0], 1e-9)
	}
}
