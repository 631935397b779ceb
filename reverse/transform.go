package reverse

import (
	"fmt"
	"slices"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/scan"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/sparsity"
)

// Tangent returns the tape of the JVP: inputs [x; ẋ], outputs [y; ẏ] with
// ẏ = F′(x)ẋ, the same parameters. The derivative rules are those of dual.Of.
// It panics, naming it, on the third derivative of a primitive. Cost: about
// 0.2 µs an operation.
func (t *Tape) Tangent() *Tape {
	n := t.Inputs()
	x := append(append(make([]float64, 0, 2*n), t.Inside().Recorded.X...), make([]float64, n)...)
	return t.transform(x, func(in []Var) []Var {
		y, d := t.tangents(in[:n], in[n:2*n], in[2*n:])
		return append(y, d...)
	})
}

// along is the program of x ↦ F′(x)v, with v behind the parameters.
func (t *Tape) along() *sweep.Engine {
	n, k := t.Inputs(), t.Params()
	at := t.Inside().Recorded
	return t.derived(at.X, slices.Concat(at.Params, make([]float64, n)), func(in []Var) []Var {
		_, d := t.tangents(in[:n], in[n+k:], in[n:n+k])
		return d
	}).engine()
}

// contracted is inside.Contracted.
func (t *Tape) contracted(w *sparsity.Pattern) *sweep.Engine {
	p, n := &t.engine().Tape, t.Inputs()
	moved := make([]bool, p.Len())
	for i, j := range w.All() {
		moved[i], moved[j] = true, true
	}
	for i := int32(p.Base()); i < int32(p.Len()); i++ {
		moves, straight := moved[p.FirstOutput(i)], true
		p.EachOperand(i, func(j int32) {
			moves = moves || moved[j]
			straight = straight && (int(j) < n || !moved[j])
		})
		if moved[i] = moves; !moves || p.Op(i).Linear() || p.FirstOutput(i) < i {
			continue
		}
		c := p.CallAt(i)
		if c == nil || !straight {
			return nil
		}
		f, ok := c.Func.(op.Contracted)
		if !ok || f.Contraction(func(k int) bool { return moved[c.Args[k]] }) == nil {
			return nil
		}
	}
	at := t.Inside().Recorded
	return t.derived(slices.Concat(at.X, make([]float64, w.NNZ())), at.Params, func(in []Var) []Var {
		x, weights, params := in[:n], in[n:][:w.NNZ()], in[n+w.NNZ():]
		args := make([]dual.Of[Var], 0, n+len(params))
		for _, x := range slices.Concat(x, params) {
			args = append(args, dual.Of[Var]{V: x})
		}
		var y []Var
		for _, o := range replay(t, args, contraction{moved[:n], func(i, j Var) Var {
			if at := w.Position(int(max(i.i, j.i)), int(min(i.i, j.i))); at >= 0 {
				return weights[at]
			}
			return Var{}
		}}) {
			y = append(y, o.D)
		}
		return y
	}).engine()
}

// contraction applies functions to numbers with sums of second derivatives. These sums are those
// of the functions of inputs, and linear from there.
type contraction struct {
	moved  []bool // by input
	weight func(x, y Var) Var
}

func (contraction) Own(f *tape.Scalar1, order int, x dual.Of[Var]) dual.Of[Var] {
	return dual.Of[Var]{V: values{}.Own(f, order, x.V)}
}

func (c contraction) Call(f tape.Func, x []dual.Of[Var]) []dual.Of[Var] {
	in := make([]Var, len(x))
	for k, x := range x {
		in[k] = x.V
	}
	moves := func(k int) bool { return in[k].r != nil && int(in[k].i) < len(c.moved) && c.moved[in[k].i] }
	y := make([]dual.Of[Var], 0, len(x))
	for _, v := range callFunc(f, in) {
		y = append(y, dual.Of[Var]{V: v})
	}
	some := false
	for k := range in {
		some = some || moves(k)
	}
	if !some {
		return y
	}
	sums := f.(op.Contracted).Contraction(moves).(func(x []Var, w func(i, j int) Var) []Var)
	weight := func(i, j int) Var {
		if !moves(i) || !moves(j) {
			return Var{}
		}
		return c.weight(in[i], in[j])
	}
	for k, d := range sums(in, weight) {
		y[k].D = d
	}
	return y
}

// tangents is F(x) and F′(x)v, for the parameters p.
func (t *Tape) tangents(x, v, p []Var) (y, d []Var) {
	args := make([]dual.Of[Var], 0, len(x)+len(p))
	for i := range x {
		args = append(args, dual.Of[Var]{V: x[i], D: v[i]})
	}
	for _, p := range p {
		args = append(args, dual.Of[Var]{V: p})
	}
	for _, o := range replay(t, args, tangents{}) {
		y, d = append(y, o.V), append(d, o.D)
	}
	return y, d
}

// replay is the outputs of t, its inputs and parameters being any numbers.
func replay[T dual.Scalar[T]](t *Tape, args []T, p tape.Primitives[T]) []T {
	nodes := tape.Replay(&t.engine().Tape, args, p)
	y := make([]T, t.Outputs())
	for j := range y {
		y[j] = nodes[t.engine().Output(j)]
	}
	return y
}

// Partial returns the tape of the function of some of the inputs, or of all in another order:
// its input k is input number inputs[k] of t. The others become parameters, by increasing number,
// bound to those of the recorded point, before the parameters of t. It panics if a number is no
// input or is there twice. Cost: about 50 ns an operation.
func (t *Tape) Partial(inputs []int) *Tape {
	n, at := t.Inputs(), t.Inside().Recorded
	in := make([]bool, n)
	for _, i := range inputs {
		if uint(i) >= uint(n) || in[i] {
			panic(fmt.Sprintf("reverse: Partial with input %d of %d, or twice", i, n))
		}
		in[i] = true
	}
	order := slices.Clone(inputs)
	for i, in := range in {
		if !in {
			order = append(order, i)
		}
	}
	x := make([]float64, n)
	for k, i := range order {
		x[k] = at.X[i]
	}
	k := len(inputs)
	s := t.derived(x[:k:k], slices.Concat(x[k:], at.Params), func(in []Var) []Var {
		args := slices.Clone(in)
		for k, i := range order {
			args[i] = in[k]
		}
		return replay(t, args, values{})
	})
	return s.With(slices.Concat(x[k:], t.Inside().Bound))
}

// Adjoint returns the tape of the VJP: inputs [x; ȳ], outputs x̄ = F′(x)ᵀȳ, the same
// parameters. Otherwise as Tangent.
func (t *Tape) Adjoint() *Tape {
	n, m := t.Inputs(), t.Outputs()
	x := append(append(make([]float64, 0, n+m), t.Inside().Recorded.X...), make([]float64, m)...)
	return t.transform(x, func(in []Var) []Var {
		args := append(append(make([]Var, 0, len(in)-m), in[:n]...), in[n+m:]...)
		v := tape.Replay(&t.engine().Tape, args, values{})
		bar := make([]Var, t.engine().Len())
		for j := range m {
			i := t.engine().Output(j)
			bar[i] = bar[i].Add(in[n+j])
		}
		for i := t.engine().Len() - 1; i >= t.engine().Base(); i-- {
			f := t.engine().CallAt(int32(i))
			if f == nil {
				if g := bar[i]; g != (Var{}) {
					tape.Pullback(&t.engine().Tape, int32(i), v, g, bar, values{})
				}
				continue
			}
			outs := int(f.Outputs())
			if !slices.ContainsFunc(bar[i:i+outs], func(g Var) bool { return g != Var{} }) {
				continue
			}
			args := make([]Var, 0, len(f.Args)+outs)
			for _, j := range f.Args {
				args = append(args, v[j])
			}
			for k, g := range pullBack(f.Func, args, bar[i:i+outs]) {
				j := f.Args[k]
				bar[j] = bar[j].Add(g)
			}
		}
		return bar[:n:n]
	})
}

// transform records f, which rewrites the tape, at the inputs x and the
// parameters of its recording, where comparisons come out as they did. The value
// of what is not in the recorded point does not matter, since derivatives are in
// no comparison.
func (t *Tape) transform(x []float64, f func(in []Var) []Var) *Tape {
	return t.derived(x, t.Inside().Recorded.Params, f).With(t.Inside().Bound)
}

// derived is transform with other parameters. t may be nil.
func (t *Tape) derived(x, params []float64, f func(in []Var) []Var) *Tape {
	r := tape.NewRecording(len(x), len(params))
	r.Derived = true
	defer r.Close()
	y := f(inputs(r, x, params))
	if t != nil {
		r.Made(&t.engine().Tape)
	}
	s, err := finish(r, x, params, y)
	if err != nil {
		panic(err) // no primitive is evaluated in a transform
	}
	return s
}

// pullBack is F′(x)ᵀw.
func pullBack(f tape.Func, x, w []Var) []Var {
	switch f := f.(type) {
	case *terms.Repeat:
		return callFunc(adjointOf(f), append(x, w...))
	case *scan.Loop:
		if !f.Ends { // else there is no saying how many states there are
			return scanAdjoints(f, x, w)
		}
	}
	limit(f)
	return callFunc(pullback{f}, append(x, w...))
}

// values applies primitives to Vars.
type values struct{}

func (values) Own(f *tape.Scalar1, order int, x Var) Var {
	v := f.At(order)(x.v)
	if x.r == nil {
		return Var{v: v}
	}
	return made(x.r, x.r.Own(f, order, x.i), v)
}

func (values) Call(f tape.Func, x []Var) []Var { return callFunc(f, x) }

// tangents applies primitives to dual numbers over Vars.
type tangents struct{}

func (tangents) Own(f *tape.Scalar1, order int, x dual.Of[Var]) dual.Of[Var] {
	return dual.Of[Var]{
		V: values{}.Own(f, order, x.V),
		D: x.D.Prod(values{}.Own(f, order+1, x.V)),
	}
}

func (tangents) Call(f tape.Func, x []dual.Of[Var]) []dual.Of[Var] {
	if f, ok := f.(*scan.Loop); ok {
		return scanTangents(f, x)
	}
	n, m := f.Dims()
	in := make([]Var, 2*n)
	for i, x := range x {
		in[i], in[n+i] = x.V, x.D
	}
	if f, ok := f.(*terms.Repeat); ok {
		z := callFunc(tangentOf(f), in)
		y := make([]dual.Of[Var], m)
		for j := range y {
			y[j] = dual.Of[Var]{V: z[j], D: z[m+j]}
		}
		return y
	}
	if p, ok := f.(pushforward); ok {
		if f, ok := p.f.(op.Tangential); ok {
			return written(f, x)
		}
	}
	limit(f)
	v := callFunc(f, in[:n])
	d := callFunc(pushforward{f}, in)
	y := make([]dual.Of[Var], m)
	for j := range y {
		y[j] = dual.Of[Var]{V: v[j], D: d[j]}
	}
	return y
}

// written is the pushforward of f at x = [x; ẋ], by the operations in which f writes it.
func written(f op.Tangential, x []dual.Of[Var]) []dual.Of[Var] {
	t := (*Tape)(nil).derived(make([]float64, len(x)), nil, func(in []Var) []Var {
		n := len(in) / 2
		return f.Tangent().(func(y, x, dx []Var) []Var)(callFunc(f, in[:n]), in[:n], in[n:])
	})
	return replay(t, x, tangents{})
}
