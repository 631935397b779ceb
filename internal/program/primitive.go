package program

// Scalar1 is a user's function of one variable with two derivatives.
type Scalar1 struct {
	Name string
	F    [3]func(x float64) float64
}

// At is the derivative of the given order.
func (f *Scalar1) At(order int) func(x float64) float64 {
	if order > 2 {
		panic("reverse: third derivative of the primitive " + f.Name)
	}
	return f.F[order]
}

// Func is a vector function ℝⁿ → ℝᵐ that a program calls. Its methods may be
// called from several goroutines at once.
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

// call is one use of a Func: its operands are in the lists from args on, its
// outputs are consecutive nodes from out on.
type call struct {
	f       Func
	args, n int32
	out     int32
}
