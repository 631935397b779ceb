package op

import (
	"reflect"
	"runtime"
)

// Code is an elementary operation.
type Code uint8

// The operations: on operands x and y and a constant c, or on a list of
// operands. Their order means nothing: what sets one apart stands in the table.
const (
	Const Code = iota // c

	Add // x + y
	Sub // x − y
	Mul // x·y
	Prod
	Div // x/y
	Pow
	Hypot
	Atan2
	Max
	Min
	Mod
	Copysign
	Step

	AddReal // x + c
	RSub    // c − x
	Scale   // c·x
	DivReal // x/c
	RDiv    // c/x
	PowReal
	PowInt
	Polygamma

	Neg
	Inv
	Square
	Sqrt
	Cbrt
	Exp
	Exp2
	Expm1
	Log
	Log2
	Log10
	Log1p
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Sinh
	Cosh
	Tanh
	Asinh
	Acosh
	Atanh
	Erf
	Erfc
	Gamma
	LogGamma
	Logistic
	Softplus
	Abs
	Floor
	Ceil
	Round
	Trunc
	Detach
	Own // a scalar primitive of the user: the function and the order are the node's

	FMA
	IncGamma
	IncBeta
	Sum    // c + Σ xᵢ
	Affine // c + Σ wᵢxᵢ
	Dot    // Σ xᵢyᵢ
	Select // x where the condition is > 0, else y
	Call   // one output of a vector primitive of the user

	Count int = iota // how many operations there are
)

// Class is what a sweep that multiplies by partial derivatives needs to know of
// an operation: those that need not be computed are named.
type Class uint8

// The classes.
const (
	NoPartials   Class = iota // constant as far as derivatives go
	One                       // ∂x = 1
	MinusOne                  // ∂x = −1
	ByConstant                // ∂x = c
	OverConstant              // ∂x = 1/c
	OneOne                    // ∂x = ∂y = 1
	OneMinusOne               // ∂x = 1, ∂y = −1
	Factors                   // ∂x = y, ∂y = x
	Twice                     // ∂x = 2x
	Unary                     // ∂x by the functions D1 or DC
	Binary                    // ∂x, ∂y by the function D2
	List                      // a list of operands
)

// Flags say which derivatives of an operation may differ from 0: they are what
// the detection of sparsity knows of it. For an operation on a list they say so
// of any operand x and any pair x, y.
type Flags uint8

// The first and second derivatives.
const (
	DX Flags = 1 << iota
	DY
	DXX
	DYY
	DXY
)

// Constant is the kind of constant that an operation has beside its operands.
type Constant uint8

// The kinds.
const (
	NoConstant   Constant = iota
	RealConstant          // any number, in place of an operand
	IntConstant           // an exponent or an order
)

// Info is everything that is known about an operation. The value v and its
// partials d and second partials h are functions of the operands x and y, of
// the constant c, and of what was computed before; which of them there are
// follows from the operands and the constant.
type Info struct {
	Name     string   // in listings and explanations
	Doc      string   // what it is, as in a comment: "Sin is sin x."
	Method   string   // of dual.Scalar, "" if none does it alone
	Source   string   // the value as a Go expression in x, y and c, "" if F1, FC or F2 applied to them
	Operands int      // x and y; 0 for none and for a list
	Constant Constant // c
	Class    Class
	Flags    Flags
	Commutes bool // x and y may be exchanged
	Full     Code // with a real constant: the operation on two operands, one of which is c
	First    bool // c is its first operand, x the second
	Even     bool // the same at −x, with the same rounding errors
	Sums     bool // it adds up a list of any length
	Jumps    bool // the value jumps, or the derivative is not that of the value
	Cost     int  // calls of a function such as exp in whose time it is done, 0 for arithmetic

	F1 func(x float64) float64
	D1 func(x, v float64) float64
	H1 func(x, v, d float64) float64

	FC func(x, c float64) float64
	DC func(x, c, v float64) float64
	HC func(x, c, v, d float64) float64

	F2 func(x, y float64) float64
	D2 func(x, y, v float64) (dx, dy float64)
	H2 func(x, y, v, dx, dy float64) (dxx, dxy, dyy float64)

	// FN is an operation on a list of Listed operands, and its partial derivatives: that of
	// order[k] in each operand k. The first ones are in the first Moving operands alone, the
	// second ones in the Pairs.
	FN             func(x [3]float64, order [3]int) float64
	Listed, Moving int
	Pairs          [][2]int

	// Kernels are the functions of package math or elem that F, D and H call
	// where these are closures: nil else.
	Kernels [3]any
}

// Info is the operation's row of the table. It must not be changed.
func (c Code) Info() *Info { return &table[c] }

// Rule is the full name of the function of package math or elem that is the value of the
// operation (order 0) or its partial derivatives of an order.
func (r *Info) Rule(order int) string {
	f := r.Kernels[order]
	if f == nil {
		for _, g := range [][3]any{{r.F1, r.D1, r.H1}, {r.FC, r.DC, r.HC}, {r.F2, r.D2, r.H2}} {
			if !reflect.ValueOf(g[order]).IsNil() {
				f = g[order]
			}
		}
	}
	return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
}

// String is the operation's name.
func (c Code) String() string { return table[c].Name }

// short is what passes over many nodes ask of the table, in a few cache lines.
var short = func() (s [1 << 8]struct {
	operands uint8
	constant Constant
	class    Class
	flags    Flags
	commutes bool
	sums     bool
}) {
	for c := range table {
		row := &table[c]
		s[c].operands, s[c].constant, s[c].class, s[c].flags = uint8(row.Operands), row.Constant, row.Class, row.Flags
		s[c].commutes, s[c].sums = row.Commutes, row.Sums
	}
	return s
}()

// Operands is how many operands the operation has, 0 if a list of them.
func (c Code) Operands() int { return int(short[c].operands) }

// Class is what a sweep needs to know of the operation.
func (c Code) Class() Class { return short[c].class }

// Flags says which derivatives may differ from 0.
func (c Code) Flags() Flags { return short[c].flags }

// Cost is how many calls of a function such as exp take as long, 0 for
// arithmetic.
func (c Code) Cost() int { return table[c].Cost }

// Constant is the kind of constant that the operation has.
func (c Code) Constant() Constant { return short[c].constant }

// Commutes reports whether the operands may be exchanged.
func (c Code) Commutes() bool { return short[c].commutes }

// Even reports whether the operation is the same at −x.
func (c Code) Even() bool { return table[c].Even }

// Linear reports whether all second derivatives are 0.
func (c Code) Linear() bool { return short[c].flags&(DXX|DYY|DXY) == 0 }

// HasList reports whether the operands are a list.
func (c Code) HasList() bool { return short[c].class == List }

// Listed is how many operands an operation on a list has, 0 if any number.
func (c Code) Listed() int { return table[c].Listed }

// Sums reports whether the operation adds up a list of any length.
func (c Code) Sums() bool { return short[c].sums }

// Elementary reports whether the operation has one or two operands and is
// nobody's primitive: then the table has all that it takes to evaluate it.
func (c Code) Elementary() bool { return short[c].operands > 0 && c != Own }

// radix is above each order of differentiation.
const radix = 64

// Orders is the orders of a partial derivative that are the constant c of a node.
func Orders(c float64) (order [3]int) {
	n := int(c)
	return [3]int{n % radix, n / radix % radix, n / (radix * radix)}
}

// OrdersConstant is the constant for orders of differentiation. It panics if one
// is negative or above 63.
func OrdersConstant(order ...int) float64 {
	c, place := 0.0, 1.0
	for _, n := range order {
		if n < 0 || n >= radix {
			panic("op: order of a derivative out of range")
		}
		c += float64(place * float64(n))
		place *= radix
	}
	return c
}

// Partial is the derivative of the operation on a list with the constant c, once
// more in each of the operands k.
func (c Code) Partial(x [3]float64, constant float64, k ...int) float64 {
	order := Orders(constant)
	for _, k := range k {
		order[k]++
	}
	return table[c].FN(x, order)
}

// All yields every elementary operation.
func All(yield func(Code) bool) {
	for c := range Code(Count) {
		if c.Elementary() && !yield(c) {
			return
		}
	}
}
