package straight

import (
	"fmt"
	"strings"
)

// procedure is a function that works on the memory, whose lines are added one after another.
// If it gets long it calls parts, functions of at most partSize lines.
type procedure struct {
	*looped
	name  string
	text  strings.Builder // the lines since the last part
	lines int             // how many these are
	calls []string        // the names of the parts
}

// procedure is the name of a procedure, for which lines adds the lines when it is first asked
// for.
func (l *looped) procedure(what string, lines func(q *procedure)) string {
	name := l.private(what)
	if !l.written[name] {
		l.written[name] = true
		q := &procedure{looped: l, name: name}
		lines(q)
		q.end()
	}
	return name
}

// add adds lines, which may not use variables that lines added before have set.
func (q *procedure) add(text string) {
	n := strings.Count(text, "\n")
	if q.lines+n > partSize {
		q.cut()
	}
	q.text.WriteString(text)
	q.lines += n
}

// cut makes a part of the lines since the last part. Parts with the same lines are one
// function.
func (q *procedure) cut() {
	if q.lines == 0 {
		return
	}
	text := q.text.String()
	q.text.Reset()
	q.lines = 0
	name, ok := q.declared[text]
	if !ok {
		name = q.fresh("Part")
		q.declared[text] = name
		q.function(name, "", text)
	}
	q.calls = append(q.calls, name)
}

// function writes a function that works on the memory, with more arguments.
func (l *looped) function(name, arguments, text string) {
	fmt.Fprintf(&l.later, "func %s(%s *%s%s) {\n%s%s}\n\n", name, l.m, l.workName(), arguments, l.open(text), text)
}

// open is the lines that declare variables for the arrays that text mentions.
func (l *looped) open(text string) string {
	mentioned := map[string]bool{}
	eachWord(text, func(from, to int) { mentioned[text[from:to]] = true })
	s := ""
	for _, a := range l.allArrays() {
		if mentioned[a] {
			l.used[a] = true
			s += fmt.Sprintf("%s := &%s.%s\n", a, l.m, a)
		}
	}
	return s
}

func (l *looped) allArrays() []string {
	return []string{l.arrays.v, l.arrays.g, l.arrays.t, l.arrays.u, l.arrays.d, l.arrays.c}
}

// end writes the procedure.
func (q *procedure) end() {
	if len(q.calls) == 0 {
		q.function(q.name, "", q.text.String())
		return
	}
	q.cut()
	text := ""
	for _, part := range q.calls {
		text += part + "(" + q.m + ")\n"
	}
	q.function(q.name, "", text)
}
