package reverse

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/sparsity"
)

// Primitive is a function of one variable that the user differentiates: F, its
// first derivative D and its second DD. All three must be safe for concurrent
// use. It is an operation like any other; its third derivative panics.
type Primitive struct {
	f tape.Scalar1
}

// NewPrimitive makes a primitive of f, f′ and f″. The name stands in errors.
// It panics if a function is nil.
func NewPrimitive(name string, f, d, dd func(x float64) float64) *Primitive {
	if f == nil || d == nil || dd == nil {
		panic("reverse: nil function")
	}
	return &Primitive{tape.Scalar1{Name: name, F: [3]func(float64) float64{f, d, dd}}}
}

// WithSeries returns p with Taylor polynomials of any order, see [Tape.Taylor]: coefficients sets
// dst[k] to f⁽ᵏ⁾(x)/k!, for k < len(dst), and is safe for concurrent use.
func (p *Primitive) WithSeries(coefficients func(dst []float64, x float64)) *Primitive {
	z := *p
	z.f.Coefficients = coefficients
	return &z
}

// Apply returns f(x).
func (p *Primitive) Apply(x Var) Var { return values{}.Own(&p.f, 0, x) }

// VecPrimitive is a function F: ℝⁿ → ℝᵐ that the user differentiates. Its
// methods may be called from several goroutines at once and must not keep or
// change their arguments but for the first, which they overwrite. An error
// becomes that of the evaluation.
type VecPrimitive interface {
	// Dims is n and m.
	Dims() (n, m int)
	// Name names it in errors.
	Name() string
	// Eval sets y = F(x).
	Eval(y, x []float64) error
	// JVP sets dy = F′(x)·dx.
	JVP(dy, x, dx []float64) error
	// VJP sets gx = F′(x)ᵀ·w.
	VJP(gx, x, w []float64) error
	// HVP sets h = (Σ wₖ∇²Fₖ(x))·dx.
	HVP(h, x, dx, w []float64) error
	// Jacobian is the columns of row i of F′ that may differ from 0, Hessian
	// those of row i of Σ wₖ∇²Fₖ, both triangles; nil means all, empty none.
	Jacobian(i int) []int
	Hessian(i int) []int
}

// SeriesPrimitive is a VecPrimitive with Taylor polynomials of any order, see [Tape.Taylor];
// others have them to order 2, with gradients to order 1. x[k], y[k], w[k] and gx[k] are the
// coefficients of tᵏ, as many for each.
type SeriesPrimitive interface {
	VecPrimitive
	// Taylor sets y(t) = F(x(t)).
	Taylor(y, x [][]float64) error
	// TaylorVJP sets gx(t) = F′(x(t))ᵀ·w(t).
	TaylorVJP(gx, x, w [][]float64) error
}

// Apply calls f on x as one operation of the tape and returns its outputs. It
// panics if x has not n elements, if a pattern of f names a column that there is
// not or that of its Hessian is not symmetric, and with the error of f if all are
// constants. Cost: as Eval, and O(n + m + the lengths of the patterns).
func Apply(f VecPrimitive, x ...Var) []Var {
	if f == nil {
		panic("reverse: nil primitive")
	}
	checkPatterns(f)
	if s, ok := f.(SeriesPrimitive); ok {
		return apply(seriesOfUser{ofUser{f}, s}, x)
	}
	return apply(ofUser{f}, x)
}

// seriesOfUser is a SeriesPrimitive as tapes take it.
type seriesOfUser struct {
	ofUser
	s SeriesPrimitive
}

func (f seriesOfUser) Taylor(y, x [][]float64) error        { return f.s.Taylor(y, x) }
func (f seriesOfUser) TaylorVJP(gx, x, w [][]float64) error { return f.s.TaylorVJP(gx, x, w) }

// ofUser is a VecPrimitive as tapes take it.
type ofUser struct{ VecPrimitive }

func (f ofUser) HVP(h, x, w, dx []float64) error { return f.VecPrimitive.HVP(h, x, dx, w) }
func (f ofUser) Jacobian(i int) []int32          { return narrow(f.VecPrimitive.Jacobian(i)) }
func (f ofUser) Hessian(i int) []int32           { return narrow(f.VecPrimitive.Hessian(i)) }
func (f ofUser) Footprint(map[any]bool) int      { return int(unsafe.Sizeof(f)) } // of each call

// narrow is x, nil if x is.
func narrow(x []int) []int32 {
	if x == nil {
		return nil
	}
	z := make([]int32, len(x))
	for k, i := range x {
		z[k] = int32(i)
	}
	return z
}

// apply is Apply without a look at the patterns.
func apply(f tape.Func, x []Var) []Var {
	if n, _ := f.Dims(); n != len(x) {
		panic("reverse: primitive " + f.Name() + " with a wrong number of arguments")
	}
	return callFunc(f, x)
}

// checkPatterns panics if a column is out of range or the Hessian not symmetric.
func checkPatterns(f VecPrimitive) {
	n, m := f.Dims()
	check := func(what string, i int, columns []int) {
		for _, k := range columns {
			if uint(k) >= uint(n) {
				panic(fmt.Sprintf("reverse: primitive %s: %s(%d) has column %d, want one below %d", f.Name(), what, i, k, n))
			}
		}
	}
	for i := range m {
		check("Jacobian", i, f.Jacobian(i))
	}
	hessian := make([][]int, n)
	full := true
	for i := range hessian {
		hessian[i] = f.Hessian(i)
		check("Hessian", i, hessian[i])
		full = full && hessian[i] == nil
	}
	if full {
		return
	}
	var rows, columns []int
	for i, row := range hessian {
		if row == nil {
			row = every(n)
		}
		for _, k := range row {
			rows, columns = append(rows, i), append(columns, k)
		}
	}
	if !sparsity.FromCoordinates(n, n, rows, columns).IsSymmetric() {
		panic("reverse: primitive " + f.Name() + ": the pattern of its Hessian is not symmetric")
	}
}

// every is the numbers below n.
func every(n int) []int {
	x := make([]int, n)
	for k := range x {
		x[k] = k
	}
	return x
}

func callFunc(f tape.Func, x []Var) []Var {
	_, m := f.Dims()
	var r *tape.Recording
	in := make([]float64, len(x))
	for i, x := range x {
		r = recording(r, x.r)
		in[i] = x.v
	}
	if f, ok := f.(*terms.Repeat); ok && (!f.Runs() || r != nil && (r.Term || r.Step && f.Ops() <= shortLoop)) {
		return writeOut(f, x)
	}
	out := make([]float64, m)
	err := f.Eval(out, in)
	y := make([]Var, m)
	for j, v := range out {
		y[j].v = v
	}
	if r == nil {
		if err != nil {
			panic(err)
		}
		return y
	}
	if err != nil && r.Err == nil && !r.Derived {
		r.Err = fmt.Errorf("reverse: primitive %s: %w", f.Name(), err)
	}
	first := r.Call(f, nodes(r, x))
	for j := range y {
		y[j].r, y[j].i = r, first+int32(j)
	}
	return y
}

// buffers are memory for the derivatives of derivatives of primitives.
var buffers = sync.Pool{New: func() any { return new([]float64) }}

// borrow returns a buffer of n numbers, which may be any.
func borrow(n int) *[]float64 {
	b := buffers.Get().(*[]float64)
	*b = slices.Grow((*b)[:0], n)[:n]
	return b
}

// pushforward is the function [x; ẋ] ↦ F′(x)ẋ of a primitive F.
type pushforward struct{ f tape.Func }

func (p pushforward) Dims() (n, m int) {
	n, m = p.f.Dims()
	return 2 * n, m
}

func (p pushforward) Name() string { return p.f.Name() }

func (p pushforward) Eval(y, x []float64) error {
	n := len(x) / 2
	return p.f.JVP(y, x[:n], x[n:])
}

// JVP has the second directional derivatives eⱼᵀF″[ẋ, dx], one HVP an output for
// primitives that do not have them.
func (p pushforward) JVP(dy, x, dx []float64) error {
	n := len(x) / 2
	if err := p.f.JVP(dy, x[:n], dx[n:]); err != nil {
		return err
	}
	if f, ok := p.f.(op.Tangential); ok {
		buf := borrow(len(dy))
		defer buffers.Put(buf)
		if err := f.Curvature(*buf, x[:n], x[n:], dx[:n]); err != nil {
			return err
		}
		for j, v := range *buf {
			dy[j] += v
		}
		return nil
	}
	buf := borrow(len(dy) + n)
	defer buffers.Put(buf)
	w, h := (*buf)[:len(dy)], (*buf)[len(dy):]
	clear(w)
	for j := range dy {
		w[j] = 1
		if err := p.f.HVP(h, x[:n], w, dx[:n]); err != nil {
			return err
		}
		w[j] = 0
		for i, h := range h {
			dy[j] += float64(h * x[n+i])
		}
	}
	return nil
}

func (p pushforward) VJP(gx, x, w []float64) error {
	n := len(x) / 2
	if err := p.f.HVP(gx[:n], x[:n], w, x[n:]); err != nil {
		return err
	}
	return p.f.VJP(gx[n:], x[:n], w)
}

// HVP has third derivatives of the primitive.
func (p pushforward) HVP(h, x, w, dx []float64) error {
	n := len(x) / 2
	clear(h[:n])
	if slices.ContainsFunc(dx[:n], func(v float64) bool { return v != 0 }) {
		f, ok := p.f.(op.Tangential)
		if !ok {
			panic(third(p.f))
		}
		if err := f.Third(h[:n], x[:n], w, x[n:], dx[:n]); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(dx[n:], func(v float64) bool { return v != 0 }) {
		if err := p.f.HVP(h[n:], x[:n], w, dx[n:]); err != nil {
			return err
		}
		for i, v := range h[n:] {
			h[i] += v
		}
	}
	return p.f.HVP(h[n:], x[:n], w, dx[:n])
}

func (p pushforward) Jacobian(i int) []int32 {
	return nil
}

func (p pushforward) Hessian(i int) []int32 { return nil }

// pullback is the function [x; w] ↦ F′(x)ᵀw of a primitive F.
type pullback struct{ f tape.Func }

func (p pullback) Dims() (n, m int) {
	n, m = p.f.Dims()
	return n + m, n
}

func (p pullback) Name() string { return p.f.Name() }

func (p pullback) Eval(y, x []float64) error {
	n, _ := p.f.Dims()
	return p.f.VJP(y, x[:n], x[n:])
}

func (p pullback) JVP(dy, x, dx []float64) error {
	n, _ := p.f.Dims()
	if err := p.f.HVP(dy, x[:n], x[n:], dx[:n]); err != nil {
		return err
	}
	g := borrow(n)
	defer buffers.Put(g)
	if err := p.f.VJP(*g, x[:n], dx[n:]); err != nil {
		return err
	}
	for i, g := range *g {
		dy[i] += g
	}
	return nil
}

func (p pullback) VJP(gx, x, w []float64) error {
	n, _ := p.f.Dims()
	if err := p.f.HVP(gx[:n], x[:n], x[n:], w); err != nil {
		return err
	}
	return p.f.JVP(gx[n:], x[:n], w)
}

func (p pullback) HVP(h, x, w, dx []float64) error { panic(third(p.f)) }

func (p pullback) Jacobian(i int) []int32 { return nil }

func (p pullback) Hessian(i int) []int32 { return nil }

// limit panics if f is a second derivative of a primitive.
func limit(f tape.Func) {
	for k := range 2 {
		switch p := f.(type) {
		case pushforward:
			f = p.f
		case pullback:
			f = p.f
		default:
			return
		}
		if k == 1 {
			panic(third(f))
		}
	}
}

func third(f tape.Func) string {
	return "reverse: third derivative of the primitive " + f.Name()
}
