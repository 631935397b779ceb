package reverse_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// scanned is a random loop.
type scanned struct {
	step          *randprog.Prog // its inputs are [s; w; u; p]
	n, w, u       int
	steps         int
	data          [][]float64
	x             []float64 // [s₀; w; u₀; …]
	at            []int     // nil asks for the sum
	each          bool
	inner         bool // what goes in are no inputs
	checkpoints   int
	memory        int
	outer, nested bool
	below         float64 // the loop goes on while its first state is, 0: to the end
}

func (f *scanned) String() string {
	return fmt.Sprintf("%vstate %d w %d u %d, %d steps, data %v x %v at %v %v inner %v outer %v nested %v, %d checkpoints, while below %v",
		f.step, f.n, f.w, f.u, f.steps, f.data, f.x, f.at, f.each, f.inner, f.outer, f.nested, f.checkpoints, f.below)
}

func drawScanned(t *rapid.T, o randprog.Options) *scanned {
	f := &scanned{step: randprog.Draw(t, o)}
	k := len(f.step.X)
	f.n = rapid.IntRange(0, min(k, 3)).Draw(t, "state")
	f.w = rapid.IntRange(0, k-f.n).Draw(t, "shared")
	f.u = rapid.IntRange(0, k-f.n-f.w).Draw(t, "vars")
	f.steps = rapid.SampledFrom([]int{0, 1, 2, 3, 5, 9, 20}).Draw(t, "steps")
	f.x = append(f.x, f.step.X[:f.n+f.w]...)
	for e := range f.steps {
		for i := range f.u {
			f.x = append(f.x, f.step.X[f.n+f.w+i]*(1+1e-3*float64(e)))
		}
		row := append([]float64{}, f.step.X[f.n+f.w+f.u:]...)
		for i := range row {
			row[i] *= 1 - 1e-3*float64(e)
		}
		f.data = append(f.data, row)
	}
	f.each = rapid.Bool().Draw(t, "each")
	if f.each && rapid.Bool().Draw(t, "some") {
		f.at = rapid.SliceOfNDistinct(rapid.IntRange(0, max(f.steps-1, 0)), 0, f.steps, rapid.ID[int]).Draw(t, "at")
	}
	f.inner = rapid.Bool().Draw(t, "inner")
	f.outer = rapid.Bool().Draw(t, "outer")
	f.nested = rapid.Bool().Draw(t, "nested")
	f.checkpoints = rapid.SampledFrom([]int{0, 0, 1, 2, 3, 7}).Draw(t, "checkpoints")
	f.memory = rapid.SampledFrom([]int{0, 0, 1, 100}).Draw(t, "memory")
	if f.n > 0 && f.steps > 0 {
		f.below = rapid.SampledFrom([]float64{0, 0, 0.3, 0.8, 1.2}).Draw(t, "below")
	}
	return f
}

// scanStep is the step of f.
func scanStep[T dual.Scalar[T]](f *scanned, hooks *randprog.Hooks[T]) func(s, w, u, p []T) (next, out []T) {
	return func(s, w, u, p []T) (next, out []T) {
		x := append(append(append(append([]T{}, s...), w...), u...), p...)
		y := randprog.Run(f.step, x, hooks)
		for i := range s { // stays in range
			next = append(next, y[i%len(y)].Sin().Add(s[(i+1)%len(s)].Scale(0.5)))
		}
		return next, y
	}
}

// run is the function, with its loop by scan.
func run[T dual.Scalar[T]](f *scanned, x []T, hooks *randprog.Hooks[T], scan func(l dual.Loop[T], at []int, each bool) (last []T, out [][]T)) []T {
	z := append([]T{}, x...)
	if f.inner {
		for i := range z {
			z[i] = x[i].Add(x[(i+1)%len(x)].Sin().Scale(0.1))
		}
	}
	l := dual.Loop[T]{Start: z[:f.n], Shared: z[f.n : f.n+f.w], Step: scanStep(f, hooks), Steps: f.steps, Checkpoints: f.checkpoints, Memory: f.memory}
	for e := range f.steps {
		l.Vars = append(l.Vars, z[f.n+f.w+e*f.u:][:f.u])
		l.Data = append(l.Data, f.data[e])
	}
	if f.below != 0 {
		l.While = func(s, _ []T) bool { return s[0].LessReal(f.below) }
	}
	if f.nested { // twice the same, one after the other
		once, inner := l.Step, 2
		l.Step = func(s, w, u, p []T) (next, out []T) {
			all := append(append([]T{}, w...), u...)
			last, sum := scan(dual.Loop[T]{
				Start: s, Shared: append(all, p...), Steps: inner,
				Step: func(s, all, _, _ []T) (next, out []T) {
					return once(s, all[:len(w)], all[len(w):len(w)+len(u)], all[len(w)+len(u):])
				},
			}, nil, false)
			return last, sum[0]
		}
	}
	last, out := scan(l, f.at, f.each)
	y := append([]T{}, last...)
	for _, out := range out {
		y = append(y, out...)
	}
	if len(y) == 0 {
		y = append(y, x[0])
	}
	if f.outer {
		y = append(y, y[0].Sin().Mul(y[len(y)-1].Sin()))
	}
	return y
}

// asLoop runs a loop as it stands.
func asLoop[T dual.Scalar[T]](l dual.Loop[T], at []int, each bool) (last []T, out [][]T) {
	s := l.Start
	var all [][]T
	var sum []T
	ended := false
	for k := range l.Steps {
		var u, p []T
		if l.Vars != nil {
			u = l.Vars[k]
		}
		if l.Data != nil {
			for _, c := range l.Data[k] {
				p = append(p, dual.Const[T](c))
			}
		}
		ended = ended || l.While != nil && !l.While(s, l.Shared)
		next, y := l.Step(s, l.Shared, u, p)
		if k == 0 {
			sum = make([]T, len(y))
		}
		if ended {
			all = append(all, make([]T, len(y)))
			continue
		}
		s = next
		all = append(all, y)
		for j, y := range y {
			sum[j] = sum[j].Add(y)
		}
	}
	switch {
	case !each:
		return s, [][]T{sum}
	case at == nil:
		return s, all
	}
	for _, k := range at {
		out = append(out, all[k])
	}
	return s, out
}

// asScan has Scan run it.
func asScan[T dual.Scalar[T]](l dual.Loop[T], at []int, each bool) (last []T, out [][]T) {
	if each {
		return dual.ScanAt(l, at)
	}
	last, sum := dual.Scan(l)
	return last, [][]T{sum}
}

func (f *scanned) record(t tester, scan func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)) *reverse.Tape {
	tape, err := reverse.RecordVec(func(x []V) []V { return run(f, x, scalarHooks, scan) }, f.x)
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

func TestScanIsTheLoop(t *testing.T) { rapid.Check(t, scanIsLoop) }
func FuzzScanIsTheLoop(f *testing.F) { f.Fuzz(rapid.MakeFuzz(scanIsLoop)) }

func scanIsLoop(t *rapid.T) {
	f := drawScanned(t, randprog.Options{MaxInputs: 5, MaxOutputs: 2, MaxLen: 10, Branches: rapid.Bool().Draw(t, "branches"), Primitives: true})
	if len(f.x) == 0 {
		t.Skip("no inputs")
	}
	var a *reverse.Tape // with a loop in its step as one operation, or written out there
	reverse.WithShortLoop(rapid.SampledFrom([]int{0, 500}).Draw(t, "short"), func() { a = f.record(t, asScan[V]) })
	b := f.record(t, asLoop[V])
	bound, err := f.bound(b)
	require.NoError(t, err)
	if !(bound < 1e9) {
		t.Skip("ill-conditioned")
	}
	parts := []string{"strategies", "transforms", "patterns"}
	sameTapes(t, f, a, b, f.x, 1e-9*(1+bound), rapid.SampledFrom(parts).Draw(t, "part"))
}

// bound is how large derivatives of the first and the second order get.
func (f *scanned) bound(b *reverse.Tape) (float64, error) { return f.boundAt(b, f.x) }

func (f *scanned) boundAt(b *reverse.Tape, x []float64) (float64, error) {
	most := 0.0
	j, err := b.Jacobian(nil, x)
	if err != nil {
		return 0, err
	}
	most = max(most, mat.Max(absOf(j)))
	h, err := hessian.New(b, hessian.FoR).Dense(nil, x, ones(b.Outputs())...)
	if err != nil {
		return 0, err
	}
	return max(most, mat.Max(absOf(h))), nil
}

func absOf(a mat.Matrix) *mat.Dense {
	z := mat.DenseCopyOf(a)
	z.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, z)
	return z
}

// sameTapes compares two tapes of one function, a being that of the loop as one
// operation: in the bits of its values, in products, and in one part of the modes.
func sameTapes(t tester, f fmt.Stringer, a, b *reverse.Tape, x []float64, tol float64, part string) {
	t.Helper()
	got, err := a.Values(nil, x)
	if err != nil {
		t.Fatalf("%v\n%v", err, f)
	}
	want, err := b.Values(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for j := range want {
		if math.Float64bits(got[j]) != math.Float64bits(want[j]) && !(got[j] != got[j] && want[j] != want[j]) && got[j]+want[j] != 0 {
			t.Fatalf("value %d: %v, want %v, in bits\n%v", j, got[j], want[j], f)
		}
	}
	sameButBits(t, f, a, b, x, tol, part)
}

// sameButBits compares all but the bits of the values.
func sameButBits(t tester, f fmt.Stringer, a, b *reverse.Tape, x []float64, tol float64, part string) {
	t.Helper()
	compare := func(what string, f1 func(t *reverse.Tape) ([]float64, error)) {
		t.Helper()
		got, err := f1(a)
		if err != nil {
			t.Fatalf("%s: %v\n%v", what, err, f)
		}
		want, err := f1(b)
		if err != nil {
			t.Fatalf("%s of the loop: %v\n%v", what, err, f)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d numbers, want %d\n%v", what, len(got), len(want), f)
		}
		for i := range want {
			if !close(got[i], want[i], tol) {
				t.Fatalf("%s %d: %v, want %v ± %.2g\n%v", what, i, got[i], want[i], tol, f)
			}
		}
	}
	n, m := a.Inputs(), a.Outputs()
	w, u := make([]float64, m), make([]float64, n)
	for j := range w {
		w[j] = 1 - 0.3*float64(j%4)
	}
	for i := range u {
		u[i] = 0.5 - 0.2*float64(i%5)
	}
	join := func(x ...[]float64) (z []float64) {
		for _, x := range x {
			z = append(z, x...)
		}
		return z
	}
	flat := func(a mat.Matrix) (z []float64) {
		r, c := a.Dims()
		for i := range r {
			for j := range c {
				z = append(z, a.At(i, j))
			}
		}
		return z
	}
	compare("values", func(t *reverse.Tape) ([]float64, error) { return t.Values(nil, x) })
	compare("JVP", func(t *reverse.Tape) ([]float64, error) { return t.JVP(nil, x, u) })
	compare("VJP", func(t *reverse.Tape) ([]float64, error) { return t.VJP(nil, x, w) })
	compare("HVP", func(t *reverse.Tape) ([]float64, error) { return t.HVP(nil, x, u, w...) })
	if part == "strategies" {
		compare("Jacobian", func(t *reverse.Tape) ([]float64, error) {
			j, err := t.Jacobian(nil, x)
			return flat(j), err
		})
		for _, s := range []hessian.Strategy{hessian.FoR, hessian.RoF, hessian.RoR, hessian.FoF} {
			compare(s.String(), func(t *reverse.Tape) ([]float64, error) {
				h, err := hessian.New(t, s).Dense(nil, x, w...)
				if err != nil {
					return nil, err
				}
				return flat(h), err
			})
		}
	}
	if part == "transforms" {
		compare("tangent", func(t *reverse.Tape) ([]float64, error) { return t.Tangent().Values(nil, join(x, u)) })
		compare("adjoint", func(t *reverse.Tape) ([]float64, error) { return t.Adjoint().Values(nil, join(x, w)) })
		compare("adjoint of the tangent", func(t *reverse.Tape) ([]float64, error) {
			s := t.Tangent().Adjoint()
			return s.Values(nil, join(x, u, ones(s.Inputs()-2*n)))
		})
		compare("tangent of the adjoint", func(t *reverse.Tape) ([]float64, error) {
			s := t.Adjoint().Tangent()
			return s.Values(nil, join(x, w, ones(n+m)))
		})
	}
	if part != "patterns" {
		return
	}
	// Patterns hold all that differs from 0, and matrices by them are right.
	dense, err := b.Jacobian(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	j, err := reverse.NewSparseJacobian(a)
	if err != nil {
		t.Fatal(err)
	}
	s := j.Matrix()
	if _, err := j.Eval(s, x); err != nil {
		t.Fatal(err)
	}
	if d := mat.DenseCopyOf(s); m > 0 && n > 0 {
		d.Sub(d, dense)
		if e := mat.Max(absOf(d)); e > tol {
			t.Fatalf("sparse Jacobian off by %v\n%v\n%v", e, a.JacobianPattern(), f)
		}
	}
	full, err := hessian.New(b, hessian.FoR).Dense(nil, x, w...)
	if err != nil {
		t.Fatal(err)
	}
	h, err := hessian.NewSparse(a)
	if err != nil {
		t.Fatal(err)
	}
	hs := h.Matrix()
	if _, err := h.Eval(hs, x, w...); err != nil {
		t.Fatal(err)
	}
	d := mat.DenseCopyOf(hs)
	d.Sub(d, full)
	if e := mat.Max(absOf(d)); e > tol {
		t.Fatalf("sparse Hessian off by %v\n%v\n%v", e, a.HessianPattern(), f)
	}
}

// Steps of hundreds of operations run in blocks, but where their comparisons come out otherwise
// than in most.
func TestLargeStepsAreThoseOfALoop(t *testing.T) {
	const n, steps = 14, 90
	step := func(s, w, _, _ []V) (next, out []V) {
		for i := range n {
			var a V
			for j := range n {
				a = a.Add(w[i*n+j].Mul(s[j]))
			}
			next = append(next, a.Sin())
		}
		if s[0].Less(s[1]) {
			next[2] = next[2].Mul(s[3]).AddReal(0.5)
		}
		return next, []V{next[0].Mul(next[n-1])}
	}
	f := func(loop bool) func(x []V) V {
		return func(x []V) (y V) {
			if loop {
				last, sum := dual.Scan(dual.Loop[V]{Start: x[n*n:], Shared: x[:n*n], Steps: steps, Step: step})
				return sum[0].Add(last[1])
			}
			s := x[n*n:]
			for range steps {
				next, out := step(s, x[:n*n], nil, nil)
				s, y = next, y.Add(out[0])
			}
			return y.Add(s[1])
		}
	}
	x, v := make([]float64, n*n+n), make([]float64, n*n+n)
	for i := range x {
		x[i], v[i] = 0.7*math.Sin(float64(3*i*i)), math.Cos(float64(i))
	}
	loop, err := reverse.Record(f(true), x)
	require.NoError(t, err)
	plain, err := reverse.Record(f(false), x)
	require.NoError(t, err)
	close := func(want, got []float64, err error) {
		t.Helper()
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 1e-10*(1+floats.Norm(want, math.Inf(1))))
	}
	want, g, err := plain.ValueGradient(nil, x)
	require.NoError(t, err)
	value, got, err := loop.ValueGradient(nil, x)
	require.Equal(t, want, value)
	close(g, got, err)
	g, err = plain.JVP(nil, x, v)
	require.NoError(t, err)
	got, err = loop.JVP(nil, x, v)
	close(g, got, err)
	g, err = plain.HVP(nil, x, v)
	require.NoError(t, err)
	got, err = loop.HVP(nil, x, v)
	close(g, got, err)
}
