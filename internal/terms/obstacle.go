package terms

import (
	"fmt"
	"strings"

	"github.com/hesse-ad/hesse/internal/sweep"
)

// obstacle is what kept a candidate from being a term: what, and the node where it was
// met.
type obstacle struct {
	what reason
	at   int32
}

type reason uint8

const (
	tooLarge reason = iota // too many operations
	call                   // a call of a primitive, or an operation without symbolic derivatives
	repeated               // all terms together would be too many operations
	unlike                 // too many shapes
	rare                   // few terms of its shape
	reasons
)

// Obstacles says what kept parts of a function from being terms, "" if nothing did.
// Cost: as Detect.
func Obstacles(f *sweep.Function, hessian bool) string {
	d := newDetector(&f.Engine().Tape, hessian)
	d.cutOutputs()
	type part struct {
		candidate
		at int32
	}
	var parts [reasons][]part
	classes := map[int32]bool{}
	for k, c := range d.cands {
		if !d.leftOver(&c) {
			continue
		}
		o := d.obstacles[int32(k)]
		if c.class >= 0 {
			o = obstacle{what: unlike, at: c.root}
			classes[c.class] = true
			if d.classes[c.class].state == tooRare {
				o.what = rare
			}
		}
		parts[o.what] = append(parts[o.what], part{c, o.at})
	}
	var b strings.Builder
	for r, cands := range parts {
		if len(cands) == 0 {
			continue
		}
		c := cands[0]
		where := fmt.Sprintf("the first %v in output %d", d.p.Op(c.root), c.row)
		why := ""
		switch reason(r) {
		case tooLarge:
			why = fmt.Sprintf("have more than %d operations", d.longest)
		case call:
			why = fmt.Sprint("call ", d.p.Op(c.at))
			if at := d.p.CallAt(d.p.FirstOutput(c.at)); at != nil {
				why = "call " + at.Name()
			}
		case repeated:
			why = fmt.Sprintf("would be more than %d times the operations, with what they have in common", maxRepeat)
		case unlike:
			why = fmt.Sprintf("are of %d shapes, too many or too large to derive", len(classes))
		case rare:
			why = "are of shapes with too few terms to be the faster"
		}
		fmt.Fprintf(&b, "no terms: %d parts, %s, %s\n", len(cands), where, why)
	}
	if _, ok := d.rest(); !ok {
		fmt.Fprintf(&b, "no terms: what is left over has more than %.0f %% of the operations\n", 100*(1-leastShare))
	}
	return b.String()
}
