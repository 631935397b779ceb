package laplace_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/hessian/laplace"
	"github.com/hesse-ad/hesse/reverse"
)

// trial is a treatment of patients in clinics, whose odds of success differ.
type trial struct {
	clinics int
	clinic  []int
	dose    []float64
	success []bool
}

// density is the joint negative log-density of the clinics' effects u, normal with the deviation
// exp θ₂, and of the successes, whose log odds are θ₀ + θ₁·dose + u: x = [u; θ].
func (t *trial) density(x []reverse.Var) (f reverse.Var) {
	u, theta := x[:t.clinics], x[t.clinics:]
	for _, u := range u {
		f = f.Add(u.Mul(theta[2].Neg().Exp()).Square().Scale(0.5)).Add(theta[2]).AddReal(math.Log(2*math.Pi) / 2)
	}
	for i, clinic := range t.clinic {
		odds := theta[0].Add(theta[1].Scale(t.dose[i])).Add(u[clinic])
		if t.success[i] {
			odds = odds.Neg()
		}
		f = f.Add(odds.Exp().Log1p())
	}
	return f
}

// A logistic regression with a random effect of each of 40 clinics.
func Example() {
	t := &trial{clinics: 40}
	r := rand.New(rand.NewPCG(5, 6))
	for i := range t.clinics {
		for u := 0.8 * r.NormFloat64(); len(t.clinic) < 25*(i+1); {
			dose := r.Float64()
			t.clinic, t.dose = append(t.clinic, i), append(t.dose, dose)
			t.success = append(t.success, r.Float64() < 1/(1+math.Exp(1-2*dose-u)))
		}
	}

	theta := []float64{0, 0, 0}
	l, err := laplace.New(reverse.NewFunc(t.density), make([]float64, t.clinics), theta)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := l.Fit(context.Background(), theta)
	if err != nil {
		fmt.Println(err)
		return
	}
	for k, name := range []string{"mean", "dose", "log deviation"} {
		fmt.Printf("%-13s %5.2f ± %.2f\n", name, e.Theta[k], e.ThetaErrors[k])
	}
	// Output:
	// mean          -0.97 ± 0.18
	// dose           2.11 ± 0.25
	// log deviation -0.29 ± 0.16
}
