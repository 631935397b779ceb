package terms

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/internal/code"
)

// A loop over terms reads and writes arrays at places that are given by lists, one number for
// each lane. A list with equal differences is computed from the number of the lane. If lists
// have equal differences in pieces, the loop goes over the pieces, with a table of what each
// list is at the beginning of a piece. Other lists are tables. Lists that differ by a
// constant share a variable.

// minPiece is how many lanes pieces must have on average.
const minPiece = 8

// lists is the lists of a loop over n lanes.
type lists struct {
	n       int
	forward bool
	blocks  bool // pieces end where blocks do
	groups  []*group
	pieces  []int32          // the first lane of each piece, and n
	number  map[*int32]place // by the address of its first element, the place of a list
}

// group is lists that differ by a constant.
type group struct {
	first  []int32 // the list with the smallest numbers
	step   int32   // the difference of most neighbors in it
	breaks []int32 // the lanes whose number is not that of the lane before plus step
	table  string  // the name of its table, "" if it has none
	name   string  // the name of its variable
}

// place is a list of a group: the first one plus more.
type place struct {
	*group
	more int32
}

// newGroup is a group with one list, x.
func newGroup(x []int32) *group {
	g := &group{first: x}
	count := map[int32]int{}
	for t := 1; t < len(x); t++ {
		d := x[t] - x[t-1]
		if count[d]++; count[d] > count[g.step] || count[d] == count[g.step] && d < g.step {
			g.step = d
		}
	}
	for t := 1; t < len(x); t++ {
		if x[t]-x[t-1] != g.step {
			g.breaks = append(g.breaks, int32(t))
		}
	}
	return g
}

// add adds a list, which is known by the address of its first element.
func (l *lists) add(x []int32) {
	if _, ok := l.number[&x[0]]; ok {
		return
	}
	for _, g := range l.groups {
		more := x[0] - g.first[0]
		same := true
		for t, v := range x {
			if v-g.first[t] != more {
				same = false
				break
			}
		}
		if same {
			l.number[&x[0]] = place{g, more}
			return
		}
	}
	g := newGroup(x)
	l.groups = append(l.groups, g)
	l.number[&x[0]] = place{g, 0}
}

// layOut finds the pieces. Groups that would make too many become tables.
func (l *lists) layOut() {
	l.pieces = nil
	order := slices.Clone(l.groups)
	slices.SortStableFunc(order, func(a, b *group) int { return len(a.breaks) - len(b.breaks) })
	begins := map[int32]bool{0: true}
	if l.blocks && slices.ContainsFunc(order, func(g *group) bool { return len(g.breaks) > 0 }) {
		for lo := 0; lo < l.n; lo += code.Lanes {
			begins[int32(lo)] = true
		}
	}
	for _, g := range order {
		fresh := 0
		for _, b := range g.breaks {
			if !begins[b] {
				fresh++
			}
		}
		if fresh > 0 && (len(begins)+fresh)*minPiece > l.n {
			g.table = "needed"
			continue
		}
		for _, b := range g.breaks {
			begins[b] = true
		}
	}
	if !slices.ContainsFunc(order, func(g *group) bool { return len(g.breaks) > 0 && g.table == "" }) {
		begins = map[int32]bool{0: true} // all is arithmetic, or tables
	}
	for b := range begins {
		l.pieces = append(l.pieces, b)
	}
	slices.Sort(l.pieces)
	l.pieces = append(l.pieces, int32(l.n))
}

// isOne reports whether no table of pieces is needed.
func (l *lists) isOne() bool { return len(l.pieces) == 2 }

// declare writes the tables and gives names to variables.
func (l *lists) declare(table func(x []int32) string) {
	smallest := func(g *group) (more int32) {
		for _, p := range l.number {
			if p.group == g {
				more = min(more, p.more)
			}
		}
		return more
	}
	for k, g := range l.groups {
		if less := smallest(g); less < 0 {
			first := make([]int32, len(g.first))
			for t, v := range g.first {
				first[t] = v + less
			}
			g.first = first
			for x, p := range l.number {
				if p.group == g {
					l.number[x] = place{g, p.more - less}
				}
			}
		}
		g.name = fmt.Sprintf("at%d", k+1)
		if g.table != "" {
			g.table = table(g.first)
		}
	}
}

// hasTable reports whether a list is a table.
func (l *lists) hasTable() bool {
	return slices.ContainsFunc(l.groups, func(g *group) bool { return g.table != "" })
}

// columns is the groups that have a column in the table of pieces.
func (l *lists) columns() (z []*group) {
	for _, g := range l.groups {
		if g.table == "" {
			z = append(z, g)
		}
	}
	return z
}

// rows is the table of pieces: how many lanes each has, and where the groups begin, in
// the order in which the loop takes them.
func (l *lists) rows() (z [][]int32) {
	add := func(k int) {
		lo, hi := l.pieces[k], l.pieces[k+1]
		row := []int32{hi - lo}
		for _, g := range l.columns() {
			row = append(row, g.first[lo])
		}
		z = append(z, row)
	}
	for k := 0; k+1 < len(l.pieces); {
		if l.forward {
			add(k)
			k++
			continue
		}
		end := k + 1 // of the block, whose pieces come in reverse
		for end+1 < len(l.pieces) && l.pieces[end]%code.Lanes != 0 {
			end++
		}
		for j := end - 1; j >= k; j-- {
			add(j)
		}
		k = end
	}
	return z
}

// index is an expression for list x in the lane of the loop, which is i if there is one piece;
// else k counts the lanes of the piece.
func (l *lists) index(x []int32) string { return l.indexAt(x, "") }

// indexAt is an expression for list x in lane i, or in lane i of the piece; in the lane of the
// loop if i is "".
func (l *lists) indexAt(x []int32, i string) string {
	if i == "" {
		i = "k"
		if l.isOne() {
			i = "i"
		}
	}
	p := l.number[&x[0]]
	switch {
	case p.table != "":
		return plus(p.name, p.more)
	case l.n == 1:
		return fmt.Sprint(p.first[0] + p.more)
	case l.isOne():
		if t, err := strconv.Atoi(i); err == nil {
			return fmt.Sprint(p.step*int32(t) + p.first[0] + p.more)
		}
		return plus(times(p.step, i), p.first[0]+p.more)
	}
	return plus(sumOf(p.name, times(p.step, i)), p.more)
}

func sumOf(a, b string) string {
	switch {
	case b == "":
		return a
	case b[0] == '-':
		return a + " - " + b[1:]
	}
	return a + " + " + b
}

// times is k·x, "" for 0.
func times(k int32, x string) string {
	if x == "0" {
		return ""
	}
	switch k {
	case 0:
		return ""
	case 1:
		return x
	case -1:
		return "-" + x
	}
	return fmt.Sprintf("%d*%s", k, x)
}

// plus is x + k.
func plus(x string, k int32) string {
	switch {
	case x == "":
		return fmt.Sprint(k)
	case k == 0:
		return x
	case strings.HasPrefix(x, "-"):
		return fmt.Sprintf("%d - %s", k, x[1:])
	case k < 0:
		return fmt.Sprintf("%s - %d", x, -k)
	}
	return fmt.Sprintf("%s + %d", x, k)
}
