package hessian_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// shallow lets a stack grow no further than a few calls need, so that a
// recursion over a long tape fails.
func shallow(t *testing.T) {
	old := debug.SetMaxStack(1 << 17)
	t.Cleanup(func() { debug.SetMaxStack(old) })
}

// geometric is Σ xᵏ, k < n, by Horner's rule: a chain of 2n operations. At ½ it
// is 2, and the derivatives are those of 1/(1 − x).
func geometric[T dual.Scalar[T]](x T, n int) T {
	var s T
	for range n {
		s = s.Mul(x).AddReal(1)
	}
	return s
}

func TestChainOfAMillionOperations(t *testing.T) {
	shallow(t)
	x := []float64{0.5}
	const n = 500_000
	f, d, dd := forward.SecondDerivative(func(x dual.Hyper) dual.Hyper { return geometric(x, n) }, x[0])
	require.InEpsilonSlice(t, []float64{2, 4, 16}, []float64{f, d, dd}, 1e-15)

	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return geometric(x[0], n) }, x)
	require.NoError(t, err)
	require.Greater(t, tape.Ops(), 999_990)
	one := []float64{1}
	for what, product := range map[string]func() ([]float64, error){
		"JVP": func() ([]float64, error) { return tape.JVP(nil, x, one) },
		"VJP": func() ([]float64, error) { return tape.VJP(nil, x, one) },
	} {
		v, err := product()
		require.NoError(t, err)
		require.Equal(t, []float64{4}, v, what)
	}
	plan, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	h, g := plan.Matrix(), make([]float64, 1)
	f, err = plan.EvalAll(h, g, x)
	require.NoError(t, err)
	require.InEpsilonSlice(t, []float64{2, 4, 16}, []float64{f, g[0], h.At(0, 0)}, 1e-15)
	jacobian, err := reverse.NewSparseJacobian(tape)
	require.NoError(t, err)
	j := jacobian.Matrix()
	_, err = jacobian.Eval(j, x)
	require.NoError(t, err)
	require.Equal(t, 4.0, j.At(0, 0))
}

func TestStrategiesOnALongChain(t *testing.T) {
	shallow(t)
	x := []float64{0.5}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return geometric(x[0], 25_000) }, x)
	require.NoError(t, err)
	for _, s := range hessian.Strategies {
		dense, err := hessian.New(tape, s).Dense(nil, x)
		require.NoError(t, err)
		require.InEpsilon(t, 16, dense.At(0, 0), 1e-15, s)
	}
}

// A product of a million factors, Π xᵢᵐ.
func TestProductOfAMillionFactors(t *testing.T) {
	shallow(t)
	const n, m = 10, 100_000
	x, v := make([]float64, n), make([]float64, n)
	want, sum := 1.0, 0.0
	for i := range x {
		x[i] = 1 + float64(i-4)*0x1p-24
		v[i] = float64(i%3 - 1)
		sum += m * v[i] / x[i]
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		p := x[0].Const(1)
		for k := range n * m {
			p = p.Mul(x[k%n])
		}
		return p
	}, x)
	require.NoError(t, err)
	for k := range n * m {
		want *= x[k%n]
	}
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	f, g, err := tape.ValueGradient(nil, x)
	require.NoError(t, err)
	require.Equal(t, want, f)
	hv, err := tape.HVP(nil, x, v)
	require.NoError(t, err)
	slope, err := tape.JVP(nil, x, v)
	require.NoError(t, err)
	// A factor is rounded in half a unit, in each of the two sweeps.
	const tol = 2 * n * m * 0x1p-53
	require.InEpsilon(t, f*sum, slope[0], tol)
	for i := range n {
		require.InEpsilon(t, m*f/x[i], g[i], tol)
		require.InDelta(t, m*f/x[i]*(sum-v[i]/x[i]), hv[i], tol*m*m*n)
		for j := range n {
			want := m * m * f / x[i] / x[j]
			if i == j {
				want = m * (m - 1) * f / x[i] / x[i]
			}
			require.InEpsilon(t, want, h.At(i, j), 2*tol)
		}
	}
}

// A sum of a million terms with one variable in all of them, Σ x₀xᵢ, whose
// Hessian is an arrow. All numbers are integers, and exact.
func TestOneVariableInAMillionTerms(t *testing.T) {
	shallow(t)
	const n = 1_000_000
	x := make([]float64, n+1)
	total := 0.0
	for i := range n {
		x[i+1] = float64(i % 5)
		total += x[i+1]
	}
	x[0] = 3
	tape, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
		for _, y := range x[1:] {
			s = s.Add(x[0].Mul(y))
		}
		return s
	}, x)
	require.NoError(t, err)
	plan, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	h, g := plan.Matrix(), make([]float64, n+1)
	f, err := plan.EvalAll(h, g, x)
	require.NoError(t, err)
	require.Equal(t, 3*total, f)
	require.Equal(t, total, g[0])
	v := make([]float64, n+1)
	v[0], v[7] = 1, 1
	hv, err := tape.HVP(nil, x, v)
	require.NoError(t, err)
	require.Equal(t, 1.0, hv[0])
	for i := 1; i <= n; i++ {
		if g[i] != 3 || h.At(i, 0) != 1 || hv[i] != 1 {
			require.Failf(t, "derivatives", "in %d: %v, %v, %v", i, g[i], h.At(i, 0), hv[i])
		}
	}
	require.Equal(t, h.NNZ(), 2*n)
}
