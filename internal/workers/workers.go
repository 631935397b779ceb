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
	ends := make([]End, n)
	var group sync.WaitGroup
	for i := range n {
		if i < n-1 {
			group.Go(func() { ends[i].Call(func() { f(i) }) })
		} else {
			ends[i].Call(func() { f(i) })
		}
	}
	group.Wait()
	for i := range ends {
		ends[i].Repeat()
	}
}

// End is how a call ended: by its return, a panic or runtime.Goexit.
type End struct {
	returned bool
	panicked any // never nil after a panic: panic(nil) is a *runtime.PanicNilError
}

// Call calls f, notes how that ended, and recovers from a panic.
func (e *End) Call(f func()) {
	*e = End{}
	defer func() {
		if !e.returned {
			e.panicked = recover()
		}
	}()
	f()
	e.returned = true
}

// Repeat panics or ends the goroutine as the call did, if it did.
func (e *End) Repeat() {
	switch {
	case e.returned:
	case e.panicked != nil:
		panic(e.panicked)
	default:
		runtime.Goexit()
	}
}
