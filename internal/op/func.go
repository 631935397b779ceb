package op

import "fmt"

// Func is a vector function ℝⁿ → ℝᵐ with its derivatives, which numbers take as one
// operation. Its methods may be called from several goroutines at once.
type Func interface {
	// Dims is the number of inputs and outputs.
	Dims() (n, m int)
	// Name names it in errors.
	Name() string
	// Eval sets y = F(x).
	Eval(y, x []float64) error
	// JVP sets dy = F′(x)·dx.
	JVP(dy, x, dx []float64) error
	// VJP sets gx = F′(x)ᵀ·w.
	VJP(gx, x, w []float64) error
	// HVP sets h = (Σ wₖ ∇²Fₖ(x))·dx.
	HVP(h, x, w, dx []float64) error
	// Jacobian and Hessian are the patterns of F′ and of Σ wₖ∇²Fₖ: for each
	// row the columns that may be nonzero; nil means all.
	Jacobian(i int) []int32
	Hessian(i int) []int32
}

// Worker is a Func that tells its work, for estimates of time: about how many
// operations of arithmetic an evaluation takes.
type Worker interface {
	Func
	Work() int
}

// Binder is a Func that is another one where some of its inputs are constants.
type Binder interface {
	Func
	// Bind is F as a function of inputs lo … hi−1 alone, for the others as in x.
	// constant reports whether the inputs i … j−1 are all constants.
	Bind(x []float64, constant func(i, j int) bool) (f Func, lo, hi int)
}

// Tangential is a Func whose tangent is written by operations that have one themselves, so that it
// has derivatives of any order.
type Tangential interface {
	Func
	// Curvature sets dyₖ = uᵀ∇²Fₖ(x)v.
	Curvature(dy, x, u, v []float64) error
	// Third sets h = ∇(uᵀ(Σ wₖ∇²Fₖ(x))v).
	Third(h, x, w, u, v []float64) error
	// Tangent is F′(x)ẋ, y being F(x), as a func(y, x, dx []reverse.Var) []reverse.Var.
	Tangent() any
}

// Contracted is a Func that is quadratic in some inputs, for given others, and has sums of the
// second derivatives by these.
type Contracted interface {
	Func
	// Contraction is Σ wᵢⱼ ∂²F/∂xᵢ∂xⱼ over all i and j of which moves is true, for symmetric w,
	// as a func(x []reverse.Var, w func(i, j int) reverse.Var) []reverse.Var; nil if F is not
	// quadratic in these.
	Contraction(moves func(i int) bool) any
}

// Several is a Func that takes several directions at once, and changes none of its
// arguments but the first.
type Several interface {
	Func
	// JVPs sets dy[s] = F′(x)·dx[s] for each direction s.
	JVPs(dy [][]float64, x []float64, dx [][]float64) error
	// HVPs sets h[s] = (Σ wₖ∇²Fₖ(x))·dx[s] + F′(x)ᵀ·dw[s], dw nil being 0.
	HVPs(h [][]float64, x, w []float64, dw, dx [][]float64) error
}

// Series is a Func that has its Taylor polynomials. Arguments and results are by coefficient,
// then by element; all have as many coefficients. It changes none but the first.
type Series interface {
	Func
	// Taylor sets y to the coefficients of F(x(t)).
	Taylor(y, x [][]float64) error
	// TaylorVJP sets gx to the coefficients of F′(x(t))ᵀ·w(t).
	TaylorVJP(gx, x, w [][]float64) error
}

// SeriesError says that a function has not the polynomials of an order.
type SeriesError struct {
	Name  string
	Order int
}

func (e *SeriesError) Error() string {
	return fmt.Sprintf("reverse: primitive %s has no Taylor polynomials of order %d", e.Name, e.Order)
}
