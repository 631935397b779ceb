package terms_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

// A term that is compared with the steps of a class has the leaves, in their order, and
// the constants that it has if it is traced.
func TestTermsThatMatchAreAsTheyAreTraced(t *testing.T) {
	for _, p := range problems.All {
		if p.Name == "rnn" || p.Name == "helmholtz" {
			continue
		}
		in := p.At(400)
		f := problems.VecFunc[V](in)
		if g := problems.Func[V](in); g != nil {
			f = func(x []V) []V { return []V{g(x)} }
		}
		misfits, count := terms.Misfits(record(t, in.X0, f))
		assert.Empty(t, misfits, p.Name)
		assert.Positive(t, count, p.Name)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := drawSeparable(t)
		tape, err := reverse.RecordParamsVec(s.function, s.x, s.params)
		require.NoError(t, err)
		misfits, _ := terms.Misfits(tape.Inside().Engine())
		assert.Empty(t, misfits)
	})
}

// Terms of different shapes follow each other, which have the same operations on other
// operands: constants in place of variables, one variable in place of two, sums in
// another order.
func TestTermsThatNearlyMatch(t *testing.T) {
	const n = 60
	x := points(n)
	forms := []func(a, b V) V{
		func(a, b V) V { return a.Mul(b).Sin().Add(a) },
		func(a, b V) V { return a.Mul(a).Sin().Add(a) },
		func(a, b V) V { return a.Mul(b).Sin().Add(b) },
		func(a, b V) V { return a.Mul(b).Sin().Add(a.Const(2)) },
		func(a, b V) V { return a.Const(3).Sub(b).Sin().Mul(b) },
		func(a, b V) V { return a.Sub(b).Sin().Mul(b) },
		func(a, b V) V { return a.PowInt(3).Add(b).Exp() },
		func(a, b V) V { return a.PowInt(5).Add(b).Exp() },
		func(a, b V) V { return b.SumOf([]V{a, b, a.Sin(), b.Exp()}).Square() },
		func(a, b V) V { return b.SumOf([]V{a, b, a.Sin(), b.Exp()}).AddReal(1).Square() },
		func(a, b V) V { return b.AffineOf(0, []float64{2, 3, 4, 5}, []V{a, b, a.Sin(), b.Exp()}).Square() },
		func(a, b V) V { return b.AffineOf(7, []float64{2, 3, 4, 5}, []V{a, b, a.Sin(), b.Exp()}).Square() },
		func(a, b V) V { return b.DotOf([]V{a, b, a.Sin(), b}, []V{a, a, b, b.Exp()}).Square() },
		func(a, b V) V { return b.Select(a.Sin(), a.Exp()).Square() },
		func(a, b V) V { return sine.Apply(a.Mul(b)).Mul(b) },
	}
	for k := range forms {
		for l := range forms {
			misfits, count := terms.Misfits(record(t, x, sumOf(n-1, func(x []V, i int) V {
				form := forms[k]
				if i%5 > 2 {
					form = forms[l]
				}
				return form(x[i], x[i+1])
			})))
			assert.Empty(t, misfits, "%d, %d", k, l)
			assert.GreaterOrEqual(t, count, n-2, "%d, %d", k, l)
		}
	}
}
