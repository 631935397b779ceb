package barrier

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func Example() {
	o := &Option{Strike: 100, Barrier: 90, Expiry: 1, Paths: 20000, Steps: 12, Seed: 1}
	g := make([]float64, 3)
	price := PriceGradient(g, []float64{100, 0.25, 0.03}, o)
	fmt.Printf("price %.1f, by the share %.1f, by volatility %.0f, by the rate %.0f\n", price, g[0], g[1], g[2])
	// Output: price 8.2, by the share 0.8, by volatility 9, by the rate 39
}

// closed is the price where the barrier is below the strike (Merton, Theory of rational
// option pricing, 1973).
func closed(share, vol, rate float64, o *Option) float64 {
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	call := func(s float64) float64 {
		width := vol * math.Sqrt(o.Expiry)
		d := (math.Log(s/o.Strike) + (rate+vol*vol/2)*o.Expiry) / width
		return s*normal(d) - o.Strike*math.Exp(-rate*o.Expiry)*normal(d-width)
	}
	return call(share) - math.Pow(share/o.Barrier, 1-2*rate/(vol*vol))*call(o.Barrier*o.Barrier/share)
}

// Means of prices and gradients of many seeds are within five of their standard errors of
// the closed form and its differences.
func TestPricesAndGradientsAreThoseOfTheClosedForm(t *testing.T) {
	o := &Option{Strike: 100, Barrier: 90, Expiry: 1, Paths: 1000, Steps: 6}
	x := []float64{100, 0.25, 0.03}
	want := []float64{closed(x[0], x[1], x[2], o)}
	for i := range x {
		h := 1e-4 * x[i]
		up, down := append([]float64(nil), x...), append([]float64(nil), x...)
		up[i] += h
		down[i] -= h
		want = append(want, (closed(up[0], up[1], up[2], o)-closed(down[0], down[1], down[2], o))/(2*h))
	}
	const seeds = 100
	sum, squares := make([]float64, 4), make([]float64, 4)
	g := make([]float64, 3)
	for seed := range seeds {
		o.Seed = uint64(seed)
		price := PriceGradient(g, x, o)
		require.Equal(t, math.Float64bits(Price(x, o)), math.Float64bits(price))
		for i, v := range append([]float64{price}, g...) {
			sum[i] += v
			squares[i] += v * v
		}
	}
	for i := range want {
		mean := sum[i] / seeds
		deviation := math.Sqrt((squares[i]/seeds - mean*mean) / (seeds - 1))
		require.InDelta(t, want[i], mean, 5*deviation)
		require.Less(t, deviation, 0.03*math.Abs(want[i]))
	}
}

// The gradient of paths in units of the price.
func BenchmarkPrice(b *testing.B) {
	o := &Option{Strike: 100, Barrier: 90, Expiry: 1, Paths: 10000, Steps: 50}
	x, g := []float64{100, 0.25, 0.03}, make([]float64, 3)
	b.Run("function", func(b *testing.B) {
		for b.Loop() {
			Price(x, o)
		}
	})
	b.Run("gradient", func(b *testing.B) {
		for b.Loop() {
			PriceGradient(g, x, o)
		}
	})
}
