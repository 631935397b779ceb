package scan

import (
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// kernel is a derivative of a small step as code on single numbers. That takes a fraction of
// the time that a sweep of an engine takes before its first operation.
type kernel struct {
	*code.Scalar
	code.Layout
	y, adjoint []uint16   // registers of the results, and of the adjoint of the inputs
	compared   []uint16   // registers of what the guards compare
	along      [][]uint16 // by direction: registers of the tangents of the results, or of the adjoint
}

// kernels is the kernels of a step, which are made when they are first asked for.
type kernels struct {
	mu     sync.Mutex
	seen   bool           // find has been called
	whole  *expr.Function // the step, nil if it has calls or too many operations
	f      *expr.Function // the same, nil if it has operations that no kernel has
	small  bool           // one step takes less time as code than by a sweep
	guards []tape.Guard   // of the step; A and B are numbers among f.Watched
	made   map[expr.Request]*kernel
	stages map[expr.Request]*stage
}

// A step has at most maxLines operations to be code, for which registers are numbered by 16
// bits, and at most maxSmallLines to be code on single numbers whatever number of steps there is.
const (
	maxLines      = 20000
	maxSmallLines = 2000
)

// kernel is the kernel of a step for a derivative, nil if sweeps are better.
func (l *Loop) kernel(s *Step, r expr.Request) *kernel {
	c := &s.kernels
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.find(s); !c.small {
		return nil
	}
	k := c.made[r]
	if k == nil {
		k = l.newKernel(c.f, s.P.Inputs(), s.P.Params(), r)
		c.made[r] = k
	}
	return k
}

// find sets whole, f and small.
func (c *kernels) find(s *Step) {
	if c.seen {
		return
	}
	c.seen, c.made, c.stages = true, map[expr.Request]*kernel{}, map[expr.Request]*stage{}
	c.whole = s.function()
	if c.whole == nil || isListed(s.P) {
		return
	}
	c.f = c.whole
	w, _ := s.P.Work()
	c.small = len(c.f.Steps) <= maxSmallLines && cost.IsSmall(len(c.f.Steps)-s.P.Base(), w)
}

// isListed reports whether a step has an operation that no kernel has, such as FMA.
func isListed(p *sweep.Engine) bool {
	for i := p.Base(); i < p.Len(); i++ {
		if code := p.Op(int32(i)); code.Listed() > 0 && !code.Linear() {
			return true
		}
	}
	return false
}

func (l *Loop) newKernel(f *expr.Function, inputs, params int, r expr.Request) *kernel {
	m := len(f.Results)
	k := &kernel{Layout: code.Layout{Inputs: inputs, Params: params, Directions: r.Directions, Results: m}}
	g := expr.NewGraph(l.steady, true)
	outputs := f.Derive(g, r)
	k.Scalar = code.NewScalar(g, outputs, k.Tangents(r.Directions), func(leaf expr.Node) int { return k.Base(leaf) + int(leaf.A) })
	k.y, k.adjoint, k.compared = k.Zeros(m), k.Zeros(inputs), k.Zeros(len(f.Watched))
	for range r.Directions {
		if r.Derivative == expr.Tangent {
			k.along = append(k.along, k.Zeros(m))
		} else {
			k.along = append(k.along, k.Zeros(inputs))
		}
	}
	for i, o := range outputs {
		switch o.Of {
		case expr.Value:
			if o.A < m {
				k.y[o.A] = k.Output(i)
			} else {
				k.compared[o.A-m] = k.Output(i)
			}
		case expr.Gradient:
			k.adjoint[o.A] = k.Output(i)
		default:
			k.along[o.B][o.A] = k.Output(i)
		}
	}
	return k
}

// function is the step as a function that package expr can derive; nil if it has calls or
// too many operations. It sets s.kernels.guards.
func (s *Step) function() *expr.Function {
	p := s.P
	if p.HasCalls() || p.Ops() > maxLines {
		return nil
	}
	f, at := expr.OfTape(&p.Tape)
	if len(f.Steps) > maxLines {
		return nil
	}
	for _, g := range p.Guards() {
		f.Watched = append(f.Watched, at[g.A], at[g.B])
		g.A, g.B = int32(len(f.Watched)-2), int32(len(f.Watched)-1)
		s.kernels.guards = append(s.kernels.guards, g)
	}
	return f
}

// evaluator is a kernel with registers.
type evaluator struct {
	*kernel
	safe  *evaluator // the same with derivative products, for where a result is not finite
	of    expr.Request
	regs  code.Registers
	point int       // the point (memory.point) of which the steady inputs are set
	v     []float64 // what the guards compare
}

// evaluator is the evaluator for a derivative of a step, or for the value of an End; nil if
// sweeps are better.
func (m *memory) evaluator(w *way, d expr.Derivative, directions int) *evaluator {
	list := w.kernels[d]
	if directions < len(list) {
		if e := list[directions]; e != nil {
			if e.kernel == nil {
				return nil
			}
			return e
		}
	}
	for len(list) <= directions {
		list = append(list, nil)
	}
	r := request(d, directions)
	if w.End {
		r = expr.Request{}
	}
	list[directions] = m.newEvaluator(w, r)
	w.kernels[d] = list
	return m.evaluator(w, d, directions)
}

func request(d expr.Derivative, directions int) expr.Request {
	return expr.Request{
		Derivative: d, Directions: directions,
		Weighted: d == expr.Gradient || d == expr.Product, WeightsChange: d == expr.Product,
	}
}

func (m *memory) newEvaluator(w *way, r expr.Request) *evaluator {
	e := &evaluator{kernel: m.kernel(w.Step, r), of: r}
	if e.kernel != nil {
		e.v = make([]float64, len(e.compared))
	}
	return e
}

// feed sets the inputs of step k, which starts from s. Those that are the same in all steps
// are set once for each point.
func (m *memory) feed(e *evaluator, k int, s []float64) {
	e.regs.Use(e.Scalar)
	n := m.State
	if e.point != m.point {
		e.point = m.point
		for i := range m.In {
			if b := &m.In[i]; b.Steady() {
				e.regs.Set(n+b.Local, m.x[n+b.At:][:b.N])
			}
		}
	}
	e.regs.Set(0, s[:n])
	for i := range m.In {
		b := &m.In[i]
		if b.Steady() {
			continue
		}
		if at := b.Place(k); at >= 0 {
			e.regs.Set(n+b.Local, m.x[n+at:][:b.N])
		} else {
			e.regs.Set(n+b.Local, m.zeros[:b.N])
		}
	}
	if m.Data.N > 0 {
		e.regs.Set(e.Inputs, m.Row(k))
	}
	for s := range e.Directions {
		e.regs.Set(e.Direction(s), m.along[s].args)
	}
	if e.of.Weighted {
		e.regs.Set(e.Weights(), m.local.bar)
	}
	if e.of.WeightsChange {
		for s := range e.Directions {
			e.regs.Set(e.Tangents(s), m.along[s].bar)
		}
	}
}

// compute is run with one way and a kernel; for products with the Hessian, with two kernels.
// It reports whether the comparisons came out as recorded.
func (m *memory) compute(w *way, e *evaluator, k int, s []float64) (fits bool) {
	directions := e.Directions
	switch e.of.Derivative {
	case expr.Value, expr.Tangent:
		return m.evaluate(w, e, k, s, m.out, nil, m.outs[:directions])
	case expr.Gradient:
		return m.evaluate(w, e, k, s, nil, m.bar, nil)
	}
	return m.evaluate(w, m.evaluator(w, expr.Gradient, 0), k, s, nil, m.bar, nil) &&
		m.evaluate(w, e, k, s, nil, nil, m.bars[:directions])
}

// evaluate runs a kernel on step k. It sets those of y, adjoint and along that are not nil,
// with derivative products where plain ones give a number that is not finite. It reports
// whether the comparisons came out as recorded.
func (m *memory) evaluate(w *way, e *evaluator, k int, s []float64, y, adjoint []float64, along [][]float64) (fits bool) {
	if m.careful && m.y == nil {
		e = m.safe(w, e)
	}
	m.feed(e, k, s)
	e.Run(&e.regs)
	if len(e.v) > 0 && !w.holds(e) {
		return false
	}
	var exponents, each uint64
	if y != nil {
		exponents |= e.regs.Pick(y, e.y)
	}
	if adjoint != nil {
		exponents |= e.regs.Pick(adjoint, e.adjoint)
	}
	for s, x := range along {
		if x != nil {
			each |= e.regs.Pick(x, e.along[s])
		}
	}
	if (exponents|each)>>63 == 0 || e.of.Safe {
		return true
	}
	// Pick has set the highest bit if a number is not finite. If only directions are, those
	// that are finite are left as they are: a direction has the bits that it has alone.
	if exponents>>63 == 0 {
		m.again = append(m.again[:0], along...)
		for s, x := range along {
			if !slices.ContainsFunc(x, func(v float64) bool { return !finite(v) }) {
				m.again[s] = nil
			}
		}
		along = m.again
	}
	return m.evaluate(w, m.safe(w, e), k, s, y, adjoint, along)
}

// safe is e with derivative products.
func (m *memory) safe(w *way, e *evaluator) *evaluator {
	if e.of.Safe {
		return e
	}
	if e.safe == nil {
		r := e.of
		r.Safe = true
		e.safe = m.newEvaluator(w, r)
	}
	return e.safe
}

// holds reports whether the comparisons came out as recorded.
func (w *way) holds(e *evaluator) bool {
	e.regs.Pick(e.v, e.compared)
	guards := w.Step.kernels.guards
	for i := range guards {
		if g := &guards[i]; !g.Holds(e.v) {
			w.broken = failure{guard: g, v: e.v}
			return false
		}
	}
	return true
}
