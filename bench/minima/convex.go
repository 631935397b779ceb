package minima

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

//go:generate go run ../../dual/lift -o convex_lifted.go portfolio logistic

// market is assets whose returns vary by factors and by noise of their own, which are in
// percent.
type market struct {
	returns, noise []float64
	factors        [][]float64 // by factor and asset
}

// Portfolio is the least variance of a portfolio of n assets, none sold short and none
// above a tenth, with a given return: Markowitz's, by a model of ten factors, which keeps
// the Hessian sparse. It is convex: the conditions of optimality are enough.
func Portfolio(n int) Problem {
	const factors = 10
	rnd := rand.New(rand.NewPCG(5, 6))
	m := &market{factors: make([][]float64, factors)}
	for range n {
		beta := rnd.Float64()
		m.returns = append(m.returns, 0.03+0.06*beta+0.01*rnd.NormFloat64())
		m.noise = append(m.noise, 10+20*rnd.Float64())
		for k := range m.factors {
			m.factors[k] = append(m.factors[k], 10*(beta+0.3*rnd.NormFloat64()))
		}
	}
	x0 := append(same(n, 1/float64(n)), make([]float64, factors)...)
	return family("portfolio", n, func(x []float64) []float64 { return portfolio(x, m) }, func(x []v) []v { return portfolioOf(x, m) },
		x0, all(n, 0, max(0.1, 2/float64(n))).and(all(factors, -inf, inf)), equal(factors).and(all(1, 1, 1)).and(all(1, 0.07, inf)))
}

// portfolio is half of the variance with weights and exposures to factors x = [w; y],
// y less the sums of the weights' factors, the sum of the weights, and the return.
func portfolio(x []float64, m *market) []float64 {
	n := len(m.returns)
	variance, sum, gain := 0.0, 0.0, 0.0
	for i := 0; i < n; i++ {
		variance += 0.5 * sq(m.noise[i]*x[i])
		sum += x[i]
		gain += m.returns[i] * x[i]
	}
	var exposures []float64
	for k, factor := range m.factors {
		variance += 0.5 * sq(x[n+k])
		exposure := x[n+k]
		for i := 0; i < n; i++ {
			exposure -= factor[i] * x[i]
		}
		exposures = append(exposures, exposure)
	}
	return append(append([]float64{variance}, exposures...), sum, gain)
}

// observations are ±1 with features, few of which are not 0.
type observations struct {
	sign     []float64
	feature  [][]int
	value    [][]float64
	unknowns int
	ridge    float64
}

// Logistic is the logistic regression of n observations, in groups of ten along a line,
// with an effect of each group and half of it on the next, by a ridge. It is convex.
func Logistic(n int) Problem {
	rnd := rand.New(rand.NewPCG(7, 8))
	groups := (n + 9) / 10
	o := &observations{unknowns: groups + 1, ridge: 0.1}
	for i := range n {
		g := i / 10
		feature, value := []int{0, 1 + g}, []float64{1, 1}
		if g > 0 {
			feature, value = append(feature, g), append(value, 0.5)
		}
		sign := 1.0
		if rnd.Float64() > 1/(1+math.Exp(-2*math.Sin(float64(g)))) {
			sign = -1
		}
		o.sign, o.feature, o.value = append(o.sign, sign), append(o.feature, feature), append(o.value, value)
	}
	return o.problem(fmt.Sprintf("logistic %d", n))
}

func (o *observations) problem(name string) Problem {
	return Problem{
		Name: name, X0: make([]float64, o.unknowns), Plain: func(x []float64) []float64 { return logistic(x, o) },
		Problem: newton.Problem{Func: reverse.NewFuncVec(func(x []v) []v { return logisticOf(x, o) })},
	}
}

// logistic is Σ log(1 + exp(−sᵢaᵢᵀb)) + ½ρ‖b‖².
func logistic(b []float64, o *observations) []float64 {
	f := 0.0
	for i, s := range o.sign {
		z := 0.0
		for k, j := range o.feature[i] {
			z += o.value[i][k] * b[j]
		}
		f += math.Log1p(math.Exp(-s * z))
	}
	for _, b := range b {
		f += 0.5 * o.ridge * b * b
	}
	return []float64{f}
}
