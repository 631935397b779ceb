package code

import (
	"math"

	"github.com/hesse-ad/hesse/internal/bucket"
)

// Pages says which block is the first to add to each page of an array: that block clears the
// page, and if several goroutines add to the array, the part that has it owns the page.
type Pages struct {
	first         []int32 // by page
	order, starts []int32 // block k is the first at the pages order[starts[k]:starts[k+1]]
}

// page is how many numbers a page has.
const page = 256

// NewPages is the pages of an array of n numbers, which no block has touched yet.
func NewPages(n int) Pages {
	p := Pages{first: make([]int32, (n+page-1)/page)}
	for k := range p.first {
		p.first[k] = math.MaxInt32
	}
	return p
}

// Touch notes that a block adds to a place.
func (p *Pages) Touch(at, block int32) { p.first[at/page] = min(p.first[at/page], block) }

// TouchList notes that the blocks of lanes of a list, numbered from begin on, add to the places
// in it.
func (p *Pages) TouchList(l *Index, begin int) {
	for lo := 0; lo < l.n; lo += Lanes {
		block, n := int32(begin+lo/Lanes), min(Lanes, l.n-lo)
		if l.index != nil {
			for _, at := range l.index[lo : lo+n] {
				p.Touch(at, block)
			}
			continue
		}
		for q := range l.pieces(lo, n) {
			each := max(1, page/max(q.step, -q.step, 1)) // lanes in a page
			for k := 0; k < q.n; k += each {
				p.Touch(int32(q.at+k*q.step), block)
			}
			p.Touch(int32(q.at+(q.n-1)*q.step), block)
		}
	}
}

// First is the first block that touches the page of a place.
func (p *Pages) First(at int32) int32 { return p.first[at/page] }

// Finish ends the notes, after which Begin may be called. Pages that no block touches count as
// touched by block 0, which there is even if there are no lanes.
func (p *Pages) Finish(blocks int) {
	for k := range p.first {
		if p.first[k] == math.MaxInt32 {
			p.first[k] = 0
		}
	}
	p.order, p.starts = bucket.Sort(p.first, max(blocks, 1))
}

// Begin clears the pages of x that block k is the first to add to, or sets them to
// start, if that is not nil.
func (p *Pages) Begin(k int, x, start []float64) {
	for _, j := range p.order[p.starts[k]:p.starts[k+1]] {
		lo := int(j) * page
		hi := min(lo+page, len(x))
		if start == nil {
			clear(x[lo:hi])
		} else {
			copy(x[lo:hi], start[lo:hi])
		}
	}
}

// Bytes is the memory that they take.
func (p *Pages) Bytes() int { return 4 * (len(p.first) + len(p.order) + len(p.starts)) }
