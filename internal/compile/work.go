package compile

import (
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Work is how much there is to do in a sweep over a program. Estimates of cost
// are made of it.
type Work struct {
	Lanes   int // operations in elementwise batches, terms of sums, operands of calls
	Indexed int // operands in elementwise batches that are read by index
	Calls   int // operations that evaluate a function such as exp
	Nodes   int // operations in mixed batches
	Batches int
}

// Work is the work of a sweep for values or first derivatives, and that of the forward and
// reverse sweep of a Hessian-vector product for one direction. Of calls it counts what
// op.Worker declares. Cost: O(batches + nodes in batches that are not elementwise).
func (p *Program) Work() (all, second Work) {
	for k := range p.batches {
		b := &p.batches[k]
		w := p.workOf(b)
		all.add(w)
		w.Calls = 0 // HVP finds their partials stored
		feeds := b.Kind == Mixed || b.FeedsNonlinear
		if feeds {
			second.add(w)
		}
		if feeds || !b.Op.Linear() {
			second.add(w)
		}
	}
	return all, second
}

// workOf is the work at one batch.
func (p *Program) workOf(b *Batch) Work {
	w := Work{Batches: 1}
	if b.Kind == Elementwise {
		w.Lanes = int(b.Len())
		for o := range b.operands {
			if o.Access == Indexed {
				w.Indexed += w.Lanes
			}
		}
		if b.Op.Cost() > 0 {
			w.Calls = w.Lanes
		}
		return w
	}
	for i := b.Lo; i < b.Hi; i++ {
		code := p.Op(i)
		if code.Sums() {
			w.Lanes += int(p.Terms(i))
		}
		if c := p.CallAt(i); c != nil {
			w.Lanes += len(c.Args)
			if f, ok := c.Func.(op.Worker); ok {
				w.Lanes += f.Work()
			}
		}
		if code.Cost() > 0 {
			w.Calls++
		}
	}
	if b.Kind == Mixed {
		w.Nodes = int(b.Len())
	}
	return w
}

// LeastWork is a lower bound of what Work is of the program that t becomes, found without
// arranging it.
func LeastWork(t *tape.Tape) (all, second Work) {
	for code := range op.Code(op.Count) {
		nodes, lanes := t.CountOf(code)
		if !code.Sums() { // those have as many as terms
			lanes = 0
			if code.Operands() > 0 || code.Listed() > 0 {
				lanes = nodes
			}
		}
		all.Lanes += lanes
		if !code.Linear() {
			second.Lanes += lanes
		}
		if code.Cost() > 0 {
			all.Calls += nodes
		}
	}
	return all, second
}

// EachRepeated calls do with the calls that are sums of alike terms, and with whether
// second-order sweeps treat such a call as one that feeds a nonlinear operation.
func (p *Program) EachRepeated(do func(r tape.Repeated, feeds bool)) {
	for k := range p.batches {
		b := &p.batches[k]
		for i := b.Lo; i < b.Hi && b.Kind == Mixed; i++ {
			if c := p.CallAt(i); c != nil && c.Repeated != nil {
				do(c.Repeated, b.FeedsNonlinear)
			}
		}
	}
}

func (w *Work) add(v Work) {
	w.Lanes += v.Lanes
	w.Indexed += v.Indexed
	w.Calls += v.Calls
	w.Nodes += v.Nodes
	w.Batches += v.Batches
}
