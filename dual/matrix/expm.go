package matrix

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// Expm stores e^A = Σ Aᵏ/k! in dst and returns it, by scaling and squaring. dst is
// allocated if nil, and may be a. It panics if A is not square or dst has another shape.
//
// e^A is r(A/2ˢ) to the power 2ˢ, r the Padé approximation of degree 13, which has all
// digits for norms up to 5.37. Derivatives are those of the algorithm, carried along
// with each product: with L(A, Ȧ) the tangent, the adjoint is L(Aᵀ, X̄). Cost: 8 + s
// products and a solution; three times that for a derivative, nine times for one of the
// second order. Each squaring may double the error, which is some 2ˢ·2⁻⁵² times the norm of
// e^|A|: at a norm of A of 10¹⁵ no digit is left.
//
// Sources: N. J. Higham, The scaling and squaring method for the matrix exponential
// revisited, SIAM J. Matrix Anal. Appl. 26, 2005; A. H. Al-Mohy and N. J. Higham,
// Computing the Fréchet derivative of the matrix exponential, same journal 30, 2009.
func Expm[T dual.Scalar[T]](dst, a *Dense[T]) *Dense[T] {
	n := a.square()
	y, ok := call(&exponential{n: n}, a.Data)
	if !ok {
		y = make([]T, n*n)
		expmElements(y, a)
	}
	return result(dst, n, n, y)
}

// theta13 is the norm up to which the approximation of degree 13 has all digits.
const theta13 = 5.371920351148152

// pade13 is the coefficients of its numerator. The first is 1, so that e⁰ is the identity.
var pade13 = [...]float64{1, 1. / 2, 7771770303897600. / b0,
	1187353796428800. / b0, 129060195264000. / b0, 10559470521600. / b0, 670442572800. / b0, 33522128640. / b0,
	1323241920. / b0, 40840800. / b0, 960960. / b0, 16380. / b0, 182. / b0, 1 / b0}

const b0 = 64764752532480000.

func expmElements[T dual.Scalar[T]](y []T, a *Dense[T]) {
	n := a.Rows
	var norm T
	for j := range n {
		column := make([]T, n)
		for i := range column {
			column[i] = a.At(i, j).Abs()
		}
		norm = norm.Max(dual.Sum(column)).Detach()
	}
	squarings := 0
	for squarings < 1100 && !norm.LessEqReal(math.Ldexp(theta13, squarings)) && norm.LessEqReal(math.MaxFloat64) {
		squarings++
	}
	mul := func(a, b *Dense[T]) *Dense[T] {
		c := New[T](n, n, nil)
		mulElements(c.Data, a, b)
		return c
	}
	sum := func(a0 float64, c []float64, x ...*Dense[T]) *Dense[T] {
		z := New[T](n, n, nil)
		terms := make([]T, len(c))
		for at := range z.Data {
			for k := range terms {
				terms[k] = x[k].Data[at]
			}
			c0 := 0.0
			if at/n == at%n {
				c0 = a0
			}
			z.Data[at] = dual.Affine(c0, c, terms)
		}
		return z
	}
	b := pade13
	x := sum(0, []float64{math.Ldexp(1, -squarings)}, a)
	x2 := mul(x, x)
	x4 := mul(x2, x2)
	x6 := mul(x4, x2)
	one := []float64{1, 1}
	odd := mul(x, sum(0, one, mul(x6, sum(0, []float64{b[13], b[11], b[9]}, x6, x4, x2)), sum(b[1], []float64{b[7], b[5], b[3]}, x6, x4, x2)))
	even := sum(0, one, mul(x6, sum(0, []float64{b[12], b[10], b[8]}, x6, x4, x2)), sum(b[0], []float64{b[6], b[4], b[2]}, x6, x4, x2))
	z := sum(0, one, even, odd)
	solveElements(general_, sum(0, []float64{1, -1}, even, odd), z)
	for range squarings {
		z = mul(z, z)
	}
	copy(y, z.Data)
}

// exponential is A ↦ e^A. A state has it at expValue, and jets.
type exponential struct {
	dense
	n int
}

func (k *exponential) name() string     { return "Expm" }
func (k *exponential) dims() (n, m int) { return k.n * k.n, k.n * k.n }

func (k *exponential) work() int { return 20 * k.n * k.n * k.n }

// jet is a matrix with its derivatives: parts 1 and 2 are those along two directions,
// part 3 that along both. There are 1, 2 or 4 parts.
type jet struct {
	n, parts int
	data     []float64
}

func (k *exponential) jet(s *state, i, parts int) jet {
	return jet{k.n, parts, s.numbers(i, 4*k.n*k.n)}
}

func (a jet) part(m int) general {
	size := a.n * a.n
	return generalOf(a.n, a.n, a.data[m*size:][:size])
}

// all is the numbers of all parts.
func (a jet) all() []float64 { return a.data[:a.parts*a.n*a.n] }

// mul sets c = a·b by the product rule: a part of c is the sum over all ways to divide
// its directions among a and b.
func (c jet) mul(a, b jet) {
	for m := range c.parts {
		beta := 0.0
		for p := range c.parts {
			if p&m == p {
				times(1, a.part(p), b.part(m^p), beta, c.part(m))
				beta = 1
			}
		}
	}
}

// sum sets c = c₀I + Σ wₖxₖ.
func (c jet) sum(c0 float64, w [3]float64, x *[3]jet) {
	dst := c.all()
	for i := range dst {
		dst[i] = float64(w[0]*x[0].data[i]) + float64(w[1]*x[1].data[i]) + float64(w[2]*x[2].data[i])
	}
	for i := range c.n {
		dst[i*c.n+i] += c0
	}
}

// The numbers of a state of an exponential, the last for factors of q₀.
const (
	expValue = iota
	expX
	expX6
	expX4
	expX2
	expT
	expU
	expOdd
	expEven
	expQ
)

// exp replaces the jet of expX by its exponential.
func (k *exponential) exp(s *state, parts int) error {
	x := k.jet(s, expX, parts)
	norm := lapack64.Lange(lapack.MaxColumnSum, x.part(0), s.numbers(lapackWork, 4*k.n))
	_, squarings := math.Frexp(norm / theta13)
	squarings = max(squarings, 0)
	for i := range x.all() {
		x.data[i] = math.Ldexp(x.data[i], -squarings)
	}
	b := pade13
	powers := [3]jet{k.jet(s, expX6, parts), k.jet(s, expX4, parts), k.jet(s, expX2, parts)} // x⁶, x⁴, x²
	powers[2].mul(x, x)
	powers[1].mul(powers[2], powers[2])
	powers[0].mul(powers[1], powers[2])
	t, u, odd, even := k.jet(s, expT, parts), k.jet(s, expU, parts), k.jet(s, expOdd, parts), k.jet(s, expEven, parts)
	t.sum(0, [3]float64{b[13], b[11], b[9]}, &powers)
	u.mul(powers[0], t)
	t.sum(b[1], [3]float64{b[7], b[5], b[3]}, &powers)
	add(u.all(), t.all())
	odd.mul(x, u)
	t.sum(0, [3]float64{b[12], b[10], b[8]}, &powers)
	even.mul(powers[0], t)
	t.sum(b[0], [3]float64{b[6], b[4], b[2]}, &powers)
	add(even.all(), t.all())
	for i, v := range odd.all() {
		x.data[i], t.data[i] = even.data[i]+v, even.data[i]-v
	}
	if err := k.divide(s, x, t); err != nil {
		return err
	}
	for range squarings {
		t.mul(x, x)
		copy(x.all(), t.all())
	}
	return nil
}

func add(x, y []float64) {
	for i, v := range y {
		x[i] += v
	}
}

// divide replaces x by q⁻¹x: its parts are q₀⁻¹(x_m − Σ q_p·x_{m−p}), in order.
func (k *exponential) divide(s *state, x, q jet) error {
	if len(s.ints) < k.n {
		s.ints = make([]int, k.n)
	}
	q0 := s.matrix(expQ, k.n, k.n)
	copy(q0.Data, q.part(0).Data)
	if !lu(q0, s.ints[:k.n]) { // a norm below 5.37 keeps it regular
		return &SingularError{k.n, 0}
	}
	for m := range x.parts {
		for p := 1; p <= m; p++ {
			if p&m == p {
				times(-1, q.part(p), x.part(m^p), 1, x.part(m))
			}
		}
		f := factor{general_, k.n}
		s.nums[expValue], s.nums[expQ] = s.nums[expQ], s.nums[expValue]
		f.solve(s, x.part(m))
		s.nums[expValue], s.nums[expQ] = s.nums[expQ], s.nums[expValue]
	}
	return nil
}

func (k *exponential) prepare(s *state) error {
	x := k.jet(s, expX, 1)
	copy(x.all(), s.x)
	if err := k.exp(s, 1); err != nil {
		return err
	}
	copy(s.numbers(expValue, k.n*k.n), x.all())
	return nil
}

func (k *exponential) eval(s *state, y []float64) { copy(y, s.nums[expValue][:k.n*k.n]) }

func (k *exponential) jvp(s *state, dy, dx []float64) error {
	x := k.jet(s, expX, 2)
	copy(x.part(0).Data, s.x)
	copy(x.part(1).Data, dx)
	err := k.exp(s, 2)
	copy(dy, x.part(1).Data)
	return err
}

func (k *exponential) vjp(s *state, gx, w []float64) error {
	x := k.jet(s, expX, 2)
	transposeTo(x.part(0), generalOf(k.n, k.n, s.x))
	copy(x.part(1).Data, w)
	err := k.exp(s, 2)
	copy(gx, x.part(1).Data)
	return err
}

func (k *exponential) hvp(s *state, h, w, dx []float64) error {
	x := k.jet(s, expX, 4)
	transposeTo(x.part(0), generalOf(k.n, k.n, s.x))
	copy(x.part(1).Data, w)
	transposeTo(x.part(2), generalOf(k.n, k.n, dx))
	clear(x.part(3).Data)
	err := k.exp(s, 4)
	copy(h, x.part(3).Data)
	return err
}

func (k *exponential) elementwise(y, x []reverse.Var) {
	expmElements(y, New(k.n, k.n, slices.Clone(x)))
}
