package laplace_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/hessian/laplace"
	"github.com/hesse-ad/hesse/reverse"
)

// Five groups of counts with a common mean. The report has θ, a function of u and θ its error.
func ExampleMarginal_Fit() {
	counts := []float64{4, 9, 2, 13, 6}
	f := reverse.NewFunc(func(x []reverse.Var) (y reverse.Var) {
		u, mean, deviation := x[:5], x[5], x[6].Exp()
		for i, u := range u {
			eta := mean.Add(deviation.Mul(u))
			y = y.Add(eta.Exp()).Sub(eta.Scale(counts[i])).Add(u.Square().Scale(0.5))
			logFactorial, _ := math.Lgamma(counts[i] + 1)
			y = y.AddReal(logFactorial + math.Log(2*math.Pi)/2)
		}
		return y
	})
	theta := []float64{0, 0}
	l, err := laplace.New(f, make([]float64, 5), theta)
	if err != nil {
		log.Fatal(err)
	}
	e, err := l.Fit(context.Background(), theta)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(e)
	rate := reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[5].Add(x[6].Exp().Mul(x[3])).Exp()}
	})
	value, errs, err := e.Of(rate)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("rate of the fourth: %.2f ± %.2f\n", value[0], errs[0])
	// Output:
	// L = 13.586426, 5 effects
	//    θ       estimate        error
	//    0        1.82465       0.2747
	//    1      -0.836024       0.6069
	// effects from -0.9295 to 1.171, errors from 0.716 to 0.7956
	// rate of the fourth: 10.30 ± 3.35
}

// The gradient and the exact Hessian of a marginal.
func ExampleMarginal_Hessian() {
	m := models.ThetaLogistic()
	l, err := laplace.New(m.Func, m.U, m.X)
	if err != nil {
		log.Fatal(err)
	}
	v, g, err := l.ValueGradient(nil, m.X)
	if err != nil {
		log.Fatal(err)
	}
	h, err := l.Hessian(nil, m.X)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f %.4f %.4f\n", v, g[0], h.At(0, 0))
	// Output:
	// 300.163700 42.4098 51.4667
}
