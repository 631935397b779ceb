package classics

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// Functions with many minima, of Surjanovic and Bingham's Virtual Library of
// Simulation Experiments.

// Ackley is −20 exp(−0.2√(Σ xᵢ²/n)) − exp(Σ cos(2πxᵢ)/n) + 20 + e.
func Ackley[T dual.Scalar[T]](x []T) T {
	var cos T
	for _, x := range x {
		cos = cos.Add(x.Scale(2 * math.Pi).Cos())
	}
	id := 1 / float64(len(x))
	s := dual.Dot(x, x).Scale(id).Sqrt().Scale(-0.2).Exp().Scale(-20)
	return s.Sub(cos.Scale(id).Exp()).AddReal(20).AddReal(math.E)
}

// BraninHoo is (x₁ − 5.1/(4π²)x₀² + 5/π x₀ − 6)² + 10(1 − 1/(8π)) cos x₀ + 10.
func BraninHoo[T dual.Scalar[T]](x []T) T {
	r := x[1].Sub(x[0].Square().Scale(5.1 / (4 * math.Pi * math.Pi))).Add(x[0].Scale(5 / math.Pi)).SubReal(6)
	return r.Square().Add(x[0].Cos().Scale(10 * (1 - 1/(8*math.Pi)))).AddReal(10)
}

// Bukin6 is 100√|x₁ − 0.01x₀²| + 0.01|x₀ + 10|.
func Bukin6[T dual.Scalar[T]](x []T) T {
	valley := x[1].Sub(x[0].Square().Scale(0.01)).Abs().Sqrt()
	return valley.Scale(100).Add(x[0].AddReal(10).Abs().Scale(0.01))
}

// CamelThree is 2x₀² − 1.05x₀⁴ + x₀⁶/6 + x₀x₁ + x₁².
func CamelThree[T dual.Scalar[T]](x []T) T {
	p := dual.Polyval([]float64{0, 2, -1.05, 1.0 / 6}, x[0].Square())
	return p.Add(x[0].Mul(x[1])).Add(x[1].Square())
}

// CamelSix is (4 − 2.1x₀² + x₀⁴/3)x₀² + x₀x₁ + (4x₁² − 4)x₁².
func CamelSix[T dual.Scalar[T]](x []T) T {
	p := dual.Polyval([]float64{0, 4, -2.1, 1.0 / 3}, x[0].Square())
	return p.Add(x[0].Mul(x[1])).Add(dual.Polyval([]float64{0, -4, 4}, x[1].Square()))
}

// CrossInTray is −0.0001(|sin x₀ sin x₁ exp|100 − |x|/π|| + 1)^0.1. gonum has
// |x|/√π, which has other minima than it documents.
func CrossInTray[T dual.Scalar[T]](x []T) T {
	e := dual.Dot(x, x).Sqrt().Scale(1 / math.Pi).RSub(100).Abs().Exp()
	return x[0].Sin().Mul(x[1].Sin()).Mul(e).Abs().AddReal(1).PowReal(0.1).Scale(-0.0001)
}

// DixonPrice is (x₀ − 1)² + Σ (i+1)(2xᵢ² − xᵢ₋₁)².
func DixonPrice[T dual.Scalar[T]](x []T) T {
	s := x[0].SubReal(1).Square()
	for i := 1; i < len(x); i++ {
		s = s.Add(x[i].Square().Scale(2).Sub(x[i-1]).Square().Scale(float64(i + 1)))
	}
	return s
}

// DropWave is −(1 + cos 12|x|)/(|x|²/2 + 2).
func DropWave[T dual.Scalar[T]](x []T) T {
	rr := dual.Dot(x, x)
	return rr.Sqrt().Scale(12).Cos().AddReal(1).Div(rr.Scale(0.5).AddReal(2)).Neg()
}

// Eggholder is −(x₁ + 47) sin √|x₁ + x₀/2 + 47| − x₀ sin √|x₀ − x₁ − 47|.
func Eggholder[T dual.Scalar[T]](x []T) T {
	a := x[1].Add(x[0].Scale(0.5)).AddReal(47).Abs().Sqrt().Sin()
	b := x[0].Sub(x[1]).SubReal(47).Abs().Sqrt().Sin()
	return x[1].AddReal(47).Mul(a).Neg().Sub(x[0].Mul(b))
}

// GramacyLee is sin(10πx)/(2x) + (x − 1)⁴.
func GramacyLee[T dual.Scalar[T]](x []T) T {
	return x[0].Scale(10 * math.Pi).Sin().Div(x[0].Scale(2)).Add(x[0].SubReal(1).PowInt(4))
}

// Griewank is Σ xᵢ²/4000 − Π cos(xᵢ/√i) + 1, i = 1 … n.
func Griewank[T dual.Scalar[T]](x []T) T {
	p := x[0].Cos()
	for i := 1; i < len(x); i++ {
		p = p.Mul(x[i].Scale(1 / math.Sqrt(float64(i+1))).Cos())
	}
	return dual.Dot(x, x).Scale(1. / 4000).Sub(p).AddReal(1)
}

// HolderTable is −|sin x₀ cos x₁ exp|1 − |x|/π||.
func HolderTable[T dual.Scalar[T]](x []T) T {
	e := dual.Dot(x, x).Sqrt().Scale(1 / math.Pi).RSub(1).Abs().Exp()
	return x[0].Sin().Mul(x[1].Cos()).Mul(e).Abs().Neg()
}

// Langermann2 is Σ cᵢ exp(−|x − aᵢ|²/π) cos(π|x − aᵢ|²) over five points aᵢ.
func Langermann2[T dual.Scalar[T]](x []T) T {
	c := []float64{1, 2, 5, 2, 3}
	a := [][2]float64{{3, 5}, {5, 2}, {2, 1}, {1, 4}, {7, 9}}
	var s T
	for i, a := range a {
		rr := x[0].SubReal(a[0]).Square().Add(x[1].SubReal(a[1]).Square())
		s = s.Add(rr.Scale(-1 / math.Pi).Exp().Mul(rr.Scale(math.Pi).Cos()).Scale(c[i]))
	}
	return s
}

// Levy is sin²πw₀ + Σ (wᵢ − 1)²(1 + 10 sin²(πwᵢ + 1)) + (w − 1)²(1 + sin²2πw),
// wᵢ = 1 + (xᵢ − 1)/4, the last w apart.
func Levy[T dual.Scalar[T]](x []T) T {
	n := len(x) - 1
	w := make([]T, n+1)
	for i, x := range x {
		w[i] = x.SubReal(1).Scale(0.25).AddReal(1)
	}
	s := w[0].Scale(math.Pi).Sin().Square()
	for _, w := range w[:n] {
		wave := w.Scale(math.Pi).AddReal(1).Sin().Square().Scale(10)
		s = s.Add(w.SubReal(1).Square().Mul(wave.AddReal(1)))
	}
	wave := w[n].Scale(2 * math.Pi).Sin().Square()
	return s.Add(w[n].SubReal(1).Square().Mul(wave.AddReal(1)))
}

// Levy13 is sin²3πx₀ + (x₀ − 1)²(1 + sin²3πx₁) + (x₁ − 1)²(1 + sin²2πx₁).
func Levy13[T dual.Scalar[T]](x []T) T {
	sin := func(c float64, x T) T { return x.Scale(c * math.Pi).Sin().Square() }
	s := sin(3, x[0]).Add(x[0].SubReal(1).Square().Mul(sin(3, x[1]).AddReal(1)))
	return s.Add(x[1].SubReal(1).Square().Mul(sin(2, x[1]).AddReal(1)))
}

// Rastrigin is Σ xᵢ² − 10 cos 2πxᵢ + 10.
func Rastrigin[T dual.Scalar[T]](x []T) T {
	var s T
	for _, x := range x {
		s = s.Add(x.Square()).Sub(x.Scale(2 * math.Pi).Cos().Scale(10))
	}
	return s.AddReal(10 * float64(len(x)))
}

// Schaffer2 is ½ + (sin²(x₀² − x₁²) − ½)/(1 + 0.001|x|²)².
func Schaffer2[T dual.Scalar[T]](x []T) T {
	s := x[0].Square().Sub(x[1].Square()).Sin().Square()
	return s.SubReal(0.5).Div(dual.Dot(x, x).Scale(0.001).AddReal(1).Square()).AddReal(0.5)
}

// Schaffer4 is ½ + (cos² sin|x₀² − x₁²| − ½)/(1 + 0.001|x|²)². gonum lacks the
// square, without which there is no minimum.
func Schaffer4[T dual.Scalar[T]](x []T) T {
	s := x[0].Square().Sub(x[1].Square()).Abs().Sin().Cos().Square()
	return s.SubReal(0.5).Div(dual.Dot(x, x).Scale(0.001).AddReal(1).Square()).AddReal(0.5)
}

// Schwefel is 418.9829n − Σ xᵢ sin √|xᵢ|.
func Schwefel[T dual.Scalar[T]](x []T) T {
	var s T
	for _, x := range x {
		s = s.Add(x.Mul(x.Abs().Sqrt().Sin()))
	}
	return s.RSub(418.9829 * float64(len(x)))
}

// Shubert is the product over x₀ and x₁ of Σ i cos((i+1)x + i), i = 1 … 5.
func Shubert[T dual.Scalar[T]](x []T) T {
	var s [2]T
	for j := range s {
		for i := 1.0; i <= 5; i++ {
			s[j] = s[j].Add(x[j].Scale(i + 1).AddReal(i).Cos().Scale(i))
		}
	}
	return s[0].Mul(s[1])
}
