package sparsity

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawIntegers draws a matrix of small integers, with which sums are exact.
func drawIntegers(t *rapid.T, p *Pattern) *Matrix {
	m := NewMatrix(p)
	for k := range m.values {
		m.values[k] = float64(rapid.IntRange(-9, 9).Draw(t, "value"))
	}
	return m
}

func TestGramIsTheProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 8).Draw(t, "rows"), rapid.IntRange(1, 8).Draw(t, "columns")
		j := drawIntegers(t, drawTable(t, rows, cols).pattern())
		var dp *Pattern
		switch rapid.SampledFrom([]string{"none", "diagonal", "lower", "symmetric"}).Draw(t, "d") {
		case "diagonal":
			dp = Diagonal(cols)
		case "lower":
			dp = drawTable(t, cols, cols).pattern().Lower()
		case "symmetric":
			dp = drawTable(t, cols, cols).pattern().Symmetrized()
		}
		g := NewGram(j.pattern, dp)
		var dst *SymMatrix
		for range 2 {
			j = drawIntegers(t, j.pattern)
			weights := make([]float64, rows)
			for i := range weights {
				weights[i] = float64(rapid.IntRange(-3, 3).Draw(t, "weight"))
			}
			w := weights
			if rapid.Bool().Draw(t, "no weights") {
				w = nil
				for i := range weights {
					weights[i] = 1
				}
			}
			var want, wj mat.Dense
			wj.Mul(mat.NewDiagDense(rows, weights), j)
			want.Mul(j.T(), &wj)
			var d *Matrix
			if dp != nil {
				d = drawIntegers(t, dp)
				for i, k := range dp.All() {
					if k <= i {
						want.Set(i, k, want.At(i, k)+d.At(i, k))
						if k < i {
							want.Set(k, i, want.At(k, i)+d.At(i, k))
						}
					}
				}
			}
			dst = g.Eval(dst, j, w, d)
			require.True(t, mat.Equal(&want, dst))
		}

		// no position that no values could fill
		product := newTable(cols, cols)
		for r := range rows {
			for _, a := range j.pattern.Row(r) {
				for _, b := range j.pattern.Row(r) {
					product.in[a][b] = true
				}
			}
		}
		if dp != nil {
			for i, k := range dp.All() {
				product.in[i][k] = true
			}
		}
		requireTable(t, product.where(func(i, k int) bool { return k <= i && product.in[i][k] }), g.Pattern())
	})
}

func TestBlocksStandInTheirPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := func(what string) []int { return rapid.SliceOfN(rapid.IntRange(0, 4), 1, 3).Draw(t, what) }
		heights, widths := sizes("heights"), sizes("widths")
		grid, values := make([][]Block, len(heights)), make([][]*Matrix, len(heights))
		rows, cols := starts(heights), starts(widths)
		total := newTable(rows[len(heights)], cols[len(widths)])
		dense := mat.NewDense(20, 20, nil)
		for i, h := range heights {
			grid[i], values[i] = make([]Block, len(widths)), make([]*Matrix, len(widths))
			for j, w := range widths {
				if i > 0 && j > 0 && rapid.Bool().Draw(t, "zero") {
					continue
				}
				b := Block{Transposed: rapid.Bool().Draw(t, "transposed")}
				r, c := h, w
				if b.Transposed {
					r, c = w, h
				}
				b.Pattern = drawTable(t, r, c).pattern()
				m := drawIntegers(t, b.Pattern)
				for k, l := range b.Pattern.All() {
					v := m.At(k, l)
					if b.Transposed {
						k, l = l, k
					}
					total.in[rows[i]+k][cols[j]+l] = true
					dense.Set(rows[i]+k, cols[j]+l, v)
				}
				grid[i][j], values[i][j] = b, m
			}
		}
		b := NewBlocks(grid)
		requireTable(t, total, b.Pattern())
		got := b.Eval(nil, values)
		for i := range total.rows {
			for j := range total.cols {
				require.Equal(t, dense.At(i, j), got.At(i, j))
			}
		}
	})
}

func TestComposingDoesNotAllocate(t *testing.T) {
	j, h := NewMatrix(Banded(50, 2, 1)), NewMatrix(Diagonal(50))
	g := NewGram(j.pattern, h.pattern)
	b := NewBlocks([][]Block{{{Pattern: h.pattern}, {Pattern: j.pattern, Transposed: true}}, {{Pattern: j.pattern}, {}}})
	dst, kkt, w := g.Eval(nil, j, nil, h), NewMatrix(b.Pattern()), make([]float64, 50)
	values := [][]*Matrix{{h, j}, {j, nil}}
	require.Zero(t, testing.AllocsPerRun(10, func() { g.Eval(dst, j, w, h) }))
	require.Zero(t, testing.AllocsPerRun(10, func() { b.Eval(kkt, values) }))
}

func TestMisuseOfCompositions(t *testing.T) {
	j := NewMatrix(Full(2, 3))
	g, gd := NewGram(j.pattern, nil), NewGram(j.pattern, Diagonal(3))
	one := func(b ...Block) func() { return func() { NewBlocks([][]Block{b}) } }
	b := NewBlocks([][]Block{{{Pattern: j.pattern}, {}}, {{}, {Pattern: j.pattern}}})
	for _, x := range []struct {
		what string
		f    func()
	}{
		{"nil pattern", func() { NewGram(nil, nil) }},
		{"dimensions differ", func() { NewGram(j.pattern, Diagonal(2)) }},
		{"pattern neither symmetric nor lower triangular", func() { NewGram(j.pattern, Banded(3, 0, 1)) }},
		{"nil matrix", func() { g.Eval(nil, nil, nil, nil) }},
		{"another pattern", func() { g.Eval(nil, NewMatrix(Full(3, 3)), nil, nil) }},
		{"another pattern", func() { g.Eval(NewSymMatrix(NewMatrix(Diagonal(3))), j, nil, nil) }},
		{"D given or missing", func() { gd.Eval(nil, j, nil, nil) }},
		{"D given or missing", func() { g.Eval(nil, j, nil, NewMatrix(Diagonal(3))) }},
		{"another pattern", func() { gd.Eval(nil, j, nil, NewMatrix(Full(3, 3))) }},
		{"length of w does not fit", func() { g.Eval(nil, j, []float64{1}, nil) }},
		{"row lengths differ", func() { NewBlocks([][]Block{{{}}, {}}) }},
		{"dimensions differ", one(Block{Pattern: Full(2, 3)}, Block{Pattern: Full(3, 2)})},
		{"blocks of no size", one(Block{Pattern: Full(2, 3)}, Block{})},
		{"another grid of blocks", func() { b.Eval(nil, nil) }},
		{"another grid of blocks", func() { b.Eval(nil, [][]*Matrix{{j}, {nil, j}}) }},
		{"values of a zero block", func() { b.Eval(nil, [][]*Matrix{{j, j}, {nil, j}}) }},
		{"nil matrix", func() { b.Eval(nil, [][]*Matrix{{nil, nil}, {nil, j}}) }},
		{"another pattern", func() { b.Eval(j, [][]*Matrix{{j, nil}, {nil, j}}) }},
	} {
		require.PanicsWithValue(t, "sparsity: "+x.what, x.f)
	}
}

func TestAllYieldsThePositionsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := drawDims(t)
		p := drawTable(t, rows, cols).pattern()
		k := 0
		for i, j := range p.All() {
			require.Equal(t, k, p.Position(i, j))
			k++
		}
		require.Equal(t, p.NNZ(), k)
		for i, j := range p.All() { // and stops when it is told to
			require.Equal(t, 0, p.Position(i, j))
			break
		}
	})
}
