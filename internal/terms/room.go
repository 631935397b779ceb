package terms

import "sync"

// rooms are memory for the numbers that a stage of preparation needs while it runs. The
// next one gets the same: to touch memory for the first time takes longer than what is
// done with it.
var rooms = sync.Pool{New: func() any { return new([]int32) }}

// room is n numbers, which are not 0 as a rule; leave takes them back.
func room(n int) *[]int32 {
	r := rooms.Get().(*[]int32)
	if cap(*r) < n {
		*r = make([]int32, n)
	}
	*r = (*r)[:n]
	return r
}

func leave(r *[]int32) { rooms.Put(r) }
