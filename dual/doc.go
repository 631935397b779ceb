// Package dual is the set of elementary operations that a differentiable
// function is written in, and the numbers that carry derivatives through it.
//
// # The problem
//
// A derivative computed by differences is rounded off; one derived by hand is
// wrong after the next change. A dual number a + b·ε with ε² = 0 gives it
// exactly: since f(a + b·ε) = f(a) + f′(a)·b·ε for every elementary function f,
// a program run on dual numbers instead of reals returns its value and, beside
// it, its derivative along the direction b of its inputs (Griewank and Walther,
// Evaluating Derivatives, 2nd ed., chapter 3; Fike and Alonso, The development
// of hyper-dual numbers, AIAA 2011-886).
//
// # A function for every mode
//
// Go has no operators for user types: operations are the methods of [Scalar].
// A function over any Scalar,
//
//	func f[T dual.Scalar[T]](x []T) T {
//		return x[0].Mul(x[1]).Sin().AddReal(1)
//	}
//
// runs in every mode of this module:
//
//	Real      its value
//	Number    and one directional derivative ∇f·d
//	Hyper     two of them, d₁ and d₂, and the second derivative d₁ᵀ∇²f·d₂
//	Of[T]     the derivative of whatever T computes, to any depth
//	Taylor    all derivatives along one direction or curve, to an order chosen at run time
//
// and, recorded once on the variables of package reverse, with whole gradients
// and Hessians. The one-call drivers are in packages forward, reverse and
// hessian; this package is for writing the function, and for reading a single
// derivative off it. Seed the inputs with a direction and read the result:
//
//	y := f([]dual.Number{{V: 2, D: 1}, {V: 3}}) // y.V = f(2, 3), y.D = ∂f/∂x₀
//
// Number and Hyper are flat and fast. Of nests, at more than ten times the cost
// of Hyper for Of[Of[Real]]: take it for third mixed derivatives, Taylor for
// higher ones along one direction.
//
// Go's compiler calls the methods of a type parameter, also with a profile, and
// inlines those of a concrete type: sums and products of Number take 1.3 ns in
// f[T dual.Scalar[T]], 0.4 ns in a function of Number alone. A function that
// forward mode evaluates very often is worth being written so, one evaluated
// often at all worth a tape.
//
// Constants are float64: x.AddReal(c), x.SubReal(c), x.Scale(c), x.RSub(c) for
// c − x, x.RDiv(c) for c/x. The zero value is the constant 0, so that a sum may
// start as var s T. [Sum], [SumSquares], [Affine], [AddScaled], [MulAdd],
// [Dot], [DotReal], [Norm2], [Polyval], [LogSumExp], [Softmax] and the
// activations [ReLU], [ELU], [GELU], [SiLU] save code, and are one operation or few
// on a tape. The incomplete functions [RegIncGamma] and [RegIncBeta] have their
// derivatives in all arguments. [Complex] is a complex number of two. Matrices are in package
// dual/matrix. [Scan] runs a loop
// that carries a state, on a tape as one operation. A branch on x.Less(y) or on
// x.Value() holds on a tape for one outcome alone; [Shown] has the value for an error's text. Max, Min, Abs, Select and what jumps (Floor, Ceil,
// Round, Trunc, Mod, Copysign) do without.
//
// # Conventions
//
// Values follow IEEE 754: outside its domain a function is NaN, at a pole ±∞,
// and nothing panics but a polygamma function of negative order. √−0 is +0.
//
// Where the derivative does not exist, or is infinite, every mode of the module
// has this one:
//
//	|x| at 0                      0
//	max, min at a tie             that of the first argument, the receiver
//	relu at 0                     0
//	√x at 0                       +∞, the second −∞
//	x^p at 0, 0 < p < 1           +∞, the second −∞
//	∛x at ±0                      +∞, the second ∓∞
//	x^0                           0, for every x
//	x^y in y at x = 0, y > 0      0
//	x^y in y at x < 0             NaN, also for integer y
//	hypot, Norm2, atan2 at (0,0)  0 of every order
//	Select, Step                  0 in what is compared
//	⌊x⌋, ⌈x⌉, round, trunc        0, also where they jump
//	mod                           1 in x, −trunc(x/y) in y
//	copysign                      that of |x| in x, 0 in y
//	1/x, ln x, Γ at a pole        the limit from the side of the zero's sign
//	polygamma at −1, −2, …        NaN, as its value
//	x/y at y = ±∞                 0
//	NaN value of a function       NaN, first and second
//
// Sums, products, quotients, squares, PowReal and PowInt with exponent 1 or 2
// keep the partials of their formula where the value is NaN: x/c has the derivative 1/c
// everywhere.
//
// Partials and tangents multiply by the derivative product, [Scalar].Prod: a
// factor that is exactly 0 gives 0, though the other be ±∞ or NaN. The partial
// of √x at 0 is +∞, yet 0·√x and √(x²) have the derivative 0 there, and a
// constant has derivative 0 whatever is done with it, unless the result is NaN.
// Where a sum of such products is ∞ − ∞, modes need not agree; nor do they
// where a partial leaves the range of float64 that its product with a tangent
// would be in. The file conventions.md is a table of these and more cases, each
// line of which a test runs in every mode.
//
// # Accuracy
//
// Values and first derivatives are within 2 units of the last place, second
// derivatives within 4, against numbers computed to 30 digits; where a number
// has a condition c above 2, and for Γ and its relatives, within 4(c + 1). The
// file accuracy.md has the errors of each operation, and what the derivatives of
// derivative rules reach, which transforms of tapes are made of.
package dual
