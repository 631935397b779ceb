package newton

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// onOrthogonal is min f(Q), QᵀQ = I, and more = 0, for Q of n rows and k columns: dense equality
// constraints.
func onOrthogonal(n, k int, f func(column []vars) (f reverse.Var, more vars)) Problem {
	return Problem{Func: reverse.NewFuncVec(func(x vars) vars {
		column := make([]vars, k)
		for j := range column {
			column[j] = x[j*n : (j+1)*n]
		}
		value, more := f(column)
		out := append(vars{value}, more...)
		for j := range k {
			for i := range j {
				out = append(out, dual.Dot(column[i], column[j]))
			}
			out = append(out, dual.Dot(column[j], column[j]).SubReal(1))
		}
		return out
	})}
}

func TestInteriorPointOnOrthogonalMatrices(t *testing.T) {
	for seed := range uint64(4) {
		for _, size := range [][2]int{{3, 3}, {5, 5}, {8, 3}, {10, 10}} {
			n, k := size[0], size[1]
			name := fmt.Sprintf("%d×%d, %d", n, k, seed)
			r := rand.New(rand.NewPCG(seed, 1))
			normal := func(m int) []float64 {
				v := make([]float64, m)
				for i := range v {
					v[i] = r.NormFloat64()
				}
				return v
			}
			a := mat.NewSymDense(n, normal(n*n))
			d := mat.NewDense(n, k, normal(n*k))
			x0 := normal(n * k)
			column := func(j int) []float64 { return mat.Col(nil, j, d) }
			solve := func(p Problem) float64 {
				res, err := InteriorPoint{}.Solve(background, p, x0)
				require.NoError(t, err, name)
				require.LessOrEqual(t, res.Iterations, 60, name)
				return res.F
			}

			// Σ jqⱼᵀAqⱼ has no minima but the global one (Brockett, Dynamical systems that sort lists,
			// diagonalize matrices and solve linear programming problems, Linear Algebra Appl. 146, 1991).
			var eigen mat.EigenSym
			require.True(t, eigen.Factorize(a, false))
			want := 0.0
			for j, lambda := range eigen.Values(nil)[:k] {
				want += float64(k-j) * lambda
			}
			got := solve(onOrthogonal(n, k, func(q []vars) (sum reverse.Var, more vars) {
				for j, q := range q {
					for i := range n {
						sum = sum.Add(dual.Affine(0, mat.Row(nil, i, a), q).Mul(q[i]).Scale(float64(j + 1)))
					}
				}
				return sum, nil
			}))
			require.InDelta(t, want, got, 1e-6, "trace, %s", name)

			// The Q nearest to D is that of its polar decomposition, or among those of the other
			// determinant that with the least singular value counted with the other sign.
			var svd mat.SVD
			require.True(t, svd.Factorize(d, mat.SVDNone))
			sigma := svd.Values(nil)
			want = 0
			for _, s := range sigma {
				want += (s - 1) * (s - 1)
			}
			got = solve(onOrthogonal(n, k, func(q []vars) (sum reverse.Var, more vars) {
				for j, q := range q {
					for i, d := range column(j) {
						sum = sum.Add(q[i].SubReal(d).Square())
					}
				}
				return sum, nil
			}))
			if last := sigma[k-1]; n == k && got > want+1e-6 {
				want += 4 * last
			}
			require.InDelta(t, want, got, 1e-6, "nearest, %s", name)
		}
	}
}

// An orthogonal Q with diagonal QᵀAQ that is nearest to D: as many equations as unknowns.
func TestInteriorPointDiagonalizes(t *testing.T) {
	const n = 5
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		a := mat.NewSymDense(n, nil)
		x0 := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				a.SetSym(i, j, r.NormFloat64())
			}
		}
		var eigen mat.EigenSym
		require.True(t, eigen.Factorize(a, true))
		var q mat.Dense
		eigen.VectorsTo(&q)
		for j := range n {
			for i := range n {
				x0[j*n+i] = q.At(i, j) + 0.2*r.NormFloat64()
			}
		}
		p := onOrthogonal(n, n, func(q []vars) (sum reverse.Var, more vars) {
			for j, q := range q {
				for i := range n {
					sum = sum.Add(q[i].SubReal(x0[j*n+i]).Square())
				}
			}
			for i := range n {
				for j := range i {
					off := reverse.Var{}
					for l := range n {
						off = off.Add(dual.Affine(0, mat.Row(nil, l, a), q[i]).Mul(q[j][l]))
					}
					more = append(more, off)
				}
			}
			return sum, more
		})
		res, err := InteriorPoint{}.Solve(background, p, x0)
		require.NoError(t, err)
		require.LessOrEqual(t, res.Iterations, 60)
		want := 0.0 // Q of the eigenvectors, with the signs of the start
		for j := range n {
			for i := range n {
				want += (q.At(i, j) - x0[j*n+i]) * (q.At(i, j) - x0[j*n+i])
			}
		}
		require.InDelta(t, want, res.F, 1e-6)
	}
}
