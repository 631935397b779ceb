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
// Outputs are cut at their long sums, through the linear operations above them (split):
// what is added is a candidate. Candidates that have most of their operations in common,
// such as the two coordinates of a projection, are joined to one term; what else terms
// share is repeated in each of them (join). A term is traced down to inputs, parameters
// and constants: the sequence of its operations is its shape, in which what is used twice
// is one step. Terms of one shape are a class (classify). Most follow a term of the same
// class and lie as it does, with which they are compared first (picture, match). What
// differs from term to term is kept in lists: the numbers of variables and parameters,
// constants, and the rows, to which its results are added.
//
// In log(x₁ + x₂)·3 + log(x₂ + x₃)·4 + … the steps of a term are u, v, u + v, log, and
// the product with a constant; its lists are (1, 2, …), (2, 3, …) and (3, 4, …).
//
// Classes in which most is done are taken, as many as can be derived in short time.
// Candidates of others, and those that are too large, are cut at their own sums, and if
// that does not help left over (rest; obstacle says why). A small function may be one
// term as a whole. Whether a plan is used its callers decide by its cost.
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
// Symbols are worth some time: the Hessian of a Gaussian mixture with 330 variables, all
// coupled, takes 20 evaluations of the function by symbols, which were derived in those
// of 200, and 750 by sweeps.
//
// # Evaluation
//
// Blocks of 256 terms are evaluated one after another, those of all shapes, and what they
// compute is added to the results. Values of a matrix are cleared just before the first
// block that adds to them and mirrored just after the last, while they are in the cache
// (matrix). Entries that are the same at every point are added up once. Several
// goroutines share out the blocks, mirror their own, and give the same bits (parallel).
// If a result is not finite, all is evaluated again by a code in which a factor of
// exactly 0 annihilates infinities.
//
// # Go source
//
// An evaluation can be written as Go: a loop for each shape (write, loops). Its bits are
// those of the blocks, which decides in which order it runs and what it adds up after a
// block (order). Elements that get their numbers in consecutive turns are stored once
// (chains), and places in even steps are arithmetic (lists). That a result is not finite
// is seen by few of them (expr.Graph.ToCheck).
//
// # Cost
//
// Detection takes O(N) time and memory in the operations N of the function, about 0.4 µs a
// variable of the measuring problems; places in a matrix as much again. Derivation takes
// half a microsecond a step or edge of a shape, and is bounded. What an evaluation takes
// is counted in instructions, see package cost. Beyond 10⁵ variables results leave the
// caches: at 10⁶ the Hessians of the measuring problems take 5 to 40 percent longer by the
// term. The memory is 4 bytes at most for each variable and each Hessian entry of a term,
// none where they go in even steps, and 8 bytes for each nonzero of a matrix in which most
// entries are the same at every point.
//
// # Sources
//
// Partially separable functions: Griewank and Toint, Partitioned variable metric
// updates for large structured optimization problems, Numer. Math. 39, 1982.
package terms
