package scan

// history holds the records of some steps of a loop, by which those of all steps
// can be had from the last to the first. A record is what a step starts from: the
// state, and maybe its tangents.
//
// With room for c records the records between are computed again by the optimal
// schedule of Griewank and Walther (Revolve: an implementation of checkpointing
// for the reverse or adjoint mode of computational differentiation, ACM TOMS 26,
// 2000): for l steps it advances
//
//	t(l, c) = r·l − β(c+1, r−1),  β(c, r) = (c+r)!/(c! r!),  β(c, r−1) < l ≤ β(c, r),
//
// records in all, each at most r times.
type history struct {
	size  int       // of a record
	room  int       // how many are kept
	slots []float64 // their memory
	at    []int     // whose they are, ascending
	work  []float64 // one more, of step workAt
	now   int
}

// start makes room for as many records of the given size as are to be kept of so
// many steps, and puts that of step 0 in place.
func (h *history) start(size, room, steps int, first []float64) {
	if room == 0 || room > steps {
		room = max(steps, 1)
	}
	h.size, h.room = size, room
	if len(h.slots) < size*room {
		h.slots = make([]float64, size*room)
	}
	h.work = resized(h.work, size)
	if cap(h.at) < room {
		h.at = make([]int, 0, room)
	}
	h.at = append(h.at[:0], 0)
	h.now = -1
	copy(h.slot(0), first)
}

func (h *history) slot(i int) []float64 { return h.slots[i*h.size:][:h.size] }

// record is the record of step k, not to be changed. Steps must be asked for from
// the last to the first. advance makes the record of step k that of step k+1.
func (h *history) record(k int, advance func(k int, r []float64) error) ([]float64, error) {
	if h.now == k {
		return h.work, nil
	}
	top := min(len(h.at)-1, k) // where it is if all are kept
	for h.at[top] > k {
		top--
	}
	if h.at[top] == k {
		return h.slot(top), nil
	}
	h.at = h.at[:top+1]
	copy(h.work, h.slot(top))
	h.now = h.at[top]
	for h.now < k {
		next := k
		if free := h.room - len(h.at); free > 0 {
			next = h.now + split(k+1-h.now, free+1)
		}
		for h.now < next {
			if err := advance(h.now, h.work); err != nil {
				h.now = -1
				return nil, err
			}
			h.now++
		}
		if next < k {
			h.at = append(h.at, next)
			copy(h.slot(len(h.at)-1), h.work)
		}
	}
	return h.work, nil
}

// whole reports whether the records of all steps are kept, so that they can be
// asked for again.
func (h *history) whole(steps int) bool { return h.room >= steps }

// split is how many of l > 1 steps go before the next of c checkpoints, the first
// being that from which the steps start.
func split(l, c int) int {
	switch {
	case c >= l:
		return 1
	case c == 1:
		return l - 1
	}
	// β(c, r−1) < l ≤ β(c, r)
	r, beta, before := 1, c+1, 1 // β(c, r), β(c, r−1)
	for beta < l {
		r++
		before, beta = beta, beta*(c+r)/r
	}
	// The steps before are evaluated once more, in r−1 sweeps at most; those after
	// have one checkpoint less.
	after := before * c / (c + r - 1) // β(c−1, r−1)
	return max(1, min(before, l-after))
}
