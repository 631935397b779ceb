package dual

import "fmt"

// Loop is a recursion with a state s, in T steps:
//
//	s₀ = Start,  s_{k+1}, out_k = Step(s_k, w, u_k, p_k),  k = 0, …, T−1.
//
// w is the same in every step, u_k and p_k are those of step k. For numbers of
// this package, [Scan] and [ScanAt] run it as it stands; of package reverse's
// Vars it becomes one operation of the tape, whatever T is.
type Loop[T Scalar[T]] struct {
	// Start is s₀, of length n. A step that needs nothing of the one before has
	// none.
	Start []T
	// Step returns the next state, of length n, and the outputs of the step, as
	// many in each, or none. It must not keep or change its arguments, and do the
	// same for the same ones: all that it needs of other T comes in through s, w
	// and u.
	Step func(s, w, u []T, p []T) (next, out []T)
	// Steps is the number of steps T; 0 is as many as Vars or Data have rows.
	Steps int
	// Shared is w.
	Shared []T
	// Vars has the row u_k for each step, all of one length; nil is none.
	Vars [][]T
	// Data has the row p_k for each step, all of one length; nil is none. They are
	// numbers that are not differentiated.
	Data [][]float64
	// Checkpoints is how many states a reverse sweep keeps, s₀ among them; those
	// between are computed again, in the order that takes the fewest steps. 0
	// keeps all of them. Without a tape it has no meaning.
	Checkpoints int
	// Memory is how many bytes a reverse sweep keeps states in at most, if that
	// is enough for two of them; 0 is no limit. It chooses Checkpoints.
	Memory int
}

// Scan is the last state s_T and the sum Σ out_k over all steps, nil if there are
// no steps. It panics if Step is nil, if it returns a state of another length
// than n or another number of outputs than before, and if the rows of Vars or
// Data are not T or not of one length.
func Scan[T Scalar[T]](l Loop[T]) (last, sum []T) {
	steps := l.Len()
	if s, ok := scanner[T](steps); ok {
		last, out := s.ScanOf(l, nil)
		return last, out[0]
	}
	last = l.each(steps, func(k int, out []T) {
		if k == 0 {
			sum = make([]T, len(out))
		}
		for j, y := range out {
			sum[j] = sum[j].Add(y)
		}
	})
	return last, sum
}

// ScanAt is the last state s_T and the outputs out_k of the steps k in at, in
// that order; of all steps if at is nil. Otherwise it is as Scan. It panics if
// there is no step of that number.
func ScanAt[T Scalar[T]](l Loop[T], at []int) (last []T, out [][]T) {
	steps := l.Len()
	if at == nil {
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
	if s, ok := scanner[T](steps); ok {
		return s.ScanOf(l, at)
	}
	all := make([][]T, steps)
	last = l.each(steps, func(k int, y []T) { all[k] = y })
	out = make([][]T, len(at))
	for i, k := range at {
		out[i] = all[k]
	}
	return last, out
}

// recorder is what numbers are that take a loop as one operation: at nil asks for
// the sum of the outputs, as the only row.
type recorder[T Scalar[T]] interface {
	ScanOf(l Loop[T], at []int) (last []T, out [][]T)
}

// scanner is a recorder of loops, if T has one; loops without steps have no need
// of it.
func scanner[T Scalar[T]](steps int) (recorder[T], bool) {
	var zero T
	s, ok := any(zero).(recorder[T])
	return s, ok && steps > 0
}

// Len returns T. It panics if the loop is not one.
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
	return steps
}

// each runs the loop and hands out what each step puts out; it returns the last
// state.
func (l Loop[T]) each(steps int, do func(k int, out []T)) []T {
	s := append([]T(nil), l.Start...)
	outputs := -1
	var u, p []T
	if len(l.Data) > 0 {
		p = make([]T, len(l.Data[0]))
	}
	for k := range steps {
		if len(l.Vars) > 0 {
			u = l.Vars[k]
		}
		for i := range p {
			p[i] = Const[T](l.Data[k][i])
		}
		next, out := l.Step(s, l.Shared, u, p)
		l.Check(next, out, outputs)
		s, outputs = next, len(out)
		do(k, out)
	}
	return s
}

// Check panics if a step has returned a state of a wrong length or, unless
// outputs is −1, another number of them.
func (l Loop[T]) Check(next, out []T, outputs int) {
	if len(next) != len(l.Start) {
		panic(fmt.Sprintf("dual: step with a state of length %d, want %d", len(next), len(l.Start)))
	}
	if outputs >= 0 && len(out) != outputs {
		panic(fmt.Sprintf("dual: step with %d outputs, want %d", len(out), outputs))
	}
}
