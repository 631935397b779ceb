package main

import (
	"flag"
	"fmt"
	"go/format"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var keep = flag.String("keep", "", "folder that what TestRandomFunctions writes is moved to")

var programs = flag.Int("programs", 8, "random functions whose gradients TestRandomFunctions compares")

var simple = flag.Bool("simple", false, "write random functions in the simple language first, which they do not need")

// plainly puts calls that change nothing in place of others.
var plainly = strings.NewReplacer("m.value(", "total(x, ", "horner(x, ", "total(x, ", "horner(rows[1], ", "total(y, ")

// A generator prints random functions of the language that the command reads.
type generator struct {
	rnd     *rand.Rand
	b       strings.Builder
	numbers []string // variables in scope that may be assigned
	indices []string // integers in scope
	labels  []string // loops around
	depth   int
	names   int
}

func (g *generator) pick(s ...string) string { return s[g.rnd.IntN(len(s))] }

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) line(f string, args ...any) {
	s := fmt.Sprintf(f+"\n", args...)
	if strings.Contains(s, "m.value(") { // which changes m.t: when that is read Go does not say
		s = strings.ReplaceAll(s, "m.t", "q.b")
	}
	g.b.WriteString(s)
}

func (g *generator) index() string {
	s := []string{"0", "1", "2"}
	for _, i := range g.indices {
		s = append(s, i, i, "("+i+"+1)%3", "(k+"+i+")%3")
	}
	return g.pick(s...)
}

// number is an expression; its values stay where no operation overflows.
func (g *generator) number(depth int) string {
	sub := func() string { return g.number(depth - 1) }
	if depth == 0 || g.rnd.IntN(6) == 0 {
		leaves := []string{"x[" + g.index() + "]", "y[" + g.index() + "]", "z[" + g.index() + "]", "d.w[" + g.index() + "]", "0.5", "1.25", "d.c",
			"p.a", "q.b", "v[" + g.index() + "]", "float64(k)", "m.s[" + g.index() + "]", "m.t", "rows[" + g.index() + "][" + g.index() + "]"}
		leaves = append(append(leaves, g.numbers...), g.numbers...)
		return g.pick(leaves...)
	}
	switch g.rnd.IntN(12) {
	case 0, 1, 2, 3:
		return "(" + sub() + g.pick(" + ", " - ", " * ") + sub() + ")"
	case 4:
		return sub() + " / (3 + math.Abs(" + sub() + "))"
	case 5:
		return "(-" + g.pick("x[0]", "p.a", "y[1]") + ")"
	case 6:
		return "math." + g.pick("Sin", "Cos", "Tanh", "Atan", "Erf", "Floor") + "(" + sub() + ")"
	case 7:
		return g.pick("math.Hypot", "math.Atan2", "math.Max", "min") + "(1.5+math.Tanh(" + sub() + "), " + sub() + ")"
	case 8:
		return "math.Exp(-math.Abs(" + sub() + "))"
	case 9:
		return g.pick("mix", "twice") + "(" + sub() + ", " + sub() + ")"
	case 10:
		return "(pair{" + sub() + ", " + sub() + "}).norm(" + sub() + ")"
	}
	return g.pick("horner(x, ", "total(y, ", "horner(rows[1], ", "m.value(") + sub() + ")"
}

func (g *generator) condition() string {
	return g.number(1) + g.pick(" < ", " > ", " <= ") + g.number(1)
}

func (g *generator) block(n int) {
	numbers, indices := len(g.numbers), len(g.indices)
	g.depth++
	for range 1 + g.rnd.IntN(n) {
		g.statement()
	}
	g.depth--
	g.numbers, g.indices = g.numbers[:numbers], g.indices[:indices]
}

func (g *generator) target() string {
	return g.pick(append([]string{"s", "y[" + g.index() + "]", "z[" + g.index() + "]", "p.a", "q.b", "v[" + g.index() + "]", "m.s[" + g.index() + "]", "m.t",
		"rows[" + g.index() + "][" + g.index() + "]"}, g.numbers...)...)
}

func (g *generator) loop(head string, index string) {
	label := g.name("loop")
	g.line("%s:", label)
	g.line("%s", head)
	if index != "" {
		g.indices = append(g.indices, index)
	}
	g.labels = append(g.labels, label)
	g.block(3)
	if g.rnd.IntN(2) == 0 {
		g.line("if %s {\n%s\n}", g.condition(), g.pick("break", "continue", "break "+g.pick(g.labels...), "continue "+g.pick(g.labels...)))
		g.block(2)
	}
	g.line("if s > 1e9 {\ncontinue %s\n}", label)
	g.labels = g.labels[:len(g.labels)-1]
	if index != "" {
		g.indices = g.indices[:len(g.indices)-1]
	}
	g.line("}")
}

func (g *generator) statement() {
	k := g.rnd.IntN(20)
	if g.depth > 2 && k >= 9 {
		k = g.rnd.IntN(9)
	}
	switch k {
	case 0, 1:
		g.line("%s %s %s", g.target(), g.pick("=", "+=", "-="), g.number(3))
	case 2:
		t := g.target()
		g.line("%s = math.Tanh(%s * %s)", t, t, g.number(2))
	case 3:
		v := g.name("a")
		g.line("%s := float64(%s)\n_ = %s", v, g.number(3), v)
		g.numbers = append(g.numbers, v)
	case 4:
		g.line("%s %s 1 + math.Tanh(%s)/3", g.target(), g.pick("*=", "/="), g.number(1))
	case 5:
		g.line("%s, %s = %s, %s", "s", "p.b", g.number(2), g.number(2))
	case 6:
		g.line("y[0], y[2] = y[2], y[0]")
		g.line("rows[0], rows[2] = rows[2], rows[0]")
	case 7:
		g.line("%s(%s, %s)", g.pick("smooth", "fill", "scale"), g.pick("y", "z", "y[1:]", "m.s", "rows[k%3]"), g.number(1))
		g.line("k = (k + 1) %% 3")
	case 8:
		g.line("p, q = q, pair{%s, p.a}", g.number(2))
		g.line("q = add(p, q)")
	case 9, 10:
		g.line("if %s {", g.condition())
		g.block(3)
		if g.rnd.IntN(2) == 0 {
			g.line("} else {")
			g.block(3)
		}
		g.line("}")
	case 11:
		i := g.name("i")
		g.loop(fmt.Sprintf("for %s := range %d {\n_ = %s", i, 1+g.rnd.IntN(3), i), i)
	case 12:
		i := g.name("i")
		g.loop(fmt.Sprintf("for %s := %s; %s {\n_ = %s", i, g.pick("0", "1", "k"), g.pick(i+" < 3; "+i+"++", i+"+1 <= 3; "+i+"++"), i), i)
	case 13:
		i := g.name("i")
		g.loop(fmt.Sprintf("for %s := 2; %s >= %s; %s-- {\n_ = %s", i, i, g.pick("0", "k"), i, i), i)
	case 14:
		i, v := g.name("i"), g.name("e")
		g.numbers = append(g.numbers, v)
		g.loop(fmt.Sprintf("for %s, %s := range %s {\n_, _ = %s, %s", i, v, g.pick("x[:3]", "d.w", "y", "z"), i, v), i)
		g.numbers = g.numbers[:len(g.numbers)-1]
	case 15:
		h, v := g.name("h"), g.name("v")
		head := fmt.Sprintf("for %s := 1 + math.Tanh(%s); %s > 0.4; %s *= 0.6 - 0.1*math.Tanh(s) {\n%s := h\n_ = %s", h, g.number(1), h, h, v, v)
		head = strings.Replace(head, ":= h\n", ":= "+h+"\n", 1)
		g.numbers = append(g.numbers, v)
		g.loop(head, "")
		g.numbers = g.numbers[:len(g.numbers)-1]
	case 16:
		g.line("switch %s{", g.pick("", "k "))
		if !strings.HasSuffix(g.b.String(), "k {\n") {
			g.line("case %s:", plainly.Replace(g.condition()))
			g.block(2)
			g.line("case %s:", plainly.Replace(g.condition()))
		} else {
			g.line("case 0, 2:")
		}
		g.block(2)
		g.line("default:")
		g.block(2)
		g.line("}")
	case 17:
		g.line("if %s {\nreturn %s\n}", g.condition(), g.number(2))
	case 18:
		a, b := g.name("a"), g.name("b")
		g.line("%s, %s, %s := both(%s, y)\n_, _ = %s, %s", a, b, g.pick("_", g.name("n")), g.number(2), a, b)
		s := g.b.String()
		if i := strings.LastIndex(s, ":= both"); s[i-2] != '_' {
			n := strings.TrimSpace(s[strings.LastIndex(s[:i], ",")+1 : i])
			g.line("k = (k + %s) %% 3", n)
		}
		g.numbers = append(g.numbers, a, b)
	case 19:
		g.line("z = %s", g.pick("doubled(z, "+g.number(1)+")", "y", "doubled(y, s)"))
		g.line("m = &model{s: z, t: %s}", g.number(1))
	}
}

const randomHead = `package main

import "math"

type data struct {
	w []float64
	c float64
}

type pair struct{ a, b float64 }

func (p pair) norm(c float64) float64 { return math.Sqrt(1 + p.a*p.a*math.Tanh(c) * math.Tanh(c) + p.b*p.b) }

func add(p, q pair) pair {
	p.a = math.Tanh(p.a + q.b)
	return pair{b: q.a - p.a, a: p.b}
}

type model struct {
	s []float64
	t float64
}

func (m *model) value(c float64) float64 {
	v := 0.0
	for i, s := range m.s {
		v += s * math.Sin(c*float64(i+1))
	}
	m.t = math.Tanh(m.t * c)
	return v*m.t
}

func mix(a, b float64) float64 { return 0.25*a*b + 0.75*b }

func twice(a, b float64) float64 {
	if a < b {
		a *= b
		return math.Tanh(2 * a)
	}
	return b
}

func total(v []float64, c float64) float64 {
	s := c
	for i := len(v) - 1; i >= 0; i-- {
		if v[i] > 3 {
			continue
		}
		if v[i] < -3 {
			break
		}
		s += v[i] * math.Cos(s)
	}
	return s
}

func horner(c []float64, t float64) float64 {
	if len(c) == 0 {
		return 0
	}
	return math.Tanh(c[0]) + math.Sin(t)*horner(c[1:], t)
}

func smooth(v []float64, c float64) {
	for i := 1; i < len(v); i++ {
		v[i] = math.Tanh(v[i]*v[i-1] + c)
	}
}

func fill(v []float64, c float64) {
	for i := range v {
		v[i] = c
	}
}

func scale(v []float64, c float64) {
	last := math.Tanh(v[len(v)-1])
	for i := range v {
		v[i] *= 1 + last*math.Cos(c)
	}
}

func doubled(v []float64, c float64) []float64 {
	w := make([]float64, len(v))
	copy(w, v)
	w[0] = math.Tanh(w[0]) + c*w[1]
	return w
}

func both(a float64, v []float64) (float64, float64, int) {
	if a > 0 {
		v[0] = math.Tanh(v[0] * a)
		return v[0], a * v[1], 1
	}
	return a, v[2] * v[1], 2
}
`

const randomMain = `package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"github.com/hesse-ad/hesse/dual"
)

func main() {
	d := &data{[]float64{0.5, -1, 2}, 1.5}
	failed := 0
	for k, f := range table {
		rnd := rand.New(rand.NewPCG(7, 7))
		for range 30 {
			x := []float64{rnd.NormFloat64(), rnd.NormFloat64(), float64(rnd.IntN(3)) + rnd.Float64()}
			have := make([]float64, len(x))
			value := f.gradient(have, x, d)
			if want := f.plain(x, d); math.Float64bits(value) != math.Float64bits(want) && (value == value || want == want) && !fuses() {
				fmt.Println("function", k, "at", x, "is", value, "and not", want)
				os.Exit(1)
			}
			careful := make([]float64, len(x))
			w := f0Pool.Get().(*f0Work)
			f.forward(w, x, careful, d)
			f.careful(w, x, careful, d, 1)
			f0Pool.Put(w)
			for i := range x {
				if !(math.Abs(careful[i]-have[i]) <= 1e-10*(1+math.Abs(have[i]))) && have[i]-have[i] == 0 {
					fmt.Println("function", k, "at", x, "has the derivative", have[i], "by", i, "and where 0 annihilates", careful[i])
					os.Exit(1)
				}
				in := make([]dual.Number, len(x))
				size := 0.0
				for j := range x {
					in[j].V = x[j]
					size = max(size, math.Abs(have[j]))
				}
				in[i].D = 1
				if want := f.lifted(in, d).D; !(math.Abs(have[i]-want) <= 1e-10*(1+math.Abs(want)+size)) && want == want && size < 1e12 {
					fmt.Println("function", k, "at", x, "has the derivative", have[i], "by", i, "and not", want)
					failed++
					break
				}
			}
			if failed > 3 {
				os.Exit(1)
			}
		}
	}
	w := f0Pool.Get().(*f0Work)
	if n := len(w.floats) + len(w.ints) + len(w.bools); n > 0 {
		fmt.Println("stacks are not empty")
		os.Exit(1)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// fuses reports whether the compiler rounds x·y + z once.
func fuses() bool {
	x, z := 1+0x1p-30, -1-0x1p-29
	return multiplyAdd(x, x, z) != float64(x*x)+z
}

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }
`

// Gradients of random functions, compiled in one package, are those of the lifted
// functions; -programs makes more of them.
func TestRandomFunctions(t *testing.T) {
	dir, names, run := randomProgram(t, *programs, 2)
	p, err := newProgram(dir, "adjoint.go")
	require.NoError(t, err)
	p.always = *simple
	text, faults, err := p.gradients(names, "adjoint.go")
	require.NoError(t, err)
	require.Empty(t, faults)
	writeSource(t, dir, "adjoint.go", string(text))
	table := ""
	for k := range names {
		table += fmt.Sprintf("{f%d, f%dGradient, f%dOf[dual.Number], f%dForward, f%dReverseCareful},\n", k, k, k, k, k)
	}
	writeSource(t, dir, "main.go", randomMain+`
var table = []struct {
	plain    func(x []float64, d *data) float64
	gradient func(dst, x []float64, d *data) float64
	lifted   func(x []dual.Number, d *data) dual.Number
	forward  func(w *f0Work, x, xb []float64, d *data) float64
	careful  func(w *f0Work, x, xb []float64, d *data, bar float64)
}{
`+table+"}\n")
	run("run", ".")
}

// function is function k of a random program.
func (g *generator) function(k int) string {
	g.line("func f%d(x []float64, d *data) float64 {", k)
	g.line("s, k := 0.0, 1\ny, z := make([]float64, 3), make([]float64, 3)\ncopy(y, x)\nz[1] = x[2]")
	g.line("p, q := pair{x[1], 1}, pair{b: x[0]}\nv := [3]float64{x[0], 1, x[2]}")
	g.line("m := &model{s: z, t: x[1]}\nrows := make([][]float64, 3)\nfor i := range rows {\nrows[i] = make([]float64, 3)\nrows[i][i] = x[i]\n}")
	for range 3 + g.rnd.IntN(6) {
		g.statement()
	}
	g.line("return s + y[0]*y[1] + p.a - p.b + q.a*q.b + z[0]*z[k] + v[k] + m.t*m.s[1] + rows[0][k]*rows[k][2]\n}")
	return g.b.String()
}

// randomProgram writes random functions f0, f1 … and their lifted forms into a new folder.
func randomProgram(t *testing.T, count int, seed uint64) (dir string, names []string, run func(args ...string)) {
	var plain strings.Builder
	plain.WriteString(randomHead)
	for k := range count {
		g := &generator{rnd: rand.New(rand.NewPCG(uint64(k), seed))}
		plain.WriteString("\n" + g.function(k))
		names = append(names, fmt.Sprintf("f%d", k))
	}
	dir, err := os.MkdirTemp("testdata", "random")
	require.NoError(t, err)
	dir, err = filepath.Abs(dir)
	require.NoError(t, err)
	t.Cleanup(func() {
		if *keep == "" {
			os.RemoveAll(dir)
		} else {
			os.Rename(dir, filepath.Join(*keep, strings.NewReplacer("/", "_", " ", "_").Replace(t.Name())))
		}
	})
	writeSource(t, dir, "plain.go", plain.String())
	run = func(args ...string) {
		c := exec.Command("go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOARCH=", "GOAMD64=v1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	run(append([]string{"run", "github.com/hesse-ad/hesse/dual/lift", "-o", "lifted.go"}, names...)...)
	return dir, names, run
}

func writeSource(t *testing.T, dir, name, text string) {
	source, err := format.Source([]byte(text))
	require.NoError(t, err, text)
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), source, 0o644))
}
