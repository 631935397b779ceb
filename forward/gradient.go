package forward

import "github.com/hesse-ad/hesse/dual"

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
	z := f(along(x, v))
	return z.V, z.D
}

// Gradient stores ∇f(x), with len(x) components, in dst and returns it; nil
// allocates it, and it may overlap x. Gradient panics if f is nil or the lengths
// of x and dst differ. It is len(x) evaluations of f.
func Gradient(dst []float64, f func(x []dual.Number) dual.Number, x []float64) []float64 {
	if f == nil {
		panic(badFunc)
	}
	if dst == nil {
		dst = make([]float64, len(x))
	}
	if len(dst) != len(x) {
		panic(badGrad)
	}
	z, x0 := constants(x)
	for j := range dst {
		copy(z, x0)
		z[j].D = 1
		dst[j] = f(z).D
	}
	return dst
}

// along returns x + vε.
func along(x, v []float64) []dual.Number {
	if len(v) != len(x) {
		panic(badDir)
	}
	z := make([]dual.Number, len(x))
	for i := range z {
		z[i] = dual.Number{V: x[i], D: v[i]}
	}
	return z
}

// constants returns x0 = x + 0ε and room z for an argument of the same length.
// Each evaluation starts from x0, since f may have overwritten z and dst x.
func constants(x []float64) (z, x0 []dual.Number) {
	n := len(x)
	z = make([]dual.Number, 2*n)
	z, x0 = z[:n:n], z[n:]
	for i := range x0 {
		x0[i].V = x[i]
	}
	return z, x0
}
