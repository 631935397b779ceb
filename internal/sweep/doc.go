// Package sweep evaluates programs and their derivatives: loops over the batches of
// a program, forward and in reverse.
//
// What comes in is a compiled program; an [Engine] is that program with a pool of
// working memory. What goes out is asked of a [Workspace] after a sweep: values,
// adjoints, tangents, products. Its memory is nobody else's.
//
// Read workspace.go first (the arrays), then the sweeps in the order below; loops.go has
// what they are made of, products.go what is made of them.
//
// # The sweeps
//
// With v the values, t the tangents, v̄ the adjoints and u the second-order adjoints, for a
// node i with operands a and b, partials d and second partials dd, in one file each:
//
//	value.go    v_i = op(v_a, v_b)                                   Value
//	tangent.go  t_i = d_a·t_a + d_b·t_b                              JVP
//	adjoint.go  v̄_a += d_a·v̄_i                                      VJP, Gradient
//	second.go   u_a += d_a·u_i + v̄_i·(dd_aa·t_a + dd_ab·t_b)         HVP
//	taylor.go   x̄_a(t) += d_a(t)·x̄_i(t) of polynomials x(t)         Taylor, TaylorVJP
//
// These are forward and reverse mode, and forward over reverse (Griewank and Walther:
// Evaluating Derivatives, 2nd ed., 2008, chapters 3 and 5; Pearlmutter: Fast exact
// multiplication by the Hessian, 1994). products.go is made of them; up to
// MaxDirections directions share a sweep, and what does not depend on the direction
// is computed once.
//
// A second-order sweep goes through a large program section by section, see package
// compile: forward, and at once back.
//
// Linearize is a Gradient that keeps the partials and v̄·dd of elementwise batches, so that
// the products HVP that follow consist of multiplications and additions alone. Nodes of
// mixed batches compute theirs again: that takes as long as keeping them for one product.
//
// Each sweep has a form for each kind of batch: lanes in blocks of compile.Block, by
// the loops of package lane and of loops.go; affine sums term by term (affine.go);
// four rows of a matrix at a time (rows.go); nodes one by one, and calls of
// primitives (call.go).
//
// Nodes have code of their own with a case for each class of operations, though a node is a
// batch of one lane and tape.Partials knows the partials of all. Measured where different
// small operations follow each other, asking tape.Partials for each takes 1.2 to 1.3 times
// as long. For batches, derivatives that package code runs would do; these take 1.3 to 2.9
// times as long, since they compute values again and package code has no instruction that
// multiplies and adds to memory at once.
//
// # What is left out
//
// A second-order sweep leaves out what feeds no nonlinear operation, what the seeded
// inputs do not move and, for the triangle of a Hessian, what the wanted ones do not;
// see span.go. Adjoints that a sweep meets for the first time are set, not added to,
// so that most of the array need not be cleared first.
//
// # Infinities
//
// In a derivative, 0·∞ and 0·NaN are to be 0: what is not used cannot matter. Such
// derivative products are slow. So a sweep multiplies plainly, and only if its result is
// not finite it runs again, carefully: node by node with derivative products. That is right
// because a factor that is not finite shows in the result of a plain sweep, as itself or as
// the NaN of its product with 0. fault.go finds the operation that it came from.
//
// # Goroutines
//
// A workspace belongs to one goroutine at a time. Long batches can be shared by a
// team (team.go); the bits are those of one goroutine.
package sweep
