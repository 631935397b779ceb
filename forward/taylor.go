package forward

import (
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/dual"
)

// Derivatives stores f(x), f′(x), f″(x), … up to the given order in dst, order+1 numbers,
// and returns it; nil allocates it. The derivatives are k! times the coefficients of the
// Taylor polynomial f(x + t). Derivatives panics if f is nil, order < 0 or dst has another
// length. It is one evaluation of f on [dual.Taylor], O(order²) an operation.
func Derivatives(dst []float64, f func(x dual.Taylor) dual.Taylor, x float64, order int) []float64 {
	if f == nil {
		panic(badFunc)
	}
	p := polynomials.Get().(*polynomial)
	p.reset(order)
	y := f(p.memory.Variable([]float64{x, 1}[:min(2, order+1)]...))
	if dst == nil {
		dst = make([]float64, order+1)
	}
	if len(dst) != order+1 {
		panic("forward: len(dst) is not order+1")
	}
	factorial := 1.0
	for k := range dst {
		dst[k] = y.Coefficient(k) * factorial
		factorial *= float64(k + 1)
	}
	polynomials.Put(p)
	return dst
}

// Taylor stores the Taylor coefficients of f along a curve in dst and returns it: x[i] are
// the coefficients of the curve's component i, xᵢ(t) = Σ x[i][k]tᵏ, which may be as few as
// one, and dst[i][k] is that of tᵏ in fᵢ(x(t)), k ≤ order. For a line through x₀ along v,
// x[i] = {x₀ᵢ, vᵢ}, these are directional derivatives over k!. dst is allocated if nil, as
// is each of its rows; it may not overlap x. Taylor panics if f is nil, order < 0, a
// component of x is longer than order+1, or shapes differ. It is one evaluation of f on
// [dual.Taylor], O(order²) an operation.
func Taylor(dst [][]float64, f func(x []dual.Taylor) []dual.Taylor, x [][]float64, order int) [][]float64 {
	if f == nil {
		panic(badFunc)
	}
	p := polynomials.Get().(*polynomial)
	p.reset(order)
	p.x = p.x[:0]
	for _, c := range x {
		p.x = append(p.x, p.memory.Variable(c...))
	}
	y := f(p.x)
	if dst == nil {
		dst = make([][]float64, len(y))
	}
	if len(dst) != len(y) {
		panic("forward: len(dst) is not that of f's result")
	}
	for i, yi := range y {
		if dst[i] == nil {
			dst[i] = make([]float64, order+1)
		}
		if len(dst[i]) != order+1 {
			panic("forward: a row of dst is not of order+1 numbers")
		}
		for k := range dst[i] {
			dst[i][k] = yi.Coefficient(k)
		}
	}
	polynomials.Put(p)
	return dst
}

// A polynomial is the memory of an evaluation on Taylor polynomials.
type polynomial struct {
	memory *dual.Taylors
	x      []dual.Taylor
}

var polynomials = sync.Pool{New: func() any { return new(polynomial) }}

// reset makes p ready for an evaluation of the given order.
func (p *polynomial) reset(order int) {
	if p.memory == nil || p.memory.Order() != order {
		p.memory = dual.NewTaylors(order)
	}
	p.memory.Reset()
	p.x = slices.Grow(p.x[:0], 8)
}
