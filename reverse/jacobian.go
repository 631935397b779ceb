package reverse

import (
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/internal/sweep"
)

// Jacobian returns F′(x), m×n. dst may be nil, empty or m×n. Cost: one value sweep
// and n tangent or m adjoint sweeps, whichever are fewer, several at a time.
func (t *Tape) Jacobian(dst *mat.Dense, x []float64) (*mat.Dense, error) {
	p := t.engine()
	n, m := p.Inputs(), p.Outputs()
	checkDense(dst, m, n)
	ws, err := t.begin(x)
	if err != nil {
		return dst, err
	}
	defer p.Put(ws)
	dst = dense(dst, m, n)
	to := dst.RawMatrix()
	if n <= m {
		for lo := 0; lo < n; lo += sweep.MaxDirections {
			k := min(sweep.MaxDirections, n-lo)
			if err := ws.JVP(k, func(x []float64, s int) { x[lo+s] = 1 }); err != nil {
				return dst, err
			}
			for s := range k {
				for j := range m {
					to.Data[j*to.Stride+lo+s] = ws.OutputTangent(s, j)
				}
			}
		}
		return dst, nil
	}
	for lo := 0; lo < m; lo += sweep.MaxDirections {
		k := min(sweep.MaxDirections, m-lo)
		if err := ws.VJP(k, func(w []float64, s int) { w[lo+s] = 1 }); err != nil {
			return dst, err
		}
		for s := range k {
			copy(to.Data[(lo+s)*to.Stride:][:n], ws.Product(s))
		}
	}
	return dst, nil
}
