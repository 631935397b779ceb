package linsolve

import (
	"math"

	"github.com/hesse-ad/hesse/sparsity"
)

// Maximum product matching (Duff and Koster, On algorithms for permuting large
// entries to the diagonal of a sparse matrix, SIAM J. Matrix Anal. Appl. 22,
// 2001): of all matchings of a square matrix the one with the largest product
// of its entries, and by the duality of linear programming scales of rows and
// columns for which these are 1 and none is larger.
//
// With the costs w = −log₂|a| it is an assignment problem. The duals u, v of rows
// and columns satisfy wᵢⱼ ≥ uᵢ + vⱼ, with equality for what is matched. A row
// without column gets one along the path that is shortest in the lengths
// wᵢⱼ − uᵢ − vⱼ, found as by Dijkstra.
type assignment struct {
	pattern *sparsity.Pattern
	costs   []float64 // w
	u, v    []float64
	rowOf   []int32 // row matched with a column, or none
	colOf   []int32

	distance []float64 // of columns from the root
	from     []int32   // row before a column on the shortest path
	done     []int32   // columns whose distance is final
	heap     []int32   // the others that were reached, nearest first
	place    []int32   // in the heap, or none, or final
}

const (
	// zeroCost is the cost of an entry that is 0, to be matched only where the
	// pattern leaves no choice: more than the costs of two that are not 0.
	zeroCost = 4096

	final = -2
)

// maximumProduct returns the row matched with each column of a pattern of full
// structural rank, and the exponents r, c for which no 2^(rᵢ+cⱼ)·|aᵢⱼ| is above 2
// and the matched ones are at least ½. These are 0 where every product is. Time
// is O(n·nnz·log n) at worst, and rarely more than some times nnz.
func maximumProduct(p *sparsity.Pattern, values []float64) (rowOf, rowExp, colExp []int32) {
	n, _ := p.Dims()
	m := &assignment{
		pattern: p, costs: make([]float64, len(values)),
		u: make([]float64, n), v: make([]float64, n),
		rowOf: make([]int32, n), colOf: make([]int32, n),
		distance: make([]float64, n), from: make([]int32, n), place: make([]int32, n),
	}
	for k, v := range values {
		m.costs[k] = zeroCost
		if v != 0 {
			m.costs[k] = -math.Log2(math.Abs(v))
		}
	}
	for j := range n {
		m.rowOf[j], m.colOf[j], m.place[j] = none, none, none
		m.v[j] = math.Inf(1)
	}
	for i := range n {
		row, costs := m.row(int32(i))
		for k, j := range row {
			m.v[j] = min(m.v[j], costs[k])
		}
	}
	for i := range n {
		m.start(int32(i))
	}
	for i, j := range m.colOf {
		if j == none {
			m.augment(int32(i))
		}
	}
	rowExp, colExp = make([]int32, n), make([]int32, n)
	for j, i := range m.rowOf {
		if values[p.Position(int(i), j)] == 0 {
			return m.rowOf, rowExp, colExp
		}
	}
	for i := range n {
		rowExp[i], colExp[i] = int32(math.Floor(m.u[i]+0.5)), int32(math.Floor(m.v[i]+0.5))
	}
	return m.rowOf, rowExp, colExp
}

// row returns the columns and the costs of row i.
func (m *assignment) row(i int32) ([]int32, []float64) {
	ptr := m.pattern.RowPtr()
	return m.pattern.Row(int(i)), m.costs[ptr[i]:ptr[i+1]]
}

// start sets u of row i, and matches it if a column that it allows is free.
func (m *assignment) start(i int32) {
	row, costs := m.row(i)
	m.u[i] = math.Inf(1)
	for k, j := range row {
		m.u[i] = min(m.u[i], costs[k]-m.v[j])
	}
	for k, j := range row {
		if m.rowOf[j] == none && costs[k]-m.v[j] == m.u[i] {
			m.rowOf[j], m.colOf[i] = i, j
			return
		}
	}
}

// augment matches the row root.
func (m *assignment) augment(root int32) {
	m.heap, m.done = m.heap[:0], m.done[:0]
	i, length := root, 0.0 // a row and its distance
	nearest := math.Inf(1) // distance of a column that is free
	var last int32
	for {
		row, costs := m.row(i)
		for k, j := range row {
			if m.place[j] == final {
				continue
			}
			// Rounding may leave what is 0 a little below.
			d := length + max(0, costs[k]-m.u[i]-m.v[j])
			if d >= nearest {
				continue
			}
			if m.rowOf[j] == none {
				nearest = d
			}
			if m.place[j] == none {
				m.distance[j] = math.Inf(1)
				m.place[j] = int32(len(m.heap))
				m.heap = append(m.heap, j)
			}
			if d < m.distance[j] {
				m.distance[j], m.from[j] = d, i
				m.up(m.place[j])
			}
		}
		last = m.pop()
		length = m.distance[last]
		if m.rowOf[last] == none {
			break
		}
		m.place[last] = final
		m.done = append(m.done, last)
		i = m.rowOf[last]
	}
	m.u[root] += length
	for _, j := range m.done {
		m.v[j] -= length - m.distance[j]
		m.u[m.rowOf[j]] += length - m.distance[j]
		m.place[j] = none
	}
	for _, j := range m.heap {
		m.place[j] = none
	}
	m.place[last] = none
	for j := last; ; {
		i := m.from[j]
		m.rowOf[j] = i
		j, m.colOf[i] = m.colOf[i], j
		if i == root {
			return
		}
	}
}

// up moves the column at a place of the heap to where it belongs, not below.
func (m *assignment) up(at int32) {
	j := m.heap[at]
	for at > 0 {
		above := (at - 1) / 2
		if m.distance[m.heap[above]] <= m.distance[j] {
			break
		}
		m.set(at, m.heap[above])
		at = above
	}
	m.set(at, j)
}

// pop removes the nearest column.
func (m *assignment) pop() int32 {
	top := m.heap[0]
	size := len(m.heap) - 1
	j := m.heap[size]
	m.heap = m.heap[:size]
	if size == 0 {
		return top
	}
	at := 0
	for {
		below := 2*at + 1
		if below >= size {
			break
		}
		if below+1 < size && m.distance[m.heap[below+1]] < m.distance[m.heap[below]] {
			below++
		}
		if m.distance[j] <= m.distance[m.heap[below]] {
			break
		}
		m.set(int32(at), m.heap[below])
		at = below
	}
	m.set(int32(at), j)
	return top
}

func (m *assignment) set(at, j int32) {
	m.heap[at], m.place[j] = j, at
}
