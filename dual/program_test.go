package dual

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
)

// A program is a straight line of operations: each applies to two of the
// inputs and earlier results, or to the first of them.
type program []instruction

type instruction struct {
	op   string
	a, b int
}

const inputs = 3

func (p program) String() string {
	var s strings.Builder
	for i, in := range p {
		fmt.Fprintf(&s, "\n\tv%d = %s(v%d, v%d)", inputs+i, in.op, in.a, in.b)
	}
	return s.String()
}

// run is the last result.
func run[T Scalar[T]](p program, x []T) T {
	v := results(p, x)
	return v[len(v)-1]
}

func results[T Scalar[T]](p program, x []T) []T {
	unary, binary := unaryOps[T](), binaryOps[T]()
	v := slices.Clone(x)
	for _, in := range p {
		if f, ok := unary[in.op]; ok {
			v = append(v, f(v[in.a]))
		} else {
			v = append(v, binary[in.op](v[in.a], v[in.b]))
		}
	}
	return v
}

// errorBounds runs p in running error analysis applied twice. The bounds are
// infinite for a program that meets an infinite or undefined value, where modes
// need not agree, or one whose second partials may leave the range of float64.
func errorBounds(p program, x []seed) jet {
	v := results(p, numbers(x, inRunning))
	for _, r := range v {
		if a := math.Abs(r.V.V.v); a != 0 && !(1e-100 < a && a < 1e100) {
			return jet{inf, inf, inf, inf}
		}
	}
	last := v[len(v)-1]
	const unit = 4 * 0x1p-53 // of which Hyper makes part
	return jet{unit * last.V.V.e, unit * last.V.D.e, unit * last.D.V.e, unit * last.D.D.e}
}

var opNames = func() []string {
	var names []string
	for op := range unaryOps[Real]() {
		names = append(names, op)
	}
	for op := range binaryOps[Real]() {
		names = append(names, op)
	}
	slices.Sort(names)
	return names
}()

func drawProgram(t *rapid.T) program {
	p := make(program, rapid.IntRange(1, 12).Draw(t, "operations"))
	for i := range p {
		last := inputs + i - 1
		p[i] = instruction{
			rapid.SampledFrom(opNames).Draw(t, "op"),
			last - rapid.IntRange(0, min(last, 3)).Draw(t, "a back"),
			rapid.IntRange(0, last).Draw(t, "b"),
		}
	}
	return p
}

func drawInputs(t *rapid.T) []seed {
	// Multiples of 1/8 make zeros, ties and ends of domains common; nothing
	// is so small that a product underflows.
	eighths := rapid.Map(rapid.IntRange(-24, 24), func(k int) float64 { return float64(k) / 8 })
	value := rapid.OneOf(eighths, rapid.Float64Range(0.01, 1), rapid.Float64Range(-3, -0.01))
	direction := rapid.OneOf(rapid.SampledFrom([]float64{0, 1}), eighths)
	x := make([]seed, inputs)
	for i := range x {
		x[i] = seed{value.Draw(t, "x"), direction.Draw(t, "direction 1"), direction.Draw(t, "direction 2")}
	}
	return x
}

func numbers[T any](x []seed, in func(seed) T) []T {
	v := make([]T, len(x))
	for i, s := range x {
		v[i] = in(s)
	}
	return v
}

func inRunning(s seed) Of[Of[running]] {
	return Of[Of[running]]{Of[running]{running{v: s.v}, running{v: s.d1}}, Of[running]{V: running{v: s.d2}}}
}

// On a tape a comparison or a look at a value binds the recording to it.
func TestRulesAndHelpersRecordNoGuard(t *testing.T) {
	one := Of[Of[running]]{Of[running]{running{v: 0.5}, running{v: 1}}, Of[running]{V: running{v: 1}}}
	two := one.AddReal(0.25)
	for op, f := range unaryOps[Of[Of[running]]]() {
		t.Run(op, func(t *testing.T) { f(one) })
	}
	for op, f := range binaryOps[Of[Of[running]]]() {
		t.Run(op, func(t *testing.T) { f(one, two) })
	}
}

// Values have the same bits in every mode, and first derivatives where the
// rules are the same.
func TestValuesAreTheSameInEveryModeOnRandomPrograms(t *testing.T) {
	rapid.Check(t, valuesAreTheSameInEveryModeOnRandomPrograms)
}
func FuzzValuesAreTheSameInEveryModeOnRandomPrograms(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(valuesAreTheSameInEveryModeOnRandomPrograms))
}

func valuesAreTheSameInEveryModeOnRandomPrograms(t *rapid.T) {
	p, x := drawProgram(t), drawInputs(t)
	want := run(p, numbers(x, func(s seed) Real { return Real(s.v) })).Value()
	n := run(p, numbers(x, func(s seed) Number { return Number{s.v, s.d1} }))
	h := run(p, numbers(x, inHyper))
	d := run(p, numbers(x, func(s seed) Of[Real] { return Of[Real]{Real(s.v), Real(s.d1)} }))
	o := outNested(run(p, numbers(x, inNested)))
	for _, v := range []float64{n.V, h.V, d.Value(), o.v} {
		if v != want && !(v != v && want != want) {
			t.Fatalf("values %v, %v, %v, %v, want %v at %v of %v", n, h, d, o, want, x, p)
		}
	}
	if n.D != h.D1 && n.D == n.D || d.D.Value() != o.d1 && o.d1 == o.d1 {
		t.Fatalf("first derivatives %v, %v; %v, %v at %v of %v", n.D, h.D1, d.D, o.d1, x, p)
	}
}

// The closed rules of Hyper against the rules of first order applied twice,
// within the bound that running error analysis gives. Where that bound is
// infinite a derivative is, or its sum had ∞ − ∞.
func TestNestedDualsAreHyperDualOnRandomPrograms(t *testing.T) {
	rapid.Check(t, nestedDualsAreHyperDualOnRandomPrograms)
}
func FuzzNestedDualsAreHyperDualOnRandomPrograms(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(nestedDualsAreHyperDualOnRandomPrograms))
}

func nestedDualsAreHyperDualOnRandomPrograms(t *rapid.T) {
	p, x := drawProgram(t), drawInputs(t)
	h := run(p, numbers(x, inHyper))
	o := outNested(run(p, numbers(x, inNested)))
	tol := errorBounds(p, x)
	check := func(what string, hyper, nested, tol float64) {
		if tol < math.MaxFloat64 && !near(hyper, nested, tol+1e-250) {
			t.Fatalf("%s: hyper-dual %v, nested %v, differ by %g, allowed are %g, at %v of %v",
				what, hyper, nested, math.Abs(hyper-nested), tol, x, p)
		}
	}
	check("d1", h.D1, o.d1, tol.d1)
	check("d2", h.D2, o.d2, tol.d2)
	check("d12", h.D12, o.d12, tol.d12)
}

// Exchanging the directions changes nothing but rounding.
func TestSecondDerivativesAreSymmetricOnRandomPrograms(t *testing.T) {
	rapid.Check(t, secondDerivativesAreSymmetricOnRandomPrograms)
}
func FuzzSecondDerivativesAreSymmetricOnRandomPrograms(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(secondDerivativesAreSymmetricOnRandomPrograms))
}

func secondDerivativesAreSymmetricOnRandomPrograms(t *rapid.T) {
	p, x := drawProgram(t), drawInputs(t)
	swapped := numbers(x, func(s seed) seed { return seed{s.v, s.d2, s.d1} })
	tol := errorBounds(p, x).d12 + 1e-250
	if !(tol < math.MaxFloat64) {
		return
	}
	h, k := run(p, numbers(x, inHyper)), run(p, numbers(swapped, inHyper))
	o, q := outNested(run(p, numbers(x, inNested))), outNested(run(p, numbers(swapped, inNested)))
	if !near(h.D12, k.D12, tol) || !near(o.d12, q.d12, tol) {
		t.Fatalf("hyper-dual %v, %v, nested %v, %v at %v of %v", h.D12, k.D12, o.d12, q.d12, x, p)
	}
}
