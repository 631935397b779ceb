package randprog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/roundoff"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Kind is the kind of an instruction.
type Kind int

// The kinds; x is operand A, y operand B, z the first of the list, c the
// constant.
const (
	KindOp     Kind = iota // an elementary operation of x, c and y
	KindRight              // one of x and the constant c
	KindLeft               // one of the constant c and x
	KindSum                // the sum of the list
	KindDot                // that of its products with itself, backward
	KindAffine             // c plus its weighted sum
	KindChain              // c, ± the list, term by term
	KindNorm               // the norm of the list
	KindSoft               // ln Σ exp of the list, less the first softmax
	KindSelect             // y where x > 0, else z
	KindBranch             // sin y or z² by a comparison of x
	KindOwn                // sin x by a primitive
	KindVec                // x·y² and x + y, by a primitive; one or both
	KindRoot               // the solution of an equation, see Root
)

// Instr is one instruction; operands are numbers of earlier results, the
// inputs first.
type Instr struct {
	Kind Kind
	Op   op.Code
	C    float64
	W    []float64
	A, B int
	List []int
	How  int  // which comparison, which outputs
	clip bool // the operand is brought into the operation's domain first
	tame bool // the result is the sine of the operation's
}

// Prog is a program with n inputs and m outputs, the results Out.
type Prog struct {
	Inputs, Outputs int
	Out             []int
	Code            []Instr
	X, U, V         []float64 // a point and two directions
}

// Options say what a program may hold. Operands are among the Reach results
// before an instruction, 30 if 0.
type Options struct {
	MaxInputs, MaxOutputs       int
	MinLen, MaxLen, Reach       int
	Branches, Primitives, Roots bool
	Smooth                      bool // no operation that jumps or hides a derivative
}

// Name is that of the operation, or of the kind where it is none.
func (in Instr) Name() string {
	if in.Kind > KindLeft {
		return fmt.Sprint("kind ", in.Kind)
	}
	return in.Op.String()
}

// domain is where an operation is smooth and well-conditioned, at least for
// its first operand.
func domain(code op.Code) (lo, hi float64) {
	switch code {
	case op.Inv, op.RDiv, op.Log, op.Log2, op.Log10, op.Sqrt, op.Cbrt:
		return 0.1, 20
	case op.PowReal, op.Pow:
		return 0.2, 3
	case op.PowInt:
		return 0.3, 2
	case op.Gamma, op.LogGamma, op.Polygamma:
		return 2.5, 6
	case op.Log1p:
		return -0.7, 20
	case op.Asin, op.Acos, op.Atanh:
		return -0.8, 0.8
	case op.Acosh:
		return 1.2, 10
	case op.Tan:
		return -1.2, 1.2
	case op.Exp, op.Exp2, op.Expm1, op.Sinh, op.Cosh, op.Erf, op.Erfc:
		return -3, 3
	case op.Abs:
		return 0.05, 50
	}
	return -50, 50
}

// Ops are the operations that programs are drawn from.
var Ops = func() []op.Code {
	var ops []op.Code
	for op := range op.All {
		ops = append(ops, op)
	}
	return ops
}()

// smoothOps are those without jumps.
var smoothOps = slices.DeleteFunc(slices.Clone(Ops), func(op op.Code) bool { return op.Info().Jumps })

// binaryOf are those of ops with two operands.
func binaryOf(ops []op.Code) []op.Code {
	return slices.DeleteFunc(slices.Clone(ops), func(code op.Code) bool { return code.Operands() != 2 })
}

// Small integers shrink well; the fraction keeps points generic.
var number = rapid.Custom(func(t *rapid.T) float64 {
	return float64(rapid.IntRange(-20, 20).Draw(t, "tenths"))/10 + 0.037
})

// Constants for which there is a simpler form of an operation.
var special = rapid.Custom(func(t *rapid.T) float64 {
	c := number.Draw(t, "c")
	return rapid.SampledFrom([]float64{c, c, 1, -1, 2, 0.5, -4, 3}).Draw(t, "special")
})

// Draw draws a program.
func Draw(t *rapid.T, o Options) *Prog {
	p := &Prog{Inputs: rapid.IntRange(1, max(1, o.MaxInputs)).Draw(t, "inputs")}
	p.Outputs = rapid.IntRange(1, max(1, o.MaxOutputs)).Draw(t, "outputs")
	for range p.Inputs {
		p.X = append(p.X, number.Draw(t, "x"))
		p.U = append(p.U, number.Draw(t, "u"))
		p.V = append(p.V, number.Draw(t, "v"))
	}
	kinds := []Kind{
		KindOp, KindOp, KindOp, KindOp, KindOp, KindOp, KindOp, KindOp, KindOp, KindOp, KindOp, KindOp,
		KindRight, KindLeft, KindSum, KindDot, KindAffine, KindChain, KindChain, KindNorm, KindSoft, KindSelect,
	}
	if o.Branches {
		kinds = append(kinds, KindBranch, KindBranch)
	}
	if o.Primitives {
		kinds = append(kinds, KindOwn, KindVec)
	}
	if o.Roots {
		kinds = append(kinds, KindRoot)
	}
	// Instructions are drawn as a slice, which rapid shrinks by leaving
	// elements out; operands count back from the instruction.
	if o.Reach == 0 {
		o.Reach = 30
	}
	back := rapid.IntRange(0, o.Reach)
	ops := Ops
	if o.Smooth {
		ops = smoothOps
	}
	binary := binaryOf(ops)
	instr := rapid.Custom(func(t *rapid.T) Instr { return draw(t, kinds, ops, binary, back) })
	if o.MinLen == 0 { // rapid's slices are short
		o.MinLen = min(o.MaxLen, rapid.SampledFrom([]int{1, 5, 20, 60}).Draw(t, "least"))
	}
	raw := rapid.SliceOfN(instr, max(1, o.MinLen), max(1, o.MinLen, o.MaxLen)).Draw(t, "code")

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
		if in.Kind == KindOp || in.Kind == KindRight {
			lo, hi := domain(in.Op)
			x := float64(v[in.A])
			in.clip = !(x > lo && x < hi)
		}
		next := step(&in, v, nil)
		if !(math.Abs(float64(next)) < 1e3) { // keep values tame
			if !(math.Abs(float64(next)) < 1e6) {
				in = Instr{Op: op.Cos, A: in.A}
			}
			in.tame = true
			next = step(&in, v, nil)
		}
		p.Code = append(p.Code, in)
		v = append(v, next)
	}
	for j := range p.Outputs {
		k := len(v) - p.Outputs + j
		if rapid.IntRange(0, 9).Draw(t, "elsewhere") == 9 {
			k = len(v) - 1 - back.Draw(t, "out")
		}
		p.Out = append(p.Out, max(0, k))
	}
	return p
}

func draw(t *rapid.T, kinds []Kind, ops, binary []op.Code, back *rapid.Generator[int]) Instr {
	in := Instr{
		Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
		A:    back.Draw(t, "a"),
	}
	switch in.Kind {
	case KindOp:
		in.Op = rapid.SampledFrom(ops).Draw(t, "op")
		switch {
		case in.Op.Operands() == 2:
			in.B = back.Draw(t, "b")
		case in.Op == op.PowInt:
			in.C = float64(rapid.IntRange(-3, 5).Draw(t, "n"))
		case in.Op == op.Polygamma:
			in.C = float64(rapid.IntRange(0, 2).Draw(t, "n"))
		case in.Op.Constant() == op.RealConstant:
			in.C = special.Draw(t, "c")
		}
	case KindRight, KindLeft:
		in.Op = rapid.SampledFrom(binary).Draw(t, "op")
		in.C = number.Draw(t, "c")
		if in.Kind == KindLeft && in.Op == op.Pow {
			in.C = 0.6 // x^c needs x > 0
		}
		if in.Op != op.Pow {
			in.C = special.Draw(t, "c")
		}
	case KindRoot:
		in.How = rapid.IntRange(0, 1).Draw(t, "nested")
	case KindSelect, KindBranch, KindVec:
		in.B = back.Draw(t, "b")
		in.List = []int{back.Draw(t, "z")}
		in.C = number.Draw(t, "c")
		in.How = rapid.IntRange(0, 6).Draw(t, "how")
	case KindSum, KindDot, KindAffine, KindChain, KindNorm, KindSoft:
		in.List = rapid.SliceOfN(back, 1, 12).Draw(t, "list")
		in.C = number.Draw(t, "c")
		for range in.List {
			in.W = append(in.W, special.Draw(t, "w"))
		}
	}
	return in
}

// Hooks are the primitives of a kind of number; nil means by its operations.
type Hooks[T any] struct {
	Own func(x T) T         // sin x
	Vec func(x, y T) (T, T) // x·y² and x + y

	Root func(x T, nested bool) T // see Root

	Pass func(k int, y T, v []T) T // what becomes of y, the result of instruction k after the others, v
}

// Root is the solution r of r + 0.3·sin r = x, or nested that w of w + 0.2·r = x
// with r that of w, by Newton's method: two steps on numbers of any kind from
// the solution on plain ones give two derivatives and more.
func Root[T dual.Scalar[T]](x T, nested bool) T {
	a := 1.0
	if nested { // w = r + 0.3·sin r
		a = 1.2
	}
	at := x.Value()
	r := at
	for range 100 {
		r -= (a*r + 0.3*math.Sin(r) - at) / (a + 0.3*math.Cos(r))
	}
	z := x.Const(r)
	for range 2 {
		z = z.Sub(z.Scale(a).Add(z.Sin().Scale(0.3)).Sub(x).Div(z.Cos().Scale(0.3).AddReal(a)))
	}
	if nested {
		z = z.Add(z.Sin().Scale(0.3))
	}
	return z
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
	a, b := v[in.A], v[in.B]
	list := make([]T, len(in.List))
	for k, i := range in.List {
		list[k] = v[i]
	}
	if in.clip {
		lo, hi := domain(in.Op)
		hi = min(hi, lo+4)
		a = a.Sin().Scale(0.45 * (hi - lo)).AddReal((hi + lo) / 2)
	}
	switch in.Kind {
	case KindRight:
		return tape.Apply(in.Op, 0, a, zero.Const(in.C))
	case KindLeft:
		return tape.Apply(in.Op, 0, zero.Const(in.C), a)
	case KindSum:
		return dual.Sum(list)
	case KindDot:
		other := make([]T, len(list))
		for k := range other {
			other[k] = list[len(list)-1-k]
		}
		return dual.Dot(list, other)
	case KindAffine:
		return dual.Affine(in.C, in.W, list)
	case KindChain:
		s := zero.Const(in.C)
		for k, x := range list {
			switch w := in.W[k]; w {
			case 1:
				s = s.Sub(x)
			case 2:
				s = x.Add(s)
			case 3:
				s = s.AddReal(w)
			default:
				s = s.Add(x)
			}
		}
		return s
	case KindNorm:
		return dual.Norm2(append(list, zero.Const(in.C)))
	case KindSoft:
		return dual.LogSumExp(list).Sub(dual.Softmax(nil, list)[0])
	case KindSelect:
		return a.Select(b, list[0])
	case KindBranch:
		then, els := b.Sin(), list[0].Square()
		if compare(in, a, b) {
			return then
		}
		return els
	case KindOwn:
		if h != nil && h.Own != nil {
			return h.Own(a)
		}
		return a.Sin()
	case KindRoot:
		if h != nil && h.Root != nil {
			return h.Root(a, in.How == 1)
		}
		return Root(a, in.How == 1)
	case KindVec:
		var p, s T
		if h != nil && h.Vec != nil {
			p, s = h.Vec(a, b)
		} else {
			p, s = a.Mul(b.Square()), a.Add(b)
		}
		switch in.How {
		case 0:
			return s
		case 1:
			return s.Sub(p)
		}
		return p
	}
	return tape.Apply(in.Op, in.C, a, b)
}

func compare[T dual.Scalar[T]](in *Instr, a, b T) bool {
	c := a.Const(in.C)
	switch in.How {
	case 1:
		return a.Less(b)
	case 2:
		return a.LessEq(b)
	case 3:
		return a.LessEqReal(in.C)
	case 4:
		return c.Less(a)
	case 5:
		return c.LessEq(a)
	case 6:
		return a.Value() < in.C
	}
	return a.LessReal(in.C)
}

// Run runs the program on x and returns its outputs. h may be nil.
func Run[T dual.Scalar[T]](p *Prog, x []T, h *Hooks[T]) []T {
	v := append(make([]T, 0, len(x)+len(p.Code)), x...)
	for k := range p.Code {
		y := step(&p.Code[k], v, h)
		if h != nil && h.Pass != nil {
			y = h.Pass(k, y, v)
		}
		v = append(v, y)
	}
	y := make([]T, len(p.Out))
	for j, k := range p.Out {
		y[j] = v[k]
	}
	return y
}

// Bounds bounds the rounding errors of the derivatives of each output, by
// whichever way they are computed: d1 those along u or v, d2 the second one along
// u and v.
func Bounds(p *Prog) (d1, d2 []float64) {
	v := make([]dual.Of[dual.Of[roundoff.Number]], p.Inputs)
	for i, x := range p.X {
		v[i].V.V, v[i].V.D, v[i].D.V = roundoff.Exact(x), roundoff.Exact(p.U[i]), roundoff.Exact(p.V[i])
	}
	for _, y := range Run(p, v, nil) {
		d1 = append(d1, math.Max(added(y.V.D), added(y.D.V)))
		d2 = append(d2, added(y.D.D))
	}
	return d1, d2
}

// added is the error of x once it is added to something.
func added(x roundoff.Number) float64 { return x.E + roundoff.Arithmetic*x.M }

// Third is Bounds for the third derivative along u, v and w.
func Third(p *Prog, w []float64) (d3 []float64) {
	v := make([]dual.Of[dual.Of[dual.Of[roundoff.Number]]], p.Inputs)
	for i, x := range p.X {
		v[i].V.V.V, v[i].V.V.D, v[i].V.D.V, v[i].D.V.V = roundoff.Exact(x), roundoff.Exact(p.U[i]), roundoff.Exact(p.V[i]), roundoff.Exact(w[i])
	}
	for _, y := range Run(p, v, nil) {
		d3 = append(d3, added(y.D.D.D))
	}
	return d3
}

// String is the program, one instruction a line.
func (p *Prog) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "x=%v u=%v v=%v\n", p.X, p.U, p.V)
	for k, in := range p.Code {
		fmt.Fprintf(&b, "%%%d = ", p.Inputs+k)
		switch in.Kind {
		case KindOp, KindRight, KindLeft:
			fmt.Fprintf(&b, "kind %d %v a=%%%d b=%%%d c=%v clip=%v", in.Kind, in.Op, in.A, in.B, in.C, in.clip)
		default:
			fmt.Fprintf(&b, "kind %d a=%%%d b=%%%d c=%v w=%v list=%v how=%d", in.Kind, in.A, in.B, in.C, in.W, in.List, in.How)
		}
		fmt.Fprintf(&b, " tame=%v\n", in.tame)
	}
	fmt.Fprintf(&b, "outputs: %v\n", p.Out)
	return b.String()
}
