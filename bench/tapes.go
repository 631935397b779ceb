package main

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// tapeFigures are the figures of this file, in the order of the table.
var tapeFigures = []string{"f", "record", "compile", "value", "gradient", "jvp", "hvp", "hvp-batch"}

// batch is how many products hvp-batch makes in a sweep.
const batch = 4

// tapes measures what it takes to make and to evaluate tapes.
func tapes(b *bench) {
	figures := slices.DeleteFunc(slices.Clone(tapeFigures), func(f string) bool { return f == "f" || !b.wants(f) })
	t := table{text: 1, head: append([]string{"problem", "n", "f", "ops", "tape B/op", "working B/op"}, figures...)}
	for _, c := range b.chosen {
		in := c.At(c.size)
		b.progress("%s, n = %d", in.Name, len(in.X0))
		t.add(newTaped(in).measured(b, in.Name, figures)...)
		if f := problems.ScanFunc[reverse.Var](in); f != nil {
			p := &taped{Instance: in, method: "scan", plain: func() { in.Plain(in.X0) }}
			t.add(p.record(func(x []reverse.Var) []reverse.Var { return []reverse.Var{f(x)} }).measured(b, in.Name+", scan", figures)...)
		}
	}
	b.print(fmt.Sprintf("Tapes: times in units of f, hvp-batch for one of %d directions in a sweep; bytes an operation,\n"+
		"working for a gradient; of bratu, a vector function, gradient and hvp of the sum of its components", batch), &t)
}

// measured measures the tape and returns its line of the table.
func (p *taped) measured(b *bench, name string, figures []string) []string {
	weights := ones(p.Outputs())
	gradient := working(p.Tape, func() { must(p.VJP(nil, p.X0, weights)) })
	f, rows := p.evaluations(b)
	if b.wants("record") || b.wants("compile") {
		rows = append(rows, p.making(b)...)
	}
	cells := []string{name, fmt.Sprint(len(p.X0)), duration(f.time()), fmt.Sprint(p.Ops()),
		digits(float64(p.Bytes()) / float64(p.Ops())), digits(float64(gradient) / float64(p.Ops()))}
	for _, figure := range figures {
		cell := none
		for _, r := range rows {
			if r.Figure == figure {
				cell = digits(r.Ratio)
			}
		}
		cells = append(cells, cell)
	}
	b.emit(rows...)
	return cells
}

// A taped is a problem with its tape.
type taped struct {
	*problems.Instance
	*reverse.Tape
	method string // "" is to record it as it is
	plain  func() // f
	fn     func(x []reverse.Var) []reverse.Var
}

func newTaped(in *problems.Instance) *taped {
	p, fn := &taped{Instance: in}, problems.VecFunc[reverse.Var](in)
	if f := problems.Func[reverse.Var](in); f != nil {
		p.plain = func() { in.Plain(in.X0) }
		fn = func(x []reverse.Var) []reverse.Var { return []reverse.Var{f(x)} }
	} else {
		y := make([]float64, len(in.X0))
		p.plain = func() { in.PlainVec(y, in.X0) }
	}
	return p.record(fn)
}

func (p *taped) record(f func(x []reverse.Var) []reverse.Var) *taped {
	p.fn, p.Tape = f, must(reverse.RecordVec(f, p.X0))
	return p
}

// making measures the making of the tape: record alone, of a function that does
// the same but returns a constant, so that there is nothing to compile, and
// compile as the rest, if that can be told from noise.
func (p *taped) making(b *bench) []row {
	nothing := func(x []reverse.Var) []reverse.Var {
		p.fn(x)
		return []reverse.Var{dual.Const[reverse.Var](0)}
	}
	s := b.measure(p.plain,
		func() { must(reverse.RecordVec(nothing, p.X0)) },
		func() { must(reverse.RecordVec(p.fn, p.X0)) })
	rows := []row{p.row("record", s[1], s[0])}
	if rest := s[2].less(s[1]); rest.time() > 0 {
		rows = append(rows, p.row("compile", rest, s[0]))
	}
	return rows
}

// functions are the evaluations of the tape, and f, by figure.
func (p *taped) functions() map[string]func() {
	x, n, m := p.X0, p.Inputs(), p.Outputs()
	v, w := ones(n), ones(m)
	y, g := make([]float64, m), make([]float64, n)
	fs := map[string]func(){
		"f":        p.plain,
		"value":    func() { must(p.Values(y, x)) },
		"gradient": func() { must(p.VJP(g, x, w)) },
		"jvp":      func() { must(p.JVP(y, x, v)) },
		"hvp":      func() { must(p.HVP(g, x, v, w...)) },
	}
	if m == 1 {
		vs, hvs := mat.NewDense(n, batch, nil), mat.NewDense(n, batch, nil)
		for i := range n {
			vs.Set(i, i%batch, 1)
		}
		fs["hvp-batch"] = func() { must(p.HVPs(hvs, x, vs)) }
	}
	return fs
}

// evaluations measures f and the evaluations of the tape.
func (p *taped) evaluations(b *bench) (f sample, rows []row) {
	fs := p.functions()
	var turns []func()
	for _, figure := range tapeFigures {
		f := fs[figure] // nil for making
		if figure != "f" && !b.wants(figure) {
			f = nil
		}
		turns = append(turns, f)
	}
	samples := b.measure(turns...)
	for i, s := range samples {
		if turns[i] == nil {
			continue
		}
		figure := tapeFigures[i]
		if figure == "hvp-batch" {
			s = s.per(batch)
		}
		if figure == "f" && p.method != "" {
			continue // it is the same
		}
		r := p.row(figure, s, samples[0])
		r.Allocs = &s.allocs
		rows = append(rows, r)
	}
	return samples[0], rows
}

func (p *taped) row(figure string, s, f sample) row {
	r := row{Problem: p.Name, N: len(p.X0), Figure: figure, Method: p.method, Seconds: s.time(), Ratio: s.ratio(f)}
	if figure != "f" {
		r.Ops, r.Bytes = p.Ops(), p.Bytes()
	}
	return r
}
