package lane

// In these functions, row r of a matrix is the n elements of w from rows[r] on. Rows are done
// four at a time; their number must be a multiple of four.

// checkRows panics if some row is not in an array of length size.
func checkRows(rows []int32, n, size int) {
	if len(rows)%4 != 0 || n < 0 {
		panic("lane: rows not four by four")
	}
	least, most := int32(0), int32(0)
	for _, r := range rows {
		least, most = min(least, r), max(most, r)
	}
	if least < 0 || len(rows) > 0 && int(most) > size-n {
		panic("lane: row outside of its array")
	}
}

// quad is the four rows from r on.
func quad(w []float64, rows []int32, n int) (w0, w1, w2, w3 []float64) {
	return w[rows[0]:][:n], w[rows[1]:][:n], w[rows[2]:][:n], w[rows[3]:][:n]
}

// MulRows adds, for each x of xs, to x[i+r] the scalar product of row r with x[at:at+n], whose
// terms are added from the left.
func MulRows(xs [][]float64, i, at int, w []float64, rows []int32, n int) {
	checkRows(rows, n, len(w))
	for _, x := range xs {
		_, _ = x[i:i+len(rows)], x[at:at+n]
	}
	if packedMulRows(xs, i, at, w, rows, n) {
		return
	}
	for r := 0; r < len(rows); r += 4 {
		w0, w1, w2, w3 := quad(w, rows[r:], n)
		for _, x := range xs {
			s := (*[4]float64)(x[i+r:])
			s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
			x := x[at:][:n]
			for k, w0 := range w0 {
				x := x[k]
				s0 += float64(w0 * x)
				s1 += float64(w1[k] * x)
				s2 += float64(w2[k] * x)
				s3 += float64(w3[k] * x)
			}
			s[0], s[1], s[2], s[3] = s0, s1, s2, s3
		}
	}
}

// AxpyRows adds, for each x of xs, to x[at:at+n] the rows, row r times x[i+r]: the sum of four
// rows, added from the left, at a time, the last four first.
func AxpyRows(xs [][]float64, i, at int, w []float64, rows []int32, n int) {
	checkRows(rows, n, len(w))
	for _, x := range xs {
		_, _ = x[i:i+len(rows)], x[at:at+n]
	}
	if packedAxpyRows(xs, i, at, w, rows, n) {
		return
	}
	for r := len(rows) - 4; r >= 0; r -= 4 {
		w0, w1, w2, w3 := quad(w, rows[r:], n)
		for _, x := range xs {
			g := (*[4]float64)(x[i+r:])
			g0, g1, g2, g3 := g[0], g[1], g[2], g[3]
			x := x[at:][:n]
			for k, w0 := range w0 {
				x[k] += float64(g0*w0) + float64(g1*w1[k]) + float64(g2*w2[k]) + float64(g3*w3[k])
			}
		}
	}
}

// Axpy2Rows adds, for each u of us and the t of ts with the same number, to the n elements of
// u from rows[r] on u[i+r]·x + c[r]·t[at:at+n]. It does four rows at a time, the last four
// first.
func Axpy2Rows(us, ts [][]float64, i, at int, rows []int32, x, c []float64) {
	ts, c = ts[:len(us)], c[:len(rows)]
	if len(us) == 0 {
		return
	}
	size := len(us[0])
	for s, u := range us {
		size = min(size, len(u))
		_, _ = u[i:i+len(rows)], ts[s][at:at+len(x)]
	}
	checkRows(rows, len(x), size)
	if packedAxpy2Rows(us, ts, i, at, rows, x, c) {
		return
	}
	for q := len(rows) - 4; q >= 0; q -= 4 {
		for s, u := range us {
			t := ts[s][at:][:len(x)]
			for r := q; r < q+4; r++ {
				g, c, u := u[i+r], c[r], u[rows[r]:][:len(x)]
				for k, x := range x {
					u[k] += float64(g*x) + float64(c*t[k])
				}
			}
		}
	}
}

// AxpyTiles adds, for each x of xs and each r in turn, row r times x[i+r] to the n elements of
// x from tiles[r] on.
func AxpyTiles(xs [][]float64, i int, tiles []int32, w []float64, rows []int32, n int) {
	if len(xs) == 0 {
		return
	}
	rows = rows[:len(tiles)]
	size := len(xs[0])
	for _, x := range xs {
		size = min(size, len(x))
		_ = x[i : i+len(tiles)]
	}
	for l, at := range tiles {
		if r := rows[l]; at < 0 || r < 0 || n < 0 || int(at) > size-n || int(r) > len(w)-n {
			panic("lane: tile outside of its array")
		}
	}
	for _, x := range xs {
		g := x[i:][:len(tiles)]
		if packedAxpyTiles(x, tiles, g, w, rows, n) {
			continue
		}
		for l, at := range tiles {
			w, x, g := w[rows[l]:][:n], x[at:][:n], g[l]
			for k, w := range w {
				x[k] += float64(w * g)
			}
		}
	}
}
