package hessian_test

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// A panic of a primitive reaches the caller with its value, by any method and
// number of workers, and the plan stays as it was: for other goroutines that use
// it at the same time too. A primitive is called for the terms alone, not for
// the lanes that fill a block up.
func TestConcurrentPanicsOfPrimitives(t *testing.T) {
	const n = 2003
	var on atomic.Bool
	mine := "second derivative"
	calls := atomic.Int64{}
	p := reverse.NewPrimitive("sine", math.Sin, math.Cos, func(x float64) float64 {
		if on.Load() && calls.Add(1)%200 == 0 {
			panic(mine)
		}
		return -math.Sin(x)
	})
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + 0.1*float64(i%7)
	}
	within := reverse.NewPrimitive("within", func(x float64) float64 { return mustBePositive(x) }, mustBePositive, mustBePositive)
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		s := dual.Const[reverse.Var](0)
		for i := 0; i+2 < n; i++ {
			s = s.Add(p.Apply(x[i].Mul(x[i+1]).Add(x[i+2])).Exp().Mul(within.Apply(x[i].Add(x[i+2].Exp()))))
		}
		return s
	}, x)
	require.NoError(t, err)
	for _, o := range []hessian.SparseSettings{
		{Method: hessian.ByTerms}, {Method: hessian.ByStar}, {Method: hessian.ByAcyclic},
	} {
		for _, o.Workers = range []int{1, 3} {
			on.Store(false)
			plan, err := o.New(tape)
			require.NoError(t, err)
			want := plan.Matrix()
			_, err = plan.Eval(want, x)
			require.NoError(t, err)
			on.Store(true)
			var group sync.WaitGroup
			var panics, others atomic.Int64
			for range 3 {
				group.Go(func() {
					h := plan.Matrix()
					for range 3 {
						func() {
							defer func() {
								switch recover() {
								case nil:
								case mine:
									panics.Add(1)
								default:
									others.Add(1)
								}
							}()
							_, _ = plan.Eval(h, x)
						}()
					}
				})
			}
			group.Wait()
			require.NotZero(t, panics.Load(), "%v", o)
			require.Zero(t, others.Load(), "%v", o)
			on.Store(false)
			for range 3 {
				got := plan.Matrix()
				_, err = plan.Eval(got, x)
				require.NoError(t, err)
				require.Equal(t, want.Values(), got.Values(), "%v", o)
			}
		}
	}
}

func mustBePositive(x float64) float64 {
	if !(x > 0) {
		panic("not positive")
	}
	return x
}
