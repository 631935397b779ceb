//go:build !race

package reverse_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// tapes are of all kinds: batches, single nodes, lists, primitives, guards,
// parameters; each with points where derivatives are finite and where not.
func tapes(t *testing.T) map[string]struct {
	tape   *reverse.Tape
	points [][]float64
} {
	all := map[string]struct {
		tape   *reverse.Tape
		points [][]float64
	}{}
	for _, p := range problems.All {
		size := 300
		if p.Name == "rnn" {
			size = 6
		}
		in := p.At(size)
		record := func() (*reverse.Tape, error) { return reverse.RecordVec(problems.VecFunc[reverse.Var](in), in.X0) }
		if f := problems.Func[reverse.Var](in); f != nil {
			record = func() (*reverse.Tape, error) { return reverse.Record(f, in.X0) }
		}
		tape, err := record()
		require.NoError(t, err)
		bad := join(in.X0)
		bad[0] = inf
		all[p.Name] = struct {
			tape   *reverse.Tape
			points [][]float64
		}{tape, [][]float64{in.X0, bad}}
	}
	x, p := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []float64{2, 3}
	tape, err := reverse.RecordParamsVec(func(x, p []reverse.Var) []reverse.Var {
		y := reverse.Apply(randprog.XYY{}, x[0], p[0])
		y = append(y, randprog.Sine.Apply(x[1]), dual.Sum(x), dual.Dot(x, x), dual.Norm2(x).Max(x[3]), dual.LogSumExp(x), x[2].Select(x[1], x[4]))
		for i := range x {
			y[0] = y[0].Add(x[i].Sqrt().Mul(p[1]).Hypot(x[len(x)-1-i]))
			if x[i].LessReal(100) {
				y[1] = y[1].Add(x[i].Pow(p[0]))
			}
		}
		return y
	}, x, p)
	require.NoError(t, err)
	all["mixed"] = struct {
		tape   *reverse.Tape
		points [][]float64
	}{tape, [][]float64{ones(10), join(ones(10), p), x}}
	return all
}

func TestEvaluationsDoNotAllocate(t *testing.T) {
	for name, c := range tapes(t) {
		for which, tape := range map[string]*reverse.Tape{"tape": c.tape, "Tangent": c.tape.Tangent(), "Adjoint": c.tape.Adjoint()} {
			if name == "mixed" && which != "tape" {
				continue // the transforms of a vector primitive allocate
			}
			n, m := tape.Inputs(), tape.Outputs()
			for k, x := range c.points {
				if tape != c.tape {
					x = join(x[:c.tape.Inputs()], ones(n-c.tape.Inputs()), x[c.tape.Inputs():])
				}
				g, y, v, w := make([]float64, n), make([]float64, m), ones(n), ones(m)
				jac := mat.NewDense(m, n, nil)
				vs, hs := mat.NewDense(n, 11, nil), mat.NewDense(n, 11, nil)
				for i := range n {
					vs.Set(i, i%11, 1)
				}
				evaluations := map[string]func(){
					"Values":       func() { tape.Values(y, x) },
					"VJP":          func() { tape.VJP(g, x, w) },
					"JVP":          func() { tape.JVP(y, x, v) },
					"weighted HVP": func() { tape.HVP(g, x, v, w...) },
				}
				if n*m < 1e4 {
					evaluations["Jacobian"] = func() { tape.Jacobian(jac, x) }
				}
				if m == 1 {
					evaluations["Value"] = func() { tape.Value(x) }
					evaluations["Gradient"] = func() { tape.Gradient(g, x) }
					evaluations["ValueGradient"] = func() { tape.ValueGradient(g, x) }
					evaluations["HVP"] = func() { tape.HVP(g, x, v) }
					evaluations["HVPs"] = func() { tape.HVPs(hs, x, vs) }
				}
				for what, f := range evaluations {
					f()
					if allocs := testing.AllocsPerRun(20, f); allocs > 0 {
						t.Errorf("%s %s: %s at point %d: %v allocations", name, which, what, k, allocs)
					}
				}
			}
		}
	}
}

func TestFuncDoesNotAllocate(t *testing.T) {
	fn := reverse.NewFunc(zigzag)
	x, g, v := []float64{3.5, 0.7}, make([]float64, 2), []float64{1, 2}
	for what, f := range map[string]func(){
		"Value":         func() { fn.Value(x) },
		"Gradient":      func() { fn.Gradient(g, x) },
		"ValueGradient": func() { fn.ValueGradient(g, x) },
		"HVP":           func() { fn.HVP(g, x, v) },
		"Tape":          func() { fn.Tape(x) },
	} {
		if k := testing.AllocsPerRun(20, f); k > 0 {
			t.Errorf("%s: %v allocations", what, k)
		}
	}
}

// The memory of a tape, and of a gradient, an operation.
func TestMemory(t *testing.T) {
	for _, p := range problems.All {
		size := 10000
		switch p.Name {
		case "rnn":
			size = 32 // where the buffers, 24 kB, no longer matter
		case "helmholtz":
			size = 100
		}
		in := p.At(size)
		record := func() (*reverse.Tape, error) { return reverse.RecordVec(problems.VecFunc[reverse.Var](in), in.X0) }
		if f := problems.Func[reverse.Var](in); f != nil {
			record = func() (*reverse.Tape, error) { return reverse.Record(f, in.X0) }
		}
		tape, err := record()
		require.NoError(t, err)
		program := tape.Inside().Engine()
		ops := 0 // a list of n operands counts as the n−1 operations that it saves
		for i := program.Base(); i < program.Len(); i++ {
			operands := 0
			program.EachOperand(int32(i), func(int32) { operands++ })
			ops += max(1, operands-1)
		}
		perOp := float64(tape.Bytes()) / float64(ops)
		ws := program.Get()
		_, err = ws.Value(in.X0, nil)
		require.NoError(t, err)
		require.NoError(t, ws.Gradient(ones(tape.Outputs())))
		gradient := float64(ws.Bytes()) / float64(ops)
		require.LessOrEqual(t, perOp, 40.0, p.Name)
		require.LessOrEqual(t, gradient, 24.0, p.Name)
	}
}

func TestSparseJacobianDoesNotAllocate(t *testing.T) {
	in, tape := bratu(t, 400)
	for _, method := range methods {
		j, err := reverse.SparseSettings{Method: method}.New(tape)
		require.NoError(t, err)
		a, y := j.Matrix(), make([]float64, tape.Outputs())
		require.Zero(t, testing.AllocsPerRun(10, func() { j.Eval(a, in.X0) }), method)
		require.Zero(t, testing.AllocsPerRun(10, func() { j.EvalAll(a, y, in.X0) }), method)
	}
}

func TestRepeatDoesNotAllocate(t *testing.T) {
	limits := terms.Limits
	defer func() { terms.Limits = limits }()
	for _, steps := range []int{limits.Steps, 0} { // by symbols, by sweeps
		terms.Limits.Steps = steps
		tape := recordPairs(t, 700)
		evaluations := repeatEvaluations(t, tape, tape.Point())
		x := tape.Point()
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			return reverse.Repeat(func(x, _ []reverse.Var) reverse.Var { return x[1].Sub(x[0].Square()).Exp() }, x, pairs(699), nil)
		}, x)
		require.NoError(t, err)
		H, err := hessian.SparseSettings{Method: hessian.ByTerms}.New(tape)
		require.NoError(t, err)
		J, err := reverse.SparseSettings{Method: reverse.ByTerms}.New(tape)
		require.NoError(t, err)
		h, j := H.Matrix(), J.Matrix()
		evaluations = append(evaluations,
			func() []float64 { H.Eval(h, x); return nil }, func() []float64 { J.Eval(j, x); return nil })
		for k, f := range evaluations {
			f()
			if a := testing.AllocsPerRun(20, func() { f() }); a > 0 {
				t.Errorf("evaluation %d: %v allocations", k, a)
			}
		}
	}
}

// What the first derivatives of many loops with equal steps allocate is about what those of
// one do: the memory of the steps is shared.
func TestScansWithEqualStepsShareMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // that would empty the pools
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	measured := func(loop func(x V, by float64) V, loops int) (bytes, allocated float64) {
		by, x := make([]float64, loops), make([]float64, loops)
		for i := range x {
			by[i], x[i] = 0.5, 0.1*float64(i)
		}
		tape := severalLoops(t, loop, by, x)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		derivativesOf(t, tape, x)
		runtime.ReadMemStats(&after)
		return float64(tape.Bytes()), float64(after.TotalAlloc - before.TotalAlloc)
	}
	for name, loop := range map[string]func(x V, by float64) V{"long": longLoop, "lanes": longLanes} {
		bytes, one := measured(loop, 1)
		more, many := measured(loop, 8)
		t.Log(name, one, many, bytes, more)
		require.Less(t, many, 1.5*one, name)
		if name == "long" { // else most of the tape is the lanes' states
			require.Less(t, more, 1.5*bytes)
		}
	}
}
