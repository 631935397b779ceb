package scan

import (
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
)

var _ op.Series = (*memory)(nil)

// alongCurve is a sweep over a step that is none of the derivatives: over Taylor polynomials.
const alongCurve = expr.Derivative(expr.Derivatives)

// curve is what sweeps over polynomials need. A record is the coefficients of the state, one
// after the other.
type curve struct {
	records   history
	x, y      [][]float64 // by coefficient; y nil if outputs are not wanted
	r, next   []float64   // the record of the step, and that after it
	bar       [][]float64 // by coefficient: the adjoints [λ; ν] of its results, nil if they are not wanted
	ofResults [][]float64 // memory for bar
	ofStep    [][]float64 // the adjoints [s̄; ū]
}

// follow begins a sweep along x.
func (m *memory) follow(x [][]float64) {
	n, c := m.State, &m.curve
	m.begin(x[0])
	m.start()
	c.x = x
	c.r, c.next = resized(c.r, n*len(x)), resized(c.next, n*len(x))
	for q, x := range x {
		copy(c.r[q*n:], x[:n])
	}
	for len(c.ofResults) < len(x) {
		c.ofResults = append(c.ofResults, make([]float64, len(m.out)))
	}
}

// Taylor sets y to the coefficients of F(x(t)).
func (m *memory) Taylor(y, x [][]float64) error {
	n, c := m.State, &m.curve
	m.follow(x)
	for _, y := range y {
		clear(y)
	}
	c.y = y
	defer func() { c.y = nil }()
	r := c.r
	for k := 0; k != m.Count; k++ {
		done, err := m.stepAlong(k, 1, r, r)
		if err != nil {
			return err
		}
		if done == 0 {
			break
		}
	}
	for q, y := range y {
		copy(y, r[q*n:][:n])
	}
	return nil
}

// stepAlong is advance for records of the coefficients of the state.
func (m *memory) stepAlong(k, _ int, dst, r []float64) (done int, err error) {
	n, c := m.State, &m.curve
	c.r = r
	more, err := m.run(k, r[:n], alongCurve, 0)
	if !more {
		return 0, err
	}
	copy(dst, c.next)
	return 1, nil
}

// sweepAlong goes on over step k, whose program has the values in ws.
func (m *memory) sweepAlong(ws *sweep.Workspace, p *sweep.Engine, k int) (err error) {
	n, c := m.State, &m.curve
	coefficients := ws.Polynomials(len(c.x) - 1)
	for q := 1; q < len(c.x); q++ {
		in := coefficients[q][:n+m.inputs]
		copy(in, c.r[q*n:][:n])
		for _, steady := range []bool{false, true} {
			load(in[n:], c.x[q][n:], m.In, k, steady)
		}
	}
	if err := ws.Taylor(); err != nil {
		return err
	}
	if c.bar != nil {
		c.ofStep, err = ws.TaylorVJP(c.bar)
		return err
	}
	for q, x := range coefficients {
		for j := range n {
			c.next[q*n+j] = x[p.Output(j)]
		}
		if c.y == nil {
			continue
		}
		out := c.ofResults[q][n:]
		for j := range out {
			out[j] = x[p.Output(n+j)]
		}
		add(c.y[q][n:], out, m.Out, k)
	}
	return nil
}

// TaylorVJP sets gx to the coefficients of F′(x(t))ᵀ·w(t).
func (m *memory) TaylorVJP(gx, x, w [][]float64) error {
	n, c := m.State, &m.curve
	m.follow(x)
	if _, err := m.walk(&c.records, c.r, m.stepAlong, false); err != nil {
		return err
	}
	defer func() { c.bar = nil }()
	for q, gx := range gx {
		clear(gx)
		copy(c.ofResults[q], w[q][:n])
	}
	for k := m.steps - 1; k >= 0; k-- {
		c.bar = nil
		r, err := c.records.record(k, m.stepAlong)
		if err != nil {
			return err
		}
		for q, w := range w {
			for _, steady := range []bool{false, true} {
				load(c.ofResults[q][n:], w[n:], m.Out, k, steady)
			}
		}
		c.r, c.bar = r, c.ofResults[:len(x)]
		if _, err := m.run(k, r[:n], alongCurve, 0); err != nil {
			return err
		}
		for q, bar := range c.ofStep {
			copy(c.ofResults[q], bar[:n])
			add(gx[q][n:], bar[n:n+m.inputs], m.In, k)
		}
	}
	for q, gx := range gx {
		copy(gx, c.ofResults[q][:n])
	}
	return nil
}
