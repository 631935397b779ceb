package implicit_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/reverse"
)

// slope is 2w for w ≥ 0 and w below.
func slope(w reverse.Var) reverse.Var {
	if w.LessReal(0) {
		return w
	}
	return w.Scale(2)
}

// (w*(λ) + 1)² with w* = λ/2 or λ has its minimum at λ = −1, in the other branch than the start.
func TestBranchingEquationInAnObjective(t *testing.T) {
	eq := implicit.NewBranching(reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{slope(x[0]).Sub(x[1])}
	}), []float64{0.5})
	f := reverse.NewFunc(func(l []reverse.Var) reverse.Var { return eq.Apply(l[0])[0].AddReal(1).Square() })
	for _, c := range [][2]float64{{1, 2.25}, {-0.5, 0.25}, {3, 6.25}, {-3, 4}} {
		v, g, err := f.ValueGradient(nil, c[:1])
		require.NoError(t, err)
		require.InDelta(t, c[1], v, 1e-14)
		w, d := c[0]/2, 0.5
		if c[0] < 0 {
			w, d = c[0], 1
		}
		require.InDelta(t, 2*(w+1)*d, g[0], 1e-14)
		h, err := f.HVP(nil, c[:1], []float64{1})
		require.NoError(t, err)
		require.InDelta(t, 2*d*d, h[0], 1e-14)
	}
	r, err := newton.TrustRegion{}.Solve(context.Background(), newton.Problem{Func: f}, []float64{1})
	require.NoError(t, err)
	require.InDelta(t, -1, r.X[0], 1e-8)
}

// A recording of one branch says that it does not hold in the other, also from within a loop.
func TestBranchingEquationMakesRecordingsStale(t *testing.T) {
	eq := implicit.NewBranching(reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{slope(x[0]).Sub(x[1])}
	}), []float64{0.5})
	for name, f := range map[string]func(l []reverse.Var) reverse.Var{
		"plain": func(l []reverse.Var) reverse.Var { return eq.Apply(l[0])[0] },
		"loop": func(l []reverse.Var) reverse.Var {
			next, _ := dual.Scan(dual.Loop[reverse.Var]{Start: l, Steps: 3, Step: func(s, _, _, _ []reverse.Var) (next, out []reverse.Var) {
				return eq.Apply(s[0].Scale(0.5)), nil
			}})
			return next[0]
		},
	} {
		tape, err := reverse.Record(f, []float64{1})
		require.NoError(t, err, name)
		_, err = tape.Value([]float64{-1})
		branch := new(reverse.BranchError)
		require.IsType(t, branch, err, name)
		_, _, err = reverse.FuncOf(tape).ValueGradient(nil, []float64{-1})
		require.IsType(t, branch, err, name)
		fn := reverse.NewFunc(f)
		for _, l := range []float64{1, -1, 2} {
			_, err = fn.Value([]float64{l})
			require.NoError(t, err, name)
		}
	}
}

// Systems A w + Σ max(wᵢ, kᵢ) sᵢ = b(λ) with a diagonally dominant A have one solution; value, gradient and Hessian
// of a function of it are those of its linear pieces, and the solver finds them across pieces.
func TestBranchingEquationsOfRandomPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "n")
		number := rapid.Float64Range(-2, 2)
		a := rapid.SliceOfN(number, n*n, n*n).Draw(t, "A")
		kinks := rapid.SliceOfN(number, n, n).Draw(t, "kinks")
		rises := rapid.SliceOfN(rapid.Float64Range(0, 20), n, n).Draw(t, "rises")
		for i := range n {
			a[i*n+i] = 1
			for j := range n {
				if j != i {
					a[i*n+i] += math.Abs(a[i*n+j])
				}
			}
		}
		pieces := func(x []reverse.Var) []reverse.Var {
			w, l := x[:n], x[n]
			out := make([]reverse.Var, n)
			for i := range out {
				out[i] = dual.Affine(0, a[i*n:(i+1)*n], w).Sub(l.Scale(float64(i + 1))).AddReal(0.3)
				if w[i].LessReal(kinks[i]) {
					continue
				}
				out[i] = out[i].Add(w[i].SubReal(kinks[i]).Scale(rises[i]))
			}
			return out
		}
		eq := implicit.NewBranching(reverse.NewFuncVec(pieces), make([]float64, n))
		f := reverse.NewFunc(func(l []reverse.Var) reverse.Var {
			w := eq.Apply(l[0])
			return dual.Dot(w, w)
		})
		for range 3 {
			l := rapid.Float64Range(-10, 10).Draw(t, "λ")
			s, err := eq.Newton(make([]float64, n), []float64{l})
			require.NoError(t, err)
			values, err := reverse.NewFuncVec(pieces).Values(nil, append(s.W(), l))
			require.NoError(t, err)
			for _, v := range values {
				require.InDelta(t, 0, v, 1e-12*(1+math.Abs(l))*40)
			}
			dw, err := s.JVP(nil, []float64{1})
			require.NoError(t, err)
			v, g, err := f.ValueGradient(nil, []float64{l})
			require.NoError(t, err)
			h, err := f.HVP(nil, []float64{l}, []float64{1})
			require.NoError(t, err)
			want, slope, curvature := 0.0, 0.0, 0.0
			for i, w := range s.W() {
				want += w * w
				slope += 2 * w * dw[i]
				curvature += 2 * dw[i] * dw[i]
			}
			require.InDelta(t, want, v, 1e-11*(1+want))
			require.InDelta(t, slope, g[0], 1e-11*(1+math.Abs(slope)))
			require.InDelta(t, curvature, h[0], 1e-11*(1+curvature))
		}
	})
}

// With sparse plans around it.
func TestBranchingEquationInASparseHessian(t *testing.T) {
	eq := implicit.NewBranching(reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{slope(x[0]).Exp().Sub(x[1])}
	}), []float64{0})
	f := func(l []reverse.Var) reverse.Var {
		s := dual.Const[reverse.Var](0)
		for i, v := range l {
			s = s.Add(eq.Apply(v.AddReal(float64(i + 1)))[0].Square())
		}
		return s
	}
	at := []float64{0.5, 0.25, -2.5} // w = ln(λ)/2 above 1, ln λ below
	tape, err := reverse.Record(f, at)
	require.NoError(t, err)
	plan, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	h, err := plan.Eval(nil, at)
	require.NoError(t, err)
	for i, v := range at {
		l := v + float64(i+1)
		c := 0.5 * (1 - math.Log(l)) / (l * l)
		if l < 1 {
			c *= 4
		}
		require.InDelta(t, c, h.At(i, i), 1e-10*(1+math.Abs(c)))
	}
	_, err = plan.Eval(nil, []float64{0.5, 0.25, 0})
	require.IsType(t, new(reverse.BranchError), err)
}

func TestBranchingEquationSaysWhatIsWrong(t *testing.T) {
	two := reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var { return x[:2] })
	require.PanicsWithValue(t, "implicit: as many unknowns as equations are wanted", func() {
		implicit.NewBranching(two, []float64{0}).Newton([]float64{0}, []float64{0})
	})
	require.PanicsWithValue(t, "implicit: nil function", func() { implicit.NewBranching(nil, nil) })
	none := implicit.NewBranching(reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{slope(x[0]).Square().AddReal(1).Sub(x[1])}
	}), []float64{1})
	_, err := none.Newton([]float64{1}, []float64{0})
	require.Error(t, err)
	_, err = reverse.NewFunc(func(l []reverse.Var) reverse.Var { return none.Apply(l[0])[0] }).Value([]float64{0})
	require.ErrorAs(t, err, new(*implicit.NewtonError))
}
