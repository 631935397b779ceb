package reverse_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

func TestWrongShapesPanicAndChangeNothing(t *testing.T) {
	x, p := []float64{1, 2, 3}, []float64{5}
	scalar, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Mul(x[1]).Mul(x[2]).Mul(p[0])}
	}, x, p)
	require.NoError(t, err)
	vector, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Mul(x[1]), x[2].Square()}
	}, x)
	require.NoError(t, err)
	v3, v2 := make([]float64, 3), make([]float64, 2)
	dst2, dst3, dst4 := []float64{7, 7}, []float64{7, 7, 7}, []float64{7, 7, 7, 7}
	m := mat.NewDense(3, 2, []float64{7, 7, 7, 7, 7, 7})
	v := mat.NewDense(3, 3, nil)
	const sizes = "reverse: x has length 2, want 3 inputs (and 1 parameters)"
	for _, c := range []struct {
		message string
		f       func()
	}{
		{sizes, func() { scalar.Value(v2) }},
		{sizes, func() { scalar.Values(nil, v2) }},
		{sizes, func() { scalar.Gradient(dst3, v2) }},
		{sizes, func() { scalar.HVP(dst3, v2, v3) }},
		{sizes, func() { scalar.HVPs(nil, v2, v) }},
		{sizes, func() { scalar.Jacobian(nil, v2) }},
		{sizes, func() { scalar.JVP(nil, v2, v3) }},
		{sizes, func() { scalar.Inside().Sweep(v2, nil) }},
		{"reverse: x has length 5, want 3 inputs (and 1 parameters)", func() { scalar.Gradient(dst3, make([]float64, 5)) }},
		{"reverse: x has length 4, want 3 inputs (and 0 parameters)", func() { vector.VJP(dst3, make([]float64, 4), v2) }},
		{"reverse: x has length 0, want 3 inputs (and 0 parameters)", func() { vector.Values(nil, nil) }},
		{"reverse: dst has length 2, want 3", func() { scalar.Gradient(dst2, x) }},
		{"reverse: dst has length 2, want 3", func() { scalar.ValueGradient(dst2, x) }},
		{"reverse: dst has length 4, want 3", func() { vector.VJP(dst4, x, v2) }},
		{"reverse: dst has length 4, want 3", func() { scalar.HVP(dst4, x, v3) }},
		{"reverse: dst has length 4, want 3", func() { vector.HVP(dst4, x, v3, v2...) }},
		{"reverse: dst has length 3, want 2", func() { vector.Values(dst3, x) }},
		{"reverse: dst has length 3, want 2", func() { vector.JVP(dst3, x, v3) }},
		{"reverse: dst has length 0, want 2", func() { vector.JVP([]float64{}, x, v3) }},
		{"reverse: w has length 3, want 2", func() { vector.VJP(nil, x, v3) }},
		{"reverse: 3 weights for 2 outputs", func() { vector.HVP(nil, x, v3, v3...) }},
		{"reverse: w has length 0, want 2", func() { vector.VJP(nil, x, nil) }},
		{"reverse: 0 weights for 2 outputs", func() { vector.HVP(nil, x, v3) }},
		{"reverse: 0 weights for 2 outputs", func() { vector.HVPs(nil, x, v) }},
		{"reverse: v has length 2, want 3", func() { vector.JVP(nil, x, v2) }},
		{"reverse: v has length 2, want 3", func() { scalar.HVP(nil, x, v2) }},
		{"reverse: v has length 4, want 3", func() { scalar.HVP(nil, x, dst4) }},
		{"reverse: v has length 2, want 3", func() { vector.HVP(nil, x, v2, v2...) }},
		{"reverse: dst is 3×2, want 1×3", func() { scalar.Jacobian(m, x) }},
		{"reverse: dst is 3×2, want 3×3", func() { scalar.HVPs(m, x, v) }},
		{"reverse: nil V", func() { scalar.HVPs(nil, x, nil) }},
		{"reverse: nil tape", func() { _, _ = reverse.NewSparseJacobian(nil) }},
		{"reverse: no method 5", func() { _, _ = reverse.SparseSettings{Method: 5}.New(vector) }},
		{"reverse: V has 1 rows, want 3", func() { scalar.HVPs(nil, x, mat.NewDense(1, 1, nil)) }},
	} {
		require.PanicsWithValue(t, c.message, c.f)
	}
	const several = "reverse: a scalar function is wanted, this one has several outputs"
	for _, f := range []func(){
		func() { vector.Value(x) },
		func() { vector.Gradient(nil, x) },
		func() { vector.ValueGradient(nil, x) },
	} {
		require.PanicsWithValue(t, several, f)
	}
	require.Equal(t, []float64{7, 7}, dst2)
	require.Equal(t, []float64{7, 7, 7}, dst3)
	require.Equal(t, []float64{7, 7, 7, 7}, dst4)
	require.True(t, mat.Equal(mat.NewDense(3, 2, []float64{7, 7, 7, 7, 7, 7}), m))
	demand(t, "after all", scalar, x, 30, []float64{30, 15, 10}, [][]float64{{0, 15, 10}, {15, 0, 5}, {10, 5, 0}})
}

func TestNilFunctionsPanic(t *testing.T) {
	x := []float64{1}
	for _, f := range []func(){
		func() { reverse.Record(nil, x) },
		func() { reverse.RecordVec(nil, x) },
		func() { reverse.RecordParamsVec(nil, x, x) },
		func() { reverse.Recorder{Lines: true}.Record(nil, x) },
		func() { reverse.Recorder{}.RecordVec(nil, x) },
		func() { reverse.NewFunc(nil) },
		func() { reverse.NewFuncVec(nil) },
		func() { reverse.NewFuncParamsVec(nil, x) },
		func() { reverse.Gradient(nil, nil, x) },
		func() { reverse.NewPrimitive("f", nil, math.Cos, math.Sin) },
		func() { reverse.NewPrimitive("f", math.Sin, nil, math.Sin) },
		func() { reverse.NewPrimitive("f", math.Sin, math.Cos, nil) },
	} {
		require.PanicsWithValue(t, "reverse: nil function", f)
	}
	require.PanicsWithValue(t, "reverse: no outputs", func() {
		reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return nil }, x)
	})
	require.PanicsWithValue(t, "reverse: no outputs", func() {
		reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var { return []reverse.Var{} }, x, x)
	})
}

// varOperations are all methods of a Var that take another, and those that
// take none.
var varOperations = map[string]func(x, y reverse.Var) reverse.Var{
	"Add": reverse.Var.Add, "Sub": reverse.Var.Sub, "Mul": reverse.Var.Mul, "Div": reverse.Var.Div, "Pow": reverse.Var.Pow,
	"Max": reverse.Var.Max, "Min": reverse.Var.Min, "Hypot": reverse.Var.Hypot, "Atan2": reverse.Var.Atan2,
	"Step": reverse.Var.Step, "Prod": reverse.Var.Prod,
	"Select":      func(x, y reverse.Var) reverse.Var { return x.Select(y, y) },
	"Select of":   func(x, y reverse.Var) reverse.Var { return x.Select(x, y) },
	"Sum":         func(x, y reverse.Var) reverse.Var { return dual.Sum([]reverse.Var{x, y}) },
	"Dot":         func(x, y reverse.Var) reverse.Var { return dual.Dot([]reverse.Var{x}, []reverse.Var{y}) },
	"Affine":      func(x, y reverse.Var) reverse.Var { return dual.Affine(1, []float64{1, 1}, []reverse.Var{x, y}) },
	"Less":        func(x, y reverse.Var) reverse.Var { x.Less(y); return x },
	"LessEq":      func(x, y reverse.Var) reverse.Var { x.LessEq(y); return x },
	"Apply":       func(x, y reverse.Var) reverse.Var { return reverse.Apply(randprog.XYY{}, x, y)[0] },
	"constants":   func(x, y reverse.Var) reverse.Var { return x.AddReal(1).Add(y.Scale(2)) },
	"deep inside": func(x, y reverse.Var) reverse.Var { return x.Sin().Mul(x).Add(y.Exp().Square()).Tanh() },
}

func TestVarsOfTwoRecordingsPanic(t *testing.T) {
	for name, op := range varOperations {
		require.PanicsWithValue(t, "reverse: Vars of two recordings mixed", func() {
			reverse.Record(func(x []reverse.Var) reverse.Var {
				_, err := reverse.Record(func(y []reverse.Var) reverse.Var { return op(x[0], y[0]) }, []float64{3})
				return dual.Const[reverse.Var](float64(len(err.Error())))
			}, []float64{2})
		}, name)
	}
	require.PanicsWithValue(t, "reverse: Vars of two recordings mixed", func() {
		reverse.Record(func(x []reverse.Var) reverse.Var {
			reverse.Record(func(y []reverse.Var) reverse.Var { return x[0] }, []float64{3})
			return x[0]
		}, []float64{2})
	})
}

// A recording inside another is none of its business.
func TestRecordingsNest(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		g, err := reverse.Gradient(nil, func(y []reverse.Var) reverse.Var { return y[0].PowInt(3) }, []float64{3})
		require.NoError(t, err)
		return x[0].Scale(g[0])
	}, []float64{2})
	require.NoError(t, err)
	demand(t, "nested", tape, []float64{2}, 54, []float64{27}, zeros(1))
}

func TestVarAfterItsRecordingPanics(t *testing.T) {
	var old reverse.Var
	_, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		old = x[0].Sin()
		return old
	}, []float64{2})
	require.NoError(t, err)
	const message = "reverse: Var used after its recording"
	for name, op := range varOperations {
		require.PanicsWithValue(t, message, func() { op(old, old) }, name)
		switch name {
		case "Add", "Sub", "Mul", "Div", "Sum", "Less", "Affine", "Dot":
			require.PanicsWithValue(t, message, func() { op(old, dual.Const[reverse.Var](3)) }, name)
			require.PanicsWithValue(t, message, func() { op(dual.Const[reverse.Var](3), old) }, name)
		}
	}
	for _, f := range []func(){
		func() { old.Value() },
		func() { old.Detach() },
		func() { old.LessReal(3) },
		func() { old.LessEqReal(3) },
		func() { old.Sin() },
		func() { randprog.Sine.Apply(old) },
		func() { old.AddReal(1) },
		func() { old.Polygamma(1) },
	} {
		require.PanicsWithValue(t, message, f)
	}
	// In another recording it is one of another recording.
	require.Panics(t, func() {
		reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].Add(old) }, []float64{2})
	})
}

func TestPanicOfTheFunctionPassesAndCorruptsNothing(t *testing.T) {
	f := func(x []reverse.Var) reverse.Var {
		s := x[0]
		for i := range 3 * 4096 { // several chunks of nodes
			s = s.Sin().Add(x[i%len(x)])
		}
		return s
	}
	x := []float64{1, 2, 3}
	tape, err := reverse.Record(f, x)
	require.NoError(t, err)
	want, err := tape.Gradient(nil, x)
	require.NoError(t, err)
	for range 3 {
		var old reverse.Var
		require.PanicsWithValue(t, "mine", func() {
			reverse.Record(func(x []reverse.Var) reverse.Var {
				old = f(x)
				panic("mine")
			}, x)
		})
		require.PanicsWithValue(t, "reverse: Var used after its recording", func() { old.Sin() })
		again, err := reverse.Record(f, x)
		require.NoError(t, err)
		g, err := again.Gradient(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, g)
		g, err = tape.Gradient(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, g)
	}
}

func TestNaNAndInfinitiesFlow(t *testing.T) {
	for _, o := range operations {
		for _, v := range []float64{nan, inf, -inf, math.MaxFloat64, -math.MaxFloat64, 5e-324} {
			x := []float64{v, v, 1}
			tape, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
				p := o.prog()
				for i := range 9 {
					z := evaluate(lanes{each: []lane{{p, i % 3, (i + i/3) % 3}}}, x)
					s = s.Add(z[0].Scale(float64(i + 1)))
				}
				return s
			}, x)
			require.NoError(t, err)
			gradients(t, tape, x)
			hessians(t, tape, x)
		}
	}
}

func TestUnequalLengthsOfListsPanic(t *testing.T) {
	reverse.Record(func(x []reverse.Var) reverse.Var {
		require.PanicsWithValue(t, "reverse: Affine of unequal lengths", func() { x[0].AffineOf(1, []float64{1}, x) })
		require.PanicsWithValue(t, "reverse: Dot of unequal lengths", func() { x[0].DotOf(x[:1], x) })
		require.PanicsWithValue(t, "reverse: Polygamma of negative order", func() { x[0].Polygamma(-1) })
		return x[0]
	}, []float64{2, 3})
}

// dst may be any of the arguments.
func TestResultsMayOverwriteArguments(t *testing.T) {
	x := []float64{1, 2, 3}
	f := func(x []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Sin().Mul(x[2].Exp()) }
	tape, err := reverse.Record(f, x)
	require.NoError(t, err)
	square, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Mul(x[1]), x[1].Sin(), x[2].Mul(x[0])}
	}, x)
	require.NoError(t, err)
	v := []float64{-1, 0.5, 2}
	for name, eval := range map[string]func(dst, x, v []float64) ([]float64, error){
		"Gradient": func(dst, x, v []float64) ([]float64, error) { return tape.Gradient(dst, x) },
		"HVP":      func(dst, x, v []float64) ([]float64, error) { return tape.HVP(dst, x, v) },
		"Values":   func(dst, x, v []float64) ([]float64, error) { return square.Values(dst, x) },
		"JVP":      square.JVP,
		"VJP":      square.VJP,
		"HVP of a weighted sum": func(dst, x, v []float64) ([]float64, error) {
			return square.HVP(dst, x, v, v...)
		},
	} {
		want, err := eval(nil, x, v)
		require.NoError(t, err)
		for which := range 3 {
			x, v := join(x), join(v)
			dst := [][]float64{x, v, make([]float64, 3)}[which]
			got, err := eval(dst, x, v)
			require.NoError(t, err)
			require.Equal(t, want, got, name)
			require.Same(t, &dst[0], &got[0])
		}
	}
	for _, k := range []int{1, 3, 8, 9, 20} {
		vs := mat.NewDense(3, k, nil)
		for i := range 3 {
			for j := range k {
				vs.Set(i, j, float64(i*i-j))
			}
		}
		want, err := tape.HVPs(nil, x, vs)
		require.NoError(t, err)
		got, err := tape.HVPs(vs, x, vs)
		require.NoError(t, err)
		require.True(t, mat.Equal(want, got))
	}
}

// Parts of larger matrices, whose rows do not follow each other in memory.
func TestResultsGoIntoPartsOfMatrices(t *testing.T) {
	x := []float64{1, 2, 3}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Sin().Mul(x[2].Exp()) }, x)
	require.NoError(t, err)
	vector, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0].Mul(x[1]), x[2].Sin()} }, x)
	require.NoError(t, err)
	large := mat.NewDense(6, 15, nil)
	v := large.Slice(2, 5, 3, 14).(*mat.Dense)
	for i := range 3 {
		for j := range 11 {
			v.Set(i, j, float64(i*i-j))
		}
	}
	want, err := tape.HVPs(nil, x, mat.DenseCopyOf(v))
	require.NoError(t, err)
	part := mat.NewDense(6, 15, nil)
	_, err = tape.HVPs(part.Slice(1, 4, 2, 13).(*mat.Dense), x, v)
	require.NoError(t, err)
	whole := mat.NewDense(6, 15, nil)
	whole.Slice(1, 4, 2, 13).(*mat.Dense).Copy(want)
	require.True(t, mat.Equal(whole, part))

	for _, tape := range []*reverse.Tape{tape, vector, vector.Adjoint(), vector.Tangent()} {
		x := join(x, x)[:tape.Inputs()]
		want, err := tape.Jacobian(nil, x)
		require.NoError(t, err)
		m, n := want.Dims()
		part, whole := mat.NewDense(9, 15, nil), mat.NewDense(9, 15, nil)
		_, err = tape.Jacobian(part.Slice(1, 1+m, 2, 2+n).(*mat.Dense), x)
		require.NoError(t, err)
		whole.Slice(1, 1+m, 2, 2+n).(*mat.Dense).Copy(want)
		require.True(t, mat.Equal(whole, part))
	}
}
