package randprog_test

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
)

// complexOps are the operations that are analytic, on complex numbers.
var complexOps = map[op.Code]func(x, y complex128) complex128{
	op.Add: func(x, y complex128) complex128 { return x + y },
	op.Sub: func(x, y complex128) complex128 { return x - y },
	op.Mul: func(x, y complex128) complex128 { return x * y },
	op.Div: func(x, y complex128) complex128 { return x / y },
	op.Pow: cmplx.Pow,
	op.Hypot: func(x, y complex128) complex128 {
		return cmplx.Sqrt(x*x + y*y)
	},
	op.AddReal: func(x, c complex128) complex128 { return x + c },
	op.RSub:    func(x, c complex128) complex128 { return c - x },
	op.Scale:   func(x, c complex128) complex128 { return x * c },
	op.DivReal: func(x, c complex128) complex128 { return x / c },
	op.RDiv:    func(x, c complex128) complex128 { return c / x },
	op.PowReal: cmplx.Pow, op.PowInt: cmplx.Pow,
	op.Neg:      func(x, _ complex128) complex128 { return -x },
	op.Inv:      func(x, _ complex128) complex128 { return 1 / x },
	op.Square:   func(x, _ complex128) complex128 { return x * x },
	op.Logistic: func(x, _ complex128) complex128 { return 1 / (1 + cmplx.Exp(-x)) },
	op.Softplus: func(x, _ complex128) complex128 { return cmplx.Log(1 + cmplx.Exp(x)) },
	op.Expm1:    func(x, _ complex128) complex128 { return cmplx.Exp(x) - 1 },
	op.Exp2:     func(x, _ complex128) complex128 { return cmplx.Exp(x * math.Ln2) },
	op.Log1p:    func(x, _ complex128) complex128 { return cmplx.Log(1 + x) },
	op.Log2:     func(x, _ complex128) complex128 { return cmplx.Log(x) / math.Ln2 },
	op.Sqrt:     unary(cmplx.Sqrt), op.Exp: unary(cmplx.Exp), op.Log: unary(cmplx.Log), op.Log10: unary(cmplx.Log10),
	op.Sin: unary(cmplx.Sin), op.Cos: unary(cmplx.Cos), op.Tan: unary(cmplx.Tan),
	op.Asin: unary(cmplx.Asin), op.Acos: unary(cmplx.Acos), op.Atan: unary(cmplx.Atan),
	op.Sinh: unary(cmplx.Sinh), op.Cosh: unary(cmplx.Cosh), op.Tanh: unary(cmplx.Tanh),
	op.Asinh: unary(cmplx.Asinh), op.Acosh: unary(cmplx.Acosh), op.Atanh: unary(cmplx.Atanh),
}

func unary(f func(complex128) complex128) func(x, y complex128) complex128 {
	return func(x, _ complex128) complex128 { return f(x) }
}

// evaluateComplex is the outputs of a tape at complex inputs, false if an operation is not analytic.
func evaluateComplex(t *tape.Tape, x []complex128) (y []complex128, ok bool) {
	v := make([]complex128, t.Len())
	copy(v, x)
	for i, c := range t.Consts() {
		v[t.Inputs()+t.Params()+i] = complex(c, 0)
	}
	for k := t.Base(); k < t.Len(); k++ {
		i := int32(k)
		a, b := t.Args(i)
		c := complex(t.Constant(i), 0)
		switch code := t.Op(i); code {
		case op.Sum:
			for _, j := range t.SumAt(i) {
				c += v[j]
			}
			v[i] = c
		case op.Affine:
			w, x := t.AffineAt(i)
			for k, j := range x {
				c += complex(w[k], 0) * v[j]
			}
			v[i] = c
		case op.Dot:
			x, y := t.DotAt(i)
			for k, j := range x {
				v[i] += v[j] * v[y[k]]
			}
		case op.FMA:
			x := t.SeveralAt(i)
			v[i] = v[x[0]]*v[x[1]] + v[x[2]]
		default:
			f := complexOps[code]
			if f == nil {
				return nil, false
			}
			if code.Operands() == 2 {
				c = v[b]
			}
			v[i] = f(v[a], c)
		}
	}
	for _, j := range t.OutputNodes() {
		y = append(y, v[j])
	}
	return y, true
}

// Cauchy's integral formula, cₖ = (1/2πi) ∮ f(x(t))/tᵏ⁺¹ dt by the trapezoidal rule, which converges
// geometrically, gives the coefficients of a tape. Programs are left out where two circles
// differ: there is a singularity between them, or they cross a branch.
func TestTaylorPolynomialsAgreeWithCauchys(t *testing.T) {
	const order, nodes = 6, 96
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 2, MaxLen: 12, Smooth: true})
		n := p.Inputs
		v := make([]float64, n)
		for i := range v {
			v[i] = p.X[i] * math.Tanh(p.V[i]) / 2
		}
		recorded := record(t, p)
		y, err := recorded.Taylor(nil, [][]float64{p.X, v}, order)
		require.NoError(t, err)
		circles := [2][order + 1][]complex128{}
		scale := 0.0
		for c, r := range []float64{0.5, 0.3} {
			for k := range circles[c] {
				circles[c][k] = make([]complex128, p.Outputs)
			}
			for m := range nodes {
				e := cmplx.Rect(1, 2*math.Pi*float64(m)/nodes)
				x := make([]complex128, n)
				for i := range x {
					x[i] = complex(p.X[i], 0) + complex(v[i]*r, 0)*e
				}
				f, ok := evaluateComplex(recorded.Inside().Tape(), x)
				if !ok {
					return
				}
				for j, f := range f {
					scale = max(scale, cmplx.Abs(f))
					for k := range circles[c] {
						circles[c][k][j] += f * cmplx.Pow(e*complex(r, 0), complex(-float64(k), 0)) / nodes
					}
				}
			}
		}
		if !(scale < 1e6) {
			return
		}
		for j := range p.Outputs {
			for k := range order + 1 {
				a, b := circles[0][k][j], circles[1][k][j]
				if !(cmplx.Abs(a-b) <= 1e-10*(1+scale)) {
					return
				}
			}
		}
		compared++
		for j := range p.Outputs {
			for k := range order + 1 {
				if want := real(circles[0][k][j]); !near(y[k][j], want, 1e-9*(1+scale)) {
					t.Fatalf("coefficient %d of output %d: %v, by Cauchy's formula %v\n%v", k, j, y[k][j], want, p)
				}
			}
		}
	})
	require.Positive(t, compared)
}
