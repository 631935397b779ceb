package code

import (
	"iter"
	"slices"

	"github.com/hesse-ad/hesse/internal/lane"
)

// Index is a list of places in an array, one for each lane. If it consists of long runs with
// equal differences it is kept as these, and no place is loaded.
type Index struct {
	n     int
	runs  []run
	first []int32 // the run in which each block begins
	index []int32 // the places, if there are no runs
}

// run is the places at, at+step, … of the lanes from lane up to the next run.
type run struct{ lane, at, step int32 }

// place is the place of a lane.
func (r *run) place(lane int) int { return int(r.at) + int(r.step)*(lane-int(r.lane)) }

// minRun is how many lanes runs must have on average for a list to be kept as runs.
const minRun = 12

// NewIndex is the list of x.
func NewIndex[T int | int32](x []T) Index {
	b := Builder{Most: len(x)}
	for _, at := range x {
		b.Append(int32(at))
	}
	return b.Index()
}

// Equal reports whether two lists are the same.
func (l Index) Equal(m Index) bool {
	return l.n == m.n && slices.Equal(l.runs, m.runs) && slices.Equal(l.index, m.index)
}

// Builder makes an Index, place by place. As long as runs are long it takes next to no memory.
// The zero value is an empty list.
type Builder struct {
	Most int // how many places there may be: so much memory is reserved where it takes any

	list Index
	even bool  // the last run has two places at least, and so a step
	step int32 // that
	next int32 // the place that goes on with the run
}

// Append appends a place.
func (b *Builder) Append(at int32) {
	if b.even && at == b.next {
		b.next += b.step
		b.list.n++
		return
	}
	b.uneven(at)
}

// uneven appends a place that does not continue the last run.
func (b *Builder) uneven(at int32) {
	l := &b.list
	switch {
	case l.index != nil:
		if len(l.index) == cap(l.index) {
			l.index = Longer(l.index, b.Most)
		}
		l.index = append(l.index, at)
	case l.n > 0 && !b.even:
		r := &l.runs[len(l.runs)-1]
		r.step = at - r.at
		b.even, b.step, b.next = true, r.step, at+r.step
	default:
		l.runs = append(l.runs, run{lane: int32(l.n), at: at})
		b.even = false
		if len(l.runs)*minRun > l.n+8*minRun {
			b.unroll()
			l.index = append(l.index, at)
		}
	}
	l.n++
}

// unroll writes out the places of all runs but the last, which has only begun.
func (b *Builder) unroll() {
	l := &b.list
	l.index = make([]int32, 0, l.n+1)
	for k, r := range l.runs[:len(l.runs)-1] {
		at := r.at
		for range l.runs[k+1].lane - r.lane {
			l.index = append(l.index, at)
			at += r.step
		}
	}
	l.runs, l.index = nil, Longer(l.index, b.Most)
}

// Longer is x with room for more elements, up to 16 times as many, if there may be up to most.
// Unlike append it does not touch the memory that it reserves.
func Longer[T any](x []T, most int) []T {
	return append(make([]T, 0, max(len(x)+1, min(16*len(x), most))), x...)
}

// First is the first place.
func (b *Builder) First() int32 { return b.list.First() }

// Index is the list. Nothing is to be appended anymore.
func (b *Builder) Index() Index {
	l := b.list
	if l.index == nil {
		l.findRuns()
	} else if cap(l.index) > l.n+l.n/8 {
		l.index = slices.Clone(l.index)
	}
	return l
}

// OnePlace is the same place for n lanes.
func OnePlace(at int32, n int) Index {
	l := Index{n: n, runs: []run{{at: at}}}
	l.findRuns()
	return l
}

// findRuns finds the run in which each block begins.
func (l *Index) findRuns() {
	l.first = make([]int32, 0, (l.n+Lanes-1)/Lanes)
	k := 0
	for lane := 0; lane < l.n; lane += Lanes {
		for l.end(k) <= lane {
			k++
		}
		l.first = append(l.first, int32(k))
	}
}

// end is the lane after run k.
func (l *Index) end(k int) int {
	if k+1 < len(l.runs) {
		return int(l.runs[k+1].lane)
	}
	return l.n
}

// Len is how many lanes there are.
func (l *Index) Len() int { return l.n }

// Uniform reports whether all lanes have the same place.
func (l *Index) Uniform() bool { return len(l.runs) == 1 && l.runs[0].step == 0 }

// First is the place of the first lane.
func (l *Index) First() int32 {
	if l.index != nil {
		return l.index[0]
	}
	return l.runs[0].at
}

// Apart reports whether two lists differ in each lane for a simple reason: both are one run, with
// the same difference, from different places.
func (l *Index) Apart(m *Index) bool {
	return len(l.runs) == 1 && len(m.runs) == 1 && l.runs[0].step == m.runs[0].step && l.runs[0].at != m.runs[0].at
}

// Block is the places of the block of lanes from lo on, which are not to be changed: in buf, or
// a part of the list itself.
func (l *Index) Block(buf *[Lanes]int32, lo int) []int32 {
	n := min(Lanes, l.n-lo)
	if l.index != nil {
		return l.index[lo : lo+n]
	}
	for p := range l.pieces(lo, n) {
		at := int32(p.at)
		part := buf[p.lane:][:p.n]
		for i := range part {
			part[i] = at
			at += int32(p.step)
		}
	}
	return buf[:n]
}

// Places is all places, not to be changed.
func (l *Index) Places() []int32 {
	if l.index != nil {
		return l.index
	}
	var buf [Lanes]int32
	x := make([]int32, 0, l.n)
	for lo := 0; lo < l.n; lo += Lanes {
		x = append(x, l.Block(&buf, lo)...)
	}
	return x
}

// Each yields the lanes, and the places that several lists have there, in a slice that is used
// again for each lane.
func Each(lists []*Index) iter.Seq2[int, []int32] {
	return func(yield func(lane int, places []int32) bool) {
		if len(lists) == 0 {
			return
		}
		columns, buf, places := make([][]int32, len(lists)), make([][Lanes]int32, len(lists)), make([]int32, len(lists))
		for t := range lists[0].n {
			for k, l := range lists {
				if t%Lanes == 0 {
					columns[k] = l.Block(&buf[k], t)
				}
				places[k] = columns[k][t%Lanes]
			}
			if !yield(t, places) {
				return
			}
		}
	}
}

// Shift is the list with by added to each place.
func (l *Index) Shift(by int32) Index {
	z := *l
	z.runs, z.index = slices.Clone(l.runs), slices.Clone(l.index)
	for k := range z.runs {
		z.runs[k].at += by
	}
	for k := range z.index {
		z.index[k] += by
	}
	return z
}

// Bytes is the memory that the list takes.
func (l *Index) Bytes() int { return 12*len(l.runs) + 4*(len(l.first)+len(l.index)) }

// piece is n lanes from lane on whose numbers are at, at+step, ….
type piece struct{ lane, n, at, step int }

// pieces are the parts of runs in the n lanes from lo on, which count from 0.
func (l *Index) pieces(lo, n int) iter.Seq[piece] {
	return func(yield func(p piece) bool) {
		k := int(l.first[lo/Lanes])
		for l.end(k) <= lo {
			k++
		}
		for lane := 0; lane < n; k++ {
			r := &l.runs[k]
			m := min(n-lane, l.end(k)-lo-lane)
			if !yield(piece{lane, m, r.place(lo + lane), int(r.step)}) {
				return
			}
			lane += m
		}
	}
}

// consecutive is the place of lane lo, and whether the n lanes from there on have consecutive
// places.
func (l *Index) consecutive(lo, n int) (at int, ok bool) {
	if l.index != nil {
		return 0, false
	}
	for p := range l.pieces(lo, n) {
		return p.at, p.n == n && p.step == 1
	}
	return 0, false
}

// Gather sets dst to x at the lanes from lo on.
func (l *Index) Gather(dst, x []float64, lo int) {
	if l.index != nil {
		lane.Gather(dst, x, l.index[lo:])
		return
	}
	for p := range l.pieces(lo, len(dst)) {
		dst := dst[p.lane:][:p.n]
		switch p.step {
		case 1:
			copy(dst, x[p.at:])
		case 0:
			lane.Fill(dst, x[p.at])
		default:
			lane.GatherSteps(dst, x, p.at, p.step)
		}
	}
}

// Assign sets x to src at the lanes from lo on.
func (l *Index) Assign(x, src []float64, lo int) {
	if l.index != nil {
		index := l.index[lo:][:len(src)]
		for i, v := range src {
			x[index[i]] = v
		}
		return
	}
	for p := range l.pieces(lo, len(src)) {
		lane.SetSteps(x, src[p.lane:][:p.n], p.at, p.step)
	}
}

// CopyTo sets x at the places of to, in the n lanes from lo on, at most a block, to x at those
// of l. No place may be in both.
func (l *Index) CopyTo(to *Index, x []float64, lo, n int) {
	if l.index != nil || to.index != nil {
		var buf [Lanes]float64
		l.Gather(buf[:n], x, lo)
		to.Assign(x, buf[:n], lo)
		return
	}
	i, j := int(l.first[lo/Lanes]), int(to.first[lo/Lanes])
	for t, hi := lo, lo+n; t < hi; {
		for l.end(i) <= t {
			i++
		}
		for to.end(j) <= t {
			j++
		}
		end := min(hi, l.end(i), to.end(j))
		p, q := &l.runs[i], &to.runs[j]
		lane.CopySteps(x, p.place(t), int(p.step), q.place(t), int(q.step), end-t)
		t = end
	}
}

// Piece is n lanes from lane on that add to the places at, at+step, ….
type Piece struct{ Lane, N, At, Step int }

// Pieces are the parts of the list within blocks that are evenly spaced, nil if the list
// is not kept as such: what is added to one place there is summed up before.
func (l *Index) Pieces() (z []Piece) {
	if l.index != nil {
		return nil
	}
	for lo := 0; lo < l.n; lo += Lanes {
		for p := range l.pieces(lo, min(Lanes, l.n-lo)) {
			z = append(z, Piece{lo + p.lane, p.n, p.at, p.step})
		}
	}
	return z
}
