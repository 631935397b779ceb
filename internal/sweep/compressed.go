package sweep

import "github.com/hesse-ad/hesse/internal/compile"

// Compressed is products of a Hessian with directions of zeros and ones, those of a
// coloring, and where their numbers go: strip by strip, so that neither values and
// adjoints nor products leave the caches.
type Compressed struct {
	strips *compile.Strips
	num    int     // of colors
	width  int     // colors that share a sweep
	color  []int32 // by input, none if < 0
	reads  []reads // by strip and color
}

// reads is elements of a result, and which places of a product they are.
type reads struct{ to, from []int32 }

const (
	secondNodes = 6 << 10 // of a strip
	mostColors  = 4       // that share a sweep over one, for the sake of the caches
)

// NewCompressed is the products of num colors, those of the inputs being color, none if
// < 0. Each calls its argument with each element to of a result that is read, which is
// number row of the product with a color. It is nil if the program has no strips.
func (e *Engine) NewCompressed(color []int32, num int, each func(do func(to, row, color int32))) *Compressed {
	r := e.NewSecondStrips(secondNodes, SectionLanes)
	if r == nil || num == 0 {
		return nil
	}
	sweeps := (num + mostColors - 1) / mostColors
	c := &Compressed{strips: r, num: num, width: (num + sweeps - 1) / sweeps, color: color}
	c.reads = make([]reads, len(r.Rest)*num)
	rows := r.Rest[0].Own.Len()
	each(func(to, row, color int32) {
		s := row / rows
		in := r.Rest[s].Inputs
		x := &c.reads[int(s)*num+int(color)]
		x.to, x.from = append(x.to, to), append(x.from, row-in.Node+in.Place)
	})
	var to, from []int32 // in the order in which they are read
	for _, x := range c.reads {
		to, from = append(to, x.to...), append(from, x.from...)
	}
	for k := range c.reads {
		n := len(c.reads[k].to)
		c.reads[k] = reads{to[:n], from[:n]}
		to, from = to[n:], from[n:]
	}
	return c
}

// Eval computes the values at x and the gradient of Σ wⱼyⱼ, which are Output and the
// first Inputs() of Adjoints of ws, and stores elements in result. It reports whether
// all derivatives are finite; if not, nothing is.
func (c *Compressed) Eval(ws *Workspace, result, x, params, w []float64) bool {
	ws.compressing = compressing{c, result}
	ok := ws.byStrips(c.strips, x, params, w, &ws.compressing)
	ws.compressing = compressing{}
	return ok
}

// compressing is one evaluation.
type compressing struct {
	*Compressed
	result []float64
}

// strip does strip k, whose values and adjoints are there. It reports whether the
// products are finite.
func (c *compressing) strip(ws *Workspace, k int) bool {
	s := &c.strips.Rest[k]
	in := s.Inputs
	allFinite := true
	for lo := int32(0); int(lo) < c.num; lo += int32(c.width) {
		n := min(c.width, c.num-int(lo))
		ts, us := directions(&ws.t, n, c.strips.Places, false), directions(&ws.u, n, c.strips.Places, true)
		for d := range n {
			clear(ts[d][in.Place:][:in.N])
			clear(ts[d][:ws.e.Base()-ws.e.Inputs()])
			zero(us[d], s.UnwrittenSecond)
		}
		for i, color := range c.color[in.Node:][:in.N] {
			if d := color - lo; d >= 0 && int(d) < n {
				ts[d][in.Place+int32(i)] = 1
			}
		}
		for i := range s.Second {
			if b := &s.Second[i]; b.FeedsNonlinear {
				ws.batchTangents(ts, b, b, b.Lo, compile.SecondOrder)
			}
		}
		for i := len(s.Second) - 1; i >= 0; i-- {
			b := &s.Second[i]
			for off := int32(0); off < b.Len(); off += compile.Block {
				ws.secondBlock(us, ts, b, b, b.Lo+off, off, min(compile.Block, b.Len()-off))
			}
		}
		to := in.Place - in.Node
		for _, u := range us {
			allFinite = allFinite && finite(u[to+s.Own.Lo:to+s.Own.Hi])
		}
		for d, u := range us {
			r := &c.reads[k*c.num+int(lo)+d]
			from := r.from[:len(r.to)]
			for e, to := range r.to {
				c.result[to] = u[from[e]]
			}
		}
	}
	return allFinite
}
