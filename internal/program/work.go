package program

import "github.com/hesse-ad/hesse/internal/op"

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
		if b.op != mixed && b.op.Class() != op.List {
			w.Lanes = int(b.hi - b.lo)
			if b.a.how == indexed && b.op.Operands() > 0 {
				w.Indexed += w.Lanes
			}
			if b.b.how == indexed && b.op.Operands() > 1 {
				w.Indexed += w.Lanes
			}
			if b.op.Cost() > 0 {
				w.Calls = w.Lanes
			}
		} else {
			for i := b.lo; i < b.hi; i++ {
				switch op := p.ops[i]; op {
				case Sum, Affine, Dot:
					w.Lanes += int(p.b[i] >> 1)
				case Call:
					if p.b[i] == 0 { // the others are further outputs
						w.Lanes += int(p.calls[p.a[i]].n)
					}
				default:
					if op.Cost() > 0 {
						w.Calls++
					}
				}
			}
			if b.op == mixed {
				w.Nodes = int(b.hi - b.lo)
			}
		}
		all.add(w)
		w.Calls = 0 // their partials are kept
		inner := b.op == mixed || b.inner
		if inner {
			second.add(w)
		}
		if inner || !b.op.Linear() {
			second.add(w)
		}
	}
	return all, second
}

// EachRepeated calls do with the calls of alike terms; inner says that sweeps of
// second order take them for operations with nonlinear descendants.
func (p *Program) EachRepeated(do func(r Repeated, inner bool)) {
	if len(p.calls) == 0 {
		return
	}
	for k := range p.batches {
		b := &p.batches[k]
		for i := b.lo; i < b.hi && b.op == mixed; i++ {
			if p.ops[i] == Call && p.b[i] == 0 {
				if r := p.calls[p.a[i]].repeated; r != nil {
					do(r, b.inner)
				}
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
