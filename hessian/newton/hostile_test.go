package newton

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

var hostile = flag.Int("hostile", 200, "random hostile problems that each solver is tried on")

// A hostileFunction is a function ℝⁿ → ℝᵐ of n shapes that are steep, flat, singular or without a
// zero, applied to sums of variables in any units, and a start that is far.
type hostileFunction struct {
	n, m    int
	kinds   []int
	weights []float64
	x0      []float64
	at      []float64
}

var hostileShapes = []func(x, at reverse.Var) reverse.Var{
	func(x, at reverse.Var) reverse.Var { return x.Sub(at) },
	func(x, at reverse.Var) reverse.Var { return x.Sub(at).Square() },
	func(x, at reverse.Var) reverse.Var { return x.PowInt(8).Sub(at.Square()) },
	func(x, at reverse.Var) reverse.Var { return x.Exp().Sub(at) },
	func(x, at reverse.Var) reverse.Var { return x.Scale(5).Exp().SubReal(2) },
	func(x, at reverse.Var) reverse.Var { return x.Square().AddReal(1) },
	func(x, at reverse.Var) reverse.Var { return x.Atan() },
	func(x, at reverse.Var) reverse.Var { return x.PowInt(3).Add(at) },
	func(x, at reverse.Var) reverse.Var { return x.Cosh().Sub(at) },
	func(x, at reverse.Var) reverse.Var { return x.Sin().Mul(x) },
}

func newHostileFunction(r *rand.Rand) *hostileFunction {
	n := 1 + r.IntN(4)
	f := &hostileFunction{n: n, m: max(1, n-1+r.IntN(3))}
	far := math.Pow(10, 2*r.Float64()-0.5)
	for range n {
		f.x0 = append(f.x0, math.Round(far*r.NormFloat64()*8)/8)
	}
	for range f.m {
		f.kinds = append(f.kinds, r.IntN(len(hostileShapes)))
		f.at = append(f.at, math.Round(4*r.NormFloat64())/2)
		for range n {
			w := 0.0
			if r.IntN(2) == 0 {
				w = math.Round(4*r.NormFloat64()) / 4
			}
			f.weights = append(f.weights, w)
		}
		if r.IntN(4) == 0 { // units
			floats.Scale(math.Pow(10, 6*r.Float64()-3), f.weights[len(f.weights)-n:])
		}
	}
	return f
}

func (f *hostileFunction) values(x []reverse.Var) []reverse.Var {
	out := make([]reverse.Var, f.m)
	for i := range out {
		arg := dual.Affine(0, f.weights[i*f.n:(i+1)*f.n], x)
		out[i] = hostileShapes[f.kinds[i]](arg, dual.Const[reverse.Var](f.at[i]))
	}
	return out
}

// Where System returns no error F is 0 by its test, or within what the rounding of x and of some
// operations makes of it: computed from the derivatives at the point alone.
func TestSystemOnHostileProblems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	solved := 0
	for k := range *hostile {
		f := newHostileFunction(r)
		fn := reverse.NewFuncVec(f.values)
		res, err := System{}.Solve(background, Problem{Func: fn}, f.x0)
		if err != nil {
			continue
		}
		solved++
		values, err := fn.Values(nil, res.X)
		require.NoError(t, err)
		tape, err := fn.Tape(res.X)
		require.NoError(t, err)
		j, err := tape.Jacobian(nil, res.X)
		require.NoError(t, err)
		for i, v := range values {
			size, terms := 0.0, math.Abs(v)+math.Abs(f.at[i])+f.at[i]*f.at[i]+2
			for l, x := range res.X {
				size += math.Abs(j.At(i, l) * x)
			}
			require.LessOrEqual(t, math.Abs(v), 1e-10*size*(1+1e-9)+1e-13*(size+terms), "problem %d: %+v at %v", k, f, res.X)
		}
	}
	require.Greater(t, solved, *hostile/8)
	t.Logf("%d of %d solved", solved, *hostile)
}

// Where LeastSquares returns no error the gradient is 0 by one of its tests, with the step of Gauss and
// Newton by an SVD.
func TestLeastSquaresOnHostileProblems(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	solved := 0
	for k := range *hostile {
		f := newHostileFunction(r)
		fn := reverse.NewFuncVec(f.values)
		res, err := LeastSquares{}.Solve(background, Problem{Func: fn}, f.x0)
		if err != nil {
			continue
		}
		solved++
		values, err := fn.Values(nil, res.X)
		require.NoError(t, err)
		tape, err := fn.Tape(res.X)
		require.NoError(t, err)
		j, err := tape.Jacobian(nil, res.X)
		require.NoError(t, err)
		cosine, rounded, norm := 0.0, true, floats.Norm(values, 2)
		c := make([]float64, f.n)
		for l := range f.n {
			col := mat.Col(nil, l, j)
			c[l] = floats.Norm(col, 2)
			g := floats.Dot(col, values)
			if g != 0 {
				cosine = max(cosine, math.Abs(g)/c[l]/norm)
			}
			size := 0.0
			for i := range f.m {
				for q, x := range res.X {
					size += math.Abs(j.At(i, l) * j.At(i, q) * x)
				}
			}
			rounded = rounded && math.Abs(g) <= 17*epsilon*size
			if c[l] == 0 {
				c[l] = 1
			}
		}
		if cosine <= 1.001e-10 || rounded {
			continue
		}
		a := mat.NewDense(f.m, f.n, nil)
		a.Apply(func(i, l int, v float64) float64 { return v / c[l] }, j)
		var svd mat.SVD
		require.True(t, svd.Factorize(a, mat.SVDThin))
		var z mat.Dense
		svd.SolveTo(&z, mat.NewVecDense(f.m, values), f.n)
		require.LessOrEqual(t, mat.Norm(&z, 2), 1.1e-10*scaledNorm(c, res.X), "problem %d: %+v at %v", k, f, res.X)
	}
	require.Greater(t, solved, *hostile/8)
	t.Logf("%d of %d solved", solved, *hostile)
}

// Where TrustRegion returns no error the Hessian is positive semidefinite, and Newton's step, by
// eigenvectors, passes its test along all that are no valley, with nothing of the gradient along these.
func TestTrustRegionOnHostileProblems(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	solved := 0
	for k := range *hostile {
		f := newHostileFunction(r)
		fn := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
			v := f.values(x)
			if k%3 == 0 { // not convex
				return dual.Sum(v)
			}
			return dual.Dot(v, v)
		})
		for _, products := range []bool{false, true} {
			res, err := TrustRegion{Products: products}.Solve(background, Problem{Func: fn}, f.x0)
			if err != nil || floats.Norm(res.X, math.Inf(1)) > 1e50 { // where curvatures underflow
				continue
			}
			solved++
			requireStationary(t, fn, res.X, products, k)
		}
	}
	require.Greater(t, solved, *hostile/2)
	t.Logf("%d of %d solved", solved, 2**hostile)
}

func requireStationary(t *testing.T, fn *reverse.Func, x []float64, products bool, k int) {
	t.Helper()
	n := len(x)
	value, g, err := fn.ValueGradient(nil, x)
	require.NoError(t, err)
	tape, err := fn.Tape(x)
	require.NoError(t, err)
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	c := make([]float64, n)
	rounded, gNorm, hxNorm := true, floats.Norm(g, 2), mat.Norm(h, 2)*floats.Norm(x, 2)
	for i := range n {
		size := 0.0
		for j, v := range x {
			size += math.Abs(h.At(i, j) * v)
		}
		rounded = rounded && math.Abs(g[i]) <= 17*epsilon*size
		if c[i] = math.Sqrt(math.Abs(h.At(i, i))); c[i] == 0 || products {
			c[i] = 1
		}
	}
	if products {
		rounded = gNorm <= 17*epsilon*hxNorm
	}
	a := mat.NewSymDense(n, nil)
	scaled := make([]float64, n)
	for i := range n {
		scaled[i] = g[i] / c[i]
		for j := range i + 1 {
			a.SetSym(i, j, h.At(i, j)/c[i]/c[j])
		}
	}
	var eig mat.EigenSym
	require.True(t, eig.Factorize(a, true))
	values := eig.Values(nil)
	size := max(values[n-1], -values[0])
	// Products meets negative curvature only along what the gradient has a part of.
	require.True(t, products || values[0] >= -1e-9*size, "problem %d, products %v: saddle at %v", k, products, x)
	if rounded {
		return
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	step, decrease, flat := 0.0, 0.0, 0.0
	for i, v := range values {
		along := floats.Dot(mat.Col(nil, i, &vectors), scaled)
		if v <= 1e-10*size {
			flat = math.Hypot(flat, along)
			continue
		}
		step = math.Hypot(step, along/v)
		decrease += along * along / v
	}
	length := scaledNorm(c, x)
	require.True(t, step <= 1.1e-10*length || decrease <= 1.1e-20*math.Abs(value),
		"problem %d, products %v: step %.3g of %.3g, decrease %.3g of %.3g at %v", k, products, step, length, decrease, value, x)
	require.LessOrEqual(t, flat, floats.Norm(scaled, 2)*0.9+1e-13*(size*length+1+math.Abs(value)), "problem %d, products %v: flat", k, products)
}

// A start far up a steep function is no measure of its zeros.
func TestSystemFromAfar(t *testing.T) {
	for name, c := range map[string]struct {
		f    func(x reverse.Var) reverse.Var
		x0   float64
		root float64 // NaN if there is none
	}{
		"eˣ + 1":   {func(x reverse.Var) reverse.Var { return x.Exp().AddReal(1) }, 60, math.NaN()},
		"eˣ":       {reverse.Var.Exp, 100, math.NaN()},
		"x²⁰ + 1":  {func(x reverse.Var) reverse.Var { return x.PowInt(20).AddReal(1) }, 20, math.NaN()},
		"x²⁰ − 1":  {func(x reverse.Var) reverse.Var { return x.PowInt(20).SubReal(1) }, 20, 1},
		"e⁵ˣ − 2":  {func(x reverse.Var) reverse.Var { return x.Scale(5).Exp().SubReal(2) }, 20, math.Ln2 / 5},
		"(x − 1)²": {func(x reverse.Var) reverse.Var { return x.SubReal(1).Square() }, 7.3, 1},
		"x⁴":       {func(x reverse.Var) reverse.Var { return x.PowInt(4) }, 3, 0},
	} {
		r, err := System{}.Solve(background, Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{c.f(x[0])}
		})}, []float64{c.x0})
		if math.IsNaN(c.root) {
			require.Error(t, err, name)
			continue
		}
		require.NoError(t, err, name)
		require.InDelta(t, c.root, r.X[0], 1e-9, name)
	}
}

func TestSystemAtSingularRoots(t *testing.T) {
	for k := range 40 {
		a := float64(k)
		_, err := System{}.Solve(background, Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{x[0].SubReal(1).Square(), x[1].Sub(x[0])}
		})}, []float64{5 + 2.3*a, 3 + a})
		require.NoError(t, err)
		r, err := System{}.Solve(background, Problem{Func: reverse.NewFuncVec(powellResiduals)}, []float64{3 + a, -1, 0, 1})
		require.NoError(t, err)
		require.Zero(t, r.Unscaled.Primal)
	}
}

// powellResiduals are those of Powell's singular function (Moré, Garbow and Hillstrom, 13).
func powellResiduals(x []reverse.Var) []reverse.Var {
	return []reverse.Var{
		x[0].Add(x[1].Scale(10)), x[2].Sub(x[3]).Scale(math.Sqrt(5)),
		x[1].Sub(x[2].Scale(2)).Square(), x[0].Sub(x[3]).Square().Scale(math.Sqrt(10)),
	}
}

// The Hessian is singular at the minimum, of Powell's function along a plane, and in the others was far larger at the start.
func TestTrustRegionAfterASteepStart(t *testing.T) {
	plane := func(x []reverse.Var) reverse.Var { return x[1].Add(x[2]).SubReal(1).Square() }
	for _, c := range []struct {
		f    func(x []reverse.Var) reverse.Var
		x0   []float64
		want float64
	}{
		{func(x []reverse.Var) reverse.Var { return x[0].Cosh().Add(plane(x)) }, []float64{40, 2, 3}, 1},
		{func(x []reverse.Var) reverse.Var { return x[0].Cosh().Add(plane(x)) }, []float64{100, 2, 3}, 1},
		{func(x []reverse.Var) reverse.Var {
			return x[0].SubReal(1).PowInt(8).Add(x[0].SubReal(1).Square()).Add(plane(x))
		}, []float64{1e4, 2, 3}, 0},
		{func(x []reverse.Var) reverse.Var { r := powellResiduals(x); return dual.Dot(r, r) }, []float64{3, -1, 0, 1}, 0},
	} {
		r, err := TrustRegion{}.Solve(background, Problem{Func: reverse.NewFunc(c.f)}, c.x0)
		require.NoError(t, err)
		require.InDelta(t, c.want, r.F, 1e-12)
	}
}

// Brown's almost linear function has a valley with curvatures from 1 to 10⁶⁰ where f is 10⁶ and more, and minima from 0 to 1.5.
func TestTrustRegionInBrownsValley(t *testing.T) {
	for _, c := range []struct {
		n     int
		start float64
	}{{10, 50}, {40, 5}, {40, 50}, {20, 10}} {
		x0 := make([]float64, c.n)
		floats.AddConst(c.start, x0)
		r, err := TrustRegion{}.Solve(background, Problem{Func: reverse.NewFunc(func(x []reverse.Var) reverse.Var {
			sum, product := dual.Sum(x), x[0]
			for _, v := range x[1:] {
				product = product.Mul(v)
			}
			f := product.SubReal(1).Square()
			for _, v := range x[:c.n-1] {
				f = f.Add(v.Add(sum).SubReal(float64(c.n + 1)).Square())
			}
			return f
		})}, x0)
		if err != nil {
			continue
		}
		// Exactly, as the product may be anything.
		exact := func(v float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(v) }
		sum, product := exact(0), exact(1)
		for _, v := range r.X {
			sum.Add(sum, exact(v))
			product.Mul(product, exact(v))
		}
		f := new(big.Float).Sub(product, exact(1))
		f.Mul(f, f)
		for _, v := range r.X[:c.n-1] {
			d := new(big.Float).Add(sum, exact(v-float64(c.n+1)))
			f.Add(f, d.Mul(d, d))
		}
		value, _ := f.Float64()
		require.LessOrEqual(t, value, 1.5)
	}
}

// Meyer's function (Moré, Garbow and Hillstrom, 10) in its own units, of 10⁻² to 10⁵.
func TestProductsOnMeyersFunction(t *testing.T) {
	y := []float64{34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872}
	for _, x0 := range [][]float64{{0.2, 40000, 2500}, {2, 400000, 25000}, {0.02, 4000, 250}} {
		r, err := TrustRegion{Products: true}.Solve(background, Problem{Func: reverse.NewFunc(func(x []reverse.Var) reverse.Var {
			f := dual.Const[reverse.Var](0)
			for i, v := range y {
				f = f.Add(x[0].Mul(x[1].Div(x[2].AddReal(50 + 5*float64(i))).Exp()).SubReal(v).Square())
			}
			return f
		})}, x0)
		if err == nil {
			require.InEpsilon(t, 87.9458, r.F, 1e-5)
		}
	}
}
