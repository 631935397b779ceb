package terms

import (
	"fmt"
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/sweep"
)

// ShareAll makes all evaluations that cost anything worth sharing, until
// undo is called.
func ShareAll() (undo func()) {
	old := worthSharing
	worthSharing = 0
	return func() { worthSharing = old }
}

// Misfits are the candidates of a program whose terms are not as they are traced
// alone, however they were found; count is how many were looked at.
func Misfits(p *sweep.Engine) (misfits []string, count int) {
	d := newDetector(&p.Tape, true)
	d.cutOutputs()
	d.budget = math.MaxInt
	terms := make([]int, len(d.classes))
	for _, c := range d.cands {
		if c.class < 0 || d.classes[c.class].joined || d.classes[c.class].state == cut {
			continue
		}
		s, t := d.classes[c.class], terms[c.class]
		terms[c.class]++
		d.marks.clear()
		d.term.clear()
		z := &d.term
		place := func(i int32, list code.Builder) bool { x := list.Index(); return x.Places()[t] == i }
		numbers := func(x float64, y data) bool { return math.Float64bits(x) == math.Float64bits(y.at(t)) }
		if !d.add(&c) || !slices.Equal(z.Steps, s.Steps) || !slices.Equal(z.results, s.results) ||
			!slices.EqualFunc(z.leaves, s.leaves, place) || !place(c.row, s.rows[0]) ||
			!slices.EqualFunc(z.Numbers, s.data, numbers) {
			misfits = append(misfits, fmt.Sprintf("node %d, term %d of class %d", c.root, t, c.class))
		}
		count++
	}
	return misfits, count
}
