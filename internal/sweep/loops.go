package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
)

// The loops over indexed operands; those over consecutive ones are package lane's. Slices
// are cut to one length first, so that the compiler drops bounds checks. Measured on amd64,
// a lane takes 0.6 to 0.9 ns by index; hand unrolling made that slower.

func gather(dst, x []float64, index []int32) {
	index = index[:len(dst)]
	for i := range dst {
		dst[i] = x[index[i]]
	}
}

// dst[i] = x[a[i]] ∘ x[b[i]], x by node.

func addIndexed(dst, x []float64, a, b []int32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = x[a[i]] + x[b[i]]
	}
}

func subIndexed(dst, x []float64, a, b []int32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = x[a[i]] - x[b[i]]
	}
}

func mulIndexed(dst, x []float64, a, b []int32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = x[a[i]] * x[b[i]]
	}
}

// load is what x, by node, has at the operand o of m lanes, the first being number off of
// the batch: a part of x if the operand is consecutive, else gathered into buf.
func load(o *compile.Operand, buf *[compile.Block]float64, x []float64, off, m int32) []float64 {
	if o.Access == compile.Consecutive {
		return x[o.At+off:][:m]
	}
	return gathered(o, buf, x, off, m)
}

func gathered(o *compile.Operand, buf *[compile.Block]float64, x []float64, off, m int32) []float64 {
	if o.Access == compile.Uniform {
		lane.Fill(buf[:m], x[o.At])
	} else {
		gather(buf[:m], x, o.Index[off:off+m])
	}
	return buf[:m]
}

// target is the adjoints of an operand of some lanes, the first being number off of the
// batch, as the destination of an update. The array x that has them, by node, is given to
// each update, so that a target fits into registers.
type target struct {
	o         *compile.Operand
	off       int32
	overwrite bool // these adjoints have no value yet: the update sets them
}

func targetOf(o *compile.Operand, order compile.Order, off int32) target {
	return target{o, off, o.Access == compile.Consecutive && o.WrittenFirst(order)}
}

// met is t after its first update.
func (t target) met() target {
	t.overwrite = false
	return t
}

// lanes is the adjoints of m lanes, whose operands must be consecutive.
func (t target) lanes(x []float64, m int) []float64 { return x[t.o.At+t.off:][:m] }

func (t target) index(m int) []int32 { return t.o.Index[t.off:][:m] }

// plus does x += g.
func (t target) plus(x, g []float64) {
	switch {
	case t.overwrite:
		copy(t.lanes(x, len(g)), g)
	case t.o.Access == compile.Consecutive:
		x = t.lanes(x, len(g))
		lane.Add(x, x, g)
	case t.o.Access == compile.Uniform:
		s := x[t.o.At]
		for _, g := range g {
			s += g
		}
		x[t.o.At] = s
	default:
		index := t.index(len(g))
		for i, g := range g {
			x[index[i]] += g
		}
	}
}

// minus does x −= g.
func (t target) minus(x, g []float64) {
	switch {
	case t.overwrite:
		lane.Neg(t.lanes(x, len(g)), g)
	case t.o.Access == compile.Consecutive:
		x = t.lanes(x, len(g))
		lane.Sub(x, x, g)
	case t.o.Access == compile.Uniform:
		s := x[t.o.At]
		for _, g := range g {
			s -= g
		}
		x[t.o.At] = s
	default:
		index := t.index(len(g))
		for i, g := range g {
			x[index[i]] -= g
		}
	}
}

// times does x += k·w·g.
func (t target) times(x []float64, k float64, w, g []float64) {
	switch {
	case t.overwrite:
		lane.ScaleMul(t.lanes(x, len(g)), w, g, k)
	case t.o.Access == compile.Consecutive:
		lane.AddScaleMul(t.lanes(x, len(g)), w, g, k)
	case t.o.Access == compile.Uniform:
		s := x[t.o.At]
		w = w[:len(g)]
		for i, g := range g {
			s += float64(k * w[i] * g)
		}
		x[t.o.At] = s
	default:
		w, index := w[:len(g)], t.index(len(g))
		for i, g := range g {
			x[index[i]] += float64(k * w[i] * g)
		}
	}
}

// times2 does x += k·(p·g + q·h).
func (t target) times2(x []float64, k float64, p, g, q, h []float64) {
	switch {
	case t.overwrite:
		lane.ScaleMul2(t.lanes(x, len(g)), p, g, q, h, k)
	case t.o.Access == compile.Consecutive:
		lane.AddScaleMul2(t.lanes(x, len(g)), p, g, q, h, k)
	case t.o.Access == compile.Uniform:
		s := x[t.o.At]
		p, q, h = p[:len(g)], q[:len(g)], h[:len(g)]
		for i, g := range g {
			s += float64(k * (float64(p[i]*g) + float64(q[i]*h[i])))
		}
		x[t.o.At] = s
	default:
		p, q, h, index := p[:len(g)], q[:len(g)], h[:len(g)], t.index(len(g))
		for i, g := range g {
			x[index[i]] += float64(k * (float64(p[i]*g) + float64(q[i]*h[i])))
		}
	}
}

// Sums over lists, added from the left.

func sumOf(s float64, x []float64) float64 {
	for _, v := range x {
		s += v
	}
	return s
}

func sumIndexed(s float64, x []float64, index []int32) float64 {
	for _, i := range index {
		s += x[i]
	}
	return s
}

func dotOf(s float64, w, x []float64) float64 {
	x = x[:len(w)]
	for i, w := range w {
		s += float64(w * x[i])
	}
	return s
}

// dots adds to out[s] the product of w with the elements of xs[s] from at on; of inputs,
// only those that are seeded count. Terms of even and of odd number are added up apart,
// since then one addition need not wait for the other, and two directions are done at a
// time.
func (e *Engine) dots(out *[MaxDirections]float64, w []float64, xs [][]float64, at int32, seeded compile.Span) {
	from, to := e.clip(seeded, at, int32(len(w)))
	from &^= 1 // even and odd, and so the bits, do not depend on what is seeded
	w, at = w[from:to], at+from
	n := len(w)
	s := 0
	for ; s+2 <= len(xs); s += 2 {
		x, y := xs[s][at:][:n], xs[s+1][at:][:n]
		var x0, x1, y0, y1 float64
		for i := 1; i < n; i += 2 {
			w0, w1 := w[i-1], w[i]
			x0 += float64(w0 * x[i-1])
			x1 += float64(w1 * x[i])
			y0 += float64(w0 * y[i-1])
			y1 += float64(w1 * y[i])
		}
		if n&1 != 0 {
			x0 += float64(w[n-1] * x[n-1])
			y0 += float64(w[n-1] * y[n-1])
		}
		out[s] += x0 + x1
		out[s+1] += y0 + y1
	}
	for ; s < len(xs); s++ {
		x := xs[s][at:][:n]
		var x0, x1 float64
		for i := 1; i < n; i += 2 {
			x0 += float64(w[i-1] * x[i-1])
			x1 += float64(w[i] * x[i])
		}
		if n&1 != 0 {
			x0 += float64(w[n-1] * x[n-1])
		}
		out[s] += x0 + x1
	}
}

func dotIndexed(s float64, w, x []float64, index []int32) float64 {
	index = index[:len(w)]
	for i, w := range w {
		s += float64(w * x[index[i]])
	}
	return s
}
