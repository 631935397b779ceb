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

// tangents is F(x) and F′(x)v, for the parameters p.
func (t *Tape) tangents(x, v, p []Var) (y, d []Var) {
	args := make([]dual.Of[Var], 0, len(x)+len(p))
	for i := range x {
		args = append(args, dual.Of[Var]{V: x[i], D: v[i]})
	}
	for _, p := range p {
		args = append(args, dual.Of[Var]{V: p})
	}
	nodes := tape.Replay(&t.engine().Tape, args, tangents{})
	for j := range t.Outputs() {
		o := nodes[t.engine().Output(j)]
		y, d = append(y, o.V), append(d, o.D)
	}
	return y, d
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
		nodes := tape.Replay(&t.engine().Tape, args, values{})
		y := make([]Var, t.Outputs())
		for j := range y {
			y[j] = nodes[t.engine().Output(j)]
		}
		return y
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

// derived is transform with other parameters.
func (t *Tape) derived(x, params []float64, f func(in []Var) []Var) *Tape {
	r := tape.NewRecording(len(x), len(params))
	r.Derived = true
	defer r.Close()
	y := f(inputs(r, x, params))
	r.Made(&t.engine().Tape)
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
	return callFunc(pullback{f}, append(x, w...))
}

// values applies primitives to Vars.
type values struct{}

func (values) Own(f *tape.Scalar1, order int, x Var) Var {
	v := f.At(order)(x.v)
	if x.r == nil {
		return Var{v: v}
	}
	return Var{x.r, x.r.Own(f, order, x.i), v}
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
	if p, ok := f.(pushforward); ok && p.Elements() != nil {
		return replayed(p, x, func(x dual.Of[Var]) float64 { return x.V.v }, tangents{})
	}
	v := callFunc(f, in[:n])
	d := callFunc(pushforward{f}, in)
	y := make([]dual.Of[Var], m)
	for j := range y {
		y[j] = dual.Of[Var]{V: v[j], D: d[j]}
	}
	return y
}

// Elements is the pushforward by elementary operations, if the primitive has such.
func (p pushforward) Elements() any {
	if f, ok := p.f.(op.Written); !ok || f.Elements() == nil {
		return nil
	}
	return func(x []Var) []Var {
		return replayed(p, x, func(x Var) float64 { return x.v }, values{})
	}
}

// replayed is the pushforward of a primitive by elementary operations, x = [x; ẋ]. These are
// recorded at the values of x.
func replayed[T dual.Scalar[T]](p pushforward, x []T, value func(x T) float64, prims tape.Primitives[T]) []T {
	at := make([]float64, len(x)/2)
	for i := range at {
		at[i] = value(x[i])
	}
	t, err := RecordVec(p.f.(op.Written).Elements().(func(x []Var) []Var), at)
	if err != nil {
		panic(err) // no primitive is evaluated
	}
	t = t.Tangent()
	nodes := tape.Replay(&t.engine().Tape, x, prims)
	y := make([]T, t.Outputs()/2)
	for j := range y {
		y[j] = nodes[t.engine().Output(len(y)+j)]
	}
	return y
}
