// Package hessian computes second derivatives: the Hessian of f: ℝⁿ → ℝ, its
// products Hv and uᵀHv, and the same of wᵀF for a vector function F, the Hessian
// of a Lagrangian. It does so by any of the four compositions of forward and
// reverse mode, dense or sparse.
//
// # The smallest example
//
//	h, err := hessian.Of(nil, f, x) // *mat.SymDense, f over reverse.Var or generic
//
// What is evaluated at many points is recorded and prepared once:
//
//	t, err := reverse.Record(f, x)
//	h := hessian.New(t, hessian.FoR)
//	H, err := h.Dense(dst, x)   // n products
//	hv, err := h.HVP(dst, x, v) // one
//
// # The four strategies
//
// A second derivative is a first derivative of a first derivative, and each of
// the two may be taken in forward mode (tangents, directions of the inputs) or
// in reverse mode (adjoints, weights of the outputs). With H = ∇²(wᵀF)(x):
//
// FoF, forward over forward. F on numbers with two infinitesimals ε₁ and ε₂,
// the first along u, the second along v: the coefficient of ε₁ε₂ in wᵀF is uᵀHv.
//
// FoR, forward over reverse. The gradient F′(x)ᵀw is one adjoint sweep; on dual
// numbers x + εv it is F′(x)ᵀw + ε·Hv (Pearlmutter, Fast exact multiplication by
// the Hessian, 1994).
//
// RoF, reverse over forward. The JVP [x; v] ↦ [F(x); F′(x)v] is a function
// again. Its gradient with the weights [0; w] is [Hv; F′(x)ᵀw].
//
// RoR, reverse over reverse. The VJP [x; w] ↦ F′(x)ᵀw is a function again. Its
// gradient with the weights v is [Hv; F′(x)v].
//
//	                  FoF             FoR              RoF              RoR
//	one run gives     uᵀHv            Hv               Hv               Hv
//	by the passes     forward         forward,         forward with     forward,
//	                                  reverse,         tangent,         reverse,
//	                                  tangent of both  reverse          reverse of both
//	numbers           hyper-dual      dual             dual, then real  real
//	sweeps a tape of  the JVP, or no  F itself         the JVP          the VJP
//	                  tape at all
//	stores of each    nothing, if     value, adjoint   value, tangent   value, adjoint
//	operation         without tape    and the tangents and the adjoints and the adjoints
//	                                  of both          of both          of both
//	runs for Hv       n               1                1                1
//	runs for H        n(n+1)/2        n                n                n
//	value sweeps      n               1                n                1
//	for H
//	uses symmetry     yes: half the   no               no               no
//	                  elements
//	for large n       no              yes              yes              yes
//
// The test TestRunsOfTheStrategies counts runs and sweeps, TestTapesOfTheStrategies
// the operations of the tapes: those of the JVP are 2 to 9 times those of F,
// those of the VJP 1.2 to 9 times. As go run ./bench measured it on a 2-core
// x86-64 machine, time in evaluations of the plain Go function, memory in
// bytes:
//
//	                          FoF   without tape     FoR     RoF     RoR
//	rnn, n = 112     a run    12.9           6.10    9.26    15.1    19.0
//	                 H       23859          37962     153    1608     846
//	                 tape   187735              –   49923  187735  241112
//	                 work   141344           4608   77352  141360  142000
//	helmholtz,       a run    7.20           7.87    2.55    6.91    15.3
//	n = 100          H        4116          47292    36.3     656     803
//	                 tape   202489              –  132178  202489  372731
//	                 work    79872           9600   69392   79888  239040
//
// FoR and RoR find the values once for all runs, and several directions share
// a sweep of FoR, RoR and FoF. The four agree to rounding on every function,
// which is how this module is tested.
//
// # Which when
//
//   - FoR, unless there is a reason: it is what [Of] and reverse.Tape.HVP use.
//   - [ForwardBilinear] for the one number uᵀHv, [Forward] for the Hessian of few
//     variables: no tape, no memory that grows with the computation, and any
//     branches or loops. The same number from a tape is FoF's Bilinear.
//   - RoF and RoR to check FoR by other means, and to compare.
//   - [NewSparse] where most elements of the Hessian are 0 at every point: its
//     cost does not grow with n but with the number of operations.
//   - [NewChunks] where the function is a sum over more data than memory holds.
//   - [Problem] to minimize a function by package optimize of gonum.
//
// # Weights, parameters, errors
//
// The functions take the weights w last; a function with one output needs
// none. An output of weight 0 leaves no trace, though its derivatives be
// infinite. Points may have parameters after the inputs, see package reverse,
// which also has the conventions on dst, aliasing, errors, allocation and
// concurrency.
//
// # Is it right?
//
// [Check] tries a function of the user: whether it does the same when called
// again, its gradient and Hessian against differences, its sparsity pattern
// against products, each with what is wrong in words.
//
// # Sparse Hessians
//
// A [Sparse] knows the pattern of H and how to compute its nonzeros, found once;
// Eval fills the values of a sparsity.Matrix.
//
// By terms: many functions are sums of many small terms of few shapes. Each
// shape is differentiated once, symbolically, and the result run over all its
// terms. That takes about twice the time of a gradient, and colors nothing.
//
// By coloring: columns without a nonzero in common may be computed by one product
// H·(Σ eⱼ). A star coloring lets each element be read off directly, an acyclic
// one takes fewer products and substitutes (see package coloring).
//
// Of these the one is taken that is estimated to be the fastest, from counts of
// what each has to do. Explain says what was chosen and why; Verify compares
// with products, for a pattern that was given and may be wrong.
package hessian
