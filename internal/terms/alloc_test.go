//go:build !race

package terms_test

import "testing"

func TestEvaluationsDoNotAllocate(t *testing.T) {
	ps, xs := programs(t)
	for k, p := range ps {
		for j, f := range evaluations(p, xs[k]) {
			f()
			if a := testing.AllocsPerRun(20, func() { f() }); a > 0 {
				t.Errorf("program %d, evaluation %d: %v allocations", k, j, a)
			}
		}
	}
}
