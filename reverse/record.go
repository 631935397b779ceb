package reverse

import (
	"slices"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Recorder records with settings. Its zero value is what the functions Record,
// RecordVec, RecordParams and RecordParamsVec use.
type Recorder struct {
	// Lines notes where in the source each operation and each comparison
	// stands, for Tape.WriteTo and BranchError. It costs about a microsecond
	// each.
	Lines bool
}

// Record runs f once at x and returns the tape of f: ℝⁿ → ℝ, n = len(x). It
// panics if f is nil; a panic of f passes through. It is an error if a
// primitive failed, if [Must] was given one, or if f has more than 2³⁰ operations.
// Cost: about 30 ns an operation, 45 in memory that is touched for the first time.
// Large tapes are arranged for sweeps when they are first evaluated, in about 40 ns
// an operation: plans by terms do without.
func Record(f func(x []Var) Var, x []float64) (*Tape, error) { return Recorder{}.Record(f, x) }

// RecordVec is Record for f: ℝⁿ → ℝᵐ. It panics if f returns no outputs.
func RecordVec(f func(x []Var) []Var, x []float64) (*Tape, error) { return Recorder{}.RecordVec(f, x) }

// RecordParams is Record for a function with parameters p, which are not
// differentiated. An evaluation takes x alone, for the parameters as recorded or
// as bound by [Tape.With], or x followed by other parameters in one slice.
func RecordParams(f func(x, p []Var) Var, x, p []float64) (*Tape, error) {
	return Recorder{}.RecordParams(f, x, p)
}

// RecordParamsVec is RecordParams for f with outputs in ℝᵐ. It panics if f
// returns no outputs.
func RecordParamsVec(f func(x, p []Var) []Var, x, p []float64) (*Tape, error) {
	return Recorder{}.RecordParamsVec(f, x, p)
}

// Record is the function Record with settings.
func (o Recorder) Record(f func(x []Var) Var, x []float64) (*Tape, error) {
	if f == nil {
		panic("reverse: nil function")
	}
	return o.RecordVec(func(x []Var) []Var { return []Var{f(x)} }, x)
}

// RecordVec is the function RecordVec with settings.
func (o Recorder) RecordVec(f func(x []Var) []Var, x []float64) (*Tape, error) {
	if f == nil {
		panic("reverse: nil function")
	}
	return o.RecordParamsVec(func(x, _ []Var) []Var { return f(x) }, x, nil)
}

// RecordParams is the function RecordParams with settings.
func (o Recorder) RecordParams(f func(x, p []Var) Var, x, p []float64) (*Tape, error) {
	if f == nil {
		panic("reverse: nil function")
	}
	return o.RecordParamsVec(func(x, p []Var) []Var { return []Var{f(x, p)} }, x, p)
}

// RecordParamsVec is the function RecordParamsVec with settings.
func (o Recorder) RecordParamsVec(f func(x, p []Var) []Var, x, p []float64) (_ *Tape, err error) {
	if f == nil {
		panic("reverse: nil function")
	}
	r := tape.NewRecording(len(x), len(p))
	defer r.Close()
	defer ended(&err)
	if o.Lines {
		r.Lines(callerOutside)
	}
	in := inputs(r, x, p)
	return finish(r, x, p, f(in[:len(x):len(x)], in[len(x):]))
}

// Must returns y if err is nil. Otherwise it ends the function that is recorded, and err
// is the error of Record, of evaluations of a Func and of what is computed from it, as
// solutions of package newton. So a function that may fail is recorded:
//
//	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var { return reverse.Must(EnergyOf(x, data)) })
//
// Outside of a function that is recorded, and in a goroutine of it, it panics.
func Must[Y any](y Y, err error) Y {
	if err != nil {
		panic(failure{err})
	}
	return y
}

// failure is what Must panics with.
type failure struct{ error }

// ended, deferred where a function is recorded, sets err to that of Must.
func ended(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.error
	default:
		panic(p)
	}
}

// inputs is the Vars of the inputs and parameters of r.
func inputs(r *tape.Recording, x, p []float64) []Var {
	in := make([]Var, len(x)+len(p))
	for i, v := range x {
		in[i] = Var{r, int32(i), v}
	}
	for i, v := range p {
		in[len(x)+i] = Var{r, int32(len(x) + i), v}
	}
	return in
}

// finish is the tape of r with the outputs y.
func finish(r *tape.Recording, x, p []float64, y []Var) (*Tape, error) {
	out, err := results(r, y)
	if err != nil {
		return nil, err
	}
	return newTape(sweep.NewFunction(compile.InOrder(r, out)), slices.Clone(x), slices.Clone(p)), nil
}

// results is the outputs y of r.
func results(r *tape.Recording, y []Var) (out []int32, err error) {
	if r.Err != nil {
		return nil, r.Err
	}
	if len(y) == 0 && !r.Derived {
		panic("reverse: no outputs")
	}
	out = make([]int32, len(y))
	for j, y := range y {
		recording(r, y.r)
		out[j] = y.node(r)
	}
	return out, nil
}
