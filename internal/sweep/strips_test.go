package sweep_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// byStripsAndNot compares the bits of values and gradients by strips with those by
// whole batches. Those that are finite do not come about by whole batches.
func byStripsAndNot(t require.TestingT, whole, cut *sweep.Engine, x, w []float64, isFinite bool) {
	one, other := whole.Get(), cut.Get()
	_, err := one.Value(x, nil)
	require.NoError(t, err)
	require.NoError(t, one.Gradient(w))
	for team := range 4 { // each finds what the one before has left
		other.Poison()
		end := other.Team(team)
		if isFinite {
			require.True(t, other.ByStrips(x, w))
		} else {
			_, err = other.ValueGradient(x, nil, w)
		}
		end()
		require.NoError(t, err)
		same := func(what string, i int, a, b float64) {
			if math.Float64bits(a) != math.Float64bits(b) && (a == a || b == b) {
				require.Failf(t, "other bits", "%s %d: %v, want %v", what, i, b, a)
			}
		}
		for j := range w {
			same("output", j, one.Output(j), other.Output(j))
		}
		for i := range x {
			same("element", i, one.Adjoints()[i], other.Adjoints()[i])
		}
	}
}

// Chains and meshes are cut.
func TestGradientsByStripsHaveTheSameBits(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig"} {
		in := problems.Named(name).At(10000)
		tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, len(in.X0))
		for i := range x {
			x[i] = random.NormFloat64()
		}
		e := inside.Program(tape)
		for _, nodes := range []int{4000, 16000} {
			cut, isCut := sweep.CutForGradients(e, nodes)
			require.True(t, isCut, "%s, %d nodes", name, nodes)
			byStripsAndNot(t, e, cut, x, []float64{1}, true)
		}
	}
}

// What is not in strips: inputs that all terms read, sums beside them, and what would be
// added in another order, which is not cut.
func TestGradientsByStripsWithOthers(t *testing.T) {
	const n = 3000
	type vars = []reverse.Var
	each := func(x vars, term func(x reverse.Var) reverse.Var) vars {
		var s reverse.Var
		for _, x := range x[:n-1] {
			s = s.Add(term(x))
		}
		return vars{s}
	}
	twice := func(x reverse.Var) reverse.Var { return x.Sin().Exp() }
	c := make([]float64, n)
	for i := range c {
		c[i] = 1 / float64(3+i%7)
	}
	random := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, n)
	for i := range x {
		x[i] = random.NormFloat64()
	}
	for name, p := range map[string]struct {
		isCut bool
		f     func(x vars) vars
	}{
		"a shared input": {true, func(x vars) vars {
			return each(x, func(y reverse.Var) reverse.Var { return y.Mul(x[n-1]).Sin() })
		}},
		"a shared input with and without partials": {true, func(x vars) vars {
			return each(x, func(y reverse.Var) reverse.Var { return x[n-1].Add(x[n-1].Step(y)) })
		}},
		"a linear function": {true, func(x vars) vars {
			return append(each(x, twice), dual.DotReal(c, x)) // in a batch before that of the sum
		}},
		"linear functions of each other": {true, func(x vars) vars {
			y := append(each(x, twice), dual.DotReal(c, x))
			return append(y, dual.Affine(0, []float64{2, 3, 5}, append(y, x[0])))
		}},
		"a shared input of two batches": {false, func(x vars) vars {
			return each(x, func(y reverse.Var) reverse.Var { return y.Mul(x[n-1]).Sin().Add(y.Add(x[n-1]).Cos()) })
		}},
		"two batches": {true, func(x vars) vars {
			return each(x, func(y reverse.Var) reverse.Var { return y.Sin().Add(y.Exp()) })
		}},
		"three batches and a function of a scalar product": {false, func(x vars) vars {
			s := each(x, func(y reverse.Var) reverse.Var { return y.Sin().Add(y.Exp()).Add(y.Cos()) })
			return vars{s[0].Add(dual.DotReal(c, x).Exp())}
		}},
		"two batches and a scalar product": {false, func(x vars) vars {
			s := each(x, func(y reverse.Var) reverse.Var { return y.Sin().Add(y.Exp()) })
			return vars{s[0].Add(dual.Dot(x, x).Scale(1e-3).Exp())}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tape, err := reverse.RecordVec(p.f, x)
			require.NoError(t, err)
			e := inside.Program(tape)
			cut, isCut := sweep.CutForGradients(e, 800)
			require.Equal(t, p.isCut, isCut)
			if isCut {
				byStripsAndNot(t, e, cut, x, []float64{0.7, -1.3, 0.2}[:tape.Outputs()], true)
			}
		})
	}
}

func TestGradientsByStripsOfRandomPrograms(t *testing.T) { rapid.Check(t, gradientsByStrips) }
func FuzzGradientsByStrips(f *testing.F)                 { f.Fuzz(rapid.MakeFuzz(gradientsByStrips)) }

// atEveryPlace adds up a random program at n places of a vector x: places overlap, and with
// ends all have its last element.
func atEveryPlace(t *rapid.T, p *randprog.Prog, n int, ends bool) (e *sweep.Engine, x []float64) {
	apart := rapid.SampledFrom([]int{1, 1, 2, 40}).Draw(t, "apart") // inputs of a program
	x = make([]float64, n+apart*p.Inputs+1)
	for i := range x {
		x[i] = p.X[i%p.Inputs] * (1 + 1e-4*float64(i%97))
	}
	tape, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
		args := make([]reverse.Var, p.Inputs)
		for k := range n {
			for i := range args {
				args[i] = x[k+apart*i]
			}
			if ends {
				args[0] = x[len(x)-1]
			}
			s = s.Add(randprog.Run(p, args, &randprog.Hooks[reverse.Var]{Own: sine.Apply})[0])
		}
		return s
	}, x)
	require.NoError(t, err)
	return inside.Program(tape), x
}

func gradientsByStrips(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 1, MaxLen: 16})
	places := rapid.SampledFrom([]int{130, 300, 2500}).Draw(t, "places")
	e, x := atEveryPlace(t, p, places, rapid.Bool().Draw(t, "ends"))
	nodes := e.Len() / rapid.IntRange(3, 12).Draw(t, "strips")
	cut, isCut := sweep.CutForGradients(e, max(nodes, 1))
	if isCut {
		byStripsAndNot(t, e, cut, x, []float64{rapid.SampledFrom([]float64{1, -0.5, 0}).Draw(t, "w")}, false)
	}
}

func TestCompressedByStripsOfRandomPrograms(t *testing.T) { rapid.Check(t, compressedByStrips) }
func FuzzCompressedByStripsOfRandomPrograms(f *testing.F) { f.Fuzz(rapid.MakeFuzz(compressedByStrips)) }

// compressedByStrips compares the products of which a Compressed is made, with directions
// of any zeros and ones, with those by sweeps over the whole program, bit for bit.
func compressedByStrips(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 1, MaxLen: 16})
	e, x := atEveryPlace(t, p, max(500, 20000/len(p.Code)), false)
	num := rapid.IntRange(1, 9).Draw(t, "colors")
	color, salt := make([]int32, len(x)), rapid.Uint64().Draw(t, "salt")
	random := rand.New(rand.NewPCG(salt, 0))
	for i := range color {
		color[i] = int32(random.IntN(num+1)) - 1
	}
	c := e.NewCompressed(color, num, func(do func(to, row, color int32)) {
		for i := range len(x) * num {
			do(int32(i), int32(i/num), int32(i%num))
		}
	})
	if c == nil {
		t.Skip("no strips")
	}
	ws, whole := e.Get(), e.Get()
	defer e.Put(ws)
	defer e.Put(whole)
	w := []float64{rapid.SampledFrom([]float64{1, -0.5, 0}).Draw(t, "w")}
	_, err := whole.Value(x, nil)
	require.NoError(t, err)
	require.NoError(t, whole.Linearize(w))
	got := make([]float64, len(x)*num)
	for team := range 3 {
		ws.Poison()
		end := ws.Team(team)
		ok := c.Eval(ws, got, x, nil, w)
		end()
		if !ok {
			t.Skip("not finite")
		}
		same := func(what string, i int, got, want float64) {
			if math.Float64bits(got) != math.Float64bits(want) && (got != 0 || want != 0) {
				require.Failf(t, "other bits", "%s %d: %v, want %v", what, i, got, want)
			}
		}
		same("value", 0, ws.Output(0), whole.Output(0))
		for i := range x {
			same("gradient", i, ws.Adjoints()[i], whole.Adjoints()[i])
		}
		for lo := 0; lo < num; lo += sweep.MaxDirections {
			k := min(sweep.MaxDirections, num-lo)
			require.NoError(t, whole.HVP(k, func(v []float64, s int) {
				for i := range v {
					if color[i] == int32(lo+s) {
						v[i] = 1
					}
				}
			}))
			for s := range k {
				for i, want := range whole.Product(s) {
					same("product", i, got[i*num+lo+s], want)
				}
			}
		}
	}
}
