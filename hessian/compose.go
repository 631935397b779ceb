package hessian

import (
	"github.com/hesse-ad/hesse/internal/sweep"
)

// products hands the products H·v₀ … H·v₍ₖ₋₁₎ to each, the directions given by
// seed. If upper, direction j is the unit vector eⱼ and only the elements
// j, j+1, … of its product are wanted.
func (h *Hessian) products(x, params, w []float64, k int, upper bool, seed sweep.Seeds, each sweep.Result) error {
	switch h.strategy {
	case FoR:
		return h.forwardOverReverse(x, params, w, k, seed, each)
	case RoR:
		return h.reverseOverReverse(x, params, w, k, seed, each)
	case RoF:
		return h.reverseOverForward(x, params, w, k, seed, each)
	default:
		return h.forwardOverForward(x, params, w, k, upper, seed, each)
	}
}

// sweep evaluates the tape at [x; y; params].
func (h *Hessian) sweep(x, y, params []float64, f func(p *sweep.Engine, ws *sweep.Workspace) error) error {
	buf := h.points.Get().(*[]float64)
	defer h.points.Put(buf)
	*buf = append(append(append((*buf)[:0], x...), y...), params...)
	return h.t.Inside().Sweep(*buf, f)
}

// forwardOverReverse carries tangents through the value and the adjoint sweep
// of F.
func (h *Hessian) forwardOverReverse(x, params, w []float64, k int, seed sweep.Seeds, each sweep.Result) error {
	return h.sweep(x, nil, params, func(p *sweep.Engine, ws *sweep.Workspace) error {
		if err := ws.Linearize(w); err != nil {
			return err
		}
		return ws.HVPs(k, seed, each)
	})
}

// triangle is forwardOverReverse for the upper triangle, row by row.
func (h *Hessian) triangle(x, params, w []float64, row sweep.Result) error {
	return h.sweep(x, nil, params, func(p *sweep.Engine, ws *sweep.Workspace) error {
		if err := ws.Linearize(w); err != nil {
			return err
		}
		return ws.Hessian(row)
	})
}

// reverseOverReverse sweeps x̄ = F′(x)ᵀȳ at ȳ = w in reverse with the
// cotangent v of x̄: its x block is Hv.
func (h *Hessian) reverseOverReverse(x, params, w []float64, k int, seed sweep.Seeds, each sweep.Result) error {
	return h.sweep(x, w, params, func(p *sweep.Engine, ws *sweep.Workspace) error {
		for lo := 0; lo < k; lo += sweep.MaxDirections {
			m := min(sweep.MaxDirections, k-lo)
			if err := ws.VJP(m, func(v []float64, s int) { seed(v, lo+s) }); err != nil {
				return err
			}
			for s := range m {
				each(lo+s, ws.Product(s)[:h.n])
			}
		}
		return nil
	})
}

// reverseOverForward sweeps [y; ẏ] = [F(x); F′(x)v] in reverse with the
// cotangent (0, w): its x block is Hv.
func (h *Hessian) reverseOverForward(x, params, w []float64, k int, seed sweep.Seeds, each sweep.Result) error {
	return h.alongEach(x, params, k, seed, func(j int, p *sweep.Engine, ws *sweep.Workspace) error {
		err := ws.VJP(1, func(bar []float64, _ int) { copy(bar[h.m:], w) })
		if err == nil {
			each(j, ws.Product(0)[:h.n])
		}
		return err
	})
}

// forwardOverForward sweeps [y; ẏ] forward along (eᵢ, 0): element i of Hv.
func (h *Hessian) forwardOverForward(x, params, w []float64, k int, upper bool, seed sweep.Seeds, each sweep.Result) error {
	buf := h.points.Get().(*[]float64)
	defer h.points.Put(buf)
	return h.alongEach(x, params, k, seed, func(j int, p *sweep.Engine, ws *sweep.Workspace) error {
		lo := 0
		if upper {
			lo = j
		}
		hv := (*buf)[:h.n]
		for ; lo < h.n; lo += sweep.MaxDirections {
			m := min(sweep.MaxDirections, h.n-lo)
			if err := ws.JVP(m, func(v []float64, s int) { v[lo+s] = 1 }); err != nil {
				return err
			}
			for s := range m {
				hv[lo+s] = h.weighted(ws, s, w)
			}
		}
		each(j, hv)
		return nil
	})
}

// alongEach evaluates the tape of the JVP along each direction in turn.
func (h *Hessian) alongEach(x, params []float64, k int, seed sweep.Seeds, f func(j int, p *sweep.Engine, ws *sweep.Workspace) error) error {
	buf := h.points.Get().(*[]float64)
	defer h.points.Put(buf)
	v := (*buf)[:h.n]
	for j := range k {
		clear(v)
		seed(v, j)
		err := h.sweep(x, v, params, func(p *sweep.Engine, ws *sweep.Workspace) error { return f(j, p, ws) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *Hessian) forwardBilinear(x, params, w, u, v []float64) (s float64, err error) {
	err = h.sweep(x, v, params, func(p *sweep.Engine, ws *sweep.Workspace) error {
		if err := ws.JVP(1, func(x []float64, _ int) { copy(x, u) }); err != nil {
			return err
		}
		s = h.weighted(ws, 0, w)
		return nil
	})
	return s, err
}

// weighted is Σ wⱼt over the tangents t of the outputs ẏⱼ in direction k; a weight 0
// annihilates.
func (h *Hessian) weighted(ws *sweep.Workspace, k int, w []float64) float64 {
	s := 0.0
	for j, w := range w {
		if w != 0 {
			s += float64(w * ws.OutputTangent(k, h.m+j))
		}
	}
	return s
}
