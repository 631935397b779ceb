package forward_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
)

// ln E(e^{tX}) of a Poisson variable with mean λ is λ(eᵗ − 1): all its cumulants are λ.
func ExampleDerivatives() {
	cumulants := func(t dual.Taylor) dual.Taylor { return t.Expm1().Scale(2.5) }
	fmt.Println(forward.Derivatives(nil, cumulants, 0, 5))
	// Output: [0 2.5 2.5 2.5 2.5 2.5]
}

// Halley's method for f(x) = 0, x₊ = x − 2ff′/(2f′² − ff″), triples the digits a step.
func ExampleDerivatives_halley() {
	f := func(x dual.Taylor) dual.Taylor { return x.Mul(x.Exp()).SubReal(1) }
	x, d := 1.0, make([]float64, 3)
	for range 4 {
		forward.Derivatives(d, f, x, 2)
		x -= 2 * d[0] * d[1] / (2*d[1]*d[1] - d[0]*d[2])
	}
	fmt.Printf("%.15f\n", x)
	// Output: 0.567143290409784
}

// The coefficients of x·y along (1 + t, 2 + t²).
func ExampleTaylor() {
	product := func(x []dual.Taylor) []dual.Taylor { return []dual.Taylor{x[0].Mul(x[1])} }
	fmt.Println(forward.Taylor(nil, product, [][]float64{{1, 2}, {1, 0}, {0, 1}}, 4))
	// Output: [[2] [2] [1] [1] [0]]
}

// The logistic equation y′ = y(1 − y), y(0) = ½ has the solution 1/(1 + e⁻ᵗ).
func ExampleFlow() {
	f := func(t dual.Taylor, y []dual.Taylor) []dual.Taylor {
		return []dual.Taylor{y[0].Mul(y[0].RSub(1))}
	}
	y, err := forward.Flow{}.Integrate(f, 0, []float64{0.5}, 3, nil)
	fmt.Printf("%.12f %.12f %v\n", y[0], 1/(1+math.Exp(-3)), err)
	// Output: 0.952574126822 0.952574126822 <nil>
}

func TestDerivativesAndTaylorTakeTheirArguments(t *testing.T) {
	square := func(x dual.Taylor) dual.Taylor { return x.Square() }
	require.Equal(t, []float64{9}, forward.Derivatives(nil, square, 3, 0))
	dst := make([]float64, 3)
	require.Zero(t, testing.AllocsPerRun(10, func() { forward.Derivatives(dst, square, 3, 2) }))
	require.Equal(t, []float64{9, 6, 2}, dst)
	require.Panics(t, func() { forward.Derivatives(nil, nil, 1, 1) })
	require.Panics(t, func() { forward.Derivatives(nil, square, 1, -1) })
	require.Panics(t, func() { forward.Derivatives(dst, square, 1, 1) })
	one := func(x []dual.Taylor) []dual.Taylor { return x[:1] }
	require.Panics(t, func() { forward.Taylor(nil, one, [][]float64{{1}, {2}, {3}}, 1) })
	require.Panics(t, func() { forward.Taylor(nil, one, nil, 1) })
	require.Panics(t, func() { forward.Taylor(nil, one, [][]float64{{1}, {2, 3}}, 1) })
	require.Panics(t, func() { forward.Taylor(make([][]float64, 1), one, [][]float64{{1}}, 1) })
	require.Panics(t, func() { forward.Taylor([][]float64{{0, 1}, nil}, one, [][]float64{{1}}, 1) })
	x := [][]float64{{1}, {2}}
	require.Equal(t, [][]float64{{1}, {2}, {0}}, forward.Taylor([][]float64{x[1], x[0], nil}, one, x, 2), "dst may overlap x")
	// A result without t is a constant.
	require.Equal(t, [][]float64{{4}, {0}, {0}}, forward.Taylor(nil, func([]dual.Taylor) []dual.Taylor { return []dual.Taylor{dual.Const[dual.Taylor](4)} }, [][]float64{{}}, 2))
}

// kepler is y′ of a planet, y = (position, velocity), of a sun of mass 1 at 0.
func kepler(_ dual.Taylor, y []dual.Taylor) []dual.Taylor {
	w := y[0].Square().Add(y[1].Square()).PowReal(-1.5)
	return []dual.Taylor{y[2], y[3], y[0].Mul(w).Neg(), y[1].Mul(w).Neg()}
}

func energy(y []float64) float64 { return (y[2]*y[2]+y[3]*y[3])/2 - 1/math.Hypot(y[0], y[1]) }

// A planet of eccentricity 0.9 keeps its energy for 100 periods of 2π, and comes back.
func TestKeplerKeepsItsEnergy(t *testing.T) {
	const e = 0.9
	y0 := []float64{1 - e, 0, 0, math.Sqrt((1 + e) / (1 - e))}
	at := make([]float64, 4)
	last, worst := 0.0, 0.0
	y, err := forward.Flow{Tolerance: 1e-15}.Integrate(kepler, 0, y0, 200*math.Pi, func(s forward.Step) {
		require.Equal(t, last, s.T)
		last = s.T + s.H
		for _, part := range []float64{0, 0.5, 1} {
			worst = max(worst, math.Abs(energy(s.At(at, s.T+part*s.H))+0.5))
		}
	})
	require.NoError(t, err)
	require.Less(t, worst, 1e-12)
	require.InDeltaSlice(t, y0, y, 1e-7) // 100 periods turn an error of 10⁻¹² in the energy into time
	back, err := forward.Flow{}.Integrate(kepler, 200*math.Pi, y, 198*math.Pi, nil)
	require.NoError(t, err)
	require.InDeltaSlice(t, y0, back, 1e-7)
}

// y′ = y², y(0) = 1 ends at t = 1; a tolerance out of range is a mistake.
func TestFlowEnds(t *testing.T) {
	square := func(_ dual.Taylor, y []dual.Taylor) []dual.Taylor { return []dual.Taylor{y[0].Square()} }
	y, err := forward.Flow{}.Integrate(square, 0, []float64{1}, 2, nil)
	var end *forward.StepError
	require.ErrorAs(t, err, &end)
	require.InDelta(t, 1, end.T, 1e-10)
	require.Greater(t, y[0], 1e8)
	_, err = forward.Flow{}.Integrate(square, 0, []float64{math.NaN()}, 2, nil)
	require.ErrorAs(t, err, &end)
	require.Panics(t, func() { _, _ = forward.Flow{Tolerance: -1}.Integrate(square, 0, []float64{1}, 2, nil) })
	y, err = forward.Flow{Tolerance: 1e-3}.Integrate(func(t dual.Taylor, y []dual.Taylor) []dual.Taylor { return []dual.Taylor{t.Cos()} }, 0, []float64{0}, 1, nil)
	require.NoError(t, err)
	require.InDelta(t, math.Sin(1), y[0], 1e-3)
}
