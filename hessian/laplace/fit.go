package laplace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

// FitSettings say where the optimum over θ is looked for. The zero value is what Fit of Marginal
// uses.
type FitSettings struct {
	// Lower and Upper are bounds of θ; nil means none, as infinite ones do.
	Lower, Upper []float64
}

// Estimate is θ at an optimum of a Marginal, and how well data determine it and the effects.
type Estimate struct {
	Theta []float64
	Value float64   // L(Theta)
	U     []float64 // the modes

	// Bound is by parameter −1 at its lower bound, 1 at its upper, else 0. A parameter at a bound
	// is taken as known: its error is 0.
	Bound []int

	// Covariance is that of θ, the inverse of ∇²L in the free parameters. ThetaErrors and UErrors
	// are standard errors, the latter by the delta method: of the variances of u given θ, the diagonal
	// of f_uu⁻¹, and û_θ·Covariance·û_θᵀ.
	Covariance           *mat.SymDense
	ThetaErrors, UErrors []float64

	s     *search
	modes *mat.Dense // û_θ
}

// InformationError says that ∇²L is not positive definite in the free parameters at what should
// be a minimum: data do not determine all of θ.
type InformationError struct{ Theta []float64 }

func (e *InformationError) Error() string {
	return fmt.Sprintf("laplace: the data do not determine θ: ∇²L is not positive definite at %.6g", e.Theta)
}

// Fit finds a local minimum of L from θ₀, without bounds.
func (m *Marginal) Fit(ctx context.Context, theta0 []float64) (*Estimate, error) {
	return FitSettings{}.Fit(ctx, m, theta0)
}

// Fit finds a local minimum of L between the bounds from θ₀, by Newton's method with exact Hessians,
// and the errors there. It panics if lengths differ. Errors are a *newton.StoppedError, which wraps
// those of evaluations, a *ModeError and, beside an Estimate, an *OtherModeError or an
// *InformationError, with which it has no errors.
func (o FitSettings) Fit(ctx context.Context, m *Marginal, theta0 []float64) (*Estimate, error) {
	theta, err := o.minimize(ctx, reverse.NewFunc(m.Apply), theta0)
	if err != nil {
		return nil, err
	}
	e := &Estimate{Theta: theta, Bound: make([]int, len(theta))}
	_, g, err := m.ValueGradient(nil, theta)
	if err != nil {
		return nil, err
	}
	for k := range theta {
		near := 1e-5 * max(1, math.Abs(theta[k]))
		if o.Lower != nil && theta[k]-o.Lower[k] <= near && g[k] > 0 {
			e.Theta[k], e.Bound[k] = o.Lower[k], -1
		}
		if o.Upper != nil && o.Upper[k]-theta[k] <= near && g[k] < 0 {
			e.Theta[k], e.Bound[k] = o.Upper[k], 1
		}
	}
	e.s = newSearch(m)
	if e.U, err = m.Modes(nil, theta); err != nil {
		return nil, err
	}
	copy(e.s.u(), e.U)
	e.s.found = true
	if err := e.s.find(theta); err != nil {
		return nil, err
	}
	e.Value = e.s.value()
	if err := e.errors(); err != nil {
		return e, err
	}
	return e, m.Check(theta)
}

// minimize is the point where newton finds a minimum of f.
func (o FitSettings) minimize(ctx context.Context, f *reverse.Func, x0 []float64) ([]float64, error) {
	var method newton.Method = newton.TrustRegion{}
	if o.Lower != nil || o.Upper != nil {
		method = newton.InteriorPoint{}
	}
	r, err := method.Solve(ctx, newton.Problem{Func: f, Lower: o.Lower, Upper: o.Upper}, x0)
	return r.X, err
}

// errors computes the standard errors.
func (e *Estimate) errors() error {
	h, modes, err := e.s.second()
	if err != nil {
		return err
	}
	e.modes = modes
	p := len(e.Theta)
	var free []int
	for k, b := range e.Bound {
		if b == 0 {
			free = append(free, k)
		}
	}
	e.Covariance = mat.NewSymDense(max(p, 1), nil)
	if k := len(free); k > 0 {
		information := mat.NewSymDense(k, nil)
		for a, i := range free {
			for b, j := range free {
				information.SetSym(a, b, (h.At(i, j)+h.At(j, i))/2)
			}
		}
		var factors mat.Cholesky
		var inverse mat.SymDense
		if !factors.Factorize(information) || factors.InverseTo(&inverse) != nil {
			e.Covariance = nil
			return &InformationError{slices.Clone(e.Theta)}
		}
		for a, i := range free {
			for b, j := range free {
				e.Covariance.SetSym(i, j, inverse.At(a, b))
			}
		}
	}
	e.ThetaErrors, e.UErrors = make([]float64, p), make([]float64, len(e.U))
	for k := range e.ThetaErrors {
		e.ThetaErrors[k] = math.Sqrt(e.Covariance.At(k, k))
	}
	for i := range e.UErrors {
		e.UErrors[i] = math.Sqrt(e.s.w.At(i, i) + e.variance(modes.RawRowView(i)))
	}
	return nil
}

// variance is jᵀ·Covariance·j.
func (e *Estimate) variance(j []float64) (v float64) {
	for a, x := range j {
		for b, y := range j {
			v += x * y * e.Covariance.At(a, b)
		}
	}
	return v
}

// Of returns the values of functions φ of [u; θ], in the order of f, at û and θ and their standard
// errors by the delta method,
//
//	φ_u f_uu⁻¹ φ_uᵀ + JVJᵀ, J = φ_θ + φ_u û_θ, V = Covariance.
//
// Errors are those of φ. Cost: a gradient and a solution for each function.
func (e *Estimate) Of(phi *reverse.Func) (values, errs []float64, err error) {
	if e.Covariance == nil {
		panic("laplace: functions of an Estimate without errors")
	}
	s := e.s
	order := s.order
	if order == nil {
		order = upTo(s.n + s.p)
	}
	x := s.arranged()
	t, err := phi.Tape(x)
	if err != nil {
		return nil, nil, err
	}
	if values, err = t.Values(nil, x); err != nil {
		return nil, nil, err
	}
	errs = make([]float64, len(values))
	w, g, u, j := make([]float64, len(values)), make([]float64, len(x)), make([]float64, s.n), make([]float64, s.p)
	z := make([]float64, s.n)
	for c := range values {
		clear(w)
		w[c] = 1
		if _, err = t.VJP(g, x, w); err != nil {
			return nil, nil, err
		}
		for k, i := range order {
			if k < s.n {
				u[k] = g[i]
			} else {
				j[k-s.n] = g[i]
			}
		}
		if err = s.chol.SolveInto(z, u); err != nil {
			return nil, nil, err
		}
		for k := range j {
			for i, v := range u {
				j[k] += v * e.modes.At(i, k)
			}
		}
		errs[c] = math.Sqrt(floats.Dot(u, z) + e.variance(j))
	}
	return values, errs, nil
}

// String is a report: θ with its errors, and those of the effects.
func (e *Estimate) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "L = %.8g, %d effects\n", e.Value, len(e.U))
	fmt.Fprintf(&b, "%4s %14s %12s\n", "θ", "estimate", "error")
	for k, v := range e.Theta {
		fmt.Fprintf(&b, "%4d %14.6g ", k, v)
		switch {
		case e.Bound[k] < 0:
			b.WriteString("    at its lower bound\n")
		case e.Bound[k] > 0:
			b.WriteString("    at its upper bound\n")
		case e.ThetaErrors == nil:
			b.WriteString("   not determined\n")
		default:
			fmt.Fprintf(&b, "%12.4g\n", e.ThetaErrors[k])
		}
	}
	if len(e.UErrors) > 0 {
		fmt.Fprintf(&b, "effects from %.4g to %.4g, errors from %.4g to %.4g\n",
			slices.Min(e.U), slices.Max(e.U), slices.Min(e.UErrors), slices.Max(e.UErrors))
	}
	return b.String()
}

// Apply returns L(θ) as an operation of a tape, with its gradient and its Hessian: penalties and
// prior densities of θ may be added, and newton minimizes it. Its value is NaN where there is a
// *ModeError, so that line searches turn back.
func (m *Marginal) Apply(theta []reverse.Var) reverse.Var {
	return reverse.Apply(primitive{m, len(theta)}, theta...)[0]
}

type primitive struct {
	m *Marginal
	p int
}

func (f primitive) Dims() (n, m int)     { return f.p, 1 }
func (f primitive) Name() string         { return "Laplace" }
func (f primitive) Jacobian(i int) []int { return nil }
func (f primitive) Hessian(i int) []int  { return nil }

// undefined is nil for a *ModeError, where dst is NaN then.
func undefined(err error, dst []float64) error {
	var none *ModeError
	if !errors.As(err, &none) {
		return err
	}
	for i := range dst {
		dst[i] = math.NaN()
	}
	return nil
}

func (f primitive) Eval(y, x []float64) (err error) {
	y[0], err = f.m.Value(x)
	return undefined(err, y)
}

func (f primitive) JVP(dy, x, dx []float64) error {
	_, g, err := f.m.ValueGradient(nil, x)
	if err == nil {
		dy[0] = floats.Dot(g, dx)
	}
	return undefined(err, dy)
}

func (f primitive) VJP(gx, x, w []float64) error {
	_, _, err := f.m.ValueGradient(gx, x)
	floats.Scale(w[0], gx)
	return undefined(err, gx)
}

func (f primitive) HVP(h, x, dx, w []float64) error {
	err := f.m.at(x, func(s *search) error {
		if !slices.Equal(s.known, x) {
			a, _, err := s.second()
			if err != nil {
				return err
			}
			s.known, s.hessian = slices.Clone(x), a
		}
		for i := range h {
			h[i] = w[0] * floats.Dot(s.hessian.RawRowView(i), dx)
		}
		return nil
	})
	return undefined(err, h)
}
