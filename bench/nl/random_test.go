package nl

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// A formula is a random function as a person would write it in Go, with its lines
// in a file. All are of moderate size where x is, and so are their derivatives.
type formula struct {
	text string
	at   func(x []dual.Hyper) dual.Hyper // also of the defined variables, which follow
}

func real(x dual.Hyper) float64 { return x.Value() }

// draw is a random formula of x₀ … xₙ₋₁, at most so deep.
func draw(t *rapid.T, n, depth int) formula {
	leaf := func() formula {
		if rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
			c := float64(rapid.IntRange(-8, 8).Draw(t, "constant")) / 4
			return formula{fmt.Sprintf("n%g\n", c), func([]dual.Hyper) dual.Hyper { return dual.Hyper{V: c} }}
		}
		i := rapid.IntRange(0, n-1).Draw(t, "variable")
		return formula{fmt.Sprintf("v%d\n", i), func(x []dual.Hyper) dual.Hyper { return x[i] }}
	}
	if depth == 0 {
		return leaf()
	}
	sub := func() formula { return draw(t, n, depth-1) }
	switch rapid.IntRange(0, 16).Draw(t, "operator") {
	case 0:
		return of2(0, sub(), sub(), dual.Hyper.Add)
	case 1:
		return of2(1, sub(), sub(), dual.Hyper.Sub)
	case 2:
		return of2(2, of1(37, sub(), dual.Hyper.Tanh), sub(), dual.Hyper.Mul)
	case 3:
		return of2(3, sub(), atLeast1(sub()), dual.Hyper.Div)
	case 4:
		return of1(16, sub(), dual.Hyper.Neg)
	case 5:
		return of1(41, sub(), dual.Hyper.Sin)
	case 6:
		return of1(46, sub(), dual.Hyper.Cos)
	case 7:
		return of1(49, sub(), dual.Hyper.Atan)
	case 8:
		return of1(15, sub(), dual.Hyper.Abs)
	case 9:
		return of1(37, sub(), dual.Hyper.Tanh)
	case 10:
		return of2(48, sub(), atLeast1(sub()), dual.Hyper.Atan2)
	case 11:
		k := rapid.IntRange(1, 10).Draw(t, "operands")
		sum := formula{fmt.Sprintf("o54\n%d\n", k), nil}
		var parts []formula
		for range k {
			parts = append(parts, draw(t, n, min(depth-1, 1)))
			sum.text += parts[len(parts)-1].text
		}
		sum.at = func(x []dual.Hyper) (s dual.Hyper) {
			for _, p := range parts {
				s = s.Add(p.at(x))
			}
			return s
		}
		return sum
	case 12, 13: // if a < b or not c ≥ d then e else f
		a, b, c, d, e, f := leaf(), leaf(), leaf(), leaf(), sub(), sub()
		return formula{
			"o35\no20\no22\n" + a.text + b.text + "o34\no28\n" + c.text + d.text + e.text + f.text,
			func(x []dual.Hyper) dual.Hyper {
				if real(a.at(x)) < real(b.at(x)) || !(real(c.at(x)) >= real(d.at(x))) {
					return e.at(x)
				}
				return f.at(x)
			},
		}
	case 14:
		return of2(6, sub(), sub(), func(x, y dual.Hyper) dual.Hyper {
			if d := x.Sub(y); real(d) >= 0 {
				return d
			}
			return dual.Hyper{}
		})
	case 15: // slopes 1, −2 and 3 with breakpoints −1 and 0.5
		i := rapid.IntRange(0, n-1).Draw(t, "variable")
		return formula{fmt.Sprintf("o64\n3\nn1\nn-1\nn-2\nn0.5\nn3\nv%d\n", i), func(x []dual.Hyper) dual.Hyper {
			switch v := real(x[i]); {
			case v < -1:
				return x[i].AddReal(3)
			case v < 0.5:
				return x[i].Scale(-2)
			default:
				return x[i].Scale(3).SubReal(2.5)
			}
		}}
	default:
		p := rapid.IntRange(0, 3).Draw(t, "power")
		a := of1(41, sub(), dual.Hyper.Sin)
		return formula{fmt.Sprintf("o5\n%sn%d\n", a.text, p), func(x []dual.Hyper) dual.Hyper {
			y, z := dual.Hyper{V: 1}, a.at(x)
			for range p {
				y = y.Mul(z)
			}
			return y
		}}
	}
}

// of1 and of2 are operators on formulas.
func of1(code int, a formula, f func(x dual.Hyper) dual.Hyper) formula {
	return formula{fmt.Sprintf("o%d\n%s", code, a.text), func(x []dual.Hyper) dual.Hyper { return f(a.at(x)) }}
}

func of2(code int, a, b formula, f func(x, y dual.Hyper) dual.Hyper) formula {
	return formula{fmt.Sprintf("o%d\n%s%s", code, a.text, b.text), func(x []dual.Hyper) dual.Hyper { return f(a.at(x), b.at(x)) }}
}

// atLeast1 is a² + 1.
func atLeast1(a formula) formula {
	return formula{"o0\no77\n" + a.text + "n1\n", func(x []dual.Hyper) dual.Hyper { return a.at(x).Square().AddReal(1) }}
}

// A random is a random problem with formulas that say the same as its file.
type random struct {
	n, m    int
	text    string
	outputs []func(x []dual.Hyper) dual.Hyper // [f; c]
}

func drawProblem(t *rapid.T) random {
	r := random{n: rapid.IntRange(1, 6).Draw(t, "n"), m: rapid.IntRange(0, 6).Draw(t, "m")}
	k := rapid.IntRange(0, 3).Draw(t, "defined")
	var b strings.Builder
	fmt.Fprintf(&b, "g3 1 1 0\t# problem random\n %d %d 1 0 0\n\n 0 0\n\n 0 0 0 1\n 0 0 0 0 0\n\n 0 0\n %d 0 0 0 0\n", r.n, r.m, k)

	linear := func() (string, int, func(x []dual.Hyper) dual.Hyper) {
		c := make([]float64, r.n)
		text, terms := "", 0
		for i := range c {
			if rapid.Bool().Draw(t, "linear") {
				c[i] = float64(rapid.IntRange(-4, 4).Draw(t, "coefficient"))
				text += fmt.Sprintf("%d %g\n", i, c[i])
				terms++
			}
		}
		return text, terms, func(x []dual.Hyper) (s dual.Hyper) {
			for i, c := range c {
				s = s.Add(x[i].Scale(c))
			}
			return s
		}
	}
	var defined []func(x []dual.Hyper) dual.Hyper
	for i := range k {
		text, terms, l := linear()
		f := draw(t, r.n+i, 2)
		fmt.Fprintf(&b, "V%d %d 0\n%s%s", r.n+i, terms, text, f.text)
		defined = append(defined, func(x []dual.Hyper) dual.Hyper { return l(x).Add(f.at(x)) })
	}
	output := func(head, row string) {
		f := draw(t, r.n+k, 3)
		text, terms, l := linear()
		fmt.Fprintf(&b, "%s\n%s%s %d\n%s", head, f.text, row, terms, text)
		r.outputs = append(r.outputs, func(x []dual.Hyper) dual.Hyper {
			for _, d := range defined {
				x = append(x, d(x))
			}
			return l(x).Add(f.at(x))
		})
	}
	output("O0 0", "G0")
	for i := range r.m {
		output(fmt.Sprintf("C%d", i), fmt.Sprintf("J%d", i))
	}
	b.WriteString("b\n" + strings.Repeat("3\n", r.n))
	if r.m > 0 {
		b.WriteString("r\n" + strings.Repeat("4 0\n", r.m))
	}
	r.text = b.String()
	return r
}

// Values, Jacobians and Hessians of random problems, from files of all kinds, are
// those of the same functions in Go, without a tape and by forward mode.
func TestRandomProblems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawProblem(t)
		for name, data := range forms(r.text) {
			p, err := Read(bytes.NewReader(data))
			require.NoError(t, err, r.text)
			r.compare(t, p, name)
		}
	})
}

func (r random) compare(t *rapid.T, p *Problem, name string) {
	tape, err := p.Tape(0)
	require.NoError(t, err)
	x, u, v := make([]float64, r.n), make([]float64, r.n), make([]float64, r.n)
	z := make([]dual.Hyper, r.n)
	for i := range x {
		x[i] = float64(rapid.IntRange(-2000, 2000).Draw(t, "x"))/1000 + 0.000123 // no breakpoint
		u[i], v[i] = math.Cos(float64(i)), math.Sin(float64(3*i+1))
		z[i] = dual.Hyper{V: x[i], D1: u[i], D2: v[i]}
	}
	w := make([]float64, 1+r.m)
	var value, first []float64
	second, scale := 0.0, 1.0
	for j, f := range r.outputs {
		y := f(z)
		w[j] = 1 / float64(j+1)
		value, first = append(value, y.V), append(first, y.D1)
		second += w[j] * y.D12
		scale = max(scale, math.Abs(y.V), math.Abs(y.D1), math.Abs(y.D2), math.Abs(y.D12))
	}
	// Some dozens of operations on numbers of at most the scale's square.
	tolerance := 1e-11 * scale * scale

	got, err := tape.Values(nil, x)
	require.NoError(t, err)
	require.InDeltaSlice(t, value, got, tolerance, "%s: %s", name, r.text)
	got, err = tape.JVP(nil, x, u)
	require.NoError(t, err)
	require.InDeltaSlice(t, first, got, tolerance, "%s: %s", name, r.text)
	s, err := hessian.New(tape, hessian.FoR).Bilinear(x, u, v, w...)
	require.NoError(t, err)
	require.InDelta(t, second, s, tolerance, "%s: %s", name, r.text)

	h, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	require.NoError(t, h.Verify(x, w...), r.text)
	j, err := reverse.NewSparseJacobian(tape)
	require.NoError(t, err)
	require.NoError(t, j.Verify(x), r.text)
}

// What Read makes of anything is a problem that can be evaluated, or an error.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		scalar("V2 1 0\n0 1\nn1\n", "o0 v2 v1", 1),
		scalar("", "o64 3 n-1 n-1 n2 n3 n5 v0", 0),
		scalar("", "o35 o70 3 v0 v1 o22 v0 v1 n1 o57 v0 n2", 0),
		scalar("S4 1 a\n0 1\nk1\n0\nx1\n0 1\n", "o11 3 v0 v1 n2", 0),
	} {
		for _, data := range forms(text) {
			f.Add(data)
		}
	}
	for _, file := range []string{"hs71.nl", "defined.nl"} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		require.NoError(f, err)
		for _, data := range forms(string(text)) {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		objective := len(p.Maximize) - 1
		y := values(p, max(objective, 0), p.X0...)
		require.Len(t, y, 1+len(p.CLower))
		if len(data) < 1<<12 {
			tape, err := p.Tape(max(objective, 0))
			require.NoError(t, err)
			_, err = tape.Values(nil, p.X0)
			require.NoError(t, err)
		}
	})
}
