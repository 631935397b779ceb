package forward

import (
	"math/big"

	"github.com/hesse-ad/hesse/dual"
)

// Partials is all partial derivatives up to an order d of functions of n variables, and says
// which stands where. They are found from Taylor polynomials along rays: with F(j) those of
// t ↦ f(x + tj) and |i| = r ≤ d,
//
//	∂ʳf/∂xⁱ = Σ_{|j|=d} γᵢⱼFᵣ(j),  γᵢⱼ = Σ_{0<k≤i} (−1)^|i−k| (i over k) (dk/|k| over j) (|k|/d)ʳ,
//
// i, j and k being exponents of the variables (Griewank, Utke and Walther, Evaluating higher
// derivative tensors by forward propagation of univariate Taylor series, Math. Comp. 69, 2000).
// It is immutable and safe for concurrent use.
type Partials struct {
	order     int
	exponents [][]int // by place
	place     map[string]int
	rays      []ray
}

// ray is a direction and what its coefficients add to.
type ray struct {
	along []int
	parts []part
}

type part struct {
	place, order int
	weight       float64
}

// NewPartials returns all partial derivatives of n variables up to the given order. It panics if
// n < 1 or order < 1. Cost: that of 126 derivatives (five variables, order 4) 4 ms, of 462 (order 6) half a second.
func NewPartials(n, order int) *Partials {
	if n < 1 || order < 1 {
		panic("forward: partial derivatives of no variables or of order 0")
	}
	p := &Partials{order: order, place: map[string]int{}}
	for r := range order + 1 {
		eachExponents(make([]int, n), 0, r, func(i []int) {
			i = append([]int(nil), i...)
			p.place[key(i)] = len(p.exponents)
			p.exponents = append(p.exponents, i)
			if r == order {
				p.rays = append(p.rays, ray{along: i})
			}
		})
	}
	for k := range p.rays {
		y := &p.rays[k]
		y.parts = append(y.parts, part{0, 0, 0})
		for at, i := range p.exponents[1:] {
			if w := gamma(i, y.along, order); w != 0 {
				y.parts = append(y.parts, part{at + 1, total(i), w})
			}
		}
	}
	p.rays[0].parts[0].weight = 1 // f itself
	return p
}

// Len returns how many there are, (n + d over d).
func (p *Partials) Len() int { return len(p.exponents) }

// Place returns where the derivative by the given variables stands, each as often as it is
// differentiated by, in any order: Place() is f, Place(0, 2, 0) ∂³f/∂x₀²∂x₂. It panics if there
// are more than the order, or if one is none of the n.
func (p *Partials) Place(variables ...int) int {
	i := make([]int, len(p.exponents[0]))
	for _, v := range variables {
		if uint(v) >= uint(len(i)) {
			panic("forward: no such variable")
		}
		i[v]++
	}
	at, ok := p.place[key(i)]
	if !ok {
		panic("forward: derivative of a higher order")
	}
	return at
}

// Exponents returns how often the derivative at a place is by each of the variables. It is not to
// be changed. Places are by increasing order.
func (p *Partials) Exponents(place int) []int { return p.exponents[place] }

// Eval stores the derivatives of f at x in dst and returns it; nil allocates it. It panics if f
// is nil or a length is wrong. Cost: (n + d − 1 over d) evaluations of f on [dual.Taylor] of order d.
func (p *Partials) Eval(dst []float64, f func(x []dual.Taylor) dual.Taylor, x []float64) []float64 {
	if f == nil {
		panic(badFunc)
	}
	if dst == nil {
		dst = make([]float64, p.Len())
	}
	if len(dst) != p.Len() || len(x) != len(p.exponents[0]) {
		panic("forward: a length is not that of the partial derivatives")
	}
	m := polynomials.Get().(*polynomial)
	m.reset(p.order)
	x0 := append(m.start[:0], x...)
	m.start = x0
	clear(dst)
	for _, y := range p.rays {
		m.memory.Reset()
		m.x = m.x[:0]
		for v, j := range y.along {
			if j == 0 {
				m.x = append(m.x, dual.Const[dual.Taylor](x0[v]))
			} else {
				m.x = append(m.x, m.memory.Variable(x0[v], float64(j)))
			}
		}
		z := f(m.x)
		for _, q := range y.parts {
			if q.weight != 0 {
				dst[q.place] += float64(q.weight * z.Coefficient(q.order))
			}
		}
	}
	polynomials.Put(m)
	return dst
}

// eachExponents calls do with all i of which the elements from at on add up to sum, those before
// being given; higher exponents of the first variables come first.
func eachExponents(i []int, at, sum int, do func(i []int)) {
	if at == len(i)-1 {
		i[at] = sum
		do(i)
		return
	}
	for e := sum; e >= 0; e-- {
		i[at] = e
		eachExponents(i, at+1, sum-e, do)
	}
}

func key(i []int) string {
	k := make([]byte, len(i))
	for v, e := range i {
		k[v] = byte(e)
	}
	return string(k)
}

func total(i []int) (sum int) {
	for _, e := range i {
		sum += e
	}
	return sum
}

// gamma is γᵢⱼ for |j| = d. Its terms have alternating signs: with z = dk/|k| they are integers
// over |k|^d·dʳ·j!, added with more bits than they cancel.
func gamma(i, j []int, d int) float64 {
	for v, e := range j {
		if e > 0 && i[v] == 0 {
			return 0
		}
	}
	const bits = 512
	factor, sum, term := new(big.Float), new(big.Float).SetPrec(bits), new(big.Float).SetPrec(bits)
	times := func(v int) { term.Mul(term, factor.SetInt64(int64(v))) }
	over := func(v int) { term.Quo(term, factor.SetInt64(int64(v))) }
	k, r := make([]int, len(i)), total(i)
	var add func(v int)
	add = func(v int) {
		if v < len(i) {
			for k[v] = min(j[v], 1); k[v] <= i[v]; k[v]++ { // (0 over jᵥ) = 0
				add(v + 1)
			}
			return
		}
		size := total(k)
		if size == 0 {
			return
		}
		term.SetInt64(int64(1 - 2*((r-size)%2)))
		for v := range i {
			for q := range k[v] {
				times(i[v] - q)
				over(q + 1)
			}
			for q := range j[v] {
				times(d*k[v] - q*size)
			}
		}
		for range d - r {
			over(size)
		}
		sum.Add(sum, term)
	}
	add(0)
	term.Set(sum)
	for range r {
		over(d)
	}
	for _, e := range j {
		for q := range e {
			over(q + 1)
		}
	}
	w, _ := term.Float64()
	return w
}
