package reverse

import (
	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/sparsity"
)

// JacobianPattern returns the pattern of F′, m×n, at every x on the recorded branch.
// It is found by detect.Jacobian's rules, once a tape.
func (t *Tape) JacobianPattern() *sparsity.Pattern {
	q := t.patterns
	q.jacobianOnce.Do(func() { q.jacobian = domains.Jacobian(t.Inside().Tape(), nil) })
	return q.jacobian
}

// HessianPattern returns the pattern of Σ wⱼ∇²Fⱼ, n×n and symmetric, at every x on
// the recorded branch and for all weights. It is found by detect.Hessian's
// rules, once a tape.
func (t *Tape) HessianPattern() *sparsity.Pattern {
	q := t.patterns
	q.hessianOnce.Do(func() { q.hessian = domains.Hessian(t.Inside().Tape(), nil) })
	return q.hessian
}

// JacobianPatternAt returns the union of the patterns of F′ at the given points:
// derivatives of operations that are exactly 0 there are left out, as that of
// x·y by x at y = 0. At other points it may miss nonzeros.
func (t *Tape) JacobianPatternAt(points ...[]float64) (*sparsity.Pattern, error) {
	return t.patternAt(points, domains.Jacobian, t.Outputs())
}

// HessianPatternAt returns the union of the patterns of Σ wⱼ∇²Fⱼ at the given
// points, as JacobianPatternAt.
func (t *Tape) HessianPatternAt(points ...[]float64) (*sparsity.Pattern, error) {
	return t.patternAt(points, domains.Hessian, t.Inputs())
}

func (t *Tape) patternAt(points [][]float64, find func(p *tape.Tape, v []float64) *sparsity.Pattern, rows int) (*sparsity.Pattern, error) {
	union := sparsity.FromCoordinates(rows, t.Inputs(), nil, nil)
	for _, x := range points {
		err := t.Inside().Sweep(x, func(p *sweep.Engine, ws *sweep.Workspace) error {
			union = union.Union(find(&p.Tape, ws.Values()))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return union, nil
}
