package matrix

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// Scale says what a matrix says of the spread of a distribution. Of each the lower
// triangle alone is read, which is what is differentiated.
type Scale uint8

const (
	// Covariance is Σ, symmetric positive definite.
	Covariance Scale = iota
	// Factor is L with Σ = LLᵀ.
	Factor
	// InverseFactor is Q with Σ⁻¹ = QᵀQ.
	InverseFactor
)

// LogNormal stores the logarithm of the density of the normal distribution at each row of
// x in dst and returns it,
//
//	−½(d ln 2π + ln det Σ + (xᵢ − μ)ᵀΣ⁻¹(xᵢ − μ)),
//
// d being the number of columns of x, the length of the mean μ, which is 0 if nil, and the
// order of s. dst is allocated if nil; it panics if a shape is another. Where Σ is not positive definite a
// tape returns a *NotPositiveDefiniteError, where a factor has 0 on its diagonal a
// *SingularError; other numbers are NaN or infinite.
//
// On a tape all points are one operation, and constant ones are kept once. For N points
// it costs O(d³ + Nd²), Factor and InverseFactor O(Nd²); so do its derivatives.
func LogNormal[T dual.Scalar[T]](dst []T, x *Dense[T], mean []T, scale Scale, s *Dense[T]) []T {
	logDet, r := distances(x, mean, scale, s)
	c := -0.5 * float64(x.Cols) * math.Log(2*math.Pi)
	for i := range r {
		r[i] = dual.Affine(c, []float64{-0.5, -0.5}, []T{logDet, r[i]})
	}
	return vector(dst, r)
}

// LogStudent is LogNormal for Student's distribution with ν degrees of freedom, the
// location mean and the scale matrix Σ, its covariance for ν → ∞,
//
//	ln Γ((ν + d)/2) − ln Γ(ν/2) − ½(d ln νπ + ln det Σ) − ½(ν + d) ln(1 + (xᵢ − μ)ᵀΣ⁻¹(xᵢ − μ)/ν).
func LogStudent[T dual.Scalar[T]](dst []T, nu T, x *Dense[T], mean []T, scale Scale, s *Dense[T]) []T {
	d := float64(x.Cols)
	logDet, r := distances(x, mean, scale, s)
	half := nu.AddReal(d).Scale(0.5)
	c := half.LogGamma().Sub(nu.Scale(0.5).LogGamma()).Sub(nu.Scale(math.Pi).Log().Scale(d / 2)).Sub(logDet.Scale(0.5))
	for i := range r {
		r[i] = c.Sub(half.Mul(r[i].Div(nu).Log1p()))
	}
	return vector(dst, r)
}

// distances returns ln det Σ and the squared distances (xᵢ − μ)ᵀΣ⁻¹(xᵢ − μ).
func distances[T dual.Scalar[T]](x *Dense[T], mean []T, scale Scale, s *Dense[T]) (logDet T, r []T) {
	d := s.square()
	if mean == nil {
		mean = make([]T, d)
	}
	if x.Cols != d || len(mean) != d {
		panic(fmt.Sprintf("matrix: %d×%d points and a mean of length %d for a scale matrix of order %d", x.Rows, x.Cols, len(mean), d))
	}
	if scale > InverseFactor {
		panic("matrix: unknown Scale")
	}
	y, ok := call(&mahalanobis{d: d, count: x.Rows, scale: scale}, x.Data, mean, s.lower())
	if !ok {
		y = make([]T, 1+x.Rows)
		distanceElements(y, x, mean, scale, s)
	}
	return y[0], y[1:]
}

func distanceElements[T dual.Scalar[T]](y []T, x *Dense[T], mean []T, scale Scale, s *Dense[T]) {
	d := len(mean)
	points := New[T](d, x.Rows, nil) // the columns xᵢ − μ
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			points.Set(j, i, v.Sub(mean[j]))
		}
	}
	if scale == Covariance {
		l := s.lower()
		choleskyElements(l, d)
		s = unpacked(lowerTriangle, d, l)
	}
	if scale == InverseFactor {
		q := make([]T, d*x.Rows)
		mulElements(q, unpacked(lowerTriangle, d, s.lower()), points)
		points.Data = q
	} else {
		forward(s, points, false)
	}
	logs := make([]T, d)
	for i := range logs {
		logs[i] = s.At(i, i).Abs().Log()
	}
	y[0] = dual.Sum(logs).Scale(2)
	if scale == InverseFactor {
		y[0] = y[0].Neg()
	}
	for i, t := 0, points.T(); i < x.Rows; i++ {
		y[1+i] = dual.Dot(t.Row(i), t.Row(i))
	}
}

// mahalanobis is the points by rows, μ and the lower triangle of S ↦ ln det Σ and the
// squared distances rᵢ. The points, or both the points and the mean, may be given.
//
// With the points xᵢ − μ as the columns of D, W the diagonal matrix of their weights w, and
// w₀ that of ln det Σ:
//
//	InverseFactor  Y = QD                V = 2YW           Q̄ = VDᵀ − 2w₀/q        D̄ = QᵀV
//	Factor         Y = L⁻¹D              V = L⁻ᵀ2YW        L̄ = −VYᵀ + 2w₀/l       D̄ = V
//	Covariance     Y = Σ⁻¹D              V = 2YW           Σ̄ = −½VYᵀ + w₀Σ⁻¹      D̄ = V
//
// 2w₀/q being that of the diagonal.
type mahalanobis struct {
	dense
	d, count     int
	scale        Scale
	points, mean []float64
}

// The numbers of its state, after the factors, which are Q or L, and the inverse Σ⁻¹; a
// logDeterminant has those before normalD.
const (
	normalD = 5 + iota
	normalY
	normalV
	normalDDot
	normalYDot
	normalVDot
	normalS // Ṡ or S̄
	normalT // transposes
	normalR
	normalG = 2
)

func (k *mahalanobis) name() string { return "LogNormal" }

func (k *mahalanobis) work() int { return k.d * k.d * (k.d + 2*k.count) }

func (k *mahalanobis) dims() (n, m int) {
	n = k.d * (k.d + 1) / 2
	if k.points == nil {
		n += k.count * k.d
	}
	if k.mean == nil {
		n += k.d
	}
	return n, 1 + k.count
}

func (k *mahalanobis) bind(x []float64, constant func(lo, hi int) bool) (f kernel, lo, hi int) {
	n, _ := k.dims()
	size := k.count * k.d
	if k.count == 0 || k.points != nil || !constant(0, size) {
		return k, 0, n
	}
	g := *k
	g.points = slices.Clone(x[:size])
	if constant(size, size+k.d) {
		g.mean = slices.Clone(x[size : size+k.d])
		size += k.d
	}
	return &g, size, n
}

// split is the operands, given ones nil.
func split[T any](k *mahalanobis, x []T) (points, mean, scale []T) {
	if k.points == nil {
		points, x = x[:k.count*k.d], x[k.count*k.d:]
	}
	if k.mean == nil {
		mean, x = x[:k.d], x[k.d:]
	}
	return points, mean, x
}

func (k *mahalanobis) factor() factor {
	if k.scale == Covariance {
		return factor{definite, k.d}
	}
	return factor{lowerTriangle, k.d}
}

// columns sets dst to the columns xᵢ − μ.
func (k *mahalanobis) columns(dst general, points, mean []float64) {
	if points != nil {
		transposeTo(dst, generalOf(k.count, k.d, points))
	} else {
		clear(dst.Data)
	}
	if mean == nil {
		return
	}
	for j, m := range mean {
		row := dst.Data[j*k.count:][:k.count]
		for i := range row {
			row[i] -= m
		}
	}
}

// tall is a matrix of d rows and a column a point.
func (k *mahalanobis) tall(s *state, i int) general { return s.matrix(i, k.d, k.count) }

func (k *mahalanobis) prepare(s *state) error {
	points, mean, _ := split(k, s.x)
	if k.points != nil {
		points = k.points
	}
	if k.mean != nil {
		mean = k.mean
	}
	d, y := k.tall(s, normalD), k.tall(s, normalY)
	k.columns(d, points, mean)
	l := s.matrix(theFactors, k.d, k.d)
	_, _, scale := split(k, s.x)
	lowerOf(l, scale)
	if k.scale == Covariance && !cholesky(l) {
		return &NotPositiveDefiniteError{k.d}
	}
	for i := range k.d {
		if l.Data[i*k.d+i] == 0 {
			return &SingularError{k.d, 0}
		}
	}
	if k.scale == InverseFactor {
		times(1, l, d, 0, y)
	} else {
		copy(y.Data, d.Data)
		solveTriangle(l, blas.Lower, blas.NoTrans, y)
	}
	k.products(s.numbers(normalR, k.count), y, y)
	if k.scale == Covariance {
		solveTriangle(l, blas.Lower, blas.Trans, y)
	}
	return nil
}

// products sets r to the products of the columns of x and y.
func (k *mahalanobis) products(r []float64, x, y general) {
	clear(r)
	for j := range k.d {
		x, y := x.Data[j*k.count:][:k.count], y.Data[j*k.count:][:k.count]
		for i := range r {
			r[i] += float64(x[i] * y[i])
		}
	}
}

func (k *mahalanobis) eval(s *state, y []float64) {
	sum := 0.0
	for i := range k.d {
		sum += math.Log(math.Abs(s.nums[theFactors][i*k.d+i]))
	}
	if k.scale == InverseFactor {
		sum = -sum
	}
	y[0] = 2 * sum
	copy(y[1:], s.nums[normalR])
}

// along sets the matrices 8, 9 and 11 to Ḋ, Ẏ and Ṡ.
func (k *mahalanobis) along(s *state, dx []float64) {
	points, mean, scale := split(k, dx)
	d, y, ds := k.tall(s, normalDDot), k.tall(s, normalYDot), s.matrix(normalS, k.d, k.d)
	k.columns(d, points, mean)
	moves := !zero(scale)
	if clear(ds.Data); moves {
		f := k.factor()
		f.whole(ds, scale)
	}
	l := s.matrix(theFactors, k.d, k.d)
	if k.scale == InverseFactor {
		times(1, ds, k.tall(s, normalD), 0, y)
		times(1, l, d, 1, y)
		return
	}
	copy(y.Data, d.Data)
	if moves {
		times(-1, ds, k.tall(s, normalY), 1, y)
	}
	solveTriangle(l, blas.Lower, blas.NoTrans, y)
	if k.scale == Covariance {
		solveTriangle(l, blas.Lower, blas.Trans, y)
	}
}

func (k *mahalanobis) jvp(s *state, dy, dx []float64) error {
	k.along(s, dx)
	d, y, dY, ds := k.tall(s, normalDDot), k.tall(s, normalY), k.tall(s, normalYDot), s.matrix(normalS, k.d, k.d)
	r := dy[1:]
	dy[0] = 0
	if k.scale == Covariance { // ṙ = (Ḋ + ΣẎ)·Y = (2Ḋ − Σ̇Y)·Y
		copy(dY.Data, d.Data)
		times(-1, ds, y, 2, dY)
		k.products(r, dY, y)
		f := k.factor()
		dy[0] = blas64.Dot(column(f.inverse(s).Data), column(ds.Data))
		return nil
	}
	k.products(r, y, dY)
	for i := range r {
		r[i] *= 2
	}
	for i := 0; i < len(ds.Data); i += k.d + 1 {
		dy[0] += 2 * ds.Data[i] / s.nums[theFactors][i]
	}
	if k.scale == InverseFactor {
		dy[0] = -dy[0]
	}
	return nil
}

// weighted sets dst to 2YW.
func (k *mahalanobis) weighted(dst, y general, w []float64) {
	for j := range k.d {
		dst, y := dst.Data[j*k.count:][:k.count], y.Data[j*k.count:][:k.count]
		for i, w := range w {
			dst[i] = 2 * w * y[i]
		}
	}
}

func (k *mahalanobis) weigh(s *state, w []float64) error {
	v := k.tall(s, normalV)
	k.weighted(v, k.tall(s, normalY), w[1:])
	if k.scale == Factor {
		solveTriangle(s.matrix(theFactors, k.d, k.d), blas.Lower, blas.Trans, v)
	}
	return nil
}

// spread sets gx to the gradient of points and mean if that of the columns is g.
func (k *mahalanobis) spread(gx []float64, g general) {
	points, mean, _ := split(k, gx)
	if points != nil {
		transposeTo(generalOf(k.count, k.d, points), g)
	}
	for j := range mean {
		sum := 0.0
		for _, v := range g.Data[j*k.count:][:k.count] {
			sum += v
		}
		mean[j] = -sum
	}
}

func (k *mahalanobis) vjp(s *state, gx, w []float64) error {
	if err := k.weigh(s, w); err != nil {
		return err
	}
	_, _, gs := split(k, gx)
	clear(gs)
	l, g := s.matrix(theFactors, k.d, k.d), s.matrix(normalS, k.d, k.d)
	d, y, v := k.tall(s, normalD), k.tall(s, normalY), k.tall(s, normalV)
	f := k.factor()
	switch k.scale {
	case InverseFactor:
		lowerTimesT(1, v, d, 0, g)
		for i := 0; i < len(g.Data); i += k.d + 1 {
			g.Data[i] -= 2 * w[0] / l.Data[i]
		}
		f.gradient(gs, 1, g)
		k.back(s, v, k.tall(s, normalDDot))
		k.spread(gx, k.tall(s, normalDDot))
		return nil
	case Factor:
		lowerTimesT(-1, v, y, 0, g)
		for i := 0; i < len(g.Data); i += k.d + 1 {
			g.Data[i] += 2 * w[0] / l.Data[i]
		}
		f.gradient(gs, 1, g)
	case Covariance:
		k.outer(gs, -0.5, v, y, g)
		if w[0] != 0 {
			f.gradient(gs, w[0], f.inverse(s))
		}
	}
	k.spread(gx, v)
	return nil
}

// outer adds to gs the gradient of a covariance of which a matrix has the gradient α·a·bᵀ. g is
// memory.
func (k *mahalanobis) outer(gs []float64, alpha float64, a, b, g general) {
	if k.count > 1 {
		f := k.factor()
		timesT(1, a, b, 0, g)
		f.gradient(gs, alpha, g)
		return
	}
	x, y := a.Data, b.Data
	for i := range x {
		u, v := alpha*x[i], alpha*y[i]
		row := gs[:i+1]
		for j := range row[:i] {
			row[j] += float64(u*y[j]) + float64(v*x[j])
		}
		row[i] += float64(u * y[i])
		gs = gs[i+1:]
	}
}

// back sets dst = QᵀV.
func (k *mahalanobis) back(s *state, v, dst general) {
	t := s.matrix(normalT, k.d, k.d)
	transposeTo(t, s.matrix(theFactors, k.d, k.d))
	times(1, t, v, 0, dst)
}

func (k *mahalanobis) hvp(s *state, h, w, dx []float64) error {
	k.along(s, dx)
	_, _, hs := split(k, h)
	clear(hs)
	l, ds, t := s.matrix(theFactors, k.d, k.d), s.matrix(normalS, k.d, k.d), s.matrix(normalT, k.d, k.d)
	d, y, v := k.tall(s, normalD), k.tall(s, normalY), k.tall(s, normalV)
	dd, dy, dv := k.tall(s, normalDDot), k.tall(s, normalYDot), k.tall(s, normalVDot)
	k.weighted(dv, dy, w[1:])
	f := k.factor()
	diagonal := func(g general, sign float64) {
		for i := 0; i < len(g.Data); i += k.d + 1 {
			g.Data[i] += sign * 2 * w[0] * ds.Data[i] / (l.Data[i] * l.Data[i])
		}
	}
	g := s.matrix(normalG, k.d, k.d)
	switch k.scale {
	case InverseFactor:
		lowerTimesT(1, dv, d, 0, g)
		lowerTimesT(1, v, dd, 1, g)
		diagonal(g, 1)
		f.gradient(hs, 1, g)
		k.back(s, dv, dy)
		transposeTo(t, ds)
		times(1, t, v, 1, dy)
		k.spread(h, dy)
		return nil
	case Factor: // V̇ = L⁻ᵀ(2ẎW − L̇ᵀV)
		transposeTo(t, ds)
		times(-1, t, v, 1, dv)
		solveTriangle(l, blas.Lower, blas.Trans, dv)
		lowerTimesT(-1, dv, y, 0, g)
		lowerTimesT(-1, v, dy, 1, g)
		diagonal(g, -1)
		f.gradient(hs, 1, g)
	case Covariance:
		k.outer(hs, -0.5, dv, y, g)
		k.outer(hs, -0.5, v, dy, g)
		if _, _, ds := split(k, dx); w[0] != 0 && !zero(ds) {
			f.gradient(hs, -w[0], f.sandwich(s, f.inverse(s), ds))
		}
	}
	k.spread(h, dv)
	return nil
}

func (k *mahalanobis) elementwise(y, x []reverse.Var) {
	points, mean := dual.Consts[reverse.Var](nil, k.points), dual.Consts[reverse.Var](nil, k.mean)
	if k.points == nil {
		points, x = x[:k.count*k.d], x[k.count*k.d:]
	}
	if k.mean == nil {
		mean, x = x[:k.d], x[k.d:]
	}
	distanceElements(y, New(k.count, k.d, points), mean, k.scale, unpacked(lowerTriangle, k.d, x))
}
