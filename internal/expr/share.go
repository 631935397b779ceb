package expr

import (
	"math"
	"slices"

	"github.com/hesse-ad/hesse/internal/op"
)

// needed calls each with every sum that products need, those that it needs itself first.
func (f *factoring) needed(roots []product, each func(s int32)) {
	seen := make([]bool, len(f.parts))
	var use func(p product)
	use = func(p product) {
		for _, x := range p.f {
			if x < f.nodes {
				continue
			}
			x -= f.nodes
			if seen[x] {
				continue
			}
			seen[x] = true
			for _, t := range f.parts[x].sum {
				use(t)
			}
			if f.parts[x].sum != nil {
				each(x)
			}
		}
	}
	for _, p := range roots {
		use(p)
	}
}

// shared is pairs, of terms or of factors, that may be computed once for several places.
type shared[K comparable, P any] struct {
	number map[K]int
	keys   []K
	places [][]P
}

func (s *shared[K, P]) add(key K, place P) {
	i, ok := s.number[key]
	if !ok {
		if s.number == nil {
			s.number = map[K]int{}
		}
		i = len(s.keys)
		s.number[key] = i
		s.keys, s.places = append(s.keys, key), append(s.places, nil)
	}
	s.places[i] = append(s.places[i], place)
}

// each calls f with the pairs that have at least two places, those with most places first.
func (s *shared[K, P]) each(f func(key K, places []P)) {
	var order []int
	for i, p := range s.places {
		if len(p) > 1 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(s.places[j]) - len(s.places[i]) })
	for _, i := range order {
		f(s.keys[i], s.places[i])
	}
}

// shareTerms makes pairs of terms that several sums have, up to a multiple, sums of their own.
func (f *factoring) shareTerms(roots []product) {
	type place struct {
		sum  int32
		t, u product
	}
	index := func(terms []product, t product) int {
		return slices.IndexFunc(terms, func(u product) bool { return u.k == t.k && slices.Equal(u.f, t.f) })
	}
	for again := true; again; {
		again = false
		var pairs shared[string, place]
		f.needed(roots, func(s int32) {
			terms := f.parts[s].sum
			if len(terms) > mostTerms {
				return
			}
			for i, t := range terms {
				for _, u := range terms[i+1:] {
					if c := slices.Compare(t.f, u.f); c < 0 {
						pairs.add(twoTerms(t, u), place{s, t, u})
					} else if c > 0 {
						pairs.add(twoTerms(u, t), place{s, u, t})
					}
				}
			}
		})
		pairs.each(func(_ string, places []place) {
			for _, p := range places {
				if terms := f.parts[p.sum].sum; index(terms, p.t) < 0 || index(terms, p.u) < 0 {
					again = true // it has changed: they are counted anew
					return
				}
			}
			t, u := places[0].t, places[0].u
			both := f.sum([]product{{1, t.f}, {u.k / t.k, u.f}})
			for _, p := range places {
				terms := slices.Clone(f.parts[p.sum].sum)
				i, j := index(terms, p.t), index(terms, p.u)
				if len(terms) == 2 || i < 0 || j < 0 {
					continue
				}
				terms[i] = both.scale(p.t.k)
				f.parts[p.sum].sum = slices.Delete(terms, j, j+1)
				again = true
			}
		})
	}
}

// twoTerms is a key of two terms; multiples of them have the same.
func twoTerms(t, u product) string {
	return string(appendKey(appendKey(appendNumber(nil, u.k/t.k), t.f), u.f))
}

// scaling is the data of scale.
type scaling struct {
	*factoring
	users [][]scaledUse // by sum, the products that have it as a factor
	fixed []bool        // by sum: its square is used, so that it is not scaled
}

// scaledUse is a product with a sum as a factor.
type scaledUse struct {
	*product
	isRoot bool
}

// scale multiplies sums by numbers, and divides the products that have them as a factor, where
// that makes more coefficients 1, or fewer sums begin with a minus. It reports whether there
// were any.
func (f *factoring) scale(roots []product) (found bool) {
	var sums []int32
	f.needed(roots, func(s int32) { sums = append(sums, s) })
	z := scaling{f, make([][]scaledUse, len(f.parts)), make([]bool, len(f.parts))}
	for i := range roots {
		z.use(&roots[i], true)
	}
	for _, s := range slices.Backward(sums) { // a sum after what it is a factor of
		c := z.best(s)
		found = found || c != 1
		terms := f.parts[s].sum
		for i := range terms {
			terms[i].k = round(terms[i].k * c)
			z.use(&terms[i], false)
		}
		for _, u := range z.users[s] {
			u.k = round(u.k / c)
		}
	}
	return found
}

// use notes p for the sums that are its factors.
func (z *scaling) use(p *product, isRoot bool) {
	for i, x := range p.f {
		if x < z.nodes {
			continue
		}
		x -= z.nodes
		if i > 0 && p.f[i-1] == p.f[i] {
			z.fixed[x] = true
		}
		z.users[x] = append(z.users[x], scaledUse{p, isRoot})
	}
}

// best is the number by which to multiply sum s so that it and its users take least work.
func (z *scaling) best(s int32) float64 {
	if z.fixed[s] {
		return 1
	}
	best, least := 1.0, z.work(s, 1)
	try := func(c float64) {
		for _, c := range [...]float64{c, -c} {
			if n := z.work(s, c); n < least {
				best, least = c, n
			}
		}
	}
	try(1)
	for _, t := range z.parts[s].sum {
		if len(t.f) > 0 {
			try(1 / t.k)
		}
	}
	for _, u := range z.users[s] {
		try(u.k)
	}
	return best
}

// work is what the coefficients of sum s and of its users take if s is multiplied by c.
func (z *scaling) work(s int32, c float64) (n int) {
	const product, sign = 2, 1
	cost := func(k float64) int {
		if math.Abs(k) == 1 {
			return 0
		}
		return product
	}
	minus := true
	for _, t := range z.parts[s].sum {
		k := round(t.k * c)
		minus = minus && k < 0
		if len(t.f) > 0 {
			n += cost(k)
		}
	}
	if minus {
		n += sign
	}
	for _, u := range z.users[s] {
		k := round(u.k / c)
		if n += cost(k); u.isRoot && k == -1 {
			n += sign
		}
	}
	return n
}

// shareFactors makes pairs of factors that several products have factors of their own. Factors
// that are the same in all terms are joined to one first.
func (f *factoring) shareFactors(roots []product) {
	var products []*product
	for i := range roots {
		products = append(products, &roots[i])
	}
	f.needed(roots, func(s int32) {
		terms := f.parts[s].sum
		for i := range terms {
			products = append(products, &terms[i])
		}
	})
	z := pairing{f, map[[2]int32]int32{}, f.uniform()}
	z.joinUniform(products)
	for z.joinCommonest(products) {
	}
}

// pairing is the data of shareFactors.
type pairing struct {
	*factoring
	pairs   map[[2]int32]int32 // by two factors, the part that is their product
	uniform func(x int32) bool // reports whether a factor is the same in all terms
}

// pair is the part that is a·b.
func (z *pairing) pair(a, b int32) int32 {
	i, ok := z.pairs[[2]int32{a, b}]
	if !ok {
		i = z.add(part{pair: [2]int32{a, b}})
		z.pairs[[2]int32{a, b}] = i
	}
	return i
}

// joinUniform makes one factor of the factors that are the same in all terms.
func (z *pairing) joinUniform(products []*product) {
	for _, p := range products {
		var same, others []int32
		for _, x := range p.f {
			if z.uniform(x) {
				same = append(same, x)
			} else {
				others = append(others, x)
			}
		}
		for len(same) > 1 {
			x := z.pair(same[0], same[1])
			same = append(same[2:], x)
		}
		p.f = append(others, same...)
		slices.Sort(p.f)
	}
}

// joinCommonest counts the pairs of factors that several products have, or whose product is a
// value, and makes each a factor, those of most products first. A product that has lost one
// of a pair's factors to an earlier pair is left to the next call. It reports whether there
// were any.
func (z *pairing) joinCommonest(products []*product) (found bool) {
	var pairs shared[[2]int32, *product]
	for _, p := range products {
		for i, a := range p.f {
			for j, b := range p.f[i+1:] {
				// Each pair of numbers once.
				if i > 0 && p.f[i-1] == a && (a != b || j > 0) || j > 0 && p.f[i+j] == b || z.uniform(a) != z.uniform(b) {
					continue
				}
				key := [2]int32{a, b}
				if pairs.number[key] == 0 && z.isValue(a, b) {
					pairs.add(key, nil)
				}
				pairs.add(key, p)
			}
		}
	}
	pairs.each(func(key [2]int32, places []*product) {
		found = true
		a, b := key[0], key[1]
		if slices.ContainsFunc(places, func(p *product) bool { return p != nil && !has(p.f, a, b) }) {
			return
		}
		x := z.pair(a, b)
		for _, p := range places {
			for p != nil && has(p.f, a, b) {
				p.f = append(without(p.f, key[:]), x)
				slices.Sort(p.f)
			}
		}
	})
	return found
}

// has reports whether a ≤ b are two of the factors x.
func has(x []int32, a, b int32) bool {
	i, ok := slices.BinarySearch(x, a)
	if !ok {
		return false
	}
	_, ok = slices.BinarySearch(x[i+1:], b)
	return ok
}

// isValue reports whether the product of a and b is computed as a value anyway.
func (f *factoring) isValue(a, b int32) bool {
	if b >= f.nodes {
		return false
	}
	n := Node{Op: op.Mul, A: a, B: b}
	if a == b {
		n = Node{Op: op.Square, A: a}
	}
	i, ok := f.g.Find(n)
	return ok && i < f.values
}

// uniform reports whether a factor is the same in all terms.
func (f *factoring) uniform() func(x int32) bool {
	known := map[int32]bool{}
	var is func(x int32) bool
	is = func(x int32) bool {
		if x < f.nodes {
			return f.g.uniform[x]
		}
		u, ok := known[x]
		if !ok {
			u = true
			p := f.parts[x-f.nodes]
			for _, t := range p.sum {
				for _, y := range t.f {
					u = u && is(y)
				}
			}
			if p.sum == nil {
				u = is(p.pair[0]) && is(p.pair[1])
			}
			known[x] = u
		}
		return u
	}
	return is
}
