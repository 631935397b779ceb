package corpus

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
)

type vectorFunction struct {
	plain    func(x []float64) []float64
	lifted   func(x []dual.Number) []dual.Number
	jvp, vjp func(dst, x, v []float64)
	several  func(dst, v [][]float64, x []float64)
}

var vectors = map[string]vectorFunction{
	"forces": {forces, forcesOf[dual.Number], forcesJVP, forcesVJP, forcesJVP4},
	"mixed": {func(x []float64) []float64 {
		a, b, c, d := mixed(x, 1)
		return append(append(append([]float64(nil), a...), b, c), d...)
	}, func(x []dual.Number) []dual.Number {
		a, b, c, d := mixedOf(x, 1)
		return append(append(append([]dual.Number(nil), a...), b, dual.Number{V: c}), d...)
	}, func(dst, x, v []float64) { mixedJVP(dst, x, v, 1) }, func(dst, x, w []float64) { mixedVJP(dst, x, w, 1) },
		func(dst, v [][]float64, x []float64) { mixedJVP4(dst, v, x, 1) }},
	"polar": {func(x []float64) []float64 {
		r, phi := polar(x)
		return []float64{r, phi}
	}, func(x []dual.Number) []dual.Number {
		r, phi := polarOf(x)
		return []dual.Number{r, phi}
	}, polarJVP, polarVJP, polarJVP4},
	"rootOfZero": {rootOfZero, rootOfZeroOf[dual.Number], rootOfZeroJVP, rootOfZeroVJP, rootOfZeroJVP4},
}

// Products with Jacobians and with transposed ones are those of the lifted functions, several
// at once have the bits of one.
func TestProductsAreThoseOfTheLiftedFunctions(t *testing.T) {
	for name, f := range vectors {
		rnd := rand.New(rand.NewPCG(3, 4))
		for range 50 {
			x, v := make([]float64, 5), make([]float64, 5)
			in := make([]dual.Number, len(x))
			for i := range x {
				x[i], v[i] = rnd.Float64(), rnd.NormFloat64()
				in[i] = dual.Number{V: x[i], D: v[i]}
			}
			want := f.lifted(in)
			m := len(want)
			for i, v := range f.plain(x) {
				require.Equal(t, v, want[i].V)
			}
			have, w, transposed := make([]float64, m), make([]float64, m), make([]float64, len(x))
			f.jvp(have, x, v)
			along, back := 0.0, 0.0
			for i := range have {
				w[i] = rnd.NormFloat64()
				require.InDelta(t, want[i].D, have[i], 1e-13*(1+math.Abs(want[i].D)), "%s: component %d", name, i)
				along += w[i] * have[i]
			}
			f.vjp(transposed, x, w)
			for i := range x {
				back += transposed[i] * v[i]
			}
			require.InDelta(t, along, back, 1e-12*(1+math.Abs(along)), name)
			for k := 1; k <= 4; k++ {
				dst, directions := make([][]float64, k), make([][]float64, k)
				for d := range dst {
					dst[d], directions[d] = make([]float64, m), x
				}
				directions[k-1] = v
				f.several(dst, directions, x)
				require.Equal(t, have, dst[k-1], name)
			}
			for _, wrong := range []func(){
				func() { f.jvp(have[1:], x, v) }, func() { f.jvp(append(have, 0), x, v) }, func() { f.jvp(have, x, v[1:]) },
				func() { f.vjp(transposed[1:], x, w) }, func() { f.vjp(transposed, x, w[1:]) }, func() { f.vjp(transposed, x, append(w, 0)) },
				func() { f.several(nil, nil, x) }, func() { f.several([][]float64{have}, [][]float64{v[1:]}, x) },
			} {
				require.Panics(t, wrong, name)
			}
		}
	}
}

// At √0·0 what is exactly 0 annihilates ∞.
func TestProductsWhereZeroAnnihilatesInfinities(t *testing.T) {
	dst := make([]float64, 2)
	rootOfZeroJVP(dst, []float64{0, 0}, []float64{1, 2})
	require.Equal(t, []float64{0, 2}, dst)
	rootOfZeroVJP(dst, []float64{0, 0}, []float64{1, 2})
	require.Equal(t, []float64{0, 2}, dst)
	rootOfZeroJVP(dst, []float64{0, 3}, []float64{0, 2})
	require.Equal(t, []float64{0, 2}, dst)
}
