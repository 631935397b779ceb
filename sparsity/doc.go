// Package sparsity holds the zero structure of derivatives: which elements of
// a Jacobian or Hessian may differ from 0, whatever the point.
//
// In a large problem a variable meets few others. Its Hessian has a handful of
// nonzeros in a row, and whoever knows where they stand can find all of them
// from a few products Hv instead of n, keep them in little space and factor
// the matrix in little time. The places come first; this package finds and
// keeps them.
//
//	f(x) = Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)²      ● ● · · ·
//	                                           ● ● ● · ·
//	couples each variable with its neighbors:  · ● ● ● ·
//	the Hessian is tridiagonal                 · · ● ● ●
//	                                           · · · ● ●
//
// A [Pattern] is such a set of positions. It never changes, and it may hold
// more than the true nonzeros but must not hold less: what is outside is taken
// for 0. A [Matrix] is a Pattern with values, a mat.Matrix of gonum;
// a [SymMatrix] is a symmetric one of which one triangle is stored. Positions
// are kept in compressed sparse rows (CSR): the columns of row 0 in increasing
// order, then those of row 1 and so on. The place of a position in that order
// is the place of its value.
//
// # Where patterns come from
//
//   - From a generic function over dual.Scalar: package sparsity/detect. No
//     point is needed, so the function must not compare its variables.
//   - From a recorded tape, which also knows branches, parameters and the
//     user's own primitives: see package reverse.
//   - From what is known of the problem: [Banded], [Arrow], [StarStencil],
//     [BoxStencil], [FromCoordinates], joined by [Pattern.Union].
//   - From values: [FromDense], [FromMatrix]. A nonzero that happens to be 0
//     there is missed.
//   - From a file: [ReadMatrixMarket].
//
// # Matrices made of others
//
// [Gram] forms JᵀWJ + D, [Blocks] puts matrices side by side: both find the
// pattern once and then fill in values without allocating.
//
// # Pictures
//
// [Pattern.Spy] draws a pattern in the terminal, [Pattern.SVG] and
// [Pattern.PNG] draw it for a page, with the classes of a coloring as colors.
package sparsity
