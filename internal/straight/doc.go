// Package straight writes the sweeps of package sweep over one program as Go: the
// operations of a short one as lines of one function, those of a long one as loops over
// batches, in memory that the caller gives.
//
// What comes in is a program of package compile and an empty file of package source; what
// goes out are functions for its value and derivatives, that allocate nothing. They compute
// what a sweep computes, in its order, so that results have its bits; only the sign of a
// derivative that is 0 may differ. In straight lines what is 0 whatever the point, and what
// nothing needs, is left out.
//
// A function multiplies plainly. If its result is not finite it calls another one, which
// does the same with derivative products (see Infinities in package sweep).
//
//	functions.go    what is written: signatures, comments, guards
//	body.go         lines of a function; sums and products; which lines are needed
//	derive.go       the lines of a short function
//	values.go       operations one by one
//	derivatives.go  their partial derivatives, tangents, adjoints
//	second.go       their tangents of adjoints
//	long.go         long functions: which sweep follows which
//	memory.go       sweeps as functions of bounded length; tables
//	lanes.go        batches as loops
//	rows.go         a matrix times a vector
//	nodes.go        what is in no batch
package straight
