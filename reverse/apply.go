package reverse

import (
	"fmt"

	"github.com/hesse-ad/hesse/internal/scan"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Apply returns F(x), of the function F of t with the parameters that are bound, as one
// operation of the function that is being recorded. It has the patterns of t and its
// derivatives, of any order; where a comparison of t comes out otherwise than recorded,
// what is recorded now does not hold either: evaluations return a *BranchError. It panics
// if x has not as many elements as t has inputs. Cost: an evaluation of t, and no
// recording of its operations: t's are shared by all that apply it.
func (t *Tape) Apply(x ...Var) []Var {
	if len(x) != t.Inputs() {
		panic(fmt.Sprintf("reverse: Apply of %d inputs, want %d", len(x), t.Inputs()))
	}
	var r *tape.Recording
	for _, x := range x {
		r = recording(r, x.r)
	}
	if r != nil && t.engine().Certain() && (r.Traced() || (r.Term || r.Step) && t.Ops() <= shortLoop) {
		return t.writtenOut(x)
	}
	step := newStep(t)
	if r != nil {
		share(r, step)
	}
	bound, n, m := t.Inside().Bound, t.Inputs(), t.Outputs()
	return callFunc(&scan.Loop{
		Steps: []*scan.Step{step}, Once: true, Count: 1, Seen: 1, Rest: n, Sums: m,
		In: []scan.Block{{N: n}}, Out: []scan.Block{{N: m}}, Data: scan.Data{Values: bound, N: len(bound), Stride: 1},
	}, x)
}

// writtenOut records the operations of t, which makes no comparisons.
func (t *Tape) writtenOut(x []Var) []Var {
	args := x[:len(x):len(x)]
	for _, p := range t.Inside().Bound {
		args = append(args, Var{v: p})
	}
	return replay(t, args, values{})
}

// Apply is Tape.Apply for the tape that holds at the x of the recording, so that a function
// around f that is a Func, too, records again where f takes another branch. It panics if
// nothing is being recorded and f fails.
func (fn *Func) Apply(x ...Var) []Var { return Must(fn.Tape(constants(x))).Apply(x...) }
