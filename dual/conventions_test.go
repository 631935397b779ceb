package dual_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/reverse"
)

// A convention is a line of conventions.md: a function of n arguments, a point,
// and there its value, gradient and Hessian, ∂x, ∂y and ∂xx, ∂xy, ∂yy.
type convention struct {
	line     string
	function string
	n        int
	x        [2]float64
	value    float64
	d        [2]float64
	dd       [3]float64
}

func readConventions(t *testing.T) []convention {
	doc, err := os.ReadFile("conventions.md")
	require.NoError(t, err)
	symbols := map[string]float64{"?": undefined, "π": math.Pi, "π/2": math.Pi / 2, "π/4": math.Pi / 4, "3π/4": 3 * math.Pi / 4}
	number := func(s string) float64 {
		s = strings.NewReplacer("−", "-", "∞", "Inf").Replace(s)
		abs, negative := strings.CutPrefix(s, "-")
		v, ok := symbols[abs]
		if !ok {
			v, err = strconv.ParseFloat(abs, 64)
			require.NoError(t, err)
		}
		if negative {
			return -v
		}
		return v
	}
	var all []convention
	for line := range strings.Lines(string(doc)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| function") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		c := convention{line: strings.TrimSpace(line), function: cells[0]}
		var v []float64
		for _, cell := range cells[1:] {
			v = append(v, number(cell))
		}
		switch len(v) {
		case 4:
			c.n, c.x[0], c.value, c.d[0], c.dd[0] = 1, v[0], v[1], v[2], v[3]
		case 8:
			c.n, c.x, c.value, c.d, c.dd = 2, [2]float64(v), v[2], [2]float64(v[3:]), [3]float64(v[5:])
		default:
			require.Fail(t, "not a convention", line)
		}
		all = append(all, c)
	}
	return all
}

// compositions are the functions of conventions.md that are not operations.
func compositions[T dual.Scalar[T]]() map[string]func(x, y T) T {
	return map[string]func(x, y T) T{
		"ReLU":      func(x, y T) T { return dual.ReLU(x) },
		"ELU 0.5":   func(x, y T) T { return dual.ELU(x, 0.5) },
		"GELU":      func(x, y T) T { return dual.GELU(x) },
		"SiLU":      func(x, y T) T { return dual.SiLU(x) },
		"Select x":  func(x, y T) T { return x.Select(x.Square(), y) },
		"x·y + 3":   func(x, y T) T { return x.FMA(y, x.Const(3)) },
		"x·y − 1":   func(x, y T) T { return x.FMA(y, x.Const(-1)) },
		"x·y + x":   func(x, y T) T { return x.FMA(y, x) },
		"x² + y":    func(x, y T) T { return x.FMA(x, y) },
		"Norm2":     func(x, y T) T { return dual.Norm2([]T{x, y}) },
		"LogSumExp": func(x, y T) T { return dual.LogSumExp([]T{x, y}) },
		"√(x²)":     func(x, y T) T { return x.Square().Sqrt() },
		"∛(x³)":     func(x, y T) T { return x.PowInt(3).Cbrt() },
		"0·√x":      func(x, y T) T { return x.Sqrt().Scale(0) },
		"0·ln x":    func(x, y T) T { return x.Log().Scale(0) },
		"0·x⁻¹":     func(x, y T) T { return x.Inv().Scale(0) },
		"y·√x":      func(x, y T) T { return x.Sqrt().Mul(y) },
		"y + √x":    func(x, y T) T { return x.Sqrt().Add(y) },
		"Σ 0·x, y":  func(x, y T) T { return dual.Affine(0, []float64{0, 1}, []T{x, y}) },
		"x·y + y·y": func(x, y T) T { return dual.Dot([]T{x, y}, []T{y, y}) },
		"√(x·y)":    func(x, y T) T { return x.Mul(y).Sqrt() },
	}
}

// incomplete is an incomplete function by its name, and for RegIncBeta which of
// a, b and x are x, y and the number p: "RegIncBeta.xpy 0.5".
func incomplete[T dual.Scalar[T]](name string) func(x, y T) T {
	name, number, isBeta := strings.Cut(name, " ")
	if !isBeta {
		return dual.RegIncGamma[T]
	}
	p, _ := strconv.ParseFloat(number, 64)
	return func(x, y T) T {
		at := map[byte]T{'x': x, 'y': y, 'p': x.Const(p)}
		order := strings.TrimPrefix(name, "RegIncBeta.")
		return dual.RegIncBeta(at[order[0]], at[order[1]], at[order[2]])
	}
}

// function is f of a convention, on numbers of any kind.
func function[T dual.Scalar[T]](c convention) func(x []T) T {
	f := compositions[T]()[c.function]
	if strings.HasPrefix(c.function, "RegInc") {
		f = incomplete[T](c.function)
	}
	if f == nil {
		name, constant, _ := strings.Cut(c.function, " ")
		k, _ := strconv.ParseFloat(strings.NewReplacer("−", "-", "∞", "Inf").Replace(constant), 64)
		code := op.Code(0)
		for code.String() != name {
			code++
		}
		f = func(x, y T) T { return tape.Apply(code, k, x, y) }
	}
	return func(x []T) T {
		var y T
		if c.n == 2 {
			y = x[1]
		}
		return f(x[0], y)
	}
}

// undefined stands for NaN or 0.
var undefined = math.Float64frombits(math.Float64bits(math.NaN()) + 1)

// same is equality with b, in which NaN equals itself and finite numbers may differ by
// rounding.
func same(a, b float64) bool {
	if a == 0 && math.Float64bits(b) == math.Float64bits(undefined) {
		return true
	}
	return a == b || a != a && b != b || math.Abs(a-b) <= 1e-13*math.Abs(b)
}

// checker compares what a mode computes with a convention.
type checker struct {
	*testing.T
	convention
}

func (c checker) equal(mode, what string, got, want float64) {
	c.Helper()
	if !same(got, want) {
		c.Errorf("%s\n  %s: %s is %v, want %v", c.line, mode, what, got, want)
	}
}

// hess is the entry (i, j).
func (c checker) hess(i, j int) float64 { return c.dd[i+j] }

// jets checks a kind of number, which in makes of a value and its derivatives
// in two directions, and out takes apart; order is that of the derivatives it
// has.
func jets[T dual.Scalar[T]](c checker, mode string, order int, in func(v, d1, d2 float64) T, out func(T) (v, d1, d2, d12 float64)) {
	f := function[T](c.convention)
	for i := range c.n {
		for j := range c.n {
			x := make([]T, c.n)
			var s [2][2]float64
			s[i][0], s[j][1] = 2, 3
			for k := range x {
				x[k] = in(c.x[k], s[k][0], s[k][1])
			}
			v, d1, d2, d12 := out(f(x))
			c.equal(mode, "value", v, c.value)
			c.equal(mode, fmt.Sprint("2∂", i), d1, 2*c.d[i])
			if order == 2 {
				c.equal(mode, fmt.Sprint("3∂", j), d2, 3*c.d[j])
				c.equal(mode, fmt.Sprint("6∂", i, j), d12, 6*c.hess(i, j))
			}
		}
	}
}

type (
	real1 = dual.Of[dual.Real]
	real2 = dual.Of[real1]
)

func inHyper(v, d1, d2 float64) dual.Hyper { return dual.Hyper{V: v, D1: d1, D2: d2} }

func outHyper(x dual.Hyper) (v, d1, d2, d12 float64) { return x.V, x.D1, x.D2, x.D12 }

func inNested(v, d1, d2 float64) real2 {
	return real2{V: real1{V: dual.Real(v), D: dual.Real(d1)}, D: real1{V: dual.Real(d2)}}
}

func outNested(x real2) (v, d1, d2, d12 float64) {
	return float64(x.V.V), float64(x.V.D), float64(x.D.V), float64(x.D.D)
}

func (c checker) numbers() {
	jets(c, "Number", 1,
		func(v, d1, d2 float64) dual.Number { return dual.Number{V: v, D: d1} },
		func(x dual.Number) (v, d1, d2, d12 float64) { return x.V, x.D, 0, 0 })
	jets(c, "Number3", 1,
		func(v, d1, d2 float64) dual.Number3 { return dual.Number3{V: v, D2: d1} },
		func(x dual.Number3) (v, d1, d2, d12 float64) { return x.V, x.D2, 0, 0 })
	jets(c, "Hyper", 2, inHyper, outHyper)
	jets(c, "Of[Real]", 1,
		func(v, d1, d2 float64) real1 { return real1{V: dual.Real(v), D: dual.Real(d1)} },
		func(x real1) (v, d1, d2, d12 float64) { return float64(x.V), float64(x.D), 0, 0 })
	jets(c, "Of[Of[Real]]", 2, inNested, outNested)
	jets(c, "Of[Number]", 2,
		func(v, d1, d2 float64) dual.Of[dual.Number] {
			return dual.Of[dual.Number]{V: dual.Number{V: v, D: d1}, D: dual.Number{V: d2}}
		},
		func(x dual.Of[dual.Number]) (v, d1, d2, d12 float64) { return x.V.V, x.V.D, x.D.V, x.D.D })
	jets(c, "Of[Hyper]", 2,
		func(v, d1, d2 float64) dual.Of[dual.Hyper] {
			return dual.Of[dual.Hyper]{V: dual.Hyper{V: v, D1: d1}, D: dual.Hyper{V: d2}}
		},
		func(x dual.Of[dual.Hyper]) (v, d1, d2, d12 float64) { return x.V.V, x.V.D1, x.D.V, x.D.D1 })
	jets(c, "Of[Hyper], inside", 2,
		func(v, d1, d2 float64) dual.Of[dual.Hyper] {
			return dual.Of[dual.Hyper]{V: dual.Hyper{V: v, D1: d1, D2: d2}}
		},
		func(x dual.Of[dual.Hyper]) (v, d1, d2, d12 float64) { return x.V.V, x.V.D1, x.V.D2, x.V.D12 })
}

// unit is the i-th unit vector of length n.
func unit(n, i int) []float64 {
	e := make([]float64, n)
	e[i] = 1
	return e
}

func (c checker) tape() {
	must := func(v []float64, err error) []float64 {
		c.Helper()
		require.NoError(c, err, c.line)
		return v
	}
	inside := []float64{0.7, 0.6}[:c.n]
	x := c.x[:c.n]
	t, err := reverse.Record(function[reverse.Var](c.convention), inside)
	require.NoError(c, err)
	f, g, err := t.ValueGradient(nil, x)
	require.NoError(c, err)
	c.equal("tape", "value", f, c.value)
	one := []float64{1}
	gradients := map[string][]float64{
		"ValueGradient": g,
		"Gradient":      must(t.Gradient(nil, x)),
		"VJP":           must(t.VJP(nil, x, one)),
		"Adjoint":       must(t.Adjoint().Values(nil, append(slices.Clone(x), 1))),
	}
	for mode, g := range gradients {
		for i := range x {
			c.equal(mode, fmt.Sprint("∂", i), g[i], c.d[i])
		}
	}
	for i := range x {
		e := unit(c.n, i)
		c.equal("JVP", fmt.Sprint("∂", i), must(t.JVP(nil, x, e))[0], c.d[i])
		c.equal("Tangent", fmt.Sprint("∂", i), must(t.Tangent().Values(nil, append(slices.Clone(x), e...)))[1], c.d[i])
		hv := must(t.HVP(nil, x, e))
		ht := must(t.Adjoint().JVP(nil, append(slices.Clone(x), 1), append(slices.Clone(e), 0)))
		hg := must(t.Tangent().VJP(nil, append(slices.Clone(x), e...), []float64{0, 1}))
		for j := range x {
			c.equal("HVP", fmt.Sprint("∂", i, j), hv[j], c.hess(i, j))
			c.equal("JVP of Adjoint", fmt.Sprint("∂", i, j), ht[j], c.hess(i, j))
			c.equal("VJP of Tangent", fmt.Sprint("∂", i, j), hg[j], c.hess(i, j))
		}
	}
	for _, s := range hessian.Strategies {
		h := hessian.New(t, s)
		dense, err := h.Dense(nil, x)
		require.NoError(c, err)
		for i := range x {
			hv := must(h.HVP(nil, x, unit(c.n, i)))
			for j := range x {
				c.equal(fmt.Sprint(s), fmt.Sprint("∂", i, j), dense.At(i, j), c.hess(i, j))
				c.equal(fmt.Sprint(s, " HVP"), fmt.Sprint("∂", i, j), hv[j], c.hess(i, j))
				b, err := h.Bilinear(x, unit(c.n, i), unit(c.n, j))
				require.NoError(c, err)
				c.equal(fmt.Sprint(s, " Bilinear"), fmt.Sprint("∂", i, j), b, c.hess(i, j))
			}
		}
	}
}

// sparse has the function as one of many terms, the others inside the domain.
func (c checker) sparse() {
	const terms, at = 40, 17
	f := function[reverse.Var](c.convention)
	x := make([]float64, terms*c.n)
	for i := range x {
		x[i] = []float64{0.7, 0.6}[i%c.n]
	}
	t, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
		for ; len(x) > 0; x = x[c.n:] {
			s = s.Add(f(x[:c.n]))
		}
		return s
	}, x)
	require.NoError(c, err)
	copy(x[at*c.n:], c.x[:c.n])
	for _, m := range []hessian.Method{hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
		p, err := hessian.SparseSettings{Method: m}.New(t)
		if m == hessian.ByTerms && errors.Is(err, reverse.ErrNoTerms) {
			continue
		}
		require.NoError(c, err)
		h := p.Matrix()
		g := make([]float64, len(x))
		_, err = p.EvalAll(h, g, x)
		require.NoError(c, err)
		for i := range c.n {
			c.equal(fmt.Sprint(m), fmt.Sprint("∂", i), g[at*c.n+i], c.d[i])
			for j := range c.n {
				c.equal(fmt.Sprint(m), fmt.Sprint("∂", i, j), h.At(at*c.n+i, at*c.n+j), c.hess(i, j))
			}
		}
	}
}

func TestConventionsInEveryMode(t *testing.T) {
	for _, c := range readConventions(t) {
		c := checker{t, c}
		c.numbers()
		c.tape()
		if !strings.HasPrefix(c.function, "RegInc") { // a quadrature each, and no terms
			c.sparse()
		}
	}
}

// x^c is one function, whether c is the exponent of PowReal or PowInt or a
// number that does not depend on x.
func TestPowersAreOneFunction(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	check := func(x, p float64) {
		in, nest := inHyper(x, 1, 1), inNested(x, 1, 1)
		real := in.PowReal(p)
		flat := func(x real2) (h dual.Hyper) {
			h.V, h.D1, h.D2, h.D12 = outNested(x)
			return h
		}
		byParameter, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
			return []reverse.Var{x[0].Pow(p[0])}
		}, []float64{0.7}, []float64{0.6})
		require.NoError(t, err)
		byConstant, err := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].Pow(dual.Const[reverse.Var](p)) }, []float64{0.7})
		require.NoError(t, err)
		ways := map[string]dual.Hyper{
			"Hyper.Pow":      in.Pow(dual.Hyper{V: p}),
			"nested PowReal": flat(nest.PowReal(p)),
			"nested Pow":     flat(nest.Pow(nest.Const(p))),
		}
		for way, at := range map[string]struct {
			t *reverse.Tape
			x []float64
		}{"tape, constant": {byConstant, []float64{x}}, "tape, parameter": {byParameter, []float64{x, p}}} {
			f, g, err := at.t.ValueGradient(nil, at.x)
			require.NoError(t, err)
			h, err := at.t.HVP(nil, at.x, []float64{1})
			require.NoError(t, err)
			ways[way] = dual.Hyper{V: f, D1: g[0], D2: g[0], D12: h[0]}
		}
		if p == math.Trunc(p) && math.Abs(p) < 100 {
			ways["PowInt"] = in.PowInt(int(p))
		}
		for way, got := range ways {
			beside := real.D1 != real.D1 && got.D12 == 0 // see the question mark in conventions.md
			if !same(got.V, real.V) || !same(got.D1, real.D1) || !same(got.D2, real.D2) || !same(got.D12, real.D12) && !beside {
				t.Errorf("%v^%v by %s: %v, by PowReal %v", x, p, way, got, real)
			}
		}
	}
	for _, x := range []float64{-inf, -1e200, -3.5, -1, -1e-200, math.Copysign(0, -1), 0, 1e-300, 0.3, 1, 2.5, 1e200, inf, nan} {
		for _, p := range []float64{-3, -2, -1.5, -1, -0.5, -1e-20, 0, 1e-20, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, inf, -inf, nan} {
			if x != x && (p == 1 || p == 2) {
				continue // polynomials only where the exponent is known to be constant
			}
			check(x, p)
		}
	}
}
