package newton

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Deviations returns the standard deviations of the parameters x of a fit of p, the roots of the
// diagonal of Covariance, without its other elements. Cost: a Jacobian, and a QR factorization twice.
func (o LeastSquares) Deviations(p Problem, x []float64) ([]float64, error) {
	c, err := o.covariance(p, x)
	if err != nil {
		return nil, err
	}
	d := make([]float64, len(x))
	if c.roots == nil {
		c.qr.qr.InverseDiagonal(d)
	}
	for i := range d {
		if c.roots != nil {
			d[i] = floats.Dot(c.roots[i], c.roots[i])
		}
		d[i] = math.Sqrt(c.sigma2 * d[i])
		if c.fixed[i] {
			d[i] = 0
		}
	}
	return d, nil
}

// Covariance returns the covariance matrix of the parameters x of a fit of p,
//
//	σ²(JᵀJ)⁻¹, σ² = 2F/(m − n), F = ½‖r(x)‖²,
//
// of n parameters and m > n residuals, by a QR factorization: as accurate as the
// condition of J allows, not that of JᵀJ. Where columns of J depend on each other n is the rank,
// the matrix of what the data determine that of the pseudoinverse, by an SVD of J, and
// parameters that are not determined have the variance +∞ and covariances NaN. Those of parameters
// pushed against a bound, which do not count in n, are 0. With a Loss they are those of the
// residuals as it weighs them. It panics if m ≤ n. Cost: n solutions with the factors besides.
func (o LeastSquares) Covariance(p Problem, x []float64) (*mat.SymDense, error) {
	c, err := o.covariance(p, x)
	if err != nil {
		return nil, err
	}
	n := len(x)
	if c.roots == nil {
		c.roots = make([][]float64, n)
		unit := make([]float64, n)
		for i := range unit {
			// The least y with [J; 0]ᵀy = eᵢ is QR⁻ᵀeᵢ.
			clear(unit)
			unit[i] = 1
			c.roots[i] = make([]float64, c.qr.m+n)
			if err := c.qr.qr.SolveInto(c.roots[i], true, unit); err != nil && !isCondition(err) {
				return nil, err
			}
		}
	}
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for k := range i + 1 {
			v := c.sigma2 * floats.Dot(c.roots[i], c.roots[k])
			if c.fixed[i] || c.fixed[k] {
				v = 0
			}
			out.SetSym(i, k, v)
		}
	}
	return out, nil
}

// covariance is what deviations and covariances are made of: σ² and the QR factorization of J, or where that
// has not full rank vectors whose products are (JᵀJ)⁺.
type covariance struct {
	sigma2 float64
	fixed  []bool
	qr     *stackedQR
	roots  [][]float64
}

func (o LeastSquares) covariance(p Problem, x []float64) (*covariance, error) {
	p.check("LeastSquares", true, false)
	s := o.newSquares(p, x)
	if err := s.arrive(); err != nil {
		return nil, err
	}
	c := &covariance{fixed: s.p.fixed, qr: newStackedQR(s.p.j)}
	ones := make([]float64, len(x))
	floats.AddConst(1, ones)
	full, err := c.qr.factorize(s.p.j, ones, s.p.fixed, 0)
	if err != nil {
		return nil, err
	}
	rank := 0
	for _, fixed := range s.p.fixed {
		if !fixed {
			rank++
		}
	}
	if !full {
		rank = c.deficient(s.p)
	}
	if len(s.p.r) <= rank {
		panic("newton: standard deviations need more residuals than parameters")
	}
	c.sigma2 = floats.Dot(s.p.r, s.p.r) / float64(len(s.p.r)-rank)
	return c, nil
}

// deficient finds the roots by an SVD of JC⁻¹, C the column norms of J, and returns the rank.
func (c *covariance) deficient(p *linearModel) (rank int) {
	const determined = 1e-8 // the part of a unit vector in the null space that rounding explains
	m, n := len(p.r), len(p.norm)
	j := mat.NewDense(m, n, nil)
	for i := range m {
		columns, values := rowOf(p.j, i)
		for k, col := range columns {
			if !p.fixed[col] && p.norm[col] > 0 {
				j.Set(i, int(col), values[k]/p.norm[col])
			}
		}
	}
	var svd mat.SVD
	c.roots = make([][]float64, n)
	if !svd.Factorize(j, mat.SVDThin) {
		panic("newton: no singular values") // of finite numbers there are
	}
	var v mat.Dense
	svd.VTo(&v)
	sigma := svd.Values(nil)
	for rank < len(sigma) && sigma[rank] > float64(m+n)*epsilon*sigma[0] {
		rank++
	}
	for i := range c.roots {
		root := append([]float64(nil), v.RawRowView(i)[:rank]...)
		within := floats.Dot(root, root)
		for k := range root {
			root[k] /= sigma[k] * p.norm[i]
		}
		if !(p.norm[i] > 0 && within >= 1-determined) {
			for k := range root {
				root[k] = math.Inf(1)
			}
		}
		c.roots[i] = root
	}
	return rank
}
