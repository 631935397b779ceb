package reverse_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// eps is the unit roundoff. Two ways of summing the same contributions, each
// of the program's operations adding a few roundings to its partials, differ
// by at most 64·ops·eps·M, M the sum of their absolute values.
const eps = 0x1p-53

func tolerance(ops int, m float64) float64 {
	return 64*float64(ops+1)*eps*m + math.SmallestNonzeroFloat64
}

func close(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol || a != a && b != b
}

// sine and xyy are the primitives that random programs use.
var sine = reverse.NewPrimitive("sine", math.Sin, math.Cos, func(x float64) float64 { return -math.Sin(x) })

type xyy struct{}

func (xyy) Dims() (n, m int)          { return 2, 1 }
func (xyy) Name() string              { return "xyy" }
func (xyy) Eval(y, x []float64) error { y[0] = x[0] * (x[1] * x[1]); return nil }
func (xyy) JVP(dy, x, dx []float64) error {
	dy[0] = x[1]*x[1]*dx[0] + 2*x[0]*x[1]*dx[1]
	return nil
}
func (xyy) VJP(gx, x, w []float64) error {
	gx[0], gx[1] = w[0]*x[1]*x[1], w[0]*2*x[0]*x[1]
	return nil
}
func (xyy) HVP(h, x, w, dx []float64) error {
	h[0] = w[0] * 2 * x[1] * dx[1]
	h[1] = w[0] * (2*x[1]*dx[0] + 2*x[0]*dx[1])
	return nil
}
func (xyy) Jacobian(i int) []int32 { return nil }
func (xyy) Hessian(i int) []int32  { return [][]int32{{1}, {0, 1}}[i] }

var hooks = &randprog.Hooks[reverse.Var]{
	Own: sine.Apply,
	Vec: func(x, y reverse.Var) reverse.Var { return reverse.Apply(xyy{}, x, y)[0] },
}

var options = randprog.Options{MaxInputs: 6, MaxOutputs: 3, MaxLen: 60, Branches: true, Primitives: true}

func record(t *rapid.T, p *randprog.Prog) *reverse.Tape {
	tape, err := reverse.RecordVec(p.X, func(x []reverse.Var) []reverse.Var { return randprog.Run(p, x, hooks) })
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

func TestTapeHasTheBitsOfThePlainFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randprog.Draw(t, options)
		x := make([]dual.Real, len(p.X))
		for i, v := range p.X {
			x[i] = dual.Real(v)
		}
		want := randprog.Run(p, x, nil)
		got, err := record(t, p).Values(nil, p.X)
		if err != nil {
			t.Fatal(err)
		}
		for j := range want {
			if math.Float64bits(got[j]) != math.Float64bits(float64(want[j])) {
				t.Fatalf("output %d: %v, want %v\n%v", j, got[j], want[j], p)
			}
		}
	})
}

func TestModesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randprog.Draw(t, options)
		tape := record(t, p)
		m1, m2 := randprog.Bounds(p)
		n, m := tape.Inputs(), tape.Outputs()

		x := make([]dual.Hyper, n)
		nested := make([]dual.Of[dual.Of[dual.Real]], n)
		for i, v := range p.X {
			x[i] = dual.Hyper{V: v, D1: p.U[i], D2: p.V[i]}
			nested[i].V.V, nested[i].V.D, nested[i].D.V = dual.Real(v), dual.Real(p.U[i]), dual.Real(p.V[i])
		}
		want := randprog.Run(p, x, nil)
		other := randprog.Run(p, nested, nil)

		check := func(what string, j int, got, want, m float64) {
			t.Helper()
			if !close(got, want, tolerance(len(p.Code), m)) {
				t.Fatalf("%s, output %d: %v, want %v ± %.2g\n%v", what, j, got, want, tolerance(len(p.Code), m), p)
			}
		}
		dot := func(a, b []float64) float64 {
			s := 0.0
			for i := range a {
				s += a[i] * b[i]
			}
			return s
		}
		jvp, err := tape.JVP(nil, p.X, p.U)
		if err != nil {
			t.Fatal(err)
		}
		jac, err := tape.Jacobian(nil, p.X)
		if err != nil {
			t.Fatal(err)
		}
		w := make([]float64, m)
		tangent, adjoint := tape.Tangent(), tape.Adjoint()
		for j := range m {
			check("nested JVP", j, float64(other[j].V.D), want[j].D1, m1[j])
			check("nested", j, float64(other[j].D.D), want[j].D12, m2[j])
			check("JVP", j, jvp[j], want[j].D1, m1[j])
			clear(w)
			w[j] = 1
			g, err := tape.VJP(nil, p.X, w)
			if err != nil {
				t.Fatal(err)
			}
			check("VJP", j, dot(g, p.U), want[j].D1, m1[j])
			check("Jacobian", j, mat.Dot(jac.RowView(j), mat.NewVecDense(n, p.U)), want[j].D1, m1[j])
			h, err := tape.WeightedHVP(nil, p.X, w, p.V)
			if err != nil {
				t.Fatal(err)
			}
			check("FoR", j, dot(h, p.U), want[j].D12, m2[j])

			xv := append(append([]float64(nil), p.X...), p.V...)
			y, err := tangent.Values(nil, xv)
			if err != nil {
				t.Fatal(err)
			}
			check("Tangent", j, y[m+j], want[j].D2, m1[j])
			u0 := append(append([]float64(nil), p.U...), make([]float64, n)...)
			fof, err := tangent.JVP(nil, xv, u0)
			if err != nil {
				t.Fatal(err)
			}
			check("FoF", j, fof[m+j], want[j].D12, m2[j])
			rof, err := tangent.VJP(nil, xv, append(make([]float64, m), w...))
			if err != nil {
				t.Fatal(err)
			}
			check("RoF", j, dot(rof[:n], p.U), want[j].D12, m2[j])
			xw := append(append([]float64(nil), p.X...), w...)
			bar, err := adjoint.Values(nil, xw)
			if err != nil {
				t.Fatal(err)
			}
			check("Adjoint", j, dot(bar, p.U), want[j].D1, m1[j])
			ror, err := adjoint.VJP(nil, xw, p.V)
			if err != nil {
				t.Fatal(err)
			}
			check("RoR", j, dot(ror[:n], p.U), want[j].D12, m2[j])
		}
	})
}

// Copies of one program on shifted points make batches of many lanes. They
// share the last input, so that operands lie consecutively (blocked), at a
// distance (interleaved) and all at one place.
func TestBatchesAgreeWithSingleRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 1, MaxLen: 25, Primitives: true})
		copies := rapid.SampledFrom([]int{9, 40, 600}).Draw(t, "copies")
		interleaved := rapid.Bool().Draw(t, "interleaved")
		n := p.Inputs - 1 // own inputs of a copy
		at := func(c, i int) int {
			switch {
			case i == n:
				return copies * n
			case interleaved:
				return i*copies + c
			default:
				return c*n + i
			}
		}
		x := make([]float64, copies*n+1)
		u, v := make([]float64, len(x)), make([]float64, len(x))
		for c := range copies {
			for i := range p.Inputs {
				shift := 1 + 1e-4*float64(c)
				if i == n {
					shift = 1
				}
				x[at(c, i)], u[at(c, i)], v[at(c, i)] = p.X[i]*shift, p.U[i], p.V[i]
			}
		}
		tape, err := reverse.Record(x, func(x []reverse.Var) reverse.Var {
			var s reverse.Var
			own := make([]reverse.Var, p.Inputs)
			for c := range copies {
				for i := range own {
					own[i] = x[at(c, i)]
				}
				s = s.Add(randprog.Run(p, own, hooks)[0])
			}
			return s
		})
		if err != nil {
			t.Fatal(err)
		}

		value := 0.0
		g, hu := make([]float64, len(x)), make([]float64, len(x))
		gm, hm := make([]float64, len(x)), make([]float64, len(x)) // their bounds
		one := *p
		one.X = make([]float64, p.Inputs)
		for c := range copies {
			for i := range one.X {
				one.X[i] = x[at(c, i)]
			}
			single := record(t, &one)
			y, err := single.Value(one.X)
			if err != nil {
				t.Fatal(err)
			}
			value += y
			grad, err := single.Gradient(nil, one.X)
			if err != nil {
				t.Fatal(err)
			}
			hvp, err := single.HVP(nil, one.X, p.V)
			if err != nil {
				t.Fatal(err)
			}
			e := one
			for i := range one.X {
				e.U = make([]float64, p.Inputs)
				e.U[i] = 1
				_, m2 := randprog.Bounds(&e)
				e.V = e.U
				m1, _ := randprog.Bounds(&e)
				e.V = p.V
				g[at(c, i)] += grad[i]
				gm[at(c, i)] += m1[0]
				hu[at(c, i)] += hvp[i]
				hm[at(c, i)] += m2[0]
			}
		}
		got, grad, err := tape.ValueGradient(nil, x)
		if err != nil {
			t.Fatal(err)
		}
		if got != value && got == got {
			t.Fatalf("value %v, want %v\n%v", got, value, p)
		}
		hvp, err := tape.HVP(nil, x, v)
		if err != nil {
			t.Fatal(err)
		}
		ops := len(p.Code) + copies
		for i := range x {
			if !close(grad[i], g[i], tolerance(ops, gm[i])) {
				t.Fatalf("gradient %d: %v, want %v ± %.2g\n%v", i, grad[i], g[i], tolerance(ops, gm[i]), p)
			}
			if !close(hvp[i], hu[i], tolerance(ops, hm[i])) {
				t.Fatalf("HVP %d: %v, want %v ± %.2g\n%v", i, hvp[i], hu[i], tolerance(ops, hm[i]), p)
			}
		}
	})
}
