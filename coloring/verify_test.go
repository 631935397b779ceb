package coloring

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/sparsity"
)

// For colorings without neutral vertices Verify is the definition.
func TestVerifyIsTheDefinition(t *testing.T) {
	for _, kind := range []Kind{Column, Row, Distance1, Distance2, Star, Acyclic} {
		t.Run(kind.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawPattern(t, kind)
				m, n := p.Dims()
				if kind == Row {
					n = m
				}
				color := rapid.SliceOfN(rapid.IntRange(1, max(1, min(n, 5))), n, n).Draw(t, "colors")
				// Greedy colors with one changed are nearly right.
				if n > 0 && rapid.Bool().Draw(t, "greedy") {
					color = vertexColors(New(kind, p.Union(fullDiagonal(p, kind)), Natural))
					color[rapid.IntRange(0, n-1).Draw(t, "vertex")] = rapid.IntRange(1, n).Draw(t, "color")
				}
				err := fromVertexColors(kind, p, color)
				require.Equal(t, isColoring(kind, p, color), err == nil, "%v on %v: %v", color, show(p), err)
				if err != nil {
					requireConflict(t, kind, p, err)
				}
			})
		})
	}
}

// fullDiagonal keeps star and acyclic colorings from having neutral vertices.
func fullDiagonal(p *sparsity.Pattern, kind Kind) *sparsity.Pattern {
	m, n := p.Dims()
	if kind.symmetric() {
		return sparsity.Diagonal(n)
	}
	return sparsity.FromCoordinates(m, n, nil, nil)
}

func fromVertexColors(kind Kind, p *sparsity.Pattern, color []int) error {
	_, n := p.Dims()
	color = shifted(color, -1)
	var err error
	switch {
	case kind == Row:
		_, err = FromColors(kind, p, nil, color)
	case kind >= StarBicoloring:
		_, err = FromColors(kind, p, color[:n], color[n:])
	default:
		_, err = FromColors(kind, p, color, nil)
	}
	return err
}

// requireConflict checks that an error names vertices that are in conflict.
func requireConflict(t require.TestingT, kind Kind, p *sparsity.Pattern, err error) {
	var e *ConflictError
	require.True(t, errors.As(err, &e))
	require.Equal(t, kind, e.Kind)
	require.NotEmpty(t, e.Path)
	adjacent := func(v, w Vertex) bool {
		if kind.symmetric() {
			return v.Index != w.Index && p.Has(v.Index, w.Index)
		}
		if v.Row == w.Row {
			return false
		}
		if w.Row {
			v, w = w, v
		}
		return p.Has(v.Index, w.Index)
	}
	sameColor := func(v, w Vertex) bool { return v.Row == w.Row && v.Color == w.Color && v.Color >= 0 }
	path := e.Path
	for k := range path[1:] {
		require.True(t, adjacent(path[k], path[k+1]), "%v", e)
	}
	last := path[len(path)-1]
	switch e.Conflict {
	case OutOfRange:
		require.Len(t, path, 1)
	case Uncolored:
		require.Len(t, path, 1)
		require.Equal(t, -1, last.Color)
	case NoColor:
		require.Len(t, path, 2)
		require.Equal(t, []int{-1, -1}, []int{path[0].Color, last.Color})
	case SameColor:
		require.True(t, sameColor(path[0], last), "%v", e)
		if len(path) == 3 {
			require.NotEqual(t, path[0], last)
			require.True(t, kind < Distance1 || kind == Distance2 || path[1].Color < 0)
		} else {
			require.Len(t, path, 2)
		}
	case TwoColoredPath:
		require.Len(t, path, 4)
		require.True(t, sameColor(path[0], path[2]) && sameColor(path[1], path[3]), "%v", e)
		require.NotEqual(t, path[0], path[2])
		require.NotEqual(t, path[1], path[3])
	case TwoColoredCycle:
		require.GreaterOrEqual(t, len(path), 4)
		require.Zero(t, len(path)%2)
		require.True(t, adjacent(path[0], last), "%v", e)
		for k := range path {
			require.True(t, sameColor(path[k], path[k%2]), "%v", e)
			require.NotContains(t, path[k+1:], path[k])
		}
	default:
		require.Fail(t, "unknown conflict")
	}
}

// What Verify accepts, neutral vertices included, gives every entry back; what
// it does not accept it explains.
func TestVerifiedColorsRecover(t *testing.T) {
	for _, kind := range []Kind{Column, Row, Distance2, Star, Acyclic, StarBicoloring, AcyclicBicoloring} {
		t.Run(kind.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := drawPattern(t, kind)
				color := vertexColors(New(kind, p, Natural))
				for range rapid.IntRange(0, 3).Draw(t, "changes") {
					if len(color) > 0 {
						v := rapid.IntRange(0, len(color)-1).Draw(t, "vertex")
						color[v] = rapid.SampledFrom(append(slices.Clone(color), 0, 1)).Draw(t, "color")
					}
				}
				requireErrorOrRecovery(t, kind, p, color)
			})
		})
	}
}

func requireErrorOrRecovery(t require.TestingT, kind Kind, p *sparsity.Pattern, color []int) {
	m, n := p.Dims()
	if kind == Row {
		n = 0
	} else if kind < StarBicoloring {
		m = 0
	}
	c, err := FromColors(kind, p, shifted(color[:n], -1), shifted(color[n:n+m], -1))
	if err != nil {
		requireConflict(t, kind, p, err)
		return
	}
	require.True(t, slices.Equal(color[:n+m], vertexColors(c)))
	if kind != Distance1 {
		requireRecovers(t, c, nil)
	}
}

func TestColoringsOfEveryKindAndOrderAreValid(t *testing.T) {
	for _, kind := range allKinds {
		t.Run(kind.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := randomPattern(t, kind)
				for _, o := range allOrders {
					c := New(kind, p, o)
					require.NoError(t, c.Verify(p), "%v", o)
					requireClasses(t, c.Columns())
					requireClasses(t, c.Rows())
				}
			})
		})
	}
}

// requireClasses checks that no color is empty and that the classes are the
// colors.
func requireClasses(t require.TestingT, s *Classes) {
	color := slices.Repeat([]int{-1}, len(s.Colors()))
	for c := range s.Num() {
		require.NotEmpty(t, s.Class(c))
		require.True(t, slices.IsSorted(s.Class(c)))
		for _, v := range s.Class(c) {
			require.Equal(t, -1, color[v])
			color[v] = c
		}
	}
	require.Equal(t, s.Colors(), color)
}

func TestVerifyTakesAnotherPattern(t *testing.T) {
	c := New(Star, sparsity.Banded(9, 1, 1))
	require.NoError(t, c.Verify(sparsity.Diagonal(9)))
	require.EqualError(t, c.Verify(sparsity.Banded(9, 3, 3)),
		"coloring: no star coloring: same color at both ends: column 0 (color 0) – column 2 (color 0)")
	require.Panics(t, func() { c.Verify(sparsity.Diagonal(8)) })
}

func TestConflictMessages(t *testing.T) {
	path4 := symmetric(4, []int{0, 1, 2, 0, 1, 2, 3}, []int{1, 2, 3, 0, 1, 2, 3})
	ring4 := symmetric(4, []int{0, 1, 2, 3, 0, 1, 2, 3}, []int{1, 2, 3, 0, 0, 1, 2, 3})
	for _, x := range []struct {
		kind    Kind
		p       *sparsity.Pattern
		colors  []int
		message string
	}{
		{Star, path4, []int{1, 2, 1, 2}, "no star coloring: path with two colors: column 0 (color 0) – column 1 (color 1) – column 2 (color 0) – column 3 (color 1)"},
		{Acyclic, ring4, []int{1, 2, 1, 2}, "no acyclic coloring: cycle with two colors: column 2 (color 0) – column 1 (color 1) – column 0 (color 0) – column 3 (color 1)"},
		{Star, path4, []int{1, 2, 0, 1}, "no star coloring: no color: column 2"},
		{Star, parse("010", "101", "010"), []int{1, 0, 1}, "no star coloring: same color at both ends: column 0 (color 0) – column 1 – column 2 (color 0)"},
		{Star, parse("010", "101", "010"), []int{0, 0, 1}, "no star coloring: neighbors without color: column 0 – column 1"},
		{Distance2, path4, []int{1, 2, 1, 3}, "no distance-2 coloring: same color at both ends: column 0 (color 0) – column 1 (color 1) – column 2 (color 0)"},
		{Column, parse("110", "011"), []int{2, 1, 1}, "no column coloring: same color at both ends: column 1 (color 0) – row 1 – column 2 (color 0)"},
		{Column, parse("110", "011"), []int{2, 1, 9}, "no column coloring: color out of range: column 2 (color 8)"},
		{Row, parse("110", "011"), []int{1, 1}, "no row coloring: same color at both ends: row 0 (color 0) – column 1 – row 1 (color 0)"},
		{StarBicoloring, parse("11", "11"), []int{1, 1, 1, 1}, "no star bicoloring: path with two colors: row 1 (color 0) – column 0 (color 0) – row 0 (color 0) – column 1 (color 0)"},
	} {
		err := fromVertexColors(x.kind, x.p, x.colors)
		require.EqualError(t, err, "coloring: "+x.message)
		requireConflict(t, x.kind, x.p, err)
	}
}

// fuzzed is a pattern of a kind with entries from bytes.
func fuzzed(kind Kind, m, n uint8, entries []byte) *sparsity.Pattern {
	rows, cols := int(m%12), int(n%12)
	if kind.symmetric() {
		cols = rows
	}
	var i, j []int
	if rows*cols > 0 {
		for _, e := range entries {
			i = append(i, int(e)%(rows*cols)/cols)
			j = append(j, int(e)%cols)
		}
	}
	p := sparsity.FromCoordinates(rows, cols, i, j)
	if kind.symmetric() {
		p = p.Symmetrized()
	}
	return p
}

// FuzzFromColors reads a pattern and colors from bytes: whatever they are, the
// answer is an error with a real conflict or a coloring that recovers.
func FuzzFromColors(f *testing.F) {
	f.Add(uint8(Star), uint8(4), uint8(4), []byte{1, 6, 11, 0, 5}, []byte{2, 3, 2, 3})
	f.Add(uint8(Acyclic), uint8(5), uint8(5), []byte{1, 7, 13, 19, 20}, []byte{2, 3, 2, 3, 1})
	f.Add(uint8(StarBicoloring), uint8(2), uint8(3), []byte{0, 1, 2, 3}, []byte{2, 3, 4, 2, 1})
	f.Add(uint8(Column), uint8(3), uint8(4), []byte{0, 1, 9, 11}, []byte{2, 3, 0, 2})
	f.Fuzz(func(t *testing.T, k, m, n uint8, entries, colors []byte) {
		kind := Kind(k % uint8(kinds))
		p := fuzzed(kind, m, n, entries)
		rows, cols := p.Dims()
		color := make([]int, rows+cols)
		for v := range min(len(colors), len(color)) {
			color[v] = int(colors[v])%8 - 1
		}
		requireErrorOrRecovery(t, kind, p, color)
	})
}

// FuzzRecovery asks for any target: it is refused in words or recovered, and a part
// of the pattern is not refused without reason.
func FuzzRecovery(f *testing.F) {
	f.Add(uint8(Star), uint8(4), uint8(4), []byte{1, 6, 11, 0, 5}, []byte{1, 6})
	f.Add(uint8(Acyclic), uint8(5), uint8(5), []byte{1, 7, 13, 19, 20}, []byte{1, 5, 7, 11, 13})
	f.Add(uint8(AcyclicBicoloring), uint8(5), uint8(4), []byte{1, 7, 13, 19, 18}, []byte{1, 7, 13, 19, 18})
	f.Add(uint8(Column), uint8(3), uint8(4), []byte{0, 1, 9, 11}, []byte{2})
	f.Fuzz(func(t *testing.T, k, m, n uint8, entries, wanted []byte) {
		kind := Kind(k % uint8(kinds))
		c := New(kind, fuzzed(kind, m, n, entries))
		rows, cols := c.Pattern().Dims()
		var i, j []int
		if rows*cols > 0 {
			for _, e := range wanted {
				i, j = append(i, int(e)%(rows*cols)/cols), append(j, int(e)%cols)
			}
		}
		target := sparsity.FromCoordinates(rows, cols, i, j)
		refused := ""
		func() {
			defer func() {
				if r := recover(); r != nil {
					require.IsType(t, "", r)
					refused = r.(string)
				}
			}()
			c.Recovery(target)
		}()
		inside := target.Union(c.Pattern()).Equal(c.Pattern())
		switch {
		case kind == Distance1:
			require.NotEmpty(t, refused)
		case refused == "":
			require.True(t, inside)
			requireRecovers(t, c, target)
		case kind == Acyclic:
			require.True(t, !inside || !target.Symmetrized().Equal(c.Pattern()), refused)
		case kind == AcyclicBicoloring:
			require.False(t, target.Equal(c.Pattern()), refused)
		default:
			require.False(t, inside, refused)
		}
	})
}

func TestMisusePanics(t *testing.T) {
	p := sparsity.Banded(5, 1, 1)
	oblong := sparsity.Full(2, 3)
	c := New(Star, p)
	for message, f := range map[string]func(){
		"coloring: pattern is not square: 2×3":                                   func() { New(Star, oblong) },
		"coloring: pattern is not symmetric: it has (0, 1) but not (1, 0)":       func() { New(Acyclic, sparsity.Banded(3, 0, 1)) },
		"coloring: unknown kind":                                                 func() { New(Kind(77), p) },
		"coloring: column coloring of 2 columns and 0 rows given, needs 3 and 0": func() { FromColors(Column, oblong, make([]int, 2), nil) },
		"coloring: star bicoloring of 3 columns and 0 rows given, needs 3 and 2": func() { FromColors(StarBicoloring, oblong, make([]int, 3), nil) },
		"coloring: color out of range":                                           func() { c.Columns().Class(-1) },
		"coloring: seed of another length":                                       func() { c.Columns().Seed(make([]float64, 3), 1) },
		"coloring: target has positions outside the colored pattern":             func() { c.Recovery(sparsity.Full(5, 5)) },
		"coloring: recovery of a 2×3 pattern from the coloring of a 5×5 one":     func() { c.Recovery(oblong) },
		"coloring: recovery of a 2×5 pattern from the coloring of a 5×5 one":     func() { c.Recovery(sparsity.Full(2, 5)) },
		"coloring: nothing can be recovered from a distance-1 coloring":          func() { New(Distance1, p).Recovery(nil) },
		"coloring: target lacks an entry that others are computed from":          func() { New(Acyclic, p).Recovery(sparsity.Diagonal(5)) },
		"coloring: recovery with wrong lengths":                                  func() { c.Recovery(nil).GatherColumns(make([]float64, 13), 0, make([]float64, 6)) },
	} {
		require.PanicsWithValue(t, message, f)
	}
	require.PanicsWithValue(t, "coloring: no pattern", func() { New(Star, nil) })
	require.Panics(t, func() { c.Recovery(nil).Finish(nil) })
	require.Panics(t, func() { c.Recovery(nil).GatherRows(make([]float64, 13), 0, make([]float64, 6)) })
	require.Panics(t, func() { c.Columns().Class(3) })
	require.PanicsWithValue(t, "coloring: color out of range", func() { c.Recovery(nil).GatherColumns(make([]float64, 13), c.Num(), make([]float64, 5)) })
}

func TestColoringsOfLargeRandomGraphsAreValid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 20000
	var i, j []int
	ends := []int{0}
	for v := 1; v < n; v++ { // preferential attachment
		for range 3 {
			w := ends[r.IntN(len(ends))]
			i, j = append(i, v), append(j, w)
			ends = append(ends, v, w)
		}
	}
	p := symmetric(n, i, j)
	for _, kind := range allKinds {
		require.NoError(t, New(kind, p, Natural, SmallestLast).Verify(p), "%v", kind)
	}
}
