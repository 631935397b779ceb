package models_test

import (
	"fmt"
	"log"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/implicit"
	"github.com/hesse-ad/hesse/implicit/linsolve"
	"github.com/hesse-ad/hesse/reverse"
)

func Example() {
	m := models.Named("decoder")
	tape, err := reverse.Record(models.Func[reverse.Var](m), m.X0)
	if err != nil {
		log.Fatal(err)
	}
	loss, g, err := tape.ValueGradient(nil, m.X0)
	if err != nil {
		log.Fatal(err)
	}
	hg, err := tape.HVP(nil, m.X0, g)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d parameters, loss %.4f, ‖g‖ %.4f\n", len(g), loss, floats.Norm(g, 2))
	fmt.Printf("curvature along the gradient %.4f\n", floats.Dot(g, hg)/floats.Dot(g, g))
	// Output:
	// 176 parameters, loss 2.8107, ‖g‖ 3.7801
	// curvature along the gradient -15.2409
}

// The sharpness of a loss, its largest curvature, from 30 products.
func ExampleLanczos() {
	m := models.Named("lstm")
	tape, err := reverse.Record(models.Func[reverse.Var](m), m.X0)
	if err != nil {
		log.Fatal(err)
	}
	values, within, err := models.Lanczos(func(dst, v []float64) ([]float64, error) {
		return tape.HVP(dst, m.X0, v)
	}, len(m.X0), 30)
	if err != nil {
		log.Fatal(err)
	}
	last := len(values) - 1
	fmt.Printf("from %.6f to %.6f\n", values[0], values[last])
	fmt.Println("eigenvalues to 6 digits:", within[0] < 1e-6, within[last] < 1e-6)
	// Output:
	// from -0.124939 to 1.171987
	// eigenvalues to 6 digits: true true
}

// Newton's method for a classifier with a small ridge: the step solves
// (H + δI)s = −g by products Hv, and H is never formed. Far from the minimum
// the system is solved roughly: a truncated Newton method, as Newton–CG, but
// GMRES needs no positive definite matrix.
func Example_truncatedNewton() {
	const ridge = 0.01
	m := models.Named("cross-entropy")
	tape, err := reverse.Record(models.Func[reverse.Var](m), m.X0)
	if err != nil {
		log.Fatal(err)
	}
	w := slices.Clone(m.X0)
	products := 0
	hessian := func(dst, v []float64) {
		if _, err := tape.HVP(dst, w, v); err != nil {
			log.Fatal(err)
		}
		floats.AddScaled(dst, ridge, v)
		products++
	}
	for range 8 {
		f, g, err := tape.ValueGradient(nil, w)
		if err != nil {
			log.Fatal(err)
		}
		f += ridge / 2 * floats.Dot(w, w)
		floats.AddScaled(g, ridge, w)
		norm := floats.Norm(g, 2)
		fmt.Printf("f %.8f  ‖g‖ %.0e  %3d products\n", f, norm, products)
		if norm < 1e-6 {
			break
		}
		step, err := (&linsolve.Krylov{Tolerance: min(0.1, norm)}).GMRES(nil, hessian, g)
		if err != nil {
			log.Fatal(err)
		}
		floats.Sub(w, step)
	}
	// Output:
	// f 1.11845365  ‖g‖ 5e-01    0 products
	// f 0.57945546  ‖g‖ 1e-01    4 products
	// f 0.48629695  ‖g‖ 4e-02   10 products
	// f 0.46817289  ‖g‖ 8e-03   17 products
	// f 0.46729301  ‖g‖ 3e-04   27 products
	// f 0.46729171  ‖g‖ 5e-07   36 products
}

// How the solution of a support vector machine moves with the bound C and with
// a data point: by the optimality conditions, beside solving it again.
func ExampleSVM() {
	lambda := models.SVMStart
	alpha, y, z := models.SolveSVM(lambda)
	n := len(alpha)
	tape, err := reverse.RecordVec(func(in []reverse.Var) []reverse.Var {
		return models.SVM(in[:n], in[n:])
	}, slices.Concat(alpha, lambda))
	if err != nil {
		log.Fatal(err)
	}
	s, err := implicit.KKT(tape, alpha, y, z, lambda)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("α      %.3f\n", alpha)
	support := []int{4, 5, 7, 8, 9} // those between 0 and C
	for _, c := range []struct {
		name string
		at   int
	}{{"C", 1}, {"x₄", 2 + 2*4}} {
		v := make([]float64, len(lambda))
		v[c.at] = 1
		d, err := s.JVP(nil, v)
		if err != nil {
			log.Fatal(err)
		}
		const h = 1e-5
		moved := slices.Clone(lambda)
		moved[c.at] += h
		plus, _, _ := models.SolveSVM(moved)
		moved[c.at] -= 2 * h
		minus, _, _ := models.SolveSVM(moved)
		fmt.Printf("by %s", c.name)
		for _, i := range support {
			fmt.Printf("  %.4f = %.4f", d[i], (plus[i]-minus[i])/(2*h))
		}
		fmt.Println()
	}
	// Output:
	// α      [0.000 1.500 0.000 1.500 1.120 1.215 0.000 1.122 1.237 0.546]
	// by C  -0.7848 = -0.7848  0.4772 = 0.4772  0.7987 = 0.7987  0.2987 = 0.2987  -0.3594 = -0.3594
	// by x₄  -0.6157 = -0.6157  0.0802 = 0.0802  0.1028 = 0.1028  0.0925 = 0.0925  -0.8912 = -0.8912
}
