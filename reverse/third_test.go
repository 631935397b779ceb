package reverse_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

type fourth = dual.Of[dual.Of[dual.Of[dual.Of[dual.Real]]]]

// higherAgree compares sums of third and fourth derivatives of f by every method with nested numbers.
func higherAgree(t *testing.T, f func(x []V) V, nested func(x []fourth) fourth, x []float64) {
	t.Helper()
	n := len(x)
	tape, err := reverse.Record(f, x)
	require.NoError(t, err)
	weight := func(i, j int) float64 { return math.Cos(float64(3*max(i, j) + min(i, j))) }
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Sin(float64(2*i + 1))
	}
	third, along := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range n {
			for k := range n {
				in := make([]fourth, n)
				for a := range in {
					in[a].V.V.V.V = dual.Real(x[a])
					in[a].V.V.V.D = dual.Real(v[a])
				}
				in[i].D.V.V.V, in[j].V.D.V.V, in[k].V.V.D.V = 1, 1, 1
				y := nested(in)
				third[k] += weight(i, j) * float64(y.D.D.D.V)
				along[k] += weight(i, j) * float64(y.D.D.D.D)
			}
		}
	}
	for _, o := range []hessian.SparseSettings{{}, {Method: hessian.ByTerms}, {Method: hessian.ByStar}, {Method: hessian.ByAcyclic}} {
		s, err := o.New(tape)
		if o.Method == hessian.ByTerms && err != nil {
			continue
		}
		require.NoError(t, err)
		w := s.Matrix()
		e := 0
		for i, j := range s.Pattern().All() {
			w.Values()[e] = weight(i, j)
			e++
		}
		sum, err := s.Third(nil)
		require.NoError(t, err)
		got, err := sum.Eval(nil, x, w)
		require.NoError(t, err)
		for k := range third {
			require.InDelta(t, third[k], got[k], 1e-10*(1+math.Abs(third[k])), "third, by %v, %d", s.Method(), k)
		}
		got, err = sum.EvalAlong(nil, x, w, v)
		require.NoError(t, err)
		for k := range along {
			require.InDelta(t, along[k], got[k], 1e-10*(1+math.Abs(along[k])), "fourth, by %v, %d", s.Method(), k)
		}
	}
}

func alike[T dual.Scalar[T]](x []T, p []float64) T {
	return x[0].Mul(x[1]).Sin().Scale(p[0]).Add(x[0].Exp().Mul(x[1].Square())).Add(x[2].Mul(x[0]).AddReal(4).Log())
}

// Repeat by symbols, by sweeps over its terms, and by both, with terms in which variables coincide;
// alone, and beside other terms.
func TestHigherDerivativesOfRepeat(t *testing.T) {
	const n, count = 6, 20
	index := make([][]int, 3)
	params := [][]float64{make([]float64, count)}
	for k := range count {
		index[0], index[1], index[2] = append(index[0], k%n), append(index[1], (k*k+1)%n), append(index[2], (3*k+2)%n)
		params[0][k] = 1 + 0.1*float64(k)
	}
	nested := func(x []fourth) (y fourth) {
		for k := range count {
			y = y.Add(alike([]fourth{x[index[0][k]], x[index[1][k]], x[index[2][k]]}, []float64{params[0][k]}))
		}
		return y.Add(x[0].Mul(x[3]).Cos())
	}
	f := func(x []V) V {
		term := func(x, p []V) V {
			return x[0].Mul(x[1]).Sin().Mul(p[0]).Add(x[0].Exp().Mul(x[1].Square())).Add(x[2].Mul(x[0]).AddReal(4).Log())
		}
		return reverse.Repeat(term, x, index, params).Add(x[0].Mul(x[3]).Cos())
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.3 * math.Cos(float64(i))
	}
	limits := terms.Limits
	defer func() { terms.Limits = limits }()
	for _, c := range []struct{ steps, edges, kinds int }{
		{limits.Steps, limits.Edges, limits.Kinds}, {0, limits.Edges, limits.Kinds}, {limits.Steps, 0, limits.Kinds}, {limits.Steps, limits.Edges, 1},
	} {
		terms.Limits.Steps, terms.Limits.Edges, terms.Limits.Kinds = c.steps, c.edges, c.kinds
		t.Run(fmt.Sprint(c), func(t *testing.T) { higherAgree(t, f, nested, x) })
	}
}

func coupled[T dual.Scalar[T]](x []T) T {
	s, out := dual.Scan(dual.Loop[T]{
		Start: x[:2], Shared: x[2:], Steps: 5,
		Step: func(s, w, _, _ []T) (next, out []T) {
			return []T{s[0].Mul(w[0]).Sin().Add(s[1]), s[1].Mul(s[0]).Add(w[1])}, []T{s[0].Square().Mul(s[1])}
		},
	})
	return s[0].Mul(s[1]).Add(out[0])
}

func TestHigherDerivativesOfLoops(t *testing.T) {
	higherAgree(t, coupled[V], coupled[fourth], []float64{0.4, -0.3, 0.7, 0.2})
	higherAgree(t, func(x []V) V { last, sum := grown(x, 0); return last.Mul(sum) },
		func(x []fourth) fourth { last, sum := grown(x, 0); return last.Mul(sum) }, []float64{0.5, 1.3, 3})
}
