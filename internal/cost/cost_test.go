package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/reverse"
)

// A sweep carries eight directions: the ninth calls all functions again.
func TestProductsAreCountedByDirections(t *testing.T) {
	tape, err := reverse.RecordVec(rows(40, band(2), func(x []V, i int) V { return x[0].Mul(x[1]).Exp() }), points(50))
	require.NoError(t, err)
	general := cost.Of(tape.Inside().Engine())
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

// A call of alike terms carries four directions at once, and counts its operands
// once, however many outputs it has.
func TestProductsOfDeclaredTermsAreCountedByTheirSweeps(t *testing.T) {
	const n = 300
	index, rows := [][]int{make([]int, n), make([]int, n)}, [][]int{make([]int, n)}
	for i := range n {
		index[0][i], index[1][i], rows[0][i] = i, i+1, i
	}
	term := func(x, _ []V) []V { return []V{x[0].Mul(x[1]).Exp()} }
	declared := func(x []V) []V { return reverse.RepeatVec(term, x, index, nil, n, rows) }
	tape, err := reverse.RecordVec(declared, points(n+1))
	require.NoError(t, err)
	general := cost.Of(tape.Inside().Engine())
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
	tape, err = reverse.RecordVec(squares, points(n+1))
	require.NoError(t, err)
	general = cost.Of(tape.Inside().Engine())
	assert.Equal(t, (1+1+3+3)*float64(n), general.Hessian(9, n)[cost.Call]) // and the tangents
}
