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
	// Steps says in which step of a Scan it stands, if it stands in one, or of
	// several, the outermost first.
	Steps []int
	// File and Line say where it stands, if recorded with Recorder.Lines.
	File string
	Line int
}

func (e *BranchError) Error() string {
	where := " (Recorder.Lines tells where, a Func records each branch by itself)"
	if e.File != "" {
		where = fmt.Sprintf(" at %s:%d (a Func records each branch by itself)", e.File, e.Line)
	}
	where = inSteps(e.Steps) + where
	if e.Op == tape.ValueRead.String() {
		return fmt.Sprintf("reverse: the recording holds for the value %v alone, now it is %v%s", e.Y, e.X, where)
	}
	return fmt.Sprintf("reverse: %s(%v, %v) was %v when recorded%s", e.Op, e.X, e.Y, e.Recorded, where)
}

// branchError is e, which is that of a comparison on the tape or in the step of a
// loop.
func branchError(e *tape.BranchError) *BranchError {
	b := &BranchError{Op: e.Guard.Kind.String(), X: e.X, Y: e.Y, Recorded: e.Guard.Outcome, Steps: e.Steps}
	b.File, b.Line = position(e.Guard.PC)
	return b
}
