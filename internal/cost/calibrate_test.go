package cost_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/code"
	"github.com/hesse-ad/hesse/internal/cost"
	"github.com/hesse-ad/hesse/internal/expr"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/terms"
	"github.com/hesse-ad/hesse/reverse"
)

var calibrate = flag.Bool("calibrate", false, "measure the times of package cost")

// candidate is a way to evaluate a matrix.
type candidate struct {
	method string
	eval   func()
	counts *cost.Counts // nil if they are of several programs
	took   float64      // ns
}

// Estimates may be wrong by misjudged beside others, and what is chosen may take
// misjudged/2 of the time of the best.
const misjudged = 4

// TestCalibrate prints measured times, and how good the choice of methods is. It
// fails if estimates, of detected terms as of declared ones, or choices are far
// off.
func TestCalibrate(t *testing.T) {
	if !*calibrate {
		t.Skip("no -calibrate")
	}
	var a [][]float64 // counts/time, of which the sum by times is to be 1
	var table strings.Builder
	worst := 0.0
	var off []float64 // time in units of the estimate
	var names []string
	for _, p := range all() {
		tape, err := reverse.RecordVec(p.f, p.x)
		if err != nil {
			t.Fatal(err)
		}
		ways := hessians(t, p, tape)
		if tape.Outputs() > 1 {
			ways = jacobians(t, p, tape)
		}
		measure(ways)
		best := math.Inf(1)
		fmt.Fprintf(&table, "%-45s n %5d %8d ops %6d batches:", p.name, len(p.x), tape.Ops(), len(tape.Inside().Engine().Batches()))
		for _, w := range ways[1:] {
			best = min(best, w.took)
			fmt.Fprintf(&table, "  %s %.3g", w.method, w.took/1000)
			if w.counts != nil {
				fmt.Fprintf(&table, " (%.3g)", w.counts.Time()/1000)
				off, names = append(off, w.took/w.counts.Time()), append(names, p.name+" by "+w.method)
				row := make([]float64, cost.Kinds)
				for k, n := range w.counts {
					row[k] = n / w.took
				}
				a = append(a, row)
			}
		}
		ratio := ways[0].took / best
		for _, w := range ways[1:] {
			if w.method == ways[0].method {
				ratio = w.took / best // the same plan
			}
		}
		fmt.Fprintf(&table, "  chosen %s %.2f\n", ways[0].method, ratio)
		worst = max(worst, ratio)
	}
	times := fit(a)
	times[cost.Record], times[cost.Derive] = preparations(t)
	for k, x := range times {
		fmt.Printf("\t%v: %.3g,\n", cost.Kind(k), x)
	}
	fmt.Printf("\nµs measured (estimated), and of what was chosen in units of the best\n%s", table.String())
	fmt.Printf("at worst %.2f\n", worst)
	sorted := slices.Sorted(slices.Values(off))
	for k, x := range off {
		if x /= sorted[len(sorted)/2]; x > misjudged || x < 1./misjudged {
			t.Errorf("%s: takes %.2g times what is estimated, beside others", names[k], x)
		}
	}
	if worst > misjudged/2 {
		t.Errorf("what is chosen takes %.2g times the best", worst)
	}
}

// preparations are the times of recording an operation of a long sum, and of deriving
// a step or an edge of a shape with many, code and all.
func preparations(t *testing.T) (record, derive float64) {
	const n, wide = 100_000, 60
	record, derive = math.Inf(1), math.Inf(1)
	f := expr.Function{Results: []int32{3*wide - 3}}
	for a := range int32(wide) {
		f.Steps = append(f.Steps, expr.Node{Leaf: expr.Variable, A: a})
	}
	for a, y := int32(1), int32(0); a < wide; a++ {
		f.Steps = append(f.Steps, expr.Node{Op: op.Mul, A: y, B: a})
		y = int32(len(f.Steps))
		f.Steps = append(f.Steps, expr.Node{Op: op.Sin, A: y - 1})
	}
	edges := len(f.Steps) + expr.CountEdges(f.Steps, math.MaxInt)
	for range 8 {
		start := time.Now()
		tape, err := reverse.Record(func(x []V) V {
			var s V
			for i := range n {
				s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100)).Add(x[i].RSub(1).Square())
			}
			return s
		}, make([]float64, n+1))
		if err != nil {
			t.Fatal(err)
		}
		record = min(record, float64(time.Since(start).Nanoseconds())/float64(tape.Ops()))
		start = time.Now()
		g := expr.NewGraph(func(expr.Node) bool { return false }, false)
		code.NewVector(g, f.Derive(g, expr.Request{Derivative: expr.Hessian}), func(expr.Output) bool { return false })
		derive = min(derive, float64(time.Since(start).Nanoseconds())/float64(edges))
	}
	return record, derive
}

// hessians are the ways to the Hessian, the one that is chosen first.
func hessians(t *testing.T, p problem, tape *reverse.Tape) (ways []*candidate) {
	general := cost.Of(tape.Inside().Engine())
	for _, m := range []hessian.Method{hessian.Auto, hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic} {
		s, err := hessian.SparseSettings{Method: m}.New(tape)
		if err != nil {
			continue
		}
		h := s.Matrix()
		c := &candidate{method: s.Method().String(), eval: func() { s.Eval(h, p.x) }}
		if k := s.Coloring(); k == nil {
			c.counts = byTerms(tape, true)
		} else {
			n := general.Hessian(k.Num(), h.NNZ())
			c.counts = &n
			c.method += fmt.Sprint(" ", k.Num())
		}
		ways = append(ways, c)
	}
	return ways
}

func jacobians(t *testing.T, p problem, tape *reverse.Tape) (ways []*candidate) {
	general := cost.Of(tape.Inside().Engine())
	for _, m := range []reverse.Method{reverse.Auto, reverse.ByTerms, reverse.ByColumns, reverse.ByRows, reverse.ByBoth} {
		s, err := reverse.SparseSettings{Method: m}.New(tape)
		if err != nil {
			continue
		}
		h := s.Matrix()
		c := &candidate{method: s.Method().String(), eval: func() { s.Eval(h, p.x) }}
		if k := s.Coloring(); k == nil {
			c.counts = byTerms(tape, false)
		} else {
			columns, rows := k.Columns().Num(), k.Rows().Num()
			n := general.Jacobian(columns, rows, h.NNZ())
			c.counts = &n
			c.method += fmt.Sprint(" ", columns, "+", rows)
		}
		ways = append(ways, c)
	}
	return ways
}

// byTerms is the counts of an evaluation by terms, nil if not all is terms.
func byTerms(tape *reverse.Tape, second bool) *cost.Counts {
	pl := terms.Detect(tape.Inside().Function, second)
	if pl == nil || pl.Rest() != nil {
		return nil
	}
	c := pl.Jacobian(nil).Cost()
	if second {
		c = pl.Hessian(nil).Cost()
	}
	return &c
}

// measure times the ways in turns: the best of some.
func measure(ways []*candidate) {
	for _, w := range ways {
		w.took = math.Inf(1)
	}
	for range 8 {
		for _, w := range ways {
			k, start := 0, time.Now()
			for k == 0 || time.Since(start) < time.Millisecond {
				w.eval()
				k++
			}
			w.took = min(w.took, float64(time.Since(start).Nanoseconds())/float64(k))
		}
	}
}

// fit is the x ≥ 0 with the smallest Σ (Σ aᵢⱼxⱼ − 1)², by coordinate descent.
func fit(a [][]float64) []float64 {
	n := len(a[0])
	m := mat.NewDense(len(a), n, slices.Concat(a...))
	var q mat.SymDense
	q.SymOuterK(1, m.T())
	x := make([]float64, n)
	for range 100000 {
		for i := range n {
			g := 0.0
			for k := range a {
				g += a[k][i]
			}
			for j := range n {
				if j != i {
					g -= q.At(i, j) * x[j]
				}
			}
			if d := q.At(i, i); d > 0 {
				x[i] = max(0, g/d)
			}
		}
	}
	return x
}
