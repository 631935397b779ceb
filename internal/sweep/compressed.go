package sweep

import (
	"encoding/binary"
	"math"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
)

// Compressed computes the compressed matrix of a coloring, the products of a Hessian with
// one direction of zeros and ones for each color, and copies its elements to a result. It
// goes strip by strip: for each, values, adjoints and products are found and read before
// they leave the caches.
type Compressed struct {
	strips *compile.Strips
	num    int        // of colors
	width  int        // how many colors share a sweep
	rows   int        // of a strip, at most: its product with color k has row i at k·rows+i
	seeds  [][]uint16 // of strip s and color k at s·num+k: which of its inputs have the color
	reads  []reads    // by strip
}

// reads is which elements of the result a strip finds, in ascending order, and for each the
// number of the product that it is.
type reads struct {
	to   []compile.Span
	from []uint16
}

const (
	// secondNodes is how many nodes a strip has: from two thirds of it to twice as many, the
	// times are the same.
	secondNodes = 6 << 10

	// mostColors is how many colors share a sweep over a strip: with more, tangents and
	// adjoints leave the caches.
	mostColors = 4
)

// NewCompressed is for a coloring with num colors: input j has color[j], none if that is
// < 0. each calls its argument once for each element number to of the result, in ascending
// order, which is read from element row of the product with a color. NewCompressed returns
// nil if the program has no strips, or too many colors for them.
func (e *Engine) NewCompressed(color []int32, num int, each func(do func(to, row, color int32))) *Compressed {
	r := e.NewSecondStrips(secondNodes, SectionLanes)
	if r == nil || num == 0 {
		return nil
	}
	sweeps := (num + mostColors - 1) / mostColors
	c := &Compressed{strips: r, num: num, width: (num + sweeps - 1) / sweeps, rows: int(r.Rest[0].Own.Len())}
	if num*c.rows > math.MaxUint16 {
		return nil
	}
	for k := range r.Rest {
		if r.Rest[k].Inputs.N > math.MaxUint16 {
			return nil
		}
	}
	c.findSeeds(color)
	c.findReads(each)
	// Lists with the same elements in several strips become one, which stays in the caches.
	same := map[string][]uint16{}
	for k := range c.seeds {
		c.seeds[k] = shared(same, c.seeds[k])
	}
	for k := range c.reads {
		c.reads[k].from = shared(same, c.reads[k].from)
	}
	return c
}

// findSeeds finds the inputs of each color in each strip.
func (c *Compressed) findSeeds(color []int32) {
	c.seeds = make([][]uint16, len(c.strips.Rest)*c.num)
	for k := range c.strips.Rest {
		in, seeds := c.strips.Rest[k].Inputs, c.seeds[k*c.num:][:c.num]
		for i, color := range color[in.Node:][:in.N] {
			if color >= 0 {
				seeds[color] = append(seeds[color], uint16(i))
			}
		}
	}
}

// findReads finds which elements are read in each strip, that which owns their row.
func (c *Compressed) findReads(each func(do func(to, row, color int32))) {
	c.reads = make([]reads, len(c.strips.Rest))
	rows := int32(c.rows)
	each(func(to, row, color int32) {
		x := &c.reads[row/rows]
		x.from = append(x.from, uint16(color*rows+row%rows))
		if k := len(x.to) - 1; k >= 0 && x.to[k].Hi == to {
			x.to[k].Hi++
		} else {
			x.to = append(x.to, compile.Span{Lo: to, Hi: to + 1})
		}
	})
}

// shared is the list among lists that has the elements of x; if there is none, a copy of x
// that it adds to them.
func shared(lists map[string][]uint16, x []uint16) []uint16 {
	key := make([]byte, 0, 2*len(x))
	for _, v := range x {
		key = binary.LittleEndian.AppendUint16(key, v)
	}
	y, is := lists[string(key)]
	if !is {
		y = append([]uint16(nil), x...)
		lists[string(key)] = y
	}
	return y
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

// compressing is one evaluation of Compressed.
type compressing struct {
	*Compressed
	result []float64
}

// strip computes the products of strip k, whose values and adjoints have just been found, and
// copies them to the result. It reports whether they are finite.
func (c *compressing) strip(ws *Workspace, k int) bool {
	s := &c.strips.Rest[k]
	products := ws.productRoom(c.num * c.rows)
	own := s.Own.Lo - s.Inputs.Node + s.Inputs.Place
	for lo := 0; lo < c.num; lo += c.width {
		ts, us := c.seeded(ws, k, lo, min(c.width, c.num-lo))
		ws.secondStrip(us, ts, s)
		for d, u := range us {
			u = u[own:][:s.Own.Len()]
			if !finite(u) {
				return false
			}
			copy(products[(lo+d)*c.rows:], u)
		}
	}
	from := c.reads[k].from
	for _, to := range c.reads[k].to {
		n := to.Len()
		lane.Gather(c.result[to.Lo:to.Hi], products, from[:n])
		from = from[n:]
	}
	return true
}

// seeded is the tangents and second-order adjoints with which a sweep over strip k for the n
// colors from lo on begins.
func (c *compressing) seeded(ws *Workspace, k, lo, n int) (ts, us [][]float64) {
	s := &c.strips.Rest[k]
	ts, us = directions(&ws.t, n, c.strips.Places, false), directions(&ws.u, n, c.strips.Places, true)
	for d, t := range ts {
		clear(t[:ws.e.Base()-ws.e.Inputs()]) // parameters and constants
		t = t[s.Inputs.Place:][:s.Inputs.N]
		clear(t)
		for _, i := range c.seeds[k*c.num+lo+d] {
			t[i] = 1
		}
		zero(us[d], s.UnwrittenSecond)
	}
	return ts, us
}

// secondStrip is a sweep of second order over a strip.
func (ws *Workspace) secondStrip(us, ts [][]float64, s *compile.Strip) {
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
}

// productRoom is memory for n numbers.
func (ws *Workspace) productRoom(n int) []float64 {
	if len(ws.stripProducts) < n {
		ws.stripProducts = make([]float64, n)
	}
	return ws.stripProducts[:n]
}
