package implicit

import (
	"sync"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// LogDet records log det A of a sparse symmetric positive definite matrix A, of which the
// triangle with the pattern p has the given elements, in CSR order, as one operation: the
// term that a Gaussian density has of its precision. With W = A⁻¹ its derivative along Ȧ is
// tr(WȦ), and that of W is −WȦW; both need W at the positions of p alone.
//
// It panics if p is no triangle or has another number of elements. Where A is not positive
// definite the evaluation returns a *linsolve.NotPositiveDefiniteError. There are no third
// derivatives. Cost: a sparse factorization; the gradient has an inverse on the pattern
// besides, a Hessian product its tangent (linsolve.Cholesky). With other values the order of
// the elimination is kept.
func LogDet(p *sparsity.Pattern, elements []reverse.Var) reverse.Var {
	sparsity.NewSymMatrix(sparsity.NewMatrix(p))
	if len(elements) != p.NNZ() {
		panic("implicit: number of elements is not that of the pattern")
	}
	return reverse.Apply(&logDet{pattern: p}, elements...)[0]
}

// logDet is the operation. Evaluations borrow what they factorize with.
type logDet struct {
	pattern *sparsity.Pattern
	idle    sync.Pool // of *logDetWork
}

type logDetWork struct {
	factors   linsolve.Cholesky
	a, da, w  *sparsity.SymMatrix
	factorize func(a *sparsity.SymMatrix) error
}

// with calls use with the factorization at x.
func (l *logDet) with(x []float64, use func(w *logDetWork) error) error {
	w, ok := l.idle.Get().(*logDetWork)
	if !ok {
		matrix := func() *sparsity.SymMatrix { return sparsity.NewSymMatrix(sparsity.NewMatrix(l.pattern)) }
		w = &logDetWork{a: matrix(), da: matrix(), w: matrix()}
		w.factorize = w.factors.Factorize
	}
	defer l.idle.Put(w)
	copy(w.a.Triangle().Values(), x)
	if err := w.factorize(w.a); err != nil {
		return err
	}
	w.factorize = w.factors.Refactorize
	return use(w)
}

// weights sets g to factor·W, elements beside the diagonal, which A has twice, twice.
func (l *logDet) weights(g []float64, w *sparsity.SymMatrix, factor float64) {
	k := 0
	for i, j := range l.pattern.All() {
		g[k] = factor * w.Triangle().Values()[k]
		if i != j {
			g[k] *= 2 // exact
		}
		k++
	}
}

func (l *logDet) Dims() (n, m int)   { return l.pattern.NNZ(), 1 }
func (l *logDet) Name() string       { return "log det" }
func (l *logDet) Jacobian(int) []int { return nil }
func (l *logDet) Hessian(int) []int  { return nil }

func (l *logDet) Eval(y, x []float64) error {
	return l.with(x, func(w *logDetWork) error {
		y[0] = w.factors.LogDet()
		return nil
	})
}

func (l *logDet) JVP(dy, x, dx []float64) error {
	g := make([]float64, len(x))
	if err := l.VJP(g, x, []float64{1}); err != nil {
		return err
	}
	dy[0] = 0
	for k, v := range g {
		if dx[k] != 0 {
			dy[0] += float64(v * dx[k])
		}
	}
	return nil
}

func (l *logDet) VJP(g, x, weight []float64) error {
	return l.with(x, func(w *logDetWork) error {
		if _, err := w.factors.Inverse(w.w); err != nil {
			return err
		}
		l.weights(g, w.w, weight[0])
		return nil
	})
}

func (l *logDet) HVP(h, x, dx, weight []float64) error {
	return l.with(x, func(w *logDetWork) error {
		copy(w.da.Triangle().Values(), dx)
		if _, err := w.factors.InverseTangent(w.w, w.da); err != nil {
			return err
		}
		l.weights(h, w.w, weight[0])
		return nil
	})
}
