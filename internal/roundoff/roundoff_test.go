package roundoff_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/roundoff"
)

type number = roundoff.Number

const precision = 2000

// exact is an operation on numbers of 2000 bits.
func exact(f func(z, x, y *big.Float) *big.Float, x, y *big.Float) *big.Float {
	return f(new(big.Float).SetPrec(precision), x, y)
}

// A bound is one: rounding errors of random programs of arithmetic, in any order
// of summation, measured by long numbers.
func TestBoundsAreBounds(t *testing.T) { rapid.Check(t, boundsAreBounds) }
func FuzzBoundsAreBounds(f *testing.F) { f.Fuzz(rapid.MakeFuzz(boundsAreBounds)) }

func boundsAreBounds(t *rapid.T) {
	var v []number
	var want []*big.Float
	for range 4 {
		x := rapid.Float64Range(-3, 3).Draw(t, "x") * math.Ldexp(1, rapid.IntRange(-20, 20).Draw(t, "scale"))
		v = append(v, roundoff.Exact(x))
		want = append(want, new(big.Float).SetPrec(precision).SetFloat64(x))
	}
	for range rapid.IntRange(1, 30).Draw(t, "operations") {
		i, j := rapid.IntRange(0, len(v)-1).Draw(t, "i"), rapid.IntRange(0, len(v)-1).Draw(t, "j")
		x, y, a, b := v[i], v[j], want[i], want[j]
		var z number
		var c *big.Float
		switch rapid.IntRange(0, 7).Draw(t, "op") {
		case 0:
			z, c = x.Add(y), exact((*big.Float).Add, a, b)
		case 1:
			z, c = x.Sub(y), exact((*big.Float).Sub, a, b)
		case 2:
			z, c = x.Mul(y), exact((*big.Float).Mul, a, b)
		case 3:
			if b.Sign() == 0 {
				continue
			}
			z, c = x.Div(y), exact((*big.Float).Quo, a, b)
		case 4:
			if a.Sign() < 0 {
				continue
			}
			z, c = x.Sqrt(), new(big.Float).SetPrec(precision).Sqrt(a)
		case 5: // in the other order than SumOf
			k := rapid.IntRange(0, len(v)-1).Draw(t, "k")
			z = x.SumOf([]number{x, y, v[k]})
			z.V = x.V + (y.V + v[k].V)
			c = exact((*big.Float).Add, exact((*big.Float).Add, a, b), want[k])
		case 6:
			z, c = x.Square().Neg().AddReal(0.1), exact((*big.Float).Sub, big.NewFloat(0.1), exact((*big.Float).Mul, a, a))
		case 7:
			k := rapid.IntRange(0, len(v)-1).Draw(t, "k")
			z, c = x.FMA(y, v[k]), exact((*big.Float).Add, exact((*big.Float).Mul, a, b), want[k])
		}
		if !(math.Abs(z.V) < 1e100 && math.Abs(z.V) > 1e-100) {
			continue
		}
		off := new(big.Float).Sub(new(big.Float).SetFloat64(z.V), c)
		if d, _ := off.Abs(off).Float64(); !(d <= z.E) {
			t.Fatalf("%v is off by %v, bound %v", z.V, d, z.E)
		}
		v, want = append(v, z), append(want, c)
	}
}

// The incomplete functions move by no more than their bounds where their operands are
// elsewhere within theirs.
func TestIncompleteFunctionsStayWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := func(name string, lo, hi float64) (x number, moved float64) {
			v := rapid.Float64Range(lo, hi).Draw(t, name)
			x = roundoff.Rounded(v, 1e-9*v)
			return x, v + x.E*rapid.Float64Range(-1, 1).Draw(t, name+" moved")
		}
		a, da := near("a", 0.5, 8)
		b, db := near("b", 0.5, 8)
		x, dx := near("x", 0.1, 0.9)
		g := a.IncGamma(0, 0, b)
		require.InDelta(t, float64(dual.Real(da).IncGamma(0, 0, dual.Real(db))), g.V, g.E)
		i := a.IncBeta(0, 0, 0, b, x)
		require.InDelta(t, float64(dual.Real(da).IncBeta(0, 0, 0, dual.Real(db), dual.Real(dx))), i.V, i.E)
		require.Less(t, max(g.E, i.E), 1e-6)
	})
}

// Where digits are lost the bound is what is lost, and not much more.
func TestBoundsAreSharp(t *testing.T) {
	x := roundoff.Exact(1.5)
	for _, c := range []struct {
		name        string
		x           number
		want, slack float64
	}{
		{"nothing", x, 0, 1},
		{"sine of a large number", x.AddReal(1e9).Sin(), 0x1p-53 * 1e9 * math.Abs(math.Cos(1e9+1.5)), 10},
		{"cancellation", x.AddReal(1e8).Square().Sub(x.Square()).SubReal(1e16), 0x1p-53 * 1e16, 7},
		{"a well-conditioned chain", x.Exp().Log().Exp().Log(), 0x1p-53, 100},
		{"an extremum", roundoff.Rounded(math.Pi/2, 1e-6).Sin(), 5e-13, 1.1},
		{"a jump", roundoff.Rounded(1, 1e-9).Step(roundoff.Exact(1)), 1, 1},
		{"no jump", roundoff.Rounded(1, 1e-9).Step(roundoff.Exact(1.1)), 0, 1},
		{"derivative product", roundoff.Exact(0).Prod(roundoff.Rounded(math.Inf(1), math.Inf(1))), 0, 1},
	} {
		require.GreaterOrEqual(t, c.x.E, c.want*0.99, c.name)
		require.LessOrEqual(t, c.x.E, c.want*c.slack, c.name)
	}
	require.True(t, math.IsInf(roundoff.Rounded(1e-10, 1e-9).Log().E, 1))
	require.True(t, math.IsInf(roundoff.Rounded(1e-10, 1e-9).Inv().E, 1))
	require.True(t, math.IsInf(x.Sub(roundoff.Exact(math.NaN())).Exp().E, 1))
}

// A derivative has the errors of the values that it is taken at.
func TestDerivativesAmplifyErrorsOfValues(t *testing.T) {
	x := dual.Of[number]{V: roundoff.Rounded(2, 1e-9), D: roundoff.Exact(1)}
	y := x.Sin().Exp()
	v := math.Exp(math.Sin(2))
	second := v * (math.Cos(2)*math.Cos(2) - math.Sin(2))
	require.Equal(t, v*math.Cos(2), y.D.V)
	require.GreaterOrEqual(t, y.D.E, math.Abs(second)*1e-9)
	require.LessOrEqual(t, y.D.E, (v*math.Cos(2)*math.Cos(2)+v*math.Sin(2))*1.01e-9) // contributions may cancel, errors not
}

// Values are those of dual.Real.
func TestValuesAreThoseOfReal(t *testing.T) {
	x := roundoff.Exact(0.7)
	require.Equal(t, math.Gamma(0.7), x.Gamma().V)
	require.Equal(t, elem.PowReal(0.7, 1.3), x.PowReal(1.3).V)
	require.Equal(t, math.Atan2(0.7, -2), x.Atan2(roundoff.Exact(-2)).V)
	require.Equal(t, -8.0, roundoff.Exact(-2).Pow(roundoff.Exact(3)).V)
	require.Less(t, roundoff.Exact(-2).Pow(roundoff.Exact(3)).E, 1e-13)
}
