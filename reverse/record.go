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
// primitive failed, or if f has more than 2³⁰ operations. Cost: about 60 ns an
// operation, of which compiling is two thirds; 90 in memory that is touched for the
// first time.
func Record(x []float64, f func(x []Var) Var) (*Tape, error) { return Recorder{}.Record(x, f) }

// RecordVec is Record for f: ℝⁿ → ℝᵐ. It panics if f returns no outputs.
func RecordVec(x []float64, f func(x []Var) []Var) (*Tape, error) { return Recorder{}.RecordVec(x, f) }

// RecordParams is Record for a function with parameters p, which are not
// differentiated. An evaluation takes x alone, for the parameters as recorded or
// as bound by [Tape.With], or x followed by other parameters in one slice.
func RecordParams(x, p []float64, f func(x, p []Var) Var) (*Tape, error) {
	return Recorder{}.RecordParams(x, p, f)
}

// RecordParamsVec is RecordParams for f with outputs in ℝᵐ. It panics if f
// returns no outputs.
func RecordParamsVec(x, p []float64, f func(x, p []Var) []Var) (*Tape, error) {
	return Recorder{}.RecordParamsVec(x, p, f)
}

// Record is the function Record with settings.
func (o Recorder) Record(x []float64, f func(x []Var) Var) (*Tape, error) {
	if f == nil {
		panic("reverse: nil function")
	}
	return o.RecordVec(x, func(x []Var) []Var { return []Var{f(x)} })
}

// RecordVec is the function RecordVec with settings.
func (o Recorder) RecordVec(x []float64, f func(x []Var) []Var) (*Tape, error) {
	if f == nil {
		panic("reverse: nil function")
	}
	return o.RecordParamsVec(x, nil, func(x, _ []Var) []Var { return f(x) })
}

// RecordParams is the function RecordParams with settings.
func (o Recorder) RecordParams(x, p []float64, f func(x, p []Var) Var) (*Tape, error) {
	if f == nil {
		panic("reverse: nil function")
	}
	return o.RecordParamsVec(x, p, func(x, p []Var) []Var { return []Var{f(x, p)} })
}

// RecordParamsVec is the function RecordParamsVec with settings.
func (o Recorder) RecordParamsVec(x, p []float64, f func(x, p []Var) []Var) (*Tape, error) {
	if f == nil {
		panic("reverse: nil function")
	}
	r := tape.NewRecording(len(x), len(p))
	defer r.Close()
	if o.Lines {
		r.Lines(callerOutside)
	}
	in := inputs(r, x, p)
	return finish(r, x, p, f(in[:len(x):len(x)], in[len(x):]))
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

// finish compiles r with the outputs y.
func finish(r *tape.Recording, x, p []float64, y []Var) (*Tape, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	if len(y) == 0 && !r.Derived {
		panic("reverse: no outputs")
	}
	out := make([]int32, len(y))
	for j, y := range y {
		recording(r, y.r)
		out[j] = y.node(r)
	}
	return newTape(sweep.New(compile.Compile(r, out)), slices.Clone(x), slices.Clone(p)), nil
}
