package reverse_test

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// Many goroutines on one tape get the bits of a single one, at points where
// derivatives are finite and where they are not.
func TestTapeIsSafeForConcurrentUse(t *testing.T) {
	for _, name := range []string{"rosen", "trig", "rnn", "helmholtz"} {
		for _, p := range problems.All {
			if p.Name != name {
				continue
			}
			size := 60
			if name == "rnn" {
				size = 4
			}
			in := p.At(size)
			tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
			require.NoError(t, err)
			n := tape.Inputs()
			points := make([][]float64, 6)
			for k := range points {
				points[k] = join(in.X0)
				for i := range points[k] {
					points[k][i] *= 1 + 0.01*float64(k)
				}
			}
			points[5][n/2] = inf
			v := mat.NewDense(n, 11, nil)
			for i := range n {
				v.Set(i, i%11, 1)
			}
			all := func(x []float64) []float64 {
				f, g, err := tape.ValueGradient(nil, x)
				require.NoError(t, err)
				h, err := tape.HVPs(nil, x, v)
				require.NoError(t, err)
				hv, err := tape.HVP(nil, x, in.X0)
				require.NoError(t, err)
				jv, err := tape.JVP(nil, x, in.X0)
				require.NoError(t, err)
				return join([]float64{f}, g, h.RawMatrix().Data, hv, jv)
			}
			want := make([][]float64, len(points))
			for k, x := range points {
				want[k] = all(x)
			}
			var wg sync.WaitGroup
			var wrong atomic.Int32
			for i := range 16 {
				wg.Go(func() {
					for k := range 3 * len(points) {
						k = (k + i) % len(points)
						for j, got := range all(points[k]) {
							if math.Float64bits(got) != math.Float64bits(want[k][j]) && (got == got || want[k][j] == want[k][j]) {
								wrong.Add(1)
							}
						}
					}
				})
			}
			wg.Wait()
			require.Zero(t, wrong.Load(), name)
		}
	}
}

// Recordings and transforms at once make the tapes of one alone.
func TestConcurrentRecordingsAndTransforms(t *testing.T) {
	in := problems.All[4].At(200)
	make := func() string {
		tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
		require.NoError(t, err)
		ror := tape.Adjoint().Adjoint()
		h, err := ror.Values(nil, join(in.X0, []float64{1}, in.X0))
		require.NoError(t, err)
		return fmt.Sprint(tape.Ops(), tape.Bytes(), ror.Ops(), h)
	}
	want := make()
	var wg sync.WaitGroup
	var wrong atomic.Int32
	for range 16 {
		wg.Go(func() {
			for range 5 {
				if make() != want {
					wrong.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, wrong.Load())
}

// The same function gives the same tape and the same bits, however often.
func TestRecordingIsDeterministic(t *testing.T) {
	p := longProgram(2000, 3)
	var want string
	for k := range 5 {
		tape := record(t, p)
		m := tape.Outputs()
		g, err := tape.VJP(nil, p.X, ones(m))
		require.NoError(t, err)
		h, err := tape.HVP(nil, p.X, p.V, ones(m)...)
		require.NoError(t, err)
		r, err := tape.Adjoint().VJP(nil, join(p.X, ones(m)), p.V)
		require.NoError(t, err)
		got := fmt.Sprint(tape.Ops(), tape.Bytes(), tape.Inside().Engine().Batches(), g, h, r)
		if k == 0 {
			want = got
		}
		require.Equal(t, want, got)
	}
}

// A panic of a primitive reaches the caller with its value, by any method and
// number of workers, and the plan stays as it was.
func TestConcurrentPanicsOfPrimitives(t *testing.T) {
	const n = 601
	var on atomic.Bool
	var calls atomic.Int64
	p := reverse.NewPrimitive("sine", math.Sin, func(x float64) float64 {
		if on.Load() && calls.Add(1)%100 == 0 {
			panic("mine")
		}
		return math.Cos(x)
	}, func(x float64) float64 { return -math.Sin(x) })
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + 0.1*float64(i%7)
	}
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, n-10)
		for i := range y {
			y[i] = dual.Const[reverse.Var](1)
			for k := range 10 {
				y[i] = y[i].Add(p.Apply(x[i+k].Mul(x[i])).Exp())
			}
		}
		return y
	}, x)
	require.NoError(t, err)
	for _, method := range []reverse.Method{reverse.ByTerms, reverse.ByColumns, reverse.ByRows, reverse.ByBoth} {
		for _, workers := range []int{1, 3} {
			on.Store(false)
			plan, err := reverse.SparseSettings{Method: method, Workers: workers}.New(tape)
			require.NoError(t, err)
			want := plan.Matrix()
			_, err = plan.Eval(want, x)
			require.NoError(t, err)
			on.Store(true)
			for range 3 {
				require.PanicsWithValue(t, "mine", func() { _, _ = plan.Eval(plan.Matrix(), x) }, "%v", method)
			}
			on.Store(false)
			for range 3 {
				got := plan.Matrix()
				_, err = plan.Eval(got, x)
				require.NoError(t, err)
				require.Equal(t, want.Values(), got.Values(), "%v", method)
			}
		}
	}
}
