package sparsity

import (
	"iter"
	"slices"
)

// A Block is a part of a block matrix: a matrix with the pattern, or its
// transpose. The zero value is a block of zeros.
type Block struct {
	Pattern    *Pattern
	Transposed bool
}

func (b Block) dims() (rows, cols int) {
	if b.Transposed {
		return b.Pattern.cols, b.Pattern.rows
	}
	return b.Pattern.rows, b.Pattern.cols
}

// Blocks puts matrices side by side and below each other, such as the matrix of
// a KKT system from the Hessian and the Jacobian of its constraints:
//
//	⎡H Jᵀ⎤
//	⎣J 0 ⎦
//
// Where each value goes is found once. It is immutable and safe for concurrent
// use.
type Blocks struct {
	grid    [][]Block
	pattern *Pattern
	at      [][][]int32 // by block: the places of its values
}

// NewBlocks prepares matrices with the blocks grid[i][j] in row i and column j.
// It panics if rows of the grid differ in length, blocks in a row of it in
// their rows or in a column in their columns, or if a row or column has zero
// blocks alone: an empty pattern gives it a size. The cost is O(rows + columns +
// nnz).
func NewBlocks(grid [][]Block) *Blocks {
	b := &Blocks{grid: make([][]Block, len(grid))}
	wide := 0
	if len(grid) > 0 {
		wide = len(grid[0])
	}
	height, width := slices.Repeat([]int{-1}, len(grid)), slices.Repeat([]int{-1}, wide)
	for i, row := range grid {
		if len(row) != wide {
			panic("sparsity: row lengths differ")
		}
		b.grid[i] = slices.Clone(row)
		for j, block := range row {
			if block.Pattern == nil {
				continue
			}
			r, c := block.dims()
			if height[i] >= 0 && height[i] != r || width[j] >= 0 && width[j] != c {
				panic("sparsity: dimensions differ")
			}
			height[i], width[j] = r, c
		}
	}
	if slices.Contains(height, -1) || slices.Contains(width, -1) {
		panic("sparsity: blocks of no size")
	}
	b.lay(starts(height), starts(width))
	return b
}

// starts returns the sums of what comes before, and of all.
func starts(sizes []int) []int {
	s := make([]int, len(sizes)+1)
	for i, n := range sizes {
		s[i+1] = s[i] + n
	}
	return s
}

// lay finds the pattern and the places of the blocks, which start at the given
// rows and columns.
func (b *Blocks) lay(top, left []int) {
	rows, cols := top[len(top)-1], left[len(left)-1]
	var i, j []int32
	checkDims(rows, cols)
	for r, line := range b.grid {
		for c, block := range line {
			for k, l := range block.all() {
				i = append(i, int32(top[r]+k))
				j = append(j, int32(left[c]+l))
			}
		}
	}
	b.pattern = fromCoordinates(rows, cols, i, j)
	b.at = make([][][]int32, len(b.grid))
	for r, line := range b.grid {
		b.at[r] = make([][]int32, len(line))
		for c, block := range line {
			for k, l := range block.all() {
				b.at[r][c] = append(b.at[r][c], int32(b.pattern.Position(top[r]+k, left[c]+l)))
			}
		}
	}
}

// all are the positions within the block, in the order of the matrix's values.
func (b Block) all() iter.Seq2[int, int] {
	return func(yield func(i, j int) bool) {
		if b.Pattern == nil {
			return
		}
		for i, j := range b.Pattern.All() {
			if b.Transposed {
				i, j = j, i
			}
			if !yield(i, j) {
				return
			}
		}
	}
}

// Pattern returns the pattern of the whole matrix.
func (b *Blocks) Pattern() *Pattern { return b.pattern }

// Eval stores the block matrix in dst, with the pattern of Pattern, and returns
// it; nil allocates. values[i][j] is the matrix of block (i, j), not
// transposed, nil for a zero block; one matrix may stand in several places, but
// share no values with dst. It panics if a pattern is another one. With a dst it
// does not allocate. The cost is O(nnz).
func (b *Blocks) Eval(dst *Matrix, values [][]*Matrix) *Matrix {
	if dst == nil {
		dst = NewMatrix(b.pattern)
	}
	dst.check(b.pattern)
	b.check(values)
	for i, row := range values {
		for j, m := range row {
			for k, at := range b.at[i][j] {
				dst.values[at] = m.values[k]
			}
		}
	}
	return dst
}

// check panics unless the values are those of the blocks.
func (b *Blocks) check(values [][]*Matrix) {
	if len(values) != len(b.grid) {
		panic("sparsity: another grid of blocks")
	}
	for i, row := range b.grid {
		if len(values[i]) != len(row) {
			panic("sparsity: another grid of blocks")
		}
		for j, block := range row {
			switch m := values[i][j]; {
			case block.Pattern != nil:
				m.check(block.Pattern)
			case m != nil:
				panic("sparsity: values of a zero block")
			}
		}
	}
}
