package straight

import (
	"fmt"
	"strings"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Rows that share a factor, a matrix times a vector, are loops over four rows at a time,
// whose additions do not wait for each other. Careful code takes them one by one.

// rows writes a batch of rows.
type rows struct {
	*looped
	*compile.Batch
	starts  []int32 // of Dot: by row, the first node of the factor that it has alone
	weights string  // of Affine: the name of a table with that of all rows, one after another
}

func (l *looped) rows(b *compile.Batch) rows {
	c := rows{looped: l, Batch: b}
	if b.Op == op.Dot {
		c.starts = b.Factors
		return c
	}
	var w []float64
	for i := b.Lo; i < b.Hi; i++ {
		weights, _ := l.p.AffineAt(i)
		w = append(w, weights...)
	}
	c.weights = l.numbers("Numbers", w)
	return c
}

// quads is how many rows are done four at a time.
func (c rows) quads() int32 { return c.Len() &^ 3 }

// row is the factor that row r has alone: weights, or what an array has at its nodes.
func (c rows) row(array, r string) string {
	if strings.Contains(r, "+") {
		r = "(" + r + ")"
	}
	if c.weights != "" {
		return fmt.Sprintf("%s[%s*%d:][:%d]", c.weights, r, c.Width, c.Width)
	}
	return fmt.Sprintf("%s[%s:][:%d]", array, c.index(c.starts, r), c.Width)
}

// four is the line that declares four variables, name0 … name3, as of rows r … r+3.
func four(name string, of func(r string) string) string {
	var names, rows []string
	for k := range 4 {
		names = append(names, fmt.Sprintf("%s%d", name, k))
		r := "r"
		if k > 0 {
			r = fmt.Sprintf("r+%d", k)
		}
		rows = append(rows, of(r))
	}
	return strings.Join(names, ", ") + " := " + strings.Join(rows, ",\n") + "\n"
}

// shared is what an array has at the factor that all rows share.
func (c rows) shared(array string) string { return slice(array, c.Shared, int(c.Width)) }

// forward is a loop over fours of rows, ascending; backward is one that descends.
func (c rows) forward(body string) string {
	if c.quads() == 0 {
		return ""
	}
	return fmt.Sprintf("for r := 0; r < %d; r += 4 {\n%s}\n", c.quads(), body)
}

func (c rows) backward(body string) string {
	if c.quads() == 0 {
		return ""
	}
	return fmt.Sprintf("for r := %d; r >= 0; r -= 4 {\n%s}\n", c.quads()-4, body)
}

func (c rows) own(array, r string) string { return place(array, c.Lo, r) }

func (l *looped) rowValues(q *procedure, b *compile.Batch) {
	c := l.rows(b)
	v := l.arrays.v
	start := func(r string) string {
		if b.Op == op.Dot {
			return l.file.Number(tape.NegZero)
		}
		return "float64(" + l.constant(l.p.Constants(b.Lo, b.Hi), r) + ")"
	}
	q.add(c.forward(c.products(v, c.shared(v), start)))
	for i := b.Lo + c.quads(); i < b.Hi; i++ {
		q.add(l.nodeValue(i))
	}
}

// products sets what an array has at four rows to start plus the product of their own factors
// with x.
func (c rows) products(array, x string, start func(r string) string) string {
	v := c.arrays.v
	s := four("w", func(r string) string { return c.row(v, r) }) + four("s", start)
	s += fmt.Sprintf("for k, x := range %s {\n", x)
	for k := range 4 {
		s += fmt.Sprintf("s%d += float64(w%[1]d[k] * x)\n", k)
	}
	return s + "}\n" + fmt.Sprintf("%s, %s, %s, %s = s0, s1, s2, s3\n", c.own(array, "r"), c.own(array, "r+1"), c.own(array, "r+2"), c.own(array, "r+3"))
}

func (l *looped) rowTangents(q *procedure, b *compile.Batch) {
	if l.careful {
		l.nodeTangents(q, b.Lo, b.Hi)
		return
	}
	c := l.rows(b)
	v, t := l.arrays.v, l.arrays.t
	body := c.products(t, c.shared(t), func(string) string { return "0.0" })
	if b.Op == op.Dot {
		body += fmt.Sprintf("for r, end := r, r+4; r < end; r++ {\ns, y := %s, %s\nfor k, x := range %s {\ns += float64(x * y[k])\n}\n%[1]s = s\n}\n",
			c.own(t, "r"), c.row(t, "r"), c.shared(v))
	}
	q.add(c.forward(body))
	l.nodeTangents(q, b.Lo+c.quads(), b.Hi)
}

// rowAdjoints writes what rows add to the adjoints gs, which are l.gs or l.us.
func (l *looped) rowAdjoints(q *procedure, b *compile.Batch, gs []value) {
	c := l.rows(b)
	array := l.arrays.g
	if &gs[0] == &l.us[0] {
		array = l.arrays.u
	}
	lo := b.Lo + c.quads()
	if l.careful {
		lo = b.Lo
	}
	for i := b.Hi - 1; i >= lo; i-- {
		q.add(l.nodeAdjoint(i, array))
	}
	if l.careful {
		return
	}
	body := c.toShared(array)
	if b.Op == op.Dot {
		body += fmt.Sprintf("for r, end := r, r+4; r < end; r++ {\nto, s := %s, %s\nfor k, x := range %s {\nto[k] += float64(s * x)\n}\n}\n",
			c.row(array, "r"), c.own(array, "r"), c.shared(l.arrays.v))
	}
	q.add(c.backward(body))
}

// nodeAdjoint is the lines that add to an array of adjoints what node i contributes.
func (l *looped) nodeAdjoint(i int32, array string) string {
	switch {
	case l.p.Op(i) == op.Call:
		return l.callAdjoints(i, array)
	case l.isLongList(i):
		return l.listAdjoints(i, array)
	}
	bar := l.gs
	if array == l.arrays.u {
		bar = l.us
	}
	l.adjoint(l.sums(bar), i)
	return l.flush()
}

// toShared is the lines that add to the adjoints of the shared factor what four rows
// contribute.
func (c rows) toShared(array string) string {
	return four("w", func(r string) string { return c.row(c.arrays.v, r) }) +
		four("s", func(r string) string { return c.own(array, r) }) +
		fmt.Sprintf("to := %s\nfor k := range to {\nto[k] += float64(s0*w0[k]) + float64(s1*w1[k]) + float64(s2*w2[k]) + float64(s3*w3[k])\n}\n", c.shared(array))
}

func (l *looped) rowSeconds(q *procedure, b *compile.Batch) {
	c := l.rows(b)
	v, g, t, u := l.arrays.v, l.arrays.g, l.arrays.t, l.arrays.u
	if b.Op == op.Affine {
		l.rowAdjoints(q, b, l.us)
		return
	}
	if l.careful {
		l.nodeSeconds(q, b.Lo, b.Hi)
		return
	}
	l.nodeSeconds(q, b.Lo+c.quads(), b.Hi)
	body := "{\n" + c.toShared(u) + "}\n"
	body += fmt.Sprintf("for r, end := r, r+4; r < end; r++ {\nto, h := %s, %s\nfor k, y := range %s {\nto[k] += float64(h * y)\n}\n}\n",
		c.shared(u), c.own(g, "r"), c.row(t, "r"))
	body += four("to", func(r string) string { return c.row(u, r) }) +
		four("s", func(r string) string { return c.own(u, r) }) +
		four("h", func(r string) string { return c.own(g, r) }) +
		fmt.Sprintf("x, y := %s, %s\nfor k := range x {\n", c.shared(v), c.shared(t))
	for k := range 4 {
		body += fmt.Sprintf("to%d[k] += float64(s%[1]d*x[k]) + float64(h%[1]d*y[k])\n", k)
	}
	q.add(c.backward(body + "}\n"))
}
