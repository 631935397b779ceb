package linsolve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// bestProduct returns the largest Σ log₂|a| over all permutations, by trying
// them, and −∞ if there is none.
func bestProduct(d [][]float64, used int, row int) float64 {
	if row == len(d) {
		return 0
	}
	best := math.Inf(-1)
	for j, v := range d[row] {
		if used&(1<<j) == 0 && v != 0 {
			best = max(best, math.Log2(math.Abs(v))+bestProduct(d, used|1<<j, row+1))
		}
	}
	return best
}

func TestMaximumProductIsMaximum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := randomMatrix(rnd, n, rapid.Float64Range(0, 4).Draw(t, "perRow"))
		spread := rapid.SampledFrom([]float64{0, 3, 60}).Draw(t, "spread")
		for k := range a.Values() {
			a.Values()[k] *= math.Exp(spread * rnd.NormFloat64())
			if rnd.IntN(20) == 0 {
				a.Values()[k] = 0
			}
		}
		d := make([][]float64, n)
		for i := range d {
			d[i] = make([]float64, n)
			for j := range n {
				d[i][j] = a.At(i, j)
			}
		}
		want := bestProduct(d, 0, 0)
		rowOf, rowExp, colExp := maximumProduct(a.Pattern(), a.Values())
		requirePermutation(t, rowOf, n)
		got := 0.0
		for j, i := range rowOf {
			got += math.Log2(math.Abs(d[i][j]))
		}
		if math.IsInf(want, -1) {
			require.Equal(t, want, got)
			require.Equal(t, make([]int32, n), rowExp)
			require.Equal(t, make([]int32, n), colExp)
			return
		}
		require.InDelta(t, want, got, 1e-9)
		for i := range n {
			for j := range n {
				v := math.Abs(scaled(d[i][j], rowExp[i]+colExp[j]))
				require.LessOrEqual(t, v, 2.001)
				if int(rowOf[j]) == i {
					require.GreaterOrEqual(t, v, 0.499)
				}
			}
		}
	})
}

// What is well-posed in one system of units is in any other, and solved to as
// many digits.
func TestUnitsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		a := randomMatrix(rnd, n, rapid.Float64Range(0, 4).Draw(t, "perRow"))
		for k := range a.Values() {
			a.Values()[k] = math.Copysign(1+rnd.Float64(), a.Values()[k])
		}
		var lu LU
		if lu.Factorize(a) != nil || lu.Cond() > 1e6 {
			return
		}
		cond := lu.Cond()
		row, col := make([]float64, n), make([]float64, n)
		for i := range n {
			row[i] = math.Pow(10, 20*(2*rnd.Float64()-1))
			col[i] = math.Pow(10, 20*(2*rnd.Float64()-1))
		}
		p, scaled := a.Pattern(), sparsity.NewMatrix(a.Pattern())
		b, x := make([]float64, n), make([]float64, n)
		for i := range n {
			sum := 0.0
			for _, j := range p.Row(i) {
				v := a.At(i, int(j))
				sum += v
				scaled.Values()[p.Position(i, int(j))] = row[i] * v * col[j]
			}
			b[i] = row[i] * sum
		}
		for _, factorize := range []func(*sparsity.Matrix) error{new(LU).Factorize, lu.Factorize, lu.Refactorize} {
			require.NoError(t, factorize(scaled))
		}
		require.NoError(t, lu.SolveInto(x, false, b))
		for j := range n {
			require.InEpsilon(t, 1, x[j]*col[j], 1e3*epsilon*cond*float64(n))
		}
	})
}

// A = [0 1 1; 1 1 0; 1 0 1] in other units, whose rows and columns all have the
// largest element 1: only the product tells that its elements are of one size.
func TestRowsAndColumnsAloneDoNotShowTheUnits(t *testing.T) {
	const tiny = 1e-20
	a := fromDense([][]float64{
		{0, 1, 1},
		{1, tiny, 0},
		{1, 0, tiny},
	})
	var lu LU
	require.NoError(t, lu.Factorize(a))
	require.Less(t, lu.Cond(), 20.0)
	x := make([]float64, 3)
	require.NoError(t, lu.SolveInto(x, false, []float64{2, 2 * tiny, 2 * tiny}))
	require.InDeltaSlice(t, []float64{1, 1, 1}, []float64{x[0] / tiny, x[1], x[2]}, 8*epsilon)
}

func TestMaximumProductFollowsLongPaths(t *testing.T) {
	// The cheap choice, the diagonal, leaves row n−1 to column 0: every other row
	// must move.
	const n = 1000
	a := sparsity.NewMatrix(sparsity.Banded(n, 0, 1).Union(sparsity.FromCoordinates(n, n, []int{n - 1}, []int{0})))
	p := a.Pattern()
	for i := range n {
		a.Values()[p.Position(i, i)] = 1
		if i+1 < n {
			a.Values()[p.Position(i, i+1)] = 0.5
		}
	}
	a.Values()[p.Position(n-1, 0)] = 1
	a.Values()[p.Position(n-1, n-1)] = 0
	rowOf, _, _ := maximumProduct(p, a.Values())
	for j, i := range rowOf {
		require.EqualValues(t, (j+n-1)%n, i)
	}
}
