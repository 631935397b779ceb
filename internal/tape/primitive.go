package tape

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

// Func is a vector function ℝⁿ → ℝᵐ that a tape calls. Its methods may be
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

// Repeated is a Func that is a sum of alike terms, see terms.Repeat. It never
// fails.
type Repeated interface {
	Func
	// Term is what is repeated.
	Term() *Tape
	// Each calls f with the inputs of F that are those of the term, the outputs
	// of F that those of the term are added to, and the term's parameters, for
	// each term, in slices that it uses again.
	Each(f func(vars, rows []int32, params []float64))
	// JVPs sets dy[s] = F′(x)·dx[s] for each direction s.
	JVPs(dy [][]float64, x []float64, dx [][]float64)
	// HVPs sets h[s] = (Σ wₖ∇²Fₖ(x))·dx[s] + F′(x)ᵀ·dw[s], dw nil being 0.
	HVPs(h [][]float64, x, w []float64, dw, dx [][]float64)
	// Size is how many operations all terms have, and the bytes it takes.
	Size() (ops, bytes int)
}

// Call is one use of a Func. Its outputs are consecutive nodes.
type Call struct {
	Func
	Repeated    Repeated // the function, if it is one
	Args        []int32  // its operands
	Consecutive bool     // which are consecutive, and at least one
}

// Outputs is how many nodes the call has.
func (c *Call) Outputs() int32 {
	_, m := c.Dims()
	return int32(m)
}
