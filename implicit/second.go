package implicit

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/reverse"
)

// Second derivatives. Differentiating F(w*(λ), λ) = 0 twice along u and v gives
//
//	A ẅ + F″[(ẇᵤ, u), (ẇᵥ, v)] = 0, ẇᵤ = −A⁻¹Bu,
//
// a system with the same matrix. For φ(w*(λ), λ) the multiplier μ = −A⁻ᵀ∇_wφ
// makes ẅ unnecessary: with L = φ + μᵀF and Z = [∂w*; I] the Hessian is
// Zᵀ∇²L Z.

// Second returns the second directional derivative ẅ = Σᵢⱼ uᵢvⱼ ∂²w*/∂λᵢ∂λⱼ, of
// length m; u and v have length ℓ. Cost: three solutions, two if u and v are the
// same, and a second-order sweep over F; at the first call for an equation the
// tape of its JVP is made. It panics, naming it, on the third derivative of a
// primitive.
func (s *Solution) Second(dst, u, v []float64) ([]float64, error) {
	z := s.z
	m, n := z.eq.m, z.eq.n
	check(u, n-m, "u")
	check(v, n-m, "v")
	dst = vector(dst, m)
	t := z.eq.borrow()
	defer z.eq.giveBack(t)
	// The JVP of [F(x); F′(x)ẋ] at ẋ = du along (dv, 0) is F″[du, dv].
	du, dv := t.d, t.h
	if err := z.lift(du, u); err != nil {
		return dst, err
	}
	if slices.Equal(u, v) {
		copy(dv, du)
	} else if err := z.lift(dv, v); err != nil {
		return dst, err
	}
	tangent := z.eq.tangentTape()
	at := slices.Concat(z.x[:n], du, z.x[n:])
	err := tangent.Inside().Sweep(at, func(p *sweep.Engine, ws *sweep.Workspace) error {
		if err := ws.JVP(1, func(x []float64, _ int) { copy(x, dv) }); err != nil {
			return err
		}
		for i := range t.r {
			t.r[i] = -ws.OutputTangent(0, m+i)
		}
		return nil
	})
	if err != nil {
		return dst, err
	}
	if err := z.solver.solve(t.r, false, t.r); err != nil {
		return dst, err
	}
	copy(dst, t.r)
	return dst, nil
}

// lift sets d = Zv = [∂w*·v; v].
func (z *linearization) lift(d, v []float64) error {
	copy(d[z.eq.m:], v)
	return z.jvp(d[:z.eq.m], d[z.eq.m:])
}

func (eq *Equation) tangentTape() *reverse.Tape {
	eq.tangentOnce.Do(func() { eq.tangent = eq.f.Tangent() })
	return eq.tangent
}

// hvp sets h = Zᵀ∇²L d for d = Zv, where L = φ + μᵀF and t.h holds ∇²φ·d. It
// overwrites t.g and t.r.
func (z *linearization) hvp(h []float64, t *scratch, mu, d []float64) error {
	m, n := z.eq.m, z.eq.n
	if _, err := z.eq.f.HVP(t.g, z.x, d, mu...); err != nil {
		return err
	}
	for i, g := range t.h {
		t.g[i] += g
	}
	// The w block is A⁻ᵀ away from that of λ, like the multiplier.
	if err := z.multiplier(t.r, t.g[:m]); err != nil {
		return err
	}
	copy(h, t.g[m:n])
	return z.addMulBT(h, t.r)
}

// Reduced is the reduced function φ(w*(λ), λ) at a solution, with its
// derivatives by λ. It is immutable and safe for concurrent use.
type Reduced struct {
	s     *Solution
	phi   *reverse.Tape
	value float64
	grad  []float64
	mu    []float64
}

// Reduce returns the reduced function of φ, a tape with one output and the inputs
// [w; λ] of F. It panics if φ has another shape. Errors are those of φ's tape
// and of solutions. Cost: one solution, a gradient of φ.
func (s *Solution) Reduce(phi *reverse.Tape) (*Reduced, error) {
	z := s.z
	m, n := z.eq.m, z.eq.n
	if phi.Outputs() != 1 || phi.Inputs() != n {
		panic(fmt.Sprintf("implicit: φ has %d inputs and %d outputs, want %d and 1", phi.Inputs(), phi.Outputs(), n))
	}
	r := &Reduced{s: s, phi: phi, mu: make([]float64, m)}
	value, grad, err := phi.ValueGradient(nil, z.x[:n])
	if err != nil {
		return nil, err
	}
	if err := z.multiplier(r.mu, grad[:m]); err != nil {
		return nil, err
	}
	r.value, r.grad = value, grad[m:]
	if err := z.addMulBT(r.grad, r.mu); err != nil {
		return nil, err
	}
	return r, nil
}

// Value returns φ(w*(λ), λ).
func (r *Reduced) Value() float64 { return r.value }

// Gradient returns the gradient of φ(w*(λ), λ), of length ℓ.
func (r *Reduced) Gradient(dst []float64) []float64 {
	dst = vector(dst, len(r.grad))
	copy(dst, r.grad)
	return dst
}

// Multiplier returns μ = −A⁻ᵀ∇_wφ, of length m: μᵢ is the derivative of the reduced
// function by a constant that is added to Fᵢ.
func (r *Reduced) Multiplier(dst []float64) []float64 {
	dst = vector(dst, len(r.mu))
	copy(dst, r.mu)
	return dst
}

// HVP returns the product of the Hessian of φ(w*(λ), λ) with v, both of length ℓ.
// Cost: two solutions, a second-order sweep over F and one over φ.
func (r *Reduced) HVP(dst, v []float64) ([]float64, error) {
	z := r.s.z
	n := z.eq.n
	check(v, n-z.eq.m, "v")
	dst = vector(dst, n-z.eq.m)
	t := z.eq.borrow()
	defer z.eq.giveBack(t)
	if err := z.lift(t.d, v); err != nil {
		return dst, err
	}
	if _, err := r.phi.HVP(t.h, z.x[:n], t.d); err != nil {
		return dst, err
	}
	return dst, z.hvp(dst, t, r.mu, t.d)
}

// Hessian returns the Hessian of φ(w*(λ), λ), ℓ×ℓ. Cost: the solutions of Jacobian,
// ℓ second-order products for F and for φ, several at a time, and m·ℓ²
// multiplications, which are as many as coloring ∇²L could save.
func (r *Reduced) Hessian(dst *mat.SymDense) (*mat.SymDense, error) {
	z := r.s.z
	m, n := z.eq.m, z.eq.n
	l := n - m
	if dst == nil {
		dst = new(mat.SymDense)
	}
	if dst.IsEmpty() && l > 0 {
		dst.ReuseAsSym(l)
	}
	if dst.SymmetricDim() != l {
		panic(fmt.Sprintf("implicit: dst is %d×%[1]d, want %d×%[2]d", dst.SymmetricDim(), l))
	}
	if l == 0 {
		return dst, nil
	}
	dw, err := r.s.Jacobian(nil)
	if err != nil {
		return dst, err
	}
	lz := mat.NewDense(n, l, nil) // ∇²L Z
	seed := func(d []float64, j int) {
		mat.Col(d[:m], j, dw)
		d[m+j] = 1
	}
	each := func(j int, h []float64) {
		for i, h := range h {
			lz.Set(i, j, lz.At(i, j)+h)
		}
	}
	for _, f := range []struct {
		t       *reverse.Tape
		x       []float64
		weights []float64
	}{{z.eq.f, z.x, r.mu}, {r.phi, z.x[:n], []float64{1}}} {
		err := f.t.Inside().Sweep(f.x, func(p *sweep.Engine, ws *sweep.Workspace) error {
			if err := ws.Linearize(f.weights); err != nil {
				return err
			}
			return ws.HVPs(l, seed, each)
		})
		if err != nil {
			return dst, err
		}
	}
	var h mat.Dense
	h.Mul(dw.T(), lz.Slice(0, m, 0, l))
	h.Add(&h, lz.Slice(m, n, 0, l))
	for i := range l {
		for j := range i + 1 {
			dst.SetSym(i, j, (h.At(i, j)+h.At(j, i))/2)
		}
	}
	return dst, nil
}
