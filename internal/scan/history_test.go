package scan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The optimum by its recursion: the steps before the next checkpoint are advanced
// once, then those after it are reversed with a checkpoint less, then those
// before. Griewank and Walther 2000, section 2. Choose says how many go before.
func advances(steps, checkpoints int, choose func(t [][]int, c, l int) int) [][]int {
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
	want := advances(steps, checkpoints, best)
	got := advances(steps, checkpoints, func(_ [][]int, c, l int) int { return split(l, c) })
	require.Equal(t, want, got)
	for c := 1; c <= checkpoints; c++ {
		var h history
		for l := 1; l <= 150; l++ {
			advanced := 0
			advance := func(k int, r []float64) error {
				if r[0] != float64(k) {
					t.Fatalf("step %d advanced from the record of %v", k, r[0])
				}
				r[0]++
				advanced++
				return nil
			}
			h.start(1, c, l, []float64{0})
			for k := l - 1; k >= 0; k-- {
				r, err := h.record(k, advance)
				require.NoError(t, err)
				if r[0] != float64(k) || len(h.at) > c {
					t.Fatalf("record %v for step %d, %d kept", r[0], k, len(h.at))
				}
			}
			if advanced != want[c][l] {
				t.Fatalf("%d checkpoints, %d steps: %d advanced, want %d", c, l, advanced, want[c][l])
			}
		}
	}
}
