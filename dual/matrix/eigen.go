package matrix

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// EigenSym returns the eigenvalues of a symmetric matrix in ascending order, and its
// eigenvectors as the columns of V: A = VΛVᵀ, VᵀV = I, in each the element of largest
// magnitude (of several the first) positive. Of A the lower triangle alone is read, which
// is what is differentiated. It panics if A is not square.
//
// Eigenvectors and their derivatives exist where the eigenvalue is simple. Two eigenvalues
// count as equal where they differ by at most n·2⁻⁵²·max |λ|; where a derivative is asked
// for that they do not have a tape returns a *RepeatedEigenvalueError, other numbers have
// NaN. See [EigenvaluesSym] for what is left to equal ones.
//
// With M = VᵀȦV and F_ij = 1/(λ_j − λ_i), 0 on the diagonal, the tangents are
// λ̇ = diag M and V̇ = V(F∘M); with K = Λ̄ + F∘(VᵀV̄) the adjoint is Ā = VKVᵀ,
// symmetrized, and its derivative V(K̇ + ΩK − KΩ)Vᵀ, Ω = F∘M. Cost: some 9n³ operations,
// derivatives 4n³ to 16n³.
//
// Source: M. B. Giles, An extended collection of matrix derivative results for forward
// and reverse mode algorithmic differentiation, 2008, section 3.1.
func EigenSym[T dual.Scalar[T]](a *Dense[T]) (values []T, vectors *Dense[T]) {
	n := a.square()
	y, ok := call(&eigen{n: n, vectors: true}, a.lower())
	if !ok {
		y = make([]T, n+n*n)
		eigenElements(y, a, true)
	}
	return y[:n:n], New(n, n, y[n:])
}

// EigenvaluesSym returns the eigenvalues alone, as [EigenSym] does. Functions that treat
// equal ones alike, as their sum, have a gradient on a tape; second derivatives do not
// exist there in general, but where equal eigenvalues enter linearly and alike.
func EigenvaluesSym[T dual.Scalar[T]](a *Dense[T]) []T {
	n := a.square()
	y, ok := call(&eigen{n: n}, a.lower())
	if !ok {
		y = make([]T, n)
		eigenElements(y, a, false)
	}
	return y
}

// sweeps of Jacobi's method: convergence is quadratic in the end, for derivatives of any
// order, whose errors vanish one order a sweep.
const jacobiSweeps = 14

// eigenElements is Jacobi's method by rows, without comparisons but for the order and the
// signs. A rotation by the angle θ makes a_pq 0, tan 2θ = 2a_pq/(a_qq − a_pp), in a form
// that is smooth where a_pq is 0.
func eigenElements[T dual.Scalar[T]](y []T, a *Dense[T], vectors bool) {
	n := a.Rows
	s := unpacked(definite, n, a.lower())
	for i := range n {
		for j := range i {
			s.Set(j, i, s.At(i, j))
		}
	}
	v := identity[T](n)
	rotate := func(m *Dense[T], p, q int, c, t T) { // columns p and q
		for i := range n {
			x, z := m.At(i, p), m.At(i, q)
			m.Set(i, p, c.Mul(x).Sub(t.Mul(z)))
			m.Set(i, q, t.Mul(x).Add(c.Mul(z)))
		}
	}
	for range jacobiSweeps {
		for p := range n {
			for q := p + 1; q < n; q++ {
				d := s.At(q, q).Sub(s.At(p, p))
				e := s.At(p, q).Scale(2)
				// The smaller root t = tan θ of t² + (d/a_pq)t − 1.
				t := e.Div(d.Add(d.Hypot(e).Copysign(d)))
				c := t.Square().AddReal(1).Sqrt().Inv()
				sine := t.Mul(c)
				rotate(s, p, q, c, sine)
				m := s.T()
				rotate(m, p, q, c, sine)
				copy(s.Data, m.T().Data)
				if vectors {
					rotate(v, p, q, c, sine)
				}
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
		for k := i; k > 0 && s.At(order[k], order[k]).Less(s.At(order[k-1], order[k-1])); k-- {
			order[k], order[k-1] = order[k-1], order[k]
		}
	}
	for k, i := range order {
		y[k] = s.At(i, i)
		if !vectors {
			continue
		}
		best := 0
		for r := 1; r < n; r++ {
			if v.At(best, i).Abs().Less(v.At(r, i).Abs()) {
				best = r
			}
		}
		negative := v.At(best, i).LessReal(0)
		for r := range n {
			x := v.At(r, i)
			if negative {
				x = x.Neg()
			}
			y[n+r*n+k] = x
		}
	}
}

// The numbers of a state of eigen.
const (
	eigenV = iota
	eigenLambda
	eigenVt
	eigenF
	eigenVBar // VᵀV̄
	eigenK
	eigenM // VᵀȦV
	eigenHalf
	eigenAll
	eigenX
	eigenOmega
	eigenT
	eigenU
	eigenWork // of LAPACK
)

// eigen is the lower triangle of A ↦ λ, and V by rows.
type eigen struct {
	dense
	n       int
	vectors bool
}

func (k *eigen) name() string {
	if k.vectors {
		return "EigenSym"
	}
	return "EigenvaluesSym"
}

func (k *eigen) work() int { return 18 * k.n * k.n * k.n }

func (k *eigen) dims() (n, m int) {
	n, m = k.n*(k.n+1)/2, k.n
	if k.vectors {
		m += k.n * k.n
	}
	return n, m
}

func (k *eigen) square(s *state, i int) general { return s.matrix(i, k.n, k.n) }

func (k *eigen) prepare(s *state) error {
	v, lambda := k.square(s, eigenV), s.numbers(eigenLambda, k.n)
	symmetric(v, s.x)
	work := s.numbers(eigenWork, max(1, (64+2)*k.n))
	sym := blas64.Symmetric{Uplo: blas.Lower, N: k.n, Stride: v.Stride, Data: v.Data}
	if !lapack64.Syev(lapack.EVCompute, sym, lambda, work, len(work)) {
		return &NotConvergedError{k.n}
	}
	vt := k.square(s, eigenVt)
	transposeTo(vt, v)
	for i := range k.n {
		row := vt.Data[i*k.n:][:k.n]
		best := 0.0
		for _, x := range row {
			if math.Abs(x) > math.Abs(best) {
				best = x
			}
		}
		if best < 0 {
			for j := range row {
				row[j] = -row[j]
			}
		}
	}
	transposeTo(v, vt)
	k.gaps(s)
	return nil
}

// gaps computes F, with 0 for equal eigenvalues.
func (k *eigen) gaps(s *state) {
	f, lambda := k.square(s, eigenF), s.nums[eigenLambda]
	for i := range k.n {
		for j := range k.n {
			f.Data[i*k.n+j] = 0
			if !k.equal(lambda, i, j) {
				f.Data[i*k.n+j] = 1 / (lambda[j] - lambda[i])
			}
		}
	}
}

// equal reports whether two eigenvalues are equal to working precision.
func (k *eigen) equal(lambda []float64, i, j int) bool {
	norm := max(math.Abs(lambda[0]), math.Abs(lambda[k.n-1]))
	return math.Abs(lambda[i]-lambda[j]) <= float64(k.n)*0x1p-52*norm
}

// simple returns an error if there are equal eigenvalues, of different weights if w is
// not nil.
func (k *eigen) simple(s *state, w []float64) error {
	lambda := s.nums[eigenLambda]
	for i := range k.n - 1 {
		if k.equal(lambda, i, i+1) && (w == nil || w[i] != w[i+1]) {
			return &RepeatedEigenvalueError{i, i + 1, lambda[i]}
		}
	}
	return nil
}

func (k *eigen) eval(s *state, y []float64) {
	copy(y, s.nums[eigenLambda])
	if k.vectors {
		copy(y[k.n:], s.nums[eigenV])
	}
}

// within is M = VᵀȦV.
func (k *eigen) within(s *state, dx []float64) general {
	m, half, vt := k.square(s, eigenM), k.square(s, eigenHalf), k.square(s, eigenVt)
	symmetric(m, dx)
	timesT(1, vt, m, 0, half)
	timesT(1, half, vt, 0, m)
	return m
}

func (k *eigen) jvp(s *state, dy, dx []float64) error {
	if zero(dx) {
		clear(dy)
		return nil
	}
	if err := k.simple(s, nil); err != nil {
		return err
	}
	m := k.within(s, dx)
	for i := range k.n {
		dy[i] = m.Data[i*k.n+i]
	}
	if k.vectors {
		hadamard(m, k.square(s, eigenF))
		times(1, k.square(s, eigenV), m, 0, generalOf(k.n, k.n, dy[k.n:]))
	}
	return nil
}

// hadamard replaces a by a∘b.
func hadamard(a, b general) {
	for i, v := range b.Data {
		a.Data[i] *= v
	}
}

// weigh computes VᵀV̄ and K.
func (k *eigen) weigh(s *state, w []float64) error {
	if k.vectors && !zero(w[k.n:]) {
		if err := k.simple(s, nil); err != nil {
			return err
		}
	} else if err := k.simple(s, w); err != nil {
		return err
	}
	g, kk := k.square(s, eigenVBar), k.square(s, eigenK)
	clear(kk.Data)
	if k.vectors {
		times(1, k.square(s, eigenVt), generalOf(k.n, k.n, w[k.n:]), 0, g)
		copy(kk.Data, g.Data)
		hadamard(kk, k.square(s, eigenF))
	}
	for i := range k.n {
		kk.Data[i*k.n+i] += w[i]
	}
	return nil
}

// pull sets gx to the gradient of the operands if that of all elements is VXVᵀ.
func (k *eigen) pull(s *state, gx []float64, x general) {
	v, half, all := k.square(s, eigenV), k.square(s, eigenHalf), k.square(s, eigenAll)
	times(1, v, x, 0, half)
	timesT(1, half, v, 0, all)
	clear(gx)
	f := factor{definite, k.n}
	f.gradient(gx, 1, all)
}

func (k *eigen) vjp(s *state, gx, w []float64) error {
	if err := k.weigh(s, w); err != nil {
		return err
	}
	k.pull(s, gx, k.square(s, eigenK))
	return nil
}

func (k *eigen) hvp(s *state, h, w, dx []float64) error {
	m, f, kk := k.within(s, dx), k.square(s, eigenF), k.square(s, eigenK)
	x, omega := k.square(s, eigenX), k.square(s, eigenOmega)
	copy(omega.Data, m.Data)
	hadamard(omega, f)
	clear(x.Data)
	if k.vectors { // K̇ = Ḟ∘VᵀV̄ + F∘(V̇ᵀV̄), V̇ᵀV̄ = −ΩVᵀV̄
		g := k.square(s, eigenVBar)
		times(-1, omega, g, 0, x)
		for i := range k.n {
			for j := range k.n {
				at := i*k.n + j
				df := (m.Data[i*k.n+i] - m.Data[j*k.n+j]) * f.Data[at] * f.Data[at]
				x.Data[at] = float64(df*g.Data[at]) + float64(f.Data[at]*x.Data[at])
			}
		}
	}
	times(1, omega, kk, 1, x)
	times(-1, kk, omega, 1, x)
	k.pull(s, h, x)
	return nil
}

func (k *eigen) elementwise(y, x []reverse.Var) {
	eigenElements(y, unpacked(definite, k.n, x), k.vectors)
}
