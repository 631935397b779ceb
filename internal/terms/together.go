package terms

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/op"
)

// Parts that have most of their operations in common are one term, which does
// them once: the two coordinates of a projection, or the softplus of a sum and
// the sum. What more than a few parts have in common, such as the sine of an angle
// that a hundred observations share, is repeated in each.

const (
	// At most maxTogether parts are one term, and operations that more have in
	// common bring none together. Two to six are usual: the components of a
	// residual.
	maxTogether = 16
	// Two parts are one term if shareTogether of the time of the smaller is that
	// of operations that both have. Of neighbors in a band, each of which has one
	// function in common with the next, it is half: these stay apart, since a pair
	// of them saves little and is read with gaps.
	shareTogether = 2. / 3
	// Parts are looked at again with those that were brought together as one.
	passesTogether = 3
)

// gatherer brings parts together into groups. A group has the number of its first
// part, from begin on.
type gatherer struct {
	*detector
	begin  int32
	lead   []int32           // of each part the first of its group
	groups map[int32][]int32 // those of several parts
	visits int               // that may be made

	owner   []int32 // 1 + the group that reaches a node, several or 0
	some    bool    // several reach some node
	touched []int32 // 1 + the last touch of a node
	touches []touch
	tree    []float64 // the time of each node and all below, without what is shared
	least   []float64 // the time of a group is at least that
	time    []float64 // the time of a group, 0 if it is not known yet
	pairs   []pair
	last    []int32 // 1 + the last pair of a group
}

// touch says that an operation of one group alone has an operand that several
// reach. There is one before it at the same node, or −1.
type touch struct{ group, before int32 }

// pair says that a group and another touch the same nodes: these and all below
// take at most the time most.
type pair struct {
	other, before int32
	most          float64
}

const several = -1

// together finds which of the candidates from begin on are one term: for the
// first of them the numbers of all. Cost: O(N), and the sizes of parts that may
// have most in common.
func (d *detector) together(begin int) map[int32][]int32 {
	if len(d.cands) < begin+2 {
		return nil
	}
	g := gatherer{detector: d, begin: int32(begin), visits: maxRepeat * d.size}
	g.lead = make([]int32, len(d.cands)-begin)
	for k := range g.lead {
		g.lead[k] = int32(begin + k)
	}
	g.owner = make([]int32, len(d.Ops))
	for k := range passesTogether {
		if k > 0 {
			clear(g.owner)
		}
		if !g.own() || !g.pass() {
			break
		}
	}
	return g.groups
}

// eachRoot calls do with the roots of each group.
func (g *gatherer) eachRoot(do func(group, root int32)) {
	for k, c := range g.cands[g.begin:] {
		if c.alone {
			continue
		}
		do(g.lead[k], c.root)
		if c.other >= 0 {
			do(g.lead[k], c.other)
		}
	}
}

// own finds which groups reach which operations; it reports whether there are any
// that several reach.
func (g *gatherer) own() bool {
	top := g.Base - 1
	g.some = false
	g.eachRoot(func(group, root int32) {
		g.reached(root, group+1)
		top = max(top, root)
	})
	for i := top; i >= g.Base; i-- {
		o := g.owner[i]
		if o == 0 {
			continue
		}
		switch d := g.detector; d.Ops[i].Operands() { // half the time of eachOperand
		case 1:
			g.reached(d.A[i], o)
		case 2:
			g.reached(d.A[i], o)
			g.reached(d.B[i], o)
		default:
			d.p.EachOperand(i, func(j int32) { g.reached(j, o) })
		}
	}
	return g.some
}

// reached notes that an owner reaches node i.
func (g *gatherer) reached(i, owner int32) {
	if i < g.Base || g.owner[i] == owner || g.Ops[i] == op.Call {
		return
	}
	if g.owner[i] == 0 {
		g.owner[i] = owner
		return
	}
	g.owner[i] = several
	g.some = true
}

// pass brings together what shares enough; it reports whether it did.
func (g *gatherer) pass() (joined bool) {
	n := len(g.lead)
	if g.tree == nil {
		g.groups = map[int32][]int32{}
		g.touched = make([]int32, len(g.Ops))
		g.tree = make([]float64, len(g.Ops))
		for i := g.Base; int(i) < len(g.Ops); i++ {
			if g.owner[i] == several {
				t := g.stepTime(i)
				g.eachOperand(i, func(j int32) { t += g.tree[j] })
				g.tree[i] = t
			}
		}
		g.least, g.time, g.last = make([]float64, n), make([]float64, n), make([]int32, n)
	} else {
		clear(g.touched)
		clear(g.least)
		clear(g.last)
	}
	g.touches, g.pairs = slices.Grow(g.touches[:0], len(g.Ops)), g.pairs[:0]
	g.eachRoot(func(group, root int32) { g.touch(root, group) })
	for i := g.Base; int(i) < len(g.Ops); i++ {
		if o := g.owner[i]; o > 0 {
			g.least[o-1-g.begin] += g.stepTime(i)
			g.eachOperand(i, func(j int32) { g.touch(j, o-1) })
		}
	}
	for i := g.Base; int(i) < len(g.Ops); i++ {
		if g.touched[i] > 0 {
			g.pairsAt(i)
		}
	}
	for a := range g.last {
		for k := g.last[a] - 1; k >= 0 && g.visits > 0; k = g.pairs[k].before {
			p := &g.pairs[k]
			if p.most < shareTogether*min(g.least[a], g.least[p.other-g.begin]) {
				continue
			}
			if a, b := g.lead[a], g.lead[p.other-g.begin]; a != b && g.join(min(a, b), max(a, b)) {
				joined = true
			}
		}
	}
	return joined
}

// touch notes that an operation of a group alone has the operand i, if several
// reach it.
func (g *gatherer) touch(i, group int32) {
	if i < g.Base || g.owner[i] != several {
		return
	}
	if k := g.touched[i]; k > 0 && g.touches[k-1].group == group {
		return
	}
	g.least[group-g.begin] += g.stepTime(i)
	g.touches = append(g.touches, touch{group, g.touched[i] - 1})
	g.touched[i] = int32(len(g.touches))
}

// pairsAt notes pairs of groups that touch node i, if they are not too many.
func (g *gatherer) pairsAt(i int32) {
	var buf [maxTogether]int32
	at := buf[:0]
	for k := g.touched[i] - 1; k >= 0; k = g.touches[k].before {
		if len(at) == maxTogether {
			return
		}
		at = append(at, g.touches[k].group)
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for k := 1; k < len(at); k++ {
		g.pair(at[k-1], at[k], g.tree[i])
	}
}

func (g *gatherer) pair(a, b int32, most float64) {
	last := &g.last[a-g.begin]
	for k := *last - 1; k >= 0; k = g.pairs[k].before {
		if p := &g.pairs[k]; p.other == b {
			p.most += most
			return
		}
	}
	g.pairs = append(g.pairs, pair{b, *last - 1, most})
	*last = int32(len(g.pairs))
}

// join brings the groups a and b together, if they have enough in common.
func (g *gatherer) join(a, b int32) bool {
	first, second := g.members(a), g.members(b)
	ta, tb := g.timeOf(a), g.timeOf(b)
	if len(first)+len(second) > maxTogether || ta < 0 || tb < 0 {
		return false
	}
	g.visit()
	g.reach(first)
	more, ok := g.reach(second)
	if !ok || tb-more < shareTogether*min(ta, tb) {
		return false
	}
	all := slices.Concat(first, second)
	slices.Sort(all)
	delete(g.groups, b)
	g.groups[a] = all
	g.time[a-g.begin] = ta + more
	for _, k := range second {
		g.lead[k-g.begin] = a
	}
	return true
}

// members is the parts of a group.
func (g *gatherer) members(a int32) []int32 {
	if m := g.groups[a]; m != nil {
		return m
	}
	return []int32{a}
}

// timeOf is the time of a group, below 0 if it is too large.
func (g *gatherer) timeOf(a int32) float64 {
	t := &g.time[a-g.begin]
	if *t == 0 {
		g.visit()
		ok := false
		if *t, ok = g.reach(g.members(a)); !ok {
			*t = -1
		}
	}
	return *t
}

// reach stamps what parts reach; it returns the time of the operations that had
// no stamp, and whether these are not too many.
func (g *gatherer) reach(parts []int32) (time float64, ok bool) {
	count := 0
	g.stack = g.stack[:0]
	for _, k := range parts {
		g.push(g.cands[k].root)
		g.push(max(g.cands[k].other, 0))
	}
	for len(g.stack) > 0 && count < g.longest {
		i := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		count++
		time += g.stepTime(i)
		g.eachOperand(i, g.push)
	}
	g.visits -= count
	return time, len(g.stack) == 0
}

// push puts an operation on the stack unless it has the stamp.
func (g *gatherer) push(j int32) {
	if j >= g.Base && g.stamp[j] != g.now {
		g.stamp[j] = g.now
		g.stack = append(g.stack, j)
	}
}

// stepTime is the time of node i in a term.
func (d *detector) stepTime(i int32) float64 {
	if callsFunction(d.Ops[i]) {
		return cost.Time(cost.Call)
	}
	return cost.Time(cost.Term) * float64(d.length(i))
}

// eachOperand is that of the program, faster where there is no list.
func (d *detector) eachOperand(i int32, do func(j int32)) {
	switch d.Ops[i].Operands() {
	case 1:
		do(d.A[i])
	case 2:
		do(d.A[i])
		do(d.B[i])
	default:
		d.p.EachOperand(i, do)
	}
}
