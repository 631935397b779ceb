package terms

import (
	"math"
	"slices"
)

// pages says which block of terms, over all shapes, is the first to add to each
// page of an array.
type pages struct {
	first     []int32
	order, at []int32 // block k is the first at the pages order[at[k]:at[k+1]]
}

// page is how many numbers are cleared together.
const page = 256

func newPages(n int) pages {
	p := pages{first: make([]int32, (n+page-1)/page)}
	for k := range p.first {
		p.first[k] = math.MaxInt32
	}
	return p
}

// touch notes that a block adds to x[at].
func (p *pages) touch(at, block int32) { p.first[at/page] = min(p.first[at/page], block) }

// finish puts the pages in order. There is a first block even if there are no
// terms; it is the first at the pages that no other touches.
func (p *pages) finish(blocks int) {
	for k := range p.first {
		if p.first[k] == math.MaxInt32 {
			p.first[k] = 0
		}
	}
	p.order, p.at = inOrder(p.first, max(blocks, 1))
}

// begin clears the pages of x that block k is the first to add to, or sets them
// to start, if that is not nil.
func (p *pages) begin(k int, x, start []float64) {
	for _, j := range p.order[p.at[k]:p.at[k+1]] {
		lo := int(j) * page
		hi := min(lo+page, len(x))
		if start == nil {
			clear(x[lo:hi])
		} else {
			copy(x[lo:hi], start[lo:hi])
		}
	}
}

// pace says what is done to the values of a matrix before and after each block
// of terms: they are cleared when they are first added to, and mirrored when
// nothing more is added, while they are in the cache. Measured at 10⁶ variables,
// to clear first and to mirror last takes half as long again.
type pace struct {
	pages
	last []int32 // the block that is the last to add to each value, −1 for none

	low, up       list    // places of mirror images
	pairs, pairAt []int32 // block k is the last at pairs[pairAt[k]:pairAt[k+1]], of lanes each
}

func newPace(nnz int) pace {
	p := pace{pages: newPages(nnz), last: make([]int32, nnz)}
	for k := range p.last {
		p.last[k] = -1
	}
	return p
}

// touch notes that a block adds to a value.
func (p *pace) touch(at, block int32) {
	p.pages.touch(at, block)
	p.last[at] = max(p.last[at], block)
}

// finish puts in order what is to be done.
func (p *pace) finish(blocks int, low, up []int32) {
	p.pages.finish(blocks)
	ready := make([]int32, (len(low)+lanes-1)/lanes)
	for k, at := range low {
		ready[k/lanes] = max(ready[k/lanes], p.last[at])
	}
	p.pairs, p.pairAt = inOrder(ready, max(blocks, 1))
	p.low, p.up = newList(low), newList(up)
	p.last = nil
}

// end mirrors what block k was the last to add to.
func (p *pace) end(k int, values []float64) {
	for _, j := range p.pairs[p.pairAt[k]:p.pairAt[k+1]] {
		p.mirror(int(j), values)
	}
}

// mirror copies pairs j.
func (p *pace) mirror(j int, values []float64) {
	var buf [lanes]float64
	lo := j * lanes
	b := buf[:min(lanes, p.low.n-lo)]
	p.low.gather(b, values, lo)
	p.up.assign(values, b, lo)
}

// inOrder is the numbers of x ordered by their values, which are below n, and
// where each value begins.
func inOrder(x []int32, n int) (order, at []int32) {
	at = make([]int32, n+1)
	for _, v := range x {
		at[v+1]++
	}
	for k := range n {
		at[k+1] += at[k]
	}
	next := slices.Clone(at)
	order = make([]int32, len(x))
	for k, v := range x {
		order[next[v]] = int32(k)
		next[v]++
	}
	return order, at
}
