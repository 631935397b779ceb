package reverse

import (
	"fmt"

	"github.com/hesse-ad/hesse/internal/tape"
)

// BranchError says that a comparison came out otherwise than when the tape was
// recorded: the tape is not the function at that x. Evaluations return it as it
// is; one that is wrapped is the error of a primitive, which has a tape of its own.
type BranchError struct {
	// Op is the comparison: Less, LessEq or Value.
	Op string
	// X and Y are what was compared, at this evaluation.
	X, Y float64
	// Recorded is how the comparison came out when it was recorded.
	Recorded bool
	// File and Line say where it stands, if recorded with Recorder.Lines.
	File string
	Line int
}

func (e *BranchError) Error() string {
	where := " (Recorder.Lines tells where, a Func records each branch by itself)"
	if e.File != "" {
		where = fmt.Sprintf(" at %s:%d (a Func records each branch by itself)", e.File, e.Line)
	}
	if e.Op == tape.ValueRead.String() {
		return fmt.Sprintf("reverse: the recording holds for the value %v alone, now it is %v%s", e.Y, e.X, where)
	}
	return fmt.Sprintf("reverse: %s(%v, %v) was %v when recorded%s", e.Op, e.X, e.Y, e.Recorded, where)
}

func branchError(g *tape.Guard, v []float64) *BranchError {
	e := &BranchError{Op: g.Kind.String(), X: v[g.A], Y: g.C, Recorded: g.Outcome}
	switch g.Kind {
	case tape.Less, tape.LessEq:
		e.Y = v[g.B]
	case tape.GreaterReal, tape.GreaterEqReal:
		e.X, e.Y = e.Y, e.X
	}
	e.File, e.Line = position(g.PC)
	return e
}
