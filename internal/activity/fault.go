package activity

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// A Fault is something in the source that a command cannot do its work on.
type Fault struct {
	At            token.Pos
	What, Instead string // what it is, and what to write instead

	// Of a fault in another package: the call that leads there, and of what.
	Via  token.Pos
	Into *types.Func
}

// Fault notes a fault in the code of in, nil for code outside of functions.
func (a *Analysis) Fault(in *Instance, at token.Pos, what, instead string) {
	a.Faults = append(a.Faults, a.newFault(in, at, what, instead))
}

func (a *Analysis) newFault(in *Instance, at token.Pos, what, instead string) Fault {
	f := Fault{At: at, What: what, Instead: instead}
	for ; in != nil && in.Pkg != a.Program.Root; in = in.Caller {
		f.Via, f.Into = in.Called, in.Fn
	}
	return f
}

// Report is a line a fault, in the order of the source, those of other packages by the
// call that leads to them.
func (p *Program) Report(faults []Fault) []string {
	place := func(f Fault) token.Position {
		if f.Via.IsValid() {
			return p.Fset.Position(f.Via)
		}
		return p.Fset.Position(f.At)
	}
	slices.SortStableFunc(faults, func(a, b Fault) int {
		x, y := place(a), place(b)
		if x.Filename != y.Filename {
			return strings.Compare(x.Filename, y.Filename)
		}
		return x.Offset - y.Offset
	})
	short := func(p token.Position) string {
		return fmt.Sprintf("%s:%d:%d", filepath.Base(p.Filename), p.Line, p.Column)
	}
	var out []string
	for _, f := range faults {
		s := short(place(f)) + ": "
		if f.Via.IsValid() {
			s += fmt.Sprintf("in %s, at %s: ", f.Into.FullName(), short(p.Fset.Position(f.At)))
		}
		s += f.What
		if f.Instead != "" {
			s += ": " + f.Instead
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
