package compile

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// group is the nodes of one level and operation. Group 0 is the nodes that are no
// operations.
type group struct {
	op    op.Code
	level int32
	next  int32 // another group of the level, 0 if there is none
	end   int32 // while counting, how many nodes there are; then, where they end in ids
}

// levels finds the level of each operation, counted from 1, and sorts the operations into
// ids: by level, within a level by operation code, and otherwise as they were recorded. It
// is a counting sort. It returns the groups of one level and code in this order.
func (c *compiler) levels() (sorted []group) {
	groups, heads := append(c.groups[:0], group{}), append(c.heads[:0], 0) // heads: the first group of each level
	groupOf := tape.Zeroed(&c.byNode, c.Len())
	level := func(i int32) int32 { return groups[groupOf[i]].level }
	for i := int32(c.Base()); int(i) < c.Len(); i++ {
		code, at := c.Op(i), int32(1)
		switch a, b := c.Args(i); code.Operands() {
		case 2:
			at += max(level(a), level(b))
		case 1:
			at += level(a)
		default:
			if first := c.FirstOutput(i); first < i {
				at = level(first)
				break
			}
			c.EachOperand(i, func(j int32) { at = max(at, 1+level(j)) })
		}
		if int(at) == len(heads) {
			heads = append(heads, 0)
		}
		k := heads[at]
		for k > 0 && groups[k].op != code {
			k = groups[k].next
		}
		if k == 0 {
			k = int32(len(groups))
			groups = append(groups, group{op: code, level: at, next: heads[at]})
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
	ids := tape.Zeroed(&c.ids, c.Ops())
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
