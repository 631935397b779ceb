package small

import (
	"math"

	"github.com/hesse-ad/hesse/reverse"
)

// Problem is a function, with its derivatives by hand and as written: value, gradient and
// Hessian at once.
type Problem struct {
	Name           string
	X, P           []float64
	ByHand, Source func(h, g, x []float64) float64
	Record         func() (*reverse.Tape, error)
}

// Problems is all functions.
func Problems() []Problem {
	p := []float64{0.3, -0.2, 0.5, 0.7}
	of := func(f func(x []reverse.Var) reverse.Var, x []float64) func() (*reverse.Tape, error) {
		return func() (*reverse.Tape, error) { return reverse.Record(f, x) }
	}
	hs71, wood, powell := []float64{1, 5, 4, 1.5}, []float64{-3, -1, -3, -1}, []float64{3, -1, 0.5, 1}
	pendulum := []float64{0.1, 0.4, -0.2, 0.8, 1.5}
	return []Problem{
		{"HS71", hs71, nil, HS71ByHand, HS71All, of(HS71Of, hs71)},
		{"Wood", wood, nil, WoodByHand, WoodAll, of(WoodOf, wood)},
		{"Powell", powell, nil, PowellByHand, PowellAll, of(PowellOf, powell)},
		{
			"cart-pole", pendulum, p,
			func(h, g, x []float64) float64 { return CartPoleByHand(h, g, x, p) },
			func(h, g, x []float64) float64 { return CartPoleAll(h, g, x, p) },
			func() (*reverse.Tape, error) { return reverse.RecordParams(CartPoleOf, pendulum, p) },
		},
	}
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
