// Package bucket sorts numbers that are small: into buckets, as the rows of a
// compressed sparse matrix.
package bucket

// Sort returns the numbers below len(keys) in the order of their keys, which are below
// n, and where each key begins: those of key k are order[start[k]:start[k+1]], in
// ascending order. Those with a key of −1 are left out. Cost: O(len(keys) + n).
func Sort(keys []int32, n int) (order, start []int32) {
	// First start[k+2] is how many have the key k; then start[k+1] is where the next of
	// the key k goes, and in the end where the key k+1 begins.
	start = make([]int32, n+2)
	left := 0
	for _, k := range keys {
		if k < 0 {
			left++
			continue
		}
		start[k+2]++
	}
	Cumulate(start)
	order = make([]int32, len(keys)-left)
	for i, k := range keys {
		if k >= 0 {
			order[start[k+1]] = int32(i)
			start[k+1]++
		}
	}
	return order, start[:n+1]
}

// Cumulate replaces each number by the sum of those up to it.
func Cumulate(x []int32) {
	for i := 1; i < len(x); i++ {
		x[i] += x[i-1]
	}
}
