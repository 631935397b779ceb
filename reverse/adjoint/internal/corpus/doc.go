// Package corpus has functions whose gradients command adjoint writes, and tests that
// compare them with those of the lifted functions.
package corpus

//go:generate go run ../.. -o models_adjoint.go rosen product chain barrier earlyReturns labels activeLoop switches structs swaps recursion severalResults matrices pointers mathFunctions draws atZero counted countedInPackage drawn literals
//go:generate go run ../.. -jvp -vjp -directions 4 -o products_adjoint.go forces mixed polar rootOfZero
//go:generate go run ../.. -gradient -jvp -hvp -bilinear -directions 4 -o stepped_adjoint.go stepped
//go:generate go run ../../../../dual/lift -o models_lifted.go forces mixed polar rootOfZero rosen product chain barrier earlyReturns labels activeLoop switches structs swaps recursion severalResults matrices pointers mathFunctions draws atZero literals
