package minima

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

// The models of the nonlinear regressions of the Statistical Reference Datasets
// of NIST (https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml), all of their
// formulas. The data are not NIST's: they are generated from known parameters,
// near those that are certified there, at evenly spaced x. Starts are the second,
// nearer ones of the collection, rounded. A test fits the smaller sets to NIST's
// own data.

func misra1a[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Mul(b[1].Scale(-x[0]).Expm1().Neg())
}

func misra1b[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Mul(b[1].Scale(x[0] / 2).AddReal(1).PowInt(-2).RSub(1))
}

func misra1c[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Mul(b[1].Scale(2 * x[0]).AddReal(1).PowReal(-0.5).RSub(1))
}

func misra1d[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Mul(b[1]).Scale(x[0]).Div(b[1].Scale(x[0]).AddReal(1))
}

func chwirut[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Scale(-x[0]).Exp().Div(b[1].Add(b[2].Scale(x[0])))
}

func lanczos[T dual.Scalar[T]](b []T, x ...float64) T {
	return decay(b[0], b[1], x[0]).Add(decay(b[2], b[3], x[0])).Add(decay(b[4], b[5], x[0]))
}

func gauss[T dual.Scalar[T]](b []T, x ...float64) T {
	return decay(b[0], b[1], x[0]).Add(bell(b[2], b[3], b[4], x[0])).Add(bell(b[5], b[6], b[7], x[0]))
}

func danWood[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Mul(b[1].Scale(math.Log(x[0])).Exp())
}

func kirby2[T dual.Scalar[T]](b []T, x ...float64) T {
	return polynomial(x[0], b[:3]).Div(polynomial(x[0], b[3:]).Scale(x[0]).AddReal(1))
}

func cubicRatio[T dual.Scalar[T]](b []T, x ...float64) T {
	return polynomial(x[0], b[:4]).Div(polynomial(x[0], b[4:]).Scale(x[0]).AddReal(1))
}

func nelson[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Sub(b[1].Scale(x[0]).Mul(b[2].Scale(-x[1]).Exp()))
}

func mgh17[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Add(decay(b[1], b[3], x[0])).Add(decay(b[2], b[4], x[0]))
}

func roszman1[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Sub(b[1].Scale(x[0])).Sub(b[2].Div(b[3].RSub(x[0])).Atan().Scale(1 / math.Pi))
}

func enso[T dual.Scalar[T]](b []T, x ...float64) T {
	year := 2 * math.Pi * x[0] / 12
	s := b[0].Add(b[1].Scale(math.Cos(year))).Add(b[2].Scale(math.Sin(year)))
	return s.Add(wave(b[3], b[4], b[5], x[0])).Add(wave(b[6], b[7], b[8], x[0]))
}

func mgh09[T dual.Scalar[T]](b []T, x ...float64) T {
	square := x[0] * x[0]
	return b[0].Mul(b[1].Scale(x[0]).AddReal(square)).Div(b[2].Scale(x[0]).AddReal(square).Add(b[3]))
}

func rat42[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Div(b[1].Sub(b[2].Scale(x[0])).Exp().AddReal(1))
}

func mgh10[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Mul(b[1].Div(b[2].AddReal(x[0])).Exp())
}

func eckerle4[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Div(b[1]).Mul(b[2].RSub(x[0]).Div(b[1]).Square().Scale(-0.5).Exp())
}

func rat43[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Mul(b[1].Sub(b[2].Scale(x[0])).Exp().Log1p().Div(b[3]).Neg().Exp())
}

func bennett5[T dual.Scalar[T]](b []T, x ...float64) T {
	return b[0].Mul(b[1].AddReal(x[0]).Log().Div(b[2]).Neg().Exp())
}

// decay is a e^(−kx).
func decay[T dual.Scalar[T]](a, k T, x float64) T { return a.Mul(k.Scale(-x).Exp()) }

// bell is a e^(−(x−c)²/w²).
func bell[T dual.Scalar[T]](a, c, w T, x float64) T {
	return a.Mul(c.RSub(x).Div(w).Square().Neg().Exp())
}

// wave is a cos(2πx/p) + b sin(2πx/p).
func wave[T dual.Scalar[T]](p, a, b T, x float64) T {
	t := p.RDiv(2 * math.Pi * x)
	return a.Mul(t.Cos()).Add(b.Mul(t.Sin()))
}

// polynomial is c₀ + c₁x + c₂x² + ….
func polynomial[T dual.Scalar[T]](x float64, c []T) T {
	s := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		s = s.Scale(x).Add(c[i])
	}
	return s
}

// A Regression is a model with data from known parameters.
type Regression struct {
	Name   string
	model  func(b []reverse.Var, x ...float64) reverse.Var
	Points int
	lo, hi []float64 // of each predictor
	Noise  float64   // standard deviation of a normal distribution
	B      []float64 // the parameters that the data are from
	Start  []float64
}

// Regressions lists the models: 20 formulas, two of them twice.
var Regressions = []Regression{
	{
		"Misra1a", misra1a[reverse.Var], 14, []float64{77}, []float64{760}, 0.1,
		[]float64{239, 5.5e-4},
		[]float64{250, 5e-4},
	},
	{
		"Misra1b", misra1b[reverse.Var], 14, []float64{77}, []float64{760}, 0.1,
		[]float64{338, 3.9e-4},
		[]float64{300, 2e-4},
	},
	{
		"Misra1c", misra1c[reverse.Var], 14, []float64{77}, []float64{760}, 0.1,
		[]float64{636, 2.1e-4},
		[]float64{600, 2e-4},
	},
	{
		"Misra1d", misra1d[reverse.Var], 14, []float64{77}, []float64{760}, 0.1,
		[]float64{437, 3e-4},
		[]float64{450, 3e-4},
	},
	{
		"Chwirut", chwirut[reverse.Var], 54, []float64{0.5}, []float64{6}, 3,
		[]float64{0.167, 0.0052, 0.0122},
		[]float64{0.15, 0.008, 0.01},
	},
	{
		"Lanczos", lanczos[reverse.Var], 24, []float64{0}, []float64{1.15}, 1e-5,
		[]float64{0.0951, 1, 0.8607, 3, 1.5576, 5},
		[]float64{0.5, 0.7, 3.6, 4.2, 4, 6.3},
	},
	{
		"Gauss", gauss[reverse.Var], 250, []float64{1}, []float64{250}, 2,
		[]float64{99, 0.0183, 102, 107, 23.6, 72, 153, 19.5},
		[]float64{98, 0.0105, 103, 105, 20, 73, 150, 20},
	},
	{
		"DanWood", danWood[reverse.Var], 6, []float64{1.309}, []float64{1.68}, 0.02,
		[]float64{0.769, 3.86},
		[]float64{0.7, 4},
	},
	{
		"Kirby2", kirby2[reverse.Var], 151, []float64{10}, []float64{370}, 0.15,
		[]float64{1.67, -0.139, 0.0026, -0.00172, 2.17e-5},
		[]float64{1.5, -0.15, 0.0025, -0.0015, 2e-5},
	},
	{
		"Hahn1", cubicRatio[reverse.Var], 236, []float64{14}, []float64{850}, 0.05,
		[]float64{1.08, -0.123, 4.09e-3, -1.43e-6, -5.76e-3, 2.41e-4, -1.23e-7},
		[]float64{1, -0.1, 0.005, -1e-6, -0.005, 1e-4, -1e-7},
	},
	{
		"Nelson", nelson[reverse.Var], 128, []float64{1, 180}, []float64{64, 275}, 0.1,
		[]float64{2.59, 5.6e-9, -0.0577},
		[]float64{2.5, 5e-9, -0.05},
	},
	{
		"MGH17", mgh17[reverse.Var], 33, []float64{0}, []float64{320}, 1e-3,
		[]float64{0.375, 1.94, -1.46, 0.0129, 0.0221},
		[]float64{0.5, 1.5, -1, 0.01, 0.02},
	},
	{
		"Roszman1", roszman1[reverse.Var], 25, []float64{-4800}, []float64{-100}, 0.003,
		[]float64{0.202, -6.2e-6, 1204, -181},
		[]float64{0.2, -5e-6, 1200, -150},
	},
	{
		"ENSO", enso[reverse.Var], 168, []float64{1}, []float64{168}, 2,
		[]float64{10.5, 3.08, 0.533, 44.3, -1.62, 0.526, 26.9, 0.212, 1.5},
		[]float64{10, 3, 0.5, 44, -1.5, 0.5, 26, 0.1, 1.5},
	},
	{
		"MGH09", mgh09[reverse.Var], 40, []float64{0.06}, []float64{4}, 1e-4,
		[]float64{0.193, 0.191, 0.123, 0.136},
		[]float64{0.25, 0.39, 0.415, 0.39},
	},
	{
		"Thurber", cubicRatio[reverse.Var], 37, []float64{-3}, []float64{2.2}, 10,
		[]float64{1288, 1491, 583, 75.4, 0.966, 0.398, 0.0497},
		[]float64{1300, 1500, 500, 75, 1, 0.4, 0.05},
	},
	{
		"BoxBOD", misra1a[reverse.Var], 12, []float64{1}, []float64{10}, 10,
		[]float64{214, 0.547},
		[]float64{100, 0.75},
	},
	{
		"Rat42", rat42[reverse.Var], 9, []float64{9}, []float64{79}, 1,
		[]float64{72.5, 2.62, 0.0674},
		[]float64{75, 2.5, 0.07},
	},
	{
		"MGH10", mgh10[reverse.Var], 16, []float64{50}, []float64{125}, 2,
		[]float64{0.00561, 6181, 345},
		[]float64{0.02, 4000, 250},
	},
	{
		"Eckerle4", eckerle4[reverse.Var], 35, []float64{400}, []float64{500}, 0.006,
		[]float64{1.55, 4.09, 451.5},
		[]float64{1.5, 5, 450},
	},
	{
		"Rat43", rat43[reverse.Var], 15, []float64{1}, []float64{15}, 5,
		[]float64{700, 5.28, 0.76, 1.28},
		[]float64{700, 5, 0.75, 1.3},
	},
	{
		"Bennett5", bennett5[reverse.Var], 154, []float64{7.4}, []float64{47}, 1e-3,
		[]float64{-2523, 46.7, 0.932},
		[]float64{-1500, 45, 0.85},
	},
}

// residuals returns the residuals of the data as a function of the parameters
// relative to those of the start: bᵢ = zᵢ·Startᵢ. The noise has a fixed seed.
func (g Regression) residuals() (func(z []reverse.Var) []reverse.Var, error) {
	x := make([][]float64, g.Points)
	for i := range x {
		for k := range g.lo {
			// A second predictor goes through its range several times.
			at := float64(i*(1+6*k)%g.Points) / float64(g.Points-1)
			x[i] = append(x[i], g.lo[k]+at*(g.hi[k]-g.lo[k]))
		}
	}
	model := func(b []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, g.Points)
		for i := range y {
			y[i] = g.model(b, x[i]...)
		}
		return y
	}
	t, err := reverse.RecordVec(model, g.B)
	if err != nil {
		return nil, err
	}
	y, err := t.Values(nil, g.B)
	if err != nil {
		return nil, err
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range y {
		y[i] += g.Noise * rnd.NormFloat64()
	}
	return func(z []reverse.Var) []reverse.Var {
		b := make([]reverse.Var, len(z))
		for i := range b {
			b[i] = z[i].Scale(g.Start[i])
		}
		r := model(b)
		for i := range r {
			r[i] = r[i].SubReal(y[i])
		}
		return r
	}, nil
}

// A Fit is what came of a Regression.
type Fit struct {
	// The solutions for the parameters relative to the start, by Gauss–Newton steps
	// and by Newton's with the full Hessian.
	GaussNewton, Newton *newton.Result

	// B are the parameters of the better one, with the standard deviations by JᵀJ
	// and by the Hessian of ½‖r‖² in its place.
	B, Linear, Full []float64
}

// Fit fits the parameters to the data by both methods. An error is that of the
// method that failed.
func (g Regression) Fit() (*Fit, error) {
	residuals, err := g.residuals()
	if err != nil {
		return nil, err
	}
	start := make([]float64, len(g.B))
	for i := range start {
		start[i] = 1
	}
	r := reverse.NewFuncVec(residuals)
	half := reverse.NewFunc(func(z []reverse.Var) reverse.Var {
		r := residuals(z)
		return dual.Dot(r, r).Scale(0.5)
	})

	f, ctx := new(Fit), context.Background()
	if f.GaussNewton, err = (newton.LeastSquares{}).Solve(ctx, newton.Problem{Func: r}, start); err != nil {
		return f, err
	}
	if f.Newton, err = (newton.TrustRegion{Settings: newton.Settings{Tolerance: 1e-12}}).Solve(ctx, newton.Problem{Func: half}, start); err != nil {
		return f, err
	}
	best := f.GaussNewton
	if f.Newton.F < best.F {
		best = f.Newton
	}
	f.B = append(f.B, best.X...)
	floats.Mul(f.B, g.Start)

	if f.Linear, err = (newton.LeastSquares{}).Deviations(newton.Problem{Func: r}, best.X); err != nil {
		return f, err
	}
	t, err := half.Tape(best.X)
	if err != nil {
		return f, err
	}
	h, err := hessian.New(t, hessian.FoR).Dense(nil, best.X)
	if err != nil {
		return f, err
	}
	f.Full = curvatureDeviations(h, 2*best.F/float64(g.Points-len(start)))
	for i, b := range g.Start {
		f.Linear[i] *= math.Abs(b)
		f.Full[i] *= math.Abs(b)
	}
	return f, nil
}

// curvatureDeviations returns √(variance·(A⁻¹)ᵢᵢ) of a matrix of curvature A, NaN
// where it is not positive definite.
func curvatureDeviations(a *mat.SymDense, variance float64) []float64 {
	n := a.SymmetricDim()
	d := make([]float64, n)

	// With rows and columns scaled to the diagonal 1.
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for k := range i + 1 {
			scaled.SetSym(i, k, a.At(i, k)/math.Sqrt(a.At(i, i))/math.Sqrt(a.At(k, k)))
		}
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	ok := chol.Factorize(scaled)
	if ok {
		chol.InverseTo(&inverse) // its warning of a condition is no error here
	}
	for i := range d {
		d[i] = math.NaN()
		if ok {
			d[i] = math.Sqrt(variance * inverse.At(i, i) / a.At(i, i))
		}
	}
	return d
}
