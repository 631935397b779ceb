// Package cost estimates how long evaluations take, from counts of what they do
// and measured times of each. Methods are chosen by it, so only the ratios
// matter, which are much the same on most machines. To measure again:
//
//	go test -run Calibrate -calibrate ./internal/cost
//
// prints the times as they stand below, and for many problems, with terms that
// are detected and terms that are declared, estimates beside times, which method is
// chosen and how long it takes in units of the best.
package cost

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Kind is something that takes time.
type Kind int

// What evaluations and preparations consist of.
const (
	// Sweeps over a program, for each direction of several.
	Lane       Kind = iota // an operation in a batch, of a call that tells its work, or an operand of a sum
	Gather                 // an operand that is read or added to by an index
	Node                   // an operation outside of batches
	Batch                  // a batch, for all directions
	SecondLane             // an operation in a second-order sweep
	Direction              // an input or output, cleared, seeded and tested
	Read                   // a nonzero that is recovered

	// Sums of alike terms.
	Instruction // an instruction, for a block of terms
	Term        // an instruction, for one term
	Entry       // a nonzero, cleared and mirrored

	// Small functions.
	Line  // a sum, product, quotient or root
	Other // another instruction

	Call // a function such as exp, in any of them

	// Preparations.
	Record // an operation, recorded and compiled
	Derive // a step or an edge of a shape, derived symbolically

	Kinds
)

func (k Kind) String() string {
	return [...]string{"Lane", "Gather", "Node", "Batch", "SecondLane", "Direction", "Read",
		"Instruction", "Term", "Entry", "Line", "Other", "Call", "Record", "Derive"}[k]
}

// times are nanoseconds, measured on amd64.
var times = Counts{
	Lane:        0.273,
	Gather:      1.21,
	Node:        2.88,
	Batch:       25,
	SecondLane:  0.30,
	Direction:   1.4,
	Read:        1.07,
	Instruction: 21,
	Term:        0.092,
	Entry:       0.65,
	Line:        1.6,
	Other:       7.65,
	Call:        0.53,
	Record:      82,
	Derive:      540,
}

// Time is the time of one of a kind in nanoseconds.
func Time(k Kind) float64 { return times[k] }

// Counts is how often each kind of thing is done.
type Counts [Kinds]float64

// Time is the estimated time in nanoseconds.
func (c Counts) Time() float64 {
	t := 0.0
	for k, n := range c {
		t += float64(n * times[k])
	}
	return t
}

// Plus is c and d.
func (c Counts) Plus(d Counts) Counts {
	for k, n := range d {
		c[k] += n
	}
	return c
}

// times is k times c.
func (c Counts) times(k int) Counts {
	for i := range c {
		c[i] *= float64(k)
	}
	return c
}

// General is the general engine on a program.
type General struct {
	ends        int // inputs and outputs
	all, second compile.Work
	sums        []call
}

// Sums is what counts its own sweeps: a call of alike terms.
type Sums interface {
	// Values is a sweep for values, Adjoints one for the gradient.
	Values() Counts
	Adjoints() Counts
	// Tangents and Products are one for k directions at once. inner says that the
	// adjoints move, too.
	Tangents(k int) Counts
	Products(k int, inner bool) Counts
}

// call is a call of Sums, with nonlinear descendants or without.
type call struct {
	Sums
	inner bool
}

// Of counts the work of p.
func Of(p *sweep.Engine) General {
	g := General{ends: p.Inputs() + p.Outputs()}
	g.all, g.second = p.Work()
	p.EachRepeated(func(r tape.Repeated, inner bool) {
		if s, ok := r.(Sums); ok {
			g.sums = append(g.sums, call{s, inner})
		}
	})
	return g
}

// Least is at least what Of counts, whatever batches there will be; it leaves calls out.
func Least(t *tape.Tape) General {
	g := General{ends: t.Inputs() + t.Outputs()}
	g.all, g.second = compile.LeastWork(t)
	return g
}

// sweep adds a sweep with k directions, as many at once as there may be.
func (c *Counts) sweep(w compile.Work, lane Kind, k int) {
	chunks := (k + sweep.MaxDirections - 1) / sweep.MaxDirections
	c[lane] += float64(w.Lanes * k)
	c[Gather] += float64(w.Indexed * k)
	c[Node] += float64(w.Nodes * k)
	c[Batch] += float64(w.Batches * chunks)
	c[Call] += float64(w.Calls * chunks)
}

// together is the counts of sweeps that carry k directions, as many at once as
// there may be.
func together(k int, one func(k int) Counts) (c Counts) {
	const most = sweep.MaxDirections
	if k >= most {
		c = one(most).times(k / most)
	}
	if k %= most; k > 0 {
		c = c.Plus(one(k))
	}
	return c
}

// Hessian is k products with the Hessian, from which nnz nonzeros are read.
func (g General) Hessian(k, nnz int) (c Counts) {
	c.sweep(g.all, Lane, 1)          // values
	c.sweep(g.all, Lane, 1)          // adjoints
	c[Call] += float64(g.all.Calls)  // second partials
	c.sweep(g.second, SecondLane, k) // products
	c[Direction] += float64(k * g.ends)
	c[Read] += float64(nnz)
	for _, s := range g.sums {
		c = c.Plus(s.Values()).Plus(s.Adjoints())
		c = c.Plus(together(k, func(k int) Counts { return s.Products(k, s.inner) }))
		if s.inner {
			c = c.Plus(together(k, s.Tangents))
		}
	}
	return c
}

// Jacobian is k products with the Jacobian and l with its transpose, from which
// nnz nonzeros are read.
func (g General) Jacobian(k, l, nnz int) (c Counts) {
	c.sweep(g.all, Lane, 1)
	c.sweep(g.all, Lane, k)
	c.sweep(g.all, Lane, l)
	c[Direction] += float64((k + l) * g.ends)
	c[Read] += float64(nnz)
	for _, s := range g.sums {
		c = c.Plus(s.Values()).Plus(s.Adjoints().times(l))
		c = c.Plus(together(k, s.Tangents))
	}
	return c
}
