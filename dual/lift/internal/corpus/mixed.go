package corpus

import (
	"fmt"
	gomaps "maps"
	"math"
	"math/cmplx"
	"slices"
	"strconv"

	"github.com/hesse-ad/hesse/dual"
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

type phasor complex128

func (p phasor) power() float64 { return real(p)*real(p) + imag(p)*imag(p) }

// impedance is that of a resistor, a coil and a capacitor in a row.
func impedance(r, l, c, omega float64) complex128 {
	return complex(r, 0) + complex(0, omega*l) + 1/complex(0, omega*c)
}

func complexNumbers(x []float64) float64 {
	z, w := complex(x[0], x[1]), complex(x[2], -3)
	z *= w
	z = z/w + 2i*w - 3
	z++
	var s complex128
	for _, c := range []complex128{z, 1 + 2i, -w} {
		s += c * c
	}
	parts := [2]struct{ a, b complex128 }{{s, 1}, {2, z}}
	if parts[0].a == z || parts[0].a != parts[1].b {
		s -= parts[1].b / (parts[0].b + 1)
	}
	table := map[string]complex128{"a": 1i}
	if v, ok := table["a"]; ok {
		v *= s
		s = v
	}
	y := 1/impedance(x[3]+1, x[4]+1, x[5]+1, 2) + 1/impedance(2, 1, 1, x[0]+1)
	return real(s)*imag(s)/100 + real(1/y) + phasor(y).power()
}

func complexFunctions(x []float64) float64 {
	z, w := complex(x[0]+0.1, x[1]-0.5), complex(-x[2], x[3])
	s := cmplx.Exp(z/2) + cmplx.Sqrt(z*w) + cmplx.Log(w) + cmplx.Pow(w, 1) + cmplx.Conj(z)
	s += cmplx.Sin(w) + cmplx.Cos(z) + cmplx.Sinh(z) + cmplx.Cosh(w) + cmplx.Log10(z)
	apply := func(f func(complex128) complex128, z complex128) complex128 { return f(z) }
	s += apply(cmplx.Sqrt, w)
	r, theta := cmplx.Polar(s)
	s += cmplx.Rect(r/2, theta*x[4])
	return real(s) + imag(s)*cmplx.Abs(z) + cmplx.Phase(w)
}

var (
	link    = func(v float64) float64 { return math.Log1p(2 * v) }
	kernel  = gaussian
	inverse = math.Atan
	knots   = []float64{0.1, 0.5, 2}
)

func gaussian(v float64) float64 { return math.Exp(-v * v) }

func functionVariables(x []float64) float64 {
	apply := func(f func(float64) float64, v float64) float64 { return f(v) }
	return link(x[0]) + kernel(x[1]) + inverse(x[2]) + apply(link, x[3]) + apply(kernel, x[4]) + link(2)
}

func steadyVariables(x []float64) float64 {
	dot := func(a, b []float64) (s float64) {
		for i := range b {
			s += a[i] * b[i]
		}
		return s
	}
	s := dot(x, knots) + dot(x, x)
	for _, v := range [][]float64{x, knots} {
		s += v[0] * v[1]
	}
	return s
}

var degrees = []celsius{1, 2}

func clonedStructs(x []float64) float64 {
	d := slices.Clone(degrees)
	d[0] *= celsius(x[2])
	e := slices.Clone(curve)
	e[0].cap *= x[0]
	e = append(e, settings{rate: x[1], cap: 2})
	s := float64(d[0] + d[1])
	for _, e := range e {
		s += e.rate * e.cap
	}
	return s
}

func detachedNumbers(x []float64) float64 {
	steps := map[float64]float64{dual.Value(x[0]): 2}
	hold := dual.Detach
	return hold(3)*x[0] + x[1]*steps[dual.Value(x[0])]
}

func frozen(x []float64) float64 { return dual.Detach(x[0]) * x[1] }

type celsius float64

func (c celsius) String() string { return "°" + strconv.Itoa(int(c)) }

func printedNumbers(x []float64) float64 {
	check := func(v float64) (float64, error) {
		if v < 0.5 {
			return v, fmt.Errorf("%.3f of %.3f is below 0.5: %w, %v, %.2f", v, x, fmt.Errorf("%.2f", v), celsius(100*v), complex(v, v/2))
		}
		return v, nil
	}
	s := 0.0
	for _, v := range x {
		w, err := check(v)
		if err != nil {
			s += float64(len(err.Error())) // no way to use it: values in it are no guards
		}
		s += w
	}
	if fmt.Sprintf("%.0f", x[0]) == strconv.FormatFloat(x[1], 'f', 0, 64) {
		s *= 2
	}
	return s
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
