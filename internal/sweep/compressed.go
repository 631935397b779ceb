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
	// By strip and sweep, what is read.
	reads [][]read
}

// read is an element of a result: that at from in the memory of products.
type read struct{ to, row, color int32 }

const (
	secondNodes = 6 << 10 // of a strip
	mostColors  = 4       // that share a sweep over one, for the sake of the caches
)

// NewCompressed is the products of colors, those of inputs being color, none if < 0, and
// reads by each the element to of a result at the row-th number of the product with a color. It
// is nil if the program has no strips.
func (e *Engine) NewCompressed(color []int32, num int, each func(do func(to, row, color int32))) *Compressed {
	r := e.NewSecondStrips(secondNodes, SectionLanes)
	if r == nil || num == 0 {
		return nil
	}
	sweeps := (num + mostColors - 1) / mostColors
	c := &Compressed{strips: r, num: num, width: (num + sweeps - 1) / sweeps, color: color}
	c.reads = make([][]read, len(r.Rest)*sweeps)
	rows := int(r.Rest[0].Own.Len())
	each(func(to, row, color int32) {
		x := &c.reads[int(row)/rows*sweeps+int(color)/c.width]
		*x = append(*x, read{to, row, color % int32(c.width)})
	})
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
	sweeps := len(c.reads) / len(c.strips.Rest)
	for g := range sweeps {
		lo := int32(g * c.width)
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
		for _, r := range c.reads[k*sweeps+g] {
			c.result[r.to] = us[r.color][to+r.row]
		}
	}
	return allFinite
}
