package sweep

import (
	"sync"
	"sync/atomic"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/tape"
)

// Function is a tape and the engine that evaluates it. The engine of a large tape is made
// when it is first asked for, since sums of alike terms are evaluated without. It is safe
// for concurrent use.
type Function struct {
	inputs, params, outputs int

	once     sync.Once
	tape     atomic.Pointer[tape.Tape]
	engine   *Engine
	arranged atomic.Bool
}

// eager is up to how many operations the engine of a tape is made at once.
const eager = 1024

// NewFunction is the function of a tape that is in the order in which it was recorded.
func NewFunction(t *tape.Tape) *Function {
	f := newFunction(t)
	if t.Ops() <= eager {
		f.Engine()
	}
	return f
}

func newFunction(t *tape.Tape) *Function {
	f := &Function{inputs: t.Inputs(), params: t.Params(), outputs: t.Outputs()}
	f.tape.Store(t)
	return f
}

// Function is the function that e evaluates.
func (e *Engine) Function() *Function {
	f := newFunction(&e.Tape)
	f.once.Do(func() { f.engine = e })
	return f
}

// NodeByNode is f with an engine that needs no arrangement: it goes over the nodes one by one.
func (f *Function) NodeByNode() *Function { return New(compile.NodeByNode(f.Tape())).Function() }

// Arranged reports whether the engine has been made.
func (f *Function) Arranged() bool { return f.arranged.Load() }

// Inputs is how many inputs there are that are differentiated.
func (f *Function) Inputs() int { return f.inputs }

// Params is how many parameters there are.
func (f *Function) Params() int { return f.params }

// Outputs is how many outputs there are.
func (f *Function) Outputs() int { return f.outputs }

// Engine is the engine. Cost: that of compile.Arrange, once.
func (f *Function) Engine() *Engine {
	f.once.Do(func() {
		f.engine = New(compile.Arrange(f.tape.Load()))
		f.tape.Store(&f.engine.Tape)
		f.arranged.Store(true)
	})
	return f.engine
}

// Tape is the tape: that of the engine, if there is one, else as it was recorded. They
// differ in the order of their operations alone.
func (f *Function) Tape() *tape.Tape { return f.tape.Load() }
