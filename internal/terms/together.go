package terms

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/program"
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

// gatherer brings parts together.
type gatherer struct {
	*detector
	begin  int
	lead   []int32           // of each part the first that it is together with
	groups map[int32][]int32 // by the first, if there are more
	apart  map[[2]int32]bool // pairs that were tried
	visits int               // that may be made

	owner   []int32    // 1 + the first of the parts that reach a node, or several
	touched []int32    // 1 + the last touch of a node
	touches []touching // of nodes that several reach, by operations of one
}

type touching struct{ part, before int32 }

const several = -1

// together finds which of the candidates from begin on are one term: for the
// first of them the numbers of all. Cost: O(N), and the sizes of parts that have
// operations in common with few others.
func (d *detector) together(begin int) map[int32][]int32 {
	g := gatherer{detector: d, begin: begin, visits: maxRepeat * d.size}
	g.lead = make([]int32, len(d.cands)-begin)
	for k := range g.lead {
		g.lead[k] = int32(begin + k)
	}
	for range passesTogether {
		if !g.own() || !g.pass() {
			break
		}
	}
	return g.groups
}

// own finds which parts reach which operations; it reports whether there are any
// that several reach.
func (g *gatherer) own() bool {
	d := g.detector
	if g.owner == nil {
		g.owner = make([]int32, len(d.Ops))
	} else {
		clear(g.owner)
	}
	some := false
	add := func(i, part int32) {
		switch {
		case i < d.Base || d.Ops[i] == program.Call || g.owner[i] == part:
		case g.owner[i] == 0:
			g.owner[i] = part
		default:
			g.owner[i] = several
			some = true
		}
	}
	top := int32(0)
	g.eachRoot(func(k, root int32) {
		add(root, g.lead[k]+1)
		top = max(top, root)
	})
	for i := top; i >= d.Base; i-- {
		if g.owner[i] != 0 {
			g.eachOperand(i, func(j int32) { add(j, g.owner[i]) })
		}
	}
	return some
}

// eachRoot calls do with the roots of each part.
func (g *gatherer) eachRoot(do func(k, root int32)) {
	for k, c := range g.cands[g.begin:] {
		if c.alone {
			continue
		}
		do(int32(k), c.root)
		if c.other >= 0 {
			do(int32(k), c.other)
		}
	}
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

// pass brings together what shares enough; it reports whether it did.
func (g *gatherer) pass() bool {
	d := g.detector
	if g.touched == nil {
		g.touched = make([]int32, len(d.Ops))
		g.groups, g.apart = map[int32][]int32{}, map[[2]int32]bool{}
	} else {
		clear(g.touched)
	}
	g.touches = g.touches[:0]
	touch := func(i, part int32) {
		if i < d.Base || g.owner[i] != several {
			return
		}
		if k := g.touched[i]; k > 0 && g.touches[k-1].part == part {
			return
		}
		g.touches = append(g.touches, touching{part, g.touched[i] - 1})
		g.touched[i] = int32(len(g.touches))
	}
	g.eachRoot(func(k, root int32) { touch(root, g.lead[k]) })
	for i := range int32(len(d.Ops)) {
		if o := g.owner[i]; o > 0 {
			g.eachOperand(i, func(j int32) { touch(j, o-1) })
		}
	}
	joined := false
	for i := int32(len(d.Ops)) - 1; i >= d.Base && g.visits > 0; i-- {
		parts := g.parts(i)
		for k := 1; k < len(parts); k++ {
			if a, b := g.lead[parts[k-1]-int32(g.begin)], g.lead[parts[k]-int32(g.begin)]; a != b && g.join(min(a, b), max(a, b)) {
				joined = true
			}
		}
	}
	return joined
}

// parts is what touches node i, in order; nothing if it is too much.
func (g *gatherer) parts(i int32) (parts []int32) {
	for k := g.touched[i] - 1; k >= 0; k = g.touches[k].before {
		if len(parts) == maxTogether {
			return nil
		}
		parts = append(parts, g.touches[k].part)
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// join brings the groups of a and b together, if that pays.
func (g *gatherer) join(a, b int32) bool {
	if g.apart[[2]int32{a, b}] {
		return false
	}
	first, second := g.members(a), g.members(b)
	g.now++
	ta, ok := g.reach(first)
	both, fits := g.reach(second)
	g.now++
	tb, _ := g.reach(second)
	if !ok || !fits || len(first)+len(second) > maxTogether || tb-both < shareTogether*min(ta, tb) {
		g.apart[[2]int32{a, b}] = true
		return false
	}
	all := append(slices.Clone(first), second...)
	slices.Sort(all)
	delete(g.groups, b)
	g.groups[a] = all
	for _, k := range second {
		g.lead[k-int32(g.begin)] = a
	}
	return true
}

// members is the parts that a is the first of.
func (g *gatherer) members(a int32) []int32 {
	if m := g.groups[a]; m != nil {
		return m
	}
	return []int32{a}
}

// reach stamps what parts reach; it returns the time of the operations that had
// no stamp, and whether these are not too many.
func (g *gatherer) reach(parts []int32) (time float64, ok bool) {
	d := g.detector
	count := 0
	d.stack = d.stack[:0]
	push := func(j int32) {
		if j >= d.Base && d.stamp[j] != d.now {
			d.stamp[j] = d.now
			d.stack = append(d.stack, j)
		}
	}
	for _, k := range parts {
		push(d.cands[k].root)
		push(max(d.cands[k].other, 0))
	}
	for len(d.stack) > 0 && count < d.longest {
		i := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		count++
		time += stepTime(d.Ops[i]) * float64(d.length(i))
		d.eachOperand(i, push)
	}
	g.visits -= count
	return time, len(d.stack) == 0
}

// stepTime is the time of an operation of a term.
func stepTime(op program.Op) float64 {
	if callsFunction(op) {
		return cost.Counts{cost.Call: 1}.Time()
	}
	return cost.Counts{cost.Term: 1}.Time()
}
