package minima

import (
	"fmt"
	"math"

	"github.com/hesse-ad/hesse/reverse"
)

// What the tables of problems are written with.

type v = reverse.Var

var inf = math.Inf(1)

// box is bounds; nil stands for none.
type box [][2]float64

func (b box) and(c box) box { return append(append(box(nil), b...), c...) }

func (b box) split() (lower, upper []float64) {
	for _, p := range b {
		lower, upper = append(lower, p[0]), append(upper, p[1])
	}
	return lower, upper
}

func all(n int, lower, upper float64) box {
	b := make(box, n)
	for i := range b {
		b[i] = [2]float64{lower, upper}
	}
	return b
}

func cycled(times int, period box) (b box) {
	for range times {
		b = b.and(period)
	}
	return b
}

func equal(m int) box    { return all(m, 0, 0) }
func positive(m int) box { return all(m, 0, inf) }

func at(x ...float64) []float64 { return x }

func same(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

func asin(square float64) float64 { return math.Asin(math.Sqrt(square)) }

func hs(number int, plain func(x []float64) []float64, f func(x []v) []v, x0 []float64, bounds, constraints box, minima ...float64) Problem {
	p := Problem{Name: fmt.Sprintf("HS%d", number), Plain: plain, X0: x0, Minima: minima}
	p.Func = reverse.NewFuncVec(f)
	p.Lower, p.Upper = bounds.split()
	p.ConstraintLower, p.ConstraintUpper = constraints.split()
	return p
}
