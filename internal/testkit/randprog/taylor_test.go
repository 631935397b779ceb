package randprog_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

func TestEveryWayToTaylorPolynomials(t *testing.T) { rapid.Check(t, everyWayToTaylorPolynomials) }
func FuzzEveryWayToTaylorPolynomials(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(everyWayToTaylorPolynomials))
}

type (
	order3 = dual.Of[dual.Of[dual.Of[dual.Real]]]
	order5 = dual.Of[dual.Of[order3]]
)

// coefficients are derivatives over factorials.
func coefficients(z order5) []float64 {
	return []float64{
		float64(z.V.V.V.V.V), float64(z.V.V.V.V.D), float64(z.V.V.V.D.D) / 2,
		float64(z.V.V.D.D.D) / 6, float64(z.V.D.D.D.D) / 24, float64(z.D.D.D.D.D) / 120,
	}
}

// line is x + d·t to order 5.
func line(x, d float64) (z order5) {
	z.V.V.V.V.V, z.V.V.V.V.D, z.V.V.V.D.V, z.V.V.D.V.V, z.V.D.V.V.V, z.D.V.V.V.V =
		dual.Real(x), dual.Real(d), dual.Real(d), dual.Real(d), dual.Real(d), dual.Real(d)
	return z
}

// Tapes, Taylor numbers and numbers nested five times give the same coefficients along a line, to
// order 5. Gradients along it are those of dual numbers whose parts are Taylor numbers. A tape
// has several copies of the program, so that some of its operations are done as lanes.
//
// Ways differ by rounding errors, which grow from order to order; programs of which a result has
// large coefficients are left out, and of others 10 digits of the largest one must agree.
func everyWayToTaylorPolynomials(t *rapid.T) {
	const order, copies = 5, 9
	p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 2, MaxLen: 25, Branches: true})
	n, m := p.Inputs, p.Outputs
	x := [][]float64{make([]float64, copies*n), make([]float64, copies*n)}
	w := [][]float64{make([]float64, copies*m), make([]float64, copies*m)}
	for i := range x[0] {
		x[0][i] = p.X[i%n] * (1 + float64(i/n)/1024)
		x[1][i] = x[0][i] * math.Tanh(p.V[i%n]) / 2 // farther, rounding errors grow by v/x from order to order
	}
	for j := range w[0] {
		w[0][j], w[1][j] = 1, float64(j%3)
	}
	tape, err := reverse.RecordVec(func(x []reverse.Var) (y []reverse.Var) {
		for ; len(x) > 0; x = x[n:] {
			y = append(y, randprog.Run(p, x[:n], nil)...)
		}
		return y
	}, x[0])
	require.NoError(t, err)
	y, err := tape.Taylor(nil, x, order)
	require.NoError(t, err)
	g, err := tape.TaylorVJP(nil, x, w, order)
	require.NoError(t, err)

	memory := dual.NewTaylors(order)
	for c := range copies {
		nested, numbers, duals := make([]order5, n), make([]dual.Taylor, n), make([]dual.Of[dual.Taylor], n)
		memory.Reset()
		for i := range n {
			x0, v := x[0][c*n+i], x[1][c*n+i]
			nested[i], numbers[i] = line(x0, v), memory.Variable(x0, v)
			duals[i].V = numbers[i]
		}
		q := *p
		q.Out = make([]int, n+len(p.Code)) // all results
		for k := range q.Out {
			q.Out[k] = k
		}
		scale := 1.0
		for _, z := range randprog.Run(&q, nested, nil) {
			for _, c := range coefficients(z) {
				scale = max(scale, math.Abs(c))
			}
		}
		if !(scale < 1e6) {
			return
		}
		check := func(way string, want, got float64, what ...any) {
			t.Helper()
			if !near(got, want, 1e-10*scale) {
				t.Fatalf("%s: %v, nested numbers %v; %v\n%v", way, got, want, what, p)
			}
		}
		z := randprog.Run(p, numbers, nil)
		for j, want := range randprog.Run(p, nested, nil) {
			for k, want := range coefficients(want) {
				check("numbers", want, z[j].Coefficient(k), j, k)
				check("tape", want, y[k][c*m+j], j, k)
			}
		}
		for i := range n {
			duals[i].D = dual.Const[dual.Taylor](1)
			sum := make([]float64, order+1)
			for j, z := range randprog.Run(p, duals, nil) {
				for k := range sum {
					sum[k] += z.D.Coefficient(k)
					if k > 0 {
						sum[k] += w[1][c*m+j] * z.D.Coefficient(k-1)
					}
				}
			}
			duals[i].D = dual.Taylor{}
			for k, want := range sum {
				if !near(g[k][c*n+i], want, 1e-9*scale*scale) {
					t.Fatalf("gradient %d, %d: %v, want %v\n%v", i, k, g[k][c*n+i], want, p)
				}
			}
		}
	}
}
