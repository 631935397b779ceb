package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
)

// stored is the place of the partials of a batch that second-order sweeps
// keep: d and v̄·d″ for a unary operation; da, db, v̄·daa, v̄·dab, v̄·dbb for
// a binary one. part is which, lo and m the lanes.
func (ws *Workspace) stored(b *compile.Batch, part, lo, m int32) []float64 {
	at := b.PartialsAt + part*b.PartialsBy + lo - b.Lo
	return ws.parts[at : at+m]
}
