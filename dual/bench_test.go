package dual

import "testing"

func poly[T Scalar[T]](x []T) T {
	var s T
	for i := range x[1:] {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Mul(x[i]))
	}
	return s
}

func polyHyper(x []Hyper) Hyper {
	var s Hyper
	for i := range x[1:] {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Mul(x[i]))
	}
	return s
}

func polyNumber(x []Number) Number {
	var s Number
	for i := range x[1:] {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Mul(x[i]))
	}
	return s
}

func bench[T any](b *testing.B, f func([]T) T, at func(float64) T) {
	x := make([]T, 1000)
	for i := range x {
		x[i] = at(float64(i%7) / 5)
	}
	for b.Loop() {
		f(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8/999, "ns/op")
}

func BenchmarkArithmetic(b *testing.B) {
	b.Run("Real", func(b *testing.B) { bench(b, poly, func(v float64) Real { return Real(v) }) })
	b.Run("Number", func(b *testing.B) { bench(b, poly, func(v float64) Number { return Number{v, 1} }) })
	b.Run("Hyper", func(b *testing.B) { bench(b, poly, func(v float64) Hyper { return Hyper{v, 1, 1, 0} }) })
	b.Run("Number concrete", func(b *testing.B) { bench(b, polyNumber, func(v float64) Number { return Number{v, 1} }) })
	b.Run("Hyper concrete", func(b *testing.B) { bench(b, polyHyper, func(v float64) Hyper { return Hyper{v, 1, 1, 0} }) })
	b.Run("Of[Of[Real]]", func(b *testing.B) {
		bench(b, poly, func(v float64) Of[Of[Real]] { return Of[Of[Real]]{Of[Real]{Real(v), 1}, Of[Real]{1, 0}} })
	})
}
