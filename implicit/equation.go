package implicit

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// Solver is how systems with the matrix ∂₁F are solved.
type Solver uint8

// The solvers.
const (
	// SolverAuto takes SolverDense for up to 16 unknowns or a matrix with more
	// than 15 % of its elements nonzero, else linsolve.LDL where the matrix is
	// symmetric, as that of Optimality is, and SolverSparse where it is not or in
	// Apply; and GMRES with the matrix where factors would have more than 10⁸ entries.
	SolverAuto Solver = iota
	// SolverDense is LAPACK's LU, by gonum, of the matrix with rows and columns scaled.
	SolverDense
	// SolverSparse is linsolve.LU.
	SolverSparse
	// SolverGMRES is GMRES. It never forms the matrix but makes a JVP, or VJP,
	// of F an iteration, and solves for every direction anew.
	SolverGMRES
	// SolverBiCGStab is BiCGStab, otherwise as SolverGMRES.
	SolverBiCGStab
)

var solverNames = [...]string{"auto", "dense LU", "sparse LU", "GMRES", "BiCGStab"}

func (s Solver) String() string {
	if int(s) < len(solverNames) {
		return solverNames[s]
	}
	return fmt.Sprintf("Solver(%d)", uint8(s))
}

// What SolverAuto goes by. At the first two LU, with entries in random places,
// takes as long as LAPACK for the first factorization; further ones and solutions
// are faster.
const (
	denseOrder   = 16
	denseDensity = 0.15
	maxFactors   = 1e8 // entries of the factors, some GB
)

// Settings says how an Equation is treated. The zero value is what the
// functions NewEquation, At, FixedPoint, Newton, KKT and LP use.
type Settings struct {
	// Tolerance is the relative change of w and λ that a residual is forgiven
	// for, see Equation.At. 0 means 2⁻²⁶ ≈ 1.5e-8.
	Tolerance float64
	// Absolute is a residual that is always forgiven.
	Absolute float64
	// Solver is SolverAuto if 0.
	Solver Solver
	// Krylov is what GMRES and BiCGStab are told, without Left and Right.
	Krylov linsolve.Krylov
	// Precondition, for GMRES and BiCGStab, sets dst = M⁻¹b, or M⁻ᵀb if trans,
	// for an M near ∂₁F. It must be safe for concurrent use, as the method
	// SolveInto of an LU is.
	Precondition func(dst []float64, trans bool, b []float64) error
	// Pattern replaces the detected pattern of F′ = [∂₁F ∂₂F]. It must have
	// every nonzero.
	Pattern *sparsity.Pattern
	// MaxIterations bounds the iterations of Newton. 0 means 100.
	MaxIterations int
	// Each, if not nil, is told by Newton of the start and of each point after it, with the
	// largest |Fᵢ| there. w is not to be changed, and changes after the call. An error ends
	// Newton.
	Each func(w []float64, residual float64) error

	// Solve is the solver that runs wherever a function with Apply in it is
	// evaluated: it changes w, a start, to the solution at λ, or returns an
	// error. It must be safe for concurrent use. nil means Newton.
	Solve func(w, lambda []float64) error
	// Warm starts it from the last solution instead of the recorded one. That
	// is faster where λ changes little, but the bits of a solution, and which
	// one is found if there are several, depend on what was evaluated before.
	Warm bool
	// Name stands in errors of functions with Apply. "" means "implicit".
	Name string
}

const defaultRootTolerance = 1.0 / (1 << 26)

// Equation is an equation F(w, λ) = 0 prepared for differentiation: pattern and
// coloring of its Jacobian found, the solver chosen. It is immutable and safe
// for concurrent use.
type Equation struct {
	f        *reverse.Tape
	m, n     int // unknowns; inputs, of which n−m are λ
	settings Settings

	jacobian  *jacobian         // nil where it is not formed
	split     []int32           // where ∂₂F begins in each row
	left      *sparsity.Pattern // of ∂₁F
	newSolver func() solver
	overfull  atomic.Bool // factors of ∂₁F do not fit
	scratch   sync.Pool

	tangentOnce sync.Once
	tangent     *reverse.Tape

	step step
}

// NewEquation prepares the equation F(w, λ) = 0 for a tape of F with m outputs
// and the inputs [w; λ], of which the first m are w. Parameters of the tape are
// not differentiated. It panics if there are fewer inputs than outputs. Cost:
// detection and coloring, some milliseconds for 10⁴ unknowns.
func NewEquation(f *reverse.Tape) *Equation { return Settings{}.New(f) }

// New is NewEquation with settings. It panics on a negative or unknown setting,
// on a pattern of the wrong shape, and on Krylov.Left or Right.
func (o Settings) New(f *reverse.Tape) *Equation {
	if f == nil {
		panic("implicit: nil tape")
	}
	eq := &Equation{f: f, m: f.Outputs(), n: f.Inputs(), settings: o}
	if eq.n < eq.m {
		panic(fmt.Sprintf("implicit: %d equations in %d variables", eq.m, eq.n))
	}
	if o.Tolerance < 0 || o.Absolute < 0 || o.MaxIterations < 0 || o.Solver > SolverBiCGStab {
		panic("implicit: negative or unknown setting")
	}
	if o.Krylov.Left != nil || o.Krylov.Right != nil {
		panic("implicit: Krylov.Left or Right in Settings, where Precondition is meant")
	}
	if o.Tolerance == 0 {
		eq.settings.Tolerance = defaultRootTolerance
	}
	if o.MaxIterations == 0 {
		eq.settings.MaxIterations = 100
	}
	if o.Name == "" {
		eq.settings.Name = "implicit"
	}
	eq.step.init(eq)
	eq.scratch.New = func() any { return newScratch(eq.m, eq.n) }
	if o.Solver == SolverGMRES || o.Solver == SolverBiCGStab {
		eq.newSolver = func() solver { return newKrylovSolver(eq, o.Solver) }
		return eq
	}
	eq.form()
	return eq
}

// form prepares the Jacobian and chooses among the solvers that factorize.
func (eq *Equation) form() {
	eq.jacobian = newJacobian(eq.f, eq.settings.Pattern)
	eq.left, eq.split = splitPattern(eq.jacobian.pattern)

	kind := eq.settings.Solver
	if kind == SolverAuto {
		kind = SolverSparse
		if eq.m <= denseOrder || eq.left.Density() > denseDensity && eq.m*eq.m <= maxFactors {
			kind = SolverDense
		}
	}
	eq.newSolver = func() solver {
		if kind == SolverDense {
			return new(denseSolver)
		}
		lu := &sparseSolver{a: sparsity.NewMatrix(eq.left)}
		if eq.settings.Solver == SolverAuto {
			lu.lu.MaxFill = maxFactors / 2
			if s := newSymmetricSolver(eq.left); s != nil {
				s.lu = lu
				return s
			}
		}
		return lu
	}
}

// splitPattern is the square pattern of the first columns, and where in each row
// the others begin.
func splitPattern(p *sparsity.Pattern) (left *sparsity.Pattern, split []int32) {
	m, _ := p.Dims()
	split = make([]int32, m)
	ptr := make([]int32, m+1)
	var idx []int32
	for i := range m {
		row := p.Row(i)
		k := 0
		for k < len(row) && int(row[k]) < m {
			k++
		}
		split[i] = p.RowPtr()[i] + int32(k)
		idx = append(idx, row[:k]...)
		ptr[i+1] = int32(len(idx))
	}
	return sparsity.NewPattern(m, m, ptr, idx), split
}

// Unknowns returns m, the number of unknowns w and of equations.
func (eq *Equation) Unknowns() int { return eq.m }

// Params returns the number of parameters λ.
func (eq *Equation) Params() int { return eq.n - eq.m }

// scratch is memory for vectors over the inputs and over the unknowns.
type scratch struct {
	d, h, g []float64 // n
	r, y    []float64 // m
}

func newScratch(m, n int) *scratch {
	v := make([]float64, 3*n+2*m)
	return &scratch{d: v[:n:n], h: v[n : 2*n : 2*n], g: v[2*n : 3*n : 3*n], r: v[3*n : 3*n+m : 3*n+m], y: v[3*n+m:]}
}

func (eq *Equation) borrow() *scratch    { return eq.scratch.Get().(*scratch) }
func (eq *Equation) giveBack(s *scratch) { eq.scratch.Put(s) }
