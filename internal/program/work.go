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
// two sweeps of HVP for one direction. Cost: O(batches + nodes outside).
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
					c := &p.calls[p.a[i]]
					w.Lanes += int(c.n)
					if c.repeated != nil && p.b[i] == 0 {
						w.add(workOf(c.repeated))
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

// workOf is the work of a sweep over terms: as over a batch for each operation
// and block of them.
func workOf(r Repeated) Work {
	const lanes = 256
	ops, _ := r.Size()
	term, _ := r.Term().Work()
	n := r.Term().Ops()
	if n == 0 {
		return Work{Lanes: ops}
	}
	count := ops / n
	return Work{Lanes: ops, Calls: term.Calls * count, Batches: n * ((count + lanes - 1) / lanes)}
}

func (w *Work) add(v Work) {
	w.Lanes += v.Lanes
	w.Indexed += v.Indexed
	w.Calls += v.Calls
	w.Nodes += v.Nodes
	w.Batches += v.Batches
}
