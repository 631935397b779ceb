package terms

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/workers"
)

// part is the blocks First … hi−1, where the blocks of all shapes are counted in order.
type part struct {
	code.Part
	hi    int
	total float64 // finite only if all results of the part are
}

// team is the memory of an evaluation by several goroutines.
type team struct {
	arrays
	parts []part
}

// partsPerWorker is more than 1 since parts take different times.
const partsPerWorker = 2

// outputPages says which block is the first to add to each page of y and of g.
type outputPages struct {
	once       sync.Once
	rows, vars code.Pages
}

// findPages finds the pages of y and g.
func (pl *Plan) findPages() *outputPages {
	p := &pl.pages
	p.once.Do(func() {
		p.rows, p.vars = code.NewPages(pl.outputs), code.NewPages(pl.inputs)
		begin := 0
		touch := func(p *code.Pages, lists []code.Index) {
			for k := range lists {
				p.TouchList(&lists[k], begin)
			}
		}
		for _, s := range pl.shapes {
			touch(&p.rows, s.rows)
			touch(&p.vars, s.vars)
			begin += s.blocks()
		}
		p.rows.Finish(begin)
		p.vars.Finish(begin)
	})
	return p
}

// worthSharing is from which estimated time, in nanoseconds, an evaluation is shared by
// several goroutines. Tests change it. Measured with two goroutines on Hessians of growing
// size, both ways take the same time between 1.5e5 and 3e5; at 1e5 sharing takes 1.2 times
// as long, at 8e5 0.5 to 0.8 times.
var worthSharing = 2e5

// isLarge reports whether an evaluation is worth sharing.
func (pl *Plan) isLarge(v variant) bool {
	return len(pl.shapes) > 0 && pl.cost(v).Time() > worthSharing
}

// runParallel is run by several goroutines, which share out parts of the blocks.
func (pl *Plan) runParallel(v variant, args *arrays) bool {
	t, ok := pl.teams.Get().(*team)
	if !ok {
		t = new(team)
	}
	t.arrays = *args
	a := &t.arrays
	kernels, blocks := pl.code(v).kernels, pl.blocks()
	pl.findPages()
	n := min(blocks, partsPerWorker*a.workers)
	t.parts = slices.Grow(t.parts[:0], n)[:n]
	parts := t.parts
	for q := range parts {
		parts[q].Begin(q * blocks / n)
		parts[q].hi = (q + 1) * blocks / n
	}
	start, total := a.start(v)
	each(a.workers, len(parts), func(next func() int) {
		e := pl.evaluator()
		for q := next(); q < len(parts); q = next() {
			e.runPart(pl, kernels, &parts[q], a, start)
		}
		pl.evaluators.Put(e)
	})
	for q := range parts {
		total += parts[q].total
		parts[q].Flush()
	}
	if a.matrix != nil {
		each(a.workers, len(parts), func(next func() int) {
			for q := next(); q < len(parts); q = next() {
				a.matrix.endOthers(parts[q].First, parts[q].hi, a.values)
			}
		})
	}
	t.arrays = arrays{}
	pl.teams.Put(t) // not after a panic, which leaves logs
	return total-total == 0
}

// runPart runs the blocks of a part.
func (e *evaluator) runPart(pl *Plan, kernels []kernel, p *part, a *arrays, start []float64) {
	e.Part, e.Total = &p.Part, 0
	begin := 0
	for k, c := range kernels {
		s := pl.shapes[k]
		n := s.blocks()
		lo, hi := max(p.First, begin), min(p.hi, begin+n)
		for j := lo; j < hi; j++ {
			if j == lo {
				e.begin(c, s, k, a)
			}
			if a.y != nil {
				pl.pages.rows.Begin(j, a.y, pl.constants)
			}
			if a.g != nil {
				pl.pages.vars.Begin(j, a.g, nil)
			}
			if a.matrix != nil {
				a.matrix.Begin(j, a.values, start)
			}
			e.block(c, s, j-begin)
			if a.matrix != nil {
				a.matrix.end(j, p.First, a.values)
			}
		}
		begin += n
	}
	p.total = e.Total
}

// each runs f on several goroutines, which share the numbers below n: next returns one that
// none has taken yet, or at least n if all are taken.
func each(count, n int, f func(next func() int)) {
	var taken atomic.Int64
	next := func() int { return int(taken.Add(1)) - 1 }
	workers.Do(max(1, min(count, n)), func(int) { f(next) })
}
