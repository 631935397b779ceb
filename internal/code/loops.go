package code

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/internal/elem"
	"github.com/hesse-ad/hesse/internal/op"
)

// quad is four lanes. A loop over quads takes the same time wherever the
// linker puts it; a plain loop over lanes takes 0.30 ns a lane in one place
// and 0.57 in another (amd64, measured). Sums, differences and multiples are
// gonum's, two lanes an instruction: 0.14 to 0.20 ns a lane.
type quad = [4]float64

func mulTo(dst, x, y []quad) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		d, x, y := &dst[i], &x[i], &y[i]
		d[0] = x[0] * y[0]
		d[1] = x[1] * y[1]
		d[2] = x[2] * y[2]
		d[3] = x[3] * y[3]
	}
}

// mulConstTo sets dst = (x·y)·c: no slower than the product alone.
func mulConstTo(dst, x, y []quad, c float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		d, x, y := &dst[i], &x[i], &y[i]
		d[0] = x[0] * y[0] * c
		d[1] = x[1] * y[1] * c
		d[2] = x[2] * y[2] * c
		d[3] = x[3] * y[3] * c
	}
}

func prodTo(dst, x, y []quad) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		for k := range dst[i] {
			dst[i][k] = elem.Prod(x[i][k], y[i][k])
		}
	}
}

func addConstTo(dst, x []quad, c float64) {
	x = x[:len(dst)]
	for i := range dst {
		d, x := &dst[i], &x[i]
		d[0] = x[0] + c
		d[1] = x[1] + c
		d[2] = x[2] + c
		d[3] = x[3] + c
	}
}

func subConstTo(dst, x []quad, c float64) {
	x = x[:len(dst)]
	for i := range dst {
		d, x := &dst[i], &x[i]
		d[0] = c - x[0]
		d[1] = c - x[1]
		d[2] = c - x[2]
		d[3] = c - x[3]
	}
}

func sqrtTo(dst, x []quad) {
	x = x[:len(dst)]
	for i := range dst {
		d, x := &dst[i], &x[i]
		d[0] = elem.Sqrt(x[0])
		d[1] = elem.Sqrt(x[1])
		d[2] = elem.Sqrt(x[2])
		d[3] = elem.Sqrt(x[3])
	}
}

func sincosTo(sin, cos, x []float64) {
	cos, x = cos[:len(sin)], x[:len(sin)]
	for i := range sin {
		sin[i], cos[i] = math.Sincos(x[i])
	}
}

func softplusLogisticTo(softplus, logistic, x []float64) {
	logistic, x = logistic[:len(softplus)], x[:len(softplus)]
	for i := range softplus {
		softplus[i], logistic[i] = elem.SoftplusLogistic(x[i])
	}
}

func selectTo(dst, cond, x, y []float64) {
	cond, x, y = cond[:len(dst)], x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = elem.Select(cond[i], x[i], y[i])
	}
}

// callTo sets dst to an operation of the table on x and y; y is its constant if it
// has one.
func callTo(f *op.Info, dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	switch {
	case f.F1 != nil:
		eachTo(dst, x, f.F1)
	case f.FC != nil:
		for i := range dst {
			dst[i] = f.FC(x[i], y[i])
		}
	default:
		for i := range dst {
			dst[i] = f.F2(x[i], y[i])
		}
	}
}

func eachTo(dst, x []float64, f func(x float64) float64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = f(x[i])
	}
}

func fill(dst []float64, c float64) {
	for i := range dst {
		dst[i] = c
	}
}

func addTo(dst, x []float64) { floats.Add(dst, x) }

// sum adds in four strands, so that no addition waits for the one before. They
// are no quad, which would stay in memory.
func sum(x []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
		x = x[4:]
	}
	for _, v := range x {
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}

// sumProducts is sum of the products (x[i]·y[i])·c, to the same bits.
func sumProducts(x, y []float64, c float64) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		s0 += float64(x[0] * y[0] * c)
		s1 += float64(x[1] * y[1] * c)
		s2 += float64(x[2] * y[2] * c)
		s3 += float64(x[3] * y[3] * c)
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s0 += float64(v * y[i] * c)
	}
	return (s0 + s1) + (s2 + s3)
}

func gatherIndexed(dst, x []float64, index []int32) {
	index = index[:len(dst)]
	for len(dst) >= 4 && len(index) >= 4 {
		dst[0] = x[index[0]]
		dst[1] = x[index[1]]
		dst[2] = x[index[2]]
		dst[3] = x[index[3]]
		dst, index = dst[4:], index[4:]
	}
	for i := range dst {
		dst[i] = x[index[i]]
	}
}

func scatterIndexed(x, src []float64, index []int32) {
	index = index[:len(src)]
	for len(src) >= 4 && len(index) >= 4 {
		x[index[0]] += src[0]
		x[index[1]] += src[1]
		x[index[2]] += src[2]
		x[index[3]] += src[3]
		src, index = src[4:], index[4:]
	}
	for i, v := range src {
		x[index[i]] += v
	}
}

func gatherStrided(dst, x []float64, at, step int) {
	for len(dst) >= 4 {
		dst[0] = x[at]
		dst[1] = x[at+step]
		dst[2] = x[at+2*step]
		dst[3] = x[at+3*step]
		dst = dst[4:]
		at += 4 * step
	}
	for i := range dst {
		dst[i] = x[at]
		at += step
	}
}

func scatterStrided(x, src []float64, at, step int) {
	for len(src) >= 4 {
		x[at] += src[0]
		x[at+step] += src[1]
		x[at+2*step] += src[2]
		x[at+3*step] += src[3]
		src = src[4:]
		at += 4 * step
	}
	for _, v := range src {
		x[at] += v
		at += step
	}
}
