package compile

import (
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Work is how much there is to do in a sweep over a program. Estimates of cost
// are made of it.
type Work struct {
	Lanes   int // operations in batches, and operands of sums and products
	Indexed int // operands of batches that are nowhere in a row
	Calls   int // operations that call a function such as exp
	Nodes   int // operations outside of batches
	Batches int
}

// Work is the work of a sweep for values or first derivatives, and that of the
// two sweeps of HVP for one direction, without what is done in calls. Cost:
// O(batches + nodes outside).
func (p *Program) Work() (all, second Work) {
	for k := range p.batches {
		b := &p.batches[k]
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
		} else {
			for i := b.Lo; i < b.Hi; i++ {
				switch code := p.Op(i); code {
				case op.Sum, op.Affine, op.Dot:
					w.Lanes += int(p.Terms(i))
				case op.Call:
					if c := p.CallAt(i); c != nil { // the others are further outputs
						w.Lanes += len(c.Args)
						if f, ok := c.Func.(op.Worker); ok {
							w.Lanes += f.Work()
						}
					}
				default:
					if code.Cost() > 0 {
						w.Calls++
					}
				}
			}
			if b.Kind == Mixed {
				w.Nodes = int(b.Len())
			}
		}
		all.add(w)
		w.Calls = 0 // their partials are kept
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

// LeastWork is at least what Work is of the program that t becomes.
func LeastWork(t *tape.Tape) (all, second Work) {
	for code := range op.Code(op.Count) {
		nodes, lanes := t.CountOf(code)
		switch code {
		case op.Sum, op.Affine, op.Dot: // as many as terms
		case op.Call:
			lanes = 0
		default:
			lanes = nodes
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

// EachRepeated calls do with the calls of alike terms; feeds says that sweeps of
// second order take them for operations that feed nonlinear ones.
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
