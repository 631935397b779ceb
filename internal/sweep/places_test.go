package sweep_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/reverse"
)

// In each section different nodes have different places, also those that are only read
// for the sake of lanes that nobody needs, and none has that of another node of the head.
// Inputs, parameters and constants have their numbers.
func TestPlacesOfSections(t *testing.T) { rapid.Check(t, placesOfSections) }

func placesOfSections(t *rapid.T) {
	c := drawCopies(t, 70)
	requirePlaces(t, c.program, rapid.SampledFrom([]int{4, 16, 100}).Draw(t, "lanes"))
}

// A batch of sums is visited for the sake of those below exp; the others read shifted
// inputs, which no second-order sweep visits.
func TestPlacesOfWhatIsNotVisited(t *testing.T) {
	const groups = 16
	x := make([]float64, 8*groups)
	for i := range x {
		x[i] = 0.1 + float64(i%7)/7
	}
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		var s reverse.Var
		for j := range groups {
			g := x[8*j : 8*j+8]
			product, shifted := g[0].Mul(g[1]), g[0].AddReal(float64(j))
			for i := range 3 {
				s = s.Add(product.Add(g[2+i]).Exp())
				s = s.Add(shifted.Add(g[5+i]))
			}
		}
		return s
	}, x)
	require.NoError(t, err)
	require.NotEmpty(t, tape.Inside().Engine().Sections(16).Rest)
	requirePlaces(t, tape.Inside().Engine(), 16)
}

func requirePlaces(t require.TestingT, e *sweep.Engine, lanes int) {
	s := e.Sections(lanes)
	base := int32(e.Base())
	in := func(node, place map[int32]int32, section *compile.Section) {
		note := func(i, at int32) {
			if i < base || at < base {
				require.Equal(t, i, at, "the place of an input or constant")
			}
			if _, ok := node[at]; !ok {
				node[at] = i
			}
			if _, ok := place[i]; !ok {
				place[i] = at
			}
			require.Equal(t, node[at], i, "two nodes at place %d", at)
			require.Equal(t, place[i], at, "two places of node %d", i)
		}
		for _, p := range section.Pieces {
			for k := range p.Hi - p.Lo {
				note(p.Lo+k, p.Places.Lo+k)
			}
			for o, x := range operands(p.Batch) {
				at := operands(&p.Places)[o]
				for k := range p.Hi - p.Lo {
					note(operand(x, p.Lo-p.Batch.Lo+k), operand(at, k))
				}
			}
		}
	}
	node, place := map[int32]int32{}, map[int32]int32{}
	in(node, place, &s.Head)
	for i := range s.Rest {
		in(maps.Clone(node), maps.Clone(place), &s.Rest[i])
	}
}

// operands is those of a batch whose lanes are alike.
func operands(b *compile.Batch) (x []compile.Operand) {
	switch b.Kind {
	case compile.Elementwise:
		return []compile.Operand{b.A, b.B}[:b.Op.Operands()]
	case compile.Affine:
		for _, t := range b.Terms {
			x = append(x, t.Operand)
		}
	}
	return x
}

func operand(o compile.Operand, k int32) int32 {
	switch o.Access {
	case compile.Consecutive:
		return o.At + k
	case compile.Uniform:
		return o.At
	}
	return o.Index[k]
}
