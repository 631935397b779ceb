package linsolve

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Variances of a least-squares solution x, whose covariance is (RᵀR)⁻¹ = (AᵀA)⁻¹. Let J be the
// columns of a front of R and B those below. With independent ξ of variance 1
//
//	x_J = R_JJ⁻¹(ξ − R_JB x_B),
//
// so that the covariance of x_J and x_B has the root
//
//	⎡ R_JJ⁻¹  −R_JJ⁻¹R_JB T ⎤
//	⎣   0           T       ⎦, T being one of that of x_B.
//
// B is part of the columns of the parent, whose root is known if fronts are visited from the last to
// the first; reflections from the right make its rows in B the lower triangle T. A variance is the
// squared norm of a row.
//
// The recursion of inverse.go with R for Lᵀ takes less than half the time, but has errors up to 10⁵
// times as large beside nearly dependent columns: YᵀZY may be small where Y and Z are not. A column
// of R⁻ᵀ for each variance is as accurate as this, but in a chain as long as the way to the root:
// 94 s in place of 4 ms, at n = 10⁵.
//
// Source: Bierman, Factorization Methods for Discrete Sequential Estimation, Academic Press 1977,
// chapter 10, has this for chains.

// InverseDiagonal returns the diagonal of (AᵀA)⁻¹: the variances of the solution
// if the elements of b are independent and have the variance 1. It stores them in
// dst, of length n; nil allocates. They are NaN if there is no factorization. It
// panics if nothing was factorized.
//
// They have about as many digits as Cond leaves: twice as many as from a factorization
// of AᵀA. Time is about that of Refactorize. Source: see variances.go.
func (q *QR) InverseDiagonal(dst []float64) []float64 {
	checkFactorized(q.a)
	n := len(q.colExp)
	if dst == nil {
		dst = make([]float64, n)
	}
	if len(dst) != n {
		panic("linsolve: lengths of vectors are not those of the matrix")
	}
	if math.IsInf(q.cond, 1) {
		for j := range dst {
			dst[j] = math.NaN()
		}
		return dst
	}
	w := q.roots.take()
	if w == nil {
		w = new(rootWork)
	}
	defer q.roots.give(w)
	w.stack = w.stack[:0]
	for s := q.supernodes() - 1; s >= 0; s-- {
		width, below := q.width(s), len(q.below(s))
		order, rows := width+below, q.slotPtr[s+1]-q.slotPtr[s]
		w.front = resize(w.front, order*order)
		clear(w.front)
		root, r := w.front, q.val[q.ptr[s]:q.ptr[s+1]]
		if p := q.parent[s]; p != none {
			above := q.columns(int(p))
			from := len(w.stack) - above*above
			w.rows = resize(w.rows, below*above)
			for t, k := range q.upColumn[q.rowPtr[s]:q.rowPtr[s+1]] {
				copy(w.rows[t*above:], w.stack[from+int(k)*above:][:above])
			}
			if int(q.children[q.childPtr[p]]) == s { // the last that needs it
				w.stack = w.stack[:from]
			}
			for t := range below {
				v := w.rows[t*above+t : (t+1)*above]
				if tau := reflector(v); tau != 0 {
					for k := t + 1; k < below; k++ {
						reflect(tau, v, w.rows[k*above+t:(k+1)*above])
					}
				}
				copy(root[(width+t)*order+width:], w.rows[t*above:][:t+1])
			}
		}
		for i := width - 1; i >= 0; i-- {
			own := root[i*order : (i+1)*order]
			own[i] = 1
			for k := i + 1; k < order; k++ {
				lo, hi := k, order
				if k >= width {
					lo, hi = width, k+1
				}
				floats.AddScaled(own[lo:hi], -r[k*rows+i], root[k*order+lo:][:hi-lo])
			}
			for k := range own {
				own[k] /= r[i*rows+i]
			}
			j := q.order[int(q.first[s])+i]
			dst[j] = scaled(floats.Dot(own, own), 2*q.colExp[j])
		}
		if q.childPtr[s] < q.childPtr[s+1] {
			w.stack = append(w.stack, root...)
		}
	}
	return dst
}

// rootWork is the working memory of InverseDiagonal.
type rootWork struct {
	front, rows []float64
	stack       []float64 // roots of fronts that have children still to be visited, the last on top
}
