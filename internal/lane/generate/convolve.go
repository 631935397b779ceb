package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeConvolve has the sums of some lanes in registers, and goes through the terms of these.
func writeConvolve(name string, weighted bool) {
	TEXT(name, attr.NOSPLIT, "func(dst, x, y []float64, up, down, terms, first int, scale float64)")
	Pragma("noescape")
	dst, n := Load(Param("dst").Base(), GP64()), Load(Param("dst").Len(), GP64())
	x, y := Load(Param("x").Base(), GP64()), Load(Param("y").Base(), GP64())
	up, down := Load(Param("up"), GP64()), Load(Param("down"), GP64())
	SHLQ(U8(3), up)
	SHLQ(U8(3), down)
	i, px, py, left := GP64(), GP64(), GP64(), GP64()
	XORQ(i, i)
	scale, err := Param("scale").Resolve()
	if err != nil {
		panic(err)
	}
	s, weight, first, one := broadcast(scale.Addr), YMM(), YMM(), YMM()
	if weighted {
		w := XMM()
		CVTSQ2SD(Load(Param("first"), GP64()), w)
		VBROADCASTSD(w, first)
		VMOVUPD(num(1), one)
	}
	loops := 0
	terms := func(sums []reg.VecVirtual, load func(p reg.Register, g int) value) {
		for _, r := range sums {
			VXORPD(r, r, r)
		}
		if weighted {
			VMOVAPD(first, weight)
		}
		LEAQ(at(x, i), px)
		LEAQ(at(y, i), py)
		Load(Param("terms"), left)
		loops++
		label := fmt.Sprint("terms", loops)
		align()
		Label(label)
		for g, r := range sums {
			t := load(px, g)
			if weighted {
				VMULPD(weight, t, t)
			}
			VMULPD(load(py, g), t, t)
			VADDPD(t, r, r)
		}
		if weighted {
			VADDPD(one, weight, weight)
		}
		ADDQ(up, px)
		SUBQ(down, py)
		DECQ(left)
		JNE(LabelRef(label))
		for _, r := range sums {
			VMULPD(s, r, r)
		}
	}
	inGroups(n, i, func(count int) {
		sums := make([]reg.VecVirtual, count)
		for g := range sums {
			sums[g] = YMM()
		}
		terms(sums, func(p reg.Register, g int) value {
			r := newRegister()
			VMOVUPD(Mem{Base: p}.Offset(8*width*g), r)
			return r
		})
		for g, r := range sums {
			VMOVUPD(r, at(dst, i).Offset(8*width*g))
		}
		ADDQ(U32(width*count), i)
	})
	Label("tail")
	SUBQ(i, n)
	JEQ(LabelRef("done"))
	m := tail(n)
	sum := YMM()
	terms([]reg.VecVirtual{sum}, func(p reg.Register, _ int) value {
		r := newRegister()
		loadSome(m, Mem{Base: p}, r)
		return r
	})
	storeSome(m, sum, at(dst, i))
	Label("done")
	VZEROUPPER()
	RET()
}
