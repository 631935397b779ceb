package newton_test

import (
	"context"
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

// Problem 71 of Hock and Schittkowski: x₀x₁x₂x₃ ≥ 25 and ‖x‖² = 40, 1 ≤ xᵢ ≤ 5.
func ExampleInteriorPoint() {
	p := newton.Problem{
		Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{
				x[0].Mul(x[3]).Mul(x[0].Add(x[1]).Add(x[2])).Add(x[2]),
				x[0].Mul(x[1]).Mul(x[2]).Mul(x[3]),
				x[0].Square().Add(x[1].Square()).Add(x[2].Square()).Add(x[3].Square()),
			}
		}),
		Lower: []float64{1, 1, 1, 1}, Upper: []float64{5, 5, 5, 5},
		ConstraintLower: []float64{25, 40}, ConstraintUpper: []float64{math.Inf(1), 40},
	}
	r, err := newton.InteriorPoint{}.Solve(context.Background(), p, []float64{1, 5, 5, 1})
	fmt.Printf("%.7f at %.5f, %v\n", r.F, r.X, err)
	fmt.Printf("multipliers %.4f and %.4f\n", r.Y, r.Z[0])
	// Output:
	// 17.0140173 at [1.00000 4.74300 3.82115 1.37941], <nil>
	// multipliers [-0.5523 0.1615] and -1.0879
}

func ExampleTrustRegion() {
	x0 := make([]float64, 1000)
	for i := range x0 {
		x0[i] = 2
	}
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		s := dual.Const[reverse.Var](0)
		for i := range len(x) - 1 {
			s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100)).Add(x[i].RSub(1).Square())
		}
		return s
	})
	r, err := newton.TrustRegion{}.Solve(context.Background(), newton.Problem{Func: f}, x0)
	fmt.Printf("%.6f %.6f %v\n", r.X[0], r.X[999], err)
	fmt.Println("iterations below 20:", r.Iterations < 20)
	// Output:
	// 1.000000 1.000000 <nil>
	// iterations below 20: true
}

// A line through points of which one is wrong: a loss that grows more slowly than
// the square keeps it from drawing the line its way.
func ExampleLeastSquares() {
	x, y := []float64{0, 1, 2, 3, 4, 5}, []float64{1.1, 2.9, 5.1, 40, 9.1, 10.9}
	f := reverse.NewFuncVec(func(b []reverse.Var) []reverse.Var {
		r := make([]reverse.Var, len(x))
		for i := range r {
			r[i] = b[0].Add(b[1].Scale(x[i])).SubReal(y[i])
		}
		return r
	})
	for _, o := range []newton.LeastSquares{{}, {Loss: newton.Cauchy(0.3)}} {
		r, err := o.Solve(context.Background(), newton.Problem{Func: f}, []float64{0, 0})
		fmt.Printf("%.2f + %.2f x, %v\n", r.X[0], r.X[1], err)
	}
	// Output:
	// 4.20 + 2.93 x, <nil>
	// 1.06 + 1.98 x, <nil>
}

// The portfolio of three assets with the least variance for a return of at least λ, all
// invested and nothing sold short, and how both change with λ.
func ExampleResult_Sensitivities() {
	returns := []float64{0.05, 0.07, 0.12}
	deviations := []float64{0.1, 0.2, 0.3}
	f := func(x, lambda []reverse.Var) []reverse.Var {
		risk, gain, sum := dual.Const[reverse.Var](0), dual.Const[reverse.Var](0), dual.Const[reverse.Var](0)
		for i := range x {
			risk = risk.Add(x[i].Scale(deviations[i]).Square())
			gain, sum = gain.Add(x[i].Scale(returns[i])), sum.Add(x[i])
		}
		return []reverse.Var{risk, gain.Sub(lambda[0]), sum.SubReal(1)}
	}
	lambda := []float64{0.08}
	p := newton.Problem{
		Func:  reverse.NewFuncParamsVec(f, lambda),
		Lower: []float64{0, 0, 0}, ConstraintLower: []float64{0, 0}, ConstraintUpper: []float64{math.Inf(1), 0},
	}
	r, err := newton.InteriorPoint{}.Solve(context.Background(), p, []float64{0.3, 0.3, 0.3})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := r.Sensitivities(p, f, lambda)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, _ := s.JVP(nil, []float64{1})
	slope, _ := s.ValueGradient(nil)
	fmt.Printf("x %.4f, variance %.5f\n", r.X, r.F)
	fmt.Printf("by λ: x %.2f, variance %.4f\n", d[:3], slope)
	// Output:
	// x [0.3658 0.2879 0.3463], variance 0.01545
	// by λ: x [-17.90 5.06 12.84], variance [0.7860]
}

// Control in a loop: a mass on a line, to be moved by forces |u| ≤ 1 from where it is to
// where a target is now, in steps of 0.2. Each problem is solved for another parameter, with what
// was prepared for the first and from the solution of the last.
func ExampleInteriorPoint_loop() {
	const (
		steps = 10 // that are looked ahead
		h     = 0.2
	)
	// u are the forces; p is [position; velocity; target].
	f := reverse.NewFuncParamsVec(func(u, p []reverse.Var) []reverse.Var {
		x, v, cost := p[0], p[1], dual.Const[reverse.Var](0)
		for _, u := range u {
			v = v.Add(u.Scale(h))
			x = x.Add(v.Scale(h))
			cost = cost.Add(x.Sub(p[2]).Square()).Add(v.Square().Scale(0.2)).Add(u.Square().Scale(0.01))
		}
		return []reverse.Var{cost}
	}, []float64{0, 0, 0})
	bounds := newton.Problem{Lower: make([]float64, steps), Upper: make([]float64, steps)}
	for i := range steps {
		bounds.Lower[i], bounds.Upper[i] = -1, 1
	}
	plans, u := new(newton.Plans), make([]float64, steps)
	var last *newton.Result
	x, v, target := 0.0, 0.0, 1.0
	for k := range 40 {
		if k == 20 {
			target = -1 // it jumps
		}
		p := bounds
		p.Func = f.With([]float64{x, v, target})
		o := newton.InteriorPoint{Settings: newton.Settings{Plans: plans}, Warm: last}
		r, err := o.Solve(context.Background(), p, u)
		if err != nil {
			fmt.Println(err)
			return
		}
		v += h * r.X[0]
		x += h * v
		if k%5 == 0 || k == 39 {
			fmt.Printf("position %5.2f for the target %2.0f, prepared %v\n", x, target, r.Prepare > 0)
		}
		last, u = r, append(r.X[1:], 0)
	}
	// Output:
	// position  0.04 for the target  1, prepared true
	// position  0.72 for the target  1, prepared false
	// position  0.98 for the target  1, prepared false
	// position  1.00 for the target  1, prepared false
	// position  0.96 for the target -1, prepared false
	// position  0.16 for the target -1, prepared false
	// position -0.84 for the target -1, prepared false
	// position -0.99 for the target -1, prepared false
	// position -1.00 for the target -1, prepared false
}
