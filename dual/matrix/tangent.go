package matrix

import (
	"slices"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// The tangents of these functions, by the formulas in their comments, are written by the same
// functions: so there are derivatives of any order. A matrix of zero Vars does not move, and what
// is a product with it is left out.

type (
	variable  = reverse.Var
	variables = Dense[reverse.Var]
)

func still(x []variable) bool {
	return !slices.ContainsFunc(x, func(v variable) bool { return v != variable{} })
}

// mul is α·A·B, α being ±1.
func mul(alpha float64, a, b *variables) *variables {
	if still(a.Data) || still(b.Data) {
		return New[variable](a.Rows, b.Cols, nil)
	}
	c := Mul(nil, a, b)
	if alpha < 0 {
		for i, v := range c.Data {
			c.Data[i] = v.Neg()
		}
	}
	return c
}

func plus(a, b *variables) *variables {
	if still(b.Data) {
		return a
	}
	if still(a.Data) {
		return b
	}
	c := New[variable](a.Rows, a.Cols, nil)
	for i, v := range a.Data {
		c.Data[i] = v.Add(b.Data[i])
	}
	return c
}

// solved is A⁻¹B.
func solved(kind kind, a, b *variables) *variables {
	if still(b.Data) {
		return b
	}
	return solve(nil, kind, a, b)
}

// inner is Σ aᵢⱼbᵢⱼ.
func inner(a, b *variables) variable {
	if still(a.Data) || still(b.Data) {
		return variable{}
	}
	return dual.Dot(a.Data, b.Data)
}

// rate is all of the matrix Ȧ, of which dx are the operands.
func (f *factor) rate(dx []variable) *variables {
	a := unpacked(f.kind, f.n, dx)
	for i := range f.n {
		for j := range i {
			if f.kind == definite {
				a.Set(j, i, a.At(i, j))
			}
		}
	}
	return a
}

func (k *product) tangent(_, x, dx []variable) []variable {
	n := k.p * k.q
	split := func(x []variable) (a, b *variables) { return New(k.p, k.q, x[:n]), New(k.q, k.r, x[n:]) }
	a, b := split(x)
	da, db := split(dx)
	return plus(mul(1, da, b), mul(1, a, db)).Data
}

// applied is a linear kernel at dx.
func applied(k kernel, dx []variable) []variable {
	y, _ := call(k, dx)
	return y
}

func (f *productOf) tangent(_, _, dx []variable) []variable   { return applied(f, dx) }
func (f *productBy) tangent(_, _, dx []variable) []variable   { return applied(f, dx) }
func (f *solutionFor) tangent(_, _, dx []variable) []variable { return applied(f, dx) }

func (k *solution) tangent(y, x, dx []variable) []variable {
	n := k.size()
	db := New[variable](k.n, k.r, nil)
	copy(db.Data, dx[n:])
	right := plus(db, mul(-1, k.rate(dx[:n]), New(k.n, k.r, y)))
	return solved(k.kind, unpacked(k.kind, k.n, x[:n]), right).Data
}

func (k *logDeterminant) tangent(_, x, dx []variable) []variable {
	return []variable{k.logDetTangent(x, dx)}
}

// logDetTangent is tr(A⁻¹Ȧ).
func (f *factor) logDetTangent(x, dx []variable) variable {
	if still(dx) {
		return variable{}
	}
	return inner(solve(nil, f.kind, unpacked(f.kind, f.n, x), identity[variable](f.n)), f.rate(dx).T())
}

func (k *factorization) tangent(y, _, dx []variable) []variable {
	l, f := unpacked(lowerTriangle, k.n, y), factor{definite, k.n}
	g := solved(lowerTriangle, l, solved(lowerTriangle, l, f.rate(dx)).T())
	for i := range k.n {
		g.Set(i, i, g.At(i, i).Scale(0.5))
		clear(g.Row(i)[i+1:])
	}
	return mul(1, l, g).lower()
}

// variables is A of the operands x.
func (k *quadForm) variables(x []variable) *variables {
	if k.a != nil {
		return New(k.n, k.n, dual.Consts[variable](nil, k.a))
	}
	return New(k.n, k.n, x[k.n:])
}

func (k *quadForm) tangent(_, x, dx []variable) []variable {
	a := k.variables(x)
	x, dx, da := x[:k.n], dx[:k.n], dx[k.n:]
	var terms []variable
	if !still(dx) {
		terms = append(terms, dual.Dot(dx, MulVec(nil, a, x)), dual.Dot(x, MulVec(nil, a, dx)))
	}
	if !still(da) {
		terms = append(terms, QuadForm(New(k.n, k.n, da), x))
	}
	return []variable{dual.Sum(terms)}
}

func (k *mahalanobis) tangent(_, x, dx []variable) []variable {
	points, mean, scale := split(k, x)
	dpoints, dmean, dscale := split(k, dx)
	if k.points != nil {
		points = dual.Consts[variable](nil, k.points)
		dpoints = make([]variable, len(points))
	}
	if k.mean != nil {
		mean = dual.Consts[variable](nil, k.mean)
		dmean = make([]variable, len(mean))
	}
	columns := func(points, mean []variable) *variables {
		d := New[variable](k.d, k.count, nil)
		for i := range k.count {
			for j, m := range mean {
				v := points[i*k.d+j]
				if m != (variable{}) {
					v = v.Sub(m)
				}
				d.Set(j, i, v)
			}
		}
		return d
	}
	d, dd := columns(points, mean), columns(dpoints, dmean)
	f := k.factor()
	a, da := unpacked(f.kind, k.d, scale), f.rate(dscale)
	var y, dy *variables
	z := make([]variable, 1+k.count)
	switch k.scale {
	case Covariance: // ṙ = Y·(2Ḋ − Σ̇Y)
		y = solved(definite, a, d)
		dy = plus(plus(dd, dd), mul(-1, da, y))
	case Factor:
		y = solved(lowerTriangle, a, d)
		dy = solved(lowerTriangle, a, plus(dd, mul(-1, da, y)))
	case InverseFactor:
		y = mul(1, a, d)
		dy = plus(mul(1, a, dd), mul(1, da, d))
	}
	if k.scale != Covariance {
		dy = plus(dy, dy)
	}
	y, dy = y.T(), dy.T()
	for i := range k.count {
		z[1+i] = inner(New(1, k.d, y.Row(i)), New(1, k.d, dy.Row(i)))
	}
	switch {
	case still(dscale):
	case k.scale == Covariance:
		z[0] = f.logDetTangent(scale, dscale)
	default:
		logs := make([]variable, k.d)
		for i := range logs {
			logs[i] = da.At(i, i).Div(a.At(i, i))
		}
		if z[0] = dual.Sum(logs).Scale(2); k.scale == InverseFactor {
			z[0] = z[0].Neg()
		}
	}
	return z
}

// tangent is the corner of exp [A Ȧ; 0 A]. Source: R. Mathias, A chain rule for matrix functions and
// applications, SIAM J. Matrix Anal. Appl. 17, 1996.
func (k *exponential) tangent(_, x, dx []variable) []variable {
	n := k.n
	both := New[variable](2*n, 2*n, nil)
	for i := range n {
		copy(both.Row(i), x[i*n:][:n])
		copy(both.Row(i)[n:], dx[i*n:][:n])
		copy(both.Row(n + i)[n:], x[i*n:][:n])
	}
	y := Expm(nil, both)
	var z []variable
	for i := range n {
		z = append(z, y.Row(i)[n:]...)
	}
	return z
}

func (k *eigen) tangent(y, x, dx []variable) []variable {
	n, f := k.n, factor{definite, k.n}
	var vectors *variables
	if k.vectors {
		vectors = New(n, n, y[n:])
	} else {
		_, vectors = EigenSym(unpacked(definite, n, x))
	}
	m := mul(1, mul(1, vectors.T(), f.rate(dx)), vectors)
	z := make([]variable, n)
	for i := range n {
		z[i] = m.At(i, i)
	}
	if !k.vectors {
		return z
	}
	for i := range n {
		for j := range n {
			if i == j {
				m.Set(i, j, variable{})
			} else {
				m.Set(i, j, m.At(i, j).Div(y[j].Sub(y[i])))
			}
		}
	}
	return append(z, mul(1, vectors, m).Data...)
}

// contracted is a kernel that is quadratic in its first operands.
type contracted interface {
	quadratic() (operands int)
	// contract is Σ wᵢⱼ ∂²F/∂xᵢ∂xⱼ over those, w being symmetric.
	contract(x []variable, w func(i, j int) variable) []variable
}

func (f *node) Contraction(moves func(i int) bool) any {
	k, ok := f.kernel.(contracted)
	if !ok {
		return nil
	}
	n, _ := f.dims()
	for i := k.quadratic(); i < n; i++ {
		if moves(i) {
			return nil
		}
	}
	return k.contract
}

// pairs is Σ wᵢⱼ pᵢⱼ for n operands from each of two numbers on, with a symmetric P.
func pairs(p *variables, from, other int, w func(i, j int) variable) variable {
	var x, y []variable
	for i := range p.Rows {
		for j := range p.Rows {
			if w := w(from+i, other+j); w != (variable{}) {
				x, y = append(x, w), append(y, p.At(i, j))
			}
		}
	}
	return dual.Dot(x, y)
}

func (k *quadForm) quadratic() int { return k.n }

func (k *quadForm) contract(x []variable, w func(i, j int) variable) []variable {
	return []variable{pairs(k.variables(x), 0, 0, w).Scale(2)}
}

func (k *mahalanobis) quadratic() int {
	n, _ := k.dims()
	return n - k.d*(k.d+1)/2
}

// contract has 2Σ⁻¹ for each point and for the mean, and −2Σ⁻¹ for both.
func (k *mahalanobis) contract(x []variable, w func(i, j int) variable) []variable {
	_, _, scale := split(k, x)
	a, p := unpacked(k.factor().kind, k.d, scale), identity[variable](k.d)
	switch k.scale {
	case Covariance:
		p = solve(nil, definite, a, p)
	case Factor:
		p = solve(nil, lowerTriangle, a, p)
		p = Mul(nil, p.T(), p)
	case InverseFactor:
		p = Mul(nil, a.T(), a)
	}
	z, mean := make([]variable, 1+k.count), k.quadratic()-k.d
	for i := range k.count {
		var sums []variable
		c := []float64{2, 2, -4}
		if k.points == nil {
			sums = append(sums, pairs(p, i*k.d, i*k.d, w))
		} else {
			sums = append(sums, variable{})
		}
		if k.mean == nil {
			sums = append(sums, pairs(p, mean, mean, w))
			if k.points == nil {
				sums = append(sums, pairs(p, i*k.d, mean, w))
			}
		}
		z[1+i] = dual.Affine(0, c[:len(sums)], sums)
	}
	return z
}
