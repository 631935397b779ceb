package code

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// What a code computes in one pass has the bits of two.
func TestSumsOfProductsAreSumsAndProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 41).Draw(t, "n")
		number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-2, 2))
		x := rapid.SliceOfN(number, n, n).Draw(t, "x")
		y := rapid.SliceOfN(number, n, n).Draw(t, "y")
		c := number.Draw(t, "c")
		var p []float64
		for i := range x {
			z := x[i] * y[i]
			p = append(p, z*c)
		}
		want, got := sum(p), sumProducts(x, y, c)
		if math.Float64bits(want) != math.Float64bits(got) && !(want != want && got != got) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
