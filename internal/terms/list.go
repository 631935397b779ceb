package terms

import "slices"

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

// newList is the list of x, which it may keep.
func newList(x []int32) list {
	l := list{n: len(x)}
	for i := 0; i < len(x); {
		r := run{lane: int32(i), at: x[i]}
		j := i + 1
		if j < len(x) {
			r.step = x[j] - x[i]
			for j++; j < len(x) && x[j]-x[j-1] == r.step; j++ {
			}
		}
		l.runs = append(l.runs, r)
		if len(l.runs)*minRun > i+8*minRun {
			l.runs = nil
			l.index = x
			return l
		}
		i = j
	}
	k := 0
	for lane := 0; lane < len(x); lane += lanes {
		for l.end(k) <= lane {
			k++
		}
		l.first = append(l.first, int32(k))
	}
	return l
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

// expand appends the numbers to x.
func (l *list) expand(x []int32) []int32 {
	if l.index != nil {
		return append(x, l.index...)
	}
	for k, r := range l.runs {
		for range l.end(k) - int(r.lane) {
			x = append(x, r.at)
			r.at += r.step
		}
	}
	return x
}

// numbers is all numbers, not to be changed.
func (l *list) numbers() []int32 {
	if l.index != nil {
		return l.index
	}
	return l.expand(make([]int32, 0, l.n))
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

// piece is the part of run k in the lanes from lo on, at most m of them: where
// it begins and how many lanes it has.
func (l *list) piece(k, lo, m int) (at, step, n int) {
	r := &l.runs[k]
	step = int(r.step)
	return int(r.at) + step*(lo-int(r.lane)), step, min(m, l.end(k)-lo)
}

// gather sets dst to x at the lanes from lo on.
func (l *list) gather(dst, x []float64, lo int) {
	if l.index != nil {
		gatherIndexed(dst, x, l.index[lo:])
		return
	}
	for k := int(l.first[lo/lanes]); len(dst) > 0; k++ {
		at, step, n := l.piece(k, lo, len(dst))
		switch step {
		case 1:
			copy(dst[:n], x[at:at+n])
		case 0:
			fill(dst[:n], x[at])
		default:
			gatherStrided(dst[:n], x, at, step)
		}
		dst, lo = dst[n:], lo+n
	}
}

// scatter adds src to x at the lanes from lo on.
func (l *list) scatter(x, src []float64, lo int) {
	if l.index != nil {
		scatterIndexed(x, src, l.index[lo:])
		return
	}
	for k := int(l.first[lo/lanes]); len(src) > 0; k++ {
		at, step, n := l.piece(k, lo, len(src))
		scatterPiece(x, src[:n], at, step)
		src, lo = src[n:], lo+n
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
	for k := int(l.first[lo/lanes]); n > 0; k++ {
		at, step, m := l.piece(k, lo, n)
		if step == 0 {
			x[at] += c * float64(m)
		} else {
			for range m {
				x[at] += c
				at += step
			}
		}
		n, lo = n-m, lo+m
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
	for k := int(l.first[lo/lanes]); len(src) > 0; k++ {
		at, step, n := l.piece(k, lo, len(src))
		for _, v := range src[:n] {
			x[at] = v
			at += step
		}
		src, lo = src[n:], lo+n
	}
}
