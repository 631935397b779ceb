// Package sweep is the engine room of a tape: a function that was recorded,
// compiled to batches of alike operations, and the sweeps over it.
//
// # From a recording to a program
//
// A [Recording] holds one node an operation, in the order in which they were
// made: an opcode, one or two operands (or a list of them), a constant. What is
// known about an operation stands in the table of package op. While they are
// recorded,
//
//  1. equal nodes are kept once, and cheaper forms with the same bits replace
//     others: x·x is a square, a + (−b) a difference;
//  2. short sums of products are written out.
//
// [Compile] turns a recording into a [Program]:
//
//  3. what reaches no output and no guard goes away;
//  4. long chains s = s + t₁, s = s + t₂, … become one sum that adds in the same
//     order;
//  5. nodes are numbered level by level (a node's level is one more than its
//     operands' largest) and operation by operation within, so that the nodes
//     of one level and operation are a batch: consecutive, independent of each
//     other, one loop a sweep.
//
// Most functions are recorded once, in memory that is touched for the first time.
// That costs more than all that is done with it: nodes are small, in chunks that
// are not copied to grow, and stay where they are until they are numbered.
//
// A batch's operands are consecutive too (direct), one and the same (uniform),
// or anywhere (indexed); nodes are sorted, and batches cut, so that most are
// direct. Short affine sums with as many terms form batches term by term, long
// ones and products of lists that share an operand batches of rows: a matrix
// times a vector. What has too few alike nodes runs node by node, as do other
// lists, primitives of the user, and sums of alike terms that were declared
// ([Repeated]): mixed batches.
//
// # Sweeps
//
// A [Workspace] holds the numbers of an evaluation, one array over all nodes
// for each kind: values V, first-order adjoints Bar, tangents T and
// second-order adjoints U of each direction. With v̄ the adjoints, for a node i
// with operands a and b, partials d and second partials dd,
//
//	value      v_i = op(v_a, v_b)                                       Value
//	tangent    t_i = d_a·t_a + d_b·t_b                                  JVP
//	adjoint    v̄_a += d_a·v̄_i                                          VJP, Gradient
//	second     u_a += d_a·u_i + v̄_i·(dd_aa·t_a + dd_ab·t_b)             HVP
//
// Linearize is a Gradient that keeps partials and v̄·dd, so that the products
// HVP that follow are multiplications and additions alone. A second-order sweep
// leaves out what no nonlinear operation needs, what the seeded inputs do not
// move and, for the triangle of a Hessian, what the wanted ones do not. Adjoints that a sweep meets for
// the first time are set, not added to, so that most of the array need not be
// cleared first.
//
// # Infinities
//
// Derivative products, for which 0·∞ and 0·NaN are 0, are slow. A sweep
// multiplies plainly; only if its result is not finite it runs again node by
// node with derivative products, see carefully. That is right because a factor
// that is not finite shows in the result of a plain sweep, as itself or as the
// NaN of its product with 0.
//
// # Beyond numbers
//
// [Replay] runs a program on any dual.Scalar, [Pullback] its adjoint: recorded
// again, they are the transforms of package reverse.
package sweep
