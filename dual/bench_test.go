package dual

import "testing"

// chained has eight operations a term.
func chained[T Scalar[T]](x []T) T {
	var s T
	for i := range x[1:] {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Mul(x[i]))
	}
	return s
}

// chainedNumber and chainedHyper are chained as a compiler that specialized
// generic functions would have them: methods of a type parameter are called,
// these are inlined.
func chainedNumber(x []Number) Number {
	var s Number
	for i := range x[1:] {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Mul(x[i]))
	}
	return s
}

func chainedHyper(x []Hyper) Hyper {
	var s Hyper
	for i := range x[1:] {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Mul(x[i]))
	}
	return s
}

func benchmark[T any](name string, b *testing.B, f func([]T) T, in func(seed) T) {
	b.Run(name, func(b *testing.B) {
		x := make([]T, 1000)
		for i := range x {
			x[i] = in(seed{float64(i%7) / 5, 1, 1})
		}
		for b.Loop() {
			f(x)
		}
		terms := float64(b.N) * float64(len(x)-1)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/(8*terms), "ns/operation")
	})
}

func BenchmarkArithmetic(b *testing.B) {
	benchmark("Real", b, chained, func(s seed) Real { return Real(s.v) })
	inNumber := func(s seed) Number { return Number{s.v, s.d1} }
	benchmark("Number", b, chained, inNumber)
	benchmark("Number concrete", b, chainedNumber, inNumber)
	benchmark("Hyper", b, chained, inHyper)
	benchmark("Hyper concrete", b, chainedHyper, inHyper)
	benchmark("Of[Of[Real]]", b, chained, inNested)
}
