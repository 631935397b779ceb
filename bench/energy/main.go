// Command energy is the first example of the README: a function in plain Go, lifted and
// differentiated.
package main

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

func main() {
	c := &Chain{Stiffness: []float64{0, 3, 2, 1}, Length: []float64{0, 1, 1, 1}, Gravity: -1}
	x := []float64{0, 2, 4, 6}

	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var { // records by itself, each branch once
		return EnergyOf(x, c).Add(x[0].Square())
	})
	e, g, err := f.ValueGradient(nil, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e, g)

	t, err := f.Tape(x)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := hessian.NewSparse(t) // how to compute the nonzeros, found once
	if err != nil {
		log.Fatal(err)
	}
	h, err := plan.Eval(nil, x) // plan.Eval(h, x) from then on: it allocates nothing
	fmt.Println(mat.Formatted(h), err)

	r, err := optimize.Minimize(hessian.Problem(f), x, nil, &optimize.Newton{})
	fmt.Printf("%.4f %v\n", r.X, err)
	// Output:
	// -8.25 [-5 0 0 1]
	// ⎡ 8  -6   0   0⎤
	// ⎢-6  11  -5   0⎥
	// ⎢ 0  -5   9  -4⎥
	// ⎣ 0   0  -4   4⎦ <nil>
	// [2.0000 3.8177 5.5886 7.2710] <nil>
}
