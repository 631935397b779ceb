package terms

import (
	"fmt"
	"strings"
)

// Explain says which shapes there are.
func (h *Hessian) Explain() string { return h.explain(variant{ord: second}) }

// Explain says which shapes there are.
func (j *Jacobian) Explain() string { return j.explain(variant{ord: jacobian}) }

func (pl *Plan) explain(v variant) string {
	var b strings.Builder
	for k, c := range pl.code(v) {
		s := pl.shapes[k]
		fmt.Fprintf(&b, "  %d × a shape of %d variables and %d operations", s.terms, len(s.vars), len(s.steps))
		if s.single {
			b.WriteString(", the whole of a small function\n")
			continue
		}
		fmt.Fprintf(&b, ", differentiated by %d instructions\n", len(c.once)+len(c.block))
	}
	return b.String()
}
