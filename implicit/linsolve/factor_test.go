package linsolve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hesse-ad/hesse/internal/testkit/ratio"
	"github.com/hesse-ad/hesse/sparsity"
)

// dominant is the matrix of a pattern whose elements beside the diagonal are random
// and whose rows are dominated by their diagonal: positive there, or negative from
// variable n on, with which it is quasi-definite.
func dominant(rnd *rand.Rand, p *sparsity.Pattern, n int) *sparsity.SymMatrix {
	a := sparsity.NewMatrix(p)
	randomize(rnd, a)
	order, _ := p.Dims()
	sums := make([]float64, order)
	each := func(visit func(i, j int, v *float64)) {
		k := 0
		for i := range order {
			for _, j := range p.Row(i) {
				visit(i, int(j), &a.Values()[k])
				k++
			}
		}
	}
	each(func(i, j int, v *float64) {
		if i != j {
			sums[i] += math.Abs(*v)
			sums[j] += math.Abs(*v)
		}
	})
	each(func(i, j int, v *float64) {
		if i == j {
			if *v = sums[i] + 0.1; i >= n {
				*v = -*v
			}
		}
	})
	return sparsity.NewSymMatrix(a)
}

// lower is the pattern of the lower triangle of a symmetric matrix with that of p and a diagonal.
func lower(p *sparsity.Pattern) *sparsity.Pattern {
	n, _ := p.Dims()
	var ri, ci []int
	for i := range n {
		ri, ci = append(ri, i), append(ci, i)
		for _, j := range p.Row(i) {
			if int(j) < i {
				ri, ci = append(ri, i), append(ci, int(j))
			}
		}
	}
	return sparsity.FromCoordinates(n, n, ri, ci)
}

// edges collects the pattern of the lower triangle of a symmetric matrix.
type edges struct{ rows, cols []int }

func (e *edges) add(i, j int) { e.rows, e.cols = append(e.rows, max(i, j)), append(e.cols, min(i, j)) }

func (e *edges) pattern(n int) *sparsity.Pattern {
	for i := range n {
		e.add(i, i)
	}
	return sparsity.FromCoordinates(n, n, e.rows, e.cols)
}

// cube is the 7-point stencil of k³ points.
func cube(k int) *sparsity.Pattern {
	var e edges
	for i := range k * k * k {
		for _, step := range []int{1, k, k * k} {
			if i/step%k > 0 {
				e.add(i, i-step)
			}
		}
	}
	return e.pattern(k * k * k)
}

// collocation is the pattern of the optimality system of a trajectory: at each of
// steps+1 points the states and controls, coupled by their Hessian, and for each
// step an equation for each state that has the variables of both of its points. The
// last variable, the time, is in all of them.
func collocation(steps, states, controls int) (p *sparsity.Pattern, variables int) {
	var e edges
	width := states + controls
	time := (steps + 1) * width
	n := time + 1
	for s := range steps + 1 {
		for i := range width {
			for j := range i {
				e.add(s*width+i, s*width+j)
			}
			e.add(time, s*width+i)
		}
	}
	for s := range steps {
		for r := range states {
			row := n + s*states + r
			for i := range 2 * width {
				e.add(row, s*width+i)
			}
			e.add(row, time)
		}
	}
	return e.pattern(n + steps*states), n
}

// BenchmarkFactor times LDL in units of Cholesky, of the same matrix, or where it is
// indefinite of one with its pattern.
func BenchmarkFactor(b *testing.B) {
	rnd := rand.New(rand.NewPCG(68, 1))
	arrow := func(n int) *sparsity.Pattern {
		var e edges
		for i := range n - 1 {
			e.add(n-1, i)
		}
		return e.pattern(n)
	}
	random := func(n, perRow int) *sparsity.Pattern {
		var e edges
		for i := range n {
			for range perRow {
				e.add(i, rnd.IntN(n))
			}
		}
		return e.pattern(n)
	}
	type system struct {
		name string
		p    *sparsity.Pattern
		n    int // variables whose diagonal is positive
	}
	all := func(name string, p *sparsity.Pattern) system {
		n, _ := p.Dims()
		return system{name, p, n}
	}
	trajectory := func(name string, steps, states, controls int) system {
		p, n := collocation(steps, states, controls)
		return system{name, p, n}
	}
	for _, m := range []system{
		all("Grid5/100", lower(sparsity.StarStencil(100, 100))),
		all("Grid5/300", lower(sparsity.StarStencil(300, 300))),
		all("Grid9/100", lower(sparsity.BoxStencil(100, 100))),
		all("Grid9/300", lower(sparsity.BoxStencil(300, 300))),
		all("Cube/30", cube(30)),
		all("Diagonal/100000", sparsity.Diagonal(100000)),
		all("Band1/100000", sparsity.Banded(100000, 1, 0)),
		all("Band4/100000", sparsity.Banded(100000, 4, 0)),
		all("Band50/10000", sparsity.Banded(10000, 50, 0)),
		all("Arrow/100000", arrow(100000)),
		all("Random2/5000", random(5000, 2)),
		all("Random1/20000", random(20000, 1)),
		all("Dense/1000", sparsity.Banded(1000, 999, 0)),
		trajectory("Rocket/10000", 10000, 3, 1),
		trajectory("Quadrotor/2000", 2000, 12, 4),
	} {
		order, _ := m.p.Dims()
		definite, a := dominant(rnd, m.p, order), dominant(rnd, m.p, m.n)
		var c Cholesky
		var l LDL
		for name, calls := range map[string][2]func() error{
			"Refactorize": {func() error { return c.Refactorize(definite) }, func() error { return l.Refactorize(a) }},
			"Factorize":   {func() error { return c.Factorize(definite) }, func() error { return l.Factorize(a) }},
		} {
			b.Run(m.name+"/"+name, func(b *testing.B) {
				if err := c.Factorize(definite); err != nil {
					b.Fatal(err)
				}
				if err := l.Factorize(a); err != nil {
					b.Fatal(err)
				}
				ratio.Report(b, func() { calls[0]() }, func() { calls[1]() })
				b.ReportMetric(float64(l.NNZ())/float64(c.NNZ()), "entries")
			})
		}
	}
}
