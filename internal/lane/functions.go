package lane

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// kernel is a kernel by its number among those of a kind of function, 0 for none.
type kernel uint8

// The kinds of functions. A function whose rule is plain Go has other bits where
// the compiler fuses, see fuses; the others round each product or are assembly.
type (
	unary struct {
		name   string
		scalar func(x float64) float64
		plain  bool
		kernel kernel
	}
	unaryTwo struct {
		name   string
		scalar func(x float64) (y, y2 float64)
		plain  bool
		kernel kernel
	}
	binary struct {
		name   string
		scalar func(x, y float64) float64
		plain  bool
		kernel kernel
	}
)

// The functions and their rules.
var (
	exp      = unary{name: "exp", scalar: math.Exp}
	log      = unary{name: "log", scalar: elem.Log}
	sin      = unary{name: "sin", scalar: math.Sin, plain: true}
	cos      = unary{name: "cos", scalar: math.Cos, plain: true}
	tanh     = unary{name: "tanh", scalar: math.Tanh, plain: true}
	logistic = unary{name: "logistic", scalar: elem.Logistic}
	softplus = unary{name: "softplus", scalar: elem.Softplus, plain: true}

	exp2  = unary{name: "exp2", scalar: math.Exp2, plain: true}
	expm1 = unary{name: "expm1", scalar: math.Expm1, plain: true}
	log1p = unary{name: "log1p", scalar: math.Log1p, plain: true}
	log2  = unary{name: "log2", scalar: math.Log2, plain: true}
	log10 = unary{name: "log10", scalar: elem.Log10}
	tan   = unary{name: "tan", scalar: math.Tan, plain: true}
	atan  = unary{name: "atan", scalar: math.Atan, plain: true}
	asin  = unary{name: "asin", scalar: math.Asin, plain: true}
	acos  = unary{name: "acos", scalar: math.Acos, plain: true}
	sinh  = unary{name: "sinh", scalar: math.Sinh, plain: true}
	cosh  = unary{name: "cosh", scalar: math.Cosh, plain: true}

	cbrt = unary{name: "cbrt", scalar: math.Cbrt, plain: true}
	erf  = unary{name: "erf", scalar: math.Erf, plain: true}
	erfc = unary{name: "erfc", scalar: math.Erfc, plain: true}

	sincos           = unaryTwo{name: "sincos", scalar: math.Sincos, plain: true}
	softplusLogistic = unaryTwo{name: "softplusLogistic", scalar: elem.SoftplusLogistic, plain: true}

	pow     = binary{name: "pow", scalar: elem.Pow}
	powReal = binary{name: "powReal", scalar: elem.PowReal}
	powInt  = binary{name: "powInt", scalar: func(x, n float64) float64 { return elem.PowInt(x, int(n)) }}
	hypot   = binary{name: "hypot", scalar: math.Hypot}
	atan2   = binary{name: "atan2", scalar: math.Atan2, plain: true}
)

var (
	unaries   = []*unary{&exp, &log, &sin, &cos, &tanh, &logistic, &softplus, &exp2, &expm1, &log1p, &log2, &log10, &tan, &atan, &asin, &acos, &sinh, &cosh, &cbrt, &erf, &erfc}
	unaryTwos = []*unaryTwo{&sincos, &softplusLogistic}
	binaries  = []*binary{&pow, &powReal, &powInt, &hypot, &atan2}
)

// Exp sets dst = eˣ.
func Exp(dst, x []float64) { exp.run(dst, x) }

// Log sets dst = ln x.
func Log(dst, x []float64) { log.run(dst, x) }

// Sin sets dst = sin x.
func Sin(dst, x []float64) { sin.run(dst, x) }

// Cos sets dst = cos x.
func Cos(dst, x []float64) { cos.run(dst, x) }

// Sincos sets sin and cos to the sine and the cosine of x.
func Sincos(sin, cos, x []float64) { sincos.run(sin, cos, x) }

// Tanh sets dst = tanh x.
func Tanh(dst, x []float64) { tanh.run(dst, x) }

// Logistic sets dst = 1/(1 + e⁻ˣ).
func Logistic(dst, x []float64) { logistic.run(dst, x) }

// Softplus sets dst = ln(1 + eˣ).
func Softplus(dst, x []float64) { softplus.run(dst, x) }

// SoftplusLogistic sets softplus and logistic to those functions of x.
func SoftplusLogistic(softplus, logistic, x []float64) { softplusLogistic.run(softplus, logistic, x) }

// Pow sets dst = x^y.
func Pow(dst, x, y []float64) { pow.run(dst, x, y) }

// Exp2 sets dst = 2ˣ.
func Exp2(dst, x []float64) { exp2.run(dst, x) }

// Expm1 sets dst = eˣ − 1.
func Expm1(dst, x []float64) { expm1.run(dst, x) }

// Log1p sets dst = ln(1 + x).
func Log1p(dst, x []float64) { log1p.run(dst, x) }

// Log2 sets dst = log₂ x.
func Log2(dst, x []float64) { log2.run(dst, x) }

// Log10 sets dst = log₁₀ x.
func Log10(dst, x []float64) { log10.run(dst, x) }

// Tan sets dst = tan x.
func Tan(dst, x []float64) { tan.run(dst, x) }

// Atan sets dst = arctan x.
func Atan(dst, x []float64) { atan.run(dst, x) }

// Asin sets dst = arcsin x.
func Asin(dst, x []float64) { asin.run(dst, x) }

// Acos sets dst = arccos x.
func Acos(dst, x []float64) { acos.run(dst, x) }

// Sinh sets dst = sinh x.
func Sinh(dst, x []float64) { sinh.run(dst, x) }

// Cosh sets dst = cosh x.
func Cosh(dst, x []float64) { cosh.run(dst, x) }

// Cbrt sets dst = ∛x.
func Cbrt(dst, x []float64) { cbrt.run(dst, x) }

// Erf sets dst = erf x.
func Erf(dst, x []float64) { erf.run(dst, x) }

// Erfc sets dst = 1 − erf x.
func Erfc(dst, x []float64) { erfc.run(dst, x) }

// PowReal sets dst = x^p, p with the rule of a constant.
func PowReal(dst, x, p []float64) { powReal.run(dst, x, p) }

// PowInt sets dst = xⁿ, n being whole numbers.
func PowInt(dst, x, n []float64) { powInt.run(dst, x, n) }

// Hypot sets dst = √(x² + y²).
func Hypot(dst, x, y []float64) { hypot.run(dst, x, y) }

// Atan2 sets dst to the angle of the point (y, x), x being its second coordinate.
func Atan2(dst, y, x []float64) { atan2.run(dst, y, x) }

// group is how many lanes are left to the scalar function where a kernel stops:
// those of the widest register.
const group = 8

func (f *unary) run(dst, x []float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		lo, hi := f.kernel.unary(dst, x), len(dst)
		if f.kernel > 0 {
			hi = min(lo+group, hi)
		}
		for i := lo; i < hi; i++ {
			dst[i] = f.scalar(x[i])
		}
		dst, x = dst[hi:], x[hi:]
	}
}

func (f *unaryTwo) run(dst, dst2, x []float64) {
	dst2, x = dst2[:len(dst)], x[:len(dst)]
	for len(dst) > 0 {
		lo, hi := f.kernel.unaryTwo(dst, dst2, x), len(dst)
		if f.kernel > 0 {
			hi = min(lo+group, hi)
		}
		for i := lo; i < hi; i++ {
			dst[i], dst2[i] = f.scalar(x[i])
		}
		dst, dst2, x = dst[hi:], dst2[hi:], x[hi:]
	}
}

func (f *binary) run(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for len(dst) > 0 {
		lo, hi := f.kernel.binary(dst, x, y), len(dst)
		if f.kernel > 0 {
			hi = min(lo+group, hi)
		}
		for i := lo; i < hi; i++ {
			dst[i] = f.scalar(x[i], y[i])
		}
		dst, x, y = dst[hi:], x[hi:], y[hi:]
	}
}
