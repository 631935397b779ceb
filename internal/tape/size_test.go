package tape_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/reverse"
)

// swap is the primitive (x, y) ↦ (y, x).
type swap struct{}

func (swap) Name() string                    { return "swap" }
func (swap) Dims() (n, m int)                { return 2, 2 }
func (swap) Eval(y, x []float64) error       { y[0], y[1] = x[1], x[0]; return nil }
func (swap) JVP(dy, _, dx []float64) error   { dy[0], dy[1] = dx[1], dx[0]; return nil }
func (swap) VJP(gx, _, w []float64) error    { gx[0], gx[1] = w[1], w[0]; return nil }
func (swap) HVP(hv, _, _, _ []float64) error { clear(hv); return nil }
func (swap) Jacobian(int) []int              { return nil }
func (swap) Hessian(int) []int               { return nil }

// Whatever makes a recording too long, the function returns and the error says
// so; the values that it computes with stay right.
func TestRecordingsThatAreTooLongAreErrors(t *testing.T) {
	const size = 1 << 13
	defer tape.LimitSize(size)()
	for name, step := range map[string]func(x []reverse.Var, c float64) reverse.Var{
		"nodes": func(x []reverse.Var, c float64) reverse.Var { return x[0].Scale(c) },
		"Sum": func(x []reverse.Var, c float64) reverse.Var {
			return dual.Sum(append([]reverse.Var{x[0].AddReal(c)}, slices.Repeat(x, 4)...))
		},
		"Affine": func(x []reverse.Var, c float64) reverse.Var {
			return x[0].AffineOf(1, []float64{c, 2}, x[:2])
		},
		"Dot":    func(x []reverse.Var, c float64) reverse.Var { return dual.Dot(x, x).Scale(c) },
		"Select": func(x []reverse.Var, c float64) reverse.Var { return x[0].Select(x[1], x[2].Const(c)) },
		"Call":   func(x []reverse.Var, c float64) reverse.Var { return reverse.Apply(swap{}, x[0], x[1])[0].Scale(c) },
		"const":  func(x []reverse.Var, c float64) reverse.Var { return x[0].Max(x[1].Const(c)) },
	} {
		for _, trace := range []bool{false, true} {
			x := []float64{1, 2, 3}
			f := func(times int) func(x []reverse.Var) reverse.Var {
				return func(x []reverse.Var) reverse.Var {
					constants := make([]reverse.Var, len(x))
					for i := range x {
						constants[i] = dual.Const[reverse.Var](float64(i + 1))
					}
					for k := range times {
						c := float64(k) // else the operations would be those before
						want := 0.0
						if name == "Call" {
							want = 2 * c
						} else {
							want = step(constants, c).Value()
						}
						if got := step(x, c).Value(); got != want {
							t.Fatalf("%s: %v, want %v", name, got, want)
						}
					}
					return step(x, 0)
				}
			}
			if trace {
				_, err := reverse.Trace(f(2*size), x)
				require.ErrorContains(t, err, "more than 2³⁰ operations", name)
				continue
			}
			_, err := reverse.Record(f(2*size), x)
			require.EqualError(t, err, "reverse: more than 2³⁰ operations", name)
			_, err = reverse.Record(f(10), x)
			require.NoError(t, err, name)
		}
	}
}

// Memory that is touched for the first time is most of what recording takes.
func TestNodesAreSmall(t *testing.T) { require.EqualValues(t, 16, tape.NodeSize) }

// An operation that is made again takes no room.
func TestEqualOperationsAreOneNode(t *testing.T) {
	defer tape.LimitSize(1 << 13)()
	recorded, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		var y reverse.Var
		for range 1 << 14 {
			y = x[0].Mul(x[1]).Sin().Scale(3)
		}
		return y
	}, []float64{1, 2})
	require.NoError(t, err)
	require.Equal(t, 3, recorded.Ops())
}

// However far apart they are made, and of inputs whichever.
func TestEqualOperationsFarApartAreOneNode(t *testing.T) {
	r := tape.NewRecording(1<<13, 0)
	defer r.Close()
	codes := []op.Code{op.Sin, op.Exp, op.Tan}
	first := map[op.Code]int32{}
	y := int32(6)
	for _, code := range codes {
		first[code] = r.Push(code, 5, 0, 0)
		for range 1 << 16 {
			y = r.Push(op.Cos, y, 0, 0)
		}
	}
	for _, code := range codes {
		require.Equal(t, first[code], r.Push(code, 5, 0, 0), code)
		require.NotEqual(t, first[code], r.Push(code, 4, 0, 0), code)
	}
	require.Equal(t, 1<<13+3*(1<<16)+2*len(codes), r.Len())
}

func TestDerivedTapesThatAreTooLongPanic(t *testing.T) {
	recorded, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		y := x[0]
		for range 5000 {
			y = y.Sin()
		}
		return y
	}, []float64{1})
	require.NoError(t, err)
	defer tape.LimitSize(1 << 13)()
	require.PanicsWithError(t, "reverse: more than 2³⁰ operations", func() { recorded.Tangent() })
}
