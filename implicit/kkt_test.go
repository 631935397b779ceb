package implicit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
)

// A quadratic program: minimize ½xᵀQx + cᵀx subject to Ax = b, Gx ≤ h, with
// λ = [c; b; h], made so that x, y and z are its solution.
type quadraticProgram struct {
	n, p, q int
	hess    *mat.SymDense
	a       *mat.Dense // A and below it G
	active  []int
	x, y, z []float64
	lambda  []float64
}

func newQuadraticProgram(rnd *rand.Rand, n, p, q int, active []int) *quadraticProgram {
	qp := &quadraticProgram{n: n, p: p, q: q, active: active}
	root := mat.NewDense(n, n, randomVector(rnd, n*n))
	qp.hess = mat.NewSymDense(n, nil)
	qp.hess.SymOuterK(1, root)
	for i := range n {
		qp.hess.SetSym(i, i, qp.hess.At(i, i)+1)
	}
	qp.x, qp.y, qp.z = randomVector(rnd, n), randomVector(rnd, p), make([]float64, q)
	for _, i := range active {
		qp.z[i] = 0.5 + rnd.Float64()
	}
	c := mat.NewVecDense(n, nil)
	c.MulVec(qp.hess, vec(qp.x))
	var right []float64
	if p+q > 0 {
		qp.a = mat.NewDense(p+q, n, randomVector(rnd, n*(p+q)))
		var d mat.VecDense
		d.MulVec(qp.a.T(), vec(slices.Concat(qp.y, qp.z)))
		c.AddVec(c, &d)
		var r mat.VecDense
		r.MulVec(qp.a, vec(qp.x))
		right = r.RawVector().Data
		for i := range q {
			if !slices.Contains(active, i) {
				right[p+i] += 0.5 + rnd.Float64()
			}
		}
	}
	c.ScaleVec(-1, c)
	qp.lambda = slices.Concat(c.RawVector().Data, right)
	return qp
}

func (qp *quadraticProgram) function(in vars) vars {
	x, c, right := in[:qp.n], in[qp.n:2*qp.n], in[2*qp.n:]
	row := make([]float64, qp.n)
	f := dual.Dot(c, x)
	for i := range x {
		f = f.Add(dual.Affine(0, mat.Row(row, i, qp.hess), x).Mul(x[i]).Scale(0.5))
	}
	out := vars{f}
	for i := range right {
		out = append(out, dual.Affine(0, mat.Row(row, i, qp.a), x).Sub(right[i]))
	}
	return out
}

func (qp *quadraticProgram) tape(t require.TestingT) *reverse.Tape {
	return tapeOf(t, slices.Concat(qp.x, qp.lambda), qp.function)
}

// sensitivities solves [Q Aᵀ; A 0] [ẋ; ẏ; ż] = [−ċ; ḃ; ḣ] with the active rows
// alone: the closed form.
func (qp *quadraticProgram) sensitivities(t require.TestingT) *mat.Dense {
	n := qp.n
	rows := make([]int, 0)
	for i := range qp.p {
		rows = append(rows, i)
	}
	for _, i := range qp.active {
		rows = append(rows, qp.p+i)
	}
	size := n + len(rows)
	k := mat.NewDense(size, size, nil)
	right := mat.NewDense(size, len(qp.lambda), nil)
	for i := range n {
		for j := range n {
			k.Set(i, j, qp.hess.At(i, j))
		}
		right.Set(i, i, -1)
		for r, a := range rows {
			k.Set(n+r, i, qp.a.At(a, i))
			k.Set(i, n+r, qp.a.At(a, i))
		}
	}
	for r, a := range rows {
		right.Set(n+r, n+a, 1)
	}
	var some mat.Dense
	require.NoError(t, some.Solve(k, right))
	all := mat.NewDense(n+qp.p+qp.q, len(qp.lambda), nil)
	for i := range n {
		all.SetRow(i, some.RawRowView(i))
	}
	for r, a := range rows {
		all.SetRow(n+a, some.RawRowView(n+r))
	}
	return all
}

func TestQuadraticProgramsHaveTheirClosedForm(t *testing.T) {
	rnd := rand.New(rand.NewPCG(41, 1))
	for _, c := range []struct {
		n, p, q int
		active  []int
	}{
		{1, 0, 0, nil}, {3, 0, 0, nil}, {3, 2, 0, nil}, {4, 1, 3, []int{1}}, {4, 0, 3, nil}, {6, 2, 5, []int{0, 2, 4}}, {2, 0, 3, []int{0, 2}}, {40, 10, 30, []int{3, 17, 29}},
	} {
		qp := newQuadraticProgram(rnd, c.n, c.p, c.q, c.active)
		s, err := KKT(qp.tape(t), qp.x, qp.y, qp.z, qp.lambda)
		require.NoError(t, err)
		require.Equal(t, append([]int(nil), c.active...), s.Active())
		want := qp.sensitivities(t)
		got, err := s.Jacobian(nil)
		require.NoError(t, err)
		requireClose(t, want, got, 1e-10)

		// ∇v = [x; −y; −z], and ∇²v is its derivative.
		g, err := s.ValueGradient(nil)
		require.NoError(t, err)
		floats.Scale(-1, g[c.n:])
		requireClose(t, vec(slices.Concat(qp.x, qp.y, qp.z)), vec(g), 1e-12)
		v := randomVector(rnd, len(qp.lambda))
		h, err := s.ValueHVP(nil, v)
		require.NoError(t, err)
		floats.Scale(-1, h[c.n:])
		var wantH mat.VecDense
		wantH.MulVec(want, vec(v))
		requireClose(t, &wantH, vec(h), 1e-10)

		// The solution is linear in [c; b; h] as long as the active set is.
		second, err := s.Second(nil, v, v)
		require.NoError(t, err)
		require.LessOrEqual(t, floats.Norm(second, math.Inf(1)), 1e-10)
	}
}

// The projection of λ on the unit disk: x = λ/|λ| with z = |λ| − 1 outside (of
// half of the squared distance, and half of |x|² ≤ 1), x = λ inside.
func disk(t require.TestingT) *reverse.Tape {
	return tapeOf(t, []float64{1, 0, 2, 0}, func(in vars) vars {
		x, l := in[:2], in[2:]
		return vars{
			x[0].Sub(l[0]).Square().Add(x[1].Sub(l[1]).Square()).Scale(0.5),
			x[0].Square().Add(x[1].Square()).SubReal(1).Scale(0.5),
		}
	})
}

func TestProjectionOnTheDisk(t *testing.T) {
	problem := disk(t)
	// Outside; the same by differentiation of the closed form.
	lambda := []float64{1.2, 1.6}
	closed := tapeOf(t, lambda, func(l vars) vars {
		r := dual.Norm2(l)
		return vars{l[0].Div(r), l[1].Div(r), r.SubReal(1)}
	})
	s, err := KKT(problem, []float64{0.6, 0.8}, nil, []float64{1}, lambda)
	require.NoError(t, err)
	want, err := closed.Jacobian(nil, lambda)
	require.NoError(t, err)
	got, err := s.Jacobian(nil)
	require.NoError(t, err)
	requireClose(t, want, got, 1e-14)
	u, v := []float64{1, 2}, []float64{-3, 1}
	second, err := s.Second(nil, u, v)
	require.NoError(t, err)
	for i := range 3 {
		e := make([]float64, 3)
		e[i] = 1
		h, err := closed.HVP(nil, lambda, v, e...)
		require.NoError(t, err)
		require.InDelta(t, floats.Dot(h, u), second[i], 1e-13)
	}
	require.InDelta(t, 0.5, s.Value(), 1e-15) // ½(|λ| − 1)²
	g, err := s.ValueGradient(nil)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0.6, 0.8}, g, 1e-14)

	s, err = KKT(problem, []float64{0.3, 0.4}, nil, []float64{0}, []float64{0.3, 0.4})
	require.NoError(t, err)
	require.Empty(t, s.Active())
	got, err = s.Jacobian(nil)
	require.NoError(t, err)
	requireClose(t, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 0}), got, 1e-14)

	var complementarity *ComplementarityError
	for _, c := range []struct{ x, z, lambda []float64 }{
		{[]float64{0.6, 0.8}, []float64{0}, []float64{0.6, 0.8}},     // weakly active
		{[]float64{0.6, 0.8}, []float64{1e-10}, []float64{0.6, 0.8}}, // the same, nearly
		{[]float64{0.3, 0.4}, []float64{1}, []float64{1.2, 1.6}},     // slack and multiplier
		{[]float64{0.6, 0.8}, []float64{-0.5}, []float64{0.3, 0.4}},  // negative multiplier
		{[]float64{1.2, 1.6}, []float64{0}, []float64{1.2, 1.6}},     // not feasible
		{[]float64{math.NaN(), 1.6}, []float64{0}, []float64{1.2, 1.6}},
	} {
		_, err = KKT(problem, c.x, nil, c.z, c.lambda)
		require.ErrorAs(t, err, &complementarity)
		require.Equal(t, c.z[0], complementarity.Multiplier)
	}
	_, err = KKT(problem, []float64{0.3, 0.4}, nil, []float64{math.NaN()}, []float64{0.3, 0.4})
	require.ErrorAs(t, err, &complementarity)
	var not *NotARootError
	_, err = KKT(problem, []float64{0.6, 0.8}, nil, []float64{1.1}, lambda)
	require.ErrorAs(t, err, &not)
}

func TestActiveBoundsAtTheOrigin(t *testing.T) {
	// minimize Σ (xᵢ − λᵢ)² subject to x ≥ 0.
	lambda := []float64{-1, 2, -3}
	problem := tapeOf(t, []float64{0, 2, 0, -1, 2, -3}, func(in vars) vars {
		out := vars{dual.Const[reverse.Var](0)}
		for i := range 3 {
			out[0] = out[0].Add(in[i].Sub(in[3+i]).Square())
			out = append(out, in[i].Neg())
		}
		return out
	})
	for _, noise := range []float64{0, 1e-9} { // an interior-point method's
		s, err := KKT(problem, []float64{noise, 2, noise}, nil, []float64{2 + 2*noise, noise, 6 + 2*noise}, lambda)
		if noise > 0 {
			require.ErrorAs(t, err, new(*NotARootError)) // of x₀ = 0, where rounding is 0 too
			s, err = Settings{Absolute: 1e-8}.KKT(problem, []float64{noise, 2, noise}, nil, []float64{2 + 2*noise, noise, 6 + 2*noise}, lambda)
		}
		require.NoError(t, err)
		require.Equal(t, []int{0, 2}, s.Active())
		got, err := s.JVP(nil, []float64{1, 1, 1})
		require.NoError(t, err)
		require.InDeltaSlice(t, []float64{0, 1, 0, -2, 0, -2}, got, 1e-14)
	}
}

func TestDependentConstraintsAreNamed(t *testing.T) {
	// x₀ + x₁ = 1 twice, the second time as an inequality; another one that is
	// independent.
	problem := tapeOf(t, []float64{0.5, 0.5, 2, 0}, func(in vars) vars {
		x := in[:3]
		sum := x[0].Add(x[1]).SubReal(1)
		return vars{
			x[0].Square().Add(x[1].Square()).Add(x[2].Sub(in[3]).Square()),
			sum, sum.Scale(1e3), x[2].SubReal(2).Neg(), x[0].SubReal(7),
		}
	})
	_, err := KKT(problem, []float64{0.5, 0.5, 2}, []float64{-2}, []float64{1e-3, 4, 0}, []float64{0})
	var dependent *DependentError
	require.ErrorAs(t, err, &dependent)
	require.Equal(t, []int{0}, dependent.Equalities)
	require.Equal(t, []int{0}, dependent.Inequalities)
	require.ErrorAs(t, err, new(*linsolve.SingularError))
	require.EqualError(t, err, "implicit: gradients of active constraints are linearly dependent: equality constraint 0 inequality constraint 0")

	// Three lines through a point of the plane.
	problem = tapeOf(t, []float64{1, 1, 1}, func(in vars) vars {
		x, y, l := in[0], in[1], in[2]
		return vars{x.Square().Add(y.Square()), l.Sub(x), l.Sub(y), l.Scale(2).Sub(x).Sub(y)}
	})
	_, err = KKT(problem, []float64{1, 1}, nil, []float64{1, 1, 1}, []float64{1})
	require.ErrorAs(t, err, &dependent)
	require.Equal(t, []int{0, 1, 2}, dependent.Inequalities)

	// The constraint is fine, but f is flat along it.
	problem = tapeOf(t, []float64{1, 1, 1}, func(in vars) vars {
		return vars{in[0].Add(in[1]), in[2].Scale(2).Sub(in[0]).Sub(in[1])}
	})
	_, err = KKT(problem, []float64{1, 1}, nil, []float64{1}, []float64{1})
	require.ErrorAs(t, err, new(*linsolve.SingularError))
	require.NotErrorAs(t, err, &dependent)
}

// The gradient of the optimal value by the envelope theorem is that by all the
// sensitivities, and its derivative that of the gradient.
func TestEnvelopeTheorem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n, p, q := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(0, 2).Draw(t, "p"), rapid.IntRange(0, 3).Draw(t, "q")
		p = min(p, n)
		var active []int
		for i := range q {
			if len(active)+p < n && rapid.Bool().Draw(t, "active") {
				active = append(active, i)
			}
		}
		// A quadratic program in curved coordinates, its data functions of λ.
		qp := newQuadraticProgram(rnd, n, p, q, active)
		l := len(qp.lambda)
		lambda := make([]float64, l)
		for i, v := range qp.lambda {
			lambda[i] = math.Asinh(v)
		}
		x := make([]float64, n)
		for i, v := range qp.x {
			x[i] = math.Asinh(v)
		}
		function := func(in vars) vars {
			curved := make(vars, len(in))
			for i, x := range in {
				curved[i] = x.Sinh()
			}
			out := qp.function(curved)
			out[0] = out[0].Add(dual.Dot(in[n:], in[n:]))
			return out
		}
		problem := tapeOf(t, slices.Concat(x, lambda), function)
		// Exact for given multipliers up to rounding.
		s, err := Settings{Absolute: 1e-10}.KKT(problem, x, qp.y, qp.z, lambda)
		require.NoError(t, err)
		m := n + p + q
		phi := tapeOf(t, slices.Concat(s.W(), lambda), func(in vars) vars {
			return vars{function(slices.Concat(in[:n], in[m:]))[0]}
		})
		r, err := s.Reduce(phi)
		require.NoError(t, err)
		require.InEpsilon(t, r.Value(), s.Value(), 1e-12)
		g, err := s.ValueGradient(nil)
		require.NoError(t, err)
		requireClose(t, vec(r.Gradient(nil)), vec(g), 1e-8)
		v := randomVector(rnd, l)
		want, err := r.HVP(nil, v)
		require.NoError(t, err)
		got, err := s.ValueHVP(nil, v)
		require.NoError(t, err)
		requireClose(t, vec(want), vec(got), 1e-7)
	})
}

func TestQuadraticProgramAsALayer(t *testing.T) {
	rnd := rand.New(rand.NewPCG(42, 1))
	qp := newQuadraticProgram(rnd, 4, 1, 3, []int{1})
	eq := NewEquation(Optimality(qp.tape(t), qp.n, qp.p, qp.active))
	want := qp.sensitivities(t)
	tape := tapeOf(t, qp.lambda, func(l vars) vars { return eq.Apply(l...)[:qp.n] })
	w, err := tape.Values(nil, qp.lambda)
	require.NoError(t, err)
	require.InDeltaSlice(t, qp.x, w, 1e-12)
	got, err := tape.Jacobian(nil, qp.lambda)
	require.NoError(t, err)
	requireClose(t, want.Slice(0, qp.n, 0, len(qp.lambda)), got, 1e-10)
}

func TestKKTKeepsParameters(t *testing.T) {
	// minimize p(x − λ)² subject to x ≤ 1, p no variable.
	problem, err := reverse.RecordParamsVec(func(x, p vars) vars {
		return vars{x[0].Sub(x[1]).Square().Mul(p[0]), x[0].SubReal(1)}
	}, []float64{1, 2}, []float64{1})
	require.NoError(t, err)
	s, err := KKT(problem, []float64{1}, nil, []float64{6}, []float64{2, 3})
	require.NoError(t, err)
	d, err := s.JVP(nil, []float64{1})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0, 6}, d, 1e-14)
	g, err := s.ValueGradient(nil)
	require.NoError(t, err)
	require.InDelta(t, 6, g[0], 1e-14)
	h, err := s.ValueHVP(nil, []float64{1})
	require.NoError(t, err)
	require.InDelta(t, 6, h[0], 1e-14)
	require.Equal(t, 3.0, s.Value())
}

func TestMisuseOfKKTPanics(t *testing.T) {
	problem := disk(t)
	one, two := []float64{1}, []float64{1, 2}
	for want, call := range map[string]func(){
		"implicit: nil tape": func() { KKT(nil, two, nil, one, two) },
		"implicit: problem has 2 outputs, want 1 and 2 constraints":                              func() { KKT(problem, two, nil, two, two) },
		"implicit: λ has length 1, want 2 (and 0 parameters)":                                    func() { KKT(problem, two, nil, one, one) },
		"implicit: no inequality 1":                                                              func() { Optimality(problem, 2, 0, []int{1}) },
		"implicit: problem has 4 inputs and 2 outputs, too few for 5 variables and 0 equalities": func() { Optimality(problem, 5, 0, nil) },
		"implicit: problem has 4 inputs and 2 outputs, too few for 2 variables and 2 equalities": func() { Optimality(problem, 2, 2, nil) },
	} {
		require.PanicsWithValue(t, want, call)
	}
}
