package reverse_test

import (
	"fmt"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// A mass on a spring, by leapfrog: its energy after 1000 steps, and how that depends
// on where it starts, how fast, and on the spring.
func ExampleScan() {
	energy := func(x []reverse.Var) reverse.Var { // x = [position; speed; stiffness]
		last, _ := reverse.Scan(reverse.Loop{
			Start:  x[:2],
			Shared: x[2:],
			Steps:  1000,
			Step: func(s, w, _, _ []reverse.Var) (next, out []reverse.Var) {
				const h = 0.01
				half := s[1].Sub(w[0].Mul(s[0]).Scale(h / 2))
				q := s[0].Add(half.Scale(h))
				return []reverse.Var{q, half.Sub(w[0].Mul(q).Scale(h / 2))}, nil
			},
		})
		return last[1].Square().Add(x[2].Mul(last[0].Square())).Scale(0.5)
	}
	x := []float64{1, 0, 4}
	tape, err := reverse.Record(energy, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, g, err := tape.ValueGradient(nil, x)
	fmt.Printf("%.3f %.2f %v, %d operations\n", e, g, err, tape.Ops())
	// Output:
	// 2.000 [4.00 0.00 0.50] <nil>, 7 operations
}

// smoothed is Σ (observation − level)², the level following the observations by the
// factor x[0] from x[1] on: one function for all numbers.
func smoothed[T dual.Scalar[T]](x []T, observations [][]float64) T {
	_, sum := dual.Scan(dual.Loop[T]{
		Start:  x[1:],
		Shared: x[:1],
		Data:   observations,
		Step: func(s, w, _, p []T) (next, out []T) {
			miss := p[0].Sub(s[0])
			return []T{s[0].Add(w[0].Mul(miss))}, []T{miss.Square()}
		},
		Checkpoints: 10, // for observations without end
	})
	return sum[0]
}

func ExampleScan_data() {
	observations := [][]float64{{1}, {3}, {2}, {4}, {3}}
	x := []float64{0.5, 2}
	fmt.Println(smoothed([]dual.Real{0.5, 2}, observations))
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var { return smoothed(x, observations) }, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tape.ValueGradient(nil, x))
	// Output:
	// 6.83203125
	// 6.83203125 [2.8125 0.1640625] <nil>
}

func ExampleScanAt() {
	// What is left of a deposit with interest x[0] after 1, 5 and 10 years.
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		_, out := reverse.ScanAt(reverse.Loop{
			Start:  x[1:],
			Shared: x[:1],
			Steps:  10,
			Step: func(s, w, _, _ []reverse.Var) (next, out []reverse.Var) {
				y := s[0].Mul(w[0].AddReal(1))
				return []reverse.Var{y}, []reverse.Var{y}
			},
		}, []int{0, 4, 9})
		return []reverse.Var{out[0][0], out[1][0], out[2][0]}
	}, []float64{0.03, 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := tape.Values(nil, []float64{0.03, 100})
	fmt.Printf("%.2f %v\n", y, err)
	// Output:
	// [103.00 115.93 134.39] <nil>
}
