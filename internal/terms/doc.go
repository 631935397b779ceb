// Package terms differentiates sums of alike terms. Most large functions are
// such sums, over the elements of a mesh, the points of a data set, the steps of
// a trajectory: many small terms of few shapes. Each shape is derived once,
// symbolically, and run over all its terms. There is no coloring, no sweep over
// a long tape, and no index within a term.
//
// # The picture
//
//	function ── Detect ──▶ Plan: shapes, and for each the lists of its terms
//	                        │   what is left over: Rest, a function for sweeps
//	                        ▼
//	               symbolic derivatives of a shape (package expr)
//	                        ▼
//	               code (package code): of blocks of terms, or of single numbers if a
//	                        │   small function is one term
//	                        ▼
//	               values, gradients, products, entries of a sparse matrix
//
// # Detection
//
// Names in parentheses are files. Outputs are cut at their long sums, through the linear
// operations above them (split): what is added is a candidate. Candidates that have most of
// their operations in common, such as the two coordinates of a projection, are joined to
// one term; what else terms share is repeated in each of them (join). A term is traced down
// to inputs, parameters and constants: the sequence of its operations is its shape, in
// which what is used twice is one step. Terms of one shape are a class (classify). Most
// terms follow one of the same class and were recorded in the same order, so each is first
// compared with that one (picture, match). What differs from term to term is kept in lists:
// the numbers of variables and parameters, constants, and the rows, the outputs to which
// its results are added.
//
// In log(x₁ + x₂)·3 + log(x₂ + x₃)·4 + … the steps of a term are u, v, u + v, log, and
// the product with a constant; its lists are (1, 2, …), (2, 3, …) and (3, 4, …).
//
// The classes with the most operations are taken, as many as can be derived in short time, or in
// less than one Hessian takes by sweeps. Those whose second derivatives are too large for that
// may still be taken for gradients and products, see package plan.
// Candidates of other classes, and those that are too large, are cut at their own sums; if
// that does not help, they are left over (rest; obstacle says why). A small function may be
// one term as a whole. Whether a plan is used is decided by its callers, who know its cost.
//
// # Declared terms
//
// A [Repeat] is a function that is declared as its terms: the function of one of them and
// the lists. Others call it as one operation, with the sweeps of a plan of its own. Where
// Detect meets a call whose operands are inputs, in a sum that is an output, it takes the
// shapes with their lists (declared). Terms in which variables coincide differently are
// different shapes, since x·y has another Hessian where x is y.
//
// Where symbolic derivatives would be too large, and where variables coincide in too many
// ways, sweeps over the function of a term stand in for them, term after term: for all
// that is computed, or for Hessians or Jacobians alone, compressed by a coloring (swept).
// Symbolic derivatives are worth some time: the Hessian of a Gaussian mixture with 330
// variables, all coupled, takes the time of 20 evaluations of the function by them, after
// that of 200 evaluations to derive them once, and of 750 by sweeps.
//
// # Evaluation
//
// Terms are evaluated in blocks of 256 of one shape, one block after another, and what
// these compute is added to the results. Values of a matrix are cleared just before the
// first block that adds to them and, of a symmetric one, copied to the other triangle just
// after the last, while they are in the cache (matrix). Entries that are the same at every
// point are added up once. Several goroutines share out the blocks and give the same bits
// (parallel). If a result is not finite, all is evaluated again by code with derivative
// products, in which a factor of exactly 0 annihilates infinities.
//
// # Third derivatives
//
// A plan is closed under two transforms, shape by shape (third). [Plan.Along] is the plan of
// the derivative along a direction: its Hessian is that of third derivatives. [Plan.Contract] is the
// plan of the sum of the entries of the Hessian times weights: its gradient is a sum of third
// derivatives. Direction and weights are parameters of the new plans, found by the lists of the
// variables and of the places in the matrix.
//
// # Go source
//
// An evaluation can be written as Go: a loop for each shape (write, loops). It has the bits
// of evaluation by blocks, which decides the order of its turns, and which results it adds
// up only after a block (order). An element to which consecutive turns add is kept in a
// variable and stored once (chains). Places with equal differences are computed, others are
// tables (lists). Few results need to be looked at to see that all are finite
// (expr.Graph.ToCheck).
//
// # Cost
//
// Detection takes O(N) time and memory in the operations N of the function, about 0.4 µs a
// variable of the problems of package bench; places in a matrix take as much again.
// Derivation takes half a microsecond a step or edge of a shape, and is bounded. What an
// evaluation takes is counted in instructions, see package cost. Beyond 10⁵ variables
// results leave the caches: at 10⁶ the Hessians of these problems take 5 to 40 percent
// longer a term. The memory is at most 4 bytes for each variable and each Hessian entry of a
// term, none where these numbers have equal differences from term to term, and 8 bytes for
// each nonzero of a matrix in which most entries are the same at every point.
//
// # Sources
//
// Partially separable functions: Griewank and Toint, Partitioned variable metric
// updates for large structured optimization problems, Numer. Math. 39, 1982.
package terms
