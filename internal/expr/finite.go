package expr

import (
	"math"

	"github.com/hesse-ad/hesse/internal/op"
)

// That all results are finite often follows from a few being so: if (x² + y²)² is finite, so
// is x·y. The argument is by bounds 2^low ≤ |v| ≤ 2^high of the nodes, with integer
// exponents, each of which leaves room for rounding errors.

// unknown says that there is no bound: as high, v may be infinite or NaN; as low, v may be 0.
const (
	unknown = math.MaxInt32
	anyLow  = math.MinInt32
	largest = 1024 // the high bound of a node that is known to be finite
	safe    = 1022 // a node with at most this high bound is finite when it is computed
)

// bounds is what is known of the nodes of a graph.
type bounds struct {
	*Graph
	positive []bool // v ≥ 0 or NaN
	low      []int  // |v| ≥ 2^low, or NaN
	high     []int  // |v| ≤ 2^high, unless unknown
}

// ToCheck is a subset of the nodes wanted: if these are finite, and the nodes finite are, then
// all of wanted are.
func (g *Graph) ToCheck(finite, wanted []int32) (check []int32) {
	b := bounds{g, make([]bool, len(g.nodes)), make([]int, len(g.nodes)), make([]int, len(g.nodes))}
	b.signs()
	roots := append([]int32(nil), finite...)
	b.infer(roots)
	const enough = 1 << 27 // how many bounds may be computed, which takes a second
	isShort := len(wanted)*len(g.nodes) < enough
	for _, i := range wanted {
		if b.high[i] != unknown {
			continue
		}
		check = append(check, i)
		if roots = append(roots, i); isShort {
			b.infer(roots)
		} else {
			b.high[i] = largest
		}
	}
	return check
}

// exponents is bounds of a constant: 2^low ≤ |c| ≤ 2^high.
func exponents(c float64) (low, high int) {
	if c == 0 {
		return anyLow, -largest
	}
	if c-c != 0 {
		return anyLow, unknown
	}
	_, e := math.Frexp(c)
	return e - 1, e
}

// signs finds the bounds that hold without knowing what is finite: positive and low.
func (b *bounds) signs() {
	for i, n := range b.nodes {
		b.low[i] = anyLow
		if n.Leaf != Operation {
			continue
		}
		k := n.Constant()
		kLow, _ := exponents(k)
		pa, la := b.of(n.A, n.Arity() > 0)
		pb, lb := b.of(n.B, n.Arity() > 1)
		switch n.Op {
		case op.Const:
			b.positive[i], b.low[i] = k >= 0, kLow
		case op.Square, op.Abs, op.Sqrt, op.Exp, op.Exp2, op.Cosh:
			b.positive[i] = true
			switch n.Op {
			case op.Square:
				b.low[i] = sumLow(la, la)
			case op.Abs:
				b.low[i] = la
			case op.Sqrt:
				if la != anyLow {
					b.low[i] = (la-1)/2 - 1
				}
			case op.Cosh:
				b.low[i] = -1
			}
		case op.Add:
			if pa && pb {
				b.positive[i], b.low[i] = true, max(la, lb)
			}
		case op.AddReal:
			if pa && k >= 0 {
				b.positive[i], b.low[i] = true, max(la, kLow)
			}
		case op.Mul:
			b.positive[i], b.low[i] = pa && pb || n.A == n.B, sumLow(la, lb)
		case op.Scale:
			b.positive[i], b.low[i] = pa && k >= 0, sumLow(la, kLow)
		case op.Neg, op.Detach:
			b.positive[i], b.low[i] = pa && n.Op == op.Detach, la
		case op.Div:
			b.positive[i] = pa && pb
		case op.Inv:
			b.positive[i] = pa
		}
	}
}

func (b *bounds) of(i int32, is bool) (positive bool, low int) {
	if !is {
		return false, anyLow
	}
	return b.positive[i], b.low[i]
}

// sumLow is the low bound of a product, given those of its factors; unknown if it may
// underflow.
func sumLow(a, b int) int {
	if a == anyLow || b == anyLow || a+b < -1000 {
		return anyLow
	}
	return a + b - 1
}

// infer finds high bounds, given that the roots are finite: first of the nodes from which they
// are computed, then of those that are computed from these.
func (b *bounds) infer(roots []int32) {
	for i := range b.high {
		b.high[i] = unknown
	}
	for _, i := range roots {
		b.high[i] = largest
	}
	for i := len(b.nodes) - 1; i >= 0; i-- {
		if b.high[i] != unknown {
			b.down(b.nodes[i], b.high[i])
		}
	}
	for i, n := range b.nodes {
		h, most := b.up(n), safe
		if n.Leaf == Operation && (n.Op == op.Neg || n.Op == op.Abs || n.Op == op.Detach) {
			most = largest // they do not round
		}
		if h <= most {
			b.high[i] = min(b.high[i], h)
		}
	}
}

// down bounds the operands of n, of which |n| ≤ 2^h.
func (b *bounds) down(n Node, h int) {
	if n.Leaf != Operation {
		return
	}
	bound := func(i int32, h int) { b.high[i] = min(b.high[i], max(min(h, largest), -largest)) }
	low, high := exponents(n.Constant())
	switch n.Op {
	case op.Add:
		if b.positive[n.A] && b.positive[n.B] {
			bound(n.A, h+1)
			bound(n.B, h+1)
			return
		}
		bound(n.A, largest)
		bound(n.B, largest)
	case op.Sub:
		bound(n.A, largest)
		bound(n.B, largest)
	case op.AddReal, op.RSub:
		bound(n.A, max(h, high)+2)
	case op.Mul:
		if n.A == n.B {
			bound(n.A, half(h)+1)
			return
		}
		bound(n.A, quotient(h, b.low[n.B]))
		bound(n.B, quotient(h, b.low[n.A]))
	case op.Square:
		bound(n.A, half(h)+1)
	case op.Scale:
		bound(n.A, quotient(h, low))
	case op.Neg, op.Abs, op.Detach:
		bound(n.A, h)
	case op.Sqrt:
		bound(n.A, 2*h+2)
	case op.Div:
		bound(n.A, largest)
	case op.DivReal:
		if high != unknown {
			bound(n.A, h+high+1)
		}
	}
}

// half is h/2, rounded up.
func half(h int) int { return (h + 1) >> 1 }

// quotient bounds x where |x·y| ≤ 2^h and |y| ≥ 2^low.
func quotient(h, low int) int {
	if low == anyLow {
		return largest
	}
	return h - low + 1
}

// up bounds n by its operands, unknown if that is not possible.
func (b *bounds) up(n Node) int {
	if n.Leaf != Operation {
		return unknown
	}
	_, k := exponents(n.Constant())
	a, c := unknown, unknown
	if n.Arity() > 0 {
		a = b.high[n.A]
	}
	if n.Arity() > 1 {
		c = b.high[n.B]
	}
	switch n.Op {
	case op.Const:
		return k
	case op.Add, op.Sub:
		return plus(max(a, c), 1)
	case op.AddReal, op.RSub:
		return plus(max(a, k), 1)
	case op.Mul, op.Prod:
		return plus(a, plus(c, 1))
	case op.Square:
		return plus(a, plus(a, 1))
	case op.Scale:
		return plus(a, plus(k, 1))
	case op.Neg, op.Abs, op.Detach:
		return a
	case op.Sqrt:
		if b.positive[n.A] && a != unknown {
			return half(a) + 1
		}
	case op.Div:
		if low := b.low[n.B]; low != anyLow && c != unknown {
			return plus(a, 1-low)
		}
	case op.Inv:
		if low := b.low[n.A]; low != anyLow && a != unknown {
			return 1 - low
		}
	case op.RDiv:
		if low := b.low[n.A]; low != anyLow && a != unknown {
			return plus(k, 1-low)
		}
	case op.Sin, op.Cos, op.Tanh, op.Atan, op.Logistic:
		if a != unknown {
			return 1
		}
	}
	return unknown
}

func plus(a, b int) int {
	if a == unknown || b == unknown {
		return unknown
	}
	return a + b
}
