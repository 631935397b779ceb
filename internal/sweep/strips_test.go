package sweep_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/inside"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// byStripsAndNot compares the bits of values and gradients by strips with those by
// whole batches.
func byStripsAndNot(t require.TestingT, whole, cut *sweep.Engine, x, w []float64) {
	one, other := whole.Get(), cut.Get()
	_, err := one.Value(x, nil)
	require.NoError(t, err)
	require.NoError(t, one.Gradient(w))
	for team := range 4 { // each finds what the one before has left
		other.Poison()
		end := other.Team(team)
		_, err = other.ValueGradient(x, nil, w)
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
			byStripsAndNot(t, e, cut, x, []float64{1})
		}
	}
}

func TestGradientsByStripsOfRandomPrograms(t *testing.T) { rapid.Check(t, gradientsByStrips) }
func FuzzGradientsByStrips(f *testing.F)                 { f.Fuzz(rapid.MakeFuzz(gradientsByStrips)) }

// gradientsByStrips adds up one program at every place of a vector: places overlap, and
// all may have the last element.
func gradientsByStrips(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 4, MaxOutputs: 1, MaxLen: 16})
	n := rapid.SampledFrom([]int{130, 300, 2500}).Draw(t, "places")
	apart := rapid.SampledFrom([]int{1, 1, 2, 40}).Draw(t, "apart") // inputs of a program
	ends := rapid.Bool().Draw(t, "ends")                            // with the last one
	x := make([]float64, n+apart*p.Inputs+1)
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
	e := inside.Program(tape)
	nodes := e.Len() / rapid.IntRange(3, 12).Draw(t, "strips")
	cut, isCut := sweep.CutForGradients(e, max(nodes, 1))
	if isCut {
		byStripsAndNot(t, e, cut, x, []float64{rapid.SampledFrom([]float64{1, -0.5, 0}).Draw(t, "w")})
	}
}
