// Package ratio is for benchmarks: it times a function in units of another one.
package ratio

import (
	"math"
	"testing"
	"time"
)

// Report reports the time of a call of f in units of plain, as ×f: the fastest
// of many short turns of each, since what other processes do to the machine
// only adds.
func Report(b *testing.B, plain, f func()) {
	turn := func(f func(), best float64) float64 {
		calls := 0
		start := time.Now()
		for k := 1; calls == 0 || time.Since(start) < time.Millisecond; k *= 2 { // the clock takes time, too
			for range k {
				f()
			}
			calls += k
		}
		return min(best, time.Since(start).Seconds()/float64(calls))
	}
	unit, best := math.Inf(1), math.Inf(1)
	for b.Loop() {
		unit = turn(plain, unit)
		best = turn(f, best)
	}
	b.ReportMetric(best/unit, "×f")
	b.ReportMetric(unit*1e6, "µs/f")
	b.ReportMetric(0, "ns/op")
}
