package hessian_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// The method follows from counts alone, so it is the same on every machine.
func TestMethodIsChosenByCounts(t *testing.T) {
	type V = reverse.Var
	for _, c := range []struct {
		name   string
		n      int
		f      func(x []V) V
		method hessian.Method
		colors int
	}{
		{"alike terms", 2000, func(x []V) (s V) {
			for i := range x[1:] {
				s = s.Add(x[i].Mul(x[i+1]).Exp())
			}
			return s
		}, hessian.ByTerms, 0},
		{"alike terms that have most of the work in common with few others", 2000, func(x []V) (s V) {
			for i := 0; i < len(x); i += 5 {
				u := x[i]
				for range 20 {
					u = u.Square().AddReal(-0.1)
				}
				for k := 1; k < 5; k++ {
					s = s.Add(u.Mul(x[i+k]).Square())
				}
			}
			return s
		}, hessian.ByTerms, 0},
		{"alike terms that would repeat most of the work", 2000, func(x []V) (s V) {
			for i := 0; i < len(x); i += 50 {
				u := x[i]
				for range 50 {
					u = u.Sin()
				}
				for k := 1; k < 50; k++ {
					s = s.Add(u.Mul(x[i+k]).Square())
				}
			}
			return s
		}, hessian.ByStar, 2}, // stars,
		{"unlike terms", 300, func(x []V) (s V) {
			for i := range x[2:] {
				y := x[i].Mul(x[i+1])
				for k := range 9 { // the shape is the binary digits of i
					if i>>k&1 == 1 {
						y = y.Sin()
					} else {
						y = y.Mul(x[i+2])
					}
				}
				s = s.Add(y)
			}
			return s
		}, hessian.ByAcyclic, 3},
		{"no sum", 100, func(x []V) (s V) {
			s = x[0]
			for i := range x {
				s = s.Mul(x[i]).Sin().Add(x[i])
			}
			return s
		}, hessian.ByStar, 100},
	} {
		x := make([]float64, c.n)
		for i := range x {
			x[i] = 0.5 + 1/float64(i+2)
		}
		tape, err := reverse.Record(c.f, x)
		require.NoError(t, err)
		s, err := hessian.NewSparse(tape)
		require.NoError(t, err)
		require.Equal(t, c.method, s.Method(), "%s\n%s", c.name, s.Explain())
		require.NotContains(t, s.Explain(), "%!")
		if c.colors > 0 {
			require.Equal(t, c.colors, s.Coloring().Num(), c.name)
		}
		require.NoError(t, s.Verify(x))
		require.True(t, s.Pattern().Equal(tape.HessianPattern()), c.name)
	}
}

func TestHessianOfNoVariables(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return dual.Const[reverse.Var](2) }, nil)
	require.NoError(t, err)
	s, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	_, err = s.Eval(s.Matrix(), nil)
	require.NoError(t, err)
}
