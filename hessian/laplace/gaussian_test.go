package laplace_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/hessian/laplace"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// regression is y = β₀ + β₁t + u of its group + noise, of which Laplace's approximation is exact.
// θ = (β₀, β₁, log of the deviation of u, that of the noise).
type regression struct {
	y, t   []float64
	group  []int
	groups int
}

func newRegression(seed uint64, n, groups int) *regression {
	r := rand.New(rand.NewPCG(seed, 1))
	m := &regression{groups: groups}
	u := make([]float64, groups)
	for i := range u {
		u[i] = r.NormFloat64()
	}
	for i := range n {
		g := (i + r.IntN(2)) % groups
		m.t, m.group = append(m.t, r.Float64()), append(m.group, g)
		m.y = append(m.y, 1+2*m.t[i]+u[g]+0.5*r.NormFloat64())
	}
	return m
}

func normal[T dual.Scalar[T]](x, logDeviation T) T { // negative log-density
	return x.Mul(logDeviation.Neg().Exp()).Square().Scale(0.5).Add(logDeviation).AddReal(0.5 * math.Log(2*math.Pi))
}

func (m *regression) joint(x []reverse.Var) reverse.Var {
	u, th := x[:m.groups], x[m.groups:]
	var f reverse.Var
	for _, u := range u {
		f = f.Add(normal(u, th[2]))
	}
	for i, y := range m.y {
		mean := th[0].Add(th[1].Scale(m.t[i])).Add(u[m.group[i]])
		f = f.Add(normal(mean.RSub(y), th[3]))
	}
	return f
}

// marginal is the closed form, restricted that of REML in closed form, a function of the deviations.
func (m *regression) marginal(th []reverse.Var) reverse.Var {
	n := len(m.y)
	return matrix.LogNormal(nil, matrix.New(1, n, dual.Consts[reverse.Var](nil, m.y)), m.means(th), matrix.Covariance, m.covariance(th[2], th[3]))[0].Neg()
}

func (m *regression) means(th []reverse.Var) (mean []reverse.Var) {
	for _, t := range m.t {
		mean = append(mean, th[0].Add(th[1].Scale(t)))
	}
	return mean
}

func (m *regression) covariance(effect, noise reverse.Var) *matrix.Dense[reverse.Var] {
	n := len(m.y)
	v := matrix.New[reverse.Var](n, n, nil)
	for i := range n {
		for j := range n {
			if m.group[i] == m.group[j] {
				v.Set(i, j, effect.Scale(2).Exp())
			}
		}
		v.Set(i, i, v.At(i, i).Add(noise.Scale(2).Exp()))
	}
	return v
}

func isAs(t require.TestingT, l *laplace.Marginal, f *reverse.Func, theta []float64) {
	tape, err := f.Tape(theta)
	require.NoError(t, err)
	value, g, err := tape.ValueGradient(nil, theta)
	require.NoError(t, err)
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, theta)
	require.NoError(t, err)
	scale := 1 + math.Abs(value)
	v, gradient, err := l.ValueGradient(nil, theta)
	require.NoError(t, err)
	require.InDelta(t, value, v, 1e-12*scale)
	for i := range g {
		scale += math.Abs(g[i])
	}
	require.InDeltaSlice(t, g, gradient, 1e-11*scale)
	second, err := l.Hessian(nil, theta)
	require.NoError(t, err)
	for i := range theta {
		for j := range theta {
			scale += math.Abs(h.At(i, j))
		}
	}
	for i := range theta {
		for j := range theta {
			require.InDelta(t, h.At(i, j), second.At(i, j), 1e-11*scale, "element (%d, %d)", i, j)
		}
	}
}

func TestGaussianModelsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newRegression(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(1, 12).Draw(t, "groups"))
		number := rapid.Float64Range(-1, 1)
		theta := []float64{number.Draw(t, "a"), number.Draw(t, "b"), number.Draw(t, "c"), number.Draw(t, "d")}
		isAs(t, marginal(t, reverse.NewFunc(m.joint), make([]float64, m.groups), make([]float64, 4)), reverse.NewFunc(m.marginal), theta)
	})
}

// With the coefficients integrated, too, the marginal is that of Patterson and Thompson (1971):
// L(β̂) + ½ ln det XᵀV⁻¹X − ½·2 ln 2π.
func TestRestrictedLikelihoodOfGaussianModels(t *testing.T) {
	m := newRegression(3, 30, 5)
	restricted := reverse.NewFunc(func(th []reverse.Var) reverse.Var {
		n := len(m.y)
		x := matrix.New[reverse.Var](n, 2, nil)
		for i, t := range m.t {
			x.Set(i, 0, dual.Const[reverse.Var](1))
			x.Set(i, 1, dual.Const[reverse.Var](t))
		}
		v := m.covariance(th[0], th[1])
		solved := matrix.SolveSPD(nil, v, x)
		gram := matrix.Mul(nil, x.T(), solved)
		right := matrix.MulVec(nil, solved.T(), dual.Consts[reverse.Var](nil, m.y))
		beta := matrix.SolveVec(nil, gram, right)
		return m.marginal(append(beta, th...)).Add(matrix.LogDetSPD(gram).Scale(0.5)).AddReal(-math.Log(2 * math.Pi))
	})
	l, err := laplace.Settings{Effects: []int{0, 1, 2, 3, 4, 5, 6}}.New(reverse.NewFunc(m.joint), make([]float64, 7), []float64{0, 0})
	require.NoError(t, err)
	for _, theta := range [][]float64{{0, 0}, {0.3, -0.7}, {-1, 1}} {
		isAs(t, l, restricted, theta)
	}
}

// A field with a sparse precision, whose log det is an operation without third derivatives: there are
// none by the effects.
func TestAFieldWithTheLogDetOfItsPrecision(t *testing.T) {
	const n = 12
	var y []float64
	for i := range n {
		y = append(y, math.Sin(float64(3*i)))
	}
	precision := func(theta []reverse.Var) *matrix.Dense[reverse.Var] { // τ((1 + κ)I + Laplacian of a path)
		q, tau := matrix.New[reverse.Var](n, n, nil), theta[0].Exp()
		for i := range n {
			q.Set(i, i, theta[1].Exp().AddReal(3).Mul(tau))
			if i > 0 {
				q.Set(i, i-1, tau.Neg())
				q.Set(i-1, i, tau.Neg())
			}
		}
		return q
	}
	var is, js []int
	for i := range n {
		for j := max(i-1, 0); j <= i; j++ {
			is, js = append(is, i), append(js, j)
		}
	}
	pattern := sparsity.FromCoordinates(n, n, is, js)
	joint := func(x []reverse.Var) (f reverse.Var) {
		u, q := x[:n], precision(x[n:])
		var elements []reverse.Var
		for i, j := range pattern.All() {
			term := u[i].Mul(u[j]).Mul(q.At(i, j))
			if i == j {
				term = term.Scale(0.5)
			}
			elements, f = append(elements, q.At(i, j)), f.Add(term)
		}
		f = f.Sub(implicit.LogDet(pattern, elements).Scale(0.5)).AddReal(n / 2.0 * math.Log(2*math.Pi))
		for i, u := range u {
			f = f.Add(normal(u.RSub(y[i]), x[n+2]))
		}
		return f
	}
	closed := func(theta []reverse.Var) reverse.Var {
		cov := matrix.Inverse(nil, precision(theta))
		for i := range n {
			cov.Set(i, i, cov.At(i, i).Add(theta[2].Scale(2).Exp()))
		}
		return matrix.LogNormal(nil, matrix.New(1, n, dual.Consts[reverse.Var](nil, y)), nil, matrix.Covariance, cov)[0].Neg()
	}
	theta := []float64{0.3, -0.5, 0.2}
	isAs(t, marginal(t, reverse.NewFunc(joint), make([]float64, n), theta), reverse.NewFunc(closed), theta)
}

// The estimates and errors of a linear mixed model are those of its closed marginal; the effects'
// errors are those of the joint normal distribution.
func TestFitOfAGaussianModel(t *testing.T) {
	m := newRegression(5, 60, 8)
	l := marginal(t, reverse.NewFunc(m.joint), make([]float64, m.groups), make([]float64, 4))
	e, err := l.Fit(context.Background(), make([]float64, 4))
	require.NoError(t, err)
	closed := reverse.NewFunc(m.marginal)
	value, g, err := closed.ValueGradient(nil, e.Theta)
	require.NoError(t, err)
	require.InDelta(t, value, e.Value, 1e-10)
	require.InDeltaSlice(t, make([]float64, 4), g, 1e-6)
	tape, err := closed.Tape(e.Theta)
	require.NoError(t, err)
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, e.Theta)
	require.NoError(t, err)
	var inverse mat.Dense
	require.NoError(t, inverse.Inverse(h))
	for k := range 4 {
		require.InEpsilon(t, math.Sqrt(inverse.At(k, k)), e.ThetaErrors[k], 1e-8)
	}
	// A function that is an effect, or a parameter, has its errors.
	values, errs, err := e.Of(reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[2], x[m.groups+1]} }))
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{e.U[2], e.Theta[1]}, values, 1e-12)
	require.InDeltaSlice(t, []float64{e.UErrors[2], e.ThetaErrors[1]}, errs, 1e-12)

	// With θ₁ bounded it is marked and taken as known.
	low := []float64{math.Inf(-1), e.Theta[1] + 1, math.Inf(-1), math.Inf(-1)}
	bounded, err := laplace.FitSettings{Lower: low}.Fit(context.Background(), l, []float64{0, low[1] + 1, 0, 0})
	require.NoError(t, err)
	require.Equal(t, []int{0, -1, 0, 0}, bounded.Bound)
	require.Equal(t, low[1], bounded.Theta[1])
	require.Zero(t, bounded.ThetaErrors[1])
	require.Contains(t, bounded.String(), "at its lower bound")
	var free mat.Dense
	tape.Value(bounded.Theta)
	h, err = hessian.New(tape, hessian.FoR).Dense(nil, bounded.Theta)
	require.NoError(t, err)
	part := mat.NewDense(3, 3, nil)
	for a, i := range []int{0, 2, 3} {
		for b, j := range []int{0, 2, 3} {
			part.Set(a, b, h.At(i, j))
		}
	}
	require.NoError(t, free.Inverse(part))
	require.InEpsilon(t, math.Sqrt(free.At(0, 0)), bounded.ThetaErrors[0], 1e-8)
}

// The local level model, a random walk with noise, by the Kalman filter: Durbin and Koopman, Time
// Series Analysis by State Space Methods, 2012, chapter 2.
func TestALongGaussianChainIsAsByTheKalmanFilter(t *testing.T) {
	const n = 20000
	r := rand.New(rand.NewPCG(7, 8))
	y, level := make([]float64, n), 0.0
	for i := range y {
		level += 0.3 * r.NormFloat64()
		y[i] = level + r.NormFloat64()
	}
	l := marginal(t, reverse.NewFunc(func(x []reverse.Var) (f reverse.Var) {
		u, step, noise := x[:n], x[n], x[n+1]
		f = normal(u[0], dual.Const[reverse.Var](0))
		for i := range u {
			if i > 0 {
				f = f.Add(normal(u[i].Sub(u[i-1]), step))
			}
			f = f.Add(normal(u[i].RSub(y[i]), noise))
		}
		return f
	}), make([]float64, n), make([]float64, 2))
	kalman := func(theta []dual.Hyper) (f dual.Hyper) {
		step, noise := theta[0].Scale(2).Exp(), theta[1].Scale(2).Exp()
		mean, variance := dual.Const[dual.Hyper](0), dual.Const[dual.Hyper](1)
		for _, y := range y {
			total := variance.Add(noise)
			v := mean.RSub(y)
			f = f.Add(total.Log().Add(v.Square().Div(total)).AddReal(math.Log(2 * math.Pi)).Scale(0.5))
			gain := variance.Div(total)
			mean, variance = mean.Add(gain.Mul(v)), variance.Mul(gain.RSub(1)).Add(step)
		}
		return f
	}
	theta := []float64{-1, 0.1}
	value, g, err := l.ValueGradient(nil, theta)
	require.NoError(t, err)
	h, err := l.Hessian(nil, theta)
	require.NoError(t, err)
	for i := range 2 {
		for j := range 2 {
			x := []dual.Hyper{{V: theta[0]}, {V: theta[1]}}
			x[i].D1 = 1
			x[j].D2 = 1
			want := kalman(x)
			require.InEpsilon(t, want.V, value, 1e-12)
			require.InDelta(t, want.D1, g[i], 1e-11*math.Abs(want.V))
			require.InDelta(t, want.D12, h.At(i, j), 1e-11*math.Abs(want.V))
		}
	}
}
