package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

func TestNoColoringHasFewerColors(t *testing.T) {
	for n := range 20 {
		assert.Equal(t, n, cost.Colors(n, n*n))
	}
	assert.Equal(t, 1, cost.Colors(9, 9))
	assert.Equal(t, 2, cost.Colors(9, 9+2*8)) // a tree
	assert.Equal(t, 3, cost.Colors(9, 9+2*9)) // has a cycle
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		var i, j []int
		for k := range n {
			i, j = append(i, k), append(j, k)
		}
		for range rapid.IntRange(0, n*n).Draw(t, "entries") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-1).Draw(t, "j")
			i, j = append(i, a, b), append(j, b, a)
		}
		p := sparsity.FromCoordinates(n, n, i, j)
		for _, kind := range []coloring.Kind{coloring.Star, coloring.Acyclic} {
			if k := coloring.New(kind, p).Num(); k < cost.Colors(n, p.NNZ()) {
				t.Fatalf("%v coloring with %d colors, want at least %d", kind, k, cost.Colors(n, p.NNZ()))
			}
		}
	})
}

// A sweep carries eight directions: the ninth calls all functions again.
func TestProductsAreCountedByDirections(t *testing.T) {
	tape, err := reverse.RecordVec(points(50), rows(40, band(2), func(x []V, i int) V { return x[0].Mul(x[1]).Exp() }))
	require.NoError(t, err)
	general := cost.Of(inside.Program(tape))
	one, eight, nine := general.Jacobian(1, 0, 80), general.Jacobian(0, 8, 80), general.Jacobian(0, 9, 80)
	assert.Equal(t, 2*40.0, one[cost.Call])
	assert.Equal(t, 2*40.0, eight[cost.Call])
	assert.Equal(t, 3*40.0, nine[cost.Call])
	assert.Equal(t, (1+8)*80.0, eight[cost.Lane])
	assert.Equal(t, 8*90.0, eight[cost.Direction])
	assert.Equal(t, 80.0, eight[cost.Read])
	assert.Less(t, one.Time(), eight.Time())
	assert.Equal(t, one.Time()+nine.Time(), one.Plus(nine).Time())
}

func TestOptionSaysTheTime(t *testing.T) {
	o := cost.Option{What: "terms"}
	assert.Equal(t, "terms: about 0s", o.String())
	o.Counts[cost.Call] = 123456 / cost.Counts{cost.Call: 1}.Time()
	assert.Equal(t, "terms: about 120µs", o.String())
}

// A call of alike terms carries four directions at once, and counts its operands
// once, however many outputs it has.
func TestProductsOfDeclaredTermsAreCountedByTheirSweeps(t *testing.T) {
	const n = 300
	index, rows := [][]int{make([]int, n), make([]int, n)}, [][]int{make([]int, n)}
	for i := range n {
		index[0][i], index[1][i], rows[0][i] = i, i+1, i
	}
	term := func(x, _ []V) []V { return []V{x[0].Mul(x[1]).Exp()} }
	declared := func(x []V) []V { return reverse.RepeatVec(n, rows, term, x, index, nil) }
	tape, err := reverse.RecordVec(points(n+1), declared)
	require.NoError(t, err)
	general := cost.Of(inside.Program(tape))
	assert.Equal(t, (1+3)*float64(n), general.Jacobian(9, 0, n)[cost.Call]) // four, four and one
	assert.Equal(t, (1+2)*float64(n), general.Jacobian(0, 2, n)[cost.Call])
	assert.Equal(t, (1+2)*float64(n+1), general.Jacobian(2, 0, n)[cost.Lane])
	assert.Equal(t, (1+1+3)*float64(n), general.Hessian(9, n)[cost.Call])

	squares := func(x []V) []V {
		var s V
		for _, y := range declared(x) {
			s = s.Add(y.Square())
		}
		return []V{s}
	}
	tape, err = reverse.RecordVec(points(n+1), squares)
	require.NoError(t, err)
	general = cost.Of(inside.Program(tape))
	assert.Equal(t, (1+1+3+3)*float64(n), general.Hessian(9, n)[cost.Call]) // and the tangents
}
