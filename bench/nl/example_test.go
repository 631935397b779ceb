package nl_test

import (
	"context"
	"fmt"

	"github.com/hesse-ad/hesse/bench/nl"
	"github.com/hesse-ad/hesse/hessian/newton"
)

// Problem 71 of Hock and Schittkowski, as Pyomo writes it, is solved.
func ExampleReadFile() {
	p, err := nl.ReadFile("testdata/hs71.nl")
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := p.Tape(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := newton.InteriorPoint{}.Solve(context.Background(), p.Minimization(t), p.X0)
	s := p.Solution(r, err, 0)
	fmt.Println(p)
	fmt.Printf("%.5f at %.5f, multipliers %.5f, code %d\n", r.F, s.X, s.Y, s.Code)

	// Output:
	// 4 variables (0 integer), 2 constraints, 1 objectives
	// 17.01402 at [1.00000 4.74300 3.82115 1.37941], multipliers [0.55229 -0.16147], code 0
}
