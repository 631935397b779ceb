package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/sparsity"
	"github.com/hesse-ad/hesse/sparsity/detect"
)

var coloringFigures = []string{"coloring-order"}

// A kind is a way of coloring that a matrix can be recovered from.
type kind struct {
	name string // the method in JSON
	kind coloring.Kind
}

var kinds = []kind{
	{"column", coloring.Column},
	{"row", coloring.Row},
	{"star", coloring.Star},
	{"acyclic", coloring.Acyclic},
	{"bicoloring", coloring.StarBicoloring},
	{"acyclic-bicoloring", coloring.AcyclicBicoloring},
}

// orders are those that greedy colorings know, with their abbreviations in the
// field.
var orders = []struct {
	short string
	order coloring.Order
}{
	{"N", coloring.Natural},
	{"LF", coloring.LargestFirst},
	{"SL", coloring.SmallestLast},
	{"ID", coloring.IncidenceDegree},
	{"DLF", coloring.DynamicLargestFirst},
	{"R", coloring.Random(1)},
}

// A namedPattern is a matrix to color.
type namedPattern struct {
	name string
	*sparsity.Pattern
}

// patterns are matrices of about n columns.
func patterns(n int) []namedPattern {
	m2, m3 := int(math.Sqrt(float64(n))), int(math.Cbrt(float64(n)))
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(rows, cols, entries int) *sparsity.Pattern {
		i, j := make([]int, entries), make([]int, entries)
		for k := range i {
			i[k], j[k] = rng.IntN(rows), rng.IntN(cols)
		}
		return sparsity.FromCoordinates(rows, cols, i, j)
	}
	row, column := make([]int, n), make([]int, n)
	for k := range column {
		column[k] = k
	}
	lines := sparsity.FromCoordinates(n, n, row, column)
	lines = lines.Union(lines.Transpose())
	return []namedPattern{
		{"5-point", sparsity.StarStencil(m2, m2)},
		{"9-point", sparsity.BoxStencil(m2, m2)},
		{"7-point", sparsity.StarStencil(m3, m3, m3)},
		{"27-point", sparsity.BoxStencil(m3, m3, m3)},
		{"arrow", sparsity.Arrow(n, n-1)},
		{"band", sparsity.Banded(n, 5, 5)},
		{"random", random(n, n, 5*n).Symmetrized().Union(sparsity.Diagonal(n))},
		{"rectangular", random(n, n/2, 5*n)},
		{"dense-lines", random(n, n, 3*n).Union(lines)},
	}
}

// readPattern is the pattern of a Matrix Market file.
func readPattern(file string) (*namedPattern, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, _, err := sparsity.ReadMatrixMarketPattern(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &namedPattern{strings.TrimSuffix(filepath.Base(file), ".mtx"), p}, nil
}

// colorings colors the file of -mtx, or else matrices of all sorts, by every
// kind and order.
func colorings(b *bench) {
	list := patterns(b.columns())
	caption := "Colorings: colors by each order, then their times; a symmetric matrix has its rows colored as its columns"
	if b.mtx != nil {
		list = []namedPattern{*b.mtx}
		caption = fmt.Sprintf("Colorings of %s, %v: colors by each order, then their times", b.mtx.name, b.mtx.Pattern)
		if !b.json {
			fmt.Fprintf(b.out, "\n%s", b.mtx.Spy(50))
		}
	}
	t := table{text: 2, head: []string{"matrix", "kind", "columns", "nonzeros", "bound"}}
	var names []string
	for _, o := range orders {
		t.head = append(t.head, o.short)
		names = append(names, o.short+" "+o.order.String())
	}
	for _, o := range orders {
		t.head = append(t.head, "time "+o.short)
	}
	for _, p := range list {
		_, n := p.Dims()
		cells := []string{p.name, "", fmt.Sprint(n), fmt.Sprint(p.NNZ())}
		for _, k := range kindsOf(p) {
			b.progress("%s, %s", p.name, k.name)
			var rows []row
			for _, o := range orders {
				c, seconds := b.color(p, k.kind, o.order)
				rows = append(rows, row{Problem: p.name, N: n, Figure: "coloring-order", Method: k.name,
					Order: o.order.String(), Seconds: seconds, Colors: c.Num(), Bound: c.LowerBound(), NNZ: p.NNZ()})
			}
			b.emit(rows...)
			cells[1] = k.name
			cells = append(cells, fmt.Sprint(rows[0].Bound))
			for _, r := range rows {
				cells = append(cells, fmt.Sprint(r.Colors))
			}
			for _, r := range rows {
				cells = append(cells, duration(r.Seconds))
			}
			t.add(cells...)
			cells = []string{"", "", "", ""}
		}
	}
	b.print(caption+"\n("+strings.Join(names, ", ")+")", &t)
}

// columns is about the number of columns of the matrices that are colored.
func (b *bench) columns() int {
	if b.quick {
		return 400
	}
	return 1600
}

// kindsOf is the kinds that p has.
func kindsOf(p namedPattern) (list []kind) {
	symmetric := p.IsSymmetric()
	for _, k := range kinds {
		switch k.kind {
		case coloring.Row:
			if symmetric { // the same as column
				continue
			}
		case coloring.Star, coloring.Acyclic:
			if !symmetric {
				continue
			}
		}
		list = append(list, k)
	}
	return list
}

// color colors p, verifies the coloring and measures what it took: once if that
// is long.
func (b *bench) color(p namedPattern, kind coloring.Kind, o coloring.Order) (*coloring.Coloring, float64) {
	start := time.Now()
	c := coloring.New(kind, p.Pattern, o)
	seconds := time.Since(start).Seconds()
	must(0, c.Verify(p.Pattern))
	if seconds < 0.02 {
		seconds = clock{rounds: 5}.measure(func() { coloring.New(kind, p.Pattern, o) })[0].time()
	}
	return c, seconds
}

// spyPlots draws the file of -mtx by every kind, each in the order with the fewest
// colors, or else what small matrices of the problems look like.
func spyPlots(b *bench) (figures []*figure) {
	if b.mtx != nil {
		for _, k := range kindsOf(*b.mtx) {
			var all []coloring.Order
			for _, o := range orders {
				all = append(all, o.order)
			}
			c := coloring.New(k.kind, b.mtx.Pattern, all...)
			title := fmt.Sprintf("%s, %v: %d colors", b.mtx.name, c.Kind(), c.Num())
			figures = append(figures, spyFigure("spy-"+k.name, title, c))
		}
		return figures
	}
	for _, x := range []struct {
		problem string
		size    int
		kind    coloring.Kind
	}{
		{"arrow", 20, coloring.Star},
		{"bdqrtic", 20, coloring.Acyclic},
		{"minsurf", 49, coloring.Star},
		{"bratu", 36, coloring.StarBicoloring},
	} {
		in := problems.Named(x.problem).At(x.size)
		what := "Hessian"
		var p *sparsity.Pattern
		if f := problems.Func[detect.Tracer](in); f != nil {
			p = detect.Hessian(f, len(in.X0))
		} else {
			what, p = "Jacobian", detect.Jacobian(problems.VecFunc[detect.Tracer](in), len(in.X0))
		}
		c := coloring.New(x.kind, p)
		figures = append(figures, spyFigure("spy-"+x.problem, fmt.Sprintf("%s of %s, n = %d: %d colors, %v",
			what, x.problem, len(in.X0), c.Num(), c.Kind()), c))
	}
	c := coloring.New(coloring.StarBicoloring, sparsity.Arrow(20, 19))
	title := fmt.Sprintf("Arrow as a Jacobian: %d colors, %v", c.Num(), c.Kind())
	return append(figures, spyFigure("spy-bicoloring", title, c))
}
