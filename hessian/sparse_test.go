package hessian_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

func problem(t require.TestingT, name string, size int) (*problems.Instance, *reverse.Tape) {
	for _, p := range problems.All {
		if p.Name == name {
			in := p.At(size)
			tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
			require.NoError(t, err)
			return in, tape
		}
	}
	require.Fail(t, "no problem "+name)
	return nil, nil
}

func TestSparseIsDense(t *testing.T) {
	for _, name := range []string{"rosen", "arrow", "bdqrtic", "minsurf", "trig", "helmholtz", "rnn"} {
		size := 49
		if name == "rnn" {
			size = 4
		}
		in, tape := problem(t, name, size)
		want, err := hessian.New(tape, hessian.FoR).Dense(nil, in.X0)
		require.NoError(t, err)
		grad, err := tape.Gradient(nil, in.X0)
		require.NoError(t, err)
		value, err := tape.Value(in.X0)
		require.NoError(t, err)
		for _, method := range []hessian.Method{hessian.Auto, hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
			for _, lower := range []bool{false, true} {
				s, err := hessian.SparseSettings{Method: method, Lower: lower, Workers: 2}.New(tape)
				if errors.Is(err, reverse.ErrNoTerms) {
					continue
				}
				require.NoError(t, err)
				h := s.Matrix()
				g := make([]float64, len(in.X0))
				f, err := s.EvalAll(h, g, in.X0)
				require.NoError(t, err)
				require.InEpsilon(t, value, f, 1e-12)
				require.InDeltaSlice(t, grad, g, 1e-12*(1+floats.Norm(grad, math.Inf(1))))
				clear(g)
				f, _, err = s.ValueGradient(g, in.X0)
				require.NoError(t, err)
				require.InEpsilon(t, value, f, 1e-12)
				require.InDeltaSlice(t, grad, g, 1e-12*(1+floats.Norm(grad, math.Inf(1))))
				require.NoError(t, s.Verify(in.X0))
				for i := range g {
					for j := range i + 1 {
						require.InDelta(t, want.At(i, j), h.At(i, j), 1e-12*mat.Max(want), "%s %v (%d, %d)", name, method, i, j)
						if !lower {
							require.InDelta(t, want.At(i, j), h.At(j, i), 1e-12*mat.Max(want))
						}
					}
				}
			}
		}
	}
}

func TestSparseOfRandomProgramsVerifies(t *testing.T) { rapid.Check(t, sparseOfRandomProgramsVerifies) }
func FuzzSparseOfRandomProgramsVerifies(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(sparseOfRandomProgramsVerifies))
}

func sparseOfRandomProgramsVerifies(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 10, MaxOutputs: 3, MaxLen: 40})
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { return randprog.Run(p, x, nil) }, p.X)
	require.NoError(t, err)
	w := make([]float64, tape.Outputs())
	for j := range w {
		w[j] = 1 - float64(j)/3
	}
	for _, method := range []hessian.Method{hessian.Auto, hessian.ByStar, hessian.ByAcyclic} {
		s, err := hessian.SparseSettings{Method: method}.New(tape)
		require.NoError(t, err)
		if err := s.Verify(p.X, w...); err != nil {
			t.Fatalf("%v: %v\n%v", method, err, p)
		}
	}
}

func TestVerifyFindsAMissedNonzero(t *testing.T) {
	in, tape := problem(t, "rosen", 20)
	full := tape.HessianPattern()
	var is, js []int
	for i := range 20 {
		for _, j := range full.Row(i) {
			if !(i == 7 && j == 8 || i == 8 && j == 7) {
				is, js = append(is, i), append(js, int(j))
			}
		}
	}
	s, err := hessian.SparseSettings{Pattern: sparsity.FromCoordinates(20, 20, is, js)}.New(tape)
	require.NoError(t, err)
	var missed *reverse.MissedError
	require.ErrorAs(t, s.Verify(in.X0), &missed)
	require.Contains(t, []int{7, 8}, missed.Row)
}

// The first vector that Verify takes is nearly one along which f does not
// change: the elements of a row times it cancel, up to their rounding errors.
func TestVerifyAllowsForCancellation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a := 1 + r.Float64()
	b := (1 + r.Float64()) * (1 + 1e-9)
	x := []float64{0.7, 0.3}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return x[0].Scale(b).Sub(x[1].Scale(a)).Inv().Sin()
	}, x)
	require.NoError(t, err)
	for _, method := range []hessian.Method{hessian.Auto, hessian.ByStar} {
		s, err := hessian.SparseSettings{Method: method}.New(tape)
		require.NoError(t, err)
		for i := range 20 {
			x[0] = 0.7 + 0.013*float64(i)
			require.NoError(t, s.Verify(x))
		}
	}
}

func TestSparseRejects(t *testing.T) {
	_, tape := problem(t, "rosen", 5)
	require.Panics(t, func() {
		hessian.SparseSettings{Pattern: sparsity.Banded(5, 1, 0)}.New(tape)
	})
	require.Panics(t, func() { hessian.SparseSettings{Pattern: sparsity.Full(4, 4)}.New(tape) })
	row := coloring.New(coloring.Row, sparsity.Diagonal(5))
	require.Panics(t, func() { hessian.SparseSettings{Coloring: row}.New(tape) })
	bad, err := coloring.FromColors(coloring.Star, sparsity.Diagonal(5), make([]int, 5), nil)
	require.NoError(t, err)
	_, err = hessian.SparseSettings{Coloring: bad}.New(tape)
	var conflict *coloring.ConflictError
	require.ErrorAs(t, err, &conflict)
	s, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	require.Panics(t, func() { s.Eval(sparsity.NewMatrix(sparsity.Full(5, 5)), make([]float64, 5)) })
	require.Panics(t, func() { s.EvalAll(nil, make([]float64, 5), make([]float64, 5)) })
}

// In Σ (xᵢ² + x₉₉²)² − 4xᵢ the last variable is in all: Explain names its row, the
// number of entries, and the operation behind most of them.
func TestExplainNamesWhatMadeARowDense(t *testing.T) {
	_, tape := problem(t, "arrow", 100)
	s, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	require.Regexp(t, `\b99\b.*\b100\b.*\bSquare\b`, s.Explain())
}

func TestLagrangianHasOnePatternForAllWeights(t *testing.T) {
	x := []float64{0.5, 0, 2, 3}
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{
			x[0].Mul(x[1]).Add(x[3].Exp()),
			x[1].Sqrt(), // infinite derivatives at x
			x[2].Mul(x[3]).Sin(),
		}
	}, x)
	require.NoError(t, err)
	s, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	require.Equal(t, 7, s.Pattern().NNZ()) // (0,1), (1,1), (2,2), (2,3), (3,3) and mirror images
	h, g := s.Matrix(), make([]float64, 4)
	for _, w := range [][]float64{{1, 0, 0}, {2, 0, -3}, {0, 0, 0}} {
		f, err := s.EvalAll(h, g, x, w...)
		require.NoError(t, err)
		values, err := tape.Values(nil, x)
		require.NoError(t, err)
		require.InDelta(t, w[0]*values[0]+w[2]*values[2], f, 1e-14)
		want, err := hessian.New(tape, hessian.FoR).Dense(nil, x, w...)
		require.NoError(t, err)
		for i := range x {
			for j := range x {
				require.InDelta(t, want.At(i, j), h.At(i, j), 1e-14, "weights %v (%d, %d)", w, i, j)
			}
		}
		require.Zero(t, h.At(1, 1), "a multiplier 0 annihilates an infinite second derivative")
	}
	require.Panics(t, func() { s.Eval(h, x) })
	require.Panics(t, func() { s.Eval(h, x, 1, 2) })
}

func TestConcurrentSparse(t *testing.T) {
	in, tape := problem(t, "minsurf", 100)
	for _, settings := range []hessian.SparseSettings{{}, {Method: hessian.ByStar}, {Method: hessian.ByAcyclic, Workers: 3}} {
		s, err := settings.New(tape)
		require.NoError(t, err)
		want := s.Matrix()
		_, err = s.Eval(want, in.X0)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				h := s.Matrix()
				for range 5 {
					if _, err := s.Eval(h, in.X0); err != nil || !slices.Equal(h.Values(), want.Values()) {
						t.Error("not the bits of the sequential evaluation", err)
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestConcurrentWorkersGiveTheSameBits(t *testing.T) {
	for name, f := range map[string]func(x []reverse.Var) reverse.Var{
		"terms": trigonometric,
		"terms and a rest": func(x []reverse.Var) reverse.Var {
			return trigonometric(x).Add(reverse.Var{}.SumOf(x[:40]).Sin())
		},
	} {
		x := make([]float64, 20000) // large enough to be shared
		for i := range x {
			x[i] = math.Sin(float64(i))
		}
		tape, err := reverse.Record(f, x)
		require.NoError(t, err)
		one, err := hessian.NewSparse(tape)
		require.NoError(t, err)
		require.Equal(t, hessian.ByTerms, one.Method())
		h, g := one.Matrix(), make([]float64, len(x))
		y, err := one.EvalAll(h, g, x)
		require.NoError(t, err)
		for _, workers := range []int{2, 3, 7} {
			s, err := hessian.SparseSettings{Workers: workers}.New(tape)
			require.NoError(t, err)
			h2, g2 := s.Matrix(), make([]float64, len(x))
			y2, err := s.EvalAll(h2, g2, x)
			require.NoError(t, err)
			require.True(t, y2 == y && slices.Equal(g2, g) && slices.Equal(h2.Values(), h.Values()), "%s, %d workers", name, workers)
			clear(h2.Values())
			_, err = s.Eval(h2, x)
			require.NoError(t, err)
			require.True(t, slices.Equal(h2.Values(), h.Values()), "%s, %d workers", name, workers)
			clear(g2)
			_, _, err = s.ValueGradient(g2, x)
			require.NoError(t, err)
			_, _, err = one.ValueGradient(g, x)
			require.NoError(t, err)
			require.True(t, slices.Equal(g2, g), "%s, %d workers", name, workers)
		}
	}
}

func trigonometric(x []reverse.Var) (s reverse.Var) {
	for i := range x[1:] {
		s = s.Add(x[i].Mul(x[i+1]).Sin().Mul(x[i].Exp()))
	}
	return s
}

// Each row has a bound of its own: a missed nonzero shows beside rows that are
// infinite or of any size.
func TestVerifyJudgesRowByRow(t *testing.T) {
	only := sparsity.FromCoordinates(3, 3, []int{0}, []int{0})
	rows := sparsity.FromCoordinates(2, 3, []int{0, 1}, []int{0, 1})
	for _, big := range []float64{1, 1e9, 1e16, 1e100} {
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			return x[0].PowReal(1.5).Scale(big).Add(x[1].Mul(x[2]))
		}, []float64{1, 1, 1})
		require.NoError(t, err)
		plan, err := hessian.SparseSettings{Pattern: only}.New(tape)
		require.NoError(t, err)
		vec, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
			return []reverse.Var{x[0].Sqrt().Scale(big), x[1].Mul(x[2])}
		}, []float64{1, 1, 1})
		require.NoError(t, err)
		jacobian, err := reverse.SparseSettings{Pattern: rows}.New(vec)
		require.NoError(t, err)
		for _, x0 := range []float64{1, 0} { // at 0 the first row is infinite
			x := []float64{x0, 1, 1}
			var missed *reverse.MissedError
			require.ErrorAs(t, plan.Verify(x), &missed)
			require.Contains(t, []int{1, 2}, missed.Row)
			var missedJ *reverse.MissedError
			require.ErrorAs(t, jacobian.Verify(x), &missedJ)
			require.Equal(t, 1, missedJ.Row)
		}
	}
}

// Rows of ½xᵀAx whose elements are of sizes from 10⁻⁸ to 10⁸: what is left out of
// the pattern is found as long as it is above the rounding errors of its row.
func TestVerifyFindsWhatIsAboveRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		var i, j []int
		var a []float64
		sums := make([]float64, n)
		for r := range n {
			for c := range r + 1 {
				if r == c || rapid.IntRange(0, 3).Draw(t, "there") == 0 {
					v := math.Pow(10, float64(rapid.IntRange(-8, 8).Draw(t, "size"))) * (1 + float64(rapid.IntRange(0, 9).Draw(t, "digit"))/10)
					i, j, a = append(i, r), append(j, c), append(a, v)
					sums[r] += v
					sums[c] += v
				}
			}
		}
		x := make([]float64, n)
		for k := range x {
			x[k] = 1 + float64(k)/7
		}
		tape, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
			for k := range a {
				s = s.Add(x[i[k]].Mul(x[j[k]]).Scale(a[k]))
			}
			return s
		}, x)
		require.NoError(t, err)
		gone := rapid.IntRange(0, len(a)-1).Draw(t, "gone")
		full := sparsity.FromCoordinates(n, n, slices.Concat(i, j), slices.Concat(j, i))
		left := sparsity.FromCoordinates(n, n, slices.Concat(slices.Delete(slices.Clone(i), gone, gone+1), slices.Delete(slices.Clone(j), gone, gone+1)),
			slices.Concat(slices.Delete(slices.Clone(j), gone, gone+1), slices.Delete(slices.Clone(i), gone, gone+1)))
		r, c := i[gone], j[gone]
		for _, method := range []hessian.Method{hessian.ByStar, hessian.ByAcyclic} {
			plan, err := hessian.SparseSettings{Pattern: full, Method: method}.New(tape)
			require.NoError(t, err)
			require.NoError(t, plan.Verify(x), "%v: %v %v %v", method, i, j, a)
			plan, err = hessian.SparseSettings{Pattern: left, Method: method}.New(tape)
			require.NoError(t, err)
			limit := min(sums[r], sums[c])
			if method == hessian.ByAcyclic {
				limit = floats.Sum(sums) * float64(n)
			}
			if 1e-12*limit < a[gone] {
				var missed *reverse.MissedError
				require.ErrorAs(t, plan.Verify(x), &missed, "element (%d, %d) = %v by %v", r, c, a[gone], method)
			}
		}
	})
}

// An infinite element that the pattern misses is missed too; rows that are
// infinite on both sides say nothing.
func TestVerifyOfInfiniteElements(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return x[0].PowReal(1.5).Add(x[1].PowReal(1.5))
	}, []float64{1, 1})
	require.NoError(t, err)
	plan, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	require.NoError(t, plan.Verify([]float64{0, 1}))
	plan, err = hessian.SparseSettings{Pattern: sparsity.FromCoordinates(2, 2, []int{1}, []int{1})}.New(tape)
	require.NoError(t, err)
	var missed *reverse.MissedError
	require.ErrorAs(t, plan.Verify([]float64{0, 1}), &missed)
	require.Equal(t, 0, missed.Row)
	require.Zero(t, missed.Got)
	require.True(t, math.IsInf(missed.Want, 1))
	require.ErrorContains(t, missed, "misses a nonzero")
	missed.Got, missed.Want = missed.Want, 1
	require.ErrorContains(t, missed, "not finite")
}

// The entries above the diagonal are set when those below are complete. Rows that later
// terms are the first to add to must not be cleared after that.
func TestTermsOfRowsThatOthersAddToLater(t *testing.T) {
	const n = 8000
	x, p := make([]float64, n), []float64{2}
	for i := range x {
		x[i] = 0.1 + float64(i%17)
	}
	tape, err := reverse.RecordParams(func(x, p []reverse.Var) reverse.Var {
		var s reverse.Var
		for i := range n / 2 {
			s = s.Add(x[i].Mul(x[n-1-i]).Mul(p[0])) // not on the diagonal
		}
		for i := range n {
			s = s.Add(x[i].Sin())
		}
		return s
	}, x, p)
	require.NoError(t, err)
	for _, workers := range []int{1, 2, 5} {
		s, err := hessian.SparseSettings{Method: hessian.ByTerms, Workers: workers}.New(tape)
		require.NoError(t, err)
		h, err := s.Eval(nil, x)
		require.NoError(t, err)
		for i := range n {
			require.Equal(t, 2.0, h.At(i, n-1-i))
			require.InDelta(t, -math.Sin(x[i]), h.At(i, i), 1e-15)
		}
	}
}

func TestResultsMayOverwriteArguments(t *testing.T) {
	const n = 200
	x, w := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], w[i] = 1+float64(i)/n, float64(i%7)-3
	}
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var { // yᵢ = xᵢxᵢ₊₁² is of alike terms
		y := make([]reverse.Var, n)
		for i := range y {
			y[i] = x[i].Mul(x[(i+1)%n].Square())
		}
		return y
	}, x)
	require.NoError(t, err)
	want, wantValue := make([]float64, n), 0.0
	for i := range want {
		next, last := x[(i+1)%n], x[(i+n-1)%n]
		wantValue += w[i] * x[i] * next * next
		want[i] = w[i]*next*next + w[(i+n-1)%n]*2*last*x[i]
	}
	for _, method := range []hessian.Method{hessian.ByTerms, hessian.ByStar} {
		plan, err := hessian.SparseSettings{Method: method}.New(tape)
		require.NoError(t, err)
		h, err := plan.Eval(nil, x, w...)
		require.NoError(t, err)
		for _, over := range []string{"x", "w"} {
			for _, withMatrix := range []bool{true, false} {
				x, w := slices.Clone(x), slices.Clone(w)
				g, f, again := x, 0.0, plan.Matrix()
				if over == "w" {
					g = w
				}
				if withMatrix {
					f, err = plan.EvalAll(again, g, x, w...)
					require.Equal(t, h.Values(), again.Values(), "%v over %s", method, over)
				} else {
					f, _, err = plan.ValueGradient(g, x, w...)
				}
				require.NoError(t, err)
				require.InDelta(t, wantValue, f, 1e-10, "%v over %s", method, over)
				require.InDeltaSlice(t, want, g, 1e-12, "%v over %s", method, over)
			}
		}
	}
	for _, method := range []reverse.Method{reverse.ByTerms, reverse.ByColumns} {
		plan, err := reverse.SparseSettings{Method: method}.New(tape)
		require.NoError(t, err)
		want, err := tape.Values(nil, x)
		require.NoError(t, err)
		j, err := plan.Eval(nil, x)
		require.NoError(t, err)
		y, again := slices.Clone(x), plan.Matrix()
		require.NoError(t, plan.EvalAll(again, y, y))
		require.Equal(t, want, y, method)
		require.Equal(t, j.Values(), again.Values(), method)
	}
}

func TestUnknownNamesAreNumbers(t *testing.T) {
	require.Equal(t, "acyclic Method(4)", fmt.Sprint(hessian.ByAcyclic, " ", hessian.Method(4)))
	require.Equal(t, "RoR Strategy(4)", fmt.Sprint(hessian.RoR, " ", hessian.Strategy(4)))
}

// What depends on a logarithm of a sum whose largest element is counted is verified like all
// else; where rounding errors have no bound, the error says so.
func TestVerifyRestsOnNoInfiniteBound(t *testing.T) {
	x := []float64{0.3, 1.7, -0.4, 0.9}
	missing := sparsity.FromCoordinates(4, 4, []int{0, 1, 2, 3, 1, 2}, []int{0, 1, 2, 3, 2, 1}) // (0, 3) and more
	row := sparsity.FromCoordinates(1, 4, []int{0, 0, 0}, []int{1, 2, 3})
	tiny := dual.Const[reverse.Var](1e-12)
	for name, c := range map[string]struct {
		f       func(x []reverse.Var) reverse.Var
		bounded bool
	}{
		"x₀x₃ + ln Σ exp": {func(x []reverse.Var) reverse.Var { return x[0].Mul(x[3]).Add(dual.LogSumExp(x[1:3])) }, true},
		"ln Σ exp":        {dual.LogSumExp[reverse.Var], true},
		"ln Σ exp of equal": {func(x []reverse.Var) reverse.Var {
			return dual.LogSumExp(append([]reverse.Var{x[0], x[0].Scale(1)}, x...))
		}, true},
		"a quotient that is all rounding": {func(x []reverse.Var) reverse.Var {
			zero := x[0].AddReal(1e16).SubReal(1e16).Sub(x[0]) // anything
			return x[0].Mul(x[3]).Div(zero.Add(tiny))
		}, false},
	} {
		tape, err := reverse.Record(c.f, x)
		require.NoError(t, err)
		for _, method := range []hessian.Method{hessian.ByStar, hessian.ByAcyclic} {
			plan, err := hessian.SparseSettings{Method: method}.New(tape)
			require.NoError(t, err)
			require.NoError(t, plan.Verify(x), name)
			plan, err = hessian.SparseSettings{Method: method, Pattern: missing}.New(tape)
			require.NoError(t, err)
			var missed *reverse.MissedError
			require.ErrorAs(t, plan.Verify(x), &missed, name)
			require.Equal(t, c.bounded, !math.IsInf(missed.Bound, 1), "%s: %v", name, missed)
		}
		jacobian, err := reverse.SparseSettings{Pattern: row}.New(tape)
		require.NoError(t, err)
		var missed *reverse.MissedError
		require.ErrorAs(t, jacobian.Verify(x), &missed, name)
		require.Equal(t, c.bounded, !math.IsInf(missed.Bound, 1), "%s: %v", name, missed)
	}
}
