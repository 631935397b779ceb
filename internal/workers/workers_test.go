package workers_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/workers"
)

func TestConcurrentCallsAllEnd(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7} {
		var sum atomic.Int64
		workers.Do(n, func(i int) { sum.Add(1 << i) })
		require.EqualValues(t, 1<<n-1, sum.Load())
	}
}

// The value is that of the first call that panics, on whichever goroutine, and
// no call still runs when the caller gets it.
func TestConcurrentPanicsReachTheCaller(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		for first := range n {
			running := atomic.Int64{}
			mine := errors.New("mine")
			require.PanicsWithValue(t, mine, func() {
				workers.Do(n, func(i int) {
					running.Add(1)
					defer running.Add(-1)
					switch {
					case i == first:
						panic(mine)
					case i > first:
						panic("later")
					}
					runtime.Gosched()
				})
			})
			require.Zero(t, running.Load())
		}
	}
}

func TestConcurrentGoexitEndsTheCaller(t *testing.T) {
	for last := range 2 {
		returned, ended := false, make(chan bool)
		go func() {
			defer close(ended)
			workers.Do(2, func(i int) {
				if i == last {
					runtime.Goexit()
				}
			})
			returned = true
		}()
		<-ended
		require.False(t, returned)
	}
}
