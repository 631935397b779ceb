package forward

import (
	"slices"

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
	return &Sparse{p, c, c.Recovery(nil)}
}

// Coloring returns the coloring that is used: Eval evaluates f once for three colors.
func (s *Sparse) Coloring() *coloring.Coloring { return s.coloring }

// Matrix returns a new matrix for Eval.
func (s *Sparse) Matrix() *sparsity.Matrix { return sparsity.NewMatrix(s.pattern) }

// Eval returns the Jacobian of f at x. dst may be nil or of the pattern. It panics if f
// is nil, the numbers of inputs and outputs are not those of the pattern, or dst has
// another pattern. Cost: an evaluation of f for three colors.
func (s *Sparse) Eval(dst *sparsity.Matrix, f func(x []dual.Number3) []dual.Number3, x []float64) *sparsity.Matrix {
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
	if f == nil {
		panic(badFunc)
	}
	a := constants(x)
	a.d = slices.Grow(a.d[:0], m)[:m]
	colors := s.coloring.Num()
	for first := 0; first < colors; first += lanes {
		copy(a.z, a.x0)
		end := min(first+lanes, colors)
		for k := first; k < end; k++ {
			for _, j := range s.coloring.Columns().Class(k) {
				a.z[j].SetDerivative(k-first, 1)
			}
		}
		y := f(a.z)
		if len(y) != m {
			panic("forward: f has not as many outputs as the pattern has rows")
		}
		for k := first; k < end; k++ {
			for i := range y {
				a.d[i] = y[i].Derivative(k - first)
			}
			s.recovery.GatherColumns(dst.Values(), k, a.d)
		}
	}
	threes.Put(a)
	return dst
}
