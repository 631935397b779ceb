package scan

import "slices"

// history holds the records of some steps of a loop, the checkpoints, from which those of
// all steps are had from the last to the first. A record is what a step starts from: the
// state, and in a sweep of second order its tangents.
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
// Where the number of steps is known only after the last one, checkpoints are set online:
// when all room is taken, a step becomes one in place of another if reversing the steps so
// far then takes no longer. Any online schedule advances more records than t for
// some lengths (Stumm and Walther, New algorithms for optimal online checkpointing,
// SIAM J. Sci. Comput. 32, 2010); this one at most a third more, where there are few
// steps, and mostly 1 to 3 percent.
type history struct {
	size  int       // of a record
	room  int       // how many records are kept, 0 for all
	slots []float64 // the memory of the records, slot by slot

	kept int // room = 0: slot k has the record of step k, for k < kept

	// room > 0:
	at    []int     // the steps that have checkpoints, ascending
	place []int     // place[i] is the slot of at[i]; the free slots follow
	work  []float64 // the record of step now, besides the checkpoints
	now   int       // −1 if there is none
	spare []float64 // memory for one more record
}

// start makes room for the records of the given number of steps, room of which are kept, and
// stores that of step 0.
func (h *history) start(size, room, steps int, first []float64) {
	if room >= steps {
		room = 0
	}
	h.reset(size, room, first)
	if room == 0 {
		h.grow(steps)
	}
}

// atOnce is how many steps are asked for at a time if their number is not known.
const atOnce = 256

// reset forgets all records and stores that of step 0.
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

// grow makes memory for n records.
func (h *history) grow(n int) {
	if len(h.slots) < n*h.size {
		h.slots = slices.Grow(h.slots, n*h.size-len(h.slots))
		h.slots = h.slots[:cap(h.slots)]
	}
}

func (h *history) slot(i int) []float64 { return h.slots[i*h.size:][:h.size] }

// rows is the slots from i to before j.
func (h *history) rows(i, j int) []float64 { return h.slots[i*h.size : j*h.size] }

// advance goes on from r, the record of step k, over at most n steps, and returns over how
// many: 0 only if the loop ends before step k. It sets dst, which may be r, to the record
// after these steps; if dst has room for n records, to those after each of them.
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

// push makes r, the record of step k, a checkpoint. There must be a free slot.
func (h *history) push(k int, r []float64) {
	h.at = append(h.at, k)
	copy(h.slot(h.place[len(h.at)-1]), r)
}

// whole reports whether the records of all steps are kept, so that they can be asked for
// more than once.
func (h *history) whole() bool { return h.room == 0 }

// forward goes over all steps of a loop that finds its end itself, at most most, −1 being no
// bound, and sets checkpoints. It returns the number of steps and the record after the last.
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
	// The record of the last step, with which the way back begins, is still in spare.
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

// keep may make the record of step k, in work, a checkpoint. Once all room is taken it
// considers that only if the last checkpoint is at least gap steps ago, since to choose one
// to give up takes as long as some steps.
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

// leastLoss is the number of the checkpoint to give up for step k, such that reversing the
// steps up to k advances the fewest records; 0 if it is best to make step k none.
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

// repetitions is r with β(c, r−1) < l ≤ β(c, r), and β(c, r−1), for l > 1.
func repetitions(l, c int) (r, before int) {
	r, before = 1, 1
	for beta := c + 1; beta < l; beta = beta * (c + r) / r {
		r++
		before = beta
	}
	return r, before
}

// advances is t(l, c), how many records are advanced to reverse l steps with room for c
// records, of which that of the first step is there.
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

// split is after how many of l > 1 steps the next of c checkpoints is set; the first one is
// that from which the steps start.
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
