package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Rows of a matrix, of which four at a time are gone through: what package lane says a
// function of the name does.

// header is how many bytes a slice has in an array of slices.
const header = 24

// quads are the rows four at a time, from the first or from the last.
type quads struct {
	w         [4]reg.Register // where they are
	at        reg.Register    // the number of the first
	backwards bool
}

// each does body for each four rows.
func (q *quads) each(body func()) {
	q.at = GP64()
	count := Load(Param("rows").Len(), GP64())
	if q.backwards {
		MOVQ(count, q.at)
	} else {
		XORQ(q.at, q.at)
	}
	Label("quad")
	if q.backwards {
		SUBQ(U8(4), q.at)
		JLT(LabelRef("done"))
	} else {
		CMPQ(q.at, Load(Param("rows").Len(), GP64()))
		JGE(LabelRef("done"))
	}
	body()
	if !q.backwards {
		ADDQ(U8(4), q.at)
	}
	JMP(LabelRef("quad"))
	Label("done")
	VZEROUPPER()
	RET()
}

// place loads the number of the first element of row r.
func (q *quads) place(r int) reg.Register {
	p := GP64()
	MOVLQSX(Mem{Base: Load(Param("rows").Base(), GP64()), Index: q.at, Scale: 4, Disp: 4 * r}, p)
	return p
}

func (q *quads) load() {
	for r := range q.w {
		q.w[r] = q.place(r)
	}
	w := Load(Param("w").Base(), GP64())
	for r := range q.w {
		LEAQ(at(w, q.w[r]), q.w[r])
	}
}

// node is the number of the quad's first node.
func (q *quads) node() reg.Register {
	i := Load(Param("i"), GP64())
	ADDQ(q.at, i)
	return i
}

// eachArray does body for as many of the arrays as there are, step at a time, while at
// least step are left; the pointer is to their headers.
func eachArray(name string, left, headers reg.Register, step int, body func()) {
	Label(name)
	SUBQ(U8(uint8(step)), left)
	JLT(LabelRef(name + "End"))
	body()
	ADDQ(U8(uint8(header*step)), headers)
	JMP(LabelRef(name))
	Label(name + "End")
	ADDQ(U8(uint8(step)), left)
}

// broadcast is a number of memory in all lanes.
func broadcast(from Mem) reg.VecVirtual {
	y := YMM()
	VBROADCASTSD(from, y)
	return y
}

// column is one element of each row.
func column(w [4]reg.Register, k reg.Register) reg.VecVirtual {
	low, high, all := XMM(), XMM(), YMM()
	VMOVSD(at(w[0], k), low)
	VMOVHPD(at(w[1], k), low, low)
	VMOVSD(at(w[2], k), high)
	VMOVHPD(at(w[3], k), high, high)
	VINSERTF128(U8(1), high, low.AsY(), all)
	return all
}

// columns is four elements of each row, one of each row in a register.
func columns(w [4]reg.Register, k reg.Register) (c [4]reg.VecVirtual) {
	var row, pair [4]reg.VecVirtual
	for r := range row {
		row[r], pair[r], c[r] = YMM(), YMM(), YMM()
		VMOVUPD(at(w[r], k), row[r])
	}
	VUNPCKLPD(row[1], row[0], pair[0])
	VUNPCKHPD(row[1], row[0], pair[1])
	VUNPCKLPD(row[3], row[2], pair[2])
	VUNPCKHPD(row[3], row[2], pair[3])
	VPERM2F128(U8(0x20), pair[2], pair[0], c[0])
	VPERM2F128(U8(0x20), pair[3], pair[1], c[1])
	VPERM2F128(U8(0x31), pair[2], pair[0], c[2])
	VPERM2F128(U8(0x31), pair[3], pair[1], c[3])
	return c
}

// writeMulRows has four sums in the lanes of a register, of four arrays at a time: their
// additions need not wait for each other.
func writeMulRows() {
	TEXT("mulRowsAVX2", attr.NOSPLIT, "func(xs [][]float64, i, at int, w []float64, rows []int32, n int)")
	Pragma("noescape")
	var q quads
	q.each(func() {
		q.load()
		headers, left := Load(Param("xs").Base(), GP64()), Load(Param("xs").Len(), GP64())
		arrays := func(name string, count int) {
			eachArray(name, left, headers, count, func() {
				x, sum := make([]reg.Register, count), make([]reg.VecVirtual, count)
				i, start := q.node(), Load(Param("at"), GP64())
				for s := range x {
					x[s], sum[s] = GP64(), YMM()
					MOVQ(Mem{Base: headers, Disp: header * s}, x[s])
					VMOVUPD(at(x[s], i), sum[s])
					LEAQ(at(x[s], start), x[s])
				}
				k, n := GP64(), Load(Param("n"), GP64())
				add := func(c reg.VecVirtual, offset int) {
					for s := range x {
						p := broadcast(at(x[s], k).Offset(8 * offset))
						VMULPD(p, c, p)
						VADDPD(p, sum[s], sum[s])
					}
				}
				XORQ(k, k)
				SUBQ(U8(4), n)
				JLT(LabelRef(name + "Rest"))
				align()
				Label(name + "Columns")
				for j, c := range columns(q.w, k) {
					add(c, j)
				}
				ADDQ(U8(4), k)
				CMPQ(k, n)
				JLE(LabelRef(name + "Columns"))
				Label(name + "Rest")
				ADDQ(U8(4), n)
				Label(name + "Column")
				CMPQ(k, n)
				JGE(LabelRef(name + "Done"))
				add(column(q.w, k), 0)
				INCQ(k)
				JMP(LabelRef(name + "Column"))
				Label(name + "Done")
				i = q.node()
				for s := range x {
					MOVQ(Mem{Base: headers, Disp: header * s}, x[s])
					VMOVUPD(sum[s], at(x[s], i))
				}
			})
		}
		arrays("four", 4)
		arrays("one", 1)
	})
}

// incomplete is the mask of what is left of n lanes after all groups of four; four are
// taken from n.
func incomplete(n reg.Register) mask {
	rest := GP64()
	MOVQ(n, rest)
	ANDQ(U8(3), rest)
	SUBQ(U8(4), n)
	return tail(rest)
}

func writeAxpyRows() {
	TEXT("axpyRowsAVX2", attr.NOSPLIT, "func(xs [][]float64, i, at int, w []float64, rows []int32, n int)")
	Pragma("noescape")
	n := Load(Param("n"), GP64())
	m := incomplete(n)
	q := quads{backwards: true}
	q.each(func() {
		q.load()
		headers, left := Load(Param("xs").Base(), GP64()), Load(Param("xs").Len(), GP64())
		eachArray("array", left, headers, 1, func() {
			x, k := GP64(), GP64()
			MOVQ(Mem{Base: headers}, x)
			i := q.node()
			var g [4]reg.VecVirtual
			for r := range g {
				g[r] = broadcast(at(x, i).Offset(8 * r))
			}
			LEAQ(at(x, Load(Param("at"), GP64())), x)
			sum := func(w func(r int) value) value {
				t := mul(g[0], w(0))
				for r := 1; r < 4; r++ {
					t = add(t, mul(g[r], w(r)))
				}
				return t
			}
			XORQ(k, k)
			lanes("lanes", n, k, func() {
				t := sum(func(r int) value { return at(q.w[r], k) })
				VMOVUPD(add(t, at(x, k)), at(x, k))
			}, func() {
				t := sum(func(r int) value { return some(m, at(q.w[r], k)) })
				storeSome(m, add(t, some(m, at(x, k))), at(x, k))
			})
		})
	})
}

// writeAxpy2Rows does row after row, which may lie over each other.
func writeAxpy2Rows() {
	TEXT("axpy2RowsAVX2", attr.NOSPLIT, "func(us, ts [][]float64, i, at int, rows []int32, x, c []float64)")
	Pragma("noescape")
	x, n := Load(Param("x").Base(), GP64()), Load(Param("x").Len(), GP64())
	m := incomplete(n)
	q := quads{backwards: true}
	q.each(func() {
		headers, left := Load(Param("us").Base(), GP64()), Load(Param("us").Len(), GP64())
		others := Load(Param("ts").Base(), GP64())
		eachArray("array", left, headers, 1, func() {
			t := GP64()
			MOVQ(Mem{Base: others}, t)
			ADDQ(U8(header), others)
			LEAQ(at(t, Load(Param("at"), GP64())), t)
			for r := range 4 {
				u, k := GP64(), GP64()
				MOVQ(Mem{Base: headers}, u)
				g := broadcast(at(u, q.node()).Offset(8 * r))
				c := broadcast(at(Load(Param("c").Base(), GP64()), q.at).Offset(8 * r))
				LEAQ(at(u, q.place(r)), u)
				XORQ(k, k)
				lanes("row"+string('0'+byte(r)), n, k, func() {
					VMOVUPD(add(add(mul(g, at(x, k)), mul(c, at(t, k))), at(u, k)), at(u, k))
				}, func() {
					y := add(mul(g, some(m, at(x, k))), mul(c, some(m, at(t, k))))
					storeSome(m, add(y, some(m, at(u, k))), at(u, k))
				})
			}
		})
	})
}

// writeAxpyTiles does row after row, each times a number of its own.
func writeAxpyTiles() {
	TEXT("axpyTilesAVX2", attr.NOSPLIT, "func(x []float64, tiles []int32, g, w []float64, rows []int32, n int)")
	Pragma("noescape")
	n, x, w := Load(Param("n"), GP64()), Load(Param("x").Base(), GP64()), Load(Param("w").Base(), GP64())
	m := incomplete(n)
	tiles, g, rows := Load(Param("tiles").Base(), GP64()), Load(Param("g").Base(), GP64()), Load(Param("rows").Base(), GP64())
	i, row, to, k := GP64(), GP64(), GP64(), GP64()
	XORQ(i, i)
	Label("tile")
	CMPQ(i, Load(Param("tiles").Len(), GP64()))
	JGE(LabelRef("done"))
	MOVLQSX(Mem{Base: rows, Index: i, Scale: 4}, row)
	LEAQ(at(w, row), row)
	MOVLQSX(Mem{Base: tiles, Index: i, Scale: 4}, to)
	LEAQ(at(x, to), to)
	c := broadcast(at(g, i))
	XORQ(k, k)
	lanes("lanes", n, k, func() {
		VMOVUPD(add(mul(c, at(row, k)), at(to, k)), at(to, k))
	}, func() {
		storeSome(m, add(mul(c, some(m, at(row, k))), some(m, at(to, k))), at(to, k))
	})
	INCQ(i)
	JMP(LabelRef("tile"))
	Label("done")
	VZEROUPPER()
	RET()
}

// some is the lanes m, the others 0.
func some(m mask, from Mem) value {
	y := YMM()
	loadSome(m, from, y)
	return y
}

// lanes does groups of four lanes from k on, those of the last one by rest; n is four
// less than how many lanes there are.
func lanes(name string, n, k reg.Register, group, rest func()) {
	CMPQ(k, n)
	JGT(LabelRef(name + "Rest"))
	align()
	Label(name)
	group()
	ADDQ(U8(4), k)
	CMPQ(k, n)
	JLE(LabelRef(name))
	Label(name + "Rest")
	left := GP64()
	LEAQ(Mem{Base: n, Disp: 4}, left)
	CMPQ(k, left)
	JGE(LabelRef(name + "Done"))
	rest()
	Label(name + "Done")
}
