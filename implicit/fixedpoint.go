package implicit

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/tape"
	"github.com/hesse-ad/hesse/reverse"
)

// Fixed returns the tape of w − g(w, λ) for a tape of g with the inputs [w; λ] and as
// many outputs as w has elements. Parameters stay parameters. It panics if g
// has fewer inputs than outputs.
func Fixed(g *reverse.Tape) *reverse.Tape {
	if g == nil {
		panic("implicit: nil tape")
	}
	if g.Inputs() < g.Outputs() {
		panic("implicit: g has fewer inputs than outputs")
	}
	f, err := rerecord(g, g.Point(), func(x, params []reverse.Var) []reverse.Var {
		y := replay(g, x, params)
		for i := range y {
			y[i] = x[i].Sub(y[i])
		}
		return y
	})
	if err != nil {
		panic(err) // of a primitive that was evaluated there before
	}
	return f
}

// rerecord records f at the inputs x and at the recorded parameters of t. Where
// f replays t it has to be at the point of its recording, so that all
// comparisons come out the same.
func rerecord(t *reverse.Tape, x []float64, f func(x, params []reverse.Var) []reverse.Var) (*reverse.Tape, error) {
	u, err := reverse.RecordParamsVec(f, x, t.Inside().Recorded.Params)
	if err != nil {
		return nil, err
	}
	_, bound := t.Inside().Split(t.Point())
	return u.With(bound), nil
}

// replay is the outputs of t at other Vars.
func replay(t *reverse.Tape, x, params []reverse.Var) []reverse.Var {
	p := t.Inside().Engine()
	v := tape.Replay(&p.Tape, slices.Concat(x, params), primitives{})
	y := make([]reverse.Var, p.Outputs())
	for j := range y {
		y[j] = v[p.Output(j)]
	}
	return y
}

// primitives applies a user's primitives to Vars: for each derivative of each one
// the same primitive wherever it stands, so that alike terms stay alike.
type primitives map[derivative]*reverse.Primitive

type derivative struct {
	of    *tape.Scalar1
	order int
}

func (p primitives) Own(f *tape.Scalar1, order int, x reverse.Var) reverse.Var {
	key := derivative{f, order}
	if p[key] == nil {
		at := func(k int) func(x float64) float64 {
			return func(x float64) float64 { return f.At(order + k)(x) }
		}
		p[key] = reverse.NewPrimitive(f.Name, at(0), at(1), at(2))
	}
	return p[key].Apply(x)
}

func (primitives) Call(f tape.Func, x []reverse.Var) []reverse.Var {
	return inside.Apply(f, x)
}
