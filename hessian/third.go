package hessian

import (
	"github.com/hesse-ad/hesse/internal/plan"
	"github.com/hesse-ad/hesse/sparsity"
)

// LackError says that an Operation has no third derivatives: a reverse.Primitive or VecPrimitive,
// or a solution of package implicit.
type LackError = plan.LackError

// Third evaluates sums of third derivatives of f = Σ wⱼFⱼ of a tape, with weights Wᵢⱼ in a
// sparse pattern,
//
//	T(W)ₖ = Σᵢⱼ Wᵢⱼ ∂³f/∂xᵢ∂xⱼ∂xₖ = ∂/∂xₖ tr(W·∇²f).
//
// With W the inverse of the Hessian that is the gradient of its log det: in Laplace
// approximations, see package laplace, and in the metric of Riemannian samplers. It is
// immutable and safe for concurrent use.
type Third struct{ t *plan.Third }

// Third prepares third derivatives by the method of s. W is symmetric in the pattern w, or its lower
// triangle; nil is the Pattern of s. Outside of the pattern of the Hessian W does not matter. It
// panics if w is not n×n and symmetric or lower. The error is a *LackError, if an input of w moves
// the operation that it names. Cost: as NewSparse.
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
// D⁴f(x)[W, v]ₖ = Σᵢⱼₗ Wᵢⱼ vₗ ∂⁴f/∂xᵢ∂xⱼ∂xₖ∂xₗ. Otherwise it is as Eval.
func (t *Third) EvalAlong(dst, x []float64, weights *sparsity.Matrix, v []float64, w ...float64) ([]float64, error) {
	return t.t.EvalAlong(dst, x, weights, v, w)
}

// Along returns D³f(x)[v], the derivative of the Hessian along v, v of length n, in the pattern of
// Third: element (i, j) is Σₖ vₖ ∂³f/∂xᵢ∂xⱼ∂xₖ. Halley's method takes it in each step. dst may be
// nil. Cost: by terms about that of Eval of Sparse, else twice to three times; at the first call
// also that of preparing, as NewSparse.
func (t *Third) Along(dst *sparsity.Matrix, x, v []float64, w ...float64) (*sparsity.Matrix, error) {
	return t.t.Along(dst, x, v, w)
}
