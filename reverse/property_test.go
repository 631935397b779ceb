package reverse_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

const eps = 0x1p-53

// tolerance is how far two numbers may be apart, the rounding errors of each of
// which have a bound: twice as much as both are off by, for those of what a test
// itself adds up.
func tolerance(bound float64) float64 { return 4*bound + math.SmallestNonzeroFloat64 }

func close(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol || a != a && b != b
}

var options = randprog.Options{MaxInputs: 6, MaxOutputs: 3, MaxLen: 60, Branches: true, Primitives: true}

// tester is a testing.T or a rapid.T.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func record(t tester, p *randprog.Prog) *reverse.Tape {
	t.Helper()
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return randprog.Run(p, x, randprog.Vars) }, p.X)
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// A long program's operands are anywhere before, so that it is not deep and
// its derivatives stay in range.
func longProgram(ops, seed int) *randprog.Prog {
	return rapid.Custom(func(t *rapid.T) *randprog.Prog {
		return randprog.Draw(t, randprog.Options{
			MaxInputs: 40, MaxOutputs: 5, MinLen: ops, MaxLen: ops, Reach: ops, Branches: true, Primitives: true,
		})
	}).Example(seed)
}

func TestTapeHasTheBitsOfThePlainFunction(t *testing.T) { rapid.Check(t, tapeIsPlain) }
func FuzzTapeHasTheBitsOfThePlainFunction(f *testing.F) { f.Fuzz(rapid.MakeFuzz(tapeIsPlain)) }

func tapeIsPlain(t *rapid.T) {
	p := randprog.Draw(t, options)
	tape := record(t, p)
	sameBits(t, p, tape, p.X)
	sameBits(t, p, tape.Tangent(), join(p.X, p.U))
	if len(tape.Inside().Engine().Guards()) > 0 {
		return
	}
	special := rapid.SampledFrom([]float64{0, minus0, 1, -1, inf, -inf, nan, 5e-324, math.MaxFloat64})
	for i := range p.X {
		p.X[i] = special.Draw(t, "elsewhere")
	}
	sameBits(t, p, tape, p.X)
	sameBits(t, p, tape.Tangent(), join(p.X, p.U))
}

// sameBits demands the bits of the function on plain numbers, at x, which may
// have tangents after p.X.
func sameBits(t tester, p *randprog.Prog, tape *reverse.Tape, x []float64) {
	t.Helper()
	real := make([]dual.Real, len(p.X))
	for i, v := range p.X {
		real[i] = dual.Real(v)
	}
	want := randprog.Run(p, real, nil)
	got, err := tape.Values(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for j := range want {
		if v := float64(want[j]); math.Float64bits(got[j]) != math.Float64bits(v) && (got[j] == got[j] || v == v) {
			t.Fatalf("output %d: %v, want %v at %v\n%v", j, got[j], v, x, p)
		}
	}
}

func TestModesAgree(t *testing.T) { rapid.Check(t, modesAgree) }
func FuzzModesAgree(f *testing.F) { f.Fuzz(rapid.MakeFuzz(modesAgree)) }

func modesAgree(t *rapid.T) {
	p := randprog.Draw(t, options)
	agree(t, p, record(t, p))
}

func TestModesAgreeOnLongPrograms(t *testing.T) {
	for seed, ops := range []int{1000, 1000, 3000, 10000} {
		p := longProgram(ops, seed)
		tape := record(t, p)
		sameBits(t, p, tape, p.X)
		agree(t, p, tape)
	}
}

// agree compares all modes of the tape of p with hyper-dual numbers.
func agree(t tester, p *randprog.Prog, tape *reverse.Tape) {
	t.Helper()
	m1, m2 := randprog.Bounds(p)
	n, m := tape.Inputs(), tape.Outputs()

	x := make([]dual.Hyper, n)
	nested := make([]dual.Of[dual.Of[dual.Real]], n)
	for i, v := range p.X {
		x[i] = dual.Hyper{V: v, D1: p.U[i], D2: p.V[i]}
		nested[i].V.V, nested[i].V.D, nested[i].D.V = dual.Real(v), dual.Real(p.U[i]), dual.Real(p.V[i])
	}
	want := randprog.Run(p, x, nil)
	other := randprog.Run(p, nested, nil)

	check := func(what string, j int, got, want, m float64) {
		t.Helper()
		if tol := tolerance(m); !close(got, want, tol) {
			t.Fatalf("%s, output %d: %v, want %v ± %.2g\n%v", what, j, got, want, tol, p)
		}
	}
	must := func(x []float64, err error) []float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	jvp := must(tape.JVP(nil, p.X, p.U))
	jac, err := tape.Jacobian(nil, p.X)
	if err != nil {
		t.Fatal(err)
	}
	tangent, adjoint := tape.Tangent(), tape.Adjoint()
	xv, u0 := join(p.X, p.V), join(p.U, make([]float64, n))
	y := must(tangent.Values(nil, xv))
	fof := must(tangent.JVP(nil, xv, u0))
	w := make([]float64, m)
	for j := range m {
		check("nested JVP", j, float64(other[j].V.D), want[j].D1, m1[j])
		check("nested", j, float64(other[j].D.D), want[j].D12, m2[j])
		check("JVP", j, jvp[j], want[j].D1, m1[j])
		check("Tangent", j, y[m+j], want[j].D2, m1[j])
		check("FoF", j, fof[m+j], want[j].D12, m2[j])
		check("Jacobian", j, mat.Dot(jac.RowView(j), mat.NewVecDense(n, p.U)), want[j].D1, m1[j])

		clear(w)
		w[j] = 1
		xw := join(p.X, w)
		check("VJP", j, dot(must(tape.VJP(nil, p.X, w)), p.U), want[j].D1, m1[j])
		check("Adjoint", j, dot(must(adjoint.Values(nil, xw)), p.U), want[j].D1, m1[j])
		once := must(reverse.Gradient(nil, func(x []reverse.Var) reverse.Var { return randprog.Run(p, x, randprog.Vars)[j] }, p.X))
		check("once", j, dot(once, p.U), want[j].D1, m1[j])
		check("FoR", j, dot(must(tape.HVP(nil, p.X, p.V, w...)), p.U), want[j].D12, m2[j])
		check("FoR by Adjoint", j, dot(must(adjoint.JVP(nil, xw, join(p.V, make([]float64, m)))), p.U), want[j].D12, m2[j])
		check("RoF", j, dot(must(tangent.VJP(nil, xv, join(make([]float64, m), w)))[:n], p.U), want[j].D12, m2[j])
		check("RoR", j, dot(must(adjoint.VJP(nil, xw, p.V))[:n], p.U), want[j].D12, m2[j])
	}
	if m == 1 {
		f, g, err := tape.ValueGradient(nil, p.X)
		check("ValueGradient", 0, dot(must(g, err), p.U), want[0].D1, m1[0])
		check("value", 0, f, want[0].V, 0)
		check("HVP", 0, dot(must(tape.HVP(nil, p.X, p.V)), p.U), want[0].D12, m2[0])
	}
}

func join(x ...[]float64) []float64 { return slices.Concat(x...) }

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// A function of parameters is that function with the parameters as inputs, in
// a direction that does not change them; at other parameters too.
func TestParametersAreConstants(t *testing.T) { rapid.Check(t, parametersAreConstants) }
func FuzzParametersAreConstants(f *testing.F) { f.Fuzz(rapid.MakeFuzz(parametersAreConstants)) }

func parametersAreConstants(t *rapid.T) {
	o := options
	o.Branches = false // so that a tape holds for all parameters
	p := randprog.Draw(t, o)
	k := rapid.IntRange(0, p.Inputs).Draw(t, "params")
	n := p.Inputs - k
	clear(p.U[n:])
	clear(p.V[n:])
	recorded := slices.Clone(p.X[n:])
	for i := range recorded {
		recorded[i] += rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "shift")
	}
	tape, err := reverse.RecordParamsVec(func(x, q []reverse.Var) []reverse.Var {
		return randprog.Run(p, slices.Concat(x, q), randprog.Vars)
	}, p.X[:n], recorded)
	if err != nil {
		t.Fatal(err)
	}
	all := record(t, p)
	if slices.Equal(recorded, p.X[n:]) {
		p.X = p.X[:n]
	}
	m := tape.Outputs()
	w := make([]float64, m)
	for j := range w {
		w[j] = 1 - float64(j)/3
	}
	full := all.Point()
	b1, b2 := 0.0, 0.0
	for i := range p.Inputs {
		q := randprog.Prog{Inputs: p.Inputs, Outputs: m, Out: p.Out, Code: p.Code, X: full, U: make([]float64, p.Inputs), V: p.V}
		q.U[i] = 1
		m1, m2 := randprog.Bounds(&q)
		b1, b2 = b1+floats.Sum(m1), b2+floats.Sum(m2)
	}
	compare := func(what string, bound float64, got []float64, err error, want []float64, err2 error) {
		t.Helper()
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for i := range got {
			if tol := tolerance(bound); !close(got[i], want[i], tol) {
				t.Fatalf("%s %d: %v, want %v ± %.2g\n%v", what, i, got[i], want[i], tol, p)
			}
		}
	}
	u, v := p.U[:n], p.V[:n]
	got, err := tape.Values(nil, p.X)
	want, err2 := all.Values(nil, full)
	compare("Values", 0, got, err, want, err2)
	got, err = tape.JVP(nil, p.X, u)
	want, err2 = all.JVP(nil, full, p.U)
	compare("JVP", b1, got, err, want, err2)
	got, err = tape.VJP(nil, p.X, w)
	want, err2 = all.VJP(nil, full, w)
	compare("VJP", b1, got, err, want, err2)
	hv, err2 := all.HVP(nil, full, p.V, w...)
	got, err = tape.HVP(nil, p.X, v, w...)
	compare("FoR", b2, got, err, hv, err2)

	q := p.X[n:] // given, or none
	tangent, adjoint := tape.Tangent(), tape.Adjoint()
	got, err = tangent.Values(nil, join(p.X[:n], u, q))
	want, err2 = all.JVP(nil, full, p.U)
	compare("Tangent", b1, got[m:], err, want, err2)
	got, err = tangent.VJP(nil, join(p.X[:n], v, q), join(make([]float64, m), w))
	compare("RoF", b2, got[:n], err, hv, nil)
	got, err = adjoint.Values(nil, join(p.X[:n], w, q))
	want, err2 = all.VJP(nil, full, w)
	compare("Adjoint", b1, got, err, want, err2)
	got, err = adjoint.VJP(nil, join(p.X[:n], w, q), v)
	compare("RoR", b2, got[:n], err, hv, nil)
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// At points where values and partials are infinite or undefined: whatever is
// finite in absolute values is so in every mode, and an output of weight 0
// leaves no trace. Several copies of a program, each at a point of its own and
// with weights of its own, are batches of which some lanes are so.
func TestInfinitiesStayWhereTheyAre(t *testing.T) { rapid.Check(t, infinitiesStay) }
func FuzzInfinitiesStayWhereTheyAre(f *testing.F) { f.Fuzz(rapid.MakeFuzz(infinitiesStay)) }

func infinitiesStay(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 5, MaxOutputs: 2, MaxLen: 15})
	copies := rapid.SampledFrom([]int{1, 9, 20}).Draw(t, "copies")
	n, m := p.Inputs, p.Outputs
	all := make([]randprog.Prog, copies)
	var x, u, v, w []float64
	for c := range all {
		q := &all[c]
		*q = *p
		q.X, q.U, q.V = slices.Clone(p.X), slices.Clone(p.U), slices.Clone(p.V)
		for i := range q.X {
			q.X[i] = rapid.SampledFrom([]float64{q.X[i], 0, 0, 0, 1, -1, inf, nan}).Draw(t, "x")
			q.U[i] = rapid.SampledFrom([]float64{q.U[i], 0, 1}).Draw(t, "u")
			q.V[i] = rapid.SampledFrom([]float64{q.V[i], 0, 1}).Draw(t, "v")
		}
		x, u, v = append(x, q.X...), append(u, q.U...), append(v, q.V...)
		for range m {
			w = append(w, 0)
		}
		if j := rapid.IntRange(0, m).Draw(t, "output"); j < m {
			w[c*m+j] = 1
		}
	}
	f := func(x []reverse.Var) (y []reverse.Var) {
		for c := range copies {
			y = append(y, randprog.Run(p, x[c*n:(c+1)*n], nil)...)
		}
		return y
	}
	tape, err := reverse.RecordVec(f, x)
	if err != nil {
		t.Fatal(err)
	}
	must := func(x []float64, err error) []float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	tangent, adjoint := tape.Tangent(), tape.Adjoint()
	xv, xw, zero := join(x, v), join(x, w), make([]float64, len(w))
	firsts := map[string][]float64{"JVP": must(tape.JVP(nil, x, u)), "Tangent": must(tangent.Values(nil, join(x, u)))[len(w):]}
	fof := must(tangent.JVP(nil, xv, join(u, make([]float64, len(u)))))[len(w):]
	gradients := map[string][]float64{"VJP": must(tape.VJP(nil, x, w)), "Adjoint": must(adjoint.Values(nil, xw))}
	gradients["once"] = must(reverse.Gradient(nil, func(x []reverse.Var) (s reverse.Var) {
		for j, y := range f(x) {
			if w[j] == 1 {
				s = s.Add(y)
			}
		}
		return s
	}, x))
	products := map[string][]float64{
		"FoR":            must(tape.HVP(nil, x, v, w...)),
		"FoR by Adjoint": must(adjoint.JVP(nil, xw, join(v, zero))),
		"RoF":            must(tangent.VJP(nil, xv, join(zero, w)))[:len(x)],
		"RoR":            must(adjoint.VJP(nil, xw, v))[:len(x)],
	}
	for c := range all {
		q := &all[c]
		weight := w[c*m : (c+1)*m]
		j := slices.Index(weight, 1)
		if j < 0 {
			for _, set := range []map[string][]float64{gradients, products} {
				for mode, g := range set {
					for i, g := range g[c*n : (c+1)*n] {
						if g != 0 {
							t.Fatalf("%s of weight 0 at %v, input %d: %v\n%v", mode, q.X, i, g, q)
						}
					}
				}
			}
			continue
		}
		z := make([]dual.Hyper, n)
		for i, v := range q.X {
			z[i] = dual.Hyper{V: v, D1: q.U[i], D2: q.V[i]}
		}
		want := randprog.Run(q, z, nil)[j]
		m1, m2 := randprog.Bounds(q)
		if want.V != want.V || !(m1[j]*m2[j] < 1e100) || want.D1 != want.D1 || want.D12 != want.D12 {
			continue
		}
		check := func(mode string, got, want, m float64) {
			t.Helper()
			if tol := tolerance(m) + 1e-200; !close(got, want, tol) { // or products underflow
				t.Fatalf("%s, copy %d: %v, want %v ± %.2g\n%v", mode, c, got, want, tol, q)
			}
		}
		for mode, y := range firsts {
			check(mode, y[c*m+j], want.D1, m1[j])
		}
		check("FoF", fof[c*m+j], want.D12, m2[j])
		for mode, g := range gradients {
			check(mode, annihilating(g[c*n:(c+1)*n], q.U), want.D1, m1[j])
		}
		for mode, h := range products {
			check(mode, annihilating(h[c*n:(c+1)*n], q.U), want.D12, m2[j])
		}
	}
}

// annihilating is the sum of derivative products.
func annihilating(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		if a[i] != 0 && b[i] != 0 {
			s += a[i] * b[i]
		}
	}
	return s
}

// Copies of one program on shifted points make batches of many lanes. They
// share the last input, so that operands lie consecutively (blocked), at a
// distance (interleaved) and all at one place.
func TestBatchesAgreeWithSingleRuns(t *testing.T) { rapid.Check(t, batchesAgree) }
func FuzzBatchesAgreeWithSingleRuns(f *testing.F) { f.Fuzz(rapid.MakeFuzz(batchesAgree)) }

func batchesAgree(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 1, MaxLen: 25, Primitives: true})
	copies := rapid.SampledFrom([]int{9, 9, 9, 40, 40, 300}).Draw(t, "copies")
	interleaved := rapid.Bool().Draw(t, "interleaved")
	n := p.Inputs - 1 // own inputs of a copy
	at := func(c, i int) int {
		switch {
		case i == n:
			return copies * n
		case interleaved:
			return i*copies + c
		default:
			return c*n + i
		}
	}
	x := make([]float64, copies*n+1)
	u, v := make([]float64, len(x)), make([]float64, len(x))
	for c := range copies {
		for i := range p.Inputs {
			shift := 1 + 1e-4*float64(c)
			if i == n {
				shift = 1
			}
			x[at(c, i)], u[at(c, i)], v[at(c, i)] = p.X[i]*shift, p.U[i], p.V[i]
		}
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		var s reverse.Var
		own := make([]reverse.Var, p.Inputs)
		for c := range copies {
			for i := range own {
				own[i] = x[at(c, i)]
			}
			s = s.Add(randprog.Run(p, own, randprog.Vars)[0])
		}
		return s
	}, x)
	if err != nil {
		t.Fatal(err)
	}

	value := 0.0
	g, hu := make([]float64, len(x)), make([]float64, len(x))
	gm, hm := make([]float64, len(x)), make([]float64, len(x)) // their bounds
	one := *p
	one.X = make([]float64, p.Inputs)
	for c := range copies {
		for i := range one.X {
			one.X[i] = x[at(c, i)]
		}
		single := record(t, &one)
		y, err := single.Value(one.X)
		if err != nil {
			t.Fatal(err)
		}
		value += y
		grad, err := single.Gradient(nil, one.X)
		if err != nil {
			t.Fatal(err)
		}
		hvp, err := single.HVP(nil, one.X, p.V)
		if err != nil {
			t.Fatal(err)
		}
		e := one
		for i := range one.X {
			e.U = make([]float64, p.Inputs)
			e.U[i] = 1
			_, m2 := randprog.Bounds(&e)
			e.V = e.U
			m1, _ := randprog.Bounds(&e)
			e.V = p.V
			g[at(c, i)] += grad[i]
			gm[at(c, i)] += m1[0]
			hu[at(c, i)] += hvp[i]
			hm[at(c, i)] += m2[0]
		}
	}
	got, grad, err := tape.ValueGradient(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	if got != value && got == got {
		t.Fatalf("value %v, want %v\n%v", got, value, p)
	}
	hvp, err := tape.HVP(nil, x, v)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if !close(grad[i], g[i], tolerance(float64(copies)*gm[i])) {
			t.Fatalf("gradient %d: %v, want %v ± %.2g\n%v", i, grad[i], g[i], tolerance(float64(copies)*gm[i]), p)
		}
		if !close(hvp[i], hu[i], tolerance(float64(copies)*hm[i])) {
			t.Fatalf("HVP %d: %v, want %v ± %.2g\n%v", i, hvp[i], hu[i], tolerance(float64(copies)*hm[i]), p)
		}
	}
}
