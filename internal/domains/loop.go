package domains

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/scan"
)

// loop adds the nodes of a loop with the operands x, step by step, and returns
// those of its outputs.
//
// Where all that goes into a step but the state is the same in every step, the sets
// of inputs that states depend on soon grow no more. If each state is taken to
// depend on the state before, they only ever grow: after as many steps as the
// longest of the shortest ways from a state to another has, and one more, all that
// follow add nothing. The same holds backward, of what reaches an output. So a
// longer loop has the pattern of one with twice as many steps, or less than that. So
// has one that may end before any step.
func (g *builder) loop(l *scan.Loop, x []int32) []int32 {
	n, steps := l.State, l.Count
	few := steps
	if !slices.ContainsFunc(l.In, func(b scan.Block) bool { return !b.Steady() }) {
		few = 2*reach(l) + 2
		if steps < 0 {
			steps = few
			for i := range l.Out {
				steps = max(steps, len(l.Out[i].Index))
			}
		}
		few = min(steps, few)
	}
	state, rest := slices.Clone(x[:n]), x[n:]
	parts := make([][]int32, l.Sums)
	in := slices.Repeat([]int32{-1}, l.Steps[0].P.Inputs())
	for k := range few {
		copy(in, state)
		for i := range l.In {
			b := &l.In[i]
			local := in[n+b.Local:][:b.N]
			for j := range local {
				local[j] = -1
			}
			if at := b.Place(k); at >= 0 {
				copy(local, rest[at:])
			}
		}
		out := g.step(l, in, few < steps || l.Ends)
		copy(state, out)
		for j, y := range state {
			if y < 0 { // a constant
				state[j] = g.done(l.Name())
			}
		}
		last := k
		if k == few-1 {
			last = steps - 1
		}
		for e := k; e <= last; e++ {
			for i := range l.Out {
				b := &l.Out[i]
				at := b.Place(e)
				for j, y := range out[n+b.Local:][:b.N] {
					if at >= 0 && y >= 0 {
						parts[at+j] = append(parts[at+j], y)
					}
				}
			}
			if l.OneRow() {
				break
			}
		}
	}
	for _, nodes := range parts {
		slices.Sort(nodes)
		for _, y := range slices.Compact(nodes) {
			g.Link(y)
		}
		state = append(state, g.done(l.Name()))
	}
	return state
}

// step adds a step with the inputs in and returns its outputs: in any of the ways
// that it may take. If wide, each state depends on that before.
func (g *builder) step(l *scan.Loop, in []int32, wide bool) []int32 {
	var ways [][]int32
	for _, s := range l.Steps {
		if !s.End {
			ways = append(ways, g.add(&s.P.Tape, in, nil))
		}
	}
	if len(ways) == 1 && !wide {
		return ways[0]
	}
	out := make([]int32, l.Steps[0].P.Outputs())
	for j := range out {
		for _, way := range ways {
			if way[j] >= 0 {
				g.Link(way[j])
			}
		}
		if wide && j < l.State && in[j] >= 0 {
			g.Link(in[j])
		}
		out[j] = g.done(l.Name())
	}
	return out
}

// reach is the longest of the shortest ways from a state to another: how many steps
// it takes until all that a state depends on has got there.
func reach(l *scan.Loop) int {
	n := l.State
	words := (n + 63) / 64
	depends := make([][]int32, n)
	for _, s := range l.Steps {
		j := Jacobian(&s.P.Tape, nil)
		for i := range n {
			for _, k := range j.Row(i) {
				if int(k) < n {
					depends[i] = append(depends[i], k)
				}
			}
		}
	}
	set, next := make([]uint64, n*words), make([]uint64, n*words)
	for i := range n {
		set[i*words+i/64] |= 1 << (i % 64)
	}
	for count := 0; ; count++ {
		copy(next, set)
		for i, row := range depends {
			to := next[i*words:][:words]
			for _, k := range row {
				for w, bits := range set[int(k)*words:][:words] {
					to[w] |= bits
				}
			}
		}
		if slices.Equal(next, set) {
			return count
		}
		set, next = next, set
	}
}
