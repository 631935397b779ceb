package main

import (
	"log"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kind is what a kernel computes from what: arrays dst from arrays src and numbers
// that are the same in all lanes.
type kind struct {
	name      string // of its type in package lane, of functions
	dst, src  []string
	constants []string
}

// The kinds of functions.
var (
	unary    = kind{name: "unary", dst: []string{"dst"}, src: []string{"x"}}
	unaryTwo = kind{name: "unaryTwo", dst: []string{"dst", "dst2"}, src: []string{"x"}}
	binary   = kind{name: "binary", dst: []string{"dst"}, src: []string{"x", "y"}}
)

// partial is a kind of functions: the partials, of an order, of the operations of a class.
type partial struct {
	kind
	class op.Class
	order int
}

var partials = []partial{
	{kind{name: "first", dst: []string{"d"}, src: []string{"x", "c", "v"}}, op.Unary, 1},
	{kind{name: "second", dst: []string{"dd"}, src: []string{"x", "c", "v", "d"}}, op.Unary, 2},
	{kind{name: "first2", dst: []string{"dx", "dy"}, src: []string{"x", "y", "v"}}, op.Binary, 1},
	{kind{name: "second2", dst: []string{"dxx", "dxy", "dyy"}, src: []string{"x", "y", "v", "dx", "dy"}}, op.Binary, 2},
}

// sources is what a rule of the operation takes: most have no constant.
func (k kind) sources(code op.Code) []string {
	if code.Constant() == op.NoConstant {
		return slices.DeleteFunc(slices.Clone(k.src), func(x string) bool { return x == "c" })
	}
	return k.src
}

// arguments are the arguments of a call.
func (k kind) arguments() string {
	return strings.Join(slices.Concat(k.arrays(), k.constants), ", ")
}

// parameters are the parameters in Go.
func (k kind) parameters() string {
	s := strings.Join(k.arrays(), ", ") + " []float64"
	if len(k.constants) > 0 {
		s += ", " + strings.Join(k.constants, ", ") + " float64"
	}
	return s
}

// function is a function of numbers, of which a kernel computes as many lanes as
// it can: it ends before the first group of lanes with one that except leaves
// out, and returns how many lanes it has done.
//
// All arguments must be in the main range where they are 1, which fills the last
// group.
type function struct {
	name  string
	code  op.Code // the operation; Const for functions that are none
	kind  kind
	wide  bool // there is a kernel for AVX-512, too
	plain bool // the scalar rule is plain Go that does not round each product
	short bool // a few instructions that hold for all numbers: written as a loop
	body  func(x []value) []value
}

func (f *function) widths() []int {
	if f.wide {
		return []int{4, 8}
	}
	return []int{4}
}

// kernel is the name of the function's kernel of the present width.
func kernel(name string) string {
	if wide() {
		return name + "AVX512"
	}
	return name + "AVX2"
}

// load loads where the arrays are, the constants and the length.
func (k kind) load() (dst, src []reg.Register, constants []value, n reg.Register) {
	base := map[string]reg.Register{}
	for _, p := range slices.Concat(k.dst, k.src) {
		if base[p] == nil {
			base[p] = Load(Param(p).Base(), GP64())
		}
	}
	for _, p := range k.dst {
		dst = append(dst, base[p])
	}
	for _, p := range k.src {
		src = append(src, base[p])
	}
	for _, p := range k.constants {
		m, err := Param(p).Resolve()
		if err != nil {
			log.Fatal(err)
		}
		c := newRegister()
		VBROADCASTSD(m.Addr, c)
		constants = append(constants, c)
	}
	return dst, src, constants, Load(Param(k.arrays()[0]).Len(), GP64())
}

// arrays are the names of the arrays, one that is both read and written once.
func (k kind) arrays() (all []string) {
	for _, p := range slices.Concat(k.dst, k.src) {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

func at(p, i reg.Register) Mem { return Mem{Base: p, Index: i, Scale: 8} }

// align has the next instruction begin a line of the cache of instructions.
func align() {
	Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(32)}})
}

func (f *function) write() {
	if f.short {
		(&loop{f.name, f.kind, f.body}).write()
		return
	}
	TEXT(kernel(f.name), attr.NOSPLIT, "func("+f.kind.parameters()+") (done int)")
	Pragma("noescape")
	dst, src, constants, n := f.kind.load()
	i, left := GP64(), GP64()
	XORQ(i, i)
	x := make([]value, len(src))
	for k := range x {
		x[k] = newRegister()
	}
	align()
	Label("group")
	MOVQ(n, left)
	SUBQ(i, left)
	CMPQ(left, U8(width))
	JLT(LabelRef("tail"))
	for k, p := range src {
		VMOVUPD(at(p, i), x[k])
	}
	Label("lanes")
	y := f.body(slices.Concat(x, constants))
	CMPQ(left, U8(width))
	JLT(LabelRef("last"))
	for k, p := range dst {
		VMOVUPD(inRegister(y[k]), at(p, i))
	}
	ADDQ(U8(width), i)
	JMP(LabelRef("group"))

	Label("tail")
	TESTQ(left, left)
	JEQ(LabelRef("done"))
	m := tail(left)
	one := num(1)
	for k, p := range src {
		loadSome(m, at(p, i), x[k])
		fill := choose(m, x[k], one)
		VMOVUPD(fill, x[k])
	}
	JMP(LabelRef("lanes"))

	Label("last")
	m = tail(left)
	for k, p := range dst {
		storeSome(m, inRegister(y[k]), at(p, i))
	}
	MOVQ(n, i)
	Label("done")
	VZEROUPPER()
	Store(i, Return("done"))
	RET()
}

// tails is the masks of groups with fewer lanes, overlapping.
const tails = "tails"

func writeTails() {
	GLOBL(tails, attr.RODATA|attr.NOPTR)
	for k := range 8 {
		u := U64(0)
		if k < 4 {
			u = 1<<64 - 1
		}
		DATA(8*k, u)
	}
}

// tail is the mask of the first lanes, as many as left says, fewer than width.
func tail(left reg.Register) mask {
	if wide() {
		m, k := GP32(), K()
		MOVL(U32(1<<width-1), m)
		t := GP32()
		BZHIL(left.(reg.GP).As32(), m, t)
		KMOVB(t, k)
		return k
	}
	p, d := GP64(), YMM()
	LEAQ(Mem{Symbol: Symbol{Name: tails, Static: true}, Base: reg.StaticBase, Disp: 8 * width}, p)
	back := GP64()
	MOVQ(left, back)
	NEGQ(back)
	VMOVUPD(at(p, back), d)
	return d
}

// loadSome sets x to the lanes m, the others to 0.
func loadSome(m mask, from Mem, x value) {
	if wide() {
		VMOVUPD_Z(from, m, x)
		return
	}
	VMASKMOVPD(from, m, x)
}

// storeSome stores the lanes m of x.
func storeSome(m mask, x value, to Mem) {
	if wide() {
		VMOVUPD(x, m, to)
		return
	}
	VMASKMOVPD(x, m, to)
}

// loop is arithmetic on whole arrays, all lanes alike.
type loop struct {
	name string
	kind kind
	body func(x []value) []value
}

// inGroups does the lanes from i on with groups, which does as many groups of
// lanes as told and adds to i, while a whole group is left of n lanes.
func inGroups(n, i reg.Register, groups func(count int)) {
	many, few := GP64(), GP64()
	LEAQ(Mem{Base: n, Disp: -width * unroll}, many)
	LEAQ(Mem{Base: n, Disp: -width}, few)
	CMPQ(i, many)
	JGT(LabelRef("few"))
	align()
	Label("many")
	groups(unroll)
	CMPQ(i, many)
	JLE(LabelRef("many"))
	Label("few")
	CMPQ(i, few)
	JGT(LabelRef("tail"))
	groups(1)
	JMP(LabelRef("few"))
}

// unroll is how many groups of lanes a loop does in one turn.
const unroll = 4

func (l *loop) write() {
	inLoop = true
	defer func() { inLoop = false }()
	TEXT(kernel(l.name), attr.NOSPLIT, "func("+l.kind.parameters()+")")
	Pragma("noescape")
	dst, src, constants, n := l.kind.load()
	i := GP64()
	XORQ(i, i)
	// groups does count groups of lanes.
	groups := func(count int) {
		for g := range count {
			var x []value
			for _, p := range src {
				r := newRegister()
				VMOVUPD(at(p, i).Offset(8*width*g), r)
				x = append(x, r)
			}
			for k, y := range l.body(append(x, constants...)) {
				VMOVUPD(inRegister(y), at(dst[k], i).Offset(8*width*g))
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
	for k, y := range l.body(append(x, constants...)) {
		storeSome(m, inRegister(y), at(dst[k], i))
	}
	Label("done")
	VZEROUPPER()
	RET()
}
