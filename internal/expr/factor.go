package expr

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// Derivatives come out of the rules as sums of products in which much is computed more
// than once: in p·a·r − q·b·r and 2·(q·b·r²) − 2·(p·a·r²) it is p·a − q·b. They are written
// again by algebraic factorization:
//
//   - a product is its coefficient and all its factors, a sum all its terms;
//   - what all terms of a sum have in common comes out of it, then the factor that most
//     of them have, and so on (the multivariate scheme of Horner), and a coefficient, so
//     that sums that are multiples of each other are one;
//   - two terms that several sums have, and two factors that several products have, are
//     computed once, those of most first.
//
// Nothing is multiplied out, and terms stay in their order. Values, and whatever is no sum
// and no product, are factors as they stand. Rounding differs, and so may overflow: if a
// result is not finite, all is computed again with derivative products, as always.

// product is k times some factors, in ascending order. A factor is a node of the graph or a
// part; the numbers of parts begin after those of nodes.
type product struct {
	k float64
	f []int32
}

// part is a sum, or two factors.
type part struct {
	sum  []product
	k    float64 // its coefficient
	pair [2]int32
}

// factoring is derivatives while they are written again.
type factoring struct {
	g      *Graph
	values int32   // nodes that come before those of derivatives
	nodes  int32   // and all
	uses   []int32 // how often results and derivatives use a node
	form   []product
	known  []bool // whether form has the node
	parts  []part
	sums   map[string]int32 // the parts that are sums
	made   map[int32]Expr   // of the parts
}

const (
	mostNodes   = 1 << 12           // how large a graph may be: factoring larger ones takes too long
	mostTerms   = 64                // how long a sum may be in which factors of only some terms are looked for
	mostFactors = 16                // how many factors a product may have
	mostRounds  = 8                 // how often scale is repeated
	farthest    = float64(1 << 200) // a coefficient above this, or below its inverse, may overflow in products
	equal       = 0x1p-50           // coefficients whose ratio is so close to 1 count as equal
)

// factor writes the outputs again if that takes less work. The first values nodes are those
// of values.
func (g *Graph) factor(values int32, out []Output) {
	n := int32(len(g.nodes))
	if n > mostNodes {
		return
	}
	f := &factoring{
		g: g, values: values, nodes: n, uses: g.uses(out, values), form: make([]product, n), known: make([]bool, n),
		sums: map[string]int32{}, made: map[int32]Expr{},
	}
	before := g.work(out)
	isOutput := func(o Output) bool { return o.g != nil && o.i >= values }
	roots := make([]product, len(out))
	for k, o := range out {
		if isOutput(o) {
			roots[k] = f.of(o.i)
		}
	}
	f.shareTerms(roots)
	for range mostRounds {
		if !f.scale(roots) {
			break
		}
	}
	f.shareFactors(roots)
	z := slices.Clone(out)
	for k, o := range out {
		if isOutput(o) {
			z[k].Expr = f.product(roots[k])
		}
	}
	if g.work(z) < before {
		copy(out, z)
	}
}

// uses counts the uses of each node by outputs and by the nodes from number first on.
func (g *Graph) uses(out []Output, first int32) []int32 {
	uses := make([]int32, len(g.nodes))
	for _, o := range out {
		if o.g != nil {
			uses[o.i]++
		}
	}
	for i := len(uses) - 1; i >= int(first); i-- {
		if uses[i] > 0 {
			g.nodes[i].Operands(func(j int32) { uses[j]++ })
		}
	}
	return uses
}

// work is what outputs take: operations, plus instructions if one instruction computes a sum
// of two products.
func (g *Graph) work(out []Output) (n int) {
	uses := g.uses(out, 0)
	inSum := make([]bool, len(uses))
	for i := len(uses) - 1; i >= 0; i-- {
		if uses[i] == 0 || g.uniform[i] {
			continue
		}
		nd := g.nodes[i]
		if nd.Arity() == 0 {
			continue
		}
		n++
		switch nd.Op {
		case op.Add, op.Sub, op.AddReal, op.RSub:
			nd.Operands(func(j int32) { inSum[j] = true })
		case op.Mul, op.Square, op.Scale, op.Neg:
			if g.sums && inSum[i] && uses[i] == 1 {
				continue
			}
		}
		if g.sums {
			n++
		}
	}
	return n
}

// of is node i written as a product.
func (f *factoring) of(i int32) product {
	if i < f.values {
		return f.atom(i)
	}
	if !f.known[i] {
		p := f.expand(i)
		if len(p.f) > mostFactors || !p.isTame() {
			p = f.atom(i)
		}
		f.form[i], f.known[i] = p, true
	}
	return f.form[i]
}

func (f *factoring) expand(i int32) product {
	n := f.g.nodes[i]
	if n.Leaf != Operation {
		return f.atom(i)
	}
	switch n.Op {
	case op.Mul:
		return f.of(n.A).times(f.of(n.B))
	case op.Square:
		return f.of(n.A).times(f.of(n.A))
	case op.Scale:
		return f.of(n.A).scale(n.Constant())
	case op.Neg:
		return f.of(n.A).scale(-1)
	case op.Add, op.Sub, op.AddReal, op.RSub:
		if terms := f.terms(i); !slices.ContainsFunc(terms, func(t product) bool { return !t.isTame() }) {
			return f.sum(terms)
		}
	}
	return f.atom(i)
}

// isTame reports whether a coefficient is far from overflow and underflow, so that
// coefficients can be multiplied instead of products.
func (p product) isTame() bool {
	c := math.Abs(p.k)
	return c == 0 && len(p.f) == 0 || 1/farthest < c && c < farthest
}

// atom is node i as it stands.
func (f *factoring) atom(i int32) product {
	if n := f.g.nodes[i]; n.Leaf == Operation && n.Op == op.Const {
		return product{k: n.Constant()}
	}
	return product{1, []int32{i}}
}

func (p product) scale(k float64) product { return product{k * p.k, p.f} }

func (p product) times(q product) product {
	z := slices.Concat(p.f, q.f)
	slices.Sort(z)
	return product{p.k * q.k, z}
}

// isInner reports whether node i is a sum that is used once, or a multiple of one.
func (f *factoring) isInner(i int32) bool {
	for i >= f.values && f.uses[i] == 1 && f.g.nodes[i].Leaf == Operation {
		switch f.g.nodes[i].Op {
		case op.Add, op.Sub, op.AddReal, op.RSub:
			return true
		case op.Scale, op.Neg:
			i = f.g.nodes[i].A
		default:
			return false
		}
	}
	return false
}

// terms is the terms of node i, a sum: of ((a + b) + c) + d these are a, b, c and d, but of
// a + (b + c) they are a and b + c.
func (f *factoring) terms(i int32) (z []product) {
	for k := 1.0; ; {
		n := f.g.nodes[i]
		c := n.Constant()
		switch n.Op {
		case op.Add, op.Sub:
			a, b, ka, kb := n.A, n.B, k, k
			if n.Op == op.Sub {
				kb = -k
			}
			if !f.isInner(a) && f.isInner(b) {
				a, b, ka, kb = b, a, kb, ka
			}
			z = append(z, f.of(b).scale(kb))
			i, k = a, ka
		case op.AddReal:
			z = append(z, product{k: k * c})
			i = n.A
		case op.RSub:
			z = append(z, product{k: k * c})
			i, k = n.A, -k
		case op.Scale:
			i, k = n.A, k*c
		case op.Neg:
			i, k = n.A, -k
		}
		if !f.isInner(i) {
			z = append(z, f.of(i).scale(k))
			slices.Reverse(z)
			return z
		}
	}
}

// without is the factors a without b, which it has.
func without(a, b []int32) []int32 {
	z := make([]int32, 0, len(a)-len(b))
	for _, x := range a {
		if len(b) > 0 && b[0] == x {
			b = b[1:]
			continue
		}
		z = append(z, x)
	}
	return z
}

// common is the factors that both a and b have.
func common(a, b []int32) (z []int32) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			z = append(z, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return z
}

// appendKey appends a key of factors to b, for use in a map.
func appendKey(key []byte, x []int32) []byte {
	key = binary.LittleEndian.AppendUint32(key, uint32(len(x)))
	for _, i := range x {
		key = binary.LittleEndian.AppendUint32(key, uint32(i))
	}
	return key
}

// appendNumber appends a key of k to b; numbers that differ by rounding errors have the same.
func appendNumber(key []byte, k float64) []byte {
	m, e := math.Frexp(k)
	return binary.LittleEndian.AppendUint64(key, math.Float64bits(math.Ldexp(math.Round(m/equal), e)))
}

// sum is the sum of terms as a product: of the factors that come out of it, and a part.
func (f *factoring) sum(terms []product) product {
	terms = alike(terms)
	if len(terms) == 1 {
		return terms[0]
	}
	all := terms[0].f
	for _, t := range terms[1:] {
		all = common(all, t.f)
	}
	if len(all) > 0 {
		return f.sum(divide(terms, all)).times(product{1, all})
	}
	if x, ok := most(terms); ok && len(terms) <= mostTerms {
		// The group comes where its first term was.
		var group, rest []product
		at := -1
		for _, t := range terms {
			if slices.Contains(t.f, x) {
				if at < 0 {
					at = len(rest)
				}
				group = append(group, t)
			} else {
				rest = append(rest, t)
			}
		}
		return f.sum(slices.Insert(rest, at, f.sum(group)))
	}
	k := coefficient(terms)
	x := f.number(terms, k)
	return product{round(k / f.parts[x-f.nodes].k), []int32{x}}
}

// divide is terms without the factors x, which each of them has.
func divide(terms []product, x []int32) []product {
	z := make([]product, len(terms))
	for i, t := range terms {
		z[i] = product{t.k, without(t.f, x)}
	}
	return z
}

// alike adds up terms with the same factors. Terms that cancel stay, since x − x is NaN where
// x is not finite.
func alike(terms []product) []product {
	z := terms[:0:0]
	order := make([]int, len(terms)) // terms with the same factors are neighbors
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(terms[i].f, terms[j].f) })
	first := make([]int, len(terms)) // of a group
	k := make([]float64, len(terms))
	for n, i := range order {
		first[i], k[i] = i, terms[i].k
		if n == 0 {
			continue
		}
		if l := first[order[n-1]]; slices.Equal(terms[l].f, terms[i].f) && k[l]+k[i] != 0 {
			first[i] = l
			k[l] += k[i]
		}
	}
	for i, t := range terms {
		if first[i] == i {
			z = append(z, product{k[i], t.f})
		}
	}
	return z
}

// most is the factor that most terms have, if at least two have it.
func most(terms []product) (x int32, ok bool) {
	var all []int32
	for _, t := range terms {
		all = append(all, slices.Compact(slices.Clone(t.f))...)
	}
	slices.Sort(all)
	count, most := 0, 1
	for i, y := range all {
		if i == 0 || all[i-1] != y {
			count = 0
		}
		if count++; count > most {
			x, most = y, count
		}
	}
	return x, most > 1
}

// coefficient is the number of which a sum counts as a multiple: that of the first term by
// its factors.
func coefficient(terms []product) float64 {
	first := terms[0]
	for _, t := range terms[1:] {
		if len(first.f) == 0 || len(t.f) > 0 && slices.Compare(t.f, first.f) < 0 {
			first = t
		}
	}
	return first.k
}

// round is 1 or −1 if k differs from that only by rounding errors, else k.
func round(k float64) float64 {
	if math.Abs(math.Abs(k)-1) < equal {
		return math.Copysign(1, k)
	}
	return k
}

// number is the part that is a sum, or that the sum is a multiple of, k being the
// coefficient.
func (f *factoring) number(terms []product, k float64) int32 {
	sorted := slices.Clone(terms)
	slices.SortStableFunc(sorted, func(a, b product) int { return slices.Compare(a.f, b.f) })
	var key []byte
	for _, t := range sorted {
		key = appendKey(appendNumber(key, t.k/k), t.f)
	}
	s, ok := f.sums[string(key)]
	if !ok {
		s = f.add(part{sum: slices.Clone(terms), k: k})
		f.sums[string(key)] = s
	}
	return s
}

func (f *factoring) add(p part) int32 {
	f.parts = append(f.parts, p)
	return f.nodes + int32(len(f.parts)) - 1
}

// expr is a factor as an expression.
func (f *factoring) expr(x int32) Expr {
	if x < f.nodes {
		return Expr{g: f.g, i: x}
	}
	e, ok := f.made[x]
	if !ok {
		if p := f.parts[x-f.nodes]; p.sum != nil {
			e = f.total(p.sum)
		} else {
			e = f.expr(p.pair[0]).times(f.expr(p.pair[1]))
		}
		f.made[x] = e
	}
	return e
}

// product is a product as an expression: first what is the same in all terms.
func (f *factoring) product(p product) Expr {
	same, others := constant(1), constant(1)
	for _, x := range p.f {
		if e := f.expr(x); e.g != nil && f.g.uniform[e.i] {
			same = same.times(e)
		} else {
			others = others.times(e)
		}
	}
	return same.timesConst(p.k).times(others)
}

// total is the sum of terms as an expression.
func (f *factoring) total(terms []product) Expr {
	if terms[0].k < 0 && terms[1].k > 0 {
		terms = slices.Clone(terms)
		terms[0], terms[1] = terms[1], terms[0] // b − a for −a + b
	}
	sum := f.product(terms[0])
	for _, t := range terms[1:] {
		minus := t.k < 0
		if minus {
			t.k = -t.k
		}
		x := f.product(t)
		switch {
		case sum.g == nil && minus:
			sum = x.unaryReal(op.RSub, sum.v)
		case sum.g == nil:
			sum = x.unaryReal(op.AddReal, sum.v)
		case x.g == nil && minus:
			sum = sum.unaryReal(op.AddReal, -x.v)
		case x.g == nil:
			sum = sum.unaryReal(op.AddReal, x.v)
		case minus:
			sum = sum.binary(op.Sub, x)
		default:
			sum = sum.commutative(op.Add, x)
		}
	}
	return sum
}
