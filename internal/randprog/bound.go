package randprog

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/elem"
)

// Bound is a hyper-dual number whose derivative parts are sums of absolute
// values: what rounding errors of any order of summation are relative to.
type Bound dual.Hyper

var _ dual.Scalar[Bound] = Bound{}

// unary is f(x), the partials of f taken from hyper-dual numbers.
func unary(x Bound, f func(x dual.Hyper) dual.Hyper) Bound {
	y := f(dual.Hyper{V: x.V, D1: 1, D2: 1})
	d, dd := math.Abs(y.D1), math.Abs(y.D12)
	return Bound{V: y.V, D1: prod(d, x.D1), D2: prod(d, x.D2), D12: prod(d, x.D12) + prod(dd, prod(x.D1, x.D2))}
}

var prod = elem.Prod

func binary(x, y Bound, f func(x, y dual.Hyper) dual.Hyper) Bound {
	at := func(x1, x2, y1, y2 float64) dual.Hyper {
		return f(dual.Hyper{V: x.V, D1: x1, D2: x2}, dual.Hyper{V: y.V, D1: y1, D2: y2})
	}
	fx, fy, fxy := at(1, 1, 0, 0), at(0, 0, 1, 1), at(1, 0, 0, 1)
	dx, dy := math.Abs(fx.D1), math.Abs(fy.D1)
	dxx, dyy, dxy := math.Abs(fx.D12), math.Abs(fy.D12), math.Abs(fxy.D12)
	return Bound{
		V: fx.V, D1: prod(dx, x.D1) + prod(dy, y.D1), D2: prod(dx, x.D2) + prod(dy, y.D2),
		D12: prod(dx, x.D12) + prod(dy, y.D12) +
			prod(dxx, prod(x.D1, x.D2)) + prod(dyy, prod(y.D1, y.D2)) + prod(dxy, prod(x.D1, y.D2)+prod(y.D1, x.D2)),
	}
}

// Hypot has second partials like y²/v³, which nested numbers form as the
// difference of 1/v and x²/v³.
func (x Bound) Hypot(y Bound) Bound {
	z := binary(x, y, dual.Hyper.Hypot)
	if z.V > 0 {
		z.D12 += 2 * (x.D1 + y.D1) * (x.D2 + y.D2) / z.V
	}
	return z
}

func (x Bound) SubReal(c float64) Bound {
	return unary(x, func(x dual.Hyper) dual.Hyper { return x.SubReal(c) })
}

func (x Bound) Const(c float64) Bound     { return Bound{V: c} }
func (x Bound) Value() float64            { return x.V }
func (x Bound) Less(y Bound) bool         { return x.V < y.V }
func (x Bound) LessEq(y Bound) bool       { return x.V <= y.V }
func (x Bound) LessReal(c float64) bool   { return x.V < c }
func (x Bound) LessEqReal(c float64) bool { return x.V <= c }

func (x Bound) Select(a, b Bound) Bound {
	switch {
	case x.V > 0:
		return a
	case x.V != x.V:
		return Bound{x.V, x.V, x.V, x.V}
	}
	return b
}

func (x Bound) SumOf(z []Bound) Bound {
	s := Bound{}
	for i, z := range z {
		if i == 0 {
			s = z
			continue
		}
		s = s.Add(z)
	}
	return s
}

func (x Bound) AffineOf(c0 float64, c []float64, z []Bound) Bound {
	s := Bound{V: c0}
	for i, z := range z {
		s = s.Add(z.Scale(c[i]))
	}
	return s
}

func (x Bound) DotOf(y, z []Bound) Bound {
	s := Bound{}
	for i := range y {
		s = s.Add(y[i].Mul(z[i]))
	}
	return s
}
