package dual_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
)

// fibonacci is the last two of T numbers each of which is the sum of those before,
// and their sums.
func fibonacci[T dual.Scalar[T]](start []T, steps int) (last, sum []T) {
	return dual.Scan(dual.Loop[T]{
		Start: start, Steps: steps,
		Step: func(s, _, _, _ []T) (next, out []T) { return []T{s[1], s[0].Add(s[1])}, s },
	})
}

func TestScanIsALoop(t *testing.T) {
	last, sum := fibonacci([]dual.Real{0, 1}, 10)
	require.Equal(t, []dual.Real{55, 89}, last)
	require.Equal(t, []dual.Real{88, 143}, sum) // F₁₁ − 1, F₁₂ − 1
	moved, _ := fibonacci([]dual.Number{{V: 0, D: 1}, {V: 1}}, 10)
	require.Equal(t, []dual.Number{{V: 55, D: 34}, {V: 89, D: 55}}, moved)

	l := dual.Loop[dual.Real]{
		Start: []dual.Real{1}, Shared: []dual.Real{10},
		Vars: [][]dual.Real{{1}, {2}, {3}}, Data: [][]float64{{0.1}, {0.2}, {0.3}},
		Step: func(s, w, u, p []dual.Real) (next, out []dual.Real) {
			return []dual.Real{s[0] * w[0]}, []dual.Real{s[0] + u[0] + p[0]}
		},
	}
	_, out := dual.ScanAt(l, []int{2, 0})
	require.Equal(t, [][]dual.Real{{103.3}, {2.1}}, out)
	_, out = dual.ScanAt(l, nil)
	require.Equal(t, [][]dual.Real{{2.1}, {12.2}, {103.3}}, out)
}
