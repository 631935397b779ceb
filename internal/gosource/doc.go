// Package gosource writes a program and its derivatives as Go.
//
// What comes in is a program of package compile and a file of package source; what goes out
// are functions for its value and derivatives, which allocate nothing. Package expr derives
// them, package code prints the expressions. Values have the bits of the program, derivatives
// agree with those of sweeps up to rounding.
//
// A short function is straight lines, the expressions of the whole program. For
// f(x) = x₀·sin(x₁) the gradient is
//
//	x1 := x[1]
//	y0, t1 := math.Sincos(x1)
//	x0 := x[0]
//	y1 := x0 * t1
//	f := x0 * y0
//	z := f + (y0 + y1) // finite only if all results are
//	if z-z != 0 {
//		return hesseFGradientCareful(dst, x)
//	}
//	dst[0] = y0
//	dst[1] = y1
//	return f
//
// A long function consists of sweeps over parts of the program, on arrays with an element a
// node, in memory that the caller gives. A batch of alike operations is a part: a loop over
// its lanes, of the expressions for one lane. Operations that are not alike are taken some
// tens at a time. Forward go values and tangents, back adjoints and their tangents; for each
// of these sweeps a part is derived on its own. So the square of v₀ … v₉₉ is, where adjoints g
// go back,
//
//	for i := range 100 {
//		g[i] += float64(2 * (v[i] * g[100+i]))
//	}
//
// A function multiplies plainly. If its result is not finite it calls another one, which does
// the same with derivative products (see Infinities in package sweep).
//
// The files, in an order to read them:
//
//	functions.go  what is written: signatures, comments, names, errors
//	short.go      short functions; guards
//	long.go       long functions: which sweeps make up a function
//	parts.go      the parts of a program, and the functions that are derived for them
//	print.go      a part in a sweep
//	call.go       functions that the program calls
//	memory.go     the memory, functions of bounded length, tables
//
// # Tests
//
// What is written has to be compiled and run. internal/testkit/randprog does so for random
// programs; package reverse, which exports the writer, has the tests of errors, names and
// comments; package terms those of sparse plans.
package gosource
