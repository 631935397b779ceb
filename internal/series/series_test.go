package series

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/op"
)

// Operations whose derivatives satisfy no algebraic differential equation, or are the user's.
var composed = []op.Code{op.Polygamma, op.Gamma, op.LogGamma, op.Own}

func TestEveryNonlinearOperationHasAProgram(t *testing.T) {
	for code := range op.All {
		if code.Linear() || slices.Contains(composed, code) {
			require.Nil(t, Of(code), "%v", code)
		} else {
			require.NotNil(t, Of(code), "%v", code)
		}
	}
}

// random is a polynomial of lanes, or one, with x₀ in (0.1, 0.9).
func random(r *rand.Rand, order, stride, n int) Lanes {
	x := Lanes{make([]float64, (order+1)*stride), stride, n}
	for i := range x.P {
		x.P[i] = r.Float64() - 0.5
	}
	for l := range n {
		x.P[l] = 0.1 + 0.8*r.Float64()
	}
	return x
}

// value and partial are z₀ and the derivative by x there.
func value(code op.Code, x, y float64) (v, d float64) {
	switch f := code.Info(); {
	case f.F1 != nil:
		v = f.F1(x)
		return v, f.D1(x, v)
	case f.FC != nil:
		v = f.FC(x, y)
		return v, f.DC(x, y, v)
	case f.F2 != nil:
		v = f.F2(x, y)
		if f.D2 == nil {
			return v, y
		}
		d, _ = f.D2(x, y, v)
		return v, d
	}
	if code == op.Mul {
		return x * y, y
	}
	return x * x, 2 * x
}

// Programs give z and its partial derivatives such that z′ = z_x·x′ + z_y·y′ and z(t) = f(x(t), y(t)),
// t so small that order+1 coefficients are all there is of it. Lanes are polynomials by themselves.
func TestProgramsSolveTheirEquations(t *testing.T) {
	const order, lanes = 12, 5
	r := rand.New(rand.NewPCG(1, 2))
	for code := range op.All {
		p := Of(code)
		if p == nil {
			continue
		}
		var regs [Registers]Lanes
		for k := range regs {
			regs[k] = random(r, order, 8, lanes)
		}
		x, y, z := regs[X], regs[Y], regs[Z]
		for l := range lanes {
			switch {
			case code == op.Acosh:
				x.P[l]++
			case code.Constant() == op.IntConstant:
				y.P[l] = 3
			}
			z.P[l], regs[DX].P[l] = value(code, x.P[l], y.P[l])
		}
		if code == op.PowInt {
			Power(&regs, 3, order, true)
		} else {
			p.Run(&regs, order, true)
		}
		for l := range lanes {
			one := func(x Lanes) (c []float64) {
				for k := range order + 1 {
					c = append(c, x.At(k)[l])
				}
				return c
			}
			at := func(x Lanes, t float64) (s float64) {
				for k := order; k >= 0; k-- {
					s = s*t + x.At(k)[l]
				}
				return s
			}
			const h = 0x1p-7
			yh := y.P[l]
			if code.Operands() == 2 {
				yh = at(y, h)
			}
			want, _ := value(code, at(x, h), yh)
			require.InDelta(t, want, at(z, h), 1e-14*(1+math.Abs(want)), "%v at %v", code, x.P[l])

			zs, xs, dx := one(z), one(x), one(regs[p.By[0]])
			ys, dy := make([]float64, order+1), make([]float64, order+1)
			if p.By[1] != None {
				ys, dy = one(y), one(regs[p.By[1]])
			}
			for k := 1; k <= order; k++ {
				want, size := 0.0, math.Abs(zs[k])
				for j := 1; j <= k; j++ {
					a, b := float64(j)*xs[j]*dx[k-j]/float64(k), float64(j)*ys[j]*dy[k-j]/float64(k)
					want += a + b
					size += math.Abs(a) + math.Abs(b)
				}
				require.InDelta(t, want, zs[k], 1e-11*size, "%v at %v, coefficient %d", code, x.P[l], k)
			}

			// One polynomial alone.
			var alone [Registers]Lanes
			for k := range alone {
				alone[k] = Lanes{make([]float64, order+1), 1, 1}
			}
			copy(alone[X].P, xs)
			copy(alone[Y].P, one(y))
			alone[Z].P[0], alone[DX].P[0] = value(code, x.P[l], y.P[l])
			if code == op.PowInt {
				Power(&alone, 3, order, true)
			} else {
				p.Run(&alone, order, true)
			}
			for k := range order + 1 {
				require.InDelta(t, zs[k], alone[Z].P[k], 1e-10*(1+math.Abs(zs[k])), "%v, coefficient %d", code, k)
				require.InDelta(t, dx[k], alone[p.By[0]].P[k], 1e-10*(1+math.Abs(dx[k])), "%v, derivative %d", code, k)
			}
		}
	}
}
