// Package expr derives functions symbolically. What comes in are a [Function], a short
// straight-line program on a few variables, and a [Request]. What goes out are expressions:
// values, the gradient, the entries of the Hessian or the Jacobian, or derivatives in
// directions. Package code makes instructions of them.
//
// Read graph.go and expr.go (expressions), function.go (what is derived), derive.go and
// edges.go (the rules), then factor.go and share.go (common factors) and finite.go.
//
// # Expressions
//
// A [Graph] is a set of expressions in which equal ones are one (hash-consing, or value
// numbering): a node is its operation and the numbers of its operands, and a constructor
// returns the node that is there already. An [Expr] is a dual.Scalar, so that the rules
// of package dual give the partial derivatives of each operation here too, by numbers
// whose parts are expressions.
//
// Values have the bits of the program. Derivatives are simplified as real numbers: in
// 2·(x − 3)·1 the factor 1 goes, and constants are collected in front. Where a result is
// not finite an evaluation is repeated by expressions that keep derivative products, in
// which a factor of exactly 0 annihilates infinities ([Request.Safe]).
//
// # Derivatives
//
// Tangents go forward over the steps of the function, adjoints backward; products with
// the Hessian are the tangents of adjoints. The Hessian itself is made by edge pushing.
// From the last step i to the first, each edge {i, j} of weight w is pushed to the
// operands a of i, as {a, j} of weight w·∂i/∂a, an edge {i, i} to all pairs of them; then
// the second partials of i times its adjoint make new edges between the operands. What
// remains between variables is the Hessian. For sin(x·y), with u = x·y: the sine makes
// {u, u} of weight −sin u, which is pushed to {x, x} with y², {y, y} with x² and {x, y}
// with x·y; and the product makes {x, y} with its adjoint cos u.
//
// Functions are closed under a derivative along a direction and under a contraction of the
// Hessian with weights (transform.go): the expressions of one derivative are the steps of the function
// that is derived next.
//
// # Common factors
//
// Derivatives of small functions are then factored: common factors come out of sums, and
// what several sums or products have in common is computed once, if that takes fewer
// operations (factor.go, share.go): the Hessian of bench/small's cart-pole takes 52
// instructions with that and 81 without.
//
// The cost is about a microsecond a step or edge, and as much again to factor.
//
// # Sources
//
// Edge pushing: Gower and Mello, A new framework for the computation of Hessians,
// Optim. Methods Softw. 27, 2012. Factoring: Breuer, Generation of optimal code for
// expressions via factorization, Commun. ACM 12, 1969; Hosangadi, Fallah and Kastner,
// Optimizing polynomial expressions by algebraic factorization and common subexpression
// elimination, IEEE Trans. Comput.-Aided Des. 25, 2006. Hash-consing: Ershov, On
// programming of arithmetic operations, Commun. ACM 1, 1958.
package expr
