package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sum is a loop that adds up a number a lane. In order it is added in four
// strands, lane i to strand i mod 4 but those of an incomplete group to the first
// one, and the strands as (s₀ + s₁) + (s₂ + s₃); else in any order.
type sum struct {
	name    string
	kind    kind
	ordered bool
	body    func(x []value) (term value, dst []value)
}

var sums = []sum{
	{"sum", kind{src: []string{"x"}}, true, func(x []value) (value, []value) { return x[0], nil }},
	{"sumMulScale", kind{src: []string{"x", "y"}, constants: []string{"c"}}, true, func(x []value) (value, []value) {
		return mul(mul(x[0], x[1]), x[2]), nil
	}},
	{"sumAny", kind{src: []string{"x"}}, false, func(x []value) (value, []value) { return x[0], nil }},
	{"accumulate", kind{dst: []string{"dst"}, src: []string{"dst", "x"}}, false, func(x []value) (value, []value) {
		return x[1], []value{add(x[0], x[1])}
	}},
}

func (s *sum) write() {
	TEXT(kernel(s.name), attr.NOSPLIT, "func("+s.kind.parameters()+") (sum float64)")
	Pragma("noescape")
	dst, src, constants, n := s.kind.load()
	i := GP64()
	XORQ(i, i)
	strands := make([]reg.VecVirtual, unroll)
	if s.ordered {
		strands = strands[:1]
	}
	for k := range strands {
		strands[k] = YMM()
		VXORPD(strands[k], strands[k], strands[k])
	}
	groups := func(count int) {
		for g := range count {
			var x []value
			for _, p := range src {
				r := newRegister()
				VMOVUPD(at(p, i).Offset(8*width*g), r)
				x = append(x, r)
			}
			t, y := s.body(append(x, constants...))
			strand := strands[g%len(strands)]
			VADDPD(t, strand, strand)
			for k, y := range y {
				VMOVUPD(y, at(dst[k], i).Offset(8*width*g))
			}
		}
		ADDQ(U32(width*count), i)
	}
	inGroups(n, i, groups)
	Label("tail")
	SUBQ(i, n)
	JEQ(LabelRef("done"))
	m := tail(n)
	var x []value
	for _, p := range src {
		r := newRegister()
		loadSome(m, at(p, i), r)
		x = append(x, r)
	}
	t, y := s.body(append(x, constants...))
	for k, y := range y {
		storeSome(m, y, at(dst[k], i))
	}
	rest := keep(m, t).(reg.VecVirtual)
	first, high := strands[0], XMM()
	// An addition to the first lane alone clears those above the second.
	upper := XMM()
	VEXTRACTF128(U8(1), first, upper)
	lower := XMM()
	VMOVAPD(first.AsX(), lower)
	VADDSD(rest.AsX(), lower, lower)
	second := XMM()
	VUNPCKHPD(rest.AsX(), rest.AsX(), second)
	VADDSD(second, lower, lower)
	VEXTRACTF128(U8(1), rest, high)
	VADDSD(high, lower, lower)
	VINSERTF128(U8(1), upper, lower.AsY(), first)
	Label("done")
	for len(strands) > 1 {
		half := len(strands) / 2
		for k, b := range strands[half:] {
			VADDPD(b, strands[k], strands[k])
		}
		strands = strands[:half]
	}
	h := XMM()
	VEXTRACTF128(U8(1), strands[0], h)
	l := XMM()
	VHADDPD(h, strands[0].AsX(), l)
	u := XMM()
	VUNPCKHPD(l, l, u)
	VADDSD(u, l, l)
	VZEROUPPER()
	Store(l, ReturnIndex(0))
	RET()
}
