package code

import "github.com/hesse-ad/hesse/internal/lane"

// Source is an array that a load reads: lane i is X[At(i)], or X[i] if At is nil.
type Source struct {
	X  []float64
	At *Index
}

// Load sets dst to the lanes from lo on.
func (s *Source) Load(dst []float64, lo int) {
	if x := s.lanes(lo, len(dst)); x != nil {
		copy(dst, x)
		return
	}
	s.At.Gather(dst, s.X, lo)
}

// lanes is the n lanes from lo on as a slice of X, nil if they are not consecutive there.
func (s *Source) lanes(lo, n int) []float64 {
	if s.At != nil {
		at, ok := s.At.consecutive(lo, n)
		if !ok {
			return nil
		}
		lo = at
	}
	return s.X[lo : lo+n]
}

// Sink is an array that a store adds to: lane i to X[At(i)]. X is nil if what is stored is not
// wanted. If several goroutines add to X, Pages says which adds where.
type Sink struct {
	X     []float64
	At    *Index
	Pages *Pages
}

// Several goroutines share an evaluation as follows. The blocks are cut into parts.
// A page of an array belongs to the part that has the first block that adds to it,
// which adds directly. What another part has to add goes into its log, and the logs
// are added at the end, part after part. So each number is added up in the order in
// which one goroutine would do it, and the bits are the same however the blocks are
// cut.

// Part is some consecutive blocks, from number First on, that one goroutine runs.
type Part struct {
	First int
	log   []entry
}

// entry is v, to be added to x.
type entry struct {
	v float64
	x *float64
}

// Begin makes p the part from block first on. What an evaluation that panicked left in
// its log is dropped.
func (p *Part) Begin(first int) {
	p.First = first
	clear(p.log)
	p.log = p.log[:0]
}

// Flush adds what is in the log.
func (p *Part) Flush() {
	for _, e := range p.log {
		*e.x += e.v
	}
	clear(p.log)
	p.log = p.log[:0]
}

// owns reports whether p, nil if there is only one part, owns all pages of the places i … j, so
// that it adds directly.
func (s *Sink) owns(p *Part, i, j int) bool {
	if p == nil {
		return true
	}
	for k := min(i, j) / page; k <= max(i, j)/page; k++ {
		if s.Pages.first[k] < int32(p.First) {
			return false
		}
	}
	return true
}

// add adds v to X[at], directly or by the log.
func (s *Sink) add(p *Part, at int, v float64) {
	if s.owns(p, at, at) {
		s.X[at] += float64(v)
		return
	}
	p.log = append(p.log, entry{v, &s.X[at]})
}

// scatter adds src, of the lanes from lo on, and returns the sum of src.
func (s *Sink) scatter(p *Part, src []float64, lo int) (total float64) {
	if index := s.At.index; index != nil {
		if index = index[lo:]; p == nil {
			lane.Scatter(s.X, src, index)
			return lane.Total(src)
		}
		for i, v := range src {
			s.add(p, int(index[i]), v)
		}
		return lane.Total(src)
	}
	for q := range s.At.pieces(lo, len(src)) {
		src := src[q.lane:][:q.n]
		switch {
		case q.step == 0:
			v := lane.Sum(src)
			s.add(p, q.at, v)
			total += v
		case !s.owns(p, q.at, q.at+q.step*(q.n-1)):
			for i, v := range src {
				s.add(p, q.at+i*q.step, v)
			}
			total += lane.Total(src)
		case q.step == 1:
			total += lane.Accumulate(s.X[q.at:q.at+q.n], src)
		default:
			total += lane.ScatterSteps(s.X, src, q.at, q.step)
		}
	}
	return total
}

// scatterConst adds c for each of the n lanes from lo on.
func (s *Sink) scatterConst(p *Part, c float64, lo, n int) {
	if index := s.At.index; index != nil {
		for _, at := range index[lo : lo+n] {
			s.add(p, int(at), c)
		}
		return
	}
	for q := range s.At.pieces(lo, n) {
		switch {
		case q.step == 0:
			s.add(p, q.at, float64(c*float64(q.n)))
		case s.owns(p, q.at, q.at+q.step*(q.n-1)):
			lane.AddSteps(s.X, c, q.at, q.step, q.n)
		default:
			for i := range q.n {
				s.add(p, q.at+i*q.step, c)
			}
		}
	}
}
