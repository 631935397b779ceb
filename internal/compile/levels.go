package compile

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// group is the nodes of one level and operation.
type group struct {
	op   op.Code
	next int32 // another group of the level, its number + 1; 0 if there is none
	end  int32 // how many nodes there are, then where they end in ids
}

// levels finds the level of each live operation and makes ids these operations, level
// by level, in a level by operation, and else as they were recorded: a counting
// sort. It returns the groups of alike ones in order.
func (c *compiler) levels() (order []group) {
	groups, heads := c.groups[:0], c.heads[:0] // heads: the first group of each level, its number + 1
	level, groupOf := zeroed(&c.level, c.Len()), zeroed(&c.groupOf, c.Len())
	total := 0
	for i, n := range c.Nodes {
		if !c.live(i) || n.Op == op.Const {
			continue
		}
		total++
		below := int32(0)
		switch k := n.Op.Operands(); {
		case k == 2:
			below = max(level[n.A], level[n.B])
		case k == 1:
			below = level[n.A]
		case n.Op == op.Call && n.B > 0: // the level of the first output
			below = level[i-n.B] - 1
		default:
			for _, j := range c.List(n) {
				below = max(below, level[j])
			}
		}
		if int(below) == len(heads) {
			heads = append(heads, 0)
		}
		k := heads[below]
		for k > 0 && groups[k-1].op != n.Op {
			k = groups[k-1].next
		}
		if k == 0 {
			groups = append(groups, group{next: heads[below], op: n.Op})
			k = int32(len(groups))
			heads[below] = k
		}
		groups[k-1].end++
		groupOf[i], level[i] = k-1, below+1
	}
	sorted, at := c.sorted[:0], int32(0)
	for _, k := range heads {
		first := len(sorted)
		for ; k > 0; k = groups[k-1].next {
			sorted = append(sorted, k-1)
		}
		slices.SortFunc(sorted[first:], func(i, j int32) int { return int(groups[i].op) - int(groups[j].op) })
		for _, k := range sorted[first:] {
			groups[k].end, at = at, at+groups[k].end // where the next of its nodes goes
		}
	}
	ids := zeroed(&c.ids, total)
	for i, l := range level {
		if l > 0 {
			g := &groups[groupOf[i]]
			ids[g.end] = int32(i)
			g.end++
		}
	}
	c.groups, c.heads, c.sorted = groups, heads, sorted
	order = make([]group, len(sorted))
	for k, g := range sorted {
		order[k] = groups[g]
	}
	return order
}
