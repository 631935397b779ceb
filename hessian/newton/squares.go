package newton

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/sparsity"
)

// stackedQR is the QR factorization of [JD⁻¹; √λI], with 1 in place of √λ for what
// is fixed.
type stackedQR struct {
	m, n       int
	matrix     *sparsity.Matrix
	qr         linsolve.QR
	ready      bool
	rhs, trans []float64
}

func newStackedQR(j *sparsity.Matrix) *stackedQR {
	m, n := j.Dims()
	ptr := append([]int32(nil), j.Pattern().RowPtr()...)
	idx := make([]int32, 0, j.NNZ()+n)
	for i := range m {
		idx = append(idx, j.Pattern().Row(i)...)
	}
	for i := range n {
		idx = append(idx, int32(i))
		ptr = append(ptr, int32(len(idx)))
	}
	return &stackedQR{
		m: m, n: n, matrix: sparsity.NewMatrix(sparsity.NewPattern(m+n, n, ptr, idx)),
		rhs: make([]float64, m+n), trans: make([]float64, m+n),
	}
}

func (q *stackedQR) factorize(j *sparsity.Matrix, d []float64, fixed []bool, lambda float64) (bool, error) {
	values := q.matrix.Values()
	scaledValues(values, j, d, fixed)
	root := math.Sqrt(lambda)
	for i, fixed := range fixed {
		values[j.NNZ()+i] = root
		if fixed {
			values[j.NNZ()+i] = 1
		}
	}
	var err error
	if q.ready {
		err = q.qr.Refactorize(q.matrix)
	} else {
		err = q.qr.Factorize(q.matrix)
		q.ready = true
	}
	full, err := fullRank(err)
	return full && q.condition()*float64(q.m+q.n)*epsilon < 1, err
}

// fullRank sorts the errors of a factorization.
func fullRank(err error) (bool, error) {
	var singular *linsolve.SingularError
	var indefinite *linsolve.NotPositiveDefiniteError
	if errors.As(err, &singular) || errors.As(err, &indefinite) {
		return false, nil
	}
	return err == nil, err
}

// scaledValues sets dst to the values of JD⁻¹, 0 for what is fixed.
func scaledValues(dst []float64, j *sparsity.Matrix, d []float64, fixed []bool) {
	k := 0
	rows, _ := j.Dims()
	for i := range rows {
		for _, c := range j.Pattern().Row(i) {
			dst[k] = j.Values()[k] / d[c]
			if fixed[c] {
				dst[k] = 0
			}
			k++
		}
	}
}

func (q *stackedQR) solve(z, r []float64) error {
	copy(q.rhs, r)
	clear(q.rhs[q.m:])
	err := q.qr.SolveInto(z, false, q.rhs)
	if isCondition(err) {
		return nil
	}
	return err
}

// isCondition reports whether err is but a warning.
func isCondition(err error) bool {
	var condition mat.Condition
	return errors.As(err, &condition)
}

// inverseForm is ‖R⁻ᵀz‖², the square of the least solution x of [JD⁻¹; √λI]ᵀx = z.
func (q *stackedQR) inverseForm(z []float64) float64 {
	if err := q.qr.SolveInto(q.trans, true, z); err != nil {
		return math.Inf(1)
	}
	return floats.Dot(q.trans, q.trans)
}

func (q *stackedQR) condition() float64 { return q.qr.Cond() }

// normalEquations is the Cholesky factorization of D⁻¹JᵀJD⁻¹ + λI.
type normalEquations struct {
	scaled   *sparsity.Matrix // JD⁻¹
	gram     *sparsity.Gram
	diagonal *sparsity.Matrix
	matrix   *sparsity.SymMatrix
	chol     linsolve.Cholesky
	ready    bool
	work     []float64
}

func newNormalEquations(j *sparsity.Matrix) *normalEquations {
	_, n := j.Dims()
	p := sparsity.Diagonal(n)
	return &normalEquations{
		scaled: sparsity.NewMatrix(j.Pattern()), gram: sparsity.NewGram(j.Pattern(), p),
		diagonal: sparsity.NewMatrix(p), work: make([]float64, n),
	}
}

func (q *normalEquations) factorize(j *sparsity.Matrix, d []float64, fixed []bool, lambda float64) (bool, error) {
	scaledValues(q.scaled.Values(), j, d, fixed)
	for i, fixed := range fixed {
		q.diagonal.Values()[i] = 0
		if fixed {
			q.diagonal.Values()[i] = 1
		}
	}
	q.matrix = q.gram.Eval(q.matrix, q.scaled, nil, q.diagonal)
	if !q.ready {
		q.ready = true
		if err := q.chol.Factorize(q.matrix); lambda == 0 {
			return fullRank(err)
		}
	}
	return fullRank(q.chol.RefactorizeShift(q.matrix, lambda))
}

func (q *normalEquations) solve(z, r []float64) error {
	clear(z)
	for i, v := range r {
		columns, values := rowOf(q.scaled, i)
		for k, j := range columns {
			z[j] += values[k] * v
		}
	}
	return q.chol.SolveInto(z, z)
}

func (q *normalEquations) inverseForm(z []float64) float64 {
	if err := q.chol.SolveInto(q.work, z); err != nil {
		return math.Inf(1)
	}
	return floats.Dot(z, q.work)
}

// condition is the root of that of the matrix: that of JD⁻¹.
func (q *normalEquations) condition() float64 { return math.Sqrt(q.chol.Cond()) }
