package lane

// few lanes are done sooner by plain Go.
const few = 8

// Fill sets dst to c.
func Fill(dst []float64, c float64) {
	const first = 64
	for i := range dst[:min(first, len(dst))] {
		dst[i] = c
	}
	for n := first; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
