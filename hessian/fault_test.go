package hessian_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

var hunted = flag.Int("functions", 100, "random functions, of all operations, that Check must not accuse; a multiple of it of points near jumps")

// A planted function is the sum of the results of a random program, one of which passes
// through something that is wrong, or right.
type planted struct {
	program *randprog.Prog
	place   int // of the result
	fault   string
}

// anyProgram has no kink or jump at each point, as max(x, x) and x mod x.
var anyProgram = rapid.Custom(func(t *rapid.T) *randprog.Prog {
	return randprog.Draw(t, randprog.Options{MaxInputs: 4, MinLen: 5, MaxLen: 10, Reach: 6, Branches: true, Primitives: true})
}).Filter(func(p *randprog.Prog) bool {
	return !slices.ContainsFunc(p.Code, func(in randprog.Instr) bool {
		return in.A == in.B && (in.Op == op.Max || in.Op == op.Min || in.Op.Info().Jumps && in.Op.Operands() == 2)
	})
})

func detaches(p *randprog.Prog) bool {
	return slices.ContainsFunc(p.Code, func(in randprog.Instr) bool { return in.Op == op.Detach })
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

// run evaluates the function, the wrong one or the right one.
func (p planted) run(x []reverse.Var, wrong bool) (sum reverse.Var) {
	good, bad := pass(p.fault)
	if wrong {
		good = bad
	}
	h := *randprog.Vars
	h.Pass = func(k int, y reverse.Var, v []reverse.Var) reverse.Var {
		if k == p.place {
			y = good(y, v[p.program.Code[k].A])
		}
		sum = sum.Add(y)
		return y
	}
	randprog.Run(p.program, x, &h)
	return sum
}

func (p planted) String() string { return fmt.Sprintf("%s at %d of\n%v", p.fault, p.place, p.program) }

// visible is how much the fault changes a derivative at x, relative to the
// largest element of that order: a fault may cancel, or its place not matter.
func (p planted) visible(t *testing.T) float64 {
	x := p.program.X
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
	size := 0.0
	for _, d := range [][2][]float64{{g0, g1}, {h0, h1}} {
		size *= 1e-6 // a Hessian that is 0 but for rounding shows nothing
		off := 0.0
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

// Whatever is wrong at whatever place of functions of all operations is found, if it changes
// a gradient or Hessian by more than 10⁻⁹ of its largest element.
func TestCheckFindsPlantedFaults(t *testing.T) {
	const least = 6 // faults beside each operation
	beside, tried, found := map[string]int{}, 0, 0
	rare := func(p *randprog.Prog) bool {
		return slices.ContainsFunc(p.Code, func(in randprog.Instr) bool { return beside[in.Name()] < least })
	}
	for seed := 0; seed < 3000 && tried < 600; seed++ {
		p := planted{program: anyProgram.Example(seed), fault: faults[seed%len(faults)]}
		p.place = seed / len(faults) % len(p.program.Code)
		if tried >= 400 && !rare(p.program) || !(p.visible(t) > 1e-9) {
			continue
		}
		tried++
		for _, in := range p.program.Code {
			beside[in.Name()]++
		}
		report, err := hessian.Check(func(x []reverse.Var) reverse.Var { return p.run(x, true) }, p.program.X)
		if wrong := (*hessian.DifferenceError)(nil); errors.As(err, &wrong) {
			found++
		} else {
			t.Logf("not found: %v%s", p, report)
		}
	}
	for code := range op.All {
		assert.GreaterOrEqual(t, beside[code.String()], least, code)
	}
	t.Logf("%d of %d found", found, tried)
	require.GreaterOrEqual(t, tried, 400)
	require.GreaterOrEqual(t, float64(found), 0.99*float64(tried))
}

// What is right is not accused: random functions of all operations, and others that lose many
// digits, or whose steps cross kinks and jumps.
func TestCheckAccusesNothingRight(t *testing.T) {
	type V = reverse.Var
	try := func(name string, x []float64, f func(x []V) V) {
		report, err := hessian.Check(f, x)
		require.NoError(t, err, "%s at %v\n%s", name, x, report)
	}
	for seed, tried := 0, 0; tried < *hunted; seed++ {
		p := planted{anyProgram.Example(seed), seed / 8 % 5, faults[seed%8]}
		f := func(x []V) V { return p.run(x, false) }
		if fault, err := reverse.Trace(f, p.program.X); fault == nil && err == nil && !detaches(p.program) {
			try(p.String(), p.program.X, f)
			tried++
		}
	}
	for k := range *hunted {
		x := -3 + 3.009/float64(*hunted)*float64(k)
		try("stairs", []float64{x}, func(x []V) V { return x[0].Add(x[0].Square().Scale(7.4).Round().Square().Scale(2)) })
		try("stairs of several", []float64{0, 0.6934117665217252, x}, func(x []V) V {
			r := dual.SumSquares([]V{x[2], x[1], x[2]}).Scale(3.7).Round()
			return x[2].Add(dual.SumSquares([]V{r, r}))
		})
		try("sawtooth", []float64{x}, func(x []V) V { return x[0].Scale(37).Sub(x[0].Scale(37).Floor()).Mul(x[0]).Sin() })
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
				shift = dual.Const[reverse.Var](shift.Value())
			}
			var s V
			for _, x := range x {
				s = s.Add(x.Sub(shift).Exp())
			}
			return s.Log().Add(shift)
		})
	}
}
