package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
)

func TestDifferencesAreCounted(t *testing.T) {
	for _, n := range []int{1, 2, 7, 30} {
		jacobian, hessian := 0, 0
		fd.Jacobian(mat.NewDense(n, n, nil), func(y, x []float64) { jacobian++ }, make([]float64, n), nil)
		fd.Hessian(mat.NewSymDense(n, nil), func(x []float64) float64 { hessian++; return 0 }, make([]float64, n), nil)
		assert.EqualValues(t, jacobian, differences(n, 2), "Jacobian, n = %d", n)
		assert.EqualValues(t, hessian, differences(n, 1), "Hessian, n = %d", n)
	}
}
