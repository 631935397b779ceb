package implicit

import (
	"errors"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/reverse"
)

// Branching is an equation F(w, λ) = 0 whose F has branches: a reverse.Func of [w; λ],
// recorded for each branch that is met, with an Equation of its own. It is safe for
// concurrent use if the function is.
type Branching struct {
	f        *reverse.Func
	settings Settings
	start    []float64

	mu        sync.Mutex
	equations []*Equation // last used last
}

// maxEquations is how many branches keep their equations.
const maxEquations = 16

// NewBranching returns the equation F(w, λ) = 0 for f with the inputs [w; λ] and as many
// outputs as there are unknowns w, of which start is where solutions are looked for; it is
// copied. It panics if f is nil.
func NewBranching(f *reverse.Func, start []float64) *Branching {
	return Settings{}.NewBranching(f, start)
}

// NewBranching is the function NewBranching with settings. A Pattern must have the nonzeros
// of all branches.
func (o Settings) NewBranching(f *reverse.Func, start []float64) *Branching {
	if f == nil {
		panic("implicit: nil function")
	}
	return &Branching{f: f, settings: o, start: slices.Clone(start)}
}

// Equation returns the equation of the branch that holds at w, λ: the same one for as long
// as it is kept, for 16 branches. Errors are those of the function. It panics if there are
// not as many outputs as w has elements.
func (b *Branching) Equation(w, lambda []float64) (*Equation, error) {
	t, err := b.f.Tape(slices.Concat(w, lambda))
	if err != nil {
		return nil, err
	}
	if t.Outputs() != len(w) {
		panic("implicit: as many unknowns as equations are wanted")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	eq := (*Equation)(nil)
	if i := slices.IndexFunc(b.equations, func(eq *Equation) bool { return eq.f == t }); i >= 0 {
		eq = b.equations[i]
		b.equations = slices.Delete(b.equations, i, i+1)
	} else {
		eq = b.settings.New(t)
	}
	b.equations = append(b.equations, eq)
	b.equations = b.equations[max(0, len(b.equations)-maxEquations):]
	return eq, nil
}

// Newton solves F(w, λ) = 0 for w from w0, as Equation.Newton, across branches: a step is
// judged by F where it leads, and the next one is that of the branch there.
func (b *Branching) Newton(w0, lambda []float64) (*Solution, error) {
	for k := 0; ; k++ {
		eq, err := b.Equation(w0, lambda)
		if err != nil {
			return nil, err
		}
		z := eq.linearization()
		z.everywhere = b.f
		z.place(w0, lambda)
		err = z.newton()
		if err == nil {
			z.everywhere = nil
			return &Solution{z}, nil
		}
		// Newton ends where a step has led into another branch.
		w := z.x[:eq.m]
		if !errors.As(err, new(*reverse.BranchError)) || slices.Equal(w, w0) || k == eq.settings.MaxIterations {
			return nil, err
		}
		w0 = slices.Clone(w)
	}
}

// cross is the least factor above low that leads out of the branch, to a relative 10⁻⁹, for
// a step from x that high leads out of: behind the kink the next branch takes over, as in
// Katzenelson's method (Chien and Kuh, Solving piecewise-linear equations for resistive
// networks, Int. J. Circuit Theory Appl. 4, 1976), where halved steps would come to an
// end before it. It is 0 where low leads out, too. It overwrites trial.
func (z *linearization) cross(trial, step []float64, low, high float64) float64 {
	holds := func(factor float64) bool {
		copy(trial, z.x)
		floats.AddScaled(trial[:len(step)], factor, step)
		_, err := z.eq.f.Values(z.crossing, trial)
		return err == nil
	}
	z.crossing = resize(z.crossing, len(step))
	if !holds(low) || holds(high) {
		return 0
	}
	for high > low*(1+1e-9) {
		middle := low + (high-low)/2 // exact
		switch {
		case middle == low:
			return high
		case holds(middle):
			low = middle
		default:
			high = middle
		}
	}
	return high
}

// Apply is Equation.Apply for the branch in which the solution is where the function around
// it is recorded. Where the solution comes into another one, that recording does not hold
// any more: its evaluations return a *reverse.BranchError, and a reverse.Func records again.
// Solutions are looked for from the one of the recording, or from the last one if
// Settings.Warm, so that which one is found if there are several depends on it.
func (b *Branching) Apply(lambda ...reverse.Var) []reverse.Var {
	return inside.Apply(&branchStep{b: b, params: len(lambda)}, lambda)
}

// branchStep is λ ↦ w*(λ) in the branch of its first evaluation, which is that of the recording.
type branchStep struct {
	*step
	b      *Branching
	params int
}

var _ tape.Func = (*branchStep)(nil)

func (s *branchStep) Dims() (n, m int) { return s.params, len(s.b.start) }

func (s *branchStep) Name() string { return "implicit" }

// Compares says that evaluations may find that a recording does not hold.
func (s *branchStep) Compares() bool { return true }

func (s *branchStep) Eval(y, x []float64) error {
	if s.step == nil {
		if err := s.bind(x); err != nil {
			return err
		}
	}
	return stale(s.step.Eval(y, x))
}

// bind finds the branch in which the solution for λ is.
func (s *branchStep) bind(lambda []float64) error {
	w := slices.Clone(s.b.start)
	if solve := s.b.settings.Solve; solve != nil {
		if err := solve(w, lambda); err != nil {
			return err
		}
	} else {
		z, err := s.b.Newton(w, lambda)
		if err != nil {
			return err
		}
		w = z.W()
	}
	eq, err := s.b.Equation(w, lambda)
	if err == nil {
		s.step = &step{eq: eq, start: w}
	}
	return err
}

func (s *branchStep) JVP(dy, x, dx []float64) error   { return stale(s.step.JVP(dy, x, dx)) }
func (s *branchStep) VJP(gx, x, w []float64) error    { return stale(s.step.VJP(gx, x, w)) }
func (s *branchStep) HVP(h, x, w, dx []float64) error { return stale(s.step.HVP(h, x, w, dx)) }

// stale is err, or that of a comparison if F took another branch, by which recordings know
// that they do not hold.
func stale(err error) error {
	branch := new(reverse.BranchError)
	if !errors.As(err, &branch) {
		return err
	}
	guard := &tape.Guard{Kind: tape.Less, Outcome: branch.Recorded}
	for _, kind := range []tape.GuardKind{tape.LessEq, tape.ValueRead} {
		if kind.String() == branch.Op {
			guard.Kind = kind
		}
	}
	return &tape.BranchError{Guard: guard, X: branch.X, Y: branch.Y, Steps: branch.Steps}
}
