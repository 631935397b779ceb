package corpus

import "math"

// stepped calls functions with derivatives by hand: snap has the derivative 1 of what it
// rounds, as networks with rounded weights are trained.
func stepped(x []float64) float64 {
	s := 0.0
	for i := range x {
		s += snap(3*x[i]) * weigh(x, x[i], i)
	}
	return s + weigh([]float64{2}, x[0], 0)
}

func snap(a float64) float64                              { return math.Round(a) }
func snapAdjoint(_, resultb float64) float64              { return resultb }
func snapTangent(a, ad float64) (result, resultd float64) { return snap(a), ad }

func weigh(v []float64, a float64, n int) float64 { return v[n] * v[n] * a }

func weighAdjoint(v, vb []float64, a float64, n int, resultb float64) float64 {
	vb[n] += 2 * v[n] * a * resultb
	return v[n] * v[n] * resultb
}

func weighTangent(v, vd []float64, a, ad float64, n int) (result, resultd float64) {
	return v[n] * v[n] * a, 2*v[n]*vd[n]*a + v[n]*v[n]*ad
}
