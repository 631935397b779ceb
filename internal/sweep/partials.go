package sweep

import (
	"github.com/hesse-ad/hesse/internal/compile"
)

// stored is the memory for partials of the lanes lo … lo+m−1 of a batch that Linearize keeps.
// part is which: 0 and 1 are d and v̄·d″ of a unary operation; 0 to 4 are da, db, v̄·daa,
// v̄·dab and v̄·dbb of a binary one.
func (ws *Workspace) stored(b *compile.Batch, part, lo, m int32) []float64 {
	at := b.PartialsAt + part*b.PartialsBy + lo - b.Lo
	return ws.parts[at : at+m]
}
