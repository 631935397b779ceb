package bucket_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/internal/bucket"
)

func TestSortIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		keys := rapid.SliceOf(rapid.Int32Range(-1, int32(n)-1)).Draw(t, "keys")
		var want []int32
		for i, k := range keys {
			if k >= 0 {
				want = append(want, int32(i))
			}
		}
		slices.SortStableFunc(want, func(i, j int32) int { return int(keys[i] - keys[j]) })
		order, start := bucket.Sort(keys, n)
		require.True(t, slices.Equal(want, order))
		require.Len(t, start, n+1)
		for k := range int32(n) {
			for _, i := range order[start[k]:start[k+1]] {
				require.Equal(t, k, keys[i])
			}
		}
	})
}

func TestRowsKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		var rows []int32
		if n > 0 {
			rows = rapid.SliceOf(rapid.Int32Range(0, int32(n)-1)).Draw(t, "rows")
		}
		want := make([][]int32, n)
		for k, r := range rows {
			want[r] = append(want[r], int32(7*k))
		}
		ptr, idx := bucket.Rows[int](n, func(put func(r, x int32)) {
			for k, r := range rows {
				put(r, int32(7*k))
			}
		})
		require.Len(t, ptr, n+1)
		require.Len(t, idx, len(rows))
		for r := range n {
			require.True(t, slices.Equal(want[r], idx[ptr[r]:ptr[r+1]]))
		}
	})
}
