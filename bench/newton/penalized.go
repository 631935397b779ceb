package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/sparsity"
)

// penalized is the matrix W + δI + σJᵀJ. It is positive definite for some σ if
// and only if W + δI is where Jx = 0, without x = 0 (Debreu 1952). It answers what
// is otherwise asked of the inertia of a KKT matrix.
type penalized struct {
	w, j   *sparsity.Matrix // of J row 0 is left out
	matrix *sparsity.SymMatrix
	chol   linsolve.Cholesky

	// Places in the lower triangle of the elements of w, −1 for those above, and of
	// the products of the elements of each row of j, those of a pair once.
	wAt, jAt []int32
}

// penalty is σ‖J‖²/‖W‖, in the largest elements: as large as leaves half of the
// digits to W. A direction out of Jx = 0 of curvature down to −‖W‖ does no harm
// unless J stretches it less than ‖J‖/√penalty.
const penalty = 1e6

func newPenalized(w, j *sparsity.Matrix) *penalized {
	z := &penalized{w: w, j: j}
	n, _ := w.Dims()
	rows, _ := j.Dims()
	var b builder
	for i := range n {
		b.add(i, i)
		for _, j := range w.Pattern().Row(i) {
			if int(j) < i {
				b.add(i, int(j))
			}
		}
	}
	for i := 1; i < rows; i++ {
		row := j.Pattern().Row(i)
		for t, a := range row {
			for _, c := range row[:t] {
				b.add(int(a), int(c))
			}
		}
	}
	lower := b.matrix(n)
	z.matrix = sparsity.NewSymMatrix(lower)
	p := lower.Pattern()
	for i := range n {
		for _, j := range w.Pattern().Row(i) {
			z.wAt = append(z.wAt, place(p, i, int(j)))
		}
	}
	for i := 1; i < rows; i++ {
		row := j.Pattern().Row(i)
		for t, a := range row {
			for _, b := range row[:t+1] {
				z.jAt = append(z.jAt, place(p, int(a), int(b)))
			}
		}
	}
	return z
}

// size is the largest |Wᵢⱼ|, 1 if W is 0.
func (z *penalized) size() float64 {
	if size := floats.Norm(z.w.Values(), math.Inf(1)); size > 0 {
		return size
	}
	return 1
}

// factorize factorizes the matrix, with an error if it is not positive definite.
func (z *penalized) factorize(delta float64) error {
	values := z.matrix.Triangle().Values()
	clear(values)
	for t, v := range z.w.Values() {
		if at := z.wAt[t]; at >= 0 {
			values[at] = v
		}
	}
	sigma := 0.0
	if j := floats.Norm(rowsBelow(z.j), math.Inf(1)); j > 0 {
		sigma = penalty * z.size() / (j * j)
	}
	ptr, at := z.j.Pattern().RowPtr(), 0
	for i := 2; i < len(ptr); i++ {
		row := z.j.Values()[ptr[i-1]:ptr[i]]
		for t, a := range row {
			a *= sigma
			for _, b := range row[:t+1] {
				values[z.jAt[at]] += a * b
				at++
			}
		}
	}
	if z.chol.SymmetricDim() == 0 {
		if err := z.chol.Factorize(z.matrix); delta == 0 {
			return err
		}
	}
	return z.chol.RefactorizeShift(z.matrix, delta)
}
