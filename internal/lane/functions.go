package lane

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
)

// kernel is a kernel by its number among those of a kind of function, 0 for none.
type kernel uint8

// codeKernels is the kernels of an operation, by the set of instructions.
type codeKernels struct {
	code  op.Code
	of    [2]kernel
	plain bool // the rule does not round each product: it has other bits where the compiler fuses, see fuses
}

// Those that are used, by operation: of its value and of its first and second partials.
var kernels, firsts, seconds [op.Count]kernel

// unaryTwo is two functions that take less time together. Their rules are plain Go.
type unaryTwo struct {
	scalar func(x float64) (y, y2 float64)
	kernel kernel
}

var (
	sincos           = unaryTwo{scalar: math.Sincos}
	softplusLogistic = unaryTwo{scalar: elem.SoftplusLogistic}
)

// Sincos sets sin and cos to the sine and the cosine of x.
func Sincos(sin, cos, x []float64) { sincos.run(sin, cos, x) }

// SoftplusLogistic sets softplus and logistic to those functions of x.
func SoftplusLogistic(softplus, logistic, x []float64) { softplusLogistic.run(softplus, logistic, x) }

// group is how many lanes are left to the rule where a kernel stops: those of the widest
// register.
const group = 8

// stops is where lanes by the rule, which begin at lo, end.
func (k kernel) stops(lo, n int) int {
	if k > 0 {
		return min(lo+group, n)
	}
	return n
}

// function sets dst to an operation that is a function in the table, by a kernel and its
// rule.
func (k kernel) function(code op.Code, dst, x, y []float64) {
	switch f := code.Info(); {
	case f.F1 != nil:
		k.runUnary(f.F1, dst, x)
	case f.FC != nil:
		k.runBinary(f.FC, dst, x, y)
	default:
		k.runBinary(f.F2, dst, x, y)
	}
}

func (k kernel) runUnary(f func(x float64) float64, dst, x []float64) {
	for len(dst) > 0 {
		lo := k.callUnary(dst, x)
		hi := k.stops(lo, len(dst))
		for i := lo; i < hi; i++ {
			dst[i] = f(x[i])
		}
		dst, x = dst[hi:], x[hi:]
	}
}

func (k kernel) runBinary(f func(x, y float64) float64, dst, x, y []float64) {
	for len(dst) > 0 {
		lo := k.callBinary(dst, x, y)
		hi := k.stops(lo, len(dst))
		for i := lo; i < hi; i++ {
			dst[i] = f(x[i], y[i])
		}
		dst, x, y = dst[hi:], x[hi:], y[hi:]
	}
}

func (f *unaryTwo) run(dst, dst2, x []float64) {
	dst2, x = dst2[:len(dst)], x[:len(dst)]
	for len(dst) > 0 {
		lo := f.kernel.callUnaryTwo(dst, dst2, x)
		hi := f.kernel.stops(lo, len(dst))
		for i := lo; i < hi; i++ {
			dst[i], dst2[i] = f.scalar(x[i])
		}
		dst, dst2, x = dst[hi:], dst2[hi:], x[hi:]
	}
}
