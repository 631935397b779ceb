package classics_test

import (
	"fmt"

	"gonum.org/v1/gonum/optimize"

	"github.com/hesse-ad/hesse/bench/classics"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

func ExampleAll() {
	for _, p := range classics.All[reverse.Var]()[:4] {
		f := reverse.NewFunc(p.F)
		r, err := optimize.Minimize(hessian.Problem(f), p.X0, nil, &optimize.Newton{})
		fmt.Printf("%s from %v to %.4f %v\n", p.Name, p.X0, r.X, err)
	}
	// Output:
	// Beale from [1 1] to [3.0000 0.5000] <nil>
	// BiggsEXP2 from [1 2] to [1.0000 10.0000] <nil>
	// BiggsEXP3 from [1 2 1] to [1.0000 10.0000 5.0000] <nil>
	// BiggsEXP4 from [1 2 1 1] to [1.0000 10.0000 1.0000 5.0000] <nil>
}
