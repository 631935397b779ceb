package springs_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse/adjoint/internal/springs"
	"github.com/hesse-ad/hesse/sparsity"
)

// tridiagonal is the pattern of the Hessian of a chain.
func tridiagonal(n int) *sparsity.Pattern {
	var rows, cols []int
	for i := range n {
		for j := max(0, i-1); j < min(n, i+2); j++ {
			rows, cols = append(rows, i), append(cols, j)
		}
	}
	return sparsity.FromCoordinates(n, n, rows, cols)
}

// The sparse Hessian of a function with branches that depend on its data takes one product for each
// color, and no tape.
func Example() {
	const limit = 0.5
	h := hessian.NewCompressed(tridiagonal(4), func(dst, x, v []float64) { springs.EnergyHVP(dst, x, v, limit) })
	x := []float64{0.25, 0.5, 1.5, 1.75} // the third spring slides
	fmt.Println(mat.Formatted(h.Eval(nil, x)))
	fmt.Println(h.Coloring().Num(), "products,", h.Verify(x))
	// Output:
	// ⎡  2.375  -1.1875        0        0⎤
	// ⎢-1.1875   1.1875        0        0⎥
	// ⎢      0        0   1.1875  -1.1875⎥
	// ⎣      0        0  -1.1875   1.1875⎦
	// 3 products, <nil>
}

// The second derivative of what a spring stores is 1 + 3s² before it slides and 0 after. Several
// products at once have the same bits as one by one, also fewer than there may be.
func TestHessianIsThatOfTheSprings(t *testing.T) {
	const limit = 0.5
	x := []float64{0.25, 0.5, 1.5, 1.75, 1.5}
	n := len(x)
	want := mat.NewSymDense(n, nil)
	for i, right := range x {
		left := 0.0
		if i > 0 {
			left = x[i-1]
		}
		s, c := right-left, 0.0
		if s*s <= limit*limit {
			c = 1 + 3*s*s
		}
		want.SetSym(i, i, want.At(i, i)+c)
		if i > 0 {
			want.SetSym(i-1, i-1, want.At(i-1, i-1)+c)
			want.SetSym(i, i-1, -c)
		}
	}
	several := coloring.New(coloring.Acyclic, tridiagonal(n)).Compressed(4, func(dst, v [][]float64, x []float64) {
		springs.EnergyHVP4(dst, v, x, limit)
		one := make([]float64, n)
		for d := range v {
			springs.EnergyHVP(one, x, v[d], limit)
			require.Equal(t, one, dst[d])
		}
	}, nil)
	require.True(t, mat.EqualApprox(want, several.Eval(nil, x), 1e-14))
	require.NoError(t, several.Verify(x))
}

func TestMisusePanics(t *testing.T) {
	x := []float64{1, 2}
	for _, f := range []func(){
		func() { springs.EnergyGradient(x[:1], x, 1) },
		func() { springs.EnergyHVP(x[:1], x, x, 1) },
		func() { springs.EnergyHVP(x, x, x[:1], 1) },
		func() { springs.EnergyHVP4([][]float64{x}, nil, x, 1) },
		func() { springs.EnergyHVP4([][]float64{x}, [][]float64{x[:1]}, x, 1) },
		func() { springs.EnergyHVP4(make([][]float64, 5), make([][]float64, 5), x, 1) },
	} {
		require.Panics(t, f)
	}
}

func TestRepeatedProductsAllocateNothing(t *testing.T) {
	x, v, dst := make([]float64, 100), make([]float64, 100), make([]float64, 100)
	for i := range x {
		x[i], v[i] = float64(i%7)*0.2, 1
	}
	some, directions := [][]float64{dst, v, dst}, [][]float64{v, x, x}
	for _, f := range []func(){
		func() { springs.EnergyHVP(dst, x, v, 0.5) },
		func() { springs.EnergyHVP4(some[:1], directions[:1], x, 0.5) },
	} {
		f()
		require.Less(t, testing.AllocsPerRun(20, f), 0.1)
	}
}

func TestConcurrentProducts(t *testing.T) {
	x, v, want := []float64{0.25, 0.5, 1.5, 1.75}, []float64{1, -1, 2, 0.5}, make([]float64, 4)
	springs.EnergyHVP(want, x, v, 0.5)
	results := make(chan []float64)
	for range 4 {
		go func() {
			dst := make([]float64, 4)
			for range 50 {
				springs.EnergyHVP(dst, x, v, 0.5)
			}
			results <- dst
		}()
	}
	for range 4 {
		require.Equal(t, want, <-results)
	}
}
