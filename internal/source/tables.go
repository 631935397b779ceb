package source

import (
	"fmt"
	"strings"
)

// Table is the name of an array of the given elements, which is declared at the end of the file
// unless there is one already.
func (f *File) Table(what, kind string, elements []string) string {
	text := strings.Join(Wrap(elements, 96), "\n")
	return f.shared(what, kind+text, func(name string) string {
		return fmt.Sprintf("var %s = [...]%s{\n%s\n}\n\n", name, kind, text)
	})
}

// shared is the name of the declaration with a key, which declare writes if there is none.
func (f *File) shared(what, key string, declare func(name string) string) string {
	name, ok := f.known[key]
	if !ok {
		f.counts[what]++
		name = f.Private(fmt.Sprintf("%s%d", what, f.counts[what]))
		f.known[key] = name
		f.tables.WriteString(declare(name))
	}
	return name
}

// Integers is a table of whole numbers.
func (f *File) Integers(what string, x []int32) string {
	kind, elements := Integers(x)
	return f.Table(what, kind, elements)
}

// Numbers is a table of numbers.
func (f *File) Numbers(what string, x []float64) string {
	elements := make([]string, len(x))
	for k, v := range x {
		elements[k] = f.Number(v) + ","
	}
	return f.Table(what, "float64", elements)
}

// Rows is a table of rows of whole numbers, all of one length.
func (f *File) Rows(what string, rows [][]int32) string {
	elements := make([]string, len(rows))
	for k, row := range rows {
		elements[k] = "{" + strings.ReplaceAll(strings.Trim(fmt.Sprint(row), "[]"), " ", ", ") + "},"
	}
	return f.Table(what, fmt.Sprintf("[%d]int32", len(rows[0])), elements)
}

// Function is the name of a function, which is written at the end of the file unless it is there
// already. In text, NAME stands for the name.
func (f *File) Function(what, text string) string {
	return f.shared(what, text, func(name string) string { return strings.ReplaceAll(text, "NAME", name) })
}
