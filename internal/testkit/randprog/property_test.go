package randprog_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/internal/tape"
	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity/detect"
)

var options = randprog.Options{MaxInputs: 5, MaxOutputs: 3, MaxLen: 40, Branches: true, Primitives: true}

// draw draws a program, one in three with solutions of equations. These are
// short: a solution has rounding errors of its own in each mode, which what
// follows may amplify.
func draw(t *rapid.T) *randprog.Prog {
	o := options
	if rapid.IntRange(0, 2).Draw(t, "roots") == 2 {
		o.Roots, o.MaxLen = true, 10
	}
	return randprog.Draw(t, o)
}

// root solves r + 0.3·sin r = x, nested w + 0.2·r = x with that root r of w.
var root = func() (eq [2]*implicit.Equation) {
	for k := range eq {
		f, err := implicit.Record(func(w, x []reverse.Var) []reverse.Var {
			r := w[0].Sin().Scale(0.3)
			if k == 1 {
				r = eq[0].Apply(w[0])[0].Scale(0.2)
			}
			return []reverse.Var{w[0].Add(r).Sub(x[0])}
		}, []float64{0.1}, []float64{0.1})
		if err != nil {
			panic(err)
		}
		eq[k] = implicit.NewEquation(f)
	}
	return eq
}()

var hooks = &randprog.Hooks[reverse.Var]{
	Own: randprog.Vars.Own,
	Vec: randprog.Vars.Vec,
	Root: func(x reverse.Var, nested bool) reverse.Var {
		if nested {
			return root[1].Apply(x)[0]
		}
		return root[0].Apply(x)[0]
	},
}

func record(t require.TestingT, p *randprog.Prog) *reverse.Tape {
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return randprog.Run(p, x, hooks) }, p.X)
	require.NoError(t, err)
	return tape
}

// called is tape, or one that calls it.
func called(t *rapid.T, tape *reverse.Tape) *reverse.Tape {
	if !rapid.Bool().Draw(t, "called") {
		return tape
	}
	outer, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return tape.Apply(x...) }, tape.Point())
	require.NoError(t, err)
	return outer
}

// tolerance is how far two numbers may be apart, the rounding errors of each of
// which have a bound: see the package comment. Solutions of equations have errors
// of their own.
func tolerance(p *randprog.Prog, bound float64) float64 {
	if slices.ContainsFunc(p.Code, func(in randprog.Instr) bool { return in.Kind == randprog.KindRoot }) {
		bound *= 0x1p20
	}
	return 4*bound + math.SmallestNonzeroFloat64
}

func near(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance || got != got && want != want
}

func weights(m int) []float64 {
	w := make([]float64, m)
	for j := range w {
		w[j] = 1 - float64(j)/3
	}
	return w
}

// unit is p in the directions eᵢ and eⱼ.
func unit(p *randprog.Prog, i, j int) *randprog.Prog {
	q := *p
	q.U, q.V = make([]float64, p.Inputs), make([]float64, p.Inputs)
	q.U[i], q.V[j] = 1, 1
	return &q
}

func TestEveryWayToTheHessian(t *testing.T) { rapid.Check(t, everyWayToTheHessian) }
func FuzzEveryWayToTheHessian(f *testing.F) { f.Fuzz(rapid.MakeFuzz(everyWayToTheHessian)) }

func everyWayToTheHessian(t *rapid.T) {
	p := draw(t)
	tape := called(t, record(t, p))
	n, w := p.Inputs, weights(p.Outputs)
	want, bound := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	all := 0.0
	for i := range n {
		for j := range i + 1 {
			q := unit(p, i, j)
			_, m2 := randprog.Bounds(q)
			x := make([]dual.Hyper, n)
			for k, v := range p.X {
				x[k] = dual.Hyper{V: v, D1: q.U[k], D2: q.V[k]}
			}
			h, b := 0.0, 0.0
			for k, y := range randprog.Run(p, x, nil) {
				h += w[k] * y.D12
				b += math.Abs(w[k]) * m2[k]
			}
			want.SetSym(i, j, h)
			bound.SetSym(i, j, b)
			all += b
		}
	}
	check := func(way string, h mat.Matrix, slack float64) {
		t.Helper()
		for i := range n {
			for j := range n {
				if tol := tolerance(p, bound.At(i, j)+slack); !near(h.At(i, j), want.At(i, j), tol) {
					t.Fatalf("%s (%d, %d): %v, want %v ± %.2g\n%v", way, i, j, h.At(i, j), want.At(i, j), tol, p)
				}
			}
		}
	}
	for _, s := range hessian.Strategies {
		h, err := hessian.New(tape, s).Dense(nil, p.X, w...)
		require.NoError(t, err)
		check(s.String(), h, 0)
	}
	nested := mat.NewSymDense(n, nil)
	x := make([]dual.Of[dual.Of[dual.Real]], n)
	for i := range n {
		for j := range i + 1 {
			for k, v := range p.X {
				x[k] = dual.Of[dual.Of[dual.Real]]{V: dual.Of[dual.Real]{V: dual.Real(v)}}
			}
			x[i].V.D, x[j].D.V = 1, 1
			h := 0.0
			for k, y := range randprog.Run(p, x, nil) {
				h += w[k] * float64(y.D.D)
			}
			nested.SetSym(i, j, h)
		}
	}
	check("nested", nested, 0)

	g, err := tape.VJP(nil, p.X, w)
	require.NoError(t, err)
	for _, o := range []hessian.SparseSettings{
		{}, {Workers: 2}, {Method: hessian.ByTerms}, {Method: hessian.ByStar}, {Method: hessian.ByAcyclic},
	} {
		plan, err := o.New(tape)
		if errors.Is(err, reverse.ErrNoTerms) {
			continue
		}
		require.NoError(t, err)
		h, gradient := plan.Matrix(), make([]float64, n)
		_, err = plan.EvalAll(h, gradient, p.X, w...)
		require.NoError(t, err)
		slack := 0.0
		if o.Method == hessian.ByAcyclic || plan.Method() == hessian.ByAcyclic {
			slack = all // elements are substituted into each other
		}
		check("sparse by "+plan.Method().String(), h, slack)
		if err := plan.Verify(p.X, w...); err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
		for i := range g {
			m1, _ := randprog.Bounds(unit(p, i, i))
			if tol := tolerance(p, 2*floats.Sum(m1)); !near(gradient[i], g[i], tol) {
				t.Fatalf("gradient by %v, %d: %v, want %v ± %.2g\n%v", plan.Method(), i, gradient[i], g[i], tol, p)
			}
		}
	}
}

func TestEveryWayToTheJacobian(t *testing.T) { rapid.Check(t, everyWayToTheJacobian) }
func FuzzEveryWayToTheJacobian(f *testing.F) { f.Fuzz(rapid.MakeFuzz(everyWayToTheJacobian)) }

func everyWayToTheJacobian(t *rapid.T) {
	p := draw(t)
	tape := called(t, record(t, p))
	n, m := p.Inputs, p.Outputs
	bound := mat.NewDense(m, n, nil)
	for i := range n {
		m1, _ := randprog.Bounds(unit(p, i, i))
		bound.SetCol(i, m1)
	}
	want := forward.Jacobian(nil, func(x []dual.Number3) []dual.Number3 { return randprog.Run(p, x, nil) }, p.X)
	check := func(way string, a mat.Matrix, slack float64) {
		t.Helper()
		for j := range m {
			for i := range n {
				if tol := tolerance(p, bound.At(j, i)+slack); !near(a.At(j, i), want.At(j, i), tol) {
					t.Fatalf("%s (%d, %d): %v, want %v ± %.2g\n%v", way, j, i, a.At(j, i), want.At(j, i), tol, p)
				}
			}
		}
	}
	dense, err := tape.Jacobian(nil, p.X)
	require.NoError(t, err)
	check("dense", dense, 0)
	for _, o := range []reverse.SparseSettings{
		{}, {Method: reverse.ByTerms}, {Method: reverse.ByColumns}, {Method: reverse.ByRows}, {Method: reverse.ByBoth}, {Workers: 2},
	} {
		plan, err := o.New(tape)
		if errors.Is(err, reverse.ErrNoTerms) {
			continue
		}
		require.NoError(t, err)
		a := plan.Matrix()
		_, err = plan.Eval(a, p.X)
		require.NoError(t, err)
		slack := 0.0
		if o.Method == reverse.ByBoth || plan.Method() == reverse.ByBoth {
			slack = mat.Sum(bound)
		}
		check("sparse by "+plan.Method().String(), a, slack)
		if err := plan.Verify(p.X); err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
	}
	compressed := forward.NewSparse(tape.JacobianPattern())
	a := compressed.Eval(nil, func(x []dual.Number3) []dual.Number3 { return randprog.Run(p, x, nil) }, p.X)
	check("sparse forward", a, 0)
}

func TestProductsAreLinearAndSymmetric(t *testing.T) {
	rapid.Check(t, productsAreLinearAndSymmetric)
}
func FuzzProductsAreLinearAndSymmetric(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(productsAreLinearAndSymmetric))
}

func productsAreLinearAndSymmetric(t *rapid.T) {
	p := draw(t)
	tape := record(t, p)
	w := weights(p.Outputs)
	hvp := func(v []float64) []float64 {
		h, err := tape.HVP(nil, p.X, v, w...)
		require.NoError(t, err)
		return h
	}
	const a, b = 2, -0.75
	hu, hv := hvp(p.U), hvp(p.V)
	sum := slices.Clone(p.V)
	floats.Scale(b, sum)
	floats.AddScaled(sum, a, p.U)
	h := hvp(sum)
	bounds := func(u, v []float64) float64 {
		q := *p
		q.U, q.V = u, v
		_, m2 := randprog.Bounds(&q)
		return floats.Sum(m2)
	}
	if got, want := floats.Dot(p.U, hv), floats.Dot(p.V, hu); !near(got, want, tolerance(p, bounds(p.U, p.V))) {
		t.Fatalf("uᵀHv = %v, vᵀHu = %v\n%v", got, want, p)
	}
	for i := range h {
		e := unit(p, i, i).U
		tol := tolerance(p, bounds(e, sum)+2*bounds(e, p.U)+bounds(e, p.V))
		if want := a*hu[i] + b*hv[i]; !near(h[i], want, tol) {
			t.Fatalf("H(au + bv) %d: %v, aHu + bHv %v ± %.2g\n%v", i, h[i], want, tol, p)
		}
	}
}

// The third derivative along u, v and w is that of the JVP along u twice; by
// nested dual numbers too.
func TestThirdDerivativesAreSymmetric(t *testing.T) { rapid.Check(t, thirdDerivativesAreSymmetric) }
func FuzzThirdDerivativesAreSymmetric(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(thirdDerivativesAreSymmetric))
}

func thirdDerivativesAreSymmetric(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 1, MaxLen: 25, Branches: true})
	tape := record(t, p).Tangent()
	n := p.Inputs
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 - float64(i)/2
	}
	x := make([]dual.Of[dual.Of[dual.Of[dual.Real]]], n)
	for i, v := range p.X {
		x[i].V.V.V, x[i].V.V.D, x[i].V.D.V, x[i].D.V.V = dual.Real(v), dual.Real(p.U[i]), dual.Real(p.V[i]), dual.Real(w[i])
	}
	want := float64(randprog.Run(p, x, nil)[0].D.D.D)
	tol := tolerance(p, randprog.Third(p, w)[0])
	for _, d := range [][3][]float64{{p.U, p.V, w}, {p.V, p.U, w}, {w, p.V, p.U}, {p.U, w, p.V}, {p.V, w, p.U}, {w, p.U, p.V}} {
		h, err := tape.HVP(nil, slices.Concat(p.X, d[0]), slices.Concat(d[1], make([]float64, n)), []float64{0, 1}...)
		require.NoError(t, err)
		if got := floats.Dot(h[:n], d[2]); !near(got, want, tol) {
			t.Fatalf("third derivative %v, nested %v ± %.2g\n%v", got, want, tol, p)
		}
	}
}

func TestEveryWayToThirdDerivatives(t *testing.T) { rapid.Check(t, everyWayToThirdDerivatives) }
func FuzzEveryWayToThirdDerivatives(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(everyWayToThirdDerivatives))
}

// Sums of third derivatives, and Hessians along a direction, are those of nested numbers by every
// method. Symbols and sweeps over derivatives group products otherwise than nested numbers, so that
// what cancels exactly there is off by roundings of derivatives up to the third order here.
func everyWayToThirdDerivatives(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 3, MaxOutputs: 2, MaxLen: 20, Branches: true})
	tape := called(t, record(t, p))
	n, w := p.Inputs, weights(p.Outputs)
	type number = dual.Of[dual.Of[dual.Of[dual.Real]]]
	at := func(i, j, k int) (d3, bound float64) {
		q, e := unit(p, i, j), make([]float64, n)
		e[k] = 1
		x := make([]number, n)
		for a, v := range p.X {
			x[a].V.V.V, x[a].V.V.D, x[a].V.D.V, x[a].D.V.V = dual.Real(v), dual.Real(q.U[a]), dual.Real(q.V[a]), dual.Real(e[a])
		}
		bounds := randprog.Third(q, e)
		for a, y := range randprog.Run(p, x, nil) {
			d3 += w[a] * float64(y.D.D.D)
			bound += math.Abs(w[a]) * bounds[a]
		}
		return d3, bound
	}
	size := 0.0
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, p.X, w...)
	require.NoError(t, err)
	for i := range n {
		for j := range n {
			size += math.Abs(h.At(i, j))
			for k := range n {
				d3, _ := at(i, j, k)
				size += math.Abs(d3)
			}
		}
	}
	slack := 0x1p-46 * size
	for _, settings := range []hessian.SparseSettings{
		{}, {Method: hessian.ByTerms}, {Method: hessian.ByStar}, {Method: hessian.ByAcyclic, Lower: true},
	} {
		s, err := settings.New(tape)
		if errors.Is(err, reverse.ErrNoTerms) {
			continue
		}
		require.NoError(t, err)
		weights := s.Matrix()
		e := 0
		for i, j := range s.Pattern().All() {
			weights.Values()[e] = math.Cos(float64(min(i, j) + 3*max(i, j)))
			e++
		}
		sum, err := s.Third(nil)
		require.NoError(t, err)
		got, err := sum.Eval(nil, p.X, weights, w...)
		require.NoError(t, err)
		along, err := sum.Along(nil, p.X, p.U, w...)
		require.NoError(t, err)
		want, tol := make([]float64, n), make([]float64, n)
		for i := range n {
			for j := range i + 1 {
				h, b := 0.0, 0.0
				for k := range n {
					d, bound := at(i, j, k)
					h += p.U[k] * d
					b += math.Abs(p.U[k]) * bound
					if i != j {
						d, bound = 2*d, 2*bound
					}
					want[k] += weights.At(i, j) * d
					tol[k] += 2 * math.Abs(weights.At(i, j)) * bound
				}
				if got := along.At(i, j); !near(got, h, tolerance(p, 2*b+slack)) {
					t.Fatalf("%v: (%d, %d) of the derivative along u: %v, nested %v ± %.2g\n%v", s.Method(), i, j, got, h, b, p)
				}
			}
		}
		for k := range n {
			if !near(got[k], want[k], tolerance(p, tol[k]+float64(n)*slack)) {
				t.Fatalf("%v: sum %d of third derivatives %v, nested %v ± %.2g\n%v", s.Method(), k, got[k], want[k], tol[k], p)
			}
		}
	}
}

// What the detector finds on a tape is what the tracer finds when the tape runs
// on it: rules of their own.
func TestPatternsAreTheStructure(t *testing.T) { rapid.Check(t, patternsAreTheStructure) }
func FuzzPatternsAreTheStructure(f *testing.F) { f.Fuzz(rapid.MakeFuzz(patternsAreTheStructure)) }

func patternsAreTheStructure(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 8, MaxOutputs: 3, MaxLen: 60, Primitives: true})
	recorded := record(t, p)
	q := recorded.Inside().Engine()
	f := func(x []detect.Tracer) []detect.Tracer {
		v := tape.Replay(&q.Tape, x, traced{})
		y := make([]detect.Tracer, p.Outputs)
		for j := range y {
			y[j] = v[q.Output(j)]
		}
		return y
	}
	if got, want := recorded.JacobianPattern(), detect.Jacobian(f, p.Inputs); !got.Equal(want) {
		t.Fatalf("Jacobian\n%v want\n%v\n%v", got.Spy(20), want.Spy(20), p)
	}
	sum := func(x []detect.Tracer) detect.Tracer { return detect.Tracer{}.SumOf(f(x)) }
	if got, want := recorded.HessianPattern(), detect.Hessian(sum, p.Inputs); !got.Equal(want) {
		t.Fatalf("Hessian\n%v want\n%v\n%v", got.Spy(20), want.Spy(20), p)
	}
}

// traced is primitives on tracers: a vector primitive has one Hessian for all
// its outputs.
type traced struct{}

func (traced) Own(_ *tape.Scalar1, _ int, x detect.Tracer) detect.Tracer { return x.Sin() }
func (traced) Call(_ tape.Func, x []detect.Tracer) []detect.Tracer {
	p := x[0].Mul(x[1].Square())
	return []detect.Tracer{p, p}
}

// One tape and one plan, eight goroutines, the bits of a single one.
func TestConcurrentEvaluationsHaveTheSameBits(t *testing.T) {
	rapid.Check(t, concurrentEvaluationsHaveTheSameBits)
}
func FuzzConcurrentEvaluationsHaveTheSameBits(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(concurrentEvaluationsHaveTheSameBits))
}

func concurrentEvaluationsHaveTheSameBits(t *rapid.T) {
	p := draw(t)
	tape := record(t, p)
	plan, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	w := weights(p.Outputs)
	run := func(scale float64) (out []float64, failed bool) {
		x := slices.Clone(p.X)
		floats.Scale(scale, x)
		h, g := plan.Matrix(), make([]float64, p.Inputs)
		f, err := plan.EvalAll(h, g, x, w...)
		v, err2 := tape.HVP(nil, x, p.V, w...)
		y, err3 := tape.VJP(nil, x, w)
		return slices.Concat([]float64{f}, h.Values(), g, v, y), err != nil || err2 != nil || err3 != nil
	}
	scales := []float64{1, 1.25, 0.5, -1}
	want := make([][]float64, len(scales))
	failed := make([]bool, len(scales))
	for k, s := range scales {
		want[k], failed[k] = run(s)
	}
	var wg sync.WaitGroup
	var wrong [8]bool
	for i := range wrong {
		wg.Go(func() {
			for k := range scales {
				k = (k + i) % len(scales)
				got, bad := run(scales[k])
				same := slices.EqualFunc(got, want[k], func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
				wrong[i] = wrong[i] || bad != failed[k] || !bad && !same
			}
		})
	}
	wg.Wait()
	if slices.Contains(wrong[:], true) {
		t.Fatalf("other bits\n%v", p)
	}
}
