package sweep

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Engine sweeps over a program, with working memory from a pool.
type Engine struct {
	compile.Program
	mostArgs int                      // the most operands that a call has
	calls    bool                     // there is a call that may fail
	runs     map[int32][]compile.Span // by Affine node, see noteRuns
	pool     sync.Pool

	// Sections are made for the first second-order sweep.
	cutting sync.Once
	cut     atomic.Pointer[compile.Sections]
}

// New returns an engine for a program.
func New(p *compile.Program) *Engine {
	e := &Engine{Program: *p, runs: map[int32][]compile.Span{}}
	affine, _ := e.CountOf(op.Affine)
	for i := int32(0); i < int32(e.Len()) && (affine > 0 || e.HasCalls()); i++ {
		if c := e.CallAt(i); c != nil {
			e.mostArgs = max(e.mostArgs, len(c.Args))
			e.calls = e.calls || c.Repeated == nil
		}
		e.noteRuns(i)
	}
	e.pool.New = func() any { return e.newWorkspace() }
	return e
}

// SectionLanes is how many lanes of a batch a section has: with MaxDirections directions,
// what a few batches compute fits into the second-level cache. It is an odd number of
// cache lines, since arrays a multiple of 4 KiB apart would stall each other, see
// directions.
const SectionLanes = 43 * 8

// sections is the program as second-order sweeps go through it.
func (e *Engine) sections() *compile.Sections {
	if s := e.cut.Load(); s != nil {
		return s
	}
	e.cutting.Do(func() { e.cut.Store(e.Sections(SectionLanes)) })
	return e.cut.Load()
}

// Bytes is the memory that the program takes, without what the primitives of a user hold.
func (e *Engine) Bytes() int {
	k := e.Program.Bytes()
	for _, runs := range e.runs {
		k += tape.BytesOf(runs)
	}
	if s := e.cut.Load(); s != nil {
		k += s.Bytes()
	}
	return k
}

// Workspace is the memory of evaluations of one program, by one goroutine at a time.
type Workspace struct {
	e *Engine

	// By node: values and adjoints.
	v, bar []float64
	// By direction, then by node or place: tangents and second-order adjoints. VJP keeps
	// adjoints in u.
	t, u  [][]float64
	parts []float64 // partials that Linearize keeps, see stored

	careful bool         // the sweep uses derivative products, see carefully
	team    []*Workspace // of the other goroutines that share its sweeps, see Team

	// By direction, a call has been given adjoints that are not finite, see carefully.
	hidden [MaxDirections]bool

	// What the sweep may leave out, see span.go.
	seeded  compile.Span                // inputs that have a tangent in some direction
	support [MaxDirections]compile.Span // by direction, inputs that have a tangent in it
	wanted  compile.Span                // inputs whose adjoints are read

	series polynomials // see taylor.go

	// Other buffers.
	call      callBuffers
	scratch   [6][compile.Block]float64 // operands of a block of lanes
	cotangent []float64
	outputs   []float64
	again     [2][MaxDirections][]float64 // directions that are swept carefully
	one       [1][]float64                // bar, for sweeps that take several adjoints
}

// Values is the values of all nodes, after Value. It is not to be written, nor are
// the other results, and the next sweep changes it.
func (ws *Workspace) Values() []float64 { return ws.v }

// Output is the value of output j.
func (ws *Workspace) Output(j int) float64 { return ws.v[ws.e.Output(j)] }

// OutputTangent is the tangent of output j in direction s, after JVP.
func (ws *Workspace) OutputTangent(s, j int) float64 { return ws.t[s][ws.e.Output(j)] }

// Adjoints is the adjoints of all nodes, after Gradient or Linearize. The first
// Inputs() of them are the gradient.
func (ws *Workspace) Adjoints() []float64 { return ws.bar }

// Product is the product of direction s, Inputs() numbers, after VJP or HVP.
func (ws *Workspace) Product(s int) []float64 { return ws.u[s][:ws.e.Inputs()] }

// MaxDirections is how many directions one sweep carries at most.
const MaxDirections = 8

func (e *Engine) newWorkspace() *Workspace {
	ws := &Workspace{e: e, v: make([]float64, e.Len())}
	copy(ws.v[e.Inputs()+e.Params():], e.Consts())
	return ws
}

// Get hands out a workspace; Put takes it back.
func (e *Engine) Get() *Workspace { return e.pool.Get().(*Workspace) }

// Put takes a workspace back.
func (e *Engine) Put(ws *Workspace) { e.pool.Put(ws) }

// Bytes is the memory that the workspace takes.
func (ws *Workspace) Bytes() int {
	k := int(unsafe.Sizeof(*ws)) + tape.BytesOf(ws.v) + tape.BytesOf(ws.bar) + tape.BytesOf(ws.parts) +
		tape.BytesOf(ws.cotangent) + tape.BytesOf(ws.outputs) + tape.BytesOf(ws.t) + tape.BytesOf(ws.u)
	for _, x := range [...][][]float64{ws.t, ws.u} {
		for _, x := range x {
			k += tape.BytesOf(x)
		}
	}
	return k
}

func grow(x *[]float64, n int) []float64 {
	if *x == nil {
		*x = make([]float64, n)
	}
	return *x
}

// directions is k arrays of n numbers, for tangents or, with second, for adjoints, in *x,
// which keeps them for the next call.
//
// If the addresses of a load and of a store just before it differ by a multiple of 4 KiB, a
// processor takes the load for one of what was stored, and waits. Arrays that are walked
// together are therefore an odd multiple of 4 cache lines apart. 4 KiB is 64 lines, so of
// sixteen such arrays no two are closer than 4 lines modulo 4 KiB.
func directions(x *[][]float64, k, n int, second bool) [][]float64 {
	if len(*x) >= k && !slices.ContainsFunc((*x)[:k], func(x []float64) bool { return len(x) < n }) {
		return (*x)[:k]
	}
	for _, x := range *x {
		n = max(n, len(x))
	}
	const page = 4096 / 8
	stride, lead := (n+31)/64*64+32, 0
	all := max(k, len(*x))
	if second && all*stride >= 8*page { // a block so large begins where a page does
		lead = page / 2
	}
	block := make([]float64, lead+all*stride)[lead:]
	*x = (*x)[:0]
	for range all {
		*x = append(*x, block[:n:n])
		block = block[stride:]
	}
	return (*x)[:k]
}

// finite reports whether no element is an infinity or a NaN.
func finite(x []float64) bool {
	if t := lane.Total(x); t-t == 0 {
		return true
	}
	for _, v := range x { // the total may be infinite though they are not
		if v-v != 0 {
			return false
		}
	}
	return true
}

// prod is a·b; in a careful sweep it is the derivative product, 0 if one factor is 0.
func (ws *Workspace) prod(a, b float64) float64 {
	p := a * b
	if p != p && ws.careful && (a == 0 || b == 0) {
		return 0
	}
	return p
}

// zero clears the elements of x in spans.
func zero(x []float64, spans []compile.Span) {
	for _, s := range spans {
		clear(x[s.Lo:s.Hi])
	}
}
