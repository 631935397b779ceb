package plan

import (
	"cmp"
	"math"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/internal/bounds"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/roundoff"
	"github.com/hesse-ad/hesse/internal/sweep"
)

const verifyProducts = 3

// Verify multiplies the matrix at x by random vectors and compares with products by sweeps,
// HVP of Σ wⱼyⱼ for a Hessian and JVP for a Jacobian. A row may differ by a bound of the
// rounding errors of the two. Where elements are recovered by substitutions, the errors of
// other rows come in: then the bound is that of the worst row in the connected component,
// once for each substitution. Where rounding errors have no bound, all but the last 17 bits
// must agree. Rows that are not finite on both sides are passed over. The error is a
// *reverse.MissedError, or that of an evaluation.
func (p *Plan) Verify(x, w []float64) error {
	x, params, w := p.point(x, w)
	values := make([]float64, p.stored.NNZ())
	if _, err := p.eval(values, nil, x, params, w); err != nil {
		return err
	}
	q := p.program.Engine()
	ws := q.Get()
	defer q.Put(ws)
	if err := p.begin(ws, x, params, w, true); err != nil {
		return err
	}
	rows, cols := p.stored.Dims()
	random := rand.New(rand.NewPCG(1, 2))
	v := make([]float64, cols)
	got, want, tolerance := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for range verifyProducts {
		for i := range v {
			v[i] = 1 + random.Float64()
		}
		rounding, err := p.product(ws, w, v, want)
		if err != nil {
			return err
		}
		for i := range rows {
			tolerance[i] = 4 * rounding[i].D.E
		}
		if depth := p.depth(); depth > 0 {
			p.spread(tolerance, depth)
		}
		sizes := p.times(values, v, got, tolerance)
		if m := worst(got, want, tolerance, sizes); m != nil {
			return inside.Missed(m)
		}
	}
	return nil
}

// depth is the longest chain of substitutions by which an element is recovered.
func (p *Plan) depth() int {
	switch {
	case p.rest != nil:
		return p.rest.depth()
	case p.recovery != nil:
		return p.recovery.Depth()
	default:
		return 0
	}
}

// product sets want to the product of the matrix with v by a sweep, and returns it with
// bounds of its rounding errors.
func (p *Plan) product(ws *sweep.Workspace, w, v, want []float64) ([]bounds.Rounded, error) {
	q := p.program.Engine()
	in := bounds.At(ws.Values()[:q.Inputs()], ws.Values()[q.Inputs():][:q.Params()], v)
	seed := func(x []float64, _ int) { copy(x, v) }
	if p.Hessian {
		if err := ws.HVP(1, seed); err != nil {
			return nil, err
		}
		copy(want, ws.Product(0))
		return bounds.Of(&q.Tape, in, w).Inputs, nil
	}
	if err := ws.JVP(1, seed); err != nil {
		return nil, err
	}
	for j := range want {
		want[j] = ws.OutputTangent(0, j)
	}
	return bounds.Of(&q.Tape, in, nil).Outputs, nil
}

// times sets got = A·v, adds a bound of the rounding errors of that to tolerance, and returns
// |A|·|v|.
func (p *Plan) times(values, v, got, tolerance []float64) (sizes []float64) {
	clear(got)
	sizes, counts := make([]float64, len(got)), make([]int, len(got))
	add := func(i int, x float64) {
		got[i] += x
		sizes[i] += math.Abs(x)
		counts[i]++
	}
	for i := range got {
		lo := p.stored.RowPtr()[i]
		for k, j := range p.stored.Row(i) {
			x := values[int(lo)+k]
			if x == 0 {
				continue
			}
			add(i, x*v[j])
			if p.Lower && i != int(j) {
				add(int(j), x*v[i])
			}
		}
	}
	for i, size := range sizes {
		tolerance[i] += float64(counts[i]+1) * roundoff.Arithmetic * size
	}
	return sizes
}

// spread gives each row the largest of the tolerances in its connected component,
// times the number of substitutions in its elements and one more.
func (p *Plan) spread(tolerance []float64, depth int) {
	rows, cols := p.stored.Dims()
	column := func(j int) int { return rows + j }
	if p.Hessian {
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
		for _, j := range p.stored.Row(i) {
			counts[i]++
			if p.Lower && i != int(j) {
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
		tolerance[i] = most[root(i)] * float64(1+depth*counts[i])
	}
}

// worst is the row that differs most beyond its tolerance; if there is none, the first row that
// is finite on one side alone; then the first that differs and has no tolerance; else nil.
func worst(got, want, tolerance, sizes []float64) *inside.Miss {
	const sharp = 0x1p-36 // a relative difference for which no tolerance is needed
	miss := func(i int, bound float64) *inside.Miss {
		return &inside.Miss{Row: i, Got: got[i], Want: want[i], Bound: bound}
	}
	var beyond, infinite, unknown *inside.Miss
	most := 0.0
	for i := range got {
		d := math.Abs(got[i] - want[i])
		switch a, b := got[i]-got[i] == 0, want[i]-want[i] == 0; {
		case a != b && infinite == nil:
			infinite = miss(i, 0)
		case !a || !b:
		case !(tolerance[i] < math.Inf(1)):
			if d > sharp*sizes[i] && unknown == nil {
				unknown = miss(i, math.Inf(1))
			}
		case d > tolerance[i] && d > most:
			beyond, most = miss(i, tolerance[i]), d
		}
	}
	return cmp.Or(beyond, infinite, unknown)
}
