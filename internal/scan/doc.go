// Package scan runs loops that carry a state as one operation of a tape,
//
//	s_{k+1}, out_k = step(s_k, u_k; p_k),  k = 0, …, T−1,
//
// of which the step alone is recorded. A [Loop] has the sweeps of a function with
// T copies of the step, one after the other:
//
//	value      forward, by the step's program; its states s_k are kept
//	tangent    forward, s_k and ṡ_k of several directions together
//	adjoint    backward: λ_k, ū_k = step′(s_k, u_k)ᵀ[λ_{k+1}; ν_k]
//	second     backward, by the step's Lagrangian L = λᵀnext + νᵀout, whose gradient
//	           in (s, u) is the adjoint: the tangents of λ_k and ū_k along
//	           (ṡ, u̇, λ̇, ν̇) are a product with the Hessian of L in (s, u, λ, ν)
//
// Sweeps backward evaluate each step again from the state that it started with.
// Where not all states are kept, those between are computed again by the optimal
// schedule of Griewank and Walther, or by one that is online, see history.
//
// # Blocks
//
// A step of few operations is run as code, and where all states are kept up to 256 steps
// at a time (block.go). Of these only what a step needs of the one before goes step by
// step; inputs and data before it, outputs and adjoints of inputs after it are computed as
// lanes. Backward the states are known, and with them all partial derivatives: what goes
// step by step is the linear recursion λ_k = J_kᵀλ_{k+1}, its tangents likewise. A block
// has the bits of its steps run one by one, which are what is left where comparisons come
// out otherwise, where numbers are not finite and between checkpoints.
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
// A step that compares numbers is recorded once for each way in which its
// comparisons come out. Each step k is run by the recorded one whose guards hold
// there: the guards of two recordings of one function never both hold. Where a loop
// ends is such a way: a step that compares what says so, and goes no further.
//
// # Go source
//
// A loop whose steps are code can be written as Go (write.go): the kernels of the steps,
// and loops over the steps one by one.
package scan
