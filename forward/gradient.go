package forward

import (
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/dual"
)

const (
	badFunc = "forward: f is nil"
	badDir  = "forward: len(v) is not len(x)"
	badGrad = "forward: len(dst) is not len(x)"
)

// Derivative returns y = f(x) and dy = f′(x). It panics if f is nil. It is one
// evaluation of f.
func Derivative(f func(x dual.Number) dual.Number, x float64) (y, dy float64) {
	if f == nil {
		panic(badFunc)
	}
	z := f(dual.Number{V: x, D: 1})
	return z.V, z.D
}

// SecondDerivative returns y = f(x), dy = f′(x) and d2y = f″(x). It panics if f
// is nil. It is one evaluation of f on hyper-dual numbers.
func SecondDerivative(f func(x dual.Hyper) dual.Hyper, x float64) (y, dy, d2y float64) {
	if f == nil {
		panic(badFunc)
	}
	z := f(dual.Hyper{V: x, D1: 1, D2: 1})
	return z.V, z.D1, z.D12
}

// Directional returns y = f(x) and dy = ∇f(x)·v. It panics if f is nil or the
// lengths of x and v differ. It is one evaluation of f.
func Directional(f func(x []dual.Number) dual.Number, x, v []float64) (y, dy float64) {
	if f == nil {
		panic(badFunc)
	}
	a := along(x, v)
	z := f(a.z)
	arguments.Put(a)
	return z.V, z.D
}

// Gradient stores ∇f(x), with len(x) components, in dst and returns it; nil
// allocates it, and it may overlap x. Gradient panics if f is nil or the lengths
// of x and dst differ. It is ⌈len(x)/3⌉ evaluations of f.
func Gradient(dst []float64, f func(x []dual.Number3) dual.Number3, x []float64) []float64 {
	if f == nil {
		panic(badFunc)
	}
	if dst == nil {
		dst = make([]float64, len(x))
	}
	if len(dst) != len(x) {
		panic(badGrad)
	}
	a := constants(x)
	for j := 0; j < len(dst); j += lanes {
		copy(a.z, a.x0)
		seeds := dst[j:min(j+lanes, len(dst))]
		for k := range seeds {
			a.z[j+k].SetDerivative(k, 1)
		}
		y := f(a.z)
		for k := range seeds {
			seeds[k] = y.Derivative(k)
		}
	}
	threes.Put(a)
	return dst
}

// lanes is how many directions an evaluation has.
const lanes = 3

// An argument is what f is called with, and kept for the next call after it.
type argument[T any] struct {
	z  []T       // what f takes, and may overwrite
	x0 []T       // x + 0ε, from which z starts, since dst may overwrite x
	d  []float64 // the ε parts of what f returns, in Sparse
}

var (
	arguments = sync.Pool{New: func() any { return new(argument[dual.Number]) }}
	threes    = sync.Pool{New: func() any { return new(argument[dual.Number3]) }}
)

// constants returns the argument whose x0 is x + 0ε.
func constants(x []float64) *argument[dual.Number3] {
	a := threes.Get().(*argument[dual.Number3])
	a.z, a.x0 = slices.Grow(a.z[:0], len(x))[:len(x)], slices.Grow(a.x0[:0], len(x))
	for _, v := range x {
		a.x0 = append(a.x0, dual.Number3{V: v})
	}
	return a
}

// along returns the argument whose z is x + vε.
func along(x, v []float64) *argument[dual.Number] {
	if len(v) != len(x) {
		panic(badDir)
	}
	a := arguments.Get().(*argument[dual.Number])
	a.z = slices.Grow(a.z[:0], len(x))
	for i, xi := range x {
		a.z = append(a.z, dual.Number{V: xi, D: v[i]})
	}
	return a
}
