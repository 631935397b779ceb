package dual

import (
	"math"

	"github.com/hesse-ad/hesse/internal/elem"
)

// Hyper is a hyper-dual number V + D1·ε₁ + D2·ε₂ + D12·ε₁ε₂, ε₁² = ε₂² = 0: a
// value, its derivatives along two directions and the second derivative along
// both. Its methods are those of Scalar, which describes them.
type Hyper struct {
	V   float64 // value
	D1  float64 // derivative along the first direction
	D2  float64 // derivative along the second direction
	D12 float64 // second derivative along both
}

var _ Scalar[Hyper] = Hyper{}

// The rules multiply plainly, and again by derivative products if a derivative
// turns out NaN: a product that those change is 0·∞ or 0·NaN, thus NaN, and so
// is a sum with it. One check takes the place of one for each product.

// defined reports whether no derivative of x is NaN; it may miss that none is.
func (x Hyper) defined() bool { s := x.D1 + x.D2 + x.D12; return s == s }

// chain is the number of value v whose function has the derivatives d and dd
// at x.
func (x Hyper) chain(v, d, dd float64) Hyper {
	z := Hyper{
		v,
		float64(d * x.D1),
		float64(d * x.D2),
		float64(d*x.D12) + float64(float64(dd*x.D1)*x.D2),
	}
	if z.defined() {
		return z
	}
	return Hyper{
		v,
		elem.Prod(d, x.D1),
		elem.Prod(d, x.D2),
		elem.Prod(d, x.D12) + elem.Prod(elem.Prod(dd, x.D1), x.D2),
	}
}

// chain2 is that of a function of x and y with gradient dx, dy and Hessian
// dxx, dxy, dyy.
func (x Hyper) chain2(y Hyper, v, dx, dy, dxx, dxy, dyy float64) Hyper {
	dx1 := float64(dxx*x.D1) + float64(dxy*y.D1)
	dy1 := float64(dxy*x.D1) + float64(dyy*y.D1)
	z := Hyper{
		v,
		float64(dx*x.D1) + float64(dy*y.D1),
		float64(dx*x.D2) + float64(dy*y.D2),
		float64(dx*x.D12) + float64(dx1*x.D2) + float64(dy*y.D12) + float64(dy1*y.D2),
	}
	if z.defined() {
		return z
	}
	dx1 = elem.Prod(dxx, x.D1) + elem.Prod(dxy, y.D1)
	dy1 = elem.Prod(dxy, x.D1) + elem.Prod(dyy, y.D1)
	return Hyper{
		v,
		elem.Prod(dx, x.D1) + elem.Prod(dy, y.D1),
		elem.Prod(dx, x.D2) + elem.Prod(dy, y.D2),
		elem.Prod(dx, x.D12) + elem.Prod(dx1, x.D2) + elem.Prod(dy, y.D12) + elem.Prod(dy1, y.D2),
	}
}

func (x Hyper) Mul(y Hyper) Hyper {
	z := Hyper{
		float64(x.V * y.V),
		float64(y.V*x.D1) + float64(x.V*y.D1),
		float64(y.V*x.D2) + float64(x.V*y.D2),
		float64(y.V*x.D12) + float64(y.D1*x.D2) + float64(x.V*y.D12) + float64(x.D1*y.D2),
	}
	if z.defined() {
		return z
	}
	return Hyper{
		z.V,
		elem.Prod(y.V, x.D1) + elem.Prod(x.V, y.D1),
		elem.Prod(y.V, x.D2) + elem.Prod(x.V, y.D2),
		elem.Prod(y.V, x.D12) + elem.Prod(y.D1, x.D2) + elem.Prod(x.V, y.D12) + elem.Prod(x.D1, y.D2),
	}
}

func (x Hyper) SubReal(c float64) Hyper { return Hyper{x.V - c, x.D1, x.D2, x.D12} }

func (x Hyper) Scale(c float64) Hyper {
	z := Hyper{float64(c * x.V), float64(c * x.D1), float64(c * x.D2), float64(c * x.D12)}
	if z.defined() {
		return z
	}
	return Hyper{z.V, elem.Prod(c, x.D1), elem.Prod(c, x.D2), elem.Prod(c, x.D12)}
}

func (x Hyper) Square() Hyper {
	d := 2 * x.V
	z := Hyper{
		float64(x.V * x.V),
		float64(d * x.D1),
		float64(d * x.D2),
		float64(d*x.D12) + float64(2*x.D1*x.D2),
	}
	if z.defined() {
		return z
	}
	return Hyper{
		z.V,
		elem.Prod(d, x.D1),
		elem.Prod(d, x.D2),
		elem.Prod(d, x.D12) + elem.Prod(2*x.D1, x.D2),
	}
}

func (x Hyper) Max(y Hyper) Hyper { return x.choose(elem.Step(x.V, y.V), elem.Max(x.V, y.V), y) }
func (x Hyper) Min(y Hyper) Hyper { return x.choose(elem.Step(y.V, x.V), elem.Min(x.V, y.V), y) }

// choose is y with the value v where s is 1, x where it is 0.
func (x Hyper) choose(s, v float64, y Hyper) Hyper {
	return Hyper{v, elem.SelectD(s, y.D1, x.D1), elem.SelectD(s, y.D2, x.D2), elem.SelectD(s, y.D12, x.D12)}
}

func (x Hyper) Select(a, b Hyper) Hyper {
	return Hyper{elem.Select(x.V, a.V, b.V), elem.SelectD(x.V, a.D1, b.D1), elem.SelectD(x.V, a.D2, b.D2), elem.SelectD(x.V, a.D12, b.D12)}
}

// FMA has the derivatives of x·y + z.
func (x Hyper) FMA(y, z Hyper) Hyper {
	s := x.Mul(y).Add(z)
	s.V = math.FMA(x.V, y.V, z.V)
	return s
}

func (a Hyper) IncGamma(i, j int, x Hyper) Hyper {
	return hyperOf([]Hyper{a, x}, func(n [3]int) float64 { return incGamma(i+n[0], j+n[1], a.V, x.V) })
}

func (a Hyper) IncBeta(i, j, k int, b, x Hyper) Hyper {
	return hyperOf([]Hyper{a, b, x}, func(n [3]int) float64 { return incBeta(i+n[0], j+n[1], k+n[2], a.V, b.V, x.V) })
}

// hyperOf is a function of x with the partial derivatives at.
func hyperOf(x []Hyper, at func(order [3]int) float64) Hyper {
	var n [3]int
	z := Hyper{V: at(n)}
	for k, xk := range x {
		n[k]++
		d := at(n)
		z.D1 += elem.Prod(d, xk.D1)
		z.D2 += elem.Prod(d, xk.D2)
		z.D12 += elem.Prod(d, xk.D12)
		for l := range k + 1 {
			xl := x[l]
			n[l]++
			if l == k {
				z.D12 += elem.Prod(elem.Prod(at(n), xk.D1), xk.D2)
			} else if xk.D1 != 0 && xl.D2 != 0 || xk.D2 != 0 && xl.D1 != 0 {
				z.D12 += elem.Prod(at(n), elem.Prod(xk.D1, xl.D2)+elem.Prod(xl.D1, xk.D2))
			}
			n[l]--
		}
		n[k]--
	}
	return z
}

// Prod has the derivatives of Mul, derivative products.
func (x Hyper) Prod(y Hyper) Hyper {
	z := x.Mul(y)
	z.V = elem.Prod(x.V, y.V)
	return z
}

func (Hyper) SumOf(x []Hyper) Hyper {
	s := Hyper{V: start(0, len(x))}
	for _, xi := range x {
		s = s.Add(xi)
	}
	return s
}

func (Hyper) AffineOf(c0 float64, c []float64, x []Hyper) Hyper {
	s := Hyper{V: start(c0, len(c))}
	for i, ci := range c {
		s = s.Add(x[i].Scale(ci))
	}
	return s
}

func (Hyper) DotOf(x, y []Hyper) Hyper {
	s := Hyper{V: start(0, len(x))}
	for i, xi := range x {
		s = s.Add(xi.Mul(y[i]))
	}
	return s
}

func (Hyper) Const(c float64) Hyper { return Hyper{V: c} }
func (x Hyper) Value() float64      { return x.V }

func (x Hyper) Less(y Hyper) bool         { return x.V < y.V }
func (x Hyper) LessEq(y Hyper) bool       { return x.V <= y.V }
func (x Hyper) LessReal(c float64) bool   { return x.V < c }
func (x Hyper) LessEqReal(c float64) bool { return x.V <= c }
