package hessian_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// A planted function is a random function of a few variables in which one result
// passes through something that is wrong, or nothing is.
type planted struct {
	seed  uint64
	place int // of the result, −1 for none
	fault string
}

// faults are what may be wrong at a place. They have the right values and
// wrong derivatives.
var faults = []string{"sign", "1+1e-4", "1-1e-4", "second sign", "second 1+1e-4", "second 1-1e-4", "term", "second term", "Detach", "Value"}

var right = reverse.NewPrimitive("sine", math.Sin, math.Cos, func(x float64) float64 { return -math.Sin(x) })

// own is sin x, its derivatives times some factors.
func own(first, second float64) func(x, y reverse.Var) reverse.Var {
	p := reverse.NewPrimitive("wrong sine", math.Sin, func(x float64) float64 { return first * math.Cos(x) },
		func(x float64) float64 { return -first * second * math.Sin(x) })
	return func(x, _ reverse.Var) reverse.Var { return p.Apply(x) }
}

// factors is x·sin y without a term of its first or second derivative.
type factors struct{ first, second float64 }

func (factors) Dims() (n, m int) { return 2, 1 }
func (factors) Name() string     { return "x sin y" }
func (factors) Eval(z, x []float64) error {
	z[0] = x[0] * math.Sin(x[1])
	return nil
}
func (f factors) JVP(dz, x, dx []float64) error {
	dz[0] = math.Sin(x[1])*dx[0] + f.first*x[0]*math.Cos(x[1])*dx[1]
	return nil
}
func (f factors) VJP(g, x, w []float64) error {
	g[0], g[1] = w[0]*math.Sin(x[1]), f.first*w[0]*x[0]*math.Cos(x[1])
	return nil
}
func (f factors) HVP(h, x, dx, w []float64) error {
	h[0] = f.first * w[0] * math.Cos(x[1]) * dx[1]
	h[1] = f.first * w[0] * (math.Cos(x[1])*dx[0] - f.second*x[0]*math.Sin(x[1])*dx[1])
	return nil
}
func (factors) Jacobian(int) []int { return nil }
func (factors) Hessian(int) []int  { return nil }

func product2(f factors) func(x, y reverse.Var) reverse.Var {
	return func(x, y reverse.Var) reverse.Var { return reverse.Apply(f, x, y)[0] }
}

// pass is what a result x passes through, y another one: the right one and the
// wrong one.
func pass(fault string) (good, bad func(x, y reverse.Var) reverse.Var) {
	sine := func(x, _ reverse.Var) reverse.Var { return right.Apply(x) }
	same := func(x, _ reverse.Var) reverse.Var { return x }
	switch fault {
	case "sign":
		return sine, own(-1, 1)
	case "1+1e-4":
		return sine, own(1+1e-4, 1)
	case "1-1e-4":
		return sine, own(1-1e-4, 1)
	case "second sign":
		return sine, own(1, -1)
	case "second 1+1e-4":
		return sine, own(1, 1+1e-4)
	case "second 1-1e-4":
		return sine, own(1, 1-1e-4)
	case "term":
		return product2(factors{1, 1}), product2(factors{0, 1})
	case "second term":
		return product2(factors{1, 1}), product2(factors{1, 0})
	case "Detach":
		return same, func(x, _ reverse.Var) reverse.Var { return x.Detach() }
	case "Value":
		return same, func(x, _ reverse.Var) reverse.Var { return x.Const(x.Value()) }
	}
	return same, same
}

const plantedInputs, plantedSteps = 4, 8

// run evaluates the function, the wrong one or the right one.
func (p planted) run(x []reverse.Var, wrong bool) reverse.Var {
	r := rand.New(rand.NewPCG(p.seed, 1))
	v := append([]reverse.Var(nil), x...)
	good, bad := pass(p.fault)
	if wrong {
		good = bad
	}
	for k := range plantedSteps {
		a, b := v[len(v)-1-r.IntN(min(len(v), 4))], v[r.IntN(len(v))]
		size := math.Pow(10, 3*r.Float64())
		var y reverse.Var
		switch r.IntN(9) {
		case 0:
			y = a.Mul(b)
		case 1:
			y = a.Sin().Add(b.Scale(size))
		case 2:
			y = a.Square().AddReal(1).Sqrt().Sub(b)
		case 3:
			y = a.Div(b.Square().AddReal(0.5))
		case 4:
			y = a.Tanh().Mul(b).Add(a)
		case 5:
			y = a.Scale(0.3).Sin().Exp().Scale(size).Add(b)
		case 6:
			y = a.Hypot(b.AddReal(2))
		case 7:
			y = dual.Norm2([]reverse.Var{a, b, x[0].AddReal(1)})
		case 8:
			y = a.Logistic().Add(b.Square().Scale(0.1))
		}
		if k == p.place {
			y = good(y, a)
		}
		v = append(v, y)
	}
	return dual.Sum(v[len(x):])
}

func (p planted) point() []float64 {
	r := rand.New(rand.NewPCG(p.seed, 2))
	x := make([]float64, plantedInputs)
	for i := range x {
		x[i] = 4*r.Float64() - 2
	}
	return x
}

// visible is how much the fault changes a derivative at x, relative to the
// largest element of that order: a fault may cancel, or its place not matter.
func (p planted) visible(t *testing.T) float64 {
	x := p.point()
	most := 0.0
	derivatives := func(wrong bool) (g, h []float64) {
		f := func(x []reverse.Var) reverse.Var { return p.run(x, wrong) }
		g, err := reverse.Gradient(nil, f, x)
		require.NoError(t, err)
		m, err := hessian.Of(nil, f, x)
		require.NoError(t, err)
		for i := range x {
			for j := range x {
				h = append(h, m.At(i, j))
			}
		}
		return g, h
	}
	g0, h0 := derivatives(false)
	g1, h1 := derivatives(true)
	for _, d := range [][2][]float64{{g0, g1}, {h0, h1}} {
		size, off := 0.0, 0.0
		for i := range d[0] {
			size = max(size, math.Abs(d[0][i]))
			off = max(off, math.Abs(d[0][i]-d[1][i]))
		}
		if size > 0 {
			most = max(most, off/size)
		}
	}
	return most
}

// Whatever is wrong at whatever place of 50 functions is found, if it changes a
// gradient or Hessian by more than 10⁻⁹ of its largest element.
func TestCheckFindsPlantedFaults(t *testing.T) {
	found, hidden := 0, 0
	for seed := range uint64(50) {
		for place := range plantedSteps {
			p := planted{seed, place, faults[(int(seed)*3+place*7)%len(faults)]}
			if p.visible(t) < 1e-9 {
				hidden++
				continue
			}
			report, err := hessian.Check(func(x []reverse.Var) reverse.Var { return p.run(x, true) }, p.point())
			var wrong *hessian.DifferenceError
			require.ErrorAs(t, err, &wrong, "%+v\n%s", p, report)
			found++
		}
	}
	require.GreaterOrEqual(t, found, 390)
	require.LessOrEqual(t, hidden, 10)
}

// What is right is not accused: the same functions with right primitives in all
// places, and others that lose many digits.
func TestCheckAccusesNothingRight(t *testing.T) {
	type V = reverse.Var
	try := func(name string, x []float64, f func(x []V) V) {
		report, err := hessian.Check(f, x)
		require.NoError(t, err, "%s at %v\n%s", name, x, report)
	}
	for seed := range uint64(300) {
		p := planted{seed, int(seed % plantedSteps), faults[seed%8]}
		try(fmt.Sprint(p), p.point(), func(x []V) V { return p.run(x, false) })
	}
	for k := range 25 {
		c := 1 + 0.07*float64(k)
		try("cancellation", []float64{c, 2}, func(x []V) V { // 2·10⁸·x₀x₁
			return x[0].AddReal(1e8).Square().Sub(x[0].Square()).SubReal(1e16).Mul(x[1])
		})
		try("variance", []float64{c, 2, 3, 4}, func(x []V) V {
			var s, q V
			for _, v := range x {
				u := v.AddReal(1e6)
				s, q = s.Add(u), q.Add(u.Square())
			}
			return q.Scale(0.25).Sub(s.Scale(0.25).Square())
		})
		try("range", []float64{c, 2, 3}, func(x []V) V {
			return dual.Norm2([]V{x[0].AddReal(6378137), x[1].AddReal(2e7), x[2].AddReal(1e7)}).SubReal(2.3e7)
		})
		try("sine", []float64{c}, func(x []V) V { return x[0].AddReal(1e9).Sin() })
		try("chaos", []float64{c / 3}, func(x []V) V {
			s := x[0]
			for range 20 + k {
				s = s.RSub(1).Mul(s).Scale(3.9)
			}
			return s
		})
		try("kinks", []float64{c, 1}, func(x []V) V { return x[0].SubReal(1).Abs().Add(x[0].Max(x[1].Square())).Add(x[0].Min(x[1])) })
		try("a jump", []float64{c, 2}, func(x []V) V { return x[0].Step(x[1].Scale(0.51)).Scale(3).Add(x[0].Mul(x[1])) })
		try("softmax's shift", []float64{c, 2, 0.5}, func(x []V) V {
			shift := x[0].Max(x[1]).Max(x[2])
			if k%2 == 0 {
				shift = shift.Detach()
			} else {
				shift = reverse.Constant(shift.Value())
			}
			var s V
			for _, x := range x {
				s = s.Add(x.Sub(shift).Exp())
			}
			return s.Log().Add(shift)
		})
	}
}
