package sweep

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/lane"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Engine sweeps over a program, with working memory from a pool.
type Engine struct {
	compile.Program
	mostArgs int                      // of a call
	calls    bool                     // there is one that may fail
	runs     map[int32][]compile.Span // of Affine nodes: what is in a row of a long list
	pool     sync.Pool

	cutting sync.Once
	cut     atomic.Pointer[compile.Sections] // for second-order sweeps, made when there is one

	gradients atomic.Int32 // how many there were, at most stripsFrom
	stripping sync.Once
	strips    atomic.Pointer[compile.Strips]
}

// New returns an engine for a program.
func New(p *compile.Program) *Engine {
	e := &Engine{Program: *p, runs: map[int32][]compile.Span{}}
	for i := range int32(e.Len()) {
		if c := e.CallAt(i); c != nil {
			e.mostArgs = max(e.mostArgs, len(c.Args))
			e.calls = e.calls || c.Repeated == nil
		}
		e.noteRuns(i)
	}
	e.pool.New = func() any { return e.newWorkspace() }
	return e
}

// SectionLanes is how many lanes a section of a program has in a second-order sweep: with
// MaxDirections directions, what a few batches compute fits into the second-level
// cache. It is an odd number of lines of the cache, since arrays a multiple of 4 KiB
// apart would stall each other.
const SectionLanes = 43 * 8

// sections is what second-order sweeps go through.
func (e *Engine) sections() *compile.Sections {
	if s := e.cut.Load(); s != nil {
		return s
	}
	e.cutting.Do(func() { e.cut.Store(e.Sections(SectionLanes)) })
	return e.cut.Load()
}

// Bytes is the memory that the program takes, but for what a user's primitives hold.
func (e *Engine) Bytes() int {
	k := e.Program.Bytes()
	for _, runs := range e.runs {
		k += tape.BytesOf(runs)
	}
	if s := e.cut.Load(); s != nil {
		k += s.Bytes()
	}
	if r := e.strips.Load(); r != nil {
		k += r.Bytes()
	}
	return k
}

// Workspace is the memory of evaluations of one program, by one goroutine at a
// time. Values and adjoints are node by node; t[s] and u[s] are the tangents
// and the second-order adjoints of direction s.
type Workspace struct {
	e             *Engine
	v, bar        []float64
	t, u          [][]float64
	parts         []float64
	call          callBuffers
	scratch       [6][compile.Block]float64
	strip         []float64 // values and adjoints of one
	stripParts    []float64
	stripProducts []float64 // of its rows with all colors
	apart         []float64 // what strips keep apart
	careful       bool
	hidden        bool                        // a call has got adjoints that are not finite, see carefully
	team          []*Workspace                // of the goroutines that share its sweeps, see Team
	seeded        compile.Span                // inputs that may have a tangent
	support       [MaxDirections]compile.Span // in each direction
	wanted        compile.Span                // inputs whose second-order adjoints are read

	compressing compressing // that strips are part of

	cotangent []float64
	outputs   []float64
	one       [1][]float64
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
	k := int(unsafe.Sizeof(*ws)) + tape.BytesOf(ws.v) + tape.BytesOf(ws.strip) + tape.BytesOf(ws.stripParts) + tape.BytesOf(ws.apart) + tape.BytesOf(ws.stripProducts) + tape.BytesOf(ws.bar) + tape.BytesOf(ws.parts) +
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

// directions is k arrays of n numbers, for tangents or, with second, for adjoints.
//
// A processor takes a load for one of what was just stored if their addresses differ by a
// multiple of 4 KiB, and waits. Arrays that are walked together are therefore 4 lines of
// the cache times an odd number apart: modulo 64 lines, no two of sixteen are within 4.
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

// prod is a·b, in a careful sweep the derivative product. Only there may it
// hide a factor that is not finite, see carefully.
func (ws *Workspace) prod(a, b float64) float64 {
	p := a * b
	if p != p && ws.careful && (a == 0 || b == 0) {
		return 0
	}
	return p
}

// zero clears what a reverse sweep must find 0.
func zero(x []float64, spans []compile.Span) {
	for _, s := range spans {
		clear(x[s.Lo:s.Hi])
	}
}
