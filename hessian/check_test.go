package hessian_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

func TestCheckPassesTheProblems(t *testing.T) {
	for _, p := range problems.All {
		in := p.At(smallSizes[p.Name])
		f := problems.VecFunc[reverse.Var](in)
		if f == nil {
			scalar := problems.Func[reverse.Var](in)
			f = func(x []reverse.Var) []reverse.Var { return []reverse.Var{scalar(x)} }
		}
		report, err := hessian.CheckVec(f, in.X0)
		require.NoError(t, err, "%s:\n%s", p.Name, report)
		require.Contains(t, report, "at x: ")
	}
}

func TestCheckPassesRandomPrograms(t *testing.T) { rapid.Check(t, checkPassesRandomPrograms) }
func FuzzCheckPassesRandomPrograms(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkPassesRandomPrograms)) }

func checkPassesRandomPrograms(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 3, MaxLen: 15, Smooth: true})
	report, err := hessian.CheckVec(func(x []reverse.Var) []reverse.Var { return randprog.Run(p, x, nil) }, p.X)
	require.NoError(t, err, "%s%v", report, p)
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	type V = reverse.Var
	calls := 0
	random := rand.New(rand.NewPCG(3, 4))
	wrong := func(f, d, dd func(x float64) float64) func(x []V) V {
		p := reverse.NewPrimitive("wrong", f, d, dd)
		return func(x []V) V { return p.Apply(x[0].Mul(x[1])).Add(x[1].Square()) }
	}
	var missed *reverse.MissedError
	var state *reverse.StateError
	var fault *reverse.Fault
	var difference *hessian.DifferenceError
	for _, c := range []struct {
		name string
		f    func(x []V) V
		as   any
		then func(t *testing.T)
	}{
		{"a counter", func(x []V) V { calls++; return x[0].Scale(float64(calls)) }, &state,
			func(t *testing.T) { require.Equal(t, "Scale", state.Op); require.NotZero(t, state.Line) }},
		{"random length", func(x []V) V {
			s := x[0]
			for range random.IntN(1000) {
				s = s.Sin()
			}
			return s
		}, &state, nil},
		{"a pole", func(x []V) V { return x[0].SubReal(1).Sqrt() }, &fault,
			func(t *testing.T) { require.Equal(t, "Sqrt", fault.Op); require.Equal(t, 1, fault.Order) }},
		{"first derivative", wrong(math.Sin, func(x float64) float64 { return 1.001 * math.Cos(x) }, func(x float64) float64 { return -math.Sin(x) }), &difference,
			func(t *testing.T) { require.Equal(t, 1, difference.Order) }},
		{"second derivative", wrong(math.Sin, math.Cos, math.Sin), &difference,
			func(t *testing.T) { require.Equal(t, 2, difference.Order) }},
		{"pattern of a primitive", func(x []V) V { return reverse.Apply(product{}, x...)[0] }, &missed, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := hessian.Check(c.f, []float64{1, 0.5})
			require.ErrorAs(t, err, c.as, report)
			require.Contains(t, report, "WRONG")
			if c.then != nil {
				c.then(t)
			}
		})
	}
}

// product is x₀·x₁ with a pattern that says it is linear.
type product struct{}

func (product) Dims() (n, m int) { return 2, 1 }
func (product) Name() string     { return "product" }
func (product) Eval(y, x []float64) error {
	y[0] = x[0] * x[1]
	return nil
}
func (product) JVP(dy, x, dx []float64) error {
	dy[0] = x[0]*dx[1] + x[1]*dx[0]
	return nil
}
func (product) VJP(gx, x, w []float64) error {
	gx[0], gx[1] = w[0]*x[1], w[0]*x[0]
	return nil
}
func (product) HVP(h, _, dx, w []float64) error {
	h[0], h[1] = w[0]*dx[1], w[0]*dx[0]
	return nil
}
func (product) Jacobian(int) []int { return nil }
func (product) Hessian(int) []int  { return []int{} }

func TestCheckOfStateThatChangesLater(t *testing.T) {
	calls := 0
	report, err := hessian.Check(func(x []reverse.Var) reverse.Var {
		if calls++; calls > 5 {
			return x[0].Scale(2)
		}
		return x[0]
	}, []float64{1})
	require.ErrorContains(t, err, "state", report)
}

func TestCheckTakesOtherBranchesAndKinks(t *testing.T) {
	for _, f := range []func(x []reverse.Var) reverse.Var{
		func(x []reverse.Var) reverse.Var {
			if x[0].LessReal(1) {
				return x[0].Square()
			}
			return x[0].Scale(2).SubReal(1)
		},
		func(x []reverse.Var) reverse.Var { return x[0].SubReal(1).Abs().Add(x[0].Max(x[0].Square())) },
		func(x []reverse.Var) reverse.Var { return dual.Const[reverse.Var](3) },
	} {
		report, err := hessian.Check(f, []float64{1})
		require.NoError(t, err, report)
	}
	_, err := hessian.Check(func(x []reverse.Var) reverse.Var { return dual.Const[reverse.Var](3) }, nil)
	require.NoError(t, err)
}

func ExampleCheck() {
	// The second derivative should be −sin x.
	sine := reverse.NewPrimitive("sine", math.Sin, math.Cos, math.Sin)
	_, err := hessian.Check(func(x []reverse.Var) reverse.Var { return sine.Apply(x[0]) }, []float64{0.5})
	var wrong *hessian.DifferenceError
	fmt.Printf("%t: order %d, %.6f instead of %.6f\n", errors.As(err, &wrong), wrong.Order, wrong.Got, wrong.Want)
	// Output:
	// true: order 2, 0.479426 instead of -0.479426
}
