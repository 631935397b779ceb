package hessian_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// A plan does not depend on whether the tape was evaluated before: what it says and
// its bits are those of a plan that is made first, also while others evaluate.
func TestPlansOfEvaluatedTapes(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig"} {
		in := problems.Named(name).At(900)
		record := func() *reverse.Tape {
			tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
			require.NoError(t, err)
			require.Greater(t, tape.Ops(), 1024, name)
			return tape
		}
		evaluate := func(tape *reverse.Tape) (explanation string, values []float64) {
			s, err := hessian.NewSparse(tape)
			require.NoError(t, err)
			h, g := s.Matrix(), make([]float64, len(in.X0))
			f, err := s.EvalAll(h, g, in.X0)
			require.NoError(t, err)
			return s.Explain(), append(append(h.Values(), g...), f)
		}
		explanation, values := evaluate(record())

		tape := record()
		want, err := tape.Gradient(nil, in.X0)
		require.NoError(t, err)
		got, also := evaluate(tape)
		assert.Equal(t, explanation, got, name)
		assert.Equal(t, values, also, name)

		tape = record()
		var together sync.WaitGroup
		for k := range 6 {
			together.Go(func() {
				if k%2 == 0 {
					got, also := evaluate(tape)
					assert.Equal(t, explanation, got, name)
					assert.Equal(t, values, also, name)
				} else {
					g, err := tape.Gradient(nil, in.X0)
					assert.NoError(t, err)
					assert.Equal(t, want, g, name)
				}
			})
		}
		together.Wait()
	}
}
