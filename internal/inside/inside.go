// Package inside lets the packages of this module reach the program of a
// *reverse.Tape, which is no part of what users see. A tape is passed as any,
// since package reverse, which sets the functions when it is initialized,
// imports this package.
package inside

import (
	"io"

	"github.com/hesse-ad/hesse/internal/source"
	"github.com/hesse-ad/hesse/internal/straight"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

var (
	// Apply is reverse.Apply on x, []reverse.Var, of a primitive whose patterns are
	// right: they are not asked for.
	Apply func(f tape.Func, x any) any
	// Program is the compiled form of tape.
	Program func(tape any) *sweep.Engine
	// Function is what is to be compiled of tape.
	Function func(tape any) *sweep.Function
	// Recorded is the parameters with which tape was recorded, at Point.
	Recorded func(tape any) []float64
	// Split is the inputs and the parameters of a point of tape. It panics if
	// x has a wrong length.
	Split func(tape any, x []float64) (in, params []float64)
	// Branch is the *reverse.BranchError of e.
	Branch func(e *tape.BranchError) error
	// Begin evaluates tape at x: a workspace with the values, which the caller
	// gives back to the program.
	Begin func(tape any, x []float64) (*sweep.Workspace, error)
	// WriteGo writes what write prints, as settings say, a reverse.GoSource.
	WriteGo func(w io.Writer, settings any, write func(f *source.File, s straight.Settings, functions []straight.Function) error) error
)

// Sweep evaluates tape at x and hands f a workspace with the values. It is no
// variable, since what is passed to one goes to the heap.
func Sweep(tape any, x []float64, f func(p *sweep.Engine, ws *sweep.Workspace) error) error {
	ws, err := Begin(tape, x)
	if err != nil {
		return err
	}
	p := Program(tape)
	err = f(p, ws)
	p.Put(ws)
	return err
}
