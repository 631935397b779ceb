package sweep

import (
	"slices"
	"sync"
)

// MayFail reports whether a sweep after Value may return an error, since the program calls
// functions. Whoever makes a result by several sweeps then keeps it in a Room until all have
// succeeded, so that an error leaves the destination of the caller as it was.
func (e *Engine) MayFail() bool { return e.calls }

var rooms = sync.Pool{New: func() any { return new([]float64) }}

// Room is memory for n numbers; Leave takes it back.
func Room(n int) *[]float64 {
	p := rooms.Get().(*[]float64)
	*p = slices.Grow((*p)[:0], n)[:n]
	return p
}

// Leave takes back what Room handed out.
func Leave(room *[]float64) { rooms.Put(room) }
