package main

import (
	"runtime"
	"slices"
	"time"
)

// A clock says how long is measured. Functions are timed in rounds, one turn
// each a round, so that a machine that slows down slows all of them down.
type clock struct {
	turn   time.Duration // what a turn takes at least: a quick function is called many times
	rounds int           // how many rounds there are at least
	budget time.Duration // further rounds are begun until so much time is over
}

var (
	thorough = clock{turn: 3 * time.Millisecond, rounds: 5, budget: 60 * time.Millisecond}
	quick    = clock{turn: time.Millisecond, rounds: 5}
)

// A sample is what was measured of a function.
type sample struct {
	seconds []float64 // of a call, round by round
	allocs  uint64    // of a call
	bytes   uint64    // allocated by a call
}

// measure times functions together: their samples have the same rounds. A nil
// function is left out and its sample empty.
func (c clock) measure(fs ...func()) []sample {
	samples := make([]sample, len(fs))
	calls := make([]int, len(fs))
	for i, f := range fs {
		if f != nil {
			calls[i] = c.warmUp(f, &samples[i])
		}
	}
	start := time.Now()
	for r := 0; r < c.rounds || time.Since(start) < c.budget; r++ {
		for i, f := range fs {
			if f != nil {
				s := &samples[i].seconds
				*s = append(*s, timed(f, calls[i]).Seconds()/float64(calls[i]))
			}
		}
	}
	return samples
}

// warmUp finds how many calls make a turn, and counts what they allocate: on one
// processor, each of which has its own pool of workspaces, and after a
// collection, since one in between would empty it.
func (c clock) warmUp(f func(), s *sample) (calls int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	runtime.GC()
	for range 2 { // the second product makes what all further ones use
		f()
	}
	var before, after runtime.MemStats
	for calls = 1; ; {
		runtime.ReadMemStats(&before)
		d := timed(f, calls)
		runtime.ReadMemStats(&after)
		if d >= c.turn {
			s.allocs = (after.Mallocs - before.Mallocs) / uint64(calls)
			s.bytes = (after.TotalAlloc - before.TotalAlloc) / uint64(calls)
			return calls
		}
		calls = min(100*calls, int(1.2*float64(calls)*float64(c.turn)/float64(max(d, 1)))+1)
	}
}

func timed(f func(), calls int) time.Duration {
	start := time.Now()
	for range calls {
		f()
	}
	return time.Since(start)
}

// time is the median time of a call.
func (s sample) time() float64 { return median(slices.Clone(s.seconds)) }

// best is the shortest time of a call, which what else the machine does touches
// least: for plots, where times stand for themselves.
func (s sample) best() float64 { return slices.Min(s.seconds) }

// ratio is the median of s in units of u, round by round.
func (s sample) ratio(u sample) float64 {
	r := make([]float64, len(s.seconds))
	for i, t := range s.seconds {
		r[i] = t / u.seconds[i]
	}
	return median(r)
}

// less is s without the time of t, which is a part of it.
func (s sample) less(t sample) sample {
	d := slices.Clone(s.seconds)
	for i := range d {
		d[i] -= t.seconds[i]
	}
	return sample{seconds: d}
}

// per is s where a call does k things at once.
func (s sample) per(k int) sample {
	d := slices.Clone(s.seconds)
	for i := range d {
		d[i] /= float64(k)
	}
	s.seconds = d
	return s
}

// median reorders x, which must not be empty.
func median(x []float64) float64 {
	slices.Sort(x)
	k := len(x) / 2
	if len(x)%2 == 1 {
		return x[k]
	}
	return (x[k-1] + x[k]) / 2
}
