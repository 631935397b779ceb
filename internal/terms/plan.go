package terms

import (
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/sparsity"
)

// Plan is a program as sums of alike terms: output j is the sum of the terms
// of row j over all shapes, plus a constant. It is immutable.
type Plan struct {
	inputs, params, outputs int

	constants []float64 // of the outputs
	shapes    []*shape
	rest      *program.Program

	codes [variants]struct {
		once sync.Once
		list []*code // by shape
	}
	pool sync.Pool // of *machine
}

// maxDirections is how many directions one pass of HVPs carries.
const maxDirections = 4

// variant is which code to run.
type variant struct {
	ord      order
	many     bool // maxDirections, not 1
	weighted bool
	careful  bool
}

const variants = 5 * 8

func (v variant) number() int {
	k := int(v.ord) * 8
	if v.many {
		k++
	}
	if v.weighted {
		k += 2
	}
	if v.careful {
		k += 4
	}
	return k
}

// code is the codes of a variant, made when they are first needed.
func (pl *Plan) code(v variant) []*code {
	c := &pl.codes[v.number()]
	c.once.Do(func() {
		directions, ph := 1, quick
		if v.many {
			directions = maxDirections
		}
		if v.careful {
			ph = careful
		}
		for _, s := range pl.shapes {
			f := newForm(s.uniform)
			c.list = append(c.list, f.emit(s.derive(f, v.ord, directions, v.weighted, ph)))
		}
	})
	return c.list
}

// uniform reports whether a leaf is the same in all terms.
func (s *shape) uniform(leaf node) bool {
	switch leaf.op {
	case leafVar, leafDir:
		return s.vars[leaf.a].uniform()
	case leafParam:
		return s.pars[leaf.a].uniform()
	case leafWeight:
		return s.rows.uniform()
	}
	return false
}

// arrays is what an evaluation reads and what it adds to.
type arrays struct {
	x, params, w []float64
	dirs         [maxDirections][]float64
	y, g         []float64
	values       []float64
	products     [maxDirections][]float64
	places       [][]list // of values: by shape, those of the sinks in order
}

// bind connects the sources and sinks of a code.
func (m *machine) bind(c *code, s *shape, a *arrays, places []list) {
	m.sources, m.sinks = m.sources[:0], m.sinks[:0]
	for _, n := range c.sources {
		p := port{}
		switch n.op {
		case leafVar:
			p = port{a.x, &s.vars[n.a]}
		case leafParam:
			p = port{a.params, &s.pars[n.a]}
		case leafData:
			p = port{s.data[n.a].each, nil}
		case leafWeight:
			p = port{a.w, &s.rows}
		case leafDir:
			p = port{a.dirs[n.b], &s.vars[n.a]}
		}
		m.sources = append(m.sources, p)
	}
	for _, r := range c.sinks {
		p := port{}
		switch r.what {
		case toValue:
			p = port{a.y, &s.rows}
		case toGradient:
			if a.g == nil {
				p = port{a.values, &places[0]}
				places = places[1:]
			} else {
				p = port{a.g, &s.vars[r.a]}
			}
		case toHessian:
			p = port{a.values, &places[0]}
			places = places[1:]
		case toTangent:
			p = port{a.products[r.b], &s.rows}
		case toProduct:
			p = port{a.products[r.b], &s.vars[r.a]}
		}
		m.sinks = append(m.sinks, p)
	}
}

// eval runs the terms of all shapes.
func (pl *Plan) eval(v variant, a *arrays) {
	m, _ := pl.pool.Get().(*machine)
	if m == nil {
		m = new(machine)
	}
	for {
		copy(a.y, pl.constants)
		clear(a.g)
		clear(a.values)
		for _, p := range a.products {
			clear(p)
		}
		for k, c := range pl.code(v) {
			s := pl.shapes[k]
			var places []list
			if a.places != nil {
				places = a.places[k]
			}
			m.bind(c, s, a, places)
			m.start(c)
			for lo := 0; lo < s.terms; lo += m.lanes {
				m.run(c, lo, min(m.lanes, s.terms-lo))
			}
		}
		if v.careful || a.finite() {
			break
		}
		v.careful = true
	}
	pl.pool.Put(m)
}

// finite reports whether all results are finite: a sum of them is not if one
// of them is not.
func (a *arrays) finite() bool {
	ok := func(x []float64) bool {
		s := floats.Sum(x)
		return s-s == 0
	}
	for _, p := range a.products {
		if !ok(p) {
			return false
		}
	}
	return ok(a.y) && ok(a.g) && ok(a.values)
}

// Hessian is the plan of Σ wⱼ∇²Fⱼ in a symmetric pattern. It is immutable.
type Hessian struct {
	*Plan
	pattern *sparsity.Pattern
	places  [][]list
	upper   list // places above the diagonal
	lower   list // and their mirror images
}

// Detect finds the terms of a program.
func Detect(p *program.Program) *Plan {
	d := detect(p)
	pl := &Plan{inputs: p.Inputs(), params: p.Params(), outputs: p.Outputs(), constants: d.constants}
	for _, s := range d.shapes {
		pl.shapes = append(pl.shapes, d.finish(s))
	}
	return pl
}

// Value computes the outputs.
func (pl *Plan) Value(y, x, params []float64) {
	pl.eval(variant{}, &arrays{x: x, params: params, y: y})
}

// Gradient computes the outputs and the gradient of Σ wⱼFⱼ; w nil is all 1.
func (pl *Plan) Gradient(y, g, x, params, w []float64) {
	pl.eval(variant{ord: first, weighted: w != nil}, &arrays{x: x, params: params, w: w, y: y, g: g})
}
