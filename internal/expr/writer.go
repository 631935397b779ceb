package expr

import (
	"math"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Writer writes the steps of a function, one after another, from nodes of a tape. Each
// constant has a number of its own.
type Writer struct {
	Steps   []Node
	Numbers []float64 // the constants
}

// Push appends a step and returns its number.
func (w *Writer) Push(n Node) int32 {
	w.Steps = append(w.Steps, n)
	return int32(len(w.Steps)) - 1
}

// Operation appends an operation on one or two steps.
func (w *Writer) Operation(code op.Code, args ...int32) int32 {
	n := Node{Op: code, A: args[0]}
	if len(args) == 2 {
		n.B = args[1]
	}
	return w.Push(n)
}

// WithReal appends an operation on step a and the constant c.
func (w *Writer) WithReal(code op.Code, a int32, c float64) int32 {
	return w.Push(Node{Op: code, A: a, C: w.number(c)})
}

// Constant appends a constant as a leaf.
func (w *Writer) Constant(c float64) int32 { return w.Push(Node{Leaf: Data, A: w.number(c)}) }

func (w *Writer) number(c float64) int32 {
	w.Numbers = append(w.Numbers, c)
	return int32(len(w.Numbers)) - 1
}

// Write appends the steps for node i of a tape, and returns the last of them. The node is an
// operation on the nodes a and b, its operands in either order, a sum over a list or a
// selection; it must be no call. at is the step of a node.
func (w *Writer) Write(t *tape.Tape, i, a, b int32, at func(i int32) int32) int32 {
	code, c := t.Op(i), t.Constant(i)
	switch code {
	case op.Sum:
		x := t.SumAt(i)
		return w.Sum(c, len(x), func(k int) int32 { return at(x[k]) })
	case op.Affine:
		weights, x := t.AffineAt(i)
		return w.Sum(c, len(x), func(k int) int32 { return w.WithReal(op.Scale, at(x[k]), weights[k]) })
	case op.Dot:
		x, y := t.DotAt(i)
		return w.Sum(tape.NegZero, len(x), func(k int) int32 {
			if x[k] == y[k] {
				return w.Operation(op.Square, at(x[k]))
			}
			return w.Operation(op.Mul, at(x[k]), at(y[k]))
		})
	case op.Own:
		f, order := t.OwnNumber(i)
		return w.Push(Node{Op: code, A: at(a), B: f, C: int32(order)})
	}
	switch {
	case code.Listed() > 0:
		var x [3]int32
		for k, j := range t.SeveralAt(i) {
			x[k] = at(j)
		}
		return w.Push(Node{Op: code, A: x[0], B: x[1], C: x[2], K: math.Float64bits(c)})
	case code.Constant() == op.IntConstant:
		return w.Push(Node{Op: code, A: at(a), K: math.Float64bits(c)})
	case code.Constant() == op.RealConstant:
		return w.WithReal(code, at(a), c)
	case code.Operands() == 1:
		return w.Operation(code, at(a))
	}
	return w.Operation(code, at(a), at(b))
}

// Sum appends c plus n terms, added from the left.
func (w *Writer) Sum(c float64, n int, term func(k int) int32) int32 {
	if n == 0 {
		return w.Constant(c)
	}
	s := term(0)
	if !Starts(c) {
		s = w.WithReal(op.AddReal, s, c)
	}
	for k := 1; k < n; k++ {
		s = w.Operation(op.Add, s, term(k))
	}
	return s
}

// Starts reports whether a sum with the constant c begins with its first term, since c is −0.
func Starts(c float64) bool { return c == 0 && math.Signbit(c) }

// OfTape is a tape without calls as a function, whose results are the outputs, and the step of
// each node.
func OfTape(t *tape.Tape) (f *Function, at []int32) {
	var w Writer
	at = make([]int32, t.Len())
	for i := range int32(t.Len()) {
		switch n, m := int32(t.Inputs()), int32(t.Inputs()+t.Params()); {
		case i < n:
			at[i] = w.Push(Node{Leaf: Variable, A: i})
		case i < m:
			at[i] = w.Push(Node{Leaf: Parameter, A: i - n})
		case int(i) < t.Base():
			at[i] = w.Constant(t.Consts()[i-m])
		default:
			a, b := t.Args(i)
			at[i] = w.Write(t, i, a, b, func(j int32) int32 { return at[j] })
		}
	}
	f = w.Function(t)
	for _, i := range t.OutputNodes() {
		f.Results = append(f.Results, at[i])
	}
	return f, at
}

// Function is the steps, from nodes of t, with constants that do not vary, and without results.
func (w *Writer) Function(t *tape.Tape) *Function {
	f := &Function{Steps: w.Steps, Primitives: Primitives(t)}
	for _, c := range w.Numbers {
		f.Constants = append(f.Constants, Constant{Value: c})
	}
	return f
}

// Primitives are the user's functions of one variable that a tape applies.
func Primitives(t *tape.Tape) []Primitive {
	owns := t.Owns()
	z := make([]Primitive, len(owns))
	for k, f := range owns {
		z[k] = f
	}
	return z
}
