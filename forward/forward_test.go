package forward_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
	"github.com/hesse-ad/hesse/sparsity"
)

func TestDerivativesOfClosedForms(t *testing.T) {
	for _, c := range []struct {
		name      string
		f         func(dual.Number) dual.Number
		h         func(dual.Hyper) dual.Hyper
		x         float64
		y, d1, d2 float64
	}{
		{"x³", cube[dual.Number], cube[dual.Hyper], -1.5, -3.375, 6.75, -9},
		{"x + x²", chained[dual.Number], chained[dual.Hyper], 3, 12, 7, 2},
		{"7", seven[dual.Number], seven[dual.Hyper], 3, 7, 0, 0},
		{"eˢⁱⁿ", expSin[dual.Number], expSin[dual.Hyper], 0.7, math.Exp(math.Sin(0.7)),
			math.Cos(0.7) * math.Exp(math.Sin(0.7)),
			(math.Pow(math.Cos(0.7), 2) - math.Sin(0.7)) * math.Exp(math.Sin(0.7))},
		{"√x at 0", root[dual.Number], root[dual.Hyper], 0, 0, math.Inf(1), math.Inf(-1)},
	} {
		y, dy := forward.Derivative(c.f, c.x)
		same(t, c.y, y, c.name)
		same(t, c.d1, dy, c.name)
		y, dy, d2y := forward.SecondDerivative(c.h, c.x)
		same(t, c.y, y, c.name)
		same(t, c.d1, dy, c.name)
		same(t, c.d2, d2y, c.name)
	}
}

// same asserts equality to 8 units in the last place: the closed forms above
// have fewer roundings than that.
func same(t *testing.T, want, got float64, what string) {
	t.Helper()
	if math.IsInf(want, 0) {
		assert.Equal(t, want, got, what)
		return
	}
	assert.InDelta(t, want, got, 8*0x1p-52*math.Abs(want), what)
}

func chained[T dual.Scalar[T]](x T) T { return x.Add(x.Square()) }
func seven[T dual.Scalar[T]](x T) T   { return x.Const(7) }
func expSin[T dual.Scalar[T]](x T) T  { return x.Sin().Exp() }
func root[T dual.Scalar[T]](x T) T    { return x.Sqrt() }

func TestRosenbrockAtItsMinimum(t *testing.T) {
	one := []float64{1, 1}
	assert.Equal(t, []float64{0, 0}, forward.Gradient(nil, rosenbrock, one))

	// Directional derivatives of second order along e₀, e₁ and e₀+e₁ give the
	// Hessian [802 −400; −400 200].
	along := func(v0, v1 float64) float64 {
		_, _, d2 := forward.SecondDerivative(func(t dual.Hyper) dual.Hyper {
			return rosenbrock([]dual.Hyper{t.Scale(v0).AddReal(1), t.Scale(v1).AddReal(1)})
		}, 0)
		return d2
	}
	assert.Equal(t, 802.0, along(1, 0))
	assert.Equal(t, 200.0, along(0, 1))
	assert.Equal(t, 802.0-2*400+200, along(1, 1))
}

// The gradient of a product has in each component the product of all others.
func TestGradientOfAProduct(t *testing.T) {
	x := []float64{2, 3, 5, 7}
	assert.Equal(t, []float64{105, 70, 42, 30}, forward.Gradient(nil, product, x))
	x[2] = 0
	assert.Equal(t, []float64{0, 0, 42, 0}, forward.Gradient(nil, product, x))
}

func product[T dual.Scalar[T]](x []T) T {
	p := x[0].Const(1)
	for _, x := range x {
		p = p.Mul(x)
	}
	return p
}

func TestEveryShapeOfJacobian(t *testing.T) {
	for _, m := range []int{1, 2, 5, 11} {
		for _, n := range []int{1, 2, 5, 11} {
			// fᵢ = (i+1)·Σ (j+1)xⱼ²
			f := func(x []dual.Number3) []dual.Number3 {
				y := make([]dual.Number3, m)
				for i := range y {
					for j := range x {
						y[i] = y[i].Add(x[j].Square().Scale(float64((i + 1) * (j + 1))))
					}
				}
				return y
			}
			x := make([]float64, n)
			want := mat.NewDense(m, n, nil)
			for j := range x {
				x[j] = float64(j) - 1.5
				for i := range m {
					want.Set(i, j, 2*float64((i+1)*(j+1))*x[j])
				}
			}
			assert.True(t, mat.Equal(want, forward.Jacobian(nil, f, x)), "%d×%d", m, n)
		}
	}
}

func identity[T any](x []T) []T { return x }

func TestJacobianOfTheIdentity(t *testing.T) {
	// The result is the argument itself.
	x := []float64{1, 2, 3}
	want := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	assert.True(t, mat.Equal(want, forward.Jacobian(nil, identity, x)))
	assert.Equal(t, []float64{4, 5, 6}, forward.JVP(nil, identity, x, []float64{4, 5, 6}))
}

func TestEmptyArgument(t *testing.T) {
	assert.Empty(t, forward.Gradient(nil, rosenbrock, nil))
	y, dy := forward.Directional(func([]dual.Number) dual.Number { return dual.Number{V: 3} }, nil, nil)
	assert.Equal(t, 3.0, y)
	assert.Zero(t, dy)
}

func TestResultsGoIntoDst(t *testing.T) {
	x, v := []float64{2, 0}, []float64{1, 1}
	g := []float64{math.NaN(), math.NaN()}
	assert.Same(t, &g[0], &forward.Gradient(g, rosenbrock, x)[0])
	assert.Equal(t, forward.Gradient(nil, rosenbrock, x), g)

	d := []float64{math.NaN(), math.NaN()}
	assert.Same(t, &d[0], &forward.JVP(d, polar, x, v)[0])
	assert.Equal(t, []float64{1, 2}, d)

	// An empty matrix, which takes the shape.
	var empty mat.Dense
	assert.Same(t, &empty, forward.Jacobian(&empty, polar, x))
	assert.True(t, mat.Equal(forward.Jacobian(nil, polar, x), &empty))

	// A view into a larger matrix, whose other entries stay.
	big := mat.NewDense(4, 4, nil)
	for i := range 16 {
		big.Set(i/4, i%4, -1)
	}
	view := big.Slice(1, 3, 1, 3).(*mat.Dense)
	assert.Same(t, view, forward.Jacobian(view, polar, x))
	want := mat.NewDense(4, 4, []float64{-1, -1, -1, -1, -1, 1, 0, -1, -1, 0, 2, -1, -1, -1, -1, -1})
	assert.True(t, mat.Equal(want, big))
	assert.Same(t, view, forward.Compressed(view, polar, x, [][]int{{1}, {0}}))
	assert.True(t, mat.Equal(mat.NewDense(2, 2, []float64{0, 1, 2, 0}), view))
}

func TestDstMayOverlapTheArguments(t *testing.T) {
	x, v := []float64{2, 0.5, -1}, []float64{1, 1, 3}
	want := forward.Gradient(nil, rosenbrock, x)
	buf := append([]float64{0}, x...)
	assert.Equal(t, want, forward.Gradient(buf[:3], rosenbrock, buf[1:]), "dst before x")
	buf = append(append([]float64{}, x...), 0)
	assert.Equal(t, want, forward.Gradient(buf[1:], rosenbrock, buf[:3]), "dst after x")

	want = forward.JVP(nil, differences, x, v)
	a := append([]float64{}, x...)
	assert.Equal(t, want, forward.JVP(a[:2], differences, a, v), "dst is x")
	a = append([]float64{}, v...)
	assert.Equal(t, want, forward.JVP(a[1:], differences, x, a), "dst is v")

	j := forward.Jacobian(nil, differences, x)
	data := append([]float64{}, 0, 2, 0.5, -1, 0, 0)
	assert.True(t, mat.Equal(j, forward.Jacobian(mat.NewDense(2, 3, data), differences, data[1:4])))
}

func TestFunctionMayOverwriteItsArgument(t *testing.T) {
	spoil := func(x []dual.Number3) {
		nan := dual.Number3{V: math.NaN(), D0: math.NaN(), D1: math.NaN(), D2: math.NaN()}
		for i := range x {
			x[i] = nan
		}
		_ = append(x, nan)
	}
	x := []float64{2, 0.5, -1}
	assert.Equal(t, forward.Gradient(nil, rosenbrock, x), forward.Gradient(nil, func(x []dual.Number3) dual.Number3 {
		defer spoil(x)
		return rosenbrock(x)
	}, x))
	assert.True(t, mat.Equal(forward.Jacobian(nil, differences, x), forward.Jacobian(nil, func(x []dual.Number3) []dual.Number3 {
		defer spoil(x)
		return differences(x)
	}, x)))
	assert.Equal(t, []float64{2, 0.5, -1}, x)
}

func TestNonFiniteValuesFlow(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	y, dy := forward.Derivative(cube, nan)
	assert.True(t, math.IsNaN(y))
	assert.True(t, math.IsNaN(dy))
	y, dy = forward.Derivative(cube, inf)
	assert.Equal(t, inf, y)
	assert.Equal(t, inf, dy)
	_, dy, d2y := forward.SecondDerivative(root, -1)
	assert.True(t, math.IsNaN(dy))
	assert.True(t, math.IsNaN(d2y))

	// Only components that meet the NaN have it.
	j := forward.Jacobian(nil, differences, []float64{1, nan, 3, 4})
	assert.Equal(t, -2.0, j.At(0, 0))
	assert.True(t, math.IsNaN(j.At(1, 1)))
	assert.Equal(t, []float64{0, 0, -6, 1}, j.RawRowView(2))
	b := forward.Compressed(nil, differences, []float64{1, nan, 3, 4}, [][]int{{0, 2}, {1, 3}})
	assert.Equal(t, []float64{-6, 1}, b.RawRowView(2))
	for _, g := range forward.Gradient(nil, rosenbrock, []float64{nan, nan}) {
		assert.True(t, math.IsNaN(g))
	}
}

func nothing[T any]([]T) []T { return nil }

func TestMisusePanics(t *testing.T) {
	calls := 0
	changing := func(x []dual.Number3) []dual.Number3 { calls++; return make([]dual.Number3, calls) }
	x := []float64{1, 2}
	groups := [][]int{{0}, {1}}
	for _, c := range []struct {
		want string
		call func()
	}{
		{"forward: f is nil", func() { forward.Derivative(nil, 1) }},
		{"forward: f is nil", func() { forward.SecondDerivative(nil, 1) }},
		{"forward: f is nil", func() { forward.Directional(nil, x, x) }},
		{"forward: f is nil", func() { forward.Gradient(nil, nil, x) }},
		{"forward: f is nil", func() { forward.JVP(nil, nil, x, x) }},
		{"forward: f is nil", func() { forward.Jacobian(nil, nil, x) }},
		{"forward: f is nil", func() { forward.Compressed(nil, nil, x, groups) }},
		{"forward: len(v) is not len(x)", func() { forward.Directional(rosenbrock, x, x[:1]) }},
		{"forward: len(v) is not len(x)", func() { forward.JVP(nil, polar, x, make([]float64, 3)) }},
		{"forward: len(dst) is not len(x)", func() { forward.Gradient(x[:1], rosenbrock, x) }},
		{"forward: len(dst) is not len(x)", func() { forward.Gradient(make([]float64, 3), rosenbrock, x) }},
		{"forward: len(dst) is not the number of outputs", func() { forward.JVP(x[:1], polar, x, x) }},
		{"forward: f has no outputs", func() { forward.JVP(nil, nothing, x, x) }},
		{"forward: f has no outputs", func() { forward.Jacobian(nil, nothing, x) }},
		{"forward: f has no outputs", func() { forward.Compressed(nil, nothing, x, groups) }},
		{"forward: x is empty", func() { forward.Jacobian(nil, polar, nil) }},
		{"forward: rows of dst are not the number of outputs", func() { forward.Jacobian(mat.NewDense(3, 2, nil), polar, x) }},
		{"forward: columns of dst are not those of the result", func() { forward.Jacobian(mat.NewDense(2, 3, nil), polar, x) }},
		{"forward: columns of dst are not those of the result", func() { forward.Compressed(mat.NewDense(2, 1, nil), polar, x, groups) }},
		{"forward: the number of outputs changed between evaluations", func() { forward.Jacobian(nil, changing, make([]float64, 4)) }},
		{"forward: no groups", func() { forward.Compressed(nil, polar, x, nil) }},
		{"forward: group names a column out of range", func() { forward.Compressed(nil, polar, x, [][]int{{0}, {2}}) }},
		{"forward: group names a column out of range", func() { forward.Compressed(nil, polar, x, [][]int{{-1}}) }},
		{"forward: group names a column twice", func() { forward.Compressed(nil, polar, x, [][]int{{0, 1, 0}}) }},
	} {
		assert.PanicsWithValue(t, c.want, c.call)
	}
}

func TestPanicOfTheFunctionPasses(t *testing.T) {
	assert.PanicsWithValue(t, "mine", func() {
		forward.Gradient(nil, func([]dual.Number3) dual.Number3 { panic("mine") }, []float64{1})
	})
}

// steps is differences into the same memory at each call.
func steps[T dual.Scalar[T]](out []T) func(x []T) []T {
	return func(x []T) []T {
		for i := range out {
			out[i] = x[i+1].Sub(x[i].Square())
		}
		return out
	}
}

func TestCallsDoNotAllocate(t *testing.T) {
	x, v := make([]float64, 50), make([]float64, 50)
	one, f := steps(make([]dual.Number, 49)), steps(make([]dual.Number3, 49))
	g, d := make([]float64, 50), make([]float64, 49)
	j, b := mat.NewDense(49, 50, nil), mat.NewDense(49, 2, nil)
	groups := make([][]int, 2)
	for i := range 50 {
		groups[i%2] = append(groups[i%2], i)
	}
	var rows, columns []int
	for i := range 49 {
		rows, columns = append(rows, i, i), append(columns, i, i+1)
	}
	sparse := forward.NewSparse(sparsity.FromCoordinates(49, 50, rows, columns))
	a := sparse.Matrix()
	for _, c := range []struct {
		name string
		call func()
	}{
		{"Derivative", func() { forward.Derivative(cube, 2) }},
		{"SecondDerivative", func() { forward.SecondDerivative(cube, 2) }},
		{"Directional", func() { forward.Directional(rosenbrock, x, v) }},
		{"Gradient", func() { forward.Gradient(g, rosenbrock, x) }},
		{"JVP", func() { forward.JVP(d, one, x, v) }},
		{"Jacobian", func() { forward.Jacobian(j, f, x) }},
		{"Compressed", func() { forward.Compressed(b, f, x, groups) }},
		{"Sparse.Eval", func() { sparse.Eval(a, f, x) }},
	} {
		assert.Zero(t, testing.AllocsPerRun(10, c.call), c.name)
	}
}

// waves are the functions fᵢ(x) = Σₖ aᵢₖ sin(φₖ + wₖ·x), whose derivatives of
// order p along eⱼ are at most Σₖ |aᵢₖ| |wₖⱼ|ᵖ.
type waves struct {
	a   [][]float64
	w   [][]float64
	phi []float64
}

func evalWaves[T dual.Scalar[T]](f *waves, x []T) []T {
	sines := make([]T, len(f.w))
	for k := range sines {
		sines[k] = dual.Affine(f.phi[k], f.w[k], x).Sin()
	}
	y := make([]T, len(f.a))
	for i := range y {
		y[i] = dual.Affine(0, f.a[i], sines)
	}
	return y
}

func drawWaves(t *rapid.T, m, n int) *waves {
	num := rapid.Float64Range(-2, 2)
	k := rapid.IntRange(1, 4).Draw(t, "waves")
	f := &waves{phi: rapid.SliceOfN(num, k, k).Draw(t, "phi")}
	f.a = rapid.SliceOfN(rapid.SliceOfN(num, k, k), m, m).Draw(t, "a")
	f.w = rapid.SliceOfN(rapid.SliceOfN(num, n, n), k, k).Draw(t, "w")
	return f
}

const (
	u = 0x1p-53 // unit roundoff

	// underflow bounds what is lost below the normal range: at most half of
	// 2⁻¹⁰⁷⁴ an operation, in fewer than 2⁷ operations, and no later factor,
	// nor their product, exceeds 2⁵.
	underflow = 0x1p-1063
)

// bound is Σₖ |aᵢₖ| |wₖⱼ|ᵖ.
func (f *waves) bound(i, j int, p float64) float64 {
	var s float64
	for k, a := range f.a[i] {
		s += math.Abs(a) * math.Pow(math.Abs(f.w[k][j]), p)
	}
	return s
}

// roundoff bounds the rounding error of fᵢ in a box |xⱼ| ≤ r, and with p = 1 of
// ∂fᵢ/∂xⱼ. An argument φ + w·x has a relative error of (n+1)u in the sum of the
// sizes of its terms, sine and cosine pass it on with at most factor 1 and add
// one unit in the last place, 2u; a product, a sum of K terms and the product
// with the derivative of the argument add K+2 roundings.
func (f *waves) roundoff(i, j int, p float64, r float64) float64 {
	var s float64
	for k, a := range f.a[i] {
		arg := math.Abs(f.phi[k])
		for _, w := range f.w[k] {
			arg += math.Abs(w) * r
		}
		steps := float64(len(f.w[k])+1)*arg + 2 + float64(len(f.w)+2)
		s += math.Abs(a) * math.Pow(math.Abs(f.w[k][j]), p) * steps
	}
	return s * u
}

// Against central differences: the difference quotient over [x−h, x+h] differs
// from the derivative by at most h²/6 of the third derivative, by the distance
// of the middle of the rounded ends from x, at most u(|x|+h), times the second,
// and by the rounding errors of the two values over 2h.
func TestJacobianAgreesWithDifferences(t *testing.T) {
	const h = 1e-5
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 4).Draw(t, "m")
		n := rapid.IntRange(1, 4).Draw(t, "n")
		f := drawWaves(t, m, n)
		x := rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, "x")
		jac := forward.Jacobian(nil, func(x []dual.Number3) []dual.Number3 { return evalWaves(f, x) }, x)

		z := make([]dual.Real, n)
		for j := range x {
			for i := range z {
				z[i] = dual.Real(x[i])
			}
			hi, lo := x[j]+h, x[j]-h
			z[j] = dual.Real(hi)
			above := evalWaves(f, z)
			z[j] = dual.Real(lo)
			below := evalWaves(f, z)
			for i := range m {
				quotient := (above[i].Value() - below[i].Value()) / (hi - lo)
				tol := h*h/6*f.bound(i, j, 3) +
					u*(math.Abs(x[j])+h)*f.bound(i, j, 2) +
					f.roundoff(i, j, 0, 3+h)/h +
					f.roundoff(i, j, 1, 3)
				// The quotient itself has three roundings.
				tol += 3*u*f.bound(i, j, 1) + underflow/h
				assert.InDelta(t, quotient, jac.At(i, j), tol, "∂f%d/∂x%d", i, j)
			}
		}
	})
}

// The directional functions are products with the Jacobian: J·v, J·S, and, row
// by row, the gradients. Each of the sums has at most n+1 roundings more.
func TestProductsAgreeWithTheJacobian(t *testing.T) { rapid.Check(t, productsAgreeWithTheJacobian) }
func FuzzProductsAgreeWithTheJacobian(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(productsAgreeWithTheJacobian))
}

func productsAgreeWithTheJacobian(t *rapid.T) {
	m := rapid.IntRange(1, 4).Draw(t, "m")
	n := rapid.IntRange(1, 6).Draw(t, "n")
	f := drawWaves(t, m, n)
	fn := func(x []dual.Number3) []dual.Number3 { return evalWaves(f, x) }
	num := rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n)
	x, v := num.Draw(t, "x"), num.Draw(t, "v")
	jac := forward.Jacobian(nil, fn, x)

	colors := rapid.IntRange(1, 3).Draw(t, "colors")
	groups := make([][]int, colors)
	for j := range n {
		c := rapid.IntRange(0, colors-1).Draw(t, "color")
		groups[c] = append(groups[c], j)
	}
	compressed := forward.Compressed(nil, fn, x, groups)
	jvp := forward.JVP(nil, func(x []dual.Number) []dual.Number { return evalWaves(f, x) }, x, v)

	for i := range m {
		assert.Equal(t, jac.RawRowView(i), forward.Gradient(nil, func(x []dual.Number3) dual.Number3 { return evalWaves(f, x)[i] }, x))

		y, dy := forward.Directional(func(x []dual.Number) dual.Number { return evalWaves(f, x)[i] }, x, v)
		assert.Equal(t, jvp[i], dy)
		assert.Equal(t, evalWaves(f, constants(x))[i].Value(), y)

		sum, tol := 0.0, underflow
		for j := range n {
			sum += jac.At(i, j) * v[j]
			tol += math.Abs(v[j]) * (2*f.roundoff(i, j, 1, 3) + float64(2*(n+1))*u*f.bound(i, j, 1))
		}
		assert.InDelta(t, sum, jvp[i], tol)

		for c, g := range groups {
			sum, tol = 0, underflow
			for _, j := range g {
				sum += jac.At(i, int(j))
				tol += 2*f.roundoff(i, int(j), 1, 3) + float64(2*(n+1))*u*f.bound(i, int(j), 1)
			}
			assert.InDelta(t, sum, compressed.At(i, c), tol)
		}
	}
}

func constants(x []float64) []dual.Real {
	z := make([]dual.Real, len(x))
	for i := range z {
		z[i] = dual.Real(x[i])
	}
	return z
}
