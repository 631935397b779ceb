package lane

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hesse-ad/hesse/internal/op"
)

// A thousand million take a minute a function.
var arguments = flag.Int("arguments", 2e5, "how many arguments each function is tried with")

// special is where functions change their formula or their kernels end.
var special = []float64{
	0, math.Inf(1), math.NaN(), 0x1p-1074, 0x1p-1022, 0x1p-1023, math.MaxFloat64, 1, 0.5, 2,
	708, 709.782712893384, 710, 744, 745.2, 746, 1000, 1022.5, 1024, 1074, // exponentials
	1 << 29, 1<<29 - 1, 1 << 31, 1 << 52, 1 << 53, 1 << 63, math.Pi, 1e22, // integers, octants
	math.Sqrt2, math.Sqrt2 / 2, math.Sqrt2 - 1, 1 - math.Sqrt2/2, 0x1p-28, 0x1p-29, 0x1p-53, 0x1p-54, 0x1p-56, // logarithms
	math.Ln2, 0.5 * math.Ln2, 1.5 * math.Ln2, 56 * math.Ln2, // expm1
	0.625, 44.014845965556525, 88.0296919311130542, 0.5, 21, // hyperbolic
	0.66, 0.7, math.Tan(3 * math.Pi / 8), // arcs
	0.84375, 1.25, 1 / 0.35, 6, 28, // erf
	3, 7, 15, 1 << 20, 1 << 40,
}

// argument draws one.
func argument(r *rand.Rand) float64 {
	sign := float64(1 - 2*r.IntN(2))
	switch r.IntN(8) {
	case 0: // any bits
		return math.Float64frombits(r.Uint64())
	case 1: // at a special place or a few units off
		x := special[r.IntN(len(special))]
		return sign * math.Float64frombits(math.Float64bits(x)+uint64(r.IntN(9)-4))
	case 2: // near a multiple of π/4
		k := float64(r.IntN(1 << r.IntN(31)))
		return sign * k * math.Pi / 4 * (1 + float64(r.IntN(9)-4)*0x1p-52)
	case 3:
		return sign * math.Exp(20*r.Float64()-15)
	case 4:
		return sign * 800 * r.Float64()
	case 5:
		return sign * float64(r.IntN(1<<r.IntN(20))) / 16
	}
	return sign * math.Exp2(8*r.Float64()-5)
}

func fill(r *rand.Rand, x []float64) {
	for i := range x {
		x[i] = argument(r)
	}
}

// eachSet runs a test with each set of instructions that there is.
func eachSet(t *testing.T, f func(t *testing.T)) {
	defer choose("")
	for s, name := range []string{"portable", "avx2", "avx512"} {
		if s-1 > best() {
			continue
		}
		choose(name)
		t.Run(name, f)
	}
}

// compare compares the bits of numbers in a place.
func compare(t *testing.T, got, want float64, place any) {
	t.Helper()
	if math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
		t.Fatalf("at %v: %v (%x), want %v (%x)", place, got, math.Float64bits(got), want, math.Float64bits(want))
	}
}

// Where there are kernels, none was given up but for what the compiler does.
func TestKernelsAgreeWithTheirRules(t *testing.T) {
	fused := fuses(1+0x1p-52, 1-0x1p-52, -1)
	used := func(name any, k kernel, plain bool) {
		if want := set != none && !(fused && plain); (k != 0) != want {
			t.Errorf("%v: kernel %d, want one: %v", name, k, want)
		}
	}
	for _, k := range slices.Concat(unaryKernels, binaryKernels) {
		used(k.code, kernels[k.code], k.plain)
	}
	for _, k := range slices.Concat(firstKernels, first2Kernels) {
		used(fmt.Sprint("partials of ", k.code), firsts[k.code], k.plain)
	}
	for _, k := range slices.Concat(secondKernels, second2Kernels) {
		used(fmt.Sprint("second partials of ", k.code), seconds[k.code], k.plain)
	}
	for i, k := range unaryTwoKernels {
		used(i, k.f.kernel, true)
	}
}

// exponent draws a second argument: half of the time one that may be an exponent.
func exponent(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return float64(r.IntN(41) - 20)
	case 1:
		return float64(r.IntN(1<<r.IntN(16))-r.IntN(1<<r.IntN(16))) / float64(int(1)<<r.IntN(4))
	}
	return argument(r)
}

// Each kernel that is used, and those of lesser sets of instructions.
func TestFunctionsHaveTheBitsOfTheirRules(t *testing.T) {
	const n = 1000
	array := func() []float64 { return make([]float64, n) }
	x, y, got, got2, want, want2 := array(), array(), array(), array(), array(), array()
	defer choose("")
	try := func(name string, used *kernel, of [2]kernel, scalar func(i int), run func(), check func(t *testing.T)) {
		if *used == 0 {
			return
		}
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range *arguments / n {
				for i := range x {
					x[i], y[i] = argument(r), exponent(r)
				}
				for i := range x {
					scalar(i)
				}
				for _, *used = range of[:set+1] {
					run()
					check(t)
				}
			}
		})
	}
	for _, k := range slices.Concat(unaryKernels, binaryKernels) {
		name := k.code.String()
		try(name, &kernels[k.code], k.of, func(i int) { want[i] = rule(k.code, x[i], y[i]) }, func() { Values(k.code, got, x, y) },
			func(t *testing.T) { compareAll(t, name, got, want, x, y) })
	}
	for i, k := range unaryTwoKernels {
		name := fmt.Sprint("two ", i)
		try(name, &k.f.kernel, k.of, func(i int) { want[i], want2[i] = k.f.scalar(x[i]) }, func() { k.f.run(got, got2, x) },
			func(t *testing.T) {
				compareAll(t, name, got, want, x, x)
				compareAll(t, name, got2, want2, x, x)
			})
	}
}

// rule is an operation that is a function in the table, of single numbers.
func rule(code op.Code, x, y float64) float64 {
	switch f := code.Info(); {
	case f.F1 != nil:
		return f.F1(x)
	case f.FC != nil:
		return f.FC(x, y)
	default:
		return f.F2(x, y)
	}
}

// functions yields the operations that are functions in the table, for any numbers.
func functions(yield func(code op.Code) bool) {
	for code := range op.All {
		f := code.Info()
		if (f.F1 != nil || f.FC != nil || f.F2 != nil) && code != op.Polygamma && !yield(code) {
			return
		}
	}
}

func compareAll(t *testing.T, name string, got, want, x, y []float64) {
	t.Helper()
	if same(got, want) {
		return
	}
	for i, g := range got {
		if w := want[i]; math.Float64bits(g) != math.Float64bits(w) && (g == g || w == w) {
			t.Fatalf("%s at %v (%x), %v (%x): %v (%x), want %v (%x)", name, x[i], math.Float64bits(x[i]), y[i], math.Float64bits(y[i]),
				g, math.Float64bits(g), w, math.Float64bits(w))
		}
	}
}

// Any length, anywhere in an array, dst being x or not; nothing else is written.
func TestFunctionsOfAnyLength(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		const guard = -7.25
		for n := range 68 {
			for offset := range 4 {
				x, y := make([]float64, n+offset), make([]float64, n)
				fill(r, x)
				fill(r, y)
				x = x[offset:]
				room := func() []float64 {
					dst := make([]float64, n+offset+9)
					for i := range dst {
						dst[i] = guard
					}
					return dst[:n+offset]
				}
				check := func(name string, dst []float64, f func(i int) float64) {
					t.Helper()
					for i, d := range dst[:cap(dst)][:n+offset+9] {
						want := guard
						if i >= offset && i < n+offset {
							want = f(i - offset)
						}
						if math.Float64bits(d) != math.Float64bits(want) && (d == d || want == want) {
							t.Fatalf("%s, length %d, offset %d, lane %d: %v, want %v", name, n, offset, i-offset, d, want)
						}
					}
				}
				for code := range functions {
					dst := room()
					Values(code, dst[offset:], x, y)
					check(code.String(), dst, func(i int) float64 { return rule(code, x[i], y[i]) })
					copy(dst[offset:], x)
					Values(code, dst[offset:], dst[offset:], y)
					check(code.String()+" in place", dst, func(i int) float64 { return rule(code, x[i], y[i]) })
					copy(dst[offset:], y)
					Values(code, dst[offset:], x, dst[offset:])
					check(code.String()+" in place of y", dst, func(i int) float64 { return rule(code, x[i], y[i]) })
				}
				for i, f := range []*unaryTwo{&sincos, &softplusLogistic} {
					dst, dst2 := room(), room()
					f.run(dst[offset:], dst2[offset:], x)
					check(fmt.Sprint("two ", i), dst, func(i int) float64 { s, _ := f.scalar(x[i]); return s })
					check(fmt.Sprint("two ", i), dst2, func(i int) float64 { _, c := f.scalar(x[i]); return c })
					copy(dst2[offset:], x)
					f.run(dst[offset:], dst2[offset:], dst2[offset:])
					check(fmt.Sprint("two ", i, " in place"), dst, func(i int) float64 { s, _ := f.scalar(x[i]); return s })
					check(fmt.Sprint("two ", i, " in place"), dst2, func(i int) float64 { _, c := f.scalar(x[i]); return c })
				}
			}
		}
	})
}

func BenchmarkFunctions(b *testing.B) {
	const n = 256
	x, y, dst, dst2 := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range x {
		x[i], y[i] = 0.05+0.9*r.Float64(), 0.2+3*r.Float64()
	}
	defer choose("")
	measure := func(name string, f func()) {
		for s, set := range []string{"portable", "avx2", "avx512"} {
			if s-1 > best() {
				continue
			}
			choose(set)
			b.Run(fmt.Sprint(name, "/", set), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/lane")
			})
		}
	}
	whole := make([]float64, n)
	for i, y := range y {
		whole[i] = 4 + math.Floor(2*y)
	}
	for code := range functions {
		y := y
		if code.Constant() == op.IntConstant {
			y = whole
		}
		measure(code.String(), func() { Values(code, dst, x, y) })
	}
	for i, f := range []*unaryTwo{&sincos, &softplusLogistic} {
		measure(fmt.Sprint("two ", i), func() { f.run(dst, dst2, x) })
	}
}
