package main

import (
	"flag"
	"fmt"
	"go/format"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var functions = flag.Int("functions", 60, "random functions that TestRandomFunctions lifts")

// A generator prints random plain Go.
type generator struct {
	rnd      *rand.Rand
	b        strings.Builder
	numbers  []string // variables in scope that may be assigned
	loops    []string // loop variables in scope
	closures []string
	depth    int
	names    int
}

func (g *generator) pick(s ...string) string { return s[g.rnd.IntN(len(s))] }

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) line(f string, args ...any) { fmt.Fprintf(&g.b, f+"\n", args...) }

// number is an expression; its values stay where no operation overflows.
func (g *generator) number(depth int) string {
	sub := func() string { return g.number(depth - 1) }
	if depth == 0 || g.rnd.IntN(6) == 0 {
		leaves := []string{"x[0]", "x[1]", "x[len(x)-1]", "0.5", "2", "d.W[1]", "d.C", "1.25", "m.next()"}
		leaves = append(leaves, g.numbers...)
		for _, i := range g.loops {
			leaves = append(leaves, "float64("+i+")", "x["+i+"%len(x)]", "d.W["+i+"%len(d.W)]")
		}
		return g.pick(leaves...)
	}
	switch g.rnd.IntN(13) {
	case 12:
		return "(m.next()" + g.pick(" + ", " - ", " * ") + "m.mixed(" + sub() + ", " + sub() + "))"
	case 0, 1, 2:
		return "(" + sub() + g.pick(" + ", " - ", " * ") + sub() + ")"
	case 3:
		return sub() + " / (3 + math.Abs(" + sub() + "))"
	case 4:
		return "-" + g.pick("x[0]", "x[1]", "d.C")
	case 5:
		return "math." + g.pick("Sin", "Cos", "Tanh", "Atan", "Abs", "Floor", "Trunc", "Erf") + "(" + sub() + ")"
	case 6:
		return g.pick("min", "max", "math.Hypot", "math.Atan2", "math.Max") + "(" + sub() + ", " + sub() + ")"
	case 7:
		return "math.Exp(-math.Abs(" + sub() + "))"
	case 8:
		return g.pick("mix", "pointOf", "twice", "total", "m.mixed") + "(" + sub() + ", " + sub() + ")"
	case 9:
		if len(g.closures) > 0 {
			return g.pick(g.closures...) + "(" + sub() + ")"
		}
		return "math.Sqrt(1 + " + g.squared() + ")"
	case 10:
		return "(pair{" + sub() + ", " + sub() + "}).norm()"
	}
	return g.squared()
}

func (g *generator) squared() string {
	v := g.pick(append([]string{"x[0]", "x[1]"}, g.numbers...)...)
	return v + " * " + v
}

func (g *generator) condition() string {
	operand := func() string { return g.pick(g.number(2), "m.mixed("+g.number(1)+", "+g.number(1)+")") }
	c := operand() + g.pick(" < ", " <= ", " > ", " >= ", " == ", " != ") + operand()
	switch g.rnd.IntN(5) {
	case 0:
		c = "!(" + c + ")"
	case 1:
		c += g.pick(" && ", " || ") + g.number(1) + " < " + g.number(1)
	}
	return c
}

func (g *generator) block() {
	numbers, loops, closures := len(g.numbers), len(g.loops), len(g.closures)
	g.depth++
	for range 1 + g.rnd.IntN(3) {
		g.statement()
	}
	g.depth--
	g.numbers, g.loops, g.closures = g.numbers[:numbers], g.loops[:loops], g.closures[:closures]
}

func (g *generator) target() string {
	return g.pick(append([]string{"s", "y[0]", "y[m.index()]", "y[len(y)-1]", "p.a", "q.b"}, g.numbers...)...)
}

func (g *generator) statement() {
	k := g.rnd.IntN(38)
	if g.depth > 2 && k >= 6 {
		k = g.rnd.IntN(6)
	}
	if k >= 17 {
		g.several(k)
		return
	}
	switch k {
	case 0, 1:
		g.line("%s %s %s", g.target(), g.pick("=", "+=", "-="), g.number(3))
	case 2:
		g.line("%s = math.Tanh(%s * %s)", g.target(), g.target(), g.number(2))
	case 3:
		v := g.name("v")
		g.line("%s := float64(%s)\n_ = %s", v, g.pick("0.0", g.number(3), g.number(3)), v)
		g.numbers = append(g.numbers, v)
	case 4:
		g.line("y = append(y, %s)", g.number(2))
	case 5:
		g.line("%s, %s = %s, %s", "s", "p.b", g.number(2), g.number(2))
	case 6, 7:
		g.line("if %s {", g.condition())
		g.block()
		if g.rnd.IntN(2) == 0 {
			g.line("} else {")
			g.block()
		}
		g.line("}")
	case 8:
		i := g.name("i")
		g.line("for %s := range %d {\n_ = %s", i, 1+g.rnd.IntN(4), i)
		g.loops = append(g.loops, i)
		g.block()
		g.loops = g.loops[:len(g.loops)-1]
		g.line("}")
	case 9:
		i, v := g.name("i"), g.name("v")
		g.line("for %s, %s := range %s {\n_ = %s", i, v, g.pick("x", "d.W", "y[:2]"), i)
		g.loops, g.numbers = append(g.loops, i), append(g.numbers, v)
		g.block()
		g.loops, g.numbers = g.loops[:len(g.loops)-1], g.numbers[:len(g.numbers)-1]
		g.line("s += %s", v)
		g.line("}")
	case 10:
		c, a := g.name("f"), g.name("a")
		g.line("%s := func(%s float64) float64 {", c, a)
		g.numbers = append(g.numbers, a)
		g.block()
		g.line("return %s\n}\n_ = %s", g.number(2), c)
		g.numbers = g.numbers[:len(g.numbers)-1]
		g.closures = append(g.closures, c)
	case 11:
		g.line("switch {\ncase %s:", g.condition())
		g.block()
		g.line("case %s:", g.condition())
		g.block()
		g.line("default:")
		g.block()
		g.line("}")
	case 12:
		g.line("p, q = q, pair{%s, p.a}", g.number(2))
	case 13:
		g.line("if %s {\nreturn %s\n}", g.condition(), g.number(2))
	case 14:
		a := g.name("a")
		g.numbers = append(g.numbers, a)
		body := g.number(2)
		g.numbers = g.numbers[:len(g.numbers)-1]
		g.line("y = append(y, each(%s, func(%s float64) float64 { return %s })...)", g.pick("x", "y[:2]", "d.W"), a, body)
	case 16:
		v, c := g.pick(append([]string{"s", "p.a", "q.b"}, g.numbers...)...), g.number(1)
		g.line("if %s %s %s {\n%s = %s\n}", v, g.pick("<", "<=", ">", ">="), c, v, g.pick(c, "-"+v, g.number(2)))
		g.line("if %s %s %s {\ns = %s\n} else {\ns = %s\n}", v, g.pick("<", "<=", ">", ">="), g.number(1), g.number(2), g.number(2))
	case 15:
		g.line("%s%s", g.target(), g.pick("++", "--"))
	}
}

// several prints statements in which numbers are one of several values, and types that
// are generic or local.
func (g *generator) several(k int) {
	v, w, c := g.name("v"), g.name("w"), g.number(1)
	switch k {
	case 17:
		g.line("if %s, ok := d.M[%q]; ok {\n%s *= %s\ns += %s\n}", v, g.pick("a", "b"), v, c, v)
	case 18:
		g.line("%s, %s := %s(%s, 3)\n%s *= %s\n_ = %s", v, w, g.pick("two", "m.both"), c, w, g.number(1), v)
		g.numbers = append(g.numbers, v, w)
	case 19:
		g.line("var (\n%s, %s float64 = %s, %s\nn%s int\nu%s, z%s float64\n)", v, w, g.pick("1", "d.C", c), g.pick("2", c), v, v, v)
		g.line("u%s += %s + float64(n%s)\n%s -= u%s\n_, _ = %s, z%s", v, g.number(1), v, w, v, v, v)
		g.numbers = append(g.numbers, v, w)
	case 20:
		g.line("for _, a := range []any{2, 0.5, \"x\"} {\nswitch %s := a.(type) {\ncase int:\ns += %s * float64(%s)\ncase float64:\n%s *= %s\ns -= %s\ndefault:\n%s = %s\n}\n}",
			v, c, v, v, g.number(1), v, g.target(), c)
	case 21:
		g.line("type %s struct{ u, v float64 }\n%s := [2]%s{{1, %s}, {v: 2}}\n%s[1].u += %s\n%s[0] = %s[1]\ns += %s[0].u * %s[0].v", v, w, v, c, w, g.number(1), w, w, w, w)
	case 22:
		g.line("%s = total%s", g.target(), g.pick("()", "("+c+", 2)", "(y[:2]...)", "(d.W...)", "(two("+c+", 1))"))
	case 23:
		g.line("%s := box[%s\n%s.put(%s)\ns += %s.get() / 2", v, g.pick("float64]{"+c+"}", "float64]{}", "float64]{1}"), v, g.pick("2", c, g.number(1)), v)
		g.line("%s := box[pair]{pair{1, %s}}\ns -= %s.get().b", w, g.pick("2", c), w)
	case 24:
		g.line("switch %s := float64(%s); %s {\ncase x[0] - %s, 0.375:", v, g.pick("d.C", c, "m.next()"), v, g.number(1))
		g.block()
		g.line("case 0.75:\ns++\n}")
	case 25:
		l := g.name("loop")
		g.line("%s:\nfor %s := range 3 {\nfor range 2 {\nif %s {\n%s %s\n}\n%s += %s\n_ = %s\n}\n}", l, v, g.condition(), g.pick("continue", "break"), l, g.target(), g.number(2), v)
	case 26:
		g.line("%s, %s = math.%s(%s)", g.pick("s", "p.a", "_"), g.pick("q.b", "y[0]", "_"), g.pick("Sincos", "Modf"), g.pick(c, "d.C"))
		g.line("_, %s := math.Lgamma(%s)\ns *= float64(%s)", v, c, v)
	case 27:
		g.line("%s := func(i int) (float64, bool) { return float64(i) %s, i < 2 }", v, g.pick("", "+ "+c))
		g.line("%s, ok%s := %s(m.index())\nif ok%s {\n%s -= %s\n}\ns += %s", w, w, v, w, w, g.number(1), w)
	case 28:
		g.line("%s = %s(%s)", g.target(), g.pick("mix", "twice", "pointOf", "total"), g.pick("two("+c+", 0.5)", "m.both("+c+", 0.5)", "math.Sincos("+c+")"))
	case 29:
		g.line("%s, %s := &s, new(float64(%s))\n*%s += *%s\n*%s %s %s\np.b = *%s", v, w, g.pick("0.5", c), v, w, w, g.pick("=", "+="), g.number(1), w)
	case 30:
		g.line("%s := map[int]float64{1: %s}\n%s[m.index()+1] %s %s\nif %s, ok := %s[2]; ok {\ns += %s\n}\ns += float64(len(%s))", v, c, v, g.pick("=", "="), g.number(1), w, v, w, v)
	case 31:
		g.line("for %s := range %s {\n%s -= %s\ns += %s\n}", v, g.pick("slices.Values(d.W)", "slices.Values(x)"), v, c, v)
		g.line("var %s, %s float64\nfor %s, %s = range map[float64]float64{0.5: %s} {\n%s *= %s\n}\ns += %s - %s", w, v, w, v, g.pick("2", c), w, g.number(1), w, v)
	case 32:
		g.line("%s, %s := p.norm, %s\ns += %s() * %s(%s)", v, w, g.pick("math.Sin", "math.Abs", "half"), v, w, c)
	case 34:
		g.line("%s, %s := complex(%s, %s), %s", v, w, c, g.number(1), g.pick("2i", "1 - 0.5i", "complex("+g.number(1)+", 0.25)", "complex(0.5, d.C)"))
		g.line("%s %s %s\nif %s == %s || real(%s) < 0.25 {\n%s = -%s\n}", v, g.pick("=", "+=", "*="), g.pick(w, "twist("+w+")", v+"*"+w), v, w, w, v, v)
		g.line("s += math.Tanh(real(%s / (3 + 1i + %s*cmplx.Conj(%s))))\n%s = math.Tanh(imag(%s) + cmplx.Abs(%s))", v, v, v, g.target(), g.pick(v, w, "cmplx.Exp("+w+")"), w)
	case 35:
		g.line("%s := func(v float64) (float64, error) {\nif v > 0.5 {\nreturn v, fmt.Errorf(\"%%.3f of %%.3g: %%v\", v, y[:2], m.next())\n}\nreturn v / 2, nil\n}", v)
		g.line("if %s, err := %s(%s); err != nil {\ns -= float64(len(err.Error()))\n} else {\n%s -= %s\n}", w, v, c, g.target(), w)
	case 36:
		g.line("%s = origin\n%s += hook(%s) + sine(%s)", g.pick("p", "q"), g.target(), c, g.number(1))
		g.line("for _, %s := range [][]float64{fixed, y} {\ns += %s[0] * %s\n}", v, v, c)
	case 37:
		g.line("%s := slices.Clone([]pair{p, origin})\n%s[1].a = %s\ns += dual.Detach(%s) * %s[0].a\n%s := map[float64]float64{dual.Value(%s): 0.5}\ns += %s[%s]", v, v, c, g.number(1), v, w, c, w, "dual.Value("+c+")")
	case 33:
		g.line("%s, %s := [3]pair{p, q}, &pair{b: %s}\n%s[1].a = %s\n%s[2], *%s = *%s, %s[0]\np = %s[m.index()]\ns += %s.b", v, w, c, v, g.number(1), v, w, w, v, v, w)
	}
}

const randomHead = `package main

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"github.com/hesse-ad/hesse/dual"
)

var (
	_ = slices.Values[[]int]
	_ = cmplx.Abs
	_ = fmt.Errorf
	_ = dual.Detach
)

var (
	origin = pair{0.5, 1}
	fixed  = []float64{0.25, 2}
	hook   = func(v float64) float64 { return v / (2 + v*v) }
	sine   = math.Sin
)

func twist(z complex128) complex128 { return complex(imag(z), -real(z)) }

type data struct {
	W []float64
	C float64
	M map[string]float64
}

type box[E any] struct{ e E }

func (b *box[E]) put(e E) { b.e = e }

func (b box[E]) get() E { return b.e }

func two(a, b float64) (float64, float64) {
	if b > 1 {
		return a, 2
	}
	return 1, b
}

func half(x float64) float64 { return x / 2 }

type pair struct{ a, b float64 }

func (p pair) norm() float64 { return math.Sqrt(1 + p.a*p.a + p.b*p.b) }

// A meter counts its calls, so that their order and number show.
type meter struct{ calls int }

func (m *meter) next() float64 { m.calls++; return float64(m.calls%5) / 4 }

func (m *meter) both(a, b float64) (float64, float64) { m.calls++; return a - float64(m.calls%2), b }

func (m *meter) index() int { m.calls++; return m.calls % 2 }

func (m *meter) mixed(a, b float64) float64 {
	if m.calls++; m.calls%2 == 0 {
		return a
	}
	return b
}

func each[A, B any](v []A, f func(A) B) (w []B) {
	for _, v := range v {
		w = append(w, f(v))
	}
	return w
}

func mix(a, b float64) float64 { return 0.25*a + 0.75*b }

func twice(a, b float64) float64 {
	if a < b {
		return 2 * a
	}
	return b
}

func total(v ...float64) (s float64) {
	for _, v := range v {
		s += v
	}
	return
}

func pointOf(a, b float64) float64 {
	p := &pair{b: a}
	p.a = b
	return p.norm() - p.b
}
`

const randomMain = `package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// near reports whether two derivatives agree within what some thousand roundings of terms
// of their size leave.
func near(a, b float64) bool {
	return !(math.Abs(a-b) > 1e-9*(1+math.Abs(a)+math.Abs(b))) || math.IsInf(a, 0) || math.IsInf(b, 0)
}

// fuses reports whether the compiler rounds x·y + z once: then the plain functions have
// other bits.
func fuses() bool {
	x, z := 1+0x1p-30, -1-0x1p-29
	return multiplyAdd(x, x, z) != float64(x*x)+z
}

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }

func main() {
	if fuses() {
		return
	}
	d := &data{[]float64{0.5, -1, 2}, 1.5, map[string]float64{"a": 1.5}}
	for k, f := range table {
		rnd := rand.New(rand.NewPCG(7, 7))
		for range 50 {
			x := []float64{rnd.NormFloat64(), rnd.NormFloat64(), float64(rnd.IntN(3))}
			want := f.plain(append([]float64(nil), x...), d)
			for _, lifted := range []func(x []dual.Real, d *data) dual.Real{f.real, f.concrete} {
				if lifted == nil {
					continue
				}
				if got := lifted(dual.Consts[dual.Real](nil, x), d); math.Float64bits(float64(got)) != math.Float64bits(want) && want == want {
					fmt.Println("function", k, "at", x, "is", got, "and not", want)
					os.Exit(1)
				}
			}
			number := make([]dual.Number, len(x))
			for i, x := range x {
				number[i] = dual.Number{V: x, D: rnd.NormFloat64()}
			}
			tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return f.tape(x, d) }, x)
			if err != nil || math.IsNaN(want) || math.IsInf(want, 0) {
				continue
			}
			g, err := tape.Gradient(nil, x)
			if err != nil {
				panic(err)
			}
			along, size := 0.0, 0.0
			for i, n := range number {
				along += g[i] * n.D
				size += math.Abs(g[i] * n.D)
			}
			if got := f.number(number, d).D; size < 1e6 && !near(got, along) {
				fmt.Println("function", k, "at", x, "has the derivative", got, "and on a tape", along)
				os.Exit(1)
			}
		}
	}
}
`

// Random functions, lifted and compiled in packages of 100, have the bits of their
// originals; -functions makes more of them.
func TestRandomFunctions(t *testing.T) {
	for first := 0; first < *functions; first += 100 {
		testRandomFunctions(t, first, min(first+100, *functions))
	}
}

func testRandomFunctions(t *testing.T, first, end int) {
	var plain, table strings.Builder
	plain.WriteString(randomHead)
	lifts := []settings{
		{output: "lifted.go"},
		{output: "selected.go", selects: true},
		{output: "concrete.go", types: []string{"dual.Real"}},
	}
	for k := first; k < end; k++ {
		g := &generator{rnd: rand.New(rand.NewPCG(uint64(k), 1))}
		g.line("func f%d(x []float64, d *data) float64 {", k)
		g.line("s, y, m := 0.0, []float64{x[0], 2}, &meter{}\np, q := pair{x[1], 1}, pair{b: s}")
		for range 4 + g.rnd.IntN(5) {
			g.statement()
		}
		g.line("return s + y[0]*y[1] + p.a - p.b + q.a*q.b + m.next()\n}")
		plain.WriteString("\n" + g.b.String())
		s, concrete := &lifts[k%2], "nil"
		if k%10 == 0 {
			s, concrete = &lifts[2], fmt.Sprintf("f%dReal", k)
		}
		s.functions = append(s.functions, fmt.Sprintf("f%d", k))
		fmt.Fprintf(&table, "{f%d, f%dOf[dual.Real], %s, f%dOf[dual.Number], f%dOf[reverse.Var]},\n", k, k, concrete, k, k)
	}
	dir, err := os.MkdirTemp("testdata", "random")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	write := func(name, text string) {
		source, err := format.Source([]byte(text))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), source, 0o644))
	}
	write("plain.go", plain.String())
	write("main.go", randomMain+`
var table = []struct {
	plain          func(x []float64, d *data) float64
	real, concrete func(x []dual.Real, d *data) dual.Real
	number         func(x []dual.Number, d *data) dual.Number
	tape           func(x []reverse.Var, d *data) reverse.Var
}{
`+table.String()+"}\n")
	path, err := filepath.Abs(dir)
	require.NoError(t, err)
	for _, s := range lifts { // one after another, whose names are taken for the next
		p, err := load(path, s)
		require.NoError(t, err)
		text, _, faults, err := lift(p, s)
		require.NoError(t, err)
		require.Empty(t, faults)
		write(s.output, string(text))
	}
	out, err := goCommand("run", "./"+dir).CombinedOutput()
	require.NoError(t, err, string(out))
}
