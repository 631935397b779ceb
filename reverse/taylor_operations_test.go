package reverse_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// Each operation has the polynomials of dual.Taylor, and gradients along a curve of dual numbers
// of these, in every layout: at ordinary points, and at kinks, zeros and infinities, by themselves
// and beside ordinary ones.
func TestTaylorOfOperationsIsThatOfNumbers(t *testing.T) {
	const order = 4
	for i := range operations {
		o := &operations[i]
		var ordinary, edges [][2]float64
		for k, x := range o.points {
			y := 1.25
			if o.others != nil {
				y = o.others[k%len(o.others)]
			}
			ordinary = append(ordinary, [2]float64{x, y})
		}
		for k, x := range o.edges {
			if o.secondEdges == nil {
				edges = append(edges, [2]float64{x, 1.25})
			}
			for _, y := range o.secondEdges {
				edges = append(edges, [2]float64{x, y}, [2]float64{o.points[k%len(o.points)], y})
			}
		}
		var far [][2]float64 // where results overflow or vanish, or powers of them
		for _, x := range []float64{1e-310, 1e-200, -1e-200, 1e-120, 1e120, -1e200, 1e200, 30, -40, 300, 745, -745, 1e5, -1e9} {
			far = append(far, [2]float64{x, 1.25}, [2]float64{x, 1.25 * x}, [2]float64{0.5, x}, [2]float64{x, 1e-150})
		}
		for _, x := range far[:len(far)*o.args/2] {
			compareTaylor(t, o.name+", far lanes", layouts["direct"](o.prog(), slices.Repeat([][2]float64{x}, 9)), order)
		}
		for name, layout := range layouts {
			compareTaylor(t, o.name+", "+name, layout(o.prog(), ordinary), order)
			compareTaylor(t, o.name+", "+name+", edges", layout(o.prog(), append(edges, ordinary...)), order)
			for _, x := range edges {
				compareTaylor(t, o.name+", single edge", layouts["single"](o.prog(), [][2]float64{x}), order)
			}
		}
	}
}

func compareTaylor(t *testing.T, what string, f lanes, order int) {
	t.Helper()
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return evaluate(f, x) }, f.x)
	require.NoError(t, err)
	n, m := tape.Inputs(), tape.Outputs()
	args := f.each[0].p.Inputs
	operand := func(l, i int) int { return []int{f.each[l].a, f.each[l].b}[i] }
	w := [][]float64{ones(m), ones(m)}
	for moving := 1; moving < 1<<args; moving++ {
		v := make([]float64, n)
		for l := range m {
			for i := range args {
				if moving>>i&1 != 0 {
					v[operand(l, i)] = 0.25 + float64(i)/2
				}
			}
		}
		y, err := tape.Taylor(nil, [][]float64{f.x, v}, order)
		require.NoError(t, err)
		g, err := tape.TaylorVJP(nil, [][]float64{f.x, v}, w, order)
		require.NoError(t, err)
		memory := dual.NewTaylors(order)
		for l, e := range f.each {
			memory.Reset()
			z := make([]dual.Taylor, args)
			for i := range z {
				if z[i] = dual.Const[dual.Taylor](f.x[operand(l, i)]); v[operand(l, i)] != 0 {
					z[i] = memory.Variable(f.x[operand(l, i)], v[operand(l, i)])
				}
			}
			check := func(kind string, want dual.Taylor, got [][]float64, k int) {
				t.Helper()
				scale := 0.0
				for q := range order + 1 {
					if c := math.Abs(want.Coefficient(q)); c < math.Inf(1) {
						scale = max(scale, c)
					}
				}
				for q := range order + 1 {
					a, b := want.Coefficient(q), got[q][k]
					if !same(a, b) && !(math.Abs(a-b) <= 1e-12*scale) {
						t.Errorf("%s at %v along %v: coefficient %d of the %s is %v, want %v", what, f.x[operand(l, 0)], z, q, kind, b, a)
						return
					}
				}
			}
			check("value", randprog.Run(e.p, z, nil)[0], y, l)
			for i := range z {
				d := make([]dual.Of[dual.Taylor], args)
				for j := range z {
					d[j].V = z[j]
				}
				d[i].D = dual.Const[dual.Taylor](1)
				check("gradient", randprog.Run(e.p, d, nil)[0].D.Mul(memory.Variable(1, 1)), g, operand(l, i))
			}
		}
	}
}
