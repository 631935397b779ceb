package code

// run runs steps none of whose lines leaves.
func (s *stepping) run() { runSteps(s) }

// segment is segmentGo.
func segment(lines []line, r []float64) int { return runSegment(&lines[0], &r[0]) }

//go:noescape
func runSteps(s *stepping)

//go:noescape
func runSegment(first *line, r *float64) (ran int)
