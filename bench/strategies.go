package main

import (
	"fmt"
	"math"
	"runtime"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/reverse"
)

// maxDense is the largest number of variables of which dense Hessians are
// measured.
const maxDense = 400

// A method makes Hessians of a function.
type method struct {
	name       string
	object     string // what one run gives
	passes     string // of one run
	runs       int    // for the full Hessian
	run, full  func()
	hessian    *mat.SymDense // after full
	ops, bytes int           // of the tape, if there is one
	working    int           // bytes, without result
	each, all  sample        // of a run, of the full Hessian
}

// strategies compares the strategies on dense Hessians.
func strategies(b *bench) {
	for _, c := range b.chosen {
		in := c.At(c.size)
		if in.Plain == nil || len(in.X0) > maxDense {
			continue
		}
		b.progress("%s, n = %d", in.Name, len(in.X0))
		f, methods := b.methods(in)
		rows := make([]row, len(methods))
		for i, m := range methods {
			rows[i] = row{Problem: in.Name, N: len(in.X0), Figure: "dense-hessian", Method: m.name,
				Seconds: m.all.time(), Ratio: m.all.ratio(f), Ops: m.ops, Bytes: m.bytes, Allocs: &m.all.allocs}
		}
		b.emit(rows...)
		b.printMethods(in, f, methods)
	}
}

// methods measures f and the methods.
func (b *bench) methods(in *problems.Instance) (f sample, methods []*method) {
	for _, s := range []hessian.Strategy{hessian.FoR, hessian.RoF, hessian.RoR, hessian.FoF} {
		methods = append(methods, byTape(in, s))
	}
	methods = append(methods, byHyper(in))

	fs := []func(){func() { in.Plain(in.X0) }}
	for _, m := range methods {
		fs = append(fs, m.run, m.full)
	}
	samples := b.measure(fs...)
	for i, m := range methods {
		m.each, m.all = samples[1+2*i], samples[2+2*i]
		if m.working == 0 {
			m.working = int(m.each.bytes)
		}
	}
	return samples[0], methods
}

// byTape is a strategy on a tape.
func byTape(in *problems.Instance, s hessian.Strategy) *method {
	x, n := in.X0, len(in.X0)
	h := hessian.New(must(reverse.Record(x, problems.Func[reverse.Var](in))), s)
	m := &method{name: s.String(), object: "Hv", runs: n, hessian: mat.NewSymDense(n, nil),
		ops: h.Tape().Ops(), bytes: h.Tape().Bytes()}
	v, hv := ones(n), make([]float64, n)
	m.run = func() { must(h.HVP(hv, x, v)) }
	switch s {
	case hessian.FoR:
		m.passes = "forward, reverse, tangent of both"
	case hessian.RoF:
		m.passes = "forward with tangent, reverse"
	case hessian.RoR:
		m.passes = "forward, reverse, reverse of both"
	case hessian.FoF:
		m.object, m.passes, m.runs = "wᵀHv", "forward, tangent of tangent", n*(n+1)/2
		m.run = func() { must(h.Bilinear(x, v, v)) }
	}
	m.full = func() { must(h.Dense(m.hessian, x)) }
	m.working = working(h.Tape(), m.run)
	return m
}

// byHyper is FoF on the function itself.
func byHyper(in *problems.Instance) *method {
	x, n := in.X0, len(in.X0)
	f := problems.Func[dual.Hyper](in)
	m := &method{name: "hyper", object: "wᵀHv", passes: "forward, hyper-dual numbers", runs: n * (n + 1) / 2,
		hessian: mat.NewSymDense(n, nil)}
	v := ones(n)
	m.run = func() { hessian.ForwardBilinear(f, x, v, v) }
	m.full = func() { hessian.Forward(m.hessian, f, x) }
	return m
}

// working is the bytes of the workspace that eval, which evaluates t for the
// first time, leaves in t's pool. On one processor that is the one that the
// pool hands out next.
func working(t *reverse.Tape, eval func()) (bytes int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	eval()
	must(0, t.Sweep(t.Point(), func(_ *program.Program, ws *program.Workspace) error {
		bytes = ws.Bytes()
		return nil
	}))
	return bytes
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

func (b *bench) printMethods(in *problems.Instance, f sample, methods []*method) {
	reference := methods[0].hessian
	t := table{text: 3, head: []string{"strategy", "a run gives", "passes of a run", "run/f",
		"tape B", "working B", "runs", "all/f", "all", "off FoR by"}}
	for _, m := range methods {
		name, tape, off := m.name, none, none
		if m.bytes > 0 {
			tape = fmt.Sprint(m.bytes)
		} else {
			name = "FoF, no tape"
		}
		if m.hessian != reference {
			off = fmt.Sprintf("%.1e", largest(m.hessian, reference))
		}
		t.add(name, m.object, m.passes, digits(m.each.ratio(f)), tape, fmt.Sprint(m.working),
			fmt.Sprint(m.runs), digits(m.all.ratio(f)), duration(m.all.time()), off)
	}
	b.print(fmt.Sprintf("Dense Hessian of %s, n = %d: f takes %s, the largest element is %.3g",
		in.Name, len(in.X0), duration(f.time()), largest(reference, nil)), &t)
}

// largest is the largest |aᵢⱼ − bᵢⱼ|, NaN if there is a NaN; a nil b is 0.
func largest(a, b *mat.SymDense) (d float64) {
	n := a.SymmetricDim()
	for i := range n {
		for j := i; j < n; j++ {
			x := a.At(i, j)
			if b != nil {
				x -= b.At(i, j)
			}
			d = max(d, math.Abs(x))
		}
	}
	return d
}

// memoryPlots draws the bytes that one run of each mode and strategy holds, tape
// and working memory, over the time of its passes: a pass begins with a mark.
func memoryPlots(b *bench) []*figure {
	size := 10000
	if b.quick {
		size = 1000
	}
	in := problems.Named("trig").At(size)
	x, n := in.X0, len(in.X0)
	f := newFigure("memory", fmt.Sprintf("Memory over the passes of one run: trig, n = %d", n), "time (ms)", "tape and working memory (MB)")
	f.grid()
	f.plot.Y.Min = 0
	type run struct {
		name   string
		tape   *reverse.Tape // nil for none
		style  []vg.Length
		passes []func() // each makes one pass more than the one before it
	}
	var runs []run
	v, g := ones(n), make([]float64, n)
	directional, hyper := problems.Func[dual.Number](in), problems.Func[dual.Hyper](in)
	tape := func() *reverse.Tape { return must(reverse.Record(x, problems.Func[reverse.Var](in))) }

	t := tape()
	runs = append(runs,
		run{"f′v, no tape: value, tangent", nil, nil, []func(){func() { forward.Directional(directional, x, v) }}},
		run{"gradient: value | adjoint", t, nil, []func(){func() { must(t.Value(x)) }, func() { must(t.Gradient(g, x)) }}},
		run{"FoF, no tape: hyper-dual", nil, nil, []func(){func() { hessian.ForwardBilinear(hyper, x, v, v) }}})
	for _, m := range []struct {
		strategy hessian.Strategy
		passes   string
		style    []vg.Length // where lines lie upon each other
	}{
		{hessian.FoR, "value | adjoint | second order", dashes},
		{hessian.FoF, "value, tangent | tangent", nil},
		{hessian.RoF, "value, tangent | adjoint", dashes},
		{hessian.RoR, "value, adjoint | adjoint", nil},
	} {
		h := hessian.New(tape(), m.strategy)
		t := h.Tape()
		at, y := t.Point(), make([]float64, t.Outputs())
		passes := []func(){func() { must(t.Values(y, at)) }}
		switch m.strategy {
		case hessian.FoF:
			passes = append(passes, func() { must(h.Bilinear(x, v, v)) })
		case hessian.FoR:
			passes = append(passes, func() { must(t.Gradient(g, x)) })
			fallthrough
		default:
			passes = append(passes, func() { must(h.HVP(g, x, v)) })
		}
		runs = append(runs, run{fmt.Sprintf("%v: %s", m.strategy, m.passes), t, m.style, passes})
	}

	var bytes []int
	var all []func()
	for _, r := range runs {
		for _, pass := range r.passes {
			if r.tape != nil {
				bytes = append(bytes, r.tape.Bytes()+working(r.tape, pass))
			} else {
				bytes = append(bytes, 0) // what it allocates
			}
		}
		all = append(all, r.passes...)
	}
	samples := b.measure(all...)
	for i, r := range runs {
		var xy plotter.XYs
		start := 0.0
		for range r.passes {
			k := bytes[0]
			if r.tape == nil {
				k = int(samples[0].bytes)
			}
			xy = append(xy, plotter.XY{X: 1e3 * start, Y: float64(k) / 1e6})
			start = samples[0].time()
			bytes, samples = bytes[1:], samples[1:]
		}
		xy = append(xy, plotter.XY{X: 1e3 * start, Y: xy[len(xy)-1].Y})
		f.line(i, r.name, xy, plotter.PostStep, r.style...)
	}
	f.width = 7.5 * vg.Inch
	f.plot.Y.Max *= 1.05
	return []*figure{f}
}
