package hessian_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// Check finds nothing wrong with a loop, whose states branch, and sees what a step
// hides.
func TestCheckOfAScan(t *testing.T) {
	loop := func(hidden bool) func(x []reverse.Var) reverse.Var {
		return func(x []reverse.Var) reverse.Var {
			last, sum := reverse.Scan(reverse.Loop{
				Start: x[:2], Shared: x[2:], Steps: 12,
				Step: func(s, w, _, _ []reverse.Var) (next, out []reverse.Var) {
					y := s[0].Mul(w[0]).Sin()
					if hidden {
						y = s[0].Detach().Mul(w[0]).Sin()
					}
					if y.LessReal(0.3) {
						y = y.Add(s[1].Scale(0.5))
					}
					return []reverse.Var{y, s[0]}, []reverse.Var{y.Square()}
				},
			})
			return sum[0].Add(last[0].Mul(last[1]))
		}
	}
	x := []float64{0.4, 0.7, 1.3}
	_, err := hessian.Check(loop(false), x)
	require.NoError(t, err)
	_, err = hessian.Check(loop(true), x)
	require.Error(t, err)
}
