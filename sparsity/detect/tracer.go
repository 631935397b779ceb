package detect

import (
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/sparsity"
)

// Tracer is a dual.Scalar without a value: a function called with Tracers
// leaves behind which operation depends on which, and from that Jacobian and
// Hessian find its patterns. The zero value is a constant.
//
// As there is no value, Value and the comparisons panic; a function that
// branches on its argument has a pattern for each branch, which a tape
// recorded at a point gives. Patterns hold for all arguments and for all
// constants, except that the exponents 0 and 1 are what they are.
//
// The Tracers of one call belong together, and to one goroutine. Its methods are those of
// dual.Scalar, which describes them.
type Tracer struct {
	g  *domains.Graph // nil for a constant
	id int32
}

var _ dual.Scalar[Tracer] = Tracer{}

// Jacobian returns the pattern of ∂f_i/∂x_j, len(f(x))×n, for a function of n
// variables: the pairs for which x_j reaches f_i by operations with a
// derivative that is not always zero.
//
// It panics if n is negative, f is nil or compares. f is called once. The cost
// is linear in the operations and the nonzeros as long as what intermediate
// results depend on is of that size too; in no case more than
// operations·min(n, len(f(x)))/64.
func Jacobian(f func([]Tracer) []Tracer, n int) *sparsity.Pattern {
	if f == nil {
		panic("detect: nil function")
	}
	g, x := variables(n)
	return g.Jacobian(nodes(g, f(x)))
}

// Hessian returns the n×n symmetric pattern of ∂²f/∂x_i∂x_j for a function of
// n variables: the pairs for which some operation that f depends on has a
// second derivative, not always zero, in arguments that x_i and x_j reach.
// A product of two variables has no diagonal, an operation that f does not
// depend on adds nothing.
//
// It panics if n is negative, f is nil or compares. f is called once. The cost
// is linear in the operations and in Σ |χ_a|·|χ_b| over the nonlinear ones,
// where χ is the set of variables that an argument depends on, large equal
// sets counted once: a sum costs no more than its terms. Where sets are nested,
// as in s ← φ(s, u_k), it is linear in Σ|χ| and the nonzeros.
//
// Source: the index domains of A. Walther, Computing sparse Hessians with
// automatic differentiation, ACM TOMS 34, 2008, behind a reverse pass for what
// the result depends on.
func Hessian(f func([]Tracer) Tracer, n int) *sparsity.Pattern {
	if f == nil {
		panic("detect: nil function")
	}
	g, x := variables(n)
	return g.Hessian(nodes(g, []Tracer{f(x)}))
}

func variables(n int) (*domains.Graph, []Tracer) {
	if n < 0 {
		panic("detect: negative number of variables")
	}
	g, x := domains.New(n), make([]Tracer, n)
	for i := range x {
		x[i] = Tracer{g, int32(i)}
	}
	return g, x
}

// nodes returns the nodes of x, which are those of g, −1 for constants.
func nodes(g *domains.Graph, x []Tracer) []int32 {
	id := make([]int32, len(x))
	for k, t := range x {
		switch t.g {
		case nil:
			id[k] = -1
		case g:
			id[k] = t.id
		default:
			panic(errMixed)
		}
	}
	return id
}

// graph returns the graph of the first of x that is no constant, nil if all are.
func graph(x []Tracer) *domains.Graph {
	for _, t := range x {
		if t.g != nil {
			return t.g
		}
	}
	return nil
}

const (
	errMixed = "detect: Tracers of two calls mixed"
	errValue = "detect: a Tracer has no value: record a tape at a point and take its pattern"
)

// nonlinear is a function of x with first and second derivative. A linear one,
// and any piecewise linear one, depends on what x depends on and is x itself.
func (x Tracer) nonlinear() Tracer {
	if x.g == nil {
		return x
	}
	x.g.Link(x.id)
	z := x.g.Node()
	x.g.Curve(z, x.id, x.id)
	return Tracer{x.g, z}
}

// both is a function of x and y that is linear in each, without a mixed
// derivative.
func (x Tracer) both(y Tracer) Tracer {
	switch {
	case x.g == nil || x == y:
		return y
	case y.g == nil:
		return x
	case x.g != y.g:
		panic(errMixed)
	}
	x.g.Link(x.id)
	x.g.Link(y.id)
	return Tracer{x.g, x.g.Node()}
}

// product is a function of x and y that is linear in each, with a mixed
// derivative.
func (x Tracer) product(y Tracer) Tracer {
	if x.g == nil {
		return y
	}
	if x == y {
		return x.nonlinear()
	}
	z := x.both(y)
	if y.g != nil {
		x.g.Curve(z.id, x.id, y.id)
	}
	return z
}

// quotient is a function of x and y that is linear in x alone.
func (x Tracer) quotient(y Tracer) Tracer {
	if x.g == nil || x == y {
		return y.nonlinear()
	}
	z := x.product(y)
	if y.g != nil {
		x.g.Curve(z.id, y.id, y.id)
	}
	return z
}

// general is a function of x and y with all derivatives.
func (x Tracer) general(y Tracer) Tracer {
	if y.g == nil {
		return x.nonlinear()
	}
	z := x.quotient(y)
	if x.g != nil && x != y {
		x.g.Curve(z.id, x.id, x.id)
	}
	return z
}

// power is x^p for a constant p.
func (x Tracer) power(p float64) Tracer {
	switch p {
	case 0:
		return Tracer{}
	case 1:
		return x
	default:
		return x.nonlinear()
	}
}

func (x Tracer) SubReal(c float64) Tracer { return x }

func (x Tracer) PowReal(p float64) Tracer { return x.power(p) }
func (x Tracer) PowInt(n int) Tracer      { return x.power(float64(n)) }

func (x Tracer) Polygamma(n int) Tracer {
	if n < 0 {
		panic("detect: negative order")
	}
	return x.nonlinear()
}

// FMA returns x·y + z.
func (x Tracer) FMA(y, z Tracer) Tracer { return x.product(y).both(z) }

// IncGamma returns a derivative of the incomplete gamma function.
func (x Tracer) IncGamma(i, j int, y Tracer) Tracer { return x.general(y) }

// IncBeta returns a derivative of the incomplete beta function.
func (x Tracer) IncBeta(i, j, k int, y, z Tracer) Tracer { return x.general(y).general(z) }

func (x Tracer) Select(a, b Tracer) Tracer { return a.both(b) }

func (Tracer) SumOf(x []Tracer) Tracer {
	g := graph(x)
	if g == nil {
		return Tracer{}
	}
	for _, id := range nodes(g, x) {
		if id >= 0 {
			g.Link(id)
		}
	}
	return Tracer{g, g.Node()}
}

func (Tracer) AffineOf(c0 float64, c []float64, x []Tracer) Tracer {
	if len(c) != len(x) {
		panic("detect: lengths differ")
	}
	return Tracer{}.SumOf(x)
}

func (Tracer) DotOf(x, y []Tracer) Tracer {
	if len(x) != len(y) {
		panic("detect: lengths differ")
	}
	terms := make([]Tracer, len(x))
	for i := range x {
		terms[i] = x[i].product(y[i])
	}
	return Tracer{}.SumOf(terms)
}

func init() { op.SetRecorder[Tracer](recorder{}) }

// recorder has what package dual/matrix takes as one operation.
type recorder struct{}

// Call returns f of x.
func (recorder) Call(f op.Func, x []Tracer) []Tracer {
	_, m := f.Dims()
	y := make([]Tracer, m)
	g := graph(x)
	if g == nil {
		return y
	}
	for i, id := range g.Call(f, nodes(g, x)) {
		y[i] = Tracer{g, id}
	}
	return y
}

func (Tracer) Const(c float64) Tracer { return Tracer{} }
func (Tracer) Value() float64         { panic(errValue) }
func (Tracer) Detach() Tracer         { return Tracer{} }

func (Tracer) Less(y Tracer) bool        { panic(errValue) }
func (Tracer) LessEq(y Tracer) bool      { panic(errValue) }
func (Tracer) LessReal(c float64) bool   { panic(errValue) }
func (Tracer) LessEqReal(c float64) bool { panic(errValue) }
