package linsolve

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/sparsity"
)

// grid returns the 5-point Laplacian on a k×k grid with a convection term,
// which makes its values, not its pattern, unsymmetric.
func grid(k int) *sparsity.Matrix {
	a := sparsity.NewMatrix(sparsity.StarStencil(k, k))
	p := a.Pattern()
	v := a.Values()
	at := 0
	for i := range k * k {
		for _, j := range p.Row(i) {
			switch d := int(j) - i; {
			case d == 0:
				v[at] = 4
			case d > 0:
				v[at] = -0.9
			default:
				v[at] = -1.1
			}
			at++
		}
	}
	return a
}

func tridiagonal(n int) *sparsity.Matrix {
	a := sparsity.NewMatrix(sparsity.Banded(n, 1, 1))
	p := a.Pattern()
	at := 0
	for i := range n {
		for _, j := range p.Row(i) {
			a.Values()[at] = -1
			if int(j) == i {
				a.Values()[at] = 2.5
			}
			at++
		}
	}
	return a
}

func benchmarkLU(b *testing.B, a *sparsity.Matrix) {
	n, _ := a.Dims()
	var lu LU
	if err := lu.Factorize(a); err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	rhs := make([]float64, n)
	for i := range rhs {
		rhs[i] = rnd.NormFloat64()
	}
	x := make([]float64, n)
	b.Run("Factorize", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			lu.Factorize(a)
		}
		b.ReportMetric(lu.Fill(), "fill")
	})
	b.Run("Refactorize", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			lu.Refactorize(a)
		}
	})
	b.Run("Solve", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			lu.SolveInto(x, false, rhs)
		}
	})
	b.Run("Solve4", func(b *testing.B) {
		b.ReportAllocs()
		dst, rhs := mat.NewDense(n, 4, nil), mat.NewDense(n, 4, nil)
		for c := range 4 {
			rhs.SetCol(c, x)
		}
		for b.Loop() {
			lu.SolveTo(dst, false, rhs)
		}
	})
	b.Run("SolveTrans", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			lu.SolveInto(x, true, rhs)
		}
	})
}

func BenchmarkGrid316(b *testing.B)        { benchmarkLU(b, grid(316)) }
func BenchmarkTridiagonal1e5(b *testing.B) { benchmarkLU(b, tridiagonal(1e5)) }

// BenchmarkCholesky compares with LDL and LU on the same matrices.
func BenchmarkCholesky(b *testing.B) {
	banded := func(n, k int) *sparsity.SymMatrix {
		a := sparsity.NewMatrix(sparsity.Banded(n, k, k))
		p := a.Pattern()
		for i := range n {
			for _, j := range p.Row(i) {
				a.Values()[p.Position(i, int(j))] = -1
			}
			a.Values()[p.Position(i, i)] = float64(2*k) + 0.5
		}
		return symmetric(a, false)
	}
	for _, m := range []struct {
		name string
		a    *sparsity.SymMatrix
	}{{"Grid316", symmetricGrid(316)}, {"Tridiagonal1e5", banded(1e5, 1)}, {"Band1e5", banded(1e5, 4)}} {
		b.Run(m.name, func(b *testing.B) {
			n := m.a.SymmetricDim()
			p := m.a.Triangle().Pattern().Symmetrized()
			full := sparsity.NewMatrix(p)
			at := 0
			for i := range n {
				for _, j := range p.Row(i) {
					full.Values()[at] = m.a.At(i, int(j))
					at++
				}
			}
			var c Cholesky
			var lu LU
			if err := c.Factorize(m.a); err != nil {
				b.Fatal(err)
			}
			if err := lu.Factorize(full); err != nil {
				b.Fatal(err)
			}
			var l LDL
			if err := l.Factorize(m.a); err != nil {
				b.Fatal(err)
			}
			rhs := randomVector(rand.New(rand.NewPCG(1, 2)), n)
			x := make([]float64, n)
			run := func(name string, f func()) {
				b.Run(name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
				})
			}
			run("Factorize", func() { c.Factorize(m.a) })
			run("Refactorize", func() { c.Refactorize(m.a) })
			run("Solve", func() { c.SolveInto(x, rhs) })
			run("LDL/Factorize", func() { l.Factorize(m.a) })
			run("LDL/Refactorize", func() { l.Refactorize(m.a) })
			run("LDL/Solve", func() { l.SolveInto(x, rhs) })
			run("LU/Factorize", func() { lu.Factorize(full) })
			run("LU/Refactorize", func() { lu.Refactorize(full) })
			run("LU/Solve", func() { lu.SolveInto(x, false, rhs) })
		})
	}
}

// BenchmarkQR compares with Cholesky of AᵀA, for differences on a grid and its
// values.
func BenchmarkQR(b *testing.B) {
	const k = 100
	const n = k * k
	var ri, ci []int
	m := 0
	row := func(columns ...int) {
		for _, c := range columns {
			ri, ci = append(ri, m), append(ci, c)
		}
		m++
	}
	for i := range k {
		for j := range k {
			c := i*k + j
			row(c)
			if i+1 < k {
				row(c, c+k)
			}
			if j+1 < k {
				row(c, c+1)
			}
		}
	}
	a := sparsity.NewMatrix(sparsity.FromCoordinates(m, n, ri, ci))
	rnd := rand.New(rand.NewPCG(1, 2))
	randomize(rnd, a)
	gram := sparsity.NewGram(a.Pattern(), nil)
	h := gram.Eval(nil, a, nil, nil)
	var q QR
	var c Cholesky
	if err := q.Factorize(a); err != nil {
		b.Fatal(err)
	}
	if err := c.Factorize(h); err != nil {
		b.Fatal(err)
	}
	rhs, x := randomVector(rnd, m), make([]float64, n)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	run("Factorize", func() { q.Factorize(a) })
	run("Refactorize", func() { q.Refactorize(a) })
	run("Solve", func() { q.SolveInto(x, false, rhs) })
	run("InverseDiagonal", func() { q.InverseDiagonal(x) })
	run("Cholesky/Factorize", func() { c.Factorize(h) })
	run("Cholesky/Refactorize", func() { c.Refactorize(h) })
	run("Cholesky/Solve", func() { c.SolveInto(x, rhs[:n]) })
}

// BenchmarkLDL compares with LU on optimality systems: a grid of variables with a
// constraint for every other, and random ones.
func BenchmarkLDL(b *testing.B) {
	const k = 150
	h := symmetricGrid(k)
	var ri, ci []int
	h.Triangle().DoNonZero(func(i, j int, _ float64) { ri, ci = append(ri, max(i, j)), append(ci, min(i, j)) })
	for i := range k * k / 2 {
		for _, j := range []int{2 * i, 2*i + 1, (2*i + k) % (k * k)} {
			ri, ci = append(ri, k*k+i), append(ci, j)
		}
	}
	n := k*k + k*k/2
	grid := sparsity.NewMatrix(sparsity.FromCoordinates(n, n, ri, ci))
	randomize(rand.New(rand.NewPCG(1, 3)), grid)
	for i := range k * k {
		grid.Values()[grid.Pattern().Position(i, i)] = 8
	}
	for name, a := range map[string]*sparsity.SymMatrix{
		"Grid150": sparsity.NewSymMatrix(grid),
		"Random":  optimality(rand.New(rand.NewPCG(1, 4)), 3000, 1000, 0),
	} {
		b.Run(name, func(b *testing.B) {
			n := a.SymmetricDim()
			p := a.Triangle().Pattern().Symmetrized()
			full := sparsity.NewMatrix(p)
			a.DoNonZero(func(i, j int, v float64) { full.Values()[p.Position(i, j)] = v })
			var l LDL
			var lu LU
			if err := l.Factorize(a); err != nil {
				b.Fatal(err)
			}
			if err := lu.Factorize(full); err != nil {
				b.Fatal(err)
			}
			rhs, x := randomVector(rand.New(rand.NewPCG(1, 2)), n), make([]float64, n)
			run := func(name string, f func()) {
				b.Run(name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						f()
					}
				})
			}
			run("Factorize", func() { l.Factorize(a) })
			run("Refactorize", func() { l.Refactorize(a); b.ReportMetric(l.Fill(), "fill") })
			run("Solve", func() { l.SolveInto(x, rhs) })
			run("LU/Factorize", func() { lu.Factorize(full) })
			run("LU/Refactorize", func() { lu.Refactorize(full); b.ReportMetric(lu.Fill(), "fill") })
			run("LU/Solve", func() { lu.SolveInto(x, false, rhs) })
		})
	}
}
