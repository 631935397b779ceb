// Package scan runs loops that carry a state as one operation of a tape,
//
//	s_{k+1}, out_k = step(s_k, u_k; p_k),  k = 0, …, T−1,
//
// of which only the step is recorded. A [Loop] has the sweeps of a function with T copies
// of the step, one after the other. With λ the adjoint of the state, ν the weights of the
// outputs, u the inputs and p the data of a step, and a dot for tangents:
//
//	value      forward, by the step's program; its states s_k are kept
//	tangent    forward, s_k and ṡ_k of several directions together
//	adjoint    backward: λ_k, ū_k = step′(s_k, u_k)ᵀ[λ_{k+1}; ν_k]
//	second     backward, by the step's Lagrangian L = λᵀnext + νᵀout, whose gradient
//	           in (s, u) is the adjoint: the tangents of λ_k and ū_k along
//	           (ṡ, u̇, λ̇, ν̇) are a product with the Hessian of L in (s, u, λ, ν)
//
// Sweeps backward evaluate each step again from the state that it started with. If there
// is no room to keep all states, those between checkpoints are computed again, by the
// optimal schedule of Griewank and Walther or, where the number of steps is not known
// before, by one that is online (history.go).
//
// Read loop.go (what a loop is), memory.go and run.go (its memory, and one step), sweeps.go
// (the sweeps over all steps), then kernel.go and block.go, which make steps fast.
//
// # Blocks
//
// A step of few operations is run as code (kernel.go). Where all states are kept, up to 256
// steps are run at a time (block.go), large ones too if that is estimated to take less time than
// sweeps. In such a block, only what depends on the step before is
// computed step by step. What depends on inputs and data alone is computed before that,
// outputs and adjoints of inputs after it, both as lanes, one a step. In a sweep backward
// all states are known, and so are all partial derivatives: what is left step by step is
// the linear recursion λ_k = J_kᵀλ_{k+1}, and likewise its tangents. A block of small
// steps has the bits of these run one by one. That is what happens to steps in which comparisons come out
// otherwise than recorded or numbers are not finite, and to those between checkpoints.
//
// # Transforms
//
// Loops are closed under differentiation. The tangent of a loop is that of the
// tangent of its step, with the state [s; ṡ]. The adjoint is two loops: one hands
// out the states s_k, one goes from the last step to the first with the state λ,
// and takes the s_k in. See scanTangents and scanAdjoints in package reverse. A loop
// that finds its end itself has no fixed number of states; its adjoint is a function
// whose derivatives are the sweeps of second order.
//
// # Branches
//
// A step that compares numbers is recorded once for each way in which its comparisons come
// out. Each step k is run by the recording whose guards hold there; those of two recordings
// of one function never both hold. A loop that finds its end itself has a recording of the
// end, too: its guards hold in the state after the last step, and it computes nothing.
//
// # Go source
//
// A loop whose steps are code can be written as Go (write.go): the kernels of the steps,
// and loops over the steps one by one.
package scan
