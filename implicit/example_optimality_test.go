package implicit_test

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/reverse"
)

// The portfolio of two assets with the least variance for a required return r,
// all invested and nothing sold short. x is given by the two equations; y is
// solved from the first of the optimality conditions Σx + Aᵀy = 0.
func ExampleKKT() {
	returns := []float64{0.05, 0.12}
	variance := mat.NewSymDense(2, []float64{0.01, 0.003, 0.003, 0.09})
	r := []float64{0.08}
	point := []float64{4. / 7, 3. / 7, r[0]}
	problem, err := reverse.RecordVec(func(in []reverse.Var) []reverse.Var {
		x := in[:2]
		risk := in[0].Const(0)
		for i := range x {
			risk = risk.Add(x[i].Mul(dual.Affine(0, mat.Row(nil, i, variance), x)))
		}
		return []reverse.Var{
			risk.Scale(0.5),
			dual.Affine(-1, []float64{1, 1}, x),
			dual.Affine(0, returns, x).Sub(in[2]),
			x[0].Neg(),
			x[1].Neg(),
		}
	}, point)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := mat.NewVecDense(2, point[:2])
	var y, marginal mat.VecDense
	marginal.MulVec(variance, x)
	if err := y.SolveVec(mat.NewDense(2, 2, []float64{-1, -returns[0], -1, -returns[1]}), &marginal); err != nil {
		fmt.Println(err)
		return
	}
	s, err := implicit.KKT(problem, point[:2], y.RawVector().Data, []float64{0, 0}, r)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, _ := s.JVP(nil, []float64{1})
	slope, _ := s.ValueGradient(nil)
	curvature, _ := s.ValueHVP(nil, []float64{1})
	fmt.Printf("x %.4f, dx/dr %.4f\n", s.W()[:2], d[:2])
	fmt.Printf("½σ² %.6f, by r %.6f and %.6f\n", s.Value(), slope[0], curvature[0])

	// x is linear in r, with dx/dr = (−1, 1)/0.07, and ½σ² quadratic.
	dx := mat.NewVecDense(2, []float64{-1 / 0.07, 1 / 0.07})
	fmt.Printf("closed form        %.6f and %.6f\n", mat.Inner(x, variance, dx), mat.Inner(dx, variance, dx))

	// Where all is in the second asset its bound begins to bind.
	_, err = implicit.KKT(problem, []float64{0, 1}, []float64{0, -0.75}, []float64{0, 0}, []float64{0.12})
	fmt.Println(err)
	// Output:
	// x [0.5714 0.4286], dx/dr [-14.2857 14.2857]
	// ½σ² 0.010633, by r 0.475510 and 19.183673
	// closed form        0.475510 and 19.183673
	// implicit: inequality 0 is not strictly complementary: slack 0, multiplier 0
}

// Two products made of two resources: profits 3 and 5, resources 4 and 9, with
// slack variables. The dual variables are what more of a resource is worth.
func ExampleLP() {
	c := []float64{-3, -5, 0, 0}
	a := mat.NewDense(2, 4, []float64{
		1, 1, 1, 0,
		1, 3, 0, 1,
	})
	b := []float64{4, 9}
	s, err := implicit.LP(c, a, b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("x %.2f, y %.2f\n", s.W()[:4], s.W()[4:])

	// The second resource grows; λ is A, b and c one after the other.
	v := make([]float64, 8+2+4)
	v[8+1] = 1
	d, _ := s.JVP(nil, v)
	fmt.Printf("ẋ %.2f\n", d[:4])
	// Output:
	// x [1.50 2.50 0.00 0.00], y [-2.00 -1.00]
	// ẋ [-0.50 0.50 0.00 0.00]
}

// The regularization of a logistic regression, chosen by the gradient of the
// loss on other data: the inner minimum is a step of the function that is
// differentiated.
func ExampleOptimality() {
	train := [][]float64{{0.5, 1.2}, {1.5, -0.3}, {-1, 0.4}, {-0.7, -1.5}, {0.2, 0.9}, {-0.4, -0.8}}
	labels := []float64{1, 1, -1, -1, -1, 1}
	test := [][]float64{{1, 0.5}, {-0.6, -0.2}, {0.3, -1}}
	testLabels := []float64{1, -1, -1}
	loss := func(w []reverse.Var, data [][]float64, labels []float64) reverse.Var {
		terms := make([]reverse.Var, len(data))
		for i, x := range data {
			terms[i] = dual.Affine(0, x, w).Scale(-labels[i]).Softplus()
		}
		return dual.Sum(terms)
	}
	// In the logarithm of the parameter, which stays positive.
	problem, err := reverse.RecordVec(func(in []reverse.Var) []reverse.Var {
		w := in[:2]
		penalty := w[0].Square().Add(w[1].Square()).Mul(in[2].Exp()).Scale(0.5)
		return []reverse.Var{loss(w, train, labels).Add(penalty)}
	}, []float64{0, 0, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	fit := implicit.NewEquation(implicit.Optimality(problem, 2, 0, nil))
	outer, err := reverse.Record(func(l []reverse.Var) reverse.Var {
		return loss(fit.Apply(l[0]), test, testLabels)
	}, []float64{0})
	if err != nil {
		fmt.Println(err)
		return
	}
	l := []float64{math.Log(0.3)}
	value, gradient, _ := outer.ValueGradient(nil, l)
	hv, _ := outer.HVP(nil, l, []float64{1})
	fmt.Printf("loss %.6f, gradient %.6f, curvature %.6f\n", value, gradient[0], hv[0])

	const h = 1e-4
	moved := slices.Clone(l)
	moved[0] += h
	plus, _ := outer.Value(moved)
	moved[0] -= 2 * h
	minus, _ := outer.Value(moved)
	fmt.Printf("by fitting again   %.6f\n", (plus-minus)/(2*h))
	// Output:
	// loss 1.677632, gradient -0.043398, curvature 0.134913
	// by fitting again   -0.043398
}
