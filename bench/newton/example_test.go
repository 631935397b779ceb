package newton_test

import (
	"fmt"
	"log"

	"github.com/hesse-ad/hesse/bench/newton"
	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/reverse"
)

func ExampleTrustRegion() {
	x0 := make([]float64, 1000)
	for i := range x0 {
		x0[i] = 2
	}
	t, err := reverse.Record(x0, problems.Rosen)
	if err != nil {
		log.Fatal(err)
	}
	r, err := newton.TrustRegion{}.Minimize(t, x0)
	fmt.Printf("%.6f %.6f %v\n", r.X[0], r.X[999], err)
	fmt.Println("iterations below 20:", r.Iterations < 20)
	// Output:
	// 1.000000 1.000000 <nil>
	// iterations below 20: true
}

func ExampleKKT() {
	// The point of the circle x² + y² = 2 with the least x + y.
	x0 := []float64{-1, 0}
	t, err := reverse.RecordVec(x0, func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Add(x[1]), x[0].Square().Add(x[1].Square()).SubReal(2)}
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := newton.KKT{}.Minimize(t, x0)
	fmt.Printf("%.4f, multiplier %.4f %v\n", r.X, r.Y, err)
	// Output:
	// [-1.0000 -1.0000], multiplier [0.5000] <nil>
}

func ExampleRegression_Fit() {
	g := newton.Regressions[0]
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
