package newton

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

type vars = []reverse.Var

// Problems that are infeasible, unbounded, degenerate or badly scaled, and how they must
// end, by either choice of the barrier.
var endings = []struct {
	name   string
	want   Status
	f      func(x vars) vars
	x0     []float64
	lower  []float64
	upper  []float64
	cLower []float64
	cUpper []float64
	at     []float64 // the minimum, or where the violation is least; nil if there are many
}{
	// R. H. Byrd, F. E. Curtis, J. Nocedal, Infeasibility detection and SQP methods for
	// nonlinear optimization, SIAM J. Optim. 20, 2010.
	{"unique", Infeasible, func(x vars) vars {
		return vars{x[0].Add(x[1]), x[1].Sub(x[0].Square()).SubReal(1), x[1].Exp().RSub(1).Scale(0.3)}
	}, []float64{3, 2}, nil, nil, []float64{0, 0}, nil, []float64{0, 1}},
	{"isolated", Infeasible, func(x vars) vars {
		a, b := x[0].Square(), x[1].Square()
		return vars{x[0].Add(x[1]), x[1].Sub(a).SubReal(1), x[1].Neg().Sub(a).SubReal(1), x[0].Sub(b).SubReal(1), x[0].Neg().Sub(b).SubReal(1)}
	}, []float64{3, 2}, nil, nil, []float64{0, 0, 0, 0}, nil, []float64{0, 0}},
	{"nactive", Infeasible, func(x vars) vars {
		b := x[1].Square()
		return vars{x[0], x[0].Neg().Sub(b).SubReal(1).Scale(0.5), x[0].Sub(b), b.Sub(x[0])}
	}, []float64{-20, 10}, nil, nil, []float64{0, 0, 0}, nil, []float64{0, 0}},
	{"a constant is not 2", Infeasible, func(x vars) vars { return vars{x[0].Square(), dual.Const[reverse.Var](1)} },
		[]float64{1}, nil, nil, []float64{2}, []float64{3}, nil},
	{"all is fixed, wrongly", Infeasible, func(x vars) vars { return vars{x[0], x[0].Square()} },
		[]float64{0}, []float64{2}, []float64{2}, []float64{5}, []float64{6}, []float64{2}},
	{"three equations, two unknowns", Infeasible, func(x vars) vars {
		return vars{x[0].Square(), x[0].Add(x[1]).SubReal(1), x[0].Sub(x[1]), x[0].Scale(2).SubReal(3)}
	}, []float64{0, 0}, nil, nil, nil, nil, nil},

	{"two inequalities that exclude each other, f falling beside them", Infeasible, func(x vars) vars {
		return vars{x[0], x[0].Add(x[1]), x[0].Add(x[1])}
	}, []float64{0, 0}, nil, nil, []float64{1, math.Inf(-1)}, []float64{math.Inf(1), 0}, nil},

	{"a line", Unbounded, func(x vars) vars { return vars{x[0].Sub(x[1])} }, []float64{0, 0}, nil, nil, nil, nil, nil},
	{"a ray", Unbounded, func(x vars) vars { return vars{x[0].Add(x[1]).Neg(), x[0].Sub(x[1])} },
		[]float64{1, 0}, []float64{0, 0}, nil, nil, nil, nil},
	{"along a parabola", Unbounded, func(x vars) vars { return vars{x[1].Neg(), x[1].Sub(x[0].Square())} },
		[]float64{1, 0}, nil, nil, nil, nil, nil},
	{"a cubic", Unbounded, func(x vars) vars { return vars{x[0].PowInt(3)} }, []float64{-1}, nil, nil, nil, nil, nil},

	// A. Wächter, L. T. Biegler, Failure of global convergence for a class of interior point
	// methods for nonlinear programming, Math. Program. 88, 2000. Methods without a
	// restoration phase get stuck where no step is possible; ‖c‖₁ is least at (−1, 0, 0), for
	// points near it.
	{"Wächter and Biegler, from the right", Solved, func(x vars) vars {
		return vars{x[0], x[0].Square().Sub(x[1]).SubReal(1), x[0].Sub(x[2]).SubReal(0.5)}
	}, []float64{2, 3, 1}, []float64{math.Inf(-1), 0, 0}, nil, nil, nil, []float64{1, 0, 0.5}},
	{"Wächter and Biegler", Infeasible, func(x vars) vars {
		return vars{x[0], x[0].Square().Sub(x[1]).SubReal(1), x[0].Sub(x[2]).SubReal(0.5)}
	}, []float64{-2, 3, 1}, []float64{math.Inf(-1), 0, 0}, nil, nil, nil, []float64{-1, 0, 0}},
	{"all is fixed", Solved, func(x vars) vars { return vars{x[0], x[0].Square()} },
		[]float64{0}, []float64{2}, []float64{2}, []float64{3}, []float64{5}, []float64{2}},
	{"nothing to minimize", Solved, func(x vars) vars {
		return vars{dual.Const[reverse.Var](0), x[0].Square().Add(x[1].Square()).SubReal(2), x[0].Sub(x[1])}
	}, []float64{3, 1}, []float64{0, 0}, nil, nil, nil, []float64{1, 1}},
	{"one equation three times", Solved, func(x vars) vars {
		c := x[0].Mul(x[1]).SubReal(1)
		return vars{x[0].Add(x[1]), c, c.Scale(3), c.Neg()}
	}, []float64{3, 1}, []float64{0, 0}, nil, nil, nil, []float64{1, 1}},
	{"one inequality twenty times, and many minima", Solved, func(x vars) vars {
		out := vars{x[0].Add(x[1])}
		for range 20 {
			out = append(out, x[0].Add(x[1]))
		}
		return out
	}, []float64{5, 5}, nil, nil, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, nil, nil},
	{"dependent where it holds, independent elsewhere", Solved, func(x vars) vars {
		c := x[0].Square().Add(x[1].Square()).SubReal(2)
		return vars{x[0].Add(x[1]), c, c.Scale(3), c.Mul(x[0].AddReal(5))}
	}, []float64{2, 1}, nil, nil, nil, nil, []float64{-1, -1}},
	{"complementarity", Solved, func(x vars) vars {
		return vars{x[0].SubReal(1).Square().Add(x[1].SubReal(1).Square()), x[0].Mul(x[1])}
	}, []float64{0.5, 0.5}, []float64{0, 0}, nil, []float64{math.Inf(-1)}, []float64{0}, nil},
	{"nothing to choose", Solved, func(vars) vars { return vars{dual.Const[reverse.Var](3), dual.Const[reverse.Var](1)} },
		nil, nil, nil, []float64{0}, []float64{2}, nil},
	{"bounds without room between", Solved, func(x vars) vars { return vars{x[0].Square().Add(x[1].SubReal(2).Square())} },
		[]float64{0, 0}, []float64{1, math.Inf(-1)}, []float64{1 + 1e-13, math.Inf(1)}, nil, nil, []float64{1, 2}},
	{"inequalities that leave one point", Solved, func(x vars) vars {
		return vars{x[0].Add(x[1].Square()), x[0].Add(x[1]), x[0].Sub(x[1])}
	}, []float64{5, 3}, nil, nil, []float64{1, 0}, []float64{1, 0}, []float64{0.5, 0.5}},
	{"a minimum of fourth order", Solved, func(x vars) vars { return vars{x[0].PowInt(4), x[0].Square().Sub(x[1])} },
		[]float64{1, 1}, nil, nil, nil, nil, nil},
	{"a bound in the solution", Solved, func(x vars) vars { return vars{x[0].Square()} },
		[]float64{3}, []float64{0}, nil, nil, nil, []float64{0}},

	{"f of 1e10, c of 1e-6", Solved, func(x vars) vars {
		return vars{x[0].Square().Add(x[1].Square()).Scale(1e10), x[0].Add(x[1]).SubReal(2).Scale(1e-6)}
	}, []float64{5, -3}, nil, nil, nil, nil, []float64{1, 1}},
	{"f of 1e-6, c of 1e8", Solved, func(x vars) vars {
		return vars{x[0].Square().Add(x[1].Square()).Scale(1e-6), x[0].Mul(x[1]).SubReal(1).Scale(1e8)}
	}, []float64{5, 3}, nil, nil, nil, nil, []float64{1, 1}},
	{"x of 1e8 and of 1e-6", Solved, func(x vars) vars {
		a, b := x[0].Scale(1e-8), x[1].Scale(1e6)
		return vars{a.SubReal(1).Square().Add(b.Sub(a.Square()).Square().Scale(100)), a.Add(b)}
	}, []float64{-1.2e8, 1e-6}, nil, nil, []float64{-5}, []float64{5}, nil},
	{"a bound whose rounding is above the tolerance", Solved, func(x vars) vars { return vars{x[0]} },
		[]float64{5}, []float64{-1e10}, []float64{1e20}, nil, nil, []float64{-1e10}},
	{"10⁷ times steeper at the start", Solved, func(x vars) vars { return vars{x[0].Scale(0.1).Sub(x[0].SubReal(1).Log())} },
		[]float64{1 + 1e-7}, nil, nil, nil, nil, []float64{11}},
	{"an exponential from afar", Solved, func(x vars) vars { return vars{x[0].Exp().Sub(x[0].Scale(1e6)), x[0].Exp()} },
		[]float64{-40}, nil, nil, nil, []float64{1e9}, []float64{6 * math.Ln10}},
	{"exponentials", Solved, func(x vars) vars { return vars{x[0].Exp().Add(x[0].Scale(-1e8)), x[0]} },
		[]float64{0}, nil, nil, []float64{-100}, []float64{100}, []float64{8 * math.Ln10}},
}

// The gradient of f at the start scales it down to 10⁻⁸ of what it is.
func TestInteriorPointFindsTheMinimumWhateverTheScaleOfF(t *testing.T) {
	p := Problem{Func: reverse.NewFuncVec(func(x vars) vars {
		a, b := x[0].Scale(1e-12), x[1].Scale(1e12)
		return vars{a.SubReal(1).Square().Add(b.SubReal(2).Square()), a.Add(b)}
	}), ConstraintLower: []float64{4}}
	r, err := InteriorPoint{}.Solve(background, p, []float64{0, 0})
	require.NoError(t, err)
	require.InDelta(t, 0.5, r.F, 2*gapUnscaled)
	require.InEpsilon(t, 1.5e12, r.X[0], 1e-5)
	require.InEpsilon(t, 2.5e-12, r.X[1], 1e-5)
}

// xy = 1 has no derivative at 0, and a solution elsewhere.
func TestInteriorPointNamesASaddleOfTheViolation(t *testing.T) {
	p := Problem{Func: reverse.NewFuncVec(func(x vars) vars { return vars{x[0].Square(), x[0].Mul(x[1]).SubReal(1)} })}
	r, err := InteriorPoint{}.Solve(background, p, []float64{0, 0})
	require.Equal(t, Infeasible, r.Status)
	require.ErrorContains(t, err, "the sum of violations has a saddle")
	r, err = InteriorPoint{}.Solve(background, p, []float64{0.1, 0.1})
	require.NotEqual(t, Infeasible, r.Status, "%v", err)
}

func TestInteriorPointEndsAsItMust(t *testing.T) {
	for _, e := range endings {
		p := Problem{Func: reverse.NewFuncVec(e.f), Lower: e.lower, Upper: e.upper, ConstraintLower: e.cLower, ConstraintUpper: e.cUpper}
		for _, monotone := range []bool{false, true} {
			r, err := InteriorPoint{Monotone: monotone}.Solve(background, p, e.x0)
			require.Equal(t, e.want, r.Status, "%s: %v at %v", e.name, err, r.X)
			require.Equal(t, e.want == Solved, err == nil, e.name)
			require.LessOrEqual(t, r.Iterations, 100, e.name)
			if e.at != nil {
				require.InDeltaSlice(t, e.at, r.X, 2e-3, e.name)
			}
			if r.Status == Infeasible {
				require.Greater(t, r.Errors.Primal, 1e-3, "of the problem, not of its restoration: %s", e.name)
			}
		}
	}
}

// At a kink no step leads further, but none leads up.
func TestInteriorPointDoesNotClimb(t *testing.T) {
	f := reverse.NewFunc(func(x vars) reverse.Var { return x[0].Max(x[0].Scale(-2)) })
	r, err := InteriorPoint{}.Solve(background, Problem{Func: f}, []float64{1.3})
	requireStatus(t, StepTooSmall, r, err)
	require.InDelta(t, 0, r.F, 1e-6)
}

// The errors are those of the point that is returned.
func TestErrorsOfAnAcceptablePoint(t *testing.T) {
	f := reverse.NewFunc(func(x vars) reverse.Var { return x[0].Sqrt() }) // no derivative at its minimum
	r, err := InteriorPoint{Monotone: true}.Solve(background, Problem{Func: f, Lower: []float64{0}}, []float64{1})
	requireStatus(t, Acceptable, r, err)
	require.LessOrEqual(t, max(r.Errors.Dual, r.Errors.Complementarity/100), 100*interiorTolerance)
}

// A constraint of fixed variables alone that holds with equality has no room for a
// slack, and none is needed.
func TestConstraintsOfFixedVariables(t *testing.T) {
	for _, lower := range []float64{2, 1, 2.5} {
		p := Problem{
			Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
				return []reverse.Var{x[0].Mul(x[1]), x[1].Square().Scale(2), x[0].Add(x[1]), dual.Const[reverse.Var](3)}
			}),
			Lower: []float64{-inf, 1}, Upper: []float64{inf, 1},
			ConstraintLower: []float64{lower, 0, 3}, ConstraintUpper: []float64{inf, inf, 3},
		}
		r, err := InteriorPoint{}.Solve(background, p, []float64{4, 5})
		require.Equal(t, []float64{2, 3}, []float64{r.C[0], r.C[2]})
		if lower > 2 {
			require.Equal(t, Infeasible, r.Status)
			continue
		}
		require.NoError(t, err)
		require.Less(t, r.Iterations, 20)
		require.InDelta(t, -1, r.X[0], 1e-8)
		require.InDeltaSlice(t, []float64{0, -1, 0}, r.Y, 1e-7)
	}
}

// Multipliers say which side of a constraint binds: none has the sign of a side that is
// not there.
func TestMultipliersHaveTheSignOfASide(t *testing.T) {
	for k := range 20 {
		p := Problem{
			Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
				c := x[0].Scale(-3).Sub(x[1])
				return []reverse.Var{x[1].Scale(2), c, c, x[1].Sub(x[0].Scale(3))}
			}),
			Lower: []float64{0, -1}, Upper: []float64{1, inf},
			ConstraintLower: []float64{-2, -2, -inf}, ConstraintUpper: []float64{inf, inf, 3},
		}
		r, err := InteriorPoint{}.Solve(background, p, []float64{0.05 * float64(k), float64(k)})
		require.NoError(t, err)
		require.LessOrEqual(t, max(r.Y[0], r.Y[1], -r.Y[2]), 0.0)
		require.Less(t, r.Unscaled.Complementarity, 1e-6)
	}
}

// The tolerance of a small equation with a large multiplier is much of the minimum: here
// x₂ is 2 by 10⁻⁵x₂ = 2·10⁻⁵, and the minimum 13.5. In the others two equations are the
// same, or one is another in larger units.
func TestMinimumIsAsAccurateAsTheToleranceSays(t *testing.T) {
	quadratic := func(x []reverse.Var) reverse.Var {
		return x[0].Square().Scale(0.5).Add(x[1].Square().Scale(2.5)).Add(x[2].Square().Scale(2)).
			Sub(x[0].Mul(x[1])).Sub(x[0].Mul(x[2]).Scale(2)).Add(x[1].Mul(x[2]).Scale(2)).Add(x[0].Scale(3)).Add(x[1])
	}
	p := Problem{
		Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{quadratic(x), x[0].Sub(x[1]).Scale(3e-5).Add(x[2].Scale(1e-5)), x[0].Add(x[1]).Scale(3)}
		}),
		Lower: []float64{-2, -3, -6}, Upper: []float64{-2, -3, 8},
		ConstraintLower: []float64{5e-5, -15}, ConstraintUpper: []float64{5e-5, -15},
	}
	for _, x2 := range []float64{-2.6, 5, 0} {
		r, err := InteriorPoint{}.Solve(background, p, []float64{0, 0, x2})
		require.NoError(t, err)
		require.InEpsilon(t, 13.5, r.F, 1e-7)
	}

	p = Problem{
		Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			s := x[0].Add(x[1])
			return []reverse.Var{x[0].Square().Add(x[1].Square().Scale(3)), s, s, s.Scale(1e6)}
		}),
		ConstraintLower: []float64{2, 2, 2e6}, ConstraintUpper: []float64{2, 2, 2e6},
	}
	r, err := InteriorPoint{}.Solve(background, p, []float64{5, 2})
	require.NoError(t, err)
	require.InDelta(t, 3, r.F, 1e-6)
	require.LessOrEqual(t, r.Unscaled.Primal, 1e-6)
}

// A minimum does not depend on the units of f, though the tolerance is a number.
func TestMinimizerDoesNotDependOnUnits(t *testing.T) {
	for _, unit := range []float64{1e-12, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e12} {
		p := Problem{
			Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
				return []reverse.Var{
					x[1].Sub(x[0].Square()).Square().Add(x[0].RSub(1).Square().Scale(0.01)).Scale(unit),
					x[0].Square().Add(x[1].Square()),
				}
			}),
			ConstraintLower: []float64{-inf}, ConstraintUpper: []float64{1},
		}
		r, err := InteriorPoint{}.Solve(background, p, []float64{-0.5, 0.5})
		require.NoError(t, err)
		// On the circle, by its angle: the derivative of f along it is 0.
		require.InDelta(t, 1, math.Hypot(r.X[0], r.X[1]), 1e-5) // the multiplier is some 10⁻³ of f
		u, v := r.X[0], r.X[1]
		du, dv := -4*u*(v-u*u)-0.02*(1-u), 2*(v-u*u)
		require.InDelta(t, 0, -v*du+u*dv, 1e-5)
		require.Positive(t, r.Y[0])

		r, err = InteriorPoint{}.Solve(background, Problem{Func: reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{x[0].Scale(unit)}
		})}, []float64{1})
		require.Equal(t, Unbounded, r.Status, err)
	}

	tiny := reverse.NewFuncVec(func(x []reverse.Var) []reverse.Var { return []reverse.Var{x[0].SubReal(1).Scale(1e-200)} })
	r, err := LeastSquares{}.Solve(background, Problem{Func: tiny}, []float64{3})
	require.Error(t, err)
	require.Equal(t, Failed, r.Status)
}

func TestUnknownStatusesAreNumbers(t *testing.T) {
	require.Equal(t, "canceled Status(9)", fmt.Sprint(Canceled, " ", Status(9)))
}

// An error of the function, at the start or on the way, ends a solution and is its error.
func TestErrorsOfFunctionsEndSolutions(t *testing.T) {
	failed := errors.New("failed")
	checked := func(x vars) (vars, error) {
		if x[0].LessReal(1) {
			return nil, failed
		}
		return vars{x[0].Exp(), x[0].SubReal(-8)}, nil
	}
	all := reverse.NewFuncVec(func(x vars) vars { return reverse.Must(checked(x)) })
	one := reverse.NewFunc(func(x vars) reverse.Var { return reverse.Must(checked(x))[0] })
	for _, x0 := range [][]float64{{0}, {4}} {
		for name, solve := range map[string]func() (*Result, error){
			"trust region": func() (*Result, error) { return TrustRegion{}.Solve(context.Background(), Problem{Func: one}, x0) },
			"interior point": func() (*Result, error) {
				return InteriorPoint{}.Solve(context.Background(), Problem{Func: all}, x0)
			},
			"least squares": func() (*Result, error) { return LeastSquares{}.Solve(context.Background(), Problem{Func: all}, x0) },
			"system":        func() (*Result, error) { return System{}.Solve(context.Background(), Problem{Func: one}, x0) },
		} {
			_, err := solve()
			require.ErrorIs(t, err, failed, "%s from %v", name, x0)
		}
	}
}

// A row far from its bound but steep: the damping of its slack leaves it a multiplier of the wrong
// sign, 10⁻¹⁴, which times c′ is more than the tolerance: no solution with the 0 that stands for it.
func TestInteriorPointBesideASteepConstraint(t *testing.T) {
	p := Problem{Func: reverse.NewFuncVec(func(x vars) vars {
		return vars{x[0].Square().Add(x[1].Square()).Scale(0.05).Add(x[0].Scale(-0.5).Sub(x[1]).AddReal(0.25).Exp()),
			x[0].Scale(2.5).Sub(x[1].Scale(2)).AddReal(0.25).Exp()}
	}), Upper: []float64{math.Inf(1), -3}, ConstraintLower: []float64{-0.25}}
	r, err := InteriorPoint{Unscaled: true, Monotone: true}.Solve(background, p, []float64{0, 0})
	require.Equal(t, 0.0, r.Y[0])
	require.Equal(t, r.Unscaled.Dual > 1e-6, err != nil, "%v", err)
}

// Constraints that vanish in high order have no interior: where the bounds of them are moved by
// little f is off by much, and what an error says of that is no less than it is.
func TestAcceptableSaysHowFarOffTheMinimumMayBe(t *testing.T) {
	said := 0
	for _, order := range []int{2, 4, 6, 8} {
		for name, f := range map[string]func(x vars) vars{
			"one":           func(x vars) vars { return vars{x[0].Add(x[1].Square()), x[0].PowInt(order)} },
			"and a product": func(x vars) vars { return vars{x[0].Add(x[1].Square()), x[0].PowInt(order), x[0].Mul(x[1])} },
			"a sum":         func(x vars) vars { return vars{x[0].Add(x[1]), x[0].PowInt(order).Add(x[1].PowInt(order))} },
			"moved":         func(x vars) vars { return vars{x[1].Square().Sub(x[0].SubReal(1)), x[0].SubReal(1).PowInt(order)} },
		} {
			m := 1
			if name == "and a product" {
				m = 2
			}
			p := Problem{Func: reverse.NewFuncVec(f), ConstraintUpper: make([]float64, m)}
			r, err := InteriorPoint{}.Solve(background, p, []float64{0.9, 1})
			if r.Status != Acceptable {
				require.InDelta(t, 0, r.F, 1e-6, "%s, order %d: %v", name, order, err)
				continue
			}
			_, after, found := strings.Cut(err.Error(), "the minimum may be off by ")
			require.True(t, found, err)
			number, _, _ := strings.Cut(after, " ")
			off, err := strconv.ParseFloat(number, 64)
			require.NoError(t, err)
			// The minimum is 0; the number has three digits.
			require.Greater(t, 1.01*off, -r.F, "%s, order %d", name, order)
			require.Less(t, off, 10*max(1e-6, -r.F), "%s, order %d", name, order)
			said++
		}
	}
	require.Greater(t, said, 8)
}
