package corpus

import (
	"math"
	"math/rand/v2"
)

func rosen(x []float64) float64 {
	s := 0.0
	for i := 0; i+1 < len(x); i++ {
		a := x[i+1] - x[i]*x[i]
		b := 1 - x[i]
		s += 100*a*a + b*b
	}
	return s
}

func product(x []float64) float64 {
	p := 1.0
	for _, v := range x {
		p *= v * math.Exp(-v)
	}
	return p
}

// chain has a state that the iterations carry, kept in a slice.
func chain(x []float64) float64 {
	y := make([]float64, len(x))
	copy(y, x)
	for k := 0; k < 3; k++ {
		// Each value is mixed with the one before.
		for i := 1; i < len(y); i++ {
			y[i] = math.Tanh(y[i]*y[i-1]) + y[i]
		}
		if y[0] > 0.5 {
			y[0] *= y[1]
		} else {
			y[0] -= y[1] * y[1]
		}
	}
	s := 0.0
	for _, v := range y {
		s += v * v
	}
	return math.Sqrt(s)
}

// barrier is an option whose paths end where they leave a corridor.
func barrier(x []float64) float64 {
	const steps = 8
	drift := (x[2] - x[1]*x[1]/2) / steps
	vol := x[1] / math.Sqrt(steps)
	sum := 0.0
	for p := range 5 {
		s, avg := 1+x[0], 0.0
		alive := true
		for t := range steps {
			s *= math.Exp(drift + vol*math.Sin(float64(3*p+t)))
			avg += s
			if s > 2.2 {
				alive = false
				break
			}
		}
		if !alive {
			continue
		}
		if pay := avg/steps - 1.1; pay > 0 {
			sum += pay
		}
	}
	return math.Exp(-x[2]) * sum
}

func earlyReturns(x []float64) float64 {
	for i, v := range x {
		w := v * v
		if v > 0.9 {
			return w * float64(i+1)
		}
		if i == 4 {
			return 5 * x[1]
		}
	}
	return -x[0]
}

func labels(x []float64) float64 {
	s := 0.0
outer:
	for i := 0; i < 5; i++ {
		for j := range x {
			t := s * x[j]
			if i*j > 4 {
				break outer
			}
			if j > i {
				continue outer
			}
			s += x[j]*float64(i) + t
		}
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
		s = s / (1 + x[2])
	}
	return s + float64(n)
}

func switches(x []float64) float64 {
	s := 1.0
	for i, v := range x {
		switch {
		case v < 0.3:
			s += v * s
		case v < 0.6 && i > 0:
			s += v * v
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

type point struct{ x, y float64 }

func (p point) times(c float64) point { return point{p.x * c, p.y * c} }

func plus(p, q point) point { return point{x: p.x + q.x, y: p.y + q.y} }

func structs(x []float64) float64 {
	p := point{x[0], 1}
	q := point{y: x[1]}
	for i := range 3 {
		q = plus(q.times(x[2]), p)
		p.x *= q.y + float64(i)
		p.y = p.x * x[i]
	}
	return p.x*q.y + q.x
}

func swaps(x []float64) float64 {
	y := make([]float64, len(x))
	copy(y, x)
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
		s += v * v * float64(i)
	}
	return s
}

func horner(c []float64, t float64) float64 {
	if len(c) == 0 {
		return 0
	}
	return c[0] + t*horner(c[1:], t)
}

func recursion(x []float64) float64 { return horner(x, x[0]) * horner(x[2:], x[1]) }

func split(a, b float64) (float64, float64, int) { return a * b, a - b, 3 }

func severalResults(x []float64) float64 {
	a, b, n := split(x[0], x[1])
	c, _, _ := split(b, 2)
	var d, e float64
	d, e, _ = split(a, x[2])
	return a*b + float64(n)*c - d*e
}

func rowSums(dst []float64, a [][]float64, n int) {
	for i := range n {
		row := a[i]
		s := 0.0
		for j := range row {
			s += row[j]
		}
		dst[i] = s * dst[i]
	}
}

func matrices(x []float64) float64 {
	const n = 3
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = x[0]*float64(i) - x[1]/float64(j+1)
		}
	}
	d := make([]float64, n)
	for i := range d {
		d[i] = x[2] * float64(i+1)
	}
	rowSums(d, rows, n)
	rowSums(d, rows, n)
	m := [2][2]float64{{d[0], d[1]}, {d[2], x[0]}}
	m[0][1] *= m[1][0]
	return d[0]*d[1] + d[2]*m[0][1] + m[1][1]
}

type model struct {
	weights []float64
	scale   float64
}

func newModel(x []float64) *model {
	m := &model{weights: x[1:], scale: x[0]}
	return m
}

func (m *model) value(t float64) float64 {
	s := 0.0
	for i, w := range m.weights {
		s += w * math.Cos(float64(i)*t*m.scale)
	}
	m.scale *= 1.5
	return s
}

func pointers(x []float64) float64 {
	m := newModel(x)
	a := m.value(0.5)
	b := m.value(a)
	return a*b + m.scale
}

func mathFunctions(x []float64) float64 {
	a, b := 0.1+0.8*math.Abs(math.Sin(x[0])), 0.1+0.8*math.Abs(math.Cos(x[1]))
	s := math.Acos(a) + math.Acosh(1+a) + math.Asin(b) + math.Asinh(a) + math.Atan(b) + math.Atanh(a)
	s += math.Cbrt(a) + math.Cos(b) + math.Cosh(a) + math.Erf(b) + math.Erfc(a) + math.Exp(b) + math.Exp2(a)
	s += math.Expm1(b) + math.Gamma(a) + math.Log(b) + math.Log10(a) + math.Log1p(b) + math.Log2(a)
	s += math.Sin(b) + math.Sinh(a) + math.Sqrt(b) + math.Tan(a) + math.Tanh(b)
	s += math.Atan2(a, b) + math.Hypot(a, b) + math.Pow(a, b) + math.Pow(b, 3)
	s += math.Ceil(3*a)*b + math.Floor(3*b)*a + math.Trunc(-3*a) + math.Round(5*b)*a + math.Mod(a, 0.3) + math.Copysign(a, -b)
	return s * math.Max(x[2], 0.1) * math.Min(2, x[1]) * max(x[0], 0.2) * min(x[1]*3, a)
}

// draws must not draw its random numbers again.
func draws(x []float64) float64 {
	r := rand.New(rand.NewPCG(1, 2))
	s := 0.0
	for i := range x {
		s += x[i]*x[i]*r.Float64() + s*r.NormFloat64()*x[r.IntN(len(x))]
	}
	return s
}

// atZero has infinite derivatives times zeros: of 0·√x, 0·log x and √(x²) at 0, of
// quotients by 0 and by infinities, and in loops and calls.
func atZero(x []float64) float64 {
	s := 0*math.Sqrt(x[0]) + x[1]*math.Sqrt(x[1]*x[1])
	if x[0] > -1 {
		s += math.Pow(x[0], 0) * math.Hypot(x[0], x[4])
	}
	weight := 0.0
	for i := range 2 {
		weight *= x[2+i]
		s += weight * math.Log(x[i])
	}
	q := x[4]
	q /= 1 + x[2]
	q *= quotient(x[4], x[5])
	q /= 2
	q *= 3
	return s + 0*q + 0*(x[2]/x[3]) + math.Min(x[5], 1)*x[1]
}

func quotient(a, b float64) float64 { return math.Sqrt(a) / b }

type counter struct {
	weights []float64
	calls   int
}

func counted(x []float64, c *counter) float64 {
	c.calls++
	return c.weights[0]*math.Sqrt(x[0]) + c.weights[1]*math.Sqrt(x[1])
}

var total int

func count() float64 {
	total++
	return 0
}

func countedInPackage(x []float64) float64 {
	zero := count()
	return zero*math.Sqrt(x[0]) + math.Sqrt(x[1])
}

func drawn(x []float64, r *rand.Rand) float64 { return r.Float64() * (0*math.Sqrt(x[0]) + x[1]) }

// forces returns a slice that it made.
func forces(x []float64) []float64 {
	f := make([]float64, len(x)-1)
	for i := range f {
		f[i] = math.Sin(x[i+1]-x[i]) * x[0]
		if f[i] < 0 {
			f[i] *= 2
		}
	}
	return f
}

// mixed returns a part of its input, numbers, one that depends on nothing, and a slice.
func mixed(x []float64, k int) ([]float64, float64, float64, []float64) {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return x[1:3], math.Sqrt(s), float64(k), forces(x[k:])
}

// polar returns two numbers.
func polar(x []float64) (float64, float64) { return math.Hypot(x[0], x[1]), math.Atan2(x[1], x[0]) }

// rootOfZero has ∞ as a factor of what is 0.
func rootOfZero(x []float64) []float64 { return []float64{math.Sqrt(x[0]) * x[1], x[1]} }

// literals are returned, passed on, and parts of others.
func literals(x []float64) float64 {
	m := &mesh{nodes: []float64{x[0] * x[1], x[2]}}
	rows := [][]float64{[]float64{x[0], x[3]}, m.nodes}
	p := pairOf(x[1], x[0])
	rows[1][0] *= p[1]
	return norm2([]float64{x[0], m.nodes[0] * x[4], p[0]}) + rows[0][1]*rows[1][0]
}

type mesh struct{ nodes []float64 }

func pairOf(a, b float64) []float64 { return []float64{a * b, b} }

func norm2(v []float64) float64 {
	s := 0.0
	for _, a := range v {
		s += a * a
	}
	return s
}
