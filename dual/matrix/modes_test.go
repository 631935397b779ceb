package matrix_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/forward"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity/detect"
)

// shape is the sizes of the operands of a case.
type shape struct{ p, q, r int }

// operation is a function of matrices over the numbers T, its operands in one slice.
type operation[T any] struct {
	name string
	size func(s shape) int
	// point makes operands of numbers in [−1, 1] for which the function is well-conditioned.
	point func(s shape, x []float64)
	f     func(s shape, x []T) []T
}

// operations lists all functions of the package.
func operations[T dual.Scalar[T]]() []operation[T] {
	type op = operation[T]
	square := func(s shape) int { return s.p * s.p }
	withRight := func(s shape) int { return s.p*s.p + s.p*s.r }
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
		return op{name, func(s shape) int { return s.p*s.p + s.p + s.r*s.p }, dominant, func(s shape, x []T) []T {
			n := s.p * s.p
			c, mean, points := matrix.New(s.p, s.p, x[:n]), x[n:n+s.p], matrix.New(s.r, s.p, x[n+s.p:])
			if student {
				return matrix.LogStudent(nil, dual.Const[T](4.5), points, mean, scale, c)
			}
			return matrix.LogNormal(nil, points, mean, scale, c)
		}}
	}
	return []op{
		{"Mul", func(s shape) int { return s.p*s.q + s.q*s.r }, nothing, func(s shape, x []T) []T {
			n := s.p * s.q
			return matrix.Mul(nil, matrix.New(s.p, s.q, x[:n]), matrix.New(s.q, s.r, x[n:])).Data
		}},
		{"Mul transposed", func(s shape) int { return s.p*s.q + s.q*s.r }, nothing, func(s shape, x []T) []T {
			n := s.p * s.q
			return matrix.Mul(nil, matrix.New(s.q, s.p, x[:n]).T(), matrix.New(s.r, s.q, x[n:]).T()).Data
		}},
		{"Mul square", func(s shape) int { return s.p * s.q }, nothing, func(s shape, x []T) []T {
			a := matrix.New(s.p, s.q, x)
			return matrix.Mul(nil, a, a.T()).Data
		}},
		{"MulVec", func(s shape) int { return s.p*s.q + s.q }, nothing, func(s shape, x []T) []T {
			n := s.p * s.q
			return matrix.MulVec(nil, matrix.New(s.p, s.q, x[:n]), x[n:])
		}},
		{"QuadForm", func(s shape) int { return s.p*s.p + s.p }, nothing, func(s shape, x []T) []T {
			n := s.p * s.p
			return []T{matrix.QuadForm(matrix.New(s.p, s.p, x[:n]), x[n:])}
		}},
		{"Cholesky", square, dominant, func(s shape, x []T) []T { return matrix.Cholesky(nil, matrix.New(s.p, s.p, x)).Data }},
		solve("Solve", matrix.Solve[T]),
		solve("SolveSPD", matrix.SolveSPD[T]),
		solve("SolveLower", matrix.SolveLower[T]),
		solve("SolveUpper", matrix.SolveUpper[T]),
		{"SolveVec", func(s shape) int { return s.p*s.p + s.p }, dominant, func(s shape, x []T) []T {
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
// an operation is within a program.
func combined[T dual.Scalar[T]](k int, s shape) func(x []T) T {
	op := operations[T]()[k]
	return func(x []T) T {
		in := make([]T, len(x))
		for i, v := range x {
			in[i] = v.Add(v.Sin().Scale(0.125))
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
	x := make([]float64, op.size(s))
	for i := range x {
		x[i] = draw()
	}
	op.point(s, x)
	return x
}

// near requires that got is want but for rounding: each of the two is of at most some
// 20 products of matrices in a row, whose errors are n·2⁻⁵² times what conditions of at
// most about 10 make of the largest element.
func near(t require.TestingT, what string, n int, want, got mat.Matrix) {
	const products, condition = 20, 1000 // to the third power
	bound := products * condition * float64(n+1) * 0x1p-52 * max(1, mat.Norm(want, math.Inf(1)))
	rows, cols := want.Dims()
	for i := range rows {
		for j := range cols {
			require.InDelta(t, want.At(i, j), got.At(i, j), bound, "%s, element %d, %d", what, i, j)
		}
	}
}

func TestAgreesWithElementsInEveryMode(t *testing.T) {
	for k, op := range operations[dual.Real]() {
		t.Run(op.name, rapid.MakeCheck(func(t *rapid.T) {
			size := rapid.IntRange(0, 5)
			s := shape{size.Draw(t, "p"), size.Draw(t, "q"), size.Draw(t, "r")}
			element := rapid.Float64Range(-1, 1)
			x := point(k, s, func() float64 { return element.Draw(t, "x") })
			agree(t, k, s, x)
		}))
	}
}

func agree(t require.TestingT, k int, s shape, x []float64) {
	n := len(x)
	f := combined[dual.Hyper](k, s)
	tape, err := reverse.Record(combined[reverse.Var](k, s), x)
	require.NoError(t, err)
	real, err := tape.Value(x)
	require.NoError(t, err)
	require.Equal(t, float64(value(combined[dual.Real](k, s), x)), real, "the bits of dual.Real")
	if n == 0 {
		return
	}
	in := make([]dual.Hyper, n)
	for i, v := range x {
		in[i].V = v
	}
	near(t, "value", n, vec(f(in).V), vec(real))
	want := forward.Gradient(nil, combined[dual.Number](k, s), x)
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
	m := plan.Matrix()
	_, err = plan.Eval(m, x)
	require.NoError(t, err)
	near(t, "sparse", n, h, m)
	pattern := detect.Hessian(combined[detect.Tracer](k, s), n)
	for i := range n {
		for j := range n {
			if h.At(i, j) != 0 {
				require.True(t, pattern.Has(i, j), "pattern at %d, %d", i, j)
			}
		}
	}
}

func vec(x ...float64) mat.Matrix { return mat.NewVecDense(len(x), x) }

func value(f func(x []dual.Real) dual.Real, x []float64) dual.Real {
	return f(dual.Consts[dual.Real](nil, x))
}
