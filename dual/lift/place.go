package main

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// A place is where values of one type live: a variable, a parameter, a result,
// the elements of a slice, a field. What matters of it is which of its numbers
// are active, that is, depend on the inputs that are differentiated.
//
// Places are the cells of a points-to analysis in almost linear time (Steensgaard,
// POPL 1996): an assignment between numbers makes the target active if the source
// is, one way; whatever shares memory or a type (slices, pointers, maps, structs,
// functions) becomes one place, both ways, by union and find.
type place struct {
	up     *place // the place that this one became part of
	typ    types.Type
	kind   kind
	elem   *place   // of slices, arrays, pointers, maps and channels
	fields []*place // of structs
	params []*place // of functions
	result []*place

	active bool
	why    token.Pos // where it became active
	fixed  string    // what it is, if it must stay passive
	to     []flow    // what is assigned from this one
}

// A flow is an assignment to a number.
type flow struct {
	to *place
	at token.Pos
}

type kind int

const (
	other  kind = iota // holds no number, or hides it: an interface
	number             // float64
	holder             // has elements
	record
	function
)

func (p *place) find() *place {
	for p.up != nil {
		if p.up.up != nil {
			p.up = p.up.up
		}
		p = p.up
	}
	return p
}

func (p *place) children() [][]*place {
	var elem []*place
	if p.elem != nil {
		elem = []*place{p.elem}
	}
	return [][]*place{elem, p.fields, p.params, p.result}
}

// walk calls f with p and all places within, each once.
func (p *place) walk(f func(p *place)) {
	seen := map[*place]bool{}
	var visit func(p *place)
	visit = func(p *place) {
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

// isNumber reports whether p is a number or points to one.
func (p *place) isNumber() bool {
	p = p.find()
	if p.kind == holder && isPointer(p.typ) {
		p = p.elem.find()
	}
	return p.kind == number
}

// holdsActive reports whether a number within p is active.
func (p *place) holdsActive() bool {
	if p == nil {
		return false
	}
	found := false
	p.walk(func(p *place) { found = found || p.active })
	return found
}

// pattern says which numbers within p are active, and which parts of it are one
// place: equal patterns of one type are one lifted type.
func (p *place) pattern() string {
	var b strings.Builder
	seen := map[*place]int{}
	var visit func(p *place)
	visit = func(p *place) {
		p = p.find()
		if n, ok := seen[p]; ok {
			if p.kind == number {
				n = -1
			}
			if n >= 0 && p.kind == record {
				fmt.Fprintf(&b, "^%d", n)
				return
			}
		}
		seen[p] = len(seen)
		switch {
		case p.active:
			b.WriteByte('T')
		case p.kind == number:
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
	holds map[types.Type]bool
}

// isNumber reports whether t is float64 or a constant that becomes one.
func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Float64 || b.Kind() == types.UntypedFloat)
}

// holdsNumber reports whether values of t may hold a float64 that is not hidden
// behind an interface.
func (b *builder) holdsNumber(t types.Type) bool {
	v, ok := b.holds[t]
	if !ok {
		v = reachesNumber(t, map[types.Type]bool{})
		b.holds[t] = v
	}
	return v
}

func reachesNumber(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	tuple := func(t *types.Tuple) bool {
		for i := range t.Len() {
			if reachesNumber(t.At(i).Type(), seen) {
				return true
			}
		}
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return isNumber(t)
	case *types.Slice:
		return reachesNumber(u.Elem(), seen)
	case *types.Array:
		return reachesNumber(u.Elem(), seen)
	case *types.Pointer:
		return reachesNumber(u.Elem(), seen)
	case *types.Chan:
		return reachesNumber(u.Elem(), seen)
	case *types.Map:
		return reachesNumber(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if reachesNumber(u.Field(i).Type(), seen) {
				return true
			}
		}
	case *types.Signature:
		return tuple(u.Params()) || tuple(u.Results())
	}
	return false
}

// place makes a new place of type t. A type that contains itself is one place
// within itself.
func (b *builder) place(t types.Type) *place { return b.build(t, map[types.Type]*place{}) }

func (b *builder) build(t types.Type, within map[types.Type]*place) *place {
	t = types.Unalias(t)
	if p := within[t]; p != nil {
		return p
	}
	p := &place{typ: t}
	if !b.holdsNumber(t) {
		return p
	}
	if _, ok := t.(*types.Named); ok {
		within[t] = p
		defer delete(within, t)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		p.kind = number
	case *types.Slice:
		p.kind, p.elem = holder, b.build(u.Elem(), within)
	case *types.Array:
		p.kind, p.elem = holder, b.build(u.Elem(), within)
	case *types.Pointer:
		p.kind, p.elem = holder, b.build(u.Elem(), within)
	case *types.Chan:
		p.kind, p.elem = holder, b.build(u.Elem(), within)
	case *types.Map:
		p.kind, p.elem = holder, b.build(u.Elem(), within)
	case *types.Struct:
		p.kind = record
		for i := range u.NumFields() {
			p.fields = append(p.fields, b.build(u.Field(i).Type(), within))
		}
	case *types.Signature:
		p.kind = function
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
func (a *analysis) unify(p, q *place, at token.Pos) {
	p, q = p.find(), q.find()
	if p == q || p.kind != q.kind || p.kind == other {
		return
	}
	q.up = p
	p.to = append(p.to, q.to...)
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
func (a *analysis) flow(src, dst *place, at token.Pos) {
	if src == nil || dst == nil {
		return
	}
	src, dst = src.find(), dst.find()
	switch {
	case src == dst:
	case src.kind == number && dst.kind == number:
		src.to = append(src.to, flow{dst, at})
		if src.active {
			a.activate(dst, at)
		}
	case src.kind == dst.kind:
		a.unify(dst, src, at)
	case src.kind != other:
		a.hide(src, at, "an interface cannot hold active values", "use the concrete type, or a type parameter, as slices.SortFunc has in place of sort.Slice")
	}
}

// activate makes a number active, and what is assigned from it.
func (a *analysis) activate(p *place, at token.Pos) {
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
func (a *analysis) receives(p *place, at token.Pos) {
	instead := "keep what depends on the inputs in a local variable, or in a copy of the slice (slices.Clone)"
	if strings.HasPrefix(p.fixed, ofPackage) {
		instead += "; declare functions by func"
	} else {
		instead += ", or name it with -active"
	}
	a.fault(at, p.fixed+" would receive an active value", instead)
}

const ofPackage = "package variable "

// orNil is find for what may be no place.
func (p *place) orNil() *place {
	if p == nil {
		return nil
	}
	return p.find()
}
