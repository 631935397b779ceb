package compile

import (
	"math"

	"github.com/hesse-ad/hesse/internal/op"
)

// maxGroups is how many different constants, or distances between operands, sortLanes
// tells apart; if there are more, it sorts by operand alone.
const maxGroups = 16

// sortLanes orders alike nodes, placed from at on, so that their operands become
// consecutive. A loop with several operations of one kind in its body records them
// in turn: of Scale(x₀, 3), Scale(x₀, 5), Scale(x₁, 3), Scale(x₁, 5), … those by 3
// come first. Groups are told apart by the constant, or by the distance between the
// two operands; within a group the first operand decides.
func (p *placer) sortLanes(code op.Code, ids []int32, at int32) {
	var groups [maxGroups]uint64
	count := 0
	keys := p.from.key[:0] // the number of the group in the upper half, the first operand in the lower
	lo, hi := int32(math.MaxInt32), int32(0)
	end := at + int32(len(ids))
	as, bs, cs := p.FirstArgs(at, end), p.SecondArgs(at, end), p.Constants(at, end)
	for k, a := range as {
		lo, hi = min(lo, a), max(hi, a)
		g := math.Float64bits(cs[k])
		if code.Operands() == 2 {
			g = uint64(bs[k] - a)
		}
		number := 0
		if count <= maxGroups {
			for number < count && groups[number] != g {
				number++
			}
			if number == count {
				if count < maxGroups {
					groups[count] = g
				}
				count++
			}
		}
		keys = append(keys, uint64(number)<<32|uint64(a))
	}
	if count > maxGroups {
		count = 0
	}
	width := uint64(hi-lo) + 1
	for i, k := range keys {
		number, a := k>>32, k&math.MaxUint32-uint64(lo)
		if count == 0 {
			number = 0
		}
		keys[i] = number*width + a
	}
	p.from.key = keys
	p.from.radixSort(ids, uint64(max(count, 1))*width)
}

// radixSort sorts ids by key, all below top, least significant digits first.
func (c *compiler) radixSort(ids []int32, top uint64) {
	const digit = 11
	c.other = append(c.other[:0], c.key...)
	from, to := c.key, c.other
	src, dst := ids, make([]int32, len(ids))
	for shift := 0; shift < 64 && top>>shift > 0; shift += digit {
		var at [1<<digit + 1]int32
		for _, k := range from {
			at[(k>>shift)&(1<<digit-1)+1]++
		}
		for k := range 1 << digit {
			at[k+1] += at[k]
		}
		for j, k := range from {
			d := (k >> shift) & (1<<digit - 1)
			to[at[d]], dst[at[d]] = k, src[j]
			at[d]++
		}
		from, to = to, from
		src, dst = dst, src
	}
	if len(ids) > 0 && &src[0] != &ids[0] {
		copy(ids, src)
	}
}
