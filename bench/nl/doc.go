// Package nl reads optimization problems from AMPL's .nl files, as AMPL, Pyomo,
// JuMP and CasADi write them, and writes solutions back to .sol files.
//
// # The problem
//
// A .nl file holds what a solver needs to know of a problem
//
//	min or max f(x)   s.t.   c_L ≤ c(x) ≤ c_U,   x_L ≤ x ≤ x_U
//
// after the modeling system has written out its sets, indices and data: the
// expressions of f and c in Polish notation, an operation or operand a line,
//
//	C0      constraint 0:
//	o2      product of
//	v3      x₃ and
//	o44     exp of
//	v4      x₄
//
// and beside them their linear parts, bounds, and a start (Gay, Writing .nl Files,
// Sandia National Laboratories 2005).
//
// # The smallest example
//
//	p, err := nl.ReadFile("hs71.nl")
//	t, err := p.Tape(0)              // outputs [f; c]
//	h, err := hessian.NewSparse(t)   // of the Lagrangian
//	j, err := reverse.NewSparseJacobian(t)
//
// Command solve of this package does so and more: it is a solver for what writes
// .nl files.
//
// # What is read
//
// Text files (g) and binary ones (b) of either byte order, as the kind of
// arithmetic in the header says; 0, no kind, is taken for the order of x86 and ARM.
// All segments: constraints and objectives (C, O), defined variables (V), linear
// parts (J, G), bounds (b, r), starts (x, d). Suffixes (S) and the sizes of the
// columns (k, K) are skipped.
//
// All algebraic operators, piecewise-linear terms, conditions and logic in them.
// Nothing of this is a guard on the tape: min, max, if, comparisons are decided
// anew at each evaluation, and their derivatives are those of the side that holds.
// round and trunc to decimal digits need a constant number of digits.
//
// Refused, with a *UnsupportedError that names it, is what has no derivatives or
// no place in such a problem: complementarity, logical constraints, external
// functions, strings, precision, numberof symbolic values, alldiff.
//
// Integer variables are read as such; what to do with them is up to the solver.
//
// # Files from strangers
//
// Read never panics, and takes memory and time proportional to the length of the
// file, whatever its header claims and however deep its expressions are. Of a
// file that is none the *SyntaxError says the line, in a binary file the byte, and
// what was expected there.
//
// # Tapes
//
// Constraints that are written alike are alike on the tape, whatever their
// coefficients, so that sparse derivatives take them as terms of one shape (see
// packages hessian and reverse). A defined variable is on it once.
package nl
