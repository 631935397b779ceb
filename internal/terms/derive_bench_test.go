package terms_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

// The derivation of terms whose variables are all coupled.
func BenchmarkWide(b *testing.B) {
	for _, n := range []int{10, 30, 100} {
		x, index := make([]float64, n), make([][]int, n)
		for i := range x {
			x[i], index[i] = 1, []int{i, i}
		}
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			return reverse.Repeat(func(x, _ []reverse.Var) reverse.Var {
				return dual.Dot(x, x).Add(dual.Sum(x)).Softplus()
			}, x, index, nil)
		}, x)
		require.NoError(b, err)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				terms.Detect(tape.Inside().Function, true).Hessian(nil)
			}
		})
	}
}
