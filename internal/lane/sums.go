package lane

// Sum is the sum of x, in four strands, so that no addition waits for the one
// before: number i is added to sᵢ mod 4, but what is left after the last four to
// s₀, and the sum is (s₀ + s₁) + (s₂ + s₃).
func Sum(x []float64) float64 {
	if s, ok := packedSum(x); ok {
		return s
	}
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

// SumMulScale is Sum of the products (x·y)·c, to the same bits.
func SumMulScale(x, y []float64, c float64) float64 {
	y = y[:len(x)]
	if s, ok := packedSumMulScale(x, y, c); ok {
		return s
	}
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

// Total is the sum of x in any order: finite only if all of x is.
func Total(x []float64) float64 {
	if s, ok := packedSumAny(x); ok {
		return s
	}
	return Sum(x)
}

// Accumulate does dst += x and returns the Total of x.
func Accumulate(dst, x []float64) float64 {
	x = x[:len(dst)]
	if s, ok := packedAccumulate(dst, x); ok {
		return s
	}
	for i := range dst {
		dst[i] += x[i]
	}
	return Sum(x)
}
