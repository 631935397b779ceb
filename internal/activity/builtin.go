package activity

import (
	"go/ast"
	"go/types"
)

// A builtin is what is known of a function of Go's own.
type builtin struct {
	// harmless says that a call neither fails nor changes anything.
	harmless bool

	// timeless says that a call may be made twice, or earlier or later than others.
	timeless bool

	// reads says that nothing refers to an argument after the call.
	reads bool

	// flow says where the numbers of arguments go and returns the place of the result.
	// It is nil where numbers go nowhere.
	flow func(w *walker, e *ast.CallExpr, args []*Place) *Place
}

// builtins are all functions of Go's own, also those of package unsafe; a call of another
// is refused. Those that return or fill something with active numbers have a case in
// dual/lift, too, which says how they are written.
var builtins map[string]builtin

func init() { // flows lead back to the table
	const pointers, index = "unsafe pointers to active values", "use an index, or a pointer of its type"
	builtins = map[string]builtin{
		"append":     {flow: (*walker).append},
		"cap":        {harmless: true, timeless: true, reads: true},
		"clear":      {},
		"close":      {},
		"complex":    {harmless: true, timeless: true, flow: (*walker).complex},
		"copy":       {flow: (*walker).copy},
		"delete":     {},
		"imag":       {harmless: true, timeless: true, flow: (*walker).numbers},
		"len":        {harmless: true, timeless: true, reads: true},
		"make":       {timeless: true},
		"max":        {harmless: true, timeless: true, flow: (*walker).numbers},
		"min":        {harmless: true, timeless: true, flow: (*walker).numbers},
		"new":        {timeless: true, flow: (*walker).new},
		"panic":      {timeless: true, flow: hides("an active value cannot be given to panic", "leave it out, or give a text")},
		"print":      {flow: hides("an active value cannot be given to print", "leave it out, or give a text")},
		"println":    {flow: hides("an active value cannot be given to println", "leave it out, or give a text")},
		"real":       {harmless: true, timeless: true, flow: (*walker).numbers},
		"recover":    {flow: refuses("a function that recovers from a panic cannot be lifted", "return an error")},
		"Add":        {},
		"Alignof":    {},
		"Offsetof":   {},
		"Sizeof":     {},
		"Slice":      {flow: hides(pointers, index)},
		"SliceData":  {flow: hides(pointers, index)},
		"String":     {},
		"StringData": {},
	}
}

// Builtin is the name of the builtin function that e is, "" if it is none.
func Builtin(info *types.Info, e ast.Expr) string {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr: // of package unsafe
		id = e.Sel
	}
	if b, ok := info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// Harmless reports whether a call of the builtin function name neither fails nor changes
// anything.
func Harmless(name string) bool { return builtins[name].harmless }

func (w *walker) builtin(e *ast.CallExpr, name string) []*Place {
	var args []*Place
	for _, x := range e.Args {
		args = append(args, w.expr(x))
	}
	b, ok := builtins[name]
	if !ok {
		b.flow = refuses("Go's "+name+", which is not known", "write it without")
	}
	if b.flow != nil {
		if p := b.flow(w, e, args); p != nil {
			return []*Place{p}
		}
	}
	if t := w.info().TypeOf(e); t != nil {
		if _, ok := t.(*types.Tuple); !ok {
			return []*Place{w.fresh(w.typeOf(e))}
		}
	}
	return nil
}

// hides is the flow of a function whose arguments must not be active.
func hides(what, instead string) func(*walker, *ast.CallExpr, []*Place) *Place {
	return func(w *walker, e *ast.CallExpr, args []*Place) *Place {
		for _, p := range args {
			w.a.hide(p, e.Pos(), what, instead)
		}
		return nil
	}
}

// refuses is the flow of a function that must not be called.
func refuses(what, instead string) func(*walker, *ast.CallExpr, []*Place) *Place {
	return func(w *walker, e *ast.CallExpr, _ []*Place) *Place {
		w.a.Fault(w.in, e.Pos(), what, instead)
		return nil
	}
}

// sizes refuses the constants in n that are other ones once numbers are active.
func (w *walker) sizes(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch name := Builtin(w.info(), c.Fun); name {
		case "Alignof", "Offsetof", "Sizeof":
			x := c.Args[0]
			if s, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && name == "Offsetof" {
				x = s.X
			}
			w.a.hide(w.expr(x), c.Pos(), "unsafe."+name+" of an active value", "write the number")
		}
		return true
	})
}

func (w *walker) append(e *ast.CallExpr, args []*Place) *Place {
	s := args[0].find()
	if w.info().Types[e.Args[0]].IsNil() || s.elem == nil {
		s = w.fresh(w.typeOf(e))
	}
	to := s.elem
	if to == nil { // a slice of interfaces
		to = &Place{}
	}
	for i, p := range args[1:] {
		if e.Ellipsis.IsValid() && i == len(args)-2 {
			if p = p.find(); p.elem == nil {
				continue
			}
			p = p.elem
		}
		w.a.flow(p, to, e.Args[i+1].Pos())
	}
	return s
}

func (w *walker) copy(e *ast.CallExpr, args []*Place) *Place {
	if to, from := args[0].find(), args[1].find(); to.elem != nil && from.elem != nil {
		w.a.flow(from.elem, to.elem, e.Pos())
	}
	return nil
}

func (w *walker) complex(e *ast.CallExpr, args []*Place) *Place {
	if !w.a.Rewrites {
		return hides("complex numbers of active values", "compute with real and imaginary parts")(w, e, args)
	}
	return w.numbers(e, args)
}

// numbers is the flow of a function whose result is made of its arguments.
func (w *walker) numbers(e *ast.CallExpr, args []*Place) *Place {
	p := w.fresh(w.typeOf(e))
	for _, x := range args {
		w.a.flow(x, p, e.Pos())
	}
	return p
}

func (w *walker) new(e *ast.CallExpr, args []*Place) *Place {
	p := w.fresh(w.typeOf(e))
	if !w.info().Types[e.Args[0]].IsType() && p.elem != nil {
		w.a.flow(args[0], p.elem, e.Args[0].Pos())
	}
	return p
}
