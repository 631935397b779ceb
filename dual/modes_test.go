package dual

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/op"
)

// A mode is a kind of number seen from outside: operations by name, seeded
// with a value and its derivatives along two directions.
type mode struct {
	name   string
	order  int // of the derivatives it carries
	unary  func(op string, x seed) jet
	binary func(op string, x, y seed) jet
}

// A seed is a value and its derivatives along two directions.
type seed struct{ v, d1, d2 float64 }

// A jet is a value, its derivatives along two directions and along both. A mode
// of first order has NaN in place of d2 and d12.
type jet struct{ v, d1, d2, d12 float64 }

func newMode[T Scalar[T]](name string, order int, in func(seed) T, out func(T) jet) mode {
	unary := unaryOps[T]()
	binary := binaryOps[T]()
	return mode{
		name, order,
		func(op string, x seed) jet { return out(unary[op](in(x))) },
		func(op string, x, y seed) jet { return out(binary[op](in(x), in(y))) },
	}
}

var nan, inf = math.NaN(), math.Inf(1)

var modes = []mode{
	newMode("Number", 1,
		func(s seed) Number { return Number{s.v, s.d1} },
		func(x Number) jet { return jet{x.V, x.D, nan, nan} }),
	newMode("Number3", 1,
		func(s seed) Number3 { return Number3{s.v, s.d2, s.d1, 0} },
		func(x Number3) jet { return jet{x.V, x.D1, nan, nan} }),
	newMode("Hyper", 2, inHyper, outHyper),
	newMode("Of[Real]", 1,
		func(s seed) Of[Real] { return Of[Real]{Real(s.v), Real(s.d1)} },
		func(x Of[Real]) jet { return jet{x.V.Value(), x.D.Value(), nan, nan} }),
	newMode("Of[Of[Real]]", 2, inNested, outNested),
	newMode("Of[Number]", 2,
		func(s seed) Of[Number] { return Of[Number]{Number{s.v, s.d1}, Number{s.d2, 0}} },
		func(x Of[Number]) jet { return jet{x.V.V, x.V.D, x.D.V, x.D.D} }),
	newMode("Of[Hyper]", 2,
		func(s seed) Of[Hyper] { return Of[Hyper]{Hyper{V: s.v, D1: s.d1}, Hyper{V: s.d2}} },
		func(x Of[Hyper]) jet { return jet{x.V.V, x.V.D1, x.D.V, x.D.D1} }),
	newMode("Of[Hyper], inside", 2,
		func(s seed) Of[Hyper] { return Of[Hyper]{V: inHyper(s)} },
		func(x Of[Hyper]) jet { return outHyper(x.V) }),
}

func inHyper(s seed) Hyper  { return Hyper{s.v, s.d1, s.d2, 0} }
func outHyper(x Hyper) jet  { return jet{x.V, x.D1, x.D2, x.D12} }
func realOf(v float64) Real { return Real(v) }

func inNested(s seed) Of[Of[Real]] {
	return Of[Of[Real]]{Of[Real]{realOf(s.v), realOf(s.d1)}, Of[Real]{V: realOf(s.d2)}}
}

func outNested(x Of[Of[Real]]) jet {
	return jet{x.V.V.Value(), x.V.D.Value(), x.D.V.Value(), x.D.D.Value()}
}

// table is the operations of the table on operands alone, by name.
func table[T Scalar[T]](operands int) map[string]func(x ...T) T {
	ops := map[string]func(x ...T) T{}
	for c := range op.All {
		r := c.Info()
		if r.Operands != operands || r.Constant != op.NoConstant {
			continue
		}
		ops[r.Name] = func(x ...T) T {
			in := make([]reflect.Value, len(x))
			for k, x := range x {
				in[k] = reflect.ValueOf(x)
			}
			return in[0].MethodByName(r.Method).Call(in[1:])[0].Interface().(T)
		}
	}
	return ops
}

func unaryOps[T Scalar[T]]() map[string]func(T) T {
	ops := map[string]func(T) T{
		"AddReal 1.5": func(x T) T { return x.AddReal(1.5) },
		"SubReal 1.5": func(x T) T { return x.SubReal(1.5) },
		"Scale -2":    func(x T) T { return x.Scale(-2) },
		"Scale 0":     func(x T) T { return x.Scale(0) },
		"RSub 2":      func(x T) T { return x.RSub(2) },
		"RDiv 3":      func(x T) T { return x.RDiv(3) },
		"RDiv 0":      func(x T) T { return x.RDiv(0) },
		"Polygamma 0": func(x T) T { return x.Polygamma(0) },
		"Polygamma 1": func(x T) T { return x.Polygamma(1) },
		"Polygamma 2": func(x T) T { return x.Polygamma(2) },
		"ReLU":        ReLU[T],
		"GELU":        GELU[T],
		"SiLU":        SiLU[T],
		"ELU 0.5":     func(x T) T { return ELU(x, 0.5) },
		"Polyval":     func(x T) T { return Polyval([]float64{3, -1, 0, 2}, x) },
	}
	for name, f := range table[T](1) {
		ops[name] = func(x T) T { return f(x) }
	}
	for name, p := range realPowers {
		ops[name] = func(x T) T { return x.PowReal(p) }
	}
	for name, n := range intPowers {
		ops[name] = func(x T) T { return x.PowInt(n) }
	}
	return ops
}

var realPowers = map[string]float64{
	"PowReal 0": 0, "PowReal 1": 1, "PowReal 2": 2, "PowReal 3": 3, "PowReal -1": -1, "PowReal 0.5": 0.5,
	"PowReal 0.25": 0.25, "PowReal 1.5": 1.5, "PowReal 2.5": 2.5, "PowReal -0.5": -0.5, "PowReal -2": -2, "PowReal 1e-20": 1e-20,
}

var intPowers = map[string]int{
	"PowInt -4": -4, "PowInt -3": -3, "PowInt -2": -2, "PowInt -1": -1, "PowInt 0": 0,
	"PowInt 1": 1, "PowInt 2": 2, "PowInt 3": 3, "PowInt 4": 4, "PowInt 7": 7,
}

func binaryOps[T Scalar[T]]() map[string]func(x, y T) T {
	ops := map[string]func(x, y T) T{
		"Select x":  func(x, y T) T { return x.Select(x.Square(), y) },
		"Sum":       func(x, y T) T { return Sum([]T{x, y, x}) },
		"Affine":    func(x, y T) T { return Affine(1, []float64{2, -3}, []T{x, y}) },
		"Dot":       func(x, y T) T { return Dot([]T{x, y}, []T{y, y}) },
		"Norm2":     func(x, y T) T { return Norm2([]T{x, y}) },
		"LogSumExp": func(x, y T) T { return LogSumExp([]T{x, y}) },
		"Softmax":   func(x, y T) T { return Softmax(nil, []T{x, y})[0] },
	}
	for name, f := range table[T](2) {
		ops[name] = func(x, y T) T { return f(x, y) }
	}
	return ops
}

// Whatever derivatives a number carries, its value has the bits of the plain
// function, signs of zeros too.
func TestValuesOfEveryModeHaveTheBitsOfReal(t *testing.T) {
	real := newMode("Real", 0, func(s seed) Real { return Real(s.v) }, func(x Real) jet { return jet{v: x.Value()} })
	points := []float64{math.Copysign(0, -1), 0, 1, -1, 0.3, -2.5, 7, 1e-310, 1e300, -1e300, inf, -inf, nan}
	same := func(want, got jet, what ...any) {
		if math.Float64bits(want.v) != math.Float64bits(got.v) && (want.v == want.v || got.v == got.v) {
			t.Errorf("%v: %v, plain %v", what, got.v, want.v)
		}
	}
	for _, m := range modes {
		for _, x := range points {
			s := seed{x, 1, 2}
			for op := range unaryOps[Real]() {
				same(real.unary(op, s), m.unary(op, s), m.name, op, x)
			}
			for op := range binaryOps[Real]() {
				for _, y := range points {
					r := seed{y, 3, 4}
					same(real.binary(op, s, r), m.binary(op, s, r), m.name, op, x, y)
				}
			}
		}
	}
}

// Each derivative of a Number3 has the bits of that of a Number, whatever the two beside it are.
func TestNumber3HasTheDerivativesOfNumber(t *testing.T) {
	values := []float64{math.Copysign(0, -1), 0, 1, -1, 0.3, -2.5, 7, 1e-310, 1e300, -1e300, inf, -inf, nan}
	slopes := []float64{0, 1, -2.5, 1e300, inf, nan}
	same := func(want Number, got, d float64, what ...any) {
		if math.Float64bits(want.D) != math.Float64bits(d) && (want.D == want.D || d == d) || want.V != got && want.V == want.V {
			t.Errorf("%v: %v, %v, of Number %v", what, got, d, want)
		}
	}
	number := func(v float64, at int) (x Number3, of [3]Number) {
		x.V = v
		for k := range of {
			d := slopes[(at+k)%len(slopes)]
			of[k] = Number{v, d}
			x.SetDerivative(k, d)
		}
		return x, of
	}
	one, three := unaryOps[Number](), unaryOps[Number3]()
	one2, three2 := binaryOps[Number](), binaryOps[Number3]()
	for _, v := range values {
		for at := range slopes {
			x, xs := number(v, at)
			for op, f := range three {
				y := f(x)
				for k, x := range xs {
					same(one[op](x), y.V, y.Derivative(k), op, x, k)
				}
			}
			for i, w := range values {
				y, ys := number(w, at*i%5)
				for op, f := range three2 {
					z := f(x, y)
					for k, x := range xs {
						same(one2[op](x, ys[k]), z.V, z.Derivative(k), op, x, ys[k], k)
					}
				}
			}
		}
	}
	require.Panics(t, func() { new(Number3).SetDerivative(3, 1) })
}

// Methods of a concrete number are inlined, where a compiler that sees x·y + z
// may round it once.
func TestInlinedProductsAreRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		x, y, z := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		want := [3]float64{float64(x*y) + z, float64(x*y) - z, float64(x*x) + z}
		for mode, got := range map[string][3]float64{
			"Real": {
				float64(Real(x).Mul(Real(y)).Add(Real(z))),
				float64(Real(x).Scale(y).Sub(Real(z))),
				float64(Real(x).Square().Add(Real(z))),
			},
			"Number": {
				Number{V: x}.Mul(Number{V: y}).Add(Number{V: z}).V,
				Number{V: x}.Scale(y).Sub(Number{V: z}).V,
				Number{V: x}.Square().Add(Number{V: z}).V,
			},
			"Number, derivative": {
				Number{D: x}.Mul(Number{V: y}).Add(Number{D: z}).D,
				Number{D: x}.Scale(y).Sub(Number{D: z}).D,
				Number{V: x / 2, D: x}.Square().Add(Number{D: z}).D,
			},
			"Hyper": {
				Hyper{V: x}.Mul(Hyper{V: y}).Add(Hyper{V: z}).V,
				Hyper{D12: x}.Scale(y).Sub(Hyper{D12: z}).D12,
				Hyper{V: x / 2, D12: x}.Square().Add(Hyper{D12: z}).D12,
			},
		} {
			if got != want {
				t.Fatalf("%s: %v, want %v", mode, got, want)
			}
		}
	}
}
