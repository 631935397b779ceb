package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/sparsity"
)

// functions is f and c of a Problem as the iterations see them: each multiplied by
// its scale, without the rows that have no bounds, and with fixed variables that
// nothing depends on.
type functions struct {
	*evaluator
	n, m   int
	fixed  []bool
	output []int     // of the Func, of each row
	target []float64 // c of an equality should be this; 0 of an inequality

	fScale float64
	scale  []float64 // of the rows

	outputs, weights []float64
	b                *branch // whose matrices hold the last derivatives
}

// values stores scaled c(x) in c and returns scaled f(x).
func (fn *functions) values(c, x []float64) (f float64, err error) {
	if err := fn.evaluator.values(fn.outputs, x); err != nil {
		return 0, err
	}
	for r, out := range fn.output {
		c[r] = fn.scale[r] * (fn.outputs[out] - fn.target[r])
	}
	return fn.fScale * fn.outputs[0], nil
}

// derivatives computes scaled ∇fᵀ and c′ at x, the rows of b.j, and reports whether
// they are finite.
func (fn *functions) derivatives(x []float64) (ok bool, err error) {
	b, err := fn.at(x)
	if err != nil {
		return false, err
	}
	if err := fn.withJacobian(b); err != nil {
		return false, err
	}
	fn.b = b
	fn.cost.Jacobians++
	if err := clock(&fn.cost.Derivatives, func() error {
		_, err := b.jacobian.Eval(b.j, fn.in(b, x))
		return err
	}); err != nil {
		return false, err
	}
	p, values := b.j.Pattern(), b.j.Values()
	ptr := p.RowPtr()
	ok = true
	scaleRow := func(i int, s float64) {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			values[k] *= s
			ok = ok && finite(values[k])
		}
	}
	scaleRow(0, fn.fScale)
	for r, out := range fn.output {
		scaleRow(out, fn.scale[r])
	}
	k := 0
	for i := range len(ptr) - 1 {
		for _, j := range p.Row(i) {
			if fn.fixed[j] {
				values[k] = 0
			}
			k++
		}
	}
	return ok, nil
}

// hessian computes the Hessian of σf + yᵀc, scaled, as b.w.
func (fn *functions) hessian(x []float64, sigma float64, y []float64) error {
	b := fn.b
	if err := fn.withHessian(b); err != nil {
		return err
	}
	clear(fn.weights)
	fn.weights[0] = sigma * fn.fScale
	for r, out := range fn.output {
		fn.weights[out] = y[r] * fn.scale[r]
	}
	fn.cost.Hessians++
	return clock(&fn.cost.Derivatives, func() error {
		_, err := b.hessian.Eval(b.w, fn.in(b, x), fn.weights...)
		return err
	})
}

// addTransposed adds c′ᵀy to dst.
func (fn *functions) addTransposed(dst, y []float64) {
	for r, out := range fn.output {
		if y[r] != 0 {
			columns, values := rowOf(fn.b.j, out)
			for k, j := range columns {
				dst[j] += y[r] * values[k]
			}
		}
	}
}

// rowOf is the columns and values of row i of a.
func rowOf(a *sparsity.Matrix, i int) ([]int32, []float64) {
	p := a.Pattern()
	ptr := p.RowPtr()
	return p.Row(i), a.Values()[ptr[i]:ptr[i+1]]
}

// program is what an interior-point method iterates on, the Problem or that of
// the restoration phase:
//
//	minimize  σf(x) + bᵀe + ½ζ‖D(x − x_R)‖²
//	subject to  c(x) + Ae = 0,  l ≤ v ≤ u,  v = [x; e].
//
// Each of the extra variables e stands in one row, with the coefficient 1 or −1:
// slacks s of inequalities, c(x) − s = 0, and in the restoration phase
// the parts p − n of the violation.
type program struct {
	*functions
	extraRow  []int32
	extraSign []float64
	extraCost []float64

	lower, upper []float64

	sigma     float64
	zeta      float64
	d, center []float64 // nil if there is no proximal term
}

func (p *program) extras() int { return len(p.extraRow) }

// addExtra adds a variable at the end of v.
func (p *program) addExtra(row int, sign, cost, lower, upper float64) {
	p.extraRow = append(p.extraRow, int32(row))
	p.extraSign = append(p.extraSign, sign)
	p.extraCost = append(p.extraCost, cost)
	p.lower, p.upper = append(p.lower, lower), append(p.upper, upper)
}

// point is a point with the values there.
type point struct {
	v     []float64
	f     float64   // of the program
	c     []float64 // c(x) + Ae
	theta float64   // ‖c(x) + Ae‖₁
	given float64   // f of the Problem
}

func (p *program) newPoint() *point {
	return &point{v: make([]float64, len(p.lower)), c: make([]float64, p.m)}
}

func (q *point) set(o *point) {
	copy(q.v, o.v)
	copy(q.c, o.c)
	q.f, q.theta, q.given = o.f, o.theta, o.given
}

// evaluate computes the values at q.v and reports whether they are finite.
func (p *program) evaluate(q *point) (ok bool, err error) {
	f, err := p.values(q.c, q.v[:p.n])
	if err != nil {
		return false, err
	}
	q.given = p.outputs[0]
	q.f = 0
	if p.sigma != 0 {
		q.f = f
	}
	for k, e := range q.v[p.n:] {
		q.c[p.extraRow[k]] += p.extraSign[k] * e
		q.f += p.extraCost[k] * e
	}
	for i := range p.d {
		t := p.d[i] * (q.v[i] - p.center[i])
		q.f += 0.5 * p.zeta * t * t
	}
	q.theta = floats.Norm(q.c, 1)
	return finite(q.f) && finite(q.theta), nil
}

// gradient stores the gradient of the objective by v in dst, after derivatives.
func (p *program) gradient(dst []float64, q *point) {
	clear(dst[:p.n])
	if p.sigma != 0 {
		columns, values := rowOf(p.b.j, 0)
		for k, j := range columns {
			dst[j] = values[k]
		}
	}
	for i := range p.d {
		dst[i] += p.zeta * p.d[i] * p.d[i] * (q.v[i] - p.center[i])
	}
	copy(dst[p.n:], p.extraCost)
}

// addConstraints adds [c′ A]ᵀy to dst.
func (p *program) addConstraints(dst, y []float64) {
	p.addTransposed(dst[:p.n], y)
	for k, r := range p.extraRow {
		dst[p.n+k] += p.extraSign[k] * y[r]
	}
}

// toLower and toUpper are the distances of v to its bounds, above 0 where rounding
// would make them 0.
func (p *program) toLower(v []float64, i int) float64 {
	return max(v[i]-p.lower[i], epsilon/2*math.Abs(p.lower[i]), tiny)
}

func (p *program) toUpper(v []float64, i int) float64 {
	return max(p.upper[i]-v[i], epsilon/2*math.Abs(p.upper[i]), tiny)
}

const (
	epsilon = 1.0 / (1 << 52)
	tiny    = 1e-300
)

// bounded reports which bounds variable i has. Fixed variables have none: they do
// not move.
func (p *program) bounded(i int) (lower, upper bool) {
	if i < p.n && p.fixed[i] {
		return false, false
	}
	return !math.IsInf(p.lower[i], -1), !math.IsInf(p.upper[i], 1)
}

func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }
