package reverse

import (
	"math"
	"runtime"
	"strings"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Var is a number that is recorded: a dual.Scalar whose operations are written
// to a tape while Record runs a function, and computed at once too. Operations
// on constants alone are not recorded. The zero value is the constant 0.
//
// A Var belongs to the recording that made it: mixing it with one of another
// recording panics, and so does an operation on it after its recording ended.
type Var struct {
	r *tape.Recording // nil for a constant
	i int32
	v float64
}

var _ dual.Scalar[Var] = Var{}

// made is node i of r, whose value is v.
func made(r *tape.Recording, i int32, v float64) Var {
	r.Keep(i, v)
	return Var{r, i, v}
}

// unary is the operation code of x, whose value is v.
func (x Var) unary(code op.Code, v float64) Var {
	if x.r == nil {
		return Var{v: v}
	}
	return made(x.r, x.r.Push(code, x.i, 0, 0), v)
}

// unaryReal is the operation op of x with the constant c.
func (x Var) unaryReal(code op.Code, c, v float64) Var {
	if x.r == nil {
		return Var{v: v}
	}
	return made(x.r, x.r.Push(code, x.i, 0, c), v)
}

// binary is the operation op of x and y.
func (x Var) binary(code op.Code, y Var, v float64) Var {
	if x.r == y.r && x.r != nil {
		return made(x.r, x.r.Push(code, x.i, y.i, 0), v)
	}
	r := recording(x.r, y.r)
	if r == nil {
		return Var{v: v}
	}
	return made(r, r.Push(code, x.node(r), y.node(r), 0), v)
}

// derived reports whether x is recorded by a transform, where sums with the
// constant 0 are many: x + 0 is x then, even for x = −0, but not where the
// function itself adds 0.
func (x Var) derived() bool { return x.r != nil && x.r.Derived }

// recording is that of two numbers, nil if both are constants.
func recording(a, b *tape.Recording) *tape.Recording {
	if a == nil {
		return b
	}
	if b != nil && b != a {
		panic("reverse: Vars of two recordings mixed")
	}
	return a
}

// node is x as a node of r.
func (x Var) node(r *tape.Recording) int32 {
	if x.r == nil {
		return r.Constant(x.v)
	}
	return x.i
}

// Add returns x + y.
func (x Var) Add(y Var) Var {
	switch {
	case y.r == nil:
		if y.v == 0 && x.derived() {
			return x
		}
		return x.AddReal(y.v)
	case x.r == nil:
		return y.Add(x)
	}
	return x.binary(op.Add, y, x.v+y.v)
}

// Sub returns x − y.
func (x Var) Sub(y Var) Var {
	switch {
	case y.r == nil:
		if y.v == 0 && x.derived() {
			return x
		}
		return x.SubReal(y.v)
	case x.r == nil:
		if x.v == 0 && y.derived() {
			return y.Neg()
		}
		return y.RSub(x.v)
	}
	return x.binary(op.Sub, y, x.v-y.v)
}

// Mul returns x·y.
func (x Var) Mul(y Var) Var {
	switch {
	case y.r == nil:
		return x.Scale(y.v)
	case x.r == nil:
		return y.Scale(x.v)
	}
	return x.binary(op.Mul, y, x.v*y.v)
}

// Div returns x/y.
func (x Var) Div(y Var) Var {
	switch {
	case y.r == nil:
		return x.unaryReal(op.DivReal, y.v, x.v/y.v)
	case x.r == nil:
		return y.RDiv(x.v)
	}
	return x.binary(op.Div, y, x.v/y.v)
}

// SubReal returns x − c.
func (x Var) SubReal(c float64) Var { return x.AddReal(-c) }

// Pow returns x^y.
func (x Var) Pow(y Var) Var {
	if y.r == nil {
		return x.PowReal(y.v)
	}
	return x.binary(op.Pow, y, elem.Pow(x.v, y.v))
}

// PowReal returns x^p.
func (x Var) PowReal(p float64) Var {
	switch p {
	case 0:
		return Var{v: 1} // of NaN too
	case 1:
		return x
	case 2:
		return x.Square()
	}
	return x.unaryReal(op.PowReal, p, elem.PowReal(x.v, p))
}

// PowInt returns x^n.
func (x Var) PowInt(n int) Var {
	switch n {
	case 0:
		return Var{v: 1} // of NaN too
	case 1:
		return x
	case 2:
		return x.Square()
	case -1:
		return x.Inv()
	}
	if int(float64(n)) != n { // beyond 2⁵³, where a float64 is even
		if n&1 != 0 {
			return x.PowInt(n - 1).Mul(x)
		}
		return x.PowReal(float64(n))
	}
	return x.unaryReal(op.PowInt, float64(n), elem.PowInt(x.v, n))
}

// Polygamma returns ψ⁽ⁿ⁾(x), n ≥ 0. It panics for n < 0.
func (x Var) Polygamma(n int) Var {
	if n < 0 {
		panic("reverse: Polygamma of negative order")
	}
	return x.unaryReal(op.Polygamma, float64(n), elem.Polygamma(x.v, n))
}

// Prod returns the derivative product: x·y, 0 where either factor is exactly 0.
func (x Var) Prod(y Var) Var {
	if x.r == nil {
		x, y = y, x
	}
	if c := y.v; y.r == nil && x.r != nil {
		switch {
		case c == 0 && x.r.Derived:
			return Var{}
		case c == 1:
			return x
		case c == -1:
			return x.Neg()
		case c*0 == 0 && c != 0:
			return x.Scale(c)
		}
	}
	return x.binary(op.Prod, y, elem.Prod(x.v, y.v))
}

// Select returns a where x > 0, NaN where x is NaN, else b. It is no guard.
func (x Var) Select(a, b Var) Var {
	if x.r == nil {
		switch {
		case x.v > 0:
			return a
		case x.v != x.v:
			return x
		default:
			return b
		}
	}
	return several(op.Select, elem.Select(x.v, a.v, b.v), nil, a, b, x)
}

// FMA returns x·y + z, rounded once.
func (x Var) FMA(y, z Var) Var {
	return several(op.FMA, math.FMA(x.v, y.v, z.v), nil, x, y, z)
}

// IncGamma returns ∂ⁱ⁺ʲP(x, y)/∂xⁱ∂yʲ of the function dual.RegIncGamma.
func (x Var) IncGamma(i, j int, y Var) Var {
	v := dual.Real(x.v).IncGamma(i, j, dual.Real(y.v))
	return several(op.IncGamma, float64(v), []int{i, j}, x, y)
}

// IncBeta returns ∂ⁱ⁺ʲ⁺ᵏI(x, y, z)/∂xⁱ∂yʲ∂zᵏ of the function dual.RegIncBeta.
func (x Var) IncBeta(i, j, k int, y, z Var) Var {
	v := dual.Real(x.v).IncBeta(i, j, k, dual.Real(y.v), dual.Real(z.v))
	return several(op.IncBeta, float64(v), []int{i, j, k}, x, y, z)
}

// several is an operation on x, whose value is v, differentiated so often.
func several(code op.Code, v float64, order []int, x ...Var) Var {
	var r *tape.Recording
	for _, x := range x {
		r = recording(r, x.r)
	}
	if r == nil {
		return Var{v: v}
	}
	return made(r, r.Several(code, op.OrdersConstant(order...), nodes(r, x)...), v)
}

// SumOf returns Σ zᵢ, added from the left, as one operation.
func (x Var) SumOf(z []Var) Var {
	r, s := sumOf(z)
	if r == nil {
		return Var{v: s}
	}
	return made(r, r.Sum(negZero, nodes(r, z)), s)
}

var negZero = math.Copysign(0, -1) // −0 + x is x for every x

// sumOf is the recording and the sum of z.
func sumOf(z []Var) (r *tape.Recording, s float64) {
	for i, z := range z {
		r = recording(r, z.r)
		if i == 0 {
			s = z.v
		} else {
			s += z.v
		}
	}
	return r, s
}

func constants(z []Var) []float64 {
	c := make([]float64, len(z))
	for i, z := range z {
		c[i] = z.v
	}
	return c
}

func nodes(r *tape.Recording, z []Var) []int32 {
	x := make([]int32, len(z))
	for i, z := range z {
		x[i] = z.node(r)
	}
	return x
}

// AffineOf returns c₀ + Σ cᵢzᵢ, added from the left, as one operation. It panics if
// the lengths differ.
func (x Var) AffineOf(c0 float64, c []float64, z []Var) Var {
	if len(c) != len(z) {
		panic("reverse: Affine of unequal lengths")
	}
	r, _ := sumOf(z)
	if c0 == 0 && len(z) > 0 {
		c0 = negZero // the sum starts with the first term
	}
	s := c0
	for i, z := range z {
		s += float64(c[i] * z.v)
	}
	if r == nil {
		return Var{v: s}
	}
	return made(r, r.Affine(c0, c, nodes(r, z)), s)
}

// DotOf returns Σ yᵢzᵢ, added from the left, as one operation. It panics if the
// lengths differ.
func (x Var) DotOf(y, z []Var) Var {
	if len(y) != len(z) {
		panic("reverse: Dot of unequal lengths")
	}
	r, _ := sumOf(y)
	q, _ := sumOf(z)
	switch { // constants need no operation of their own
	case r == nil && q != nil:
		return x.AffineOf(0, constants(y), z)
	case r != nil && q == nil:
		return x.AffineOf(0, constants(z), y)
	}
	r = recording(r, q)
	s := 0.0
	if len(y) > 0 {
		s = negZero // the sum starts with the first term
	}
	for i := range y {
		s += float64(y[i].v * z[i].v)
	}
	if r == nil {
		return Var{v: s}
	}
	return made(r, r.Dot(nodes(r, y), nodes(r, z)), s)
}

// Const returns the constant c.
func (x Var) Const(c float64) Var { return Var{v: c} }

// Value returns the value of x at the point of the recording. It is a guard: the
// tape holds only where x has that value.
func (x Var) Value() float64 {
	if x.r != nil {
		x.r.Guard(tape.Guard{Kind: tape.ValueRead, A: x.i, C: x.v})
	}
	return x.v
}

// Less reports whether x < y. It is a guard.
func (x Var) Less(y Var) bool {
	return x.compare(y, x.v < y.v, tape.Less, tape.LessReal, tape.GreaterReal)
}

// LessEq reports whether x ≤ y. It is a guard.
func (x Var) LessEq(y Var) bool {
	return x.compare(y, x.v <= y.v, tape.LessEq, tape.LessEqReal, tape.GreaterEqReal)
}

// LessReal reports whether x < c. It is a guard.
func (x Var) LessReal(c float64) bool { return x.Less(Var{v: c}) }

// LessEqReal reports whether x ≤ c. It is a guard.
func (x Var) LessEqReal(c float64) bool { return x.LessEq(Var{v: c}) }

func (x Var) compare(y Var, outcome bool, vars, right, left tape.GuardKind) bool {
	switch r := recording(x.r, y.r); {
	case r == nil:
		return outcome
	case y.r == nil:
		return r.Guard(tape.Guard{Kind: right, Outcome: outcome, A: x.i, C: y.v})
	case x.r == nil:
		return r.Guard(tape.Guard{Kind: left, Outcome: outcome, A: y.i, C: x.v})
	default:
		return r.Guard(tape.Guard{Kind: vars, Outcome: outcome, A: x.i, B: y.i})
	}
}

// callerOutside is the program counter of the user's function that made an
// operation or a comparison.
func callerOutside() uintptr {
	var pcs [32]uintptr
	n := runtime.Callers(3, pcs[:])
	frames := runtime.CallersFrames(pcs[:n])
	for {
		f, more := frames.Next()
		if !inModule(&f) || !more {
			return f.PC + 1 // a return address, as runtime.CallersFrames wants it
		}
	}
}

// inModule reports whether f is a function of this module, not a test.
func inModule(f *runtime.Frame) bool {
	const prefix = "github.com/hesse-ad/hesse/"
	name, ok := strings.CutPrefix(f.Function, prefix)
	if !ok || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	for _, pkg := range [...]string{"dual.", "dual/matrix.", "reverse.", "implicit.", "internal/"} {
		if strings.HasPrefix(name, pkg) {
			return true
		}
	}
	return false
}

// position is the file and the line of a program counter, nothing for 0.
func position(pc uintptr) (file string, line int) {
	if pc == 0 {
		return "", 0
	}
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return f.File, f.Line
}
