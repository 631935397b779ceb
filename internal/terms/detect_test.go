package terms_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

type V = reverse.Var

// record is the program of f at x.
func record(t require.TestingT, x []float64, f func(x []V) []V) *sweep.Engine {
	tape, err := reverse.RecordVec(f, x)
	require.NoError(t, err)
	return tape.Inside().Engine()
}

// sumOf makes a function of one output from its terms.
func sumOf(n int, term func(x []V, i int) V) func(x []V) []V {
	return func(x []V) []V {
		var s V
		for i := range n {
			s = s.Add(term(x, i))
		}
		return []V{s}
	}
}

func points(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.4 + 0.01*float64(i%37)
	}
	return x
}

// A sum that is begun with its first term takes that apart: it may have other
// shapes than the rest.
func TestProblemsAreTermsOfFewShapes(t *testing.T) {
	const n = 400 // grids of 20×20
	for _, c := range []struct {
		name                string
		shapes, terms, vars int // the last two of the largest shape
	}{
		{"rosen", 3, n - 2, 2},
		{"arrow", 3, n - 2, 2},
		{"bdqrtic", 3, n - 5, 5},
		{"minsurf", 1, 19 * 19, 4},
		{"trig", 3, n - 2, 2},
		{"bratu", 3, 18 * 18, 5}, // corners, sides and the inside of the grid
	} {
		for _, p := range problems.All {
			if p.Name != c.name {
				continue
			}
			in := p.At(n)
			f := problems.VecFunc[V](in)
			if g := problems.Func[V](in); g != nil {
				f = func(x []V) []V { return []V{g(x)} }
			}
			prog := record(t, in.X0, f)
			pl := terms.Detect(prog.Function(), true)
			require.NotNil(t, pl, c.name)
			assert.Nil(t, pl.Rest(), c.name)
			shapes := pl.Shapes()
			assert.Len(t, shapes, c.shapes, c.name)
			largest := slices.MaxFunc(shapes, func(a, b terms.Shape) int { return a.Terms - b.Terms })
			assert.Equal(t, c.terms, largest.Terms, c.name)
			assert.Equal(t, c.vars, largest.Variables, c.name)
			pj, ph := domains.Jacobian(&prog.Tape, nil), domains.Hessian(&prog.Tape, nil)
			assert.True(t, pj.Equal(pl.Jacobian(nil).Pattern()), c.name)
			assert.True(t, ph.Equal(pl.Hessian(nil).Pattern()), c.name)
		}
	}
}

// Index lists in even steps take no memory for each term.
func TestMemoryOfRegularTerms(t *testing.T) {
	x := points(5000)
	p := record(t, x, sumOf(len(x)-1, func(x []V, i int) V { return x[i].Mul(x[i+1]).Sin() }))
	pl := terms.Detect(p.Function(), true)
	assert.Less(t, pl.Bytes()+pl.Hessian(nil).Bytes(), 2*len(x))
}

func TestFunctionsThatAreNoTerms(t *testing.T) {
	for name, f := range map[string]func(x []V) []V{
		"a chain": func(x []V) []V {
			s := x[0]
			for i := range 3000 {
				s = s.Mul(x[i%100]).Sin()
			}
			return []V{s}
		},
		"a function of a long sum": func(x []V) []V {
			s := sumOf(3000, func(x []V, i int) V { return x[i%100].Scale(float64(i)).Sin() })(x)[0]
			return []V{s.Sqrt()}
		},
		"linear operations that fork at each step": func(x []V) []V {
			for range 4 {
				x = append(x, x...)
			}
			a := V{}.SumOf(x)
			b := V{}.SumOf(x[1:])
			for range 60 {
				a, b = b, a.Add(b)
			}
			return []V{b.Sin().Add(a)}
		},
		"terms that are all unlike": func(x []V) []V {
			return sumOf(400, func(x []V, i int) V {
				y := x[i%100]
				for k := range 9 {
					if i>>k&1 == 0 {
						y = y.Sin()
					} else {
						y = y.Exp()
					}
				}
				return y
			})(x)
		},
	} {
		assert.Nil(t, terms.Detect(record(t, points(100), f).Function(), true), name)
	}
}

func TestWhatIsNoTermIsLeftToTheRest(t *testing.T) {
	const n = 200
	x := points(n)
	for _, c := range []struct {
		name   string
		f      func(x []V) []V
		terms  int
		guards int
	}{
		{"a dense part", func(x []V) []V {
			s := sumOf(n-1, func(x []V, i int) V { return x[i].Mul(x[i+1]).Exp() })(x)[0]
			return []V{s.Add(V{}.SumOf(x).Square().Sin())}
		}, n - 1, 0},
		{"a comparison", func(x []V) []V {
			s := sumOf(n-1, func(x []V, i int) V { return x[i].Mul(x[i+1]).Exp() })(x)[0]
			if x[3].Exp().Less(x[4].RSub(9)) {
				s = s.Scale(2)
			}
			return []V{s}
		}, n - 1, 1},
		{"a vector primitive", func(x []V) []V {
			return sumOf(n-1, func(x []V, i int) V {
				if i == 7 {
					return reverse.Apply(product{}, x[3], x[150])[0]
				}
				return x[i].Mul(x[i+1]).Exp()
			})(x)
		}, n - 2, 0},
		{"a dense output", func(x []V) []V {
			return append(sumOf(n-1, func(x []V, i int) V { return x[i].Mul(x[i+1]).Exp() })(x), V{}.SumOf(x).Sin())
		}, n - 1, 0},
	} {
		p := record(t, x, c.f)
		pl := terms.Detect(p.Function(), true)
		require.NotNil(t, pl, c.name)
		require.NotNil(t, pl.Rest(), c.name)
		assert.Equal(t, c.terms, pl.Shapes()[0].Terms, c.name)
		assert.Len(t, pl.Rest().Guards(), c.guards, c.name)
		w := make([]float64, p.Outputs())
		for j := range w {
			w[j] = float64(j + 1)
		}
		y, jac, hess := engine(t, p, x, nil, w)
		ry, rj, rh := engine(t, pl.Rest(), x, nil, w)
		J, H := pl.Jacobian(nil), pl.Hessian(nil)
		f, g := make([]float64, p.Outputs()), make([]float64, n)
		jv, hv := make([]float64, J.Pattern().NNZ()), make([]float64, H.Pattern().NNZ())
		J.Eval(jv, f, x, nil)
		for j, row := range dense(J.Pattern(), jv) {
			assert.InEpsilon(t, y[j], f[j]+ry[j], 1e-13)
			for i := range row {
				assert.InDelta(t, jac[j][i], row[i]+rj[j][i], 1e-12*(1+math.Abs(jac[j][i])), c.name)
			}
		}
		H.Eval(hv, nil, g, x, nil, w)
		for i, row := range dense(H.Pattern(), hv) {
			for j := range row {
				assert.InDelta(t, hess[i][j], row[j]+rh[i][j], 1e-12*(1+math.Abs(hess[i][j])), c.name)
			}
		}
	}
}

// Two arguments of a term that are one variable are one local variable: such
// terms have a shape of their own.
func TestTermsWithTwoArgumentsThatAreOneVariable(t *testing.T) {
	const n = 100 // fewer are code on single numbers
	x := points(n)
	p := record(t, x, sumOf(n, func(x []V, i int) V { return x[i].Mul(x[n-1]).Sin() }))
	pl := terms.Detect(p.Function(), true)
	require.NotNil(t, pl)
	require.Len(t, pl.Shapes(), 2)
	H := pl.Hessian(nil)
	g, h := make([]float64, n), make([]float64, H.Pattern().NNZ())
	H.Eval(h, nil, g, x, nil, nil)
	_, jac, hess := engine(t, p, x, nil, []float64{1})
	assert.InDeltaSlice(t, jac[0], g, 1e-14)
	for i, row := range dense(H.Pattern(), h) {
		assert.InDeltaSlice(t, hess[i], row, 1e-13)
	}
}

func TestDegenerateFunctions(t *testing.T) {
	for name, f := range map[string]func(x []V) []V{
		"constant":             func(x []V) []V { return []V{dual.Const[reverse.Var](3)} },
		"variable":             func(x []V) []V { return []V{x[1]} },
		"variable and outputs": func(x []V) []V { return []V{x[1], dual.Const[reverse.Var](2), x[1], x[0].Mul(x[1])} },
		"linear":               func(x []V) []V { return []V{V{}.AffineOf(4, []float64{1, 2, 3}, x[:3])} },
		"long linear":          func(x []V) []V { return []V{V{}.AffineOf(4, points(20), x)} },
		"scale 0":              func(x []V) []V { return []V{V{}.SumOf(x).Square().Scale(0)} },
		"huge weights": func(x []V) []V {
			return []V{V{}.SumOf(x).Scale(1e-300).Scale(1e200).Add(x[0].Square())}
		},
		"tiny weights": func(x []V) []V { return []V{V{}.SumOf(x).Scale(1e-200).Scale(1e-200).Add(x[0].Square())} },
		"division by 0": func(x []V) []V {
			s := V{}.SumOf(x)
			return []V{s.Div(s.Const(0)).Add(x[0].Square())}
		},
	} {
		x := points(20)
		p := record(t, x, f)
		pl := terms.Detect(p.Function(), true)
		if pl == nil {
			continue
		}
		require.Nil(t, pl.Rest(), name)
		w := make([]float64, p.Outputs())
		for j := range w {
			w[j] = 1
		}
		y, jac, hess := engine(t, p, x, nil, w)
		full := domains.Hessian(&p.Tape, nil)
		J, H := pl.Jacobian(nil), pl.Hessian(full)
		f, g := make([]float64, p.Outputs()), make([]float64, 20)
		jv, hv := make([]float64, J.Pattern().NNZ()), make([]float64, H.Pattern().NNZ())
		for i := range hv {
			hv[i] = math.NaN()
		}
		same := func(want, got []float64) {
			t.Helper()
			for i := range want {
				if want[i]-want[i] == 0 {
					assert.InDelta(t, want[i], got[i], 1e-14*(1+math.Abs(want[i])), name)
				} else {
					assert.Equal(t, math.IsNaN(want[i]), math.IsNaN(got[i]), name)
				}
			}
		}
		J.Eval(jv, f, x, nil)
		same(y, f)
		for j, row := range dense(J.Pattern(), jv) {
			same(jac[j], row)
		}
		H.Eval(hv, nil, g, x, nil, nil)
		for i, row := range dense(H.Pattern(), hv) {
			same(hess[i], row)
		}
	}
}

func TestParametersAreGivenAtEachEvaluation(t *testing.T) {
	const n = 50
	x, p := points(n), []float64{2, 3, 4}
	tape, err := reverse.RecordParamsVec(func(x, p []V) []V {
		return sumOf(n-1, func(x []V, i int) V {
			return x[i].Mul(p[i%3]).Add(x[i+1]).Exp().Add(p[0].Square())
		})(x)
	}, x, p)
	require.NoError(t, err)
	pl := terms.Detect(tape.Inside().Function, true)
	require.NotNil(t, pl)
	for _, p := range [][]float64{{2, 3, 4}, {0.5, -1, 0}} {
		y, g := make([]float64, 1), make([]float64, n)
		pl.Gradient(y, g, x, p, nil)
		wy, wg, _ := engine(t, tape.Inside().Engine(), x, p, []float64{1})
		assert.InEpsilon(t, wy[0], y[0], 1e-14)
		assert.InDeltaSlice(t, wg[0], g, 1e-12)
	}
}

func TestMatricesRefuseOtherPatterns(t *testing.T) {
	p := record(t, points(20), sumOf(19, func(x []V, i int) V { return x[i].Mul(x[i+1]).Sin() }))
	pl := terms.Detect(p.Function(), true)
	diagonal := sparsity.FromCoordinates(20, 20, []int{1}, []int{1})
	assert.Panics(t, func() { pl.Hessian(diagonal) })
	h := pl.Hessian(nil).Pattern()
	assert.Panics(t, func() { pl.Hessian(h.Lower().Transpose()) })
	assert.NotPanics(t, func() { pl.Hessian(h.Lower()) })
	assert.Panics(t, func() { pl.Jacobian(sparsity.FromCoordinates(1, 20, nil, nil)) })
}

func TestObstaclesAreNamed(t *testing.T) {
	x := points(100)
	long := func(x []V, i int) V {
		y := x[i%100]
		for range 70000 {
			y = y.Sin().Mul(x[1])
		}
		return y
	}
	for name, c := range map[string]struct {
		f    func(x []V) []V
		says []string
	}{
		"nothing": {sumOf(99, func(x []V, i int) V { return x[i].Mul(x[i+1]).Exp() }), nil},
		"a part that is too large": {func(x []V) []V { return []V{long(x, 0).Tanh()} },
			[]string{"1 parts", "Tanh in output 0", "131072"}},
		"a primitive": {sumOf(99, func(x []V, i int) V {
			return reverse.Apply(product{}, x[i], x[i+1])[0].Exp()
		}), []string{"99 parts", "Exp in output 0", product{}.Name()}},
		"few terms of each shape": {func(x []V) []V {
			return sumOf(60, func(x []V, i int) V {
				y := x[i]
				for k := range 9 {
					if i>>k&1 == 0 {
						y = y.Sin().Mul(x[i+1])
					} else {
						y = y.Exp().Sub(x[i+2])
					}
				}
				return y
			})(x)
		}, []string{"60 shapes", "75 %"}},
	} {
		got := terms.Obstacles(record(t, x, c.f).Function(), true)
		assert.Equal(t, c.says == nil, got == "", "%s\n%s", name, got)
		for _, s := range c.says {
			assert.Contains(t, got, s, name)
		}
	}
}

// An explanation names the numbers of what there is.
func TestExplain(t *testing.T) {
	p := record(t, points(300), func(x []V) []V {
		s := sumOf(299, func(x []V, i int) V { return x[i].Mul(x[i+1]).Sin() })(x)[0]
		return []V{s.Add(V{}.SumOf(x).Square().Sin())}
	})
	pl := terms.Detect(p.Function(), true)
	require.Len(t, pl.Shapes(), 1)
	s := pl.Shapes()[0]
	assert.Equal(t, terms.Shape{Terms: 299, Variables: 2, Operations: 3, Value: s.Value, Gradient: s.Gradient, Hessian: s.Hessian}, s)
	assert.Positive(t, s.Value)
	assert.Less(t, s.Value, s.Gradient)
	assert.Less(t, s.Gradient, s.Hessian)
	assert.Equal(t, 3, pl.Rest().Ops()) // the sum, its square, and the sine
	for _, n := range []int{s.Terms, s.Variables, s.Operations, s.Value, s.Gradient, s.Hessian, pl.Rest().Ops()} {
		assert.Contains(t, pl.Explain(), fmt.Sprintf(" %d", n))
	}
}
