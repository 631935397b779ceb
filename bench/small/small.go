// Package small has functions of a few variables, with their derivatives by hand and
// as the library writes them: where calling a plan takes longer than the work.
package small

//go:generate go run ../../hessian/write -n 4 -sparse hessian -functions All HS71
//go:generate go run ../../hessian/write -n 4 -sparse hessian -functions All Wood
//go:generate go run ../../hessian/write -n 4 -sparse hessian -functions All Powell
//go:generate go run ../../hessian/write -n 5 -p []float64{1,2,3,4} -sparse hessian -functions All CartPole

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

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

// HS71ByHand sets h to the Hessian of HS71Of, of each row the elements that are not 0, g to
// its gradient, and returns its value.
func HS71ByHand(h, g, x []float64) float64 {
	h, g, x = h[:11], g[:4], x[:4]
	a, b, c, d := x[0], x[1], x[2], x[3]
	s := a + b + c
	g[0] = d*s + a*d
	g[1] = a * d
	g[2] = a*d + 1
	g[3] = a * s
	h[0], h[1], h[2], h[3] = 2*d, d, d, s+a
	h[4], h[5] = d, a
	h[6], h[7] = d, a
	h[8], h[9], h[10] = s+a, a, a
	return a*d*s + c
}

// WoodByHand is the same of WoodOf.
func WoodByHand(h, g, x []float64) float64 {
	h, g, x = h[:10], g[:4], x[:4]
	a, b, c, d := x[1]-x[0]*x[0], 1-x[0], x[3]-x[2]*x[2], 1-x[2]
	e, f := x[1]+x[3]-2, x[1]-x[3]
	g[0] = -400*a*x[0] - 2*b
	g[1] = 200*a + 20*e + 0.2*f
	g[2] = -360*c*x[2] - 2*d
	g[3] = 180*c + 20*e - 0.2*f
	h[0], h[1] = 800*x[0]*x[0]-400*a+2, -400*x[0]
	h[2], h[3], h[4] = -400*x[0], 220.2, 19.8
	h[5], h[6] = 720*x[2]*x[2]-360*c+2, -360*x[2]
	h[7], h[8], h[9] = 19.8, -360*x[2], 200.2
	return 100*a*a + b*b + 90*c*c + d*d + 10*e*e + 0.1*f*f
}

// PowellByHand is the same of PowellOf.
func PowellByHand(h, g, x []float64) float64 {
	h, g, x = h[:12], g[:4], x[:4]
	a, b, c, d := x[0]+10*x[1], x[2]-x[3], x[1]-2*x[2], x[0]-x[3]
	cc, dd := c*c, d*d
	ccc, ddd := 4*cc*c, 40*dd*d
	g[0] = 2*a + ddd
	g[1] = 20*a + ccc
	g[2] = 10*b - 2*ccc
	g[3] = -10*b - ddd
	cc12, dd120 := 12*cc, 120*dd
	h[0], h[1], h[2] = 2+dd120, 20, -dd120
	h[3], h[4], h[5] = 20, 200+cc12, -2*cc12
	h[6], h[7], h[8] = -2*cc12, 10+4*cc12, -10
	h[9], h[10], h[11] = -dd120, -10, 10+dd120
	return a*a + 5*b*b + cc*cc + 10*dd*dd
}

// CartPoleByHand is the same of CartPoleOf with the parameters p.
func CartPoleByHand(h, g, x, p []float64) float64 {
	h, g, x, p = h[:6], g[:5], x[:5], p[:4]
	s, c := math.Sincos(x[1])
	w, u := x[3], x[4]
	p2, p3 := step*p[2], step/length*p[3]
	const ml, mg, total = pole * length, pole * gravity, (cart + pole) * gravity
	sc, cc := s*c, c*c-s*s
	lw := ml * w
	lww := lw * w
	q := p2*(u+lww*s+mg*sc) - p3*(u*c+lww*sc+total*s)
	qt := p2*(lww*c+mg*cc) - p3*(lww*cc-u*s+total*c)
	qtt := p2*(-lww*s-4*mg*sc) - p3*(-u*c-4*lww*sc-total*s)
	qw := 2 * lw * s * (p2 - p3*c)
	qww := 2 * ml * s * (p2 - p3*c)
	qtw := 2 * lw * (p2*c - p3*cc)
	qu := p2 - p3*c
	qtu := p3 * s
	r := 1 / (cart + pole*s*s)
	dt, dtt := 2*pole*sc, 2*pole*cc
	q *= r
	qt = (qt - q*dt) * r
	qw *= r
	qu *= r
	g[0] = p[0]
	g[1] = p[1] + qt
	g[2] = step*p[0] + p[2]
	g[3] = step*p[1] + p[3] + qw
	g[4] = qu
	tw := (qtw - qw*dt) * r
	tu := (qtu - qu*dt) * r
	h[0], h[1], h[2] = (qtt-2*qt*dt-q*dtt)*r, tw, tu
	h[3], h[4] = tw, qww*r
	h[5] = tu
	return p[0]*(x[0]+step*x[2]) + p[1]*(x[1]+step*w) + p[2]*x[2] + p[3]*w + q
}
