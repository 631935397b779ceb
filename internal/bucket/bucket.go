// Package bucket sorts numbers that are small: into buckets, as the rows of a
// compressed sparse matrix.
package bucket

import "slices"

// Sort returns the numbers below len(keys) in the order of their keys, which are
// from 0 to n−1, and where each key begins: those of key k are
// order[start[k]:start[k+1]], in ascending order. Cost: O(len(keys) + n).
func Sort(keys []int32, n int) (order, start []int32) {
	start = make([]int32, n+1)
	for _, k := range keys {
		start[k+1]++
	}
	Cumulate(start)
	next := slices.Clone(start)
	order = make([]int32, len(keys))
	for i, k := range keys {
		order[next[k]] = int32(i)
		next[k]++
	}
	return order, start
}

// Cumulate replaces each number by the sum of those up to it.
func Cumulate(x []int32) {
	for i := 1; i < len(x); i++ {
		x[i] += x[i-1]
	}
}
