// Package workers runs a function on several goroutines, with panics that the
// caller can recover from.
package workers

import (
	"runtime"
	"sync"
)

// Do calls f(0), …, f(n−1) at once, the last one on the caller's goroutine, and
// returns when all have ended. If some panic, Do then panics with the value of
// the first of these; if one ended its goroutine by runtime.Goexit, Do ends the
// caller's. f(0) alone is a plain call.
func Do(n int, f func(i int)) {
	if n == 1 {
		f(0)
		return
	}
	ends := make([]end, n)
	var group sync.WaitGroup
	for i := range n {
		if i < n-1 {
			group.Go(func() { ends[i].of(f, i) })
		} else {
			ends[i].of(f, i)
		}
	}
	group.Wait()
	for i := range ends {
		switch e := &ends[i]; {
		case e.returned:
		case e.panicked != nil:
			panic(e.panicked)
		default:
			runtime.Goexit()
		}
	}
}

// end is how a call ended.
type end struct {
	returned bool
	panicked any // never nil: panic(nil) is a *runtime.PanicNilError
}

func (e *end) of(f func(i int), i int) {
	defer func() {
		if !e.returned {
			e.panicked = recover()
		}
	}()
	f(i)
	e.returned = true
}
