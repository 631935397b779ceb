// Package randprog makes random differentiable programs for property tests: a
// list of instructions that any dual.Scalar can run, drawn by rapid so that a
// failing one shrinks to the smallest.
package randprog

import (
	"fmt"
	"math"
	"strings"

	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/program"
)

// Kinds of instructions beyond the operations of package program.
const (
	kindOp = iota
	kindSum
	kindDot
	kindAffine
	kindSelect
	kindBranch
	kindOwn
	kindVec
	numKinds
)

// Instr is one instruction; operands are numbers of earlier results, the
// inputs first.
type Instr struct {
	Kind int
	Op   program.Op
	C    float64
	W    []float64
	A, B int
	List []int
	clip bool // the operand is brought into the operation's domain first
	tame bool // the result is the sine of the operation's
}

// Prog is a program with n inputs; its outputs are the last m results.
type Prog struct {
	Inputs, Outputs int
	Code            []Instr
	X, U, V         []float64 // a point and two directions
}

// Options say what a program may hold beyond operations, sums and products.
type Options struct {
	MaxInputs, MaxOutputs, MaxLen int
	Branches, Primitives          bool
}

// domain is where an operation is smooth and well-conditioned, at least for
// its first operand.
func domain(op program.Op, c float64) (lo, hi float64) {
	switch op {
	case program.Inv, program.RDiv, program.Log, program.Log2, program.Log10, program.Sqrt, program.Cbrt:
		return 0.1, 20
	case program.PowReal, program.Pow:
		return 0.2, 3
	case program.PowInt:
		return 0.3, 2
	case program.Gamma, program.LogGamma, program.Polygamma:
		return 2.5, 6
	case program.Log1p:
		return -0.7, 20
	case program.Asin, program.Acos, program.Atanh:
		return -0.8, 0.8
	case program.Acosh:
		return 1.2, 10
	case program.Tan:
		return -1.2, 1.2
	case program.Exp, program.Exp2, program.Expm1, program.Sinh, program.Cosh, program.Erf, program.Erfc:
		return -3, 3
	case program.Abs:
		return 0.05, 50
	}
	return -50, 50
}

// Ops are the operations that programs are drawn from.
var Ops = func() []program.Op {
	var ops []program.Op
	for op := program.Add; op < program.Own; op++ {
		ops = append(ops, op)
	}
	return ops
}()

func binaryOp(op program.Op) bool { return op <= program.Step }

// Draw draws a program.
func Draw(t *rapid.T, o Options) *Prog {
	p := &Prog{Inputs: rapid.IntRange(1, max(1, o.MaxInputs)).Draw(t, "inputs")}
	p.Outputs = rapid.IntRange(1, max(1, o.MaxOutputs)).Draw(t, "outputs")
	number := rapid.Custom(func(t *rapid.T) float64 {
		// Small integers shrink well; the fraction keeps points generic.
		return float64(rapid.IntRange(-20, 20).Draw(t, "tenths"))/10 + 0.037
	})
	for range p.Inputs {
		p.X = append(p.X, number.Draw(t, "x"))
		p.U = append(p.U, number.Draw(t, "u"))
		p.V = append(p.V, number.Draw(t, "v"))
	}
	kinds := []int{kindOp, kindOp, kindOp, kindOp, kindOp, kindOp, kindOp, kindOp, kindSum, kindDot, kindAffine, kindSelect}
	if o.Branches {
		kinds = append(kinds, kindBranch)
	}
	if o.Primitives {
		kinds = append(kinds, kindOwn, kindVec)
	}
	// Instructions are drawn as a slice, which rapid shrinks by leaving
	// elements out; operands count back from the instruction.
	back := rapid.IntRange(0, 30)
	raw := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Instr {
		in := Instr{
			Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			A:    back.Draw(t, "a"),
			C:    number.Draw(t, "c"),
		}
		switch in.Kind {
		case kindOp:
			in.Op = rapid.SampledFrom(Ops).Draw(t, "op")
			switch {
			case binaryOp(in.Op):
				in.B = back.Draw(t, "b")
			case in.Op == program.PowInt:
				in.C = float64(rapid.IntRange(-3, 5).Draw(t, "n"))
			case in.Op == program.Polygamma:
				in.C = float64(rapid.IntRange(0, 2).Draw(t, "n"))
			}
		case kindSelect, kindBranch, kindVec:
			in.B = back.Draw(t, "b")
			in.List = []int{back.Draw(t, "c")}
		case kindSum, kindDot, kindAffine:
			in.List = rapid.SliceOfN(back, 0, 12).Draw(t, "list")
			for range in.List {
				in.W = append(in.W, number.Draw(t, "w"))
			}
		}
		return in
	}), p.Outputs, max(p.Outputs, o.MaxLen)).Draw(t, "code")

	v := make([]dual.Real, p.Inputs)
	for i, x := range p.X {
		v[i] = dual.Real(x)
	}
	for _, in := range raw {
		last := len(v) - 1
		in.A, in.B = max(0, last-in.A), max(0, last-in.B)
		for k, j := range in.List {
			in.List[k] = max(0, last-j)
		}
		if in.Kind == kindOp {
			lo, hi := domain(in.Op, in.C)
			x := float64(v[in.A])
			in.clip = !(x > lo && x < hi)
		}
		next := step(&in, v, nil)
		if !(math.Abs(float64(next)) < 1e3) { // keep values tame
			if !(math.Abs(float64(next)) < 1e6) {
				in = Instr{Op: program.Cos, A: in.A}
			}
			in.tame = true
			next = step(&in, v, nil)
		}
		p.Code = append(p.Code, in)
		v = append(v, next)
	}
	return p
}

// Hooks are the primitives of a kind of number; nil means by its operations.
type Hooks[T any] struct {
	Own func(x T) T    // sin x
	Vec func(x, y T) T // x·y²
}

func step[T dual.Scalar[T]](in *Instr, v []T, h *Hooks[T]) T {
	y := run(in, v, h)
	if in.tame {
		y = y.Sin()
	}
	return y
}

// run runs one instruction.
func run[T dual.Scalar[T]](in *Instr, v []T, h *Hooks[T]) T {
	var zero T
	a := v[in.A]
	switch in.Kind {
	case kindSum, kindDot, kindAffine:
		list := make([]T, len(in.List))
		other := make([]T, len(in.List))
		for k, i := range in.List {
			list[k] = v[i]
			other[k] = v[in.List[len(in.List)-1-k]]
		}
		switch in.Kind {
		case kindSum:
			return zero.SumOf(list)
		case kindDot:
			return zero.DotOf(list, other)
		}
		return zero.AffineOf(in.C, in.W, list)
	case kindSelect:
		return a.Select(v[in.B], v[in.List[0]])
	case kindBranch:
		then, els := v[in.B].Sin(), v[in.List[0]].Square()
		if a.LessReal(in.C) {
			return then
		}
		return els
	case kindOwn:
		if h != nil && h.Own != nil {
			return h.Own(a)
		}
		return a.Sin()
	case kindVec:
		if h != nil && h.Vec != nil {
			return h.Vec(a, v[in.B])
		}
		return a.Mul(v[in.B].Square())
	}
	if in.clip {
		lo, hi := domain(in.Op, in.C)
		hi = min(hi, lo+4)
		a = a.Sin().Scale(0.45 * (hi - lo)).AddReal((hi + lo) / 2)
	}
	return program.Apply(in.Op, in.C, a, v[in.B])
}

// Run runs the program on x and returns its outputs. h may be nil.
func Run[T dual.Scalar[T]](p *Prog, x []T, h *Hooks[T]) []T {
	v := append([]T(nil), x...)
	for k := range p.Code {
		v = append(v, step(&p.Code[k], v, h))
	}
	return v[len(v)-p.Outputs:]
}

// Bounds is Run in absolute values: for each output m1 bounds the sum of absolute contributions to its derivative
// along u or v and m2 that to its second derivative along u and v.
func Bounds(p *Prog) (m1, m2 []float64) {
	v := make([]bound, p.Inputs)
	for i, x := range p.X {
		v[i] = bound{V: x, D1: math.Abs(p.U[i]), D2: math.Abs(p.V[i])}
	}
	for _, y := range Run(p, v, nil) {
		m1 = append(m1, math.Max(y.D1, y.D2))
		m2 = append(m2, y.D12)
	}
	return m1, m2
}

// String is the program, one instruction a line.
func (p *Prog) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "x=%v u=%v v=%v\n", p.X, p.U, p.V)
	for k, in := range p.Code {
		fmt.Fprintf(&b, "%%%d = ", p.Inputs+k)
		switch in.Kind {
		case kindOp:
			fmt.Fprintf(&b, "%v a=%%%d b=%%%d c=%v clip=%v\n", in.Op, in.A, in.B, in.C, in.clip)
		default:
			fmt.Fprintf(&b, "kind %d a=%%%d b=%%%d c=%v w=%v list=%v\n", in.Kind, in.A, in.B, in.C, in.W, in.List)
		}
	}
	fmt.Fprintf(&b, "outputs: last %d\n", p.Outputs)
	return b.String()
}
