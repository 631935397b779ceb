// Package reverse records a function on a tape and differentiates the tape:
// gradients, Jacobians, and the products Jv, Jᵀw and Hv, each for a few times
// the cost of the function, whatever the number of variables.
//
// # The problem
//
// Forward mode carries one direction through a function, so that a gradient of
// n variables costs n evaluations (see package forward). Reverse mode goes
// through the function once backward instead. The function is a sequence of
// elementary operations v_i = φ_i(v_j, …); the adjoint v̄_i = ∂f/∂v_i of the last
// one is 1, and from the last operation to the first
//
//	v̄_j += ∂φ_i/∂v_j · v̄_i.
//
// What remains at the inputs is the gradient, for the price of about two more
// evaluations in multiplications. It needs the operations in order, with their
// operands: the tape (Griewank and Walther, Evaluating Derivatives, 2nd ed.,
// chapters 3 and 4).
//
// # The smallest example
//
//	t, err := reverse.Record(func(x []reverse.Var) reverse.Var {
//		return x[0].Add(x[0].Square())
//	}, []float64{3})
//	g, err := t.Gradient(nil, []float64{3}) // 1 + 2·3 = 7
//
// [Record] calls the function once. A [Var] carries a number and notes each
// operation that is done with it; what is noted is compiled to a [Tape], which
// is evaluated at any point from then on. The function itself is not called
// again. It may be generic over dual.Scalar, and then serves every mode of this
// module: Go finds the type argument of reverse.Record(f, x).
//
// # What is recorded
//
// Operations on Vars, that is the methods of dual.Scalar and whatever is made of
// them. Not recorded are operations among constants, and all that the function
// does with float64: loops, data, if on anything but a Var. They are as they
// were when the function was called. A Var belongs to its recording; two
// recordings do not mix.
//
// Compiling leaves out what no output depends on, keeps equal operations once,
// adds up the terms of a loop s = s.Add(t) as one sum, and groups operations of
// one kind that do not depend on each other, so that a sweep is few long loops.
// The values of a tape have the bits of the plain function (but for the sign of
// a sum of negative zeros).
//
// # Branches
//
// A comparison of Vars (Less, LessEq, LessReal, LessEqReal) gives the function a
// bool, by which it may branch, and the tape a guard: the comparison and how it
// came out. Value, which gives the number itself, is a guard on this number. An
// evaluation checks all guards and returns a *[BranchError] where one comes out
// otherwise, for then the tape is not the function there. [Recorder].Lines
// notes where in the source each comparison and operation stands.
//
// A [Func] keeps the function with the tapes of the branches that were met, and
// records again where none fits. Without a guard are Max, Min, Abs, Select and
// Step, which a tape decides anew at every evaluation; Detach takes a Var as a
// constant of the derivative, not of the value.
//
// # Parameters
//
// [RecordParams] records a function of inputs and parameters. Parameters are not
// differentiated, but may be others at each evaluation: data of a fit, the
// multipliers of a Lagrangian. [Tape.With] is a view of the tape with its
// parameters bound, at the cost of their copy; evaluations of it take x alone.
// They may also follow x in one slice. [NewFuncParams] is a [Func] with
// parameters.
//
// # Repeated terms
//
// Most large functions are sums of alike terms: over the elements of a mesh, the
// points of a data set, the steps of a trajectory. Written as a loop, each term is
// recorded, some hundred bytes and nanoseconds of it; [Repeat] records the term
// once, with lists of which variables and parameters each one has,
//
//	Σ 100(xᵢ₊₁ − xᵢ²)²:
//
//	reverse.Repeat(func(x, p []reverse.Var) reverse.Var {
//		return x[1].Sub(x[0].Square()).Square().Scale(100)
//	}, x, [][]int{{0, 1, 2, …}, {1, 2, 3, …}}, nil)
//
// and [RepeatVec] adds the terms to several outputs: residuals, constraints. The
// sum is one operation of the tape, among others, in all evaluations, patterns and
// transforms. Sparse Hessians and Jacobians take the terms as they are given,
// where their variables are inputs and the outputs are sums of them.
//
// Of rosen with 10⁶ variables the tape takes 0.1 s and 29 bytes a variable, none
// for a term; to prepare the sparse Hessian takes as long, and to evaluate it 13
// times as long as the plain function (go test -bench Repeat ./hessian). Where
// terms are in no order, a tape keeps 4 bytes an index, and memory that is read
// here and there is the limit: 44 times.
//
// # Loops with a state
//
// A loop whose steps go on from what the step before returned, s_{k+1} =
// step(s_k, w, u_k, p_k), is one operation by dual.Scan: the step is recorded once, and
// apart from the data the tape does not grow with the number of steps.
//
//	last, sum := dual.Scan(dual.Loop[reverse.Var]{
//		Start:  x[:2], // s₀
//		Shared: x[2:], // w
//		Steps:  10000,
//		Step: func(s, w, _, _ []reverse.Var) (next, out []reverse.Var) {
//			return []reverse.Var{s[1], w[0].Sub(s[0]).Mul(w[1])}, []reverse.Var{s[0].Square()}
//		},
//	})
//
// Start, Shared and Vars are any Vars of a recording, inputs or results. Step is called with
// Vars of its own, and using others in it panics. A step that makes comparisons is recorded
// once for each way in which they come out at the recorded point, up to 64 ways; if there
// are more, the loop is written out on the tape. Where a step takes another way, an
// evaluation returns a *BranchError that names the step, and a Func records again. With
// While the number of steps is found at each evaluation; it need not be that of the
// recorded point. Comparisons of While are recorded as those of a step are, and those that it
// makes before step 0 also with the other outcome.
//
// Values are those of the loop, bit for bit. In units of the plain loop a value takes 1 or
// 2, a gradient 3 to 7: it evaluates each step twice, the second time from the states that
// the value sweep keeps, T·n numbers. With Checkpoints c it keeps c·n numbers and evaluates
// steps again by the optimal schedule (Griewank and Walther, Revolve, ACM TOMS 26, 2000):
// none more than r times, if T ≤ (c+r)!/(c! r!), as 10⁷ steps with 30 checkpoints at most 7
// times (go test -bench Scan ./reverse). With While checkpoints are set online, which takes
// at most a third more steps, mostly 1 to 3 percent. Products with the Hessian also keep the
// tangents of the states. [Tape.Adjoint], and so the strategy RoR of package hessian, has
// all states as numbers of its tape, whatever Checkpoints says: take another strategy for
// long loops. For a loop with While it panics on a third derivative.
//
// In a step, a Repeat or another loop of at most 500 operations in all that makes no
// comparisons is written out.
//
// dual.ScanLanes runs many loops with one step side by side, from many states or over many
// series of data.
//
// A loop that runs until it converges is another matter: what it converges to is a
// fixed point, whose derivatives package implicit has without the steps. A loop whose
// steps do not need each other is [Repeat]; one that is short may as well be written as
// it is.
//
// # Functions of your own
//
// [NewPrimitive] makes an operation of a function of one variable with two
// derivatives, [Apply] one of a [VecPrimitive]: a function ℝⁿ → ℝᵐ with its
// products Jv, Jᵀw and (Σ wⱼ∇²Fⱼ)v, for instance the solution of an equation
// (see package implicit). Their methods may fail; the error is that of the
// recording or the evaluation. Third derivatives of them panic.
// Functions of matrices are there already, see package dual/matrix.
//
// # Which function when
//
//	f: ℝⁿ → ℝ    f, ∇f           Value, Gradient, ValueGradient
//	             ∇²f v           HVP; HVPs for several v
//	             ∇²f             package hessian
//	F: ℝⁿ → ℝᵐ   F               Values
//	             F′v             JVP
//	             F′ᵀw            VJP
//	             F′              Jacobian; NewSparseJacobian where it is sparse
//	             (Σ wⱼ∇²Fⱼ)v     HVP with weights
//	any order    F(x(t))         Taylor: coefficients along a curve
//	             F′(x(t))ᵀw(t)   TaylorVJP: derivatives of gradients along it
//	many points  F, ∇f           ValuesOfRows, GradientsOfRows
//	goroutines   one evaluation  WithWorkers
//	once only    ∇f              the function Gradient
//	branches     f, ∇f, ∇²f v    Func
//	large sums   to record       Repeat, RepeatVec
//	programs     F′v, F′ᵀw       Tangent, Adjoint: tapes again
//	patterns     of F′, ∇²f      JacobianPattern, HessianPattern
//
// [Tape.Tangent] and [Tape.Adjoint] are tapes of the products, with v or w
// among the inputs, which can be evaluated, differentiated and transformed like
// any other: the Hessian is the Jacobian of the adjoint, and so on to any order.
//
// # Conventions
//
// dst comes first and may be nil; else it has the right length and may be one
// of the arguments, whole; it shares no memory with them otherwise, the values of a
// matrix none with x. Derivatives at kinks and poles are those of package dual. A
// factor that is exactly 0 annihilates an infinite or undefined partial: a
// constraint with multiplier 0 does not poison a Lagrangian. NaN and
// infinities in x flow through.
//
// Misuse panics: a nil function, a wrong length, no outputs, Vars of two
// recordings, a Var used after its recording. A panic of the function passes,
// and leaves nothing behind. What depends on data is an error: *BranchError,
// the error of a primitive. dst is then as it was.
//
// # Seeing a tape, finding a fault
//
// [Tape.WriteTo] lists the operations of a tape, [Tape.WriteDOT] draws a small one
// with the value and the adjoint at each node, and a Var prints as what it is in
// the recording.
//
// [Trace] names the operation and the line of the source that made an infinity
// or a NaN, in the value, the gradient or the Hessian. [Recorder].Lines does so
// for a comparison that came out otherwise. [CheckRepeats] tells whether a
// function does the same when it is called again. Check of package hessian does
// all this and compares derivatives with differences.
//
// # Concurrency
//
// Recordings are independent of each other; one is for one goroutine. A Tape is
// immutable, and a Func synchronized: any number of goroutines may evaluate
// them at once, and get the bits that a single one gets. Working memory comes
// from a pool, so that evaluations into a given dst do not allocate once it is
// warm.
//
// # Cost
//
// In evaluations of the plain Go function on float64, by go run ./bench
// tapes on a 2-core x86-64 machine; n = 10⁴, but for helmholtz (n = 100) and rnn
// (n = 112). The problems are those of bench/problems.
//
//	           Value  Gradient  HVP  HVPs of 4
//	rosen        3.0       5.3  9.0         23
//	arrow        2.8       5.4  9.5         24
//	bdqrtic      2.5       5.4  9.4         25
//	minsurf      1.4       2.8  5.6         16
//	trig        0.24      0.45 0.74        1.4
//	helmholtz    0.7       1.2  2.5        4.1
//	rnn          1.3       3.8  9.1         17
//
// A term of rosen takes the plain function 0.8 ns, for seven operations of the
// tape; functions like exp and sin it computes eight at a time, which plain Go does
// one by one. Up to eight directions share a sweep. Recording takes
// about 30 ns an operation, 45 the first time, and 40 more with the first evaluation
// (go test -bench PrepareOnce ./hessian), Tangent and Adjoint 0.2 µs. A tape
// takes about 20 bytes an operation, the working memory of a gradient 18, that
// of each direction of a product 16 more. Nothing is recursive: a chain of 10⁶
// operations is recorded and differentiated like any other.
//
// For functions that are sums of alike terms, ValueGradient of hessian.Sparse
// takes half the time of that of a Tape, once the plan is made.
//
// Where a function is called at a few points only, or its loops and branches
// depend on x, so that tapes would be recorded again and again, forward mode
// may be the cheaper one.
package reverse
