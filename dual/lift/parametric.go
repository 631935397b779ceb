package main

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/hesse-ad/hesse/internal/activity"
)

// parametric reports whether a call is of a generic function that takes active
// numbers as they are, as slices.SortFunc does: its type parameters have no
// operations, and the arguments of each are of one activity.
func (r *renderer) parametric(e *ast.CallExpr, c *activity.Call) bool {
	sig := c.Fn.Origin().Type().(*types.Signature)
	if _, explicit := ast.Unparen(e.Fun).(*ast.IndexExpr); explicit || sig.TypeParams().Len() == 0 {
		return false
	}
	if c.Fn.Pkg() != r.pkg.Types && !reachable(c.Fn) {
		return false
	}
	m := matching{}
	return m.tuple(sig.Params(), c.Callee.Params) && m.tuple(sig.Results(), c.Results)
}

// instance writes a type as iter.Seq, generic and of another package, by the types
// that active numbers become: functions of that package take and return it.
func (r *renderer) instance(p *activity.Place, n *types.Named) (string, bool) {
	o := n.Obj()
	s, ok := n.Origin().Underlying().(*types.Signature)
	if !ok || n.TypeArgs().Len() == 0 || n.NumMethods() > 0 || o.Pkg() == r.pkg.Types || !reachable(o) {
		return "", false
	}
	m := matching{}
	if !m.at(s, p) {
		return "", false
	}
	var args []string
	for i := range n.TypeArgs().Len() {
		arg := r.typeString(n.TypeArgs().At(i))
		if q := m[n.Origin().TypeParams().At(i)]; q != nil {
			arg = r.byShape(q, n.TypeArgs().At(i))
		}
		args = append(args, arg)
	}
	return r.imported(o.Pkg().Path(), o.Pkg().Name()) + "." + o.Name() + "[" + strings.Join(args, ", ") + "]", true
}

// matching compares a generic type with the places of one of its instances: for each
// type parameter it has the place of its argument.
type matching map[*types.TypeParam]*activity.Place

func (m matching) tuple(t *types.Tuple, p []*activity.Place) bool {
	for i := range t.Len() {
		if !m.at(t.At(i).Type(), p[i]) {
			return false
		}
	}
	return true
}

func (m matching) at(t types.Type, p *activity.Place) bool {
	if p == nil {
		return true
	}
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		constraint := t.Underlying().(*types.Interface)
		if constraint.Empty() {
			have, ok := m[t]
			m[t] = p
			return !ok || have.Pattern() == p.Pattern()
		}
		if s, ok := activity.Core(t).(*types.Slice); ok {
			return m.at(s, p)
		}
		return !p.HoldsActive()
	case *types.Slice, *types.Array, *types.Pointer, *types.Map:
		return m.at(t.(interface{ Elem() types.Type }).Elem(), p.Elem())
	case *types.Signature:
		return p.Kind() != activity.Function || m.tuple(t.Params(), p.Params()) && m.tuple(t.Results(), p.Results())
	case *types.Named:
		if s, ok := t.Underlying().(*types.Signature); ok {
			return m.at(s, p)
		}
	}
	return !p.HoldsActive()
}
