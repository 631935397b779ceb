package dual_test

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/reverse"
)

var update = flag.Bool("update", false, "write accuracy.md")

// A golden is a line of golden.csv, with the true numbers and their conditions.
type golden struct {
	name       string
	p, x, y    float64
	want, cond []float64
}

func readGolden(t *testing.T, name string) []golden {
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]golden, len(lines))
	for k, line := range lines {
		v := make([]float64, len(line)-1)
		for i, cell := range line[1:] {
			if v[i], err = strconv.ParseFloat(cell, 64); err != nil && !math.IsInf(v[i], 0) {
				t.Fatal(err)
			}
		}
		g := golden{name: line[0], p: v[0], x: v[1], y: v[2]}
		for i := 3; i < len(v); i += 2 {
			g.want = append(g.want, v[i])
			g.cond = append(g.cond, v[i+1])
		}
		all[k] = g
	}
	return all
}

// convention is the operation of g.
func (g golden) convention() convention {
	c := convention{function: g.name, n: 1}
	switch {
	case strings.HasPrefix(g.name, "RegIncBeta"):
		c.n = 2
		c.function += " " + strconv.FormatFloat(g.p, 'g', -1, 64)
	case len(g.want) == 6:
		c.n = 2
	case g.name == "PowReal" || g.name == "PowInt" || g.name == "Polygamma":
		c.function += " " + strconv.FormatFloat(g.p, 'g', -1, 64)
	}
	return c
}

// numbers is value, gradient and Hessian of g by hyper-dual numbers, or what
// in and out make them of.
func numbers[T dual.Scalar[T]](g golden, in func(v, d1, d2 float64) T, out func(T) (v, d1, d2, d12 float64)) []float64 {
	c := g.convention()
	f := function[T](c)
	if c.n == 1 {
		v, d, _, dd := out(f([]T{in(g.x, 1, 1)}))
		return []float64{v, d, dd}
	}
	v, dx, _, dxx := out(f([]T{in(g.x, 1, 1), in(g.y, 0, 0)}))
	_, _, dy, dxy := out(f([]T{in(g.x, 1, 0), in(g.y, 0, 1)}))
	_, _, _, dyy := out(f([]T{in(g.x, 0, 0), in(g.y, 1, 1)}))
	return []float64{v, dx, dy, dxx, dxy, dyy}
}

func (g golden) flat() []float64   { return numbers(g, inHyper, outHyper) }
func (g golden) nested() []float64 { return numbers(g, inNested, outNested) }

// worst is the largest errors of a function's value, first and second
// derivative: where the condition is at most 2, and over c + 1 elsewhere; −1
// where there are no such points.
type worst struct {
	points    int
	well, ill [3]float64
	at        [2][3]string
}

func newWorst() worst { return worst{well: [3]float64{-1, -1, -1}, ill: [3]float64{-1, -1, -1}} }

func (w *worst) add(g golden, got []float64, nested bool) {
	w.points++
	gamma := strings.HasSuffix(strings.ToLower(g.name), "gamma") || strings.HasPrefix(g.name, "RegInc")
	for i, v := range got {
		order := min(i, 2)
		if len(got) == 6 {
			order = []int{0, 1, 1, 2, 2, 2}[i]
		}
		c, unit := g.cond[i], ulp(g.want[i])
		if g.name == "LogSumExp" && order == 2 {
			unit = ulp(max(g.want[1], g.want[2]))
		}
		if nested {
			switch {
			case outOfRange(g.want):
				continue
			case g.name == "Hypot" && order == 2:
				unit = ulp(1 / g.want[0])
			case g.name == "Atan2" && g.want[i] == 0:
				unit = ulp(g.want[3])
			case g.name == "Pow", g.name == "PowReal":
				c += math.Abs(math.Log(g.x))
			}
		}
		err := 0.0
		if v != g.want[i] {
			err = math.Abs(v-g.want[i]) / unit
		}
		if err != err {
			err = math.Inf(1)
		}
		e, at := &w.well, &w.at[0]
		if c > 2 || gamma {
			err /= c + 1
			e, at = &w.ill, &w.at[1]
		}
		if err > e[order] {
			e[order] = err
			at[order] = fmt.Sprintf("%s %g at (%g, %g), number %d is %g, want %g, condition %.3g", g.name, g.p, g.x, g.y, i, v, g.want[i], c)
		}
	}
}

// bounds are those of accuracy.md on value, first and second derivative by
// the rules and by nested ones.
var bounds = [2][3]float64{{2, 2, 4}, {2, 4, 8}}

func (w *worst) check(t *testing.T, way string, bound [3]float64) {
	t.Helper()
	for order := range bound {
		if w.well[order] > bound[order] {
			t.Errorf("%s: %.1f ulp: %s", way, w.well[order], w.at[0][order])
		}
		if w.ill[order] > 4 {
			t.Errorf("%s: %.1f(c + 1) ulp: %s", way, w.ill[order], w.at[1][order])
		}
	}
}

// outOfRange reports whether a number is beyond where its square and the
// square of its inverse are normal, so that partials of nested rules may leave
// the range of float64.
func outOfRange(want []float64) bool {
	for _, v := range want {
		if a := math.Abs(v); a != 0 && !(a > 1e-150 && a < 1e150) {
			return true
		}
	}
	return false
}

// ulp is the unit in the last place of v.
func ulp(v float64) float64 {
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-53, -1074))
}

// A row is a line of the table: the largest errors well and ill conditioned, of
// value, first and second derivative, nested first and second one; of Taylor coefficients to
// order 5 and 20.
type row [12]float64

func (e row) String() string {
	var s strings.Builder
	for i, v := range e {
		cell := "–"
		if v >= 0 {
			cell = strconv.FormatFloat(v, 'f', 1, 64)
		}
		s.WriteString(cell + []string{" / ", " | "}[i%2])
	}
	return strings.TrimSuffix(s.String(), " ")
}

// accuracyTable reads accuracy.md: the text before the table's lines, and these
// by operation.
func accuracyTable(t *testing.T) (text string, table map[string]row) {
	doc, err := os.ReadFile("accuracy.md")
	require.NoError(t, err)
	const head = "|---|---|---|---|---|---|---|---|\n"
	text, lines, found := strings.Cut(string(doc), head)
	require.True(t, found)
	table = map[string]row{}
	for line := range strings.Lines(lines) {
		var e row
		cells := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|/ \n", r) })
		for i, cell := range cells[2:] {
			if e[i], err = strconv.ParseFloat(cell, 64); cell == "–" {
				e[i], err = -1, nil
			}
			require.NoError(t, err)
		}
		table[cells[0]] = e
	}
	return text + head, table
}

// An operation has lines in conventions.md, and in golden.csv if it is a function of its own
// that is smooth.
func TestEveryOperationHasItsLines(t *testing.T) {
	conventions, golden := map[string]bool{}, map[string]bool{}
	for _, c := range readConventions(t) {
		name, _, _ := strings.Cut(c.function, " ")
		conventions[name] = true
	}
	for _, g := range readGolden(t, "golden.csv") {
		golden[g.name] = true
	}
	for c := range op.All {
		if r := c.Info(); r.Method != "" && !conventions[r.Name] {
			t.Errorf("%s has no line in conventions.md", r.Name)
		}
		own := c.Class() == op.Unary || c.Class() == op.Binary
		if own && !c.Linear() && c.Info().Full == op.Const && !golden[c.String()] {
			t.Errorf("%v has no lines in testdata/golden.csv: a line in golden.py, and python3 golden.py %[1]v", c)
		}
	}
}

// The errors of the functions are within the bounds, and on every processor at
// most those of the table, which -update raises.
func TestAccuracyIsThatOfTheTable(t *testing.T) {
	var names []string
	all := map[string]*[2]worst{}
	for _, g := range readGolden(t, "golden.csv") {
		if all[g.name] == nil {
			all[g.name] = &[2]worst{newWorst(), newWorst()}
			names = append(names, g.name)
		}
		all[g.name][0].add(g, g.flat(), false)
		all[g.name][1].add(g, g.nested(), true)
	}
	taylor := taylorErrors(t)
	text, table := accuracyTable(t)
	for _, name := range names {
		flat, nested := &all[name][0], &all[name][1]
		flat.check(t, "hyper-dual", bounds[0])
		nested.check(t, "nested", bounds[1])
		e, known := table[name]
		for i := range e {
			w, order := flat, i/2
			if order > 2 {
				w, order = nested, min(order-2, 2)
			}
			err := [2][3]float64{w.well, w.ill}[i%2][order]
			if i >= 10 {
				err = -1
				if e, ok := taylor[name]; ok {
					err = e[i-10]
				}
			}
			err = math.RoundToEven(err*10) / 10 // as written
			if !known || err > e[i] {
				if !*update {
					t.Errorf("column %d of accuracy.md has %.1f for %s, here are %.1f (-update writes it)", i, e[i], name, err)
				}
				e[i] = err
			}
		}
		text += fmt.Sprintf("| %s | %d | %v\n", name, flat.points, e)
	}
	if *update {
		require.NoError(t, os.WriteFile("accuracy.md", []byte(text), 0o644))
	}
}

// taylorErrors is the largest errors of Taylor coefficients to order 5 and 20, in ulp over c + 1, −1
// of functions that are not in taylor.csv. They grow with the order, by the terms of recurrences.
func taylorErrors(t *testing.T) map[string][2]float64 {
	const order = 20
	worst := map[string][2]float64{}
	for _, g := range readGolden(t, "taylor.csv") {
		c := g.convention()
		args := []float64{g.x}
		if g.y != 0 {
			c.n, args = 2, append(args, g.y)
		}
		memory := dual.NewTaylors(order)
		x := []dual.Taylor{memory.Variable(g.x, 1), memory.Variable(g.y, -0.5)}
		z := function[dual.Taylor](c)(x[:len(args)])
		w := worst[g.name]
		for k, want := range g.want {
			if want == 0 {
				if z.Coefficient(k) != 0 {
					t.Errorf("coefficient %d of %s %g at %v: %v, want 0", k, g.name, g.p, args, z.Coefficient(k))
				}
				continue
			}
			err := math.Abs(z.Coefficient(k)-want) / ulp(want) / (g.cond[k] + 1)
			limit := 100.0
			if g.name == "Pow" {
				limit = 1e6 // z′ = z(y ln x)′ amplifies the errors of all orders below
			}
			if !(err < limit) {
				t.Errorf("coefficient %d of %s %g at %v: %v, want %v, condition %.3g", k, g.name, g.p, args, z.Coefficient(k), want, g.cond[k])
			}
			if k <= 5 {
				w[0] = max(w[0], err)
			}
			w[1] = max(w[1], err)
		}
		worst[g.name] = w
	}
	return worst
}

// A sum of an operation at all points has the derivatives of the operation:
// sweeps those of the rules, bit for bit, transforms and terms those of nested
// rules.
func TestAccuracyOfTapes(t *testing.T) {
	at := map[string][]golden{}
	for _, g := range readGolden(t, "golden.csv") {
		if !outOfRange(g.want) {
			at[g.name] = append(at[g.name], g)
		}
	}
	for name, points := range at {
		n := points[0].convention().n
		var x []float64
		for _, g := range points {
			x = append(x, []float64{g.x, g.y}[:n]...)
		}
		tape, err := reverse.Record(func(x []reverse.Var) (s reverse.Var) {
			for i, g := range points {
				s = s.Add(function[reverse.Var](g.convention())(x[n*i : n*i+n]))
			}
			return s
		}, x)
		require.NoError(t, err)
		byStrategy := func(s hessian.Strategy) func(d []float64) mat.Matrix {
			return func(d []float64) mat.Matrix {
				h := blocks{n: n}
				for c := range n { // the points have no variables in common
					v := make([]float64, len(x))
					for i := c; i < len(x); i += n {
						v[i] = 1
					}
					hv, err := hessian.New(tape, s).HVP(nil, x, v)
					require.NoError(t, err)
					h.columns = append(h.columns, hv)
				}
				_, err := tape.Gradient(d, x)
				require.NoError(t, err)
				return h
			}
		}
		for way, eval := range map[string]func(d []float64) mat.Matrix{
			"FoR": byStrategy(hessian.FoR), "RoF": byStrategy(hessian.RoF), "RoR": byStrategy(hessian.RoR),
			"terms": func(d []float64) mat.Matrix {
				p, err := hessian.SparseSettings{Method: hessian.ByTerms}.New(tape)
				if errors.Is(err, reverse.ErrNoTerms) {
					if !strings.HasPrefix(name, "RegInc") {
						t.Errorf("no terms in a sum of %s", name)
					}
					return nil
				}
				require.NoError(t, err)
				h := p.Matrix()
				_, err = p.EvalAll(h, d, x)
				require.NoError(t, err)
				return h
			},
		} {
			d := make([]float64, len(x))
			h := eval(d)
			if h == nil {
				continue
			}
			w := newWorst()
			for i, g := range points {
				flat := g.flat()
				got := []float64{flat[0], d[n*i], h.At(n*i, n*i)}
				if n == 2 {
					i *= 2
					got = []float64{flat[0], d[i], d[i+1], h.At(i, i), h.At(i, i+1), h.At(i+1, i+1)}
				}
				w.add(g, got, way != "FoR")
				if way == "FoR" && name != "LogSumExp" && !slices.Equal(got, flat) {
					t.Errorf("%s %g at (%g, %g): %v on a tape, %v by hyper-dual numbers", name, g.p, g.x, g.y, got, flat)
				}
			}
			bound := bounds[1]
			if way == "FoR" {
				bound = bounds[0]
			}
			w.check(t, way, bound)
		}
	}
}

// blocks is a matrix of n×n blocks on the diagonal: column j of each is in
// columns[j].
type blocks struct {
	n       int
	columns [][]float64
}

func (b blocks) At(i, j int) float64 { return b.columns[j%b.n][i] }
func (b blocks) Dims() (r, c int)    { return len(b.columns[0]), len(b.columns[0]) }
func (b blocks) T() mat.Matrix       { return mat.Transpose{Matrix: b} }
