package newton

import (
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/reverse"
)

// Sensitivities returns the solution r of p as a function of parameters λ near the given
// ones, with derivatives of minimizer, multipliers and minimum: f is [f; c] with them,
// at λ that of p. See package implicit, KKT, for what is differentiated and under which
// conditions; the solution is first made exact by Newton's method, as by KKTNewton, from
// those constraints whose multiplier is larger than their distance to the bound. It holds to
// within 64ε·max(1, |X|, |C|), also where it is 0, as of a variable at the bound 0.
//
// The unknowns of the Optimum are [x; y; z]: y of the constraints with c_L = c_U, then
// of the fixed variables; z ≥ 0 of the finite bounds of the others, the lower before the
// upper one of each, those of constraints first.
//
// It panics if lengths do not fit. Errors are those of KKTNewton. Cost: f and its
// optimality conditions are recorded; then Newton's method takes some evaluations and
// factorizations, by LDLᵀ.
func (r *Result) Sensitivities(p Problem, f func(x, lambda []reverse.Var) []reverse.Var, lambda []float64) (*implicit.Optimum, error) {
	n, m := len(r.X), len(r.C)
	xl, xu := p.bounds(n)
	cl, cu := p.constraints(m)

	// Elements of [c; x], with the signs and bounds that make them equations or g ≤ 0.
	type row struct {
		of          int
		sign, bound float64
	}
	var equalities, inequalities []row
	var y, z []float64
	for i := range m + n {
		l, u, value, multiplier := 0.0, 0.0, 0.0, 0.0
		if i < m {
			l, u, value, multiplier = cl[i], cu[i], r.C[i], r.Y[i]
		} else {
			l, u, value, multiplier = xl[i-m], xu[i-m], r.X[i-m], r.Z[i-m]
		}
		if l == u {
			equalities, y = append(equalities, row{i, 1, l}), append(y, multiplier)
			continue
		}
		for _, side := range []row{{i, -1, l}, {i, 1, u}} {
			if math.IsInf(side.bound, 0) {
				continue
			}
			multiplier := side.sign * multiplier
			if !(multiplier > math.Abs(side.bound-value)) {
				multiplier = 0
			}
			inequalities, z = append(inequalities, side), append(z, multiplier)
		}
	}

	point := append(append([]float64(nil), r.X...), lambda...)
	tape, err := reverse.RecordVec(func(in []reverse.Var) []reverse.Var {
		x := in[:n]
		out := f(x, in[n:])
		if len(out) != 1+m {
			panic(fmt.Sprintf("newton: f has %d outputs, want 1 and %d constraints", len(out), m))
		}
		values := append(append([]reverse.Var(nil), out[1:]...), x...)
		result := out[:1:1]
		for _, e := range append(append([]row(nil), equalities...), inequalities...) {
			result = append(result, values[e.of].SubReal(e.bound).Scale(e.sign))
		}
		return result
	}, point)
	if err != nil {
		return nil, err
	}
	size := 1.0 // of the problem
	for _, v := range append(append([]float64(nil), r.X...), r.C...) {
		size = max(size, math.Abs(v))
	}
	return implicit.Settings{Absolute: 64 * epsilon * size}.KKTNewton(tape, r.X, y, z, lambda)
}
