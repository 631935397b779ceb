package reverse_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

var nan, inf = math.NaN(), math.Inf(1)
var minus0 = math.Copysign(0, -1)

// An operation, with its constant, and where it is smooth: points for its
// operands. At the edges it has a convention or a limit.
type operation struct {
	name        string
	kind        randprog.Kind
	op          op.Code
	c           float64
	w           []float64
	args        int
	points      []float64 // inside the domain
	others      []float64 // second operands there
	edges       []float64
	secondEdges []float64
}

var (
	anywhere = []float64{-36.7, -3.1, -1, -0.5, -1e-9, 1e-9, 0.1, 0.5, 1.1, 2, 3.1, 7.5, 36.7}
	positive = []float64{1e-9, 0.1, 0.5, 1.1, 2, 3.1, 7.5, 25.5, 36.7, 1e3}
	moderate = []float64{-9.3, -3.1, -1, -0.5, -1e-9, 1e-9, 0.1, 0.5, 1.1, 3.1, 9.3}
	within1  = []float64{-0.999, -0.5, -0.1, -1e-9, 1e-9, 0.1, 0.3, 0.5, 0.75, 0.999}
	edges    = []float64{0, minus0, 1, -1, inf, -inf, nan}
)

var operations = func() []operation {
	var all []operation
	add := func(op op.Code, c float64, points []float64, poles ...float64) {
		name := fmt.Sprint(op)
		if op.Constant() != 0 {
			name = fmt.Sprint(op, " ", c)
		}
		all = append(all, operation{name: name, op: op, c: c, args: 1, points: points, edges: append(poles, edges...)})
	}
	for _, c := range []float64{1.5, 0, minus0, -3} {
		add(op.AddReal, c, anywhere)
		add(op.RSub, c, anywhere)
		add(op.Scale, c, anywhere)
		add(op.RDiv, c, anywhere)
	}
	for _, c := range []float64{1, -1, 2, 0.5, inf} {
		add(op.Scale, c, anywhere)
	}
	for _, c := range []float64{1.5, -1, 2, -0.25, 0x1p-1074, 0x1p1023} {
		add(op.DivReal, c, anywhere)
	}
	for _, c := range []float64{0, 1, 2, 3, -1, 0.5, 0.25, 1.5, 2.5, -0.5, -2} {
		add(op.PowReal, c, positive)
	}
	for _, c := range []float64{-4, -3, -2, -1, 0, 1, 2, 3, 4, 7} {
		add(op.PowInt, c, anywhere)
	}
	for _, c := range []float64{0, 1, 2} {
		add(op.Polygamma, c, positive, -1, -2)
	}
	points := map[op.Code][]float64{
		op.Sqrt: positive, op.Log: positive, op.Log2: positive, op.Log10: positive,
		op.Log1p: positive, op.LogGamma: positive[1:], op.Gamma: {0.1, 0.5, 1.1, 2, 3.1, 7.5, 9, 10, 25.5},
		op.Asin: within1, op.Acos: within1, op.Atanh: within1,
		op.Acosh: {1.001, 1.1, 1.5, 2, 3, 5, 7, 1e3, 1e9},
		op.Exp:   moderate, op.Exp2: moderate, op.Expm1: moderate, op.Sinh: moderate,
		op.Cosh: moderate, op.Erf: {-3, -1, -0.5, -1e-9, 1e-9, 0.1, 0.5, 1.1, 3.1}, op.Logistic: moderate,
		op.Softplus: moderate, op.Tan: moderate, op.Tanh: moderate,
	}
	points[op.Erfc] = points[op.Erf]
	for op := range op.All {
		if op.Operands() != 1 || op.Constant() != 0 {
			continue
		}
		p := points[op]
		if p == nil {
			p = anywhere
		}
		add(op, 0, p)
	}
	binary := func(name string, kind randprog.Kind, op op.Code, w, points, others []float64) {
		all = append(all, operation{
			name: name, kind: kind, op: op, w: w, c: 1.25, args: 2, points: points, others: others,
			edges: []float64{0, minus0, 1, -2, inf, nan}, secondEdges: []float64{0, minus0, 1, -2, 3, inf, nan},
		})
	}
	for code := range op.All {
		if code.Operands() != 2 {
			continue
		}
		if code == op.Pow {
			binary("Pow", randprog.KindOp, code, nil, positive[1:], moderate)
			all[len(all)-1].edges = []float64{0, minus0, 1, -2, inf}
			continue
		}
		binary(fmt.Sprint(code), randprog.KindOp, code, nil, anywhere, append(moderate[:5:5], 2.2, 4, 8.1))
	}
	binary("Sum", randprog.KindSum, 0, nil, anywhere, moderate)
	binary("Dot", randprog.KindDot, 0, nil, anywhere, moderate)
	binary("Affine", randprog.KindAffine, 0, []float64{2, -1.5, 0.5, -3, 1, 3, -2, 0.25, 7, 6}, anywhere, moderate)
	binary("Select", randprog.KindSelect, 0, nil, anywhere, moderate)
	return all
}()

// A lane is one use of an operation. Its operands are inputs of the function.
type lane struct {
	p    *randprog.Prog
	a, b int
}

// lanes is the function whose outputs are an operation at many points.
type lanes struct {
	x    []float64
	each []lane
}

func (o *operation) prog() *randprog.Prog {
	in := randprog.Instr{Kind: o.kind, Op: o.op, C: o.c, W: o.w, B: o.args - 1, List: []int{0}}
	switch o.kind {
	case randprog.KindSum, randprog.KindDot, randprog.KindAffine:
		in.List = []int{0, 1, 1, 0, 1, 0, 0, 0, 1, 1}
	}
	return &randprog.Prog{Inputs: o.args, Outputs: 1, Out: []int{o.args}, Code: []randprog.Instr{in}}
}

func evaluate[T dual.Scalar[T]](f lanes, x []T) []T {
	y := make([]T, len(f.each))
	for l, e := range f.each {
		args := []T{x[e.a], x[e.b]}[:e.p.Inputs]
		y[l] = randprog.Run(e.p, args, nil)[0]
	}
	return y
}

// The layouts of operands in a batch.
var layouts = map[string]func(p *randprog.Prog, points [][2]float64) lanes{
	// Each lane has its own inputs, which follow each other.
	"direct": func(p *randprog.Prog, points [][2]float64) lanes {
		var f lanes
		n := len(points)
		for l, x := range points {
			f.x = append(f.x, x[0])
			f.each = append(f.each, lane{p, l, n + l})
		}
		for _, x := range points {
			f.x = append(f.x, x[1])
		}
		return f
	},
	// They are in no order, at growing distances.
	"indexed": func(p *randprog.Prog, points [][2]float64) lanes {
		var f lanes
		for l, x := range points {
			for range l % 3 {
				f.x = append(f.x, 0.75)
			}
			f.each = append(f.each, lane{p, len(f.x), len(f.x) + 1})
			f.x = append(f.x, x[0], x[1])
		}
		return f
	},
	// Each is on a level of its own, so that there are no batches.
	"single": func(p *randprog.Prog, points [][2]float64) lanes {
		f := lanes{x: []float64{points[0][0], points[0][1]}}
		f.each = []lane{{p, 0, 1}}
		return f
	},
}

// uniform is lanes that share their first or second operand.
func uniform(p *randprog.Prog, points [][2]float64, which int) lanes {
	f := lanes{x: []float64{points[0][which]}}
	for _, x := range points {
		if same(x[which], f.x[0]) {
			k := len(f.x)
			f.x = append(f.x, x[1-which])
			if which == 0 {
				f.each = append(f.each, lane{p, 0, k})
			} else {
				f.each = append(f.each, lane{p, k, 0})
			}
		}
	}
	return f
}

func same(a, b float64) bool { return a == b || a != a && b != b }

// hyper is lane l on hyper-dual numbers along unit directions of its operands.
func (f lanes) hyper(l, i, j int) dual.Hyper {
	e := f.each[l]
	x := []dual.Hyper{{V: f.x[e.a]}, {V: f.x[e.b]}}
	x[i].D1, x[j].D2 = 1, 1
	return randprog.Run(e.p, x[:e.p.Inputs], nil)[0]
}

// bounds is the bounds of rounding errors of the derivatives of lane l.
func (f lanes) bounds(l int) (m1, m2 float64) {
	e := f.each[l]
	p := *e.p
	p.X = []float64{f.x[e.a], f.x[e.b]}[:p.Inputs]
	p.U = []float64{1, 1}[:p.Inputs]
	p.V = p.U
	b1, b2 := randprog.Bounds(&p)
	return b1[0], b2[0]
}

// check compares every mode of the tape of f with hyper-dual numbers, along
// each of the directions that move one operand of every lane.
func (f lanes) check(t *testing.T, what string) {
	t.Helper()
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return evaluate(f, x) }, f.x)
	if err != nil {
		t.Fatal(err)
	}
	n, m := tape.Inputs(), tape.Outputs()
	args := f.each[0].p.Inputs
	operand := func(l, i int) int { return []int{f.each[l].a, f.each[l].b}[i] }
	must := func(x []float64, err error) []float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	// Sums of lanes that are ∞ − ∞ are left out, and second derivatives where a
	// first one is NaN.
	undefined := map[string][]int{}
	firstOrder := []string{"VJP", "JVP", "Adjoint", "Tangent"}
	equal := func(mode, which string, k int, got float64, want, bound []float64) {
		t.Helper()
		sum, m := 0.0, 0.0
		infinite := 0
		for i, w := range want {
			sum += w
			m += bound[i]
			if math.IsInf(w, 0) || w != w {
				infinite++
			}
		}
		if infinite > 1 || slices.Contains(undefined[which], k) && !slices.Contains(firstOrder, mode) {
			return
		}
		if !same(got, sum) && !(math.Abs(got-sum) <= tolerance(m)+256*eps*math.Abs(sum)) {
			t.Errorf("%s: %s %s %d: %v, want %v", what, mode, which, k, got, sum)
		}
	}
	w := ones(m)
	zeros := make([]float64, m)
	values := must(tape.Values(nil, f.x))
	tangent, adjoint := tape.Tangent(), tape.Adjoint()
	xw := join(f.x, w)
	gradients := map[string][]float64{
		"VJP":     must(tape.VJP(nil, f.x, w)),
		"Adjoint": must(adjoint.Values(nil, xw)),
	}
	bound1, bound2 := make([]float64, m), make([]float64, m)
	grad, gradBound := make([][]float64, n), make([][]float64, n)
	for l := range m {
		bound1[l], bound2[l] = f.bounds(l)
		bound2[l] += bound1[l] // nested rules cancel near inflections: asin″ at 0
		h := f.hyper(l, 0, 0)
		if !same(values[l], h.V) {
			t.Errorf("%s: value %d: %v, want %v", what, l, values[l], h.V)
		}
		for i := range args {
			k := operand(l, i)
			grad[k] = append(grad[k], f.hyper(l, i, i).D1)
			if d := f.hyper(l, i, i).D1; d != d {
				undefined["output"] = append(undefined["output"], l)
				undefined["input"] = append(undefined["input"], operand(l, 0), operand(l, 1))
			}
			gradBound[k] = append(gradBound[k], bound1[l])
		}
	}
	for mode, g := range gradients {
		for k := range g {
			equal(mode, "input", k, g[k], grad[k], gradBound[k])
		}
	}
	for side := range args {
		v := make([]float64, n)
		for l := range m {
			v[operand(l, side)] = 1
		}
		xv := join(f.x, v)
		firsts := map[string][]float64{
			"JVP":     must(tape.JVP(nil, f.x, v)),
			"Tangent": must(tangent.Values(nil, xv))[m:],
		}
		for mode, y := range firsts {
			for l := range m {
				equal(mode, "output", l, y[l], []float64{f.hyper(l, side, side).D1}, []float64{bound1[l]})
			}
		}
		for other := range args {
			u := make([]float64, n)
			for l := range m {
				u[operand(l, other)] = 1
			}
			fof := must(tangent.JVP(nil, xv, join(u, make([]float64, n))))[m:]
			for l := range m {
				equal("FoF", "output", l, fof[l], []float64{f.hyper(l, other, side).D12}, []float64{bound2[l]})
			}
		}
		second, secondBound := make([][]float64, n), make([][]float64, n)
		for l := range m {
			for i := range args {
				k := operand(l, i)
				second[k] = append(second[k], f.hyper(l, i, side).D12)
				secondBound[k] = append(secondBound[k], bound2[l])
			}
		}
		products := map[string][]float64{
			"FoR":            must(tape.HVP(nil, f.x, v, w...)),
			"FoR by Adjoint": must(adjoint.JVP(nil, xw, join(v, zeros))),
			"RoF":            must(tangent.VJP(nil, xv, join(zeros, w)))[:n],
			"RoR":            must(adjoint.VJP(nil, xw, v))[:n],
		}
		for mode, h := range products {
			for k := range h {
				equal(mode, "input", k, h[k], second[k], secondBound[k])
			}
		}
	}
}

func (o *operation) grid(x, y []float64) [][2]float64 {
	var g [][2]float64
	for _, x := range x {
		if o.args == 1 {
			g = append(g, [2]float64{x})
			continue
		}
		for _, y := range y {
			g = append(g, [2]float64{x, y})
		}
	}
	return g
}

func TestOperationsInEveryMode(t *testing.T) {
	for _, o := range operations {
		for name, layout := range layouts {
			points := o.grid(o.points, o.others)
			f := layout(o.prog(), points)
			f.check(t, o.name+" "+name)
			if name == "single" {
				for _, x := range points {
					layout(o.prog(), [][2]float64{x}).check(t, fmt.Sprint(o.name, " at ", x))
				}
			}
		}
		if o.args == 2 {
			uniform(o.prog(), o.grid(o.points[3:4], o.others), 0).check(t, o.name+" uniform a")
			uniform(o.prog(), o.grid(o.points, o.others[3:4]), 1).check(t, o.name+" uniform b")
		}
	}
}

// Operations with a constant, the same operand in all lanes.
func TestOperationsOfOneOperandWithManyConstants(t *testing.T) {
	for op, c := range map[op.Code][]float64{
		op.AddReal: anywhere, op.RSub: anywhere, op.Scale: anywhere, op.DivReal: anywhere,
		op.RDiv: anywhere, op.PowReal: anywhere, op.PowInt: {-6, -5, -4, -3, -2, 3, 4, 5, 6, 7},
		op.Polygamma: {0, 1, 2, 3, 4, 5, 6, 7},
	} {
		f := lanes{x: []float64{1.7}}
		for _, c := range c {
			o := operation{op: op, c: c, args: 1}
			f.each = append(f.each, lane{o.prog(), 0, 0})
		}
		f.check(t, fmt.Sprint(op, " with many constants"))
	}
}

func TestConventionsInEveryMode(t *testing.T) {
	for _, o := range operations {
		points := o.grid(o.edges, o.secondEdges)
		for name, layout := range layouts {
			if name != "single" {
				layout(o.prog(), points).check(t, o.name+" "+name)
			}
		}
		for _, x := range points {
			layouts["single"](o.prog(), [][2]float64{x}).check(t, fmt.Sprint(o.name, " at ", x[:o.args]))
		}
		if o.args == 2 {
			for _, y := range o.secondEdges {
				g := o.grid(append(o.edges, o.points...), []float64{y})
				uniform(o.prog(), g, 1).check(t, fmt.Sprint(o.name, " uniform b = ", y))
			}
			others := o.others
			if o.op == op.Pow { // ∂xy is ∞ − ∞ at x = 0 < y < 1
				others = []float64{1.5, 2, 2.5, 4}
			}
			for _, x := range o.edges {
				g := o.grid([]float64{x}, append(o.secondEdges, others...))
				uniform(o.prog(), g, 0).check(t, fmt.Sprint(o.name, " uniform a = ", x))
			}
		}
	}
}

// float64 cannot tell an odd exponent above 2⁵³ from an even one.
func TestPowIntKeepsTheParityOfHugeExponents(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("int has 32 bits")
	}
	for _, odd := range []float64{1, -1} {
		n := int(odd*0x1p53) + int(odd)
		for _, n := range []int{n, n - 1} {
			f := func(x []reverse.Var) reverse.Var { return x[0].PowInt(n) }
			tape, err := reverse.Record(f, []float64{0.5})
			if err != nil {
				t.Fatal(err)
			}
			v := 1.0
			if n%2 != 0 {
				v = -1
			}
			x := dual.Hyper{V: -1, D1: 1, D2: 1}.PowInt(n)
			k := float64(n)
			demand(t, fmt.Sprint("(−1)^", n), tape, []float64{-1}, v, []float64{-k * v}, [][]float64{{k * (k - 1) * v}})
			if !same(x.V, v) || !same(x.D1, -k*v) {
				t.Errorf("hyper-dual (−1)^%d: %v", n, x)
			}
		}
	}
}
