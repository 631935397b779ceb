package straight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Nodes of mixed batches are written one by one: as lines, or as loops over long lists of
// operands.

// isLongList reports whether node i is a sum that is written as a loop.
func (l *looped) isLongList(i int32) bool {
	switch l.p.Op(i) {
	case op.Sum, op.Affine, op.Dot:
		return l.p.Terms(i) > few
	}
	return false
}

// nodeValue is the lines of the value of node i.
func (l *looped) nodeValue(i int32) string {
	switch {
	case l.p.Op(i) == op.Call:
		return l.callValue(i)
	case l.isLongList(i):
		return l.listValue(i)
	}
	l.operation(i)
	if at := l.settings.Position; at != nil && len(l.lines) > 0 {
		l.lines[len(l.lines)-1].comment = at(l.p.Made(i))
	}
	return l.flush()
}

// nodeTangents writes the tangents of nodes.
func (l *looped) nodeTangents(q *procedure, lo, hi int32) {
	for i := lo; i < hi; i++ {
		switch {
		case l.p.Op(i) == op.Call:
			q.add(l.callTangents(i))
			continue
		case l.isLongList(i):
			q.add(l.listTangents(i))
			continue
		}
		s := l.spell(l.sum(l.tangent(i, l.t, false)))
		l.raw("%s = %s", l.t[i].s, s)
		q.add(l.flush())
	}
}

// nodeAdjoints writes what nodes add to the adjoints.
func (l *looped) nodeAdjoints(q *procedure, lo, hi int32) {
	for i := hi - 1; i >= lo; i-- {
		q.add(l.nodeAdjoint(i, l.arrays.g))
	}
}

// nodeSeconds writes what nodes add to the adjoints of second order.
func (l *looped) nodeSeconds(q *procedure, lo, hi int32) {
	a := l.sums(l.us)
	for i := hi - 1; i >= lo; i-- {
		switch {
		case l.p.Op(i) == op.Call:
			q.add(l.callSeconds(i))
		case !l.isLongList(i):
			l.second(a, l.t, i)
			q.add(l.flush())
		case l.p.Op(i) == op.Dot:
			q.add(l.dotSeconds(i))
		default:
			q.add(l.listAdjoints(i, l.arrays.u))
		}
	}
}

// eachOf is loops over the operands of a Sum: line is called with what an array has at one.
func (l *looped) eachOf(i int32, array string, line func(x string) string) string {
	const fewRuns = 4
	index, runs := l.p.SumLists(i)
	if len(runs) > 2*fewRuns {
		index, runs = l.p.SumAt(i), nil
	}
	s := ""
	if len(index) > 0 {
		strands := braid(index)
		lines := make([]string, len(strands))
		for k, x := range strands {
			lines[k] = line(array + "[" + l.index(x, "k") + "]")
		}
		s = l.over(len(strands[0]), strings.Join(lines, "\n"))
	}
	for k := 0; k < len(runs); k += 2 {
		s += l.over(int(runs[k+1]), line(place(array, runs[k], "k")))
	}
	return s
}

// braid splits x into as few lists as have equal differences each, if x has an element of
// each of them in turn; otherwise it is x alone. Of 3, 50, 4, 52, 5, 54 these are 3, 4, 5 and
// 50, 52, 54.
func braid(x []int32) [][]int32 {
	for n := range few / 2 {
		strands := make([][]int32, n+1)
		for k, j := range x {
			strands[k%(n+1)] = append(strands[k%(n+1)], j)
		}
		isEven := func(x []int32) bool { _, _, ok := even(x); return ok }
		if len(x)%(n+1) == 0 && !slices.ContainsFunc(strands, func(x []int32) bool { return !isEven(x) }) {
			return strands
		}
	}
	return [][]int32{x}
}

// Over is a loop of n turns, with the variable k if body mentions it.
func Over(k string, n int, body string) string {
	if mentions(body, k) {
		k += " := "
	} else {
		k = ""
	}
	return fmt.Sprintf("for %srange %d {\n%s}\n", k, n, body)
}

func mentions(text, name string) (does bool) {
	eachWord(text, func(from, to int) { does = does || text[from:to] == name })
	return does
}

// over is a loop over k with one line.
func (l *looped) over(n int, line string) string {
	return Over("k", n, line+"\n")
}

// operands is the factors of product k of node i: of an Affine a weight and x, of a Dot x and
// y, where x and y are what an array has at an operand.
func (l *looped) operands(i int32) (weight string, x, y func(array string) value) {
	at := func(list []int32) func(array string) value {
		k := l.index(list, "k")
		return func(array string) value { return value{s: array + "[" + k + "]"} }
	}
	if l.p.Op(i) == op.Affine {
		w, list := l.p.AffineAt(i)
		return l.constant(w, "k"), at(list), nil
	}
	list, other := l.p.DotAt(i)
	return "", at(list), at(other)
}

func (l *looped) listValue(i int32) string {
	p, v := l.p, l.arrays.v
	c := 0.0
	body := ""
	switch p.Op(i) {
	case op.Sum:
		c = p.Constant(i)
		body = l.eachOf(i, v, func(x string) string { return "s += " + x })
	case op.Affine:
		c = p.Constant(i)
		w, x, _ := l.operands(i)
		body = l.over(int(p.Terms(i)), "s += "+l.exact(value{s: w}, x(v)).s)
	case op.Dot:
		c = tape.NegZero
		_, x, y := l.operands(i)
		body = l.over(int(p.Terms(i)), "s += "+l.exact(x(v), y(v)).s)
	}
	comment := ""
	if at := l.settings.Position; at != nil {
		comment = " // " + at(p.Made(i))
	}
	return fmt.Sprintf("{\ns := float64(%s)%s\n%s%s = s\n}\n", l.file.Number(c), comment, body, element(v, int(i)))
}

func (l *looped) listTangents(i int32) string {
	p, v, t := l.p, l.arrays.v, l.arrays.t
	to := element(t, int(i))
	halves := p.Op(i) != op.Sum && p.Consecutive(i) && !l.careful
	body := ""
	switch n := int(p.Terms(i)); p.Op(i) {
	case op.Sum:
		body = l.eachOf(i, t, func(x string) string { return "s += " + x })
	case op.Affine:
		weights, list := p.AffineAt(i)
		if halves {
			return fmt.Sprintf("%s = %s(%s[:], %s)\n", to, l.dot(), l.numbers("Numbers", weights), slice(t, list[0], n))
		}
		w, x, _ := l.operands(i)
		body = l.over(n, "s += "+l.product(1, value{s: w}, x(t)).s)
	case op.Dot:
		if halves {
			x, y := p.DotAt(i)
			return fmt.Sprintf("%s = %s(%s, %s) + %[2]s(%[5]s, %[6]s)\n", to, l.dot(), slice(v, x[0], n), slice(t, y[0], n), slice(v, y[0], n), slice(t, x[0], n))
		}
		_, x, y := l.operands(i)
		body = l.over(n, "s += "+l.spell(l.group(l.product(1, y(v), x(t)), l.product(1, x(v), y(t)))))
	}
	return fmt.Sprintf("{\nvar s float64\n%s%s = s\n}\n", body, to)
}

func slice(array string, at int32, n int) string {
	return fmt.Sprintf("%s[%d:%d]", array, at, int(at)+n)
}

// dot is the name of a function for the scalar product of two slices.
func (l *looped) dot() string {
	name := l.private("Dot")
	if !l.written[name] {
		l.written[name] = true
		fmt.Fprintf(&l.later, `// %s is xᵀy, whose terms with even and with odd numbers are added up apart.
func %[1]s(x, y []float64) float64 {
	y = y[:len(x)]
	var even, odd float64
	for k := 1; k < len(x); k += 2 {
		even += float64(x[k-1] * y[k-1])
		odd += float64(x[k] * y[k])
	}
	if k := len(x) - 1; k&1 == 0 {
		even += float64(x[k] * y[k])
	}
	return even + odd
}

`, name)
	}
	return name
}

// listAdjoints is the lines that add to an array, of adjoints of first or second order, what
// node i with a long list contributes.
func (l *looped) listAdjoints(i int32, array string) string {
	p, v := l.p, l.arrays.v
	s := value{s: "s"}
	body := ""
	add := func(to value, w value) string { return l.increase(to.s, l.product(1, w, s)) }
	switch n := int(p.Terms(i)); p.Op(i) {
	case op.Sum:
		body = l.eachOf(i, array, func(x string) string { return x + " += s" })
	case op.Affine:
		w, x, _ := l.operands(i)
		body = l.over(n, add(x(array), value{s: w}))
	case op.Dot:
		_, x, y := l.operands(i)
		first, second := add(x(array), y(v)), add(y(array), x(v))
		if p.Consecutive(i) && !l.careful {
			body = l.over(n, first) + l.over(n, second)
		} else {
			body = l.over(n, first+"\n"+second)
		}
	}
	return fmt.Sprintf("{\ns := %s\n%s}\n", element(array, int(i)), body)
}

// dotSeconds is the lines that add what a Dot contributes to second-order adjoints.
func (l *looped) dotSeconds(i int32) string {
	p, v, t, u := l.p, l.arrays.v, l.arrays.t, l.arrays.u
	_, x, y := l.operands(i)
	s, bar := value{s: "s"}, value{s: "h"}
	add := func(x, y func(string) value) string {
		return l.increase(x(u).s, l.group(l.product(1, y(v), s), l.product(1, bar, y(t))))
	}
	n := int(p.Terms(i))
	body := l.over(n, add(x, y)+"\n"+add(y, x))
	if p.Consecutive(i) && !l.careful {
		body = l.over(n, add(x, y)) + l.over(n, add(y, x))
	}
	return fmt.Sprintf("{\ns, h := %s, %s\n%s}\n", element(u, int(i)), element(l.arrays.g, int(i)), body)
}
