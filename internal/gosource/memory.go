package gosource

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/source"
)

// partSize is how many lines a function has at most, unless it is a loop.
const partSize = 400

// mostWritten is how many operations and loops of a sweep are written at most.
const mostWritten = 1_000_000

// memory writes long functions, whose nodes are elements of arrays in the memory of an
// evaluation, which the caller gives.
type memory struct {
	*writer
	m, i, j, k, row, s, r string   // variables: the memory, a lane, outputs and columns, a row, sums of values and of tangents
	v, g, t, u, c         string   // arrays: values, adjoints, tangents, tangents of adjoints, operands of calls
	parts                 []part   // of the program, in order
	active                []bool   // by node: it depends on an input
	mostArgs              int      // the most operands that a call has
	slices                []string // for the loop over lanes at hand: what row0, row1, … are

	indices map[*int32]map[int]string // by list, of which the first element and the length are given, what index found
	used    map[string]bool           // arrays that are mentioned
	written map[string]bool           // functions that have been written
	later   strings.Builder           // what is to be written after the function at hand
}

func newMemory(w *writer) *memory {
	l := &memory{writer: w, indices: map[*int32]map[int]string{}, used: map[string]bool{}, written: map[string]bool{}}
	names := source.Names{}
	for _, name := range w.called() {
		names[name] = true
	}
	for _, name := range []struct {
		is   *string
		name string
	}{{&l.m, "m"}, {&l.i, "i"}, {&l.j, "j"}, {&l.k, "k"}, {&l.row, "row"}, {&l.s, "s"}, {&l.r, "r"}, {&l.v, "v"}, {&l.g, "g"}, {&l.t, "t"}, {&l.u, "u"}, {&l.c, "c"}} {
		*name.is = names.Fresh(name.name)
	}
	l.findParts()
	return l
}

// procedure is the name of a function that works on the memory and consists of texts. It calls
// others if it would be long.
func (l *memory) procedure(what string, texts []string) string {
	name := l.private(what)
	if l.written[name] {
		return name
	}
	l.written[name] = true
	var parts []string
	part, n := "", 0
	cut := func() {
		if part != "" {
			parts = append(parts, part)
		}
		part, n = "", 0
	}
	for _, text := range texts {
		k := strings.Count(text, "\n")
		if n+k > partSize {
			cut()
		}
		part, n = part+text, n+k
	}
	cut()
	if len(parts) == 1 {
		l.function(name, "", parts[0])
		return name
	}
	text := ""
	for k, p := range parts {
		of := name + strconv.Itoa(k+1)
		l.function(of, "", p)
		text += of + "(" + l.m + ")\n"
	}
	l.function(name, "", text)
	return name
}

// function writes a function that works on the memory.
func (l *memory) function(name, result, text string) {
	fmt.Fprintf(&l.later, "func %s(%s *%s)%s {\n%s%s}\n\n", name, l.m, l.workName(), result, l.open(text), text)
}

// open is the lines that declare variables for the arrays that text mentions.
func (l *memory) open(text string) (s string) {
	mentioned := map[string]bool{}
	eachWord(text, func(word string) { mentioned[word] = true })
	for _, a := range l.arrays() {
		if mentioned[a] {
			l.used[a] = true
			s += fmt.Sprintf("%s := &%s.%s\n", a, l.m, a)
		}
	}
	return s
}

func (l *memory) arrays() []string { return []string{l.v, l.g, l.t, l.u, l.c} }

// eachWord calls f with each identifier of an expression; of one with a selector, with the part
// before the dot.
func eachWord(text string, f func(word string)) {
	part := func(c byte) bool {
		return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	for i := 0; i < len(text); {
		if !part(text[i]) {
			i++
			continue
		}
		from := i
		for i < len(text) && part(text[i]) {
			i++
		}
		f(text[from:i])
		for i < len(text) && (part(text[i]) || text[i] == '.') { // a selector, or the rest of a number
			i++
		}
	}
}

// Over is a loop of n turns, with the variable k if body mentions it.
func Over(k string, n int, body string) string {
	mentioned := false
	eachWord(body, func(word string) { mentioned = mentioned || word == k })
	if k += " := "; !mentioned {
		k = ""
	}
	return fmt.Sprintf("for %srange %d {\n%s}\n", k, n, body)
}

// declaration is that of the type of the memory.
func (l *memory) declaration() string {
	s := source.Comment(l.workName()+" is the memory of an evaluation, for one goroutine at a time.") + "type " + l.workName() + " struct {\n"
	for _, a := range l.arrays() {
		if l.used[a] {
			n := l.p.Len()
			if a == l.c {
				n = 3 * l.mostArgs
				for _, more := range l.callMemory {
					n = max(n, 3*l.mostArgs+more)
				}
			}
			s += fmt.Sprintf("%s [%d]float64\n", a, apart(n))
		}
	}
	if len(l.failures) > 0 {
		s += failed + " int\n"
	}
	return s + "}\n\n"
}

// apart is a length of arrays of at least n elements such that elements i of arrays that
// follow each other in memory are not about a multiple of 4 KiB apart: loads and stores of
// such elements would wait for each other (see package sweep).
func apart(n int) int {
	const page, line = 512, 8
	if n < page {
		return n
	}
	if k := n % page; k < 4*line {
		return n - k + 4*line
	} else if k > page-4*line {
		return n - k + page + 4*line
	}
	return n
}

// element is element k of a slice, k being an expression.
func element(slice, k string) string { return slice + "[" + k + "]" }

// node is node i of an array.
func node(array string, i int32) string { return element(array, strconv.Itoa(int(i))) }

// slice is the n elements of an array from at on.
func slice(array string, at int32, n int) string {
	return fmt.Sprintf("%s[%d:%d]", array, at, int(at)+n)
}

// index is element k of a list of integers as an expression in k: arithmetic, if their
// differences are equal, else an element of a table.
func (l *memory) index(x []int32, k string) string {
	known := l.indices[&x[0]]
	if known == nil {
		known = map[int]string{}
		l.indices[&x[0]] = known
	}
	format, ok := known[len(x)]
	if !ok {
		format = l.indexed(x)
		known[len(x)] = format
	}
	return strings.Replace(format, "#", k, 1)
}

// indexed is index with # for k.
func (l *memory) indexed(x []int32) string {
	first, step, ok := even(x)
	format := "#"
	switch {
	case !ok:
		return l.file.Integers("Places", x) + "[#]"
	case step == 0:
		return strconv.Itoa(int(first))
	case step != 1:
		format = strconv.Itoa(int(step)) + "*#"
	}
	switch {
	case first == 0:
		return format
	case step < 0:
		return strconv.Itoa(int(first)) + format
	}
	return strconv.Itoa(int(first)) + "+" + format
}

// even reports whether the differences of x are equal.
func even(x []int32) (first, step int32, ok bool) {
	if len(x) > 1 {
		step = x[1] - x[0]
	}
	for k := 1; k < len(x); k++ {
		if x[k]-x[k-1] != step {
			return 0, 0, false
		}
	}
	return x[0], step, true
}

// same reports whether all elements of x are the same number.
func same(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.Float64bits(v) != math.Float64bits(x[0]) })
}
