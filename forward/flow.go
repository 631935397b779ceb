package forward

import (
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Flow are the settings by which the initial value problem y′ = f(t, y), y(t₀) = y₀ is
// integrated by Taylor series. The zero value holds the defaults.
//
// From yₖ₊₁ = fₖ/(k+1), k the coefficient, a step knows y to order p about its start, p =
// ⌈1 − ½ ln ε⌉ of the tolerance ε; its length is ρ/e², the radius of convergence ρ taken
// from the last two coefficients, at which ε is reached with the least work (Jorba and Zou,
// A software package for the numerical integration of ODEs by means of high-order Taylor
// methods, Exp. Math. 14, 2005). Such steps are for smooth f and strict tolerances: where f
// jumps the order falls, for stiff problems implicit methods are better.
type Flow struct {
	// Tolerance ε is that of a step, relative to the largest component of y; 0 is 1e-15.
	// It may be from 1e-300 to 0.1.
	Tolerance float64
}

// A Step is the solution between T and T + H, H < 0 if time runs backwards.
type Step struct {
	T, H float64
	// Y[i][k] is the coefficient of (t − T)ᵏ in component i. The memory is that of the
	// next step, too.
	Y [][]float64
}

// At stores y(t), T ≤ t ≤ T + H, in dst and returns it; nil allocates it. It panics if dst
// has not a component's length.
func (s Step) At(dst []float64, t float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(s.Y))
	}
	if len(dst) != len(s.Y) {
		panic("forward: len(dst) is not that of y")
	}
	for i := range dst {
		dst[i] = s.Y[i][0] + s.rest(i, t)
	}
	return dst
}

// start is y(T).
func (s Step) start() []float64 {
	y := make([]float64, len(s.Y))
	for i, c := range s.Y {
		y[i] = c[0]
	}
	return y
}

// rest is yᵢ(t) − yᵢ(T).
func (s Step) rest(i int, t float64) float64 {
	h, v := t-s.T, 0.0
	for k := len(s.Y[i]) - 1; k > 0; k-- {
		v = (v + s.Y[i][k]) * h
	}
	return v
}

// A StepError says that the solution could not be followed beyond T: its coefficients are
// not finite there, or steps would not move t.
type StepError struct{ T float64 }

func (e *StepError) Error() string {
	return fmt.Sprintf("forward: the solution cannot be followed beyond t = %g", e.T)
}

// Integrate returns y(t₁). f(t, y) gives y′, as many components as y; it is evaluated on
// polynomials of every order below p for each step. each, unless nil, is given the steps in
// order, which are the solution for all t between t₀ and t₁. y0 is left as it is. Sums of
// steps are compensated, so that rounding errors grow with their number as those of f do.
// Integrate panics if f is nil, its result has another length or the tolerance is out of
// range. It returns a *StepError where the solution ends before t₁, and the state there.
func (s Flow) Integrate(f func(t dual.Taylor, y []dual.Taylor) []dual.Taylor, t0 float64, y0 []float64, t1 float64, each func(Step)) ([]float64, error) {
	if f == nil {
		panic(badFunc)
	}
	tolerance := s.Tolerance
	if tolerance == 0 {
		tolerance = 1e-15
	}
	if !(1e-300 <= tolerance && tolerance <= 0.1) {
		panic("forward: tolerance out of range")
	}
	order := max(2, int(math.Ceil(1-math.Log(tolerance)/2))) // exact
	memory := make([]*dual.Taylors, order)
	for k := range memory {
		memory[k] = dual.NewTaylors(k)
	}
	n := len(y0)
	step := Step{T: t0, Y: make([][]float64, n)}
	for i, v := range y0 {
		step.Y[i] = make([]float64, order+1)
		step.Y[i][0] = v
	}
	lost := make([]float64, n) // what rounding took from y
	y := make([]dual.Taylor, n)
	for step.T != t1 {
		for k, m := range memory {
			m.Reset()
			for i := range y {
				y[i] = m.Variable(step.Y[i][:k+1]...)
			}
			d := f(m.Variable([]float64{step.T, 1}[:min(2, k+1)]...), y)
			if len(d) != n {
				panic("forward: f gives another number of components")
			}
			for i, di := range d {
				step.Y[i][k+1] = di.Coefficient(k) / float64(k+1)
			}
		}
		h := math.Min(step.radius(order-1), step.radius(order)) / (math.E * math.E)
		step.H = math.Copysign(math.Min(h, math.Abs(t1-step.T)), t1-step.T)
		next := step.T + step.H
		if h >= math.Abs(t1-step.T) {
			next = t1
		}
		if step.H != step.H || next == step.T {
			return step.start(), &StepError{step.T}
		}
		step.H = next - step.T
		if each != nil {
			each(step)
		}
		for i, c := range step.Y {
			d := step.rest(i, next) + lost[i]
			v := c[0] + d
			lost[i] = (c[0] - v) + d
			c[0] = v
		}
		step.T = next
	}
	return step.start(), nil
}

// radius is that of convergence by the coefficients of order k: (‖y₀‖/‖yₖ‖)^(1/k), in
// the largest component. It is NaN where one is not finite.
func (s Step) radius(k int) float64 {
	first, last := 0.0, 0.0
	for _, c := range s.Y {
		first, last = math.Max(first, math.Abs(c[0])), math.Max(last, math.Abs(c[k]))
	}
	if first == 0 {
		first = 1
	}
	if last-last != 0 || first-first != 0 {
		return math.NaN()
	}
	return math.Pow(first/last, 1/float64(k))
}
