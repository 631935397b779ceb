package activity

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// A place is where values of one type live: a variable, a parameter, a result,
// the elements of a slice, a field. What matters of it is which of its numbers
// are active, that is, depend on the inputs that are differentiated.
// Its methods but HoldsActive, Kind and Active want one that is not nil.
type Place struct {
	up     *Place // the place that this one became part of
	typ    types.Type
	kind   Kind
	elem   *Place
	fields []*Place
	params []*Place
	result []*Place

	active bool
	why    token.Pos  // where it became active
	fixed  string     // what it is, if it must stay passive
	in     *types.Var // the variable of a package that it is part of
	to     []flow     // what is assigned from this one
}

// A flow is an assignment to a number.
type flow struct {
	to *Place
	at token.Pos
}

// A Kind is what a place holds.
type Kind int

const (
	Other  Kind = iota // no number, or one that cannot be followed: an interface
	Number             // float64, complex128
	Holder             // elements: a slice, array, pointer, map or channel
	Record             // a struct
	Function
)

// Type is the type of one of the places that became this one: of the same shape as
// that of all others, but perhaps with another name.
func (p *Place) Type() types.Type { return p.find().typ }

// Kind is what p holds; of nil it is Other.
func (p *Place) Kind() Kind {
	if p == nil {
		return Other
	}
	return p.find().kind
}

// Active reports whether p is an active number.
func (p *Place) Active() bool { return p != nil && p.find().active }

// Elem is the place of the elements of a Holder, nil for another kind.
func (p *Place) Elem() *Place { return p.find().elem }

// Fields are the places of the fields of a Record, in their order.
func (p *Place) Fields() []*Place { return p.find().fields }

// Params are the places of the parameters of a Function.
func (p *Place) Params() []*Place { return p.find().params }

// Results are the places of the results of a Function.
func (p *Place) Results() []*Place { return p.find().result }

// Root is the place that p is part of: the same for all that share memory.
func (p *Place) Root() *Place { return p.find() }

func (p *Place) find() *Place {
	for p.up != nil {
		if p.up.up != nil {
			p.up = p.up.up
		}
		p = p.up
	}
	return p
}

func (p *Place) children() [][]*Place {
	var elem []*Place
	if p.elem != nil {
		elem = []*Place{p.elem}
	}
	return [][]*Place{elem, p.fields, p.params, p.result}
}

// Walk calls f with p and all places within, each once.
func (p *Place) Walk(f func(p *Place)) {
	seen := map[*Place]bool{}
	var visit func(p *Place)
	visit = func(p *Place) {
		p = p.find()
		if seen[p] {
			return
		}
		seen[p] = true
		f(p)
		for _, c := range p.children() {
			for _, q := range c {
				visit(q)
			}
		}
	}
	visit(p)
}

// IsNumber reports whether p is a number or points to one.
func (p *Place) IsNumber() bool {
	p = p.find()
	if p.kind == Holder && IsPointer(p.typ) {
		p = p.elem.find()
	}
	return p.kind == Number
}

// HoldsActive reports whether a number within p is active; none is in nil.
func (p *Place) HoldsActive() bool {
	if p == nil {
		return false
	}
	found := false
	p.Walk(func(p *Place) { found = found || p.active })
	return found
}

// Pattern says which numbers within p are active, and which parts of it are one
// place. Places of one type with equal patterns are used alike.
func (p *Place) Pattern() string {
	var b strings.Builder
	seen := map[*Place]int{}
	var visit func(p *Place)
	visit = func(p *Place) {
		p = p.find()
		if n, ok := seen[p]; ok {
			if p.kind == Number {
				n = -1
			}
			if n >= 0 && p.kind == Record {
				fmt.Fprintf(&b, "^%d", n)
				return
			}
		}
		seen[p] = len(seen)
		switch {
		case p.active:
			b.WriteByte('T')
		case p.kind == Number:
			b.WriteByte('.')
		default:
			b.WriteByte('(')
			for _, c := range p.children() {
				for _, q := range c {
					visit(q)
				}
				b.WriteByte(';')
			}
			b.WriteByte(')')
		}
	}
	visit(p)
	return b.String()
}

// A builder makes places of types and remembers which types hold numbers.
type builder struct {
	// Rewrites says that the command writes types of its own where values are active. Then
	// complex numbers may be, a parameter that is a struct or array may be copied to a variable
	// that is, and what is in a variable of a package that nothing changes may be copied where
	// it meets active values, and called if it is a function.
	Rewrites bool

	holds map[types.Type]bool
}

// isNumber reports whether t is float64 or a constant that becomes one, or complex128 where
// that may be active.
func (b *builder) isNumber(t types.Type) bool {
	u, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch u.Kind() {
	case types.Float64, types.UntypedFloat:
		return true
	case types.Complex128, types.UntypedComplex:
		return b.Rewrites
	}
	return false
}

// IsComplex reports whether t is complex128 or a constant that becomes one.
func IsComplex(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}

// holdsNumber reports whether values of t may hold a float64 that is not hidden
// behind an interface.
func (b *builder) holdsNumber(t types.Type) bool {
	v, ok := b.holds[t]
	if !ok {
		v = b.reachesNumber(t, map[types.Type]bool{})
		b.holds[t] = v
	}
	return v
}

// hasElem is a slice, array, pointer, channel or map.
type hasElem interface{ Elem() types.Type }

func (b *builder) reachesNumber(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	tuple := func(t *types.Tuple) bool {
		for i := range t.Len() {
			if b.reachesNumber(t.At(i).Type(), seen) {
				return true
			}
		}
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return b.isNumber(t)
	case hasElem:
		return b.reachesNumber(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if b.reachesNumber(u.Field(i).Type(), seen) {
				return true
			}
		}
	case *types.Signature:
		return tuple(u.Params()) || tuple(u.Results())
	}
	return false
}

// Place makes a new place of type t. A type that contains itself is one place
// within itself.
func (b *builder) Place(t types.Type) *Place { return b.build(t, map[types.Type]*Place{}) }

func (b *builder) build(t types.Type, within map[types.Type]*Place) *Place {
	t = types.Unalias(t)
	if p := within[t]; p != nil {
		return p
	}
	p := &Place{typ: t}
	if !b.holdsNumber(t) {
		return p
	}
	if _, ok := t.(*types.Named); ok {
		within[t] = p
		defer delete(within, t)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		p.kind = Number
	case hasElem:
		p.kind, p.elem = Holder, b.build(u.Elem(), within)
	case *types.Struct:
		p.kind = Record
		for i := range u.NumFields() {
			p.fields = append(p.fields, b.build(u.Field(i).Type(), within))
		}
	case *types.Signature:
		p.kind = Function
		for i := range u.Params().Len() {
			p.params = append(p.params, b.build(u.Params().At(i).Type(), within))
		}
		for i := range u.Results().Len() {
			p.result = append(p.result, b.build(u.Results().At(i).Type(), within))
		}
	}
	return p
}

// unify makes one place of two.
func (a *Analysis) unify(p, q *Place, at token.Pos) {
	p, q = p.find(), q.find()
	if p == q {
		return
	}
	if p.kind != q.kind || p.kind == Other {
		const what, instead = "an active value becomes one of another kind", "copy its numbers"
		a.hide(p, at, what, instead)
		a.hide(q, at, what, instead)
		return
	}
	q.up = p
	p.to = append(p.to, q.to...)
	if p.in != q.in {
		p.in = nil
	}
	if p.fixed == "" {
		p.fixed = q.fixed
	}
	switch {
	case p.active && !q.active:
		p.active = false
		a.activate(p, at)
	case q.active && !p.active:
		a.activate(p, at)
	}
	if p.elem != nil && q.elem != nil {
		a.unify(p.elem, q.elem, at)
	}
	for i, c := range p.children()[1:] {
		d := q.children()[1:][i]
		for k := range min(len(c), len(d)) {
			a.unify(c[k], d[k], at)
		}
	}
}

// flow notes that a value at src is assigned to dst.
func (a *Analysis) flow(src, dst *Place, at token.Pos) {
	if src == nil || dst == nil {
		return
	}
	src, dst = src.find(), dst.find()
	switch {
	case src == dst:
	case src.kind == Number && dst.kind == Number:
		src.to = append(src.to, flow{dst, at})
		if src.active {
			a.activate(dst, at)
		}
	case src.kind == Record && dst.kind == Record && src.isFixed(): // a copy, whose own numbers may be active
		for i := range min(len(src.fields), len(dst.fields)) {
			a.flow(src.fields[i], dst.fields[i], at)
		}
	case src.kind == dst.kind && src.isFixed() && !refers(src.typ): // of an array
	case src.kind == Holder && dst.kind == Holder && isList(src.typ) && src.in != dst.in && a.steady(src):
		a.flow(src.elem, dst.elem, at)
	case src.kind == dst.kind:
		a.unify(dst, src, at)
	case src.kind != Other:
		a.hide(src, at, inInterface, "use the concrete type, or a type parameter, as slices.SortFunc has in place of sort.Slice")
	}
}

// steady reports whether nothing ever changes what is at p, so that it may be copied.
func (a *Analysis) steady(p *Place) bool {
	return a.Rewrites && p.in != nil && a.Program.Constant(p.in)
}

// isList reports whether t is a slice or map.
func isList(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map:
		return true
	}
	return false
}

// isFixed reports whether all numbers within p must stay passive.
func (p *Place) isFixed() bool {
	fixed := true
	p.Walk(func(p *Place) { fixed = fixed && (p.kind != Number || p.fixed != "") })
	return fixed
}

const inInterface = "an interface cannot hold active values"

// activate makes a number active, and what is assigned from it.
func (a *Analysis) activate(p *Place, at token.Pos) {
	p = p.find()
	if p.active {
		return
	}
	p.active, p.why = true, at
	a.changed = true
	if p.fixed != "" {
		a.receives(p, at)
	}
	for _, f := range p.to {
		a.activate(f.to, f.at)
	}
}

// receives refuses to make p active, which must stay passive.
func (a *Analysis) receives(p *Place, at token.Pos) {
	instead := "keep what depends on the inputs in a local variable, or in a copy of the slice (slices.Clone)"
	if strings.HasPrefix(p.fixed, ofPackage) {
		instead += "; declare functions by func"
	} else {
		instead += ", or name it with -active"
	}
	a.Fault(a.current, at, p.fixed+" would receive an active value", instead)
}

const ofPackage = "package variable "

// IsPointer reports whether t is a pointer.
func IsPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
