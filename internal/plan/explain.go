package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/internal/terms"
)

// Explain says in words what was planned and why: the pattern with its densest rows,
// of a Hessian with the operations that made them dense, the colors by each order
// tried, what kept the program from being a sum of alike terms, the methods that
// were considered with estimates of an evaluation, what was chosen and what an
// evaluation does. Cost: as detection.
func (p *Plan) Explain() string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p.explainPattern(say)
	for _, c := range p.tried {
		say("%v", c)
	}
	if p.terms == nil && p.Method == Auto && p.Settings.Pattern == nil && p.Settings.Coloring == nil {
		b.WriteString(terms.Obstacles(p.program, p.Hessian))
	}
	for _, o := range p.options {
		say("considered %v", o)
	}
	if p.unrivaled {
		k, c := p.fewest(p.work())
		say("considered %v", option{p.describe(k) + ", the fewest by any coloring", c})
	}
	why := "estimated to be the fastest"
	switch {
	case p.Settings.Coloring != nil:
		why = "given"
	case p.Method != Auto:
		why = "forced"
	}
	if p.terms != nil {
		say("by terms, %s", why)
		b.WriteString(p.matrix.Explain())
		if p.rest != nil {
			b.WriteString("what is left over: " + p.rest.Explain())
		}
		return b.String()
	}
	say("by a coloring, %v, %s", p.coloring.Kind(), why)
	k := products{p.coloring.Columns().Num(), p.coloring.Rows().Num()}
	say("an evaluation: %s, up to %d in one sweep", p.describe(k), lanes)
	if p.sums != nil {
		what := "gradients"
		if p.sums.products {
			what += " and products"
		}
		say("%s by terms:", what)
		b.WriteString(p.sums.gradient.terms.ExplainGradient())
	}
	if d := p.recovery.Depth(); d > 0 {
		say("recovery by substitutions of depth %d", d)
	}
	return b.String()
}

func (p *Plan) explainPattern(say func(format string, args ...any)) {
	what := "Jacobian"
	if p.Hessian {
		what = "Hessian"
	}
	given := ""
	if p.Settings.Pattern != nil {
		given = ", pattern given"
	}
	m, n := p.full.Dims()
	say("%s %d×%d of %d operations in %d batches, %d nonzeros, %.3g a row%s", what, m, n,
		p.program.Tape().Ops(), len(p.program.Engine().Batches()), p.full.NNZ(), float64(p.full.NNZ())/float64(max(m, 1)), given)
	for _, i := range densest(p.full.RowCounts()) {
		by := ""
		if p.Hessian && p.Settings.Pattern == nil {
			if op, k := domains.Densest(&p.program.Engine().Tape, i); op != "" {
				by = fmt.Sprintf(", by %d %s and others", k, op)
			}
		}
		say("  row %d has %d%s", i, len(p.full.Row(i)), by)
	}
	if p.Hessian {
		return
	}
	counts := p.full.ColumnCounts()
	for _, j := range densest(counts) {
		say("  column %d has %d", j, counts[j])
	}
}

// densest is up to three rows or columns with at least 16 entries that have more
// than twice the mean, the densest first.
func densest(counts []int) []int {
	nnz := 0
	for _, c := range counts {
		nnz += c
	}
	var dense []int
	for i, c := range counts {
		if c >= 16 && c*len(counts) > 2*nnz {
			dense = append(dense, i)
		}
	}
	slices.SortStableFunc(dense, func(i, j int) int { return counts[j] - counts[i] })
	return dense[:min(3, len(dense))]
}
