package newton

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

// system is the linear system of a step of KKT, and the point that it is for.
type system struct {
	*Result
	hessian  *hessian.Sparse
	jacobian *reverse.SparseJacobian
	w, j     *sparsity.Matrix // j has ∇fᵀ as its row 0

	matrix *sparsity.Matrix
	lu     linsolve.LU
	// Places in matrix of the elements of w, of its diagonal, and of the rows of j
	// but the first and of their transposes.
	wAt, diagonalAt, jAt, jtAt []int32
	curvature                  *penalized
	delta                      float64 // that last worked, 0 if none was needed yet

	outputs, g, c, weights []float64 // [f; c]; ∇f; c; [1; y]
	gradient               []float64 // ∇L
	d, dx, dy              []float64 // the step and its parts
	trial, second, zero    []float64
	multipliers            []float64
}

func (o KKT) newSystem(t *reverse.Tape, x0 []float64) (*system, error) {
	n, m := len(x0), t.Outputs()-1
	vector := func(n int) []float64 { return make([]float64, n) }
	k := &system{
		Result:  &Result{X: append([]float64(nil), x0...), Y: vector(m)},
		outputs: vector(m + 1), g: vector(n), c: vector(m), weights: vector(m + 1), gradient: vector(n),
		d: vector(n + m), trial: vector(n), second: vector(n + m), zero: vector(n), multipliers: vector(m),
	}
	k.dx, k.dy = k.d[:n], k.d[n:]
	o.Hessian.Lower = false
	if err := clock(&k.Prepare, func() (err error) {
		if k.hessian, err = o.Hessian.New(t); err == nil {
			k.jacobian, err = o.Jacobian.New(t)
		}
		return err
	}); err != nil {
		return k, err
	}
	k.w, k.j = k.hessian.Matrix(), k.jacobian.Matrix()

	var b builder
	for i := range n {
		b.add(i, i)
		for _, j := range k.w.Pattern().Row(i) {
			b.add(i, int(j))
		}
	}
	for i := range m {
		for _, j := range k.j.Pattern().Row(i + 1) {
			b.add(n+i, int(j))
			b.add(int(j), n+i)
		}
	}
	k.matrix = b.matrix(n + m)
	p := k.matrix.Pattern()
	for i := range n {
		k.diagonalAt = append(k.diagonalAt, place(p, i, i))
		for _, j := range k.w.Pattern().Row(i) {
			k.wAt = append(k.wAt, place(p, i, int(j)))
		}
	}
	for i := range m {
		for _, j := range k.j.Pattern().Row(i + 1) {
			k.jAt = append(k.jAt, place(p, n+i, int(j)))
			k.jtAt = append(k.jtAt, place(p, int(j), n+i))
		}
	}
	k.curvature = newPenalized(k.w, k.j)
	return k, nil
}

// A builder collects positions of a square matrix.
type builder struct{ rows, cols []int }

func (b *builder) add(i, j int) { b.rows, b.cols = append(b.rows, i), append(b.cols, j) }

func (b *builder) matrix(n int) *sparsity.Matrix {
	return sparsity.NewMatrix(sparsity.FromCoordinates(n, n, b.rows, b.cols))
}

func place(p *sparsity.Pattern, i, j int) int32 { return int32(p.Position(i, j)) }

// evaluate computes f, c and their derivatives at X.
func (k *system) evaluate() error {
	k.Jacobians++
	err := clock(&k.Derivatives, func() error { return k.jacobian.EvalAll(k.j, k.outputs, k.X) })
	k.F = k.outputs[0]
	copy(k.c, k.outputs[1:])
	k.Constraint = floats.Norm(k.c, math.Inf(1))
	clear(k.g)
	k.j.DoRowNonZero(0, func(_, j int, v float64) { k.g[j] = v })
	return err
}

// lagrangian computes ∇L.
func (k *system) lagrangian() {
	copy(k.gradient, k.g)
	ptr := k.j.Pattern().RowPtr()
	for i, y := range k.Y {
		row := k.j.Values()[ptr[i+1]:ptr[i+2]]
		for t, j := range k.j.Pattern().Row(i + 1) {
			k.gradient[j] += y * row[t]
		}
	}
	k.Gradient = floats.Norm(k.gradient, math.Inf(1))
}

// evaluateHessian computes W.
func (k *system) evaluateHessian() error {
	k.Hessians++
	k.weights[0] = 1
	copy(k.weights[1:], k.Y)
	return clock(&k.Derivatives, func() error { return k.hessian.Eval(k.w, k.X, k.weights...) })
}

// startMultipliers sets y to the multipliers that make ‖∇f + Jᵀy‖ least: the
// system with W = I. Huge ones say that J is nearly dependent and are not taken.
func (k *system) startMultipliers() error {
	clear(k.w.Values())
	if err := k.factorize(1); err != nil {
		return err
	}
	if err := k.solve(k.d, k.g, make([]float64, len(k.Y))); err != nil {
		return err
	}
	if floats.Norm(k.dy, math.Inf(1)) <= 1e3 {
		copy(k.Y, k.dy)
	}
	return nil
}

// step computes W and the step, and returns Δxᵀ(W + δI)Δx.
func (k *system) step() (curvature float64, err error) {
	if err := k.evaluateHessian(); err != nil {
		return 0, err
	}
	delta, factor := 0.0, 8.0
	for {
		definite, err := k.definite(delta)
		if err != nil {
			return 0, err
		}
		if definite {
			break
		}
		switch {
		case delta > 0:
			delta *= factor
		case k.delta > 0:
			delta = k.delta / 3
		default:
			delta, factor = 1e-4*k.curvature.size(), 100
		}
	}
	if delta > 0 {
		k.delta = delta
	}
	if err := k.factorize(delta); err != nil {
		return 0, err
	}
	if err := k.solve(k.d, k.gradient, k.c); err != nil {
		return 0, err
	}
	// (W + δI)Δx = −∇L − JᵀΔy and JΔx = −c.
	return floats.Dot(k.dy, k.c) - floats.Dot(k.dx, k.gradient), nil
}

// definite reports whether W + δI is positive definite along the constraints.
func (k *system) definite(delta float64) (bool, error) {
	k.Factorizations++
	err := clock(&k.LinearAlgebra, func() error { return k.curvature.factorize(delta) })
	var e *linsolve.NotPositiveDefiniteError
	if errors.As(err, &e) {
		return false, nil
	}
	return err == nil, err
}

// correct adds to the trial point, a full step further, the step that the
// linearized constraints need there.
func (k *system) correct() error {
	err := k.solve(k.second, k.zero, k.outputs[1:])
	floats.Add(k.trial, k.second[:len(k.trial)])
	return err
}

// factorize factorizes the matrix of w, j and δ.
func (k *system) factorize(delta float64) error {
	k.Factorizations++
	return clock(&k.LinearAlgebra, func() error {
		values := k.matrix.Values()
		clear(values)
		for t, v := range k.w.Values() {
			values[k.wAt[t]] = v
		}
		for _, at := range k.diagonalAt {
			values[at] += delta
		}
		for t, v := range rowsBelow(k.j) {
			values[k.jAt[t]] = v
			values[k.jtAt[t]] = v
		}
		if n, _ := k.lu.Dims(); n == 0 {
			return k.lu.Factorize(k.matrix)
		}
		return k.lu.Refactorize(k.matrix)
	})
}

// rowsBelow are the values of j but those of row 0.
func rowsBelow(j *sparsity.Matrix) []float64 { return j.Values()[j.Pattern().RowPtr()[1]:] }

// solve sets dst to the solution with the right-hand side −[a; b].
func (k *system) solve(dst, a, b []float64) error {
	return clock(&k.LinearAlgebra, func() error {
		floats.ScaleTo(dst[:len(a)], -1, a)
		floats.ScaleTo(dst[len(a):], -1, b)
		return k.lu.SolveInto(dst, false, dst)
	})
}
