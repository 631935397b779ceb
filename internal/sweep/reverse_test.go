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
	"github.com/hesse-ad/hesse/reverse"
)

// bySectionsAndNot compares the bits of values and gradients by sections with those by
// whole batches.
func bySectionsAndNot(t require.TestingT, whole, cut *sweep.Engine, x, w []float64) {
	one, other := whole.Get(), cut.Get()
	other.Poison()
	_, err := one.Value(x, nil)
	require.NoError(t, err)
	require.NoError(t, one.Gradient(w))
	for range 2 { // the second finds what the first has left
		_, err = other.ValueGradient(x, nil, w)
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

// Chains are cut.
func TestGradientsBySectionsHaveTheSameBits(t *testing.T) {
	for _, name := range []string{"rosen", "arrow"} {
		in := problems.Named(name).At(1000)
		tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, len(in.X0))
		for i := range x {
			x[i] = random.NormFloat64()
		}
		e := inside.Program(tape)
		for _, lanes := range []int{100, 300} {
			cut, isCut := sweep.CutForGradients(e, lanes)
			require.True(t, isCut, "%s, %d lanes", name, lanes)
			bySectionsAndNot(t, e, cut, x, []float64{1})
		}
	}
}

func TestGradientsBySectionsOfRandomPrograms(t *testing.T) { rapid.Check(t, gradientsBySections) }
func FuzzGradientsBySections(f *testing.F)                 { f.Fuzz(rapid.MakeFuzz(gradientsBySections)) }

func gradientsBySections(t *rapid.T) {
	c := drawCopies(t, 1, 9, 70, 600)
	cut, isCut := sweep.CutForGradients(c.program, rapid.SampledFrom([]int{4, 16, 100}).Draw(t, "lanes"))
	if !isCut {
		t.Skip("not in sections")
	}
	bySectionsAndNot(t, c.program, cut, c.x, c.w)
}
