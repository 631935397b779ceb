package scan

import "slices"

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
//
// Where it shows only on the way which step is the last, records are put down
// online: one more is kept, and another one given up for it, if that makes the way
// back from here no longer. Any online schedule advances more records than t for
// some lengths (Stumm and Walther, New algorithms for optimal online checkpointing,
// SIAM J. Sci. Comput. 32, 2010); this one a third more at most, where there are few
// steps, and mostly 1 to 3 percent.
type history struct {
	size  int       // of a record
	room  int       // how many are kept, 0 for all
	slots []float64 // their memory
	kept  int       // if all are kept: those of the steps 0 … kept−1 are, in this order

	at    []int     // otherwise: of which steps there are, ascending
	place []int     // in which slots, the free ones last
	work  []float64 // one more, of step now
	now   int
	spare []float64
}

// start makes room for as many records of the given size as are to be kept of so
// many steps, and puts that of step 0 in place.
func (h *history) start(size, room, steps int, first []float64) {
	if room >= steps {
		room = 0
	}
	h.reset(size, room, first)
	if room == 0 {
		h.grow(steps)
	}
}

// atOnce is how many steps are asked for where it shows on the way how many there are.
const atOnce = 256

func (h *history) reset(size, room int, first []float64) {
	h.size, h.room = size, room
	h.work, h.spare = resized(h.work, size), resized(h.spare, size)
	h.now = -1
	h.grow(max(room, 1))
	h.place = h.place[:0]
	for i := range room {
		h.place = append(h.place, i)
	}
	h.at, h.kept = append(h.at[:0], 0), 1
	copy(h.slot(0), first)
}

// grow has memory for n records.
func (h *history) grow(n int) {
	if len(h.slots) < n*h.size {
		h.slots = slices.Grow(h.slots, n*h.size-len(h.slots))
		h.slots = h.slots[:cap(h.slots)]
	}
}

func (h *history) slot(i int) []float64 { return h.slots[i*h.size:][:h.size] }

// rows is the slots from i to before j.
func (h *history) rows(i, j int) []float64 { return h.slots[i*h.size : j*h.size] }

// advance goes from r, the record of step k, over at most n steps, at least one if the
// loop does not end before step k, and returns over how many. It sets dst, which may be
// r, to the record that it comes to, or if there is room to those after each step.
type advance func(k, n int, dst, r []float64) (done int, err error)

// record is the record of step k, not to be changed. Steps must be asked for from
// the last to the first.
func (h *history) record(k int, next advance) ([]float64, error) {
	if h.now == k {
		return h.work, nil
	}
	if h.room == 0 {
		for h.kept <= k {
			done, err := next(h.kept-1, k+1-h.kept, h.rows(h.kept, k+1), h.slot(h.kept-1))
			if err != nil {
				return nil, err
			}
			h.kept += done
		}
		return h.slot(k), nil
	}
	top := len(h.at) - 1
	for h.at[top] > k {
		top--
	}
	h.at = h.at[:top+1]
	r := h.slot(h.place[top])
	if h.at[top] == k {
		return r, nil
	}
	h.now = h.at[top]
	for h.now < k {
		to := k
		if free := h.room - len(h.at); free > 0 {
			to = h.now + split(k+1-h.now, free+1)
		}
		for h.now < to {
			done, err := next(h.now, to-h.now, h.work, r)
			if err != nil {
				h.now = -1
				return nil, err
			}
			r = h.work
			h.now += done
		}
		if to < k {
			h.push(to, r)
		}
	}
	return h.work, nil
}

func (h *history) push(k int, r []float64) {
	h.at = append(h.at, k)
	copy(h.slot(h.place[len(h.at)-1]), r)
}

// whole reports whether the records of all steps are kept, so that they can be
// asked for again.
func (h *history) whole() bool { return h.room == 0 }

// forward goes from the first record to the last of at most so many steps, −1 being
// no bound, and returns how many there are and the last record.
func (h *history) forward(size, room, most int, first []float64, next advance) (steps int, last []float64, err error) {
	h.reset(size, room, first)
	if room == 0 {
		return h.keepAll(most, next)
	}
	copy(h.work, first)
	gap := 1
	for ; steps != most; steps++ {
		more, err := next(steps, 1, h.spare, h.work)
		if err != nil {
			return 0, nil, err
		}
		if more == 0 {
			break
		}
		if steps > 0 {
			for gap*gap <= steps/16 {
				gap++
			}
			h.keep(steps, gap)
		}
		h.work, h.spare = h.spare, h.work
	}
	// The record of the last step is there yet.
	h.work, h.spare = h.spare, h.work
	h.now = steps - 1
	return steps, h.spare, nil
}

// keepAll is forward with the records of all steps kept.
func (h *history) keepAll(most int, next advance) (steps int, last []float64, err error) {
	for steps != most {
		n := atOnce
		if most >= 0 {
			n = min(n, most-steps)
		}
		if (steps+n+1)*h.size > len(h.slots) {
			h.grow(max(2*steps, steps+n+1))
		}
		done, err := next(steps, n, h.rows(steps+1, steps+1+n), h.slot(steps))
		if err != nil {
			return 0, nil, err
		}
		if done == 0 {
			break
		}
		steps += done
	}
	h.kept = max(steps, 1)
	return steps, h.slot(steps), nil
}

// keep may put down the record of step k, which is at work, if there is one less
// recent than gap: to choose takes as long as some steps.
func (h *history) keep(k, gap int) {
	switch {
	case len(h.at) < h.room:
		h.push(k, h.work)
	case k-h.at[len(h.at)-1] >= gap:
		if i := h.leastLoss(k); i > 0 {
			slot, last := h.place[i], h.room-1
			copy(h.place[i:], h.place[i+1:])
			h.place[last] = slot
			h.at = slices.Delete(h.at, i, i+1)
			h.push(k, h.work)
		}
	}
}

// leastLoss is which of the records to give up for that of step k, so that the way
// back from there takes the fewest steps; 0 if it is better without that one.
func (h *history) leastLoss(k int) (at int) {
	c := len(h.at)
	next := func(i int) int {
		if i < c {
			return h.at[i]
		}
		return k
	}
	// From record i on, c−i of them are free when the steps up to the next one are
	// reversed, one more for those after what was given up.
	all, after := 0, 0
	for i := 1; i < c; i++ {
		l := next(i+1) - h.at[i]
		all += advances(l, c-i)
		after += advances(l, c-i+1)
	}
	all += advances(next(1), c)
	least, before := all, 0
	for i := 1; i < c; i++ {
		after -= advances(next(i+1)-h.at[i], c-i+1)
		n := before + advances(next(i+1)-h.at[i-1], c-i+1) + after
		if n < least || at == 0 && n == least {
			at, least = i, n
		}
		before += advances(h.at[i]-h.at[i-1], c-i+1)
	}
	return at
}

// repetitions is r with β(c, r−1) < l ≤ β(c, r), and β(c, r−1).
func repetitions(l, c int) (r, before int) {
	r, before = 1, 1
	for beta := c + 1; beta < l; beta = beta * (c + r) / r {
		r++
		before = beta
	}
	return r, before
}

// advances is t(l, c), how many records are advanced to reverse l steps of which the
// first record is there, with room for c.
func advances(l, c int) int {
	if l <= 1 {
		return 0
	}
	if c >= l {
		return l - 1
	}
	r, before := repetitions(l, c)
	return r*l - before*(c+r)/(c+1) // β(c+1, r−1) = β(c, r−1)·(c+r)/(c+1)
}

// split is how many of l > 1 steps go before the next of c checkpoints, the first
// being that from which the steps start.
func split(l, c int) int {
	switch {
	case c >= l:
		return 1
	case c == 1:
		return l - 1
	}
	// The steps before are evaluated once more, in r−1 sweeps at most; those after
	// have one checkpoint less.
	r, before := repetitions(l, c)
	after := before * c / (c + r - 1) // β(c−1, r−1)
	return max(1, min(before, l-after))
}
