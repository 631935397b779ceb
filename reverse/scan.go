package reverse

import (
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/scan"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// shortLoop is how many operations a loop in a term of Repeat or in a step of Scan has at most
// to be written out there: then the term or step is derived by symbols, runs as code, side by
// side where it can, and has Go source. Tests lower it.
var shortLoop = 500

// maxBranches is how many ways a step may take. Tests lower it.
var maxBranches = 64

// Scan is dual.Scan of Vars, with the sum as the only row, if at is nil, else dual.ScanAt.
func (recorder) Scan(l dual.Loop[Var], at []int) (last []Var, out [][]Var) {
	s := &scanning{Loop: l, steps: l.Len(), outputs: -1}
	row := map[int]int{} // of the steps in at
	if at != nil {
		s.at = []int{}
	}
	for _, k := range at {
		if _, again := row[k]; !again {
			row[k] = len(s.at)
			s.at = append(s.at, k)
		}
	}
	last, rows := s.run()
	if at == nil {
		return last, rows
	}
	for _, k := range at {
		out = append(out, rows[row[k]])
	}
	return last, out
}

// run is Scan for s.at, in which no step is twice.
func (s *scanning) run() (last []Var, out [][]Var) {
	s.collect()
	if s.r == nil || s.r.Traced() {
		return s.writtenOut()
	}
	rows := 1
	if s.at != nil {
		rows = len(s.at)
	}
	f := s.record()
	var y []Var
	switch {
	case f != nil && (s.r.Term || s.r.Step) && f.Certain() && f.Work() <= shortLoop:
		return s.writtenOut()
	case f != nil:
		y = callFunc(f, s.operands)
	case s.r.Err != nil: // there will be no tape
		s.outputs = max(s.outputs, 0)
		y = make([]Var, s.n+rows*s.outputs)
	default:
		return s.writtenOut()
	}
	m := s.outputs
	last, y = y[:s.n:s.n], y[s.n:]
	for i := range rows {
		out = append(out, y[i*m:(i+1)*m:(i+1)*m])
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
	asked    int       // how many comparisons While makes before step 0
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
	l := s.Loop
	if r := s.r; r != nil {
		depth := len(r.Steps)
		r.Steps = append(r.Steps, 0)
		defer func() { r.Steps = r.Steps[:depth] }()
		l.Step = func(state, w, u, p []Var) (next, out []Var) {
			next, out = s.Step(state, w, u, p)
			r.Steps[depth]++
			return next, out
		}
	}
	return l.Run(s.at)
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
		State: s.n, Count: s.steps, Ends: s.While != nil, Rest: len(s.operands) - s.n,
		In:          []scan.Block{{N: s.w}, {Local: s.w, N: s.u, At: s.w, Stride: s.u}},
		Data:        scan.Data{Values: s.data, N: s.params, Stride: 1},
		Checkpoints: s.Checkpoints, Bytes: s.Memory,
	}
	x := make([]float64, s.n+s.w+s.u)
	for i, v := range s.operands[:s.n+s.w] {
		x[i] = v.v
	}
	for ; f.Seen != s.steps; f.Seen++ {
		k := f.Seen
		for i, v := range s.row(k) {
			x[s.n+s.w+i] = v.v
		}
		step, next := s.try(f, k, x)
		if step == nil {
			if len(f.Steps) == maxBranches {
				return nil
			}
			made, err := s.recordStep(f, k, x, 0)
			if err != nil && s.r.Err == nil {
				s.r.Err = err
			}
			if made == nil {
				return nil
			}
			f.Steps = append(f.Steps, made)
			if k == 0 {
				s.elsewhere(f, x)
			}
			if step, next = s.try(f, k, x); step == nil {
				return nil
			}
		}
		if step.End {
			break
		}
		if k == 0 && step.Certain() && s.steps > 0 {
			f.Seen = s.steps
			break
		}
		copy(x, next)
	}
	rows := 1
	out := scan.Block{N: s.outputs}
	if s.at != nil {
		rows, out.Index = len(s.at), []int32{}
		for i, k := range s.at {
			for len(out.Index) <= k {
				out.Index = append(out.Index, -1)
			}
			out.Index[k] = int32(i * s.outputs)
		}
	}
	f.Out, f.Sums = []scan.Block{out}, rows*s.outputs
	for _, step := range f.Steps {
		share(s.r, step)
	}
	return f
}

// mostCompared is with how many of the loops before it a step is compared.
const mostCompared = 64

// share has step use the engines of an equal step of a loop that was recorded on r before.
func share(r *tape.Recording, step *scan.Step) {
	compared := 0
	for f := range r.Calls {
		l, ok := f.(*scan.Loop)
		if !ok {
			continue
		}
		if compared++; compared > mostCompared || slices.ContainsFunc(l.Steps, step.Share) {
			return
		}
	}
}

// try evaluates step k at x by one of those that are recorded, and returns that and
// its next state; nil if there is none whose comparisons come out so.
func (s *scanning) try(f *scan.Loop, k int, x []float64) (fits *scan.Step, next []float64) {
	for _, step := range f.Steps {
		ws := step.P.Get()
		g, err := ws.Value(x, f.Row(k))
		if g == nil && err == nil {
			fits = step
			next = make([]float64, s.n)
			for j := range next {
				next[j] = ws.Output(j)
			}
		}
		step.P.Put(ws)
		if fits != nil {
			break
		}
	}
	return fits, next
}

// elsewhere records step 0 at x as it is where a comparison of While comes out otherwise:
// so there is an end even if the loop reaches none, or a step if it takes none.
func (s *scanning) elsewhere(f *scan.Loop, x []float64) {
	for i := range s.asked {
		if f.Steps[0].P.Guards()[i].Kind == tape.ValueRead || len(f.Steps) == maxBranches {
			continue
		}
		func() {
			var ignored error // the loop does not go there
			defer ended(&ignored)
			if step, err := s.recordStep(f, 0, x, i+1); err == nil && step != nil {
				f.Steps = append(f.Steps, step)
			}
		}()
	}
}

// recordStep records step k at x, comparison turn of While coming out otherwise, if
// there is one. The step is nil if there is nothing to compute.
func (s *scanning) recordStep(f *scan.Loop, k int, x []float64, turn int) (*scan.Step, error) {
	p := f.Row(k)
	r := tape.NewRecording(len(x), len(p))
	defer r.Close()
	r.Lines(s.r.Caller())
	r.Turn, r.Step = turn, true
	in := inputs(r, x, p)
	next, out := in[:s.n:s.n], []Var(nil)
	end := s.While != nil && !s.While(next, in[s.n:s.n+s.w:s.n+s.w])
	if k == 0 && turn == 0 {
		s.asked = len(r.Guards())
	}
	r.Turn = 0
	switch {
	case !end:
		next, out = s.step(in)
	case s.outputs < 0: // to see how many there are
		other := tape.NewRecording(len(x), len(p))
		defer other.Close()
		s.step(inputs(other, x, p))
		fallthrough
	default:
		out = make([]Var, s.outputs)
	}
	y := append(next[:len(next):len(next)], out...)
	if len(y) == 0 {
		return nil, nil
	}
	t, err := finish(r, x, p, y)
	if err != nil {
		return nil, err
	}
	step := newStep(t)
	step.End = end
	return step, nil
}

// step calls Step on [s; w; u; p].
func (s *scanning) step(in []Var) (next, out []Var) {
	cut := func(n int) (z []Var) {
		z, in = in[:n:n], in[n:]
		return z
	}
	next, out = s.Step(cut(s.n), cut(s.w), cut(s.u), in)
	s.outputs = len(out)
	return next, out
}

// newStep is a step that was recorded on t.
func newStep(t *Tape) *scan.Step {
	return &scan.Step{
		P: t.engine(), X: t.Inside().Recorded.X, Params: t.Inside().Recorded.Params,
		Lagrangian: sync.OnceValue(func() *sweep.Engine { return lagrangian(t).engine() }),
	}
}

// stepTape is the tape of a step.
func stepTape(s *scan.Step) *Tape { return newTape(s.P.Function(), s.X, s.Params) }

// lagrangian is the function [x; λ] ↦ λᵀF(x) of the function F of t.
func lagrangian(t *Tape) *Tape {
	n, m := t.Inputs(), t.Outputs()
	return t.transform(append(t.Point(), make([]float64, m)...), func(in []Var) []Var {
		y := replay(t, append(in[:n:n], in[n+m:]...), values{})
		return []Var{Var{}.DotOf(y, in[n:n+m])}
	})
}

// rearranged is a function with the inputs and outputs of t in another order:
// its input i is input from[i] of t, its output j is output to[j].
func rearranged(t *Tape, from, to []int) *Tape {
	x := make([]float64, len(from))
	for i, k := range from {
		x[i] = t.Inside().Recorded.X[k]
	}
	return t.transform(x, func(in []Var) []Var {
		args := make([]Var, t.Inputs(), len(in))
		for i, k := range from {
			args[k] = in[i]
		}
		v, y := replay(t, append(args, in[len(from):]...), values{}), make([]Var, len(to))
		for j, k := range to {
			y[j] = v[k]
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
	z := &scan.Loop{
		State: state, Count: f.Count, Ends: f.Ends, Seen: f.Seen, Data: f.Data,
		Checkpoints: f.Checkpoints, Bytes: f.Bytes,
	}
	for _, s := range f.Steps {
		made := newStep(step(stepTape(s)))
		made.End = s.End
		z.Steps = append(z.Steps, made)
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
			return slices.Concat(replay(t, in, values{})[:n], in[:n])
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
