package hessian

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/reverse"
)

// DifferenceError says that a derivative is not what differences give.
type DifferenceError struct {
	// Order is 1 for Jacobian and gradient, 2 for the Hessian of Σ wⱼFⱼ.
	Order int
	// Row is which output, −1 for the gradient of Σ wⱼFⱼ, for the Hessian which
	// row, and Column which variable the derivative is along; −1 is a random
	// direction.
	Row, Column int
	// Got is the derivative. Want is what differences give, and Bound what they
	// may be off by.
	Got, Want, Bound float64
}

func (e *DifferenceError) Error() string {
	what := "gradient of the weighted outputs"
	switch {
	case e.Order == 2:
		what = fmt.Sprintf("row %d of the Hessian", e.Row)
	case e.Row >= 0:
		what = fmt.Sprintf("derivative of output %d", e.Row)
	}
	along := fmt.Sprintf("x[%d]", e.Column)
	if e.Column < 0 {
		along = "a random direction"
	}
	return fmt.Sprintf("hessian: %s along %s is %v, by differences %v ± %.1g", what, along, e.Got, e.Want, e.Bound)
}

// Check tries the derivatives of f: ℝⁿ → ℝ at x and at three points near it, and says in
// words what it saw. The error joins all that is wrong, to be found by errors.As:
//
//   - *reverse.StateError: called again with the same x, f does something else;
//   - *reverse.Fault: f, its gradient or its Hessian is not finite at x;
//   - *DifferenceError: gradient or Hessian is not what differences of f itself or
//     of the gradient give, as with a wrong primitive, with Detach, Step and Value;
//   - *reverse.MissedError: the sparsity pattern misses a nonzero;
//   - a primitive's own error.
//
// Derivatives are compared along the coordinates, sixteen of them at x and four at the other
// points, and along two random directions. A running analysis of rounding errors bounds
// what each comparison may be off by, so that a right derivative is never reported, however
// many digits it loses. A fault is found if it changes a derivative by more than about 10⁻⁹
// of itself: in the tests, 99 of 100 wrong signs, factors 1 ± 10⁻⁴, missing terms, uses of
// Detach and of Value in random functions of all operations. Check does not see a fault that
//
//   - is smaller than that;
//   - is smaller than the rounding errors of f (of the gradient, if it is one of the Hessian)
//     divided by a step of 3 % of max(1, |xᵢ|);
//   - concerns only variables that were not tried, and is small in the random directions;
//   - is at a kink, where a derivative may be anything between the one-sided ones, or where
//     derivatives change with x faster than rounding errors allow to resolve, or beside jumps
//     as close. The report says how many could not be compared for this reason;
//   - is in an output, or a row of the Hessian, whose rounding errors have no bound, or one as
//     large as the derivative. The report names these.
//
// Detach or Value that leave no trace in the derivatives, as in a shift that is subtracted
// again, are no fault.
//
// Cost: about a thousand products with the Hessian by sweeps, and ten recordings; if f calls
// Value, a recording for each product. That is not for an inner loop. It panics if f is nil.
func Check(f func(x []reverse.Var) reverse.Var, x []float64) (report string, err error) {
	if f == nil {
		panic("hessian: nil function")
	}
	return CheckVec(func(x []reverse.Var) []reverse.Var { return []reverse.Var{f(x)} }, x)
}

// CheckVec is Check for a vector function F: of its Jacobian, dense and sparse,
// and of the Hessian of Σ wⱼFⱼ with random weights.
func CheckVec(f func(x []reverse.Var) []reverse.Var, x []float64) (report string, err error) {
	if f == nil {
		panic("hessian: nil function")
	}
	c := &checker{f: f, random: rand.New(rand.NewPCG(1, 2))}
	c.run(x)
	return c.report.String(), errors.Join(c.errs...)
}

const (
	checkPoints     = 3      // beside x
	checkNear       = 0x1p-7 // how near, relative to 1 + |xᵢ|
	checkDirections = 16     // coordinates that are tried at x

	checkDirectionsNear = 4
)

// checker is one Check.
type checker struct {
	f      func(x []reverse.Var) []reverse.Var
	random *rand.Rand
	report strings.Builder
	errs   []error
	w      []float64
}

func (c *checker) say(format string, args ...any) {
	fmt.Fprintf(&c.report, format+"\n", args...)
}

// wrong reports whether err is one, and notes it.
func (c *checker) wrong(err error) bool {
	if err == nil {
		return false
	}
	c.errs = append(c.errs, err)
	c.say("WRONG: %v", err)
	return true
}

func (c *checker) run(x []float64) {
	if c.wrong(reverse.CheckRepeats(c.f, x)) {
		return // nothing that follows would mean anything
	}
	record := reverse.Recorder{Lines: true}.RecordVec
	first, err := record(c.f, x)
	if c.wrong(err) {
		return
	}
	n, m := first.Inputs(), first.Outputs()
	c.say("%d variables, %d outputs, %d operations; recorded twice, the same", n, m, first.Ops())
	c.w = make([]float64, m)
	for j := range c.w {
		c.w[j] = 1
		if m > 1 {
			c.w[j] += c.random.Float64()
		}
	}
	for k := range checkPoints + 1 {
		y, where := x, "at x"
		if k > 0 {
			where = fmt.Sprintf("near x, point %d", k)
			y = make([]float64, n)
			for i := range y {
				y[i] = x[i] + checkNear*(1+math.Abs(x[i]))*(2*c.random.Float64()-1)
			}
		}
		t, err := record(c.f, y)
		if c.wrong(err) {
			return
		}
		if k > 0 && !c.sameFunction(first, t, y, where) {
			continue
		}
		var fault *reverse.Fault
		if !c.finite(t, y) { // Trace looks closer, and takes its time
			fault, err = reverse.TraceVec(c.f, y, c.w...)
			if c.wrong(err) {
				return
			}
		}
		if fault != nil {
			if k == 0 {
				c.wrong(fault)
			} else {
				c.say("%s: %v", where, fault)
			}
			continue
		}
		if n > 0 {
			coordinates := checkDirections
			if k > 0 {
				coordinates = checkDirectionsNear
			}
			c.derivatives(t, y, where, coordinates)
		}
		c.patterns(t, y, where)
	}
}

// sameFunction reports whether the tape t0 has at y the values of the one that
// was recorded there, or takes another branch.
func (c *checker) sameFunction(t0, t *reverse.Tape, y []float64, where string) bool {
	got, err := t0.Values(nil, y)
	if branch, ok := err.(*reverse.BranchError); ok { // that of a primitive is wrapped
		c.say("%s: another branch, %v", where, branch)
		return true
	}
	if c.wrong(err) {
		return false
	}
	want, err := t.Values(nil, y)
	if c.wrong(err) {
		return false
	}
	for j := range got {
		if got[j] != want[j] && (got[j] == got[j] || want[j] == want[j]) {
			c.wrong(fmt.Errorf("hessian: %s: output %d is %v, by the tape that was recorded at x %v: "+
				"the function depends on x, or on a state, in a way that no operation shows", where, j, want[j], got[j]))
			return false
		}
	}
	return true
}

// finite reports whether values, gradient and Hessian are, along two random
// directions.
func (c *checker) finite(t *reverse.Tape, x []float64) bool {
	y, err := t.Values(nil, x)
	g, errG := t.VJP(nil, x, c.w)
	all := slices.Concat(y, g)
	for range 2 {
		v := make([]float64, len(x))
		for i := range v {
			v[i] = 1 + c.random.Float64()
		}
		h, errH := t.HVP(nil, x, v, c.w...)
		all = append(all, h...)
		err = errors.Join(err, errG, errH)
	}
	return err == nil && !slices.ContainsFunc(all, func(x float64) bool { return x-x != 0 })
}

// derivatives compares with differences.
func (c *checker) derivatives(t *reverse.Tape, x []float64, where string, coordinates int) {
	n := t.Inputs()
	columns := c.random.Perm(n)
	columns = append(columns[:min(n, coordinates)], -1, -1)
	var all verdict
	for _, column := range columns {
		l := &line{checker: c, t: t, x: x, v: make([]float64, n), at: make([]float64, n)}
		scale := 1.0
		if column >= 0 {
			l.v[column] = 1
			scale = max(math.Abs(x[column]), 1)
		} else {
			for i := range l.v {
				l.v[i] = 2*c.random.Float64() - 1
			}
		}
		v := l.compare(scale)
		if v.wrong != nil {
			v.wrong.Column = column
			c.wrong(v.wrong)
			return
		}
		all.judged += v.judged
		all.rough += v.rough
		for f := range families {
			all.hidden[f] = append(all.hidden[f], v.hidden[f]...)
			all.reached[f] = max(all.reached[f], v.reached[f])
		}
	}
	if all.judged == 0 {
		c.say("%s: no differences, f has another branch or no value beside x, or changes too fast", where)
	} else {
		c.say("%s: %d derivatives along %d directions are those of differences, first ones to %.0e, second ones to %.0e", where, all.judged,
			len(columns), max(all.reached[jacobian], all.reached[gradient]), all.reached[hessian2])
	}
	if all.rough > 0 {
		c.say("%s: %d derivatives near kinks, or that change too fast, could not be compared", where, all.rough)
	}
	for f, name := range [families]string{"derivatives of outputs", "the gradient of the weighted outputs, of", "rows of the Hessian"} {
		if rows := all.hidden[f]; len(rows) > 0 {
			slices.Sort(rows)
			c.say("%s: left out, since bounds of rounding errors are as large or infinite: %s %v", where, name, slices.Compact(rows))
		}
	}
}

// patterns compares sparse matrices with products.
func (c *checker) patterns(t *reverse.Tape, x []float64, where string) {
	p, err := NewSparse(t)
	if c.wrong(err) {
		return
	}
	c.complete(p.Verify(x, c.w...), fmt.Sprintf("%s: the sparse Hessian, %d nonzeros by %v", where, p.Pattern().NNZ(), p.Method()))
	if t.Outputs() == 1 {
		return
	}
	j, err := reverse.NewSparseJacobian(t)
	if c.wrong(err) {
		return
	}
	c.complete(j.Verify(x), fmt.Sprintf("%s: the sparse Jacobian, %d nonzeros by %v", where, j.Pattern().NNZ(), j.Method()))
}

// complete takes down what Verify says of a matrix.
func (c *checker) complete(err error, what string) {
	var missed *reverse.MissedError
	switch {
	case errors.As(err, &missed) && math.IsInf(missed.Bound, 1):
		c.say("%s: %v", what, err)
	case !c.wrong(err):
		c.say("%s, is complete", what)
	}
}
