package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A table is text in columns, those of numbers aligned at their right.
type table struct {
	head []string // may be nil
	text int      // this many columns come first that are aligned at their left
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) {
	lines := t.rows
	if t.head != nil {
		lines = append([][]string{t.head}, lines...)
	}
	widths := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, cells := range lines {
		var b strings.Builder
		for i, c := range cells {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if i < t.text {
				b.WriteString(c + pad)
			} else {
				b.WriteString(pad + c)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// none is the cell of what has no meaning.
const none = "–"

// digits is x with three digits.
func digits(x float64) string {
	switch a := math.Abs(x); {
	case a >= 100 || a == 0:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
}

// duration is a time in seconds with its unit.
func duration(s float64) string {
	for _, u := range []string{"s", "ms", "µs"} {
		if s >= 1 {
			return digits(s) + " " + u
		}
		s *= 1e3
	}
	return digits(s) + " ns"
}
