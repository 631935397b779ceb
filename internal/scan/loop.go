package scan

import (
	"slices"
	"sync"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Loop is the function x ↦ y with
//
//	s₀ = x[:n],  s_{k+1}, out_k = step(s_k, u_k; p_k),  y = [s_T; Σ…],  k = 0, …, T−1:
//
// The blocks In say where u_k is in x, the blocks Out to which elements of y the outputs are
// added. A program calls it as one operation. It is immutable and safe for concurrent use.
//
// If it Ends, it finds its end itself, where the comparisons of a step that is an End hold:
// T may then differ from one evaluation to another.
type Loop struct {
	Steps []*Step // one for each way in which the comparisons of a step come out
	State int     // n
	Once  bool    // a tape that is called: its comparisons are not those of a step, to who reads of them
	Count int     // T; if the loop Ends, the largest that it may be, −1 if there is no bound
	Ends  bool
	Seen  int     // T at the recorded point
	In    []Block // parts of x[n:], whose length is Rest
	Out   []Block // parts of y[n:], whose length is Sums
	Rest  int
	Sums  int
	Data  Data
	// A reverse sweep keeps at most Checkpoints states, in at most Bytes of memory, but no
	// fewer than it needs; 0 is no limit.
	Checkpoints, Bytes int

	pool sync.Pool // of memory
}

// Step is a step as it was recorded at the point X, Params. Its program has the
// inputs [s; u] and the outputs [next; out].
type Step struct {
	P         *sweep.Engine
	X, Params []float64
	// Lagrangian has the inputs [s; u; λ; ν] and the output λᵀnext + νᵀout: its gradient in
	// [s; u] is the adjoint of the step, a product with its Hessian the tangent of that.
	Lagrangian func() *sweep.Engine
	// End says that where its comparisons hold the loop ends before this step. It is run for
	// them alone; its outputs are s and zeros.
	End bool

	kernels kernels
}

// Share has s, which is not in use yet, use the engines of t if both have the same program, and
// reports whether they have. Loops whose steps share engines share the working memory of these.
func (s *Step) Share(t *Step) bool {
	if s.P != t.P && !s.P.Equal(&t.P.Tape) {
		return false
	}
	s.P, s.Lagrangian = t.P, t.Lagrangian
	return true
}

// Certain reports whether the step goes the same way at every point.
func (s *Step) Certain() bool { return s.P.Certain() }

// Block is N consecutive inputs of a step, or outputs: number Local … Local+N−1 of u or out.
// In step k these are the elements of x[n:], or y[n:], from At + Stride·k on; if Index is
// not nil, those from Index[k] on. If that is −1, or k is beyond Index, the step has inputs
// 0 there, and its outputs are added to nothing.
type Block struct {
	Local, N, At, Stride int
	Index                []int32
}

// Place is where the block is in step k, −1 if nowhere.
func (b *Block) Place(k int) int {
	switch {
	case b.Index == nil:
		return b.At + b.Stride*k
	case k < len(b.Index):
		return int(b.Index[k])
	}
	return -1
}

// Steady reports whether the block is at one place in all steps.
func (b *Block) Steady() bool { return b.Index == nil && b.Stride == 0 }

// OneRow reports whether all steps add to the same outputs.
func (l *Loop) OneRow() bool {
	for i := range l.Out {
		if !l.Out[i].Steady() {
			return false
		}
	}
	return true
}

// Shift is the block moved by so many local numbers and places.
func (b Block) Shift(local, by int) Block {
	b.Local += local
	b.At += by
	if b.Index != nil {
		index := make([]int32, len(b.Index))
		for k, i := range b.Index {
			index[k] = i
			if i >= 0 {
				index[k] += int32(by)
			}
		}
		b.Index = index
	}
	return b
}

// Reverse is the block of a loop that goes from the last of the given number of steps to
// the first.
func (b Block) Reverse(steps int) Block {
	if b.Index != nil {
		index := make([]int32, steps)
		for k := range index {
			index[k] = int32(b.Place(steps - 1 - k))
		}
		b.Index = index
	}
	b.At, b.Stride = b.At+b.Stride*(steps-1), -b.Stride
	return b
}

// Data is the parameters p_k: the row At + Stride·k of rows of N numbers.
type Data struct {
	Values        []float64
	N, At, Stride int
}

// row is p_k.
func (d *Data) row(k int) []float64 { return d.Values[(d.At+d.Stride*k)*d.N:][:d.N] }

// Reverse is the data of a loop that goes from the last of the given number of steps to the
// first.
func (d Data) Reverse(steps int) Data {
	d.At, d.Stride = d.At+d.Stride*(steps-1), -d.Stride
	return d
}

var _ tape.Kept = (*Loop)(nil)

// Dims is the numbers of inputs and outputs.
func (l *Loop) Dims() (n, m int) { return l.State + l.Rest, l.State + l.Sums }

// Certain reports whether all steps go the same way at every point, and never fail.
func (l *Loop) Certain() bool {
	return !l.Ends && !slices.ContainsFunc(l.Steps, func(s *Step) bool { return !s.Certain() })
}

// Compares reports whether a step makes comparisons.
func (l *Loop) Compares() bool {
	return slices.ContainsFunc(l.Steps, func(s *Step) bool { return s.P.Compares() })
}

// Name is the name of the function of package reverse that makes it.
func (l *Loop) Name() string {
	if l.Once {
		return "Apply"
	}
	return "Scan"
}

// Called is the tape, and its parameters, of a loop that is a tape called once; nil of another.
func (l *Loop) Called() (t *tape.Tape, params []float64) {
	if !l.Once {
		return nil, nil
	}
	return &l.Steps[0].P.Tape, l.Row(0)
}

// Row is the parameters of step k.
func (l *Loop) Row(k int) []float64 {
	if l.Data.N == 0 {
		return nil
	}
	return l.Data.row(k)
}

// inputs and outputs are how many a step has, without the state.
func (l *Loop) inputs() int  { return l.Steps[0].P.Inputs() - l.State }
func (l *Loop) outputs() int { return l.Steps[0].P.Outputs() - l.State }

// Footprint is the bytes that the steps and their data take, but for engines that are counted
// already.
func (l *Loop) Footprint(counted map[any]bool) int {
	bytes := 8 * len(l.Data.Values)
	for _, s := range l.Steps {
		bytes += 8 * (len(s.X) + len(s.Params))
		if !counted[s.P] {
			counted[s.P] = true
			bytes += s.P.Bytes()
		}
	}
	for _, b := range append(l.In[:len(l.In):len(l.In)], l.Out...) {
		bytes += 4 * len(b.Index)
	}
	return bytes
}

// Work is how many operations the recorded number of steps has.
func (l *Loop) Work() int {
	ops := 0
	for _, s := range l.Steps {
		ops = max(ops, s.P.Ops())
	}
	return l.Seen * ops
}

// Open returns the function with memory for one goroutine, which it shares with those of others
// that have equal steps.
func (l *Loop) Open(others []op.Several) op.Several { return l.open(others) }

// with runs do with memory from the pool.
func (l *Loop) with(do func(m *memory) error) error {
	m, ok := l.pool.Get().(*memory)
	if !ok {
		m = l.open(nil)
	}
	err := do(m)
	l.pool.Put(m)
	return err
}

// Eval sets y = F(x).
func (l *Loop) Eval(y, x []float64) error {
	return l.with(func(m *memory) error { return m.Eval(y, x) })
}

// JVP sets dy = F′(x)·dx.
func (l *Loop) JVP(dy, x, dx []float64) error {
	return l.with(func(m *memory) error { return m.JVP(dy, x, dx) })
}

// VJP sets gx = F′(x)ᵀ·w.
func (l *Loop) VJP(gx, x, w []float64) error {
	return l.with(func(m *memory) error { return m.VJP(gx, x, w) })
}

// HVP sets h = (Σ wⱼ∇²Fⱼ(x))·dx.
func (l *Loop) HVP(h, x, w, dx []float64) error {
	return l.with(func(m *memory) error { return m.HVP(h, x, w, dx) })
}

// Jacobian and Hessian would be patterns; those of the steps say more.
func (l *Loop) Jacobian(i int) []int32 { return nil }

// Hessian is as Jacobian.
func (l *Loop) Hessian(i int) []int32 { return nil }
