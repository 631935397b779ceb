package hessian_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// randomWeights is a symmetric matrix in a pattern, or its lower triangle.
func randomWeights(p *sparsity.Pattern) *sparsity.Matrix {
	m := sparsity.NewMatrix(p)
	k := 0
	for i, j := range p.All() {
		r := rand.New(rand.NewPCG(uint64(min(i, j)), uint64(max(i, j))))
		m.Values()[k] = r.NormFloat64()
		k++
	}
	return m
}

// third is T(W) and D⁴f[W, v] by the Hessians of the tapes of gradients: with g = ∇f·s, ∇²g is
// D³f[s].
func third(t require.TestingT, tape *reverse.Tape, x, v []float64, weights *sparsity.Matrix) (t3, t4 []float64) {
	n := len(x)
	along := tape.Tangent()
	twice := along.Tangent()
	t3, t4 = make([]float64, n), make([]float64, n)
	zero := make([]float64, n)
	for i := range n {
		e, row := make([]float64, n), make([]float64, n)
		e[i] = 1
		for j := range n {
			row[j] = weights.At(max(i, j), min(i, j))
		}
		join := func(x ...[]float64) (z []float64) {
			for _, x := range x {
				z = append(z, x...)
			}
			return z
		}
		h, err := along.HVP(nil, join(x, e), join(row, zero), 0, 1)
		require.NoError(t, err)
		floats.Add(t3, h[:n])
		h, err = twice.HVP(nil, join(x, e, v, zero), join(row, zero, zero, zero), 0, 0, 0, 1)
		require.NoError(t, err)
		floats.Add(t4, h[:n])
	}
	return t3, t4
}

func TestThirdDerivativesOfProblems(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig", "helmholtz", "rnn"} {
		size := 30
		if name == "rnn" {
			size = 3
		}
		in, tape := problem(t, name, size)
		x, n := in.X0, len(in.X0)
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Sin(float64(3 * i))
		}
		size3 := 0.0
		for _, method := range []hessian.Method{hessian.Auto, hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
			for _, lower := range []bool{false, true} {
				s, err := hessian.SparseSettings{Method: method, Lower: lower, Workers: 2}.New(tape)
				if errors.Is(err, reverse.ErrNoTerms) {
					continue
				}
				require.NoError(t, err)
				w := randomWeights(s.Pattern())
				third3, third4 := third(t, tape, x, v, w)
				size3 = max(size3, floats.Norm(third3, math.Inf(1)))

				sum, err := s.Third(nil)
				require.NoError(t, err)
				got, err := sum.Eval(nil, x, w)
				require.NoError(t, err)
				require.InDeltaSlice(t, third3, got, 1e-11*(1+size3), "%s %v", name, method)
				got, err = sum.EvalAlong(nil, x, w, v)
				require.NoError(t, err)
				require.InDeltaSlice(t, third4, got, 1e-11*(1+floats.Norm(third4, math.Inf(1))), "%s %v", name, method)

				// tr(W·D³f[v]) = vᵀT(W).
				h, err := sum.Along(nil, x, v)
				require.NoError(t, err)
				trace := 0.0
				for i := range n {
					for j := range i + 1 {
						if i == j {
							trace += w.At(i, j) * h.At(i, j)
						} else {
							trace += 2 * w.At(i, j) * h.At(i, j)
						}
					}
				}
				require.InDelta(t, floats.Dot(v, third3), trace, 1e-10*(1+size3), "%s %v", name, method)

				// Weights in a part of the pattern, and outside of it.
				part := s.Pattern().Lower()
				var is, js []int
				for i, j := range part.All() {
					if (i+j)%3 != 1 {
						is, js = append(is, i), append(js, j)
					}
				}
				is, js = append(is, n-1, n-1), append(js, 0, 1)
				weights := randomWeights(sparsity.FromCoordinates(n, n, is, js))
				third3, _ = third(t, tape, x, v, weights)
				sum, err = s.Third(weights.Pattern())
				require.NoError(t, err)
				got, err = sum.Eval(nil, x, weights)
				require.NoError(t, err)
				require.InDeltaSlice(t, third3, got, 1e-11*(1+size3), "%s %v", name, method)
			}
		}
	}
}

func TestConcurrentWorkersGiveTheSameBitsOfThirdDerivatives(t *testing.T) {
	in, tape := problem(t, "trig", 50000)
	v := make([]float64, len(in.X0))
	for i := range v {
		v[i] = math.Sin(float64(i))
	}
	var sums [2][]float64
	var along [2]*sparsity.Matrix
	for k := range sums {
		s, err := hessian.SparseSettings{Workers: 1 + 3*k}.New(tape)
		require.NoError(t, err)
		w := s.Matrix()
		for e := range w.Values() {
			w.Values()[e] = 1 / float64(1+e%7) // both triangles differ: the lower one counts
		}
		third, err := s.Third(nil)
		require.NoError(t, err)
		sums[k], err = third.Eval(nil, in.X0, w)
		require.NoError(t, err)
		along[k], err = third.Along(nil, in.X0, v)
		require.NoError(t, err)
	}
	require.Equal(t, sums[0], sums[1])
	require.Equal(t, along[0].Values(), along[1].Values())
}

// On an error dst is as it was.
func TestThirdDerivativesWhereABranchIsBroken(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		if x[0].LessReal(0) {
			return x[0]
		}
		return x[0].Exp().Mul(x[1].Sin())
	}, []float64{1, 1})
	require.NoError(t, err)
	for _, method := range []hessian.Method{hessian.Auto, hessian.ByStar} {
		s, err := hessian.SparseSettings{Method: method}.New(tape)
		require.NoError(t, err)
		sum, err := s.Third(nil)
		require.NoError(t, err)
		w, dst := s.Matrix(), []float64{5, 6}
		var branch *reverse.BranchError
		_, err = sum.Eval(dst, []float64{-1, 1}, w)
		require.ErrorAs(t, err, &branch)
		_, err = sum.EvalAlong(dst, []float64{-1, 1}, w, []float64{1, 1})
		require.ErrorAs(t, err, &branch)
		require.Equal(t, []float64{5, 6}, dst)
		_, err = sum.Along(w, []float64{-1, 1}, []float64{1, 1})
		require.ErrorAs(t, err, &branch)
		require.Panics(t, func() { sum.Eval(nil, []float64{1, 1}, sparsity.NewMatrix(sparsity.Full(3, 3))) })
		require.Panics(t, func() { s.Third(sparsity.FromCoordinates(2, 2, []int{0}, []int{1})) })
	}
}

// Where a factor is exactly 0 it annihilates an infinity: √x at 0 in a product with 0.
func TestThirdDerivativesAnnihilate(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		y := x[2].PowInt(3)
		for i := range 2 {
			y = y.Add(x[i].Sqrt().Prod(x[2].Scale(0)))
		}
		return y
	}, []float64{0, 0, 2})
	require.NoError(t, err)
	x := []float64{0, 0, 2}
	h := hessian.New(tape, hessian.FoR)
	dense, err := h.Dense(nil, x)
	require.NoError(t, err)
	require.Equal(t, 12.0, dense.At(2, 2))
	for _, method := range []hessian.Method{hessian.Auto, hessian.ByStar} {
		s, err := hessian.SparseSettings{Method: method}.New(tape)
		require.NoError(t, err)
		sum, err := s.Third(nil)
		require.NoError(t, err)
		w := s.Matrix()
		w.Values()[w.Pattern().Position(2, 2)] = 1
		got, err := sum.Eval(nil, x, w)
		require.NoError(t, err)
		require.Equal(t, []float64{0, 0, 6}, got, "%v", s.Method())
	}
}
