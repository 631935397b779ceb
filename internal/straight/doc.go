// Package straight writes the sweeps of package sweep over one program as Go: each
// operation a line, without loops or memory.
//
// What comes in is a program of package compile and an empty file of package source; what
// goes out are functions for its value and derivatives, that allocate nothing. The lines
// are those that a sweep computes, in its order, so that results have its bits; only
// the sign of a derivative that is 0 may differ. What is 0 whatever the point, and what
// nothing needs, is left out.
//
// A function multiplies plainly. If its result is not finite it calls another one, which
// does the same with derivative products (see Infinities in package sweep).
//
//	functions.go    what is written: signatures, comments, guards
//	body.go         lines of a function; sums and products; which lines are needed
//	values.go       the operations
//	derivatives.go  partial derivatives, tangents, adjoints
//	second.go       tangents of adjoints
package straight
