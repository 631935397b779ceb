package implicit

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// Solver is how systems with the matrix ∂₁F are solved.
type Solver uint8

// The solvers.
const (
	// SolverAuto takes SolverDense for up to 100 unknowns or a matrix with more
	// than a tenth of its elements nonzero, else SolverSparse; and GMRES with
	// the matrix where factors would have more than 10⁸ entries.
	SolverAuto Solver = iota
	// SolverDense is LAPACK's LU, by gonum, of the matrix with its rows scaled.
	SolverDense
	// SolverSparse is LU.
	SolverSparse
	// SolverGMRES is GMRES. It never forms the matrix but makes a JVP, or VJP,
	// of F an iteration, and solves for every direction anew.
	SolverGMRES
	// SolverBiCGStab is BiCGStab, otherwise as SolverGMRES.
	SolverBiCGStab
)

func (s Solver) String() string {
	return [...]string{"auto", "dense LU", "sparse LU", "GMRES", "BiCGStab"}[s]
}

// What SolverAuto goes by.
const (
	denseOrder   = 100 // up to here LU is no faster
	denseDensity = 0.1
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
	Krylov Krylov
	// Precondition, for GMRES and BiCGStab, sets dst = M⁻¹b, or M⁻ᵀb if trans,
	// for an M near ∂₁F. It must be safe for concurrent use, as the method
	// SolveInto of an LU is.
	Precondition func(dst []float64, trans bool, b []float64) error
	// Pattern replaces the detected pattern of F′ = [∂₁F ∂₂F]. It must have
	// every nonzero.
	Pattern *sparsity.Pattern
	// MaxIterations bounds the iterations of Newton. 0 means 100.
	MaxIterations int

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

	pattern   *sparsity.Pattern       // of [∂₁F ∂₂F], nil where it is not formed
	split     []int32                 // where ∂₂F begins in each row
	left      *sparsity.Pattern       // of ∂₁F
	sparse    *reverse.SparseJacobian // nil where it is evaluated dense
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
	p := eq.settings.Pattern
	if p == nil {
		p = eq.f.JacobianPattern()
	}
	if r, c := p.Dims(); r != eq.m || c != eq.n {
		panic(fmt.Sprintf("implicit: pattern is %d×%d, want %d×%d", r, c, eq.m, eq.n))
	}
	eq.pattern = p
	// A JVP recovers at most m entries, a VJP at most n: a dense pattern needs
	// nearly as many as the dense Jacobian. Few rows are one sweep.
	if eq.m > program.MaxDirections && p.Density() <= 0.25 {
		sparse, err := reverse.SparseSettings{Pattern: p}.New(eq.f)
		if err != nil {
			panic(err) // of a given coloring only
		}
		eq.sparse = sparse
	}

	eq.left, eq.split = splitPattern(p)

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
		s := &sparseSolver{a: sparsity.NewMatrix(eq.left)}
		if eq.settings.Solver == SolverAuto {
			s.lu.maxFill = maxFactors / 2
		}
		return s
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

// Unknowns is m, the number of unknowns w and of equations.
func (eq *Equation) Unknowns() int { return eq.m }

// Params is the number of parameters λ.
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

// linearization is F and F′ = [A B] at a point, and A ready for solving.
type linearization struct {
	eq     *Equation
	x      []float64        // [w; λ], and parameters of the tape
	value  []float64        // F
	jac    *sparsity.Matrix // nil where it is not formed
	dense  []float64        // its values, evaluated dense
	solver solver

	newtonWork []float64
}

func (eq *Equation) linearization() *linearization {
	z := &linearization{eq: eq, value: make([]float64, eq.m)}
	if eq.pattern != nil {
		z.jac = sparsity.NewMatrix(eq.pattern)
	}
	z.solver = eq.newSolver()
	return z
}

// place sets the point [w; λ].
func (z *linearization) place(w, lambda []float64) {
	eq := z.eq
	if len(w) != eq.m {
		panic(fmt.Sprintf("implicit: w has length %d, want %d", len(w), eq.m))
	}
	if k := len(lambda); k != eq.n-eq.m && k != eq.n-eq.m+eq.f.Params() {
		panic(fmt.Sprintf("implicit: λ has length %d, want %d (and %d parameters)", k, eq.n-eq.m, eq.f.Params()))
	}
	z.x = append(append(z.x[:0], w...), lambda...)
}

// evaluate computes F and F′ at the point.
func (z *linearization) evaluate() error {
	eq := z.eq
	if eq.sparse != nil {
		return eq.sparse.EvalAll(z.jac, z.value, z.x)
	}
	if _, err := eq.f.Values(z.value, z.x); err != nil || z.jac == nil {
		return err
	}
	if z.dense == nil {
		z.dense = make([]float64, eq.m*eq.n)
	}
	if err := denseJacobian(z.dense, eq.f, z.x); err != nil {
		return err
	}
	k := 0
	vals := z.jac.Values()
	for i := range eq.m {
		row := z.dense[i*eq.n:][:eq.n]
		for _, j := range eq.pattern.Row(i) {
			vals[k] = row[j]
			k++
		}
	}
	return nil
}

// denseJacobian stores F′ in dst, row by row.
func denseJacobian(dst []float64, f *reverse.Tape, x []float64) error {
	n := f.Inputs()
	return f.Sweep(x, func(p *program.Program, ws *program.Workspace) error {
		for lo := 0; lo < p.Outputs(); lo += program.MaxDirections {
			k := min(program.MaxDirections, p.Outputs()-lo)
			if err := p.VJP(ws, k, func(w []float64, s int) { w[lo+s] = 1 }); err != nil {
				return err
			}
			for s, u := range ws.U[:k] {
				copy(dst[(lo+s)*n:][:n], u)
			}
		}
		return nil
	})
}

// finite returns a *NonFiniteError for an element of F′ that is not.
func (z *linearization) finite() error {
	if z.jac == nil {
		return nil
	}
	p := z.eq.pattern
	for k, v := range z.jac.Values() {
		if !finite(v) {
			i := 0
			for int(p.RowPtr()[i+1]) <= k {
				i++
			}
			return &NonFiniteError{i, int(p.Row(i)[k-int(p.RowPtr()[i])]), v}
		}
	}
	return nil
}

// root returns a *NotARootError if F is not 0 to within the tolerance.
func (z *linearization) root() error {
	i, bound, err := z.worst()
	if err == nil && i >= 0 {
		err = &NotARootError{Equation: i, Residual: math.Abs(z.value[i]), Bound: bound}
	}
	return err
}

// worst is the equation whose residual exceeds its bound by the largest factor,
// −1 if none does.
func (z *linearization) worst() (equation int, bound float64, err error) {
	eq := z.eq
	s := eq.borrow()
	defer eq.giveBack(s)
	size := s.y
	if err := z.sizes(size); err != nil {
		return -1, 0, err
	}
	equation = -1
	most := 1.0
	for i, f := range z.value {
		f = math.Abs(f)
		b := eq.settings.Tolerance*size[i] + eq.settings.Absolute
		if f <= b {
			continue
		}
		if r := f / b; equation < 0 || r > most || r != r {
			equation, bound, most = i, b, r
		}
	}
	return equation, bound, nil
}

// sizes sets size to (|∂₁F||w| + |∂₂F||λ|)ᵢ: by how much Fᵢ may change, per unit
// of relative change of w and λ.
func (z *linearization) sizes(size []float64) error {
	clear(size)
	if z.jac != nil {
		p, vals := z.eq.pattern, z.jac.Values()
		for i := range size {
			for k, j := range p.Row(i) {
				size[i] += math.Abs(vals[int(p.RowPtr()[i])+k] * z.x[j])
			}
		}
		return nil
	}
	// Without the elements: if signs are random, |Σⱼ ±aⱼ| is √(Σⱼ aⱼ²) in the mean
	// square, at most Σⱼ|aⱼ| and at least that over √n.
	return z.eq.f.Sweep(z.x, func(p *program.Program, ws *program.Workspace) error {
		const k = program.MaxDirections
		err := p.JVP(ws, k, func(v []float64, s int) {
			sign := uint64(s) * 0x9e3779b97f4a7c15
			for j := range v {
				sign ^= sign << 13 // xorshift; direction 0 has all signs +
				sign ^= sign >> 7
				sign ^= sign << 17
				v[j] = z.x[j]
				if sign&1 == 1 {
					v[j] = -v[j]
				}
			}
		})
		if err != nil {
			return err
		}
		for i := range size {
			for _, t := range ws.T[:k] {
				v := t[p.Output(i)]
				size[i] += v * v
			}
			size[i] = math.Sqrt(size[i] / k)
		}
		return nil
	})
}

// factorize makes A ready for solving.
func (z *linearization) factorize() error {
	if z.eq.overfull.Load() {
		z.withoutFactors()
	}
	err := z.solver.factorize(z)
	if err == errFill {
		z.eq.overfull.Store(true)
		z.withoutFactors()
		err = z.solver.factorize(z)
	}
	return err
}

// withoutFactors changes from LU to GMRES.
func (z *linearization) withoutFactors() {
	if s, ok := z.solver.(*sparseSolver); ok {
		k := newKrylovSolver(z.eq, SolverGMRES)
		k.a = s.a
		z.solver = k
	}
}

// copyLeft stores A in a.
func (z *linearization) copyLeft(a *sparsity.Matrix) {
	ptr, from, to := z.eq.pattern.RowPtr(), z.jac.Values(), a.Values()
	k := 0
	for i, end := range z.eq.split {
		k += copy(to[k:], from[ptr[i]:end])
	}
}

// mulB sets dst = B·v.
func (z *linearization) mulB(dst, v []float64) error {
	eq := z.eq
	if z.jac == nil {
		return eq.f.Sweep(z.x, func(p *program.Program, ws *program.Workspace) error {
			if err := p.JVP(ws, 1, func(x []float64, _ int) { copy(x[eq.m:], v) }); err != nil {
				return err
			}
			for i := range dst {
				dst[i] = ws.T[0][p.Output(i)]
			}
			return nil
		})
	}
	ptr, vals := eq.pattern.RowPtr(), z.jac.Values()
	for i := range dst {
		lo, hi := eq.split[i], ptr[i+1]
		s := 0.0
		for k, j := range eq.pattern.Row(i)[lo-ptr[i]:] {
			s += vals[lo:hi][k] * v[int(j)-eq.m]
		}
		dst[i] = s
	}
	return nil
}

// addMulBT adds Bᵀ·y to dst.
func (z *linearization) addMulBT(dst, y []float64) error {
	eq := z.eq
	if z.jac == nil {
		return eq.f.Sweep(z.x, func(p *program.Program, ws *program.Workspace) error {
			if err := p.VJP(ws, 1, func(w []float64, _ int) { copy(w, y) }); err != nil {
				return err
			}
			for j, u := range ws.U[0][eq.m:eq.n] {
				dst[j] += u
			}
			return nil
		})
	}
	ptr, vals := eq.pattern.RowPtr(), z.jac.Values()
	for i, y := range y {
		if y == 0 {
			continue
		}
		lo, hi := eq.split[i], ptr[i+1]
		for k, j := range eq.pattern.Row(i)[lo-ptr[i]:] {
			dst[int(j)-eq.m] += vals[lo:hi][k] * y
		}
	}
	return nil
}

// jvp sets dst = −A⁻¹Bv.
func (z *linearization) jvp(dst, v []float64) error {
	if err := z.mulB(dst, v); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = -dst[i]
	}
	return z.solver.solve(dst, false, dst)
}

// multiplier sets dst = −A⁻ᵀw.
func (z *linearization) multiplier(dst, w []float64) error {
	for i, w := range w {
		dst[i] = -w
	}
	return z.solver.solve(dst, true, dst)
}
