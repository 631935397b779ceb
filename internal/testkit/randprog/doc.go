// Package randprog makes random differentiable programs, the material of the
// property tests of this module.
//
// A program is a list of instructions over any dual.Scalar: elementary
// operations with variables and constants as operands, sums, dot and affine
// products of lists, loops that add term by term, norms, selections, branches,
// primitives of the user, results that nothing reads. It comes with a point and
// two directions. [Draw] draws one by rapid, so that a failing program shrinks;
// [Run] runs it on numbers of any kind, and two kinds must give the same
// derivatives:
//
//	rapid.Check(t, func(t *rapid.T) {
//		p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxLen: 40})
//		…
//		y := randprog.Run(p, x, nil) // x []T, y []T
//	})
//
// What is drawn is smooth and well-conditioned at the program's point: the
// operand of an operation that is not so everywhere is brought into a part of
// its domain first, and large results are folded by a sine.
//
// # Tolerance
//
// Two modes form the same derivative as a sum of the same products along paths
// through the program, in different order and with factors that are rounded
// differently. [Bounds] bounds the rounding errors of either, by a running error
// analysis of the nested numbers (see package roundoff), so that the modes differ
// by at most twice that; what a test itself adds up takes as much again.
package randprog
