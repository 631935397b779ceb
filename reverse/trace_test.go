package reverse_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

func TestTraceNamesTheOperation(t *testing.T) {
	type V = reverse.Var
	for _, c := range []struct {
		name         string
		f            func(x []V) V
		x            []float64
		order, index int
		op           string
		operands     []float64
	}{
		{"value, NaN", func(x []V) V { return x[0].Square().Sub(x[1]).Log().Add(x[1].Exp()) }, []float64{1, 2}, 0, 0, "Log", []float64{-1}},
		{"value, overflow", func(x []V) V { return x[1].Scale(1e10).Mul(x[0].Exp()).Sin() }, []float64{700, 1}, 0, 0, "Mul", []float64{1e10, math.Exp(700)}},
		{"value, first of several", func(x []V) V { return x[0].Log().Add(x[0].Inv()) }, []float64{0}, 0, 0, "Log", []float64{0}},
		{"value, not of what is hidden", func(x []V) V { return x[0].Inv().Inv().Add(x[1].Log()) }, []float64{0, -1}, 0, 0, "Log", []float64{-1}},
		{"value, of a constant", func(x []V) V { return x[0].AddReal(math.Inf(1)) }, []float64{3}, 0, 0, "AddReal", []float64{3, math.Inf(1)}},
		{"value, of an input", func(x []V) V { return x[0].Mul(x[1]) }, []float64{1, math.NaN()}, 0, 0, "input", nil},
		{"gradient, a pole", func(x []V) V { return x[0].Add(x[1].Square().Add(x[2]).Sqrt().Scale(3)) }, []float64{1, 0, 0}, 1, 2, "Sqrt", []float64{0}},
		{"gradient, overflow", func(x []V) V { return x[1].Add(x[0].Inv()) }, []float64{1e-200, 0}, 1, 0, "Inv", []float64{1e-200}},
		{"gradient, overflow of a product", func(x []V) V { return x[0].Scale(1e200).Scale(1e200) }, []float64{0}, 1, 0, "Scale", []float64{0, 1e200}},
		{"gradient, overflow of a sum", func(x []V) V { y := x[0].Sin(); return y.Scale(1.5e308).Add(y.Scale(1.5e308)) }, []float64{0}, 1, 0, "Sin", []float64{0}},
		{"all finite", func(x []V) V { return x[0].Square().Sqrt().Mul(x[1]) }, []float64{1, 0}, 0, 0, "", nil},
		{"Hessian, a pole", func(x []V) V { return x[0].PowReal(1.5).Add(x[1]) }, []float64{0, 0}, 2, 0, "PowReal", []float64{0, 1.5}},
		{"Hessian, of a derivative that is hidden in the gradient", func(x []V) V { return x[0].Square().Sqrt() }, []float64{0}, 2, 0, "Sqrt", []float64{0}},
		{"Hessian, a product", func(x []V) V { return x[0].Sqrt().Mul(x[1]) }, []float64{0, 0}, 2, 0, "Sqrt", []float64{0}},
		{"Hessian, a list", func(x []V) V { return dual.Dot([]V{x[0].Sqrt(), x[1], x[1]}, []V{x[1], x[1], x[0]}) }, []float64{0, 0}, 2, 0, "Sqrt", []float64{0}},
		{"in a declared term", func(x []V) V {
			return reverse.Repeat(func(x, _ []V) V { return x[0].Log() }, x, [][]int{{0, 1}}, nil)
		}, []float64{1, -3}, 0, 0, "Log", []float64{-3}},
		{"an affine sum, with its coefficients", func(x []V) V {
			return dual.Affine(7, []float64{2, math.Inf(1)}, []V{x[0], x[1]})
		}, []float64{3, 5}, 0, 0, "AffineOf", []float64{7, 2, 3, math.Inf(1), 5}},
		{"a sum", func(x []V) V { return dual.Sum([]V{x[0], x[1]}) }, []float64{1e308, 1e308}, 0, 0, "SumOf", []float64{1e308, 1e308}},
		{"a sum of products", func(x []V) V { return dual.Dot(x, x) }, []float64{1, 1e200}, 0, 0, "DotOf", []float64{1, 1e200, 1, 1e200}},
		{"a constant", func(x []V) V { return dual.Const[reverse.Var](math.Inf(-1)) }, []float64{1}, 0, 0, "constant", nil},
		{"Hessian, hidden along a vector of ones", func(x []V) V {
			s := dual.Const[reverse.Var](0)
			for i := range 3 {
				s = s.Add(x[i].Sub(x[i+1]).Square().PowReal(0.75))
			}
			return s
		}, []float64{1, 1, 1, 1}, 2, 0, "PowReal", []float64{0, 0.75}},
		{"chosen by Select", func(x []V) V { return x[0].Select(x[1], x[1].Log()) }, []float64{-1, -2}, 0, 0, "Log", []float64{-2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fault, err := reverse.Trace(c.f, c.x)
			require.NoError(t, err)
			if c.op == "" {
				require.Nil(t, fault)
				return
			}
			require.NotNil(t, fault)
			t.Log(fault)
			require.Equal(t, []any{c.order, c.index, c.op}, []any{fault.Order, fault.Index, fault.Op})
			require.Equal(t, c.operands, fault.Operands)
		})
	}
}

func TestTapeHasTheBitsOfTheRecording(t *testing.T) { rapid.Check(t, tapeHasTheBitsOfTheRecording) }
func FuzzTapeHasTheBitsOfTheRecording(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(tapeHasTheBitsOfTheRecording))
}

func tapeHasTheBitsOfTheRecording(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 3, MaxLen: 60, Branches: true})
	f := func(x []reverse.Var) []reverse.Var { return randprog.Run(p, x, nil) }
	tape, err := reverse.RecordVec(f, p.X)
	require.NoError(t, err)
	got, err := tape.Values(nil, p.X)
	require.NoError(t, err)
	plain, _, err := reverse.Plain(f, p.X)
	require.NoError(t, err)
	ws := plain.Get()
	_, err = ws.Value(p.X, nil)
	require.NoError(t, err)
	for j := range got {
		require.Equal(t, math.Float64bits(ws.Output(j)+0), math.Float64bits(got[j]+0))
	}
}

func TestCheckRepeats(t *testing.T) { rapid.Check(t, checkRepeats) }
func FuzzCheckRepeats(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkRepeats)) }

func checkRepeats(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 3, MaxLen: 60, Branches: true})
	calls := 0
	changes := rapid.IntRange(0, 2).Draw(t, "changes")
	err := reverse.CheckRepeats(func(x []reverse.Var) []reverse.Var {
		calls++
		y := randprog.Run(p, x, nil)
		switch {
		case calls == 1 || changes == 0:
		case changes == 1:
			y = append(y, x[0]) // another output
		default:
			y[0] = x[0].Sin().Add(y[0]) // another operation
		}
		return y
	}, p.X)
	if changes == 0 {
		require.NoError(t, err)
		return
	}
	var state *reverse.StateError
	require.ErrorAs(t, err, &state)
}

func TestTraceOfAFailingPrimitive(t *testing.T) {
	failed := errors.New("failed")
	_, err := reverse.TraceVec(func(x []reverse.Var) []reverse.Var { return reverse.Apply(&failing{eval: failed}, x...) }, []float64{1})
	require.ErrorIs(t, err, failed)
	require.ErrorIs(t, reverse.CheckRepeats(func(x []reverse.Var) []reverse.Var {
		return reverse.Apply(&failing{eval: failed}, x...)
	}, []float64{1}), failed)
}

func ExampleTrace() {
	f := func(x []reverse.Var) reverse.Var {
		r := x[0].Square().Add(x[1].Square()).Sqrt() // not differentiable at the origin
		return r.Sub(x[0])
	}
	fault, err := reverse.Trace(f, []float64{0, 0})
	fmt.Println(fault.Op, fault.Operands, "order", fault.Order, err)
	// Output:
	// Sqrt [0] order 2 <nil>
}
