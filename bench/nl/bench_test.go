package nl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chain is a file of n variables and about as many constraints, alike but for their
// numbers: cᵢ exp(xᵢ xᵢ₊₁) + xᵢ₊₂³ + linear ≤ 9.
func chain(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "g3 1 1 0\n %d %d 1\n\n\n\n 0 0 0 1\n\n\n\n\n", n, n-2)
	for i := range n - 2 {
		fmt.Fprintf(&b, "C%d\no0\no2\nn%d\no44\no2\nv%d\nv%d\no5\nv%d\nn3\n", i, i%7+1, i, i+1, i+2)
	}
	fmt.Fprintf(&b, "O0 0\no54\n%d\n", n)
	for i := range n {
		fmt.Fprintf(&b, "o5\no0\nv%d\nn%g\nn2\n", i, -float64(i%5)/5)
	}
	b.WriteString("b\n" + strings.Repeat("0 -3 3\n", n) + "r\n" + strings.Repeat("1 9\n", n-2))
	for i := range n - 2 {
		fmt.Fprintf(&b, "J%d 3\n%d 0\n%d %d\n%d 2.5\n", i, i, i+1, i%3+1, i+2)
	}
	return b.String()
}

// Reading and recording are linear in the file: MB/s do not depend on n.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		text := chain(n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := Read(strings.NewReader(text))
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkTape(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		text := chain(n)
		p := parse(b, text)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := p.Tape(0)
				require.NoError(b, err)
			}
		})
	}
}
