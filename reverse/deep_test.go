package reverse_test

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// shallow lets a stack grow no further than a few calls need, so that a
// recursion over a long tape fails.
func shallow(t *testing.T) {
	old := debug.SetMaxStack(1 << 17)
	t.Cleanup(func() { debug.SetMaxStack(old) })
}

// A chain of a million operations: yₖ₊₁ = sin yₖ + x/2 at the fixed point of
// that, so that the derivatives are those of the fixed point.
func TestChainOfAMillionOperations(t *testing.T) {
	shallow(t)
	const y = 1.2
	x := []float64{2 * (y - math.Sin(y))}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		s := dual.Const[reverse.Var](y)
		for range 500_000 {
			s = s.Sin().Add(x[0].Scale(0.5))
		}
		return s
	}, x)
	require.NoError(t, err)
	require.Equal(t, 1_000_000, tape.Ops()) // one x/2, a constant for the first sine
	// y = sin y + x/2: y′ = 1/(2(1 − cos y)), y″ = −sin y·y′²/(1 − cos y).
	d := 0.5 / (1 - math.Cos(y))
	dd := -math.Sin(y) * d * d / (1 - math.Cos(y))
	f, g, err := tape.ValueGradient(nil, x)
	require.NoError(t, err)
	require.InEpsilon(t, y, f, 1e-12)
	require.InEpsilon(t, d, g[0], 1e-12)
	h, err := tape.HVP(nil, x, []float64{1})
	require.NoError(t, err)
	require.InEpsilon(t, dd, h[0], 1e-12)
	v, err := tape.JVP(nil, x, []float64{1})
	require.NoError(t, err)
	require.InEpsilon(t, d, v[0], 1e-12)
}

func TestTransformsOfALongChain(t *testing.T) {
	shallow(t)
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		s := x[0]
		for range 20_000 {
			s = s.Sin().Add(x[0])
		}
		return s
	}, []float64{0.5})
	require.NoError(t, err)
	want, err := tape.HVP(nil, []float64{0.5}, []float64{1})
	require.NoError(t, err)
	got, err := tape.Adjoint().VJP(nil, []float64{0.5, 1}, []float64{1})
	require.NoError(t, err)
	require.InEpsilon(t, want[0], got[0], 1e-12)
	got, err = tape.Tangent().VJP(nil, []float64{0.5, 1}, []float64{0, 1})
	require.NoError(t, err)
	require.InEpsilon(t, want[0], got[0], 1e-12)
	got, err = tape.Tangent().Tangent().Values(nil, []float64{0.5, 1, 1, 0})
	require.NoError(t, err)
	require.InEpsilon(t, want[0], got[3], 1e-12)
}

func TestProductOfManyInputs(t *testing.T) {
	shallow(t)
	const n = 100_000
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + float64(i%7-3)/1000
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		p := x[0]
		for _, x := range x[1:] {
			p = p.Mul(x)
		}
		return p
	}, x)
	require.NoError(t, err)
	require.Equal(t, n-1, tape.Ops())
	f, g, err := tape.ValueGradient(nil, x)
	require.NoError(t, err)
	v := ones(n)
	h, err := tape.HVP(nil, x, v)
	require.NoError(t, err)
	sum := 0.0
	for i := range x {
		sum += 1 / x[i]
	}
	for i := range x {
		require.InEpsilon(t, f/x[i], g[i], 1e-10)
		require.InEpsilon(t, f/x[i]*(sum-1/x[i]), h[i], 1e-10)
	}
}

// The loop that people write costs what a Sum costs.
func TestLoopIsASum(t *testing.T) {
	shallow(t)
	const n = 1_000_000
	x := make([]float64, 1000)
	for i := range x {
		x[i] = float64(i%13) / 4
	}
	term := func(x []reverse.Var, k int) reverse.Var {
		return x[k%len(x)].Mul(x[(k+k/len(x))%len(x)])
	}
	loop, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
		for k := range n {
			s = s.Add(term(x, k))
		}
		return s
	}, x)
	require.NoError(t, err)
	sum, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		z := make([]reverse.Var, n)
		for k := range z {
			z[k] = term(x, k)
		}
		return dual.Sum(z)
	}, x)
	require.NoError(t, err)
	require.Equal(t, sum.Ops(), loop.Ops())
	require.Equal(t, sum.Inside().Engine().Batches(), loop.Inside().Engine().Batches())
	require.InEpsilon(t, sum.Bytes(), loop.Bytes(), 0.001)
	f, g, err := loop.ValueGradient(nil, x)
	require.NoError(t, err)
	f2, g2, err := sum.ValueGradient(nil, x)
	require.NoError(t, err)
	require.Equal(t, f2, f)
	require.Equal(t, g2, g)
	h, err := loop.HVP(nil, x, x)
	require.NoError(t, err)
	h2, err := sum.HVP(nil, x, x)
	require.NoError(t, err)
	require.Equal(t, h2, h)
	for i := range h { // ∇²f x = ∇f for a form of degree 2
		require.InDelta(t, g[i], h[i], 1e-9)
	}
}

// x ← x·x, sixty deep: x^(2^60) with all derivatives exact at 1.
func TestSquaringIsNotExponential(t *testing.T) {
	for _, square := range []func(x reverse.Var) reverse.Var{
		func(x reverse.Var) reverse.Var { return x.Mul(x) },
		reverse.Var.Square,
		func(x reverse.Var) reverse.Var { return x.PowInt(2) },
		func(x reverse.Var) reverse.Var { return x.PowReal(2) },
		func(x reverse.Var) reverse.Var { return dual.Dot([]reverse.Var{x}, []reverse.Var{x}) },
	} {
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			y := x[0]
			for range 60 {
				y = square(y)
			}
			return y
		}, []float64{1})
		require.NoError(t, err)
		require.Equal(t, 60, tape.Ops())
		n := 0x1p60
		demand(t, "x^2^60", tape, []float64{1}, 1, []float64{n}, [][]float64{{n * (n - 1)}})
		require.Less(t, tape.Tangent().Ops(), 300)
		require.Less(t, tape.Adjoint().Ops(), 500)
		require.Less(t, tape.Adjoint().Adjoint().Ops(), 3000)
	}
}

// Equal operations are kept once, however they are written.
func TestEqualOperationsAreKeptOnce(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
		for range 100 {
			z := []reverse.Var{x[0].Mul(x[1]), x[1].Mul(x[0]), x[0].Neg().Neg().Mul(x[1]), x[0].Scale(1).Prod(x[1]).Sin().Exp()}
			s = s.Add(dual.Sum(z[:3])).Add(z[3])
		}
		return s
	}, []float64{0.3, 2})
	require.NoError(t, err)
	// x₀·x₁ thrice added up, as Mul and Prod, sin, exp and the sum.
	require.LessOrEqual(t, tape.Ops(), 8)
	e := math.Exp(math.Sin(0.6))
	f, err := tape.Value([]float64{0.3, 2})
	require.NoError(t, err)
	require.InEpsilon(t, 100*(1.8+e), f, 1e-13)
}
