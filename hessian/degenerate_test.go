package hessian_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
	"github.com/hesse-ad/hesse/sparsity/detect"
)

// known is a function, by its name in functions, with its values at x, its
// Jacobian and the Hessian of Σ wⱼFⱼ there.
type known struct {
	name    string
	x, w, y []float64
	j, h    [][]float64
}

// functions are those of the tests, on numbers of any kind.
func functions[T dual.Scalar[T]](name string) func(x []T) []T {
	var zero T
	square60 := func(square func(x T) T) func(x []T) []T {
		return func(x []T) []T {
			y := x[0]
			for range 60 {
				y = square(y)
			}
			return []T{y}
		}
	}
	return map[string]func(x []T) []T{
		"no input":            func(x []T) []T { return []T{zero.Const(7), zero} },
		"ignores its inputs":  func(x []T) []T { return []T{zero.Const(3)} },
		"ignores most":        func(x []T) []T { return []T{x[1].Square()} },
		"zero value":          func(x []T) []T { return []T{zero} },
		"outputs are inputs":  func(x []T) []T { return []T{x[2], x[0], x[2]} },
		"inputs, constants":   func(x []T) []T { return []T{zero.Const(2), x[1], zero, x[0].Mul(x[1])} },
		"detached":            func(x []T) []T { return []T{x[0].Detach().Mul(x[1])} },
		"same output":         func(x []T) []T { y := x[0].Mul(x[1]); return []T{y, y, x[0].Square(), y} },
		"0 times":             func(x []T) []T { return []T{x[0].Square().Scale(0), x[0].Mul(x[1])} },
		"x − x":               func(x []T) []T { return []T{x[0].Exp().Sub(x[0].Exp()).Add(x[1].Square())} },
		"sums of nothing":     func(x []T) []T { return []T{dual.Sum(x[:0]), dual.Dot(x[:0], x[:0]), x[0].Square()} },
		"x·x sixty deep":      square60(func(x T) T { return x.Mul(x) }),
		"x² sixty deep":       square60(T.Square),
		"dot sixty deep":      square60(func(x T) T { return dual.Dot([]T{x}, []T{x}) }),
		"x^2 sixty deep":      square60(func(x T) T { return x.PowInt(2) }),
		"x + x sixty deep":    square60(func(x T) T { return x.Add(x) }),
		"max of itself":       func(x []T) []T { return []T{x[0].Square().Max(x[0].Square())} },
		"quotient of itself":  func(x []T) []T { return []T{x[0].Div(x[0])} },
		"power of itself":     func(x []T) []T { return []T{x[0].Pow(x[0])} },
		"an unused operation": func(x []T) []T { _ = x[0].Sub(x[1]).Log(); return []T{x[0].Mul(x[1])} },
	}[name]
}

var knowns = []known{
	{"no input", nil, []float64{1, 2}, []float64{7, 0}, [][]float64{{}, {}}, nil},
	{"ignores its inputs", []float64{1, 2}, []float64{5}, []float64{3}, [][]float64{{0, 0}}, [][]float64{{0, 0}, {0, 0}}},
	{"ignores most", []float64{1, 3, 2}, []float64{5}, []float64{9}, [][]float64{{0, 6, 0}}, [][]float64{{0, 0, 0}, {0, 10, 0}, {0, 0, 0}}},
	{"zero value", []float64{1}, []float64{5}, []float64{0}, [][]float64{{0}}, [][]float64{{0}}},
	{"outputs are inputs", []float64{1, 2, 3}, []float64{5, 6, 7}, []float64{3, 1, 3},
		[][]float64{{0, 0, 1}, {1, 0, 0}, {0, 0, 1}}, [][]float64{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
	{"inputs, constants", []float64{3, 4}, []float64{5, 6, 7, 8}, []float64{2, 4, 0, 12},
		[][]float64{{0, 0}, {0, 1}, {0, 0}, {4, 3}}, [][]float64{{0, 8}, {8, 0}}},
	{"detached", []float64{3, 4}, []float64{5}, []float64{12}, [][]float64{{0, 3}}, [][]float64{{0, 0}, {0, 0}}},
	{"same output", []float64{3, 4}, []float64{1, 10, 100, 1000}, []float64{12, 12, 9, 12},
		[][]float64{{4, 3}, {4, 3}, {6, 0}, {4, 3}}, [][]float64{{200, 1011}, {1011, 0}}},
	{"0 times", []float64{3, 4}, []float64{5, 6}, []float64{0, 12}, [][]float64{{0, 0}, {4, 3}}, [][]float64{{0, 6}, {6, 0}}},
	{"x − x", []float64{3, 4}, []float64{5}, []float64{16}, [][]float64{{0, 8}}, [][]float64{{0, 0}, {0, 10}}},
	{"sums of nothing", []float64{3}, []float64{5, 6, 7}, []float64{0, 0, 9}, [][]float64{{0}, {0}, {6}}, [][]float64{{14}}},
	{"x·x sixty deep", []float64{1}, []float64{1}, []float64{1}, [][]float64{{0x1p60}}, [][]float64{{0x1p60 * (0x1p60 - 1)}}},
	{"x² sixty deep", []float64{-1}, []float64{1}, []float64{1}, [][]float64{{-0x1p60}}, [][]float64{{0x1p60 * (0x1p60 - 1)}}},
	{"dot sixty deep", []float64{1}, []float64{1}, []float64{1}, [][]float64{{0x1p60}}, [][]float64{{0x1p60 * (0x1p60 - 1)}}},
	{"x^2 sixty deep", []float64{1}, []float64{2}, []float64{1}, [][]float64{{0x1p60}}, [][]float64{{0x1p61 * (0x1p60 - 1)}}},
	{"x + x sixty deep", []float64{3}, []float64{1}, []float64{3 * 0x1p60}, [][]float64{{0x1p60}}, [][]float64{{0}}},
	{"max of itself", []float64{3}, []float64{1}, []float64{9}, [][]float64{{6}}, [][]float64{{2}}},
	{"quotient of itself", []float64{4}, []float64{1}, []float64{1}, [][]float64{{0}}, [][]float64{{0}}},
	{"power of itself", []float64{1}, []float64{1}, []float64{1}, [][]float64{{1}}, [][]float64{{2}}},
	{"an unused operation", []float64{3, 4}, []float64{2}, []float64{12}, [][]float64{{4, 3}}, [][]float64{{0, 2}, {2, 0}}},
}

// Small functions that something may be wrong with, by every way to their
// derivatives.
func TestDegenerateFunctions(t *testing.T) {
	for _, k := range knowns {
		t.Run(k.name, func(t *testing.T) {
			k.forward(t)
			k.reverse(t)
			k.second(t)
			k.sparse(t)
		})
	}
}

func (k known) vector(t *testing.T, way string, got, want []float64) {
	t.Helper()
	require.Len(t, got, len(want), way)
	for i := range want {
		require.InDelta(t, want[i], got[i], 1e-13*math.Abs(want[i]), "%s %v, want %v", way, got, want)
	}
}

// matrix compares an m×n matrix; gonum has none with no rows or columns.
func (k known) matrix(t *testing.T, way string, got mat.Matrix, want [][]float64) {
	t.Helper()
	for i, row := range want {
		for j := range row {
			require.InDelta(t, row[j], got.At(i, j), 1e-13*math.Abs(row[j]), "%s (%d, %d)", way, i, j)
		}
	}
}

func (k known) column(j int) (c []float64) {
	for _, row := range k.j {
		c = append(c, row[j])
	}
	return c
}

func axis(n, i int) []float64 {
	e := make([]float64, n)
	e[i] = 1
	return e
}

func (k known) weightedGradient() []float64 {
	g := make([]float64, len(k.x))
	for j, row := range k.j {
		for i := range row {
			g[i] += k.w[j] * row[i]
		}
	}
	return g
}

func (k known) tape(t *testing.T) *reverse.Tape {
	tape, err := reverse.RecordVec(functions[reverse.Var](k.name), k.x)
	require.NoError(t, err)
	return tape
}

func (k known) forward(t *testing.T) {
	n := len(k.x)
	f := functions[dual.Number](k.name)
	if n > 0 { // as its comment demands
		k.matrix(t, "forward.Jacobian", forward.Jacobian(nil, functions[dual.Number3](k.name), k.x), k.j)
	}
	for i := range n {
		k.vector(t, "forward.JVP", forward.JVP(nil, f, k.x, axis(n, i)), k.column(i))
	}
	if len(k.y) == 1 {
		g := forward.Gradient(nil, func(x []dual.Number3) dual.Number3 { return functions[dual.Number3](k.name)(x)[0] }, k.x)
		k.vector(t, "forward.Gradient", g, k.j[0])
	}
	hyper := functions[dual.Hyper](k.name)
	sum := func(x []dual.Hyper) dual.Hyper { return dual.Affine(0, k.w, hyper(x)) }
	k.matrix(t, "hessian.Forward", hessian.Forward(nil, sum, k.x), k.h)
	if n > 0 {
		deep := functions[nested](k.name)
		k.matrix(t, "nested", nestedHessian(func(x []nested) nested { return dual.Affine(0, k.w, deep(x)) }, k.x), k.h)
	}
}

func (k known) reverse(t *testing.T) {
	n, m := len(k.x), len(k.y)
	must := func(v []float64, err error) []float64 {
		t.Helper()
		require.NoError(t, err)
		return v
	}
	tape := k.tape(t)
	require.Equal(t, []int{n, m}, []int{tape.Inputs(), tape.Outputs()})
	k.vector(t, "Values", must(tape.Values(nil, k.x)), k.y)
	j, err := tape.Jacobian(nil, k.x)
	require.NoError(t, err)
	k.matrix(t, "Jacobian", j, k.j)
	for i := range n {
		e := axis(n, i)
		k.vector(t, "JVP", must(tape.JVP(nil, k.x, e)), k.column(i))
		k.vector(t, "Tangent", must(tape.Tangent().Values(nil, slices.Concat(k.x, e))), slices.Concat(k.y, k.column(i)))
	}
	for i := range m {
		e := axis(m, i)
		k.vector(t, "VJP", must(tape.VJP(nil, k.x, e)), k.j[i])
		if n > 0 {
			k.vector(t, "Adjoint", must(tape.Adjoint().Values(nil, slices.Concat(k.x, e))), k.j[i])
		}
	}
	if m == 1 {
		f, g, err := tape.ValueGradient(nil, k.x)
		require.NoError(t, err)
		k.vector(t, "ValueGradient", append(g, f), append(slices.Clone(k.j[0]), k.y[0]))
		f1 := func(x []reverse.Var) reverse.Var { return functions[reverse.Var](k.name)(x)[0] }
		k.vector(t, "reverse.Gradient", must(reverse.Gradient(nil, f1, k.x)), k.j[0])
		k.vector(t, "Func", must(reverse.NewFunc(f1).Gradient(nil, k.x)), k.j[0])
	}
}

func (k known) second(t *testing.T) {
	n := len(k.x)
	tape := k.tape(t)
	for i := range n {
		hv, err := tape.HVP(nil, k.x, axis(n, i), k.w...)
		require.NoError(t, err)
		k.vector(t, "weighted HVP", hv, k.h[i])
	}
	for _, s := range hessian.Strategies {
		h := hessian.New(tape, s)
		dense, err := h.Dense(nil, k.x, k.w...)
		require.NoError(t, err)
		k.matrix(t, fmt.Sprint(s), dense, k.h)
		for i := range n {
			hv, err := h.HVP(nil, k.x, axis(n, i), k.w...)
			require.NoError(t, err)
			k.vector(t, fmt.Sprint(s, " HVP"), hv, k.h[i])
			b, err := h.Bilinear(k.x, axis(n, i), axis(n, n-1), k.w...)
			require.NoError(t, err)
			k.vector(t, fmt.Sprint(s, " Bilinear"), []float64{b}, k.h[i][n-1:])
		}
	}
}

func (k known) sparse(t *testing.T) {
	n := len(k.x)
	tape := k.tape(t)
	for _, m := range []hessian.Method{hessian.Auto, hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
		p, err := hessian.SparseSettings{Method: m}.New(tape)
		if m == hessian.ByTerms && errors.Is(err, reverse.ErrNoTerms) {
			continue
		}
		require.NoError(t, err)
		h, g := p.Matrix(), make([]float64, n)
		f, err := p.EvalAll(h, g, k.x, k.w...)
		require.NoError(t, err)
		k.matrix(t, fmt.Sprint("sparse by ", m), h, k.h)
		k.vector(t, fmt.Sprint("gradient by ", m), g, k.weightedGradient())
		sum := 0.0
		for j, y := range k.y {
			sum += k.w[j] * y
		}
		require.InDelta(t, sum, f, 1e-13*math.Abs(sum), "value by %v", m)
		require.NoError(t, p.Verify(k.x, k.w...))
	}
	for _, m := range []reverse.Method{reverse.Auto, reverse.ByTerms, reverse.ByColumns, reverse.ByRows, reverse.ByBoth} {
		p, err := reverse.SparseSettings{Method: m}.New(tape)
		if m == reverse.ByTerms && errors.Is(err, reverse.ErrNoTerms) {
			continue
		}
		require.NoError(t, err)
		j, y := p.Matrix(), make([]float64, len(k.y))
		require.NoError(t, p.EvalAll(j, y, k.x))
		k.matrix(t, fmt.Sprint("sparse Jacobian by ", m), j, k.j)
		k.vector(t, fmt.Sprint("values by ", m), y, k.y)
		require.NoError(t, p.Verify(k.x))
	}
	covers := func(way string, p *sparsity.Pattern, want [][]float64) {
		t.Helper()
		for i, row := range want {
			for j, v := range row {
				require.True(t, v == 0 || p.Has(i, j), "%s misses (%d, %d)", way, i, j)
			}
		}
	}
	tracer := functions[detect.Tracer](k.name)
	covers("JacobianPattern", tape.JacobianPattern(), k.j)
	covers("HessianPattern", tape.HessianPattern(), k.h)
	covers("detect.Jacobian", detect.Jacobian(tracer, n), k.j)
	sum := func(x []detect.Tracer) detect.Tracer { return dual.Affine(0, k.w, tracer(x)) }
	covers("detect.Hessian", detect.Hessian(sum, n), k.h)
}

func TestSettingsThatContradictPanic(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].Square().Add(x[1].Square()) }, []float64{1, 2})
	require.NoError(t, err)
	p := sparsity.Diagonal(2)
	for _, o := range []hessian.SparseSettings{{Pattern: p}, {Coloring: coloring.New(coloring.Star, p)}} {
		o.Method = hessian.ByTerms
		require.PanicsWithValue(t, "hessian: ByTerms with a Pattern or a Coloring, which are of colorings", func() { _, _ = o.New(tape) })
	}
	for _, o := range []reverse.SparseSettings{{Pattern: sparsity.Full(1, 2)}, {Coloring: coloring.New(coloring.Column, sparsity.Full(1, 2))}} {
		o.Method = reverse.ByTerms
		require.PanicsWithValue(t, "reverse: ByTerms with a Pattern or a Coloring, which are of colorings", func() { _, _ = o.New(tape) })
	}
}

// x − max(x, y) is 0 around points with x > y, and so is its power, though the second
// derivative of the power is infinite there.
func TestInfiniteSecondDerivativesOfWhatCancels(t *testing.T) {
	for name, f := range map[string]func(x []reverse.Var) reverse.Var{
		"maximum": func(x []reverse.Var) reverse.Var { return x[0].Sub(x[0].Max(x[1])).PowReal(1.5) },
		"sum":     func(x []reverse.Var) reverse.Var { return x[0].Add(x[1].Neg()).Sub(x[0].Sub(x[1])).PowReal(1.5) },
	} {
		x := []float64{0, -0.5}
		tape, err := reverse.Record(f, x)
		require.NoError(t, err)
		for _, method := range []hessian.Method{hessian.ByTerms, hessian.ByStar} {
			s, err := hessian.SparseSettings{Method: method}.New(tape)
			require.NoError(t, err)
			h, err := s.Eval(nil, x)
			require.NoError(t, err)
			for _, v := range h.Values() {
				require.Zero(t, v, "%s by %v", name, method)
			}
			require.NoError(t, s.Verify(x), "%s by %v", name, method)
		}
	}
}
