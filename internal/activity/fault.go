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
	a.Faults = append(a.Faults, a.NewFault(in, at, what, instead))
}

// NewFault is a fault in the code of in that is not noted.
func (a *Analysis) NewFault(in *Instance, at token.Pos, what, instead string) Fault {
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
	files := map[string]string{} // import paths of the packages of files
	for _, q := range p.byPkg {
		for _, f := range q.GoFiles {
			files[f] = q.PkgPath + "/"
		}
	}
	short := func(at token.Position) string {
		name := filepath.Base(at.Filename)
		if path := files[at.Filename]; path != p.Root.PkgPath+"/" {
			name = path + name
		}
		return fmt.Sprintf("%s:%d:%d", name, at.Line, at.Column)
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
