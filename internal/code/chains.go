package code

import (
	"cmp"
	"slices"
)

// inChains is nodes in an order of evaluation in which a node is followed by one that reads
// it, if any is ready: of these, by the one with the longest way to the end. The result of
// the instruction before is there sooner than one in a register. This is list scheduling:
// Gibbons and Muchnick, Efficient instruction scheduling for a pipelined architecture,
// SIGPLAN Not. 21, 1986.
func (s *selection) inChains(nodes []int32) []int32 {
	at := make([]int, len(s.tiles)) // by node, 1 + the number in nodes of what computes it
	for k, i := range nodes {
		at[i] = k + 1
		if j, _, _ := s.twin(i); j >= 0 {
			at[j] = k + 1
		}
	}
	users := make([][]int, len(nodes))
	missing, height := make([]int, len(nodes)), make([]int, len(nodes))
	for k, i := range nodes {
		for _, j := range s.operands(i) {
			if p := at[j] - 1; p >= 0 {
				users[p] = append(users[p], k)
				missing[k]++
			}
		}
	}
	var ready []int
	for k := len(nodes) - 1; k >= 0; k-- {
		for _, u := range users[k] {
			height[k] = max(height[k], height[u])
		}
		height[k] += s.tiles[nodes[k]].wait()
		if missing[k] == 0 {
			ready = append(ready, k)
		}
	}
	higher := func(a, b int) int { return cmp.Or(height[a]-height[b], b-a) }
	order := make([]int32, 0, len(nodes))
	for len(ready) > 0 {
		k := slices.MaxFunc(ready, higher)
		for k >= 0 {
			ready = slices.DeleteFunc(ready, func(r int) bool { return r == k })
			order = append(order, nodes[k])
			next := -1
			for _, u := range users[k] {
				if missing[u]--; missing[u] == 0 {
					ready = append(ready, u)
					if next < 0 || higher(u, next) > 0 {
						next = u
					}
				}
			}
			k = next
		}
	}
	return order
}

// wait is about how long a result takes: 2 for sums and products.
func (t *tile) wait() int {
	switch {
	case t.Calls():
		return 20
	case t.Op == Div || t.Op == Sqrt:
		return 5
	}
	return 2
}

// fuseSums makes one instruction of sums and differences with products that are used
// once. Constants are operands.
func (s *selection) fuseSums() {
	n := len(s.tiles)
	product := func(i int32) bool { return int(i) < n && s.uses[i] == 1 && s.tiles[i].Op == Mul }
	for i := range n {
		if s.uses[i] == 0 {
			continue
		}
		t := s.tiles[i]
		switch a := t.args[0]; t.Op {
		case Scale:
			t = newTile(Mul, 0, a, s.constant(t.K))
		case AddConst:
			t = newTile(Add, 0, a, s.constant(t.K))
		case SubConst:
			t = newTile(Sub, 0, s.constant(t.K), a)
		}
		a, b := t.args[0], t.args[1]
		if t.Op != Add && t.Op != Sub || a == b {
			s.tiles[i] = t
			continue
		}
		first, second, both := MulAdd, MulAdd, Dot
		if t.Op == Sub {
			first, second, both = MulSub, SubMul, Det
		}
		x, y := s.tiles[a].args, s.tiles[b].args
		switch {
		case product(a) && product(b):
			t = newTile(both, 0, x[0], x[1], y[0], y[1])
			s.uses[a], s.uses[b] = 0, 0
		case product(a):
			t = newTile(first, 0, x[0], x[1], b)
			s.uses[a] = 0
		case product(b):
			t = newTile(second, 0, y[0], y[1], a)
			s.uses[b] = 0
		}
		s.tiles[i] = t
	}
}
