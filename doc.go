// Package hesse is the root of a module for exact first and second derivatives of
// functions written in Go. It holds no code; import what you need:
//
//	dual      the numbers that functions are written over, and f′, f″ by them;
//	          dual/matrix has linear algebra, the command dual/lift takes plain Go
//	forward   gradients and Jacobians of few variables, products Jv: no tape;
//	          derivatives of any order along a line, differential equations
//	reverse   a function recorded on a tape: gradients, Jacobians, Jv, Jᵀw, Hv;
//	          the command reverse/adjoint writes gradients of plain Go as plain Go
//	hessian   Hessians, dense and sparse; problems for gonum's optimize;
//	          hessian/newton minimizes, with constraints too, hessian/laplace
//	          integrates effects out of statistical models
//	sparsity  patterns and matrices with few nonzeros, their algebra and pictures
//	coloring  graph colorings, by which few products give a sparse matrix
//	implicit  derivatives through equations, fixed points and optima
//	bench     the command that measures it all
//
// The smallest example:
//
//	h, err := hessian.Of(nil, func(x []reverse.Var) reverse.Var {
//		return x[0].Mul(x[1]).Exp()
//	}, []float64{1, 2})
//
// README.md has a longer one, and a table of which function does what.
package hesse

// go generate ./... begins here, before what it runs elsewhere is compiled, which needs the
// methods that the table of operations gives.
//go:generate go generate ./internal/op
