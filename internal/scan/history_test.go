package scan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The optimum by its recursion: the steps before the next checkpoint are advanced
// once, then those after it are reversed with a checkpoint less, then those
// before. Griewank and Walther 2000, section 2. Choose says how many go before.
func recursion(steps, checkpoints int, choose func(t [][]int, c, l int) int) [][]int {
	t := make([][]int, checkpoints+1)
	for c := range t {
		t[c] = make([]int, steps+1)
	}
	for c := 1; c <= checkpoints; c++ {
		for l := 2; l <= steps; l++ {
			if c == 1 {
				t[c][l] = l * (l - 1) / 2
				continue
			}
			j := choose(t, c, l)
			t[c][l] = j + t[c-1][l-j] + t[c][j]
		}
	}
	return t
}

func best(t [][]int, c, l int) (at int) {
	least := 0
	for j := 1; j < l; j++ {
		if n := j + t[c-1][l-j] + t[c][j]; at == 0 || n < least {
			at, least = j, n
		}
	}
	return at
}

func TestScheduleIsTheBinomialOptimum(t *testing.T) {
	const steps, checkpoints = 2000, 12
	want := recursion(steps, checkpoints, best)
	got := recursion(steps, checkpoints, func(_ [][]int, c, l int) int { return split(l, c) })
	require.Equal(t, want, got)
	for c := 1; c <= checkpoints; c++ {
		var h history
		for l := 1; l <= steps; l++ {
			n := counter{t: t}
			h.start(1, c, l, []float64{0})
			n.back(&h, c, l)
			if n.advanced != want[c][l] || advances(l, c) != want[c][l] {
				t.Fatalf("%d checkpoints, %d steps: %d advanced, want %d", c, l, n.advanced, want[c][l])
			}
		}
	}
}

// counter is a loop whose record of step k is k, and counts the steps.
type counter struct {
	t        *testing.T
	end      int // the last record, if there is one
	advanced int
}

func (n *counter) advance(k, steps int, dst, r []float64) (done int, err error) {
	if n.end > 0 {
		steps = min(steps, n.end-k)
	}
	if r[0] != float64(k) {
		n.t.Fatalf("step %d advanced from the record of %v", k, r[0])
	}
	if len(dst) == 1 {
		if steps > 0 {
			dst[0] = r[0] + float64(steps)
		}
	} else {
		steps = min(steps, 1+k%7) // not all that may be
		for i := range steps {
			dst[i] = float64(k + 1 + i)
		}
	}
	n.advanced += steps
	return steps, nil
}

// back asks for the records of l steps from the last to the first.
func (n *counter) back(h *history, c, l int) {
	for k := l - 1; k >= 0; k-- {
		r, err := h.record(k, n.advance)
		if err != nil || r[0] != float64(k) || c > 0 && len(h.at) > c {
			n.t.Fatalf("record %v for step %d, %d kept", r[0], k, len(h.at))
		}
	}
}

// Without knowing the number of steps it takes a third more of them at most, and on
// average over the lengths 5 percent more, than the best schedule that knows it. The
// step that goes forward last counts in both.
func TestScheduleOnlineIsNearTheOptimum(t *testing.T) {
	const steps = 2000
	want := recursion(steps, 12, func(_ [][]int, c, l int) int { return split(l, c) })
	var h history
	for c := 0; c <= 12; c++ {
		ratios, lengths := 0.0, 0.0
		for l := 1; l <= steps; l += 1 + l/50 {
			n := counter{t: t, end: l}
			got, last, err := h.forward(1, c, -1, []float64{0}, n.advance)
			require.NoError(t, err)
			if got != l || last[0] != float64(l) {
				t.Fatalf("%d steps to %v, want %d", got, last[0], l)
			}
			n.back(&h, c, l)
			least := l
			if c > 0 {
				least = want[c][l] + 1
			}
			if 3*n.advanced > 4*least {
				t.Fatalf("%d checkpoints, %d steps: %d advanced, at best %d", c, l, n.advanced, least)
			}
			ratios += float64(n.advanced) / float64(least)
			lengths++
		}
		require.Less(t, ratios/lengths, 1.05)
	}
	// A bound on the steps is an end as well.
	n := counter{t: t}
	got, last, err := h.forward(1, 3, 40, []float64{0}, n.advance)
	require.NoError(t, err)
	require.Equal(t, 40, got)
	require.Equal(t, 40.0, last[0])
	n.back(&h, 3, 40)
}
