package straight

import (
	"fmt"
	"slices"
	"strings"
)

// The time that Go takes to compile a function grows faster than its length, since more
// variables live at once: 1,000 lines take 0.3 s, 10,000 in one function minutes. So a
// long function is cut into parts, functions of their own. What one part computes and
// another one reads is in memory that the caller gives.
const (
	longest  = 1000 // lines of a function that is not cut
	partSize = 500  // lines of a part
)

// parts is a function that is cut.
type parts struct {
	*body
	lines []statement
	part  []int          // by line, −1 for those of the function itself
	slots map[string]int // where names are in memory
	reads bool           // something was put there since this was reset
}

// isLong reports whether a function whose results are known is cut.
func (b *body) isLong(function Function) bool {
	if len(b.lines) <= longest {
		return false
	}
	whole := *b
	whole.lines = slices.Clone(b.lines)
	whole.finish(function)
	return len(whole.live()) > longest
}

// cut finds the parts, and what more than one of them needs.
func (b *body) cut() *parts {
	c := &parts{body: b, lines: b.live(), slots: map[string]int{}}
	c.part = make([]int, len(c.lines))
	part, size := 0, 0
	defined := map[string]int{}
	spill := func(name string) {
		if _, ok := c.slots[name]; !ok && name != "_" {
			c.slots[name] = len(c.slots)
		}
	}
	for i, l := range c.lines {
		c.part[i] = part
		if l.names == nil && !l.store {
			c.part[i] = -1
			if size > 0 {
				part, size = part+1, 0
			}
		}
		eachWord(l.expr, func(from, to int) {
			id := l.expr[from:to]
			if at, ok := defined[id]; ok && at != c.part[i] {
				spill(id)
			}
		})
		for _, n := range l.names {
			if at, ok := defined[n]; ok && at != c.part[i] {
				spill(n)
			}
			if !l.more {
				defined[n] = c.part[i]
			}
		}
		if c.part[i] >= 0 {
			if size++; size == partSize {
				part, size = part+1, 0
			}
		}
	}
	for _, l := range c.lines { // names that are set together are in one kind of place
		for _, n := range l.names {
			if _, ok := c.slots[n]; ok {
				for _, n := range l.names {
					spill(n)
				}
				break
			}
		}
	}
	b.work = max(b.work, len(c.slots))
	return c
}

// placed is a line with the names that are in memory as its elements.
func (c *parts) placed(expr string) string {
	var b strings.Builder
	last := 0
	eachWord(expr, func(from, to int) {
		if k, ok := c.slots[expr[from:to]]; ok {
			c.reads = true
			b.WriteString(expr[last:from] + element(c.m, k))
			last = to
		}
	})
	return b.String() + expr[last:]
}

// print writes the function that calls its parts, ends it, and writes the parts.
// signature is their arguments.
func (c *parts) print(name, arguments, signature string) {
	f := c.file
	open := func() string {
		if !c.reads {
			return ""
		}
		return fmt.Sprintf("%s := &%s.m\n", c.m, c.memory)
	}
	var own, others strings.Builder
	ownReads := false
	for i := 0; i < len(c.lines); {
		c.reads = false
		part := c.part[i]
		if part < 0 {
			own.WriteString(c.placed(c.lines[i].expr) + "\n")
			ownReads = ownReads || c.reads
			i++
			continue
		}
		var b strings.Builder
		for ; i < len(c.lines) && c.part[i] == part; i++ {
			c.line(&b, &c.lines[i])
		}
		fmt.Fprintf(&own, "%sPart%d(%s)\n", name, part, arguments)
		fmt.Fprintf(&others, "func %sPart%d(%s) {\n%s%s}\n\n", name, part, signature, open(), b.String())
	}
	c.reads = ownReads
	f.Printf("%s%s}\n\n%s", open(), own.String(), others.String())
}

// line writes a line of a part.
func (c *parts) line(b *strings.Builder, l *statement) {
	assign, names := " := ", make([]string, len(l.names))
	if l.more {
		assign = " = "
	}
	for k, n := range l.names {
		names[k] = c.placed(n)
		if names[k] != n {
			assign = " = "
		}
	}
	if len(names) > 0 {
		b.WriteString(strings.Join(names, ", ") + assign)
	}
	b.WriteString(c.placed(l.expr))
	if l.comment != "" {
		b.WriteString(" // " + l.comment)
	}
	b.WriteString("\n")
}
