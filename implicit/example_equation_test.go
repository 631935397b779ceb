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

// The unit circle as y(x): its slope is −x/y, its second derivative −1/y³.
func ExampleAt() {
	circle, err := implicit.Record(func(y, x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Square().Add(y[0].Square()).SubReal(1)}
	}, []float64{0.6}, []float64{0.8})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, y := range []float64{0.6, -0.6} {
		s, err := implicit.At(circle, []float64{y}, []float64{0.8})
		if err != nil {
			fmt.Println(err)
			return
		}
		slope, _ := s.JVP(nil, []float64{1})
		bend, _ := s.Second(nil, []float64{1}, []float64{1})
		fmt.Printf("%.4f %.4f\n", slope, bend)
	}
	_, err = implicit.At(circle, []float64{0}, []float64{1})
	fmt.Println(err)
	_, err = implicit.At(circle, []float64{0.5}, []float64{0.8})
	fmt.Println(err)
	// Output:
	// [-1.3333] [-4.6296]
	// [1.3333] [4.6296]
	// linsolve: matrix of order 1 is singular: no pivot for row 0 and column 0
	// implicit: not a root: equation 0 has the residual 0.11, at most 2.65e-08 is accepted
}

// The square root by Heron's iteration x ← ½(x + a/x), of which only the end is
// differentiated.
func ExampleFixedPoint() {
	heron, err := implicit.Record(func(x, a []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Add(a[0].Div(x[0])).Scale(0.5)}
	}, []float64{1}, []float64{2})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, a := 1.0, 2.0
	for range 6 {
		x = (x + a/x) / 2
	}
	s, err := implicit.FixedPoint(heron, []float64{x}, []float64{a})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, _ := s.JVP(nil, []float64{1})
	fmt.Printf("%.6f, 1/(2√a) is %.6f\n", d[0], 1/(2*math.Sqrt(a)))
	// Output:
	// 0.353553, 1/(2√a) is 0.353553
}

// The pH of acetic acid of concentration c with sodium hydroxide of
// concentration b, and how it changes with both. The unknowns are logarithms of
// the concentrations of H⁺, OH⁻, HA and A⁻, which keeps them positive and of one
// size.
func ExampleNewton() {
	const (
		kWater = 1e-14
		kAcid  = 1.8e-5
	)
	equilibrium := func(w, lambda []reverse.Var) []reverse.Var {
		h, oh, acid, base := w[0], w[1], w[2], w[3]
		return []reverse.Var{
			h.Add(oh).SubReal(math.Log(kWater)),
			h.Add(base).Sub(acid).SubReal(math.Log(kAcid)),
			acid.Exp().Add(base.Exp()).Sub(lambda[0]),
			h.Exp().Add(lambda[1]).Sub(oh.Exp()).Sub(base.Exp()), // charges
		}
	}
	start := []float64{-10, -22, -3, -3}
	lambda := []float64{0.1, 0.05}
	f, err := implicit.Record(equilibrium, start, lambda)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := implicit.Newton(f, start, lambda)
	if err != nil {
		fmt.Println(err)
		return
	}
	jac, _ := s.Jacobian(nil)
	fmt.Printf("pH %.4f\n", -s.W()[0]/math.Ln10)
	fmt.Printf("by acid %.4f, by base %.4f\n", -jac.At(0, 0)/math.Ln10, -jac.At(0, 1)/math.Ln10)

	// The same by solving again.
	const h = 1e-6
	var pH [2]float64
	for i, h := range []float64{-h, h} {
		moved, err := implicit.Newton(f, start, []float64{0.1, 0.05 + h})
		if err != nil {
			fmt.Println(err)
			return
		}
		pH[i] = -moved.W()[0] / math.Ln10
	}
	fmt.Printf("difference quotient %.4f\n", (pH[1]-pH[0])/(2*h))
	// Output:
	// pH 4.7450
	// by acid -8.6828, by base 17.3593
	// difference quotient 17.3593
}

// The inverse of the monotone function x + x⁵ as a function like any other:
// f(λ) = w·e^(−λ) with w + w⁵ = λ.
func ExampleEquation_Apply() {
	f, err := implicit.Record(func(w, lambda []reverse.Var) []reverse.Var {
		return []reverse.Var{w[0].Add(w[0].PowInt(5)).Sub(lambda[0])}
	}, []float64{1}, []float64{2})
	if err != nil {
		fmt.Println(err)
		return
	}
	inverse := implicit.NewEquation(f)
	t, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		w := inverse.Apply(x[0])[0]
		return w.Mul(x[0].Neg().Exp())
	}, []float64{2})
	if err != nil {
		fmt.Println(err)
		return
	}
	// At another λ the equation is solved again.
	lambda := []float64{34}
	value, gradient, _ := t.ValueGradient(nil, lambda)
	curvature, _ := t.HVP(nil, lambda, []float64{1})

	// w = 2 there, w′ = 1/(1 + 5w⁴), w″ = −20w³w′³.
	e := math.Exp(-34)
	d := 1.0 / 81
	fmt.Printf("%.6f %.6f %.6f\n", value/e, gradient[0]/e, curvature[0]/e)
	fmt.Printf("%.6f %.6f %.6f\n", 2.0, d-2, -160*d*d*d-2*d+2)
	// Output:
	// 2.000000 -1.987654 1.975008
	// 2.000000 -1.987654 1.975008
}

// The gradient of a validation loss with respect to the hyperparameter of ridge
// regression, which is the solution of (XᵀX + λI)w = Xᵀy.
func ExampleSolution_Reduce() {
	const n = 3
	x := mat.NewDense(5, n, []float64{1, 0.5, 2, 0, 1.5, 1, -1, 2, 0.3, 0.7, -1, 1.2, 2, 0.1, -0.4})
	y := mat.NewVecDense(5, []float64{2, 1.2, 0.5, 0.6, 1})
	validation := mat.NewDense(2, n, []float64{1, 1, 1, 0.5, -0.5, 2})
	target := []float64{1.5, 1.8}

	var xx mat.SymDense
	xx.SymOuterK(1, x.T())
	var xy mat.VecDense
	xy.MulVec(x.T(), y)
	lambda := 0.1
	shifted := mat.NewSymDense(n, nil)
	shifted.CopySym(&xx)
	for i := range n {
		shifted.SetSym(i, i, xx.At(i, i)+lambda)
	}
	var w mat.VecDense
	if err := w.SolveVec(shifted, &xy); err != nil {
		fmt.Println(err)
		return
	}

	normalEquations, err := implicit.Record(func(w, l []reverse.Var) []reverse.Var {
		f := make([]reverse.Var, n)
		for i := range f {
			f[i] = dual.Affine(-xy.AtVec(i), mat.Row(nil, i, &xx), w).Add(l[0].Mul(w[i]))
		}
		return f
	}, w.RawVector().Data, []float64{lambda})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := implicit.At(normalEquations, w.RawVector().Data, []float64{lambda})
	if err != nil {
		fmt.Println(err)
		return
	}
	point := append(slices.Clone(w.RawVector().Data), lambda)
	loss, err := reverse.Record(func(in []reverse.Var) reverse.Var {
		sum := in[0].Const(0)
		for i, t := range target {
			sum = sum.Add(dual.Affine(-t, validation.RawRowView(i), in[:n]).Square())
		}
		return sum.Scale(0.5)
	}, point)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Reduce(loss)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, _ := r.Hessian(nil)
	fmt.Printf("loss %.6f, gradient %.6f, curvature %.6f\n", r.Value(), r.Gradient(nil)[0], h.At(0, 0))

	// In closed form w′ = −(XᵀX + λI)⁻¹w and w″ = −2(XᵀX + λI)⁻¹w′.
	var d, dd, residual, dr, ddr mat.VecDense
	_ = d.SolveVec(shifted, &w)
	d.ScaleVec(-1, &d)
	_ = dd.SolveVec(shifted, &d)
	dd.ScaleVec(-2, &dd)
	residual.MulVec(validation, &w)
	residual.SubVec(&residual, mat.NewVecDense(2, target))
	dr.MulVec(validation, &d)
	ddr.MulVec(validation, &dd)
	fmt.Printf("closed form:   gradient %.6f, curvature %.6f\n", mat.Dot(&residual, &dr), mat.Dot(&dr, &dr)+mat.Dot(&residual, &ddr))
	// Output:
	// loss 0.189248, gradient 0.030379, curvature 0.069402
	// closed form:   gradient 0.030379, curvature 0.069402
}

// bratu is −Δu = θ₀·exp(u/(1 + θ₁u)) on a square, by five-point differences on
// side×side inner nodes, with u = 0 on the boundary.
func bratu(side int) func(u, theta []reverse.Var) []reverse.Var {
	k := float64((side + 1) * (side + 1))
	return func(u, theta []reverse.Var) []reverse.Var {
		f := make([]reverse.Var, len(u))
		for at := range f {
			i, j := at/side, at%side
			c, x := []float64{4 * k}, []reverse.Var{u[at]}
			neighbor := func(ok bool, at int) {
				if ok {
					c, x = append(c, -k), append(x, u[at])
				}
			}
			neighbor(i > 0, at-side)
			neighbor(j > 0, at-1)
			neighbor(j+1 < side, at+1)
			neighbor(i+1 < side, at+side)
			heat := u[at].Div(theta[1].Mul(u[at]).AddReal(1)).Exp()
			f[at] = dual.Affine(0, c, x).Sub(theta[0].Mul(heat))
		}
		return f
	}
}

// How the highest temperature of the solid fuel ignition problem on a 100×100
// grid depends on its parameters.
func ExampleEquation_Newton() {
	const side = 100
	cold := make([]float64, side*side)
	theta := []float64{5, 0.1}
	f, err := implicit.Record(bratu(side), cold, theta)
	if err != nil {
		fmt.Println(err)
		return
	}
	eq := implicit.NewEquation(f)
	s, err := eq.Newton(cold, theta)
	if err != nil {
		fmt.Println(err)
		return
	}
	center := side*side/2 + side/2
	bar := make([]float64, side*side)
	bar[center] = 1
	gradient, _ := s.VJP(nil, bar)
	fmt.Printf("u %.6f, gradient %.6f\n", s.W()[center], gradient)

	const h = 1e-4
	for j := range theta {
		var u [2]float64
		for k, h := range []float64{-h, h} {
			moved := slices.Clone(theta)
			moved[j] += h
			again, err := eq.Newton(s.W(), moved)
			if err != nil {
				fmt.Println(err)
				return
			}
			u[k] = again.W()[center]
		}
		fmt.Printf("difference quotient %.6f\n", (u[1]-u[0])/(2*h))
	}
	// Output:
	// u 0.541504, gradient [0.171058 -0.136101]
	// difference quotient 0.171058
	// difference quotient -0.136101
}
