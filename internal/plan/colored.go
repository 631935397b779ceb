package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/source"
)

// A plan by a coloring is written as sweeps over its program, which package straight prints,
// and a loop over the colors: set the seeds, sweep, and copy elements of the product to the
// matrix.

// colored writes the part of a plan that is by a coloring: all of it, or the rest of terms.
type colored struct {
	*printer
	q        *Plan               // that part
	fails    bool                // its functions return an error
	inMemory []gosource.Function // those that have an argument for memory
}

// coloredPart writes the part of the plan that is by a coloring; nil if there is none.
func (w *printer) coloredPart() *colored {
	q := w.rest
	if w.terms == nil {
		q = w.Plan
	}
	if q == nil {
		return nil
	}
	return &colored{printer: w, q: q, fails: gosource.Fails(&q.program.Engine().Program)}
}

// name is the name of a sweep.
func (c *colored) name(f gosource.Function) string { return c.file.Private(part + f.String()) }

// part is what the names of sweeps begin with.
const part = "Swept"

// write writes the sweeps that functions need, and the loop over the colors.
func (c *colored) write(functions []gosource.Function) error {
	var need []gosource.Function
	add := func(f gosource.Function, is bool) {
		if is && !slices.Contains(need, f) {
			need = append(need, f)
		}
	}
	scalar := c.Hessian && c.program.Outputs() == 1
	matrix := false
	for _, f := range functions {
		alone := f == c.alone()
		add(gosource.Gradient, scalar && !alone)
		add(gosource.Value, !scalar && !alone || alone && c.fails)
		add(gosource.VJP, c.Hessian && !scalar && !alone)
		matrix = matrix || f != gosource.Gradient
	}
	columns, rows := c.q.coloring.Columns().Num(), c.q.coloring.Rows().Num()
	add(gosource.HVP, matrix && c.Hessian && columns > 0)
	add(gosource.JVP, matrix && !c.Hessian && columns > 0)
	add(gosource.VJP, matrix && rows > 0)
	s := c.Settings
	s.Part = part
	var err error
	if c.inMemory, err = gosource.Write(c.file, &c.q.program.Engine().Program, s, need); err != nil {
		return err
	}
	if matrix && columns+rows > 0 {
		c.matrix(columns, rows)
	}
	return nil
}

// call is a call of a sweep, with the memory that it may take.
func (c *colored) call(f gosource.Function, args ...string) string {
	if slices.Contains(c.inMemory, f) {
		args = append(args, "&work."+sweptField)
	}
	return c.name(f) + "(" + strings.Join(args, ", ") + ")"
}

// sweptField is the field of the memory of an evaluation that has that of the sweeps.
const sweptField = "swept"

// alone is the function that computes the matrix and nothing else.
func (w *printer) alone() gosource.Function {
	if w.Hessian {
		return gosource.Hessian
	}
	return gosource.Jacobian
}

// others is the arguments from x on: the parameters, if there are any and, if weighted, the
// weights.
func (c *colored) others(weighted bool) string {
	s := "x"
	if c.program.Params() > 0 {
		s += ", p"
	}
	if weighted && c.isWeighted() {
		s += ", w"
	}
	return s
}

// read says that element k of the matrix is element i of a product.
type read struct{ k, i int32 }

// matrix writes the function that computes the products of all colors.
func (c *colored) matrix(columns, rows int) {
	m, n := c.program.Outputs(), c.program.Inputs()
	if c.Hessian {
		m = n
	}
	byColor := c.reads(columns, rows, m, n)
	into := "dst"
	var text bytes.Buffer
	if c.isApart() {
		into = "h"
		text.WriteString(c.array("h", c.q.stored.NNZ()))
	}
	loop := func(what string, classes *coloring.Classes, reads [][]read, f gosource.Function, in, out int) {
		if len(reads) == 0 {
			return
		}
		var seeds, from, places []int32
		var starts []string
		for k := range reads {
			starts = append(starts, fmt.Sprintf("{%d, %d},", len(seeds), len(places)))
			seeds = append(seeds, classes.Class(k)...)
			for _, r := range reads[k] {
				from, places = append(from, r.i), append(places, r.k)
			}
		}
		starts = append(starts, fmt.Sprintf("{%d, %d},", len(seeds), len(places)))
		fmt.Fprintf(&text, "{ // %s\n", what)
		fmt.Fprintf(&text, "colors := [...][2]int32{\n%s\n}\n", strings.Join(source.Wrap(starts, 96), "\n"))
		text.WriteString(c.array("v", in) + c.array("out", out))
		if c.isLarge() {
			text.WriteString("clear(v)\n")
		}
		fmt.Fprintf(&text, "for k := range %d {\na, b := colors[k], colors[k+1]\n", len(reads))
		seed := c.file.Integers("Seeds"+what, seeds)
		fmt.Fprintf(&text, "for _, i := range %s[a[0]:b[0]] {\nv[i] = 1\n}\n", seed)
		args := []string{"out[:]", c.others(false), "v[:]"}
		if f == gosource.HVP && c.isWeighted() {
			args = append(args, "w")
		}
		call := c.call(f, args...)
		if c.fails {
			call = "_ = " + call // comparisons have been checked
		}
		fmt.Fprintf(&text, "%s\nfor _, i := range %s[a[0]:b[0]] {\nv[i] = 0\n}\n", call, seed)
		fmt.Fprintf(&text, "places := %s[a[1]:b[1]]\n", c.file.Integers("Into"+what, places))
		fmt.Fprintf(&text, "for e, i := range %s[a[1]:b[1]] {\n%s[places[e]] = out[i]\n}\n}\n}\n", c.file.Integers("From"+what, from), into)
	}
	if c.Hessian {
		loop("Columns", c.q.coloring.Columns(), byColor[:columns], gosource.HVP, n, n)
	} else {
		loop("Columns", c.q.coloring.Columns(), byColor[:columns], gosource.JVP, n, m)
		loop("Rows", c.q.coloring.Rows(), byColor[columns:], gosource.VJP, m, n)
	}
	c.substitute(&text, into)
	name, does := c.file.Private("Colors"), "sets the elements to what is read from the products of all colors."
	if c.q == c.rest {
		does = "adds to the elements what is read from the products of all colors."
	}
	c.file.Printf("// %s %s\n", name, does)
	c.file.Printf("func %s(dst, %s []float64%s) {\n%s}\n\n", name, c.others(true), c.workArgument(gosource.All), text.String())
}

// isApart reports whether the elements are computed in an array of their own, from which
// they are added to the elements that terms have set.
func (c *colored) isApart() bool { return c.q == c.rest }

// substitute writes what recovery does with the elements after all products.
func (c *colored) substitute(text *bytes.Buffer, into string) {
	pairs := func(what, op, comment string, to, from []int32) {
		if len(to) == 0 {
			return
		}
		rows := make([][]int32, len(to))
		for k := range to {
			rows[k] = []int32{to[k], from[k]}
		}
		name := c.file.Rows(what, rows)
		fmt.Fprintf(text, "for _, k := range &%s { // %s\n%[3]s[k[0]] %s %[3]s[k[1]]\n}\n", name, comment, into, op)
	}
	dst, src, image, original := c.q.recovery.Substitution()
	pairs("Substituted", "-=", "sums, without what is known from the leaves of trees on", dst, src)
	pairs("Images", "=", "the other half", image, original)
	if !c.isApart() {
		return
	}
	fmt.Fprintf(text, "for k, at := range &%s {\nif at >= 0 {\ndst[at] += h[k]\n}\n}\n", c.file.Integers("Places", c.places))
}

// reads is what recovery reads from the product of each color, columns first. It is found by
// gathering from products whose elements are all different.
func (c *colored) reads(columns, rows, m, n int) [][]read {
	values := make([]float64, c.q.stored.NNZ())
	for k := range values {
		values[k] = -1 // not read
	}
	size := max(m, n)
	gather := func(color, length int, into func(values []float64, color int, b []float64), number int) {
		b := make([]float64, length)
		for i := range b {
			b[i] = float64(number*size + i)
		}
		into(values, color, b)
	}
	for k := range columns {
		gather(k, m, c.q.recovery.GatherColumns, k)
	}
	for k := range rows {
		gather(k, n, c.q.recovery.GatherRows, columns+k)
	}
	z := make([][]read, columns+rows)
	for k, v := range values {
		at := int32(k)
		if at >= 0 && v >= 0 {
			color := int(v) / size
			z[color] = append(z[color], read{at, int32(int(v) % size)})
		}
	}
	return z
}

// begin writes the begin of the exported function f, before the call of its terms: the value
// and the gradient of what is by a coloring.
func (c *colored) begin(f gosource.Function) {
	m, n := c.program.Outputs(), c.program.Inputs()
	scalar := c.Hessian && m == 1
	failed := func(results string) {
		if c.fails {
			c.file.Printf("if err != nil {\nreturn %s\n}\n", results)
		}
	}
	err := ""
	if c.fails {
		err = "err = "
	}
	zero := "err"
	if c.Hessian && f != c.alone() {
		zero = "0, err"
	}
	value := func(y string) { // y = F(x)
		switch {
		case m == 1 && c.fails:
			c.file.Printf("%s[0], err = %s\n", y, c.call(gosource.Value, c.others(false)))
		case m == 1:
			c.file.Printf("%s[0] = %s\n", y, c.call(gosource.Value, c.others(false)))
		default:
			c.file.Printf("%s%s\n", err, c.call(gosource.Value, y+"[:]", c.others(false)))
		}
		failed(zero)
	}
	gradient := func() string { // where it goes
		if c.terms == nil {
			if f == gosource.Gradient {
				return "dst"
			}
			return "g"
		}
		c.file.Printf("%s", c.array("gs", n))
		return "gs[:]"
	}
	switch {
	case f == c.alone():
		if c.fails {
			c.file.Printf("%s", c.array("ys", m))
			value("ys")
		}
	case scalar:
		g := gradient()
		f := "f"
		if c.fails {
			f += ", err"
		}
		c.file.Printf("%s = %s\n", f, c.call(gosource.Gradient, g, c.others(false)))
		failed(zero)
		c.file.Printf("f += 0 // no −0\n")
	case c.Hessian:
		c.file.Printf("%s", c.array("ys", m))
		value("ys")
		c.file.Printf("for j, w := range w {\nif w != 0 {\nf += float64(w * ys[j])\n}\n}\n")
		g := gradient()
		call := c.call(gosource.VJP, g, c.others(false), "w")
		if c.fails {
			call = "_ = " + call
		}
		c.file.Printf("%s\n", call)
	default:
		if c.terms == nil {
			value("y")
		} else {
			c.file.Printf("%s", c.array("ys", m))
			value("ys")
		}
	}
}

// end writes the end of f, after the call of its terms: it adds the gradient, and the
// elements by a coloring.
func (c *colored) end(f gosource.Function) {
	if c.terms != nil && f != c.alone() {
		from, to := "gs", "g"
		if !c.Hessian {
			from, to = "ys", "y"
		}
		if f == gosource.Gradient {
			to = "dst"
		}
		c.file.Printf("for i, v := range %s[:] {\n%s[i] += v\n}\n", from, to)
	}
	if f != gosource.Gradient && c.q.coloring.Columns().Num()+c.q.coloring.Rows().Num() > 0 {
		work := ""
		if c.isLarge() {
			work = ", work"
		}
		c.file.Printf("%s(dst, %s%s)\n", c.file.Private("Colors"), c.others(true), work)
	}
}
