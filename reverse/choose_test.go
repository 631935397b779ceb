package reverse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// The method follows from counts alone, so it is the same on every machine.
func TestJacobianMethodIsChosenByCounts(t *testing.T) {
	type V = reverse.Var
	for _, c := range []struct {
		name          string
		n             int
		f             func(x []V) []V
		method        reverse.Method
		columns, rows int // colors
	}{
		{"alike rows", 2000, func(x []V) (y []V) {
			for i := range x[1:] {
				y = append(y, x[i].Mul(x[i+1]).Exp())
			}
			return y
		}, reverse.ByTerms, 0, 0},
		{"unlike rows", 300, func(x []V) (y []V) {
			for i := range x[2:] {
				z := x[i].Mul(x[i+1])
				for k := range 9 { // the shape is the binary digits of i
					if i>>k&1 == 1 {
						z = z.Sin()
					} else {
						z = z.Mul(x[i+2])
					}
				}
				y = append(y, z)
			}
			return y
		}, reverse.ByColumns, 3, 0},
		{"a trajectory", 100, func(x []V) (y []V) {
			s := x[0]
			for i := range x {
				s = s.Mul(x[i]).Sin().Add(x[i])
				y = append(y, s)
			}
			return y
		}, reverse.ByColumns, 100, 0},
		{"few columns", 3, func(x []V) (y []V) {
			s := x[0].Mul(x[1]).Sin()
			for i := range 2000 {
				s = s.Mul(x[i%3]).Sin()
				y = append(y, s)
			}
			return y
		}, reverse.ByColumns, 3, 0},
		{"few rows", 300, func(x []V) (y []V) {
			s := x[0]
			for i := range x {
				s = s.Mul(x[i]).Sin()
			}
			return []V{s, s.Exp(), s.Square().Sin()}
		}, reverse.ByRows, 0, 3},
		{"a dense row and a dense column", 300, func(x []V) (y []V) {
			s := x[0]
			for i := range x {
				s = s.Mul(x[i]).Sin()
				y = append(y, x[0].Mul(x[i]).Sin())
				for range i % 90 { // unlike
					y[i] = y[i].Sin().Mul(x[0])
				}
			}
			return append(y, s)
		}, reverse.ByBoth, 2, 1},
	} {
		x := make([]float64, c.n)
		for i := range x {
			x[i] = 0.5 + 1/float64(i+2)
		}
		tape, err := reverse.RecordVec(c.f, x)
		require.NoError(t, err)
		j, err := reverse.NewSparseJacobian(tape)
		require.NoError(t, err)
		require.Equal(t, c.method, j.Method(), "%s\n%s", c.name, j.Explain())
		if k := j.Coloring(); k != nil {
			require.Equal(t, [2]int{c.columns, c.rows}, [2]int{k.Columns().Num(), k.Rows().Num()}, c.name)
		}
		require.NoError(t, j.Verify(x))
		require.True(t, j.Pattern().Equal(tape.JacobianPattern()), c.name)
	}
}

func TestJacobianByNoVariables(t *testing.T) {
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return []reverse.Var{dual.Const[reverse.Var](2)} }, nil)
	require.NoError(t, err)
	j, err := reverse.NewSparseJacobian(tape)
	require.NoError(t, err)
	_, err = j.Eval(j.Matrix(), nil)
	require.NoError(t, err)
}

// The adjoint of a function of no variables has no outputs.
func TestJacobianOfNoOutputs(t *testing.T) {
	tape, err := reverse.RecordParams(func(_, p []reverse.Var) reverse.Var { return p[0].Sin() }, nil, []float64{1})
	require.NoError(t, err)
	for _, method := range []reverse.Method{reverse.Auto, reverse.ByColumns, reverse.ByRows, reverse.ByBoth} {
		j, err := reverse.SparseSettings{Method: method}.New(tape.Adjoint())
		require.NoError(t, err)
		require.NoError(t, j.Verify([]float64{1}))
	}
}
