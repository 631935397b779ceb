package lane

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hesse-ad/hesse/internal/op"
)

// Values and partials of arrays are those of the table, lane by lane, to the bit.
func TestRulesHaveTheBitsOfTheTable(t *testing.T) {
	eachSet(t, rulesHaveTheBitsOfTheTable)
}

func rulesHaveTheBitsOfTheTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, 3, 0.5, -0.5, 5e-324, -5e-324, 0x1p-1022, 1e-310, math.MaxFloat64, -math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	draw := func(n int, plain bool) []float64 {
		x := make([]float64, n)
		for i := range x {
			switch random.IntN(4) {
			case 0:
				x[i] = special[random.IntN(len(special))]
			case 1:
				x[i] = math.Float64frombits(random.Uint64())
			default:
				x[i] = 4 * random.NormFloat64()
			}
			if plain {
				x[i] = 0.1 + 3*random.Float64()
			}
		}
		return x
	}
	same := func(code op.Code, what string, got, want, x, y float64) {
		t.Helper()
		if math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
			t.Fatalf("%s of %v at %v, %v: %v, want %v", what, code, x, y, got, want)
		}
	}
	for code := range op.All {
		f := code.Info()
		for round := range 40 {
			n := []int{1, 7, 64, 300}[round%4]
			x, y := draw(n, round < 4), draw(n, round < 4)
			if f.Constant == op.IntConstant {
				for i := range y {
					y[i] = float64(random.IntN(5))
				}
			}
			v := make([]float64, n)
			Values(code, v, x, y)
			a, b, aa, ab, bb := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
			switch code.Class() {
			case op.Unary:
				First(code, a, x, y, v)
				Second(code, aa, x, y, v, a)
				for i, x := range x {
					if f.D1 != nil {
						same(code, "value", v[i], f.F1(x), x, 0)
						same(code, "derivative", a[i], f.D1(x, v[i]), x, 0)
						same(code, "second derivative", aa[i], f.H1(x, v[i], a[i]), x, 0)
						continue
					}
					same(code, "value", v[i], f.FC(x, y[i]), x, y[i])
					same(code, "derivative", a[i], f.DC(x, y[i], v[i]), x, y[i])
					same(code, "second derivative", aa[i], f.HC(x, y[i], v[i], a[i]), x, y[i])
				}
			case op.Binary:
				First2(code, a, b, x, y, v)
				Second2(code, aa, ab, bb, x, y, v, a, b)
				for i, x := range x {
					same(code, "value", v[i], f.F2(x, y[i]), x, y[i])
					dx, dy := f.D2(x, y[i], v[i])
					same(code, "∂x", a[i], dx, x, y[i])
					same(code, "∂y", b[i], dy, x, y[i])
					dxx, dxy, dyy := f.H2(x, y[i], v[i], dx, dy)
					same(code, "∂xx", aa[i], dxx, x, y[i])
					same(code, "∂xy", ab[i], dxy, x, y[i])
					same(code, "∂yy", bb[i], dyy, x, y[i])
				}
			}
		}
	}
}
