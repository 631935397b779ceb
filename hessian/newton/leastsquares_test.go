package newton

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// A line through points with known answers: y = 1, 3, 2, 5 at x = 0, 1, 2, 3 has
// the intercept 1.1, the slope 1.1 and the sum of squares 2.7.
func TestLeastSquaresOfALine(t *testing.T) {
	y := []float64{1, 3, 2, 5}
	x0 := []float64{0, 0}
	tape := recordVec(t, func(b []reverse.Var) []reverse.Var {
		r := make([]reverse.Var, len(y))
		for i := range r {
			r[i] = b[0].Add(b[1].Scale(float64(i))).SubReal(y[i])
		}
		return r
	}, x0)
	r, err := LeastSquares{}.Solve(context.Background(), Problem{Func: reverse.FuncOf(tape)}, x0)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{1.1, 1.1}, r.X, 1e-9)
	require.InDelta(t, 1.35, r.F, 1e-12)

	// σ² = 2.7/2; Var b₀ = σ²(1/4 + x̄²/Sxx), Var b₁ = σ²/Sxx, x̄ = 1.5, Sxx = 5.
	want := []float64{math.Sqrt(1.35 * 0.7), math.Sqrt(1.35 / 5)}
	sd, err := LeastSquares{}.Deviations(Problem{Func: reverse.FuncOf(tape)}, r.X)
	require.NoError(t, err)
	require.InDeltaSlice(t, want, sd, 1e-14)

	dependent := reverse.NewFuncVec(func(b []reverse.Var) []reverse.Var {
		s := b[0].Add(b[1].Scale(2))
		return []reverse.Var{s, s.Scale(2), s.Scale(3).SubReal(1)}
	})
	sd, err = LeastSquares{}.Deviations(Problem{Func: dependent}, []float64{0, 0})
	require.NoError(t, err)
	require.True(t, math.IsInf(sd[0], 1))
}

func TestLeastSquaresOfRootsIsQuadratic(t *testing.T) {
	x0 := []float64{-1.2, 1}
	tape := recordVec(t, func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[1].Sub(x[0].Square()).Scale(10), x[0].RSub(1)}
	}, x0)
	r, err := LeastSquares{}.Solve(context.Background(), Problem{Func: reverse.FuncOf(tape)}, x0)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{1, 1}, r.X, 1e-9)
	require.Less(t, r.F, 1e-20)
	require.LessOrEqual(t, r.Iterations, 25)
}

func TestLeastSquaresSaysWhereItStopped(t *testing.T) {
	for reason, f := range map[string]func(x []reverse.Var) []reverse.Var{
		"iteration limit": func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0].Neg().Exp()} },
		"the residuals are not finite at the start": func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{x[0].Log()}
		},
	} {
		_, err := LeastSquares{Settings: Settings{MaxIterations: 3}}.Solve(context.Background(), Problem{Func: reverse.FuncOf(recordVec(t, f, []float64{0}))}, []float64{0})
		var stopped *StoppedError
		require.ErrorAs(t, err, &stopped, reason)
		require.Contains(t, err.Error(), reason)
	}
}

// A solution is claimed only where r is orthogonal to the columns of J, but for
// what rounding x makes of it, or where the step of Gauss and Newton, found here by
// a singular value decomposition of J with columns of length 1, moves x by little:
// also of functions with kinks, flat places and no minimum.
func TestLeastSquaresClaimsOnlySolutions(t *testing.T) {
	shapes := []func(x reverse.Var) reverse.Var{
		reverse.Var.Sin, reverse.Var.Exp, reverse.Var.Atan, reverse.Var.Tanh, reverse.Var.Abs, reverse.Var.Square,
		func(x reverse.Var) reverse.Var { return x.Square().AddReal(1).Log() },
		func(x reverse.Var) reverse.Var { return x.Neg().Exp() },
	}
	claimed := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "n")
		m := rapid.IntRange(n, n+4).Draw(t, "m")
		number := rapid.Float64Range(-3, 3)
		x0 := rapid.SliceOfN(number, n, n).Draw(t, "x0")
		weights := rapid.SliceOfN(number, m*n, m*n).Draw(t, "weights")
		targets := rapid.SliceOfN(number, m, m).Draw(t, "targets")
		kinds := rapid.SliceOfN(rapid.IntRange(0, len(shapes)-1), m, m).Draw(t, "shapes")
		tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
			r := make([]reverse.Var, m)
			for i := range r {
				r[i] = shapes[kinds[i]](dual.Affine(0, weights[i*n:(i+1)*n], x)).SubReal(targets[i])
			}
			return r
		}, x0)
		require.NoError(t, err)
		result, err := LeastSquares{}.Solve(context.Background(), Problem{Func: reverse.FuncOf(tape)}, x0)
		if err != nil {
			return
		}
		claimed++
		r, err := tape.Values(nil, result.X)
		require.NoError(t, err)
		j, err := tape.Jacobian(nil, result.X)
		require.NoError(t, err)
		cosine := 0.0
		for k := range n {
			along := math.Abs(mat.Dot(j.ColView(k), mat.NewVecDense(m, r)))
			for i := range m {
				for l := range n {
					along -= 32 * epsilon * math.Abs(j.At(i, k)*j.At(i, l)*result.X[l])
				}
			}
			if norm := mat.Norm(j.ColView(k), 2); norm > 0 {
				cosine = max(cosine, along/norm/floats.Norm(r, 2))
			}
		}
		if floats.Norm(r, 2) == 0 || cosine <= 1e-9 {
			return
		}
		size := 0.0
		for k := range n {
			norm := mat.Norm(j.ColView(k), 2)
			require.Positive(t, norm, "cosine %g of a singular J", cosine)
			size = math.Hypot(size, norm*result.X[k])
			for i := range m {
				j.Set(i, k, j.At(i, k)/norm)
			}
		}
		var svd mat.SVD
		require.True(t, svd.Factorize(j, mat.SVDThin))
		require.Greater(t, svd.Values(nil)[n-1], 0.0, "cosine %g of a singular J", cosine)
		var step mat.Dense
		svd.SolveTo(&step, mat.NewDense(m, 1, r), n)
		require.LessOrEqual(t, mat.Norm(&step, 2), 1e-9*size, "cosine %g", cosine)
	})
	require.Positive(t, claimed)
}

// Deviations of polynomials of degree 9, whose JᵀJ has a condition above 1/ε,
// against (JᵀJ)⁻¹ in rational arithmetic.
func TestDeviationsAreAsAccurateAsTheJacobian(t *testing.T) {
	const m, n = 21, 10
	j := mat.NewDense(m, n, nil)
	for i := range m {
		for k := range n {
			j.Set(i, k, math.Pow(float64(i)/16, float64(k)))
		}
	}
	// [JᵀJ I] is reduced to [I (JᵀJ)⁻¹].
	a := make([][]*big.Rat, n)
	for i := range a {
		a[i] = make([]*big.Rat, 2*n)
		for k := range a[i] {
			a[i][k] = new(big.Rat)
			if k == n+i {
				a[i][k].SetInt64(1)
			}
			for l := 0; l < m && k < n; l++ {
				x, y := new(big.Rat).SetFloat64(j.At(l, i)), new(big.Rat).SetFloat64(j.At(l, k))
				a[i][k].Add(a[i][k], x.Mul(x, y))
			}
		}
	}
	for p := range n {
		pivot := new(big.Rat).Set(a[p][p])
		for k := range a[p] {
			a[p][k].Quo(a[p][k], pivot)
		}
		for i := range n {
			if factor := new(big.Rat).Set(a[i][p]); i != p {
				for k := range a[i] {
					a[i][k].Sub(a[i][k], new(big.Rat).Mul(factor, a[p][k]))
				}
			}
		}
	}
	line := reverse.NewFuncVec(func(b []reverse.Var) []reverse.Var {
		r := make([]reverse.Var, m)
		for i := range r {
			r[i] = dual.Affine(0, mat.Row(nil, i, j), b).AddReal(1) // ‖r‖² = m at b = 0
		}
		return r
	})
	sd, err := LeastSquares{}.Deviations(Problem{Func: line}, make([]float64, n))
	require.NoError(t, err)
	for i, d := range sd {
		variance, _ := a[i][n+i].Float64()
		require.InEpsilon(t, math.Sqrt(variance*m/(m-n)), d, 1e-8)
	}
}

// With a loss the minimum is that of the sum of losses, whatever method finds it.
func TestLossesAreMinimized(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6}
	y := []float64{1.1, 2.9, 5.1, 40, 9.1, 10.9, -8}
	residual := func(b []reverse.Var, i int) reverse.Var {
		return b[0].Mul(b[1].Scale(x[i]).Exp()).SubReal(y[i])
	}
	for name, c := range map[string]struct {
		loss Loss
		of   func(s reverse.Var) reverse.Var
	}{
		"Cauchy": {Cauchy(2), func(s reverse.Var) reverse.Var { return s.Scale(0.25).Log1p().Scale(4) }},
		"Huber": {Huber(2), func(s reverse.Var) reverse.Var {
			if s.LessEqReal(4) {
				return s
			}
			return s.Sqrt().Scale(4).SubReal(4)
		}},
	} {
		r := reverse.NewFuncVec(func(b []reverse.Var) []reverse.Var {
			out := make([]reverse.Var, len(x))
			for i := range out {
				out[i] = residual(b, i)
			}
			return out
		})
		sum := reverse.NewFunc(func(b []reverse.Var) reverse.Var {
			s := dual.Const[reverse.Var](0)
			for i := range x {
				s = s.Add(c.of(residual(b, i).Square()).Scale(0.5))
			}
			return s
		})
		fit, err := LeastSquares{Loss: c.loss}.Solve(background, Problem{Func: r}, []float64{1, 0.3})
		require.NoError(t, err, name)
		f, g, err := sum.ValueGradient(nil, fit.X)
		require.NoError(t, err)
		require.InEpsilon(t, f, fit.F, 1e-13, name)
		require.LessOrEqual(t, floats.Norm(g, math.Inf(1)), 1e-6*f, name)
		best, err := TrustRegion{}.Solve(background, Problem{Func: sum}, fit.X)
		require.NoError(t, err, name)
		require.InEpsilon(t, best.F, fit.F, 1e-10, name)
	}
	testLossesOfBlocks(t)
	for _, loss := range []Loss{Huber(0.7), Cauchy(0.7)} { // against differences
		for _, s := range []float64{0, 0.1, 0.48, 0.5, 3, 100} {
			const h = 1e-5
			rho, d, dd := loss(s + h)
			low, e, _ := loss(s)
			require.InDelta(t, (rho-low)/h, (d+e)/2, 1e-6)
			require.InDelta(t, (d-e)/h, dd, 0.03*math.Abs(dd)+1e-9, "%v", s)
		}
	}
	require.Panics(t, func() { Huber(0) })
	require.Panics(t, func() { Cauchy(math.NaN()) })
}

// Points that were turned, stretched and moved, two of them to a wrong place: a loss of each distance, in whatever
// direction. The two coordinates depend on different variables, of which the second sees no stretching.
func testLossesOfBlocks(t *testing.T) {
	from := [][2]float64{{0, 0}, {1, 0}, {2, 1}, {3, -1}, {-1, 2}, {-2, -2}, {4, 3}}
	to := make([][2]float64, len(from))
	for i, p := range from {
		to[i] = [2]float64{1.5*(0.8*p[0]-0.6*p[1]) + 3, 0.6*p[0] + 0.8*p[1] - 1 + 0.01*float64(i%3)}
	}
	to[2][0], to[5][1] = 9, -7
	residuals := func(b []reverse.Var) (r vars) { // angle, factor, two moves
		cos, sin := b[0].Cos(), b[0].Sin()
		for i, p := range from {
			r = append(r, cos.Scale(p[0]).Sub(sin.Scale(p[1])).Mul(b[1]).Add(b[2]).SubReal(to[i][0]),
				sin.Scale(p[0]).Add(cos.Scale(p[1])).Add(b[3]).SubReal(to[i][1]))
		}
		return r
	}
	sum := reverse.NewFunc(func(b []reverse.Var) reverse.Var {
		r := residuals(b)
		s := dual.Const[reverse.Var](0)
		for i := range from {
			s = s.Add(r[2*i].Square().Add(r[2*i+1].Square()).Scale(16).Log1p().Scale(1. / 32))
		}
		return s
	})
	start := []float64{0.5, 1, 2, 0}
	for _, normal := range []bool{false, true} {
		fit, err := LeastSquares{Loss: Cauchy(0.25), Block: 2, Normal: normal}.Solve(background, Problem{Func: reverse.NewFuncVec(residuals)}, start)
		require.NoError(t, err)
		f, g, err := sum.ValueGradient(nil, fit.X)
		require.NoError(t, err)
		require.InEpsilon(t, f, fit.F, 1e-13)
		require.LessOrEqual(t, floats.Norm(g, math.Inf(1)), 1e-8)
		best, err := TrustRegion{}.Solve(background, Problem{Func: sum}, fit.X)
		require.NoError(t, err)
		require.InEpsilon(t, best.F, fit.F, 1e-12)
		each, err := LeastSquares{Loss: Cauchy(0.25), Normal: normal}.Solve(background, Problem{Func: reverse.NewFuncVec(residuals)}, start)
		require.NoError(t, err)
		require.Greater(t, math.Abs(best.X[0]-each.X[0]), 1e-5, "a loss of each coordinate is another one")
	}
	require.Panics(t, func() {
		LeastSquares{Loss: Cauchy(1), Block: 4}.Solve(background, Problem{Func: reverse.NewFuncVec(residuals)}, start)
	})
}

// The model for a loss of blocks has its gradient Σρ′Jᵀr and, where that is positive, its Hessian but for the
// curvature of residuals: Jᵀ(ρ′I + 2ρ″rrᵀ)J of each block.
func TestModelsOfBlocksHaveTheCurvatureOfTheirLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n, block, blocks = 3, 2, 2
		number := rapid.Float64Range(-2, 2)
		a := mat.NewDense(block*blocks, n, rapid.SliceOfN(number, n*block*blocks, n*block*blocks).Draw(t, "J"))
		x := rapid.SliceOfN(number, n, n).Draw(t, "x")
		loss := Cauchy(4) // of positive curvature up to 4
		f := reverse.NewFuncVec(func(x vars) (r vars) {
			for i := range block * blocks {
				r = append(r, dual.Affine(0.1, mat.Row(nil, i, a), x).Scale(0.1))
			}
			return r
		})
		s := (&LeastSquares{Loss: loss, Block: block}).newSquares(Problem{Func: f}, x)
		require.NoError(t, s.arrive())
		got, want := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		j := mat.DenseCopyOf(s.p.j)
		got.Mul(j.T(), j)
		r, err := f.Values(nil, x)
		require.NoError(t, err)
		g := make([]float64, n)
		for b := range blocks {
			rb := mat.NewVecDense(block, r[b*block:(b+1)*block])
			_, d, dd := loss(mat.Dot(rb, rb))
			var c, h mat.Dense
			c.Outer(2*dd, rb, rb)
			for i := range block {
				c.Set(i, i, c.At(i, i)+d)
			}
			jb := mat.DenseCopyOf(a.Slice(b*block, (b+1)*block, 0, n))
			jb.Scale(0.1, jb)
			h.Product(jb.T(), &c, jb)
			want.Add(want, &h)
			var gb mat.VecDense
			gb.MulVec(jb.T(), rb)
			floats.AddScaled(g, d, gb.RawVector().Data)
		}
		require.True(t, mat.EqualApprox(want, got, 1e-13))
		require.InDeltaSlice(t, g, s.p.g, 1e-13)
	})
}

func TestLeastSquaresBetweenBounds(t *testing.T) {
	f := func(x []reverse.Var) []reverse.Var { // Rosenbrock's
		return []reverse.Var{x[1].Sub(x[0].Square()).Scale(10), x[0].RSub(1)}
	}
	for _, normal := range []bool{false, true} {
		for _, c := range []struct{ lower, upper, x0, want []float64 }{
			{[]float64{-2, -2}, []float64{2, 2}, []float64{-1.2, 1}, []float64{1, 1}},
			{nil, []float64{0.5, 2}, []float64{-1.2, 1}, []float64{0.5, 0.25}},
			{[]float64{-5, 1.5}, nil, []float64{2, 9}, []float64{1.2243703, 1.5}},
			{[]float64{3, 3}, []float64{3, 4}, []float64{0, 0}, []float64{3, 4}},
		} {
			r, err := LeastSquares{Normal: normal}.Solve(background, Problem{Func: reverse.NewFuncVec(f), Lower: c.lower, Upper: c.upper}, c.x0)
			require.NoError(t, err, "%v", c)
			require.InDeltaSlice(t, c.want, r.X, 1e-6, "%v", c)
		}
	}
}

// A curve through 2000 points that are fitted by 300 values, each of which has to do
// with its neighbors alone: by QR and by the normal equations.
func TestLeastSquaresOfManyVariables(t *testing.T) {
	const n, m = 300, 2000
	f := reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
		var r []reverse.Var
		for i := range m {
			at := float64(i) * (n - 1.001) / m
			k := int(at)
			v := x[k].Scale(1 - at + float64(k)).Add(x[k+1].Scale(at - float64(k)))
			r = append(r, v.Exp().SubReal(2+math.Sin(at/20)))
		}
		return r
	})
	x0 := make([]float64, n)
	qr, err := LeastSquares{}.Solve(background, Problem{Func: f}, x0)
	require.NoError(t, err)
	normal, err := LeastSquares{Normal: true}.Solve(background, Problem{Func: f}, x0)
	require.NoError(t, err)
	require.InEpsilon(t, qr.F, normal.F, 1e-12)
	require.InDeltaSlice(t, qr.X, normal.X, 1e-7)
	for i, x := range qr.X {
		require.InDelta(t, math.Log(2+math.Sin(float64(i)/20)), x, 2e-3)
	}
}

// The minimum of ½(x−3)² + ½(y−1)² + ½(z+2)² for x ≤ 2, z = 1: the multipliers are those of the
// distances to 3 and −2.
func TestLeastSquaresHasTheMultipliersOfBounds(t *testing.T) {
	r := reverse.NewFuncVec(func(x vars) vars { return vars{x[0].SubReal(3), x[1].SubReal(1), x[2].AddReal(2)} })
	p := Problem{Func: r, Lower: []float64{0, 0, 1}, Upper: []float64{2, 2, 1}}
	for _, normal := range []bool{false, true} {
		z, err := LeastSquares{Normal: normal}.Solve(background, p, []float64{0, 0, 0})
		require.NoError(t, err)
		require.InDeltaSlice(t, []float64{2, 1, 1}, z.X, 1e-10)
		require.InDeltaSlice(t, []float64{1, 0, -3}, z.Z, 1e-10)
	}
	free, err := LeastSquares{}.Solve(background, Problem{Func: r}, []float64{0, 0, 0})
	require.NoError(t, err)
	require.Nil(t, free.Z)
}

func TestBoundsThatContradictEachOtherAreInfeasible(t *testing.T) {
	f := reverse.NewFuncVec(func(x vars) vars { return vars{x[0].SubReal(3)} })
	p := Problem{Func: f, Lower: []float64{1}, Upper: []float64{0}}
	fit, err := LeastSquares{}.Solve(background, p, []float64{0})
	require.ErrorContains(t, err, "bounds 1 and 0 of variable 0 contradict each other")
	require.Equal(t, Infeasible, fit.Status)
	root, err := System{}.Solve(background, p, []float64{0})
	require.ErrorContains(t, err, "bounds 1 and 0 of variable 0 contradict each other")
	require.Equal(t, Infeasible, root.Status)
}

// A line through ten points: Cov = σ²(JᵀJ)⁻¹ in closed form, and the same where a parameter that nothing
// depends on, or a sum of two, is beside it.
func TestCovariance(t *testing.T) {
	fit := func(n int, f func(b []reverse.Var, t float64) reverse.Var) (*mat.SymDense, []float64) {
		g := reverse.NewFuncVec(func(b []reverse.Var) []reverse.Var {
			out := make([]reverse.Var, 10)
			for i := range out {
				u := float64(i)
				out[i] = f(b, u).SubReal(2*u + 1 + math.Sin(u))
			}
			return out
		})
		r, err := LeastSquares{}.Solve(background, Problem{Func: g}, []float64{1, 3, 2}[:n])
		require.NoError(t, err)
		c, err := LeastSquares{}.Covariance(Problem{Func: g}, r.X)
		require.NoError(t, err)
		d, err := LeastSquares{}.Deviations(Problem{Func: g}, r.X)
		require.NoError(t, err)
		for i, d := range d {
			if math.IsInf(d, 1) {
				require.True(t, math.IsInf(c.At(i, i), 1))
				continue
			}
			require.InEpsilon(t, math.Sqrt(c.At(i, i)), d, 1e-12)
		}
		return c, d
	}
	line := func(b []reverse.Var, u float64) reverse.Var { return b[0].Add(b[1].Scale(u)) }
	c, _ := fit(2, line)
	// Σu = 45, Σu² = 285, determinant 10·285 − 45².
	sigma2 := c.At(1, 1) * 825 / 10
	require.InEpsilon(t, sigma2*285/825, c.At(0, 0), 1e-12)
	require.InEpsilon(t, -sigma2*45/825, c.At(0, 1), 1e-12)

	sum, d := fit(3, func(b []reverse.Var, u float64) reverse.Var { return line(b, u).Add(b[2]) })
	require.InEpsilon(t, c.At(1, 1), sum.At(1, 1), 1e-8)
	require.True(t, math.IsInf(d[0], 1) && math.IsInf(d[2], 1))
	none, d := fit(3, func(b []reverse.Var, u float64) reverse.Var { return line(b, u).Add(b[2].Scale(0)) })
	for i := range 2 {
		for k := range 2 {
			require.InEpsilon(t, c.At(i, k), none.At(i, k), 1e-8)
		}
	}
	require.True(t, math.IsInf(d[2], 1))
}

// Minima at which residuals are large or J is nearly singular, so that f says nothing about the last digits of x:
// problems 6, 16 and 23 of Moré, Garbow and Hillstrom, Testing unconstrained optimization software, ACM TOMS 7, 1981,
// with their minima, from their starts and from 10 and 100 times these.
func TestLeastSquaresWhereTheObjectiveIsFlat(t *testing.T) {
	penalty := func(x vars) vars {
		r := vars{dual.Dot(x, x).SubReal(0.25)}
		for _, v := range x {
			r = append(r, v.SubReal(1).Scale(math.Sqrt(1e-5)))
		}
		return r
	}
	for name, c := range map[string]struct {
		f      func(x vars) vars
		x0     []float64
		scales []float64
		f2     float64 // ‖r‖²
	}{
		"Jennrich and Sampson": {func(x vars) (r vars) {
			for i := 1.0; i <= 10; i++ {
				r = append(r, x[0].Scale(i).Exp().Add(x[1].Scale(i).Exp()).RSub(2+2*i))
			}
			return r
		}, []float64{0.3, 0.4}, []float64{1}, 124.362},
		"penalty I, 4":  {penalty, []float64{1, 2, 3, 4}, []float64{1, 10, 100}, 2.24997e-5},
		"penalty I, 10": {penalty, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, []float64{1, 10, 100}, 7.08765e-5},
		"Brown and Dennis": {func(x vars) (r vars) {
			for i := 1.0; i <= 20; i++ {
				u := x[0].Add(x[1].Scale(i / 5)).SubReal(math.Exp(i / 5)).Square()
				r = append(r, u.Add(x[2].Add(x[3].Scale(math.Sin(i/5))).SubReal(math.Cos(i/5)).Square()))
			}
			return r
		}, []float64{25, 5, -5, -1}, []float64{1, 10, 100}, 85822.2},
	} {
		for _, scale := range c.scales {
			x0 := make([]float64, len(c.x0))
			floats.ScaleTo(x0, scale, c.x0)
			r, err := LeastSquares{}.Solve(background, Problem{Func: reverse.NewFuncVec(c.f)}, x0)
			require.NoError(t, err, "%s, %v times its start", name, scale)
			require.InEpsilon(t, c.f2, 2*r.F, 1e-5, "%s, %v times its start", name, scale)
		}
	}
}
