package plain

import "math"

// gaussians are points in dim dimensions, by rows, a mixture of k Gaussians, and a
// Wishart prior with gamma and as many degrees of freedom as dimensions.
type gaussians struct {
	dim, k, points int
	x              []float64
	gamma          float64
}

// mixture is the log-posterior. The variables are k log-weights, k means, and k factors of
// inverse covariances, each as the logarithms of its diagonal and its columns below.
func mixture(x []float64, m *gaussians) float64 {
	d, k := m.dim, m.k
	alphas, means, factors := x[:k], x[k:k+k*d], x[k+k*d:]
	size := d * (d + 1) / 2
	diag := make([]float64, k*d)
	logDet := make([]float64, k)
	for j := range k {
		for i := range d {
			q := factors[j*size+i]
			logDet[j] += q
			diag[j*d+i] = math.Exp(q)
		}
	}
	centered := make([]float64, d)
	scaled := make([]float64, d)
	exponents := make([]float64, k)
	sum := 0.0
	for t := range m.points {
		point := m.x[t*d : (t+1)*d]
		for j := range k {
			mean := means[j*d : (j+1)*d]
			for i := range centered {
				centered[i] = point[i] - mean[i]
			}
			lowerTimes(scaled, diag[j*d:(j+1)*d], factors[j*size+d:(j+1)*size], centered)
			exponents[j] = alphas[j] + logDet[j] - 0.5*sumOfSquares(scaled)
		}
		sum += logSumExp(exponents)
	}
	n := float64(m.points)
	prior := 0.0
	for j := range k {
		prior += sumOfSquares(diag[j*d:(j+1)*d]) + sumOfSquares(factors[j*size+d:(j+1)*size])
	}
	return sum - n*(logSumExp(alphas)+0.5*float64(d)*math.Log(2*math.Pi)) + 0.5*m.gamma*m.gamma*prior
}

// lowerTimes sets y = Lx for the lower triangle L with a diagonal and the columns below.
func lowerTimes(y, diag, below, x []float64) {
	for i := range y {
		y[i] = diag[i] * x[i]
	}
	at := 0
	for i := range y {
		for j := i + 1; j < len(y); j++ {
			y[j] += below[at] * x[i]
			at++
		}
	}
}

func sumOfSquares(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return s
}

func logSumExp(x []float64) float64 {
	m := x[0]
	for _, v := range x[1:] {
		m = max(m, v)
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - m)
	}
	return math.Log(s) + m
}
