package terms

import (
	"math"
	"slices"
)

// pace says what is done to the values of a matrix before and after each block
// of terms, over all shapes: they are cleared when they are first added to, and
// mirrored when nothing more is added, while they are in the cache. Measured at
// 10⁶ variables, to clear first and to mirror last takes half as long again.
type pace struct {
	first []int32 // block that touches a page of values first
	last  []int32 // block that touches a value last

	pages, pageAt []int32 // pages in order; block k clears pages[pageAt[k]:pageAt[k+1]]

	low, up       list    // places of mirror images
	pairs, pairAt []int32 // blocks of pairs in order; mirrored after block k
}

// page is how many values are cleared together.
const page = 1024

func (p *pace) begin(nnz int) {
	p.first = make([]int32, (nnz+page-1)/page)
	for k := range p.first {
		p.first[k] = math.MaxInt32
	}
	p.last = make([]int32, nnz)
}

// touch notes that a block adds to a value. Blocks come in order.
func (p *pace) touch(at, block int32) {
	p.first[at/page] = min(p.first[at/page], block)
	p.last[at] = max(p.last[at], block)
}

// finish puts in order what is to be done. There is a first block even if there
// are no terms.
func (p *pace) finish(blocks int, low, up []int32) {
	blocks = max(blocks, 1)
	for k := range p.first {
		if p.first[k] == math.MaxInt32 {
			p.first[k] = 0 // never touched
		}
	}
	p.pages, p.pageAt = inOrder(p.first, blocks)
	ready := make([]int32, (len(low)+lanes-1)/lanes)
	for k, at := range low {
		ready[k/lanes] = max(ready[k/lanes], p.last[at])
	}
	p.pairs, p.pairAt = inOrder(ready, blocks)
	p.low, p.up = newList(slices.Clone(low)), newList(slices.Clone(up))
	p.first, p.last = nil, nil
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

// before clears what block k is the first to add to: sets it to start, if that
// is not nil.
func (p *pace) before(k int, values, start []float64) {
	for _, j := range p.pages[p.pageAt[k]:p.pageAt[k+1]] {
		lo := int(j) * page
		hi := min(lo+page, len(values))
		if start == nil {
			clear(values[lo:hi])
		} else {
			copy(values[lo:hi], start[lo:hi])
		}
	}
}

// after mirrors what block k was the last to add to.
func (p *pace) after(k int, values []float64) {
	var buf [lanes]float64
	for _, j := range p.pairs[p.pairAt[k]:p.pairAt[k+1]] {
		lo := int(j) * lanes
		b := buf[:min(lanes, p.low.n-lo)]
		p.low.gather(b, values, lo)
		p.up.assign(values, b, lo)
	}
}
