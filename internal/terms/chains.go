package terms

import (
	"fmt"
	"slices"

	"github.com/hesse-ad/hesse/internal/code"
)

// In a band or on a grid, consecutive turns of a loop add to the same element: the result s₀
// in one turn, s₁ in the next, and so on. Such results are a chain. It adds them up in
// variables, and stores each element once. A turn is, with a chain of three,
//
//	h[place of s₂] = c₂ + s₂
//	c₂ = c₁ + s₁
//	c₁ = h[place of s₀] + s₀
//
// Before the loop cⱼ is what there is at the place of sⱼ in the first turn, and after it cⱼ
// is stored at the place of sⱼ₋₁ in the last one.

// chain is results of which each adds to the elements to which the one before it has added in
// the turn before.
type chain struct {
	stores []*store // s₀, s₁, …
	copies bool     // elements that it stores are copied to their images
}

// findChains finds chains of results whose places are not tables.
func (l *loop) findChains() []*chain {
	if l.lists.n < 2 {
		return nil
	}
	var heads []*chain
	var free []*store
	for _, st := range l.stores {
		if st.mode == inLoop && l.to[st.to].wanted && l.number[&st.at[0]].table == "" {
			free = append(free, st)
		}
	}
	next := map[*store]*store{}
	follows := map[*store]bool{}
	for _, a := range free {
		for _, b := range free {
			if a != b && a.to == b.to && next[a] == nil && !follows[b] && l.continues(a, b) {
				next[a], follows[b] = b, true
			}
		}
	}
	for _, st := range free {
		if follows[st] || next[st] == nil {
			continue
		}
		c := &chain{}
		for ; st != nil; st = next[st] {
			c.stores = append(c.stores, st)
		}
		heads = append(heads, c)
	}
	return slices.DeleteFunc(heads, func(c *chain) bool { return l.isDisturbed(c) })
}

// turns calls f with the lanes of a piece or block, in the order of the loop.
func (l *loop) turns(f func(first bool, t int)) {
	begins := map[int]bool{}
	for _, p := range l.pieces {
		begins[int(p)] = true
	}
	for t := range l.lists.n {
		t := t
		if !l.lists.forward {
			t = l.lists.n - 1 - t
		}
		first := t == 0 || l.begins(begins, t)
		if !l.lists.forward {
			first = t == l.lists.n-1 || l.begins(begins, t+1)
		}
		f(first, t)
	}
}

// begins reports whether a new piece or block begins with lane t.
func (l *loop) begins(pieces map[int]bool, t int) bool {
	return pieces[t] || l.blocks && t%code.Lanes == 0
}

// continues reports whether b adds to what a has added to a turn before.
func (l *loop) continues(a, b *store) bool {
	ok, last := true, 0
	l.turns(func(first bool, t int) {
		ok = ok && (first || b.at[t] == a.at[last])
		last = t
	})
	return ok
}

// isDisturbed reports whether another result adds to an element while a variable of c has it.
func (l *loop) isDisturbed(c *chain) bool {
	turn, until := 0, map[int32]int{} // the turn until which an element is in use
	disturbed := false
	l.turns(func(_ bool, t int) {
		turn++
		for _, st := range c.stores {
			until[st.at[t]] = max(until[st.at[t]], turn)
		}
		until[c.stores[0].at[t]] = turn + len(c.stores) - 1
		for _, st := range l.stores {
			if st.mode == inLoop && st.to == c.stores[0].to && !slices.Contains(c.stores, st) && until[st.at[t]] >= turn {
				disturbed = true
			}
		}
	})
	return disturbed
}

// makeChains finds the chains of the loop and marks their results as chained.
func (l *loop) makeChains() {
	for _, c := range l.findChains() {
		c.copies = l.image != nil && c.stores[0].to == toMatrix
		for k, st := range c.stores {
			l.chained[st] = true
			st.sets = st.sets && k == 0
			for _, at := range st.at {
				c.copies = c.copies && l.image[at] >= 0 && l.lastIn(c, at)
			}
		}
		for _, st := range c.stores {
			st.copies = c.copies
		}
		l.chains = append(l.chains, c)
	}
}

// lastIn reports whether the result that is added last to an element is in c.
func (l *loop) lastIn(c *chain, at int32) bool {
	return slices.Contains(c.stores, l.to[c.stores[0].to].lastBy[at])
}

// carry is variable j of chain k.
func carry(k, j int) string { return fmt.Sprintf("c%d_%d", k+1, j) }

// beginChains declares the variables of the chains. The first turn is that of lane i.
func (l *loop) beginChains(i string) {
	for k, c := range l.chains {
		for j, st := range c.stores[1:] {
			l.printf("%s := %s\n", carry(k, j+1), l.element(st, l.indexAt(st.at, i)))
		}
	}
}

// turn adds the results of chain k.
func (l *loop) turn(k int, c *chain) {
	m := len(c.stores) - 1
	l.setChained(c, c.stores[m], "", fmt.Sprintf("%s + %s", carry(k, m), l.value[c.stores[m]]))
	for j := m; j > 1; j-- {
		l.printf("%s = %s + %s\n", carry(k, j), carry(k, j-1), l.value[c.stores[j-1]])
	}
	switch head := c.stores[0]; {
	case head.sets && head.isConstant:
		l.printf("%s = %s\n", carry(k, 1), l.value[head])
	case head.sets:
		l.printf("%s = %s + 0\n", carry(k, 1), l.value[head])
	default:
		l.printf("%s = %s + %s\n", carry(k, 1), l.element(head, l.lists.index(head.at)), l.value[head])
	}
}

// setChained stores v where st adds to, and its image, in the turn of lane i.
func (l *loop) setChained(c *chain, st *store, i, v string) {
	to := l.element(st, l.indexAt(st.at, i))
	if !c.copies {
		l.printf("%s = %s\n", to, v)
		return
	}
	l.printf("%s = %s\n%s = %[1]s\n", to, v, l.element(st, l.indexAt(l.images[st], i)))
}

// endChains stores the variables. The last turn is that of lane i.
func (l *loop) endChains(i string) {
	for k, c := range l.chains {
		for j := range c.stores[1:] {
			l.setChained(c, c.stores[j], i, carry(k, j+1))
		}
	}
}

// undo reports whether a list of c has become a table. If so, its results are chained no
// more.
func (l *loop) undo(c *chain) bool {
	isTable := func(st *store) bool {
		return l.number[&st.at[0]].table != "" || c.copies && l.number[&l.images[st][0]].table != ""
	}
	if !slices.ContainsFunc(c.stores, isTable) {
		return false
	}
	for _, st := range c.stores {
		st.copies = false
		delete(l.chained, st)
	}
	return true
}
