package implicit

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// linearization is F and F′ = [A B] at a point, and A ready for solving.
type linearization struct {
	eq     *Equation
	x      []float64        // [w; λ], and parameters of the tape
	value  []float64        // F
	jac    *sparsity.Matrix // nil where it is not formed
	dense  *mat.Dense
	solver solver

	// everywhere is F for points where the tape does not hold, nil if that is an error.
	everywhere *reverse.Func
	crossing   []float64

	newtonWork []float64
}

func (eq *Equation) linearization() *linearization {
	z := &linearization{eq: eq, value: make([]float64, eq.m)}
	if eq.jacobian != nil {
		z.jac = sparsity.NewMatrix(eq.jacobian.pattern)
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
	if z.jac == nil {
		_, err := z.eq.f.Values(z.value, z.x)
		return err
	}
	return z.eq.jacobian.eval(z.jac, z.value, z.x, &z.dense)
}

// jacobian evaluates F′ of a tape as a sparse matrix.
type jacobian struct {
	f       *reverse.Tape
	pattern *sparsity.Pattern
	sparse  *reverse.SparseJacobian // nil where dense is as good
}

func newJacobian(f *reverse.Tape, p *sparsity.Pattern) *jacobian {
	m, n := f.Outputs(), f.Inputs()
	j := &jacobian{f: f, pattern: p}
	few := min(m, n) <= sweep.MaxDirections // one sweep
	var err error
	switch {
	case p == nil && few:
		j.pattern = f.JacobianPattern()
	case p == nil:
		j.sparse, err = reverse.NewSparseJacobian(f)
	default:
		if r, c := p.Dims(); r != m || c != n {
			panic(fmt.Sprintf("implicit: pattern is %d×%d, want %d×%d", r, c, m, n))
		}
		// A JVP recovers at most m entries, a VJP at most n: a dense pattern needs
		// nearly as many as the dense Jacobian.
		if !few && p.Density() <= 0.25 {
			j.sparse, err = reverse.SparseSettings{Pattern: p}.New(f)
		}
	}
	if err != nil {
		panic(err) // of a given coloring only
	}
	if j.sparse != nil {
		j.pattern = j.sparse.Pattern()
	}
	return j
}

// eval stores F and F′, with dense as working memory.
func (j *jacobian) eval(dst *sparsity.Matrix, value, x []float64, dense **mat.Dense) error {
	if j.sparse != nil {
		return j.sparse.EvalAll(dst, value, x)
	}
	_, err := j.f.Values(value, x)
	if err == nil {
		*dense, err = j.f.Jacobian(*dense, x)
	}
	if err != nil {
		return err
	}
	vals := dst.Values()
	raw := (*dense).RawMatrix()
	k := 0
	for i := range raw.Rows {
		row := raw.Data[i*raw.Stride:]
		for _, j := range j.pattern.Row(i) {
			vals[k] = row[j]
			k++
		}
	}
	return nil
}

// finite returns a *linsolve.NonFiniteError for an element of F′ that is not.
func (z *linearization) finite() error {
	if z.jac == nil {
		return nil
	}
	p := z.jac.Pattern()
	for k, v := range z.jac.Values() {
		if !finite(v) {
			i := 0
			for int(p.RowPtr()[i+1]) <= k {
				i++
			}
			return &linsolve.NonFiniteError{Row: i, Column: int(p.Row(i)[k-int(p.RowPtr()[i])]), Value: v}
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
		b := float64(eq.settings.Tolerance*size[i]) + eq.settings.Absolute
		if f <= b && finite(b) || f == 0 {
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
		p, vals := z.jac.Pattern(), z.jac.Values()
		for i := range size {
			for k, j := range p.Row(i) {
				size[i] += math.Abs(vals[int(p.RowPtr()[i])+k] * z.x[j])
			}
		}
		return nil
	}
	// Without the elements: if signs are random, |Σⱼ ±aⱼ| is √(Σⱼ aⱼ²) in the mean
	// square, at most Σⱼ|aⱼ| and at least that over √n.
	return z.eq.f.Inside().Sweep(z.x, func(p *sweep.Engine, ws *sweep.Workspace) error {
		const k = sweep.MaxDirections
		if err := ws.JVP(k, func(v []float64, s int) { setSigned(v, z.x, s) }); err != nil {
			return err
		}
		for i := range size {
			for s := range k {
				v := ws.OutputTangent(s, i)
				size[i] += float64(v * v)
			}
			size[i] = math.Sqrt(size[i] / k)
		}
		return nil
	})
}

// setSigned sets v to x with signs that are random but the same each time.
func setSigned(v, x []float64, seed int) {
	state := uint64(seed) * 0x9e3779b97f4a7c15
	for j := range v {
		state ^= state << 13 // xorshift; seed 0 changes no sign
		state ^= state >> 7
		state ^= state << 17
		v[j] = x[j]
		if state&1 == 1 {
			v[j] = -v[j]
		}
	}
}

// factorize makes A ready for solving.
func (z *linearization) factorize() error {
	if z.eq.overfull.Load() {
		z.withoutFactors()
	}
	err := z.solver.factorize(z)
	if err != nil && errors.As(err, new(*linsolve.FillError)) {
		z.eq.overfull.Store(true)
		z.withoutFactors()
		err = z.solver.factorize(z)
	}
	return err
}

// withoutFactors changes from LU to GMRES.
func (z *linearization) withoutFactors() {
	if s := z.sparseLU(); s != nil {
		k := newKrylovSolver(z.eq, SolverGMRES)
		k.a = s.a
		z.solver = k
	}
}

// sparseLU is the sparse LU that solves, or would where LDL cannot; nil where there is
// none.
func (z *linearization) sparseLU() *sparseSolver {
	switch s := z.solver.(type) {
	case *sparseSolver:
		return s
	case *symmetricSolver:
		return s.lu
	}
	return nil
}

// copyLeft stores A in a.
func (z *linearization) copyLeft(a *sparsity.Matrix) {
	ptr, from, to := z.jac.Pattern().RowPtr(), z.jac.Values(), a.Values()
	k := 0
	for i, end := range z.eq.split {
		k += copy(to[k:], from[ptr[i]:end])
	}
}

// mulB sets dst = B·v.
func (z *linearization) mulB(dst, v []float64) error {
	eq := z.eq
	if z.jac == nil {
		return eq.f.Inside().Sweep(z.x, func(p *sweep.Engine, ws *sweep.Workspace) error {
			if err := ws.JVP(1, func(x []float64, _ int) { copy(x[eq.m:], v) }); err != nil {
				return err
			}
			for i := range dst {
				dst[i] = ws.OutputTangent(0, i)
			}
			return nil
		})
	}
	ptr, vals := z.jac.Pattern().RowPtr(), z.jac.Values()
	for i := range dst {
		lo, hi := eq.split[i], ptr[i+1]
		s := 0.0
		for k, j := range z.jac.Pattern().Row(i)[lo-ptr[i]:] {
			s += float64(vals[lo:hi][k] * v[int(j)-eq.m])
		}
		dst[i] = s
	}
	return nil
}

// addMulBT adds Bᵀ·y to dst.
func (z *linearization) addMulBT(dst, y []float64) error {
	eq := z.eq
	if z.jac == nil {
		return eq.f.Inside().Sweep(z.x, func(p *sweep.Engine, ws *sweep.Workspace) error {
			if err := ws.VJP(1, func(w []float64, _ int) { copy(w, y) }); err != nil {
				return err
			}
			for j, u := range ws.Product(0)[eq.m:eq.n] {
				dst[j] += u
			}
			return nil
		})
	}
	ptr, vals := z.jac.Pattern().RowPtr(), z.jac.Values()
	for i, y := range y {
		if y == 0 {
			continue
		}
		lo, hi := eq.split[i], ptr[i+1]
		for k, j := range z.jac.Pattern().Row(i)[lo-ptr[i]:] {
			dst[int(j)-eq.m] += float64(vals[lo:hi][k] * y)
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
