package code

import (
	"math"
)

// schedule calls each with node i and those that it needs and that are not done yet, operands
// first: depth first, so that registers are soon free again.
func (s *selection) schedule(i int32, done []bool, each func(i int32)) {
	stack := []int32{i}
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		before := len(stack)
		if !done[i] {
			for _, j := range s.operands(i) {
				if !done[j] {
					stack = append(stack, j)
				}
			}
		}
		if len(stack) > before {
			continue
		}
		stack = stack[:before-1]
		if done[i] {
			continue
		}
		done[i] = true
		each(i)
		if j, _, _ := s.twin(i); j >= 0 {
			done[j] = true
		}
	}
}

// allocation gives registers to nodes until their last use: a linear scan over
// the instructions, in which each node lives from the one that computes it to the
// last that reads it.
type allocation struct {
	*selection
	register []int32 // by node
	last     []int   // by node, the last instruction that reads it
	free     []int32 // registers
	count    int     // how many registers there are
}

// forever is after the last instruction.
const forever = math.MaxInt

func (s *selection) allocation() *allocation {
	n := len(s.tiles)
	return &allocation{selection: s, register: make([]int32, n), last: make([]int, n)}
}

// use notes that instruction k uses node i.
func (r *allocation) use(i int32, k int) { r.last[i] = max(r.last[i], k) }

// release frees the registers of those of the nodes whose last use is instruction k.
func (r *allocation) release(k int, nodes ...int32) {
	for _, i := range nodes {
		if r.last[i] == k {
			r.last[i] = -1
			r.free = append(r.free, r.register[i])
		}
	}
}

// next is a free register.
func (r *allocation) next() int32 {
	if k := len(r.free) - 1; k >= 0 {
		x := r.free[k]
		r.free = r.free[:k]
		return x
	}
	r.count++
	return int32(r.count - 1)
}

// instruction is instruction k, which computes node i and perhaps its twin.
func (r *allocation) instruction(i int32, k int) Instr {
	t := &r.tiles[i]
	in := t.Instr
	at := [4]*int32{&in.A, &in.B, &in.C, &in.E}
	for j, a := range r.operands(i) {
		*at[j] = r.register[a]
	}
	r.release(k, r.operands(i)...)
	in.D = r.next()
	r.register[i] = in.D
	if j, both, isFirst := r.twin(i); j >= 0 {
		in.Op, in.C = both, r.next()
		r.register[j] = in.C
		if !isFirst {
			in.D, in.C = in.C, in.D
		}
	}
	r.release(k, i) // if only its twin is used
	return in
}
