package terms_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

// At kinks and poles, and where a factor 0 meets an infinity, terms have the
// derivatives that the tape has.
func TestConventionsAreThoseOfTheTape(t *testing.T) {
	type V = reverse.Var
	inf := math.Inf(1)
	for _, c := range []struct {
		name string
		f    func(x, y V) V
		x, y float64
	}{
		{"sqrt at 0", func(x, y V) V { return x.Sqrt().Add(y.Square()) }, 0, 1},
		{"sqrt at 0 times 0", func(x, y V) V { return x.Sqrt().Mul(y) }, 0, 0},
		{"sqrt at 0 of a square", func(x, y V) V { return x.Square().Sqrt().Add(y) }, 0, 2},
		{"norm at 0", func(x, y V) V { return x.Square().Add(y.Square()).Sqrt() }, 0, 0},
		{"hypot at 0", func(x, y V) V { return x.Hypot(y) }, 0, 0},
		{"atan2 at 0", func(x, y V) V { return x.Atan2(y) }, 0, 0},
		{"abs at 0", func(x, y V) V { return x.Abs().Mul(y) }, 0, 3},
		{"max at a tie", func(x, y V) V { return x.Square().Max(y.Square()) }, 2, -2},
		{"min at a tie", func(x, y V) V { return x.Square().Min(y.Exp()) }, 1, 0},
		{"relu at 0", func(x, y V) V { return x.Mul(y).Max(x.Const(0)).Square() }, 0, 3},
		{"x^0", func(x, y V) V { return x.PowReal(0).Add(x.Mul(y)) }, 0, 2},
		{"x^½ at 0", func(x, y V) V { return x.PowReal(0.4).Add(y) }, 0, 2},
		{"x^y at 0", func(x, y V) V { return x.Pow(y) }, 0, 2},
		{"x^y at 0, 0", func(x, y V) V { return x.Pow(y) }, 0, 0},
		{"log of a negative number", func(x, y V) V { return x.Log().Mul(y) }, -1, 2},
		{"log of a negative number in the other branch", func(x, y V) V {
			return y.Select(y.Square(), x.Log())
		}, -1, 2},
		{"log at 0 in the other branch", func(x, y V) V { return y.Select(x.Log(), y.Square()) }, 0, -2},
		{"√0 in the other branch, scaled", func(x, y V) V { return y.Select(y.Square(), x.Sqrt()).Square() }, 0, 2},
		{"√0 in the branch of others, scaled", func(x, y V) V { return y.Select(x.Sqrt(), y.Square()).Square() }, 0, -2},
		{"NaN decides, times 0", func(x, y V) V { return x.Log().Select(y, y.Square()).Mul(y) }, -1, 0},
		{"multiplier 0", func(x, y V) V { return x.Sqrt().Scale(0).Add(y.Square()) }, 0, 2},
		{"1/x at 0", func(x, y V) V { return x.Inv().Mul(y) }, 0, 2},
		{"y/x at ∞", func(x, y V) V { return y.Div(x).Add(y.Square()) }, inf, 2},
		{"NaN", func(x, y V) V { return x.Mul(y).Sin() }, math.NaN(), 2},
		{"overflow", func(x, y V) V { return x.Exp().Mul(y) }, 800, 0},
		{"detached", func(x, y V) V { return x.Detach().Mul(y).Add(x.Sqrt().Detach()) }, 0, 2},
		{"logistic far away", func(x, y V) V { return x.Logistic().Mul(y) }, -800, 1},
	} {
		// One bad term among good ones, which must not suffer.
		n := 40
		x := make([]float64, n)
		for i := range x {
			x[i] = 0.5 + 0.01*float64(i)
		}
		x[20], x[21] = c.x, c.y
		tape, err := reverse.Record(func(x []V) V {
			var s V
			for i := 0; i < n; i += 2 {
				s = s.Add(c.f(x[i], x[i+1]))
			}
			return s
		}, x)
		require.NoError(t, err)
		pl := terms.Detect(tape.Inside().Function, true)
		require.NotNil(t, pl, c.name)
		require.Nil(t, pl.Rest(), c.name)
		y, jac, hess := engine(t, tape.Inside().Engine(), x, nil, []float64{1})
		H := pl.Hessian(nil)
		f, g, h := make([]float64, 1), make([]float64, n), make([]float64, H.Pattern().NNZ())
		same := func(what string, got, want float64) {
			t.Helper()
			if got != want && !(got != got && want != want) && !(math.Abs(got-want) <= 1e-14+1e-12*math.Abs(want)) {
				t.Errorf("%s: %s is %v, want %v", c.name, what, got, want)
			}
		}
		hv, v := make([]float64, n), make([]float64, n)
		for _, w := range [][]float64{nil, {1}} {
			H.Eval(h, f, g, x, nil, w)
			same("value", f[0], y[0])
			for i, row := range dense(H.Pattern(), h) {
				same("gradient", g[i], jac[0][i])
				clear(v)
				v[i] = 1
				pl.HVPs([][]float64{hv}, x, nil, w, [][]float64{v})
				for j := range row {
					same("Hessian", row[j], hess[i][j])
					same("product", hv[j], hess[i][j])
				}
			}
			pl.Gradient(f, g, x, nil, w)
			for i := range g {
				same("gradient alone", g[i], jac[0][i])
			}
		}
	}
}
