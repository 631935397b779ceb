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
	ws, err := t.Inside().Begin(x)
	if err != nil {
		return dst, err
	}
	defer p.Put(ws)
	return t.complete(dst, m, n, func(to []float64, stride int) error {
		if n <= m {
			return columns(ws, to, stride, n, m)
		}
		for lo := 0; lo < m; lo += sweep.MaxDirections {
			k := min(sweep.MaxDirections, m-lo)
			if err := ws.VJP(k, func(w []float64, s int) { w[lo+s] = 1 }); err != nil {
				return err
			}
			for s := range k {
				copy(to[(lo+s)*stride:][:n], ws.Product(s))
			}
		}
		return nil
	})
}

// columns makes an m×n Jacobian column by column.
func columns(ws *sweep.Workspace, to []float64, stride, n, m int) error {
	for lo := 0; lo < n; lo += sweep.MaxDirections {
		k := min(sweep.MaxDirections, n-lo)
		if err := ws.JVP(k, func(x []float64, s int) { x[lo+s] = 1 }); err != nil {
			return err
		}
		for s := range k {
			for j := range m {
				to[j*stride+lo+s] = ws.OutputTangent(s, j)
			}
		}
	}
	return nil
}
