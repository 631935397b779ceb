package expr

import "slices"

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
	d.secondAdjoints(u, bar, d.unit(p))
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
		for k, a := range args[:n] {
			e.add(a, a, d.partials[i][k].times(d.partials[i][k].times(g.w)))
		}
		for k, b := range args[:n] {
			for l, a := range args[:k] {
				w := d.partials[i][k].times(d.partials[i][l].times(g.w))
				if a == b {
					w = two.Prod(w)
				}
				e.add(a, b, w)
			}
		}
	}
	e.at[i], e.place[i] = nil, nil
}

// create makes the edges of the second partials of step i with the adjoint bar.
func (d *derivation) create(e *edges, i int32, bar Expr) {
	args, _ := d.Steps[i].arguments()
	for a, b := range d.Steps[i].curved {
		w := d.second(int(i), a, b).Prod(bar)
		if a != b && args[a] == args[b] {
			w = constant(2).Prod(w)
		}
		e.add(args[a], args[b], w)
	}
}
