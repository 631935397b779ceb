package terms

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
)

// sineOfProduct pushes sin(x[lo]·…·x[lo+m−1]), a shape of about m² edges.
func sineOfProduct(r *tape.Recording, lo, m int) int32 {
	y := int32(lo)
	for k := 1; k < m; k++ {
		y = r.Push(op.Mul, y, int32(lo+k), 0)
	}
	return r.Push(op.Sin, y, 0, 0)
}

// Two outputs are one term at first, and taken apart since other shapes leave no
// edges for it. When a sum that was too large is cut, its shape comes first and one
// of the others does not fit any more: then there are edges for the two outputs
// together again, which are terms of their own by now.
func TestPartsThatWereTakenApartAreNotTakenTwice(t *testing.T) {
	const n = 200
	r := tape.NewRecording(n, 0)
	defer r.Close()
	var outputs []int32
	for k := range 4 { // 1521 edges
		outputs = append(outputs, sineOfProduct(r, k, 38))
	}
	for k := range 2 { // some 1000 edges
		u := sineOfProduct(r, 100+k, 30)
		outputs = append(outputs, r.Push(op.Mul, u, int32(100+k), 0), r.Push(op.Square, u, u, 0))
	}
	var parts []int32
	for k := range 160 { // some 550 edges, of a sum that is too large
		parts = append(parts, sineOfProduct(r, k, 22))
	}
	s := parts[0]
	for _, y := range parts[1:] {
		s = r.Push(op.Add, s, y, 0)
	}
	outputs = append(outputs, r.Push(op.Scale, s, s, 3), r.Push(op.Exp, s, s, 0))
	p := sweep.New(compile.Compile(r, outputs))

	d := newDetector(&p.Tape, true)
	d.cutOutputs()
	count := make([]int, len(d.classes))
	apart := false
	for _, c := range d.cands {
		apart = apart || d.role(&c).alone
		if c.class >= 0 {
			count[c.class]++
		}
	}
	require.True(t, apart)
	for k, s := range d.classes {
		if s.state == taken {
			assert.GreaterOrEqual(t, count[k], s.terms, "terms of shape %d that are no parts any more", k)
		}
	}
}
