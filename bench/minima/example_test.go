package minima_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hesse-ad/hesse/bench/minima"
	"github.com/hesse-ad/hesse/hessian/newton"
)

func ExampleRegression_Fit() {
	g := minima.Regressions[0]
	f, err := g.Fit()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Name)
	for i := range f.B {
		fmt.Printf("b%d known %.4g, found %.4g ± %.1g by JᵀJ, ± %.1g by the Hessian\n",
			i+1, g.B[i], f.B[i], f.Linear[i], f.Full[i])
	}
	// Output:
	// Misra1a
	// b1 known 239, found 241.3 ± 2 by JᵀJ, ± 2 by the Hessian
	// b2 known 0.00055, found 0.000544 ± 5e-06 by JᵀJ, ± 5e-06 by the Hessian
}

func Example() {
	for _, p := range minima.HS[:3] {
		r, err := newton.InteriorPoint{}.Minimize(context.Background(), p.Problem, p.X0)
		fmt.Printf("%s %.4f %v\n", p.Name, r.F, err)
	}
	// Output:
	// HS1 0.0000 <nil>
	// HS2 4.9412 <nil>
	// HS3 0.0000 <nil>
}
