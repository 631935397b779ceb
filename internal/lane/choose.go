package lane

import (
	"math"
	"os"
	"slices"
)

// The sets of instructions that there are kernels for.
const (
	none = iota - 1
	avx2
	avx512
)

// set is the one that is used.
var set int

func init() { choose(os.Getenv("HESSE_LANES")) }

// choose takes the kernels of the best set of instructions that there is, or
// those that the name asks for if they are there. A function keeps its kernel
// only if it agrees with the scalar rule: another version of package math may
// compute it otherwise.
func choose(name string) {
	set = best()
	switch name {
	case "portable":
		set = none
	case "avx2":
		set = min(set, avx2)
	}
	clear(kernels[:])
	sincos.kernel, softplusLogistic.kernel = 0, 0
	if set == none {
		return
	}
	fused := fuses(1+0x1p-52, 1-0x1p-52, -1)
	x, y, got, got2, want, want2 := probes()
	for _, k := range slices.Concat(unaryKernels, binaryKernels) {
		if fused && !slices.Contains(rounded[:], k.code) {
			continue
		}
		k.of[set].function(k.code, got, x, y)
		kernel(0).function(k.code, want, x, y)
		if same(got, want) {
			kernels[k.code] = k.of[set]
		}
	}
	for _, k := range unaryTwoKernels {
		if fused {
			continue
		}
		k.f.kernel = k.of[set]
		k.f.run(got, got2, x)
		for i, x := range x {
			want[i], want2[i] = k.f.scalar(x)
		}
		if !same(got, want) || !same(got2, want2) {
			k.f.kernel = 0
		}
	}
}

// probes is arguments that kernels are tried with, and room for results.
func probes() (x, y, got, got2, want, want2 []float64) {
	const n = 64
	room := make([]float64, 6*n)
	x, y, got, got2, want, want2 = room[:n], room[n:2*n], room[2*n:3*n], room[3*n:4*n], room[4*n:5*n], room[5*n:]
	for i := range x { // 0.01 … 23, most positive
		x[i] = 0.01 * math.Exp2(float64(i)/5.7)
		y[i] = 3 - float64(i)/10.3
		if i%3 == 2 {
			x[i] = -x[i]
		}
	}
	return
}

// same reports whether the bits of a and b are the same, those of NaNs aside.
func same(a, b []float64) bool {
	for i, a := range a {
		if math.Float64bits(a) != math.Float64bits(b[i]) && (a == a || b[i] == b[i]) {
			return false
		}
	}
	return true
}
