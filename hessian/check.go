package hessian

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/reverse"
)

// DifferenceError says that a derivative is not what differences give.
type DifferenceError struct {
	// Order is 1 for Jacobian and gradient, 2 for the Hessian of Σ wⱼFⱼ.
	Order int
	// Row is which output, for the Hessian which row, and Column which variable
	// the derivative is along; −1 is a random direction.
	Row, Column int
	// Got is the derivative. Want is what differences give, and Bound what they
	// may be off by.
	Got, Want, Bound float64
}

func (e *DifferenceError) Error() string {
	what := [...]string{"derivative of output", "row of the Hessian"}[e.Order-1]
	along := fmt.Sprintf("x[%d]", e.Column)
	if e.Column < 0 {
		along = "a random direction"
	}
	return fmt.Sprintf("hessian: %s %d along %s is %v, by differences %v ± %.1g", what, e.Row, along, e.Got, e.Want, e.Bound)
}

// Check tries the derivatives of f: ℝⁿ → ℝ at x and at three points near it,
// and says in words what it saw. The error joins what is wrong, all of it
// found by errors.As:
//
//   - *reverse.StateError: called again with the same x, f does something else;
//   - *reverse.Fault: f, its gradient or its Hessian is not finite at x;
//   - *DifferenceError: gradient or Hessian is not what differences of f or of
//     the gradient give, as with a wrong primitive;
//   - *MissedError: the sparsity pattern misses a nonzero;
//   - a primitive's own error.
//
// At a kink a derivative may be anything between the one-sided ones. Detach and
// Step are reported, since their derivatives are not those of their values. Cost: some hundreds of evaluations and ten
// recordings; not for the inner loop. It panics if f is nil.
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
	checkDirections = 16     // coordinates that are tried
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
	first, err := record(x, c.f)
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
		t, err := record(y, c.f)
		if c.wrong(err) {
			return
		}
		if k > 0 && !c.sameFunction(first, t, y, where) {
			continue
		}
		fault, err := reverse.TraceVec(c.f, y, c.w...)
		if c.wrong(err) {
			return
		}
		if fault != nil {
			if k == 0 {
				c.wrong(fault)
			} else {
				c.say("%s: %v", where, fault)
			}
			continue
		}
		c.derivatives(t, y, where)
		c.patterns(t, y, where)
	}
}

// sameFunction reports whether the tape t0 has at y the values of the one that
// was recorded there, or takes another branch.
func (c *checker) sameFunction(t0, t *reverse.Tape, y []float64, where string) bool {
	got, err := t0.Values(nil, y)
	var branch *reverse.BranchError
	if errors.As(err, &branch) {
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

// derivatives compares with differences.
func (c *checker) derivatives(t *reverse.Tape, x []float64, where string) {
	n := t.Inputs()
	columns := c.random.Perm(n)
	columns = append(columns[:min(n, checkDirections)], -1, -1)
	v, at := make([]float64, n), make([]float64, n)
	jv, g, hv := make([]float64, t.Outputs()), make([]float64, n), make([]float64, n)
	along := func(eval func(x []float64) ([]float64, error)) func(s float64) []float64 {
		return func(s float64) []float64 {
			for i := range at {
				at[i] = x[i] + s*v[i]
			}
			y, err := eval(at)
			if err != nil {
				return nil // another branch, or beyond what a primitive takes
			}
			return y
		}
	}
	value := along(func(x []float64) ([]float64, error) { return t.Values(nil, x) })
	weighted := func(s float64) []float64 {
		y := value(s)
		if y == nil {
			return nil
		}
		return []float64{floats.Dot(c.w, y)}
	}
	gradient := along(func(x []float64) ([]float64, error) { return t.VJP(nil, x, c.w) })
	worst := [2]float64{}
	kinks, tried := 0, 0
	for _, column := range columns {
		scale := 1.0
		for i := range v {
			v[i] = 2*c.random.Float64() - 1
			if column >= 0 {
				v[i] = 0
			}
		}
		if column >= 0 {
			v[column] = 1
			scale = max(math.Abs(x[column]), 1)
		}
		// What rounding errors of the derivatives themselves are relative to.
		var first, second float64
		err := inside.Sweep(t, x, func(p *program.Program, ws *program.Workspace) error {
			seed := func(x []float64, _ int) { copy(x, v) }
			if err := p.Linearize(ws, c.w); err != nil {
				return err
			}
			copy(g, ws.Bar)
			for range 2 {
				if ws.U != nil {
					clear(ws.U[0])
				}
				if err := p.HVP(ws, 1, seed); err != nil {
					return err
				}
			}
			copy(hv, ws.U[0])
			second = p.LargestSecond(ws, 0)
			if err := p.JVP(ws, 1, seed); err != nil {
				return err
			}
			for j := range jv {
				jv[j] = ws.T[0][p.Output(j)]
			}
			first = p.LargestFirst(ws, 0)
			return nil
		})
		if c.wrong(err) {
			return
		}
		for _, d := range []struct {
			order         int
			got           []float64
			f             func(s float64) []float64
			largest, size float64 // what is summed up in got and in f
		}{{1, jv, value, first, 0}, {1, []float64{floats.Dot(g, v)}, weighted, first, 0}, {2, hv, gradient, second, first}} {
			slack := inside.Program(t).Accuracy() * d.largest
			err, seen := c.compare(d.f, d.got, scale, slack, d.size, &worst[d.order-1], &kinks)
			if seen {
				tried++
			}
			if err != nil {
				err.Order, err.Column = d.order, column
				c.wrong(err)
				return
			}
		}
	}
	if tried == 0 {
		c.say("%s: no differences, f has another branch or no value beside x", where)
		return
	}
	c.say("%s: %d products with Jacobian and Hessian are those of differences, to %.0e and %.0e", where, tried, worst[0], worst[1])
	if kinks > 0 {
		c.say("%s: %d derivatives at a kink lie between the one-sided ones", where, kinks)
	}
}

// compare compares got, which may be off by slack, with differences of f, whose
// elements are sums of numbers up to size at least, of ever smaller steps as
// long as they are not the same: f may change fast.
func (c *checker) compare(f func(s float64) []float64, got []float64, scale, slack, size float64,
	worst *float64, kinks *int) (wrong *DifferenceError, seen bool) {
	for _, h := range [...]float64{0x1p-7, 0x1p-18, 0x1p-29} {
		want, bound, oneSided := differences(f, h*scale, size)
		if want == nil {
			continue
		}
		seen, wrong = true, nil
		for i, got := range got {
			switch off := math.Abs(got - want[i]); {
			case off <= bound[i]+slack:
				*worst = max(*worst, off/max(math.Abs(got), 1))
			case between(oneSided, i, got):
				if lo, hi := oneSided[1][i], oneSided[0][i]; math.Abs(hi-lo) > 1e-3*max(math.Abs(lo), math.Abs(hi)) {
					*kinks++
				}
			default:
				wrong = &DifferenceError{Row: i, Got: got, Want: want[i], Bound: bound[i]}
			}
		}
		if wrong == nil {
			return nil, true
		}
	}
	return wrong, seen
}

// patterns compares sparse matrices with products.
func (c *checker) patterns(t *reverse.Tape, x []float64, where string) {
	p, err := NewSparse(t)
	if c.wrong(err) || c.wrong(p.Verify(x, c.w...)) {
		return
	}
	c.say("%s: the sparse Hessian, %d nonzeros by %v, is complete", where, p.Pattern().NNZ(), p.Method())
	if t.Outputs() == 1 {
		return
	}
	j, err := reverse.NewSparseJacobian(t)
	if c.wrong(err) || c.wrong(j.Verify(x)) {
		return
	}
	c.say("%s: the sparse Jacobian, %d nonzeros by %v, is complete", where, j.Pattern().NNZ(), j.Method())
}

// differences is the derivative of f at 0 by central differences with steps
// from h down by halves, extrapolated to the step 0 (Richardson's deferred
// approach, as in Ridders, Accurate computation of F′(x) and F′(x)F″(x), 1982),
// for each element the best of the table. bound is four times what the best
// differs from its neighbors in the table, plus a millionth, plus the rounding
// errors of f, relative to size or f. oneSided are the slopes to the right and to
// the left. All are nil where f is not defined on both sides.
func differences(f func(s float64) []float64, h, size float64) (d, bound []float64, oneSided [2][]float64) {
	const steps, safety = 12, 4
	middle := f(0)
	if len(middle) == 0 {
		return nil, nil, oneSided
	}
	n := len(middle)
	d, bound = make([]float64, n), make([]float64, n)
	for i := range bound {
		bound[i] = math.Inf(1)
	}
	var above [][]float64 // the row of the table before
	for range steps {
		h /= 2
		plus, minus := f(h), f(-h)
		if plus == nil || minus == nil {
			above = nil
			continue
		}
		row := [][]float64{make([]float64, n)}
		oneSided = [2][]float64{make([]float64, n), make([]float64, n)}
		for i := range middle {
			row[0][i] = (plus[i] - minus[i]) / (2 * h)
			oneSided[0][i], oneSided[1][i] = (plus[i]-middle[i])/h, (middle[i]-minus[i])/h
		}
		// Elements are sums of numbers that may be as large as the others are.
		noise := 0x1p-46*max(floats.Norm(plus, math.Inf(1)), floats.Norm(minus, math.Inf(1)), size)/h +
			1e-6*floats.Norm(row[0], math.Inf(1))
		power := 1.0
		for k := range above {
			power *= 4
			next := make([]float64, n)
			for i := range next {
				next[i] = (power*row[k][i] - above[k][i]) / (power - 1)
				off := max(math.Abs(next[i]-row[k][i]), math.Abs(next[i]-above[k][i]))
				if b := safety*off + noise; b < bound[i] {
					d[i], bound[i] = next[i], b
				}
			}
			row = append(row, next)
		}
		above = row
	}
	if math.IsInf(bound[0], 1) {
		return nil, nil, oneSided
	}
	return d, bound, oneSided
}

// between reports whether x lies between the slopes on both sides.
func between(slopes [2][]float64, i int, x float64) bool {
	lo, hi := slopes[1][i], slopes[0][i]
	if lo > hi {
		lo, hi = hi, lo
	}
	slack := 1e-3 * (hi - lo)
	return lo-slack <= x && x <= hi+slack
}
