// Command adjoint writes derivatives of functions in plain Go as plain Go: gradients,
// products with Jacobians and Hessians. Loops and branches stay, nothing is recorded, and
// what is written imports no package of this module.
//
//	//go:generate go run github.com/hesse-ad/hesse/reverse/adjoint Energy
//	func Energy(x []float64, c *Chain) float64 { … for, if, math.Exp, helpers … }
//
// writes energy_adjoint.go with
//
//	// EnergyGradient sets dst = ∇Energy in x and returns Energy(x, c).
//	func EnergyGradient(dst, x []float64, c *Chain) float64
//
// which costs a small multiple of Energy whatever the length of x, a first call more by the
// memory that it grows. It may be called by several goroutines at once. For a function that is
// evaluated often at the same structure, package hessian has sparse Hessians by plans; for
// one that branches, hessian.NewCompressed makes them of products that this command writes.
//
// # Usage
//
//	adjoint [flags] Function ...
//
//	-gradient      write NameGradient(dst, x, …) float64, the default
//	-hvp           write NameHVP(dst, x, v, …): dst = ∇²f(x)·v
//	-bilinear      write NameBilinear(x, u, v, …) float64: uᵀ·∇²f(x)·v, without stacks
//	-jvp           write NameJVP: f(x) and ∇f·v of a function to float64, dst = f′(x)·v of others
//	-vjp           write NameVJP(dst, x, w, …): dst = f′(x)ᵀ·w
//	-directions n  write NameJVP4(dst, v, x, …) and NameHVP4 of up to n = 4 directions at once, too,
//	               a coloring.Product where there are no other arguments
//	-o file        the file to write; the first function's name and _adjoint.go by default
//	-check         write nothing; fail if the file is not as it would be written
//
// Functions take a []float64, which is differentiated, and others, and return a float64, or
// where Jacobians are asked for, several float64 and []float64: one vector, one after another.
// Exit code 1 says that something has no derivative that the command writes; then nothing
// is written, and each cause is printed with its file, line and column, and with what to
// write instead.
//
// # What functions may do
//
// Numbers, structs, arrays, slices, maps of numbers, and pointers to these; loops of all
// kinds but over channels and functions, with break, continue, labels and goto back;
// switches, early returns, named results, defer of function literals; functions and methods
// of all packages, generic and variadic ones, recursion; closures and functions as values;
// Go's own functions; package math. Passive code (see package activity) may do more.
//
// Where that is more than the simple language (form.go: no functions as values, and the
// like), functions are written in it first (front.go), and what is written goes back through
// these: functions of other packages are written beside, closures become structs of what
// they captured. Interfaces, channels, goroutines and reflection take nothing active. Where
// a function of gonum is in assembly, its form in Go is what is followed: sums may be
// rounded in another order.
//
// A function may not change its inputs, and dst may not overlap them. Random numbers are
// drawn once, and kept for the reverse sweep. Memory that make gives is not reused from
// call to call. Calls that change passive values which the derivative reads are refused.
//
// # Derivatives
//
// Partial derivatives of functions of package math are those of the table of operations
// (internal/op), copied into the file where they are no expression. The value has the bits
// that the function returns where the compiler fuses no products.
//
// A derivative that is exactly 0 annihilates infinities and NaN, as on tapes. The reverse
// sweep multiplies plainly; where a gradient is not finite, both sweeps run again, the
// reverse one with products that look for zeros (f has a second one, fReverseCareful). A
// function that may not run twice, since it draws random numbers, counts or changes what
// its arguments lead to, has the careful sweep alone, which takes a little longer.
//
// # Derivatives by hand
//
// A function Name with NameAdjoint (NameTangent for -jvp and -bilinear) beside it is not
// looked into: its derivative is better than what its source would give, or its source is
// not Go. It takes numbers, []float64 that it leaves alone, and passive values, and returns
// numbers.
//
//	func Name(a float64, v []float64, n int) float64
//	func NameAdjoint(a float64, v, vb []float64, n int, resultb float64) (ab float64)
//	func NameTangent(a, ad float64, v, vd []float64, n int) (result, resultd float64)
//
// NameAdjoint adds to the adjoints of slices and returns those of numbers. Second derivatives
// are tangents of both: NameTangent calls Name for the value, so that its rule holds there.
//
// # Second derivatives
//
// A Hessian-vector product is the tangent of the two sweeps of the gradient, which the
// command reads as any other source: Hv takes about two gradients. A tangent has beside each
// variable v its derivative vd (or vDot, vTangent; vd1, vd2 … along several directions), and
// leaves out derivatives that reach no result. The stacks of values and of their derivatives
// grow and shrink together.
//
// # What is written
//
// Each function f that something active reaches becomes two: fForward is f and saves what
// the reverse sweep needs in the stacks of a work struct, fReverse mirrors it. The adjoint
// of a variable v is vb (or vBar, vAdjoint, if the source has such names). Slices and
// pointers have shadows of the same shape in both sweeps, numbers in the reverse sweep
// alone. Above each loop stands which it reverses, above statements the one they reverse.
//
// A value is saved where it is overwritten, or goes out of scope, and the reverse sweep
// reads it; it is computed again instead if it was set once from what is still there,
// without a call that takes time (Hascoët, Naumann and Pascual, The to-be-recorded analysis
// in reverse-mode automatic differentiation, 2005; Griewank and Walther, Evaluating
// Derivatives, 2nd ed., 2008, ch. 6).
//
//	front.go, lower.go, lowerexpr.go, order.go   functions written in the simple language
//	form.go, loops.go   the simple form of a function
//	unit.go             functions, their variables and what is active in them
//	keys.go             what statements read and write
//	record.go           what is saved and what is computed again
//	sweep.go            reverse sweeps; partial.go: of expressions
//	forward.go          forward sweeps
//	tangent.go          tangents; useful.go: which derivatives they have
//	custom.go           derivatives by hand
//	text.go             expressions and shadows as text
//	program.go          one transformation
//	write.go            the functions that users call; transformations after each other
package main
