// Package straight writes the sweeps of package sweep over one program as Go.
//
// What comes in is a program of package compile and a file of package source; what goes out
// are functions for its value and derivatives, which allocate nothing. They compute what a
// sweep computes, in its order, so that results have its bits; only the sign of a
// derivative that is 0 may differ.
//
// There are two forms. A short function is straight lines, one variable a node. For
// f(x) = x₀·sin(x₁) the gradient is
//
//	x0, x1 := x[0], x[1]
//	v0 := math.Sin(x1)
//	v1 := float64(x0 * v0)
//
//	// adjoints
//	dv0 := math.Cos(x1)
//	gx1 := float64(dv0 * x0)
//	if v0*0+gx1*0 != 0 { // an infinity or a NaN
//		return hesseFGradientCareful(dst, x)
//	}
//	dst[0] = v0
//	dst[1] = gx1
//	return v1
//
// What is 0 at every point and what nothing needs is left out. A long function is loops
// over batches, as in package sweep, on arrays with an element a node, in memory that the
// caller gives.
//
// A function multiplies plainly. If its result is not finite it calls another one, which
// does the same with derivative products (see Infinities in package sweep).
//
// The files, in an order to read them:
//
//	functions.go    what is written: signatures, comments, guards, names
//	call.go         functions that the program calls
//
//	body.go         short functions: lines, sums and products, which lines are needed
//	derive.go       which sweeps make up a function
//	values.go       values, operation by operation
//	derivatives.go  partial derivatives, tangents, adjoints
//	second.go       tangents of adjoints
//
//	long.go         long functions: which sweeps make up a function
//	memory.go       the arrays, and what writes on them
//	procedure.go    functions of bounded length
//	tables.go       indices and numbers as tables or arithmetic
//	sweeps.go       the sweeps over all batches
//	lanes.go        elementwise and affine batches as loops
//	rows.go         batches of rows: a matrix times a vector
//	nodes.go        mixed batches
//
// # Tests
//
// What is written has to be compiled and run. internal/testkit/randprog does so for random
// programs and compares the bits with those of sweeps; package reverse, which exports the
// writer, has the tests of errors, names and comments; package hessian those of sparse
// plans.
package straight
