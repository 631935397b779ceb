package models

import "github.com/hesse-ad/hesse/dual"

const (
	crossEntropyInputs  = 4
	crossEntropyClasses = 3
	crossEntropyPoints  = 10
)

var (
	crossEntropyX     = normals(11, crossEntropyPoints, crossEntropyInputs)
	crossEntropyStart = normal(12, crossEntropyClasses*crossEntropyInputs, 0.5)
)

// CrossEntropy is the loss of a linear classifier, multinomial logistic
// regression,
//
//	−1/N Σ ln softmax(Wx)_y,
//
// in w = W. With p = softmax(Wx), and y for the unit vector of the class too, a
// term has the gradient (p − y)xᵀ and the Hessian (diag p − ppᵀ) ⊗ xxᵀ.
func CrossEntropy[T dual.Scalar[T]](w []T) T {
	loss := make([]T, crossEntropyPoints)
	for i, x := range crossEntropyX {
		loss[i] = negLogSoftmax(times(w, constants[T](x)), crossEntropyClass(i))
	}
	return mean(loss)
}

// crossEntropyClass is the class of a point.
func crossEntropyClass(i int) int { return i % crossEntropyClasses }

// negLogSoftmax is −ln softmax(z)_k.
func negLogSoftmax[T dual.Scalar[T]](z []T, k int) T { return dual.LogSumExp(z).Sub(z[k]) }
