package dual_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
)

type (
	complexReal   = dual.Complex[dual.Real]
	complexNumber = dual.Complex[dual.Number]
)

// complexPoints are numbers of all sizes and quadrants, and on the axes.
func complexPoints(yield func(z complex128) bool) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for k := range 2000 {
		z := cmplx.Rect(math.Exp(20*rnd.NormFloat64()), 7*rnd.Float64())
		switch k % 8 {
		case 0:
			z = complex(real(z), 0)
		case 1:
			z = complex(0, imag(z))
		}
		if !yield(z) {
			return
		}
	}
	yield(0)
}

// plain functions, ours and their derivatives, which follow from the functions.
var complexFunctions = map[string]struct {
	plain      func(z complex128) complex128
	real       func(z complexReal) complexReal
	number     func(z complexNumber) complexNumber
	derivative func(z complex128) complex128
}{
	"Neg":  {func(z complex128) complex128 { return -z }, complexReal.Neg, complexNumber.Neg, func(complex128) complex128 { return -1 }},
	"Exp":  {cmplx.Exp, complexReal.Exp, complexNumber.Exp, cmplx.Exp},
	"Log":  {cmplx.Log, complexReal.Log, complexNumber.Log, func(z complex128) complex128 { return 1 / z }},
	"Sqrt": {cmplx.Sqrt, complexReal.Sqrt, complexNumber.Sqrt, func(z complex128) complex128 { return 0.5 / cmplx.Sqrt(z) }},
	"Pow": {
		func(z complex128) complex128 { return cmplx.Pow(z, 1.5-0.5i) },
		func(z complexReal) complexReal { return z.Pow(dual.ConstComplex[dual.Real](1.5 - 0.5i)) },
		func(z complexNumber) complexNumber { return z.Pow(dual.ConstComplex[dual.Number](1.5 - 0.5i)) },
		func(z complex128) complex128 { return (1.5 - 0.5i) * cmplx.Pow(z, 0.5-0.5i) },
	},
	"exponent": {
		func(z complex128) complex128 { return cmplx.Pow(1+2i, z/8) },
		func(z complexReal) complexReal {
			return dual.ConstComplex[dual.Real](1 + 2i).Pow(z.Div(dual.ConstComplex[dual.Real](8)))
		},
		func(z complexNumber) complexNumber {
			return dual.ConstComplex[dual.Number](1 + 2i).Pow(z.Div(dual.ConstComplex[dual.Number](8)))
		},
		func(z complex128) complex128 { return cmplx.Log(1+2i) / 8 * cmplx.Pow(1+2i, z/8) },
	},
}

// Values are those of Go to the last bit, but for powers, whose real ones are more accurate
// here, and roots of imaginary numbers.
func TestComplexFunctionsHaveTheValuesOfGo(t *testing.T) {
	for name, f := range complexFunctions {
		for z := range complexPoints {
			want, got := f.plain(z), f.real(dual.ConstComplex[dual.Real](z))
			if finite := !cmplx.IsInf(want) && !cmplx.IsNaN(want) && (z != 0 || name != "Log"); !finite {
				continue
			}
			tolerance := 0.0
			switch {
			case name == "Pow" || name == "exponent":
				tolerance = 0x1p-44 * (1 + cmplx.Abs(cmplx.Log(z))) * (1 + cmplx.Abs(want))
			case real(z) == 0, fuses():
				tolerance = 0x1p-51 * cmplx.Abs(want)
			}
			require.InDelta(t, real(want), float64(got.Re), tolerance, "%s(%v)", name, z)
			require.InDelta(t, imag(want), float64(got.Im), tolerance, "%s(%v)", name, z)
		}
	}
}

// The derivative along d is that of the function times d, also on the axes.
func TestComplexFunctionsHaveTheirDerivatives(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for name, f := range complexFunctions {
		for z := range complexPoints {
			d := complex(rnd.NormFloat64(), rnd.NormFloat64())
			want := f.derivative(z) * d
			if size := cmplx.Abs(z); size < 1e-6 || size > 1e3 || cmplx.IsInf(want) || cmplx.IsNaN(want) {
				continue
			}
			got := f.number(complexNumber{dual.Number{V: real(z), D: real(d)}, dual.Number{V: imag(z), D: imag(d)}})
			tolerance := 1e-10 * (cmplx.Abs(f.derivative(z))*cmplx.Abs(d) + 1e-300)
			if name == "Sqrt" { // one of its parts may be the smaller by |z|, whose error is of that of the larger
				tolerance *= 10
			}
			require.InDelta(t, real(want), got.Re.D, tolerance, "%s(%v)", name, z)
			require.InDelta(t, imag(want), got.Im.D, tolerance, "%s(%v)", name, z)
		}
	}
}

func TestComplexArithmeticIsThatOfGo(t *testing.T) {
	var last complex128 = 1 - 3i
	for z := range complexPoints {
		a, b := dual.ConstComplex[dual.Real](z), dual.ConstComplex[dual.Real](last)
		for name, c := range map[string]struct {
			want complex128
			got  complexReal
		}{
			"+": {z + last, a.Add(b)}, "-": {z - last, a.Sub(b)}, "*": {z * last, a.Mul(b)}, "/": {z / last, a.Div(b)},
			"conj": {cmplx.Conj(z), a.Conj()}, "abs": {complex(cmplx.Abs(z), cmplx.Phase(z)), dual.NewComplex(a.Abs(), a.Phase())},
		} {
			tolerance := 0.0
			if fuses() {
				tolerance = 0x1p-50 * (cmplx.Abs(z)*cmplx.Abs(last) + cmplx.Abs(c.want))
			}
			require.InDelta(t, real(c.want), float64(c.got.Re), tolerance, "%v %s %v", z, name, last)
			require.InDelta(t, imag(c.want), float64(c.got.Im), tolerance, "%v %s %v", z, name, last)
		}
		if last = z; last == 0 {
			last = 2i
		}
	}
	x := dual.Number{V: 2, D: 1}
	y := dual.NewComplex(x, dual.Number{}).Div(dual.NewComplex(dual.Number{V: 1}, x)) // x/(1 + ix)
	require.InDelta(t, -0.12, y.Re.D, 1e-15)                                          // of x/(1 + x²)
	require.InDelta(t, -0.16, y.Im.D, 1e-15)                                          // of −x²/(1 + x²)
}

// Powers of 0 have the derivatives of a product where the exponent is a natural number.
func TestPowersOfComplexZero(t *testing.T) {
	z := dual.Complex[dual.Hyper]{Re: dual.Hyper{D1: 1, D2: 1}}
	for w, want := range map[complex128]dual.Hyper{0: {V: 1}, 1: {D1: 1, D2: 1}, 2: {D12: 2}, 3: {}, 1.5: {}} {
		require.Equal(t, want, z.Pow(dual.ConstComplex[dual.Hyper](w)).Re, "%v", w)
	}
}

// fuses reports whether the compiler rounds x·y + z once, in Go's own arithmetic.
func fuses() bool {
	x, z := 1+0x1p-30, -1-0x1p-29
	return multiplyAdd(x, x, z) != float64(x*x)+z
}

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }
