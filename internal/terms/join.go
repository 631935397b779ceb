package terms

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/op"
)

// Candidates that have most of their operations in common are joined to one term,
// which does them once: the two coordinates of a projection, or the softplus of a sum
// and the sum. What more than a few candidates have in common, such as the sine of an
// angle that a hundred observations share, is repeated in each.

const (
	// At most maxJoined candidates are one term, and operations that more have in
	// common join none. Two to six are usual: the components of a residual.
	maxJoined = 16
	// Two candidates are joined if what they share takes at least joinShare of the time of
	// the smaller one. Neighbors in a band, each of which has one function in common with
	// the next, share half: these stay apart, since a pair of them saves little and has
	// places with gaps. Measured as in detect.go, evaluations take the same time from 0.4 to
	// 0.8.
	joinShare = 2. / 3
	// There are joinPasses passes over the candidates, in which those that are joined already
	// count as one.
	joinPasses = 3
)

// joiner joins candidates to groups. Candidates are counted from begin on, and the number of
// a group is that of its first candidate.
type joiner struct {
	*detector
	begin  int32
	lead   []int32           // by candidate, its group
	groups map[int32][]int32 // by group of several candidates, these
	visits int               // how many nodes may still be visited

	// By node:
	owner   []int32   // 1 + the only group that reaches it, several, or 0 for none
	touched []int32   // 1 + the number of the last touch of it
	tree    []float64 // the time of it and all below; a node that several paths lead to counts for each

	// By group:
	least  []float64 // a lower bound of its time
	time   []float64 // its time, 0 if it is not known yet
	met    []int32   // the last node that it was found to touch
	lastOf []int32   // 1 + the number of its last pair

	some    bool // several groups reach some node
	touches []touch
	pairs   []pair
}

// touch says that an operation that only one group reaches has an operand that several reach.
// before is the touch of the same node before it, −1 if there is none.
type touch struct{ group, before int32 }

// pair says that a group and another touch the same nodes: what they share takes at most the
// time most. before is the pair of the same group before it.
type pair struct {
	other, before int32
	most          float64
}

const several = -1

// join finds which of the candidates from begin on are to be one term. The result is, by the
// first candidate of such a group, all of them. Cost: O(N), and the sizes of candidates that
// may have most in common.
func (d *detector) join(begin int) map[int32][]int32 {
	if len(d.cands) < begin+2 || !d.p.Shares() {
		return nil
	}
	g := joiner{detector: d, begin: int32(begin), visits: maxRepeat * d.size}
	g.lead = make([]int32, len(d.cands)-begin)
	for k := range g.lead {
		g.lead[k] = int32(begin + k)
	}
	g.owner = make([]int32, d.p.Len())
	for k := range joinPasses {
		if k > 0 {
			clear(g.owner)
		}
		if !g.findOwners() || !g.pass() {
			break
		}
	}
	return g.groups
}

// eachRoot calls do with the roots of each group.
func (g *joiner) eachRoot(do func(group, root int32)) {
	for k, c := range g.cands[g.begin:] {
		r := g.role(&c)
		if r.alone {
			continue
		}
		do(g.lead[k], c.root)
		if r.factor != noFactor {
			do(g.lead[k], r.factor)
		}
	}
}

// findOwners finds which groups reach which operations; it reports whether there are
// any that several reach.
func (g *joiner) findOwners() bool {
	top := g.base - 1
	g.some = false
	g.eachRoot(func(group, root int32) {
		g.reached(root, group+1)
		top = max(top, root)
	})
	for i := top; i >= g.base; i-- {
		o := g.owner[i]
		if o == 0 {
			continue
		}
		a, b := g.p.Args(i)
		switch g.p.Op(i).Operands() { // half the time of eachOperand
		case 1:
			g.reached(a, o)
		case 2:
			g.reached(a, o)
			g.reached(b, o)
		default:
			g.p.EachOperand(i, func(j int32) { g.reached(j, o) })
		}
	}
	return g.some
}

// reached notes that an owner reaches node i.
func (g *joiner) reached(i, owner int32) {
	if i < g.base || g.owner[i] == owner || g.p.Op(i) == op.Call {
		return
	}
	if g.owner[i] == 0 {
		g.owner[i] = owner
		return
	}
	g.owner[i] = several
	g.some = true
}

// pass joins groups that share enough, and reports whether there were any.
func (g *joiner) pass() (joined bool) {
	n := len(g.lead)
	if g.tree == nil {
		g.groups = map[int32][]int32{}
		g.touched = make([]int32, g.p.Len())
		g.tree = make([]float64, g.p.Len())
		for i := g.base; int(i) < g.p.Len(); i++ {
			if g.owner[i] == several {
				t := g.stepTime(i)
				g.eachOperand(i, func(j int32) { t += g.tree[j] })
				g.tree[i] = t
			}
		}
		g.least, g.time = make([]float64, n), make([]float64, n)
		g.met, g.lastOf = make([]int32, n), make([]int32, n)
	} else {
		clear(g.touched)
		clear(g.least)
		clear(g.met)
		clear(g.lastOf)
	}
	g.touches, g.pairs = slices.Grow(g.touches[:0], g.p.Len()), g.pairs[:0]
	g.eachRoot(func(group, root int32) { g.touch(root, group) })
	for i := g.base; int(i) < g.p.Len(); i++ {
		if o := g.owner[i]; o > 0 {
			g.least[o-1-g.begin] += g.stepTime(i)
			g.eachOperand(i, func(j int32) { g.touch(j, o-1) })
		}
	}
	for i := g.base; int(i) < g.p.Len(); i++ {
		if g.touched[i] > 0 {
			g.pairsAt(i)
		}
	}
	var others []pair
	for a := range g.lastOf {
		others = others[:0]
		for k := g.lastOf[a] - 1; k >= 0; k = g.pairs[k].before {
			others = append(others, g.pairs[k])
		}
		slices.SortFunc(others, func(p, q pair) int { return int(q.other - p.other) })
		for _, p := range others {
			if g.visits <= 0 {
				break
			}
			if p.most < joinShare*min(g.least[a], g.least[p.other-g.begin]) {
				continue
			}
			if a, b := g.lead[a], g.lead[p.other-g.begin]; a != b && g.joinGroups(min(a, b), max(a, b)) {
				joined = true
			}
		}
	}
	return joined
}

// touch notes that an operation that only this group reaches has the operand i, if several
// reach that.
func (g *joiner) touch(i, group int32) {
	if i < g.base || g.owner[i] != several {
		return
	}
	if k := g.touched[i]; k > 0 && g.touches[k-1].group == group {
		return
	}
	g.touches = append(g.touches, touch{group, g.touched[i] - 1})
	g.touched[i] = int32(len(g.touches))
}

// pairsAt counts node i for the groups that touch it, and notes pairs of them, if they
// are not too many.
func (g *joiner) pairsAt(i int32) {
	var buf [maxJoined]int32
	at := buf[:0]
	count := 0
	for k := g.touched[i] - 1; k >= 0; k = g.touches[k].before {
		group := g.touches[k].group
		if g.met[group-g.begin] == i {
			continue
		}
		g.met[group-g.begin] = i
		g.least[group-g.begin] += g.stepTime(i)
		if count++; count <= maxJoined {
			at = append(at, group)
		}
	}
	if count > maxJoined {
		return
	}
	slices.Sort(at)
	for k := 1; k < len(at); k++ {
		g.pair(at[k-1], at[k], g.tree[i])
	}
}

func (g *joiner) pair(a, b int32, most float64) {
	last := &g.lastOf[a-g.begin]
	for k := *last - 1; k >= 0; k = g.pairs[k].before {
		if p := &g.pairs[k]; p.other == b {
			p.most += most
			return
		}
	}
	g.pairs = append(g.pairs, pair{b, *last - 1, most})
	*last = int32(len(g.pairs))
}

// joinGroups joins the groups a and b, if they have enough in common.
func (g *joiner) joinGroups(a, b int32) bool {
	first, second := g.members(a), g.members(b)
	ta, tb := g.timeOf(a), g.timeOf(b)
	if len(first)+len(second) > maxJoined || ta < 0 || tb < 0 {
		return false
	}
	g.marks.clear()
	g.reach(first)
	more, ok := g.reach(second)
	if !ok || tb-more < joinShare*min(ta, tb) {
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

// members is the candidates of a group.
func (g *joiner) members(a int32) []int32 {
	if m := g.groups[a]; m != nil {
		return m
	}
	return []int32{a}
}

// timeOf is the time of a group, negative if it is too large.
func (g *joiner) timeOf(a int32) float64 {
	t := &g.time[a-g.begin]
	if *t == 0 {
		g.marks.clear()
		ok := false
		if *t, ok = g.reach(g.members(a)); !ok {
			*t = -1
		}
	}
	return *t
}

// reach marks the operations that candidates reach. It returns the time of those that had no
// mark, and whether they are not too many.
func (g *joiner) reach(members []int32) (time float64, ok bool) {
	count := 0
	g.stack = g.stack[:0]
	for _, k := range members {
		g.push(g.cands[k].root)
		g.push(g.role(&g.cands[k]).factor)
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

// push puts an operation on the stack unless it has a mark.
func (g *joiner) push(j int32) {
	if j >= g.base && g.marks.add(j, 0) {
		g.stack = append(g.stack, j)
	}
}

// stepTime is the time of node i in a term: whole picoseconds, so that the sum does not
// depend on the order.
func (d *detector) stepTime(i int32) float64 {
	if d.p.Op(i).Cost() > 0 {
		return math.Round(1000 * cost.Time(cost.Call))
	}
	return math.Round(1000*cost.Time(cost.Term)) * float64(d.length(i))
}
