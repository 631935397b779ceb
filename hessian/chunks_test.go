package hessian_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// logistic is a term of logistic regression, ln(1 + exp(−y·aᵀx)), of a row [a, y].
func logistic(x, p []reverse.Var) reverse.Var {
	n := len(x)
	return dual.Dot(p[:n], x).Mul(p[n]).Neg().Softplus()
}

// logisticRow sets row r of made-up data.
func logisticRow(row []float64, r int) {
	n := len(row) - 1
	s := 0.0
	for i := range n {
		row[i] = math.Sin(float64(r*(i+3)) + float64(i*i))
		s += row[i] * math.Cos(float64(i))
	}
	row[n] = math.Copysign(1, s+2*math.Sin(float64(7*r)))
}

// logisticData are chunks of so many rows, in a buffer that is used again.
func logisticData(n, rows, chunk int) iter.Seq2[[]float64, error] {
	return func(yield func([]float64, error) bool) {
		buffer := make([]float64, chunk*(n+1))
		for r := 0; r < rows; r += chunk {
			k := min(chunk, rows-r)
			for i := range k {
				logisticRow(buffer[i*(n+1):(i+1)*(n+1)], r+i)
			}
			if !yield(buffer[:k*(n+1)], nil) {
				return
			}
		}
	}
}

// all is data as one slice.
func all(data iter.Seq2[[]float64, error]) (p []float64) {
	for c := range data {
		p = append(p, c...)
	}
	return p
}

// divided is p in chunks of the given rows each, the rest in one.
func divided(p []float64, d int, rows ...int) iter.Seq2[[]float64, error] {
	return func(yield func([]float64, error) bool) {
		p := p
		for _, k := range append(rows, len(p)/d) {
			k = min(k*d, len(p))
			if !yield(p[:k:k], nil) {
				return
			}
			p = p[k:]
		}
	}
}

func start(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 0.3 * math.Cos(float64(i))
	}
	return x
}

// The sum over chunks is that of one tape over all rows.
func TestChunksAreTheSum(t *testing.T) {
	const n = 6
	x := start(n)
	row := make([]float64, n+1)
	logisticRow(row, 0)
	for _, rows := range []int{0, 1, 1023, 1024, 1025, 2500} {
		data := all(logisticData(n, rows, 100))
		tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
			var s reverse.Var
			for r := range rows {
				p := make([]reverse.Var, n+1)
				for i := range p {
					p[i] = dual.Const[reverse.Var](data[r*(n+1)+i])
				}
				s = s.Add(logistic(x, p))
			}
			return s
		}, x)
		require.NoError(t, err)
		want, wantG, err := tape.ValueGradient(nil, x)
		require.NoError(t, err)
		wantH, err := hessian.New(tape, hessian.FoR).Dense(nil, x)
		require.NoError(t, err)
		for _, o := range []hessian.SparseSettings{{}, {Lower: true}, {Method: hessian.ByStar}, {Workers: 3}} {
			c, err := o.NewChunks(logistic, x, row)
			require.NoError(t, err)
			h, g := c.Matrix(), make([]float64, n)
			f, err := c.EvalAll(h, g, x, divided(data, n+1, 3, 500))
			require.NoError(t, err)
			require.InDelta(t, want, f, 1e-11)
			require.InDeltaSlice(t, wantG, g, 1e-11)
			k := 0
			for i := range n {
				for _, j := range h.Pattern().Row(i) {
					require.InDelta(t, wantH.At(i, int(j)), h.Values()[k], 1e-11)
					k++
				}
			}
			clear(g)
			f, _, err = c.ValueGradient(g, x, divided(data, n+1))
			require.NoError(t, err)
			require.InDelta(t, want, f, 1e-11)
			require.InDeltaSlice(t, wantG, g, 1e-11)
			require.Contains(t, c.Explain(), "blocks of 1024 rows")
		}
	}
}

// The bits depend neither on the chunks nor on the workers.
func TestChunksOfAnySizeGiveTheSameBits(t *testing.T) {
	const n, rows = 3, 3500
	x, row := start(n), make([]float64, n+1)
	logisticRow(row, 0)
	data := all(logisticData(n, rows, rows))
	one, err := hessian.NewChunks(logistic, x, row)
	require.NoError(t, err)
	h, g := one.Matrix(), make([]float64, n)
	f, err := one.EvalAll(h, g, x, divided(data, n+1))
	require.NoError(t, err)
	byWorkers := map[int]*hessian.Chunks{}
	for _, w := range []int{1, 2, 5} {
		byWorkers[w], err = hessian.SparseSettings{Workers: w}.NewChunks(logistic, x, row)
		require.NoError(t, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := byWorkers[rapid.SampledFrom([]int{1, 2, 5}).Draw(t, "workers")]
		chunks := rapid.SliceOfN(rapid.IntRange(0, 1500), 0, 10).Draw(t, "rows")
		h2, g2 := c.Matrix(), make([]float64, n)
		f2, err := c.EvalAll(h2, g2, x, divided(data, n+1, chunks...))
		require.NoError(t, err)
		require.Equal(t, f, f2)
		require.Equal(t, g, g2)
		require.Equal(t, h.Values(), h2.Values())
		f2, _, err = c.ValueGradient(g2, x, divided(data, n+1, chunks...))
		require.NoError(t, err)
		require.Equal(t, f, f2)
		require.Equal(t, g, g2)
	})
}

// Errors say where, and leave the results alone.
func TestChunkErrors(t *testing.T) {
	x := []float64{1, 2}
	row := []float64{1}
	bad := errors.New("disk")
	branch := func(x, p []reverse.Var) reverse.Var {
		if p[0].LessReal(0) {
			return x[0]
		}
		return x[0].Mul(x[1]).Mul(p[0])
	}
	positive := slices.Repeat([]float64{2}, 1000)
	negative := slices.Clone(positive)
	negative[700] = -1
	negative[900] = -1
	for _, workers := range []int{1, 3} {
		c, err := hessian.SparseSettings{Workers: workers}.NewChunks(branch, x, row)
		require.NoError(t, err)
		for _, e := range []struct {
			chunks     [][]float64
			chunk, row int
			want       error
		}{
			{[][]float64{positive, nil}, 1, -1, bad},
			{[][]float64{nil}, 0, -1, bad},
			{[][]float64{positive, positive, negative}, 2, 2700, nil},
			{[][]float64{positive, negative[650:], negative, nil}, 1, 1050, nil},
			{[][]float64{{}, positive[:9], {1, -1}}, 2, 10, nil},
		} {
			h, g := c.Matrix(), []float64{7, 7}
			for i := range h.Values() {
				h.Values()[i] = 7
			}
			_, err := c.EvalAll(h, g, x, func(yield func([]float64, error) bool) {
				for _, p := range e.chunks {
					if p == nil {
						yield(nil, bad)
						return
					}
					if !yield(p, nil) {
						return
					}
				}
			})
			var at *hessian.ChunkError
			require.ErrorAs(t, err, &at)
			require.Equal(t, e.chunk, at.Chunk)
			require.Equal(t, e.row, at.Row)
			if e.want != nil {
				require.ErrorIs(t, err, e.want)
			} else {
				var b *reverse.BranchError
				require.ErrorAs(t, err, &b)
				require.Equal(t, -1.0, b.X)
			}
			require.Equal(t, []float64{7, 7}, g)
			for _, v := range h.Values() {
				require.Equal(t, 7.0, v)
			}
		}
		f, _, err := c.ValueGradient(nil, x, divided(positive, 1, 3))
		require.NoError(t, err, "after errors")
		require.Equal(t, 4000.0, f)
	}
	two, err := hessian.NewChunks(func(x, p []reverse.Var) reverse.Var { return x[0].Mul(p[0]).Mul(p[1]).Mul(x[1]) }, x, []float64{1, 1})
	require.NoError(t, err)
	_, _, err = two.ValueGradient(make([]float64, 2), x, divided([]float64{1, 2, 3}, 1, 2, 1))
	require.EqualError(t, err, "hessian: chunk 1: its length is no multiple of that of a row")

	require.Panics(t, func() { _, _ = hessian.NewChunks(branch, x, nil) })
	require.Panics(t, func() { _, _ = hessian.NewChunks(nil, x, row) })
	require.Panics(t, func() { _, _, _ = two.ValueGradient(make([]float64, 1), x, divided(nil, 1)) })
	require.Panics(t, func() { _, _, _ = two.ValueGradient(make([]float64, 2), x[:1], divided(nil, 1)) })
	require.Panics(t, func() { _, _ = two.EvalAll(nil, make([]float64, 2), x, divided(nil, 1)) })
	require.PanicsWithValue(t, "hessian: nil data", func() { _, _, _ = two.ValueGradient(nil, x, nil) })
}

// Panics of a primitive and of the data are those of the caller, and nothing stays
// behind.
func TestChunksPanic(t *testing.T) {
	armed := false
	trap := reverse.NewPrimitive("trap", func(x float64) float64 {
		if armed && x < 0 {
			panic("negative")
		}
		return x
	}, func(float64) float64 { return 1 }, func(float64) float64 { return 0 })
	x := []float64{1}
	for _, workers := range []int{1, 3} {
		c, err := hessian.SparseSettings{Workers: workers}.NewChunks(func(x, p []reverse.Var) reverse.Var {
			return trap.Apply(p[0].Mul(x[0])).Mul(x[0])
		}, x, x)
		require.NoError(t, err)
		data := slices.Repeat([]float64{1}, 5000)
		g := make([]float64, 1)
		armed = true
		data[3000] = -1
		require.PanicsWithValue(t, "negative", func() { _, _, _ = c.ValueGradient(g, x, divided(data, 1, 100)) })
		data[3000] = 1
		require.PanicsWithValue(t, "data", func() {
			_, _, _ = c.ValueGradient(g, x, func(yield func([]float64, error) bool) {
				yield(data, nil)
				panic("data")
			})
		})
		f, _, err := c.ValueGradient(g, x, divided(data, 1, 100))
		require.NoError(t, err)
		require.Equal(t, 5000.0, f)
		armed = false
	}
}

// One Chunks serves several goroutines.
func TestChunksConcurrent(t *testing.T) {
	const n = 4
	x, row := start(n), make([]float64, n+1)
	logisticRow(row, 0)
	c, err := hessian.SparseSettings{Workers: 2}.NewChunks(logistic, x, row)
	require.NoError(t, err)
	values := make(chan float64)
	for range 4 {
		go func() {
			f, _ := c.EvalAll(c.Matrix(), make([]float64, n), x, logisticData(n, 2000, 300))
			values <- f
		}()
	}
	first := <-values
	require.NotZero(t, first)
	for range 3 {
		require.Equal(t, first, <-values)
	}
}

// reader are chunks of a file of little-endian numbers.
func reader(r io.Reader, d int) iter.Seq2[[]float64, error] {
	return func(yield func([]float64, error) bool) {
		raw, p := make([]byte, 8*d*100), make([]float64, d*100)
		for {
			k, err := io.ReadFull(r, raw)
			if err == io.EOF {
				return
			}
			if err != nil && err != io.ErrUnexpectedEOF {
				yield(nil, err)
				return
			}
			for i := range k / 8 {
				p[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
			}
			if !yield(p[:k/8], nil) {
				return
			}
		}
	}
}

// Data may come from a file.
func TestChunksOfAFile(t *testing.T) {
	const n = 3
	x, row := start(n), make([]float64, n+1)
	logisticRow(row, 0)
	c, err := hessian.NewChunks(logistic, x, row)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, binary.Write(&file, binary.LittleEndian, all(logisticData(n, 1234, 7))))
	g, want := make([]float64, n), make([]float64, n)
	f, _, err := c.ValueGradient(g, x, reader(&file, n+1))
	require.NoError(t, err)
	wantF, _, err := c.ValueGradient(want, x, logisticData(n, 1234, 7))
	require.NoError(t, err)
	require.Equal(t, wantF, f)
	require.Equal(t, want, g)
}

// BenchmarkChunks is value, gradient and Hessian of a logistic regression, a row an
// operation, with the memory of the whole process: go test -bench Chunks -benchtime
// 100000000x ./hessian sums up 10⁸ of them, 8.8 GB of data.
func BenchmarkChunks(b *testing.B) {
	const n, chunk = 10, 1000
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			x, row := start(n), make([]float64, n+1)
			logisticRow(row, 0)
			c, err := hessian.SparseSettings{Workers: workers, Lower: true}.NewChunks(logistic, x, row)
			require.NoError(b, err)
			h, g := c.Matrix(), make([]float64, n)
			buffer, state := make([]float64, chunk*(n+1)), uint64(1)
			data := func(yield func([]float64, error) bool) {
				for left := b.N; left > 0; left -= chunk {
					for i := range buffer {
						state = state*6364136223846793005 + 1442695040888963407
						buffer[i] = float64(int64(state)) * 0x1p-63
					}
					if !yield(buffer[:min(chunk, left)*(n+1)], nil) {
						return
					}
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			_, err = c.EvalAll(h, g, x, data)
			require.NoError(b, err)
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/1e6, "MB")
		})
	}
}
