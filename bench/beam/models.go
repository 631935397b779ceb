package beam

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// A Model is a sum of terms over rows of data. Workers find it by its name, since
// functions do not travel.
type Model struct {
	Term  func(x, p []reverse.Var) reverse.Var
	Start []float64 // where minimization begins

	// Row sets row r of made-up data from the parameters True.
	Row  func(row []float64, r int64)
	True []float64
	D    int // length of a row
}

// Models are those that there are.
var Models = map[string]Model{
	"logistic": {
		Term:  logistic,
		Start: make([]float64, len(weights)),
		Row:   logisticRow,
		True:  weights,
		D:     len(weights) + 1,
	},
	"mixture": {
		Term:  mixture,
		Start: []float64{0, -0.5, 0.5, 0, 0},
		Row:   mixtureRow,
		True:  []float64{math.Log(0.3 / 0.7), -1, 2, math.Log(0.5), math.Log(0.8)},
		D:     1,
	},
}

var weights = []float64{0.5, -1, 2, 0.25, -0.75, 1.5}

// logistic is −ln of the probability of y = ±1 in a row [a, y] of a logistic
// regression, ln(1 + exp(−y·aᵀx)).
func logistic(x, p []reverse.Var) reverse.Var {
	n := len(x)
	return dual.Dot(p[:n], x).Mul(p[n]).Neg().Softplus()
}

// logisticRow has a constant and numbers from (−1, 1).
func logisticRow(row []float64, r int64) {
	n := len(row) - 1
	s := 0.0
	for i := range n {
		row[i] = 1
		if i > 0 {
			row[i] = 2*uniform(r, i) - 1
		}
		s += float64(row[i] * weights[i])
	}
	row[n] = 1
	if uniform(r, n) > 1/(1+math.Exp(-s)) {
		row[n] = -1
	}
}

// mixture is −ln of the density of a mixture of two normal distributions, with the
// parameters log odds of the first one, means, logarithms of standard deviations:
//
//	−ln(w φ(p; μ₁, σ₁) + (1 − w) φ(p; μ₂, σ₂))
func mixture(x, p []reverse.Var) reverse.Var {
	part := func(mean, logDeviation reverse.Var) reverse.Var {
		z := p[0].Sub(mean).Div(logDeviation.Exp())
		return z.Square().Scale(-0.5).Sub(logDeviation)
	}
	first := part(x[1], x[3]).Sub(x[0].Neg().Softplus()) // ln w = −ln(1 + e⁻ˣ)
	second := part(x[2], x[4]).Sub(x[0].Softplus())
	largest := first.Max(second)
	return first.Sub(largest).Exp().Add(second.Sub(largest).Exp()).Log().Add(largest).Neg().
		AddReal(math.Log(2*math.Pi) / 2)
}

// mixtureRow is a normally distributed number by the method of Box and Muller.
func mixtureRow(row []float64, r int64) {
	mean, deviation := 2.0, 0.8
	if uniform(r, 0) < 0.3 {
		mean, deviation = -1, 0.5
	}
	row[0] = mean + float64(deviation*math.Sqrt(-2*math.Log(1-uniform(r, 1)))*math.Cos(2*math.Pi*uniform(r, 2)))
}

// uniform is number i of row r from [0, 1): splitmix64 of both.
func uniform(r int64, i int) float64 {
	z := (uint64(r)*64 + uint64(i) + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) * 0x1p-53
}
