// Package bounds computes bounds of the rounding errors of derivatives: it runs a
// tape, and its adjoint, on numbers that carry such bounds, those of package
// roundoff. Check and Verify compare results by different ways with them, and need
// no tolerance of their own.
package bounds

import (
	"math"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/roundoff"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Rounded is a number and its derivative along a direction, with bounds of the
// rounding errors of both.
type Rounded = dual.Of[roundoff.Number]

// Bounds are the results of sweeps with bounds of their rounding errors, by
// whichever way they are computed: of each output its value and JVP, of each
// input its element of the gradient of Σ wⱼyⱼ and of the HVP.
type Bounds struct {
	Outputs, Inputs []Rounded
}

// Of computes them for a tape at the point in, the inputs with a direction and the
// parameters; with weights w nil of the outputs alone. What a user's primitive is
// off by is not known: its results are taken to be right to 2⁻⁴⁰ of the largest.
// Cost: about half a microsecond an operation, by nodes.
func Of(t *tape.Tape, in []Rounded, w []float64) Bounds {
	r := &rounding{rand.New(rand.NewPCG(1, 2))}
	v := tape.Replay(t, in, r)
	b := Bounds{Outputs: make([]Rounded, len(t.OutputNodes()))}
	for j, i := range t.OutputNodes() {
		b.Outputs[j] = v[i]
	}
	if w != nil {
		bar := make([]Rounded, len(v))
		for j, i := range t.OutputNodes() {
			bar[i] = bar[i].AddReal(w[j])
		}
		r.pull(t, v, bar)
		b.Inputs = bar[:t.Inputs()]
	}
	return b
}

// At is the point x with the direction d, all exact.
func At(x, params, d []float64) []Rounded {
	in := make([]Rounded, 0, len(x)+len(params))
	for i, x := range x {
		in = append(in, Rounded{V: roundoff.Exact(x), D: roundoff.Exact(d[i])})
	}
	for _, x := range params {
		in = append(in, Rounded{V: roundoff.Exact(x)})
	}
	return in
}

// rounding applies primitives to Rounded numbers.
type rounding struct{ random *rand.Rand }

// pull is a reverse sweep: bar holds the adjoints of the outputs.
func (r *rounding) pull(t *tape.Tape, v, bar []Rounded) {
	for k := t.Len() - 1; k >= t.Base(); k-- {
		i := int32(k)
		if c := t.CallAt(i); c != nil {
			x := make([]Rounded, len(c.Args))
			for k, j := range c.Args {
				x[k] = v[j]
			}
			for k, g := range r.pullback(c.Func, x, bar[i:i+c.Outputs()]) {
				j := c.Args[k]
				bar[j] = bar[j].Add(g)
			}
			continue
		}
		if g := bar[i]; g != (Rounded{}) {
			tape.Pullback(t, i, v, g, bar, r)
		}
	}
}

func (r *rounding) Own(f *tape.Scalar1, order int, x Rounded) Rounded {
	at := func(order int) roundoff.Number {
		g, d := f.At(order), x.V.Width()
		v := g(x.V.V)
		return roundoff.Rounded(v, roundoff.Spread(v, g(x.V.V-d), g(x.V.V+d))+roundoff.Primitive*math.Abs(v))
	}
	y := Rounded{V: at(order)}
	if x.D != (roundoff.Number{}) {
		y.D = x.D.Prod(at(order + 1))
	}
	return y
}

func (r *rounding) Call(f tape.Func, x []Rounded) []Rounded {
	n, m := f.Dims()
	y := make([]Rounded, m)
	if rep := written(f); rep != nil {
		r.eachTerm(rep, x, func(term *tape.Tape, v []Rounded, _, rows []int32) {
			for k, j := range rows {
				y[j] = y[j].Add(v[term.Output(k)])
			}
		})
		return y
	}
	out := make([]float64, m)
	at := func(x, dx []float64) (v, d []float64, ok bool) {
		if f.Eval(out, x) != nil {
			return nil, nil, false
		}
		v = append([]float64(nil), out...)
		if f.JVP(out, x, dx) != nil {
			return nil, nil, false
		}
		return v, append([]float64(nil), out...), true
	}
	r.around(y, func(sign func() float64) (v, d []float64, ok bool) {
		return at(points(x[:n], false, sign), points(x[:n], true, sign))
	})
	return y
}

// pullback is the adjoints of the operands x of f, whose results have the adjoints
// g.
func (r *rounding) pullback(f tape.Func, x, g []Rounded) []Rounded {
	n, _ := f.Dims()
	y := make([]Rounded, n)
	if rep := written(f); rep != nil {
		r.eachTerm(rep, x, func(term *tape.Tape, v []Rounded, vars, rows []int32) {
			bar := make([]Rounded, len(v))
			for k, j := range rows {
				i := term.Output(k)
				bar[i] = bar[i].Add(g[j])
			}
			r.pull(term, v, bar)
			for a, j := range vars {
				y[j] = y[j].Add(bar[a])
			}
		})
		return y
	}
	r.around(y, func(sign func() float64) (v, d []float64, ok bool) {
		x, dx := points(x, false, sign), points(x, true, sign)
		w, dw := points(g, false, sign), points(g, true, sign)
		v, d, h := make([]float64, n), make([]float64, n), make([]float64, n)
		if f.VJP(v, x, w) != nil || f.VJP(d, x, dw) != nil || f.HVP(h, x, w, dx) != nil {
			return nil, nil, false
		}
		for i, h := range h {
			d[i] += h
		}
		return v, d, true
	})
	return y
}

// points is the values or the derivatives of x, each moved by sign() times its
// width.
func points(x []Rounded, derivative bool, sign func() float64) []float64 {
	z := make([]float64, len(x))
	for i, x := range x {
		a := x.V
		if derivative {
			a = x.D
		}
		z[i] = a.V
		if s := sign(); s != 0 {
			z[i] += s * a.Width()
		}
	}
	return z
}

// around computes y with bounds that are estimated: from how far the results of
// eval move where its operands move by what they may be off by, in random
// directions, doubled since these may cancel.
func (r *rounding) around(y []Rounded, eval func(sign func() float64) (v, d []float64, ok bool)) {
	const tries, safety = 3, 2
	unknown := func() {
		for k := range y {
			y[k] = Rounded{V: roundoff.Rounded(y[k].V.V, math.Inf(1)), D: roundoff.Rounded(y[k].D.V, math.Inf(1))}
		}
	}
	v, d, ok := eval(func() float64 { return 0 })
	if !ok {
		unknown()
		return
	}
	for k := range y {
		y[k] = Rounded{V: roundoff.Exact(v[k]), D: roundoff.Exact(d[k])}
	}
	moved := func(y *roundoff.Number, x, largest float64) {
		*y = roundoff.Rounded(y.V, max(y.E, safety*roundoff.Spread(y.V, x)+roundoff.Primitive*largest))
	}
	for range tries {
		a, b, ok := eval(func() float64 { return float64(2*r.random.IntN(2) - 1) })
		if !ok {
			unknown()
			return
		}
		for k := range y {
			moved(&y[k].V, a[k], largest(v))
			moved(&y[k].D, b[k], largest(d))
		}
	}
}

// largest is the largest absolute value.
func largest(x []float64) float64 {
	m := 0.0
	for _, x := range x {
		m = max(m, math.Abs(x)) // NaN if one is
	}
	return m
}

// terms is a function that is a sum of terms whose operations are known.
type terms interface {
	Term() *tape.Tape
	Each(f func(vars, rows []int32, params []float64))
}

// written is f as such a sum, nil if it is none.
func written(f tape.Func) terms {
	switch f := f.(type) {
	case tape.Repeated:
		return f
	case interface {
		Called() (t *tape.Tape, params []float64)
	}:
		if t, params := f.Called(); t != nil {
			return one{t, params}
		}
	}
	return nil
}

// one is a tape that is called.
type one struct {
	tape   *tape.Tape
	params []float64
}

func (o one) Term() *tape.Tape { return o.tape }

func (o one) Each(f func(vars, rows []int32, params []float64)) {
	all := func(n int) []int32 {
		list := make([]int32, n)
		for i := range list {
			list[i] = int32(i)
		}
		return list
	}
	f(all(o.tape.Inputs()), all(len(o.tape.OutputNodes())), o.params)
}

// eachTerm calls f with the nodes v of each term that rep repeats at x, and with
// what is its variables and outputs.
func (r *rounding) eachTerm(rep terms, x []Rounded, f func(term *tape.Tape, v []Rounded, vars, rows []int32)) {
	term := rep.Term()
	local := make([]Rounded, term.Inputs()+term.Params())
	rep.Each(func(vars, rows []int32, params []float64) {
		for a, j := range vars {
			local[a] = x[j]
		}
		for k, c := range params {
			local[term.Inputs()+k] = Rounded{V: roundoff.Exact(c)}
		}
		f(term, tape.Replay(term, local, tape.Primitives[Rounded](r)), vars, rows)
	})
}
