package code

// run runs steps none of whose lines leaves.
func (s *stepping) run() { runSteps(s) }

// segment is segmentGo.
func segment(lines []line, r *registers) int { return runSegment(&lines[0], r) }

//go:noescape
func runSteps(s *stepping)

//go:noescape
func runSegment(first *line, r *registers) (ran int)
