package implicit

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// requireSameFunction compares two tapes of one function in all that can be
// asked of them.
func requireSameFunction(t require.TestingT, want, got *reverse.Tape, x []float64, tolerance float64) {
	rnd := rand.New(rand.NewPCG(31, 1))
	n, m := want.Inputs(), want.Outputs()
	v, w := randomVector(rnd, n), randomVector(rnd, m)
	compare := func(f func(t *reverse.Tape) ([]float64, error)) {
		a, err := f(want)
		require.NoError(t, err)
		b, err := f(got)
		require.NoError(t, err)
		requireClose(t, vec(a), vec(b), tolerance)
	}
	compare(func(t *reverse.Tape) ([]float64, error) { return t.Values(nil, x) })
	compare(func(t *reverse.Tape) ([]float64, error) { return t.JVP(nil, x, v) })
	compare(func(t *reverse.Tape) ([]float64, error) { return t.VJP(nil, x, w) })
	compare(func(t *reverse.Tape) ([]float64, error) { return t.HVP(nil, x, v, w...) })
	compare(func(t *reverse.Tape) ([]float64, error) { return t.Tangent().Values(nil, slices.Concat(x, v)) })
	compare(func(t *reverse.Tape) ([]float64, error) { return t.Adjoint().Values(nil, slices.Concat(x, w)) })

	jac, err := want.Jacobian(nil, x)
	require.NoError(t, err)
	sparse, err := reverse.NewSparseJacobian(got)
	require.NoError(t, err)
	a := sparse.Matrix()
	_, err = sparse.Eval(a, x)
	require.NoError(t, err)
	requireClose(t, jac, a, tolerance)

	dense, err := hessian.New(want, hessian.FoR).Dense(nil, x, w...)
	require.NoError(t, err)
	for _, strategy := range hessian.Strategies {
		h, err := hessian.New(got, strategy).Dense(nil, x, w...)
		require.NoError(t, err)
		requireClose(t, dense, h, tolerance, strategy)
	}
	plan, err := hessian.NewSparse(got)
	require.NoError(t, err)
	a = plan.Matrix()
	_, err = plan.Eval(a, x, w...)
	require.NoError(t, err)
	requireClose(t, dense, a, tolerance)
}

func tapeOf(t require.TestingT, x []float64, f func(x vars) vars) *reverse.Tape {
	tape, err := reverse.RecordVec(f, x)
	require.NoError(t, err)
	return tape
}

func TestApplyIsTheFunctionThatItSolvesFor(t *testing.T) {
	rnd := rand.New(rand.NewPCG(32, 1))
	for _, size := range [][2]int{{1, 1}, {5, 2}, {3, 7}, {101, 2}} {
		f := newFamily(rnd, size[0], size[1])
		for _, kind := range allSolvers {
			if f.m > 100 && kind != SolverAuto {
				continue
			}
			eq := with(kind).New(f.tape(t))
			// Something before, between and after.
			around := func(solve func(lambda vars) vars) func(x vars) vars {
				return func(x vars) vars {
					lambda := make(vars, f.l)
					for i := range lambda {
						lambda[i] = x[i].Add(x[i].Square().Scale(0.1)).Sub(x[(i+1)%f.l].Scale(0.05))
					}
					w := solve(lambda)
					y := make(vars, 0, 2)
					y = append(y, dual.Sum(w).Mul(x[0]), w[0].Sin().Add(w[len(w)-1].Square()))
					return y
				}
			}
			x := make([]float64, f.l)
			copy(x, f.point)
			for i := range x {
				x[i] *= 0.9
			}
			want := tapeOf(t, x, around(func(lambda vars) vars { return g(f, lambda) }))
			got := tapeOf(t, x, around(func(lambda vars) vars { return eq.Apply(lambda...) }))
			requireSameFunction(t, want, got, x, 1e-10)
			for i := range x {
				x[i] += 0.02
			}
			requireSameFunction(t, want, got, x, 1e-10)
		}
	}
}

// Kepler's equation M = E − e·sin E, solved for E, twice in one function and
// once inside of another equation.
func keplerTape(t require.TestingT) *reverse.Tape {
	return record(t, []float64{1}, []float64{1, 0.1}, func(w, l vars) vars {
		return vars{w[0].Sub(l[1].Mul(w[0].Sin())).Sub(l[0])}
	})
}

func TestApplyInsideOfAnEquation(t *testing.T) {
	kepler := NewEquation(keplerTape(t))
	// E(M, e) + z·c = 0.3 for z: an inner solve in each evaluation of the outer
	// equation. By substitution E = 0.3 − zc and M = E − e·sin E with M = z.
	outer := NewEquation(record(t, []float64{0.2}, []float64{0.1, 0.5}, func(w, l vars) vars {
		e := kepler.Apply(w[0], l[0])[0]
		return vars{e.Add(w[0].Mul(l[1])).SubReal(0.3)}
	}))
	flat := NewEquation(record(t, []float64{0.2}, []float64{0.1, 0.5}, func(w, l vars) vars {
		e := w[0].Mul(l[1]).RSub(0.3)
		return vars{e.Sub(l[0].Mul(e.Sin())).Sub(w[0])}
	}))
	function := func(eq *Equation) func(x vars) vars {
		return func(x vars) vars {
			z := eq.Apply(x[0], x[1])[0]
			return vars{z.Mul(x[0]).Exp(), eq.Apply(x[0].Square(), z)[0].Mul(z)}
		}
	}
	x := []float64{0.2, 0.4}
	requireSameFunction(t, tapeOf(t, x, function(flat)), tapeOf(t, x, function(outer)), x, 1e-10)

	// And At around Apply.
	s, err := outer.Newton([]float64{0.2}, x)
	require.NoError(t, err)
	want, err := flat.Newton([]float64{0.2}, x)
	require.NoError(t, err)
	require.InDelta(t, want.W()[0], s.W()[0], 1e-15)
	a, err := s.Second(nil, x, []float64{1, -1})
	require.NoError(t, err)
	b, err := want.Second(nil, x, []float64{1, -1})
	require.NoError(t, err)
	require.InDelta(t, b[0], a[0], 1e-13)
}

func TestApplyHasTheSparsityOfTheSolution(t *testing.T) {
	// Three independent blocks: (w₀, w₁) with λ₀, λ₁; w₂ with λ₂; w₃ looks at w₂
	// and λ₃ linearly.
	start, point := []float64{1, 1, 1, 1}, []float64{1, 1, 1, 1, 1}
	eq := NewEquation(record(t, start, point, func(w, l vars) vars {
		return vars{
			w[1].Sub(l[1]).Add(w[0].Scale(0.25)),
			w[0].Add(w[1].Scale(0.25)).Sub(l[0].Square()),
			w[3].Sub(w[2]).Sub(l[3]),
			w[2].Exp().Sub(l[2]),
		}
	}))
	tape := tapeOf(t, point, func(x vars) vars { return eq.Apply(x...) })
	require.True(t, sparsity.FromDense([][]float64{
		{1, 1, 0, 0, 0},
		{1, 1, 0, 0, 0},
		{0, 0, 1, 0, 0},
		{0, 0, 1, 1, 0},
	}).Equal(tape.JacobianPattern()))
	require.True(t, sparsity.FromDense([][]float64{
		{1, 0, 0, 0, 0},
		{0, 0, 0, 0, 0},
		{0, 0, 1, 0, 0},
		{0, 0, 0, 0, 0},
		{0, 0, 0, 0, 0},
	}).Equal(tape.HessianPattern()))
}

// Whatever the pattern says to be 0 is 0.
func TestPatternsOfApplyMissNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m, l := rapid.IntRange(1, 6).Draw(t, "m"), rapid.IntRange(1, 5).Draw(t, "l")
		// w_i + Σ small terms in some w_j and λ_j = 0, products of two of them
		// among these, with the rows in random order.
		perm := rnd.Perm(m)
		type term struct{ i, j, k int }
		var terms []term
		for range rapid.IntRange(0, 2*m).Draw(t, "terms") {
			terms = append(terms, term{rnd.IntN(m), rnd.IntN(m + l), rnd.IntN(m + l + 1)})
		}
		w, lambda := make([]float64, m), randomVector(rnd, l)
		eq := NewEquation(record(t, w, lambda, func(w, l vars) vars {
			x := append(slices.Clone(w), l...)
			out := make(vars, len(w))
			for i := range out {
				out[perm[i]] = w[i]
			}
			for _, c := range terms {
				y := x[c.j].Scale(0.1)
				if c.k < len(x) {
					y = y.Mul(x[c.k].Sin())
				}
				out[perm[c.i]] = out[perm[c.i]].Add(y)
			}
			return out
		}))
		tape := tapeOf(t, lambda, func(x vars) vars { return eq.Apply(x...) })
		jac, err := tape.Jacobian(nil, lambda)
		require.NoError(t, err)
		for i := range m {
			for j := range l {
				if !tape.JacobianPattern().Has(i, j) {
					require.Zero(t, jac.At(i, j))
				}
			}
		}
		weights := randomVector(rnd, m)
		h, err := hessian.New(tape, hessian.FoR).Dense(nil, lambda, weights...)
		require.NoError(t, err)
		for i := range l {
			for j := range l {
				if !tape.HessianPattern().Has(i, j) {
					require.Zero(t, h.At(i, j))
				}
			}
		}
		require.True(t, tape.HessianPattern().IsSymmetric())
	})
}

func TestFailureOfTheSolveIsThatOfTheEvaluation(t *testing.T) {
	// w² = λ has no root for λ < 0, and no derivative at λ = 0.
	square := record(t, []float64{1}, []float64{1}, func(w, l vars) vars { return vars{w[0].Square().Sub(l[0])} })
	eq := Settings{Name: "root"}.New(square)
	tape := tapeOf(t, []float64{1}, func(x vars) vars { return vars{eq.Apply(x[0])[0].Scale(2)} })
	for name, eval := range map[string]func(x []float64) error{
		"Value":    func(x []float64) error { _, err := tape.Value(x); return err },
		"Gradient": func(x []float64) error { _, err := tape.Gradient(nil, x); return err },
		"HVP":      func(x []float64) error { _, err := tape.HVP(nil, x, []float64{1}); return err },
	} {
		err := eval([]float64{-1})
		require.ErrorAs(t, err, new(*NewtonError), name)
		require.ErrorContains(t, err, "root", name)
		require.Error(t, eval([]float64{math.NaN()}), name)
		require.NoError(t, eval([]float64{4}), name)
	}
	_, err := reverse.Record(func(x vars) reverse.Var { return eq.Apply(x[0])[0] }, []float64{-1})
	require.ErrorAs(t, err, new(*NewtonError))

	fails := errors.New("out of order")
	own := Settings{Solve: func(w, lambda []float64) error {
		switch {
		case lambda[0] > 100:
			return fails
		case lambda[0] > 10:
			w[0] = 3
			return nil
		}
		w[0] = math.Sqrt(lambda[0])
		return nil
	}}.New(square)
	tape = tapeOf(t, []float64{1}, func(x vars) vars { return own.Apply(x...) })
	_, err = tape.Value([]float64{101})
	require.ErrorIs(t, err, fails)
	_, err = tape.Value([]float64{11})
	require.ErrorAs(t, err, new(*NotARootError))
	_, err = tape.Value([]float64{0})
	require.ErrorAs(t, err, new(*linsolve.SingularError))
	g, err := tape.Gradient(nil, []float64{9})
	require.NoError(t, err)
	require.Equal(t, []float64{1. / 6}, g)

	// Constants alone make no operation, and nobody to return the error to.
	require.Panics(t, func() { eq.Apply(dual.Const[reverse.Var](-1)) })
	require.Equal(t, 2.0, eq.Apply(dual.Const[reverse.Var](4))[0].Value())
}

func TestApplySolvesOncePerPoint(t *testing.T) {
	rnd := rand.New(rand.NewPCG(33, 1))
	f := newFamily(rnd, 20, 3)
	calls := 0
	eq := Settings{Solve: func(w, lambda []float64) error {
		calls++
		copy(w, f.solution(lambda))
		return nil
	}}.New(f.tape(t))
	// Two places that apply it at different λ.
	tape := tapeOf(t, f.point, func(x vars) vars {
		a, b := eq.Apply(x...), eq.Apply(x[1], x[2], x[0])
		return vars{dual.Dot(a, b)}
	})
	factorizations, _ := count(eq)
	x := slices.Clone(f.point)
	for k := range 5 {
		x[0] = float64(k)
		calls, *factorizations = 0, 0
		_, err := tape.Gradient(nil, x)
		require.NoError(t, err)
		_, err = hessian.New(tape, hessian.FoR).Dense(nil, x)
		require.NoError(t, err)
		require.Equal(t, 2, calls)
		require.LessOrEqual(t, *factorizations, 2)
	}
}

// Many evaluations at once give what they give one after the other, to the last
// bit, whatever λ the states in the pool were used for before.
func TestConcurrentApplyIsBitEqual(t *testing.T) {
	rnd := rand.New(rand.NewPCG(34, 1))
	families := []*family{newFamily(rnd, 6, 3), newFamily(rnd, 101, 3)}
	for _, f := range families {
		for _, kind := range allSolvers {
			if f.m > 100 && kind > SolverSparse {
				continue
			}
			eq := with(kind).New(f.tape(t))
			tape := tapeOf(t, f.point, func(x vars) vars {
				y := eq.Apply(x...)
				return vars{dual.Dot(y, y), y[0].Mul(eq.Apply(x[0].Scale(1.02), x[1], x[2])[1])}
			})
			weights := []float64{1, 2}
			points := make([][]float64, 12)
			for k := range points {
				points[k] = slices.Clone(f.point)
				for i := range points[k] {
					points[k][i] += 0.05 * rnd.NormFloat64()
				}
			}
			results := func(x []float64) []float64 {
				var all []float64
				for _, f := range []func() ([]float64, error){
					func() ([]float64, error) { return tape.Values(nil, x) },
					func() ([]float64, error) { return tape.JVP(nil, x, f.point) },
					func() ([]float64, error) { return tape.VJP(nil, x, weights) },
					func() ([]float64, error) { return tape.HVP(nil, x, f.point, weights...) },
				} {
					v, err := f()
					if err != nil {
						return nil
					}
					all = append(all, v...)
				}
				return all
			}
			want := make([][]float64, len(points))
			for k, x := range points {
				want[k] = results(x)
				require.NotNil(t, want[k], "%v, point %d", kind, k)
			}
			var wg sync.WaitGroup
			for i := range 16 {
				wg.Go(func() {
					for k := range points {
						k = (k*7 + i*5) % len(points)
						got := results(points[k])
						if !slices.EqualFunc(got, want[k], func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
							t.Errorf("%v, point %d: results differ", kind, k)
						}
					}
				})
			}
			wg.Wait()
		}
	}
}

// An elimination that has to choose other pivots leaves no trace in later ones.
func TestApplyForgetsPivots(t *testing.T) {
	const n = 140
	w, lambda := make([]float64, n), []float64{1}
	for i := range w {
		w[i] = 0.1
	}
	// Pairs with the matrix [λ 1; 1 λ−1], whose good pivots change with λ, linked
	// in a chain.
	f := record(t, w, lambda, func(w, l vars) vars {
		out := make(vars, n)
		for i := 0; i < n; i += 2 {
			out[i] = w[i].Mul(l[0]).Add(w[i+1]).SubReal(1)
			out[i+1] = w[i].Add(w[i+1].Mul(l[0].SubReal(1))).Add(w[i+1].Square().Scale(0.01))
			if i > 0 {
				out[i] = out[i].Add(w[i-1].Scale(0.1))
				out[i-1] = out[i-1].Add(w[i].Scale(0.1))
			}
		}
		return out
	})
	eq := Settings{Solver: SolverSparse}.New(f)
	tape := tapeOf(t, lambda, func(x vars) vars { return vars{dual.Sum(eq.Apply(x...))} })
	points := []float64{1, 1e-5, 3, 1.00001, 1e-6, 0.9, 1e5, 2}
	first := map[float64][]float64{}
	for range 3 {
		for _, x := range points {
			g, err := tape.Gradient(nil, []float64{x})
			require.NoError(t, err)
			if first[x] == nil {
				first[x] = g
			}
			require.Equal(t, first[x], g)
		}
		for i := range eq.step.idle { // and now with fewer states, in other order
			eq.step.idle[i].solved = false
		}
		eq.step.idle = eq.step.idle[:2]
		slices.Reverse(points)
	}
	repivots := 0
	for _, s := range eq.step.idle {
		repivots += s.z.solver.(*sparseSolver).lu.Repivots()
	}
	require.NotZero(t, repivots, "the points are too tame")
}

func TestApplyWithoutAFactorizableStart(t *testing.T) {
	// At the recorded point ∂₁F is 0.
	const n = 120
	w, lambda := make([]float64, n), []float64{4}
	f := record(t, w, lambda, func(w, l vars) vars {
		out := make(vars, n)
		for i := range out {
			out[i] = w[i].Square().Sub(l[0])
			if i > 0 {
				out[i] = out[i].Add(w[i-1].Square()).Sub(l[0])
			}
		}
		return out
	})
	eq := Settings{Solver: SolverSparse, Solve: func(w, lambda []float64) error {
		for i := range w {
			w[i] = math.Sqrt(lambda[0])
		}
		return nil
	}}.New(f)
	tape := tapeOf(t, lambda, func(x vars) vars { return vars{dual.Sum(eq.Apply(x...))} })
	for _, x := range []float64{4, 9, 4, 0.25} {
		g, err := tape.Gradient(nil, []float64{x})
		require.NoError(t, err)
		require.InEpsilon(t, n/(2*math.Sqrt(x)), g[0], 1e-12)
	}
}

func TestWarmStartsFromTheLastSolution(t *testing.T) {
	for _, warm := range []bool{false, true} {
		var starts []float64
		eq := Settings{Warm: warm, Solve: func(w, lambda []float64) error {
			starts = append(starts, w[0])
			w[0] = math.Sqrt(lambda[0])
			return nil
		}}.New(record(t, []float64{1.5}, []float64{2}, func(w, l vars) vars { return vars{w[0].Square().Sub(l[0])} }))
		tape := tapeOf(t, []float64{4}, func(x vars) vars { return eq.Apply(x...) })
		for _, x := range []float64{9, 16} {
			_, err := tape.Value([]float64{x})
			require.NoError(t, err)
		}
		if warm {
			require.Equal(t, []float64{1.5, 2, 3}, starts)
		} else {
			require.Equal(t, []float64{1.5, 1.5, 1.5}, starts)
		}
	}
}

func TestApplyKeepsABoundedNumberOfStates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(35, 1))
	for _, size := range []int{5, 2000} {
		f := newFamily(rnd, size, 2)
		eq := Settings{Solver: SolverSparse, Solve: func(w, lambda []float64) error {
			copy(w, f.solution(lambda))
			return nil
		}}.New(f.tape(t))
		tape := tapeOf(t, f.point, func(x vars) vars { return vars{dual.Sum(eq.Apply(x...))} })
		for k := range 100 {
			_, err := tape.Value([]float64{float64(k), 1})
			require.NoError(t, err)
		}
		require.LessOrEqual(t, len(eq.step.idle), 64)
		require.Greater(t, len(eq.step.idle), 3)
	}
}

func TestApplyWithAWrongNumberOfArgumentsPanics(t *testing.T) {
	eq := NewEquation(keplerTape(t))
	require.PanicsWithValue(t, "reverse: primitive implicit with a wrong number of arguments", func() { eq.Apply(dual.Const[reverse.Var](1)) })
}

// A third derivative of a solution is not to be had, and says so.
func TestThirdDerivativeOfApplyPanics(t *testing.T) {
	eq := NewEquation(keplerTape(t))
	tape := tapeOf(t, []float64{1, 0.1}, func(x vars) vars { return eq.Apply(x...) })
	require.PanicsWithValue(t, "reverse: third derivative of the primitive implicit", func() {
		_, _ = tape.Tangent().Tangent().JVP(nil, make([]float64, 8), []float64{1, 0, 0, 0, 0, 0, 0, 0})
	})
}

func TestApplyInASparseHessian(t *testing.T) {
	// Σ φ(w(x_i, x_{i+1})) of a chain: tridiagonal, with one equation applied n−1
	// times.
	const n = 30
	kepler := NewEquation(keplerTape(t))
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.3 + 0.01*float64(i)
	}
	tape, err := reverse.Record(func(x vars) reverse.Var {
		s := dual.Const[reverse.Var](0)
		for i := range n - 1 {
			s = s.Add(kepler.Apply(x[i], x[i+1].Scale(0.5))[0].Sin())
		}
		return s
	}, x)
	require.NoError(t, err)
	require.True(t, sparsity.Banded(n, 1, 1).Equal(tape.HessianPattern()))
	plan, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	require.Less(t, plan.Coloring().Num(), 5)
	h := plan.Matrix()
	_, err = plan.Eval(h, x)
	require.NoError(t, err)
	require.NoError(t, plan.Verify(x))
	want, err := hessian.New(tape, hessian.FoF).Dense(nil, x)
	require.NoError(t, err)
	require.True(t, mat.EqualApprox(want, h, 1e-12))
}
