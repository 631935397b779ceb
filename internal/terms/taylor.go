package terms

import (
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
)

var _ op.Series = (*Repeat)(nil)

// copied is of how many operations the program is that sweeps over several terms at a time, as
// lanes.
const copied = 1 << 14

// side is how many terms that is.
func (r *Repeat) side() int { return max(1, min(copied/max(r.term.Ops(), 1), r.count, 256)) }

// Taylor sets y to the coefficients of F(x(t)).
func (r *Repeat) Taylor(y, x [][]float64) error {
	for _, y := range y {
		clear(y)
	}
	e := r.copies()
	return r.eachBlock(x, func(ws *sweep.Workspace, c [][]float64, _, rows []int32) error {
		for k, y := range y {
			for j, i := range rows {
				y[i] += c[k][e.Output(j)]
			}
		}
		return nil
	})
}

// TaylorVJP sets gx to the coefficients of F′(x(t))ᵀ·w(t).
func (r *Repeat) TaylorVJP(gx, x, w [][]float64) error {
	of := make([][]float64, len(w))
	for k := range of {
		clear(gx[k])
		of[k] = make([]float64, r.copies().Outputs())
	}
	return r.eachBlock(x, func(ws *sweep.Workspace, _ [][]float64, vars, rows []int32) error {
		for k, w := range w {
			clear(of[k])
			for j, i := range rows {
				of[k][j] = w[i]
			}
		}
		g, err := ws.TaylorVJP(of)
		if err != nil {
			return err
		}
		for k, gx := range gx {
			for j, i := range vars {
				gx[i] += g[k][j]
			}
		}
		return nil
	})
}

// eachBlock sweeps over some terms at a time and hands on where their inputs and outputs are. The
// last block is filled up with terms of which nothing is wanted.
func (r *Repeat) eachBlock(x [][]float64, do func(ws *sweep.Workspace, c [][]float64, vars, rows []int32) error) error {
	e, terms := r.copies(), r.side()
	ws := e.Get()
	defer e.Put(ws)
	c := ws.Polynomials(len(x) - 1)
	var vars, rows []int32
	in, params := make([]float64, e.Inputs()), make([]float64, 0, e.Params())
	var err error
	filled, done := 0, 0
	r.Each(func(v, w []int32, p []float64) {
		vars, rows, params = append(vars, v...), append(rows, w...), append(params, p...)
		filled++
		done++
		if err != nil || filled < terms && done < r.count {
			return
		}
		for k := range c {
			to := c[k]
			if k == 0 {
				to = in
			}
			for j := range e.Inputs() {
				to[j] = x[k][vars[j%len(vars)]]
			}
		}
		for len(params) < e.Params() {
			params = append(params, params[:len(p)]...)
		}
		if _, err = ws.Value(in, params); err == nil { // there are no comparisons
			if err = ws.Taylor(); err == nil {
				err = do(ws, c, vars, rows)
			}
		}
		vars, rows, params, filled = vars[:0], rows[:0], params[:0], 0
	})
	return err
}
