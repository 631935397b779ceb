package reverse_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/reverse"
)

// polynomialsAgree compares the polynomials of a function of Vars with those of numbers, and
// gradients along the curve with dual numbers whose parts are such.
func polynomialsAgree(t *testing.T, tape *reverse.Tape, f func(x []dual.Taylor) []dual.Taylor, g func(x []dual.Of[dual.Taylor]) []dual.Of[dual.Taylor], x [][]float64, order int) {
	t.Helper()
	n, m := tape.Inputs(), tape.Outputs()
	y, err := tape.Taylor(nil, x, order)
	require.NoError(t, err)
	w := [][]float64{make([]float64, m), make([]float64, m)}[:min(order+1, 2)]
	for j := range w[0] {
		w[0][j], w[len(w)-1][j] = 1+float64(j), 0.5
	}
	grad, err := tape.TaylorVJP(nil, x, w, order)
	require.NoError(t, err)
	memory := dual.NewTaylors(order)
	numbers, duals := make([]dual.Taylor, n), make([]dual.Of[dual.Taylor], n)
	for i := range n {
		var c []float64
		for _, x := range x {
			c = append(c, x[i])
		}
		numbers[i] = memory.Variable(c...)
		duals[i].V = numbers[i]
	}
	near := func(want, got float64, what ...any) {
		t.Helper()
		require.InDelta(t, want, got, 1e-10*(1+math.Abs(want)), what...)
	}
	for j, y1 := range f(numbers) {
		for k := range order + 1 {
			near(y1.Coefficient(k), y[k][j], "coefficient %d of output %d", k, j)
		}
	}
	for i := range n {
		duals[i].D = dual.Const[dual.Taylor](1)
		sum := dual.Taylor{}
		for j, z := range g(duals) {
			var c []float64
			for _, w := range w {
				c = append(c, w[j])
			}
			sum = sum.Add(z.D.Mul(memory.Variable(c...)))
		}
		duals[i].D = dual.Taylor{}
		for k := range order + 1 {
			near(sum.Coefficient(k), grad[k][i], "coefficient %d of gradient %d", k, i)
		}
	}
}

// loops has a loop with outputs, one that ends by itself and branches, and one in its step.
func loops[T dual.Scalar[T]](x []T, checkpoints int) []T {
	var vars [][]T
	data := make([][]float64, 30)
	for k := range data {
		vars = append(vars, x[k%2:k%2+1])
		data[k] = []float64{math.Sin(float64(k))}
	}
	s, out := dual.ScanAt(dual.Loop[T]{
		Start: x[:2], Shared: x[2:3], Vars: vars, Data: data, Checkpoints: checkpoints,
		Step: func(s, w, u, p []T) (next, out []T) {
			a := s[0].Add(s[1].Sin().Mul(w[0])).Scale(0.9).Add(p[0])
			return []T{a, s[0].Mul(u[0]).Scale(0.3)}, []T{a.Square()}
		},
	}, []int{3, 29, 7})
	last, sum := dual.Scan(dual.Loop[T]{
		Start: x[2:3], Shared: x[:1], Checkpoints: checkpoints,
		While: func(s, w []T) bool { return s[0].LessReal(20) },
		Step: func(s, w, _, _ []T) (next, out []T) {
			inner, _ := dual.Scan(dual.Loop[T]{
				Start: s, Data: make([][]float64, 3),
				Step: func(s, _, _, _ []T) (next, out []T) { return []T{s[0].Add(s[0].Cos().Scale(0.1))}, nil },
			})
			if inner[0].LessReal(7) {
				return []T{inner[0].Add(w[0])}, []T{inner[0]}
			}
			return []T{inner[0].Mul(w[0].Exp())}, []T{s[0].Sqrt()}
		},
	})
	return []T{s[0], s[1], out[0][0], out[1][0], out[2][0], last[0], sum[0]}
}

func TestTaylorThroughLoops(t *testing.T) {
	x := [][]float64{{0.4, 0.7, 1.1}, {1, -0.5, 0.3}, {0, 0.2, 0}}
	for _, checkpoints := range []int{0, 3} {
		tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return loops(x, checkpoints) }, []float64{0.5, 0.6, 2})
		require.NoError(t, err)
		for _, order := range []int{0, 1, 2, 6} {
			polynomialsAgree(t, tape,
				func(x []dual.Taylor) []dual.Taylor { return loops(x, 0) },
				func(x []dual.Of[dual.Taylor]) []dual.Of[dual.Taylor] { return loops(x, 0) }, x[:min(order+1, len(x))], order)
		}
	}
}

// termOf is a term with a parameter, of which some variables coincide.
func termOf[T dual.Scalar[T]](x []T, p T) T {
	return x[0].Mul(p).Exp().Mul(x[1].Sin()).Add(x[1].Mul(x[2]))
}

func TestTaylorThroughRepeat(t *testing.T) {
	const n, count = 9, 700
	var index [3][]int
	var p []float64
	for k := range count {
		index[0], index[1] = append(index[0], k%n), append(index[1], (3*k+1)%n)
		p = append(p, 1+math.Cos(float64(k))/2)
	}
	index[2] = []int{4}
	at := func(k int) []int { return []int{index[0][k], index[1][k], 4} }
	sum := func(x []reverse.Var) []reverse.Var {
		y := reverse.RepeatVec(func(x, p []reverse.Var) []reverse.Var { return []reverse.Var{termOf(x, p[0])} },
			x, index[:], [][]float64{p}, n, [][]int{index[0]})
		return append(y, y[2].Tanh())
	}
	tape, err := reverse.RecordVec(sum, make([]float64, n))
	require.NoError(t, err)
	x := [][]float64{make([]float64, n), make([]float64, n)}
	for i := range n {
		x[0][i], x[1][i] = 0.1+float64(i)/20, math.Sin(float64(i))/3
	}
	polynomialsAgree(t, tape, func(x []dual.Taylor) []dual.Taylor { return summed(x, at, p) },
		func(x []dual.Of[dual.Taylor]) []dual.Of[dual.Taylor] { return summed(x, at, p) }, x, 5)
}

func summed[T dual.Scalar[T]](x []T, at func(k int) []int, p []float64) []T {
	y := make([]T, len(x))
	for k, p := range p {
		i := at(k)
		y[i[0]] = y[i[0]].Add(termOf([]T{x[i[0]], x[i[1]], x[i[2]]}, x[0].Const(p)))
	}
	return append(y, y[2].Tanh())
}

// matrices has a solution, a determinant, an exponential and eigenvalues of A(x) = I + …
func matrices[T dual.Scalar[T]](x []T) []T {
	const n = 3
	a, b := matrix.New[T](n, n, nil), matrix.New[T](n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := x[(i+j)%len(x)].Scale(1 + float64(i*j)).Sin()
			if i == j {
				v = v.AddReal(4 + float64(i))
			}
			a.Set(i, j, v)
			a.Set(j, i, v)
			b.Set(i, j, v.Scale(0.1))
			b.Set(j, i, v.Square().Scale(0.1))
		}
	}
	y := matrix.SolveVec(nil, b, x[:n])
	y = append(y, matrix.SolveSPDVec(nil, a, x[:n])...)
	y = append(y, matrix.LogDetSPD(a), matrix.LogDet(b), matrix.QuadForm(a, x[:n]))
	y = append(y, matrix.Expm(nil, b).At(0, 2))
	return append(y, matrix.EigenvaluesSym(a)...)
}

func TestTaylorThroughMatrixFunctions(t *testing.T) {
	x := [][]float64{{0.4, 0.7, 1.1, 0.2}, {1, -0.5, 0.3, 0.1}}
	tape, err := reverse.RecordVec(matrices[reverse.Var], x[0])
	require.NoError(t, err)
	polynomialsAgree(t, tape, matrices[dual.Taylor], matrices[dual.Of[dual.Taylor]], x, 4)
}

// sinusoid is sin as a primitive of scalars, product as one of vectors.
var sinusoid = reverse.NewPrimitive("sinusoid", math.Sin, math.Cos, func(x float64) float64 { return -math.Sin(x) })

type product struct{}

func (product) Dims() (n, m int)                { return 2, 1 }
func (product) Name() string                    { return "product" }
func (product) Eval(y, x []float64) error       { y[0] = x[0] * x[1]; return nil }
func (product) JVP(dy, x, dx []float64) error   { dy[0] = x[0]*dx[1] + dx[0]*x[1]; return nil }
func (product) VJP(gx, x, w []float64) error    { gx[0], gx[1] = x[1]*w[0], x[0]*w[0]; return nil }
func (product) HVP(h, x, dx, w []float64) error { h[0], h[1] = dx[1]*w[0], dx[0]*w[0]; return nil }
func (product) Jacobian(int) []int              { return nil }
func (product) Hessian(int) []int               { return nil }

// productSeries has polynomials of any order.
type productSeries struct{ product }

func (productSeries) Taylor(y, x [][]float64) error {
	for k := range y {
		y[k][0] = 0
		for j := range k + 1 {
			y[k][0] += x[j][0] * x[k-j][1]
		}
	}
	return nil
}

func (productSeries) TaylorVJP(gx, x, w [][]float64) error {
	for k := range gx {
		clear(gx[k])
		for j := range k + 1 {
			gx[k][0] += x[j][1] * w[k-j][0]
			gx[k][1] += x[j][0] * w[k-j][0]
		}
	}
	return nil
}

func TestTaylorThroughPrimitives(t *testing.T) {
	series := sinusoid.WithSeries(func(c []float64, x float64) {
		f := 1.0
		for k := range c {
			c[k] = math.Sin(x+float64(k)*math.Pi/2) / f
			f *= float64(k + 1)
		}
	})
	of := func(p *reverse.Primitive, f reverse.VecPrimitive) *reverse.Tape {
		tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
			return append(reverse.Apply(f, x[0], p.Apply(x[1])), p.Apply(x[0].Exp()))
		}, []float64{1, 2})
		require.NoError(t, err)
		return tape
	}
	x := [][]float64{{0.3, 0.8}, {1, 0.7}}
	numbers := func(x []dual.Taylor) []dual.Taylor { return []dual.Taylor{x[0].Mul(x[1].Sin()), x[0].Exp().Sin()} }
	duals := func(x []dual.Of[dual.Taylor]) []dual.Of[dual.Taylor] {
		return []dual.Of[dual.Taylor]{x[0].Mul(x[1].Sin()), x[0].Exp().Sin()}
	}
	polynomialsAgree(t, of(series, productSeries{}), numbers, duals, x, 7)
	polynomialsAgree(t, of(sinusoid, product{}), numbers, duals, x, 1)

	for name, tape := range map[string]*reverse.Tape{"sinusoid": of(sinusoid, productSeries{}), "product": of(series, product{})} {
		y, err := tape.Taylor(nil, x, 2)
		require.NoError(t, err)
		memory := dual.NewTaylors(2)
		for j, z := range numbers([]dual.Taylor{memory.Variable(0.3, 1), memory.Variable(0.8, 0.7)}) {
			require.InDelta(t, z.Coefficient(2), y[2][j], 1e-14)
		}
		dst := [][]float64{nil, nil, nil, nil}
		var missing *reverse.SeriesError
		z, err := tape.Taylor(dst, x, 3)
		require.ErrorAs(t, err, &missing)
		require.Equal(t, reverse.SeriesError{Name: name, Order: 3}, *missing)
		require.Nil(t, z[0])
		_, err = tape.TaylorVJP(nil, x, [][]float64{{1, 1}}, 2)
		require.ErrorAs(t, err, &missing)
		require.Contains(t, err.Error(), name)
	}
	// sin′ sin x, of the tangent of a tape.
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return series.Apply(x[0]) }, []float64{1})
	require.NoError(t, err)
	y, err := tape.Tangent().Taylor(nil, [][]float64{{0.3, 1}, {1, 0}}, 5)
	require.NoError(t, err)
	memory := dual.NewTaylors(5)
	want := memory.Variable(0.3, 1).Cos()
	for k := range y {
		require.InDelta(t, want.Coefficient(k), y[k][1], 1e-15)
	}
}
