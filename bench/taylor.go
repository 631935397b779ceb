package main

import (
	"fmt"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/forward"
)

// taylorFigures are the figures of this file: methods are tape, gradients and numbers, with the
// order K behind them, and nested, numbers that are dual K times.
var taylorFigures = []string{"taylor"}

var taylorOrders = []int{1, 2, 5, 10, 20, 40}

// taylorLargest is up to how many variables problems have.
const taylorLargest = 10000

// taylorPolynomials measures Taylor polynomials of any order along a line.
func taylorPolynomials(b *bench) {
	t := table{text: 3, head: []string{"problem", "n", "way", "JVP"}}
	for _, order := range taylorOrders {
		t.head = append(t.head, fmt.Sprint("K = ", order))
	}
	t.head = append(t.head, "c")
	for _, p := range b.chosen {
		in := p.At(min(p.size, taylorLargest))
		f := problems.Func[dual.Taylor](in)
		if f == nil || !b.wants("taylor") {
			continue
		}
		b.progress("%s, n = %d", in.Name, len(in.X0))
		tape := newTaped(in)
		line := [][]float64{in.X0, ones(len(in.X0))}
		one := func(x []dual.Taylor) []dual.Taylor { return []dual.Taylor{f(x)} }
		y := make([]float64, 1)
		jvp := b.measure(tape.plain, func() { must(tape.JVP(y, in.X0, line[1])) })
		for _, way := range []string{"tape", "gradients", "numbers", "nested"} {
			cells := []string{in.Name, fmt.Sprint(len(in.X0)), way, digits(jvp[1].ratio(jvp[0]))}
			worst := 0.0
			for _, order := range taylorOrders {
				dst, g := make([][]float64, order+1), make([][]float64, order+1)
				run := map[string]func(){
					"tape":      func() { must(tape.Taylor(dst, line, order)) },
					"gradients": func() { must(tape.TaylorVJP(g, line, [][]float64{{1}}, order)) },
					"numbers":   func() { forward.Taylor(dst, one, line, order) },
					"nested":    nestedLine(in, order),
				}[way]
				if run == nil {
					cells = append(cells, none)
					continue
				}
				s := b.measure(tape.plain, run)
				b.emit(row{Problem: in.Name, N: len(in.X0), Figure: "taylor", Method: fmt.Sprint(way, " ", order),
					Seconds: s[1].time(), Ratio: s[1].ratio(s[0]), Allocs: &s[1].allocs})
				cells = append(cells, digits(s[1].ratio(s[0])))
				worst = max(worst, s[1].ratio(s[0])/float64((order+1)*(order+1)))
			}
			if way == "nested" {
				t.add(append(cells, none)...)
			} else {
				t.add(append(cells, digits(worst))...)
			}
		}
	}
	b.print("Taylor polynomials of order K along a line, their gradients by TaylorVJP, numbers dual.Taylor, and numbers that are\n"+
		"dual K times: times in units of f. No time is more than c·(K + 1)²", &t)
}

// nestedLine evaluates in on numbers that are dual so many times; nil if there are none.
func nestedLine(in *problems.Instance, order int) func() {
	type two = dual.Of[dual.Of[dual.Real]]
	type five = dual.Of[dual.Of[dual.Of[two]]]
	switch order {
	case 1:
		return evaluateNested(in, func(x float64) dual.Of[dual.Real] { return dual.Of[dual.Real]{V: dual.Real(x), D: 1} })
	case 2:
		return evaluateNested(in, func(x float64) (z two) {
			z.V.V, z.V.D, z.D.V = dual.Real(x), 1, 1
			return z
		})
	case 5:
		return evaluateNested(in, func(x float64) (z five) {
			z.V.V.V.V.V, z.V.V.V.V.D, z.V.V.V.D.V, z.V.V.D.V.V, z.V.D.V.V.V, z.D.V.V.V.V = dual.Real(x), 1, 1, 1, 1, 1
			return z
		})
	}
	return nil
}

func evaluateNested[T dual.Scalar[T]](in *problems.Instance, number func(x float64) T) func() {
	f, x := problems.Func[T](in), make([]T, len(in.X0))
	return func() {
		for i, v := range in.X0 {
			x[i] = number(v)
		}
		f(x)
	}
}
