package coloring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

// A Product stores A(x)·v[d] in dst[d] for each direction d, A a matrix that depends on a
// point x, or Aᵀ(x)·v[d]. It overwrites dst, and neither writes nor keeps v and x.
type Product func(dst, v [][]float64, x []float64)

// Each is the Product of a function that takes one direction.
func Each(f func(dst, x, v []float64)) Product {
	if f == nil {
		return nil
	}
	return func(dst, v [][]float64, x []float64) {
		for d := range v {
			f(dst[d], x, v[d])
		}
	}
}

// Compressed evaluates matrices A(x) of one pattern from their products with the seeds of
// a coloring. The products may come from anywhere: generated source, a simulation with
// its adjoint. It is safe for concurrent use if they are.
type Compressed struct {
	coloring      *Coloring
	recovery      *Recovery
	columns, rows Product
	directions    int
	pool          sync.Pool // of *directions
}

// directions are seeds and products.
type directions struct{ dst, v [][]float64 }

// Compressed returns the evaluation of matrices of the colored pattern by products A·v
// (columns) and Aᵀ·v (rows), of which only bicolorings need both, given at most so many
// directions at once. It panics if a product that the coloring needs is nil, if directions
// < 1, or if the kind is Distance1. A pattern that misses a nonzero adds it to other
// elements without a sign: see Verify.
func (c *Coloring) Compressed(directions int, columns, rows Product) *Compressed {
	if columns == nil && c.columns.Num() > 0 || rows == nil && c.rows.Num() > 0 {
		panic("coloring: a product that the coloring needs is nil")
	}
	if directions < 1 {
		panic("coloring: no directions")
	}
	return &Compressed{coloring: c, recovery: c.Recovery(nil), columns: columns, rows: rows, directions: directions}
}

// Coloring returns the coloring: an evaluation takes one product a color.
func (c *Compressed) Coloring() *Coloring { return c.coloring }

// Matrix returns a new matrix for Eval.
func (c *Compressed) Matrix() *sparsity.Matrix { return sparsity.NewMatrix(c.coloring.pattern) }

// Eval returns A(x). dst may be nil or of the pattern; else Eval panics. Into a given dst it
// does not allocate once warm, but for what the products allocate. Cost: a product a color.
func (c *Compressed) Eval(dst *sparsity.Matrix, x []float64) *sparsity.Matrix {
	if dst == nil {
		dst = c.Matrix()
	}
	if !dst.Pattern().Equal(c.coloring.pattern) {
		panic("coloring: dst has another pattern")
	}
	m, n := c.coloring.pattern.Dims()
	values := dst.Values()
	c.products(x, c.columns, &c.coloring.columns, m, n, func(k int, b []float64) { c.recovery.GatherColumns(values, k, b) })
	c.products(x, c.rows, &c.coloring.rows, n, m, func(k int, b []float64) { c.recovery.GatherRows(values, k, b) })
	c.recovery.Finish(values)
	return dst
}

// products gives the products of out numbers with the seeds of in numbers to gather.
func (c *Compressed) products(x []float64, f Product, s *Classes, out, in int, gather func(k int, b []float64)) {
	if s.Num() == 0 {
		return
	}
	w, _ := c.pool.Get().(*directions)
	if w == nil {
		w = new(directions)
	}
	for len(w.v) < c.directions {
		w.v, w.dst = append(w.v, make([]float64, max(in, out))), append(w.dst, make([]float64, max(in, out)))
	}
	for first := 0; first < s.Num(); first += c.directions {
		count := min(c.directions, s.Num()-first)
		for d := range count {
			w.dst[d], w.v[d] = w.dst[d][:out], w.v[d][:in]
			clear(w.v[d])
			for _, j := range s.Class(first + d) {
				w.v[d][j] = 1
			}
		}
		f(w.dst[:count], w.v[:count], x)
		for d := range count {
			gather(first+d, w.dst[d])
		}
	}
	c.pool.Put(w)
}

// Verify compares A(x) times three random vectors with products, Aᵀ if there are only
// those, and returns a *ProductError if a row differs by more than 2⁻³⁶ of the sum of the
// magnitudes in it: the pattern misses a nonzero. One that is 0 at x, or smaller than that,
// does not show, nor one in a row that is not finite. The rows' rounding errors are taken to
// be smaller; those of acyclic colorings may add up to more in rows of very unlike elements.
// Cost: Eval and three products.
func (c *Compressed) Verify(x []float64) error {
	a := c.Eval(nil, x)
	f, trans := c.columns, false
	rows, cols := c.coloring.pattern.Dims()
	if f == nil {
		f, trans, rows, cols = c.rows, true, cols, rows
	}
	const sharp = 0x1p-36
	random := rand.New(rand.NewPCG(1, 2))
	v, got, want := make([]float64, cols), make([]float64, rows), make([]float64, rows)
	magnitudes, sizes := c.Matrix(), make([]float64, rows)
	for k, e := range a.Values() {
		magnitudes.Values()[k] = math.Abs(e)
	}
	for range 3 {
		for i := range v {
			v[i] = 1 + random.Float64() // exact
		}
		times := func(a *sparsity.Matrix, dst []float64) {
			if rows > 0 && cols > 0 {
				a.MulVecTo(mat.NewVecDense(rows, dst), trans, mat.NewVecDense(cols, v))
			}
		}
		times(a, got)
		times(magnitudes, sizes)
		f([][]float64{want}, [][]float64{v}, x)
		for i := range got {
			finite := got[i]-got[i] == 0
			if d := math.Abs(got[i] - want[i]); finite != (want[i]-want[i] == 0) || finite && d > sharp*(sizes[i]+math.Abs(want[i])) {
				return &ProductError{i, got[i], want[i]}
			}
		}
	}
	return nil
}

// A ProductError says that the matrix that was recovered is not the one whose products were
// given: times a random vector it has Got in a row where the product has Want.
type ProductError struct {
	Row       int
	Got, Want float64
}

func (e *ProductError) Error() string {
	return fmt.Sprintf("coloring: row %d of the recovered matrix times a random vector is %v, by a product %v: the pattern misses a nonzero", e.Row, e.Got, e.Want)
}

// Explain says in words how an evaluation goes: the pattern, the colors by each order
// tried, the products.
func (c *Compressed) Explain() string {
	var b strings.Builder
	p := c.coloring.pattern
	m, n := p.Dims()
	fmt.Fprintf(&b, "%d×%d, %d nonzeros, %.3g a row\n", m, n, p.NNZ(), float64(p.NNZ())/float64(max(m, 1)))
	fmt.Fprintf(&b, "%v\n", c.coloring)
	fmt.Fprintf(&b, "an evaluation: %d products A·v and %d Aᵀ·v, up to %d at once\n", c.coloring.columns.Num(), c.coloring.rows.Num(), c.directions)
	if d := c.recovery.Depth(); d > 0 {
		fmt.Fprintf(&b, "recovery by substitutions of depth %d\n", d)
	}
	return b.String()
}
