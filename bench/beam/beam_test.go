package beam

import (
	"context"
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/sparsity"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	os.Exit(m.Run())
}

func prism(ctx context.Context, p *beam.Pipeline) error {
	_, err := beam.Run(ctx, "prism", p)
	return err
}

// The fits find the parameters that the data are from, to within five standard errors,
// the roots of the diagonal of the inverse Hessian.
func TestFits(t *testing.T) {
	const rows = 20_000
	for name, m := range Models {
		f := Fit{Model: name, Parts: Parts(rows, 7), Run: prism, Dir: t.TempDir()}
		r, err := f.Minimize(context.Background())
		require.NoError(t, err, name)
		s, err := f.pass(context.Background(), r.X)
		require.NoError(t, err)
		for i, want := range m.True {
			require.InDelta(t, want, r.X[i], 5*standardError(t, f, s, i), "%s, parameter %d", name, i)
		}
		require.Less(t, r.Passes, 30)
	}
}

func standardError(t *testing.T, f Fit, s Sum, i int) float64 {
	c, err := plans[f.Model]()
	require.NoError(t, err)
	h := c.Matrix()
	copy(h.Values(), s.H)
	unit, column := make([]float64, len(s.G)), make([]float64, len(s.G))
	unit[i] = -1
	_, err = solve(column, sparsity.NewSymMatrix(h), unit, 0)
	require.NoError(t, err)
	return math.Sqrt(column[i])
}

// Sums over any parts, from files too, are that of one pass of hessian.Chunks.
func TestSums(t *testing.T) {
	const rows = 5000
	ctx := context.Background()
	for name, m := range Models {
		c, err := plans[name]()
		require.NoError(t, err)
		h, g := c.Matrix(), make([]float64, len(m.Start))
		f, err := c.EvalAll(h, g, m.True, Part{End: rows}.rows(ctx, m))
		require.NoError(t, err)

		dir := t.TempDir()
		for i, p := range Parts(rows, 3) {
			w, err := os.Create(filepath.Join(dir, "rows-"+string(rune('a'+i))))
			require.NoError(t, err)
			for chunk := range p.rows(ctx, m) {
				require.NoError(t, binary.Write(w, binary.LittleEndian, chunk))
			}
			require.NoError(t, w.Close())
		}
		files, err := Files(ctx, filepath.Join(dir, "rows-*"))
		require.NoError(t, err)
		require.Len(t, files, 3)
		for _, parts := range [][]Part{Parts(rows, 1), Parts(rows, 5), files} {
			fit := Fit{Model: name, Parts: parts, Run: prism, Dir: t.TempDir()}
			s, err := fit.pass(ctx, m.True)
			require.NoError(t, err)
			require.InEpsilon(t, f, s.F, 1e-12)
			require.InDeltaSlice(t, g, s.G, 1e-12*f)
			require.InDeltaSlice(t, h.Values(), s.H, 1e-12*f)
		}
	}
}

// What is wrong with the data fails the pass and is named.
func TestBadData(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "rows")
	require.NoError(t, os.WriteFile(file, make([]byte, 8*20+3), 0o666))
	fit := Fit{Model: "logistic", Parts: []Part{{File: file}}, Run: prism, Dir: dir}
	_, err := fit.Minimize(context.Background())
	require.ErrorContains(t, err, "chunk 0: ")
	require.ErrorContains(t, err, "163 bytes at its end")
	_, err = Files(context.Background(), filepath.Join(dir, "none-*"))
	require.ErrorContains(t, err, "no files")
	_, err = (&Fit{Model: "quadratic"}).Minimize(context.Background())
	require.EqualError(t, err, `beam: no model "quadratic"`)
}
