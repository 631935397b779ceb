package reverse_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// A model that was recorded once is a part of several functions.
func ExampleTape_Apply() {
	energy, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return x[0].Exp().Sub(x[0]).Add(x[0].Mul(x[1]).Square())
	}, []float64{0, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	f := reverse.NewFunc(func(y []reverse.Var) reverse.Var {
		return energy.Apply(y[0].Add(y[1]), y[1])[0].Add(energy.Apply(y[1], y[2])[0])
	})
	v, g, err := f.ValueGradient(nil, []float64{0.5, -0.5, 2})
	fmt.Printf("%.4f %.4f %v\n", v, g, err)
	// Output: 3.1065 [0.0000 -4.3935 1.0000] <nil>
}

// kinked is x²y for x < 1, xy beyond.
func kinked(x []reverse.Var) reverse.Var {
	if x[0].LessReal(1) {
		return x[0].Square().Mul(x[1])
	}
	return x[0].Mul(x[1])
}

func TestATapeThatIsCalledGuardsWhatCallsIt(t *testing.T) {
	inner, err := reverse.Record(kinked, []float64{0.5, 1})
	require.NoError(t, err)
	outer, err := reverse.Record(func(x []reverse.Var) reverse.Var { return inner.Apply(x...)[0].Sin() }, []float64{0.25, 1})
	require.NoError(t, err)
	_, err = outer.Value([]float64{2, 1})
	require.Equal(t, &reverse.BranchError{Op: "Less", X: 2, Y: 1, Recorded: true}, err)

	_, err = reverse.Record(func(x []reverse.Var) reverse.Var { return inner.Apply(x...)[0] }, []float64{2, 1})
	require.ErrorContains(t, err, "Apply")

	// As a Func it is recorded again, in a step of a loop, too.
	fn := reverse.NewFunc(kinked)
	for name, f := range map[string]func(x []reverse.Var) reverse.Var{
		"plain": func(x []reverse.Var) reverse.Var { return fn.Apply(x...)[0] },
		"loop": func(x []reverse.Var) reverse.Var {
			last, _ := dual.Scan(dual.Loop[reverse.Var]{Start: x, Steps: 1, Step: func(s, _, _, _ []reverse.Var) (next, out []reverse.Var) {
				return []reverse.Var{fn.Apply(s...)[0], s[1]}, nil
			}})
			return last[0]
		},
	} {
		around := reverse.NewFunc(f)
		for _, x := range []float64{0.5, 3, 0.25} {
			v, g, err := around.ValueGradient(nil, []float64{x, 7})
			require.NoError(t, err, name)
			want, slope, by := 7*x*x, 14*x, x*x
			if x >= 1 {
				want, slope, by = 7*x, 7, x
			}
			require.Equal(t, want, v, name)
			require.Equal(t, []float64{slope, by}, g, name)
		}
	}
}

// Its pattern is that of its operations, block by block, and its parameters are those that are bound.
func TestATapeThatIsCalledHasItsPatternAndParameters(t *testing.T) {
	inner, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Mul(x[1]).Mul(p[0]), x[2].Exp()}
	}, []float64{1, 1, 1}, []float64{2})
	require.NoError(t, err)
	bound := inner.With([]float64{3})
	x := []float64{0.5, 1, 1.5, 2}
	whole, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		y, z := bound.Apply(x[:3]...), bound.Apply(x[1:]...)
		return y[0].Add(y[1]).Add(z[0]).Add(z[1])
	}, x)
	require.NoError(t, err)
	plain, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return x[0].Mul(x[1]).Scale(3).Add(x[2].Exp()).Add(x[1].Mul(x[2]).Scale(3)).Add(x[3].Exp())
	}, x)
	require.NoError(t, err)
	require.True(t, plain.HessianPattern().Equal(whole.HessianPattern()), whole.HessianPattern().Spy(10))
	want, err := hessian.New(plain, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	for _, s := range hessian.Strategies {
		got, err := hessian.New(whole, s).Dense(nil, x)
		require.NoError(t, err)
		require.InDeltaSlice(t, want.RawSymmetric().Data, got.RawSymmetric().Data, 1e-14, "%v", s)
	}
	require.Panics(t, func() { bound.Apply(make([]reverse.Var, 2)...) })
	require.Equal(t, 6.0, bound.Apply(dual.Const[reverse.Var](1), dual.Const[reverse.Var](2), dual.Const[reverse.Var](0))[0].Value())
}

func TestATapeThatIsCalledAllocatesNothingWarm(t *testing.T) {
	x := make([]float64, 50)
	for i := range x {
		x[i] = 1 + float64(i)/100
	}
	inner, err := reverse.Record(rosenbrock[reverse.Var], x)
	require.NoError(t, err)
	outer, err := reverse.Record(func(x []reverse.Var) reverse.Var { return inner.Apply(x...)[0].Square() }, x)
	require.NoError(t, err)
	g, h, v := make([]float64, 50), make([]float64, 50), make([]float64, 50)
	v[3] = 1
	require.Zero(t, testing.AllocsPerRun(20, func() {
		if _, _, err := outer.ValueGradient(g, x); err != nil {
			t.Error(err)
		}
		if _, err := outer.HVP(h, x, v); err != nil {
			t.Error(err)
		}
	}))
}

func BenchmarkATapeThatIsCalled(b *testing.B) {
	x := make([]float64, 10000)
	for i := range x {
		x[i] = 1 + float64(i%7)/100
	}
	inner, err := reverse.Record(rosenbrock[reverse.Var], x)
	require.NoError(b, err)
	outer, err := reverse.Record(func(x []reverse.Var) reverse.Var { return inner.Apply(x...)[0] }, x)
	require.NoError(b, err)
	g := make([]float64, len(x))
	for name, t := range map[string]*reverse.Tape{"plain": inner, "called": outer} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				t.Gradient(g, x)
			}
		})
		b.Run(name+"HVP", func(b *testing.B) {
			for b.Loop() {
				t.HVP(g, x, x)
			}
		})
	}
}
