package hessian_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// rosenbrock is Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)².
func rosenbrock[T dual.Scalar[T]](x []T) T {
	var s T
	for i := range len(x) - 1 {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Square())
	}
	return s
}

func ExampleOf() {
	h, err := hessian.Of(nil, rosenbrock, []float64{1, 1})
	fmt.Println(mat.Formatted(h), err)
	// Output:
	// ⎡ 802  -400⎤
	// ⎣-400   200⎦ <nil>
}

func ExampleNew() {
	x := []float64{1, 1}
	t, err := reverse.Record(rosenbrock, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range hessian.Strategies {
		h := hessian.New(t, s)
		hv, err := h.HVP(nil, x, []float64{1, 2})
		fmt.Println(s, hv, err)
	}
	// Output:
	// FoF [2 0] <nil>
	// FoR [2 0] <nil>
	// RoF [2 0] <nil>
	// RoR [2 0] <nil>
}

func ExampleHessian_Dense() {
	// The Lagrangian x₀²x₁ − λ(x₀² + x₁²) at λ = 3, by the weights 1 and −λ.
	x := []float64{2, 5}
	t, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Square().Mul(x[1]), dual.Dot(x, x)}
	}, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	h := hessian.New(t, hessian.FoR)
	var dst mat.SymDense // filled again and again
	_, err = h.Dense(&dst, x, 1, -3)
	fmt.Println(mat.Formatted(&dst), err)
	// Output:
	// ⎡ 4   4⎤
	// ⎣ 4  -6⎦ <nil>
}

func ExampleHessian_Bilinear() {
	x := []float64{1, 1}
	t, err := reverse.Record(rosenbrock, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	// The curvature along a direction, by one sweep forward.
	v := []float64{1, 2}
	c, err := hessian.New(t, hessian.FoF).Bilinear(x, v, v)
	fmt.Println(c, err)
	// Output: 2 <nil>
}

func ExampleForward() {
	// Newton's √x: how many steps it takes depends on x, which a tape does not like.
	root := func(x []dual.Hyper) dual.Hyper {
		y := x[0]
		for range 100 {
			next := y.Add(x[0].Div(y)).Scale(0.5)
			if !next.Less(y) && !y.Less(next) {
				break
			}
			y = next
		}
		return y
	}
	h := hessian.Forward(nil, root, []float64{4})
	fmt.Printf("%.6f\n", h.At(0, 0)) // −¼·4^(−3/2)
	// Output: -0.031250
}

func ExampleForwardBilinear() {
	x, u, v := []float64{1, 1}, []float64{1, 0}, []float64{0, 1}
	fmt.Println(hessian.ForwardBilinear(rosenbrock, x, u, v))
	// Output: -400
}

func ExampleNewSparse() {
	x := []float64{-1, 1, 1, 1, 1}
	t, err := reverse.Record(rosenbrock, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := hessian.NewSparse(t) // once
	if err != nil {
		fmt.Println(err)
		return
	}
	h, g := plan.Matrix(), make([]float64, 5)
	f, err := plan.EvalAll(h, g, x) // at any point
	fmt.Println(f, g, err)
	fmt.Println(mat.Formatted(h))
	// Output:
	// 4 [-4 0 0 0 0] <nil>
	// ⎡ 802   400     0     0     0⎤
	// ⎢ 400  1002  -400     0     0⎥
	// ⎢   0  -400  1002  -400     0⎥
	// ⎢   0     0  -400  1002  -400⎥
	// ⎣   0     0     0  -400   200⎦
}
