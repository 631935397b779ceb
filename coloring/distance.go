package coloring

import (
	"math/bits"
	"slices"

	"github.com/hesse-ad/hesse/sparsity"
)

// distance1 is the greedy coloring in which neighbors differ: each vertex
// takes the smallest color that none of its neighbors has. O(n + m).
func distance1(g *graph, order []int32) []int32 {
	color := make([]int32, g.len())
	forbidden := make([]int32, g.maxDegree()+3)
	for k, v := range order {
		stamp := int32(k + 1)
		for _, w := range g.row(v) {
			forbidden[color[w]] = stamp
		}
		color[v] = smallest(forbidden, stamp)
	}
	return color
}

// smallest returns the smallest color that does not carry the stamp.
func smallest(forbidden []int32, stamp int32) int32 {
	c := int32(1)
	for forbidden[c] == stamp {
		c++
	}
	return c
}

// partialDistance2 is the greedy coloring in which the vertices of a net
// differ (survey, algorithm 3.2): row v of of holds the nets of vertex v, row r
// of nets the vertices of net r. It returns nil if more than limit colors are
// needed.
//
// The result is that of the plain algorithm, which looks at all vertices of all
// nets of v and is quadratic in the length of a dense row. Here a net remembers
// the colors its vertices have so far: as one word, if there are not more than
// 64 colors, at a cost of O(nnz). Otherwise a short net has a list, a dense one
// a set that knows its first free color; the cost is O(Σ ρ²) over short nets and
// in practice O(ρ) for a dense one. The memory is O(nnz).
func partialDistance2(of, nets *sparsity.Pattern, order []int32, limit int) []int32 {
	color, ok := distance2OfWords(of, nets, order, limit)
	if !ok {
		color = distance2OfLists(of, nets, order, limit)
	}
	return color
}

func distance2OfWords(of, nets *sparsity.Pattern, order []int32, limit int) (color []int32, ok bool) {
	if longestRow(nets) > 64 {
		return nil, false
	}
	allowed := ^uint64(0)
	if limit < 64 {
		allowed = 1<<limit - 1
	}
	n, m := of.Dims()
	color = make([]int32, n)
	used := make([]uint64, m)
	for _, v := range order {
		row := of.Row(int(v))
		var forbidden uint64
		for _, r := range row {
			forbidden |= used[r]
		}
		c := allowed &^ forbidden
		c &= -c
		if c == 0 {
			return nil, limit <= 64
		}
		for _, r := range row {
			used[r] |= c
		}
		color[v] = int32(bits.TrailingZeros64(c)) + 1
	}
	return color, true
}

func distance2OfLists(of, nets *sparsity.Pattern, order []int32, limit int) []int32 {
	n, m := of.Dims()
	color := make([]int32, n)
	forbidden := make([]int32, n+2)

	used := make([]int32, nets.NNZ())
	start := nets.RowPtr()
	end := slices.Clone(start[:m])
	long := denseSize(nets)
	sets := make([]*colorSet, m) // of the dense nets
	for r := range m {
		if len(nets.Row(r)) > long {
			sets[r] = new(colorSet)
		}
	}
	var dense []*colorSet // those of one vertex

	for k, v := range order {
		stamp := int32(k + 1)
		c := int32(1)
		dense = dense[:0]
		for _, r := range of.Row(int(v)) {
			if s := sets[r]; s != nil {
				dense = append(dense, s)
				c = max(c, s.first)
				continue
			}
			for _, d := range used[start[r]:end[r]] {
				forbidden[d] = stamp
			}
		}
		for last := int32(0); c != last; {
			last = c
			for forbidden[c] == stamp {
				c++
			}
			for _, s := range dense {
				c = s.free(c)
			}
		}
		if int(c) > limit {
			return nil
		}
		color[v] = c
		for _, r := range of.Row(int(v)) {
			if s := sets[r]; s != nil {
				s.add(c)
			} else {
				used[end[r]] = c
				end[r]++
			}
		}
	}
	return color
}

// denseSize returns the number of vertices above which a net is dense. A set of
// colors takes one bit a color, and there are at least as many colors as the
// longest net has vertices: with one word of 64 bits a vertex the sets take no
// more memory than the pattern.
func denseSize(nets *sparsity.Pattern) int {
	return max(64, longestRow(nets)/64)
}

// A colorSet is a set of colors; all below first are in it.
type colorSet struct {
	first int32
	words []uint64
}

// free returns the smallest color ≥ c that is not in the set.
func (s *colorSet) free(c int32) int32 {
	w := int(c >> 6)
	if w >= len(s.words) {
		return c
	}
	taken := s.words[w] | (1<<(c&63) - 1)
	for ^taken == 0 {
		if w++; w == len(s.words) {
			return int32(w << 6)
		}
		taken = s.words[w]
	}
	return int32(w<<6 + bits.TrailingZeros64(^taken))
}

func (s *colorSet) add(c int32) {
	w := int(c >> 6)
	for len(s.words) <= w {
		s.words = append(s.words, 0)
	}
	s.words[w] |= 1 << (c & 63)
	s.first = s.free(max(s.first, 1))
}
