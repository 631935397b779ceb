package reverse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity/detect"
)

func TestPatternsAreTheTracers(t *testing.T) {
	for _, p := range problems.All {
		in := p.At(36)
		if f := problems.Func[reverse.Var](in); f != nil {
			tape, err := reverse.Record(f, in.X0)
			require.NoError(t, err)
			want := detect.Hessian(problems.Func[detect.Tracer](in), len(in.X0))
			require.True(t, tape.HessianPattern().Equal(want), "%s: %v, want %v", p.Name, tape.HessianPattern(), want)
			continue
		}
		tape, err := reverse.RecordVec(problems.VecFunc[reverse.Var](in), in.X0)
		require.NoError(t, err)
		want := detect.Jacobian(problems.VecFunc[detect.Tracer](in), len(in.X0))
		require.True(t, tape.JacobianPattern().Equal(want), p.Name)
	}
}

// A tape knows the values of constants, the tracer does not: x^c with c = 0 is
// no function of x on the tape. A primitive has one Hessian for all its outputs.
func TestPatternsOfRandomProgramsAreWithinTheTracers(t *testing.T) {
	rapid.Check(t, patternsOfRandomProgramsAreWithinTheTracers)
}
func FuzzPatternsOfRandomProgramsAreWithinTheTracers(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(patternsOfRandomProgramsAreWithinTheTracers))
}

func patternsOfRandomProgramsAreWithinTheTracers(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 8, MaxOutputs: 3, MaxLen: 40, Primitives: true})
	tape := record(t, p)
	hooks := &randprog.Hooks[detect.Tracer]{Vec: func(x, y detect.Tracer) (p, s detect.Tracer) {
		p = x.Mul(y.Square())
		return p, p
	}}
	f := func(x []detect.Tracer) []detect.Tracer { return randprog.Run(p, x, hooks) }
	want := detect.Jacobian(f, p.Inputs)
	if !want.Union(tape.JacobianPattern()).Equal(want) {
		t.Fatalf("Jacobian\n%v want\n%v\n%v", tape.JacobianPattern().Spy(20), want.Spy(20), p)
	}
	sum := func(x []detect.Tracer) detect.Tracer { return detect.Tracer{}.SumOf(f(x)) }
	want = detect.Hessian(sum, p.Inputs)
	if !want.Union(tape.HessianPattern()).Equal(want) {
		t.Fatalf("Hessian\n%v want\n%v\n%v", tape.HessianPattern().Spy(20), want.Spy(20), p)
	}
}

func TestPatternCoversTheNonzeros(t *testing.T) { rapid.Check(t, patternCoversTheNonzeros) }
func FuzzPatternCoversTheNonzeros(f *testing.F) { f.Fuzz(rapid.MakeFuzz(patternCoversTheNonzeros)) }

func patternCoversTheNonzeros(t *rapid.T) {
	p := randprog.Draw(t, options)
	tape := record(t, p)
	local, err := tape.JacobianPatternAt(p.X)
	require.NoError(t, err)
	localH, err := tape.HessianPatternAt(p.X)
	require.NoError(t, err)
	jac, err := tape.Jacobian(nil, p.X)
	require.NoError(t, err)
	for j := range tape.Outputs() {
		for i := range tape.Inputs() {
			if jac.At(j, i) != 0 && !(tape.JacobianPattern().Has(j, i) && local.Has(j, i)) {
				t.Fatalf("Jacobian misses (%d, %d)\n%v", j, i, p)
			}
		}
	}
	w, e := make([]float64, tape.Outputs()), make([]float64, tape.Inputs())
	for i := range w {
		w[i] = 1 + float64(i)/7
	}
	for i := range e {
		clear(e)
		e[i] = 1
		h, err := tape.HVP(nil, p.X, e, w...)
		require.NoError(t, err)
		for j, h := range h {
			if h != 0 && !(tape.HessianPattern().Has(i, j) && localH.Has(i, j)) {
				t.Fatalf("Hessian misses (%d, %d)\n%v", i, j, p)
			}
		}
	}
}

func TestLocalPatternCutsZeros(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return x[0].Mul(x[1]).Add(x[2].Square().Mul(x[0]))
	}, []float64{1, 2, 3})
	require.NoError(t, err)
	at, err := tape.JacobianPatternAt([]float64{5, 0, 0})
	require.NoError(t, err)
	require.Equal(t, []int32{1}, at.Row(0))
	at, err = tape.JacobianPatternAt([]float64{5, 0, 0}, []float64{5, 1, 0})
	require.NoError(t, err)
	require.Equal(t, []int32{0, 1}, at.Row(0))
}
