// Package compile turns a recording into a program: the same operations, reordered and
// grouped into batches of alike ones, so that each batch is one loop over arrays.
//
// What comes in is a [tape.Recording] and which of its nodes are outputs; equal
// operations are one node there already. What goes out is a [Program]: a
// [tape.Tape] whose operations stand in batches, and what sweeps over them need to
// know. Nothing is evaluated here. [Plain] makes a program without any of this, with
// which the compiled one must agree bit by bit.
//
// There are two steps. [InOrder] drops dead code and leaves a tape in the recorded order;
// package terms looks for sums of alike terms in that. [Arrange] makes batches of it, and
// is called only when a sweep over the tape is asked for: a function that is a sum of
// alike terms altogether never needs one.
//
// # Words
//
// A node is a number of the tape: an input, parameter, constant or result of an operation.
// An operation is named by the node that is its result. The nodes of a batch are its lanes.
// A span is nodes with consecutive numbers. A place is where a sweep keeps the value,
// tangent or adjoint of a node: its number, except where a program is swept in sections,
// whose nodes take turns in the same memory.
//
// Read program.go first, which has the data structures, then compile.go and the passes in
// this order.
//
// # Passes
//
// Each pass is linear in time and memory.
//
//	live.go     dead code elimination, where the recording has counted no use of some
//	            operation: what reaches no output and no guard goes
//	            (Aho, Lam, Sethi, Ullman: Compilers, 2nd ed., 2006, 9.1.6, on a
//	            single basic block: mark from the outputs); and which operations feed
//	            no nonlinear one: a Hessian does not need them.
//	chains.go   s = s + t₁, s = s + t₂, … is one sum, which adds in the same order.
//	levels.go   level scheduling (Anderson and Saad: Solving sparse triangular
//	            linear systems on parallel computers, 1989): a node's level is one
//	            more than the largest of its operands', so nodes of a level do not
//	            depend on each other.
//	batches.go  the nodes of a level that have one operation are numbered in a row:
//	            a batch, one loop over its lanes a sweep. affine.go and rows.go make
//	            those of sums.
//	order.go    lanes are put in an order in which operands are consecutive.
//	writes.go   where a reverse sweep writes an adjoint for the first time, it need
//	            not have been cleared.
//	sections.go independent parts of a large program are swept one after another, in
//	            second order, so that what they compute stays in the caches: tiling.
//	            That is done when it is first needed.
//
// # Batches
//
// Sweeps are bound by memory, and by how often they ask what to do. In a batch they
// ask once. The operands of its lanes are consecutive, or all the same, or anywhere,
// by index; the first two cost no index and no gathering. So batches are sorted,
// and cut where operands stop being consecutive, as long as the pieces are not too
// short. Of
//
//	for i := range n−1 { s += (x[i+1] − x[i]²)² }
//
// with n = 1000 these are the batches: 999 squares of x₀, x₁, …; 999 differences of
// x₁, x₂, … and the squares; 999 squares of these; and one sum.
//
// What has too few alike nodes runs node by node, as do long lists, selections and
// primitives: mixed batches.
package compile
