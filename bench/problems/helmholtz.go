package problems

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// helmholtzData are the vector b, bᵢ = (1 + i/n)/(10n), and the n×n matrix A,
// aᵢⱼ = 1/(1+i+j), in rows.
type helmholtzData struct {
	b, a []float64
}

func newHelmholtzData(n int) *helmholtzData {
	d := &helmholtzData{b: make([]float64, n), a: make([]float64, n*n)}
	for i := range d.b {
		d.b[i] = 1 / (10 * float64(n)) * (1 + float64(i)/float64(n))
		for j := range n {
			d.a[i*n+j] = 1 / float64(1+i+j)
		}
	}
	return d
}

// helmholtz is the Helmholtz free energy of a mixture of n ≥ 1 components
//
//	Σ xᵢ ln(xᵢ/(1−bᵀx)) − xᵀAx/(√8 bᵀx)·ln((1+(1+√2)bᵀx)/(1+(1−√2)bᵀx))
//
// by the Peng–Robinson equation of state.
//
// Source: Griewank, On automatic differentiation, in: Mathematical Programming:
// Recent Developments and Applications, Kluwer, 1989.
func helmholtz[T dual.Scalar[T]](d *helmholtzData, x []T) T {
	n := len(x)
	bx := dual.Affine(0, d.b, x)

	logs := make([]T, n)
	free := bx.RSub(1)
	for i := range x {
		logs[i] = x[i].Div(free).Log()
	}

	ax := make([]T, n)
	for i := range x {
		ax[i] = dual.Affine(0, d.a[i*n:(i+1)*n], x)
	}
	attraction := dual.Dot(x, ax).Div(bx.Scale(math.Sqrt(8)))
	ratio := bx.Scale(1 + math.Sqrt2).AddReal(1).Div(bx.Scale(1 - math.Sqrt2).AddReal(1))
	return dual.Dot(x, logs).Sub(attraction.Mul(ratio.Log()))
}

func (d *helmholtzData) plain(x []float64) float64 {
	b := d.b[:len(x)]
	var bx float64
	for i, x := range x {
		bx += b[i] * x
	}
	free := 1 - bx
	var s float64
	for _, x := range x {
		s += x * math.Log(x/free)
	}
	ratio := (1 + (1+math.Sqrt2)*bx) / (1 + (1-math.Sqrt2)*bx)
	return s - quadratic(d.a, x)/(math.Sqrt(8)*bx)*math.Log(ratio)
}

// quadratic is xᵀAx for the n×n matrix A in rows. One row at a time waits for
// each addition and takes 0.8 ns an entry, four at a time take 0.25 ns.
func quadratic(a, x []float64) float64 {
	n := len(x)
	var q float64
	i := 0
	for ; i+4 <= n; i += 4 {
		r0, r1, r2, r3 := a[i*n:][:n], a[(i+1)*n:][:n], a[(i+2)*n:][:n], a[(i+3)*n:][:n]
		var s0, s1, s2, s3 float64
		for j, x := range x {
			s0 += r0[j] * x
			s1 += r1[j] * x
			s2 += r2[j] * x
			s3 += r3[j] * x
		}
		q += x[i] * s0
		q += x[i+1] * s1
		q += x[i+2] * s2
		q += x[i+3] * s3
	}
	for ; i < n; i++ {
		var s float64
		for j, a := range a[i*n:][:n] {
			s += a * x[j]
		}
		q += x[i] * s
	}
	return q
}

func helmholtzStart(n int) []float64 {
	return start(n, func(i float64) float64 { return (1 + i/float64(n)) / (2 * float64(n)) })
}
