package sweep_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/internal/bounds"
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/reverse"
)

// A layer of a network has as many units as rows; a unit is a sum of products of
// weights and what the layer before has.
type layer struct {
	units   int
	weights string
	reverse bool // the weights of the last unit come first
	swapped bool // the products are written in the other order
	f       string
}

// drawNetwork draws a chain of layers, the weights among the variables or not,
// with weights 1 of its outputs.
func drawNetwork(t *rapid.T) (p *sweep.Engine, x, w []float64) {
	width := rapid.IntRange(1, 18).Draw(t, "width")
	layers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) layer {
		return layer{
			units:   rapid.IntRange(1, 18).Draw(t, "units"),
			weights: rapid.SampledFrom([]string{"variables", "functions", "constants", "parameters", "shared"}).Draw(t, "weights"),
			reverse: rapid.Bool().Draw(t, "reverse"),
			swapped: rapid.Bool().Draw(t, "swapped"),
			f:       rapid.SampledFrom([]string{"sin", "square", "none"}).Draw(t, "f"),
		}
	}), 1, 4).Draw(t, "layers")
	summed := rapid.Bool().Draw(t, "summed")
	weightsFirst := rapid.Bool().Draw(t, "weights first")

	count, n := 0, width
	for _, l := range layers {
		if l.weights == "variables" || l.weights == "functions" {
			count += l.units * n
		}
		n = l.units
	}
	value := func(i int) float64 { return math.Cos(3*float64(i)) / 2 }
	x = make([]float64, width+count)
	for i := range x {
		x[i] = value(i)
	}
	params := []float64{0.75, -0.5}
	f := func(x, params []reverse.Var) []reverse.Var {
		h, rest := x[:width], x[width:]
		if weightsFirst {
			h, rest = x[count:], x[:count]
		}
		for _, l := range layers {
			n := len(h)
			next := make([]reverse.Var, l.units)
			for i := range next {
				w := make([]reverse.Var, n)
				for j := range w {
					switch l.weights {
					case "variables", "functions":
						k := i*n + j
						if l.reverse {
							k = (l.units-1-i)*n + j
						}
						w[j] = rest[k]
						if l.weights == "functions" {
							w[j] = w[j].Sin()
						}
					case "constants":
						w[j] = dual.Const[reverse.Var](value(i + 5*j))
					case "parameters":
						w[j] = params[(i+j)%2]
					case "shared": // all units have the same, with a factor
						w[j] = h[n-1-j]
					}
				}
				if l.swapped {
					next[i] = dual.Dot(h, w)
				} else {
					next[i] = dual.Dot(w, h)
				}
				if l.weights == "shared" {
					next[i] = next[i].AddReal(value(i))
				}
				switch l.f {
				case "sin":
					next[i] = next[i].Sin()
				case "square":
					next[i] = next[i].Square()
				}
			}
			if l.weights == "variables" || l.weights == "functions" {
				rest = rest[l.units*n:]
			}
			h = next
		}
		if summed {
			return []reverse.Var{dual.Dot(h, h)}
		}
		return h
	}
	tape, err := reverse.RecordParamsVec(f, x, params)
	if err != nil {
		t.Fatal(err)
	}
	return tape.Inside().Engine(), append(x, params...), slices.Repeat([]float64{1}, tape.Outputs())
}

// Batches of rows, single nodes and derivative products compute the same, values
// bit by bit.
func TestRowsAgree(t *testing.T) { rapid.Check(t, rowsAgree) }
func FuzzRowsAgree(f *testing.F) { f.Fuzz(rapid.MakeFuzz(rowsAgree)) }

func rowsAgree(t *rapid.T) {
	p, x, w := drawNetwork(t)
	batchesAgree(t, p, x, w)
}

// Sums of inputs with constant weights, rows of a matrix or not, agree likewise.
func TestTilesAgree(t *testing.T) { rapid.Check(t, tilesAgree) }
func FuzzTilesAgree(f *testing.F) { f.Fuzz(rapid.MakeFuzz(tilesAgree)) }

func tilesAgree(t *rapid.T) {
	n := rapid.IntRange(1, 8).Draw(t, "terms")
	step := rapid.SampledFrom([]int{n, n, n, 2 * n, 1, n + 1}).Draw(t, "step")
	of := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 30).Draw(t, "rows")
	swapped := rapid.Bool().Draw(t, "swapped") // one has its operands in another order
	x := make([]float64, 5*step+n)
	for i := range x {
		x[i] = math.Cos(3*float64(i)) / 2
	}
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, len(of))
		for l, row := range of {
			w, u := make([]float64, n), slices.Clone(x[row*step:][:n])
			for k := range w {
				w[k] = math.Sin(float64(7*l + k + 1))
			}
			if swapped && l == 0 {
				slices.Reverse(u)
			}
			y[l] = dual.Affine(0, w, u).Sin()
		}
		return y
	}, x)
	require.NoError(t, err)
	batchesAgree(t, tape.Inside().Engine(), x, slices.Repeat([]float64{1}, tape.Outputs()))
}

// The affine sums of the steps of a recurrent network are tiles.
func TestTilesAreFound(t *testing.T) {
	const rows, n = 6, 4
	for step, want := range map[int]int{n: 3 * rows, 2 * n: 3 * rows, n + 1: 0, 1: 0} {
		tape, err := reverse.RecordVec(func(x []reverse.Var) (y []reverse.Var) {
			for l := range 3 * rows {
				y = append(y, dual.Affine(0, []float64{1, 2, 3, float64(l + 4)}, x[l%rows*step:][:n]).Sin())
			}
			return y
		}, make([]float64, rows*2*n))
		require.NoError(t, err)
		tiles := 0
		for _, b := range tape.Inside().Engine().Batches() {
			tiles += len(b.Tiles)
		}
		require.Equal(t, want, tiles, "rows %d apart", step)
	}
}

// batchesAgree compares sweeps of a program with those over nodes one by one.
func batchesAgree(t *rapid.T, p *sweep.Engine, x, w []float64) {
	v := make([]float64, p.Inputs())
	zeros := rapid.Bool().Draw(t, "zeros") // most of v is 0
	for i := range v {
		if !zeros || i == len(v)/2 {
			v[i] = math.Sin(2 * float64(i))
		}
	}
	k := rapid.IntRange(1, sweep.MaxDirections).Draw(t, "directions")
	sweeps := func(p *sweep.Engine, careful bool) (*sweep.Workspace, sweep.Products) {
		ws := p.Get()
		_, err := ws.Value(x[:p.Inputs()], x[p.Inputs():])
		require.NoError(t, err)
		ws.Poison()
		r, err := ws.Sweeps(careful, true, k, w, v)
		require.NoError(t, err)
		return ws, r
	}
	single := sweep.Unbatched(p)
	ws, want := sweeps(single, false)
	n := p.Inputs()
	errors := bounds.Of(&p.Tape, bounds.At(x[:n], x[n:], v), w)
	near := func(want, got []float64, bound func(i int) float64) {
		t.Helper()
		for i := range want {
			require.InDelta(t, want[i], got[i], 2*bound(i), "%d", i)
		}
	}
	for _, q := range []*sweep.Engine{p, single} {
		for _, careful := range []bool{false, true} {
			at, got := sweeps(q, careful)
			require.Equal(t, ws.Values(), at.Values())
			near(want.JVP, got.JVP, func(j int) float64 { return errors.Outputs[j].D.E })
			near(want.Gradient, got.Gradient, func(i int) float64 { return errors.Inputs[i].V.E })
			for s := range k {
				require.Equal(t, got.Gradient, got.VJP[s])
				require.Equal(t, got.HVP[0], got.HVP[s])
				near(want.HVP[0], got.HVP[s], func(i int) float64 { return errors.Inputs[i].D.E })
			}
		}
	}
}

// Products of a matrix and a vector form batches of rows, however written.
func TestRowsAreFound(t *testing.T) {
	const m, n = 6, 10
	constants := make([]float64, m*n)
	for i := range constants {
		constants[i] = float64(i%7) - 3
	}
	for name, c := range map[string]struct {
		rows int
		f    func(w [][]reverse.Var, h []reverse.Var) []reverse.Var
	}{
		"Wh": {m, func(w [][]reverse.Var, h []reverse.Var) (y []reverse.Var) {
			for _, w := range w {
				y = append(y, dual.Dot(w, h))
			}
			return y
		}},
		"hW": {m, func(w [][]reverse.Var, h []reverse.Var) (y []reverse.Var) {
			for _, w := range w {
				y = append(y, dual.Dot(h, w))
			}
			return y
		}},
		"constant": {m, func(w [][]reverse.Var, h []reverse.Var) (y []reverse.Var) {
			for i := range w {
				y = append(y, dual.Affine(1, constants[i*n:(i+1)*n], h))
			}
			return y
		}},
		"MulVec": {m, func(w [][]reverse.Var, h []reverse.Var) (y []reverse.Var) {
			return matrix.MulVec(nil, matrix.New(m, len(h), slices.Concat(w...)), h)
		}},
		"two of them": {2 * m, func(w [][]reverse.Var, h []reverse.Var) (y []reverse.Var) {
			for i, wi := range w {
				y = append(y, dual.Dot(wi, h), dual.Affine(0, constants[i*n:(i+1)*n], h))
			}
			return y
		}},
		"nothing shared": {0, func(w [][]reverse.Var, h []reverse.Var) (y []reverse.Var) {
			for i := range w {
				y = append(y, dual.Dot(w[i], w[(i+1)%m]))
			}
			return y
		}},
		"three rows": {0, func(w [][]reverse.Var, h []reverse.Var) (y []reverse.Var) {
			return []reverse.Var{dual.Dot(w[0], h), dual.Dot(w[1], h), dual.Dot(w[2], h)}
		}},
	} {
		tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
			var w [][]reverse.Var
			for i := range m {
				w = append(w, x[i*n:(i+1)*n])
			}
			return c.f(w, x[m*n:])
		}, make([]float64, m*n+n))
		require.NoError(t, err)
		rows := 0
		for _, b := range tape.Inside().Engine().Batches() {
			if b.Kind == compile.Rows {
				rows += int(b.Len())
			}
		}
		require.Equal(t, c.rows, rows, name)
	}
}

// The rows of the upper triangle of a Hessian are the products with unit
// vectors, whatever is left out.
func TestTriangleIsOfProducts(t *testing.T) { rapid.Check(t, triangleIsOfProducts) }
func FuzzTriangleIsOfProducts(f *testing.F) { f.Fuzz(rapid.MakeFuzz(triangleIsOfProducts)) }

func triangleIsOfProducts(t *rapid.T) {
	var p *sweep.Engine
	var x, w []float64
	if rapid.Bool().Draw(t, "network") {
		p, x, w = drawNetwork(t)
	} else {
		c := drawCopies(t, 1, 9, 40)
		p, x, w = c.program, c.x, c.w
		for i := range x { // kinks and poles
			if rapid.IntRange(0, 9).Draw(t, "zero") == 0 {
				x[i] = 0
			}
		}
	}
	n := p.Inputs()
	ws := p.Get()
	linearize := func() {
		_, err := ws.Value(x[:n], x[n:])
		if err != nil {
			t.Fatal(err)
		}
		ws.Poison()
		require.NoError(t, ws.Linearize(w))
	}
	linearize()
	var rows [][]float64
	require.NoError(t, ws.Hessian(func(i int, row []float64) {
		require.Equal(t, len(rows), i)
		rows = append(rows, slices.Clone(row))
	}))
	require.Len(t, rows, n)

	linearize()
	for range 8 {
		i := rapid.IntRange(0, n-1).Draw(t, "row")
		lo := i / sweep.MaxDirections * sweep.MaxDirections
		k := min(sweep.MaxDirections, n-lo)
		whole := func(careful bool) {
			require.NoError(t, ws.Whole(careful, k, func(v []float64, s int) { v[lo+s] = 1 }))
		}
		row := rows[i]
		if whole(false); !finite(row) || !finite(ws.Product(i-lo)) {
			whole(true)
		}
		want := ws.Product(i - lo)[i:n]
		unit := make([]float64, n)
		unit[i] = 1
		errors := bounds.Of(&p.Tape, bounds.At(x[:n], x[n:], unit), w).Inputs[i:]
		for j := range row {
			tol := 2 * errors[j].D.E
			if a, b := row[j], want[j]; !(math.Abs(a-b) <= tol) && a != b && (a == a || b == b) {
				t.Fatalf("row %d: %v, want %v ± %v", i, row, want, tol)
			}
		}
	}
}
