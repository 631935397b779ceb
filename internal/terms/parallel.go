package terms

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hesse-ad/hesse/internal/workers"
)

// Several goroutines share an evaluation as follows. The blocks of all shapes,
// in order, are cut into parts. A page of results belongs to the part that is
// the first to add to it, which does so directly. What another part has to add
// goes into its log, and the logs are added at the end, part after part. So
// each number is added up in the order in which one goroutine would do it, and
// the bits are the same whatever the parts.

// part is the blocks lo … hi−1, and what they have to add to pages of others.
type part struct {
	lo, hi int
	log    []entry
	total  float64
}

// team is the memory of an evaluation by several goroutines.
type team struct {
	arrays
	parts []part
}

// entry is v, to be added to number at of an array.
type entry struct {
	v      float64
	at     int32
	target target
}

// partsPerWorker evens out what parts take.
const partsPerWorker = 2

// shared is what parts need to know of y and g.
type shared struct {
	once sync.Once
	rows pages
	vars pages
}

// share finds the pages of y and g.
func (pl *Plan) share() *shared {
	s := &pl.shared
	s.once.Do(func() {
		s.rows, s.vars = newPages(pl.outputs), newPages(pl.inputs)
		block := int32(0)
		touch := func(p *pages, l *list) {
			var buf [lanes]int32
			for lo := 0; lo < l.n; lo += lanes {
				for _, at := range l.block(&buf, lo) {
					p.touch(at, block+int32(lo/lanes))
				}
			}
		}
		for _, z := range pl.shapes {
			for k := range z.rows {
				touch(&s.rows, &z.rows[k])
			}
			for k := range z.vars {
				touch(&s.vars, &z.vars[k])
			}
			block += int32(z.blocks())
		}
		s.rows.finish(int(block))
		s.vars.finish(int(block))
	})
	return s
}

// worthSharing is the estimated time in nanoseconds that makes an evaluation
// worth sharing. Tests change it.
var worthSharing = 2e5

// isLarge reports whether an evaluation is worth sharing.
func (pl *Plan) isLarge(v variant) bool {
	return len(pl.shapes) > 0 && !pl.single() && pl.cost(v).Time() > worthSharing
}

// runParallel is run by several goroutines.
func (pl *Plan) runParallel(v variant, args *arrays) bool {
	t, ok := pl.teams.Get().(*team)
	if !ok {
		t = new(team)
	}
	defer pl.teams.Put(t)
	t.arrays = *args
	defer func() { t.arrays = arrays{} }()
	a := &t.arrays
	codes, sh := pl.code(v), pl.share()
	blocks := pl.blocks()
	n := min(blocks, partsPerWorker*a.workers)
	t.parts = slices.Grow(t.parts[:0], n)[:n]
	parts := t.parts
	for q := range parts {
		parts[q].lo, parts[q].hi = q*blocks/n, (q+1)*blocks/n
		parts[q].log = parts[q].log[:0]
	}
	start, total := a.start(v)
	each(a.workers, len(parts), func(next func() int) {
		m := pl.machine()
		m.shared = sh
		for q := next(); q < len(parts); q = next() {
			m.runPart(pl, codes, &parts[q], a, start)
		}
		m.shared, m.part = nil, nil
		pl.put(m)
	})
	for q := range parts {
		total += parts[q].total
		for _, e := range parts[q].log {
			a.array(e.target, 0)[e.at] += e.v
		}
	}
	if a.matrix != nil {
		pairs := a.matrix.pairs
		each(a.workers, len(pairs), func(next func() int) {
			for k := next(); k < len(pairs); k = next() {
				a.matrix.mirror(int(pairs[k]), a.values)
			}
		})
	}
	return total-total == 0
}

// runPart runs the blocks of a part.
func (m *machine) runPart(pl *Plan, codes []*code, p *part, a *arrays, start []float64) {
	m.part, m.total = p, 0
	block := 0
	for k, c := range codes {
		s := pl.shapes[k]
		n := s.blocks()
		for j := max(p.lo, block); j < min(p.hi, block+n); j++ {
			if j == max(p.lo, block) {
				m.begin(c, s, k, a)
			}
			if a.y != nil {
				m.shared.rows.begin(j, a.y, pl.constants)
			}
			if a.g != nil {
				m.shared.vars.begin(j, a.g, nil)
			}
			if a.matrix != nil {
				a.matrix.begin(j, a.values, start)
			}
			m.block(c, s, j-block)
		}
		block += n
	}
	p.total = m.total
}

// owns reports whether the part owns the pages from p.x[i] to p.x[j].
func (m *machine) owns(p *port, i, j int) bool {
	for k := min(i, j) / page; k <= max(i, j)/page; k++ {
		if p.pages.first[k] < int32(m.part.lo) {
			return false
		}
	}
	return true
}

// give adds v to p.x[at], or has it added later.
func (m *machine) give(p *port, at int, v float64) {
	if m.owns(p, at, at) {
		p.x[at] += float64(v)
		return
	}
	m.part.log = append(m.part.log, entry{v: v, at: int32(at), target: p.target})
}

// scatter is p.list.scatter of a part.
func (m *machine) scatter(p *port, src []float64, lo int) {
	l := p.list
	if l.index != nil {
		for i, v := range src {
			m.give(p, int(l.index[lo+i]), v)
		}
		return
	}
	for q := range l.pieces(lo, len(src)) {
		src := src[q.lane:][:q.n]
		switch {
		case m.owns(p, q.at, q.at+q.step*(q.n-1)):
			scatterPiece(p.x, src, q.at, q.step)
		case q.step == 0:
			m.give(p, q.at, sum(src))
		default:
			for i, v := range src {
				m.give(p, q.at+i*q.step, v)
			}
		}
	}
}

// scatterReal is p.list.scatterReal of a part.
func (m *machine) scatterReal(p *port, c float64, lo, n int) {
	l := p.list
	if l.index != nil {
		for _, at := range l.index[lo : lo+n] {
			m.give(p, int(at), c)
		}
		return
	}
	for q := range l.pieces(lo, n) {
		if q.step == 0 {
			m.give(p, q.at, c*float64(q.n))
			continue
		}
		for i := range q.n {
			m.give(p, q.at+i*q.step, c)
		}
	}
}

// each runs f on several goroutines, which share the numbers below n: next is
// one that was not taken, or n or more.
func each(count, n int, f func(next func() int)) {
	var taken atomic.Int64
	next := func() int { return int(taken.Add(1)) - 1 }
	workers.Do(max(1, min(count, n)), func(int) { f(next) })
}
