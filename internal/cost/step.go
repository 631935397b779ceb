package cost

import "github.com/hesse-ad/hesse/internal/compile"

// Times of a step of a loop, in nanoseconds: of an operation as code on single numbers,
// and of a sweep, its lanes, nodes and batches. They are not those of long programs: a
// step is in the first-level cache, and the sweep has to get going each time.
const (
	stepLine  = 1.5
	stepRecur = 0.9 // in a block of steps
	stepSweep = 60
	stepLane  = 0.4
	stepNode  = 4.5
	stepBatch = 12
)

// IsSmall reports whether a step takes less time as code of so many operations than by a
// sweep of the work w.
func IsSmall(operations int, w compile.Work) bool {
	return stepLine*float64(operations) < Sweep(w)
}

// Sweep is the time of a sweep of the work w over a step.
func Sweep(w compile.Work) float64 {
	return stepSweep + float64(stepLane*float64(w.Lanes)) + float64(stepNode*float64(w.Nodes)) + float64(stepBatch*float64(w.Batches))
}

// Block is the time of a step in a block of some lanes: of lines that wait for the step before and
// of instructions that do not.
func Block(lines, instructions, lanes int) float64 {
	return float64(stepRecur*float64(lines)) + float64((times[Instruction]/float64(lanes)+times[Term])*float64(instructions))
}
