package elem

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
)

// The bounds of the package comment, in units of the last place of the true
// number. Values of package math and derivatives with respect to them are not
// ours to bound: every rule is given the true v and d.
const (
	valueUlps  = 2
	firstUlps  = 2
	secondUlps = 4
)

// psiError bounds the absolute error of the digamma function at moderate x,
// which cannot be small beside the value near a zero: ten terms and partial sums
// of the recurrence, below 4, and a logarithm below 4.
const psiError = 16 * 0x1p-53

// powUlps bounds math.Pow at fractional powers of huge numbers, which a
// derivative resorts to where the value has overflowed.
const powUlps = 100

func TestRulesAgainstGolden(t *testing.T) {
	for _, g := range readGolden(t) {
		var got []float64
		if r, ok := unary[g.name]; ok {
			v, d := g.want[0], g.want[1]
			got = []float64{r.v(g.x, g.p), r.d(g.x, g.p, v), r.dd(g.x, g.p, v, d)}
		} else {
			r := binary[g.name]
			v, dx, dy := g.want[0], g.want[1], g.want[2]
			x, y := r.d(g.x, g.y, v)
			xx, xy, yy := r.dd(g.x, g.y, v, dx, dy)
			got = []float64{r.v(g.x, g.y), x, y, xx, xy, yy}
		}
		for i, v := range got {
			bound := float64(secondUlps)
			switch {
			case i == 0:
				if _, own := ownValue[g.name]; !own {
					continue
				}
				bound = valueUlps
			case i == 1 || i == 2 && len(got) == 6:
				bound = firstUlps
			}
			unit := ulp(g.want[i])
			tol := (bound + g.cond[i]/2) * unit
			switch {
			case g.name == "Polygamma" && g.p == 0 && i == 0, g.name == "LogGamma" && i == 1:
				tol += psiError
			case g.name == "Gamma":
				tol += psiError * math.Abs(g.want[max(i-1, 0)])
			case g.name == "PowReal" && !normal(g.want[0]):
				tol += powUlps * unit
			}
			if v != g.want[i] && !(math.Abs(v-g.want[i]) <= tol) {
				t.Errorf("%s, parameter %g, at (%g, %g): number %d is %g, want %g: %.1f units, of which the condition allows %.1f",
					g.name, g.p, g.x, g.y, i, v, g.want[i], math.Abs(v-g.want[i])/unit, g.cond[i]/2)
			}
		}
	}
}

// ulp is the unit in the last place of v.
func ulp(v float64) float64 {
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-53, -1074))
}

// golden is a line of golden.csv.
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
		v := make([]float64, len(line))
		for i, cell := range line[1:] {
			if v[i], err = strconv.ParseFloat(cell, 64); err != nil && !math.IsInf(v[i], 0) {
				t.Fatal(err)
			}
		}
		g := golden{name: line[0], p: v[0], x: v[1], y: v[2]}
		for i := 3; i < len(v)-1; i += 2 {
			g.want = append(g.want, v[i])
			g.cond = append(g.cond, v[i+1])
		}
		all[k] = g
	}
	return all
}

type unaryRules struct {
	v  func(x, p float64) float64
	d  func(x, p, v float64) float64
	dd func(x, p, v, d float64) float64
}

type binaryRules struct {
	v  func(x, y float64) float64
	d  func(x, y, v float64) (dx, dy float64)
	dd func(x, y, v, dx, dy float64) (dxx, dxy, dyy float64)
}

func of(v func(x float64) float64, d func(x, v float64) float64, dd func(x, v, d float64) float64) unaryRules {
	return unaryRules{
		func(x, p float64) float64 { return v(x) },
		func(x, p, f float64) float64 { return d(x, f) },
		func(x, p, f, g float64) float64 { return dd(x, f, g) },
	}
}

func ofInt(v func(x float64, n int) float64, d func(x float64, n int, v float64) float64, dd func(x float64, n int, v, d float64) float64) unaryRules {
	return unaryRules{
		func(x, p float64) float64 { return v(x, int(p)) },
		func(x, p, f float64) float64 { return d(x, int(p), f) },
		func(x, p, f, g float64) float64 { return dd(x, int(p), f, g) },
	}
}

// ownValue names the functions whose value is this package's, without those
// that are math.Pow beyond small exponents.
var ownValue = map[string]bool{"Inv": true, "Square": true, "Sqrt": true, "Logistic": true, "Softplus": true, "Polygamma": true}

var unary = map[string]unaryRules{
	"Inv":       of(Inv, Inv1, Inv2),
	"Square":    of(Square, Square1, Square2),
	"Sqrt":      of(Sqrt, Sqrt1, Sqrt2),
	"Cbrt":      of(math.Cbrt, Cbrt1, Cbrt2),
	"Exp":       of(math.Exp, Exp1, Exp2),
	"Exp2":      of(math.Exp2, Exp21, Exp22),
	"Expm1":     of(math.Expm1, Expm11, Expm12),
	"Log":       of(math.Log, Log1, Log2),
	"Log2":      of(math.Log2, Log21, Log22),
	"Log10":     of(math.Log10, Log101, Log102),
	"Log1p":     of(math.Log1p, Log1p1, Log1p2),
	"Sin":       of(math.Sin, Sin1, Sin2),
	"Cos":       of(math.Cos, Cos1, Cos2),
	"Tan":       of(math.Tan, Tan1, Tan2),
	"Asin":      of(math.Asin, Asin1, Asin2),
	"Acos":      of(math.Acos, Acos1, Acos2),
	"Atan":      of(math.Atan, Atan1, Atan2),
	"Sinh":      of(math.Sinh, Sinh1, Sinh2),
	"Cosh":      of(math.Cosh, Cosh1, Cosh2),
	"Tanh":      of(math.Tanh, Tanh1, Tanh2),
	"Asinh":     of(math.Asinh, Asinh1, Asinh2),
	"Acosh":     of(math.Acosh, Acosh1, Acosh2),
	"Atanh":     of(math.Atanh, Atanh1, Atanh2),
	"Erf":       of(math.Erf, Erf1, Erf2),
	"Erfc":      of(math.Erfc, Erfc1, Erfc2),
	"Gamma":     of(math.Gamma, Gamma1, Gamma2),
	"LogGamma":  of(LogGamma, LogGamma1, LogGamma2),
	"Logistic":  of(Logistic, Logistic1, Logistic2),
	"Softplus":  of(Softplus, Softplus1, Softplus2),
	"PowReal":   {PowReal, PowReal1, PowReal2},
	"PowInt":    ofInt(PowInt, PowInt1, PowInt2),
	"Polygamma": ofInt(Polygamma, Polygamma1, Polygamma2),
}

var binary = map[string]binaryRules{
	"Div":   {func(x, y float64) float64 { return x / y }, Div1, Div2},
	"Hypot": {math.Hypot, Hypot1, Hypot2},
	"Pow":   {math.Pow, Pow1, Pow2},
	"Atan2": {math.Atan2, Atan21, Atan22},
}
