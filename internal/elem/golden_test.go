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
	"Inv":       of(Inv, InvD, InvDD),
	"Square":    of(Square, SquareD, SquareDD),
	"Sqrt":      of(Sqrt, SqrtD, SqrtDD),
	"Cbrt":      of(math.Cbrt, CbrtD, CbrtDD),
	"Exp":       of(math.Exp, ExpD, ExpDD),
	"Exp2":      of(math.Exp2, Exp2D, Exp2DD),
	"Expm1":     of(math.Expm1, Expm1D, Expm1DD),
	"Log":       of(math.Log, LogD, LogDD),
	"Log2":      of(math.Log2, Log2D, Log2DD),
	"Log10":     of(math.Log10, Log10D, Log10DD),
	"Log1p":     of(math.Log1p, Log1pD, Log1pDD),
	"Sin":       of(math.Sin, SinD, SinDD),
	"Cos":       of(math.Cos, CosD, CosDD),
	"Tan":       of(math.Tan, TanD, TanDD),
	"Asin":      of(math.Asin, AsinD, AsinDD),
	"Acos":      of(math.Acos, AcosD, AcosDD),
	"Atan":      of(math.Atan, AtanD, AtanDD),
	"Sinh":      of(math.Sinh, SinhD, SinhDD),
	"Cosh":      of(math.Cosh, CoshD, CoshDD),
	"Tanh":      of(math.Tanh, TanhD, TanhDD),
	"Asinh":     of(math.Asinh, AsinhD, AsinhDD),
	"Acosh":     of(math.Acosh, AcoshD, AcoshDD),
	"Atanh":     of(math.Atanh, AtanhD, AtanhDD),
	"Erf":       of(math.Erf, ErfD, ErfDD),
	"Erfc":      of(math.Erfc, ErfcD, ErfcDD),
	"Gamma":     of(math.Gamma, GammaD, GammaDD),
	"LogGamma":  of(LogGamma, LogGammaD, LogGammaDD),
	"Logistic":  of(Logistic, LogisticD, LogisticDD),
	"Softplus":  of(Softplus, SoftplusD, SoftplusDD),
	"PowReal":   {PowReal, PowRealD, PowRealDD},
	"PowInt":    ofInt(PowInt, PowIntD, PowIntDD),
	"Polygamma": ofInt(Polygamma, PolygammaD, PolygammaDD),
}

var binary = map[string]binaryRules{
	"Div":   {func(x, y float64) float64 { return x / y }, DivD, DivDD},
	"Hypot": {math.Hypot, HypotD, HypotDD},
	"Pow":   {math.Pow, PowD, PowDD},
	"Atan2": {math.Atan2, Atan2D, Atan2DD},
}
