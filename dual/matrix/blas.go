package matrix

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// general is a matrix of float64, row by row without gaps.
type general = blas64.General

func generalOf(rows, cols int, data []float64) general {
	return general{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// narrow is how long rows are at least for BLAS to be fast: each that it adds to another or
// multiplies with another takes 4 ns, however short. A narrower matrix is transposed, or
// taken column by column: at order 100, products with two columns take an eighth of the
// time, solutions a fifth, and with 16 the same.
const narrow = 12

// block is the order of the blocks that products are cut in. Products of fewer than
// four are not cut by gonum either, which starts no goroutine for them.
const block = 64

// depth is how long the products of rows are at most in a block: longer ones take less for
// each element, but those of 64 rows with 64 are to stay in the cache.
const depth = 256

// times sets c = α·a·b + β·c.
func times(alpha float64, a, b general, beta float64, c general) {
	if c.Cols == 1 && b.Stride == 1 && c.Stride == 1 && a.Rows > 0 && a.Cols > 0 {
		blas64.Gemv(blas.NoTrans, alpha, a, column(b.Data), beta, column(c.Data))
		return
	}
	tiles(blas.NoTrans, alpha, a, b, beta, c, 0)
}

// timesT sets c = α·a·bᵀ + β·c.
func timesT(alpha float64, a, b general, beta float64, c general) {
	if a.Cols == 1 && a.Stride == 1 && b.Stride == 1 && beta*(beta-1) == 0 {
		if beta == 0 {
			clear(c.Data)
		}
		blas64.Ger(alpha, column(a.Data), column(b.Data), c)
		return
	}
	tiles(blas.Trans, alpha, a, b, beta, c, 0)
}

// lowerTimesT is timesT for the lower triangle of c; elements above are undefined.
func lowerTimesT(alpha float64, a, b general, beta float64, c general) {
	tiles(blas.Trans, alpha, a, b, beta, c, lower)
}

// gram sets the lower triangle of c = u·uᵀ, u upper triangular with zeros below.
func gram(u, c general) { tiles(blas.Trans, 1, u, u, 0, c, lower|upperFactor) }

// shape is what is known of a product.
type shape uint8

const (
	lower       shape = 1 << iota // only the lower triangle is wanted
	upperFactor                   // the left factor is upper triangular
)

// sharedProduct is one product that several goroutines share.
type sharedProduct struct {
	transB      blas.Transpose
	alpha, beta float64
	a, b, c     general
	shape       shape
	turned      []float64 // memory for bᵀ
	next        atomic.Int64
	done        sync.WaitGroup
	help        func() // made once: a go statement with it allocates nothing
}

var products = sync.Pool{New: func() any {
	p := new(sharedProduct)
	p.help = func() {
		p.work()
		p.done.Done()
	}
	return p
}}

// tiles computes the blocks of c, each with the same operations whoever does it.
func tiles(transB blas.Transpose, alpha float64, a, b general, beta float64, c general, s shape) {
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if a.Cols == 0 {
		for i := range c.Rows {
			if row := c.Data[i*c.Stride:][:c.Cols]; beta == 0 {
				clear(row) // of whatever was there
			} else {
				floats.Scale(beta, row)
			}
		}
		return
	}
	p := products.Get().(*sharedProduct)
	if t := way(transB, a, c); t != transB {
		p.turned = slices.Grow(p.turned[:0], len(b.Data))[:b.Rows*b.Cols]
		turned := generalOf(b.Cols, b.Rows, p.turned)
		transposeTo(turned, b)
		b, transB = turned, t
	}
	p.transB, p.alpha, p.beta, p.a, p.b, p.c, p.shape = transB, alpha, beta, a, b, c, s
	p.next.Store(0)
	if n := p.rows() * p.cols(); n >= 4 && a.Cols >= block/4 {
		for range min(n, runtime.GOMAXPROCS(0)) - 1 {
			p.done.Add(1)
			go p.help()
		}
	}
	p.work()
	p.done.Wait()
	p.a, p.b, p.c = general{}, general{}, general{}
	products.Put(p)
}

// way is how c = a·b is fastest: by products of rows of a and bᵀ, blas.Trans, or by adding
// up rows of b, blas.NoTrans. It is the other way than b is given if that is worth its
// transposition.
func way(given blas.Transpose, a, c general) blas.Transpose {
	switch {
	case a.Cols < narrow && c.Cols >= narrow:
		return blas.NoTrans
	case a.Cols >= narrow && (c.Cols < narrow || c.Rows >= 2*narrow):
		return blas.Trans
	}
	return given
}

func (p *sharedProduct) rows() int { return (p.c.Rows + block - 1) / block }
func (p *sharedProduct) cols() int { return (p.c.Cols + block - 1) / block }

func (p *sharedProduct) work() {
	cols := p.cols()
	for {
		k := int(p.next.Add(1)) - 1
		if k >= p.rows()*cols {
			return
		}
		if i, j := k/cols, k%cols; p.shape&lower == 0 || j <= i {
			p.tile(i*block, j*block)
		}
	}
}

// tile computes the block of c from element (i, j) on, in blocks of k too, so that
// what it reads stays in the cache.
func (p *sharedProduct) tile(i, j int) {
	rows, cols := min(block, p.c.Rows-i), min(block, p.c.Cols-j)
	c, beta := view(p.c, i, j, rows, cols), p.beta
	inner := p.a.Cols
	first := 0
	if p.shape&upperFactor != 0 {
		first = i
	}
	step := block
	if p.transB == blas.Trans {
		step = depth
	}
	for k := first; k < inner; k += step {
		n := min(step, inner-k)
		b := p.b
		if p.transB == blas.Trans {
			b = view(b, j, k, cols, n)
		} else {
			b = view(b, k, j, n, cols)
		}
		blas64.Gemm(blas.NoTrans, p.transB, p.alpha, view(p.a, i, k, rows, n), b, beta, c)
		beta = 1
	}
}

// view is the rows×cols part of a from element (i, j) on.
func view(a general, i, j, rows, cols int) general {
	v := general{Rows: rows, Cols: cols, Stride: a.Stride}
	if rows > 0 && cols > 0 {
		v.Data = a.Data[i*a.Stride+j : (i+rows-1)*a.Stride+j+cols]
	}
	return v
}

// transposeTo sets dst = aᵀ, block by block.
func transposeTo(dst, a general) {
	const side = 16
	for i := 0; i < a.Rows; i += side {
		for j := 0; j < a.Cols; j += side {
			for k := i; k < min(i+side, a.Rows); k++ {
				for l, v := range a.Data[k*a.Stride+j : k*a.Stride+min(j+side, a.Cols)] {
					dst.Data[(j+l)*dst.Stride+k] = v
				}
			}
		}
	}
}

// triangle is a triangle of a.
func triangle(a general, uplo blas.Uplo) blas64.Triangular {
	return blas64.Triangular{Uplo: uplo, Diag: blas.NonUnit, N: a.Rows, Stride: a.Stride, Data: a.Data}
}

// column is a matrix of one column as a vector.
func column(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// solveTriangle replaces b by T⁻¹b or T⁻ᵀb, T a triangle of t.
func solveTriangle(t general, uplo blas.Uplo, trans blas.Transpose, b general) {
	solveWith(triangle(t, uplo), trans, b)
}

// columns has memory for one.
var columns = sync.Pool{New: func() any { return new([]float64) }}

func solveWith(t blas64.Triangular, trans blas.Transpose, b general) {
	switch {
	case t.N == 0 || b.Cols == 0:
	case b.Cols == 1 && b.Stride == 1:
		blas64.Trsv(trans, t, column(b.Data))
	case b.Cols < narrow && t.N >= narrow:
		p := columns.Get().(*[]float64)
		*p = slices.Grow((*p)[:0], t.N)[:t.N]
		x := column(*p)
		for j := range b.Cols {
			y := blas64.Vector{N: t.N, Inc: b.Stride, Data: b.Data[j:]}
			blas64.Copy(y, x)
			blas64.Trsv(trans, t, x)
			blas64.Copy(x, y)
		}
		columns.Put(p)
	default:
		blas64.Trsm(blas.Left, trans, 1, t, b)
	}
}

// cholesky replaces the lower triangle of a by L, a = LLᵀ, and reports whether a is
// positive definite. A column of blocks is brought up to date with those to its left,
// then its first block factorized and the others solved with it.
func cholesky(a general) bool {
	n := a.Rows
	for j := 0; j < n; j += block {
		m := min(block, n-j)
		d := view(a, j, j, m, m)
		below := view(a, j+m, j, n-j-m, m)
		if j > 0 {
			left := view(a, j, 0, m, j)
			blas64.Syrk(blas.NoTrans, -1, left, 1, blas64.Symmetric{Uplo: blas.Lower, N: m, Stride: a.Stride, Data: d.Data})
			timesT(-1, view(a, j+m, 0, n-j-m, j), left, 1, below)
		}
		if _, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: m, Stride: a.Stride, Data: d.Data}); !ok {
			return false
		}
		if below.Rows > 0 {
			blas64.Trsm(blas.Right, blas.Trans, 1, triangle(d, blas.Lower), below)
		}
	}
	return true
}

// invertSPD sets inv = (LLᵀ)⁻¹ = L⁻ᵀL⁻¹, with work of the same size.
func invertSPD(inv, l, work general) {
	for i := range l.Rows {
		row := inv.Data[i*inv.Stride:][:l.Rows]
		copy(row, l.Data[i*l.Stride:][:i+1])
		clear(row[i+1:])
	}
	lapack64.Trtri(triangle(inv, blas.Lower))
	transposeTo(work, inv)
	gram(work, inv)
	mirror(inv)
}

// lu replaces a by its factors L and U, PA = LU with pivots by rows, and reports
// whether no pivot is 0. The blocks of a column are factorized together, then those to
// its right brought up to date.
func lu(a general, pivots []int) bool {
	n, ok := a.Rows, true
	for j := 0; j < n; j += block {
		m := min(block, n-j)
		panel := pivots[j : j+m]
		ok = lapack64.Getrf(view(a, j, j, n-j, m), panel) && ok
		for k := range panel {
			panel[k] += j
			if i := panel[k]; i != j+k {
				blas64.Swap(vectorOf(view(a, j+k, 0, 1, j)), vectorOf(view(a, i, 0, 1, j)))
				blas64.Swap(vectorOf(view(a, j+k, j+m, 1, n-j-m)), vectorOf(view(a, i, j+m, 1, n-j-m)))
			}
		}
		if rest := n - j - m; rest > 0 {
			right := view(a, j, j+m, m, rest)
			blas64.Trsm(blas.Left, blas.NoTrans, 1, unitLower(view(a, j, j, m, m)), right)
			times(-1, view(a, j+m, j, rest, m), right, 1, view(a, j+m, j+m, rest, rest))
		}
	}
	return ok
}

// solveLU replaces b by A⁻¹b or A⁻ᵀb by what lu makes of A.
func solveLU(a general, pivots []int, trans blas.Transpose, b general) {
	if trans == blas.NoTrans {
		for i := range pivots {
			exchange(b, i, pivots[i])
		}
		solveWith(unitLower(a), blas.NoTrans, b)
		solveWith(triangle(a, blas.Upper), blas.NoTrans, b)
		return
	}
	solveWith(triangle(a, blas.Upper), blas.Trans, b)
	solveWith(unitLower(a), blas.Trans, b)
	for i := range slices.Backward(pivots) {
		exchange(b, i, pivots[i])
	}
}

// exchange swaps two rows.
func exchange(b general, i, j int) {
	if i != j {
		blas64.Swap(vectorOf(view(b, i, 0, 1, b.Cols)), vectorOf(view(b, j, 0, 1, b.Cols)))
	}
}

// unitLower is the lower triangle of a with a diagonal of ones.
func unitLower(a general) blas64.Triangular {
	t := triangle(a, blas.Lower)
	t.Diag = blas.Unit
	return t
}

// vectorOf is a matrix of one row as a vector.
func vectorOf(a general) blas64.Vector { return blas64.Vector{N: a.Cols, Inc: 1, Data: a.Data} }

// mirror copies the lower triangle to the upper one.
func mirror(a general) {
	for i := range a.Rows {
		for j, v := range a.Data[i*a.Stride:][:i] {
			a.Data[j*a.Stride+i] = v
		}
	}
}

// symmetric unpacks a lower triangle to both.
func symmetric(dst general, x []float64) {
	lowerOf(dst, x)
	mirror(dst)
}

// lowerOf unpacks a lower triangle, with zeros above.
func lowerOf(dst general, x []float64) {
	for i := range dst.Rows {
		row := dst.Data[i*dst.Stride:][:dst.Cols]
		x = x[copy(row[:i+1], x):]
		clear(row[i+1:])
	}
}

// upperOf unpacks an upper triangle, with zeros below.
func upperOf(dst general, x []float64) {
	for i := range dst.Rows {
		row := dst.Data[i*dst.Stride:][:dst.Cols]
		x = x[copy(row[i:], x):]
		clear(row[:i])
	}
}
