package terms_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/internal/bounds"
	"github.com/hesse-ad/hesse/internal/domains"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/terms"
	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

const eps = 0x1p-53

// tolerance is how far two numbers may be apart, the rounding errors of each of
// which have a bound: twice as much as both are off by, for those of what a test
// itself adds up.
func tolerance(bound float64) float64 { return 4*bound + math.SmallestNonzeroFloat64 }

func close(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol || a-a != 0 && b-b != 0
}

var sine = reverse.NewPrimitive("sine", math.Sin, math.Cos, func(x float64) float64 { return -math.Sin(x) })

// product is x·y as a vector primitive, which is no part of a term.
type product struct{}

func (product) Dims() (n, m int)                { return 2, 1 }
func (product) Name() string                    { return "product" }
func (product) Eval(y, x []float64) error       { y[0] = x[0] * x[1]; return nil }
func (product) JVP(dy, x, dx []float64) error   { dy[0] = x[1]*dx[0] + x[0]*dx[1]; return nil }
func (product) VJP(gx, x, w []float64) error    { gx[0], gx[1] = w[0]*x[1], w[0]*x[0]; return nil }
func (product) HVP(h, x, dx, w []float64) error { h[0], h[1] = w[0]*dx[1], w[0]*dx[0]; return nil }
func (product) Jacobian(i int) []int            { return nil }
func (product) Hessian(i int) []int             { return [][]int{{1}, {0}}[i] }

// separable is a random sum of terms of few shapes, and of one dense part.
type separable struct {
	shapes []*randprog.Prog
	terms  []term
	dense  bool // one part that uses all variables and a primitive
	guard  bool // one comparison
	rows   int
	x      []float64
	params []float64
}

// term is scale·shape(x[at]), a part of a row; its last argument times a
// parameter, the real constants of the shape times c.
type term struct {
	shape, row int
	at         []int
	scale, c   float64
}

// with is the shape with its real constants times c.
func with(p *randprog.Prog, c float64) *randprog.Prog {
	q := *p
	q.Code = slices.Clone(p.Code)
	for k := range q.Code {
		if in := &q.Code[k]; in.Op != op.PowInt && in.Op != op.Polygamma {
			in.C *= c
		}
	}
	return &q
}

func (s *separable) String() string {
	var b strings.Builder
	for k, p := range s.shapes {
		fmt.Fprintf(&b, "shape %d:\n%v", k, p)
	}
	for _, t := range s.terms {
		fmt.Fprintf(&b, "%+v\n", t)
	}
	fmt.Fprintf(&b, "dense %v guard %v x %v params %v", s.dense, s.guard, s.x, s.params)
	return b.String()
}

func drawSeparable(t *rapid.T) *separable {
	s := &separable{rows: rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "rows")}
	s.dense = rapid.Bool().Draw(t, "dense")
	s.guard = rapid.Bool().Draw(t, "guard")
	s.params = []float64{1, 1.0001}
	differ := rapid.Bool().Draw(t, "differ") // constants and weights
	var pools [][]int                        // variables for each argument of each shape
	for k := range rapid.IntRange(1, 3).Draw(t, "shapes") {
		p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 1, MaxLen: 12, Primitives: true})
		s.shapes = append(s.shapes, p)
		pools = pools[:0]
		size := rapid.SampledFrom([]int{1, 2, 7}).Draw(t, "pool")
		for _, x := range p.X {
			var pool []int
			for i := range rapid.SampledFrom([]int{1, size}).Draw(t, "share") {
				pool = append(pool, len(s.x))
				s.x = append(s.x, x*(1+1e-4*float64(i)))
			}
			pools = append(pools, pool)
		}
		// More terms than a block has lanes, rarely.
		count := rapid.SampledFrom([]int{1, 3, 9, 40, 300}).Draw(t, "terms")
		regular := rapid.Bool().Draw(t, "regular")
		for e := range count {
			tm := term{shape: k, row: e % s.rows, scale: 1, c: 1}
			for j, pool := range pools {
				i := e
				if !regular {
					i = (e*e + j*e) % 31
				}
				tm.at = append(tm.at, pool[i%len(pool)])
			}
			if differ {
				tm.scale = 1 - 0.1*float64(e%3)
				tm.c = 1 + 1e-5*float64(e%5)
			}
			s.terms = append(s.terms, tm)
		}
	}
	return s
}

// function is s on any kind of numbers, rows and all.
func (s *separable) function(x, p []reverse.Var) []reverse.Var {
	y := make([]reverse.Var, s.rows)
	for _, t := range s.terms {
		prog := with(s.shapes[t.shape], t.c)
		local := make([]reverse.Var, len(t.at))
		for j, i := range t.at {
			local[j] = x[i]
		}
		last := len(local) - 1
		local[last] = local[last].Mul(p[t.row%2])
		v := randprog.Run(prog, local, &randprog.Hooks[reverse.Var]{Own: sine.Apply})[0]
		y[t.row] = y[t.row].Add(v.Scale(t.scale))
	}
	if s.dense {
		z := x[0].Sin()
		for _, x := range x {
			z = reverse.Apply(product{}, z, x.Cos())[0].AddReal(0.1)
		}
		y[0] = y[0].Add(z)
	}
	if s.guard && x[0].Sin().LessReal(2) {
		y[0] = y[0].AddReal(1)
	}
	return y
}

// engine evaluates a program by its sweeps: values, Jacobian, and Hessian of the
// weighted sum, dense.
func engine(t require.TestingT, p *sweep.Engine, x, params, w []float64) (y []float64, jac, hess [][]float64) {
	ws := p.Get()
	defer p.Put(ws)
	guard, err := ws.Value(x, params)
	require.NoError(t, err)
	require.Nil(t, guard)
	for j := range p.Outputs() {
		y = append(y, ws.Output(j))
		one := make([]float64, p.Outputs())
		one[j] = 1
		require.NoError(t, ws.Gradient(one))
		jac = append(jac, append([]float64(nil), ws.Adjoints()[:len(x)]...))
	}
	require.NoError(t, ws.Linearize(w))
	for i := range x {
		require.NoError(t, ws.HVP(1, func(v []float64, _ int) { v[i] = 1 }))
		hess = append(hess, append([]float64(nil), ws.Product(0)[:len(x)]...))
	}
	return y, jac, hess
}

func dense(p *sparsity.Pattern, v []float64) [][]float64 {
	r, c := p.Dims()
	a := make([][]float64, r)
	for i := range a {
		a[i] = make([]float64, c)
		for k, j := range p.Row(i) {
			a[i][j] = v[int(p.RowPtr()[i])+k]
		}
	}
	return a
}

// bounds bound the rounding errors of values, Jacobian and Hessian.
func (s *separable) bounds() (jac, hess [][]float64) {
	n := len(s.x)
	for range s.rows {
		jac = append(jac, make([]float64, n))
	}
	for range n {
		hess = append(hess, make([]float64, n))
	}
	for _, t := range s.terms {
		p := with(s.shapes[t.shape], t.c)
		p.X, p.U, p.V = nil, nil, nil
		for _, i := range t.at {
			p.X = append(p.X, s.x[i])
		}
		last := len(p.X) - 1
		p.X[last] *= s.params[t.row%2]
		for a, i := range t.at {
			for b := a; b < len(t.at); b++ {
				p.U, p.V = make([]float64, len(t.at)), make([]float64, len(t.at))
				p.U[a], p.V[b] = 2, 2
				m1, m2 := randprog.Bounds(p)
				j := t.at[b]
				hess[i][j] += m2[0]
				if a == b {
					jac[t.row][i] += m1[0]
				} else {
					hess[j][i] += m2[0]
				}
			}
		}
	}
	if s.dense {
		for i := range n {
			jac[0][i] += 2 * eps
			for j := range n {
				hess[i][j] += float64(n) * eps
			}
		}
	}
	for _, m := range append(jac, hess...) { // what is added up has an error each time
		floats.Scale(float64(1+len(s.terms)+n), m)
	}
	return jac, hess
}

func TestTermsAgreeWithTheGeneralEngine(t *testing.T) { rapid.Check(t, termsAgreeWithTheGeneralEngine) }
func FuzzTermsAgreeWithTheGeneralEngine(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(termsAgreeWithTheGeneralEngine))
}

func termsAgreeWithTheGeneralEngine(t *rapid.T) {
	s := drawSeparable(t)
	tape, err := reverse.RecordParamsVec(s.function, s.x, s.params)
	require.NoError(t, err)
	p := tape.Inside().Engine()
	pl := terms.Detect(p.Function(), true)
	if pl == nil {
		t.Skip("no terms")
	}
	x, n := s.x, len(s.x)
	w := []float64{1, 0.5, -2}[:s.rows]
	y, jac, hess := engine(t, p, x, s.params, w)
	var ry []float64
	var rj, rh [][]float64
	if r := pl.Rest(); r != nil {
		ry, rj, rh = engine(t, r, x, s.params, w)
	}
	mj, mh := s.bounds()
	rest := func(a [][]float64, i, j int) float64 {
		if a == nil {
			return 0
		}
		return a[i][j]
	}
	check := func(what string, got, want, m float64) {
		t.Helper()
		if !close(got, want, tolerance(m)) {
			t.Fatalf("%s: %v, want %v ± %.2g\n%v", what, got, want, tolerance(m), s)
		}
	}

	got := make([]float64, s.rows)
	pl.Value(got, x, s.params)
	again := make([]float64, s.rows)
	same := func(what string) {
		t.Helper()
		for j := range got {
			if math.Float64bits(got[j]) != math.Float64bits(again[j]) {
				t.Fatalf("%s: value %v, was %v\n%v", what, again[j], got[j], s)
			}
		}
	}
	for j := range y {
		r := 0.0
		if ry != nil {
			r = ry[j]
		}
		check("value", got[j]+r, y[j], math.Abs(y[j])+float64(len(s.terms))*1e3)
	}

	J := pl.Jacobian(nil)
	v := make([]float64, J.Pattern().NNZ())
	J.Eval(v, again, x, s.params)
	same("Jacobian")
	dj := dense(J.Pattern(), v)
	g := make([]float64, n)
	pl.Gradient(again, g, x, s.params, w)
	same("gradient")
	dy := make([]float64, s.rows)
	dx := make([]float64, n)
	for i := range n {
		wanted, m := 0.0, 0.0
		for k := range dx {
			dx[k] = 0
		}
		dx[i] = 1
		pl.JVPs(again, [][]float64{dy}, x, s.params, [][]float64{dx})
		same("JVP")
		for j := range y {
			check("Jacobian", dj[j][i]+rest(rj, j, i), jac[j][i], mj[j][i])
			check("JVP", dy[j]+rest(rj, j, i), jac[j][i], mj[j][i])
			wanted += w[j] * (jac[j][i] - rest(rj, j, i))
			m += mj[j][i]
		}
		check("gradient", g[i], wanted, 2*m)
	}

	H := pl.Hessian(nil)
	h := make([]float64, H.Pattern().NNZ())
	H.Eval(h, again, g, x, s.params, w)
	same("Hessian")
	dh := dense(H.Pattern(), h)
	hv, vs := make([][]float64, n), make([][]float64, n)
	for i := range n {
		hv[i], vs[i] = make([]float64, n), make([]float64, n)
		vs[i][i] = 1
	}
	pl.HVPs(hv, x, s.params, w, vs)
	for i := range n {
		for j := range n {
			want := hess[i][j] - rest(rh, i, j)
			check("Hessian", dh[i][j], want, 2*mh[i][j])
			check("HVP", hv[i][j], want, 2*mh[i][j])
		}
	}

	// Patterns: none misses what the detector finds, none has more.
	pj, ph := domains.Jacobian(&p.Tape, nil), domains.Hessian(&p.Tape, nil)
	qj, qh := J.Pattern(), H.Pattern()
	if r := pl.Rest(); r != nil {
		a, b := domains.Jacobian(&r.Tape, nil), domains.Hessian(&r.Tape, nil)
		qj, qh = union(qj, a), union(qh, b)
	}
	if !pj.Equal(qj) || !ph.Equal(qh) {
		t.Fatalf("patterns\n%v %v\n%v %v\n%v", qj, qh, pj, ph, s)
	}
	// In the full pattern, all values are where they belong.
	H = pl.Hessian(ph)
	h = make([]float64, ph.NNZ())
	H.Eval(h, nil, g, x, s.params, w)
	for i, row := range dense(ph, h) {
		for j := range row {
			check("Hessian in its pattern", row[j], dh[i][j], 2*mh[i][j])
		}
	}
	lower := ph.Lower()
	h = make([]float64, lower.NNZ())
	pl.Hessian(lower).Eval(h, nil, g, x, s.params, w)
	for i, row := range dense(lower, h) {
		for j := range i + 1 {
			check("lower triangle", row[j], dh[i][j], 2*mh[i][j])
		}
	}
	J = pl.Jacobian(pj)
	v = make([]float64, pj.NNZ())
	J.Eval(v, nil, x, s.params)
	for j, row := range dense(pj, v) {
		for i := range row {
			check("Jacobian in its pattern", row[i], dj[j][i], mj[j][i])
		}
	}
	if len(p.Owns()) == 0 && !s.dense { // primitives have none
		thirdDerivativesAgree(t, s, pl, p, lower)
	}
}

// The derivative of the Hessian along a direction is that of the engine, the derivative along
// another one of its sum with weights the same from both sides.
func thirdDerivativesAgree(t *rapid.T, s *separable, pl *terms.Plan, p *sweep.Engine, lower *sparsity.Pattern) {
	n, w := len(s.x), []float64{1, 0.5, -2}[:s.rows]
	u := make([]float64, n)
	for i := range u {
		u[i] = math.Cos(float64(5 * i))
	}
	params := slices.Concat(s.params, u)
	along := inside.Along(p)
	_, _, want := engine(t, along, s.x, params, w)
	// What the engine's elements are off by, column by column, where that has a bound.
	off := make([][]float64, n)
	for j := range off {
		e := make([]float64, n)
		e[j] = 1
		off[j] = make([]float64, n)
		for i, b := range bounds.Of(&along.Tape, bounds.At(s.x, params, e), w).Inputs {
			if tol := tolerance(b.D.E); tol < math.Inf(1) {
				off[j][i] = tol
			}
		}
	}
	size := 1e-9
	for _, row := range want {
		size += 1e-10 * floats.Norm(row, 1)
	}
	if r := pl.Rest(); r != nil {
		_, _, rest := engine(t, inside.Along(r), s.x, params, w)
		for i := range want {
			floats.Sub(want[i], rest[i])
		}
	}
	values := make([]float64, lower.NNZ())
	pl.Along().Hessian(lower).Eval(values, nil, nil, s.x, params, w)
	weights := make([]float64, len(values), len(values)+1)
	k, trace, total := 0, 0.0, float64(1+len(values))*size
	for i, j := range lower.All() {
		tol := size + off[j][i]
		total += 2 * tol
		if !close(values[k], want[i][j], tol) {
			t.Fatalf("Hessian along a direction: %v, want %v ± %.2g\n%v", values[k], want[i][j], tol, s)
		}
		weights[k] = math.Cos(float64(k))
		if trace += weights[k] * values[k]; i != j {
			trace += weights[k] * values[k]
		}
		k++
	}
	g := make([]float64, n)
	pl.Contract(lower).ContractedGradient(1, g, s.x, slices.Concat(s.params, append(weights, 0)), w)
	if got := floats.Dot(g, u); !close(got, trace, total) {
		t.Fatalf("sum of third derivatives: %v, want %v ± %.2g\n%v", got, trace, total, s)
	}
}

func union(p, q *sparsity.Pattern) *sparsity.Pattern {
	rows, cols := p.Dims()
	var i, j []int
	for _, p := range []*sparsity.Pattern{p, q} {
		for r := range rows {
			for _, c := range p.Row(r) {
				i, j = append(i, r), append(j, int(c))
			}
		}
	}
	return sparsity.FromCoordinates(rows, cols, i, j)
}
