package newton

import (
	"slices"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// maxBranches is how many branches of a function keep their plans.
const maxBranches = 16

// evaluator evaluates a function and its sparse derivatives, by one plan of each
// kind for every branch of it.
type evaluator struct {
	f        *reverse.Func
	settings *Settings
	cost     *Cost
	branches []*branch // last used first
}

// branch is the plans for a tape, made when they are first asked for, and what a
// method keeps with their patterns.
type branch struct {
	tape     *reverse.Tape
	hessian  *hessian.Sparse
	jacobian *reverse.SparseJacobian
	w, j     *sparsity.Matrix // lower triangle; all rows
	kkt      *kkt
	cholesky *linsolve.Cholesky
	squares  squaresFactor
}

// at returns the branch that holds at x.
func (e *evaluator) at(x []float64) (*branch, error) {
	var t *reverse.Tape
	if err := clock(&e.cost.Derivatives, func() (err error) {
		t, err = e.f.Tape(x)
		return err
	}); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(e.branches, func(b *branch) bool { return b.tape == t })
	b := &branch{tape: t}
	if i >= 0 {
		b = e.branches[i]
		e.branches = slices.Delete(e.branches, i, i+1)
	}
	e.branches = slices.Insert(e.branches, 0, b)
	e.branches = e.branches[:min(len(e.branches), maxBranches)]
	return b, nil
}

// withHessian prepares the Hessian of a branch.
func (e *evaluator) withHessian(b *branch) error {
	if b.hessian != nil {
		return nil
	}
	return clock(&e.cost.Prepare, func() (err error) {
		settings := e.settings.Hessian
		settings.Lower = true
		if b.hessian, err = settings.New(b.tape); err == nil {
			b.w = b.hessian.Matrix()
		}
		return err
	})
}

// withJacobian prepares the Jacobian of a branch.
func (e *evaluator) withJacobian(b *branch) error {
	if b.jacobian != nil {
		return nil
	}
	return clock(&e.cost.Prepare, func() (err error) {
		if b.jacobian, err = e.settings.Jacobian.New(b.tape); err == nil {
			b.j = b.jacobian.Matrix()
		}
		return err
	})
}

// values stores F(x) in dst.
func (e *evaluator) values(dst, x []float64) error {
	e.cost.Values++
	return clock(&e.cost.Derivatives, func() error {
		_, err := e.f.Values(dst, x)
		return err
	})
}
