package straight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/source"
)

// derive adds the lines that compute a function, sweep by sweep, and sets results.
func (b *body) derive(function Function) {
	p := b.p
	b.values(func(guard int) string {
		if f, _ := b.returns(function); f {
			return fmt.Sprintf("return 0, %s(%d)", b.errorName(), guard)
		}
		if b.isProduct(function) {
			return fmt.Sprintf("return false, %s(%d)", b.errorName(), guard)
		}
		return fmt.Sprintf("return %s(%d)", b.errorName(), guard)
	})
	if p.Outputs() == 1 {
		b.value = b.node(p.Output(0))
	}
	w := make([]value, p.Outputs())
	b.careful = b.form.last
	switch function {
	case Value:
		if p.Outputs() > 1 {
			b.results = b.each(p.OutputNodes())
		}
	case Gradient:
		w[0] = number(1)
		b.section = "adjoints"
		b.gradient(w, "")
		b.results = b.g[:p.Inputs()]
	case VJP:
		b.weights(w)
		b.section = "adjoints"
		b.gradient(w, "")
		b.results = b.g[:p.Inputs()]
	case JVP:
		t := b.direction()
		b.section = "tangents"
		b.tangents(t, "")
		b.results = b.outputsOf(t)
	case Jacobian:
		b.jacobian(w)
	case HVP:
		if p.Outputs() == 1 {
			w[0] = number(1)
		} else {
			b.weights(w)
		}
		t := b.direction()
		b.section = "adjoints"
		b.careful = b.form.adjoints
		b.gradient(w, "")
		b.gradients = slices.Clone(b.g[:p.Inputs()])
		b.careful = b.form.last
		b.section = "tangents"
		b.tangents(t, "")
		b.section = "tangents of adjoints"
		b.results = b.products(t)[:p.Inputs()]
	}
	b.section = ""
}

// weights loads the adjoints of the outputs.
func (b *body) weights(w []value) {
	for j := range w {
		w[j] = b.load(b.kinds["w"]+strconv.Itoa(j), b.w, j)
	}
}

// direction is memory for the tangents of all nodes, of which those of the inputs are loaded.
func (b *body) direction() []value {
	t := make([]value, b.p.Len())
	for i := range int32(b.p.Inputs()) {
		t[i] = b.load(b.name("t", i), b.v, int(i))
	}
	return t
}

func (b *body) load(name, from string, k int) value {
	b.lines = append(b.lines, statement{names: []string{name}, expr: element(from, k), load: true})
	return value{s: name}
}

func (b *body) outputsOf(t []value) []value {
	var y []value
	for _, i := range b.p.OutputNodes() {
		y = append(y, t[i])
	}
	return y
}

// jacobian adds the lines of a Jacobian: columns by tangents or rows by adjoints, whichever
// are fewer.
func (b *body) jacobian(w []value) {
	p := b.p
	n, m := p.Inputs(), p.Outputs()
	b.results = make([]value, m*n)
	if n <= m {
		for k := range n {
			b.section = "column " + strconv.Itoa(k)
			t := make([]value, p.Len())
			t[k] = number(1)
			b.tangents(t, "_"+strconv.Itoa(k))
			for j, y := range b.outputsOf(t) {
				b.results[j*n+k] = y
			}
		}
		return
	}
	for j := range m {
		b.section = "row " + strconv.Itoa(j)
		clear(w)
		w[j] = number(1)
		b.gradient(w, "_"+strconv.Itoa(j))
		copy(b.results[j*n:], b.g[:n])
	}
}

// repeat adds the lines that make the function return call if one of the results is not
// finite.
func (b *body) repeat(call string, results []value) {
	var tests []string
	seen := map[string]bool{}
	for _, r := range results {
		if !r.isNumber() && !seen[r.s] {
			seen[r.s] = true
			tests = append(tests, r.s+"*0 +")
		}
	}
	if len(tests) == 0 {
		return
	}
	condition := func(tests []string) string {
		return strings.TrimSuffix(strings.Join(source.Wrap(tests, 90), "\n"), " +")
	}
	if len(tests) > most {
		for first := true; len(tests) > 0; first = false {
			n := min(most, len(tests))
			head := tests[:n:n]
			if !first {
				head = append([]string{b.test + " +"}, head...)
			}
			b.lines = append(b.lines, statement{names: []string{b.test}, expr: condition(head), more: b.tests})
			b.tests = true
			tests = tests[n:]
		}
		tests = []string{b.test}
	}
	b.raw("if %s != 0 { // an infinity or a NaN\n%s\n}", condition(tests), call)
}

// finish adds the lines that store the results and return.
func (b *body) finish(function Function) {
	for k, r := range b.results {
		b.lines = append(b.lines, statement{expr: fmt.Sprintf("%s[%d] = %s", b.dst, k, b.spell(r)), store: true})
	}
	f, fails := b.returns(function)
	switch {
	case b.isProduct(function):
		b.raw("return %s", b.orError("true"))
	case f && fails:
		b.raw("return %s, nil", b.spell(b.value))
	case f:
		b.raw("return %s", b.spell(b.value))
	case fails:
		b.raw("return nil")
	}
}

// isLike reports whether the lines that are needed are those of other, which has derivative
// products, so that there is no point in writing both: b and other differ neither in products
// nor in the order of sums.
func (b *body) isLike(other *body, function Function) bool {
	lines := func(b *body) []statement {
		whole := *b
		whole.lines = slices.Clone(b.lines)
		whole.finish(function)
		return slices.DeleteFunc(whole.live(), func(l statement) bool { return l.names == nil && !l.store }) // comparisons
	}
	return slices.EqualFunc(lines(b), lines(other), func(l, m statement) bool { return l.expr == m.expr && slices.Equal(l.names, m.names) })
}
