package minima

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

// The smaller sets of the NIST StRD collection for nonlinear regression, with
// their own data: certified parameters, standard deviations and residual sums of
// squares, all to 11 digits.
var certified = []struct {
	name       string
	x, y       []float64
	far, near  []float64 // starts 1 and 2
	b, sd      []float64
	sumSquares float64
}{
	{
		"Misra1a",
		[]float64{77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0},
		[]float64{10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78},
		[]float64{500, 1e-4}, []float64{250, 5e-4},
		[]float64{2.3894212918e+02, 5.5015643181e-04}, []float64{2.7070075241, 7.2668688436e-06}, 1.2455138894e-01,
	},
	{
		"DanWood",
		[]float64{1.309, 1.471, 1.490, 1.565, 1.611, 1.680},
		[]float64{2.138, 3.421, 3.597, 4.340, 4.882, 5.660},
		[]float64{1, 5}, []float64{0.7, 4},
		[]float64{7.6886226176e-01, 3.8604055871}, []float64{1.8281973860e-02, 5.1726610913e-02}, 4.3173084083e-03,
	},
	{
		"BoxBOD",
		[]float64{1, 2, 3, 5, 7, 10},
		[]float64{109, 149, 149, 191, 213, 224},
		[]float64{1, 1}, []float64{100, 0.75},
		[]float64{2.1380940889e+02, 5.4723748542e-01}, []float64{1.2354515176e+01, 1.0455993237e-01}, 1.1680088766e+03,
	},
	{
		"Rat42",
		[]float64{9, 14, 21, 28, 42, 57, 63, 70, 79},
		[]float64{8.93, 10.80, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08},
		[]float64{100, 1, 0.1}, []float64{75, 2.5, 0.07},
		[]float64{7.2462237576e+01, 2.6180768402, 6.7359200066e-02},
		[]float64{1.7340283401, 8.8295217536e-02, 3.4465663377e-03}, 8.0565229338,
	},
	{
		"Rat43",
		[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		[]float64{16.08, 33.83, 65.80, 97.20, 191.55, 326.20, 386.87, 520.53, 590.03, 651.92, 724.93, 699.56, 689.96, 637.56, 717.41},
		[]float64{100, 10, 1, 1}, []float64{700, 5, 0.75, 1.3},
		[]float64{6.9964151270e+02, 5.2771253025, 7.5962938329e-01, 1.2792483859},
		[]float64{1.6302297817e+01, 2.0828735829, 1.9566123451e-01, 6.8761936385e-01}, 8.7864049080e+03,
	},
	{
		"MGH09",
		[]float64{4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625},
		[]float64{0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246},
		[]float64{25, 39, 41.5, 39}, []float64{0.25, 0.39, 0.415, 0.39},
		[]float64{1.9280693458e-01, 1.9128232873e-01, 1.2305650693e-01, 1.3606233068e-01},
		[]float64{1.1435312227e-02, 1.9633220911e-01, 8.0842031232e-02, 9.0025542308e-02}, 3.0750560385e-04,
	},
	{
		"MGH10",
		[]float64{50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 115, 120, 125},
		[]float64{34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872},
		[]float64{2, 400000, 25000}, []float64{0.02, 4000, 250},
		[]float64{5.6096364710e-03, 6.1813463463e+03, 3.4522363462e+02},
		[]float64{1.5687892471e-04, 2.3309021107e+01, 7.8486103508e-01}, 8.7945855171e+01,
	},
}

func TestFitsAreAsCertified(t *testing.T) {
	for _, c := range certified {
		var model func(b []reverse.Var, x ...float64) reverse.Var
		for _, g := range Regressions {
			if g.Name == c.name {
				model = g.model
			}
		}
		for _, start := range [][]float64{c.far, c.near} {
			ones := make([]float64, len(start))
			floats.AddConst(1, ones)
			residuals := func(z []reverse.Var) []reverse.Var {
				b := make([]reverse.Var, len(z))
				for i := range b {
					b[i] = z[i].Scale(start[i])
				}
				r := make([]reverse.Var, len(c.x))
				for i := range r {
					r[i] = model(b, c.x[i]).SubReal(c.y[i])
				}
				return r
			}
			tape := recordVec(t, residuals, ones)
			half, err := reverse.Record(func(z []reverse.Var) reverse.Var {
				r := residuals(z)
				return dual.Dot(r, r).Scale(0.5)
			}, ones)
			require.NoError(t, err)
			gaussNewton, err := newton.LeastSquares{}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(tape)}, ones)
			require.NoError(t, err, "%s from %v", c.name, start)
			require.LessOrEqual(t, gaussNewton.Iterations, 300, "%s from %v", c.name, start)
			results := []*newton.Result{gaussNewton}
			if c.name != "MGH10" || start[0] < 1 { // far away, f has a valley too narrow for Newton's steps
				full, err := newton.TrustRegion{}.Solve(context.Background(), newton.Problem{Func: reverse.FuncOf(half)}, ones)
				require.NoError(t, err, "%s from %v", c.name, start)
				results = append(results, full)
			}
			for _, r := range results {
				require.InEpsilon(t, c.sumSquares, 2*r.F, 1e-9, "%s from %v", c.name, start)
				for i, z := range r.X {
					require.InEpsilon(t, c.b[i], z*start[i], 1e-6, "%s from %v, b%d", c.name, start, i+1)
				}
			}

			sd, err := newton.LeastSquares{}.Deviations(newton.Problem{Func: reverse.FuncOf(tape)}, gaussNewton.X)
			require.NoError(t, err)
			for i, d := range sd {
				require.InEpsilon(t, c.sd[i], d*math.Abs(start[i]), 1e-5, "%s, sd %d", c.name, i+1)
			}
		}
	}
}

func TestRegressionsRecoverTheirParameters(t *testing.T) {
	for _, g := range Regressions {
		f, err := g.Fit()
		require.NoError(t, err, g.Name)
		for i, b := range f.B {
			require.InDelta(t, g.B[i], b, 3*f.Linear[i], "%s, b%d", g.Name, i+1)
			require.InDelta(t, g.B[i], b, 3*f.Full[i], "%s, b%d", g.Name, i+1)

			// The curvature of the model weighs little where residuals are small.
			require.InEpsilon(t, f.Linear[i], f.Full[i], 0.15, "%s, b%d", g.Name, i+1)
		}
		if g.Name != "Lanczos" { // where Newton's method finds another minimum
			require.InEpsilon(t, f.GaussNewton.F, f.Newton.F, 1e-5, g.Name)
		}

		// What is left is the noise, on m − n degrees of freedom.
		free := float64(g.Points - len(g.B))
		sigma := math.Sqrt(2 * f.GaussNewton.F / free)
		require.InEpsilon(t, g.Noise, sigma, 4/math.Sqrt(2*free), g.Name)
	}
}

// First data of the collection, which its models explain with the parameters
// here, near those certified, to a few of their residual standard deviations.
func TestModelsExplainTheFirstDatum(t *testing.T) {
	for name, datum := range map[string]struct {
		x         []float64
		y, within float64
	}{
		"Misra1a":  {[]float64{77.6}, 10.07, 0.3},
		"Misra1b":  {[]float64{77.6}, 10.07, 0.3},
		"Misra1c":  {[]float64{77.6}, 10.07, 0.3},
		"Misra1d":  {[]float64{77.6}, 10.07, 0.3},
		"Chwirut":  {[]float64{0.5}, 92.9, 15},
		"Lanczos":  {[]float64{0}, 2.5134, 1e-4},
		"Gauss":    {[]float64{1}, 97.59, 6},
		"DanWood":  {[]float64{1.309}, 2.138, 0.05},
		"Kirby2":   {[]float64{9.65}, 0.0082, 0.7},
		"Hahn1":    {[]float64{24.41}, 0.591, 0.3},
		"Nelson":   {[]float64{1, 180}, math.Log(15), 0.5},
		"MGH17":    {[]float64{0}, 0.844, 0.02},
		"Roszman1": {[]float64{-4868.68}, 0.252429, 0.02},
		"ENSO":     {[]float64{1}, 12.9, 7},
		"MGH09":    {[]float64{4}, 0.1957, 0.02},
		"Thurber":  {[]float64{-3.067}, 80.574, 40},
		"BoxBOD":   {[]float64{1}, 109, 30},
		"Rat42":    {[]float64{9}, 8.93, 3},
		"MGH10":    {[]float64{50}, 34780, 400},
		"Eckerle4": {[]float64{400}, 0.0001575, 0.02},
		"Rat43":    {[]float64{1}, 16.08, 60},
		"Bennett5": {[]float64{7.447168}, -34.834702, 0.1},
	} {
		for _, g := range Regressions {
			if g.Name == name {
				tape, err := reverse.Record(func(b []reverse.Var) reverse.Var { return g.model(b, datum.x...) }, g.B)
				require.NoError(t, err)
				y, err := tape.Value(g.B)
				require.NoError(t, err)
				require.InDelta(t, datum.y, y, datum.within, name)
			}
		}
	}
	require.Len(t, Regressions, 22)
}

func TestDeviationsByCurvature(t *testing.T) {
	// Var b₀ = σ²(1/4 + x̄²/Sxx), Var b₁ = σ²/Sxx of a line at x = 0, 1, 2, 3.
	want := []float64{math.Sqrt(1.35 * 0.7), math.Sqrt(1.35 / 5)}
	require.InDeltaSlice(t, want, curvatureDeviations(mat.NewSymDense(2, []float64{4, 6, 6, 14}), 1.35), 1e-14)
	require.True(t, math.IsNaN(curvatureDeviations(mat.NewSymDense(2, []float64{1, 2, 2, 1}), 1)[0]))
}
