package scan

import (
	"math"

	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
)

// memory is a Loop with memory for its evaluations. It keeps the states of the
// last x, so that derivatives at the same x start from them.
type memory struct {
	*Loop
	inputs, outputs int // of a step, without the state
	ways            []way
	now             int // the way of the step that was run last

	position
	directed
	target
	stepMemory
	blockMemory
	curve curve

	states history // records [s]
	moving history // records [s; ṡ…] in several directions

	// Functions of m, made once since that allocates.
	advance, advanceMoving advance
	seed                   sweep.Seeds

	// Buffers.
	zeros      []float64    // inputs of a step that are nowhere in x
	again      [][]float64  // the directions that are done again with derivative products
	state      []float64    // the first record of moving
	values     []float64    // y, if only whether it is finite matters
	one        [1]float64   // 1
	oneX, oneY [1][]float64 // directions that are only one
}

// position is the point of an evaluation and what is known there.
type position struct {
	x       []float64
	point   int  // how many points there have been
	known   bool // states has the records at x
	checked bool // careful is known at x
	careful bool // some of y is not finite: derivatives take derivative products
	counted bool // steps is known at x
	steps   int  // T
}

// directed is what JVPs leaves to HVPs along the same directions: the records along its own,
// if there have been HVPs before.
type directed struct {
	seconds bool // there have been HVPs
	moved   bool // moving has the records along kept[:keptNow]
	kept    [][]float64
	keptNow int
}

// target is what a sweep over the steps adds to.
type target struct {
	sweeps int         // how many sweeps have begun
	span   int         // how many steps the next block may have, see worth
	y      []float64   // where outputs are added, nil if they are not wanted
	dx, dy [][]float64 // by direction: tangents of x, and where those of outputs are added
}

// stepMemory is the numbers of a step.
type stepMemory struct {
	local      numbers     // what it reads, with the adjoints of its results
	along      []numbers   // by direction, the tangents of local
	out, bar   []float64   // its results [next; out], and its adjoint [s̄; ū]
	outs, bars [][]float64 // by direction, the tangents of out and of bar
}

// blockMemory is a block, with its records of the state and its tangents, of the adjoint, and
// of the tangents of that.
type blockMemory struct {
	block                        block
	rows, lambdas, lambdasMoving []float64
}

// way is a recorded step with memory for its evaluations.
type way struct {
	*Step
	*workspaces
	calls   bool                           // it calls functions
	kernels [expr.Derivatives][]*evaluator // by derivative and number of directions
	runners [expr.Derivatives][]*runner    // likewise
	broken  failure                        // why it was not the way of a step
}

// numbers is the inputs [s; u; λ; ν] of a Lagrangian: what a step reads, args = [s; u], and
// the adjoints of what it returns, bar = [λ; ν].
type numbers struct{ all, s, u, lambda, nu, args, bar []float64 }

func newNumbers(state, inputs, outputs int) numbers {
	x := make([]float64, 2*state+inputs+outputs)
	at := state + inputs
	return numbers{x, x[:state], x[state:at], x[at : at+state], x[at+state:], x[:at], x[at:]}
}

func (l *Loop) open(others []op.Several) *memory {
	m := &memory{Loop: l, inputs: l.inputs(), outputs: l.outputs()}
	for _, s := range l.Steps {
		m.ways = append(m.ways, way{Step: s, workspaces: workspacesOf(s, others), calls: s.P.HasCalls()})
	}
	m.x = make([]float64, l.State+l.Rest)
	m.local = newNumbers(l.State, m.inputs, m.outputs)
	m.one[0] = 1
	m.zeros = make([]float64, m.inputs)
	m.out, m.bar = make([]float64, l.State+m.outputs), make([]float64, l.State+m.inputs)
	m.advance, m.advanceMoving = m.stepOn, m.moveOn
	m.seed = func(x []float64, s int) { copy(x, m.along[s].all) }
	return m
}

// workspaces is memory for sweeps over the program of a step and over its Lagrangian.
type workspaces struct {
	first, second *sweep.Workspace
	at            visit // whose values the first has, if the step is all of the loop
}

// visit is a point at which a loop is evaluated.
type visit struct {
	by    *memory
	point int
}

// workspacesOf is those of an equal step of other loops, if there is one.
func workspacesOf(s *Step, others []op.Several) *workspaces {
	for _, f := range others {
		if m, ok := f.(*memory); ok {
			for i := range m.ways {
				if m.ways[i].P == s.P {
					return m.ways[i].workspaces
				}
			}
		}
	}
	return &workspaces{}
}

// resized is n numbers in the memory of x, if there is room.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// same reports whether two vectors have the same bits.
func same(a, b []float64) bool {
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// load sets local, inputs of step k, to what its blocks have in x. It does so only for steady
// blocks, which are set once a sweep, or only for the others.
func load(local, x []float64, blocks []Block, k int, steady bool) {
	for i := range blocks {
		b := &blocks[i]
		if b.Steady() != steady {
			continue
		}
		dst := local[b.Local:][:b.N]
		if at := b.Place(k); at >= 0 {
			copy(dst, x[at:])
		} else {
			clear(dst)
		}
	}
}

// add adds local, outputs of step k, to what its blocks have in x.
func add(x, local []float64, blocks []Block, k int) {
	for i := range blocks {
		b := &blocks[i]
		at := b.Place(k)
		if at < 0 {
			continue
		}
		dst := x[at:][:b.N]
		for j, v := range local[b.Local:][:b.N] {
			dst[j] += v
		}
	}
}

// put sets dst to outputs.
func put(dst []float64, output func(j int) float64) {
	for j := range dst {
		dst[j] = output(j)
	}
}

// begin goes to the point x, of which nothing is known if it is another one than before.
func (m *memory) begin(x []float64) {
	if m.point > 0 && same(m.x, x) {
		return
	}
	m.known, m.checked, m.counted, m.moved = false, false, false, false
	m.point++
	copy(m.x, x)
	load(m.local.u, m.x[m.State:], m.In, 0, true)
	if !m.Ends {
		m.counted, m.steps = true, m.Count
	}
}
