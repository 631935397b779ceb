package scan_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/scan"
	"github.com/hesse-ad/hesse/reverse"
)

type v = reverse.Var

// loopsOf is loops of so many steps that are not like those of package models.
func loopsOf(steps int) map[string]func(x []v) []v {
	data := make([][]float64, steps)
	for k := range data {
		data[k] = []float64{math.Sin(float64(k)), float64(k % 3)}
	}
	plain := func(l dual.Loop[reverse.Var], step func(s, w, u, p []v) (next, out []v)) func(x []v) []v {
		return func(x []v) []v {
			l := l
			l.Start, l.Shared, l.Data, l.Step = x[:2], x[2:4], data, step
			last, sum := dual.Scan(l)
			return append(last, sum...)
		}
	}
	return map[string]func(x []v) []v{
		// What is state is moved, is given, is a constant, and is the same in all steps.
		"moved": plain(dual.Loop[reverse.Var]{}, func(s, w, _, p []v) (next, out []v) {
			return []v{s[1], s[0]}, []v{s[0].Mul(p[0]), w[0].Sin(), s[0].Mul(s[1]).Mul(w[1])}
		}),
		"given": plain(dual.Loop[reverse.Var]{}, func(s, w, _, p []v) (next, out []v) {
			return []v{p[0].Mul(w[0]), s[0].Add(dual.Const[reverse.Var](2))}, []v{s[0].Mul(s[1]).Exp()}
		}),
		"none": func(x []v) []v {
			_, sum := dual.Scan(dual.Loop[reverse.Var]{Shared: x, Data: data, Step: func(_, w, _, p []v) (next, out []v) {
				return nil, []v{w[0].Mul(p[0]).Sin().Mul(w[1])}
			}})
			return sum
		},
		"sine and cosine": plain(dual.Loop[reverse.Var]{}, func(s, w, _, p []v) (next, out []v) {
			return []v{s[0].Add(s[1].Scale(0.1)), s[1].Sub(s[0].Sin().Mul(w[0])).Scale(0.9)}, []v{s[0].Cos().Mul(p[0])}
		}),
		// Each way for some steps, then another.
		"ways": plain(dual.Loop[reverse.Var]{}, func(s, w, _, p []v) (next, out []v) {
			a := s[0].Scale(1.01).Add(s[1].Scale(0.1))
			if a.Less(w[0].AddReal(2)) {
				return []v{a, s[1].Mul(w[1]).Add(p[0])}, []v{a}
			}
			return []v{a.Scale(0.2), s[1].Neg()}, []v{a.Square()}
		}),
		"every second": plain(dual.Loop[reverse.Var]{}, func(s, w, _, p []v) (next, out []v) {
			if p[1].LessReal(1) {
				return []v{s[0].Mul(w[0]), s[1].Sin()}, []v{s[0]}
			}
			return []v{s[1], s[0].Cos()}, []v{s[1].Mul(w[1])}
		}),
		"while": func(x []v) []v {
			last, sum := dual.Scan(dual.Loop[reverse.Var]{
				Start: x[:2], Shared: x[2:],
				While: func(s, _ []v) bool { return s[0].LessReal(0.01 * float64(steps)) },
				Step: func(s, w, _, _ []v) (next, out []v) {
					return []v{s[0].Add(w[0].Scale(0.01)), s[1].Add(s[0].Mul(w[1]).Scale(0.01))}, []v{s[1].Square()}
				},
			})
			return append(last, sum...)
		},
		// From step 1 on the slope of the root is infinite, and its adjoint 0.
		"infinite": plain(dual.Loop[reverse.Var]{}, func(s, w, _, p []v) (next, out []v) {
			return []v{s[0].Mul(dual.Const[reverse.Var](0)), s[1].Mul(w[1]).Add(s[0].Sqrt().Mul(dual.Const[reverse.Var](0)))}, []v{s[0].Sqrt().Mul(w[0].Mul(dual.Const[reverse.Var](0)))}
		}),
		"at": func(x []v) []v {
			l := dual.Loop[reverse.Var]{Start: x[:2], Shared: x[2:], Data: data, Step: func(s, w, _, p []v) (next, out []v) {
				return []v{s[1].Mul(w[0]), s[0].Sub(s[1].Square().Scale(0.1))}, []v{s[0].Mul(w[1]).Add(p[0]), s[1]}
			}}
			last, out := dual.ScanAt(l, []int{1, steps / 2, steps/2 + 1, steps - 1})
			for _, out := range out {
				last = append(last, out...)
			}
			return last
		},
		"rows": func(x []v) []v {
			u := make([][]v, steps)
			for k := range u {
				u[k] = []v{x[k%4].Mul(x[(k+1)%4]), x[k%3]}
			}
			last, out := dual.ScanAt(dual.Loop[reverse.Var]{Start: x[:2], Shared: x[2:], Vars: u, Step: func(s, w, u, _ []v) (next, out []v) {
				return []v{s[0].Mul(u[0]).Sin(), s[1].Add(u[1]).Cos()}, []v{s[0].Add(u[0].Mul(w[0]))}
			}}, nil)
			for _, out := range out {
				last = append(last, out...)
			}
			return last
		},
	}
}

// Blocks of steps have the bits of the steps one by one, in every sweep and every
// transform, however the blocks end.
func TestBlocksAreTheirSteps(t *testing.T) {
	x := []float64{0.3, -0.2, 0.9, 0.5}
	for _, steps := range []int{8, 23, 256, 300, 513} {
		for name, f := range loopsOf(steps) {
			sameBits(t, name, f, x)
		}
	}
	for _, name := range []string{"lorenz", "leapfrog", "kalman", "hidden-markov", "shooting"} {
		m := models.Loop(name, 300)
		f := models.LoopFunc[v](m)
		sameBits(t, name, func(x []v) []v { return []v{f(x)} }, m.X0)
	}
}

func sameBits(t *testing.T, name string, f func(x []v) []v, x []float64) {
	t.Helper()
	record := func() (tapes []*reverse.Tape) {
		tape, err := reverse.RecordVec(f, x)
		require.NoError(t, err)
		tapes = append(tapes, tape, tape.Tangent())
		if name != "while" { // which has no third derivatives
			tapes = append(tapes, tape.Adjoint())
		}
		return tapes
	}
	var want [][]float64
	scan.OneByOne(func() { want = all(t, record()) })
	for i, got := range all(t, record()) {
		for j := range got {
			if math.Float64bits(got[j]) != math.Float64bits(want[i][j]) && !(got[j] != got[j] && want[i][j] != want[i][j]) {
				t.Fatalf("%s, evaluation %d: %v in blocks, %v one by one", name, i, got, want[i])
			}
		}
	}
}

// all is the evaluations of tapes.
func all(t *testing.T, tapes []*reverse.Tape) (z [][]float64) {
	for _, tape := range tapes {
		x, w := tape.Point(), make([]float64, tape.Outputs())
		for j := range w {
			w[j] = math.Cos(float64(j))
		}
		v, several := make([][]float64, 3), mat.NewDense(len(x), 3, nil)
		for s := range v {
			for i := range x {
				v[s] = append(v[s], math.Sin(float64(3*i+s)))
			}
			several.SetCol(s, v[s])
		}
		keep := func(y []float64, err error) {
			require.NoError(t, err)
			z = append(z, y)
		}
		keep(tape.Values(nil, x))
		keep(tape.VJP(nil, x, w))
		keep(tape.JVP(nil, x, v[0]))
		keep(tape.HVP(nil, x, v[1], w...))
		h, err := tape.HVPs(nil, x, several, w...)
		require.NoError(t, err)
		z = append(z, h.RawMatrix().Data)
		keep(tape.JVP(nil, x, v[2])) // whose records the next keeps
		keep(tape.HVP(nil, x, v[2], w...))
	}
	return z
}
