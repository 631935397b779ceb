package lane

// By index, and in steps. Places must be in x.

// Gather sets dst to x at the places index.
func Gather[I int32 | uint16](dst, x []float64, index []I) {
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

// Scatter adds src to x at the places index, in order.
func Scatter(x, src []float64, index []int32) {
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

// within reports whether the places at, at + step, …, so many of them, are those of
// n numbers.
func within(n, at, step, count int) bool {
	return count == 0 || uint(at) < uint(n) && uint(at+step*(count-1)) < uint(n) && max(step, -step) <= n
}

// GatherSteps sets dst to x at the places at, at + step, ….
func GatherSteps(dst, x []float64, at, step int) {
	if within(len(x), at, step, len(dst)) && packedGatherSteps(dst, x, at, step) {
		return
	}
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

// ScatterSteps adds src to x at the places at, at + step, …, and returns the Total
// of src.
func ScatterSteps(x, src []float64, at, step int) (total float64) {
	if within(len(x), at, step, len(src)) {
		if total, ok := packedScatterSteps(x, src, at, step); ok {
			return total
		}
	}
	total = Sum(src)
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
	return total
}

// AddSteps adds c to x at n places at, at + step, ….
func AddSteps(x []float64, c float64, at, step, n int) {
	for ; n >= 4; n -= 4 {
		x[at] += c
		x[at+step] += c
		x[at+2*step] += c
		x[at+3*step] += c
		at += 4 * step
	}
	for range n {
		x[at] += c
		at += step
	}
}

// SetSteps sets x to src at the places at, at + step, ….
func SetSteps(x, src []float64, at, step int) {
	for len(src) >= 4 {
		x[at] = src[0]
		x[at+step] = src[1]
		x[at+2*step] = src[2]
		x[at+3*step] = src[3]
		src = src[4:]
		at += 4 * step
	}
	for _, v := range src {
		x[at] = v
		at += step
	}
}

// CopySteps sets x at n places to, to + toStep, … to x at the places from, from + step, …. No
// place may be in both.
func CopySteps(x []float64, from, step, to, toStep, n int) {
	for ; n >= 4; n -= 4 {
		a, b, c, d := x[from], x[from+step], x[from+2*step], x[from+3*step]
		x[to] = a
		x[to+toStep] = b
		x[to+2*toStep] = c
		x[to+3*toStep] = d
		from += 4 * step
		to += 4 * toStep
	}
	for range n {
		x[to] = x[from]
		from += step
		to += toStep
	}
}
