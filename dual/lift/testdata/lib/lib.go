// Package lib is another package, whose code lift copies.
package lib

type level float64

func (l *level) set(v float64) { *l = level(v) }

var scale level = 1

// SetScale changes scale by a method with a pointer receiver.
func SetScale(v float64) { scale.set(v) }

var table = []float64{1, 1}

// SetTable changes the elements of table by copy.
func SetTable(v ...float64) { copy(table, v) }

var weights = []float64{1, 1}

// Weights gives weights out.
func Weights() []float64 { return weights }

var base = 1.0

// SetBase changes base by range.
func SetBase(v ...float64) {
	for _, base = range v {
	}
}

var rows = [2][]float64{{1}, {2}}

// SetRow changes rows by a local variable.
func SetRow(v float64) {
	r := rows[1]
	clear(r)
	r[0] = v
}

var grid [2][2]float64

// SetGrid changes grid by a loop over its address.
func SetGrid(v float64) {
	for i := range &grid {
		p := &grid[i]
		p[0] = v
	}
}

var counts = map[string]float64{"a": 1}

func fill(m map[string]float64, v float64) { m["a"] = v }

// SetCounts changes counts by a function.
func SetCounts(v float64) { fill(counts, v) }

var (
	coefficients = [...]float64{1, 2, 3}
	knots        = [][]float64{{1, 2}, {3, 4}}
	names        = map[string]int{"a": 1}
)

func Scaled(x float64) float64   { return x * float64(scale) }
func Tabled(x float64) float64   { return x * table[1] }
func Weighted(x float64) float64 { return x * weights[1] }
func Based(x float64) float64    { return x * base }
func Rowed(x float64) float64    { return x * rows[1][0] }
func Gridded(x float64) float64  { return x * grid[1][0] }
func Counted(x float64) float64  { return x * counts["a"] }

// Constant uses variables that nothing changes.
func Constant(x float64) float64 {
	s := horner(x, coefficients[:])
	for _, k := range knots {
		s += x * k[1]
	}
	local := knots[0]
	return s*local[0] + float64(names["a"]*len(coefficients))
}

func horner(x float64, c []float64) float64 {
	s := 0.0
	for _, c := range c {
		s = s*x + c
	}
	return s
}

// Largest uses the builtin max on data.
func Largest(x float64, w []float64) float64 { return x * max(w[0], w[1]) }
