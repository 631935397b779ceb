package newton

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/floats"
)

// logger tells Settings.Log and Settings.Each of iterations.
type logger struct {
	w     io.Writer
	each  func(*Iteration)
	lines int
	it    Iteration
}

const (
	logHead   = "iter        objective   primal     dual    log μ     step    shift   α dual        α  trials\n"
	trustHead = "iter        objective gradient     step    shift   radius\n"
)

// line writes the line of l.it, after a head now and then, and calls each.
func (l *logger) line() {
	if l.w != nil {
		it, mark := &l.it, ' '
		head := logHead
		if it.Radius > 0 {
			head = trustHead
		}
		if l.lines%20 == 0 {
			fmt.Fprint(l.w, head)
		}
		l.lines++
		if it.Restoration {
			mark = 'r'
		}
		shift := "      – "
		if it.Shift > 0 {
			shift = fmt.Sprintf("%8.1e", it.Shift)
		}
		logMu := "     – "
		if it.Mu > 0 {
			logMu = fmt.Sprintf("%7.1f", math.Log10(it.Mu))
		}
		if it.Radius > 0 {
			fmt.Fprintf(l.w, "%4d  %15.8e %8.2e %8.1e %s %8.1e\n", it.Number, it.F, it.Dual, it.Step, shift, it.Radius)
		} else {
			fmt.Fprintf(l.w, "%4d%c %15.8e %8.2e %8.2e  %s %8.1e %s %8.1e %8.1e %6d\n",
				it.Number, mark, it.F, it.Primal, it.Dual, logMu, it.Step, shift, it.DualAlpha, it.Alpha, it.Trials)
		}
	}
	if l.each != nil {
		l.each(&l.it)
	}
}

// inform tells of the point just reached.
func (s *solver) inform() {
	if s.w == nil && s.each == nil {
		return
	}
	e, _ := s.errors(0)
	s.it = Iteration{
		Number: s.r.Iterations, X: s.at.v[:s.n], F: s.at.given, Errors: e, Mu: s.mu,
		Step: floats.Norm(s.step.v, math.Inf(1)), Shift: s.shift,
		Alpha: s.alpha, DualAlpha: s.dualAlpha, Trials: s.trials, Restoration: s.inner,
	}
	s.line()
}
