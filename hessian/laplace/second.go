package laplace

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

// Hessian returns ∇²L(θ), exact, in dst unless that is nil. Along θ̇ the mode moves by
// u̇ = −f_uu⁻¹f_uθ θ̇, and with ẋ = (u̇, θ̇), W = f_uu⁻¹ on the pattern, T and λ as in ValueGradient
//
//	Ṫ = T(Ẇ) + D⁴f[W, ẋ], Ẇ = −f_uu⁻¹(Df_uu[ẋ])f_uu⁻¹,
//	f_uu λ̇ = ½Ṫ_u − Df_uu[ẋ]λ,
//	∇²L θ̇ = f_θu u̇ + f_θθ θ̇ + ½Ṫ_θ − Df_θu[ẋ]λ − f_θu λ̇.
//
// Cost: for each parameter about that of a gradient, three times.
func (m *Marginal) Hessian(dst *mat.SymDense, theta []float64) (*mat.SymDense, error) {
	if dst != nil && !dst.IsEmpty() && dst.SymmetricDim() != len(theta) {
		panic("laplace: dst has another order than θ")
	}
	var h *mat.Dense
	err := m.at(theta, func(s *search) (err error) {
		h, _, err = s.second()
		return err
	})
	if err != nil {
		return dst, err
	}
	if dst == nil {
		dst = new(mat.SymDense)
	}
	if dst.IsEmpty() {
		dst.ReuseAsSym(len(theta))
	}
	for i := range theta {
		for j := range i + 1 {
			dst.SetSym(i, j, (h.At(i, j)+h.At(j, i))/2)
		}
	}
	return dst, nil
}

// second is ∇²L at the mode, and the derivative of the modes, n×p.
func (s *search) second() (hessian, modes *mat.Dense, err error) {
	if err = s.adjoint(); err != nil {
		return nil, nil, err
	}
	b, n, p := s.b, s.n, s.p
	hessian, modes = new(mat.Dense), new(mat.Dense)
	if p == 0 {
		return hessian, modes, nil
	}
	hessian.ReuseAs(p, p)
	modes.ReuseAs(max(n, 1), p) // gonum has no empty matrices
	all, err := b.all.Eval(nil, s.x)
	if err != nil {
		return nil, nil, err
	}
	dw, tape := sparsity.NewMatrix(b.weights), b.along()
	dh, inverse := sparsity.NewSymMatrix(b.inner.Matrix()), sparsity.NewSymMatrix(b.inner.Matrix())
	at, lambda, q := make([]float64, 2*(n+p)+len(b.params)), make([]float64, 2*(n+p)), make([]float64, 2*(n+p))
	copy(at, s.x[:n+p])
	copy(at[2*(n+p):], b.params)
	copy(lambda, s.lambda)
	vector := func() []float64 { return make([]float64, n+p) }
	dx, t, r := vector(), vector(), vector()
	for k := range p {
		clear(dx)
		dx[n+k] = 1
		times(r, all, dx)
		if err = s.chol.SolveInto(dx[:n], r[:n]); err != nil {
			return nil, nil, err
		}
		floats.Scale(-1, dx[:n])
		for i, v := range dx[:n] {
			modes.Set(i, k, v)
		}

		if _, err = b.third.Along(dw, s.x, dx); err != nil {
			return nil, nil, err
		}
		copy(dh.Triangle().Values(), dw.Values())
		if inverse, err = s.chol.InverseTangent(inverse, dh); err != nil {
			return nil, nil, err
		}
		copy(dw.Values(), inverse.Triangle().Values())
		if _, err = b.third.Eval(t, s.x, dw); err != nil {
			return nil, nil, err
		}
		if _, err = b.third.EvalAlong(r, s.x, s.w, dx); err != nil {
			return nil, nil, err
		}
		floats.Add(t, r)
		floats.Scale(0.5, t)
		copy(at[n+p:], dx)
		if _, err = tape.HVP(q, at, lambda, 0, 1); err != nil {
			return nil, nil, err
		}
		floats.Sub(t, q[:n+p])
		dlambda := r[:n]
		if err = s.chol.SolveInto(dlambda, t[:n]); err != nil {
			return nil, nil, err
		}
		floats.Sub(dx[:n], dlambda)
		times(r, all, dx)
		floats.Add(r, t)
		hessian.SetCol(k, r[n:])
	}
	return hessian, modes, nil
}

// times stores A·x in dst, of a symmetric A by its lower triangle.
func times(dst []float64, lower *sparsity.Matrix, x []float64) {
	sparsity.NewSymMatrix(lower).MulVecTo(mat.NewVecDense(len(dst), dst), false, mat.NewVecDense(len(x), x))
}
