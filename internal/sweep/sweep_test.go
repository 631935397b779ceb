package sweep_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// A random program on many points, summed or not: batches of many lanes.
type copies struct {
	one     *randprog.Prog
	x, u, v []float64
	w       []float64
	program *sweep.Engine
	m1, m2  float64 // bounds of the rounding errors of directional derivatives
}

var sine = reverse.NewPrimitive("sine", math.Sin, math.Cos, func(x float64) float64 { return -math.Sin(x) })

func drawCopies(t *rapid.T, counts ...int) *copies {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 1, MaxLen: 40})
	n := rapid.SampledFrom(counts).Draw(t, "copies")
	interleaved := rapid.Bool().Draw(t, "interleaved")
	summed := rapid.Bool().Draw(t, "summed")
	c := &copies{one: p}
	own := p.Inputs - 1 // the last input is that of all
	at := func(k, i int) int {
		switch {
		case i == own:
			return n * own
		case interleaved:
			return i*n + k
		default:
			return k*own + i
		}
	}
	size := n*own + 1
	c.x, c.u, c.v = make([]float64, size), make([]float64, size), make([]float64, size)
	for k := range n {
		q := *p
		q.X = slices.Clone(p.X)
		for i := range p.Inputs {
			if i < own {
				q.X[i] *= 1 + 1e-4*float64(k)
			}
			c.x[at(k, i)], c.u[at(k, i)], c.v[at(k, i)] = q.X[i], p.U[i], p.V[i]
		}
		m1, m2 := randprog.Bounds(&q)
		c.m1, c.m2 = c.m1+m1[0], c.m2+m2[0]
	}
	// Adding up n numbers errs by n times what a bound has for adding one. Two results
	// that err are compared.
	c.m1, c.m2 = 2*float64(n+1)*c.m1, 2*float64(n+1)*c.m2
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		var y []reverse.Var
		var s reverse.Var
		args := make([]reverse.Var, p.Inputs)
		for k := range n {
			for i := range args {
				args[i] = x[at(k, i)]
			}
			z := randprog.Run(p, args, &randprog.Hooks[reverse.Var]{Own: sine.Apply})[0]
			s = s.Add(z)
			y = append(y, z)
		}
		if summed {
			return []reverse.Var{s}
		}
		return y
	}, c.x)
	if err != nil {
		t.Fatal(err)
	}
	c.program = tape.Inside().Engine()
	c.w = make([]float64, tape.Outputs())
	for j := range c.w {
		c.w[j] = 1
	}
	return c
}

// sweeps evaluates p and makes all products.
func (c *copies) sweeps(t *rapid.T, p *sweep.Engine, careful, poison bool, k int) sweep.Products {
	t.Helper()
	ws := p.Get()
	if _, err := ws.Value(c.x, nil); err != nil {
		t.Fatal(err)
	}
	r, err := ws.Sweeps(careful, poison, k, c.w, c.v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func finite(x ...[]float64) bool {
	for _, x := range x {
		for _, v := range x {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// Batches, single nodes and derivative products compute the same.
func TestSweepsAgree(t *testing.T) { rapid.Check(t, sweepsAgree) }
func FuzzSweepsAgree(f *testing.F) { f.Fuzz(rapid.MakeFuzz(sweepsAgree)) }

func sweepsAgree(t *rapid.T) {
	c := drawCopies(t, 1, 9, 70, 600)
	cut, _ := sweep.Cut(c.program, 16)
	batched := c.sweeps(t, c.program, false, false, 1)
	if !finite(batched.JVP, batched.Bar, batched.HVP[0], []float64{c.m1, c.m2}) {
		t.Skip("overflow")
	}
	close := func(what string, got, want, bound float64) {
		t.Helper()
		if !(math.Abs(got-want) <= bound) {
			t.Fatalf("%s: %v, want %v ± %.2g\n%v", what, got, want, bound, c.one)
		}
	}
	for what, r := range map[string]sweep.Products{
		"in sections":       c.sweeps(t, cut, false, false, 1),
		"unbatched":         c.sweeps(t, sweep.Unbatched(c.program), false, false, 1),
		"careful":           c.sweeps(t, c.program, true, false, 1),
		"unbatched careful": c.sweeps(t, sweep.Unbatched(c.program), true, false, 1),
	} {
		close(what+" JVP", dot(r.JVP, c.w), dot(batched.JVP, c.w), c.m1)
		close(what+" VJP", dot(r.VJP[0], c.u), dot(batched.VJP[0], c.u), c.m1)
		close(what+" gradient", dot(r.Gradient, c.u), dot(batched.Gradient, c.u), c.m1)
		close(what+" HVP", dot(r.HVP[0], c.u), dot(batched.HVP[0], c.u), c.m2)
	}
}

// Sweeps read no working memory that they did not write, however many
// directions they carry, and all directions get the same bits.
func TestSweepsReadNothingOld(t *testing.T) { rapid.Check(t, nothingOld) }
func FuzzSweepsReadNothingOld(f *testing.F) { f.Fuzz(rapid.MakeFuzz(nothingOld)) }

func nothingOld(t *rapid.T) {
	c := drawCopies(t, 1, 9, 70, 600)
	k := rapid.IntRange(1, sweep.MaxDirections).Draw(t, "directions")
	cut, _ := sweep.Cut(c.program, rapid.SampledFrom([]int{4, 16, 100}).Draw(t, "lanes"))
	for _, p := range []*sweep.Engine{c.program, cut, sweep.Unbatched(c.program)} {
		for _, careful := range []bool{false, true} {
			want := c.sweeps(t, p, careful, false, 1)
			if !finite(want.JVP, want.Bar, want.HVP[0]) {
				t.Skip("overflow")
			}
			got := c.sweeps(t, p, careful, true, k)
			same := func(what string, got, want []float64) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Fatalf("%s, careful %v: %v, want %v\n%v", what, careful, got, want, c.one)
				}
			}
			same("JVP", got.JVP, want.JVP)
			same("gradient", got.Gradient, want.Gradient)
			same("adjoints", got.Bar, want.Bar)
			for s := range k {
				same("VJP", got.VJP[s], want.VJP[0])
				same("VJP is the gradient", got.VJP[s], want.Gradient)
				same("HVP", got.HVP[s], want.HVP[0])
			}
		}
	}
}

// Sums of alike terms are cut, whether or not these share operations, and give the
// products that the whole program gives, also where directions and what is wanted are
// a few inputs.
func TestSections(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig"} {
		in := problems.Named(name).At(1000)
		n := len(in.X0)
		tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
		require.NoError(t, err)
		whole, isCut := sweep.Cut(tape.Inside().Engine(), n)
		require.False(t, isCut)
		cut, isCut := sweep.Cut(tape.Inside().Engine(), 100)
		require.True(t, isCut, name)
		rows := func(e *sweep.Engine) [][]float64 {
			ws := e.Get()
			_, err := ws.Value(in.X0, nil)
			require.NoError(t, err)
			require.NoError(t, ws.Linearize([]float64{1}))
			var rows [][]float64
			require.NoError(t, ws.Hessian(func(_ int, x []float64) { rows = append(rows, slices.Clone(x)) }))
			return rows
		}
		got := rows(cut)
		for i, want := range rows(whole) {
			require.InDeltaSlice(t, want, got[i], 1e-12*(1+floats.Norm(want, math.Inf(1))), name)
		}
	}
}

// A sweep whose plain result is not finite is repeated, and not else.
func TestCarefulSweepsOnlyWhereNeeded(t *testing.T) {
	x := make([]float64, 20)
	tape, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		var s reverse.Var
		for i := range x {
			s = s.Add(x[i].Sqrt().Mul(p[i]))
		}
		return []reverse.Var{s}
	}, x, x)
	require.NoError(t, err)
	p := tape.Inside().Engine()
	for _, c := range []struct{ x, want float64 }{{4, 0.25 * 3}, {0, 0}} {
		ws := p.Get()
		params := make([]float64, len(x))
		for i := range x {
			x[i] = c.x
			params[i] = 3
			if c.x == 0 {
				params[i] = 0
			}
		}
		_, err := ws.Value(x, params)
		require.NoError(t, err)
		plain, err := ws.Sweeps(false, true, 1, []float64{1}, x)
		require.NoError(t, err)
		require.Equal(t, c.x != 0, finite(plain.Gradient))
		require.NoError(t, ws.Gradient([]float64{1}))
		for i := range x {
			require.Equal(t, c.want, ws.Adjoints()[i])
		}
	}
}

// Equal operations are kept once, however many users an operand has.
func TestManyUsersOfOneOperand(t *testing.T) {
	const n = 1000
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		var y []reverse.Var
		for range 2 {
			for i := range n {
				c := float64(i + 3)
				y = append(y, x[0].Scale(c), x[1].Scale(c), x[0].PowReal(c+0.5), x[0].Mul(x[1].AddReal(c)))
			}
		}
		return y
	}, []float64{2, 3})
	require.NoError(t, err)
	require.Equal(t, 5*n, tape.Inside().Engine().Ops())
}

// Batches longer than a block, with operands in a row, by index and shared, give what the
// same nodes give one by one.
func TestLongBatches(t *testing.T) {
	const n = 2*compile.Block + 100
	x, v := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], v[i] = 1+0.3*math.Sin(float64(i)), math.Cos(float64(7*i))
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		at := func(i int) reverse.Var { return x[i%n] }
		var s reverse.Var
		for i := range x {
			w := float64(i%11) - 4.5
			a := dual.Affine(w, []float64{1, -w, 0.1 * w}, []reverse.Var{at(i), at(i + 1), at(i * i)})
			b := dual.Affine(0.5, []float64{w, 2}, []reverse.Var{at(i), x[0]})
			q := at(i).Atan2(at(37 * i)).Mul(x[1]).Add(at(i * i).Div(at(i + 2)))
			s = s.Add(a.Sin().Mul(b)).Add(q.Square()).Add(at(i).Log().Mul(at(i + 5).Sqrt()))
		}
		return s
	}, x)
	require.NoError(t, err)
	p := tape.Inside().Engine()
	sweeps := func(p *sweep.Engine) sweep.Products {
		ws := p.Get()
		_, err := ws.Value(x, nil)
		require.NoError(t, err)
		r, err := ws.Sweeps(false, true, 1, []float64{1}, v)
		require.NoError(t, err)
		return r
	}
	long := 0
	for _, b := range p.Batches() {
		if b.Len() > compile.Block {
			long++
		}
	}
	require.Greater(t, long, 8)
	got, want := sweeps(p), sweeps(sweep.Unbatched(p))
	// Results are sums of up to n numbers, which are added in another order.
	near := func(what string, got, want []float64) {
		require.InDeltaSlice(t, want, got, 0x1p-50*n*(1+floats.Norm(want, math.Inf(1))), what)
	}
	near("JVP", got.JVP, want.JVP)
	near("VJP", got.VJP[0], want.VJP[0])
	near("gradient", got.Gradient, want.Gradient)
	near("HVP", got.HVP[0], want.HVP[0])
}
