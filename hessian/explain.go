package hessian

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/sparsity"
)

// Explain says in words what was prepared and why: the pattern with its densest
// rows and the operations that made them dense, the colors by each order tried,
// what kept the function from being a sum of alike terms, the methods that were
// considered with estimates of an evaluation, what was chosen and what an
// evaluation does. Cost: as detection.
func (p *Sparse) Explain() string {
	var b strings.Builder
	n, _ := p.full.Dims()
	q := inside.Program(p.first.t)
	fmt.Fprintf(&b, "Hessian %d×%[1]d of %d operations in %d batches, %d nonzeros", n, q.Ops(), q.Batches(), p.full.NNZ())
	if n > 0 {
		fmt.Fprintf(&b, ", %.3g a row", float64(p.full.NNZ())/float64(n))
	}
	if p.settings.Pattern != nil {
		b.WriteString(", pattern given")
	}
	b.WriteString("\n")
	for _, i := range densestRows(p.full, 3) {
		fmt.Fprintf(&b, "  row %d has %d", i, len(p.full.Row(i)))
		if p.settings.Pattern == nil {
			if op, k := domains.Densest(q, i); op != "" {
				fmt.Fprintf(&b, ", by %d %s and others", k, op)
			}
		}
		b.WriteString("\n")
	}
	for _, c := range p.tried {
		fmt.Fprintf(&b, "%v\n", c)
	}
	if o := p.settings; p.terms == nil && o.Method == Auto && o.Pattern == nil && o.Coloring == nil && o.Strategy == FoR {
		b.WriteString(terms.Obstacles(q, true))
	}
	for _, o := range p.options {
		fmt.Fprintf(&b, "considered %v\n", o)
	}
	why := "estimated to be the fastest"
	switch {
	case p.settings.Coloring != nil:
		why = "given"
	case p.settings.Method != Auto:
		why = "forced"
	case p.Method() == ByAcyclic:
		why += ", by more than a fifth"
	}
	fmt.Fprintf(&b, "%v, %s", p.Method(), why)
	if p.terms != nil {
		fmt.Fprintf(&b, "\n%s", p.terms.Explain())
		if p.rest != nil {
			fmt.Fprintf(&b, "what is left over: %s", p.rest.Explain())
		}
		return b.String()
	}
	b.WriteString("; recovery by a gather")
	if d := p.recovery.Depth(); d > 0 {
		fmt.Fprintf(&b, " and substitutions of depth %d", d)
	}
	fmt.Fprintf(&b, "\nan evaluation: %d products by %v, up to %d in one sweep\n", p.coloring.Num(), p.h.strategy, program.MaxDirections)
	return b.String()
}

// densestRows is up to k rows with at least 16 entries that have more than twice
// the mean, the densest first.
func densestRows(p *sparsity.Pattern, k int) []int {
	counts := p.RowCounts()
	var rows []int
	for i, c := range counts {
		if c >= 16 && c*len(counts) > 2*p.NNZ() {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(i, j int) int { return counts[j] - counts[i] })
	return rows[:min(k, len(rows))]
}
