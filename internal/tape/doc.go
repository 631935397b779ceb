// Package tape holds functions as lists of elementary operations: the evaluation
// trace of Griewank and Walther (Evaluating Derivatives, 2nd ed., 2008, 2.2), also
// called the Wengert list.
//
// # What comes in, what goes out
//
// A [Recording] takes operations one by one, as a function makes them: an opcode of
// package op, the nodes that are its operands, a constant. Comparisons that the
// function makes are noted as guards. Package compile decides which of its nodes
// are needed, of which [Recording.Tape] makes a [Tape]: immutable, every operand before
// its user. A [Writer] writes it in another order. For (x + 1)·sin(x + 1)
//
//	node 0  input x
//	node 1  AddReal(0), constant 1
//	node 2  Sin(1)
//	node 3  Mul(1, 2)
//
// # Recording
//
// Local value numbering (Cocke and Schwartz: Programming Languages and Their
// Compilers, 1970; Muchnick: Advanced Compiler Design and Implementation, 1997,
// 12.4): an operation on the same operands as one before is that node, and one with
// a cheaper form of the same bits takes that form, as x·x is a square and a + (−b) a
// difference. No rule changes a bit of a result. It is done while nodes are made,
// since they are in the cache then; see number.go. A traced recording keeps all
// operations as they are.
//
// Most functions are recorded once, in memory that is touched for the first time.
// That costs more than all that is done with it: nodes are small, in chunks that
// are not copied to grow, and those that are needed become the tape where they are.
// Only a [Writer] copies them, into arrays over which batches run.
//
// # What is asked of a tape
//
//	replay.go     to run it on other numbers, and its adjoint: dual.Of gives the
//	              derivative rules. Recorded again, that is a transform
//	partials.go   the partial derivatives of a node
//	structure.go  in which operands, and pairs of them, a node may have derivatives
//	listing.go    names and formulas for people
//	differ.go     where two tapes differ first, and whether they are equal
//
// Lists of operands (of sums, affine sums, products of lists, selections, calls) are
// kept apart from nodes, those of long sums as runs of consecutive nodes: see Tape.
package tape
