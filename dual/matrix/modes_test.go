package matrix_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
	"github.com/hesse-ad/hesse/sparsity/detect"
)

// shape is the sizes of the operands of a case.
type shape struct{ p, q, r int }

// operation is a function of matrices over the numbers T, its operands in one slice.
type operation[T any] struct {
	name string
	// parts is the lengths of the operands.
	parts func(s shape) []int
	// point makes operands of numbers in [−1, 1] for which the function is well-conditioned.
	point func(s shape, x []float64)
	f     func(s shape, x []T) []T
}

// operations lists all functions of the package.
func operations[T dual.Scalar[T]]() []operation[T] {
	type op = operation[T]
	square := func(s shape) []int { return []int{s.p * s.p} }
	withRight := func(s shape) []int { return []int{s.p * s.p, s.p * s.r} }
	factors := func(s shape) []int { return []int{s.p * s.q, s.q * s.r} }
	withVector := func(s shape) []int { return []int{s.p * s.p, s.p} }
	dominant := func(s shape, x []float64) { addDiagonal(x, s.p, float64(s.p)+1) }
	spread := func(s shape, x []float64) {
		for i := range s.p {
			x[i*s.p+i] += 2 * float64(i*s.p)
		}
	}
	split := func(s shape, x []T) (a, b *matrix.Dense[T]) {
		n := s.p * s.p
		return matrix.New(s.p, s.p, x[:n]), matrix.New(s.p, s.r, x[n:])
	}
	solve := func(name string, f func(dst, a, b *matrix.Dense[T]) *matrix.Dense[T]) op {
		return op{name, withRight, dominant, func(s shape, x []T) []T {
			a, b := split(s, x)
			return f(nil, a, b).Data
		}}
	}
	logDensity := func(scale matrix.Scale, student bool) op {
		name := fmt.Sprintf("LogNormal/%d", scale)
		if student {
			name = fmt.Sprintf("LogStudent/%d", scale)
		}
		return op{name, func(s shape) []int { return []int{s.p * s.p, s.p, s.r * s.p} }, dominant, func(s shape, x []T) []T {
			n := s.p * s.p
			c, mean, points := matrix.New(s.p, s.p, x[:n]), x[n:n+s.p], matrix.New(s.r, s.p, x[n+s.p:])
			if student {
				return matrix.LogStudent(nil, dual.Const[T](4.5), points, mean, scale, c)
			}
			return matrix.LogNormal(nil, points, mean, scale, c)
		}}
	}
	return []op{
		{"Mul", factors, nothing, func(s shape, x []T) []T {
			n := s.p * s.q
			return matrix.Mul(nil, matrix.New(s.p, s.q, x[:n]), matrix.New(s.q, s.r, x[n:])).Data
		}},
		{"Mul transposed", factors, nothing, func(s shape, x []T) []T {
			n := s.p * s.q
			return matrix.Mul(nil, matrix.New(s.q, s.p, x[:n]).T(), matrix.New(s.r, s.q, x[n:]).T()).Data
		}},
		{"Mul square", func(s shape) []int { return []int{s.p * s.q} }, nothing, func(s shape, x []T) []T {
			a := matrix.New(s.p, s.q, x)
			return matrix.Mul(nil, a, a.T()).Data
		}},
		{"MulVec", func(s shape) []int { return []int{s.p * s.q, s.q} }, nothing, func(s shape, x []T) []T {
			n := s.p * s.q
			return matrix.MulVec(nil, matrix.New(s.p, s.q, x[:n]), x[n:])
		}},
		{"QuadForm", withVector, nothing, func(s shape, x []T) []T {
			n := s.p * s.p
			return []T{matrix.QuadForm(matrix.New(s.p, s.p, x[:n]), x[n:])}
		}},
		{"Cholesky", square, dominant, func(s shape, x []T) []T { return matrix.Cholesky(nil, matrix.New(s.p, s.p, x)).Data }},
		solve("Solve", matrix.Solve[T]),
		solve("SolveSPD", matrix.SolveSPD[T]),
		solve("SolveLower", matrix.SolveLower[T]),
		solve("SolveUpper", matrix.SolveUpper[T]),
		{"SolveVec", withVector, dominant, func(s shape, x []T) []T {
			a, b := matrix.New(s.p, s.p, x[:s.p*s.p]), x[s.p*s.p:]
			y := matrix.SolveUpperVec(nil, a, matrix.SolveLowerVec(nil, a, b))
			return matrix.SolveSPDVec(nil, a, matrix.SolveVec(nil, a, y))
		}},
		{"Inverse", square, dominant, func(s shape, x []T) []T { return matrix.Inverse(nil, matrix.New(s.p, s.p, x)).Data }},
		{"LogDet", square, dominant, func(s shape, x []T) []T { return []T{matrix.LogDet(matrix.New(s.p, s.p, x))} }},
		{"LogDetSPD", square, dominant, func(s shape, x []T) []T { return []T{matrix.LogDetSPD(matrix.New(s.p, s.p, x))} }},
		{"EigenSym", square, spread, func(s shape, x []T) []T {
			values, vectors := matrix.EigenSym(matrix.New(s.p, s.p, x))
			return append(values, vectors.Data...)
		}},
		{"EigenvaluesSym", square, spread, func(s shape, x []T) []T { return matrix.EigenvaluesSym(matrix.New(s.p, s.p, x)) }},
		{"Expm", square, nothing, func(s shape, x []T) []T { return matrix.Expm(nil, matrix.New(s.p, s.p, x)).Data }},
		logDensity(matrix.Covariance, false),
		logDensity(matrix.Factor, false),
		logDensity(matrix.InverseFactor, false),
		logDensity(matrix.Covariance, true),
		logDensity(matrix.InverseFactor, true),
	}
}

func nothing(shape, []float64) {}

func addDiagonal(x []float64, n int, c float64) {
	for i := range n {
		x[i*n+i] += c
	}
}

// combined is a nonlinear function of the results, and of the operands themselves: what
// an operation is within a program. Part k of the operands is constant, as in x0, if bit k
// of fixed is set.
func combined[T dual.Scalar[T]](k int, s shape, x0 []float64, fixed int) func(x []T) T {
	op := operations[T]()[k]
	return func(x []T) T {
		in := make([]T, 0, len(x))
		for part, n := range op.parts(s) {
			for range n {
				i := len(in)
				if fixed>>part&1 != 0 {
					in = append(in, dual.Const[T](x0[i]+0.125*math.Sin(x0[i])))
				} else {
					in = append(in, x[i].Add(x[i].Sin().Scale(0.125)))
				}
			}
		}
		var sum T
		for i, y := range op.f(s, in) {
			c := math.Cos(float64(3 * i))
			sum = sum.Add(y.Scale(c)).Add(y.Square().Scale(0.25 * c))
		}
		return sum
	}
}

// point is the operands of case k by random numbers.
func point(k int, s shape, draw func() float64) []float64 {
	op := operations[dual.Real]()[k]
	var x []float64
	for _, n := range op.parts(s) {
		for range n {
			x = append(x, draw())
		}
	}
	op.point(s, x)
	return x
}

// rounding bounds what two ways to the same number of size scale differ by: each is of at
// most some 20 products of matrices in a row, whose errors are n·2⁻⁵² times what conditions
// of at most about 10 make of the largest element, three of them in a row.
func rounding(n int, scale float64) float64 {
	const products, condition = 20, 1000
	return products * condition * float64(n+1) * 0x1p-52 * max(1, scale)
}

// near requires that got is want but for rounding.
func near(t require.TestingT, what string, n int, want, got mat.Matrix) {
	bound := rounding(n, mat.Norm(want, math.Inf(1)))
	rows, cols := want.Dims()
	for i := range rows {
		for j := range cols {
			require.InDelta(t, want.At(i, j), got.At(i, j), bound, "%s, element %d, %d", what, i, j)
		}
	}
}

// each runs a property for every function.
func each(t *testing.T, property func(t *rapid.T, k int)) {
	for k, op := range operations[dual.Real]() {
		t.Run(op.name, rapid.MakeCheck(func(t *rapid.T) { property(t, k) }))
	}
}

var element = rapid.Float64Range(-1, 1)

func drawShape(t *rapid.T, most int) shape {
	size := rapid.IntRange(0, most)
	return shape{size.Draw(t, "p"), size.Draw(t, "q"), size.Draw(t, "r")}
}

func TestAgreesWithElementsInEveryMode(t *testing.T) {
	each(t, func(t *rapid.T, k int) {
		s := drawShape(t, 3)
		x := point(k, s, func() float64 { return element.Draw(t, "x") })
		agree(t, k, s, x, rapid.IntRange(0, 7).Draw(t, "fixed"))
	})
}

func agree(t require.TestingT, k int, s shape, x []float64, fixed int) {
	n := len(x)
	f := combined[dual.Hyper](k, s, x, fixed)
	tape, err := reverse.Record(combined[reverse.Var](k, s, x, fixed), x)
	require.NoError(t, err)
	real, err := tape.Value(x)
	require.NoError(t, err)
	if n == 0 {
		return
	}
	in := make([]dual.Hyper, n)
	for i, v := range x {
		in[i].V = v
	}
	near(t, "value", n, vec(f(in).V), vec(real))
	want := forward.Gradient(nil, combined[dual.Number3](k, s, x, fixed), x)
	g, err := tape.Gradient(nil, x)
	require.NoError(t, err)
	near(t, "gradient", n, vec(want...), vec(g...))
	h := hessian.Forward(nil, f, x)
	for _, strategy := range []hessian.Strategy{hessian.FoR, hessian.RoF, hessian.RoR, hessian.FoF} {
		got, err := hessian.New(tape, strategy).Dense(nil, x)
		require.NoError(t, err)
		near(t, strategy.String(), n, h, got)
	}
	plan, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	m, err := plan.Eval(nil, x)
	require.NoError(t, err)
	near(t, "sparse", n, h, m)
	pattern := detect.Hessian(combined[detect.Tracer](k, s, x, fixed), n)
	for i := range n {
		for j := range n {
			if h.At(i, j) != 0 {
				require.True(t, pattern.Has(i, j), "pattern at %d, %d", i, j)
			}
		}
	}
}

// Along directions, one evaluation on hyper-dual numbers has the products with gradient
// and Hessian, so that operands may be larger.
func TestProductsAgreeWithElements(t *testing.T) {
	each(t, func(t *rapid.T, k int) {
		s := drawShape(t, 12)
		seed := rapid.Uint64().Draw(t, "seed")
		products(t, k, s, rand.New(rand.NewPCG(seed, 1)), rapid.IntRange(0, 7).Draw(t, "fixed"))
	})
}

// Matrices of several blocks, and right sides and factors that are narrow.
func TestProductsOfLargeMatricesAgreeWithElements(t *testing.T) {
	large := map[string][]shape{
		"Mul": {{140, 70, 130}, {30, 40, 1}, {40, 30, 3}, {30, 3, 40}, {2, 40, 30}}, "Mul square": {{130, 66, 0}, {40, 5, 0}}, "Cholesky": {{131, 0, 0}},
		"Solve": {{131, 0, 3}, {30, 0, 1}, {30, 0, 11}, {30, 0, 13}}, "SolveSPD": {{131, 0, 3}, {30, 0, 1}, {30, 0, 13}},
		"SolveLower": {{30, 0, 1}, {30, 0, 4}}, "SolveUpper": {{30, 0, 1}, {30, 0, 4}}, "SolveVec": {{40, 0, 0}},
		"LogDet": {{130, 0, 0}}, "LogDetSPD": {{131, 0, 0}}, "LogNormal/0": {{129, 0, 2}}, "LogNormal/1": {{66, 0, 70}}, "LogNormal/2": {{66, 0, 70}},
	}
	for k, op := range operations[dual.Real]() {
		for _, s := range large[op.name] {
			for fixed := range 4 {
				if fixed > 0 && (s.p > 100 || testing.Short()) {
					continue // the same solutions
				}
				t.Run(fmt.Sprint(op.name, s, fixed), func(t *testing.T) { products(t, k, s, rand.New(rand.NewPCG(3, 4)), fixed) })
			}
		}
	}
}

func products(t require.TestingT, k int, s shape, rng *rand.Rand, fixed int) {
	draw := func() float64 { return 2*rng.Float64() - 1 }
	x := point(k, s, draw)
	n := len(x)
	if n == 0 {
		return
	}
	tape, err := reverse.Record(combined[reverse.Var](k, s, x, fixed), x)
	require.NoError(t, err)
	in, u := make([]dual.Hyper, n), make([]float64, n)
	dirs := mat.NewDense(n, 2, nil)
	for i := range in {
		in[i] = dual.Hyper{V: x[i], D1: draw(), D2: draw()}
		u[i] = in[i].D2
		dirs.SetRow(i, []float64{in[i].D1, draw()})
	}
	want := combined[dual.Hyper](k, s, x, fixed)(in)
	value, g, err := tape.ValueGradient(nil, x)
	require.NoError(t, err)
	hv, err := tape.HVPs(nil, x, dirs)
	require.NoError(t, err)
	jv, err := tape.JVP(nil, x, u)
	require.NoError(t, err)
	sum, second, scale := 0.0, 0.0, math.Abs(value)
	for i, v := range u {
		sum += g[i] * v
		second += hv.At(i, 0) * v
		scale += math.Abs(g[i]) + math.Abs(hv.At(i, 0))
	}
	bound := rounding(max(s.p, s.q, s.r), scale)
	require.InDelta(t, want.V, value, bound, "value")
	require.InDelta(t, want.D2, sum, bound, "gradient")
	require.InDelta(t, want.D2, jv[0], bound, "Jv")
	require.InDelta(t, want.D12, second, bound, "Hv")
	both, err := tape.Tangent().JVP(nil, append(slices.Clone(x), mat.Col(nil, 0, dirs)...), append(u, make([]float64, n)...))
	require.NoError(t, err)
	require.InDelta(t, want.D12, both[1], bound, "uᵀHv")
	one, err := tape.HVP(nil, x, mat.Col(nil, 1, dirs))
	require.NoError(t, err)
	require.Equal(t, one, mat.Col(nil, 1, hv), "a direction alone has the same bits")
}

// Values on dual.Real are those of a tape to the last bit, unless constants of a tape are
// computed otherwise.
func TestRealHasTheBitsOfTheTape(t *testing.T) {
	each(t, func(t *rapid.T, k int) {
		s := drawShape(t, 12)
		x := point(k, s, func() float64 { return element.Draw(t, "x") })
		tape, err := reverse.Record(combined[reverse.Var](k, s, x, 0), x)
		require.NoError(t, err)
		got, err := tape.Value(x)
		require.NoError(t, err)
		require.Equal(t, float64(combined[dual.Real](k, s, x, 0)(dual.Consts[dual.Real](nil, x))), got)
	})
}

// Of third and fourth order, along directions.
func TestHigherDerivativesAgreeWithElements(t *testing.T) {
	each(t, func(t *rapid.T, k int) {
		s := drawShape(t, 3)
		x := point(k, s, func() float64 { return element.Draw(t, "x") })
		fixed := rapid.IntRange(0, 7).Draw(t, "fixed")
		n := len(x)
		if n == 0 {
			return
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var d [4][]float64
		in := make([]dual.Of[dual.Of[dual.Of[dual.Of[dual.Real]]]], n)
		for j := range d {
			for range n {
				d[j] = append(d[j], 2*rng.Float64()-1)
			}
		}
		for i, v := range x {
			in[i].V.V.V.V = dual.Real(v)
			in[i].D.V.V.V, in[i].V.D.V.V, in[i].V.V.D.V, in[i].V.V.V.D = dual.Real(d[0][i]), dual.Real(d[1][i]), dual.Real(d[2][i]), dual.Real(d[3][i])
		}
		want := combined[dual.Of[dual.Of[dual.Of[dual.Of[dual.Real]]]]](k, s, x, fixed)(in)
		tape, err := reverse.Record(combined[reverse.Var](k, s, x, fixed), x)
		require.NoError(t, err)
		all := sparsity.Full(n, n)
		for _, o := range []hessian.SparseSettings{{}, {Method: hessian.ByStar, Pattern: all}} {
			plan, err := o.New(tape)
			require.NoError(t, err)
			w := sparsity.NewMatrix(all)
			e := 0
			for i, j := range all.All() {
				w.Values()[e] = (d[0][i]*d[1][j] + d[1][i]*d[0][j]) / 2
				e++
			}
			sum, err := plan.Third(all)
			require.NoError(t, err)
			g, err := sum.Eval(nil, x, w)
			require.NoError(t, err)
			h, err := sum.EvalAlong(nil, x, w, d[3])
			require.NoError(t, err)
			third, fourth := 0.0, 0.0
			scale := math.Abs(float64(want.D.D.D.D)) + math.Abs(float64(want.D.D.D.V))
			for i := range n {
				third += g[i] * d[2][i]
				fourth += h[i] * d[2][i]
				scale += math.Abs(g[i]) + math.Abs(h[i])
			}
			require.InDelta(t, float64(want.D.D.D.V), third, rounding(n, scale), "third")
			require.InDelta(t, float64(want.D.D.D.D), fourth, rounding(n, scale), "fourth")
		}
	})
}

// Weights on what a function is quadratic in alone, as on the points of a density: their sums have
// no sweep a direction.
func TestContractionsAgreeWithDifferences(t *testing.T) {
	const d = 3
	// x is a matrix S, points, a mean; constant ones are not on the tape.
	functions := map[string]func(x []reverse.Var, fixed bool) reverse.Var{
		"quadratic form": func(x []reverse.Var, fixed bool) reverse.Var {
			a := matrix.New(d, d, x[:d*d])
			if fixed {
				a = matrix.New(d, d, dual.Consts[reverse.Var](nil, []float64{2, 1, 0, 3, 4, 1, 0, 1, 5}))
			}
			return matrix.QuadForm(a, x[d*d:][:d]).Add(matrix.QuadForm(a, []reverse.Var{x[d*d], x[d*d], x[d*d+2]}))
		},
	}
	for _, scale := range []matrix.Scale{matrix.Covariance, matrix.Factor, matrix.InverseFactor} {
		functions[fmt.Sprint("density by ", scale)] = func(x []reverse.Var, fixed bool) reverse.Var {
			mean := x[d*d+2*d:]
			if fixed {
				mean = nil
			}
			s := matrix.Mul(nil, matrix.New(d, d, x[:d*d]), matrix.New(d, d, x[:d*d]).T())
			y := matrix.LogNormal(nil, matrix.New(2, d, x[d*d:][:2*d]), mean, scale, s)
			// Given points of an active mean, and a point used twice.
			z := matrix.LogNormal(nil, matrix.New(1, d, dual.Consts[reverse.Var](nil, []float64{1, 2, 3})), mean, scale, s)
			u := matrix.LogNormal(nil, matrix.New(1, d, []reverse.Var{x[d*d], x[d*d], x[d*d+1]}), mean, scale, s)
			return y[0].Sub(y[1].Scale(2)).Add(z[0]).Add(u[0].Scale(0.5))
		}
	}
	for name, f := range functions {
		for _, fixed := range []bool{false, true} {
			n := d*d + 3*d
			r := rand.New(rand.NewPCG(5, 6))
			x, v := make([]float64, n), make([]float64, n)
			var is, js []int
			for i := range x {
				x[i], v[i] = r.NormFloat64(), r.NormFloat64()
				for j := range i + 1 {
					if j >= d*d {
						is, js = append(is, i), append(js, j)
					}
				}
			}
			w := sparsity.NewMatrix(sparsity.FromCoordinates(n, n, is, js))
			for k := range w.Values() {
				w.Values()[k] = r.NormFloat64()
			}
			tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return f(x, fixed) }, x)
			require.NoError(t, err)
			plan, err := hessian.NewSparse(tape)
			require.NoError(t, err)
			sum, err := plan.Third(w.Pattern())
			require.NoError(t, err)
			third, err := sum.Eval(nil, x, w)
			require.NoError(t, err)
			fourth, err := sum.EvalAlong(nil, x, w, v)
			require.NoError(t, err)
			along, err := sum.Along(nil, x, v)
			require.NoError(t, err)

			// By differences of the Hessian, of eighth order.
			trace := func(x []float64) float64 {
				h, err := hessian.New(tape, hessian.FoR).Dense(nil, x)
				require.NoError(t, err)
				s := 0.0
				for i := range n {
					for j := range n {
						s += w.At(max(i, j), min(i, j)) * h.At(i, j)
					}
				}
				return s
			}
			difference := func(f func(h float64) float64) float64 {
				const h = 2e-3
				return (4./5*(f(h)-f(-h)) - 1./5*(f(2*h)-f(-2*h)) + 4./105*(f(3*h)-f(-3*h)) - 1./280*(f(4*h)-f(-4*h))) / h
			}
			moved := func(h float64, v []float64) []float64 {
				y := slices.Clone(x)
				floats.AddScaled(y, h, v)
				return y
			}
			scale := 1 + floats.Norm(third, 2) + floats.Norm(fourth, 2)
			sums, unit := 0.0, make([]float64, n)
			for k := range n {
				unit[k] = 1
				require.InDelta(t, difference(func(h float64) float64 { return trace(moved(h, unit)) }), third[k], 1e-9*scale, "%s, %d", name, k)
				require.InDelta(t, difference(func(h float64) float64 {
					g, err := sum.Eval(nil, moved(h, v), w)
					require.NoError(t, err)
					return g[k]
				}), fourth[k], 1e-9*scale, "%s, %d", name, k)
				unit[k] = 0
			}
			for i, j := range w.Pattern().All() {
				h := w.At(i, j) * along.At(i, j)
				if i != j {
					h *= 2
				}
				sums += h
			}
			require.InDelta(t, floats.Dot(third, v), sums, 1e-12*scale, name)
		}
	}
}

func vec(x ...float64) mat.Matrix { return mat.NewVecDense(len(x), x) }
