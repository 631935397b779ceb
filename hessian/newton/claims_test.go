package newton

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// Random problems, convex or not, feasible or not, degenerate or not: a solution is
// claimed only where the conditions of a local minimum hold, computed from the function
// alone, and what is said to be infeasible has a violation.
func TestInteriorPointClaimsOnlySolutions(t *testing.T) {
	shapes := []func(x reverse.Var) reverse.Var{
		reverse.Var.Sin, reverse.Var.Exp, reverse.Var.Atan, reverse.Var.Tanh, reverse.Var.Square, reverse.Var.Sqrt,
		func(x reverse.Var) reverse.Var { return x },
		func(x reverse.Var) reverse.Var { return x.PowInt(3) },
		func(x reverse.Var) reverse.Var { return x.Square().AddReal(1).Log() },
	}
	claimed, infeasible := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 4).Draw(t, "n"), rapid.IntRange(0, 4).Draw(t, "m")
		number := rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-6, 6).Draw(t, "half")) / 2 })
		x0 := rapid.SliceOfN(number, n, n).Draw(t, "x0")
		const terms = 2
		weights := rapid.SliceOfN(number, (1+m)*terms*n, (1+m)*terms*n).Draw(t, "weights")
		kinds := rapid.SliceOfN(rapid.IntRange(0, len(shapes)-1), (1+m)*terms, (1+m)*terms).Draw(t, "shapes")
		box := func(label string, k int) (lower, upper []float64) {
			for range k {
				l, u := math.Inf(-1), math.Inf(1)
				at := number.Draw(t, label)
				switch rapid.IntRange(0, 4).Draw(t, label+" kind") {
				case 1:
					l = at
				case 2:
					u = at
				case 3:
					l, u = at, at
				case 4:
					l, u = at, at+1
				}
				lower, upper = append(lower, l), append(upper, u)
			}
			return lower, upper
		}
		p := Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			out := make([]reverse.Var, 1+m)
			for k := range (1 + m) * terms {
				term := shapes[kinds[k]](dual.Affine(0.25, weights[k*n:(k+1)*n], x))
				out[k/terms] = out[k/terms].Add(term)
			}
			for i := range x { // bounded below, mostly
				out[0] = out[0].Add(x[i].Square().Scale(0.05))
			}
			return out
		})}
		p.Lower, p.Upper = box("x", n)
		p.ConstraintLower, p.ConstraintUpper = box("c", m)
		o := InteriorPoint{Settings: Settings{MaxIterations: 500}, Unscaled: true, Monotone: rapid.Bool().Draw(t, "monotone")}
		r, err := o.Solve(background, p, x0)
		if r.Status == Infeasible {
			infeasible++
			require.Greater(t, r.Unscaled.Primal, 1e-8)
		}
		if err != nil {
			require.NotEqual(t, Solved, r.Status)
			return
		}
		claimed++
		requireLocalMinimum(t, p, r)
	})
	require.Positive(t, claimed)
	t.Logf("%d solved, %d infeasible", claimed, infeasible)
}

// requireLocalMinimum checks the conditions of first order, and that the Hessian of the
// Lagrangian is positive semidefinite along all constraints that are near their bounds.
func requireLocalMinimum(t require.TestingT, p Problem, r *Result) {
	n, m := len(r.X), len(r.Y)
	tape, err := p.Func.Tape(r.X)
	require.NoError(t, err)
	out, err := tape.Values(nil, r.X)
	require.NoError(t, err)
	w := append([]float64{1}, r.Y...)
	g, err := tape.VJP(nil, r.X, w)
	require.NoError(t, err)
	j, err := tape.Jacobian(nil, r.X)
	require.NoError(t, err)
	size := 1.0 // of the terms of the Lagrangian's gradient
	for k, w := range w {
		if w == 0 {
			continue
		}
		size = max(size, math.Abs(w)*mat.Norm(j.RowView(k), math.Inf(1)))
	}
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, r.X, w...)
	require.NoError(t, err)
	largest := mat.Norm(h, 2)
	// Where bounds were moved r.X is as far from the point that was found; and x is rounded.
	moved := roundings * math.Sqrt(float64(n)) * floats.Norm(r.X, 2)
	for i := range n {
		for _, bound := range []float64{p.Lower[i], p.Upper[i]} {
			if !math.IsInf(bound, 0) {
				moved = math.Hypot(moved, outwards*max(1, math.Abs(bound)))
			}
		}
	}
	var rows [][]float64 // gradients of what is near its bound
	check := func(z, v, l, u float64, row []float64) {
		if math.IsInf(l, -1) && math.IsInf(u, 1) { // v may be anything, and NaN
			require.Zero(t, z)
			return
		}
		scale := max(1, mat.Norm(mat.NewVecDense(n, row), math.Inf(1)))
		require.GreaterOrEqual(t, v, l-1e-6*scale)
		require.LessOrEqual(t, v, u+1e-6*scale)
		if z > 1e-6*size {
			require.LessOrEqual(t, z*(u-v), 1e-5*max(size, scale))
		} else if z < -1e-6*size {
			require.LessOrEqual(t, -z*(v-l), 1e-5*max(size, scale))
		}
		if min(v-l, u-v) <= 1e-3 {
			rows = append(rows, row)
		}
	}
	for i := range n {
		require.InDelta(t, 0, g[i]+r.Z[i], 1e-5*size+2*moved*largest)
		unit := make([]float64, n)
		unit[i] = 1
		check(r.Z[i], r.X[i], p.Lower[i], p.Upper[i], unit)
	}
	for k := range m {
		check(r.Y[k], out[1+k], p.ConstraintLower[k], p.ConstraintUpper[k], mat.Row(nil, 1+k, j))
	}
	// A large multiple of what is near leaves the curvatures along the rest.
	for i := range n {
		for k := range i + 1 {
			v := h.At(i, k)
			for _, row := range rows {
				if norm := floats.Norm(row, 2); norm > 0 {
					v += 1e6 * largest * row[i] / norm * row[k] / norm
				}
			}
			h.SetSym(i, k, v)
		}
	}
	var eig mat.EigenSym
	require.True(t, eig.Factorize(h, false))
	require.Greater(t, eig.Values(nil)[0], -1e-3*max(size, largest))
}
