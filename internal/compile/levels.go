package compile

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// group is the nodes of one level and operation. Group 0 is the nodes that are no
// live operations: inputs, parameters, constants and dead code.
type group struct {
	op    op.Code
	level int32
	next  int32 // another group of the level, 0 if there is none
	end   int32 // how many nodes there are, then where they end in ids
}

// levels finds the level of each live operation, counted from 1, and makes ids these
// operations, level by level, in a level by operation, and else as they were
// recorded: a counting sort. It returns the groups of alike ones in order.
func (c *compiler) levels() (sorted []group) {
	groups, heads := append(c.groups[:0], group{}), append(c.heads[:0], 0) // heads: the first group of each level
	groupOf := zeroed(&c.byNode, c.Len())
	level := func(i int32) int32 { return groups[groupOf[i]].level }
	total := 0
	for i, n := range c.Nodes {
		if !c.live(i) || n.Op == op.Const {
			continue
		}
		total++
		at := int32(1)
		switch k := n.Op.Operands(); {
		case k == 2:
			at += max(level(n.A), level(n.B))
		case k == 1:
			at += level(n.A)
		case n.Op == op.Call && n.B > 0: // that of the first output
			at = level(i - n.B)
		default:
			for _, j := range c.List(n) {
				at = max(at, 1+level(j))
			}
		}
		if int(at) == len(heads) {
			heads = append(heads, 0)
		}
		k := heads[at]
		for k > 0 && groups[k].op != n.Op {
			k = groups[k].next
		}
		if k == 0 {
			k = int32(len(groups))
			groups = append(groups, group{op: n.Op, level: at, next: heads[at]})
			heads[at] = k
		}
		groups[k].end++
		groupOf[i] = k
	}
	order, end := c.order[:0], int32(0)
	for _, k := range heads[1:] {
		first := len(order)
		for ; k > 0; k = groups[k].next {
			order = append(order, k)
		}
		slices.SortFunc(order[first:], func(i, j int32) int { return int(groups[i].op) - int(groups[j].op) })
		for _, k := range order[first:] {
			groups[k].end, end = end, end+groups[k].end // where the next of its nodes goes
		}
	}
	ids := zeroed(&c.ids, total)
	for i, k := range groupOf {
		if k > 0 {
			g := &groups[k]
			ids[g.end] = int32(i)
			g.end++
		}
	}
	c.groups, c.heads, c.order = groups, heads, order
	for _, k := range order {
		sorted = append(sorted, groups[k])
	}
	return sorted
}
