// Package plan prepares sparse derivative matrices: the Jacobian of a program, or
// the Hessian of a weighted sum of its outputs. What is found once, the method,
// the pattern, the coloring and where each element comes from, is a [Plan]; its
// evaluations only compute.
//
// # The picture
//
//	program ── New ──▶ Plan ── Eval ──▶ values of a matrix in a fixed pattern
//	            │                │
//	            │                ├─ by terms: the program is a sum of alike terms;
//	            │                │   the derivative of each kind of term, found
//	            │                │   symbolically, runs over all its terms
//	            │                │   (package terms); what is no such term, the
//	            │                │   rest, goes by a coloring and is added
//	            │                └─ by a coloring: a product with the matrix, or
//	            │                    its transpose, a color, from which each
//	            │                    element is recovered (package coloring); the
//	            │                    gradient, and the products, may still be by
//	            │                    terms (sums.go)
//	            └─ choose: estimates of both (package cost)
//
// The two matrices differ in few places: how their patterns are found, which kinds
// of colorings they have, which sweep makes a product, and what an evaluation gives
// besides, the gradient with a Hessian and the outputs with a Jacobian. Packages
// hessian and reverse make plans of tapes.
//
// A [Third] is the sums of third derivatives with weights, as a gradient by terms or of what
// functions write themselves, else by a coloring as a product with the Hessian of f′s for each seed
// s; and the derivative of the Hessian along a direction (third.go).
//
// Read plan.go (the data and how a plan is made), choose.go (which method), eval.go, then
// verify.go and explain.go. write.go and colored.go print a plan as Go.
//
// [Plan.Write] writes an evaluation as Go: terms by package terms, products by package
// straight with loops over the colors.
//
// # Verification
//
// A pattern that misses a nonzero spoils others silently. [Plan.Verify] compares the
// matrix times random vectors with products by sweeps, row by row within bounds of
// their rounding errors.
//
// # Sources
//
// Colorings: Gebremedhin, Manne, Pothen, What color is your Jacobian?, SIAM Review
// 47, 2005. Sums of terms: Griewank, Toint, Partitioned variable metric updates for
// large structured optimization problems, Numer. Math. 39, 1982.
package plan
