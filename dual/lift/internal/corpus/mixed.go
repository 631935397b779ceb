package corpus

import (
	gomaps "maps"
	"math"
	"slices"

	"github.com/hesse-ad/hesse/dual/lift/testdata/lib"
)

// Numbers that are passive where they come from and active where they go to: among
// several values, from maps, channels, interfaces and sequences.

func mapLookups(x []float64) float64 {
	rates, s := map[string]float64{"a": 1.5}, 0.0
	if v, ok := rates["a"]; ok {
		v *= x[0]
		s += v
	}
	v, w := x[1], 0.0
	var ok bool
	if w, ok = rates["a"]; ok {
		s += v
		v = w
	}
	s += v
	if v, ok = rates["a"]; ok {
		v += x[2]
	}
	return s + v + w
}

func closureResults(x []float64) float64 {
	get := func(i int) (float64, bool) { return float64(i), i < 3 }
	v, ok := get(1)
	if ok {
		v *= x[0]
	}
	_, ok = get(4)
	if !ok {
		v += x[1]
	}
	return v
}

func keysOfMaps(x []float64) float64 {
	c := make(chan float64, 1)
	c <- 2
	v := <-c
	s := 0.0
	for w := range map[float64]bool{v: true} {
		w *= x[0]
		s += w
	}
	var k, e float64
	for k, e = range map[float64]float64{1: 2} {
		k *= x[1]
	}
	for i := range []float64{1, 2} {
		s += float64(i) * x[2]
	}
	return s + k + e
}

func typeSwitches(x []float64) float64 {
	s := 0.0
	for _, a := range []any{3, 2.5, "text"} {
		switch v := a.(type) {
		case int:
			s += x[0] * float64(v)
		case float64:
			v *= x[0]
			s += v
		default:
			s += x[1]
		}
		switch t := 0.0; v := a.(type) {
		case int, string:
			t += x[0]
			s += t
		case float64:
			s *= float64(v)
		}
	}
	if v, ok := any(2.5).(float64); ok {
		v *= x[3]
		s += v
	}
	return s
}

func sequencesOfData(x []float64) float64 {
	s := 0.0
	for v := range slices.Values([]float64{1, 2}) {
		v *= x[0]
		s += v
	}
	var v float64
	for _, v = range []float64{1, 2} {
		if v *= x[1]; v > 1 {
			continue
		}
		s += v
	}
	return s + v
}

func oneLine(x []float64) float64 {
	s := 0.0
	for _, v := range []float64{1, 2} {
		v *= x[0]
		s += v
	}
	return s
}

func passiveOperations(x []float64) float64 {
	a, b := math.Modf(3.7)
	a *= x[0]
	_, sin := math.Modf(x[1])
	var s, c = math.Sincos(x[2])
	return a + b + sin + s*c + product(math.Sincos(x[3]))
}

func declarationGroups(x []float64) float64 {
	var (
		a, b float64 = 1, 2
		c    int
		p, q []float64
	)
	b *= x[0]
	q = append(q, x[1])
	var d, e float64 = two(x[2])
	var f, g float64 = a, 3
	g *= x[3]
	return a + b + float64(c) + d*e + f*g + q[0]*float64(len(p))
}

func two(a float64) (float64, float64) { return a, 2 }

func product(a, b float64) float64 { a *= b; b *= a; return a + b }

func rest(a float64, v ...float64) float64 {
	for i := range v {
		a += v[i]
		v[i] *= a
	}
	return a * v[0]
}

func resultsAsArguments(x []float64) float64 {
	return product(two(x[0])) + rest(two(x[1])) + given(two(x[2]))
}

func given(a, b float64) float64 {
	c, d := func() (float64, float64) { return two(b) }()
	d += a
	return c * d
}

func switchesOverData(x []float64) float64 {
	c, s := 0.5, 0.0
	switch c {
	case math.Floor(x[0]*4) / 4:
		s += x[1]
	default:
		s += x[2]
	}
	calls := 0
	next := func() float64 { calls++; return float64(calls) }
	switch next() {
	case x[3]:
		s++
	case math.Ceil(x[3]):
		s += 2 * x[4]
	}
	return s + float64(calls)
}

type duo = struct{ a, b float64 }

type reducer = func(v ...float64) float64

func aliases(x []float64) float64 {
	p := duo{x[0], x[1]}
	q := &duo{a: x[2]}
	var f reducer = func(v ...float64) float64 { return v[0] * v[1] }
	var g struct{ a, b float64 } = p
	return f(x...) + p.a*q.a + f(g.a, g.b)
}

func arraysOfSlices(x []float64) float64 {
	y := slices.Clone(x)
	p := (*[2]float64)(y)
	p[0] *= p[1]
	q := [3]float64(y)
	q[1]++
	return y[0] + q[1] + y[1]
}

type figure interface{ Area() float64 }

type circle struct{ r float64 }

func (c circle) Area() float64 { return math.Pi * c.r * c.r }

type scaled struct {
	*circle
	by float64
}

func areas[S figure](s ...S) float64 {
	t := 0.0
	for _, e := range s {
		t += e.Area()
	}
	return t
}

func methodsOfTypeParameters(x []float64) float64 {
	return areas(circle{x[0]}, circle{1}) + areas(&circle{x[1]}) + areas(scaled{&circle{x[2]}, x[3]}) + areas(meters(x[4]))
}

type meters float64

func (m meters) Area() float64 { return float64(m * m) }

type tableau struct {
	n int
	d []float64
}

func newTableau(n int, d ...float64) *tableau {
	if d == nil {
		d = make([]float64, n*n)
	}
	return &tableau{n, d}
}

func sumOfSquares(v []float64) float64 {
	s := 0.0
	for _, e := range v {
		s += e * e
	}
	return s
}

func firstOr(v []float64, n int) float64 {
	v = append(v, 1)
	return v[0] * float64(n)
}

func argumentsLeftOut(x []float64) float64 {
	m := newTableau(2)
	m.d[3] = x[0]
	s := sumOfSquares(nil)
	s += x[0]
	v := []float64(nil)
	v = append(v, x[0])
	return m.d[3]*x[1] + s + sumOfSquares(v) + firstOr(nil, 1)*x[1]
}

func localTypes(x []float64) float64 {
	type point struct{ x, y float64 }
	type vector struct{ x, y float64 }
	a, b := point{1, 2}, point{x[0], x[1]}
	c := vector(b)
	var none *point
	if none != nil {
		c.x++
	}
	return a.x*b.x + a.y*b.y + c.x*c.y
}

func shadowedPackages(x []float64) float64 {
	s := 0.0
	if !math.IsInf(x[0], 0) {
		s = x[1]
	}
	{
		math := x[0]
		s += math
	}
	return s
}

func variablesOfPackages(x []float64) float64 { return lib.Constant(x[0]) + math.J0(x[1]) }

type quaternion struct {
	re, im float64
	tag    [2]int
	sides  [2]float64
}

func comparedStructs(x []float64) float64 {
	p := quaternion{re: x[0], im: x[1]}
	s := x[2]
	if p == (quaternion{}) {
		s++
	}
	q := p
	if q == p {
		s *= x[3]
	}
	q.sides[1] = x[4]
	if q != p && p.sides != [2]float64{0, x[0]} {
		s *= 2
	}
	return s
}

func methodExpressions(x []float64) float64 {
	area, push := circle.Area, (*quaternion).grow
	q := quaternion{re: x[1]}
	push(&q, x[2])
	return area(circle{x[0]}) + q.re + meters.Area(meters(x[3]))
}

func (q *quaternion) grow(by float64) { q.re *= by }

func clonedMaps(x []float64) float64 {
	m := map[int]float64{1: x[0]}
	n := gomaps.Clone(m)
	n[1] *= x[1]
	return n[1] + m[1]
}

func binaryExponents(x []float64) float64 {
	f, e := math.Frexp(x[0] / 100)
	return math.Log(f) + float64(e)*math.Ln2 + math.Logb(x[1])*x[2] + float64(math.Ilogb(x[3])) + math.RoundToEven(10*x[4])*x[5]
}

type settings struct {
	rate, cap float64
	steps     [2]float64
	inner     struct{ p, v float64 }
	table     []float64
}

var defaults = settings{rate: 2, cap: 3, steps: [2]float64{1, 2}, table: []float64{1, 2}}

var levels = [3]float64{1, 2, 3}

var curve = []settings{{rate: 1}, {rate: 2, cap: 1}}

var nothing quaternion

func copiesOfVariables(x []float64) float64 {
	c := defaults
	c.rate = x[0]
	w := levels
	w[0] = x[1]
	d := curve[1]
	d.steps[1] *= x[2]
	d.inner.p += x[2]
	s := 0.0
	for _, e := range curve {
		e.cap += x[3] * e.rate
		s += e.cap
	}
	return c.rate*c.cap*c.steps[1]*c.table[1] + w[0]*w[1] + d.rate + d.inner.p + s + orNothing(x[4]).re
}

func orNothing(v float64) quaternion {
	if v < 0.5 {
		return nothing
	}
	return quaternion{re: v}
}

func newOfValues(x []float64) float64 {
	p, q := new(x[0]), new(3.5)
	*p *= x[1]
	*q *= x[2]
	return *p + *q
}

func gammaFunction(x []float64) float64 {
	s := 0.0
	for _, shift := range []float64{0, 1, 2, 3} {
		_, sign := math.Lgamma(x[0] - shift)
		s += float64(sign) * math.Exp(x[1])
	}
	lg, _ := math.Lgamma(x[2])
	return s + lg
}

func powersOfTwo(x []float64) float64 {
	return math.Ldexp(math.Ldexp(x[1], -1060), 1061) + math.Ldexp(math.Ldexp(x[2], -1000), 1003) + math.Ldexp(math.Ldexp(x[3], 900), -901)
}

// Functions of one number that are compared at all kinds of values.

func ldexp(x []float64) float64 {
	s := 0.0
	for _, n := range []int{-3000, -2097, -2060, -1075, -1040, -1023, -50, 0, 50, 1024, 2097, 3000} {
		if y := math.Ldexp(x[0], n); y != x[1] {
			s = math.Ldexp(y, -n) + s/2
		}
	}
	return s
}

func gammaSigns(x []float64) float64 {
	_, sign := math.Lgamma(x[0])
	return x[1] * float64(sign)
}

func frexp(x []float64) float64 {
	f, e := math.Frexp(x[0])
	return f + float64(e)*x[1]
}

func exponents(x []float64) float64 { return x[1] * (math.Logb(x[0]) + float64(math.Ilogb(x[0]))) }

func roundToEven(x []float64) float64 { return math.RoundToEven(x[0]) }
