// Package terms differentiates sums of alike terms. Most large functions are
// such sums, over the elements of a mesh, the points of a data set, the steps of
// a trajectory: many small terms of few shapes. Each shape is derived once,
// symbolically, and run over all its terms. There is no coloring, no sweep over
// a long tape, and no index within a term.
//
// # The picture
//
//	program ── Detect ──▶ Plan: shapes, and for each its lists (detect, list)
//	                       │  what is left over: Rest, a program (rest)
//	                       ▼
//	              symbolic derivatives of a shape, on a form (symbol, derive)
//	                       ▼
//	              code: instructions on registers (emit; straight if there is one term;
//	                       sweeps over the term where it is too large, own)
//	                       ▼
//	              blocks of 256 terms: gather, compute, add to the results
//	              (execute, loops, pace; parallel)
//
// # Detection
//
// Outputs are taken apart at their long sums, through the linear operations
// above them: what is added is a candidate. It is traced down to inputs,
// parameters and constants, and the sequence of its operations is its shape;
// what is shared within a term is one step. Candidates that have most of their
// operations in common, such as the two coordinates of a projection, are one term
// (together); what else terms share is repeated in each of them. Candidates of one
// shape become its terms. What differs from term to term is kept in lists, one a
// place of the shape: numbers of variables and parameters, constants, rows. A
// candidate that is too large, or of one shape too many to derive, is cut at its
// own sums, and if that does not help left over (obstacle says why). A small
// function may be one term as a whole. Whether a plan is used, packages hessian
// and reverse decide by its Cost: what terms repeat, and blocks of few of them,
// have their time there.
//
// # Declared terms
//
// A [Repeat] is a function that is given as its terms: the program of one of them
// and the lists. A program calls it as one operation, with the sweeps of a plan of
// its own. Terms in which variables coincide differently are different shapes,
// since x·y has another Hessian where x is y. Where Detect meets a call whose
// operands are inputs, in a sum that is an output, it takes the shapes with their
// lists.
//
// Where symbols would be too many, and where there are too many kinds of
// coincidence, sweeps over the program of the term stand in for them, term after
// term: for all that is computed, or for Hessians or Jacobians alone, compressed by
// a coloring (own). Symbols are worth some time: the Hessian of a Gaussian mixture
// with 330 variables, all coupled, takes 20 evaluations of the function by symbols,
// which were derived in those of 200, and 750 by sweeps.
//
// # Derivation
//
// A form is a set of expressions in which equal ones are one. It is a
// dual.Scalar, so that the rules of package dual give the partials of each
// operation here too. Adjoints give the gradient, edge pushing (Gower and Mello)
// the Hessian: for the last step i of the shape and on to the first, each edge
// {i, j} of weight w is pushed to the operands a of i, as {a, j} of weight w·∂a,
// and the curvature of i times its adjoint makes new edges among the operands.
// What remains between variables is the Hessian. Values have the bits of the
// program; derivatives are simplified as real numbers.
//
// Where a result is not finite, the evaluation is repeated by a second code,
// the careful one, in which a factor of exactly 0 annihilates infinities.
//
// # Execution
//
// An instruction is one plain loop over the lanes of a block, terms side by
// side, in registers that stay in the first-level cache. A leaf that is one
// variable for all terms is loaded once; what is computed of such leaves alone is
// computed once. Lists that go in even steps are runs, and need no index. Values
// of a matrix are cleared just before the first block that adds to them and
// mirrored just after the last, while they are in the cache.
//
// The one term of a small function is run on single numbers, all sums and
// products by one form of instruction.
//
// # Cost
//
// Detection takes O(N) time and memory in the operations N of the program,
// about 0.3 µs a variable of the measuring problems; places in a matrix as much
// again. Derivation takes about a microsecond a step or edge of a shape, and is
// bounded. An evaluation takes about 10 ns an instruction of a block and 0.3 ns
// a lane of it, 5 ns where the lane calls a function such as exp; package cost
// has the numbers. Beyond 10⁵ variables results leave the caches: at 10⁶ the
// Hessians of the measuring problems take 5 to 40 percent longer by the term.
// The memory is 4 bytes at most for each variable and each Hessian entry of a
// term, none where they go in even steps, and 8 bytes for each nonzero of a
// matrix in which most entries are the same at every point.
//
// # Sources
//
// Partially separable functions: Griewank and Toint, Partitioned variable metric
// updates for large structured optimization problems, Numer. Math. 39, 1982.
// Edge pushing: Gower and Mello, A new framework for the computation of Hessians,
// Optim. Methods Softw. 27, 2012.
package terms
