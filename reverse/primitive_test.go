package reverse_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// failing is x ↦ 2·x₀, whose methods fail or panic on demand.
type failing struct {
	eval, jvp, vjp, hvp error
	panics              any
}

func (f *failing) fail(err error) error {
	if f.panics != nil {
		panic(f.panics)
	}
	return err
}

func (f *failing) Dims() (n, m int)                { return 1, 1 }
func (f *failing) Name() string                    { return "double" }
func (f *failing) Eval(y, x []float64) error       { y[0] = 2 * x[0]; return f.eval }
func (f *failing) JVP(dy, x, dx []float64) error   { dy[0] = 2 * dx[0]; return f.fail(f.jvp) }
func (f *failing) VJP(gx, x, w []float64) error    { gx[0] = 2 * w[0]; return f.fail(f.vjp) }
func (f *failing) HVP(h, x, dx, w []float64) error { h[0] = 0; return f.fail(f.hvp) }
func (f *failing) Jacobian(int) []int              { return nil }
func (f *failing) Hessian(int) []int               { return []int{} }

func TestPrimitiveErrorsWhileRecording(t *testing.T) {
	no := errors.New("no")
	f := &failing{eval: no}
	for _, n := range []int{1, 3} {
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			y := x[0]
			for range n {
				y = reverse.Apply(f, y)[0].Sin()
			}
			return y
		}, []float64{1})
		require.Nil(t, tape)
		require.ErrorIs(t, err, no)
		require.Equal(t, "reverse: primitive double: no", err.Error())
	}
	require.PanicsWithValue(t, no, func() { reverse.Apply(f, dual.Const[reverse.Var](1)) })
	g, err := reverse.Gradient(nil, func(x []reverse.Var) reverse.Var { return reverse.Apply(f, x...)[0] }, []float64{1})
	require.ErrorIs(t, err, no)
	require.Nil(t, g)
}

func TestPrimitiveErrorsLeaveDstAlone(t *testing.T) {
	f := &failing{}
	x := []float64{3}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return reverse.Apply(f, x[0].Square())[0].Exp() }, x)
	require.NoError(t, err)
	tangent, adjoint := tape.Tangent(), tape.Adjoint()
	no := errors.New("no")
	dst1, dst2 := []float64{7}, []float64{7, 7}
	v := []float64{1}
	evaluations := map[string]func() error{
		"Value":        func() error { return second(tape.Value(x)) },
		"Values":       func() error { return second(tape.Values(dst1, x)) },
		"Gradient":     func() error { return second(tape.Gradient(dst1, x)) },
		"VJP":          func() error { return second(tape.VJP(dst1, x, v)) },
		"JVP":          func() error { return second(tape.JVP(dst1, x, v)) },
		"HVP":          func() error { return second(tape.HVP(dst1, x, v)) },
		"weighted HVP": func() error { return second(tape.HVP(dst1, x, v, v...)) },
		"Jacobian":     func() error { return second(tape.Jacobian(nil, x)) },
		"Tangent":      func() error { return second(tangent.Values(dst2, []float64{3, 1})) },
		"Adjoint":      func() error { return second(adjoint.Values(dst1, []float64{3, 1})) },
		"FoF":          func() error { return second(tangent.JVP(dst2, []float64{3, 1}, []float64{1, 0})) },
		"RoF":          func() error { return second(tangent.VJP(dst2, []float64{3, 1}, []float64{0, 1})) },
		"FoR":          func() error { return second(adjoint.JVP(dst1, []float64{3, 1}, []float64{1, 0})) },
		"RoR":          func() error { return second(adjoint.VJP(dst2, []float64{3, 1}, v)) },
	}
	fails := map[*error][]string{
		&f.eval: {"Value", "Values", "Gradient", "VJP", "JVP", "HVP", "weighted HVP", "Jacobian", "Tangent", "Adjoint", "FoF", "RoF", "FoR", "RoR"},
		&f.jvp:  {"JVP", "HVP", "weighted HVP", "Jacobian", "Tangent", "FoF", "RoF", "FoR", "RoR"},
		&f.vjp:  {"Gradient", "VJP", "HVP", "weighted HVP", "Adjoint", "RoF", "FoR", "RoR"},
		&f.hvp:  {"HVP", "weighted HVP", "FoF", "RoF", "FoR", "RoR"},
	}
	for at, names := range fails {
		*at = no
		for name, eval := range evaluations {
			err := eval()
			fails := err != nil
			want := false
			for _, n := range names {
				want = want || n == name
			}
			require.Equal(t, want, fails, name)
			if fails {
				require.ErrorIs(t, err, no, name)
				require.Equal(t, "reverse: primitive double: no", err.Error())
				require.Equal(t, []float64{7}, dst1, name)
				require.Equal(t, []float64{7, 7}, dst2, name)
			}
			dst1[0], dst2[0], dst2[1] = 7, 7, 7
		}
		*at = nil
	}
	e := math.Exp(18)
	demand(t, "afterwards", tape, x, e, []float64{12 * e}, [][]float64{{148 * e}})
}

// A panic of a primitive passes, and evaluations before and after have the same
// bits: also where the panic was in a sweep with derivative products.
func TestPrimitivePanicsCorruptNothing(t *testing.T) {
	f := &failing{}
	x := []float64{0, 3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		s := reverse.Apply(f, x[1].Sin())[0]
		for i := range x {
			s = s.Add(x[i].Mul(x[(i+1)%len(x)]).Scale(0.3).Tanh().Mul(s))
		}
		return []reverse.Var{s, x[0].Sqrt()}
	}, x)
	require.NoError(t, err)
	w, v := []float64{1, 0}, ones(len(x))
	grad, err := tape.VJP(nil, x, w)
	require.NoError(t, err)
	plain := join(x)
	plain[0] = 1
	want, err := tape.HVP(nil, plain, v, w...)
	require.NoError(t, err)
	for range 5 {
		f.panics = "mine"
		require.PanicsWithValue(t, "mine", func() { tape.VJP(nil, x, w) })
		require.PanicsWithValue(t, "mine", func() { tape.HVP(nil, x, v, w...) })
		require.PanicsWithValue(t, "mine", func() { tape.JVP(nil, x, v) })
		require.PanicsWithValue(t, "mine", func() { tape.Jacobian(nil, x) })
		f.panics = nil
		got, err := tape.HVP(nil, plain, v, w...)
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = tape.VJP(nil, x, w)
		require.NoError(t, err)
		require.Equal(t, grad, got)
	}
}

func TestWrongNumberOfArgumentsPanics(t *testing.T) {
	reverse.Record(func(x []reverse.Var) reverse.Var {
		const message = "reverse: primitive xyy with a wrong number of arguments"
		require.PanicsWithValue(t, message, func() { reverse.Apply(randprog.XYY{}, x...) })
		require.PanicsWithValue(t, message, func() { reverse.Apply(randprog.XYY{}, x[0]) })
		require.PanicsWithValue(t, message, func() { reverse.Apply(randprog.XYY{}) })
		require.PanicsWithValue(t, "reverse: nil primitive", func() { reverse.Apply(nil, x...) })
		return x[0]
	}, []float64{1, 2, 3})
}

func TestPrimitivesOfConstantsAreConstants(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		c := reverse.Apply(randprog.XYY{}, dual.Const[reverse.Var](2), dual.Const[reverse.Var](3))
		return x[0].Mul(c[0]).Add(c[1]).Add(randprog.Sine.Apply(dual.Const[reverse.Var](0)))
	}, []float64{1})
	require.NoError(t, err)
	require.Equal(t, 3, tape.Ops()) // ·18 + 5 + 0
	demand(t, "constants", tape, []float64{1}, 23, []float64{18}, zeros(1))

	tape, err = reverse.Record(func(x []reverse.Var) reverse.Var {
		y := reverse.Apply(randprog.XYY{}, dual.Const[reverse.Var](3), x[0])
		return y[0].Add(y[1])
	}, []float64{2})
	require.NoError(t, err)
	demand(t, "one constant", tape, []float64{2}, 17, []float64{13}, [][]float64{{6}})
}

// The same primitive of the same operands twice, and all outputs of many.
func TestPrimitivesInBatches(t *testing.T) {
	n := 20
	x := make([]float64, n+1)
	for i := range x {
		x[i] = float64(i%5) - 1.5
	}
	plain, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
		for i := range n {
			s = s.Add(x[i].Mul(x[i+1].Square()).Mul(x[i].Add(x[i+1])).Mul(x[i].Sin()))
		}
		return s
	}, x)
	require.NoError(t, err)
	own, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
		for i := range n {
			y := reverse.Apply(randprog.XYY{}, x[i], x[i+1])
			s = s.Add(y[0].Mul(y[1]).Mul(randprog.Sine.Apply(x[i])))
		}
		return s
	}, x)
	require.NoError(t, err)
	f, g, err := plain.ValueGradient(nil, x)
	require.NoError(t, err)
	var h [][]float64
	for i := range x {
		e := make([]float64, len(x))
		e[i] = 1
		hv, err := plain.HVP(nil, x, e)
		require.NoError(t, err)
		h = append(h, hv)
	}
	demand(t, "primitives", own, x, f, g, h)
}

func TestThirdDerivativeOfAPrimitivePanicsAndNamesIt(t *testing.T) {
	scalar, err := reverse.Record(func(x []reverse.Var) reverse.Var { return randprog.Sine.Apply(x[0]) }, []float64{2})
	require.NoError(t, err)
	vector, err := reverse.Record(func(x []reverse.Var) reverse.Var { return reverse.Apply(randprog.XYY{}, x...)[0] }, []float64{2, 3})
	require.NoError(t, err)
	for name, tape := range map[string]*reverse.Tape{"sine": scalar, "xyy": vector} {
		message := "reverse: third derivative of the primitive " + name
		n := tape.Inputs()
		twice := map[string]*reverse.Tape{
			"Tangent of Tangent": tape.Tangent().Tangent(), "Adjoint of Tangent": tape.Tangent().Adjoint(),
			"Tangent of Adjoint": tape.Adjoint().Tangent(), "Adjoint of Adjoint": tape.Adjoint().Adjoint(),
		}
		for what, second := range twice {
			x := ones(second.Inputs())
			_, err := second.Values(nil, x)
			require.NoError(t, err, what)
			require.PanicsWithValue(t, message, func() { second.Tangent() }, what)
			require.PanicsWithValue(t, message, func() { second.Adjoint() }, what)
			require.PanicsWithValue(t, message, func() { second.JVP(nil, x, x) }, what)
			require.PanicsWithValue(t, message, func() { second.VJP(nil, x, ones(second.Outputs())) }, what)
		}
		tangent := tape.Tangent()
		x := ones(2 * n)
		require.PanicsWithValue(t, message, func() { tangent.HVP(nil, x, x, ones(2)...) })
		y, err := tangent.Values(nil, x)
		require.NoError(t, err)
		require.Len(t, y, 2)
	}
}

// drain has no outputs, source no inputs.
type drain struct{ failing }

func (*drain) Dims() (n, m int)          { return 1, 0 }
func (*drain) Eval(y, x []float64) error { return nil }

type source struct{ failing }

func (*source) Dims() (n, m int)          { return 0, 1 }
func (*source) Eval(y, x []float64) error { y[0] = 5; return nil }

func TestPrimitivesOfNothing(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		require.Empty(t, reverse.Apply(new(drain), x...))
		y := reverse.Apply(new(source))
		return x[0].Mul(y[0]).Square()
	}, []float64{2})
	require.NoError(t, err)
	demand(t, "nothing", tape, []float64{2}, 100, []float64{100}, [][]float64{{50}})
}

// patterned is x₀·x₁ with the patterns that it is given.
type patterned struct{ jacobian, hessian [][]int }

func (patterned) Dims() (n, m int)                { return 2, 1 }
func (patterned) Name() string                    { return "product" }
func (patterned) Eval(y, x []float64) error       { y[0] = x[0] * x[1]; return nil }
func (patterned) JVP(dy, x, dx []float64) error   { dy[0] = dx[0]*x[1] + x[0]*dx[1]; return nil }
func (patterned) VJP(g, x, w []float64) error     { g[0], g[1] = w[0]*x[1], w[0]*x[0]; return nil }
func (patterned) HVP(h, x, dx, w []float64) error { h[0], h[1] = w[0]*dx[1], w[0]*dx[0]; return nil }
func (p patterned) Jacobian(i int) []int          { return p.jacobian[i] }
func (p patterned) Hessian(i int) []int           { return p.hessian[i] }

func TestPatternsOfPrimitivesAreChecked(t *testing.T) {
	all, none := []int(nil), []int{}
	for _, c := range []struct {
		jacobian, hessian [][]int
		message           string
	}{
		{[][]int{all}, [][]int{{1}, {0}}, ""},
		{[][]int{{1, 0, 1}}, [][]int{{1, 0, 1}, {0}}, ""},
		{[][]int{all}, [][]int{all, all}, ""},
		{[][]int{all}, [][]int{all, {0}}, ""},
		{[][]int{all}, [][]int{{0}, all}, ": the pattern of its Hessian is not symmetric"},
		{[][]int{all}, [][]int{{1}, none}, ": the pattern of its Hessian is not symmetric"},
		{[][]int{all}, [][]int{none, {0}}, ": the pattern of its Hessian is not symmetric"},
		{[][]int{all}, [][]int{none, {0, 2}}, ": Hessian(1) has column 2, want one below 2"},
		{[][]int{all}, [][]int{{-3}, none}, ": Hessian(0) has column -3, want one below 2"},
		{[][]int{{0, 7}}, [][]int{{1}, {0}}, ": Jacobian(0) has column 7, want one below 2"},
		{[][]int{{-1}}, [][]int{{1}, {0}}, ": Jacobian(0) has column -1, want one below 2"},
	} {
		record := func() {
			tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
				return reverse.Apply(patterned{c.jacobian, c.hessian}, x...)[0]
			}, []float64{2, 3})
			require.NoError(t, err)
			require.True(t, tape.HessianPattern().Has(1, 0) && tape.HessianPattern().Has(0, 1))
			require.Equal(t, 2, tape.JacobianPattern().NNZ())
		}
		if c.message == "" {
			record()
		} else {
			require.PanicsWithValue(t, "reverse: primitive product"+c.message, record)
		}
	}
}

// A primitive that has a tape of its own may meet a branch there: that is its
// error and none of the function that applies it.
func TestBranchOfAPrimitiveIsItsOwn(t *testing.T) {
	inner := &reverse.BranchError{Op: "Less", X: 1, Y: 2}
	f := &failing{}
	recorded := 0
	fn := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		recorded++
		return reverse.Apply(f, x...)[0]
	})
	_, err := fn.Gradient(nil, []float64{1})
	require.NoError(t, err)
	f.vjp = inner
	_, err = fn.Gradient(nil, []float64{1})
	require.ErrorIs(t, err, inner)
	require.EqualError(t, err, "reverse: primitive double: "+inner.Error())
	require.Equal(t, 1, recorded)
	f.vjp, f.eval = nil, inner
	_, err = fn.Gradient(nil, []float64{1})
	_, own := err.(*reverse.BranchError)
	require.False(t, own)
	require.ErrorIs(t, err, inner)
}

// splits is x ↦ (x, 2x, x², 3x): of its outputs one may feed a nonlinear operation and
// those around it none.
type splits struct{}

func (splits) Dims() (n, m int) { return 1, 4 }
func (splits) Name() string     { return "splits" }
func (splits) Eval(y, x []float64) error {
	y[0], y[1], y[2], y[3] = x[0], 2*x[0], x[0]*x[0], 3*x[0]
	return nil
}
func (splits) JVP(dy, x, dx []float64) error {
	dy[0], dy[1], dy[2], dy[3] = dx[0], 2*dx[0], 2*x[0]*dx[0], 3*dx[0]
	return nil
}
func (splits) VJP(gx, x, w []float64) error    { gx[0] = w[0] + 2*w[1] + 2*x[0]*w[2] + 3*w[3]; return nil }
func (splits) HVP(h, x, dx, w []float64) error { h[0] = 2 * w[2] * dx[0]; return nil }
func (splits) Jacobian(int) []int              { return nil }
func (splits) Hessian(int) []int               { return nil }

// Products along directions that do not reach a call are those of a fresh tape, whatever
// was evaluated before.
func TestCallsThatNoDirectionReaches(t *testing.T) {
	const n = 20
	f := func(x []V) V {
		return reverse.Apply(splits{}, x[0])[0].Sin().Mul(reverse.Apply(splits{}, x[15])[3].Sin())
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.3 + 0.01*float64(i)
	}
	tape, err := reverse.Record(f, x)
	require.NoError(t, err)
	_, err = tape.HVP(nil, x, ones(n))
	require.NoError(t, err)
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	a, b := x[0], 3*x[15]
	for i := range n {
		for j := range n {
			want := 0.0
			switch {
			case i == 0 && j == 0:
				want = -math.Sin(a) * math.Sin(b)
			case i == 15 && j == 15:
				want = -9 * math.Sin(a) * math.Sin(b)
			case i+j == 15 && i*j == 0:
				want = 3 * math.Cos(a) * math.Cos(b)
			}
			require.InDelta(t, want, h.At(i, j), 1e-14, "%d %d", i, j)
		}
	}
}
