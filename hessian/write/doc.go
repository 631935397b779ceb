// Command write writes the derivatives of a function as plain Go, for go generate.
//
//	//go:generate go run github.com/hesse-ad/hesse/dual/lift Energy
//	//go:generate go run github.com/hesse-ad/hesse/hessian/write -n 3 Energy
//	func Energy(x []float64) float64 { … }
//
// writes energy_derivatives.go with
//
//	func EnergyValue(x []float64) float64
//	func EnergyGradient(dst, x []float64) float64
//	func EnergyHVP(dst, x, v []float64)
//
// which import package math alone and allocate nothing: see reverse.GoSource, or
// hessian.Sparse.WriteGo and reverse.SparseJacobian.WriteGo with -sparse. Once a module,
// go get -tool github.com/hesse-ad/hesse/hessian/write adds the command, and what it is
// built of, to go.mod.
//
// # Usage
//
//	write [flags] Function
//
//	-n count         how many inputs there are; the function is recorded at 1, 1 + 1/n, …
//	-x expression    the point where it is recorded, []float64, instead
//	-p expression    the parameters there, []float64: the function's second slice of
//	                 numbers, which is not differentiated
//	-args list       expressions for the other arguments, in their order, as in c,4
//	-name Name       begins the names of all that is written; that of the function by
//	                 default, without Of
//	-o file          the file to write; the name and _derivatives.go by default
//	-functions list  as in Value,Gradient,Jacobian,JVP,VJP,HVP
//	-sparse matrix   hessian or jacobian: its nonzeros, by a loop for each kind of term, by
//	                 straight lines for a small function, or by colors if there are no
//	                 terms; functions are then Gradient, Hessian and All, or Jacobian and
//	                 All
//	-inputs list     names of the inputs, as in angle,speed
//	-params list     names of the parameters
//	-lines           write beside each operation where it stands
//	-check           write nothing; fail if the file is not as it would be written
//
// The function is in the package in the current folder, generic over dual.Scalar, as lift
// writes it (for Energy it takes EnergyOf, if there is one), or over reverse.Var. It takes
// a slice of numbers, or numbers one by one, which are inputs in their order and name
// them, and returns a number or a slice of them. Expressions are those of the package:
// they may call its functions, exported or not, and name the packages that the function's
// file imports.
//
// # How it works
//
// The command adds a test to the package, by an overlay that no file shows, which records
// the function and writes its derivatives, and runs it. The package's own tests, the file
// that is to be written, and files that use what is not written yet are left out
// meanwhile. Exit code 1 says that something went wrong, 2 that the flags are.
package main
