package code

import (
	"github.com/hesse-ad/hesse/internal/op"
)

// Opcode says what an instruction does.
type Opcode uint8

// The instructions, on registers a, b, c, d and e and a constant k.
const (
	Load  Opcode = iota // d = source a, at the places of the lanes
	Const               // d = k

	Add      // d = a + b
	Sub      // d = a − b
	Mul      // d = a·b
	MulConst // d = (a·b)·k
	Prod     // d = a·b, 0 where either is exactly 0: the derivative product
	Div      // d = a/b
	Scale    // d = k·a
	AddConst // d = a + k
	SubConst // d = k − a
	Sqrt     // d = √a
	Select   // d = b where a > 0, NaN where a is NaN, else c

	// On lanes and a number that is the same in all, register b.
	AddNumber // d = a + b
	SubNumber // d = a − b
	NumberSub // d = b − a
	MulNumber // d = a·b

	// On single numbers only; each product and each sum is rounded.
	Move   // d = a
	MulAdd // d = a·b + c
	MulSub // d = a·b − c
	SubMul // d = c − a·b
	Dot    // d = a·b + c·e
	Det    // d = a·b − c·e

	Sincos           // d, c = sin a, cos a
	SoftplusLogistic // d, c = softplus a, logistic a: a function and its derivative, of one exponential
	Call             // d = F(a, b), where b is a register or not used
	Primitive        // d = the derivative of order c of the user's function b, at a

	Store      // sink b: adds a, at the places of the lanes
	StoreConst // sink b: adds k
	StoreSum   // sink b, one place for all lanes: adds the sum of a
	StoreDot   // sink b, one place for all lanes: adds the sum of (a·c)·k
)

// Instr is an instruction.
type Instr struct {
	Op            Opcode
	F             op.Code // of Call
	D, A, B, C, E int32
	K             float64
}

// Calls reports whether the instruction takes the time of many others.
func (in *Instr) Calls() bool {
	switch in.Op {
	case Sincos, SoftplusLogistic, Primitive:
		return true
	case Call:
		return in.F.Cost() > 0
	}
	return false
}

// Moves reports whether the instruction computes nothing.
func (in *Instr) Moves() bool {
	switch in.Op {
	case Load, Const, Store, StoreConst, StoreSum:
		return true
	}
	return false
}
