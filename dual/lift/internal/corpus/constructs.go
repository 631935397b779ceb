package corpus

import (
	"errors"
	"iter"
	"math"
	"slices"
)

func operators(x []float64) float64 {
	a, b := x[0], x[1]
	return +a*b - -b/(a+3) + (a-b)*(a-b) - 2*(a+1)/b
}

func constantsLeftAndRight(x []float64) float64 {
	const third = 1.0 / 3
	var two float64 = 2
	v := x[0]
	v = 1 + v
	v = v + 2
	v = 3 - v
	v = v - 0.5
	v = third * v
	v = v * two
	v = 1 / v
	v = v / 7
	return v + 1.0/2 + math.Pi
}

func opAssignments(x []float64) float64 {
	s := x[0]
	s += x[1]
	s -= 2
	s *= x[2]
	s /= 3 + x[1]*x[1]
	s++
	y := []float64{s, 1}
	y[1] *= s
	y[0] -= y[1]
	y[0]--
	return y[0] + y[1]
}

func squares(x []float64) float64 {
	p := struct{ a []float64 }{x}
	return x[0]*x[0] + p.a[1]*p.a[1] + (x[0]-x[1])*(x[0]-x[1])
}

func zeroValues(x []float64) float64 {
	var s, t float64
	var v [3]float64
	var w struct{ a, b float64 }
	var z []float64
	for i := range v {
		v[i] += x[i%len(x)]
		s += v[i]
	}
	w.b = s * t
	z = append(z, w.a, w.b, s)
	return z[0] + z[1] + z[2]
}

func mixedDeclarations(x []float64) float64 {
	var a, b float64 = 1, 2
	var (
		n       = 3
		c, d, e = x[0], 2.5, "text"
	)
	b *= x[1]
	return a*float64(n) + b + c*d + float64(len(e))
}

func arrays(x []float64) float64 {
	a := [4]float64{x[0], 1, x[1]}
	b := a
	b[3] = 7
	b[0] *= 2
	c := [...]float64{1: x[2], 0: 3}
	p := &b
	p[1] += a[0]
	s := 0.0
	for i, v := range p {
		s += v * float64(i+1)
	}
	return s + c[0]*c[1] + a[0]
}

func matrices(x []float64) float64 {
	const n = 3
	var m [n][n]float64
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = x[0]*float64(i) - x[1]/float64(j+1)
			m[i][j] = rows[i][j] * x[2]
		}
	}
	s := 0.0
	for i := range n {
		for j := range n {
			s += m[i][j] * rows[j][i]
		}
	}
	return s
}

type point struct{ x, y float64 }

type body struct {
	at, speed point
	mass      float64
	name      string
}

func (p point) times(c float64) point { return point{p.x * c, p.y * c} }

func (p *point) add(q point) {
	p.x += q.x
	p.y += q.y
}

func (b *body) step(h float64) {
	b.at.add(b.speed.times(h))
	b.speed.add(b.force().times(h / b.mass))
}

func (b body) force() point { return point{-b.at.x, -b.at.y * b.at.x} }

func structs(x []float64) float64 {
	b := body{at: point{x[0], 1}, mass: 2, name: "b"}
	b.speed = point{y: x[1]}
	for range 3 {
		b.step(0.1)
	}
	c := &b
	d := *c
	d.at.x = 3
	return c.at.x*c.speed.y + b.mass + d.at.x*d.at.y
}

type embedded struct {
	point
	*body
	w float64
}

func embedding(x []float64) float64 {
	e := embedded{point: point{x[0], x[1]}, body: &body{mass: 1}, w: 2}
	e.add(point{1, x[2]})
	e.at.x = e.x
	e.step(0.5)
	return e.x*e.y + e.w + e.mass*e.body.speed.x
}

type list struct {
	v    float64
	next *list
}

func linkedList(x []float64) float64 {
	var head *list
	for _, v := range x {
		head = &list{v, head}
	}
	s, sign := 0.0, 1.0
	for l := head; l != nil; l = l.next {
		s += sign * l.v * l.v
		sign = -sign
	}
	return s
}

type tree struct {
	left, right *tree
	v           float64
}

func (t *tree) insert(v float64) *tree {
	if t == nil {
		return &tree{v: v}
	}
	if v < t.v {
		t.left = t.left.insert(v)
	} else {
		t.right = t.right.insert(v)
	}
	return t
}

func (t *tree) walk(f func(depth int, v float64), depth int) {
	if t != nil {
		t.left.walk(f, depth+1)
		f(depth, t.v)
		t.right.walk(f, depth+1)
	}
}

func recursiveTypes(x []float64) float64 {
	var t *tree
	for _, v := range x {
		t = t.insert(v)
	}
	s := 0.0
	t.walk(func(depth int, v float64) { s = s*0.5 + float64(depth)*v }, 1)
	return s
}

func maps(x []float64) float64 {
	m := map[string]float64{"a": x[0], "b": 2}
	m["c"] = x[1] * m["a"]
	m["b"] *= m["c"]
	delete(m, "a")
	if v, ok := m["b"]; ok {
		m["d"] = v + 1
	}
	_, missing := m["a"]
	n := map[int][]float64{3: x}
	s := 0.0
	for _, k := range slices.Sorted(keys(m)) {
		s = 2*s + m[k]
	}
	if missing {
		s = 0
	}
	return s + n[3][1]
}

func keys(m map[string]float64) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func appending(x []float64) float64 {
	var y []float64
	y = append(y, 1, x[0], 2)
	y = append(y, x[1:]...)
	y = append(y, []float64{4, 5}...)
	z := append([]float64(nil), y...)
	z[0] = 10
	w := append(z[:1:1], x...)
	s := 0.0
	for i := range w {
		s += w[i] * y[i]
	}
	return s
}

func copying(x []float64) float64 {
	y := make([]float64, len(x)+2, 10)
	n := copy(y[1:], x)
	w := []float64{1, 2, 3}
	copy(y, w[:1])
	z := new(float64)
	*z = y[n] * y[0]
	clear(y[:1])
	return *z + y[0] + y[1]
}

func minAndMax(x []float64) float64 {
	a := max(x[0], x[1], 0.25)
	b := min(1, x[0]*3, a)
	return a*2 - b + math.Max(x[2], 0.1) - math.Min(2, x[1])
}

func ranges(x []float64) float64 {
	s := 0.0
	for i := range x {
		s += x[i]
	}
	for _, v := range x {
		s *= 1 + v/10
	}
	for i, v := range x {
		s += v * float64(i)
	}
	for i := range 3 {
		s += x[0] * float64(i)
	}
	for i, c := range "héllo" {
		s += x[1] * float64(c) / float64(i+100)
	}
	for range x {
		s /= 2
	}
	for _, v := range [2]float64{x[0], 3} {
		s += v
	}
	return s
}

func rangeOverPassive(x []float64) float64 {
	s, wReal := 0.0, 2.0
	for i, w := range []float64{1, 2, 3} {
		w *= x[i%len(x)]
		s += w * wReal
	}
	return s
}

func pairs(x []float64) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for i, v := range x {
			if !yield(i, v*v) {
				return
			}
		}
	}
}

func rangeOverFunction(x []float64) float64 {
	s := 0.0
	for i, v := range pairs(x) {
		if i == 2 {
			break
		}
		s += v * float64(i+1)
	}
	return s
}

// Iterators of package iter, from and to functions of other packages.
func sequences(x []float64) float64 {
	s := 0.0
	for v := range below(slices.Values(x), 1) {
		s = s*0.5 + v
	}
	for i, v := range numbered(slices.All(x)) {
		s += float64(i) * v
	}
	var odd iter.Seq[[]float64] = slices.Chunk(x, 2)
	for c := range odd {
		s += c[0] * c[len(c)-1]
	}
	return s + slices.Collect(below(slices.Values(x), 2))[0]
}

func below(seq iter.Seq[float64], limit float64) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for v := range seq {
			if v < limit && !yield(v) {
				return
			}
		}
	}
}

func numbered[E any](seq iter.Seq2[int, E]) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for i, v := range seq {
			if !yield(i+1, v) {
				return
			}
		}
	}
}

func inserting(x []float64) float64 {
	s := slices.Insert(slices.Clone(x), 2, x[0]*x[1], 7)
	s = slices.Delete(s, 0, 1)
	s = slices.Replace(s, 1, 3, x[4]*x[5])
	slices.Reverse(s)
	t := 0.0
	for i, v := range slices.Concat(s, x[:2]) {
		t += v * float64(i+1)
	}
	return t * s[0]
}

func switches(x []float64) float64 {
	s := 0.0
	for i, v := range x {
		switch {
		case v < 0.3:
			s += v
		case v < 0.6 && i > 0:
			s += v * v
			fallthrough
		case i == 7:
			s -= 1
		default:
			s *= 2
		}
		switch i {
		case 0, 2:
			s += v
		case 1:
			s -= v / 2
		}
	}
	return s
}

func switchOnActive(x []float64) float64 {
	y := math.Floor(x[0] * 3)
	switch y {
	case 0:
		return x[1]
	case 1, 2:
		return x[1] * x[2]
	}
	return x[2]
}

func labels(x []float64) float64 {
	s := 0.0
outer:
	for i := 0; i < 5; i++ {
		for j := range x {
			if i*j > 4 {
				break outer
			}
			if j > i {
				continue outer
			}
			s += x[j] * float64(i)
		}
	}
	i := 0
again:
	if i < 3 {
		s *= x[0]
		i++
		goto again
	}
	return s
}

func closures(x []float64) float64 {
	total := 0.0
	add := func(v float64) { total += v }
	for _, v := range x {
		add(v * 2)
	}
	scale := x[0]
	mul := func(a, b float64) float64 { return a * b * scale }
	scale = 3
	counter := func() func() float64 {
		n := 0.0
		return func() float64 { n += total; return n }
	}()
	counter()
	return mul(total, x[1]) + counter()
}

func functionValues(x []float64) float64 {
	f := []func(float64) float64{math.Sin, math.Sqrt, cube}
	s := 0.0
	for i, g := range f {
		s += g(x[i%len(x)])
	}
	g := compose(math.Exp, cube)
	table := map[string]func(a, b float64) float64{"pow": math.Hypot}
	return s + g(x[0]) + table["pow"](x[0], 2)
}

func cube(x float64) float64 { return x * x * x }

func compose(f, g func(float64) float64) func(float64) float64 {
	return func(x float64) float64 { return f(g(x)) }
}

func methodValues(x []float64) float64 {
	p := point{x[0], x[1]}
	f := p.times
	q := f(x[2])
	add := q.add
	add(p)
	return q.x * q.y
}

func variadics(x []float64) float64 {
	return sum() + sum(x...) + sum(1, x[0]) + sum(2, 3)*x[1] + weighted(2, x[0], 1)
}

func sum(x ...float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func weighted(w float64, x ...float64) float64 { return w * sum(x...) }

func severalResults(x []float64) float64 {
	a, b, n := split(x[0], x[1])
	c, _, _ := split(b, 2)
	var d, e float64
	d, e, _ = split(1, x[2])
	return a*b + float64(n)*c - d*e + sum(pair(x[0]))
}

func split(a, b float64) (float64, float64, int) { return a + b, a - b, 3 }

func pair(x float64) (float64, float64) { return x, x * x }

func namedResults(x []float64) float64 {
	s, err := named(x, 2)
	if err != nil {
		return -1
	}
	return s
}

var errEmpty = errors.New("empty")

func named(x []float64, w float64) (s float64, err error) {
	if len(x) == 0 {
		err = errEmpty
		return
	}
	defer func() { s *= w }()
	for _, v := range x {
		s += v * v
	}
	return s + 1, nil
}

func recursion(x []float64) float64 { return horner(x, x[0]) + fibonacci(6, x[1]) + even(3, x[2]) }

func horner(c []float64, t float64) float64 {
	if len(c) == 0 {
		return 0
	}
	return c[0] + t*horner(c[1:], t)
}

func fibonacci(n int, x float64) float64 {
	if n < 2 {
		return x
	}
	return fibonacci(n-1, x) + fibonacci(n-2, x*x)
}

func even(n int, x float64) float64 {
	if n == 0 {
		return x
	}
	return odd(n-1, x*2)
}

func odd(n int, x float64) float64 {
	if n == 0 {
		return -x
	}
	return even(n-1, x+1)
}

type float interface{ ~float32 | ~float64 }

func generics(x []float64) float64 {
	p := couple[float64]{x[0], x[1]}
	return total(x) + p.product() + largest(x[0], 2) + apply(x, func(v float64) float64 { return v * v })[1] + float64(total([]int{1, 2}))
}

func total[F ~int | ~float64](x []F) F {
	var s F
	for _, v := range x {
		s += v
	}
	return s
}

func largest[F float](a, b F) F {
	if a > b {
		return a
	}
	return b
}

func apply[A, B any](x []A, f func(A) B) []B {
	y := make([]B, len(x))
	for i, v := range x {
		y[i] = f(v)
	}
	return y
}

type couple[F float] struct{ a, b F }

func (c couple[F]) product() F { return c.a * c.b }

type vector []float64

func (v vector) dot(w vector) float64 {
	s := 0.0
	for i := range v {
		s += v[i] * w[i]
	}
	return s
}

func namedTypes(x []float64) float64 {
	type degrees float64
	v := vector(x)
	w := vector{1, x[0], 2, 3, 4, 5, 6, 7}
	d := degrees(x[1])
	return v.dot(w) + float64(d*2)
}

// seconds has methods, also on pointers.
type seconds float64

func (s seconds) squared() seconds { return s * s }

func (s *seconds) wait(t seconds) { *s += t }

func methodsOfNumbers(x []float64) float64 {
	s := seconds(x[0])
	s.wait(seconds(x[1]))
	s.wait(3)
	laps := []seconds{s, 3}
	for i := range laps {
		laps[i].wait(1)
	}
	return float64(laps[0].squared() * laps[1])
}

// gauge counts how often it was read.
type gauge struct {
	x     []float64
	reads int
}

func (g *gauge) next() float64 { g.reads++; return g.x[g.reads%len(g.x)] }

func (g *gauge) count() float64 { g.reads++; return float64(g.reads) }

func (g *gauge) where(k int) int { return k * g.reads % len(g.x) }

func callOrder(x []float64) float64 {
	m := &gauge{x: x}
	y := m.count()*m.next() + m.count()/m.next()
	y += m.count() - m.next()
	y = m.count() + m.next()*y
	for range 5 {
		switch {
		case m.next() > m.next():
			y++
		case m.next() >= 2*m.next():
			y += 2
		case m.next() > m.count()/30:
			y += 3
		}
	}
	return y + m.count()
}

func updatesOfCallResults(x []float64) float64 {
	m := &gauge{x: append([]float64(nil), x...)}
	index := func() int { m.reads++; return m.reads % len(m.x) }
	last := func() *float64 { m.reads++; return &m.x[len(m.x)-1] }
	m.x[index()]++
	m.x[index()]--
	m.x[index()] += x[0]
	m.x[index()] *= m.x[index()]
	m.x[m.where(3)] -= m.next()
	m.x[len(m.x)-1] /= 3
	*last() *= 2
	*last() -= 1
	grid := map[[2]int]float64{{1, 2}: x[1]}
	grid[[2]int{1, 2}] += 2
	for i := 0; i < 3; m.x[index()] /= 1 + x[2] {
		i++
	}
	y := 0.0
	for i, v := range m.x {
		y += v * float64(i+1)
	}
	return y + grid[[2]int{1, 2}] + m.count()
}

func earlyReturns(x []float64) float64 {
	for i, v := range x {
		if v > 0.9 {
			return v * float64(i+1)
		}
		if i == 4 {
			return 5
		}
	}
	return -x[0]
}

func conversions(x []float64) float64 {
	n := int(x[0] * 10)
	m := uint8(math.Floor(x[1] * 4))
	return x[0]*float64(n) + float64(m) + float64(x[2]) + float64(float32(0.5))
}

func comparisons(x []float64) float64 {
	a, b := x[0], x[1]
	n, half := 0, 0.5
	for i, c := range []bool{
		a < b, a <= b, a > b, a >= b, a == b, a != b,
		a < 0.5, a <= 0.5, a > 0.5, a >= 0.5, a == 0.5, a != 0.5,
		half < a, half <= a, half > a, half >= a, half == a, half != a,
		!(a < b) && b < 2 || a == a,
	} {
		if c {
			n += 1 << i
		}
	}
	return a + float64(n)
}

func notANumber(x []float64) float64 {
	a := math.Sqrt(x[0] - 0.5)
	if math.IsNaN(a) || math.IsInf(a, 0) || math.IsInf(a, 1) || math.IsInf(-a, -1) {
		return x[1]
	}
	if math.Signbit(x[1] - 0.5) {
		return -a
	}
	return a
}

func mathFunctions(x []float64) float64 {
	a, b := 0.1+0.8*math.Abs(math.Sin(x[0])), 0.1+0.8*math.Abs(math.Cos(x[1]))
	s := math.Acos(a) + math.Acosh(1+a) + math.Asin(b) + math.Asinh(a) + math.Atan(b) + math.Atanh(a)
	s += math.Cbrt(a) + math.Cos(b) + math.Cosh(a) + math.Erf(b) + math.Erfc(a) + math.Exp(b) + math.Exp2(a)
	s += math.Expm1(b) + math.Gamma(a) + math.Log(b) + math.Log10(a) + math.Log1p(b) + math.Log2(a)
	s += math.Sin(b) + math.Sinh(a) + math.Sqrt(b) + math.Tan(a) + math.Tanh(b)
	s += math.Atan2(a, b) + math.Hypot(a, b) + math.Dim(a, b) + math.Ldexp(a, 2) + math.Ldexp(1e-200*a, len(x)+1094)*1e-120
	s += math.Ceil(3*a)*b + math.Floor(3*b)*a + math.Trunc(-3*a) + math.Round(5*b)*a + math.Mod(a, 0.3) + math.Copysign(a, -b)
	lg, sign := math.Lgamma(a)
	sin, cos := math.Sincos(b)
	whole, part := math.Modf(3 * a)
	return s + lg*float64(sign) + sin*cos + whole*part
}

func shadowing(x []float64) float64 {
	s := x[0]
	if s := s * 2; s > 1 {
		x := s
		return x
	}
	for s := 0.0; s < 1; s += 0.25 {
		x := x[0] * s
		_ = x
	}
	return s
}

func activeLoop(x []float64) float64 {
	s, n := 0.0, 0
	for h := x[0] + 1; h > 0.01; h /= 2 {
		s += h * x[1]
		n++
	}
	for s > 1 {
		s = s / 2
	}
	return s + float64(n)
}

func pointers(x []float64) float64 {
	a, b := x[0], 2.0
	p := &a
	q := &b
	*q *= *p
	swap(p, q)
	pp := &p
	**pp += x[1]
	return a*3 + b
}

func swap(p, q *float64) { *p, *q = *q, *p }

func parallelAssignment(x []float64) float64 {
	a, b, c := x[0], x[1], 1.0
	a, b = b, a+b
	b, c = c, a*b
	x0, _ := a, b
	return a + 2*b + 3*c + x0
}

func blanks(x []float64) float64 {
	_ = x[0]
	_, b := x[0], x[1]
	var _ = b
	f := func(_ float64, y float64) float64 { return y }
	return f(x[0], b)
}

func comments(x []float64) float64 {
	// The sum of
	s := x[0] + // the first,
		x[1] /* the second */ +
		x[2] // and the third.

	/* and */
	return s
}

func sliceExpressions(x []float64) float64 {
	y := make([]float64, 6, 12)
	copy(y, x)
	a, b := y[:3], y[3:]
	c := y[1:4:5]
	a[1] += b[0]
	c = append(c, 7)
	b[2] *= c[0]
	array := [4]float64{x[0], x[1]}
	d := array[1:]
	d[0] *= 3
	return y[1]*y[4] + y[5] + array[1] + float64(cap(c)+len(b))
}

func structCopies(x []float64) float64 {
	p := point{x[0], x[1]}
	q := p
	q.x *= 2
	r := &p
	s := *r
	r.y = q.x
	ps := []point{p, q, s}
	for _, p := range ps {
		p.x = 100
	}
	for i := range ps {
		ps[i].y++
	}
	return ps[0].x*ps[1].y + ps[2].y - p.x
}

func nestedLiterals(x []float64) float64 {
	type pair struct {
		name string
		v    []float64
		p    *point
	}
	t := map[string][]pair{
		"a": {{"one", []float64{x[0], 2}, &point{1, x[1]}}, {v: []float64{3: x[2]}}},
	}
	grid := [2][2]point{{{x[0], 1}, {}}, {1: {y: x[1]}}}
	q := t["a"][0]
	return q.v[0]*q.p.y + t["a"][1].v[3] + grid[0][0].x*grid[1][1].y
}

func mapsOfStructs(x []float64) float64 {
	m := map[int]*point{}
	for i, v := range x {
		if m[i%2] == nil {
			m[i%2] = &point{x: 1}
		}
		m[i%2].y += v
		m[i%2].x *= v
	}
	n := map[[2]int]point{{0, 1}: {x[0], 2}}
	p := n[[2]int{0, 1}]
	return m[0].x*m[1].y + p.x*p.y
}

func deferred(x []float64) float64 {
	s := 0.0
	func() {
		for i, v := range x {
			defer func() { s = s*float64(i+1)/3 + v }()
		}
	}()
	return s
}

func loopVariables(x []float64) float64 {
	var f []func(float64) float64
	for i, v := range x {
		f = append(f, func(a float64) float64 { return a*v + float64(i) })
	}
	s := 1.0
	for _, g := range f {
		s = g(s) / 2
	}
	return s
}

func curried(x []float64) float64 {
	add := func(a float64) func(float64) func(float64) float64 {
		return func(b float64) func(float64) float64 {
			return func(c float64) float64 { return a*b + c }
		}
	}
	type rule func(float64, ...float64) float64
	rules := map[string]rule{"sum": func(a float64, b ...float64) float64 { return a + sum(b...) }}
	return add(x[0])(2)(x[1]) * rules["sum"](x[2], 1, x[0])
}

type unit int

const (
	meter unit = iota
	foot
)

func (u unit) factor() float64 { return [...]float64{meter: 1, foot: 0.3048}[u] }

type shape interface{ sides() int }

type square struct{}

func (square) sides() int { return 4 }

func passiveHelpers(x []float64) float64 {
	var s shape = square{}
	n, name := s.sides(), "abc"
	bits := uint(n)<<2 | 1&^uint(len(name))
	weights := table(n)
	return x[0]*foot.factor() + x[1]*weights[2] + float64(bits%5) + math.Sqrt(float64(n))*x[2]
}

func table(n int) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = 1 / float64(i+1)
	}
	return t
}

func switchWithStatement(x []float64) float64 {
	switch v := x[0] * 2; {
	case v < 0.5:
		return v
	case v < 1.5:
		v = v * v
		return v + x[1]
	default:
		w := v
		return w - x[1]
	}
}

func ifWithStatement(x []float64) float64 {
	if a, b := x[0]*2, x[1]; a < b {
		return b
	} else if c := a - b; c > 0.5 {
		return c * a
	} else {
		return a + b + c
	}
}

func arraysAsValues(x []float64) float64 {
	rotate := func(v [3]float64) [3]float64 { return [3]float64{v[2], v[0], v[1]} }
	a := [3]float64{x[0], x[1], x[2]}
	b := rotate(a)
	b[0] = 1
	c := rotate(rotate(b))
	m := [2][3]float64{a, c}
	m[0][1] *= 5
	return a[1] + b[1]*c[2] + m[0][1]*m[1][0]
}

func swaps(x []float64) float64 {
	y := append([]float64{}, x...)
	for i, j := 0, len(y)-1; i < j; i, j = i+1, j-1 {
		y[i], y[j] = y[j], y[i]
	}
	for i := range y { // the sort of Shell's least gap
		for j := i; j > 0 && y[j] < y[j-1]; j-- {
			y[j], y[j-1] = y[j-1], y[j]
		}
	}
	s := 0.0
	for i, v := range y {
		s += v * float64(i)
	}
	return s
}
