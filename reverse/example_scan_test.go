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
		last, _ := dual.Scan(dual.Loop[reverse.Var]{
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
		_, out := dual.ScanAt(dual.Loop[reverse.Var]{
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

// How far a ball flies that is thrown at the speeds x, through air: until it is back on
// the ground, however many steps that takes.
func ExampleScan_while() {
	const h = 0.001
	distance := func(x []reverse.Var) reverse.Var {
		last, _ := dual.Scan(dual.Loop[reverse.Var]{
			Start: []reverse.Var{{}, {}, x[0], x[1]}, // position and speed
			While: func(s, _ []reverse.Var) bool { return !s[1].LessReal(0) },
			Step: func(s, _, _, _ []reverse.Var) (next, out []reverse.Var) {
				drag := s[2].Hypot(s[3]).Scale(0.02 * h)
				return []reverse.Var{
					s[0].Add(s[2].Scale(h)), s[1].Add(s[3].Scale(h)),
					s[2].Sub(drag.Mul(s[2])), s[3].Sub(drag.Mul(s[3])).SubReal(9.81 * h),
				}, nil
			},
			Checkpoints: 20,
		})
		// To the ground from the last point, which is below.
		return last[0].Sub(last[1].Mul(last[2]).Div(last[3]))
	}
	tape, err := reverse.Record(distance, []float64{10, 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range [][]float64{{10, 10}, {20, 5}} {
		d, g, err := tape.ValueGradient(nil, x)
		fmt.Printf("%.2f %.2f %v\n", d, g, err)
	}
	// Output:
	// 15.67 [1.32 1.12] <nil>
	// 16.20 [0.66 2.58] <nil>
}

// The misses of a smoothing factor x[0] over many series of observations.
func ExampleScanLanes() {
	series := make([]dual.Lane[reverse.Var], 100)
	for i := range series {
		for k := range 50 + i%2 { // not all of one length
			series[i].Data = append(series[i].Data, []float64{float64((7*k + 3*i) % 10)})
		}
	}
	misses := func(x []reverse.Var) (total reverse.Var) {
		_, sum := dual.ScanLanes(dual.Loop[reverse.Var]{
			Start:  x[1:],
			Shared: x[:1],
			Step: func(s, w, _, p []reverse.Var) (next, out []reverse.Var) {
				miss := p[0].Sub(s[0])
				return []reverse.Var{s[0].Add(w[0].Mul(miss))}, []reverse.Var{miss.Square()}
			},
		}, series)
		for _, s := range sum {
			total = total.Add(s[0])
		}
		return total
	}
	x := []float64{0.1, 4.5}
	tape, err := reverse.Record(misses, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, g, err := tape.ValueGradient(nil, x)
	fmt.Printf("%.1f %.1f %v\n", f, g, err)
	// Output:
	// 45910.8 [43969.3 -0.3] <nil>
}
