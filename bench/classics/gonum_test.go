package classics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/optimize/functions"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/roundoff"
	"github.com/hesse-ad/hesse/reverse"
)

// A plain is gonum's form of a function.
type plain interface{ Func(x []float64) float64 }

var gonums = map[string]plain{
	"Ackley": functions.Ackley{}, "Beale": functions.Beale{}, "BiggsEXP2": functions.BiggsEXP2{},
	"BiggsEXP3": functions.BiggsEXP3{}, "BiggsEXP4": functions.BiggsEXP4{}, "BiggsEXP5": functions.BiggsEXP5{},
	"BiggsEXP6": functions.BiggsEXP6{}, "Box3D": functions.Box3D{}, "BraninHoo": functions.BraninHoo{},
	"BrownAndDennis": functions.BrownAndDennis{}, "BrownBadlyScaled": functions.BrownBadlyScaled{},
	"Bukin6": functions.Bukin6{}, "CamelSix": functions.CamelSix{}, "CamelThree": functions.CamelThree{},
	"ConcaveLeft": functions.ConcaveLeft{}, "ConcaveRight": functions.ConcaveRight{},
	"CrossInTray": functions.CrossInTray{}, "DixonPrice": functions.DixonPrice{}, "DropWave": functions.DropWave{},
	"Eggholder": functions.Eggholder{}, "ExtendedPowellSingular": functions.ExtendedPowellSingular{},
	"ExtendedRosenbrock": functions.ExtendedRosenbrock{}, "Gaussian": functions.Gaussian{},
	"GramacyLee": functions.GramacyLee{}, "Griewank": functions.Griewank{},
	"GulfResearchAndDevelopment": functions.GulfResearchAndDevelopment{}, "HelicalValley": functions.HelicalValley{},
	"HolderTable": functions.HolderTable{}, "Langermann2": functions.Langermann2{}, "Levy": functions.Levy{},
	"Levy13": functions.Levy13{}, "Linear": functions.Linear{}, "MinimalSurface": functions.NewMinimalSurface(6, 6),
	"PenaltyI": functions.PenaltyI{}, "PenaltyII": functions.PenaltyII{},
	"Plassmann": functions.Plassmann{L: 39, Beta: 0.01}, "PowellBadlyScaled": functions.PowellBadlyScaled{},
	"Rastrigin": functions.Rastrigin{}, "Schaffer2": functions.Schaffer2{}, "Schaffer4": functions.Schaffer4{},
	"Schwefel": functions.Schwefel{}, "Shubert": functions.Shubert{}, "Sphere": functions.Sphere{},
	"Trigonometric": functions.Trigonometric{}, "VariablyDimensioned": functions.VariablyDimensioned{},
	"Watson": functions.Watson{}, "Wood": functions.Wood{},
	"YanaiOzawaKaneko": functions.YanaiOzawaKaneko{Beta1: 0.001, Beta2: 0.001},
}

// differ are those that gonum has as another function than the source.
var differ = []string{"CrossInTray", "Schaffer4"}

// gradient is gonum's ∇f(x), nil if there is none.
func gradient(f plain, x []float64) []float64 {
	g := make([]float64, len(x))
	switch f := f.(type) {
	case interface{ Grad(grad, x []float64) }:
		f.Grad(g, x)
	case interface {
		Grad(grad, x []float64) []float64
	}:
		f.Grad(g, x)
	default:
		return nil
	}
	return g
}

// points are the start, points around it, and the minima.
func points[T dual.Scalar[T]](p Problem[T]) [][]float64 {
	rnd := rand.New(rand.NewPCG(1, 2))
	at := [][]float64{p.X0}
	for range 5 {
		x := slices.Clone(p.X0)
		for i := range x {
			x[i] += (1 + math.Abs(x[i])) * (rnd.Float64() - 0.5) / 2
		}
		at = append(at, x)
	}
	for _, m := range p.Minima {
		if m.X != nil {
			at = append(at, m.X)
		}
	}
	return at
}

func abs(x float64) float64 { return math.Abs(x) }

const eps = 0x1p-53

type bounded = dual.Of[dual.Of[roundoff.Number]]

// bounds bounds the rounding errors of f, ∇f and ∇²f where the variables are off
// by δ.
func bounds(f func(x []bounded) bounded, x []float64, delta float64) (v float64, g []float64, h *mat.SymDense) {
	n := len(x)
	g, h = make([]float64, n), mat.NewSymDense(n, nil)
	z := make([]bounded, n)
	for i := range n {
		for j := range i + 1 {
			for k, x := range x {
				z[k] = bounded{}
				z[k].V.V = roundoff.Rounded(x, delta*(1+abs(x)))
			}
			z[i].V.D, z[j].D.V = roundoff.Exact(1), roundoff.Exact(1)
			y := f(z)
			v, g[i] = y.V.V.E, y.V.D.E
			h.SetSym(i, j, y.D.D.E)
		}
	}
	return v, g, h
}

// Two programs round their operations differently, which is like errors of
// some ε in the variables, too.
func TestValuesAndGradientsAreGonums(t *testing.T) {
	all := All[bounded]()
	for i, p := range All[reverse.Var]() {
		their := gonums[p.Name]
		if slices.Contains(differ, p.Name) {
			continue
		}
		f := reverse.NewFunc(p.F)
		for _, x := range points(p) {
			v, g, err := f.ValueGradient(nil, x)
			require.NoError(t, err)
			tol, tolG, _ := bounds(all[i].F, x, 8*eps)
			want := gradient(their, x)
			for i := range x {
				if want != nil {
					assert.InDelta(t, want[i], g[i], tolG[i], "%s: ∂%d at %v", p.Name, i, x)
				}
			}
			assert.InDelta(t, their.Func(x), v, tol, "%s at %v", p.Name, x)
		}
	}
}

type nested = dual.Of[dual.Of[dual.Real]]

// nestedHessian is the Hessian by dual numbers over dual numbers.
func nestedHessian(f func(x []nested) nested, x []float64) *mat.SymDense {
	h := mat.NewSymDense(len(x), nil)
	z := make([]nested, len(x))
	for i := range x {
		for j := range i + 1 {
			for k, x := range x {
				z[k] = nested{V: dual.Of[dual.Real]{V: dual.Real(x)}}
			}
			z[i].V.D, z[j].D.V = 1, 1
			h.SetSym(i, j, float64(f(z).D.D))
		}
	}
	return h
}

// assertHessian allows what package randprog derives for two modes.
func assertHessian(t *testing.T, want, got mat.Symmetric, bound *mat.SymDense, what string) {
	t.Helper()
	for i := range want.SymmetricDim() {
		for j := range i + 1 {
			assert.InDelta(t, want.At(i, j), got.At(i, j), 2*bound.At(i, j), "%s: (%d, %d)", what, i, j)
		}
	}
}

func TestHessiansOfAllStrategiesAgree(t *testing.T) {
	hyper, deep, all := All[dual.Hyper](), All[nested](), All[bounded]()
	for i, p := range All[reverse.Var]() {
		f := reverse.NewFunc(p.F)
		for _, x := range points(p) {
			tape, err := f.Tape(x)
			require.NoError(t, err)
			_, _, tol := bounds(all[i].F, x, 0)
			want := hessian.Forward(nil, hyper[i].F, x)
			what := fmt.Sprintf("%s at %v by ", p.Name, x)
			assertHessian(t, want, nestedHessian(deep[i].F, x), tol, what+"nested numbers")
			for _, s := range hessian.Strategies {
				h, err := hessian.New(tape, s).Dense(nil, x)
				require.NoError(t, err)
				assertHessian(t, want, h, tol, what+s.String())
			}
		}
	}
}

// gonum forms the residuals in the Hessians otherwise, which is like errors in
// the terms of the Hessian that are their sums.
func TestHessiansAreGonums(t *testing.T) {
	all := All[bounded]()
	count := 0
	for i, p := range All[reverse.Var]() {
		their, ok := gonums[p.Name].(interface {
			Hess(dst *mat.SymDense, x []float64)
		})
		if !ok || p.Name == "Beale" {
			continue
		}
		count++
		for _, x := range points(p) {
			tape, err := reverse.Record(p.F, x)
			require.NoError(t, err)
			h, err := hessian.New(tape, hessian.FoR).Dense(nil, x)
			require.NoError(t, err)
			want := mat.NewSymDense(len(x), nil)
			their.Hess(want, x)
			_, _, tol := bounds(all[i].F, x, 0)
			assertHessian(t, want, h, tol, fmt.Sprintf("%s at %v", p.Name, x))
		}
	}
	require.Equal(t, 7, count)
}

// gonum's Beale.Hess has x₁ for x₀ in the residuals: it is right where the two
// are the same. Differences of gonum's own gradient tell who is right.
func TestGonumsHessianOfBealeIsWrong(t *testing.T) {
	their, diff := mat.NewSymDense(2, nil), mat.NewDense(2, 2, nil)
	for _, x := range [][]float64{{1, 1}, {2, 2}, {3, 0.5}, {1, 4}} {
		h, err := hessian.Of(nil, BealeOf, x)
		require.NoError(t, err)
		functions.Beale{}.Hess(their, x)
		fd.Jacobian(diff, functions.Beale{}.Grad, x, &fd.JacobianSettings{Formula: fd.Central})
		size := mat.Max(h)
		for i := range 2 {
			for j := range 2 {
				// Central differences with steps 6·10⁻⁶ are good to about 10 digits.
				require.InDelta(t, diff.At(i, j), h.At(i, j), 1e-8*size)
			}
		}
		require.Equal(t, x[0] == x[1], mat.EqualApprox(h, their, 1e-12*size), "%v", x)
	}
}

// Of the functions that gonum has otherwise the documented minima tell who is
// right.
func TestGonumHasOtherFunctions(t *testing.T) {
	for _, p := range All[dual.Real]() {
		if !slices.Contains(differ, p.Name) {
			continue
		}
		for _, m := range p.Minima {
			require.InDelta(t, m.F, value(p, m.X), 1e-5, p.Name)
			require.Greater(t, abs(gonums[p.Name].Func(m.X)-m.F), 0.05, p.Name)
		}
	}
}

func value(p Problem[dual.Real], x []float64) float64 {
	z := make([]dual.Real, len(x))
	for i, x := range x {
		z[i] = dual.Real(x)
	}
	return float64(p.F(z))
}

// The minima have four digits at least, most have all.
func TestMinimaHaveTheirValues(t *testing.T) {
	for _, p := range All[dual.Real]() {
		for _, m := range p.Minima {
			if m.X == nil {
				continue
			}
			f := value(p, m.X)
			require.InDelta(t, m.F, f, 5e-5*max(1, abs(m.F)), p.Name)
			rnd := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				x := slices.Clone(m.X)
				for i := range x {
					x[i] += 0.01 * (rnd.Float64() - 0.5)
				}
				if p.Name == "Eggholder" {
					x[0] = min(x[0], 512) // the edge of its domain
				}
				require.GreaterOrEqual(t, value(p, x), f-1e-6*abs(f), "%s at %v", p.Name, x)
			}
		}
		if theirs, ok := gonums[p.Name].(interface{ Minima() []functions.Minimum }); ok {
			for _, m := range theirs.Minima() {
				if len(m.X) == len(p.X0) {
					require.InDelta(t, m.F, value(p, m.X), 1e-6, p.Name)
				}
			}
		}
	}
}

// newtonFails says where there is no minimum for Newton's method to find.
var newtonFails = map[string]string{
	"Bukin6":         "has kinks along the whole valley, the minimum among them",
	"Eggholder":      "has its minimum at the edge of the domain",
	"Linear":         "has no minimum",
	"MinimalSurface": "has a test of its own",
}

// gonum's Newton method stops where the line search finds no lower value
// before the gradient is below 10⁻¹²; what counts is where.
func TestNewtonReachesTheMinima(t *testing.T) {
	for _, p := range All[reverse.Var]() {
		if newtonFails[p.Name] != "" {
			continue
		}
		f := reverse.NewFunc(p.F)
		r, err := optimize.Minimize(hessian.Problem(f), p.X0, nil, &optimize.Newton{})
		if !errors.Is(err, optimize.ErrLinesearcherFailure) && !errors.Is(err, optimize.ErrNoProgress) {
			require.NoError(t, err, p.Name)
		}
		found := slices.ContainsFunc(p.Minima, func(m Minimum) bool {
			if abs(r.F-m.F) > 5e-5*abs(m.F)+1e-12 {
				return false
			}
			for i, x := range m.X {
				if abs(r.X[i]-x) > 1e-4*(1+abs(x)) {
					return false
				}
			}
			return true
		})
		assert.True(t, found, "%s: %v at %v by %v", p.Name, r.F, r.X, r.Status)
	}
}

// Linear elements have errors in h²: half the h, a quarter of the error.
func TestMinimalSurfaceIsEnnepers(t *testing.T) {
	var off [2]float64
	for k, m := range []int{9, 17} {
		f := reverse.NewFunc(MinimalSurface[reverse.Var](m))
		p := hessian.Problem(f)
		r, err := optimize.Minimize(p, surfaceStart(m), nil, &optimize.Newton{})
		require.NoError(t, err)
		for i, exact := range functions.NewMinimalSurface(m, m).ExactX() {
			off[k] = max(off[k], abs(r.X[i]-exact))
		}
	}
	require.InDelta(t, 4, off[0]/off[1], 1)
	require.Less(t, off[1], 1e-3)
}

func TestAllOfGonumIsHere(t *testing.T) {
	names := map[string]bool{}
	for _, p := range All[dual.Real]() {
		names[p.Name] = true
		require.Contains(t, gonums, p.Name)
	}
	require.Len(t, names, len(gonums))
	require.Len(t, names, 48)
}
