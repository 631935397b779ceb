package lane

import (
	"math"
	"math/rand/v2"
	"testing"
)

// inStrands is the sum of terms in the order that Sum promises.
func inStrands(terms []float64) float64 {
	var s [4]float64
	whole := len(terms) &^ 3
	for i, t := range terms {
		if i < whole {
			s[i%4] += t
		} else {
			s[0] += t
		}
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

func TestSumsAreAddedInOrder(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for n := range 68 {
			for k := range 20 {
				x, y, products := make([]float64, n+1)[1:], make([]float64, n), make([]float64, n)
				c := r.NormFloat64()
				for i := range x {
					x[i], y[i] = math.Ldexp(r.NormFloat64(), r.IntN(60)), r.NormFloat64()
				}
				if k == 0 {
					c = math.Inf(1) // 0·∞ in no lane beyond the last
				}
				if k == 1 && n > 0 {
					x[r.IntN(n)] = math.NaN()
				}
				for i := range x {
					products[i] = product(product(x[i], y[i]), c)
				}
				compare(t, Sum(x), inStrands(x), n)
				compare(t, SumMulScale(x, y, c), inStrands(products), n)
			}
		}
	})
}

// A total is the sum but for rounding, and finite only if all numbers are.
func TestTotalsShowWhatIsNotFinite(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for n := 1; n < 68; n++ {
			x, dst, want := make([]float64, n), make([]float64, n+1), make([]float64, n+1)
			sum := 0.0
			for i := range x {
				x[i], dst[i] = float64(r.IntN(1000)), float64(r.IntN(1000))
				sum += x[i]
				want[i] = dst[i] + x[i]
			}
			compare(t, Total(x), sum, n)
			compare(t, Accumulate(dst[:n], x), sum, n)
			for i := range dst {
				compare(t, dst[i], want[i], i)
			}
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				for i := range x {
					kept := x[i]
					x[i] = bad
					if s := Total(x); s-s == 0 {
						t.Fatalf("%v at %d of %d: total %v", bad, i, n, s)
					}
					if s := Accumulate(dst[:n], x); s-s == 0 {
						t.Fatalf("%v at %d of %d: total %v", bad, i, n, s)
					}
					if s := ScatterSteps(make([]float64, 3*n), x, 1, 3); s-s == 0 {
						t.Fatalf("%v at %d of %d: total %v", bad, i, n, s)
					}
					x[i] = kept
				}
			}
		}
	})
}

func BenchmarkSums(b *testing.B) {
	const n = 256
	x, y := make([]float64, n), make([]float64, n)
	defer choose("")
	for _, set := range []string{"portable", ""} {
		for name, f := range map[string]func(){
			"Sum": func() { Sum(x) }, "SumMulScale": func() { SumMulScale(x, y, 2) },
			"Total": func() { Total(x) }, "Accumulate": func() { Accumulate(x, y) },
		} {
			choose(set)
			b.Run(name+"/"+map[bool]string{true: "packed", false: "portable"}[set == ""], func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/lane")
			})
		}
	}
}
