package classics

import "math"

// The functions that Moré and Thuente test line searches with: Line search
// algorithms with guaranteed sufficient decrease, ACM Trans. Math. Softw. 20
// (1994), 286–307, equations 5.1 to 5.4.

// ConcaveRight is −x/(x² + 2).
func ConcaveRight(x []float64) float64 { return -x[0] / (x[0]*x[0] + 2) }

// ConcaveLeft is (x + 0.004)⁴(x − 1.996).
func ConcaveLeft(x []float64) float64 { return power(x[0]+0.004, 4) * (x[0] - 1.996) }

// Plassmann is φ(x) + 2(1 − β)/(lπ) sin(lπx/2), φ being |x − 1| rounded by a
// parabola where it is below β = 0.01, and l = 39: three branches.
func Plassmann(x []float64) float64 {
	const l, beta = 39.0, 0.01
	d := x[0] - 1
	s := 2 * (1 - beta) / (l * math.Pi) * math.Sin(l*math.Pi/2*x[0])
	switch {
	case x[0] <= 1-beta:
		return s - d
	case x[0] <= 1+beta:
		return s + 0.5*(d*d/beta+beta)
	}
	return s + d
}

// YanaiOzawaKaneko is γ(√((1 − x)² + β²) + √(x² + β²)), γ = √(1 + β²) − β,
// β = 0.001.
func YanaiOzawaKaneko(x []float64) float64 {
	const beta = 0.001
	gamma := math.Sqrt(1+beta*beta) - beta
	return gamma * (math.Sqrt((x[0]-1)*(x[0]-1)+beta*beta) + math.Sqrt(x[0]*x[0]+beta*beta))
}
