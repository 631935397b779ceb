package dual

import (
	"math"
	"testing"
)

// expXYZ has the mixed third derivative (1 + 3p + p²)·eᵖ, p = xyz.
func expXYZ[T Scalar[T]](x []T) T { return x[0].Mul(x[1]).Mul(x[2]).Exp() }

// third returns ∂³f/∂xᵢ∂xⱼ∂xₖ by Of[Hyper] and by Of[Of[Of[Real]]].
func third(f func([]Of[Hyper]) Of[Hyper], g func([]Of[Of[Of[Real]]]) Of[Of[Of[Real]]], x []float64, i, j, k int) (float64, float64) {
	one := func(on bool) float64 {
		if on {
			return 1
		}
		return 0
	}
	h := make([]Of[Hyper], len(x))
	o := make([]Of[Of[Of[Real]]], len(x))
	for n, v := range x {
		di, dj, dk := one(n == i), one(n == j), one(n == k)
		h[n] = Of[Hyper]{Hyper{V: v, D1: di, D2: dj}, Hyper{V: dk}}
		o[n] = Of[Of[Of[Real]]]{inNested(seed{v, di, dj}), Of[Of[Real]]{V: Of[Real]{V: Real(dk)}}}
	}
	return f(h).D.D12, g(o).D.D.D.Value()
}

func TestThirdDerivatives(t *testing.T) {
	x := []float64{0.5, -1.25, 2}
	p := x[0] * x[1] * x[2]
	e := math.Exp(p)
	partial := func(index ...int) float64 {
		var count [3]int
		for _, i := range index {
			count[i]++
		}
		once, twice := -1, -1
		for i, c := range count {
			switch c {
			case 1:
				once = i
			case 2:
				twice = i
			case 3:
				c := p / x[i]
				return c * c * c * e
			}
		}
		if twice < 0 {
			return (1 + 3*p + p*p) * e
		}
		other := x[3-once-twice]
		return (2 + p) * x[once] * other * other * e
	}
	for i := range x {
		for j := range x {
			for k := range x {
				h, o := third(expXYZ, expXYZ, x, i, j, k)
				want := partial(i, j, k)
				if !near(h, want, 1e-14*math.Abs(want)) || !near(o, want, 1e-14*math.Abs(want)) {
					t.Errorf("∂%d%d%d: Of[Hyper] %v, Of[Of[Of[Real]]] %v, want %v", i, j, k, h, o, want)
				}
			}
		}
	}
}

func hypot3[T Scalar[T]](x []T) T { return x[0].Hypot(x[1]).Hypot(x[2]) }
func norm3[T Scalar[T]](x []T) T  { return Norm2(x) }

func TestNormsAtTheOriginHaveNoDerivativeOfAnyOrder(t *testing.T) {
	origin := make([]float64, 3)
	for i := range origin {
		for j := range origin {
			for k := range origin {
				a, b := third(hypot3, hypot3, origin, i, j, k)
				c, d := third(norm3, norm3, origin, i, j, k)
				if a != 0 || b != 0 || c != 0 || d != 0 {
					t.Errorf("∂%d%d%d: hypot %v, %v, norm %v, %v", i, j, k, a, b, c, d)
				}
			}
		}
	}
}

func tanhXY[T Scalar[T]](x, y T) T { return x.Mul(y).Tanh() }

func TestMixedDerivativeOfTanhXYAtTheOriginIs1(t *testing.T) {
	x, y := seed{0, 1, 0}, seed{0, 0, 1}
	if got := tanhXY(inHyper(x), inHyper(y)); got != (Hyper{0, 0, 0, 1}) {
		t.Errorf("Hyper: %v", got)
	}
	if got := outNested(tanhXY(inNested(x), inNested(y))); got != (jet{0, 0, 0, 1}) {
		t.Errorf("Of[Of[Real]]: %v", got)
	}
}

func rootOfSquare[T Scalar[T]](x T) T { return x.Square().Sqrt() }
func zeroTimesRoot[T Scalar[T]](x T) T {
	return Sum([]T{
		x.Sqrt().Scale(0),
		x.Const(0).Mul(x.Sqrt()),
		Affine(0, []float64{0, 1}, []T{x.Sqrt(), x.Const(0)}),
		Dot([]T{x.Const(0), x.Sqrt()}, []T{x.Sqrt(), x.Const(0)}),
	})
}

// d/dx √(x²) at 0 is ∞·0 and 0·√x is a root with multiplier 0: neither poisons
// the derivative.
func TestAnnihilationAtZero(t *testing.T) {
	s := seed{0, 1, 1}
	if n := rootOfSquare(Number{0, 1}); n != (Number{0, 0}) {
		t.Errorf("√(x²) as Number: %v", n)
	}
	want := jet{0, 0, 0, inf} // d1·d2·f″ of |x|
	if h := outHyper(rootOfSquare(inHyper(s))); h != want {
		t.Errorf("√(x²) as Hyper: %v", h)
	}
	if o := outNested(rootOfSquare(inNested(s))); o != want {
		t.Errorf("√(x²) as Of[Of[Real]]: %v", o)
	}
	if n := zeroTimesRoot(Number{0, 1}); n != (Number{0, 0}) {
		t.Errorf("0·√x as Number: %v", n)
	}
	if h := zeroTimesRoot(inHyper(s)); h != (Hyper{}) {
		t.Errorf("0·√x as Hyper: %v", h)
	}
	if o := outNested(zeroTimesRoot(inNested(s))); o != (jet{}) {
		t.Errorf("0·√x as Of[Of[Real]]: %v", o)
	}
}

// A coefficient that is not finite multiplies a tangent of 0 to 0 as well.
func TestInfiniteCoefficientsOfConstants(t *testing.T) {
	for _, c := range []float64{inf, -inf, nan} {
		x := Of[Of[Real]]{V: Of[Real]{V: 2}}
		for _, y := range []Of[Of[Real]]{x.Scale(c), Affine(0, []float64{c, 3}, []Of[Of[Real]]{x, x})} {
			if y.D != (Of[Real]{}) || y.V.D != 0 {
				t.Errorf("coefficient %g: %v", c, y)
			}
		}
		if h := (Hyper{V: 2}).Scale(c); h.D1 != 0 || h.D12 != 0 {
			t.Errorf("coefficient %g: %v", c, h)
		}
	}
}
