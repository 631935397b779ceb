package newton

import (
	"slices"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// maxBranches is how many branches of a function keep their plans.
const maxBranches = 16

// Plans keeps what a method prepares for a function between runs: patterns, plans of
// derivatives, orders of elimination, for each branch that was met, whatever the parameters that
// Func.With gives it. The zero value is ready; another Settings.Hessian, Jacobian or LeastSquares.Block
// wants another one. It
// is for one goroutine at a time.
// A run starts from an order that was found for the values of an earlier one, which shows in the last digits.
type Plans struct {
	branches []*branch // last used first
	point    []float64 // x, parameters

	each func(x []float64, residual float64) error // of the run whose equation is solved
}

// evaluator evaluates a function and its sparse derivatives, by one plan of each
// kind for every branch of it.
type evaluator struct {
	*Plans
	f        *reverse.Func
	settings *Settings
	cost     *Cost
	block    int // residuals whose gradients are to have the same pattern, if over 1
}

func newEvaluator(f *reverse.Func, o *Settings, cost *Cost) *evaluator {
	e := &evaluator{Plans: o.Plans, f: f, settings: o, cost: cost}
	if e.Plans == nil {
		e.Plans = new(Plans)
	}
	return e
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

	equation  *implicit.Equation
	tolerance float64 // of equation
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
	i := slices.IndexFunc(e.branches, func(b *branch) bool { return b.tape.Inside().Function == t.Inside().Function })
	b := &branch{tape: t}
	if i >= 0 {
		b = e.branches[i]
		b.tape = t // with its parameters
		e.branches = slices.Delete(e.branches, i, i+1)
	}
	e.branches = slices.Insert(e.branches, 0, b)
	e.branches = e.branches[:min(len(e.branches), maxBranches)]
	return b, nil
}

// in is x with the parameters of a branch's tape, for its plans.
func (e *evaluator) in(b *branch, x []float64) []float64 {
	e.point = append(append(e.point[:0], x...), b.tape.Inside().Bound...)
	return e.point
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
		settings := e.settings.Jacobian
		if e.block > 1 {
			if settings.Pattern == nil {
				settings.Pattern = b.tape.JacobianPattern()
			}
			settings.Pattern = inBlocks(settings.Pattern, e.block)
		}
		if b.jacobian, err = settings.New(b.tape); err == nil {
			b.j = b.jacobian.Matrix()
		}
		return err
	})
}

// inBlocks is p with what a row has in every row of its block.
func inBlocks(p *sparsity.Pattern, block int) *sparsity.Pattern {
	var i, j []int
	m, n := p.Dims()
	for row, column := range p.All() {
		for k := range block {
			i, j = append(i, row-row%block+k), append(j, column)
		}
	}
	return sparsity.FromCoordinates(m, n, i, j)
}

// values stores F(x) in dst.
func (e *evaluator) values(dst, x []float64) error {
	e.cost.Values++
	return clock(&e.cost.Derivatives, func() error {
		_, err := e.f.Values(dst, x)
		return err
	})
}
