// Package verify compares recovered sparse matrices, Hessians and Jacobians
// alike, with products by sweeps: a pattern that misses a nonzero shows.
package verify

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/internal/program"
	"github.com/hesse-ad/hesse/internal/roundoff"
	"github.com/hesse-ad/hesse/sparsity"
)

// Miss is the row in which a recovered matrix A times a random vector v differs
// most from the product by a sweep.
type Miss struct {
	Row       int
	Got, Want float64 // (A·v)ᵢ and the product
}

// Why says in words what differs.
func (m *Miss) Why() string {
	if m.Got-m.Got != 0 && m.Want-m.Want == 0 {
		return "some element there is not finite, or one that others are recovered from"
	}
	return "the pattern misses a nonzero"
}

// Matrix is what is verified.
type Matrix struct {
	*sparsity.Matrix
	// Symmetric says that the matrix is a Hessian; what is above the diagonal is
	// not stored if Lower.
	Symmetric, Lower bool
	// Depth is the longest chain of substitutions by which elements are recovered,
	// 0 if each is read off a product.
	Depth int
}

const products = 3

// Compare compares a with products at the values in ws: by HVP of Σ wⱼyⱼ if it is
// symmetric, by JVP else. nil is no difference beyond rounding. A row may differ
// by what the rounding errors of its own products are bounded by; with
// substitutions, by those of any row that is connected to it by elements, as
// often as there are substitutions. Rows that are not finite on both sides are
// passed over.
func Compare(p *program.Program, ws *program.Workspace, w []float64, a Matrix) (*Miss, error) {
	rows, cols := a.Dims()
	random := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, cols)
	got, want, tolerance := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	if !a.Symmetric {
		w = nil
	} else if err := p.Linearize(ws, w); err != nil {
		return nil, err
	}
	for range products {
		for i := range v {
			v[i] = 1 + random.Float64()
		}
		bounds, err := product(p, ws, w, v, want)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			tolerance[i] = 4 * bounds[i].D.E
		}
		if a.Depth > 0 {
			a.spread(tolerance)
		}
		a.times(v, got, tolerance)
		if m := worst(got, want, tolerance); m != nil {
			return m, nil
		}
	}
	return nil, nil
}

// product is the product with v by a sweep, with bounds.
func product(p *program.Program, ws *program.Workspace, w, v, want []float64) ([]program.Rounded, error) {
	in := program.At(ws.V[:p.Inputs()], ws.V[p.Inputs():][:p.Params()], v)
	seed := func(x []float64, _ int) { copy(x, v) }
	if w == nil {
		if err := p.JVP(ws, 1, seed); err != nil {
			return nil, err
		}
		for j := range want {
			want[j] = ws.T[0][p.Output(j)]
		}
		return p.Bounds(in, nil).Outputs, nil
	}
	if err := p.HVP(ws, 1, seed); err != nil {
		return nil, err
	}
	copy(want, ws.U[0])
	return p.Bounds(in, w).Inputs, nil
}

// times is A·v, whose own rounding errors it adds to tolerance.
func (a *Matrix) times(v, got, tolerance []float64) {
	clear(got)
	sizes, counts := make([]float64, len(got)), make([]int, len(got))
	add := func(i int, x float64) {
		got[i] += x
		sizes[i] += math.Abs(x)
		counts[i]++
	}
	a.DoNonZero(func(i, j int, x float64) {
		add(i, x*v[j])
		if a.Lower && i != j {
			add(j, x*v[i])
		}
	})
	for i, size := range sizes {
		tolerance[i] += float64(counts[i]+1) * roundoff.Arithmetic * size
	}
}

// spread gives each row the largest of the tolerances in its connected component,
// times the number of substitutions in its elements and one more.
func (a *Matrix) spread(tolerance []float64) {
	rows, cols := a.Dims()
	column := func(j int) int { return rows + j }
	if a.Symmetric {
		column = func(j int) int { return j }
	}
	parent := make([]int, rows+cols)
	for i := range parent {
		parent[i] = i
	}
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	counts := make([]int, rows)
	for i := range rows {
		for _, j := range a.Pattern().Row(i) { // what was recovered may be 0
			counts[i]++
			if a.Lower && i != int(j) {
				counts[j]++
			}
			parent[root(i)] = root(column(int(j)))
		}
	}
	most := make([]float64, len(parent))
	for i, t := range tolerance {
		if k := root(i); !(t <= most[k]) { // NaN stays
			most[k] = t
		}
	}
	for i := range tolerance {
		tolerance[i] = most[root(i)] * float64(1+a.Depth*counts[i])
	}
}

// worst is the row that differs most, among those that are finite if there is
// one.
func worst(got, want, tolerance []float64) *Miss {
	var miss *Miss
	finite := false
	most := 0.0
	for i := range got {
		a, b := got[i]-got[i] == 0, want[i]-want[i] == 0
		d := math.Abs(got[i] - want[i])
		switch {
		case a && b && d > tolerance[i] && d > most:
			miss, finite, most = &Miss{i, got[i], want[i]}, true, d
		case a != b && !finite && miss == nil:
			miss = &Miss{i, got[i], want[i]}
		}
	}
	return miss
}

// Describe is the message of an error that a miss is.
func (m *Miss) Describe(matrix, by string) string {
	return fmt.Sprintf("row %d of the sparse %s times a random vector is %v, by %s %v: %s", m.Row, matrix, m.Got, by, m.Want, m.Why())
}
