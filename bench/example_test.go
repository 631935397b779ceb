package main

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// rosenbrock is Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)², for every mode of differentiation.
func rosenbrock[T dual.Scalar[T]](x []T) T {
	var s T
	for i := 0; i+1 < len(x); i++ {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Square())
	}
	return s
}

func Example() {
	x := []float64{1, 1, 1, 2}

	h, err := hessian.Of(nil, rosenbrock, x) // one call, nothing to prepare
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(h))

	t, err := reverse.Record(rosenbrock, x) // once; then evaluated at any point, from any goroutine
	if err != nil {
		log.Fatal(err)
	}
	f, g, err := t.ValueGradient(nil, x) // nil allocates the result; a slice is filled
	fmt.Println(f, g, err)
	hv, err := t.HVP(nil, x, []float64{0, 0, 0, 1})
	fmt.Println(hv, err)

	plan, err := hessian.NewSparse(t) // how to compute the nonzeros, found once
	if err != nil {
		log.Fatal(err)
	}
	s, err := plan.Eval(nil, x) // plan.Eval(s, x) from then on: it allocates nothing
	fmt.Println(s.NNZ(), "nonzeros by", plan.Method(), s.Values()[:5], err)
	// Output:
	// ⎡ 802  -400     0     0⎤
	// ⎢-400  1002  -400     0⎥
	// ⎢   0  -400   602  -400⎥
	// ⎣   0     0  -400   200⎦
	// 100 [0 0 -400 200] <nil>
	// [0 0 -400 200] <nil>
	// 10 nonzeros by terms [802 -400 -400 1002 -400] <nil>
}
