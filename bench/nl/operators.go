package nl

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Numbers of operators, those of the format (Gay 2005, tables 5 to 8). The last are
// of this package.
const (
	plus, minus, times, divide, remainder, power, less = 0, 1, 2, 3, 4, 5, 6

	minimum, maximum = 11, 12

	floor, ceil, absolute, negate = 13, 14, 15, 16

	or, and                          = 20, 21
	lt, le, eq, ge, gt, ne           = 22, 23, 24, 28, 29, 30
	not, ifElse                      = 34, 35
	sum, intDivide                   = 54, 55
	precision, round, trunc          = 56, 57, 58
	count, numberOf                  = 59, 60
	atLeast, atMost                  = 62, 63
	piecewise                        = 64
	exactly, fewer, more, notExactly = 66, 67, 68, 69
	forAll, exists, implies, iff     = 70, 71, 72, 73
	powConst, square, constPow       = 76, 77, 78
	number, variable                 = 80, 82

	truth = 83 // 1 where its operand is not 0, else 0
)

// An operator is a row of the format's tables.
type operator struct {
	name     string
	operands int // many: as many as a number after it says

	// Operands from and before to are logical: what is not 0 is true.
	from, to int
	logical  bool // its value is 1 for true, 0 for false
	refused  bool
}

const many = -1

const all = math.MaxInt // logical operands to the last

var operators = [83]operator{
	plus:       {name: "+", operands: 2},
	minus:      {name: "−", operands: 2},
	times:      {name: "·", operands: 2},
	divide:     {name: "/", operands: 2},
	remainder:  {name: "mod", operands: 2},
	power:      {name: "^", operands: 2},
	less:       {name: "less", operands: 2},
	minimum:    {name: "min", operands: many},
	maximum:    {name: "max", operands: many},
	floor:      {name: "floor", operands: 1},
	ceil:       {name: "ceil", operands: 1},
	absolute:   {name: "abs", operands: 1},
	negate:     {name: "−", operands: 1},
	or:         {name: "or", operands: 2, to: all, logical: true},
	and:        {name: "and", operands: 2, to: all, logical: true},
	lt:         {name: "<", operands: 2, logical: true},
	le:         {name: "≤", operands: 2, logical: true},
	eq:         {name: "=", operands: 2, logical: true},
	ge:         {name: "≥", operands: 2, logical: true},
	gt:         {name: ">", operands: 2, logical: true},
	ne:         {name: "≠", operands: 2, logical: true},
	not:        {name: "not", operands: 1, to: all, logical: true},
	ifElse:     {name: "if", operands: 3, to: 1},
	37:         {name: "tanh", operands: 1},
	38:         {name: "tan", operands: 1},
	39:         {name: "sqrt", operands: 1},
	40:         {name: "sinh", operands: 1},
	41:         {name: "sin", operands: 1},
	42:         {name: "log10", operands: 1},
	43:         {name: "log", operands: 1},
	44:         {name: "exp", operands: 1},
	45:         {name: "cosh", operands: 1},
	46:         {name: "cos", operands: 1},
	47:         {name: "atanh", operands: 1},
	48:         {name: "atan2", operands: 2},
	49:         {name: "atan", operands: 1},
	50:         {name: "asinh", operands: 1},
	51:         {name: "asin", operands: 1},
	52:         {name: "acosh", operands: 1},
	53:         {name: "acos", operands: 1},
	sum:        {name: "sum", operands: many},
	intDivide:  {name: "div", operands: 2},
	precision:  {name: "precision", refused: true},
	round:      {name: "round", operands: 2},
	trunc:      {name: "trunc", operands: 2},
	count:      {name: "count", operands: many, to: all},
	numberOf:   {name: "numberof", operands: many},
	61:         {name: "numberof symbolic values", refused: true},
	atLeast:    {name: "atleast", operands: 2, logical: true},
	atMost:     {name: "atmost", operands: 2, logical: true},
	piecewise:  {name: "piecewise-linear term", operands: 1},
	65:         {name: "symbolic if", refused: true},
	exactly:    {name: "exactly", operands: 2, logical: true},
	fewer:      {name: "not atleast", operands: 2, logical: true},
	more:       {name: "not atmost", operands: 2, logical: true},
	notExactly: {name: "not exactly", operands: 2, logical: true},
	forAll:     {name: "forall", operands: many, to: all, logical: true},
	exists:     {name: "exists", operands: many, to: all, logical: true},
	implies:    {name: "implies", operands: 3, to: all, logical: true},
	iff:        {name: "iff", operands: 2, to: all, logical: true},
	74:         {name: "alldiff", refused: true},
	75:         {name: "not alldiff", refused: true},
	powConst:   {name: "^", operands: 2},
	square:     {name: "²", operands: 1},
	constPow:   {name: "^", operands: 2},
}

// An instruction takes its operands from the stack and leaves its value there.
type instruction struct {
	op uint8

	// Arg is the number of operands where there are many, the variable, the constant,
	// for powConst the exponent in the constants, for piecewise where the slopes
	// begin in them, for round and trunc the digits.
	arg int32
}

// pop is the last k of the stack, taken off it.
func (m *machine[T]) pop(k int) []T {
	at := len(m.stack) - k
	z := m.stack[at:]
	m.stack = m.stack[:at]
	return z
}

// run is the value of code.
func (m *machine[T]) run(code []instruction) T {
	m.stack = m.stack[:0]
	for _, i := range code {
		m.stack = append(m.stack, m.step(i))
	}
	return m.stack[0]
}

// step is the value of an instruction, whose operands it takes off the stack.
func (m *machine[T]) step(i instruction) T {
	var zero T
	switch i.op {
	case number:
		return zero.Const(m.p.consts[i.arg])
	case variable:
		return m.x[i.arg]
	case minimum, maximum, sum, count, numberOf, forAll, exists:
		return overMany(i.op, m.pop(int(i.arg)))
	case powConst:
		return powerOf(m.pop(1)[0], m.p.consts[i.arg])
	case piecewise:
		return piecewiseLinear(m.pop(1)[0], m.p.consts[i.arg:])
	case round, trunc:
		return toDigits(i.op, m.pop(1)[0], int(i.arg))
	case truth:
		return different(m.pop(1)[0], zero)
	}
	switch operators[i.op].operands {
	case 1:
		return ofOne(i.op, m.pop(1)[0])
	case 2:
		z := m.pop(2)
		return ofTwo(i.op, z[0], z[1])
	}
	z := m.pop(3) // ifElse, implies
	return z[0].Select(z[1], z[2])
}

func ofOne[T dual.Scalar[T]](op uint8, x T) T {
	switch op {
	case floor:
		return x.Floor()
	case ceil:
		return x.Ceil()
	case absolute:
		return x.Abs()
	case negate:
		return x.Neg()
	case not:
		return x.RSub(1)
	case 37:
		return x.Tanh()
	case 38:
		return x.Tan()
	case 39:
		return x.Sqrt()
	case 40:
		return x.Sinh()
	case 41:
		return x.Sin()
	case 42:
		return x.Log10()
	case 43:
		return x.Log()
	case 44:
		return x.Exp()
	case 45:
		return x.Cosh()
	case 46:
		return x.Cos()
	case 47:
		return x.Atanh()
	case 49:
		return x.Atan()
	case 50:
		return x.Asinh()
	case 51:
		return x.Asin()
	case 52:
		return x.Acosh()
	case 53:
		return x.Acos()
	case square:
		return x.Square()
	}
	panic("nl: operator " + operators[op].name) // refused or not one of these
}

func ofTwo[T dual.Scalar[T]](op uint8, x, y T) T {
	switch op {
	case plus:
		return x.Add(y)
	case minus:
		return x.Sub(y)
	case times:
		return x.Mul(y)
	case divide:
		return x.Div(y)
	case remainder:
		return x.Mod(y)
	case power, constPow:
		return x.Pow(y)
	case less:
		var zero T
		return x.Sub(y).Max(zero)
	case intDivide:
		return x.Div(y).Trunc()
	case 48:
		return x.Atan2(y)
	case or:
		return x.Max(y)
	case and:
		return x.Mul(y)
	case iff:
		return different(x, y).RSub(1)
	case lt:
		return x.Step(y)
	case gt, fewer: // fewer than x of them, y, are true
		return y.Step(x)
	case le, atLeast:
		return y.Step(x).RSub(1)
	case ge, atMost:
		return x.Step(y).RSub(1)
	case more:
		return x.Step(y)
	case eq, exactly:
		return different(x, y).RSub(1)
	case ne, notExactly:
		return different(x, y)
	}
	panic("nl: operator " + operators[op].name)
}

// different is 1 where x and y differ, else 0.
func different[T dual.Scalar[T]](x, y T) T { return x.Step(y).Add(y.Step(x)) }

func overMany[T dual.Scalar[T]](op uint8, z []T) T {
	var y T
	switch op {
	case sum, count:
		return y.SumOf(z)
	case numberOf: // of the others as large as the first
		for _, x := range z[1:] {
			y = y.Add(different(z[0], x).RSub(1))
		}
		return y
	}
	y = z[0]
	for _, x := range z[1:] {
		switch op {
		case minimum:
			y = y.Min(x)
		case maximum, exists:
			y = y.Max(x)
		case forAll:
			y = y.Mul(x)
		}
	}
	return y
}

func powerOf[T dual.Scalar[T]](x T, p float64) T {
	if n := int(p); float64(n) == p && math.Abs(p) <= 64 {
		return x.PowInt(n)
	}
	return x.PowReal(p)
}

// piecewiseLinear is the function with the slopes s₀, s₁, … that change at
// breakpoints b₁ < b₂ < …, and 0 at 0. Data is their number, then s₀, b₁, s₁, ….
// With s the slope at 0 it is sx plus, for each breakpoint, what the change of the
// slope adds on its side away from 0.
func piecewiseLinear[T dual.Scalar[T]](x T, data []float64) T {
	var zero T
	slopes := data[1 : 2*int(data[0])]
	s := slopes[0]
	for k := 1; k < len(slopes) && slopes[k] < 0; k += 2 {
		s = slopes[k+1]
	}
	terms := []T{x.Scale(s)}
	for k := 1; k < len(slopes); k += 2 {
		b, change := slopes[k], slopes[k+1]-slopes[k-1]
		beyond := x.SubReal(b)
		if b < 0 {
			beyond = x.RSub(b)
		}
		terms = append(terms, beyond.Max(zero).Scale(change))
	}
	return zero.SumOf(terms)
}

// toDigits rounds x to a number of decimal digits after the point, or cuts what is
// behind them.
func toDigits[T dual.Scalar[T]](op uint8, x T, digits int) T {
	scale, inverse := math.Pow10(digits), math.Pow10(-digits)
	shifted := x.Scale(scale)
	if digits < 0 {
		shifted = x.Div(x.Const(inverse))
	}
	if op == round {
		shifted = shifted.Round()
	} else {
		shifted = shifted.Trunc()
	}
	y := shifted.Div(x.Const(scale))
	if digits < 0 {
		y = shifted.Scale(inverse)
	}
	// What has no such digits stays as it is, also where the shift overflows.
	return x.Abs().Step(x.Const(0x1p53/scale)).Select(y, x)
}
