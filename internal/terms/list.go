package terms

import (
	"iter"
	"slices"
)

// list is a sequence of numbers, one a lane (a term of a shape): places in an
// array that is read or added to. Where it goes in even steps for long it is
// kept as runs, and no index is loaded.
type list struct {
	n     int
	runs  []run
	first []int32 // the run that each block begins in
	index []int32 // instead of runs
}

// run is the numbers at, at+step, …, of the lanes from lane to the next run.
type run struct{ lane, at, step int32 }

// minRun is how many lanes a run must have on average.
const minRun = 12

// newList is the list of x; of int32s, which it may keep.
func newList[T int | int32](x []T) list {
	l := list{n: len(x)}
	for i := 0; i < len(x); {
		r := run{lane: int32(i), at: int32(x[i])}
		j := i + 1
		if j < len(x) {
			r.step = int32(x[j] - x[i])
			for j++; j < len(x) && int32(x[j]-x[j-1]) == r.step; j++ {
			}
		}
		l.runs = append(l.runs, r)
		if len(l.runs)*minRun > i+8*minRun {
			return list{n: len(x), index: indices(x)}
		}
		i = j
	}
	l.findRuns()
	return l
}

// indices is x, if that is possible.
func indices[T int | int32](x []T) []int32 {
	if x, ok := any(x).([]int32); ok {
		return x
	}
	z := make([]int32, len(x))
	for i, v := range x {
		z[i] = int32(v)
	}
	return z
}

// constantList is the number at in n lanes.
func constantList(at int32, n int) list {
	l := list{n: n, runs: []run{{at: at}}}
	l.findRuns()
	return l
}

// findRuns finds the run that each block begins in.
func (l *list) findRuns() {
	l.first = make([]int32, 0, (l.n+lanes-1)/lanes)
	k := 0
	for lane := 0; lane < l.n; lane += lanes {
		for l.end(k) <= lane {
			k++
		}
		l.first = append(l.first, int32(k))
	}
}

// end is the lane after run k.
func (l *list) end(k int) int {
	if k+1 < len(l.runs) {
		return int(l.runs[k+1].lane)
	}
	return l.n
}

// uniform reports whether all numbers are one.
func (l *list) uniform() bool {
	return len(l.runs) == 1 && l.runs[0].step == 0
}

// block is the numbers of the block of lanes from lo on, in buf or where they
// are kept; they are not to be changed.
func (l *list) block(buf *[lanes]int32, lo int) []int32 {
	n := min(lanes, l.n-lo)
	if l.index != nil {
		return l.index[lo : lo+n]
	}
	for p := range l.pieces(lo, n) {
		for i := range p.n {
			buf[p.lane+i] = int32(p.at + i*p.step)
		}
	}
	return buf[:n]
}

// numbers is all numbers, not to be changed.
func (l *list) numbers() []int32 {
	if l.index != nil {
		return l.index
	}
	var buf [lanes]int32
	x := make([]int32, 0, l.n)
	for lo := 0; lo < l.n; lo += lanes {
		x = append(x, l.block(&buf, lo)...)
	}
	return x
}

// shift is the list with by added to each number.
func (l *list) shift(by int32) list {
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

// piece is n lanes from lane on whose numbers are at, at+step, ….
type piece struct{ lane, n, at, step int }

// pieces are the parts of runs in the n lanes from lo on, which count from 0.
func (l *list) pieces(lo, n int) iter.Seq[piece] {
	return func(yield func(p piece) bool) {
		k := int(l.first[lo/lanes])
		for l.end(k) <= lo {
			k++
		}
		for lane := 0; lane < n; k++ {
			r := &l.runs[k]
			m := min(n-lane, l.end(k)-lo-lane)
			if !yield(piece{lane, m, int(r.at) + int(r.step)*(lo+lane-int(r.lane)), int(r.step)}) {
				return
			}
			lane += m
		}
	}
}

// gather sets dst to x at the lanes from lo on.
func (l *list) gather(dst, x []float64, lo int) {
	if l.index != nil {
		gatherIndexed(dst, x, l.index[lo:])
		return
	}
	for p := range l.pieces(lo, len(dst)) {
		dst := dst[p.lane:][:p.n]
		switch p.step {
		case 1:
			copy(dst, x[p.at:])
		case 0:
			fill(dst, x[p.at])
		default:
			gatherStrided(dst, x, p.at, p.step)
		}
	}
}

// scatter adds src to x at the lanes from lo on.
func (l *list) scatter(x, src []float64, lo int) {
	if l.index != nil {
		scatterIndexed(x, src, l.index[lo:])
		return
	}
	for p := range l.pieces(lo, len(src)) {
		scatterPiece(x, src[p.lane:][:p.n], p.at, p.step)
	}
}

// scatterPiece adds src to x at at, at+step, ….
func scatterPiece(x, src []float64, at, step int) {
	switch step {
	case 1:
		addTo(x[at:at+len(src)], src)
	case 0:
		x[at] += sum(src)
	default:
		scatterStrided(x, src, at, step)
	}
}

// scatterReal adds c to x at n lanes from lo on.
func (l *list) scatterReal(x []float64, c float64, lo, n int) {
	if l.index != nil {
		for _, i := range l.index[lo : lo+n] {
			x[i] += c
		}
		return
	}
	for p := range l.pieces(lo, n) {
		if p.step == 0 {
			x[p.at] += float64(c * float64(p.n))
			continue
		}
		for i := range p.n {
			x[p.at+i*p.step] += c
		}
	}
}

// assign sets x to src at the lanes from lo on.
func (l *list) assign(x, src []float64, lo int) {
	if l.index != nil {
		index := l.index[lo:][:len(src)]
		for i, v := range src {
			x[index[i]] = v
		}
		return
	}
	for p := range l.pieces(lo, len(src)) {
		for i, v := range src[p.lane:][:p.n] {
			x[p.at+i*p.step] = v
		}
	}
}
