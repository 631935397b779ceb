//go:build !amd64

package code

func (s *stepping) run() { s.runGo() }

func segment(lines []line, r []float64) int { return segmentGo(lines, r) }
