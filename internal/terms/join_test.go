package terms_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/internal/terms"
)

// Two coordinates of a projection are one term, however many of them have the
// sine of one angle in common; the softplus of a sum and the sum are, too. What
// neighbors in a band have in common is little.
func TestPartsWithMostOperationsInCommonAreOneTerm(t *testing.T) {
	const n = 300
	for _, c := range []struct {
		name        string
		f           func(x []V) []V
		terms, vars int
	}{
		{"projections", func(x []V) (y []V) {
			for i := range n {
				angle, p := x[i%3], x[3+3*i:]
				a, b := angle.Sin(), angle.Cos()
				z := a.Mul(p[1]).Add(b.Mul(p[0]))
				inv := b.Mul(p[1]).Sub(a.Mul(p[0])).Mul(p[2]).Exp().Inv()
				y = append(y, z.Mul(inv), p[2].Mul(inv))
			}
			return y
		}, n, 4},
		{"coordinate by coordinate", func(x []V) []V {
			y := make([]V, 2*n)
			for i := range n {
				r := x[2*i].Square().Add(x[2*i+1]).Sqrt().Exp()
				y[i], y[n+i] = r.Mul(x[2*i]), r.Mul(x[2*i+1])
			}
			return y
		}, n, 2},
		{"regression", func(x []V) []V {
			var s V
			for i := range n {
				var eta V
				for j := range 10 {
					eta = eta.Add(x[j].Scale(1 + math.Sin(float64(i+n*j))))
				}
				s = s.Add(eta.Softplus()).Add(eta.Scale(2 + math.Cos(float64(i))))
			}
			return []V{s}
		}, n - 1, 10}, // the sum begins with the first
		{"neighbors", func(x []V) (y []V) {
			for i := range n {
				y = append(y, x[i].Sin().Mul(x[i+1].Sin()))
			}
			return y
		}, n, 2},
	} {
		p := record(t, points(4+3*n), c.f)
		pl := terms.Detect(p.Function(), p.Outputs() == 1)
		require.NotNil(t, pl, c.name)
		assert.Nil(t, pl.Rest(), c.name)
		most := terms.Shape{}
		for _, s := range pl.Shapes() {
			if s.Terms > most.Terms {
				most = s
			}
		}
		assert.Equal(t, c.terms, most.Terms, c.name)
		assert.Equal(t, c.vars, most.Variables, c.name)
	}
}

func TestTermsOfSeveralPartsAgreeWithTheGeneralEngine(t *testing.T) {
	rapid.Check(t, termsOfSeveralPartsAgree)
}

func FuzzTermsOfSeveralPartsAgreeWithTheGeneralEngine(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(termsOfSeveralPartsAgree))
}

// termsOfSeveralPartsAgree draws groups of parts that have expressions in common,
// some of them with other groups, and adds the parts to outputs.
func termsOfSeveralPartsAgree(t *rapid.T) {
	n, rows := rapid.IntRange(3, 8).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "rows")
	count := rapid.IntRange(1, 20).Draw(t, "groups")
	parts := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 3).Draw(t, "parts")
	row := rapid.SliceOfN(rapid.IntRange(0, rows-1), len(parts), len(parts)).Draw(t, "rows of the parts")
	steps := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 4).Draw(t, "steps")
	constant := rapid.Bool().Draw(t, "constant lists")
	ordered := rapid.Bool().Draw(t, "part by part")
	hub := rapid.IntRange(1, 20).Draw(t, "groups that have a sine in common")
	f := func(x []V) []V {
		y := make([]V, rows)
		all := make([][]V, count)
		var shared V
		for i := range all {
			a, b := x[i%n], x[(2*i+1)%n]
			if constant {
				a, b = x[0], x[1]
			}
			if i%hub == 0 {
				shared = x[(i+2)%n].Sin()
			}
			u := a.Mul(b).Scale(0.5 + 0.01*float64(i)).Sin()
			for _, k := range steps {
				switch k {
				case 0:
					u = u.Mul(a).Sin()
				case 1:
					u = u.Add(b).Cos()
				case 2:
					u = u.Square().AddReal(1).Sqrt().Sin()
				case 3:
					u = u.Mul(shared)
				case 4:
					u = u.Sub(a.Mul(b)).Tanh()
				case 5:
					u = u.AddReal(0.1 * float64(i%3)).Sin()
				}
			}
			for _, k := range parts {
				z := u
				switch k {
				case 1:
					z = u.Mul(a)
				case 2:
					z = u.Square()
				case 3:
					z = u.Add(shared).Sin()
				case 4:
					z = u.Scale(float64(i))
				case 5:
					z = b.Mul(u).Sub(shared)
				}
				all[i] = append(all[i], z)
			}
		}
		for k := range parts {
			for i := range all {
				if ordered {
					y[row[k]] = y[row[k]].Add(all[i][k])
				} else if k == 0 {
					for k, z := range all[i] {
						y[row[k]] = y[row[k]].Add(z)
					}
				}
			}
		}
		return y
	}
	x := points(n)
	tape := record(t, x, f)
	w := []float64{1, 0.5, -2}[:rows]
	y, jac, hess := engine(t, tape, x, nil, w)
	// A part and its derivatives are sums of few products of numbers below 2 but
	// for the scale i, each with an error of some roundings an operation.
	bound := float64(count*len(parts)) * float64(count+1) * math.Pow(4, float64(len(steps))) * 0x1p-50
	for _, second := range []bool{false, true} {
		pl := terms.Detect(tape.Function(), second)
		if pl == nil {
			continue
		}
		var ry []float64
		var rj, rh [][]float64
		if r := pl.Rest(); r != nil {
			ry, rj, rh = engine(t, r, x, nil, w)
		} else {
			ry, rj, rh = make([]float64, rows), square(rows, n), square(n, n)
		}
		near := func(what string, want, got float64) {
			t.Helper()
			if !(math.Abs(want-got) <= bound) {
				t.Fatalf("%s: %v, want %v ± %.2g\n%s", what, got, want, bound, pl.Explain())
			}
		}
		J := pl.Jacobian(nil)
		v, got := make([]float64, J.Pattern().NNZ()), make([]float64, rows)
		J.Eval(v, got, x, nil)
		for j, a := range dense(J.Pattern(), v) {
			near("value", y[j], got[j]+ry[j])
			for i := range a {
				near(fmt.Sprint("Jacobian ", j, i), jac[j][i], a[i]+rj[j][i])
			}
		}
		if !second {
			continue
		}
		H, g := pl.Hessian(nil), make([]float64, n)
		h := make([]float64, H.Pattern().NNZ())
		H.Eval(h, got, g, x, nil, w)
		for i, a := range dense(H.Pattern(), h) {
			want := 0.0
			for j := range rows {
				want += w[j] * (jac[j][i] - rj[j][i])
			}
			near(fmt.Sprint("gradient ", i), want, g[i])
			for j := range a {
				near(fmt.Sprint("Hessian ", i, j), hess[i][j], a[j]+rh[i][j])
			}
		}
	}
}

func square(m, n int) [][]float64 {
	a := make([][]float64, m)
	for i := range a {
		a[i] = make([]float64, n)
	}
	return a
}
