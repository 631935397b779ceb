package reverse_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// A vector primitive of the user knows no derivative products, and is no part of
// a term that is repeated.
var scalarHooks = &randprog.Hooks[reverse.Var]{Own: randprog.Sine.Apply}

// repeated is a random function with repeated terms.
type repeated struct {
	term        *randprog.Prog
	index, rows [][]int
	params      [][]float64
	m           int
	x           []float64
	inner       bool // the variables of the terms are no inputs
	mixed       bool // among them are two parameters, or one and a constant
	written     bool // terms may be written out, and operations with the constant folded
	outer       string
}

func (f *repeated) String() string {
	head := func(lists [][]int) (z [][]int) {
		for _, x := range lists {
			z = append(z, x[:min(len(x), 30)])
		}
		return z
	}
	return fmt.Sprintf("%vof %d: index %v rows %v of %d x %v inner %v mixed %v outer %v",
		f.term, len(f.index[0]), head(f.index), head(f.rows), f.m, f.x, f.inner, f.mixed, f.outer)
}

func drawRepeated(t *rapid.T, o randprog.Options) *repeated {
	f := &repeated{term: randprog.Draw(t, o), written: o.Branches}
	f.inner = rapid.Bool().Draw(t, "inner")
	f.mixed = rapid.Bool().Draw(t, "mixed")
	f.outer = rapid.SampledFrom([]string{"", "", "linear", "nonlinear"}).Draw(t, "outer")
	f.m = rapid.IntRange(1, 4).Draw(t, "m")
	n := rapid.IntRange(1, 8).Draw(t, "n")
	for i := range n {
		k := rapid.IntRange(0, len(f.term.X)-1).Draw(t, "like")
		f.x = append(f.x, f.term.X[k]*(1+1e-3*float64(i)))
	}
	if f.mixed {
		n += 2
	}
	count := rapid.SampledFrom([]int{1, 2, 5, 5, 30}).Draw(t, "terms")
	lists := func(k, n int) (z [][]int) {
		for range k {
			at := rapid.IntRange(0, n-1).Draw(t, "at")
			step := rapid.IntRange(0, 2).Draw(t, "step") // 2: no even steps
			x := make([]int, count)
			for e := range x {
				if step == 2 {
					x[e] = (at + e*e + e/3) % n
				} else {
					x[e] = (at + step*e) % n
				}
			}
			z = append(z, x)
		}
		return z
	}
	f.index, f.rows = lists(len(f.term.X), n), lists(f.results(), f.m)
	f.params = [][]float64{make([]float64, count), make([]float64, count)}
	for e := range count {
		f.params[0][e], f.params[1][e] = 1, 1-0.1*float64(e%3)
	}
	return f
}

func (f *repeated) results() int {
	n := len(f.term.X)
	x := make([]reverse.Var, n)
	for i, v := range f.term.X {
		x[i] = dual.Const[reverse.Var](v)
	}
	return len(randprog.Run(f.term, x, scalarHooks))
}

// record records the function, with a loop in the place of RepeatVec if looped.
func (f *repeated) record(t tester, looped bool) *reverse.Tape {
	tape, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		z := append([]reverse.Var(nil), x...)
		if f.inner {
			for i := range z {
				z[i] = x[i].Add(x[(i+1)%len(x)].Sin().Scale(0.1))
			}
		}
		if f.mixed {
			z = append(z, p...)
			if !looped && !f.written { // else operations with constants are not recorded
				z[len(z)-1] = dual.Const[reverse.Var](0.9)
			}
		}
		term := func(x, p []reverse.Var) []reverse.Var {
			y := randprog.Run(f.term, append([]reverse.Var{x[0].Mul(p[0])}, x[1:]...), scalarHooks)
			for j := range y {
				y[j] = y[j].Mul(p[1])
			}
			return y
		}
		var y []reverse.Var
		if looped {
			y = loop(f.m, f.rows, term, z, f.index, f.params)
		} else {
			y = reverse.RepeatVec(term, z, f.index, f.params, f.m, f.rows)
		}
		switch f.outer {
		case "linear": // one used twice, one not at all
			y = append(y, y[0].Scale(3).Add(x[0].Square()).Sub(y[len(y)-1]))[1:]
		case "nonlinear":
			y = append(y, y[0].Sin().Mul(y[len(y)-1].Sin()))
		}
		return y
	}, f.x, []float64{1.1, 0.9})
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// loop is RepeatVec written out.
func loop(m int, rows [][]int, term func(x, p []reverse.Var) []reverse.Var, x []reverse.Var, index [][]int, params [][]float64) []reverse.Var {
	y := make([]reverse.Var, m)
	for t := range rows[0] {
		var local, p []reverse.Var
		for _, list := range index {
			local = append(local, x[list[t]])
		}
		for _, list := range params {
			p = append(p, dual.Const[reverse.Var](list[t]))
		}
		for j, v := range term(local, p) {
			i := rows[j][t]
			y[i] = y[i].Add(v)
		}
	}
	return y
}

// bound is what rounding errors are relative to: sums of absolute values and
// contributions to derivatives of all terms; the functions around them have derivatives of about
// 1, their sums and products 10 at most. It reports false where they are not
// finite.
func (f *repeated) bound() (m float64, ops int, ok bool) {
	first, second := 0.0, 0.0
	z := append([]float64(nil), f.x...)
	if f.inner {
		for i := range z {
			z[i] = f.x[i] + 0.1*math.Sin(f.x[(i+1)%len(z)])
		}
	}
	if f.mixed {
		z = append(z, 1.1, 0.9)
	}
	for t := range f.index[0] {
		p := *f.term
		p.X, p.U, p.V = nil, nil, nil
		for _, list := range f.index {
			p.X = append(p.X, z[list[t]])
			p.U, p.V = append(p.U, 2), append(p.V, 2)
		}
		m1, m2 := randprog.Bounds(&p)
		for j := range m1 {
			first += m1[j] / eps
			second += m2[j] / eps
		}
		for _, y := range randprog.Run(&p, reals(p.X), nil) {
			first += math.Abs(float64(y))
		}
	}
	m = 10 * (1 + first) * (1 + first + second)
	return m, len(f.term.Code) + 10 + len(f.index[0]), m < 1e12
}

func reals(x []float64) []dual.Real {
	z := make([]dual.Real, len(x))
	for i, v := range x {
		z[i] = dual.Real(v)
	}
	return z
}

func TestRepeatIsTheLoop(t *testing.T) { rapid.Check(t, repeatIsLoop) }

// The same where sweeps over the program of the term stand in for symbols: for
// all that is computed, for Jacobians and Hessians, for Hessians of terms whose
// variables are not told apart; some of the terms have many variables.
func TestSweptRepeatIsTheLoop(t *testing.T) {
	limits := terms.Limits
	defer func() { terms.Limits = limits }()
	rapid.Check(t, func(t *rapid.T) {
		o := randprog.Options{MaxInputs: 4, MaxOutputs: 2, MaxLen: 12, Primitives: true}
		if rapid.Bool().Draw(t, "wide") {
			o = randprog.Options{MaxInputs: 10, MaxOutputs: 2, MaxLen: 24, Primitives: true}
		}
		terms.Limits.Steps = rapid.SampledFrom([]int{0, 6, 30, 100, limits.Steps}).Draw(t, "steps")
		terms.Limits.Edges = rapid.SampledFrom([]int{0, 4, 30, 100, limits.Edges}).Draw(t, "edges")
		terms.Limits.Kinds = rapid.SampledFrom([]int{1, 2, limits.Kinds}).Draw(t, "kinds")
		sameAsLoop(t, drawRepeated(t, o))
	})
}

func FuzzRepeatIsTheLoop(f *testing.F) { f.Fuzz(rapid.MakeFuzz(repeatIsLoop)) }

func repeatIsLoop(t *rapid.T) {
	f := drawRepeated(t, randprog.Options{
		MaxInputs: 4, MaxOutputs: 2, MaxLen: 12,
		Branches: rapid.Bool().Draw(t, "branches"), Primitives: rapid.Bool().Draw(t, "primitives"),
	})
	sameAsLoop(t, f)
}

func sameAsLoop(t *rapid.T, f *repeated) {
	m, ops, ok := f.bound()
	if !ok {
		t.Skip("ill-conditioned")
	}
	tol := 64 * float64(ops+1) * eps * m
	a, b := f.record(t, false), f.record(t, true)
	compare := func(what string, got, want []float64) {
		t.Helper()
		for i := range want {
			if !close(got[i], want[i], tol) {
				t.Fatalf("%s %d: %v, want %v ± %.2g\n%v", what, i, got[i], want[i], tol, f)
			}
		}
	}
	values := func(a mat.Matrix) (z []float64) {
		r, c := a.Dims()
		for i := range r {
			for j := range c {
				z = append(z, a.At(i, j))
			}
		}
		return z
	}
	n, outputs := a.Inputs(), a.Outputs()
	w, u := make([]float64, outputs), make([]float64, n)
	for j := range w {
		w[j] = 1 - 0.3*float64(j%4)
	}
	for i := range u {
		u[i] = 0.5 - 0.2*float64(i%5)
	}
	both := func(what string, f func(t *reverse.Tape) ([]float64, error)) {
		t.Helper()
		got, err := f(a)
		if err != nil {
			t.Fatal(err)
		}
		want, err := f(b)
		if err != nil {
			t.Fatal(err)
		}
		compare(what, got, want)
	}
	x := append(append([]float64(nil), f.x...), 1.1, 0.9)
	both("values", func(t *reverse.Tape) ([]float64, error) { return t.Values(nil, x) })
	both("JVP", func(t *reverse.Tape) ([]float64, error) { return t.JVP(nil, x, u) })
	both("VJP", func(t *reverse.Tape) ([]float64, error) { return t.VJP(nil, x, w) })
	both("HVP", func(t *reverse.Tape) ([]float64, error) { return t.HVP(nil, x, u, w...) })
	both("Jacobian", func(t *reverse.Tape) ([]float64, error) {
		j, err := t.Jacobian(nil, x)
		return values(j), err
	})
	for _, s := range []hessian.Strategy{hessian.FoR, hessian.RoF, hessian.RoR, hessian.FoF} {
		both(s.String(), func(t *reverse.Tape) ([]float64, error) {
			h, err := hessian.New(t, s).Dense(nil, x, w...)
			return values(h), err
		})
	}

	// Patterns.
	same := func(what string, p, q *sparsity.Pattern) {
		t.Helper()
		if !p.Equal(q) {
			t.Fatalf("%s\n%v\n%v\n%v", what, p, q, f)
		}
	}
	same("Jacobian", a.JacobianPattern(), b.JacobianPattern())
	same("Hessian", a.HessianPattern(), b.HessianPattern())
	ja, err := a.JacobianPatternAt(x)
	require.NoError(t, err)
	jb, err := b.JacobianPatternAt(x)
	require.NoError(t, err)
	if f.outer != "nonlinear" { // else with factors that rounding may bring to 0
		same("Jacobian there", ja, jb)
	}
	ha, err := a.HessianPatternAt(x)
	require.NoError(t, err)
	hb, err := b.HessianPatternAt(x)
	require.NoError(t, err)
	if f.outer != "nonlinear" {
		same("Hessian there", ha, hb)
	}

	// Sparse matrices, by terms where that is possible and by coloring.
	dense, err := b.Jacobian(nil, x)
	require.NoError(t, err)
	_, noTerms := reverse.SparseSettings{Method: reverse.ByTerms}.New(a)
	for _, method := range []reverse.Method{reverse.Auto, reverse.ByTerms, reverse.ByColumns} {
		if method == reverse.ByTerms && noTerms != nil {
			continue // the general engine runs them
		}
		j, err := reverse.SparseSettings{Method: method}.New(a)
		require.NoError(t, err)
		same("of the sparse Jacobian", j.Pattern(), b.JacobianPattern())
		s := j.Matrix()
		_, err = j.Eval(s, x)
		require.NoError(t, err)
		compare("sparse Jacobian", values(s), values(dense))
		require.NoError(t, j.Verify(x))
	}
	full, err := hessian.New(b, hessian.FoR).Dense(nil, x, w...)
	require.NoError(t, err)
	_, noTerms = hessian.SparseSettings{Method: hessian.ByTerms}.New(a)
	for _, method := range []hessian.Method{hessian.Auto, hessian.ByTerms, hessian.ByStar} {
		if method == hessian.ByTerms && noTerms != nil {
			continue // the general engine runs them
		}
		h, err := hessian.SparseSettings{Method: method}.New(a)
		require.NoError(t, err)
		same("of the sparse Hessian", h.Pattern(), b.HessianPattern())
		s := h.Matrix()
		_, err = h.Eval(s, x, w...)
		require.NoError(t, err)
		compare("sparse Hessian", values(s), values(full))
		require.NoError(t, h.Verify(x, w...))
	}

	// Transforms.
	both("tangent", func(t *reverse.Tape) ([]float64, error) { return t.Tangent().Values(nil, join2(x, n, u)) })
	both("adjoint", func(t *reverse.Tape) ([]float64, error) { return t.Adjoint().Values(nil, join2(x, n, w)) })
	both("Jacobian of the tangent", func(t *reverse.Tape) ([]float64, error) {
		j, err := t.Tangent().Jacobian(nil, join2(x, n, u))
		return values(j), err
	})
	both("Jacobian of the adjoint", func(t *reverse.Tape) ([]float64, error) {
		j, err := t.Adjoint().Jacobian(nil, join2(x, n, w))
		return values(j), err
	})
	both("adjoint of the tangent", func(t *reverse.Tape) ([]float64, error) {
		s := t.Tangent().Adjoint()
		v := make([]float64, s.Inputs()-2*n)
		for i := range v {
			v[i] = 1
		}
		return s.Values(nil, append(append(append(append([]float64(nil), x[:n]...), u...), v...), x[n:]...))
	})
}

// join2 is x with v after its first n.
func join2(x []float64, n int, v []float64) []float64 {
	return append(append(append([]float64(nil), x[:n]...), v...), x[n:]...)
}

type V = reverse.Var

// pairs is the lists of a term of x[i] and x[i+1], n terms.
func pairs(n int) [][]int {
	z := [][]int{make([]int, n), make([]int, n)}
	for i := range n {
		z[0][i], z[1][i] = i, i+1
	}
	return z
}

// sameDerivatives compares two tapes of scalar functions in all that they have up
// to third derivatives.
func sameDerivatives(t *testing.T, what string, a, b *reverse.Tape, x []float64) {
	t.Helper()
	n := len(x)
	v := make([]float64, n)
	for i := range v {
		v[i] = 1 - 0.25*float64(i%4)
	}
	compare := func(kind string, f func(t *reverse.Tape) ([]float64, error)) {
		t.Helper()
		got, err := f(a)
		require.NoError(t, err, what)
		want, err := f(b)
		require.NoError(t, err, what)
		require.Equal(t, len(want), len(got), what)
		for i := range want {
			if !close(got[i], want[i], 1e-12*(1+math.Abs(want[i]))) {
				t.Errorf("%s: %s %d is %v, want %v", what, kind, i, got[i], want[i])
			}
		}
	}
	compare("value", func(t *reverse.Tape) ([]float64, error) { return t.Values(nil, x) })
	compare("gradient", func(t *reverse.Tape) ([]float64, error) { return t.Gradient(nil, x) })
	compare("JVP", func(t *reverse.Tape) ([]float64, error) { return t.JVP(nil, x, v) })
	for _, s := range []hessian.Strategy{hessian.FoR, hessian.RoF, hessian.RoR, hessian.FoF} {
		compare("product by "+s.String(), func(t *reverse.Tape) ([]float64, error) { return hessian.New(t, s).HVP(nil, x, v) })
	}
	compare("sparse Hessian", func(t *reverse.Tape) ([]float64, error) {
		h, err := hessian.NewSparse(t)
		if err != nil {
			return nil, err
		}
		m, err := h.Eval(nil, x)
		return m.Values(), err
	})
	ones := make([]float64, 4*n)
	for i := range ones {
		ones[i] = 1
	}
	xx := append(append([]float64(nil), x...), v...)
	compare("third derivatives, RoF", func(t *reverse.Tape) ([]float64, error) {
		return t.Tangent().HVP(nil, xx, ones[:2*n], []float64{0, 1}...)
	})
	compare("third derivatives, FoF", func(t *reverse.Tape) ([]float64, error) {
		return t.Tangent().Tangent().VJP(nil, append(append([]float64(nil), xx...), ones[:2*n]...), []float64{0, 0, 0, 1})
	})
	compare("third derivatives, RoR", func(t *reverse.Tape) ([]float64, error) {
		at := append(append([]float64(nil), x...), 1)
		return t.Adjoint().HVP(nil, at, ones[:n+1], ones[:n]...)
	})
}

func TestRepeatedProblems(t *testing.T) {
	for _, n := range []int{2, 3, 17, 600} {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1 + 0.1*math.Cos(float64(i))
		}
		at := pairs(n - 1)
		last := make([]int, n-1)
		for i := range last {
			last[i] = n - 1
		}
		for _, p := range []struct {
			name  string
			index [][]int
			term  func(x, p []V) V
		}{
			{"rosen", at, func(x, _ []V) V {
				return x[1].Sub(x[0].Square()).Square().Scale(100).Add(x[0].RSub(1).Square())
			}},
			{"arrow", [][]int{at[0], last}, func(x, _ []V) V {
				return x[0].Square().Add(x[1].Square()).Square().Sub(x[0].Scale(4)).AddReal(3)
			}},
			{"surface", at, func(x, p []V) V { return x[0].Sub(x[1]).Mul(p[0]).Square().AddReal(1).Sqrt() }},
		} {
			data := [][]float64{x[:n-1]}
			f := func(of func(term func(x, p []V) V, x []V, index [][]int, params [][]float64) V) *reverse.Tape {
				tape, err := reverse.Record(func(x []V) V { return of(p.term, x, p.index, data) }, x)
				require.NoError(t, err)
				return tape
			}
			a, b := f(reverse.Repeat), f(loop1)
			require.Equal(t, 1, a.Ops())
			h, err := hessian.SparseSettings{Method: hessian.ByTerms}.New(a)
			require.NoError(t, err)
			require.True(t, h.Pattern().Equal(b.HessianPattern()))
			sameDerivatives(t, p.name, a, b, x)
		}
	}
}

func loop1(term func(x, p []V) V, x []V, index [][]int, params [][]float64) V {
	rows := [][]int{make([]int, len(index[0]))}
	return loop(1, rows, func(x, p []V) []V { return []V{term(x, p)} }, x, index, params)[0]
}

// One bad term among good ones, at kinks and poles: as in a loop.
func TestRepeatHasTheConventionsOfTheTape(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(x, y V) V
		x, y float64
	}{
		{"sqrt at 0", func(x, y V) V { return x.Sqrt().Add(y.Square()) }, 0, 1},
		{"sqrt at 0 times 0", func(x, y V) V { return x.Sqrt().Mul(y) }, 0, 0},
		{"norm at 0", func(x, y V) V { return x.Hypot(y) }, 0, 0},
		{"abs at 0", func(x, y V) V { return x.Abs().Mul(y) }, 0, 3},
		{"max at a tie", func(x, y V) V { return x.Square().Max(y.Square()) }, 2, -2},
		{"log in the other branch", func(x, y V) V { return y.Select(y.Square(), x.Log()) }, -1, 2},
		{"log at 0 in the other branch", func(x, y V) V { return y.Select(x.Log(), y.Square()) }, 0, -2},
		{"a branch of a branch", func(x, y V) V { return y.Select(y, x.Log().Select(x, y)) }, -1, 2},
		{"multiplier 0", func(x, y V) V { return x.Sqrt().Scale(0).Add(y.Square()) }, 0, 2},
		{"product 0", func(x, y V) V { return x.Sqrt().Prod(y).Add(y.Square()) }, 0, 0},
		{"log of a negative number", func(x, y V) V { return x.Log().Mul(y) }, -1, 2},
		{"NaN", func(x, y V) V { return x.Mul(y).Sin() }, nan, 2},
		{"detached", func(x, y V) V { return x.Detach().Mul(y).Add(x.Sqrt().Detach()) }, 0, 2},
	} {
		const n = 40
		x := make([]float64, n)
		for i := range x {
			x[i] = 0.5 + 0.01*float64(i)
		}
		x[20], x[21] = c.x, c.y
		index := [][]int{make([]int, n/2), make([]int, n/2)}
		for i := range n / 2 {
			index[0][i], index[1][i] = 2*i, 2*i+1
		}
		term := func(x, _ []V) V { return c.f(x[0], x[1]) }
		a, err := reverse.Record(func(x []V) V { return reverse.Repeat(term, x, index, nil) }, x)
		require.NoError(t, err)
		b, err := reverse.Record(func(x []V) V { return loop1(term, x, index, nil) }, x)
		require.NoError(t, err)
		sameDerivatives(t, c.name, a, b, x)
	}
}

// A multiplier 0 of an output annihilates its infinite derivatives.
func TestRepeatWithWeightZero(t *testing.T) {
	x := []float64{0, 4}
	tape, err := reverse.RecordVec(func(x []V) []V {
		return reverse.RepeatVec(func(x, _ []V) []V { return []V{x[0].Sqrt()} }, x, [][]int{{0, 1}}, nil, 2, [][]int{{0, 1}})
	}, x)
	require.NoError(t, err)
	g, err := tape.VJP(nil, x, []float64{0, 1})
	require.NoError(t, err)
	require.Equal(t, []float64{0, 0.25}, g)
	h, err := tape.HVP(nil, x, []float64{1, 1}, []float64{0, 1}...)
	require.NoError(t, err)
	require.Equal(t, []float64{0, -1.0 / 32}, h)
	g, err = tape.Adjoint().Values(nil, append(x, 0, 1))
	require.NoError(t, err)
	require.Equal(t, []float64{0, 0.25}, g)
}

func TestRepeatIsWrittenOut(t *testing.T) {
	x := []float64{0.3, -0.4, 0.5, 0.6, -0.2, 0.1}
	n := len(x)
	long := func(steps int) func(x, _ []V) V {
		return func(x, _ []V) V {
			s := x[0]
			for range steps {
				s = s.Sin().Add(x[1]).Mul(x[0]).Scale(0.5)
			}
			return s
		}
	}
	equal := make([][]int, 5) // all ways in which 5 variables may be 3
	for k := range 243 {
		for a := range equal {
			equal[a] = append(equal[a], k%3)
			k /= 3
		}
	}
	for _, c := range []struct {
		name    string
		written bool
		term    func(x, p []V) V
		index   [][]int
	}{
		{"branches", true, func(x, _ []V) V {
			if x[0].LessReal(0) {
				return x[0].Square().Mul(x[1])
			}
			return x[0].Exp()
		}, pairs(n - 1)},
		{"a primitive", true, func(x, _ []V) V {
			y := reverse.Apply(randprog.XYY{}, x...)
			return y[0].Mul(y[1])
		}, pairs(n - 1)},
		{"many operations", false, long(2500), pairs(n - 1)},
		{"hardly as many operations", false, long(500), pairs(n - 1)},
		{"many kinds", false, func(x, _ []V) V { return x[0].Mul(x[1]).Mul(x[2]).Add(x[3]).Sin().Mul(x[4]) }, equal},
		{"a sum within", false, func(x, _ []V) V {
			return reverse.Repeat(func(y, p []V) V { return y[0].Sin().Mul(p[0]) }, x, [][]int{{0, 1, 1}}, [][]float64{{1, 2, 3}}).Square()
		}, pairs(n - 1)},
	} {
		a, err := reverse.Record(func(x []V) V { return reverse.Repeat(c.term, x, c.index, nil) }, x)
		require.NoError(t, err, c.name)
		b, err := reverse.Record(func(x []V) V { return loop1(c.term, x, c.index, nil) }, x)
		require.NoError(t, err, c.name)
		if c.name == "a primitive" { // has no third derivatives
			g, err := a.Gradient(nil, x)
			require.NoError(t, err)
			want, err := b.Gradient(nil, x)
			require.NoError(t, err)
			require.InDeltaSlice(t, want, g, 1e-13)
			continue
		}
		require.Equal(t, c.written, a.Ops() > 1, c.name)
		sameDerivatives(t, c.name, a, b, x)
	}
}

// A wide term of which all variables are coupled stays one operation, and its
// Hessian is that of the loop, by symbols and by the sweeps that plans of fewer
// symbols explain.
func TestWideRepeat(t *testing.T) {
	limits := terms.Limits
	defer func() { terms.Limits = limits }()
	const wide, count = 130, 5
	x, index := make([]float64, wide+count), make([][]int, wide)
	for i := range x {
		x[i] = 0.1 * math.Sin(float64(i))
	}
	for a := range index {
		for e := range count {
			index[a] = append(index[a], a+e)
		}
	}
	term := func(x, _ []V) V { return dual.Dot(x, x).Add(dual.Sum(x)).Softplus() }
	b, err := reverse.Record(func(x []V) V { return loop1(term, x, index, nil) }, x)
	require.NoError(t, err)
	want, err := hessian.New(b, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	for _, edges := range []int{limits.Edges, 1000} {
		terms.Limits.Edges = edges
		a, err := reverse.Record(func(x []V) V { return reverse.Repeat(term, x, index, nil) }, x)
		require.NoError(t, err)
		require.Equal(t, 1, a.Ops())
		s, err := hessian.SparseSettings{Method: hessian.ByTerms}.New(a)
		require.NoError(t, err)
		h := s.Matrix()
		_, err = s.Eval(h, x)
		require.NoError(t, err)
		require.True(t, mat.EqualApprox(want, h, 1e-12))
		require.Equal(t, edges == 1000, strings.Contains(s.Explain(), "sweeps"), s.Explain())
	}
}

// Workers share terms that are swept to the same bits, and again after a primitive
// of one panicked.
func TestSweptRepeatConcurrently(t *testing.T) {
	limits := terms.Limits
	defer func() { terms.Limits = limits }()
	terms.Limits.Steps = 0
	const n = 3000
	x := make([]float64, n+1)
	for i := range x {
		x[i] = 1 + 0.1*math.Sin(float64(i))
	}
	bad := math.NaN() // the argument that the primitive panics at
	f := func(x float64) float64 {
		if x == bad {
			panic("bad")
		}
		return math.Sin(x)
	}
	sine := reverse.NewPrimitive("sine", f, math.Cos, func(x float64) float64 { return -math.Sin(x) })
	tape, err := reverse.Record(func(x []V) V {
		return reverse.Repeat(func(x, _ []V) V { return sine.Apply(x[0].Mul(x[1])).Exp().Mul(x[1]) }, x, pairs(n), nil)
	}, x)
	require.NoError(t, err)
	evaluate := func(workers int) (g, h, j []float64) {
		s, err := hessian.SparseSettings{Method: hessian.ByTerms, Workers: workers}.New(tape)
		require.NoError(t, err)
		q, err := reverse.SparseSettings{Method: reverse.ByTerms, Workers: workers}.New(tape)
		require.NoError(t, err)
		m, k, g := s.Matrix(), q.Matrix(), make([]float64, n+1)
		if workers > 1 {
			bad = x[n/2] * x[n/2+1]
			require.Panics(t, func() { _, _ = s.EvalAll(m, g, x) })
			bad = math.NaN()
		}
		_, err = s.EvalAll(m, g, x)
		require.NoError(t, err)
		_, err = q.Eval(k, x)
		require.NoError(t, err)
		return g, m.Values(), k.Values()
	}
	g1, h1, j1 := evaluate(1)
	g3, h3, j3 := evaluate(3)
	require.Equal(t, g1, g3)
	require.Equal(t, h1, h3)
	require.Equal(t, j1, j3)
}

// A term that branches has a guard for each term.
func TestRepeatBranches(t *testing.T) {
	x := []float64{1, -1, 2}
	tape, err := reverse.Recorder{Lines: true}.Record(func(x []V) V {
		return reverse.Repeat(func(x, _ []V) V {
			if x[0].LessReal(0) {
				return x[0].Neg()
			}
			return x[0].Square()
		}, x, [][]int{{0, 1, 2}}, nil)
	}, x)
	require.NoError(t, err)
	f, err := tape.Value([]float64{3, -2, 1})
	require.NoError(t, err)
	require.Equal(t, 12.0, f)
	_, err = tape.Value([]float64{3, -2, -1})
	var branch *reverse.BranchError
	require.ErrorAs(t, err, &branch)
	require.Equal(t, -1.0, branch.X)
	require.NotZero(t, branch.Line)
}

func TestRepeatEdges(t *testing.T) {
	square := func(x, _ []V) V { return x[0].Square() }
	empty := reverse.Repeat(square, nil, [][]int{{}}, nil)
	require.Equal(t, dual.Const[reverse.Var](0), empty)

	x := []float64{2, 3, 5}
	tape, err := reverse.RecordVec(func(x []V) []V {
		y := reverse.RepeatVec(func(x, _ []V) []V { return []V{x[0].Mul(x[1])} }, x, [][]int{{0, 1, 2}, {1, 1, 0}}, nil, 4, [][]int{{3, 1, 3}}) // the second is a square
		return append(y,
			reverse.Repeat(func(_, p []V) V { return p[0].Square() }, x, nil, [][]float64{{1, 2}}), // no variables
			reverse.Repeat(func(x, _ []V) V { return x[0] }, x, [][]int{{0, 0, 1}}, nil),           // no operations
			reverse.Repeat(func(x, _ []V) V { return x[0].Const(7) }, x, [][]int{{0, 0, 1}}, nil))
	}, x)
	require.NoError(t, err)
	y, err := tape.Values(nil, x)
	require.NoError(t, err)
	require.Equal(t, []float64{0, 9, 0, 16, 5, 7, 21}, y)
	j, err := tape.Jacobian(nil, x)
	require.NoError(t, err)
	require.Equal(t, []float64{
		0, 0, 0,
		0, 6, 0,
		0, 0, 0,
		3 + 5, 2, 2,
		0, 0, 0,
		2, 1, 0,
		0, 0, 0,
	}, j.RawMatrix().Data)
	require.Equal(t, []int{0, 1, 0, 3, 0, 2, 0}, tape.JacobianPattern().RowCounts())
	w := []float64{1, 1, 1, 1, 1, 1, 1}
	want := []float64{0, 1, 1, 1, 2, 0, 1, 0, 0}
	for _, s := range []hessian.Strategy{hessian.FoR, hessian.RoF, hessian.RoR, hessian.FoF} {
		h, err := hessian.New(tape, s).Dense(nil, x, w...)
		require.NoError(t, err)
		for k, v := range want {
			require.Equal(t, v, h.At(k/3, k%3), "%v", s)
		}
	}
	plan, err := hessian.SparseSettings{Method: hessian.ByTerms}.New(tape)
	require.NoError(t, err)
	h := plan.Matrix()
	_, err = plan.Eval(h, x, w...)
	require.NoError(t, err)
	require.Equal(t, 5, h.NNZ())
	for k, v := range want {
		require.Equal(t, v, h.At(k/3, k%3))
	}

	// Of constants it is one.
	c := reverse.Repeat(square, []V{dual.Const[reverse.Var](2), dual.Const[reverse.Var](3)}, [][]int{{0, 1, 1}}, nil)
	require.Equal(t, dual.Const[reverse.Var](22), c)
}

func TestCheckRepeatsComparesTerms(t *testing.T) {
	for k := range 4 { // what differs from call to call
		calls := 0
		f := func(x []V) []V {
			calls++
			n := 1
			if calls > 1 {
				n = 2
			}
			index, param := []int{0, 1}, []float64{1, 1}
			switch k {
			case 1:
				index[1] /= n
			case 2:
				param[1] = float64(n)
			}
			return []V{reverse.Repeat(func(x, p []V) V {
				if k == 3 {
					p[0] = p[0].Scale(float64(n))
				}
				return x[0].Sin().Mul(p[0])
			}, x, [][]int{index}, [][]float64{param})}
		}
		err := reverse.CheckRepeats(f, []float64{1, 2})
		if k == 0 {
			require.NoError(t, err)
			continue
		}
		var state *reverse.StateError
		require.ErrorAs(t, err, &state)
		require.Equal(t, []string{"", "Sin", "Scale", "Scale"}[k], state.Op)
	}
}

func TestRepeatMisuse(t *testing.T) {
	sin := func(x, _ []V) V { return x[0].Sin() }
	one := []V{dual.Const[reverse.Var](1)}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"reverse: nil function", func() { reverse.Repeat(nil, one, [][]int{{0}}, nil) }},
		{"reverse: nil function", func() { reverse.RepeatVec(nil, one, [][]int{{0}}, nil, 1, [][]int{{0}}) }},
		{"reverse: Repeat without lists", func() { reverse.Repeat(sin, one, nil, nil) }},
		{"reverse: Repeat with index[0][1] = 1, want one below 1", func() { reverse.Repeat(sin, one, [][]int{{0, 1}}, nil) }},
		{"reverse: Repeat with index[0][0] = -1, want one below 1", func() { reverse.Repeat(sin, one, [][]int{{-1}}, nil) }},
		{"reverse: Repeat with index[1] of length 2, want 3", func() { reverse.Repeat(sin, one, [][]int{{0, 0, 0}, {0, 0}}, nil) }},
		{"reverse: Repeat with params[0] of length 2, want 3", func() { reverse.Repeat(sin, one, [][]int{{0, 0, 0}}, [][]float64{{0, 0}}) }},
		{"reverse: Repeat with rows[0][0] = 3, want one below 3", func() {
			reverse.RepeatVec(func(x, _ []V) []V { return x }, one, [][]int{{0}}, nil, 3, [][]int{{3}})
		}},
		{"reverse: term with 1 results, want 2", func() {
			reverse.RepeatVec(func(x, _ []V) []V { return x }, one, [][]int{{0}}, nil, 1, [][]int{{0}, {0}})
		}},
		{"reverse: Vars of two recordings mixed", func() {
			reverse.Record(func(x []V) V {
				return reverse.Repeat(func(y, _ []V) V { return y[0].Mul(x[0]) }, x, [][]int{{0}}, nil)
			}, []float64{1})
		}},
		{"reverse: third derivative of the primitive sine", func() {
			tape, _ := reverse.Record(func(x []V) V {
				return reverse.Repeat(func(x, _ []V) V { return randprog.Sine.Apply(x[0]) }, x, [][]int{{0, 0}}, nil)
			}, []float64{1})
			tape.Tangent().Tangent().Tangent()
		}},
	} {
		require.PanicsWithValue(t, c.want, c.f)
	}
}

// rosen is a sum over pairs, and residuals of it.
func recordPairs(t testing.TB, n int) *reverse.Tape {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + 0.1*math.Sin(float64(i))
	}
	rows := make([]int, n-1)
	for i := range rows {
		rows[i] = i % 3
	}
	tape, err := reverse.RecordVec(func(x []V) []V {
		z := append([]V(nil), x...)
		z[0] = z[0].Sin() // not all are inputs
		return append(x[:2:2], reverse.RepeatVec(func(x, _ []V) []V {
			return []V{x[1].Sub(x[0].Square()).Square().Add(x[0].Exp())}
		}, z, pairs(n-1), nil, 3, [][]int{rows})...)
	}, x)
	require.NoError(t, err)
	return tape
}

// repeatEvaluations are evaluations of a tape at x.
func repeatEvaluations(t testing.TB, tape *reverse.Tape, x []float64) []func() []float64 {
	n, m := tape.Inputs(), tape.Outputs()
	w, v := make([]float64, m), make([]float64, n)
	for j := range w {
		w[j] = 1 - 0.2*float64(j)
	}
	for i := range v {
		v[i] = 0.1 * float64(i%7)
	}
	y, g, h, j := make([]float64, m), make([]float64, n), make([]float64, n), make([]float64, m)
	H, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	J, err := reverse.NewSparseJacobian(tape)
	require.NoError(t, err)
	hm, jm := H.Matrix(), J.Matrix()
	return []func() []float64{
		func() []float64 { y, _ = tape.Values(y, x); return y },
		func() []float64 { g, _ = tape.VJP(g, x, w); return g },
		func() []float64 { j, _ = tape.JVP(j, x, v); return j },
		func() []float64 { h, _ = tape.HVP(h, x, v, w...); return h },
		func() []float64 { H.Eval(hm, x, w...); return hm.Values() },
		func() []float64 { J.Eval(jm, x); return jm.Values() },
	}
}

func TestRepeatConcurrent(t *testing.T) {
	tape := recordPairs(t, 700)
	var want [][]float64
	for _, f := range repeatEvaluations(t, tape, tape.Point()) {
		want = append(want, append([]float64(nil), f()...))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for k, f := range repeatEvaluations(t, tape, tape.Point()) {
				for range 5 {
					if !slices.Equal(f(), want[k]) {
						t.Errorf("evaluation %d: other bits", k)
					}
				}
			}
		})
	}
	wg.Wait()
}

// A list of one number is that of all terms.
func TestRepeatWithSharedVariables(t *testing.T) {
	x := []float64{0.3, 1.2, -0.7, 0.5}
	index, params := [][]int{{0, 1, 2, 0}, {3, 3, 3, 3}}, [][]float64{{1, 2, 3, 4}, {0.5, 0.5, 0.5, 0.5}}
	rows := [][]int{{0, 1, 0, 1}, {1, 1, 1, 1}}
	for _, branch := range []bool{false, true} { // written out then
		f := func(index [][]int, params [][]float64, rows [][]int) func(x []reverse.Var) []reverse.Var {
			return func(x []reverse.Var) []reverse.Var {
				return reverse.RepeatVec(func(x, p []reverse.Var) []reverse.Var {
					y := x[0].Mul(x[1]).Sin()
					if branch && x[0].LessReal(0) {
						y = y.Neg()
					}
					return []reverse.Var{y.Mul(p[0]), y.Square().Add(p[1].Mul(x[1]))}
				}, x, index, params, 2, rows)
			}
		}
		w := []float64{1, -0.4}
		long, err := reverse.RecordVec(f(index, params, rows), x)
		require.NoError(t, err)
		short, err := reverse.RecordVec(f([][]int{index[0], {3}}, [][]float64{params[0], {0.5}}, [][]int{rows[0], {1}}), x)
		require.NoError(t, err)
		want, err := long.HVP(nil, x, x, w...)
		require.NoError(t, err)
		got, err := short.HVP(nil, x, x, w...)
		require.NoError(t, err)
		require.Equal(t, want, got)
		wantY, err := long.Values(nil, x)
		require.NoError(t, err)
		gotY, err := short.Values(nil, x)
		require.NoError(t, err)
		require.Equal(t, wantY, gotY)
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { // all of one number: one term
		return reverse.Repeat(func(x, p []reverse.Var) reverse.Var { return x[0].Mul(x[1]) }, x, [][]int{{0}, {1}}, nil)
	}, x)
	require.NoError(t, err)
	y, err := tape.Value(x)
	require.NoError(t, err)
	require.Equal(t, x[0]*x[1], y)
}

// Terms of thousands of operations are run by lanes, declared or detected.
func TestLargeTermsAreThoseOfALoop(t *testing.T) {
	const n, terms = 30, 40
	term := func(x, p []reverse.Var) reverse.Var {
		s := p[0]
		for k := range 4000 {
			s = s.Add(x[k%n].Mul(x[k*k%n]).Sub(s.Scale(1e-3)).Scale(1e-3 * float64(1+k%11)))
		}
		return s.Sin()
	}
	x, v := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], v[i] = math.Sin(float64(3*i*i)), math.Cos(float64(i))
	}
	index, p := make([][]int, n), make([]float64, terms)
	for i := range index {
		index[i] = []int{i}
	}
	for k := range p {
		p[k] = float64(k) / terms
	}
	plain, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
		for _, p := range p {
			s = s.Add(term(x, []reverse.Var{dual.Const[reverse.Var](p)}))
		}
		return s
	}, x)
	require.NoError(t, err)
	declared, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return reverse.Repeat(term, x, index, [][]float64{p})
	}, x)
	require.NoError(t, err)
	require.Greater(t, plain.Ops(), 8000*terms)
	found, err := reverse.NewSparseJacobian(plain)
	require.NoError(t, err)
	require.Equal(t, reverse.ByTerms, found.Method())
	want, err := plain.Gradient(nil, x)
	require.NoError(t, err)
	got, err := declared.Gradient(nil, x)
	require.NoError(t, err)
	require.InDeltaSlice(t, want, got, 1e-9)
	jacobian, err := found.Eval(nil, x)
	require.NoError(t, err)
	require.InDeltaSlice(t, want, jacobian.Values(), 1e-9)
	want, err = plain.HVP(nil, x, v)
	require.NoError(t, err)
	got, err = declared.HVP(nil, x, v)
	require.NoError(t, err)
	require.InDeltaSlice(t, want, got, 1e-9)
}
