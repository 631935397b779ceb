//go:build !race

package hessian_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

const measureMemory = "HESSE_MEASURE_MEMORY"

// What a sum of a million declared terms takes from the system, from recording to
// the first evaluation, is at most twice what stays: with Go's collector, which
// lets the heap grow to twice what is alive, nothing may be there twice.
func TestMemoryOfRepeat(t *testing.T) {
	if os.Getenv(measureMemory) != "" {
		measureRepeat(t)
		return
	}
	if testing.Short() {
		t.Skip("starts a process")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^TestMemoryOfRepeat$", "-test.v")
	cmd.Env = append(os.Environ(), measureMemory+"=1", "GOGC=100", "GOMEMLIMIT=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	at := strings.Index(string(out), "stays ")
	require.GreaterOrEqual(t, at, 0, string(out))
	var stays, peak, numbers uint64
	_, err = fmt.Sscanf(string(out)[at:], "stays %d peak %d numbers %d", &stays, &peak, &numbers)
	require.NoError(t, err)
	require.LessOrEqual(t, peak, 2*stays)
	// The point twice, index lists of the user, gradient, pattern and values of the
	// Hessian, the operands of the call and its values.
	require.LessOrEqual(t, stays, 15*8*numbers)
}

func measureRepeat(t *testing.T) {
	const n = 1_000_000
	x := make([]float64, n)
	index := [][]int{make([]int, n-1), make([]int, n-1)}
	for i := range n {
		x[i] = 1 + 0.1*float64(i%7)
		if i < n-1 {
			index[0][i], index[1][i] = i, i+1
		}
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return reverse.Repeat(func(x, _ []reverse.Var) reverse.Var {
			a, b := x[0], x[1]
			return b.Sub(a.Square()).Square().Scale(100).Add(a.RSub(1).Square())
		}, x, index, nil)
	}, x)
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := hessian.NewSparse(tape)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	h, g := s.Matrix(), make([]float64, n)
	// To prepare takes five numbers for each of the 3n entries that terms have
	// (column, last block, list of places, mirror image), and three for each row.
	require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(4*(5*3*n+3*n)))
	_, err = s.EvalAll(h, g, x)
	require.NoError(t, err)

	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	peak := m.HeapSys
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	fmt.Printf("stays %d peak %d numbers %d\n", m.HeapAlloc, peak, n)
	runtime.KeepAlive([]any{tape, s, h, g, index, x})
}
