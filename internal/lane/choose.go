package lane

import (
	"math"
	"os"

	"github.com/hesse-ad/hesse/internal/op"
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
	clear(firsts[:])
	clear(seconds[:])
	sincos.kernel, softplusLogistic.kernel = 0, 0
	if set == none {
		return
	}
	fused := fuses(1+0x1p-52, 1-0x1p-52, -1)
	x, y, got, want := probes()
	// try tries the kernels of a kind; whole is y, or whole numbers where the operation takes no others.
	try := func(list []codeKernels, used *[op.Count]kernel, run func(k kernel, code op.Code, whole []float64, dst *[3][]float64)) {
		for _, k := range list {
			if k.plain && fused {
				continue
			}
			whole := y
			if k.code.Constant() == op.IntConstant {
				whole = make([]float64, len(y))
				Trunc(whole, y)
			}
			run(k.of[set], k.code, whole, &got)
			run(0, k.code, whole, &want)
			if same(got[0], want[0]) && same(got[1], want[1]) && same(got[2], want[2]) {
				used[k.code] = k.of[set]
			}
		}
	}
	value := func(k kernel, code op.Code, c []float64, dst *[3][]float64) { k.function(code, dst[0], x, c) }
	try(unaryKernels, &kernels, value)
	try(binaryKernels, &kernels, value)
	try(firstKernels, &firsts, func(k kernel, code op.Code, c []float64, dst *[3][]float64) { k.first(code, dst[0], x, c, y) })
	try(secondKernels, &seconds, func(k kernel, code op.Code, c []float64, dst *[3][]float64) { k.second(code, dst[0], x, c, y, x) })
	try(first2Kernels, &firsts, func(k kernel, code op.Code, c []float64, dst *[3][]float64) {
		k.first2(code, dst[0], dst[1], x, c, y)
	})
	try(second2Kernels, &seconds, func(k kernel, code op.Code, c []float64, dst *[3][]float64) {
		k.second2(code, dst[0], dst[1], dst[2], x, c, y, y, x)
	})
	for _, k := range unaryTwoKernels {
		if fused {
			continue
		}
		k.f.kernel = k.of[set]
		k.f.run(got[0], got[1], x)
		k.f.kernel = 0
		k.f.run(want[0], want[1], x)
		if same(got[0], want[0]) && same(got[1], want[1]) && same(got[2], want[2]) {
			k.f.kernel = k.of[set]
		}
	}
}

// probes is arguments that kernels are tried with, and room for results.
func probes() (x, y []float64, got, want [3][]float64) {
	const n = 64
	x, y = make([]float64, n), make([]float64, n)
	for i := range x { // 0.01 … 23, most positive
		x[i] = 0.01 * math.Exp2(float64(i)/5.7)
		y[i] = 3 - float64(i)/10.3
		if i%3 == 2 {
			x[i] = -x[i]
		}
	}
	for k := range got {
		got[k], want[k] = make([]float64, n), make([]float64, n)
	}
	return x, y, got, want
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
