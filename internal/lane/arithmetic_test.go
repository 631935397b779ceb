package lane

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hesse-ad/hesse/internal/elem"
)

// operation is one on lanes, of arrays a and constants c and d, and what it is on
// numbers.
type operation struct {
	name   string
	lanes  func(dst []float64, a *[5][]float64, c, d float64)
	number func(a *[5]float64, c, d float64) float64
}

func of2(name string, f func(dst, x, y []float64), g func(x, y float64) float64) operation {
	return operation{name, func(dst []float64, a *[5][]float64, c, d float64) { f(dst, a[0], a[1]) },
		func(a *[5]float64, c, d float64) float64 { return g(a[0], a[1]) }}
}

func of1(name string, f func(dst, x []float64), g func(x float64) float64) operation {
	return operation{name, func(dst []float64, a *[5][]float64, c, d float64) { f(dst, a[0]) },
		func(a *[5]float64, c, d float64) float64 { return g(a[0]) }}
}

func ofReal(name string, f func(dst, x []float64, c float64), g func(x, c float64) float64) operation {
	return operation{name, func(dst []float64, a *[5][]float64, c, d float64) { f(dst, a[0], c) },
		func(a *[5]float64, c, d float64) float64 { return g(a[0], c) }}
}

// onto is an operation that adds g to dst, which is the first array.
func onto(name string, f func(dst []float64, a *[5][]float64, c, d float64), g func(a *[5]float64, c, d float64) float64) operation {
	return operation{name, func(dst []float64, a *[5][]float64, c, d float64) {
		copy(dst, a[0])
		f(dst, a, c, d)
	}, func(a *[5]float64, c, d float64) float64 { return a[0] + g(a, c, d) }}
}

// product is x·y, rounded.
func product(x, y float64) float64 { return float64(x * y) }

var operations = []operation{
	of2("Add", Add, func(x, y float64) float64 { return x + y }),
	of2("Sub", Sub, func(x, y float64) float64 { return x - y }),
	of2("Mul", Mul, product),
	of2("Div", Div, func(x, y float64) float64 { return x / y }),
	of2("Prod", Prod, elem.Prod),
	of2("Max", Max, elem.Max),
	of2("Min", Min, elem.Min),
	of1("Neg", Neg, func(x float64) float64 { return -x }),
	of1("Abs", Abs, math.Abs),
	of1("Sqrt", Sqrt, elem.Sqrt),
	of1("Floor", Floor, math.Floor),
	of1("Ceil", Ceil, math.Ceil),
	of1("Trunc", Trunc, math.Trunc),
	ofReal("AddReal", AddReal, func(x, c float64) float64 { return x + c }),
	ofReal("RSub", RSub, func(x, c float64) float64 { return c - x }),
	ofReal("Scale", Scale, product),
	ofReal("RDiv", RDiv, func(x, c float64) float64 { return c / x }),
	{"Select",
		func(dst []float64, a *[5][]float64, c, d float64) { Select(dst, a[0], a[1], a[2]) },
		func(a *[5]float64, c, d float64) float64 { return elem.Select(a[0], a[1], a[2]) }},
	{"MulScale",
		func(dst []float64, a *[5][]float64, c, d float64) { MulScale(dst, a[0], a[1], c) },
		func(a *[5]float64, c, d float64) float64 { return product(product(a[0], a[1]), c) }},
	{"ScaleMul",
		func(dst []float64, a *[5][]float64, c, d float64) { ScaleMul(dst, a[0], a[1], c) },
		func(a *[5]float64, c, d float64) float64 { return product(product(c, a[0]), a[1]) }},
	{"AddMul",
		func(dst []float64, a *[5][]float64, c, d float64) { AddMul(dst, a[0], a[1], a[2]) },
		func(a *[5]float64, c, d float64) float64 { return a[0] + product(a[1], a[2]) }},
	{"Mul2",
		func(dst []float64, a *[5][]float64, c, d float64) { Mul2(dst, a[0], a[1], a[2], a[3]) },
		func(a *[5]float64, c, d float64) float64 { return product(a[0], a[1]) + product(a[2], a[3]) }},
	{"ScaleMul2",
		func(dst []float64, a *[5][]float64, c, d float64) { ScaleMul2(dst, a[0], a[1], a[2], a[3], c) },
		func(a *[5]float64, c, d float64) float64 {
			return product(c, product(a[0], a[1])+product(a[2], a[3]))
		}},
	onto("AddScaleMul",
		func(dst []float64, a *[5][]float64, c, d float64) { AddScaleMul(dst, a[1], a[2], c) },
		func(a *[5]float64, c, d float64) float64 { return product(product(c, a[1]), a[2]) }),
	onto("AddScaleMul2",
		func(dst []float64, a *[5][]float64, c, d float64) { AddScaleMul2(dst, a[1], a[2], a[3], a[4], c) },
		func(a *[5]float64, c, d float64) float64 {
			return product(c, product(a[1], a[2])+product(a[3], a[4]))
		}),
	onto("Axpy",
		func(dst []float64, a *[5][]float64, c, d float64) { Axpy(dst, a[1], c) },
		func(a *[5]float64, c, d float64) float64 { return product(c, a[1]) }),
	onto("Axpy2",
		func(dst []float64, a *[5][]float64, c, d float64) { Axpy2(dst, a[1], a[2], c, d) },
		func(a *[5]float64, c, d float64) float64 { return product(c, a[1]) + product(d, a[2]) }),
}

func TestArithmeticHasTheBitsOfNumbers(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for n := range 68 {
			for offset := range 4 {
				var a [5][]float64
				for k := range a {
					a[k] = make([]float64, n+offset)[offset:]
					fill(r, a[k])
				}
				c, d := argument(r), argument(r)
				for _, o := range operations {
					want := make([]float64, n)
					for i := range want {
						want[i] = o.number(&[5]float64{a[0][i], a[1][i], a[2][i], a[3][i], a[4][i]}, c, d)
					}
					check := func(got []float64, a *[5][]float64) {
						t.Helper()
						const guard = -7.25
						got = append(got, guard, guard, guard, guard, guard, guard, guard, guard)
						o.lanes(got[:n], a, c, d)
						for i := range got {
							w := guard
							if i < n {
								w = want[i]
							}
							if math.Float64bits(got[i]) != math.Float64bits(w) && (got[i] == got[i] || w == w) {
								t.Fatalf("%s, length %d, lane %d: %v, want %v", o.name, n, i, got[i], w)
							}
						}
					}
					check(make([]float64, n, n+8), &a)
					b := a
					b[0] = append(make([]float64, 0, n+8), a[0]...)
					check(b[0], &b) // in place
				}
			}
		}
	})
}

func BenchmarkArithmetic(b *testing.B) {
	const n = 256
	var a [5][]float64
	for k := range a {
		a[k] = make([]float64, n+8*k)[8*k:]
		for i := range a[k] {
			a[k][i] = 1.5
		}
	}
	dst := make([]float64, n)
	defer choose("")
	for _, o := range operations {
		for _, set := range []string{"portable", ""} {
			choose(set)
			b.Run(fmt.Sprint(o.name, "/", map[bool]string{true: "packed", false: "portable"}[set == ""]), func(b *testing.B) {
				for b.Loop() {
					o.lanes(dst, &a, 0.5, 0.25)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/lane")
			})
		}
	}
}
