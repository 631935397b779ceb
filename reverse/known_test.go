package reverse_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// gradients is the gradient of a scalar tape in every way there is.
func gradients(t *testing.T, tape *reverse.Tape, x []float64) map[string][]float64 {
	t.Helper()
	n := tape.Inputs()
	must := func(x []float64, err error) []float64 {
		t.Helper()
		require.NoError(t, err)
		return x
	}
	jac, err := tape.Jacobian(nil, x)
	require.NoError(t, err)
	g := map[string][]float64{
		"Gradient": must(tape.Gradient(nil, x)),
		"VJP":      must(tape.VJP(nil, x, []float64{1})),
		"Adjoint":  must(tape.Adjoint().Values(nil, join(x[:n], []float64{1}, x[n:]))),
	}
	if n > 0 {
		g["Jacobian"] = jac.RawRowView(0)
	}
	jvp, tangent := make([]float64, n), make([]float64, n)
	for i := range n {
		e := make([]float64, n)
		e[i] = 1
		jvp[i] = must(tape.JVP(nil, x, e))[0]
		tangent[i] = must(tape.Tangent().Values(nil, join(x[:n], e, x[n:])))[1]
	}
	g["JVP"], g["Tangent"] = jvp, tangent
	return g
}

// hessians is the Hessian of a scalar tape in every way there is, column by
// column.
func hessians(t *testing.T, tape *reverse.Tape, x []float64) map[string][][]float64 {
	t.Helper()
	n := tape.Inputs()
	must := func(x []float64, err error) []float64 {
		t.Helper()
		require.NoError(t, err)
		return x
	}
	tangent, adjoint := tape.Tangent(), tape.Adjoint()
	zero, one := make([]float64, n), []float64{1}
	unit := func(i int) []float64 {
		e := make([]float64, n)
		e[i] = 1
		return e
	}
	x, p := x[:n], x[n:]
	ways := map[string]func(v []float64) []float64{
		"HVP":            func(v []float64) []float64 { return must(tape.HVP(nil, join(x, p), v)) },
		"weighted HVP":   func(v []float64) []float64 { return must(tape.HVP(nil, join(x, p), v, one...)) },
		"FoR by Adjoint": func(v []float64) []float64 { return must(adjoint.JVP(nil, join(x, one, p), join(v, []float64{0}))) },
		"RoR":            func(v []float64) []float64 { return must(adjoint.VJP(nil, join(x, one, p), v))[:n] },
		"RoF": func(v []float64) []float64 {
			return must(tangent.VJP(nil, join(x, v, p), []float64{0, 1}))[:n]
		},
		"FoF": func(v []float64) []float64 {
			h := make([]float64, n)
			for i := range h {
				h[i] = must(tangent.JVP(nil, join(x, v, p), join(unit(i), zero)))[1]
			}
			return h
		},
		"Adjoint of Adjoint": func(v []float64) []float64 {
			return must(adjoint.Adjoint().Values(nil, join(x, one, v, p)))[:n]
		},
		"Adjoint of Tangent": func(v []float64) []float64 {
			return must(tangent.Adjoint().Values(nil, join(x, v, []float64{0, 1}, p)))[:n]
		},
		"Tangent of Adjoint": func(v []float64) []float64 {
			return must(adjoint.Tangent().Values(nil, join(x, one, v, []float64{0}, p)))[n:]
		},
	}
	all := map[string][][]float64{}
	for name, product := range ways {
		for i := range n {
			all[name] = append(all[name], product(unit(i)))
		}
	}
	if n > 0 {
		v := mat.NewDense(n, n, nil)
		for i := range n {
			v.Set(i, i, 1)
		}
		h, err := tape.HVPs(nil, join(x, p), v)
		require.NoError(t, err)
		for i := range n {
			all["HVPs"] = append(all["HVPs"], mat.Col(nil, i, h))
		}
	}
	return all
}

// demand compares value, gradient and Hessian of a tape with what is known,
// in every way to compute them.
func demand(t *testing.T, what string, tape *reverse.Tape, x []float64, f float64, g []float64, h [][]float64) {
	t.Helper()
	equal := func(way string, got, want []float64) {
		t.Helper()
		require.Len(t, got, len(want))
		for i := range want {
			if !same(got[i], want[i]) && !(math.Abs(got[i]-want[i]) <= 1e-13*(1+math.Abs(want[i]))) {
				t.Errorf("%s: %s: %v, want %v", what, way, got, want)
				return
			}
		}
	}
	v, err := tape.Value(x)
	require.NoError(t, err)
	equal("value", []float64{v}, []float64{f})
	for way, got := range gradients(t, tape, x) {
		equal(way, got, g)
	}
	for way, got := range hessians(t, tape, x) {
		for i := range h {
			equal(way, got[i], h[i])
		}
	}
}

func zeros(n int) [][]float64 {
	h := make([][]float64, n)
	for i := range h {
		h[i] = make([]float64, n)
	}
	return h
}

func TestKnownAnswers(t *testing.T) {
	rosenbrock := func(x []reverse.Var) reverse.Var {
		return x[0].RSub(1).Square().Add(x[1].Sub(x[0].Square()).Square().Scale(100))
	}
	for _, c := range []struct {
		name string
		f    func(x []reverse.Var) reverse.Var
		x    []float64
		v    float64
		g    []float64
		h    [][]float64
	}{
		{"x + x²", func(x []reverse.Var) reverse.Var { return x[0].Add(x[0].Square()) },
			[]float64{3}, 12, []float64{7}, [][]float64{{2}}},
		{"x + x·x", func(x []reverse.Var) reverse.Var { return x[0].Add(x[0].Mul(x[0])) },
			[]float64{3}, 12, []float64{7}, [][]float64{{2}}},
		{"Rosenbrock", rosenbrock, []float64{1, 1}, 0, []float64{0, 0}, [][]float64{{802, -400}, {-400, 200}}},
		{"Rosenbrock", rosenbrock, []float64{-1, 2}, 104, []float64{396, 200}, [][]float64{{402, 400}, {400, 200}}},
		{"tanh xy", func(x []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Tanh() },
			[]float64{0, 0}, 0, []float64{0, 0}, [][]float64{{0, 1}, {1, 0}}},
		{"hypot at the origin", func(x []reverse.Var) reverse.Var { return x[0].Hypot(x[1]) },
			[]float64{0, 0}, 0, []float64{0, 0}, zeros(2)},
		{"norm at the origin", dual.Norm2[reverse.Var], make([]float64, 9), 0, make([]float64, 9), zeros(9)},
		{"norm at (3, 4)", dual.Norm2[reverse.Var], []float64{3, 4}, 5, []float64{0.6, 0.8},
			[][]float64{{0.128, -0.096}, {-0.096, 0.072}}},
		{"√x² at 0", func(x []reverse.Var) reverse.Var { return x[0].Square().Sqrt() },
			[]float64{0}, 0, []float64{0}, nil},
		{"0·√x at 0", func(x []reverse.Var) reverse.Var { return x[0].Sqrt().Scale(0) },
			[]float64{0}, 0, []float64{0}, [][]float64{{0}}},
		{"√x·0 at 0", func(x []reverse.Var) reverse.Var { return x[0].Sqrt().Mul(x[0].Const(0)) },
			[]float64{0}, 0, []float64{0}, [][]float64{{0}}},
		{"√x at 0", func(x []reverse.Var) reverse.Var { return x[0].Sqrt() },
			[]float64{0}, 0, []float64{inf}, [][]float64{{-inf}}},
		{"|x| at 0", func(x []reverse.Var) reverse.Var { return x[0].Abs() }, []float64{0}, 0, []float64{0}, [][]float64{{0}}},
		{"max at a tie", func(x []reverse.Var) reverse.Var { return x[0].Max(x[1]) },
			[]float64{2, 2}, 2, []float64{1, 0}, zeros(2)},
		{"x at its end", func(x []reverse.Var) reverse.Var { return x[1] }, []float64{2, 3}, 3, []float64{0, 1}, zeros(2)},
		{"constant", func(x []reverse.Var) reverse.Var { return dual.Const[reverse.Var](7) }, []float64{2}, 7, []float64{0}, zeros(1)},
		{"no inputs", func(x []reverse.Var) reverse.Var { return dual.Const[reverse.Var](7) }, nil, 7, []float64{}, nil},
		{"zero", func(x []reverse.Var) (s reverse.Var) { return s }, []float64{2}, 0, []float64{0}, zeros(1)},
	} {
		tape, err := reverse.Record(c.f, c.x)
		require.NoError(t, err)
		demand(t, c.name, tape, c.x, c.v, c.g, c.h)
	}
}

// The Hessian of Σ (xᵢ₊₁ − xᵢ)³ has 6dᵢ·[1 −1; −1 1] on its diagonal.
func TestCubesOfDifferences(t *testing.T) {
	for _, n := range []int{2, 3, 9, 12, 40} {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i*i%7) - 2
		}
		tape, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
			for i := range n - 1 {
				d := x[i+1].Sub(x[i])
				s = s.Add(d.Mul(d).Mul(d))
			}
			return s
		}, x)
		require.NoError(t, err)
		f, g, h := 0.0, make([]float64, n), zeros(n)
		for i := range n - 1 {
			d := x[i+1] - x[i]
			f += d * d * d
			g[i] -= 3 * d * d
			g[i+1] += 3 * d * d
			h[i][i] += 6 * d
			h[i+1][i+1] += 6 * d
			h[i][i+1] -= 6 * d
			h[i+1][i] -= 6 * d
		}
		demand(t, fmt.Sprint("cubes ", n), tape, x, f, g, h)
	}
}

// Up to 18! all products are exact in float64.
func TestProductOfTheInputs(t *testing.T) {
	for n := 1; n <= 18; n++ {
		x := make([]float64, n)
		p := 1.0
		for i := range x {
			x[i] = float64(i + 1)
			p *= x[i]
		}
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			p := x[0]
			for _, x := range x[1:] {
				p = p.Mul(x)
			}
			return p
		}, x)
		require.NoError(t, err)
		g, h := make([]float64, n), zeros(n)
		for i := range g {
			g[i] = p / x[i]
			for j := range g {
				if i != j {
					h[i][j] = p / x[i] / x[j]
				}
			}
		}
		demand(t, fmt.Sprint("product ", n), tape, x, p, g, h)
	}
}

// A multiplier 0 keeps a constraint with infinite derivatives out of a
// Lagrangian, whether it is a parameter, an input or a weight.
func TestMultiplierZeroAnnihilates(t *testing.T) {
	constraints := map[string]func(x reverse.Var) reverse.Var{
		"√x":   reverse.Var.Sqrt,
		"ln x": reverse.Var.Log, // the value is 0·∞, the derivatives are not
		"1/x":  reverse.Var.Inv,
		"√x²":  func(x reverse.Var) reverse.Var { return x.Square().Sqrt() },
		"∛x":   reverse.Var.Cbrt,
		"x^¼":  func(x reverse.Var) reverse.Var { return x.PowReal(0.25) },
		"√(3x)": func(x reverse.Var) reverse.Var {
			return x.Scale(3).Sqrt()
		},
	}
	for name, c := range constraints {
		for _, n := range []int{1, 3, 9, 40} {
			x := make([]float64, n)
			lagrangian := func(x, p []reverse.Var) []reverse.Var {
				var s reverse.Var
				for i := range x {
					s = s.Add(x[i].AddReal(2).Square())
					s = s.Add(c(x[i]).Prod(p[i]))
				}
				return []reverse.Var{s}
			}
			tape, err := reverse.RecordParamsVec(lagrangian, x, x)
			require.NoError(t, err)
			f, g, h := 4*float64(n), make([]float64, n), zeros(n)
			for i := range g {
				g[i], h[i][i] = 4, 2
			}
			demand(t, fmt.Sprintf("%s × %d", name, n), tape, x, f, g, h)
			demand(t, fmt.Sprintf("%s × %d", name, n), tape, make([]float64, 2*n), f, g, h)

			outputs, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
				y := make([]reverse.Var, 2*n)
				for i := range x {
					y[i], y[n+i] = x[i].AddReal(2).Square(), c(x[i])
				}
				return y
			}, x)
			require.NoError(t, err)
			w := append(ones(n), make([]float64, n)...)
			got, err := outputs.VJP(nil, x, w)
			require.NoError(t, err)
			require.Equal(t, g, got, name)
			v := ones(n)
			hv, err := outputs.HVP(nil, x, v, w...)
			require.NoError(t, err)
			for i := range hv {
				require.Equal(t, 2.0, hv[i], name)
			}
		}
	}
}

// The partial of √ is infinite, that of x·y is 0: the adjoint between is 0 by
// a derivative product and must not be NaN when the Hessian uses it.
func TestHiddenInfinities(t *testing.T) {
	for _, n := range []int{1, 8, 30} {
		tape, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
			y := x[0].Mul(x[1])
			var s reverse.Var
			for k, p := range p {
				s = s.Add(y.Scale(float64(k + 2)).Sqrt().Mul(p))
			}
			return []reverse.Var{s}
		}, []float64{0, 0}, make([]float64, n))
		require.NoError(t, err)
		demand(t, fmt.Sprint("hidden ", n), tape, []float64{0, 0}, 0, []float64{0, 0}, zeros(2))
	}
}

// Third derivatives, by the transforms of transforms: x⁴ and e^(xy).
func TestThirdDerivatives(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].PowInt(4) }, []float64{2})
	require.NoError(t, err)
	y, err := tape.Tangent().Tangent().Tangent().Values(nil, []float64{2, 1, 1, 0, 1, 0, 0, 0})
	require.NoError(t, err)
	require.Equal(t, []float64{16, 32, 32, 48, 32, 48, 48, 48}, y)

	// ∂³/∂x²∂y e^(xy) = (2y + xy²)·e^(xy).
	tape, err = reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Exp() }, []float64{0.5, 2})
	require.NoError(t, err)
	want := (2*2 + 0.5*4) * math.E
	h, err := tape.Tangent().HVP(nil, []float64{0.5, 2, 1, 0}, []float64{1, 0, 0, 0}, []float64{0, 1}...)
	require.NoError(t, err)
	require.InEpsilon(t, want, h[1], 1e-14)
	h, err = tape.Adjoint().HVP(nil, []float64{0.5, 2, 1}, []float64{1, 0, 0}, []float64{0, 1}...)
	require.NoError(t, err)
	require.InEpsilon(t, want, h[0], 1e-14)
}

func TestOutputsOfAnyKind(t *testing.T) {
	x, p := []float64{2, 3}, []float64{5}
	tape, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		xy := x[0].Mul(x[1])
		return []reverse.Var{x[1], dual.Const[reverse.Var](7), p[0], xy, xy, {}, x[1], xy.Mul(p[0])}
	}, x, p)
	require.NoError(t, err)
	want := mat.NewDense(8, 2, []float64{0, 1, 0, 0, 0, 0, 3, 2, 3, 2, 0, 0, 0, 1, 15, 10})
	for _, at := range [][]float64{x, join(x, p)} {
		y, err := tape.Values(nil, at)
		require.NoError(t, err)
		require.Equal(t, []float64{3, 7, 5, 6, 6, 0, 3, 30}, y)
		jac, err := tape.Jacobian(nil, at)
		require.NoError(t, err)
		require.True(t, mat.Equal(want, jac))
		w := []float64{1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7}
		g, err := tape.VJP(nil, at, w)
		require.NoError(t, err)
		require.Equal(t, []float64{33e3 + 15e7, 22e3 + 1e6 + 1 + 10e7}, g)
		g, err = tape.Adjoint().Values(nil, join(at[:2], w, at[2:]))
		require.NoError(t, err)
		require.Equal(t, []float64{33e3 + 15e7, 22e3 + 1e6 + 1 + 10e7}, g)
		h, err := tape.HVP(nil, at, []float64{1, 10}, w...)
		require.NoError(t, err)
		require.Equal(t, []float64{10 * (11e3 + 5e7), 11e3 + 5e7}, h)
		jvp, err := tape.Tangent().Values(nil, join(at[:2], []float64{1, 10}, at[2:]))
		require.NoError(t, err)
		require.Equal(t, []float64{3, 7, 5, 6, 6, 0, 3, 30, 10, 0, 0, 23, 23, 0, 10, 115}, jvp)
	}
	y, err := tape.Values(nil, []float64{2, 3, -1})
	require.NoError(t, err)
	require.Equal(t, []float64{3, 7, -1, 6, 6, 0, 3, -6}, y)
}

func TestFunctionOfNothing(t *testing.T) {
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return []reverse.Var{{}, dual.Const[reverse.Var](2)} }, nil)
	require.NoError(t, err)
	y, err := tape.Values(nil, nil)
	require.NoError(t, err)
	require.Equal(t, []float64{0, 2}, y)
	g, err := tape.VJP(nil, nil, []float64{1, 1})
	require.NoError(t, err)
	require.Empty(t, g)
	d, err := tape.JVP(nil, nil, nil)
	require.NoError(t, err)
	require.Equal(t, []float64{0, 0}, d)
	h, err := tape.HVP(nil, nil, nil, []float64{1, 1}...)
	require.NoError(t, err)
	require.Empty(t, h)
	jac, err := tape.Jacobian(nil, nil)
	require.NoError(t, err)
	require.True(t, jac.IsEmpty())
	scalar, err := reverse.Record(func(x []reverse.Var) reverse.Var { return dual.Const[reverse.Var](2) }, nil)
	require.NoError(t, err)
	hs, err := scalar.HVPs(nil, nil, new(mat.Dense))
	require.NoError(t, err)
	require.True(t, hs.IsEmpty())
}

// sums are Σ, with and without products and a constant, by the operation and by
// loops, and what depends on the sign of a zero.
func sums[T dual.Scalar[T]](x []T) []T {
	var zero, loop T
	c := ones(len(x))
	constant := make([]T, len(x))
	for i, x := range x {
		loop = loop.Add(x)
		constant[i] = x.Const(c[i])
	}
	y := []T{
		dual.Sum(x), dual.Dot(x, x), dual.Dot(x, append([]T{x[0].Const(1)}, x[1:]...)), loop,
		dual.Dot(constant, x), dual.Dot(x, constant),
		dual.Affine(0, c, x), dual.Affine(minus0, c, x), dual.Affine(3, c, x), x[0].AddReal(0), x[0].RSub(0), zero.Add(x[0]),
	}
	for _, s := range y {
		y = append(y, s.Inv())
	}
	return y
}

// A negative zero is one in every mode, on the tape and on its transforms.
func TestSumsOfZerosHaveTheSameSign(t *testing.T) {
	for n := 1; n < 12; n++ {
		for _, positive := range []int{-1, 0, n - 1} {
			x := make([]float64, n)
			real, number, hyper := make([]dual.Real, n), make([]dual.Number, n), make([]dual.Hyper, n)
			for i := range x {
				if i != positive {
					x[i] = minus0
				}
				real[i], number[i].V, hyper[i].V = dual.Real(x[i]), x[i], x[i]
			}
			tape, err := reverse.RecordVec(sums[reverse.Var], x)
			require.NoError(t, err)
			got, err := tape.Values(nil, x)
			require.NoError(t, err)
			tangent, err := tape.Tangent().Values(nil, join(x, x))
			require.NoError(t, err)
			numbers, hypers := sums(number), sums(hyper)
			for k, want := range sums(real) {
				bits := math.Float64bits(float64(want))
				for mode, v := range map[string]float64{"tape": got[k], "Tangent": tangent[k], "Number": numbers[k].V, "Hyper": hypers[k].V} {
					require.Equal(t, bits, math.Float64bits(v), "sum %d of %d, %s: %v, want %v", k, n, mode, v, want)
				}
			}
		}
	}
}

// Dot with constants, data of a model, is Affine: no operation holds them.
func TestDotWithConstantsIsAffine(t *testing.T) {
	c := []float64{2, 0, -3, math.Inf(1), 0.5}
	constant := make([]reverse.Var, len(c))
	for i := range c {
		constant[i] = dual.Const[reverse.Var](c[i])
	}
	x := []float64{1, 2, 3, 4, 5}
	exp := func(x []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, len(x))
		for i := range y {
			y[i] = x[i].Exp()
		}
		return y
	}
	affine, err := reverse.Record(func(x []reverse.Var) reverse.Var { return dual.Affine(0, c, exp(x)) }, x)
	require.NoError(t, err)
	for _, f := range []func(x []reverse.Var) reverse.Var{
		func(x []reverse.Var) reverse.Var { return dual.Dot(constant, exp(x)) },
		func(x []reverse.Var) reverse.Var { return dual.Dot(exp(x), constant) },
	} {
		dot, err := reverse.Record(f, x)
		require.NoError(t, err)
		require.Equal(t, affine.Ops(), dot.Ops())
		for _, at := range [][]float64{x, {1, 800, 1, 1, 1}, {1, 1, 1, -800, 1}, {-800, 1, 800, 1, 800}} {
			for how, eval := range map[string]func(*reverse.Tape) ([]float64, error){
				"value":    func(t *reverse.Tape) ([]float64, error) { return t.Values(nil, at) },
				"gradient": func(t *reverse.Tape) ([]float64, error) { return t.Gradient(nil, at) },
				"product":  func(t *reverse.Tape) ([]float64, error) { return t.HVP(nil, at, []float64{1, 1, 0, 1, 1}) },
			} {
				want, err := eval(affine)
				require.NoError(t, err)
				got, err := eval(dot)
				require.NoError(t, err)
				for i := range want {
					require.Equal(t, math.Float64bits(want[i]), math.Float64bits(got[i]), "%s %d at %v", how, i, at)
				}
			}
		}
	}
}

// A function that is called twice, as a network on dual numbers is for each
// direction, is on the tape once, its long sums too; sums that differ in one
// operand or number are two.
func TestEqualSumsAreOneOperation(t *testing.T) {
	x, c := make([]float64, 21), make([]float64, 21)
	for i := range x {
		x[i], c[i] = math.Sin(float64(i)), math.Cos(float64(i))
	}
	for _, n := range []int{2, 3, 8, 20} {
		sums := func(x []reverse.Var) []reverse.Var {
			y := x[:n]
			return []reverse.Var{dual.Sum(y), dual.Affine(2, c[:n], y), dual.Dot(y, x[1:n+1]), x[0].Select(x[n], x[1])}
		}
		others := func(x []reverse.Var) []reverse.Var {
			y := x[:n]
			return []reverse.Var{dual.Sum(x[1 : n+1]), dual.Affine(3, c[:n], y), dual.Affine(2, c[1:n+1], y),
				dual.Affine(2, c[:n], x[1:n+1]), dual.Dot(y, y), x[0].Select(x[1], x[n])}
		}
		record := func(f ...func(x []reverse.Var) []reverse.Var) *reverse.Tape {
			tape, err := reverse.RecordVec(func(x []reverse.Var) (y []reverse.Var) {
				for _, f := range f {
					y = append(y, f(x)...)
				}
				return y
			}, x)
			require.NoError(t, err)
			return tape
		}
		once := record(sums)
		require.Equal(t, once.Ops(), record(sums, sums).Ops())
		both := record(sums, others, sums)
		require.GreaterOrEqual(t, both.Ops(), once.Ops()+6)
		got, err := both.Values(nil, x)
		require.NoError(t, err)
		want, err := once.Values(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, got[:4])
		want, err = record(others).Values(nil, x)
		require.NoError(t, err)
		require.Equal(t, want, got[4:10])
	}
}

// A direction has the bits that it has alone, also beside one that is infinite, which is swept
// with derivative products.
func TestDirectionsDoNotChangeEachOther(t *testing.T) {
	const n = 400
	x, v := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], v[i] = math.Sin(float64(i)), math.Cos(float64(3*i))
	}
	for name, f := range map[string]func(x []reverse.Var) reverse.Var{
		"operations": func(x []reverse.Var) (s reverse.Var) {
			for i := range n {
				a, b, c := x[i], x[(i*7+1)%n], x[(i+5)%n]
				s = s.Add(a.Mul(b).Cos().Mul(c)).Add(a.Square().Add(b.Square()).AddReal(1).Sqrt())
			}
			return s
		},
		"loop": func(x []reverse.Var) reverse.Var {
			l := dual.Loop[reverse.Var]{Start: x[:2], Step: func(s, _, u, _ []reverse.Var) (next, out []reverse.Var) {
				a := s[0].Mul(u[0]).Sin().Add(s[1])
				return []reverse.Var{a, s[0].Sub(u[0].Square()).Scale(0.5)}, []reverse.Var{a.Mul(s[1]).Add(u[0].Exp())}
			}}
			for i := range n - 2 {
				l.Vars = append(l.Vars, x[i+2:i+3])
			}
			_, sum := dual.Scan(l)
			return sum[0].Mul(x[7])
		},
		"primitive": func(x []reverse.Var) (s reverse.Var) {
			for i := range n - 3 {
				s = s.Add(reverse.Apply(randprog.XYY{}, x[i], x[i+3])[0].Mul(x[(i*7)%n]))
			}
			return s
		},
	} {
		tape, err := reverse.Record(f, x)
		require.NoError(t, err)
		one, err := tape.HVP(nil, x, v)
		require.NoError(t, err)
		for _, bad := range []float64{1, math.Inf(1), math.NaN()} {
			several := mat.NewDense(n, 3, nil)
			for i := range n {
				several.Set(i, 0, v[i])
				several.Set(i, 2, v[n-1-i])
			}
			several.Set(0, 1, bad)
			h, err := tape.HVPs(nil, x, several)
			require.NoError(t, err)
			require.Equal(t, one, mat.Col(nil, 0, h), "%s, %v", name, bad)
		}
	}
}
