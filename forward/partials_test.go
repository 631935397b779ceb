package forward_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
)

// The third derivatives of x³y + xy².
func ExamplePartials() {
	p := forward.NewPartials(2, 3)
	f := func(x []dual.Taylor) dual.Taylor { return x[0].PowInt(3).Mul(x[1]).Add(x[0].Mul(x[1].Square())) }
	d := p.Eval(nil, f, []float64{1, 2})
	fmt.Printf("%.6g %.6g %.6g %.6g\n", d[p.Place(0, 0, 0)], d[p.Place(0, 0, 1)], d[p.Place(0, 1, 1)], d[p.Place(1, 1, 1)])
	// Output: 12 6 2 0
}

// Of f = e^{ax}·sin(by)·z^m all derivatives are known.
func TestPartialsAreThoseOfAProduct(t *testing.T) {
	const a, b, m = 0.7, -1.3, 2.5
	f := func(x []dual.Taylor) dual.Taylor {
		return x[0].Scale(a).Exp().Mul(x[1].Scale(b).Sin()).Mul(x[2].PowReal(m))
	}
	x := []float64{0.4, 0.9, 1.7}
	for order := 1; order <= 7; order++ {
		p := forward.NewPartials(3, order)
		want := 1
		for k := 1; k <= 3; k++ {
			want = want * (order + k) / k
		}
		require.Equal(t, want, p.Len())
		d := p.Eval(nil, f, x)
		last, scale := 0, 0.0
		for at, v := range d {
			scale = max(scale, math.Abs(v))
			i := p.Exponents(at)
			var variables []int
			power := 1.0
			for v, e := range i {
				for range e {
					variables = append([]int{v}, variables...)
				}
			}
			for q := range i[2] {
				power *= m - float64(q)
			}
			want := math.Pow(a, float64(i[0])) * math.Exp(a*x[0]) * math.Pow(b, float64(i[1])) *
				math.Sin(b*x[1]+float64(i[1])*math.Pi/2) * power * math.Pow(x[2], m-float64(i[2]))
			require.InDelta(t, want, v, 1e-15*math.Pow(10, float64(order))*scale, "%v", i)
			require.Equal(t, at, p.Place(variables...))
			require.LessOrEqual(t, last, len(variables))
			last = len(variables)
		}
	}
}

// They are those of the numbers that have them one by one, where f branches by values too, and
// of one variable those of Derivatives.
func TestPartialsOfLowOrder(t *testing.T) {
	x := []float64{0.3, 0.8}
	d := forward.NewPartials(2, 2)
	got := d.Eval(nil, func(x []dual.Taylor) dual.Taylor { return x[0].Atan2(x[1]).Max(x[1].Neg()) }, x)
	for i := range 2 {
		for j := range i + 1 {
			h := make([]dual.Hyper, 2)
			h[0].V, h[1].V = x[0], x[1]
			h[i].D1, h[j].D2 = 1, 1
			z := h[0].Atan2(h[1])
			require.InDelta(t, z.V, got[d.Place()], 1e-15)
			require.InDelta(t, z.D1, got[d.Place(i)], 1e-14)
			require.InDelta(t, z.D12, got[d.Place(i, j)], 1e-14)
		}
	}
	gamma := func(x dual.Taylor) dual.Taylor { return x.Gamma() }
	one := forward.NewPartials(1, 6)
	many := one.Eval(nil, func(x []dual.Taylor) dual.Taylor { return gamma(x[0]) }, []float64{2.5})
	require.InDeltaSlice(t, forward.Derivatives(nil, gamma, 2.5, 6), many, 1e-10)
}

func TestPartialsTakeTheirArguments(t *testing.T) {
	p := forward.NewPartials(2, 3)
	f := func(x []dual.Taylor) dual.Taylor { return x[0].Mul(x[1]) }
	dst, x := make([]float64, p.Len()), []float64{2, 3}
	p.Eval(dst, f, x)
	require.Zero(t, testing.AllocsPerRun(10, func() { p.Eval(dst, f, x) }))
	all := append([]float64(nil), dst...)
	copy(dst, x)
	require.Equal(t, all, p.Eval(dst, f, dst[:2]), "dst may overlap x")
	require.Panics(t, func() { forward.NewPartials(0, 1) })
	require.Panics(t, func() { forward.NewPartials(1, 0) })
	require.Panics(t, func() { p.Place(2) })
	require.Panics(t, func() { p.Place(0, 0, 0, 0) })
	require.Panics(t, func() { p.Eval(nil, nil, x) })
	require.Panics(t, func() { p.Eval(dst[1:], f, x) })
	require.Panics(t, func() { p.Eval(dst, f, x[:1]) })
}
