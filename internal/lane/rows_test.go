package lane

import (
	"math/rand/v2"
	"testing"
)

// matrix is so many rows of length n in an array, anywhere.
func matrix(r *rand.Rand, count, n int) (w []float64, rows []int32) {
	w = make([]float64, count*n+20)
	fill(r, w)
	for range count {
		rows = append(rows, int32(r.IntN(len(w)-n+1)))
	}
	return w, rows
}

// arrays is so many arrays, and their copies.
func arrays(r *rand.Rand, count, size int) (xs, want [][]float64) {
	for range count {
		x := make([]float64, size)
		fill(r, x)
		xs, want = append(xs, x), append(want, append([]float64(nil), x...))
	}
	return xs, want
}

func sameArrays(t *testing.T, xs, want [][]float64, what string, n int) {
	t.Helper()
	for s := range xs {
		if !same(xs[s], want[s]) {
			t.Fatalf("%s, n = %d: array %d of %d is %v, want %v", what, n, s, len(xs), xs[s], want[s])
		}
	}
}

// Rows have the bits of the sums as written, in their order, where nothing is fused.
func TestRowsAreSumsInOrder(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for n := range 20 {
			for count := 0; count <= 12; count += 4 {
				for arrayCount := range 10 {
					const first = 3
					at := first + count
					w, rows := matrix(r, count, n)
					xs, want := arrays(r, arrayCount, at+n)

					MulRows(xs, first, at, w, rows, n)
					for _, x := range want {
						for l, row := range rows {
							for k := range n {
								x[first+l] += product(w[int(row)+k], x[at+k])
							}
						}
					}
					sameArrays(t, xs, want, "MulRows", n)

					AxpyRows(xs, first, at, w, rows, n)
					for _, x := range want {
						for q := count - 4; q >= 0; q -= 4 {
							for k := range n {
								of := func(l int) float64 { return product(x[first+q+l], w[int(rows[q+l])+k]) }
								x[at+k] += of(0) + of(1) + of(2) + of(3)
							}
						}
					}
					sameArrays(t, xs, want, "AxpyRows", n)
				}
			}
		}
	})
}

func TestAxpy2RowsGoesRowByRow(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		for n := range 20 {
			for count := 0; count <= 12; count += 4 {
				const first, from = 2, 16 // rows lie over each other from here on
				us, want := arrays(r, 1+n%9, from+2*n+count)
				ts, _ := arrays(r, len(us), n+5)
				x, c := make([]float64, n), make([]float64, count)
				fill(r, x)
				fill(r, c)
				var rows []int32
				for range count {
					rows = append(rows, int32(from+r.IntN(n+count+1)))
				}
				Axpy2Rows(us, ts, first, 5, rows, x, c)
				for s, u := range want {
					for q := count - 4; q >= 0; q -= 4 {
						for l := q; l < q+4; l++ {
							for k := range n {
								u[int(rows[l])+k] += product(u[first+l], x[k]) + product(c[l], ts[s][5+k])
							}
						}
					}
				}
				sameArrays(t, us, want, "Axpy2Rows", n)
			}
		}
	})
}

func TestAxpyTilesGoesTileByTile(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		for n := range 12 {
			for count := range 9 {
				w, rows := matrix(r, count, n)
				xs, want := arrays(r, 1+count%3, count+2*n+4)
				var tiles []int32
				for range count { // they lie over each other
					tiles = append(tiles, int32(count+r.IntN(n+5)))
				}
				AxpyTiles(xs, 0, tiles, w, rows, n)
				for _, x := range want {
					for l, at := range tiles {
						for k := range n {
							x[int(at)+k] += product(w[int(rows[l])+k], x[l])
						}
					}
				}
				sameArrays(t, xs, want, "AxpyTiles", n)
			}
		}
	})
}

// What is outside of an array is not read or written.
func TestRowsStayInTheirArrays(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		x, w := make([]float64, 8), make([]float64, 8)
		xs := [][]float64{x}
		for name, f := range map[string]func(){
			"a row beyond the end":       func() { MulRows(xs, 0, 4, w, []int32{0, 0, 0, 5}, 4) },
			"a row before the start":     func() { AxpyRows(xs, 0, 4, w, []int32{0, -1, 0, 0}, 4) },
			"three rows":                 func() { MulRows(xs, 0, 4, w, []int32{0, 0, 0}, 4) },
			"operands beyond the end":    func() { MulRows(xs, 0, 5, w, make([]int32, 4), 4) },
			"sums beyond the end":        func() { AxpyRows(xs, 5, 0, w, make([]int32, 4), 4) },
			"a tile beyond the end":      func() { AxpyTiles(xs, 0, []int32{6}, w, []int32{0}, 3) },
			"weights beyond the end":     func() { AxpyTiles(xs, 0, []int32{4}, w, []int32{6}, 3) },
			"adjoints beyond the end":    func() { Axpy2Rows(xs, xs, 0, 0, []int32{4, 4, 4, 6}, w[:4], w[:4]) },
			"tangents beyond the end":    func() { Axpy2Rows(xs, xs, 0, 5, make([]int32, 4), w[:4], w[:4]) },
			"fewer factors than rows":    func() { Axpy2Rows(xs, xs, 0, 0, make([]int32, 4), w[:4], w[:3:3]) },
			"fewer tangents than arrays": func() { Axpy2Rows(xs, nil, 0, 0, make([]int32, 4), w[:4], w[:4]) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				f()
			}()
		}
	})
}
