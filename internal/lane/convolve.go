package lane

// Convolve sets dst to c·Σ xⱼyₖ₋ⱼ over lo ≤ j ≤ hi ≤ k, where xⱼ is x[j·xs:], yⱼ is y[j·ys:],
// each as long as dst.
func Convolve(dst, x, y []float64, xs, ys, k, lo, hi int, c float64) {
	x, y = span(x, lo, hi, xs, len(dst)), span(y, k-hi, k-lo, ys, len(dst))
	if hi < lo {
		clear(dst)
		return
	}
	last := (hi - lo) * ys
	if packedConvolve(dst, x, y[last:], xs, ys, hi-lo+1, lo, c) {
		return
	}
	clear(dst)
	for j := range hi - lo + 1 {
		x, y := x[j*xs:][:len(dst)], y[last-j*ys:][:len(dst)]
		for i := range dst {
			dst[i] += float64(x[i] * y[i])
		}
	}
	Scale(dst, dst, c)
}

// ConvolveDerivative sets dst to c·Σ j·xⱼyₖ₋ⱼ, otherwise as Convolve.
func ConvolveDerivative(dst, x, y []float64, xs, ys, k, lo, hi int, c float64) {
	x, y = span(x, lo, hi, xs, len(dst)), span(y, k-hi, k-lo, ys, len(dst))
	if hi < lo {
		clear(dst)
		return
	}
	last := (hi - lo) * ys
	if packedConvolveDerivative(dst, x, y[last:], xs, ys, hi-lo+1, lo, c) {
		return
	}
	clear(dst)
	for j := range hi - lo + 1 {
		w := float64(lo + j)
		x, y := x[j*xs:][:len(dst)], y[last-j*ys:][:len(dst)]
		for i := range dst {
			dst[i] += float64(float64(w*x[i]) * y[i])
		}
	}
	Scale(dst, dst, c)
}

// span is the part of x that has arrays lo … hi, step numbers apart, of n numbers.
func span(x []float64, lo, hi, step, n int) []float64 {
	if lo > hi {
		return nil
	}
	return x[lo*step:][:(hi-lo)*step+n]
}
