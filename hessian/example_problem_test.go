package hessian_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

func ExampleProblem() {
	f := reverse.NewFunc(rosenbrock)
	p := hessian.Problem(f)
	r, err := optimize.Minimize(p, []float64{-1.2, 1}, nil, &optimize.Newton{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f %v\n", r.X, r.Status)
	// Output: [1.000000 1.000000] GradientThreshold
}

func ExampleScaledProblem() {
	// The mean and the deviation, by its logarithm, of 10,000 numbers: f is a sum
	// of so many terms that its gradient cannot get below 10⁻¹².
	f := reverse.NewFunc(func(t []reverse.Var) reverse.Var {
		var s reverse.Var
		for i := range 10000 {
			z := t[0].RSub(math.Sin(float64(i))).Mul(t[1].Neg().Exp())
			s = s.Add(z.Square().Scale(0.5).Add(t[1]))
		}
		return s
	})
	x := []float64{1, 1}
	r, err := optimize.Minimize(hessian.ScaledProblem(f, x), x, nil, &optimize.Newton{})
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := f.Value(r.X)
	fmt.Printf("%.5f %.4f %v %v\n", r.X, value, r.Status, err)
	// Output: [0.00019 -0.34659] 1534.1236 GradientThreshold <nil>
}

func ExampleProblem_bFGS() {
	// The analytic center of a triangle: the first steps leave it, where the
	// logarithm is NaN and the line search turns back.
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		s := x[0].Log().Add(x[1].Log())
		return s.Add(dual.Sum(x).RSub(1).Log()).Neg()
	})
	p := hessian.Problem(f)
	r, err := optimize.Minimize(p, []float64{0.9, 0.05}, nil, &optimize.BFGS{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f\n", r.X)
	// Output: [0.333333 0.333333]
}

func ExampleProblem_cG() {
	// 1000 numbers near given ones and near each other, by gradients alone.
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		var s reverse.Var
		for i := range x {
			s = s.Add(x[i].SubReal(math.Sin(float64(i))).Square())
		}
		for i := range len(x) - 1 {
			s = s.Add(x[i+1].Sub(x[i]).Hypot(s.Const(0.1)))
		}
		return s
	})
	p := hessian.Problem(f)
	settings := &optimize.Settings{GradientThreshold: 1e-5}
	r, err := optimize.Minimize(p, make([]float64, 1000), settings, &optimize.CG{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f %v, %d Hessians\n", r.F, r.Status, r.HessEvaluations)
	// Output: 436.4791 GradientThreshold, 0 Hessians
}
