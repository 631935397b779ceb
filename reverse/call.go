package reverse

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

func init() { op.SetRecorder[Var](recorder{}) }

// recorder has what packages dual and dual/matrix record as one operation.
type recorder struct{}

// Shown returns the value of x.
func (recorder) Shown(x Var) float64 { return x.v }

// Call returns f of z, NaN where all of z are constants and f fails.
func (recorder) Call(f op.Func, z []Var) []Var {
	constant := func(lo, hi int) bool {
		return !slices.ContainsFunc(z[lo:hi], func(z Var) bool { return z.r != nil })
	}
	values := constants(z)
	if constant(0, len(z)) {
		_, m := f.Dims()
		y, v := make([]Var, m), make([]float64, m)
		err := f.Eval(v, values)
		for i := range y {
			if y[i].v = v[i]; err != nil {
				y[i].v = math.NaN()
			}
		}
		return y
	}
	if b, ok := f.(op.Binder); ok {
		var lo, hi int
		f, lo, hi = b.Bind(values, constant)
		z = z[lo:hi]
	}
	return callFunc(f, z)
}
