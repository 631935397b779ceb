package reverse

import (
	"fmt"

	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// A SeriesError says that a primitive has no Taylor polynomials of an order: those of two
// derivatives have them to order 2, others if they are a SeriesPrimitive.
type SeriesError struct {
	Name  string // of the primitive
	Order int
}

func (e *SeriesError) Error() string { return (*op.SeriesError)(e).Error() }

// Taylor returns the coefficients of F along a curve x(t) = Σ x[k]tᵏ: F(x(t)) = Σ dst[k]tᵏ up to
// the given order, each dst[k] of length m. x[0] is the point as in other evaluations, each other
// x[k] has length n, and those beyond len(x) are 0: along the line x = {x₀, v}, dst[k] is the k-th
// directional derivative over k!. dst and each dst[k] may be nil, or overlap x.
//
// Taylor panics if order < 0, x is empty or longer than order+1, or a length is wrong. It returns
// a *SeriesError for a primitive without polynomials. Cost: of order 1, that of a JVP; else
// O(order²) multiplications an operation, by the recurrences of Griewank and Walther (Evaluating
// Derivatives, 2nd ed., 2008, chapter 13), and memory for order+1 numbers an operation.
func (t *Tape) Taylor(dst, x [][]float64, order int) ([][]float64, error) {
	m := t.Outputs()
	checkPolynomial(dst, m, order)
	ws, c, err := t.curve(x, order)
	defer t.engine().Put(ws)
	if err != nil {
		return dst, err
	}
	dst = polynomial(dst, m, order)
	for k, y := range dst {
		for j := range y {
			y[j] = c[k][t.engine().Output(j)]
		}
	}
	return dst, nil
}

// TaylorVJP returns the coefficients of F′(x(t))ᵀw(t) up to the given order, each dst[k] of length
// n, for x as in Taylor and w(t) = Σ w[k]tᵏ, each w[k] of length m, 0 beyond len(w). With
// w = {eⱼ} these are those of the gradient of output j along x(t): along the line {x₀, v},
// k!·dst[k] is the k-th derivative of the gradient along v, of order k+1 in all. dst[k] has also
// all derivatives of coefficients of y(t) = F(x(t)), ∂(wᵀy_{k+i})/∂x_i for any i.
//
// Otherwise as Taylor; it takes some three times as long.
func (t *Tape) TaylorVJP(dst, x, w [][]float64, order int) ([][]float64, error) {
	n := t.Inputs()
	checkPolynomial(dst, n, order)
	checkCurve(w, order, "w")
	for _, w := range w {
		check(w, t.Outputs(), "a coefficient of w")
	}
	ws, _, err := t.curve(x, order)
	defer t.engine().Put(ws)
	if err != nil {
		return dst, err
	}
	g, err := ws.TaylorVJP(w)
	if err != nil {
		return dst, t.seriesError(ws, nil, err)
	}
	dst = polynomial(dst, n, order)
	for k, x := range dst {
		copy(x, g[k])
	}
	return dst, nil
}

// curve sweeps along x; the workspace is to be given back.
func (t *Tape) curve(x [][]float64, order int) (ws *sweep.Workspace, c [][]float64, err error) {
	n := t.Inputs()
	checkCurve(x, order, "x")
	for _, x := range x[1:] {
		check(x, n, "a coefficient of x")
	}
	in, params := t.Inside().Split(x[0])
	ws = t.engine().Get()
	c = ws.Polynomials(order)
	guard, err := ws.Value(in, params)
	if guard == nil && err == nil {
		for k := 1; k <= order; k++ {
			clear(c[k][:n])
			if k < len(x) {
				copy(c[k], x[k])
			}
		}
		err = ws.Taylor()
	}
	return ws, c, t.seriesError(ws, guard, err)
}

// seriesError is the error of a sweep that ended at a guard, or with err.
func (t *Tape) seriesError(ws *sweep.Workspace, guard *tape.Guard, err error) error {
	if e, ok := err.(*op.SeriesError); ok {
		return (*SeriesError)(e)
	}
	return inside.Error(ws, guard, err)
}

// checkCurve panics unless x has coefficients, and not more than there may be.
func checkCurve(x [][]float64, order int, what string) {
	if order < 0 || len(x) == 0 || len(x) > order+1 {
		panic(fmt.Sprintf("reverse: %s has %d coefficients, want 1 to order+1 = %d", what, len(x), order+1))
	}
}

// checkPolynomial panics if dst is not that of a polynomial of n numbers.
func checkPolynomial(dst [][]float64, n, order int) {
	if dst == nil {
		return
	}
	if len(dst) != order+1 {
		panic(fmt.Sprintf("reverse: dst has length %d, want order+1 = %d", len(dst), order+1))
	}
	for _, c := range dst {
		if c != nil {
			check(c, n, "a coefficient of dst")
		}
	}
}

// polynomial is dst with memory for a polynomial of n numbers.
func polynomial(dst [][]float64, n, order int) [][]float64 {
	if dst == nil {
		dst = make([][]float64, order+1)
	}
	for k := range dst {
		dst[k] = buffer(dst[k], n)
	}
	return dst
}
