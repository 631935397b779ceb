package hessian

import (
	"github.com/hesse-ad/hesse/internal/plan"
	"github.com/hesse-ad/hesse/sparsity"
)

// LackError says that an Operation has no derivative of Order 3, or 4: a reverse.Primitive or
// VecPrimitive, a solution of package implicit or, of order 4, a function of package matrix
// with comparisons or of large matrices.
type LackError = plan.LackError

// EvalAlong returns D³f(x)[v], the derivative of Eval along v, v of length n: element (i, j) is
// Σₖ vₖ ∂³f/∂xᵢ∂xⱼ∂xₖ of f = Σ wⱼFⱼ. Halley's method takes it in each step. The error may be a
// *LackError; otherwise it is as Eval. Cost: by terms about that of Eval, else twice to three
// times; at the first call also that of preparing, as NewSparse.
func (s *Sparse) EvalAlong(dst *sparsity.Matrix, x, v []float64, w ...float64) (*sparsity.Matrix, error) {
	return s.p.EvalAlong(dst, x, v, w)
}

// Third evaluates sums of third derivatives of f = Σ wⱼFⱼ of a tape, with weights Wᵢⱼ in a
// sparse pattern,
//
//	T(W)ₖ = Σᵢⱼ Wᵢⱼ ∂³f/∂xᵢ∂xⱼ∂xₖ = ∂/∂xₖ tr(W·∇²f).
//
// With W the inverse of the Hessian that is the gradient of its log det: in Laplace
// approximations, see package laplace, and in the metric of Riemannian samplers. It is
// immutable and safe for concurrent use.
type Third struct{ t *plan.Third }

// Third prepares sums of third derivatives by the method of s. W is symmetric in the pattern w,
// or its lower triangle; nil is the Pattern of s. Outside of the pattern of the Hessian W does not
// matter. It panics if w is not n×n and symmetric or lower. The error is a *LackError. Cost: as
// NewSparse.
func (s *Sparse) Third(w *sparsity.Pattern) (*Third, error) {
	t, err := s.p.Third(w)
	if err != nil {
		return nil, err
	}
	return &Third{t}, nil
}

// Eval returns T(W), of length n, for a W in the pattern of Third, of which the lower triangle
// is read. dst may be nil or an argument. Points and errors are as for Eval of Sparse. It
// does not allocate into a given dst if Workers ≤ 1. Cost: by terms one to three times Eval of
// Sparse; else for each color about six gradients.
func (t *Third) Eval(dst, x []float64, weights *sparsity.Matrix, w ...float64) ([]float64, error) {
	return t.t.Eval(dst, x, weights, w)
}

// EvalAlong returns the derivative of Eval along v, W being the same everywhere:
// D⁴f(x)[W, v]ₖ = Σᵢⱼₗ Wᵢⱼ vₗ ∂⁴f/∂xᵢ∂xⱼ∂xₖ∂xₗ. The error may be a *LackError; otherwise it is
// as Eval.
func (t *Third) EvalAlong(dst, x []float64, weights *sparsity.Matrix, v []float64, w ...float64) ([]float64, error) {
	return t.t.EvalAlong(dst, x, weights, v, w)
}
