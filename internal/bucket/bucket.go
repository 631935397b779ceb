// Package bucket sorts what has small numbers as keys: into buckets, as the rows of a
// compressed sparse matrix.
package bucket

// Rows returns n rows of numbers: row r is idx[ptr[r]:ptr[r+1]], the x of all that all
// puts there, in that order. It calls all twice, which must do the same both times. It
// panics if P cannot count the numbers. Cost: O(n + len(idx)).
func Rows[P int | int32](n int, all func(put func(r, x int32))) (ptr []P, idx []int32) {
	// First ptr[r+2] is how many there are in row r; then ptr[r+1] is where the next one
	// of row r goes, and in the end where row r+1 begins.
	ptr = make([]P, n+2)
	count := 0
	all(func(r, _ int32) { ptr[r+2]++; count++ })
	if int64(P(count)) != int64(count) {
		panic("bucket: too many numbers")
	}
	Cumulate(ptr)
	idx = make([]int32, count)
	all(func(r, x int32) { idx[ptr[r+1]] = x; ptr[r+1]++ })
	return ptr[:n+1], idx
}

// Sort returns the numbers below len(keys) in the order of their keys, which are below
// n, and where each key begins: those of key k are order[start[k]:start[k+1]], in
// ascending order. Those with a key of −1 are left out. Cost: O(len(keys) + n).
func Sort(keys []int32, n int) (order, start []int32) {
	start, order = Rows[int32](n, func(put func(r, x int32)) {
		for i, k := range keys {
			if k >= 0 {
				put(k, int32(i))
			}
		}
	})
	return order, start
}

// Cumulate replaces each number by the sum of those up to it.
func Cumulate[P int | int32](x []P) {
	for i := 1; i < len(x); i++ {
		x[i] += x[i-1]
	}
}
