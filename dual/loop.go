package dual

import (
	"fmt"

	"github.com/hesse-ad/hesse/internal/op"
)

// Loop is a recursion with a state s, in T steps:
//
//	s₀ = Start,  s_{k+1}, out_k = Step(s_k, w, u_k, p_k),  k = 0, …, T−1.
//
// w is the same in every step, u_k and p_k are those of step k. For numbers of
// this package, [Scan] and [ScanAt] run it as it stands; of package reverse's
// Vars it becomes one operation of the tape, whatever T is (see that package, Loops with
// a state).
type Loop[T Scalar[T]] struct {
	// Start is s₀, of length n; nil if no step needs anything of the one before.
	Start []T
	// Step returns the next state, of length n, and the outputs of the step, the same number
	// in all steps, possibly none. It must not keep or change its arguments, and must return
	// the same for the same arguments: whatever T it depends on must come in through s, w
	// and u.
	Step func(s, w, u []T, p []T) (next, out []T)
	// Steps is the number of steps T; 0 is as many as Vars or Data have rows.
	Steps int
	// While, if it is not nil, is asked before each step: the loop ends at the first k for
	// which While(s_k, w) is false. T is then the number of steps that were taken. Steps, or
	// the number of rows of Vars or Data, is the most that it may be; without any of these
	// there is no bound. Derivatives are those of the steps that were taken, as T is constant
	// but for the points where it jumps.
	While func(s, w []T) bool
	// Shared is w.
	Shared []T
	// Vars has the row u_k for each step, all of one length; nil is none.
	Vars [][]T
	// Data has the row p_k for each step, all of one length; nil is none. These numbers are
	// not differentiated.
	Data [][]float64
	// Checkpoints is how many states a reverse sweep of a tape keeps, with s₀; 0 keeps all.
	// Those between are computed again by the schedule that takes the fewest steps or, with
	// While, hardly more.
	Checkpoints int
	// Memory is a limit of the bytes in which a reverse sweep of a tape keeps states, but it
	// always keeps two; 0 is no limit. The smaller of the two limits holds.
	Memory int
}

// Scan returns the last state s_T and the sum Σ out_k over all steps. If T is 0 the sum is
// nil; if it is 0 because of While, the sum is zeros, and Step is called once to see how
// many. It panics if Step is nil, if it returns a state of another length than n or another
// number of outputs than before, and if the rows of Vars or Data are not T or not of
// one length.
func Scan[T Scalar[T]](l Loop[T]) (last, sum []T) {
	last, out := l.scan(l.Len(), nil)
	return last, out[0]
}

// ScanAt returns the last state s_T and the outputs out_k of the steps k in at, in that order;
// of all steps if at is nil. Outputs of steps that While prevents are 0. Otherwise it is as
// Scan. It also panics if at has a number that no step can have, and if at is nil and only
// While bounds the number of steps.
func ScanAt[T Scalar[T]](l Loop[T], at []int) (last []T, out [][]T) {
	steps := l.Len()
	if at == nil {
		if steps < 0 {
			panic("dual: outputs of all steps of a Loop without a bound")
		}
		at = make([]int, steps)
		for k := range at {
			at[k] = k
		}
	}
	for _, k := range at {
		if uint(k) >= uint(steps) {
			panic(fmt.Sprintf("dual: outputs of step %d of %d", k, steps))
		}
	}
	return l.scan(steps, at)
}

// scanner is a recorder of loops, see op.Recorder: at nil asks for the sum of the outputs,
// as the only row.
type scanner[T Scalar[T]] interface {
	Scan(l Loop[T], at []int) (last []T, out [][]T)
}

// scan is one operation, if numbers T have such for loops, of which those without steps have
// no need; else Run.
func (l Loop[T]) scan(steps int, at []int) (last []T, out [][]T) {
	if r, ok := op.Recorder[T]().(scanner[T]); ok && steps != 0 {
		l.Step = l.checked()
		return r.Scan(l, at)
	}
	return l.Run(at)
}

// Lane is what one of the loops that [ScanLanes] runs has of its own. What is nil is taken
// from the Loop.
type Lane[T Scalar[T]] struct {
	Start []T
	Vars  [][]T
	Data  [][]float64
}

// ScanLanes is Scan of many loops with the same Step, such as those from many states or
// over many sequences of data, which may differ in length. It returns the last state and
// the sum of each lane. It panics as Scan does, and if the states or the rows of two
// lanes differ in length.
//
// Of package reverse's Vars 48 lanes and more are run side by side if their steps make no
// comparisons and call nothing: a step of all of them is one operation, by vector
// instructions. Gradients of some hundred lanes take half to a sixth of the time.
// Checkpoints and Memory are those of all lanes together. Sums of lanes that are longer
// than others are added up in parts, and differ by rounding.
func ScanLanes[T Scalar[T]](l Loop[T], lanes []Lane[T]) (last, sum [][]T) {
	loops := make([]Loop[T], len(lanes))
	for i, a := range lanes {
		z := l
		if a.Start != nil {
			z.Start = a.Start
		}
		if a.Vars != nil {
			z.Vars = a.Vars
		}
		if a.Data != nil {
			z.Data = a.Data
		}
		loops[i] = z
	}
	checkLanes(loops)
	for i := range loops {
		loops[i].Step = loops[i].checked()
	}
	if r, ok := op.Recorder[T]().(laner[T]); ok {
		if last, sum, ok = r.Lanes(loops); ok {
			return last, sum
		}
	}
	for _, l := range loops {
		s, out := Scan(l)
		last, sum = append(last, s), append(sum, out)
	}
	return last, sum
}

// laner is a recorder of loops side by side; ok says whether it has taken these.
type laner[T Scalar[T]] interface {
	Lanes(loops []Loop[T]) (last, sum [][]T, ok bool)
}

// checkLanes panics if lanes are not loops or differ in their lengths.
func checkLanes[T Scalar[T]](loops []Loop[T]) {
	same := func(i int, what string, got, want int) {
		if got != want {
			panic(fmt.Sprintf("dual: lane %d with %s of length %d, want %d", i, what, got, want))
		}
	}
	of := func(l Loop[T]) (u, p int) {
		if len(l.Vars) > 0 {
			u = len(l.Vars[0])
		}
		if len(l.Data) > 0 {
			p = len(l.Data[0])
		}
		return u, p
	}
	var first *Loop[T] // that has steps
	for i := range loops {
		l := &loops[i]
		same(i, "a state", len(l.Start), len(loops[0].Start))
		if l.Len() == 0 {
			continue
		}
		if first == nil {
			first = l
		}
		u, p := of(*l)
		wantU, wantP := of(*first)
		same(i, "Vars", u, wantU)
		same(i, "Data", p, wantP)
	}
}

// Len returns T; with While, the most that it may be, −1 if there is no bound. It panics if
// the fields of l do not fit together.
func (l Loop[T]) Len() int {
	if l.Step == nil {
		panic("dual: Loop without a Step")
	}
	if l.Checkpoints < 0 || l.Memory < 0 {
		panic("dual: Loop with a negative number of checkpoints or bytes")
	}
	steps := l.Steps
	if steps < 0 {
		panic("dual: Loop with a negative number of steps")
	}
	if steps == 0 {
		steps = max(len(l.Vars), len(l.Data))
	}
	if l.Vars != nil && len(l.Vars) != steps {
		panic(fmt.Sprintf("dual: Loop with %d rows of Vars, want %d", len(l.Vars), steps))
	}
	if l.Data != nil && len(l.Data) != steps {
		panic(fmt.Sprintf("dual: Loop with %d rows of Data, want %d", len(l.Data), steps))
	}
	for k, u := range l.Vars {
		if len(u) != len(l.Vars[0]) {
			panic(fmt.Sprintf("dual: Loop with Vars[%d] of length %d, want %d", k, len(u), len(l.Vars[0])))
		}
	}
	for k, p := range l.Data {
		if len(p) != len(l.Data[0]) {
			panic(fmt.Sprintf("dual: Loop with Data[%d] of length %d, want %d", k, len(p), len(l.Data[0])))
		}
	}
	if steps == 0 && l.While != nil && l.Vars == nil && l.Data == nil {
		return -1
	}
	return steps
}

// Run runs the loop step by step, whatever T is, and a tape records each step. If at is nil,
// out has the sum of Scan as its only row, else the rows of ScanAt.
func (l Loop[T]) Run(at []int) (last []T, out [][]T) {
	steps := l.Len()
	last = append(last, l.Start...)
	l.Step = l.checked()
	outputs := -1
	var all [][]T
	var sum []T
	var u, p []T
	if len(l.Data) > 0 {
		p = make([]T, len(l.Data[0]))
	}
	for k := 0; k != steps; k++ {
		taken := l.While == nil || l.While(last, l.Shared)
		if !taken && outputs >= 0 {
			break
		}
		if len(l.Vars) > 0 {
			u = l.Vars[k]
		}
		for i := range p {
			p[i] = Const[T](l.Data[k][i])
		}
		next, y := l.Step(last, l.Shared, u, p)
		if outputs < 0 {
			outputs = len(y)
			sum = make([]T, outputs)
		}
		if !taken {
			break
		}
		last = next
		if at != nil {
			all = append(all, y)
			continue
		}
		for j, y := range y {
			sum[j] = sum[j].Add(y)
		}
	}
	if at == nil {
		return last, [][]T{sum}
	}
	out = make([][]T, len(at))
	for i, k := range at {
		if k < len(all) {
			out[i] = all[k]
		} else {
			out[i] = make([]T, outputs)
		}
	}
	return last, out
}

// checked is Step, and panics where that returns a state of another length than Start, or
// another number of outputs than before.
func (l Loop[T]) checked() func(s, w, u, p []T) (next, out []T) {
	step, outputs := l.Step, -1
	return func(s, w, u, p []T) (next, out []T) {
		next, out = step(s, w, u, p)
		if len(next) != len(l.Start) {
			panic(fmt.Sprintf("dual: step with a state of length %d, want %d", len(next), len(l.Start)))
		}
		if outputs >= 0 && len(out) != outputs {
			panic(fmt.Sprintf("dual: step with %d outputs, want %d", len(out), outputs))
		}
		outputs = len(out)
		return next, out
	}
}
