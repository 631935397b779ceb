package straight

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/source"
)

// place is element at+i of an array, i being an expression.
func place(array string, at int32, i string) string {
	switch {
	case i == "":
		return element(array, int(at))
	case at == 0:
		return array + "[" + i + "]"
	}
	return array + "[" + strconv.Itoa(int(at)) + "+" + i + "]"
}

// table is the name of a table of integers.
func (l *looped) table(what string, x []int32) string {
	kind, words := source.Integers(x)
	return l.declare(what, kind, words)
}

// numbers is the name of a table of numbers.
func (l *looped) numbers(what string, x []float64) string {
	return l.declare(what, "float64", l.file.Numbers(x))
}

// declare is the name of a table with these elements, which it declares unless there is one.
func (l *looped) declare(what, kind string, words []string) string {
	elements := strings.Join(source.Wrap(words, 96), "\n")
	name, ok := l.declared[kind+elements]
	if !ok {
		name = l.fresh(what)
		l.declared[kind+elements] = name
		fmt.Fprintf(&l.later, "var %s = [...]%s{\n%s\n}\n\n", name, kind, elements)
	}
	return name
}

// fresh is a new name for something.
func (l *looped) fresh(what string) string {
	l.count[what]++
	return l.private(what + strconv.Itoa(l.count[what]))
}

// index is element k of a list of integers as an expression in k: arithmetic, if their
// differences are equal, else an element of a table.
func (l *looped) index(x []int32, k string) string {
	if first, step, ok := even(x); ok {
		switch {
		case step == 0:
			return strconv.Itoa(int(first))
		case step != 1:
			k = strconv.Itoa(int(step)) + "*" + k
		}
		switch {
		case first == 0:
			return k
		case step < 0:
			return strconv.Itoa(int(first)) + k
		}
		return strconv.Itoa(int(first)) + "+" + k
	}
	return l.table("Places", x) + "[" + k + "]"
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

// constant is element k of a list of numbers, as an expression in k.
func (l *looped) constant(x []float64, k string) string {
	if same(x) {
		return l.file.Number(x[0])
	}
	return l.numbers("Numbers", x) + "[" + k + "]"
}

func same(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.Float64bits(v) != math.Float64bits(x[0]) })
}
