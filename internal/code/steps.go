package code

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/lane"
)

// Steps is the memory of a recurrence.
type Steps struct {
	Machine
	r        []float64
	rows     []float64 // by step of a block, what it takes in
	stepping stepping
}

// Begin prepares to run c on blocks of at most n steps. uniform is the value of a leaf that
// is the same in all steps.
func (m *Steps) Begin(c *Recurrence, n int, uniform func(leaf expr.Node) float64) {
	m.Machine.reset(&c.Vector, n)
	m.r = slices.Grow(m.r[:0], 1+c.numbers)[:1+c.numbers] // assembly wants one
	m.once(func(load int32) float64 { return uniform(c.Loads[load]) })
	at := c.state + len(c.taken)
	for _, leaf := range c.uniforms {
		m.r[at] = uniform(leaf)
		at++
	}
	copy(m.r[at:], c.constants)
	c.calls.run(c.once, m.r)
}

// Before computes what the n steps of a block take in. columns is the sources of c.Loads, in
// that order; those of leaves that are the state need only be set before After.
func (m *Steps) Before(c *Recurrence, n int, columns []Source) {
	m.sources, m.n = columns, n
	for k := range c.block[:c.before] {
		m.do(&c.block[k], 0, n)
	}
}

// After computes the results of the n steps of a block.
func (m *Steps) After(c *Recurrence, n int) {
	m.n = n
	for k := c.before; k < len(c.block); k++ {
		m.do(&c.block[k], 0, n)
	}
}

// Result is result k of the steps of the block, not to be changed.
func (m *Steps) Result(c *Recurrence, k int) []float64 { return m.in(c.results[k]) }

// State is the state, which Recur goes on from.
func (m *Steps) State(c *Recurrence) []float64 { return m.r[:c.state] }

// Recur runs the recurrence over the n steps of a block, from the last to the first if back.
// The state that each step starts from is stored in records, size numbers apart.
func (m *Steps) Recur(c *Recurrence, n int, back bool, records []float64, size int) {
	width := len(c.taken)
	if len(m.rows) < n*width {
		m.rows = make([]float64, Lanes*width)
	}
	for j, r := range c.taken {
		lane.SetSteps(m.rows, m.in(r), j, width)
	}
	s := &m.stepping
	*s = stepping{
		lines: c.each, r: m.r, steps: n, state: c.state,
		records: records, recordBy: size, rows: m.rows, width: width, rowBy: width,
	}
	if back {
		s.recordAt, s.recordBy, s.rowAt, s.rowBy = (n-1)*size, -size, (n-1)*width, -width
	}
	if !c.leaves {
		s.run()
		return
	}
	for s.steps > 0 {
		s.enter()
		c.calls.run(c.each, m.r)
	}
}
