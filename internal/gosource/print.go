package gosource

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/source"
)

// at is what an array has at a place.
func (l *memory) at(array string, p place) string {
	switch {
	case p.rows == nil:
		return element(array, l.index(p.list, l.i))
	case p.list == nil:
		return element(array, l.index(p.rows, l.row))
	}
	slice := fmt.Sprintf("%s[%s:][:%d]", array, l.index(p.rows, l.row), len(p.list))
	k := slices.Index(l.slices, slice)
	if k < 0 {
		k = len(l.slices)
		l.slices = append(l.slices, slice)
	}
	return element(l.row+strconv.Itoa(k), l.i)
}

// request is what a sweep derives for a part; ok is false if it does nothing there.
func (s sweep) request(active, curved bool) (r expr.Request, ok bool) {
	r.Safe = s.safe
	switch {
	case s.back && s.along:
		r.Derivative, r.Directions, r.Weighted, r.WeightsChange, r.WithGradient = expr.Product, 1, true, curved, true
	case s.back:
		r.Derivative, r.Weighted = expr.Gradient, true
	case s.along && active && (curved || !s.curved):
		r.Derivative, r.Directions = expr.Tangent, 1
	default:
		return r, s.values
	}
	return r, active
}

func (z *lanes) text(l *memory, s sweep) string {
	r, ok := s.request(z.active, z.curved)
	if !ok {
		return ""
	}
	g := expr.NewGraph(func(expr.Node) bool { return false }, true)
	outputs := z.f.Derive(g, r)
	names := source.Names{}
	for _, name := range slices.Concat(l.arrays(), l.called(), []string{l.m, l.i, l.row, l.s, l.r}) {
		names[name] = true
	}
	q := code.NewPrinter(g, l.file, names)
	q.Inline = true
	q.Primitive = l.ownName
	q.Leaf = func(leaf expr.Node) string { return z.leaf(l, leaf) }
	var stored []expr.Output
	made := map[int32]string{}
	for _, o := range outputs {
		_, fixed := o.Constant()
		if o.Of == expr.Value && !s.values {
			if !fixed && z.sums == nil && g.Nodes()[o.Node(g)].Leaf == expr.Operation {
				q.Known(o.Node(g), l.at(l.v, z.writes[o.A]))
			}
			continue
		}
		if c, _ := o.Constant(); fixed && c == 0 && (o.Of == expr.Gradient || o.Of == expr.Product) {
			continue
		}
		stored = append(stored, o)
		if fixed {
			continue
		}
		if o.Of == expr.Value && z.n == 1 && z.sums == nil && l.settings.Position != nil {
			made[o.Node(g)] = l.settings.Position(l.p.Made(z.writes[o.A].list[0]))
		}
		q.Want(o.Node(g), "")
	}
	q.Comment = func(i int32) string { return made[i] }
	q.Count()
	if z.n == 1 {
		q.InOrder(len(g.Nodes()))
	}
	stores := ""
	for _, o := range stored {
		v := ""
		if c, fixed := o.Constant(); fixed {
			v = l.file.Number(c)
		} else {
			v = q.Expr(o.Node(g))
		}
		stores += z.store(l, o) + v + "\n"
	}
	body := q.Uniform() + q.Body() + stores
	switch {
	case stores == "":
		return ""
	case z.n == 1 && z.sums == nil:
		return "{\n" + body + "}\n"
	}
	comment := ""
	if l.settings.Position != nil && s.values && z.sums == nil {
		comment = "// " + l.settings.Position(l.p.Made(z.writes[0].list[0])) + "\n"
	}
	for k, slice := range l.slices {
		comment += fmt.Sprintf("%s%d := %s\n", l.row, k, slice)
	}
	l.slices = nil
	return comment + Over(l.i, z.n, body)
}

// leaf is a leaf as an expression.
func (z *lanes) leaf(l *memory, leaf expr.Node) string {
	switch leaf.Leaf {
	case expr.Data:
		return z.data[leaf.A]()
	case expr.Direction:
		return l.at(l.t, z.reads[leaf.A])
	case expr.Weight:
		if z.sums != nil {
			return z.sums[leaf.A].s
		}
		return l.at(l.g, z.writes[leaf.A])
	case expr.WeightTangent:
		if z.sums != nil {
			return z.sums[leaf.A].r
		}
		return l.at(l.u, z.writes[leaf.A])
	}
	return l.at(l.v, z.reads[leaf.A])
}

// store is what stores an output, up to its expression.
func (z *lanes) store(l *memory, o expr.Output) string {
	switch {
	case o.Of == expr.Gradient:
		return l.at(l.g, z.reads[o.A]) + " += "
	case o.Of == expr.Product:
		return l.at(l.u, z.reads[o.A]) + " += "
	case o.Of == expr.Value && z.sums != nil:
		return z.sums[o.A].s + " += "
	case z.sums != nil:
		return z.sums[o.A].r + " += "
	case o.Of == expr.Value:
		return l.at(l.v, z.writes[o.A]) + " = "
	}
	return l.at(l.t, z.writes[o.A]) + " = "
}

func (z matrix) text(l *memory, s sweep) string {
	active := slices.ContainsFunc(z.segments, func(x *lanes) bool { return x.active })
	r, ok := s.request(active, z.segments[0].curved)
	if !ok {
		return ""
	}
	before, after, body, comment := "", "", "", ""
	along := r.Derivative == expr.Tangent || r.WeightsChange
	for k, x := range z.sums {
		if len(z.sums) > 1 {
			x.s, x.r = l.s+strconv.Itoa(k), l.r+strconv.Itoa(k)
		} else {
			x.s, x.r = l.s, l.r
		}
		if s.back {
			before += x.s + " := " + l.at(l.g, x.node) + "\n"
			if along {
				before += x.r + " := " + l.at(l.u, x.node) + "\n"
			}
			continue
		}
		if s.values {
			before += x.s + " := float64(" + x.c() + ")\n"
			after += l.at(l.v, x.node) + " = " + x.s + "\n"
		}
		if along {
			before += x.r + " := 0.0\n"
			after += l.at(l.t, x.node) + " = " + x.r + "\n"
		}
	}
	for _, x := range z.segments {
		body += x.text(l, s)
	}
	if s.back && body == "" {
		return ""
	}
	if node := z.sums[0].node; l.settings.Position != nil && s.values {
		comment = "// " + l.settings.Position(l.p.Made(slices.Concat(node.rows, node.list)[0])) + "\n"
	}
	if body = before + body + after; z.rows == 1 {
		return comment + "{\n" + body + "}\n"
	}
	return comment + Over(l.row, z.rows, body)
}
