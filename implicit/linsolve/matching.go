package linsolve

import (
	"math"

	"github.com/hesse-ad/hesse/sparsity"
)

// Maximum matching (Hopcroft and Karp, An n^{5/2} algorithm for maximum
// matchings in bipartite graphs, SIAM J. Comput. 2, 1973).
//
// A matching picks entries of a square matrix, no two in one row or column. The
// size of a maximum one is the structural rank: no values in this pattern have
// a higher rank, and almost all have this one.
type matching struct {
	pattern *sparsity.Pattern
	values  []float64 // to prefer large ones; rows have a largest value near 1
	rowOf   []int32   // row matched with a column, or none
	colOf   []int32   // column matched with a row, or none
	rank    int

	layer []int32
	at    []int32 // next entry of a row to try
	queue []int32
	path  []int32
}

// maximumMatching returns the row matched with each column, or none, how many
// are, and how many levels did not suffice to match all. Rows take their diagonal
// entry if it is not below the first level, else their largest if its column is free.
// The rest is left to augmenting paths over entries not below the first level, then
// the next: levels descend, and 0 is for all that the pattern has. Time is
// O(nnz·√n) a level at worst.
func maximumMatching(p *sparsity.Pattern, values []float64, levels ...float64) (rowOf []int32, rank, short int) {
	n, _ := p.Dims()
	m := &matching{
		pattern: p,
		values:  values,
		rowOf:   make([]int32, n),
		colOf:   make([]int32, n),
		layer:   make([]int32, n),
		at:      make([]int32, n),
	}
	for i := range n {
		m.rowOf[i], m.colOf[i] = none, none
	}
	for i := range n {
		if k := p.Position(i, i); k >= 0 && math.Abs(values[k]) >= levels[0] {
			m.match(int32(i), int32(i))
			m.rank++
		}
	}
	for i := range n {
		row, abs := p.Row(i), -1.0
		var best int32
		for k, v := range values[p.RowPtr()[i]:p.RowPtr()[i+1]] {
			if math.Abs(v) > abs {
				best, abs = row[k], math.Abs(v)
			}
		}
		if abs >= levels[0] && m.colOf[i] == none && m.rowOf[best] == none {
			m.match(int32(i), best)
			m.rank++
		}
	}
	for _, least := range levels {
		for m.rank < n && m.layers(least) {
			m.augment(least)
		}
		if m.rank < n {
			short++
		}
	}
	return m.rowOf, m.rank, short
}

func (m *matching) match(i, j int32) {
	m.rowOf[j], m.colOf[i] = i, j
}

// layers numbers the rows by breadth-first search over alternating paths from
// all unmatched rows, until a layer reaches an unmatched column. It reports
// whether one does.
func (m *matching) layers(least float64) bool {
	m.queue = m.queue[:0]
	for i, j := range m.colOf {
		m.layer[i] = none
		m.at[i] = 0
		if j == none {
			m.layer[i] = 0
			m.queue = append(m.queue, int32(i))
		}
	}
	last := int32(math.MaxInt32)
	for k := 0; k < len(m.queue); k++ {
		i := m.queue[k]
		if m.layer[i] > last {
			break
		}
		start := int(m.pattern.RowPtr()[i])
		for t, j := range m.pattern.Row(int(i)) {
			if math.Abs(m.values[start+t]) < least {
				continue
			}
			r := m.rowOf[j]
			if r == none {
				last = m.layer[i]
			} else if m.layer[r] == none {
				m.layer[r] = m.layer[i] + 1
				m.queue = append(m.queue, r)
			}
		}
	}
	return last < math.MaxInt32
}

// augment changes the matching along paths from the unmatched rows down the
// layers, one layer at each step and no row in two paths, until none is left.
func (m *matching) augment(least float64) {
	for _, root := range m.queue {
		if m.layer[root] > 0 {
			break
		}
		m.path = append(m.path[:0], root)
	descend:
		for len(m.path) > 0 {
			i := m.path[len(m.path)-1]
			start := int(m.pattern.RowPtr()[i])
			row := m.pattern.Row(int(i))
			for int(m.at[i]) < len(row) {
				t := int(m.at[i])
				m.at[i]++
				if math.Abs(m.values[start+t]) < least {
					continue
				}
				r := m.rowOf[row[t]]
				if r == none {
					// Every row of the path takes the column by which it was left.
					for _, i := range m.path {
						m.match(i, m.pattern.Row(int(i))[m.at[i]-1])
					}
					m.rank++
					break descend
				}
				if m.layer[r] == m.layer[i]+1 {
					m.path = append(m.path, r)
					continue descend
				}
			}
			m.path = m.path[:len(m.path)-1]
		}
	}
}
