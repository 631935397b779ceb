package reverse

import (
	"sync"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/scan"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Loop is a recursion with a state, s_{k+1}, out_k = Step(s_k, w, u_k, p_k), see
// dual.Loop.
type Loop = dual.Loop[Var]

// maxBranches is how many ways a step may take. Tests lower it.
var maxBranches = 64

// Scan returns the last state s_T and the sum Σ out_k of a loop, nil if there are no
// steps, as one operation of the tape: the step is recorded once, and the tape does
// not grow with the number of steps, but for its data. It is dual.Scan for Vars: a
// function over any dual.Scalar calls that. Panics are as there.
//
// Start, Shared and Vars are any Vars of a recording, inputs or results. Step is
// called with Vars of its own: to use others is a panic. A step that makes
// comparisons is recorded once for each way in which they come out at the
// recorded point, up to 64; a step that takes another way at an evaluation is a
// *BranchError that names it, and a Func records again. If there are more ways,
// the loop is written out on the tape.
//
// Values are those of the loop, bit for bit. A gradient evaluates each step
// twice, once from the states that the value sweep keeps: T·n numbers, or with
// Checkpoints c of n, and then steps again by the optimal schedule (Griewank and
// Walther, Revolve, ACM TOMS 26, 2000): no step more than r times, if
// T ≤ (c+r)!/(c! r!). Products with the Hessian keep the tangents of the states
// besides. Tape.Adjoint, and so the strategy RoR of package hessian, has all states as
// numbers of its tape, whatever Checkpoints says: for long loops take another one.
//
// A loop s ← Step(s) that is run until it converges is none for Scan: its limit is
// a fixed point, whose derivatives do not need the way there, implicit.FixedPoint.
// Sums of terms that need no state are Repeat.
func Scan(l Loop) (last, sum []Var) { return dual.Scan(l) }

// ScanAt returns the last state s_T and the outputs out_k of the steps k in at, in
// that order; of all steps if at is nil. Otherwise it is as Scan.
func ScanAt(l Loop, at []int) (last []Var, out [][]Var) { return dual.ScanAt(l, at) }

// ScanOf is Scan with the sum as the only row, if at is nil, else ScanAt. It is
// called by dual.Scan and dual.ScanAt.
func (Var) ScanOf(l dual.Loop[Var], at []int) (last []Var, out [][]Var) {
	s := &scanning{Loop: l, steps: l.Len(), at: at}
	s.collect()
	if s.r == nil || s.r.Traced() {
		return s.writtenOut()
	}
	f := s.record()
	switch {
	case f != nil:
	case s.r.Err != nil: // there will be no tape
		return s.nothing()
	default:
		return s.writtenOut()
	}
	y := callFunc(f, s.operands)
	n, m := len(l.Start), s.outputs
	last, rows := y[:n:n], y[n:]
	out = make([][]Var, max(len(at), 1))
	if at != nil {
		out = out[:len(at)]
	}
	for i := range out {
		out[i] = rows[i*m : (i+1)*m : (i+1)*m]
	}
	return last, out
}

// scanning is a loop that is recorded.
type scanning struct {
	dual.Loop[Var]
	steps    int
	at       []int
	operands []Var // [s₀; w; u₀; u₁; …]
	r        *tape.Recording
	n, w, u  int // numbers of s, w and u_k
	params   int
	outputs  int
	data     []float64 // p₀, p₁, …
}

func (s *scanning) collect() {
	s.n, s.w = len(s.Start), len(s.Shared)
	s.operands = append(append(s.operands, s.Start...), s.Shared...)
	for _, u := range s.Vars {
		s.u = len(u)
		s.operands = append(s.operands, u...)
	}
	for _, x := range s.operands {
		s.r = recording(s.r, x.r)
	}
	for _, p := range s.Data {
		s.params = len(p)
		s.data = append(s.data, p...)
	}
}

// writtenOut records the loop step by step.
func (s *scanning) writtenOut() (last []Var, out [][]Var) {
	if s.at == nil {
		out = make([][]Var, 1)
	} else {
		out = make([][]Var, len(s.at))
	}
	all := make([][]Var, s.steps)
	state, outputs := s.Start, -1
	r := s.r
	if r != nil {
		r.Steps = append(r.Steps, 0)
		defer func() { r.Steps = r.Steps[:len(r.Steps)-1] }()
	}
	for k := range s.steps {
		if r != nil {
			r.Steps[len(r.Steps)-1] = k
		}
		p := make([]Var, s.params)
		for i := range p {
			p[i] = Constant(s.Data[k][i])
		}
		next, y := s.Step(state, s.Shared, s.row(k), p)
		s.Check(next, y, outputs)
		state, outputs, all[k] = next, len(y), y
	}
	for i, k := range s.at {
		out[i] = all[k]
	}
	if s.at == nil {
		out[0] = make([]Var, outputs)
		for _, y := range all {
			for j, y := range y {
				out[0][j] = out[0][j].Add(y)
			}
		}
	}
	return state, out
}

// nothing has the lengths of the results.
func (s *scanning) nothing() (last []Var, out [][]Var) {
	rows := 1
	if s.at != nil {
		rows = len(s.at)
	}
	for range rows {
		out = append(out, make([]Var, s.outputs))
	}
	return s.Start, out
}

// row is u_k.
func (s *scanning) row(k int) []Var {
	if s.Vars == nil {
		return nil
	}
	return s.Vars[k]
}

// record records the steps that the loop takes at the recorded point, one for
// each way in which their comparisons come out. It returns nil if there are too
// many, if the loop has nothing to compute or if a primitive fails.
func (s *scanning) record() *scan.Loop {
	f := &scan.Loop{
		State: s.n, Count: s.steps, Rest: len(s.operands) - s.n,
		In:          []scan.Block{{N: s.w}, {Local: s.w, N: s.u, At: s.w, Stride: s.u}},
		Data:        scan.Data{Values: s.data, N: s.params, Stride: 1},
		Checkpoints: s.Checkpoints, Bytes: s.Memory,
	}
	x := make([]float64, s.n+s.w+s.u)
	for i, v := range s.operands[:s.n+s.w] {
		x[i] = v.v
	}
	for k := range s.steps {
		for i, v := range s.row(k) {
			x[s.n+s.w+i] = v.v
		}
		next, ok := s.try(f, k, x)
		if !ok {
			if len(f.Steps) == maxBranches {
				return nil
			}
			step := s.recordStep(f, k, x)
			if step == nil {
				return nil
			}
			f.Steps = append(f.Steps, step)
			if next, ok = s.try(f, k, x); !ok {
				return nil
			}
			if k == 0 && step.Certain() {
				break
			}
		}
		copy(x, next)
	}
	rows := 1
	out := scan.Block{N: s.outputs}
	if s.at != nil {
		rows = len(s.at)
		out.Index = make([]int32, s.steps)
		for k := range out.Index {
			out.Index[k] = -1
		}
		for i, k := range s.at {
			if out.Index[k] >= 0 { // asked for twice
				return nil
			}
			out.Index[k] = int32(i * s.outputs)
		}
	}
	f.Out, f.Sums = []scan.Block{out}, rows*s.outputs
	return f
}

// try evaluates step k at x by one of those that are recorded: its next state, and
// false if there is none whose comparisons come out so.
func (s *scanning) try(f *scan.Loop, k int, x []float64) (next []float64, ok bool) {
	for _, step := range f.Steps {
		ws := step.P.Get()
		g, err := ws.Value(x, f.Row(k))
		ok = g == nil && err == nil
		if ok {
			next = make([]float64, s.n)
			for j := range next {
				next[j] = ws.Output(j)
			}
		}
		step.P.Put(ws)
		if ok {
			return next, true
		}
	}
	return nil, false
}

// recordStep records step k at x.
func (s *scanning) recordStep(f *scan.Loop, k int, x []float64) *scan.Step {
	p := f.Row(k)
	r := tape.NewRecording(len(x), len(p))
	defer r.Close()
	r.Lines(s.r.Caller())
	in := inputs(r, x, p)
	args := func(from, n int) []Var { return in[from : from+n : from+n] }
	next, out := s.Step(args(0, s.n), args(s.n, s.w), args(s.n+s.w, s.u), args(len(x), len(p)))
	outputs := -1
	if len(f.Steps) > 0 {
		outputs = s.outputs
	}
	s.Check(next, out, outputs)
	s.outputs = len(out)
	y := append(next[:len(next):len(next)], out...)
	if len(y) == 0 {
		return nil
	}
	t, err := finish(r, x, p, y)
	if err != nil {
		if s.r.Err == nil {
			s.r.Err = err
		}
		return nil
	}
	return newStep(t)
}

// newStep is a step that was recorded on t.
func newStep(t *Tape) *scan.Step {
	return &scan.Step{
		P: t.p, X: t.recorded.x, Params: t.recorded.params,
		Lagrangian: sync.OnceValue(func() *sweep.Engine { return lagrangian(t).p }),
	}
}

// stepTape is the tape of a step.
func stepTape(s *scan.Step) *Tape { return newTape(s.P, s.X, s.Params) }

// lagrangian is the function [x; λ] ↦ λᵀF(x) of the function F of t.
func lagrangian(t *Tape) *Tape {
	n, m := t.Inputs(), t.Outputs()
	return t.transform(append(t.Point(), make([]float64, m)...), func(in []Var) []Var {
		v := tape.Replay(&t.p.Tape, append(in[:n:n], in[n+m:]...), values{})
		y := make([]Var, m)
		for j := range y {
			y[j] = v[t.p.Output(j)]
		}
		return []Var{Var{}.DotOf(y, in[n:n+m])}
	})
}

// rearranged is a function with the inputs and outputs of t in another order:
// its input i is input from[i] of t, its output j is output to[j].
func rearranged(t *Tape, from, to []int) *Tape {
	x := make([]float64, len(from))
	for i, k := range from {
		x[i] = t.recorded.x[k]
	}
	return t.transform(x, func(in []Var) []Var {
		args := make([]Var, t.Inputs(), len(in))
		for i, k := range from {
			args[k] = in[i]
		}
		v := tape.Replay(&t.p.Tape, append(args, in[len(from):]...), values{})
		y := make([]Var, len(to))
		for j, k := range to {
			y[j] = v[t.p.Output(k)]
		}
		return y
	})
}

// spans is the numbers of several ranges [at, n], one after the other.
func spans(ranges ...[2]int) (x []int) {
	for _, r := range ranges {
		for i := range r[1] {
			x = append(x, r[0]+i)
		}
	}
	return x
}

// derived is a loop with other steps.
func derived(f *scan.Loop, state int, step func(t *Tape) *Tape) *scan.Loop {
	z := &scan.Loop{State: state, Count: f.Count, Data: f.Data, Checkpoints: f.Checkpoints, Bytes: f.Bytes}
	for _, s := range f.Steps {
		z.Steps = append(z.Steps, newStep(step(stepTape(s))))
	}
	return z
}

// shifted is the blocks, each moved by so many local numbers and places.
func shifted(blocks []scan.Block, local, by int) (z []scan.Block) {
	for _, b := range blocks {
		z = append(z, b.Shift(local, by))
	}
	return z
}

// reversed is the blocks with the last step first.
func reversed(blocks []scan.Block, steps int) (z []scan.Block) {
	for _, b := range blocks {
		z = append(z, b.Reverse(steps))
	}
	return z
}

// scanTangents is the values and the tangents of y = F(x), of a loop F whose state
// is [s; ṡ] then.
func scanTangents(f *scan.Loop, x []dual.Of[Var]) []dual.Of[Var] {
	n := f.State
	var local, out int // inputs and outputs of a step without the state
	z := derived(f, 2*n, func(t *Tape) *Tape {
		d := t.Tangent()
		local, out = t.Inputs()-n, t.Outputs()-n
		return rearranged(d,
			spans([2]int{0, n}, [2]int{n + local, n}, [2]int{n, local}, [2]int{2*n + local, local}),
			spans([2]int{0, n}, [2]int{n + out, n}, [2]int{n, out}, [2]int{2*n + out, out}))
	})
	z.In = append(shifted(f.In, 0, 0), shifted(f.In, local, f.Rest)...)
	z.Out = append(shifted(f.Out, 0, 0), shifted(f.Out, out, f.Sums)...)
	z.Rest, z.Sums = 2*f.Rest, 2*f.Sums
	in := make([]Var, 2*len(x))
	for i, x := range x {
		at := i // [s₀; ṡ₀; rest; its tangents]
		if i >= n {
			at += n
			in[at+f.Rest] = x.D
		} else {
			in[at+n] = x.D
		}
		in[at] = x.V
	}
	y := callFunc(z, in)
	d := make([]dual.Of[Var], n+f.Sums)
	for j := range d {
		if j < n {
			d[j] = dual.Of[Var]{V: y[j], D: y[n+j]}
		} else {
			d[j] = dual.Of[Var]{V: y[n+j], D: y[n+j+f.Sums]}
		}
	}
	return d
}

// scanAdjoints is x̄ = F′(x)ᵀȳ of a loop F: a loop that hands out the states s_k,
// and one from the last step to the first, which takes them in.
func scanAdjoints(f *scan.Loop, x, bar []Var) []Var {
	n, steps := f.State, f.Count
	var local, out int
	forth := derived(f, n, func(t *Tape) *Tape {
		local, out = t.Inputs()-n, t.Outputs()-n
		point := t.Point()
		return t.transform(point, func(in []Var) []Var {
			v := tape.Replay(&t.p.Tape, in, values{})
			y := make([]Var, 2*n)
			for j := range n {
				y[j], y[n+j] = v[t.p.Output(j)], in[j]
			}
			return y
		})
	})
	forth.In, forth.Rest = f.In, f.Rest
	forth.Out, forth.Sums = []scan.Block{{N: n, Stride: n}}, n*steps

	back := derived(f, n, func(t *Tape) *Tape {
		// [s; u; λ; ν] becomes [λ; u; s; ν].
		return rearranged(t.Adjoint(),
			spans([2]int{n + local, n}, [2]int{n, local}, [2]int{0, n}, [2]int{2*n + local, out}),
			spans([2]int{0, n + local}))
	})
	back.Checkpoints, back.Bytes = 0, 0
	in := reversed(f.In, steps)
	states := scan.Block{Local: local, N: n, At: f.Rest, Stride: n}
	back.In = append(in[:len(in):len(in)], states.Reverse(steps))
	back.In = append(back.In, reversed(shifted(f.Out, local+n, f.Rest+n*steps), steps)...)
	back.Rest = f.Rest + n*steps + f.Sums
	back.Out, back.Sums = in, f.Rest
	back.Data = f.Data.Reverse(steps)

	var s []Var
	if n > 0 {
		s = callFunc(forth, x)[n:]
	}
	args := append(append(bar[:n:n], x[n:]...), s...)
	return callFunc(back, append(args, bar[n:]...))
}
