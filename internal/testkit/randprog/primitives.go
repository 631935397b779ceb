package randprog

import (
	"math"

	"github.com/hesse-ad/hesse/reverse"
)

// Sine is the primitive sin x.
var Sine = reverse.NewPrimitive("sine", math.Sin, math.Cos, func(x float64) float64 { return -math.Sin(x) })

// Vars are the primitives of Vars.
var Vars = &Hooks[reverse.Var]{
	Own: Sine.Apply,
	Vec: func(x, y reverse.Var) (reverse.Var, reverse.Var) {
		z := reverse.Apply(XYY{}, x, y)
		return z[0], z[1]
	},
}

// XYY is x·y² and x + y.
type XYY struct{}

func (XYY) Dims() (n, m int) { return 2, 2 }
func (XYY) Name() string     { return "xyy" }
func (XYY) Eval(y, x []float64) error {
	y[0], y[1] = x[0]*(x[1]*x[1]), x[0]+x[1]
	return nil
}
func (XYY) JVP(dy, x, dx []float64) error {
	dy[0], dy[1] = x[1]*x[1]*dx[0]+2*x[0]*x[1]*dx[1], dx[0]+dx[1]
	return nil
}
func (XYY) VJP(gx, x, w []float64) error {
	gx[0], gx[1] = w[0]*x[1]*x[1]+w[1], w[0]*2*x[0]*x[1]+w[1]
	return nil
}
func (XYY) HVP(h, x, dx, w []float64) error {
	h[0] = w[0] * 2 * x[1] * dx[1]
	h[1] = w[0] * (2*x[1]*dx[0] + 2*x[0]*dx[1])
	return nil
}
func (XYY) Jacobian(int) []int  { return nil }
func (XYY) Hessian(i int) []int { return [][]int{{1}, {0, 1}}[i] }
