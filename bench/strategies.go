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
	"github.com/hesse-ad/hesse/internal/sweep"
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
	if f := problems.ScanFunc[reverse.Var](in); f != nil {
		m := onTape(in, f, hessian.FoR)
		m.name = "scan"
		methods = append(methods, m)
	}

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

// byTape is a strategy on the tape of a problem.
func byTape(in *problems.Instance, s hessian.Strategy) *method {
	return onTape(in, problems.Func[reverse.Var](in), s)
}

// onTape is a strategy on the tape of f.
func onTape(in *problems.Instance, f func(x []reverse.Var) reverse.Var, s hessian.Strategy) *method {
	x, n := in.X0, len(in.X0)
	h := hessian.New(must(reverse.Record(f, x)), s)
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
	must(0, t.Inside().Sweep(t.Point(), func(_ *sweep.Engine, ws *sweep.Workspace) error {
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
		switch {
		case m.bytes == 0:
			name = "FoF, no tape"
		case name == "scan":
			name = "FoR, by Scan"
			fallthrough
		default:
			tape = fmt.Sprint(m.bytes)
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

// A memory is what one run of a mode or strategy holds by its passes.
type memory struct {
	name   string
	bytes  []int    // in each pass: tape and working memory
	passes []func() // each makes one pass more than the one before it
	style  []vg.Length
}

// memories is the memory of all modes and strategies.
func memories(in *problems.Instance) []memory {
	x, n := in.X0, len(in.X0)
	v, g := ones(n), make([]float64, n)
	taped := func(name string, t *reverse.Tape, style []vg.Length, passes ...func()) memory {
		m := memory{name: name, passes: passes, style: style}
		for _, pass := range passes {
			m.bytes = append(m.bytes, t.Bytes()+working(t, pass))
		}
		return m
	}
	free := func(name string, run func()) memory { // without a tape there is what a first call allocates
		return memory{name, []int{allocated(run)}, []func(){run}, nil}
	}
	number, hyper := problems.Func[dual.Number](in), problems.Func[dual.Hyper](in)
	tape := func() *reverse.Tape { return must(reverse.Record(problems.Func[reverse.Var](in), x)) }
	strategy := func(s hessian.Strategy, passes string, style []vg.Length) memory {
		h := hessian.New(tape(), s)
		t := h.Tape()
		at, y := t.Point(), make([]float64, t.Outputs())
		runs := []func(){func() { must(t.Values(y, at)) }}
		switch s {
		case hessian.FoF:
			runs = append(runs, func() { must(h.Bilinear(x, v, v)) })
		case hessian.FoR:
			runs = append(runs, func() { must(t.Gradient(g, x)) }, func() { must(h.HVP(g, x, v)) })
		default:
			runs = append(runs, func() { must(h.HVP(g, x, v)) })
		}
		return taped(fmt.Sprintf("%v: %s", s, passes), t, style, runs...)
	}
	t := tape()
	return []memory{
		free("f′v, no tape: value, tangent", func() { forward.Directional(number, x, v) }),
		taped("gradient: value | adjoint", t, nil, func() { must(t.Value(x)) }, func() { must(t.Gradient(g, x)) }),
		free("FoF, no tape: hyper-dual", func() { hessian.ForwardBilinear(hyper, x, v, v) }),
		strategy(hessian.FoR, "value | adjoint | second order", dashes), // over that of the gradient
		strategy(hessian.FoF, "value, tangent | tangent", nil),
		strategy(hessian.RoF, "value, tangent | adjoint", dashes), // over FoF
		strategy(hessian.RoR, "value, adjoint | adjoint", nil),
	}
}

// allocated is what a call allocates that finds nothing kept from one before: the
// least of some, since the runtime allocates a little now and then.
func allocated(run func()) int {
	least := math.MaxInt
	for range 5 {
		runtime.GC() // moves what pools keep aside,
		runtime.GC() // and frees it
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run()
		runtime.ReadMemStats(&after)
		least = min(least, int(after.TotalAlloc-before.TotalAlloc))
	}
	return least
}

// memoryPlots draws memories over the time of the passes, with marks at their ends.
func memoryPlots(b *bench) []*figure {
	size := 10000
	if b.quick {
		size = 1000
	}
	in := problems.Named("trig").At(size)
	list := memories(in)
	var all []func()
	for _, m := range list {
		all = append(all, m.passes...)
	}
	samples := b.measure(all...)
	f := newFigure("memory", fmt.Sprintf("Memory over the passes of one run: trig, n = %d", len(in.X0)),
		"time (ms)", "tape and working memory (MB)")
	f.grid()
	for i, m := range list {
		var xy plotter.XYs
		start := 0.0
		for k, bytes := range m.bytes {
			end := max(start, 1e3*samples[k].best())
			xy = append(xy, plotter.XY{X: start, Y: float64(bytes) / 1e6}, plotter.XY{X: end, Y: float64(bytes) / 1e6})
			start = end
		}
		samples = samples[len(m.bytes):]
		f.line(i, m.name, xy, m.style...)
	}
	f.width = 7.5 * vg.Inch
	f.plot.Y.Min = 0
	f.plot.Y.Max *= 1.05
	return []*figure{f}
}
