package models

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
	"github.com/hesse-ad/hesse/reverse"
)

//go:generate go run ../../dual/lift -active x -o effects_lifted.go thetaLogistic crossed field volatility

// MixedModel is a model with effects u, that are integrated, and parameters θ: its joint negative
// log-density of x = [u; θ], by which package laplace has its marginal.
type MixedModel struct {
	Name    string
	Effects int
	Func    *reverse.Func
	Plain   func(x []float64) float64 // nil if it is not plain Go
	U, X    []float64                 // starts of u and of θ
}

func mixed(name string, u, theta []float64, plain func(x []float64) float64, f func(x []reverse.Var) reverse.Var) MixedModel {
	return MixedModel{Name: name, Effects: len(u), Func: reverse.NewFunc(f), Plain: plain, U: u, X: theta}
}

// logNormal is the logarithm of the density at x of the normal distribution with variance exp v.
func logNormal(x, v float64) float64 {
	return -0.5*math.Log(2*math.Pi) - 0.5*v - 0.5*x*x*math.Exp(-v)
}

// ThetaLogistic is the population of Pedersen et al. (2011), logarithms of sizes with
// θ = (log r, log ϑ, log K, log Q, log R): the growth rate, its form and the capacity, and the
// variances of growth and of observations. There are 200 of these.
func ThetaLogistic() MixedModel {
	y := column(thetalog, 0)
	return mixed("theta-logistic", make([]float64, len(y)), []float64{0, 0, 6, 0, 0},
		func(x []float64) float64 { return thetaLogistic(x, y) },
		func(x []reverse.Var) reverse.Var { return thetaLogisticOf(x, y) })
}

func thetaLogistic(x, y []float64) float64 {
	n := len(y)
	r, form, capacity := math.Exp(x[n]), math.Exp(x[n+1]), math.Exp(x[n+2])
	f := 0.0
	for i := 1; i < n; i++ {
		mean := x[i-1] + r*(1-math.Pow(math.Exp(x[i-1])/capacity, form))
		f -= logNormal(x[i]-mean, x[n+3])
	}
	for i := range y {
		f -= logNormal(y[i]-x[i], x[n+4])
	}
	return f
}

// answers are those of persons to items.
type answers struct {
	person, item   []int
	right          []bool
	persons, items int
}

// Crossed is a logistic regression with effects of n persons and of n/5 items, each person
// answering ten: θ is the mean and the logarithms of the deviations.
func Crossed(n int) MixedModel {
	rnd := rand.New(rand.NewPCG(21, 22))
	a := &answers{persons: n, items: max(n/5, 1)}
	u := normal(23, a.persons+a.items, 1)
	for i := range n {
		for range 10 {
			j := rnd.IntN(a.items)
			p := 1 / (1 + math.Exp(-(0.5 + u[i] + 0.7*u[n+j])))
			a.person, a.item = append(a.person, i), append(a.item, a.persons+j)
			a.right = append(a.right, rnd.Float64() < p)
		}
	}
	return mixed("crossed", make([]float64, len(u)), []float64{0, 0, 0},
		func(x []float64) float64 { return crossed(x, a) },
		func(x []reverse.Var) reverse.Var { return crossedOf(x, a) })
}

func crossed(x []float64, a *answers) float64 {
	n := a.persons + a.items
	f := 0.0
	for i := 0; i < a.persons; i++ {
		f -= logNormal(x[i], 2*x[n+1])
	}
	for i := a.persons; i < n; i++ {
		f -= logNormal(x[i], 2*x[n+2])
	}
	for k := range a.person {
		eta := x[n] + x[a.person[k]] + x[a.item[k]]
		if a.right[k] {
			eta = -eta
		}
		f += math.Log1p(math.Exp(eta))
	}
	return f
}

// grid is counts on a square grid, and the eigenvalues of its Laplacian.
type grid struct {
	side   int
	counts []float64
	eigen  []float64
}

// Field is counts on a grid of side² places of Poisson distributions, whose logarithms of means are
// μ + u for a field u with the sparse precision τ(κ² + Δ)², Δ being the Laplacian of the grid:
// that of Lindgren, Rue and Lindström (2011). θ = (μ, log τ, log κ²).
func Field(side int) MixedModel {
	rnd := rand.New(rand.NewPCG(31, 32))
	g := &grid{side: side}
	for i := range side {
		for j := range side {
			s, t := math.Sin(math.Pi*float64(i)/float64(2*side)), math.Sin(math.Pi*float64(j)/float64(2*side))
			g.eigen = append(g.eigen, 4*s*s+4*t*t)
			mean := math.Exp(1 + math.Sin(float64(i)/4)*math.Cos(float64(j)/5))
			k := 0.0
			for p := rnd.ExpFloat64(); p < mean; p += rnd.ExpFloat64() {
				k++
			}
			g.counts = append(g.counts, k)
		}
	}
	return mixed("field", make([]float64, side*side), []float64{0, 0, -1},
		func(x []float64) float64 { return field(x, g) },
		func(x []reverse.Var) reverse.Var { return fieldOf(x, g) })
}

func field(x []float64, g *grid) float64 {
	n := g.side * g.side
	mean, tau, kappa := x[n], math.Exp(x[n+1]), math.Exp(x[n+2])
	f := 0.0
	for i := 0; i < g.side; i++ {
		for j := 0; j < g.side; j++ {
			at := i*g.side + j
			s := kappa * x[at]
			if i > 0 {
				s += x[at] - x[at-g.side]
			}
			if i+1 < g.side {
				s += x[at] - x[at+g.side]
			}
			if j > 0 {
				s += x[at] - x[at-1]
			}
			if j+1 < g.side {
				s += x[at] - x[at+1]
			}
			f += 0.5 * tau * s * s
			f += math.Exp(mean+x[at]) - g.counts[at]*(mean+x[at])
		}
	}
	for _, e := range g.eigen {
		f -= math.Log(kappa + e)
	}
	return f + 0.5*float64(n)*(math.Log(2*math.Pi)-x[n+1])
}

// Volatility is n returns of N(0, exp u), where u is autoregressive:
// uᵢ₊₁ = μ + φ(uᵢ − μ) + σε. θ = (μ, artanh φ, log σ). Source: Taylor, Modelling Financial Time
// Series, 1986.
func Volatility(n int) MixedModel {
	y := make([]float64, n)
	state, e, z := -1.0, normal(41, n, 0.2), normal(42, n, 1)
	for i := range y {
		state = -1 + 0.95*(state+1) + e[i]
		y[i] = math.Exp(state/2) * z[i]
	}
	return mixed("volatility", make([]float64, n), []float64{0, 1, -1},
		func(x []float64) float64 { return volatility(x, y) },
		func(x []reverse.Var) reverse.Var { return volatilityOf(x, y) })
}

func volatility(x, y []float64) float64 {
	n := len(y)
	mean, phi, v := x[n], math.Tanh(x[n+1]), 2*x[n+2]
	f := -logNormal(x[0]-mean, v-math.Log1p(-phi*phi))
	for i := 1; i < n; i++ {
		f -= logNormal(x[i]-mean-phi*(x[i-1]-mean), v)
	}
	for i := range y {
		f -= logNormal(y[i], x[i])
	}
	return f
}

// Spatial is the example of that name of the ADMB and TMB projects: counts at 100 places of Poisson
// distributions with two covariates, whose effects u have the dense covariance exp(−a‖zᵢ − zⱼ‖):
// log mean = b₁x₁ + b₂x₂ + σu, θ = (b₁, b₂, a, log σ).
func Spatial() MixedModel {
	var data [5][]float64
	for k := range data {
		data[k] = column(spatial, k)
	}
	n := len(data[0])
	m := mixed("spatial", make([]float64, n), []float64{0, 0, 1.428571, -0.6931472}, nil,
		func(x []reverse.Var) reverse.Var { return spatialOf(x, data) })
	return m
}

func spatialOf[T dual.Scalar[T]](x []T, data [5][]float64) T {
	y, x1, x2, z1, z2 := data[0], data[1], data[2], data[3], data[4]
	n := len(y)
	b1, b2, a, sigma := x[n], x[n+1], x[n+2], x[n+3].Exp()
	cov := matrix.New[T](n, n, nil)
	for i := range n {
		for j := range i + 1 {
			cov.Set(i, j, a.Scale(-math.Hypot(z1[i]-z1[j], z2[i]-z2[j])).Exp())
		}
	}
	terms := []T{matrix.LogNormal(nil, matrix.New(1, n, x[:n]), dual.Consts[T](nil, make([]float64, n)), matrix.Covariance, cov)[0].Neg()}
	for i := range n {
		eta := dual.Affine(0, []float64{x1[i], x2[i]}, []T{b1, b2}).Add(sigma.Mul(x[i]))
		terms = append(terms, eta.Exp().Sub(eta.Scale(y[i])))
	}
	return dual.Sum(terms)
}

//go:embed testdata/thetalog.csv
var thetalog string

//go:embed testdata/spatial.csv
var spatial string

// column is column k of comma-separated numbers below a head.
func column(text string, k int) (x []float64) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		v, err := strconv.ParseFloat(strings.Split(strings.TrimSpace(line), ",")[k], 64)
		if err != nil {
			panic(err)
		}
		x = append(x, v)
	}
	return x
}
