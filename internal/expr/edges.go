package expr

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// edges is the weighted edges of edge pushing (Gower, Mello 2012): for each step, those to
// itself and to earlier steps. An edge that may differ from 0 by the structure of the
// function is kept even if its weight is the constant 0.
type edges struct {
	at     [][]edge
	place  [][]int32 // place[i][p] is the number of the edge from i to p in at[i], from 1 on
	active []bool
}

// edge is an edge to step p of weight w.
type edge struct {
	p int32
	w Expr
}

// add adds w to the weight of the edge between i and p.
func (e *edges) add(i, p int32, w Expr) {
	if !e.active[i] || !e.active[p] {
		return
	}
	if i < p {
		i, p = p, i
	}
	if e.place[i] == nil {
		e.place[i] = make([]int32, i+1)
	}
	k := &e.place[i][p]
	if *k == 0 {
		e.at[i] = append(e.at[i], edge{p, w})
		*k = int32(len(e.at[i]))
		return
	}
	x := &e.at[i][*k-1].w
	*x = x.Add(w)
}

// hessian appends the entries of the Hessian. From the last step to the first, the
// edges of a step are pushed on to its operands, and its second partials times its
// adjoint make new edges between these. Those that remain, between variables, are
// the entries.
//
// Derivative products are another matter. Where a derivative is 0 as a sum, such as that of
// x − max(x, y) for x > y, pushing has multiplied both terms by an infinite second derivative
// before they are added, and ∞ − ∞ is not 0. So if factors of 0 are to annihilate infinities,
// the entries are those of products with unit vectors.
func (d *derivation) hessian(out []Output, bar []Expr) []Output {
	e := edges{make([][]edge, len(d.Steps)), make([][]int32, len(d.Steps)), d.active}
	for i := int32(len(d.Steps)) - 1; i >= 0; i-- {
		if _, n := d.Steps[i].arguments(); n == 0 || !d.reached[i] {
			continue
		}
		d.push(&e, i)
		d.create(&e, i, bar[i])
	}
	entry := 0
	columns := make([][]Expr, len(d.Steps))
	for i, at := range e.at {
		slices.SortFunc(at, func(a, b edge) int { return int(a.p - b.p) })
		for _, g := range at {
			x, y := d.Steps[i], d.Steps[g.p]
			if x.Leaf == Variable && y.Leaf == Variable {
				a, b := int(max(x.A, y.A)), int(min(x.A, y.A))
				if d.g.safe {
					if columns[g.p] == nil {
						columns[g.p] = d.column(int(g.p), bar)
					}
					g.w = columns[g.p][i]
				}
				out = append(out, Output{Expr: g.w, Of: Hessian, A: a, B: b, Entry: entry})
				entry++
			}
		}
	}
	return out
}

// column is the Hessian times the unit vector of the variable that is step p.
func (d *derivation) column(p int, bar []Expr) []Expr {
	u := make([]Expr, len(d.Steps))
	d.secondAdjoints(u, bar, d.tangent(func(i, _ int) (t Expr) {
		if i == p {
			t = constant(1)
		}
		return t
	}))
	return u
}

// push replaces the edges of step i by edges of its operands.
func (d *derivation) push(e *edges, i int32) {
	args, n := d.Steps[i].arguments()
	two := constant(2)
	for _, g := range e.at[i] {
		if g.p < i {
			for k, a := range args[:n] {
				w := d.partials[i][k].times(g.w)
				if a == g.p {
					w = two.Prod(w)
				}
				e.add(a, g.p, w)
			}
			continue
		}
		a, b, da, db := args[0], args[1], d.partials[i][0], d.partials[i][1]
		wa := da.times(g.w)
		e.add(a, a, da.times(wa))
		if n == 2 {
			wb := db.times(g.w)
			e.add(b, b, db.times(wb))
			w := db.times(wa)
			if a == b {
				w = two.Prod(w)
			}
			e.add(a, b, w)
		}
	}
	e.at[i], e.place[i] = nil, nil
}

// create makes the edges of the second partials of step i with the adjoint bar.
func (d *derivation) create(e *edges, i int32, bar Expr) {
	flags := d.Steps[i].flags()
	if flags&curved == 0 {
		return
	}
	args, n := d.Steps[i].arguments()
	a, b := args[0], args[1]
	aa, ab, bb := d.second(int(i))
	if flags&op.DXX != 0 {
		e.add(a, a, aa.Prod(bar))
	}
	if flags&op.DYY != 0 {
		e.add(b, b, bb.Prod(bar))
	}
	if flags&op.DXY != 0 {
		w := ab.Prod(bar)
		if n == 2 && a == b {
			w = constant(2).Prod(w)
		}
		e.add(a, b, w)
	}
}
