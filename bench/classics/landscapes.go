package classics

import "math"

// Functions with many minima, of Surjanovic and Bingham's Virtual Library of
// Simulation Experiments.

// Ackley is −20 exp(−0.2√(Σ xᵢ²/n)) − exp(Σ cos(2πxᵢ)/n) + 20 + e.
func Ackley(x []float64) float64 {
	cos := 0.0
	for _, v := range x {
		cos += math.Cos(2 * math.Pi * v)
	}
	n := float64(len(x))
	return -20*math.Exp(-0.2*math.Sqrt(Sphere(x)/n)) - math.Exp(cos/n) + 20 + math.E
}

// BraninHoo is (x₁ − 5.1/(4π²)x₀² + 5/π x₀ − 6)² + 10(1 − 1/(8π)) cos x₀ + 10.
func BraninHoo(x []float64) float64 {
	r := x[1] - 5.1/(4*math.Pi*math.Pi)*x[0]*x[0] + 5/math.Pi*x[0] - 6
	return r*r + 10*(1-1/(8*math.Pi))*math.Cos(x[0]) + 10
}

// Bukin6 is 100√|x₁ − 0.01x₀²| + 0.01|x₀ + 10|.
func Bukin6(x []float64) float64 {
	return 100*math.Sqrt(math.Abs(x[1]-0.01*x[0]*x[0])) + 0.01*math.Abs(x[0]+10)
}

// CamelThree is 2x₀² − 1.05x₀⁴ + x₀⁶/6 + x₀x₁ + x₁².
func CamelThree(x []float64) float64 {
	u := x[0] * x[0]
	return u*(2+u*(-1.05+u/6)) + x[0]*x[1] + x[1]*x[1]
}

// CamelSix is (4 − 2.1x₀² + x₀⁴/3)x₀² + x₀x₁ + (4x₁² − 4)x₁².
func CamelSix(x []float64) float64 {
	u, v := x[0]*x[0], x[1]*x[1]
	return u*(4+u*(-2.1+u/3)) + x[0]*x[1] + v*(4*v-4)
}

// CrossInTray is −0.0001(|sin x₀ sin x₁ exp|100 − |x|/π|| + 1)^0.1. gonum has
// |x|/√π, which has other minima than it documents.
func CrossInTray(x []float64) float64 {
	e := math.Exp(math.Abs(100 - math.Sqrt(Sphere(x))/math.Pi))
	return -0.0001 * math.Pow(math.Abs(math.Sin(x[0])*math.Sin(x[1])*e)+1, 0.1)
}

// DixonPrice is (x₀ − 1)² + Σ (i+1)(2xᵢ² − xᵢ₋₁)².
func DixonPrice(x []float64) float64 {
	s := (x[0] - 1) * (x[0] - 1)
	for i := 1; i < len(x); i++ {
		r := 2*x[i]*x[i] - x[i-1]
		s += float64(i+1) * r * r
	}
	return s
}

// DropWave is −(1 + cos 12|x|)/(|x|²/2 + 2).
func DropWave(x []float64) float64 {
	rr := Sphere(x)
	return -(1 + math.Cos(12*math.Sqrt(rr))) / (rr/2 + 2)
}

// Eggholder is −(x₁ + 47) sin √|x₁ + x₀/2 + 47| − x₀ sin √|x₀ − x₁ − 47|.
func Eggholder(x []float64) float64 {
	a := math.Sin(math.Sqrt(math.Abs(x[1] + x[0]/2 + 47)))
	b := math.Sin(math.Sqrt(math.Abs(x[0] - x[1] - 47)))
	return -(x[1]+47)*a - x[0]*b
}

// GramacyLee is sin(10πx)/(2x) + (x − 1)⁴.
func GramacyLee(x []float64) float64 {
	return math.Sin(10*math.Pi*x[0])/(2*x[0]) + power(x[0]-1, 4)
}

// Griewank is Σ xᵢ²/4000 − Π cos(xᵢ/√i) + 1, i = 1 … n.
func Griewank(x []float64) float64 {
	p := 1.0
	for i, v := range x {
		p *= math.Cos(v / math.Sqrt(float64(i+1)))
	}
	return Sphere(x)/4000 - p + 1
}

// HolderTable is −|sin x₀ cos x₁ exp|1 − |x|/π||.
func HolderTable(x []float64) float64 {
	e := math.Exp(math.Abs(1 - math.Sqrt(Sphere(x))/math.Pi))
	return -math.Abs(math.Sin(x[0]) * math.Cos(x[1]) * e)
}

// Langermann2 is Σ cᵢ exp(−|x − aᵢ|²/π) cos(π|x − aᵢ|²) over five points aᵢ.
func Langermann2(x []float64) float64 {
	c := []float64{1, 2, 5, 2, 3}
	a := [][2]float64{{3, 5}, {5, 2}, {2, 1}, {1, 4}, {7, 9}}
	s := 0.0
	for i, a := range a {
		u, v := x[0]-a[0], x[1]-a[1]
		rr := u*u + v*v
		s += c[i] * math.Exp(-rr/math.Pi) * math.Cos(math.Pi*rr)
	}
	return s
}

// Levy is sin²πw₀ + Σ (wᵢ − 1)²(1 + 10 sin²(πwᵢ + 1)) + (w − 1)²(1 + sin²2πw),
// wᵢ = 1 + (xᵢ − 1)/4, the last w apart.
func Levy(x []float64) float64 {
	n := len(x) - 1
	w := make([]float64, n+1)
	for i, v := range x {
		w[i] = 1 + (v-1)/4
	}
	s := sinSquared(math.Pi * w[0])
	for _, w := range w[:n] {
		s += (w - 1) * (w - 1) * (1 + 10*sinSquared(math.Pi*w+1))
	}
	return s + (w[n]-1)*(w[n]-1)*(1+sinSquared(2*math.Pi*w[n]))
}

func sinSquared(x float64) float64 {
	s := math.Sin(x)
	return s * s
}

// Levy13 is sin²3πx₀ + (x₀ − 1)²(1 + sin²3πx₁) + (x₁ − 1)²(1 + sin²2πx₁).
func Levy13(x []float64) float64 {
	a, b := x[0]-1, x[1]-1
	return sinSquared(3*math.Pi*x[0]) + a*a*(1+sinSquared(3*math.Pi*x[1])) + b*b*(1+sinSquared(2*math.Pi*x[1]))
}

// Rastrigin is Σ xᵢ² − 10 cos 2πxᵢ + 10.
func Rastrigin(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v*v - 10*math.Cos(2*math.Pi*v)
	}
	return s + 10*float64(len(x))
}

// Schaffer2 is ½ + (sin²(x₀² − x₁²) − ½)/(1 + 0.001|x|²)².
func Schaffer2(x []float64) float64 {
	d := 1 + 0.001*Sphere(x)
	return 0.5 + (sinSquared(x[0]*x[0]-x[1]*x[1])-0.5)/(d*d)
}

// Schaffer4 is ½ + (cos² sin|x₀² − x₁²| − ½)/(1 + 0.001|x|²)². gonum lacks the
// square, without which there is no minimum.
func Schaffer4(x []float64) float64 {
	c := math.Cos(math.Sin(math.Abs(x[0]*x[0] - x[1]*x[1])))
	d := 1 + 0.001*Sphere(x)
	return 0.5 + (c*c-0.5)/(d*d)
}

// Schwefel is 418.9829n − Σ xᵢ sin √|xᵢ|.
func Schwefel(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * math.Sin(math.Sqrt(math.Abs(v)))
	}
	return 418.9829*float64(len(x)) - s
}

// Shubert is the product over x₀ and x₁ of Σ i cos((i+1)x + i), i = 1 … 5.
func Shubert(x []float64) float64 {
	var s [2]float64
	for j := range s {
		for i := 1.0; i <= 5; i++ {
			s[j] += i * math.Cos((i+1)*x[j]+i)
		}
	}
	return s[0] * s[1]
}
