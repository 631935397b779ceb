// Package small has functions of a few variables, with their derivatives as the library
// writes them: where calling a plan takes longer than the work. Its tests have them by hand.
package small

//go:generate go run ../../hessian/write -n 4 -sparse hessian -functions All HS71
//go:generate go run ../../hessian/write -n 4 -sparse hessian -functions All Wood
//go:generate go run ../../hessian/write -n 4 -sparse hessian -functions All Powell
//go:generate go run ../../hessian/write -n 5 -p []float64{1,2,3,4} -sparse hessian -functions All CartPole

import "github.com/hesse-ad/hesse/dual"

// HS71Of is the objective of problem 71 of Hock and Schittkowski (Test examples for
// nonlinear programming codes, 1981): x₀x₃(x₀ + x₁ + x₂) + x₂.
func HS71Of[T dual.Scalar[T]](x []T) T {
	return x[0].Mul(x[3]).Mul(x[0].Add(x[1]).Add(x[2])).Add(x[2])
}

// WoodOf is 100(x₁ − x₀²)² + (1 − x₀)² + 90(x₃ − x₂²)² + (1 − x₂)² + 10(x₁ + x₃ − 2)² +
// (x₁ − x₃)²/10, problem 14 of Moré, Garbow and Hillstrom (Testing unconstrained
// optimization software, ACM Trans. Math. Softw. 7, 1981).
func WoodOf[T dual.Scalar[T]](x []T) T {
	s := x[1].Sub(x[0].Square()).Square().Scale(100).Add(x[0].RSub(1).Square())
	s = s.Add(x[3].Sub(x[2].Square()).Square().Scale(90)).Add(x[2].RSub(1).Square())
	return s.Add(x[1].Add(x[3]).SubReal(2).Square().Scale(10)).Add(x[1].Sub(x[3]).Square().Scale(0.1))
}

// PowellOf is (x₀ + 10x₁)² + 5(x₂ − x₃)² + (x₁ − 2x₂)⁴ + 10(x₀ − x₃)⁴, problem 13 there.
func PowellOf[T dual.Scalar[T]](x []T) T {
	s := x[0].Add(x[1].Scale(10)).Square().Add(x[2].Sub(x[3]).Square().Scale(5))
	return s.Add(x[1].Sub(x[2].Scale(2)).Square().Square()).Add(x[0].Sub(x[3]).Square().Square().Scale(10))
}

// The cart, its pole, and a time step.
const (
	cart, pole, length, gravity, step = 1.0, 0.1, 0.5, 9.81, 0.02
)

// CartPoleOf is pᵀF(x), F an Euler step of a pole on a cart (Barto, Sutton and Anderson,
// IEEE Trans. Syst. Man Cybern. 13, 1983) from its position, angle from below, velocity
// and angular velocity under a force: what an optimal control differentiates.
func CartPoleOf[T dual.Scalar[T]](x, p []T) T {
	s, c := x[1].Sin(), x[1].Cos()
	mass := s.Square().Scale(pole).AddReal(cart)
	swing := s.Mul(x[3].Square().Scale(length).Add(c.Scale(gravity))).Scale(pole)
	a := x[4].Add(swing).Div(mass)
	turn := x[4].Mul(c).Add(x[3].Square().Mul(s).Mul(c).Scale(pole * length)).Add(s.Scale((cart + pole) * gravity))
	alpha := turn.Neg().Div(mass.Scale(length))
	f := p[0].Mul(x[0].Add(x[2].Scale(step))).Add(p[1].Mul(x[1].Add(x[3].Scale(step))))
	return f.Add(p[2].Mul(x[2].Add(a.Scale(step)))).Add(p[3].Mul(x[3].Add(alpha.Scale(step))))
}
