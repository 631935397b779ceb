package dual

import (
	"math"
	"testing"
)

var minus0 = math.Copysign(0, -1)

var extremes = []float64{-inf, -math.MaxFloat64, -1e160, -170.5, -3, -1, -0.5, -1e-160, -5e-324, minus0, 0, 5e-324, 1e-160, 0.5, 1, 2, 170, 1e160, math.MaxFloat64, inf, nan}

// A constant has no derivative whatever is done with it: what is infinite or NaN in one place
// does not show in derivatives along others.
func TestConstantsStayConstantAtExtremes(t *testing.T) {
	constant := func(got jet, order int) bool {
		return got.d1 == 0 && (order == 1 || got.d2 == 0 && got.d12 == 0)
	}
	for _, m := range modes {
		for op := range unaryOps[Real]() {
			for _, x := range extremes {
				if got := m.unary(op, seed{x, 0, 0}); !constant(got, m.order) {
					t.Errorf("%s in %s of the constant %g: %v", op, m.name, x, got)
				}
			}
		}
		for op := range binaryOps[Real]() {
			for _, x := range extremes {
				for _, y := range extremes {
					got := m.binary(op, seed{x, 0, 0}, seed{y, 0, 0})
					if !constant(got, m.order) {
						t.Errorf("%s in %s of the constants %g, %g: %v", op, m.name, x, y, got)
					}
				}
			}
		}
	}
}
