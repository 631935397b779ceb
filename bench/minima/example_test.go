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
		r, err := newton.InteriorPoint{}.Solve(context.Background(), p.Problem, p.X0)
		fmt.Printf("%s %.4f %v\n", p.Name, r.F, err)
	}
	// Output:
	// HS1 0.0000 <nil>
	// HS2 4.9412 <nil>
	// HS3 0.0000 <nil>
}

// The prices at the buses of a network: what one more MW of load costs there, and by how
// much a generator's power then changes. Generators that are not at a limit set the price.
func ExampleGrid() {
	g := minima.PJM5
	p := g.PowerFlow()
	r, err := newton.InteriorPoint{}.Solve(context.Background(), p.Problem, p.X0)
	if err != nil {
		log.Fatal(err)
	}
	s, err := r.Sensitivities(p.Problem, g.Function, g.Loads())
	if err != nil {
		log.Fatal(err)
	}
	prices, err := s.ValueGradient(nil)
	if err != nil {
		log.Fatal(err)
	}
	j, err := s.Jacobian(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f $/h\n", r.F)
	fmt.Printf("prices %.2f $/MWh\n", prices)
	for _, k := range []int{2, 4} {
		power := 2*len(g.Buses) + k
		fmt.Printf("bus %d: %.1f MW, %.2f for each at bus 1\n", g.Generators[k].Bus, g.Base*r.X[power], g.Base*j.At(power, 1))
	}
	// Output:
	// 17551.89 $/h
	// prices [16.94 26.55 30.00 39.71 10.00] $/MWh
	// bus 2: 324.5 MW, 0.83 for each at bus 1
	// bus 4: 470.7 MW, 0.18 for each at bus 1
}
