package terms_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

// sameBits evaluates p by some goroutines.
func sameBits(t require.TestingT, p *sweep.Engine, x, params, w []float64) {
	pl := terms.Detect(p.Function(), true)
	if pl == nil {
		return
	}
	n, m := p.Inputs(), p.Outputs()
	J, H := pl.Jacobian(nil), pl.Hessian(nil)
	eval := func(workers int) (all [][]float64) {
		// What was there before must not matter.
		fresh := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = math.NaN()
			}
			all = append(all, x)
			return x
		}
		pl.GradientParallel(workers, fresh(m), fresh(n), x, params, w)
		J.EvalParallel(workers, fresh(J.Pattern().NNZ()), fresh(m), x, params)
		H.EvalParallel(workers, fresh(H.Pattern().NNZ()), fresh(m), fresh(n), x, params, w)
		H.EvalParallel(workers, fresh(H.Pattern().NNZ()), fresh(m), fresh(n), x, params, nil)
		H.EvalParallel(workers, fresh(H.Pattern().NNZ()), nil, nil, x, params, w)
		return all
	}
	want := eval(1)
	for _, workers := range []int{2, 3, 8} {
		for k, got := range eval(workers) {
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(want[k][i]) {
					t.Errorf("%d workers, result %d, element %d: %v, alone %v", workers, k, i, got[i], want[k][i])
					t.FailNow()
				}
			}
		}
	}
}

func TestConcurrentWorkersGiveTheSameBits(t *testing.T) {
	defer terms.ShareAll()()
	for _, p := range problems.All {
		if p.Name == "rnn" || p.Name == "helmholtz" {
			continue
		}
		in := p.At(5000)
		var tape *reverse.Tape
		var err error
		w := []float64{1.5}
		if f := problems.Func[reverse.Var](in); f != nil {
			tape, err = reverse.Record(f, in.X0)
		} else {
			tape, err = reverse.RecordVec(problems.VecFunc[reverse.Var](in), in.X0)
			w = in.X0
		}
		require.NoError(t, err)
		sameBits(t, tape.Inside().Engine(), in.X0, nil, w)
	}
}

// Terms of two shapes in many blocks each, some of which add to the same outputs
// and variables and some to their own.
func TestConcurrentWorkersOnShapesThatOverlap(t *testing.T) {
	defer terms.ShareAll()()
	const n = 20000
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, n-1)
		for i := range y {
			switch {
			case i < n/3:
				y[i] = x[i].Mul(x[i+1])
			case i < n/2:
				y[i] = x[i].Mul(x[i+1]).Add(x[i].Sin().Exp())
			default:
				y[i] = x[i].Sin().Exp()
			}
		}
		return y
	}, x)
	require.NoError(t, err)
	sameBits(t, tape.Inside().Engine(), x, nil, x[:n-1])
}

func TestConcurrentWorkersOnAConstant(t *testing.T) {
	defer terms.ShareAll()()
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].Const(3) }, []float64{1})
	require.NoError(t, err)
	require.NotNil(t, terms.Detect(tape.Inside().Function, true))
	sameBits(t, tape.Inside().Engine(), []float64{2}, nil, []float64{1})
}

func TestConcurrentWorkersGiveTheSameBitsOnRandomTerms(t *testing.T) {
	defer terms.ShareAll()()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSeparable(t)
		tape, err := reverse.RecordParamsVec(s.function, s.x, s.params)
		require.NoError(t, err)
		sameBits(t, tape.Inside().Engine(), s.x, s.params, []float64{1, 0.5, -2}[:s.rows])
	})
}
