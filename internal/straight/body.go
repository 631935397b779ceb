package straight

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/hesse-ad/hesse/internal/source"
)

// value is an operand of an expression: a number or, as text, a name or an expression that
// can be a factor or term as it stands.
type value struct {
	s string  // the text, "" if it is a number
	c float64 // the number
}

func number(c float64) value { return value{c: c} }

func (v value) isNumber() bool { return v.s == "" }

func (v value) isZero() bool { return v.s == "" && v.c == 0 }

// statement is a line of a function: names := expr or, without names, expr, which is always
// needed.
type statement struct {
	names   []string
	expr    string
	comment string
	more    bool   // names = expr: they are declared already
	load    bool   // expr is an element of an argument
	store   bool   // expr sets an element of dst
	section string // the comment above the lines that it is one of
}

// body is the lines of a function that is being written.
type body struct {
	*writer
	form      form
	careful   bool // products are derivative products
	tests     bool // the variable test is declared
	memory    bool // nodes are elements of arrays, not variables
	lines     []statement
	section   string      // of the lines that are added
	value     value       // of the first output
	results   []value     // what dst is set to
	gradients []value     // in a product with the Hessian, the adjoints of the inputs
	needed    []statement // what live has found
}

// spell is the text of an operand.
func (b *body) spell(v value) string {
	if v.isNumber() {
		return b.file.Number(v.c)
	}
	return v.s
}

var simple = regexp.MustCompile(`^[\pL_][\pL_\p{Nd}]*$`)

// define adds the line name := expr and returns the name; of an expression that is a name or
// a small number itself it adds none.
func (b *body) define(name, expr string) value {
	if simple.MatchString(expr) {
		return value{s: expr}
	}
	switch expr {
	case "0", "1", "2":
		return number(float64(expr[0] - '0'))
	}
	b.lines = append(b.lines, statement{names: []string{name}, expr: expr, section: b.section})
	return value{s: name}
}

// defineAll is define for an expression with several values.
func (b *body) defineAll(expr string, names ...string) []value {
	b.lines = append(b.lines, statement{names: names, expr: expr, section: b.section})
	var v []value
	for _, n := range names {
		v = append(v, value{s: n})
	}
	return v
}

// raw adds a line that is needed.
func (b *body) raw(format string, args ...any) {
	b.lines = append(b.lines, statement{expr: fmt.Sprintf(format, args...), section: b.section})
}

// product is k·x·y, multiplied from the left, each product rounded; in careful code it is a
// derivative product, k·x by y.
func (b *body) product(k float64, x, y value) value {
	if x.isNumber() {
		k, x = k*x.c, number(1)
	}
	switch {
	case k == 0 || y.isZero():
		return number(0)
	case x.isNumber() && y.isNumber():
		return number(k * y.c)
	case x.isNumber():
		return b.times(k, y)
	case y.isNumber() && k == 1:
		return b.times(y.c, x)
	}
	if y.isNumber() { // k·x is rounded first
		if y.c == 1 {
			return b.times(k, x)
		}
		return value{s: fmt.Sprintf("float64(%s*%s*%s)", b.spell(number(k)), x.s, b.spell(y))}
	}
	if b.careful {
		return value{s: b.derivativeProduct(b.times(k, x).s, y.s)}
	}
	switch k {
	case 1:
		return value{s: source.Product(x.s, y.s)}
	case -1:
		return value{s: source.Product("-"+x.s, y.s)}
	}
	return value{s: fmt.Sprintf("float64(%s*%s*%s)", b.spell(number(k)), x.s, y.s)}
}

// derivativeProduct is the derivative product of x and y.
func (b *body) derivativeProduct(x, y string) string {
	if b.memory {
		return b.loops.derivativeProduct(x, y)
	}
	return b.file.Prod(x, y)
}

// times is k·x.
func (b *body) times(k float64, x value) value {
	switch {
	case k == 0:
		return number(0)
	case x.isNumber():
		return number(k * x.c)
	case k == 1:
		return x
	case k == -1:
		return negative(x)
	case b.careful && (math.IsInf(k, 0) || k != k):
		return value{s: b.derivativeProduct(b.spell(number(k)), x.s)}
	}
	return value{s: source.Product(b.spell(number(k)), x.s)}
}

func negative(x value) value {
	if x.isNumber() {
		return number(-x.c)
	}
	if rest, ok := strings.CutPrefix(x.s, "-"); ok {
		return value{s: rest}
	}
	return value{s: "-" + x.s}
}

// sum is the sum of terms, added from the left, without those that are the number 0.
func (b *body) sum(terms []value) value {
	items := b.items(terms)
	switch len(items) {
	case 0:
		return number(0)
	case 1:
		return items[0]
	}
	return value{s: b.joined(items)}
}

// items is terms without those that are the number 0; numbers in front are added up.
func (b *body) items(terms []value) []value {
	var items []value
	for _, t := range terms {
		switch {
		case t.isZero():
		case t.isNumber() && len(items) == 1 && items[0].isNumber():
			items[0] = number(items[0].c + t.c)
		default:
			items = append(items, t)
		}
	}
	return items
}

// joined is the text of the sum of several items.
func (b *body) joined(items []value) string {
	words := make([]string, len(items))
	for i, t := range items {
		s := b.spell(t)
		if i > 0 && s[0] == '-' && !strings.Contains(s, " ") {
			words[i-1] += " -"
			s = s[1:]
		} else if i > 0 {
			words[i-1] += " +"
		}
		words[i] = s
	}
	return strings.Join(source.Wrap(words, 96), "\n")
}

// group is a sum in parentheses, to be a term of another.
func (b *body) group(terms ...value) value {
	items := b.items(terms)
	if len(items) < 2 {
		return b.sum(items)
	}
	return value{s: "(" + b.joined(items) + ")"}
}

// total is a sum to which it gives a name, in several lines if it is long.
func (b *body) total(name string, terms []value) value {
	items := b.items(terms)
	if len(items) < 2 {
		if len(items) == 1 && !items[0].isNumber() {
			return b.define(name, ungroup(items[0].s))
		}
		return b.sum(items)
	}
	for more := false; len(items) > 0; more = true {
		n := min(len(items), most)
		head := items[:n]
		if more {
			head = append([]value{{s: name}}, head...)
		}
		b.lines = append(b.lines, statement{names: []string{name}, expr: b.joined(head), more: more, section: b.section})
		items = items[n:]
	}
	return value{s: name}
}

// ungroup is s without parentheses around all of it.
func ungroup(s string) string {
	if s[0] == '(' && s[len(s)-1] == ')' {
		depth := 0
		for i := range s {
			switch s[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 && i < len(s)-1 {
				return s
			}
		}
		return s[1 : len(s)-1]
	}
	return s
}

// eachWord calls f with where each identifier of an expression begins and ends; of one with
// a selector, the part before the dot.
func eachWord(expr string, f func(from, to int)) {
	part := func(c byte) bool {
		return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	for i := 0; i < len(expr); {
		if !part(expr[i]) {
			i++
			continue
		}
		from := i
		for i < len(expr) && part(expr[i]) {
			i++
		}
		f(from, i)
		for i < len(expr) && (part(expr[i]) || expr[i] == '.') { // a selector, or the rest of a number
			i++
		}
	}
}

// live is the lines that are needed. Of names that a line sets, those that nothing reads are
// "_".
func (b *body) live() []statement {
	if b.needed != nil {
		return b.needed
	}
	need := map[string]bool{}
	keep := make([]bool, len(b.lines))
	for i := len(b.lines) - 1; i >= 0; i-- {
		l := &b.lines[i]
		if l.names != nil {
			wanted := false
			names := make([]string, len(l.names))
			for k, n := range l.names {
				names[k] = "_"
				if need[n] {
					names[k], wanted = n, true
				}
			}
			if !wanted {
				continue
			}
			l.names = names
		}
		keep[i] = true
		eachWord(l.expr, func(from, to int) { need[l.expr[from:to]] = true })
	}
	b.needed = []statement{}
	for i, l := range b.lines {
		if keep[i] {
			b.needed = append(b.needed, l)
		}
	}
	return b.needed
}

// print writes the lines.
func (b *body) print() {
	lines := b.live()
	section := ""
	for i := 0; i < len(lines); i++ {
		l := &lines[i]
		if l.section != section {
			section = l.section
			if section != "" {
				b.file.Printf("\n// %s\n", section)
			}
		}
		if l.load {
			k := i + 1
			for k < len(lines) && lines[k].load {
				k++
			}
			b.printLoads(lines[i:k])
			i = k - 1
			continue
		}
		text := l.expr
		switch {
		case l.more:
			text = l.names[0] + " = " + text
		case l.names != nil:
			text = strings.Join(l.names, ", ") + " := " + text
		}
		if l.comment != "" {
			text += " // " + l.comment
		}
		b.file.Printf("%s\n", text)
	}
}

// printLoads writes loads, several a line.
func (b *body) printLoads(loads []statement) {
	for len(loads) > 0 {
		names, exprs, n := "", "", 0
		for n < len(loads) && (n == 0 || len(names)+len(exprs)+len(loads[n].names[0])+len(loads[n].expr) < 88) {
			if n > 0 {
				names, exprs = names+", ", exprs+", "
			}
			names, exprs = names+loads[n].names[0], exprs+loads[n].expr
			n++
		}
		b.file.Printf("%s := %s\n", names, exprs)
		loads = loads[n:]
	}
}
