package dual

import (
	"math"
	"testing"
)

func TestSumsAddFromTheLeft(t *testing.T) {
	x := []Real{1e16, 1, -1e16, 1}
	ones := []Real{1, 1, 1, 1}
	if got := Sum(x); got != 1 {
		t.Errorf("Sum: %v", got)
	}
	if got := Dot(x, ones); got != 1 {
		t.Errorf("Dot: %v", got)
	}
	if got := Affine(1, []float64{1, 1, 1, 1}, x); got != 1 {
		t.Errorf("Affine: %v", got)
	}
}

func TestSumsOfNothing(t *testing.T) {
	if got := Sum[Hyper](nil); got != (Hyper{}) {
		t.Errorf("Sum: %v", got)
	}
	if got := Dot[Of[Real]](nil, nil); got != (Of[Real]{}) {
		t.Errorf("Dot: %v", got)
	}
	if got := Affine[Number](2, nil, nil); got != (Number{V: 2}) {
		t.Errorf("Affine: %v", got)
	}
	if got := Norm2[Real](nil); got != 0 {
		t.Errorf("Norm2: %v", got)
	}
	if got := Polyval(nil, Real(3)); got != 0 {
		t.Errorf("Polyval: %v", got)
	}
	if got := LogSumExp[Real](nil); got != Real(-inf) {
		t.Errorf("LogSumExp: %v", got)
	}
	if got := Softmax[Real](nil, nil); len(got) != 0 {
		t.Errorf("Softmax: %v", got)
	}
}

// Value and derivatives of the small sums, by hand.
func TestSmallSums(t *testing.T) {
	x := []Hyper{{2, 1, 0, 0}, {3, 0, 1, 0}, {-1, 0.5, 2, 0}}
	for name, c := range map[string]struct{ got, want Hyper }{
		"DotReal":    {DotReal([]float64{2, -1, 4}, x), Hyper{-3, 4, 7, 0}},
		"SumSquares": {SumSquares(x), Hyper{14, 3, 2, 2}},
		"AddScaled":  {AddScaled(x[0], -2, x[2]), Hyper{4, 0, -4, 0}},
		"MulAdd":     {MulAdd(x[0], x[1], x[1], x[2]), Hyper{3, 4.5, 7, 1.5}},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", name, c.got, c.want)
		}
	}
}

func TestPolyvalTakesTheLowestPowerFirst(t *testing.T) {
	if got := Polyval([]float64{5, 0, 3}, Number{2, 1}); got != (Number{17, 12}) {
		t.Errorf("5 + 3x² at 2: %v", got)
	}
	if got := Polyval([]float64{5}, Number{2, 1}); got != (Number{5, 0}) {
		t.Errorf("the constant 5: %v", got)
	}
}

func TestSoftmaxOfItself(t *testing.T) {
	x := []Number{{1000, 1}, {1000 + math.Ln2, 0}, {-inf, 0}}
	want := []Number{{1. / 3, 2. / 9}, {2. / 3, -2. / 9}, {0, 0}}
	got := Softmax(x, x)
	if &got[0] != &x[0] {
		t.Error("result is not in dst")
	}
	for i, w := range want {
		if !near(got[i].V, w.V, 1e-13) || !near(got[i].D, w.D, 1e-13) {
			t.Errorf("component %d: %v, want %v", i, got[i], w)
		}
	}
}

func TestSoftmaxIsTheGradientOfLogSumExp(t *testing.T) {
	x := []float64{-700, 3, 2.5, 800, 799}
	v := make([]Real, len(x))
	for i, xi := range x {
		v[i] = Real(xi)
	}
	for i, s := range Softmax(nil, v) {
		n := make([]Number, len(x))
		for j, xj := range x {
			n[j].V = xj
		}
		n[i].D = 1
		if got := LogSumExp(n).D; !near(got, s.Value(), 1e-15) {
			t.Errorf("component %d: %v, softmax %v", i, got, s)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	x := []Real{1, 2}
	for what, f := range map[string]func(){
		"Dot":             func() { Dot(x, x[:1]) },
		"Consts":          func() { Consts(make([]Real, 1), []float64{1, 2}) },
		"Affine":          func() { Affine(0, []float64{1}, x) },
		"Softmax":         func() { Softmax(make([]Real, 1), x) },
		"DotReal":         func() { DotReal([]float64{1}, x) },
		"IncGamma order":  func() { Number{V: 1}.IncGamma(0, -1, Number{V: 1}) },
		"IncBeta order":   func() { Real(1).IncBeta(0, 61, 0, 1, 0.5) },
		"Polygamma order": func() { Number{V: 1}.Polygamma(-1) },
	} {
		t.Run(what, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func TestFlatNumbersDoNotAllocate(t *testing.T) {
	h := make([]Hyper, 10)
	n := make([]Number, 10)
	for i := range h {
		h[i], n[i] = Hyper{float64(i), 1, 1, 0}, Number{float64(i), 1}
	}
	if a := testing.AllocsPerRun(10, func() {
		LogSumExp(h)
		Norm2(h)
		Sum(h).Exp().Pow(h[1])
		Dot(n, n).Gamma().LogGamma().Polygamma(1)
	}); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

func TestComparisonsLookAtValuesAlone(t *testing.T) {
	x, y := Of[Hyper]{V: Hyper{V: 1, D1: 9}, D: Hyper{V: 9}}, Of[Hyper]{V: Hyper{V: 2}}
	if !x.Less(y) || y.Less(x) || x.Less(x) || !x.LessEq(x) || y.LessEq(x) {
		t.Error("Less, LessEq")
	}
	if !x.LessReal(2) || x.LessReal(1) || !x.LessEqReal(1) || x.LessEqReal(0.5) {
		t.Error("LessReal, LessEqReal")
	}
	if nanX := x.Const(nan); nanX.LessEq(nanX) || nanX.LessReal(1) {
		t.Error("NaN is less than nothing")
	}
	if d := x.Detach(); d != (Of[Hyper]{V: Hyper{V: 1}}) {
		t.Errorf("Detach: %v", d)
	}
}
