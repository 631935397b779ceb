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

// Taylor stores the coefficients of f along a curve x(t) = Σ x[k]tᵏ in dst and returns it:
// f(x(t)) = Σ dst[k]tᵏ, k ≤ order. x[0] is the point; coefficients beyond len(x) are 0, so that
// x = {x₀, v} is a line, along which dst[k] is the k-th directional derivative over k!. dst is
// allocated if nil, as is each dst[k]; they may overlap x. Taylor panics if f is nil, order < 0, x
// is empty or longer than order+1, or lengths differ. It is one evaluation of f on [dual.Taylor],
// O(order²) an operation. Tapes do the same by lanes, in reverse.Tape.Taylor.
func Taylor(dst [][]float64, f func(x []dual.Taylor) []dual.Taylor, x [][]float64, order int) [][]float64 {
	if f == nil {
		panic(badFunc)
	}
	if order < 0 || len(x) == 0 || len(x) > order+1 {
		panic("forward: x has not from 1 to order+1 coefficients")
	}
	p := polynomials.Get().(*polynomial)
	p.reset(order)
	p.x = p.x[:0]
	c := slices.Grow(p.start[:0], len(x))[:len(x)]
	for _, xk := range x {
		if len(xk) != len(x[0]) {
			panic("forward: coefficients of x have different lengths")
		}
	}
	for i := range x[0] {
		for k, x := range x {
			c[k] = x[i]
		}
		p.x = append(p.x, p.memory.Variable(c...))
	}
	p.start = c
	y := f(p.x)
	if dst == nil {
		dst = make([][]float64, order+1)
	}
	if len(dst) != order+1 {
		panic("forward: len(dst) is not order+1")
	}
	for k := range dst {
		if dst[k] == nil {
			dst[k] = make([]float64, len(y))
		}
		if len(dst[k]) != len(y) {
			panic("forward: a coefficient of dst has not the length of f's result")
		}
		for i, yi := range y {
			dst[k][i] = yi.Coefficient(k)
		}
	}
	polynomials.Put(p)
	return dst
}

// A polynomial is the memory of an evaluation on Taylor polynomials.
type polynomial struct {
	memory *dual.Taylors
	x      []dual.Taylor
	start  []float64
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
