package models

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/reverse"
)

func svmTape(t *testing.T, alpha, lambda []float64) *reverse.Tape {
	t.Helper()
	tape, err := reverse.RecordVec(func(in []reverse.Var) []reverse.Var {
		return SVM(in[:svmPoints], in[svmPoints:])
	}, slices.Concat(alpha, lambda))
	require.NoError(t, err)
	return tape
}

// svmOptimum solves the dual for λ.
func svmOptimum(t *testing.T, lambda []float64) *implicit.Optimum {
	t.Helper()
	alpha, y, z := SolveSVM(lambda)
	s, err := implicit.KKT(svmTape(t, alpha, lambda), alpha, y, z, lambda)
	require.NoError(t, err)
	return s
}

func TestSolutionOfSVM(t *testing.T) {
	alpha, y, z := SolveSVM(SVMStart)
	tape := svmTape(t, alpha, SVMStart)
	out, err := tape.Values(nil, slices.Concat(alpha, SVMStart))
	require.NoError(t, err)
	require.InDelta(t, 0, out[1], 1e-14, "yᵀα")
	require.LessOrEqual(t, floats.Max(out[2:]), 0.)
	require.GreaterOrEqual(t, floats.Min(z), 0.)
	weights := slices.Concat([]float64{1}, y, z)
	slope, err := tape.VJP(nil, slices.Concat(alpha, SVMStart), weights)
	require.NoError(t, err)
	require.InDelta(t, 0, floats.Norm(slope[:svmPoints], math.Inf(1)), 1e-12, "∇L")
	var zero, free, bound int
	for _, a := range alpha {
		switch a {
		case 0:
			zero++
		case SVMStart[1]:
			bound++
		default:
			free++
		}
	}
	require.Positive(t, zero)
	require.Positive(t, bound)
	require.Greater(t, free, 1)
	require.Len(t, svmOptimum(t, SVMStart).Active(), zero+bound)
}

// Derivatives of the solution and of the optimal value are differences of duals
// that are solved anew: to within what the difference changes by for half the
// step, three times its error by Taylor's formula, and the error of the solver,
// below 10⁻¹² times the condition of the problem.
func TestSensitivitiesOfSVM(t *testing.T) {
	s := svmOptimum(t, SVMStart)
	gradient, err := s.ValueGradient(nil)
	require.NoError(t, err)
	for k := range SVMStart {
		along := make([]float64, len(SVMStart))
		along[k] = 1
		jvp, err := s.JVP(nil, along)
		require.NoError(t, err)
		hvp, err := s.ValueHVP(nil, along)
		require.NoError(t, err)
		difference := func(h float64) (w, g []float64, v float64) {
			lambda := slices.Clone(SVMStart)
			lambda[k] += h
			plus := svmOptimum(t, lambda)
			lambda[k] -= 2 * h
			minus := svmOptimum(t, lambda)
			require.Equal(t, s.Active(), plus.Active())
			require.Equal(t, s.Active(), minus.Active())
			slope := func(o *implicit.Optimum) []float64 {
				g, err := o.ValueGradient(nil)
				require.NoError(t, err)
				return g
			}
			w, g = plus.W(), slope(plus)
			floats.Sub(w, minus.W())
			floats.Sub(g, slope(minus))
			floats.Scale(1/(2*h), w)
			floats.Scale(1/(2*h), g)
			return w, g, (plus.Value() - minus.Value()) / (2 * h)
		}
		const h = 1e-4
		w1, g1, v1 := difference(h)
		w2, g2, v2 := difference(h / 2)
		within := func(exact, coarse, fine float64, what string, i int) {
			t.Helper()
			require.InDelta(t, exact, fine, math.Abs(coarse-fine)+1e-12/h*10, "%s %d by λ %d", what, i, k)
		}
		for i := range w2 {
			within(jvp[i], w1[i], w2[i], "w", i)
		}
		for i := range g2 {
			within(hvp[i], g1[i], g2[i], "gradient", i)
		}
		within(gradient[k], v1, v2, "value", k)
	}
}

// The value's derivative by C is minus the sum of the multipliers of α ≤ C.
func TestPriceOfTheBoundOfSVM(t *testing.T) {
	_, _, z := SolveSVM(SVMStart)
	g, err := svmOptimum(t, SVMStart).ValueGradient(nil)
	require.NoError(t, err)
	require.InDelta(t, -floats.Sum(z[svmPoints:]), g[1], 1e-14)
}

// ∇²L in α and λ by every strategy is that by hyper-dual numbers.
func TestStrategiesAgreeOnTheLagrangianOfSVM(t *testing.T) {
	alpha, y, z := SolveSVM(SVMStart)
	x, w := slices.Concat(alpha, SVMStart), slices.Concat([]float64{1}, y, z)
	want := hessian.Forward(nil, func(in []dual.Hyper) dual.Hyper {
		return dual.Affine(0, w, SVM(in[:svmPoints], in[svmPoints:]))
	}, x)
	tape := svmTape(t, alpha, SVMStart)
	for _, s := range hessian.Strategies {
		h, err := hessian.New(tape, s).Dense(nil, x, w...)
		require.NoError(t, err)
		requireMatrix(t, want.At, h, tolerance(mat.Max(want)))
	}
	plan, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	h := plan.Matrix()
	_, err = plan.Eval(h, x, w...)
	require.NoError(t, err)
	requireMatrix(t, want.At, h, tolerance(mat.Max(want)))
}
