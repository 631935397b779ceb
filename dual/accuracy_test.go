package dual

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write accuracy.md")

// A golden is a line of golden.csv, with the true numbers and their conditions.
type golden struct {
	name       string
	p, x, y    float64
	want, cond []float64
}

func readGolden(t *testing.T) []golden {
	f, err := os.Open("testdata/golden.csv")
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

// goldenOps is the operations of golden.csv by name.
func goldenOps[T Scalar[T]](in func(seed) T, out func(T) jet) func(g golden) []float64 {
	unary, binary := unaryOps[T](), binaryOps[T]()
	unary["PowReal"], unary["PowInt"], unary["Polygamma"] = nil, nil, nil
	return func(g golden) []float64 {
		if f, ok := unary[g.name]; ok {
			switch g.name {
			case "PowReal":
				f = func(x T) T { return x.PowReal(g.p) }
			case "PowInt":
				f = func(x T) T { return x.PowInt(int(g.p)) }
			case "Polygamma":
				f = func(x T) T { return x.Polygamma(int(g.p)) }
			}
			j := out(f(in(seed{g.x, 1, 1})))
			return []float64{j.v, j.d1, j.d12}
		}
		f := binary[g.name]
		xx := out(f(in(seed{g.x, 1, 1}), in(seed{g.y, 0, 0})))
		xy := out(f(in(seed{g.x, 1, 0}), in(seed{g.y, 0, 1})))
		yy := out(f(in(seed{g.x, 0, 0}), in(seed{g.y, 1, 1})))
		return []float64{xx.v, xx.d1, yy.d1, xx.d12, xy.d12, yy.d12}
	}
}

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
	gamma := strings.HasSuffix(strings.ToLower(g.name), "gamma")
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
			err = inf
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

func cell(e float64) string {
	if e < 0 {
		return "–"
	}
	return strconv.FormatFloat(e, 'f', 1, 64)
}

// The errors of the functions are within the bounds, and those of the table,
// which -update writes.
func TestAccuracyIsThatOfTheTable(t *testing.T) {
	flat := goldenOps(inHyper, outHyper)
	nested := goldenOps(inNested, outNested)
	var names []string
	all := map[string]*[2]worst{}
	for _, g := range readGolden(t) {
		if all[g.name] == nil {
			all[g.name] = &[2]worst{newWorst(), newWorst()}
			names = append(names, g.name)
		}
		all[g.name][0].add(g, flat(g), false)
		all[g.name][1].add(g, nested(g), true)
	}
	var table bytes.Buffer
	for _, name := range names {
		fmt.Fprintf(&table, "| %s | %d |", name, all[name][0].points)
		for k, bound := range [2][3]float64{{2, 2, 4}, {2, 4, 8}} {
			w := &all[name][k]
			for order := k; order < 3; order++ {
				fmt.Fprintf(&table, " %s / %s |", cell(w.well[order]), cell(w.ill[order]))
				if w.well[order] > bound[order] {
					t.Errorf("%.1f ulp: %s", w.well[order], w.at[0][order])
				}
				if w.ill[order] > 4 {
					t.Errorf("%.1f(c + 1) ulp: %s", w.ill[order], w.at[1][order])
				}
			}
		}
		table.WriteByte('\n')
	}
	doc, err := os.ReadFile("accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	const head = "|---|---|---|---|---|---|---|\n"
	text, old, found := strings.Cut(string(doc), head)
	switch {
	case !found:
		t.Fatal("no table in accuracy.md")
	case *update:
		if err := os.WriteFile("accuracy.md", []byte(text+head+table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	case old != table.String() && runtime.GOARCH == "amd64":
		was := strings.SplitAfter(old, "\n")
		for _, line := range strings.SplitAfter(table.String(), "\n") {
			if !slices.Contains(was, line) {
				t.Errorf("accuracy.md does not have the line (-update writes it)\n%s", line)
			}
		}
	}
}
