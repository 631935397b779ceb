package reverse

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/internal/workers"
)

// RowError says at which row of a matrix of points an evaluation failed first.
type RowError struct {
	Row int
	Err error
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d: %v", e.Row, e.Err) }

func (e *RowError) Unwrap() error { return e.Err }

// ValuesOfRows returns F at each row of X, k×n or with parameters k×(n + Params): row i
// of the result, k×m, is F of row i. The rows are shared by the workers of
// [Tape.WithWorkers]. dst may be nil, empty or k×m, and may be X, but must not overlap
// it otherwise. Where rows fail, the error is a *RowError for the first of them; they
// are left as they were, and all others are computed. Cost: a value sweep a row.
func (t *Tape) ValuesOfRows(dst, x *mat.Dense) (*mat.Dense, error) {
	one := t.WithWorkers(1)
	return t.rows(dst, x, t.Outputs(), func(dst, x []float64) error {
		_, err := one.Values(dst, x)
		return err
	})
}

// GradientsOfRows returns ∇f at each row of X, of a function with one output: row i of
// the result, k×n, is the gradient at row i. It panics if there are more outputs.
// Otherwise as ValuesOfRows. Cost: a Gradient a row.
func (t *Tape) GradientsOfRows(dst, x *mat.Dense) (*mat.Dense, error) {
	t.scalar()
	one := t.WithWorkers(1)
	return t.rows(dst, x, t.Inputs(), func(dst, x []float64) error {
		_, err := one.Gradient(dst, x)
		return err
	})
}

// rows calls eval with each row of x and of dst, which has c columns.
func (t *Tape) rows(dst, x *mat.Dense, c int, eval func(dst, x []float64) error) (*mat.Dense, error) {
	if x == nil {
		panic("reverse: nil X")
	}
	k, n := x.Dims()
	if n != t.Inputs() && n != t.Inputs()+t.Params() {
		panic(fmt.Sprintf("reverse: X has %d columns, want %d inputs (and %d parameters)", n, t.Inputs(), t.Params()))
	}
	checkDense(dst, k, c)
	dst = dense(dst, k, c)
	share := max(1, min(t.workers, k))
	errs := make([]*RowError, share)
	workers.Do(share, func(w int) {
		for i := w * k / share; i < (w+1)*k/share; i++ {
			if err := eval(dst.RawRowView(i), x.RawRowView(i)); err != nil && errs[w] == nil {
				errs[w] = &RowError{i, err}
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}
