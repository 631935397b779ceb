package dual

// Scalar is the set of elementary operations that a differentiable function is
// written in. A generic function
//
//	func f[T dual.Scalar[T]](x []T) T
//
// serves every mode of the library: T is Real for values, Number or Hyper for
// forward mode, Of[T] for nested derivatives, reverse.Var for the tape and
// detect.Tracer for patterns.
//
// The zero value of every Scalar is the constant 0. Values follow IEEE 754:
// nothing panics, a number outside a domain gives NaN. Derivatives at kinks,
// poles and undefined points are those of the package comment, in every mode.
type Scalar[T any] interface {
	Add(y T) T // x + y
	Sub(y T) T // x − y
	Mul(y T) T // x·y
	Div(y T) T // x/y
	Neg() T    // −x
	Inv() T    // 1/x

	AddReal(c float64) T // x + c
	SubReal(c float64) T // x − c
	Scale(c float64) T   // c·x
	RSub(c float64) T    // c − x
	RDiv(c float64) T    // c/x

	Square() T           // x²
	Sqrt() T             // √x; √−0 is +0
	Cbrt() T             // ∛x
	Hypot(y T) T         // √(x² + y²)
	Pow(y T) T           // x^y
	PowReal(p float64) T // x^p
	PowInt(n int) T      // x^n

	Exp() T   // eˣ
	Exp2() T  // 2ˣ
	Expm1() T // eˣ − 1
	Log() T   // ln x
	Log2() T  // log₂ x
	Log10() T // log₁₀ x
	Log1p() T // ln(1 + x)

	Sin() T
	Cos() T
	Tan() T
	Asin() T
	Acos() T
	Atan() T
	Atan2(x T) T // the angle of the point (x, y), y the receiver
	Sinh() T
	Cosh() T
	Tanh() T
	Asinh() T
	Acosh() T
	Atanh() T

	Erf() T
	Erfc() T
	Gamma() T          // Γ(x)
	LogGamma() T       // ln |Γ(x)|
	Polygamma(n int) T // ψ⁽ⁿ⁾(x), n ≥ 0; n = 0 is the digamma function; panics for n < 0

	Logistic() T // 1/(1 + e⁻ˣ)
	Softplus() T // ln(1 + eˣ)

	Abs() T          // |x|
	Max(y T) T       // the larger; at a tie x
	Min(y T) T       // the smaller; at a tie x
	Copysign(y T) T  // |x| with the sign of y, NaN where y is; the derivative in x at 0 is 0, in y everywhere
	Step(y T) T      // 1 where x < y, else 0, NaN where either is NaN; all derivatives 0
	Select(a, b T) T // a where x > 0, NaN where x is NaN, else b; no derivative in x

	// All derivatives of the first four are 0, also where they jump; on a tape they are
	// operations as any other and no guards.
	Floor() T  // ⌊x⌋
	Ceil() T   // ⌈x⌉
	Round() T  // the integer next to x, of two the one farther from 0
	Trunc() T  // x without its fraction
	Mod(y T) T // x − y·trunc(x/y), with the sign of x; its partials are 1 and −trunc(x/y)

	FMA(y, z T) T // x·y + z, rounded once

	// IncGamma and IncBeta are the partial derivatives ∂ⁱ⁺ʲP(a, x)/∂aⁱ∂xʲ and
	// ∂ⁱ⁺ʲ⁺ᵏI(a, b, x)/∂aⁱ∂bʲ∂xᵏ of the functions [RegIncGamma] and [RegIncBeta], a
	// the receiver. They panic for an order below 0 or above 60.
	IncGamma(i, j int, x T) T
	IncBeta(i, j, k int, b, x T) T

	// Prod is the derivative product: x·y, but 0 where either factor is
	// exactly 0, whatever the other (±∞ and NaN too). Its derivatives are
	// derivative products again.
	Prod(y T) T

	// SumOf is Σ xᵢ, AffineOf c₀ + Σ cᵢxᵢ, DotOf Σ xᵢyᵢ, each added from the
	// left, from the first term on if c₀ is 0; the receiver does not matter.
	// They are what the functions Sum, Affine and Dot call, so that a tape
	// keeps one operation instead of n.
	SumOf(x []T) T
	AffineOf(c0 float64, c []float64, x []T) T
	DotOf(x, y []T) T

	// Const is the constant c; the receiver does not matter.
	Const(c float64) T
	// Value is the number itself, without derivatives. While recording a
	// tape it is a guard: the recording holds for that value alone.
	Value() float64
	// Detach is x as a constant: same value, all derivatives 0.
	Detach() T

	// Comparisons look at values alone. While recording a tape each is a guard.
	Less(y T) bool             // x < y
	LessEq(y T) bool           // x ≤ y
	LessReal(c float64) bool   // x < c
	LessEqReal(c float64) bool // x ≤ c
}
