package hessian_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// Logistic regression by Newton's method: Σ ln(1 + exp(−yᵣ(x₀ + x₁aᵣ))) over rows
// (aᵣ, yᵣ) of which two thousand are in memory at a time.
func ExampleChunks() {
	const rows, chunk = 20_000, 2000
	data := func(yield func([]float64, error) bool) { // from a file, with its errors
		buffer := make([]float64, 0, 2*chunk)
		for r := range rows {
			a := math.Mod(float64(r)*0.618033988749895, 4) - 2 // even in (−2, 2)
			u := math.Mod(float64(r)*0.754877666246693, 1)
			y := math.Copysign(1, 1/(1+math.Exp(-0.5-2*a))-u) // 1 with probability 1/(1 + exp(−0.5 − 2a))
			if buffer = append(buffer, a, y); len(buffer) < cap(buffer) {
				continue
			}
			if !yield(buffer, nil) {
				return
			}
			buffer = buffer[:0]
		}
	}

	x := []float64{0, 0}
	c, err := hessian.NewChunks(func(x, p []reverse.Var) reverse.Var {
		return x[1].Mul(p[0]).Add(x[0]).Mul(p[1]).Neg().Softplus()
	}, x, []float64{1, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	h, g := c.Matrix(), make([]float64, 2)
	for range 8 {
		if _, err := c.EvalAll(h, g, x, data); err != nil {
			fmt.Println(err)
			return
		}
		var step mat.VecDense
		if err := step.SolveVec(h, mat.NewVecDense(2, g)); err != nil {
			fmt.Println(err)
			return
		}
		for i := range x {
			x[i] -= step.AtVec(i)
		}
	}
	fmt.Printf("%.2f, %d KB\n", x, c.Bytes()/1000)
	// Output:
	// [0.50 2.00], 24 KB
}
