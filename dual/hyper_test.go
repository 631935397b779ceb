package dual

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/elem"
)

// TestHyperMultipliesByDerivativeProducts compares the rules bit for bit with
// the formulas all of whose products are derivative products, where sums have
// 0·∞, ∞ − ∞, overflow and underflow.
func TestHyperMultipliesByDerivativeProducts(t *testing.T) {
	p := elem.Prod
	chain := func(x Hyper, v, d, dd float64) Hyper {
		return Hyper{v, p(d, x.D1), p(d, x.D2), p(d, x.D12) + p(p(dd, x.D1), x.D2)}
	}
	chain2 := func(x, y Hyper, v, dx, dy, dxx, dxy, dyy float64) Hyper {
		dx1, dy1 := p(dxx, x.D1)+p(dxy, y.D1), p(dxy, x.D1)+p(dyy, y.D1)
		return Hyper{
			v,
			p(dx, x.D1) + p(dy, y.D1),
			p(dx, x.D2) + p(dy, y.D2),
			p(dx, x.D12) + p(dx1, x.D2) + p(dy, y.D12) + p(dy1, y.D2),
		}
	}
	bilinear := func(x, y Hyper, v float64) Hyper {
		return Hyper{
			v,
			p(y.V, x.D1) + p(x.V, y.D1),
			p(y.V, x.D2) + p(x.V, y.D2),
			p(y.V, x.D12) + p(y.D1, x.D2) + p(x.V, y.D12) + p(x.D1, y.D2),
		}
	}
	bits := func(a, b float64) bool { return a != a && b != b || math.Float64bits(a) == math.Float64bits(b) }
	edges := []float64{0, math.Copysign(0, -1), 1, -3, 0.1, 5e-324, 1e200, -1e308, inf, -inf, nan}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		draw := func() float64 { return edges[rng.IntN(len(edges)-i%4)] } // without NaN and ∞ too
		x, y := Hyper{draw(), draw(), draw(), draw()}, Hyper{draw(), draw(), draw(), draw()}
		v, a, b, c, d, e := draw(), draw(), draw(), draw(), draw(), draw()
		for _, z := range []struct {
			rule      string
			got, want Hyper
		}{
			{"chain", x.chain(v, a, b), chain(x, v, a, b)},
			{"chain2", x.chain2(y, v, a, b, c, d, e), chain2(x, y, v, a, b, c, d, e)},
			{"Mul", x.Mul(y), bilinear(x, y, x.V*y.V)},
			{"Prod", x.Prod(y), bilinear(x, y, p(x.V, y.V))},
			{"Square", x.Square(), chain(x, x.V*x.V, 2*x.V, 2)},
			{"Scale", x.Scale(a), Hyper{a * x.V, p(a, x.D1), p(a, x.D2), p(a, x.D12)}},
		} {
			same := bits(z.got.V, z.want.V) && bits(z.got.D1, z.want.D1) &&
				bits(z.got.D2, z.want.D2) && bits(z.got.D12, z.want.D12)
			if !same {
				require.Failf(t, "other bits", "%s of %v, %v and %v: %v, want %v",
					z.rule, x, y, []float64{v, a, b, c, d, e}, z.got, z.want)
			}
		}
	}
}
