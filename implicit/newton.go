package implicit

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/reverse"
)

// Newton's method with the natural monotonicity test (Deuflhard, Newton Methods
// for Nonlinear Problems, Springer 2004, section 3.3, algorithm NLEQ-ERR).
//
// A step w⁺ = w + αΔ with AΔ = −F(w) is taken if the simplified correction
// Δ̄ with AΔ̄ = −F(w⁺), of the same matrix, is shorter than Δ. Unlike a test of
// ‖F‖ that does not depend on how equations are scaled or combined, and rarely
// forces short steps where A is ill-conditioned. The factor α is predicted from
// how far Δ̄ is from what it would be if F were linear, (1−α)Δ.

// minDamping is the factor α below which there is no way on.
const minDamping = 1e-10

const epsilon = 1.0 / (1 << 52)

// leastSize is the least size of an unknown relative to the largest: √ε leaves
// as many digits for its rounding errors as for the condition of A.
const leastSize = 1.0 / (1 << 26)

// Newton solves F(w, λ) = 0 from the start w0, for a tape of F with the inputs
// [w; λ]; see Equation.Newton.
func Newton(f *reverse.Tape, w0, lambda []float64) (*Solution, error) {
	return NewEquation(f).Newton(w0, lambda)
}

// Newton solves F(w, λ) = 0 for w by damped Newton iterations from w0, with the
// Jacobian of the tape. It goes on until rounding errors prevent progress, and
// returns the solution with the factorization that the last iteration made
// there. λ may be followed by parameters of the tape. It panics if lengths are
// wrong. If it does not converge, as where A is singular between the start and the
// root, or A or the tape fails on the way, the error is a *NewtonError. Cost: an
// iteration takes one Jacobian, one factorization and two solutions or more.
func (eq *Equation) Newton(w0, lambda []float64) (*Solution, error) {
	z := eq.linearization()
	z.place(w0, lambda)
	if err := z.newton(); err != nil {
		return nil, err
	}
	return &Solution{z}, nil
}

// newton moves the w of the point to a root and leaves the linearization there.
func (z *linearization) newton() error {
	eq := z.eq
	m := eq.m
	z.newtonWork = resize(z.newtonWork, 5*m+len(z.x))
	vector := func(k int) []float64 { return z.newtonWork[k*m : (k+1)*m] }
	step, simplified, difference, size, value := vector(0), vector(1), vector(2), vector(3), vector(4)
	trial := z.newtonWork[5*m:]
	w := z.x[:m]

	damping := 1.0
	last := 0.0 // length of the last step, of factor 1
	start := math.NaN()
	for k := 0; ; k++ {
		stop := func(err error) error {
			return &NewtonError{
				Iterations: k,
				W:          append([]float64(nil), w...),
				Start:      start,
				Residual:   floats.Norm(z.value, math.Inf(1)),
				Err:        err,
			}
		}
		if err := z.evaluate(); err != nil {
			return stop(err)
		}
		if k == 0 {
			start = floats.Norm(z.value, math.Inf(1))
		}
		if eq.settings.Each != nil {
			if err := eq.settings.Each(w, floats.Norm(z.value, math.Inf(1))); err != nil {
				return stop(err)
			}
		}
		if err := z.finite(); err != nil {
			return stop(err)
		}
		worst, _, err := z.worst()
		if err != nil {
			return stop(err)
		}
		root := worst < 0
		if err := z.factorize(); err != nil {
			return stop(err)
		}
		if err := z.correction(step, z.value); err != nil {
			return stop(err)
		}
		for j, d := range step {
			size[j] = max(math.Abs(w[j]), math.Abs(w[j]+d))
		}
		z.raise(size, difference)
		length := relativeLength(step, size)
		if root && (length <= 4*epsilon || k == eq.settings.MaxIterations) {
			return nil
		}
		if k == eq.settings.MaxIterations {
			return stop(z.root())
		}

		// The correction that the last matrix predicted here and the one of the
		// new matrix differ by the change of the matrix.
		if k > 0 {
			floats.SubTo(difference, simplified, step)
			damping *= last / length * relativeLength(simplified, size) / relativeLength(difference, size)
		}
		if root || !(damping < 1) {
			damping = 1
		}
		var blocked error
		judge := func(factor float64) (next float64, err error) {
			copy(trial, z.x)
			floats.AddScaled(trial[:m], factor, step)
			if err = z.values(value, trial); err == nil {
				err = z.correction(simplified, value)
			}
			return relativeLength(simplified, size), err
		}
		shorter := func(next, factor float64) bool { return next <= (1-factor/4)*length } // exact
		over := func(low, high float64) bool {                                            // over a kink
			if z.everywhere == nil || high == 0 {
				return false
			}
			kink := z.cross(trial, step, low, high)
			next, err := judge(kink)
			if kink == 0 || err != nil || next > (1+leastSize)*length {
				return false
			}
			damping = kink
			return true
		}
		for rejected := 0.0; ; {
			if !(damping >= minDamping) {
				if over(0, rejected) {
					break
				}
				return stop(errors.Join(z.root(), blocked))
			}
			next, err := judge(damping)
			if err == nil && shorter(next, damping) { // exact
				if z.everywhere != nil && rejected > 0 && !over(damping, rejected) {
					judge(damping) // trial, simplified and value are those of the step again
				}
				break
			}
			if root {
				return nil // no progress from here but for rounding
			}
			best := damping / 2
			if err == nil {
				floats.AddScaledTo(difference, simplified, damping-1, step)
				best = min(best, max(damping/16, length*damping*damping/2/relativeLength(difference, size)))
			}
			damping, rejected, blocked = best, damping, err
		}
		copy(w, trial)
		last = length
	}
}

// values stores F(x).
func (z *linearization) values(dst, x []float64) (err error) {
	if z.everywhere != nil {
		_, err = z.everywhere.Values(dst, x)
	} else {
		_, err = z.eq.f.Values(dst, x)
	}
	return err
}

// raise makes sizes of unknowns those that lengths are relative to: one that is
// nearly 0 beside the largest has rounding errors relative to that, in units for
// which rows and then columns of A have the largest element 1. It overwrites
// unit.
func (z *linearization) raise(size, unit []float64) {
	for j := range unit {
		unit[j] = 1
	}
	if z.jac != nil {
		clear(unit)
		p, vals := z.jac.Pattern(), z.jac.Values()
		for i, end := range z.eq.split {
			row := vals[p.RowPtr()[i]:end]
			most := largest(row)
			for k, v := range row {
				j := p.Row(i)[k]
				unit[j] = max(unit[j], quotient(math.Abs(v), most))
			}
		}
	}
	most := 0.0
	for j, s := range size {
		most = max(most, s*unit[j])
	}
	for j := range size {
		size[j] = max(size[j], leastSize*quotient(most, unit[j]))
	}
}

// correction sets step = −A⁻¹F.
func (z *linearization) correction(step, value []float64) error {
	for i, f := range value {
		step[i] = -f
	}
	return z.solver.solve(step, false, step)
}

// relativeLength is the root mean square of vⱼ/sizeⱼ, where 0/0 is 0.
func relativeLength(v, size []float64) float64 {
	s := 0.0
	for j, v := range v {
		r := quotient(v, size[j])
		s += float64(r * r)
	}
	return math.Sqrt(s / float64(len(v)))
}

// quotient returns a/b, and 0 for 0/0.
func quotient(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

// largest returns the maximum norm of v, or NaN if an element is.
func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// resize returns a slice of length n in the memory of s if it fits.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
