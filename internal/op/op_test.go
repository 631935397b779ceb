package op

import (
	"math"
	"testing"
)

var points = []float64{-7.25, -2, -0.5, 0.25, 0.75, 1.5, 3, 40}

// A row has the functions that its operands, constant and class ask for, and
// its flags are those of its class.
func TestRowsAreComplete(t *testing.T) {
	named := map[string]bool{}
	for c := range Code(Count) {
		r := c.Info()
		if r.Name == "" || named[r.Name] {
			t.Errorf("operation %d of op.go is named %q in the table", c, r.Name)
		}
		named[r.Name] = true
		flags, ok := map[Class]Flags{
			NoPartials: 0, One: DX, MinusOne: DX, ByConstant: DX, OverConstant: DX,
			OneOne: DX | DY, OneMinusOne: DX | DY, Factors: DX | DY | DXY, Twice: DX | DXX,
		}[r.Class]
		if ok && r.Flags != flags {
			t.Errorf("%v: flags %b, its class has %b", c, r.Flags, flags)
		}
		if !c.Elementary() {
			continue
		}
		if n := r.Operands; n == 1 && r.Flags&^(DX|DXX) != 0 || n != 1 && n != 2 {
			t.Errorf("%v: flags %b with %d operands", c, r.Flags, n)
		}
		one := r.Class == Unary && r.Constant == NoConstant
		constant := r.Class == Unary && r.Constant != NoConstant
		two := r.Class == Binary
		if (r.D1 != nil && r.H1 != nil) != one || (r.DC != nil && r.HC != nil) != constant || (r.D2 != nil && r.H2 != nil) != two {
			t.Errorf("%v: partials are not those of its class", c)
		}
		if r.Source == "" && r.F1 == nil && r.FC == nil && r.F2 == nil {
			t.Errorf("%v: no value", c)
		}
	}
}

// A derivative whose flag is not set is 0, one whose flag is set is not at
// some point.
func TestFlagsAreThoseOfThePartials(t *testing.T) {
	for c := range All {
		r := c.Info()
		var seen Flags
		see := func(d ...float64) {
			for k, d := range d {
				if d != 0 && d == d {
					seen |= 1 << k
				}
			}
		}
		for _, x := range points {
			switch {
			case r.D1 != nil:
				v := r.F1(x)
				d := r.D1(x, v)
				see(d, 0, r.H1(x, v, d))
			case r.DC != nil:
				v := r.FC(x, 3)
				d := r.DC(x, 3, v)
				see(d, 0, r.HC(x, 3, v, d))
			case r.D2 != nil:
				for _, y := range points {
					v := r.F2(x, y)
					dx, dy := r.D2(x, y, v)
					dxx, dxy, dyy := r.H2(x, y, v, dx, dy)
					see(dx, dy, dxx, dyy, dxy)
				}
			}
		}
		if (r.D1 != nil || r.DC != nil || r.D2 != nil) && seen != r.Flags {
			t.Errorf("%v: flags %05b, partials that are not 0 %05b", c, r.Flags, seen)
		}
	}
}

// Operands that may be exchanged give the same bits, and so does −x where the
// function is even, whose derivative then only changes its sign.
func TestSymmetries(t *testing.T) {
	for c := range All {
		r := c.Info()
		if f := r.F2; f != nil && r.Commutes {
			for _, x := range points {
				for _, y := range append(points, 0, math.Inf(1), math.NaN()) {
					if a, b := f(x, y), f(y, x); a != b && (a == a || b == b) {
						t.Errorf("%v(%g, %g) = %g, exchanged %g", c, x, y, a, b)
					}
				}
			}
		}
		if f := r.F1; f != nil && r.Even {
			for _, x := range points {
				a, b := f(x), f(-x)
				d, e := r.D1(x, a), r.D1(-x, b)
				if a != b || d != -e || r.H1(x, a, d) != r.H1(-x, b, e) {
					t.Errorf("%v is not even at %g", c, x)
				}
			}
		}
	}
}
