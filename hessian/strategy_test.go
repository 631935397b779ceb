package hessian_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

type nested = dual.Of[dual.Of[dual.Real]]

// nestedHessian is the Hessian by dual numbers over dual numbers.
func nestedHessian(f func(x []nested) nested, x []float64) *mat.SymDense {
	h := mat.NewSymDense(len(x), nil)
	z := make([]nested, len(x))
	for i := range x {
		for j := range i + 1 {
			for k, x := range x {
				z[k] = nested{V: dual.Of[dual.Real]{V: dual.Real(x)}}
			}
			z[i].V.D, z[j].D.V = 1, 1
			h.SetSym(i, j, float64(f(z).D.D))
		}
	}
	return h
}

// smallSizes have every part of a problem's pattern.
var smallSizes = map[string]int{"rosen": 13, "arrow": 13, "bdqrtic": 13, "minsurf": 25, "trig": 13, "helmholtz": 12, "rnn": 3, "bratu": 16}

func TestStrategiesAgreeOnTheProblems(t *testing.T) {
	for _, p := range problems.All {
		in := p.At(smallSizes[p.Name])
		n := len(in.X0)
		f, hyper, deep := problems.Func[reverse.Var](in), problems.Func[dual.Hyper](in), problems.Func[nested](in)
		w := []float64{1}
		record := func() (*reverse.Tape, error) { return reverse.Record(f, in.X0) }
		if f == nil { // a weighted sum of the outputs
			w = make([]float64, n)
			for j := range w {
				w[j] = math.Cos(float64(j))
			}
			record = func() (*reverse.Tape, error) { return reverse.RecordVec(problems.VecFunc[reverse.Var](in), in.X0) }
			hyper = func(x []dual.Hyper) dual.Hyper { return dual.Affine(0, w, problems.VecFunc[dual.Hyper](in)(x)) }
			deep = func(x []nested) nested { return dual.Affine(0, w, problems.VecFunc[nested](in)(x)) }
		}
		tape, err := record()
		require.NoError(t, err)
		want := hessian.Forward(nil, hyper, in.X0)
		scale := mat.Max(want) - mat.Min(want)
		all := map[string]*mat.SymDense{"nested": nestedHessian(deep, in.X0)}
		if f != nil {
			all["Of"], err = hessian.Of(nil, f, in.X0)
			require.NoError(t, err)
		}
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Sin(float64(i + 1))
		}
		for _, s := range hessian.Strategies {
			h := hessian.New(tape, s)
			all[s.String()], err = h.Dense(nil, in.X0, w...)
			require.NoError(t, err)

			hv, err := h.HVP(nil, in.X0, v, w...)
			require.NoError(t, err)
			var product mat.VecDense
			product.MulVec(want, mat.NewVecDense(n, v))
			require.InDeltaSlice(t, product.RawVector().Data, hv, 1e-12*scale, "%s %v", p.Name, s)
			b, err := h.Bilinear(in.X0, v, v, w...)
			require.NoError(t, err)
			require.InDelta(t, floats.Dot(product.RawVector().Data, v), b, 1e-11*scale, "%s %v", p.Name, s)
		}
		for way, h := range all {
			for i := range n {
				for j := range n {
					require.InDelta(t, want.At(i, j), h.At(i, j), 1e-12*scale, "%s %s (%d, %d)", p.Name, way, i, j)
				}
			}
		}
	}
}

// All functions of a strategy are the Hessian of wᵀF by hyper-dual numbers, on
// random programs with parameters.
func TestStrategiesAgreeOnRandomPrograms(t *testing.T) { rapid.Check(t, strategiesAgree) }
func FuzzStrategiesAgreeOnRandomPrograms(f *testing.F) { f.Fuzz(rapid.MakeFuzz(strategiesAgree)) }

func strategiesAgree(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 6, MaxOutputs: 3, MaxLen: 60, Branches: true})
	k := rapid.IntRange(0, p.Inputs).Draw(t, "params")
	n := p.Inputs - k
	clear(p.U[n:])
	clear(p.V[n:])
	tape, err := reverse.RecordParamsVec(func(x, q []reverse.Var) []reverse.Var {
		return randprog.Run(p, slices.Concat(x, q), nil)
	}, p.X[:n], p.X[n:])
	require.NoError(t, err)
	_, m2 := randprog.Bounds(p)
	w := make([]float64, p.Outputs)
	z := make([]dual.Hyper, p.Inputs)
	for i, x := range p.X {
		z[i] = dual.Hyper{V: x, D1: p.U[i], D2: p.V[i]}
	}
	want, bound := 0.0, 0.0
	for j, y := range randprog.Run(p, z, nil) {
		w[j] = float64(rapid.IntRange(-2, 2).Draw(t, "w"))
		want += elemProd(w[j], y.D12)
		if w[j] != 0 {
			bound += math.Abs(w[j]) * m2[j]
		}
	}
	tol := 4*bound + math.SmallestNonzeroFloat64
	check := func(s hessian.Strategy, what string, got float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tol) && got != want {
			t.Fatalf("%s by %v: %v, want %v ± %.2g\n%v", what, s, got, want, tol, p)
		}
	}
	x := p.X
	if rapid.Bool().Draw(t, "recorded parameters") {
		x = x[:n]
	}
	u, v := p.U[:n], p.V[:n]
	for _, s := range hessian.Strategies {
		h := hessian.New(tape, s)
		b, err := h.Bilinear(x, u, v, w...)
		require.NoError(t, err)
		check(s, "Bilinear", b)
		hv, err := h.HVP(nil, x, v, w...)
		require.NoError(t, err)
		check(s, "HVP", floats.Dot(u, hv))
		dense, err := h.Dense(nil, x, w...)
		require.NoError(t, err)
		if n > 0 {
			check(s, "Dense", mat.Inner(mat.NewVecDense(n, u), dense, mat.NewVecDense(n, v)))
		}
	}
}

func elemProd(w, x float64) float64 {
	if w == 0 {
		return 0
	}
	return w * x
}

// Rows of the products with unit vectors are its columns, to rounding, though
// only one triangle is computed by Dense.
func TestProductsAreSymmetric(t *testing.T) {
	for name := range smallSizes {
		if name == "bratu" {
			continue
		}
		in, tape := problem(t, name, smallSizes[name])
		n := len(in.X0)
		for _, s := range hessian.Strategies {
			h := hessian.New(tape, s)
			dense, err := h.Dense(nil, in.X0)
			require.NoError(t, err)
			scale := mat.Max(dense) - mat.Min(dense)
			e := make([]float64, n)
			for j := range n {
				clear(e)
				e[j] = 1
				col, err := h.HVP(nil, in.X0, e)
				require.NoError(t, err)
				for i := range n {
					require.InDelta(t, dense.At(i, j), col[i], 1e-13*scale, "%s %v", name, s)
				}
			}
		}
	}
}

func lagrangian(x, p []reverse.Var) []reverse.Var {
	return []reverse.Var{
		x[0].Square().Mul(x[1]).Mul(p[0]),
		x[0].Sqrt(), // its derivatives are infinite at 0
		x[1].PowInt(3).Mul(x[2]),
	}
}

func TestWeightsAndParameters(t *testing.T) {
	x := []float64{0, 2, 3}
	tape, err := reverse.RecordParamsVec(lagrangian, x, []float64{5})
	require.NoError(t, err)
	for _, s := range hessian.Strategies {
		h := hessian.New(tape, s)
		for _, p := range []float64{5, -1} {
			at := append(slices.Clone(x), p)
			if p == 5 {
				at = x
			}
			// 10·∇²(x₀²x₁p) + 0·∇²√x₀ + ∇²(x₁³x₂)
			w := []float64{10, 0, 1}
			want := mat.NewSymDense(3, []float64{40 * p, 0, 0, 0, 36, 12, 0, 12, 0})
			got, err := h.Dense(nil, at, w...)
			require.NoError(t, err)
			require.True(t, mat.Equal(want, got), "%v: %v", s, mat.Formatted(got))
			hv, err := h.HVP(nil, at, []float64{1, 10, 100}, w...)
			require.NoError(t, err)
			require.Equal(t, []float64{40 * p, 1560, 120}, hv)
			b, err := h.Bilinear(at, []float64{1, 1, 0}, []float64{1, 10, 100}, w...)
			require.NoError(t, err)
			require.Equal(t, 40*p+1560, b)
		}
		h2, err := h.Dense(nil, x, 0, 0, 0)
		require.NoError(t, err)
		require.True(t, mat.Equal(mat.NewSymDense(3, nil), h2))
	}
}

func TestKnownHessians(t *testing.T) {
	rosenbrock := func(x []reverse.Var) reverse.Var {
		return x[0].RSub(1).Square().Add(x[1].Sub(x[0].Square()).Square().Scale(100))
	}
	want := mat.NewSymDense(2, []float64{802, -400, -400, 200})
	h, err := hessian.Of(nil, rosenbrock, []float64{1, 1})
	require.NoError(t, err)
	require.True(t, mat.Equal(want, h))
	tape, err := reverse.Record(rosenbrock, []float64{1, 1})
	require.NoError(t, err)
	for _, s := range hessian.Strategies {
		h, err := hessian.New(tape, s).Dense(nil, []float64{1, 1})
		require.NoError(t, err)
		require.True(t, mat.Equal(want, h), s)
	}
}

func TestFunctionsOfNothing(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return dual.Const[reverse.Var](3) }, nil)
	require.NoError(t, err)
	flat, err := reverse.Record(func(x []reverse.Var) reverse.Var { return dual.Const[reverse.Var](3) }, []float64{1, 2})
	require.NoError(t, err)
	for _, s := range hessian.Strategies {
		h := hessian.New(tape, s)
		dense, err := h.Dense(nil, nil)
		require.NoError(t, err)
		require.True(t, dense.IsEmpty())
		hv, err := h.HVP(nil, nil, nil)
		require.NoError(t, err)
		require.Empty(t, hv)
		b, err := h.Bilinear(nil, nil, nil)
		require.NoError(t, err)
		require.Zero(t, b)

		h = hessian.New(flat, s)
		dense, err = h.Dense(nil, []float64{1, 2})
		require.NoError(t, err)
		require.True(t, mat.Equal(mat.NewSymDense(2, nil), dense))
		hv, err = h.HVP(nil, []float64{1, 2}, []float64{1, 2})
		require.NoError(t, err)
		require.Equal(t, []float64{0, 0}, hv)
	}
	require.True(t, hessian.Forward(nil, func(x []dual.Hyper) dual.Hyper { return dual.Hyper{} }, nil).IsEmpty())
}

func TestDstIsUsedAndMayBeAnArgument(t *testing.T) {
	in, tape := problem(t, "trig", 9)
	for _, s := range hessian.Strategies {
		h := hessian.New(tape, s)
		want, err := h.Dense(nil, in.X0)
		require.NoError(t, err)
		dst := mat.NewSymDense(9, nil)
		for i := range 9 {
			for j := range 9 {
				dst.SetSym(i, j, math.NaN())
			}
		}
		got, err := h.Dense(dst, in.X0)
		require.NoError(t, err)
		require.Same(t, dst, got)
		require.True(t, mat.Equal(want, got))
		var empty mat.SymDense
		got, err = h.Dense(&empty, in.X0)
		require.NoError(t, err)
		require.Same(t, &empty, got)
		require.True(t, mat.Equal(want, got))
		// A part of a larger matrix.
		large := mat.NewSymDense(12, nil)
		part := large.SliceSym(2, 11).(*mat.SymDense)
		_, err = h.Dense(part, in.X0)
		require.NoError(t, err)
		require.True(t, mat.Equal(want, part))
		require.Zero(t, large.At(1, 1)+large.At(1, 2)+large.At(11, 11)+large.At(10, 11))

		v := []float64{1, -1, 2, -2, 3, -3, 4, -4, 5}
		hv, err := h.HVP(nil, in.X0, v)
		require.NoError(t, err)
		for which := range 2 {
			x, v := slices.Clone(in.X0), slices.Clone(v)
			dst := [][]float64{x, v}[which]
			got, err := h.HVP(dst, x, v)
			require.NoError(t, err)
			require.Equal(t, hv, got)
			require.Same(t, &dst[0], &got[0])
		}
	}
	dst := mat.NewSymDense(9, nil)
	require.Same(t, dst, hessian.Forward(dst, problems.Func[dual.Hyper](in), in.X0))
}

func TestMisusePanics(t *testing.T) {
	x, p := []float64{1, 2, 3}, []float64{5}
	vector, err := reverse.RecordParamsVec(lagrangian, x, p)
	require.NoError(t, err)
	_, scalar := problem(t, "rosen", 3)
	require.PanicsWithValue(t, "hessian: no strategy 4", func() { hessian.New(scalar, 4) })
	require.PanicsWithValue(t, "hessian: nil tape", func() { hessian.New(nil, hessian.FoR) })
	require.PanicsWithValue(t, "hessian: nil tape", func() { _, _ = hessian.NewSparse(nil) })
	require.PanicsWithValue(t, "hessian: no method 4", func() { _, _ = hessian.SparseSettings{Method: 4}.New(scalar) })
	w, v2, v4 := []float64{1, 1, 1}, make([]float64, 2), make([]float64, 4)
	dst2, dst := []float64{7, 7}, mat.NewSymDense(2, []float64{7, 7, 7, 7})
	for _, s := range hessian.Strategies {
		h, f := hessian.New(vector, s), hessian.New(scalar, s)
		for _, c := range []struct {
			message string
			f       func()
		}{
			{"hessian: x has length 2, want 3 inputs (and 1 parameters)", func() { h.Dense(nil, v2, w...) }},
			{"hessian: x has length 2, want 3 inputs (and 1 parameters)", func() { h.HVP(nil, v2, x, w...) }},
			{"hessian: x has length 2, want 3 inputs (and 1 parameters)", func() { h.Bilinear(v2, x, x, w...) }},
			{"hessian: x has length 4, want 3 inputs (and 0 parameters)", func() { f.Dense(nil, v4) }},
			{"hessian: x has length 0, want 3 inputs (and 0 parameters)", func() { f.HVP(nil, nil, x) }},
			{"hessian: 0 weights for 3 outputs", func() { h.Dense(nil, x) }},
			{"hessian: 2 weights for 3 outputs", func() { h.HVP(nil, x, x, v2...) }},
			{"hessian: 3 weights for 1 outputs", func() { f.Bilinear(x, x, x, w...) }},
			{"hessian: v has length 2, want 3", func() { f.HVP(nil, x, v2) }},
			{"hessian: v has length 4, want 3", func() { f.HVP(nil, x, v4) }},
			{"hessian: v has length 2, want 3", func() { f.Bilinear(x, x, v2) }},
			{"hessian: u has length 2, want 3", func() { f.Bilinear(x, v2, x) }},
			{"hessian: dst has length 2, want 3", func() { f.HVP(dst2, x, x) }},
			{"hessian: dst is 2×2, want 3×3", func() { f.Dense(dst, x) }},
		} {
			require.PanicsWithValue(t, c.message, c.f)
		}
		got, err := f.HVP(nil, []float64{1, 1, 1}, []float64{1, 0, 0})
		require.NoError(t, err)
		require.Equal(t, []float64{802, -400, 0}, got)
	}
	require.Equal(t, []float64{7, 7}, dst2)
	require.Equal(t, 7.0, dst.At(0, 1))
	hyper := func(x []dual.Hyper) dual.Hyper { return x[0] }
	require.PanicsWithValue(t, "hessian: dst is 2×2, want 3×3", func() { hessian.Forward(dst, hyper, x) })
	require.PanicsWithValue(t, "hessian: u has length 2, want 3", func() { hessian.ForwardBilinear(hyper, x, v2, x) })
	require.PanicsWithValue(t, "hessian: v has length 2, want 3", func() { hessian.ForwardBilinear(hyper, x, x, v2) })
	require.PanicsWithValue(t, "reverse: nil function", func() { hessian.Of(nil, nil, x) })
	require.PanicsWithValue(t, "hessian: nil function", func() { hessian.Forward(nil, nil, nil) })
	require.PanicsWithValue(t, "hessian: nil function", func() { hessian.ForwardBilinear(nil, x, x, x) })
}

// counting is x ↦ x³, which counts its calls and may fail.
type counting struct {
	eval, jvp, vjp, hvp int
	err                 error
}

func (f *counting) Dims() (n, m int)          { return 1, 1 }
func (f *counting) Name() string              { return "cube" }
func (f *counting) Eval(y, x []float64) error { f.eval++; y[0] = x[0] * x[0] * x[0]; return nil }
func (f *counting) JVP(dy, x, dx []float64) error {
	f.jvp++
	dy[0] = 3 * x[0] * x[0] * dx[0]
	return nil
}
func (f *counting) VJP(gx, x, w []float64) error {
	f.vjp++
	gx[0] = 3 * x[0] * x[0] * w[0]
	return nil
}
func (f *counting) HVP(h, x, dx, w []float64) error {
	f.hvp++
	h[0] = 6 * x[0] * w[0] * dx[0]
	return f.err
}
func (f *counting) Jacobian(int) []int { return nil }
func (f *counting) Hessian(int) []int  { return nil }

func cubeOfSum(t *testing.T, n int) (*counting, *reverse.Tape, []float64) {
	f := new(counting)
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return reverse.Apply(f, dual.Sum(x))[0]
	}, x)
	require.NoError(t, err)
	return f, tape, x
}

// The seed table of the package comment, counted by a primitive: a run calls
// its second derivative once; a value sweep its value, that of the VJP the VJP.
func TestRunsOfTheStrategies(t *testing.T) {
	const n = 19
	f, tape, x := cubeOfSum(t, n)
	for _, c := range []struct {
		s            hessian.Strategy
		runs, values int // of Dense
		product      int // runs of HVP
		adjoints     bool
	}{
		{s: hessian.FoF, runs: n * (n + 1) / 2, values: n, product: n},
		{s: hessian.FoR, runs: n, values: 1, product: 1, adjoints: true},
		{s: hessian.RoF, runs: n, values: n, product: 1, adjoints: true},
		{s: hessian.RoR, runs: n, values: 1, product: 1, adjoints: true},
	} {
		h := hessian.New(tape, c.s)
		values := func() int {
			if c.s == hessian.RoR {
				return f.vjp
			}
			return f.eval
		}
		*f = counting{}
		dense, err := h.Dense(nil, x)
		require.NoError(t, err)
		require.Equal(t, c.runs, f.hvp, "%v", c.s)
		require.Equal(t, c.values, values(), "%v", c.s)
		require.Equal(t, c.adjoints, f.vjp > 0, "%v", c.s)
		require.Equal(t, 6*floats.Sum(x), dense.At(3, 7))
		*f = counting{}
		_, err = h.HVP(nil, x, x)
		require.NoError(t, err)
		require.Equal(t, c.product, f.hvp, "%v", c.s)
		require.Equal(t, 1, values(), "%v", c.s)
		*f = counting{}
		_, err = h.Bilinear(x, x, x)
		require.NoError(t, err)
		require.Equal(t, 1, f.hvp, "%v", c.s)
		require.Equal(t, 1, values(), "%v", c.s)
	}
	evaluations := 0
	hessian.Forward(nil, func(x []dual.Hyper) dual.Hyper { evaluations++; return x[0].Square() }, x)
	require.Equal(t, n*(n+1)/2, evaluations)
}

// What a run sweeps: FoR the tape itself, FoF and RoF the tape of the JVP,
// RoR that of the VJP, which has no need of the values of F.
func TestTapesOfTheStrategies(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig", "rnn"} {
		size := 400
		if name == "rnn" {
			size = 8
		}
		_, tape := problem(t, name, size)
		ops := map[hessian.Strategy]int{}
		for _, s := range hessian.Strategies {
			ops[s] = hessian.New(tape, s).Tape().Ops()
		}
		require.Equal(t, tape.Ops(), ops[hessian.FoR])
		require.Equal(t, ops[hessian.FoF], ops[hessian.RoF])
		// Nine times where F is dot products, which its derivatives write out.
		require.Greater(t, ops[hessian.FoF], 2*ops[hessian.FoR], name)
		require.Less(t, ops[hessian.FoF], 10*ops[hessian.FoR], name)
		require.Greater(t, ops[hessian.RoR], ops[hessian.FoR], name)
		require.Less(t, ops[hessian.RoR], 10*ops[hessian.FoR], name)
	}
}

func TestErrorsPass(t *testing.T) {
	x := []float64{1, 2}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		if x[0].Less(x[1]) {
			return x[0].Mul(x[1])
		}
		return x[0]
	}, x)
	require.NoError(t, err)
	at := []float64{3, 2}
	dst := []float64{7, 7}
	for _, s := range hessian.Strategies {
		h := hessian.New(tape, s)
		var branch *reverse.BranchError
		matrix := mat.NewSymDense(2, []float64{7, 7, 7, 7})
		_, err := h.Dense(matrix, at)
		require.ErrorAs(t, err, &branch)
		require.Equal(t, 3.0, branch.X)
		require.Equal(t, []float64{7, 7}, []float64{matrix.At(0, 1), matrix.At(1, 1)})
		_, err = h.HVP(dst, at, x)
		require.ErrorAs(t, err, &branch)
		require.Equal(t, []float64{7, 7}, dst)
		_, err = h.Bilinear(at, x, x)
		require.ErrorAs(t, err, &branch)
	}
	f, tape, x := cubeOfSum(t, 5)
	no := errors.New("no")
	for _, s := range hessian.Strategies {
		h := hessian.New(tape, s)
		f.err = no
		dst := make([]float64, 5)
		_, err := h.HVP(dst, x, x)
		require.ErrorIs(t, err, no)
		require.Equal(t, make([]float64, 5), dst)
		_, err = h.Dense(nil, x)
		require.ErrorIs(t, err, no)
		_, err = h.Bilinear(x, x, x)
		require.ErrorIs(t, err, no)
		f.err = nil
		got, err := h.Dense(nil, x)
		require.NoError(t, err)
		require.Equal(t, 90.0, got.At(2, 3))
	}
	_, err = hessian.Of(nil, func(x []reverse.Var) reverse.Var { return reverse.Apply(failing{}, x...)[0] }, []float64{1})
	require.ErrorIs(t, err, errEval)
}

var errEval = errors.New("no value")

type failing struct{ *counting }

func (failing) Eval(y, x []float64) error { return errEval }

// One Hessian of each strategy, many goroutines, the bits of a single one.
func TestStrategiesAreSafeForConcurrentUse(t *testing.T) {
	in, tape := problem(t, "trig", 30)
	for _, s := range hessian.Strategies {
		h := hessian.New(tape, s)
		points := make([][]float64, 5)
		want := make([]*mat.SymDense, len(points))
		product := make([][]float64, len(points))
		for k := range points {
			points[k] = slices.Clone(in.X0)
			points[k][k] += 0.1
			var err error
			want[k], err = h.Dense(nil, points[k])
			require.NoError(t, err)
			product[k], err = h.HVP(nil, points[k], in.X0)
			require.NoError(t, err)
		}
		var wg sync.WaitGroup
		var wrong atomic.Int32
		for i := range 16 {
			wg.Go(func() {
				for k := range 2 * len(points) {
					k = (k + i) % len(points)
					got, err := h.Dense(nil, points[k])
					if err != nil || !mat.Equal(got, want[k]) {
						wrong.Add(1)
					}
					hv, err := h.HVP(nil, points[k], in.X0)
					if err != nil || !slices.Equal(hv, product[k]) {
						wrong.Add(1)
					}
				}
			})
		}
		wg.Wait()
		require.Zero(t, wrong.Load(), s)
	}
}
