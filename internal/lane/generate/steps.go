package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Numbers in even steps of memory, which vector instructions cannot load or store:
// four at a time in a register, each to or from its place.

// walk is a pointer that goes in steps, in bytes, and the pointer two steps on.
type walk struct{ p, step, second reg.Register }

func newWalk(x, at, step string) walk {
	w := walk{Load(Param(x).Base(), GP64()), Load(Param(step), GP64()), GP64()}
	first := Load(Param(at), GP64())
	LEAQ(Mem{Base: w.p, Index: first, Scale: 8}, w.p)
	SHLQ(U8(3), w.step)
	return w
}

// places are the next four places.
func (w walk) places() [4]Mem {
	LEAQ(Mem{Base: w.p, Index: w.step, Scale: 2}, w.second)
	return [4]Mem{{Base: w.p}, {Base: w.p, Index: w.step, Scale: 1}, {Base: w.second}, {Base: w.second, Index: w.step, Scale: 1}}
}

func (w walk) next4() { LEAQ(Mem{Base: w.p, Index: w.step, Scale: 4}, w.p) }

// fours does four numbers at a time and then one at a time, n in all.
func fours(n reg.Register, four, one func()) {
	align()
	Label("fours")
	SUBQ(U8(4), n)
	JLT(LabelRef("rest"))
	four()
	JMP(LabelRef("fours"))
	Label("rest")
	ADDQ(U8(4), n)
	Label("ones")
	DECQ(n)
	JLT(LabelRef("end"))
	one()
	JMP(LabelRef("ones"))
	Label("end")
}

func writeSteps() {
	TEXT("gatherStepsAVX2", attr.NOSPLIT, "func(dst, x []float64, at, step int)")
	Pragma("noescape")
	w, dst, n := newWalk("x", "at", "step"), Load(Param("dst").Base(), GP64()), Load(Param("dst").Len(), GP64())
	fours(n, func() {
		p := w.places()
		low, high, all := XMM(), XMM(), YMM()
		VMOVSD(p[0], low)
		VMOVHPD(p[1], low, low)
		VMOVSD(p[2], high)
		VMOVHPD(p[3], high, high)
		VINSERTF128(U8(1), high, low.AsY(), all)
		VMOVUPD(all, Mem{Base: dst})
		w.next4()
		ADDQ(U8(32), dst)
	}, func() {
		t := XMM()
		VMOVSD(Mem{Base: w.p}, t)
		VMOVSD(t, Mem{Base: dst})
		ADDQ(w.step, w.p)
		ADDQ(U8(8), dst)
	})
	VZEROUPPER()
	RET()

	TEXT("scatterStepsAVX2", attr.NOSPLIT, "func(x, src []float64, at, step int) (total float64)")
	Pragma("noescape")
	w = newWalk("x", "at", "step")
	src := Load(Param("src").Base(), GP64())
	n = Load(Param("src").Len(), GP64())
	total, one := YMM(), XMM()
	VXORPD(total, total, total)
	VXORPD(one, one, one)
	add := func(v reg.VecVirtual, to Mem) {
		t := XMM()
		VADDSD(to, v, t)
		VMOVSD(t, to)
	}
	fours(n, func() {
		p := w.places()
		v, low, high := YMM(), XMM(), XMM()
		VMOVUPD(Mem{Base: src}, v)
		VADDPD(v, total, total)
		add(v.AsX().(reg.VecVirtual), p[0])
		VUNPCKHPD(v.AsX(), v.AsX(), low)
		add(low, p[1])
		VEXTRACTF128(U8(1), v, high)
		add(high, p[2])
		VUNPCKHPD(high, high, low)
		add(low, p[3])
		w.next4()
		ADDQ(U8(32), src)
	}, func() {
		v := XMM()
		VMOVSD(Mem{Base: src}, v)
		VADDSD(v, one, one)
		add(v, Mem{Base: w.p})
		ADDQ(w.step, w.p)
		ADDQ(U8(8), src)
	})
	half := XMM()
	VEXTRACTF128(U8(1), total, half)
	VADDPD(total.AsX(), half, half)
	VADDPD(one, half, half)
	VHADDPD(half, half, half)
	VZEROUPPER()
	Store(half, ReturnIndex(0))
	RET()
}
