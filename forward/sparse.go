package forward

import (
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/sparsity"
)

// Sparse evaluates sparse Jacobians with a given pattern: a column coloring of
// it and the recovery are found once, an evaluation compresses the columns of
// a color into one. It is immutable and safe for concurrent use.
type Sparse struct {
	pattern  *sparsity.Pattern
	coloring *coloring.Coloring
	recovery *coloring.Recovery
}

// NewSparse colors the columns of a pattern in the given orders, see
// coloring.New. detect.Jacobian finds the pattern of a generic function; one
// that misses a nonzero adds it to other entries without a sign.
func NewSparse(p *sparsity.Pattern, orders ...coloring.Order) *Sparse {
	c := coloring.New(coloring.Column, p, orders...)
	return &Sparse{p, c, c.Recovery(nil, max(1, c.Num()))}
}

// Coloring returns the coloring that is used: Eval evaluates f once a color.
func (s *Sparse) Coloring() *coloring.Coloring { return s.coloring }

// Matrix returns a new matrix for Eval.
func (s *Sparse) Matrix() *sparsity.Matrix { return sparsity.NewMatrix(s.pattern) }

// Eval returns the Jacobian of f at x. dst may be nil or of the pattern. It panics if f
// is nil, the numbers of inputs and outputs are not those of the pattern, or dst has
// another pattern. Cost: an evaluation of f a color.
func (s *Sparse) Eval(dst *sparsity.Matrix, f func(x []dual.Number) []dual.Number, x []float64) *sparsity.Matrix {
	m, n := s.pattern.Dims()
	if dst == nil {
		dst = s.Matrix()
	}
	if !dst.Pattern().Equal(s.pattern) {
		panic("forward: dst has another pattern")
	}
	if len(x) != n {
		panic("forward: x has not the length of the pattern's rows")
	}
	classes := s.coloring.Columns()
	if classes.Num() == 0 {
		clear(dst.Values())
		return dst
	}
	b := product(nil, f, x, classes.Num(), func(z []dual.Number, c int) {
		for _, j := range classes.Class(c) {
			z[j].D = 1
		}
	})
	if r, _ := b.Dims(); r != m {
		panic(badRows)
	}
	s.recovery.GatherColumns(dst.Values(), 0, b.RawMatrix().Data)
	return dst
}
