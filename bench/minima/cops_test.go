package minima

import (
	"context"
	"math"
	"os"
	"testing"
	"time"

	"github.com/hesse-ad/hesse/hessian/newton"
)

func TestCOPSTable(t *testing.T) {
	for _, f := range COPS {
		if w := os.Getenv("W"); w != "" && w != f.Name { continue }
		for i, n := range f.Sizes {
			if i > 0 && os.Getenv("BIG") == "" { break }
			p := f.At(n)
			start := time.Now()
			o := newton.InteriorPoint{}
			if os.Getenv("L") != "" { o.Log = os.Stdout }
			r, err := o.Minimize(context.Background(), p.Problem, p.X0)
			t.Logf("%-16s n %6d m %6d %4d it (%d) f %.8g  %v: prep %v der %v la %v, fact %d err %v", p.Name, len(p.X0), len(r.C), r.Iterations, r.Restorations, r.F, time.Since(start).Round(time.Millisecond), r.Prepare.Round(time.Millisecond), r.Derivatives.Round(time.Millisecond), r.LinearAlgebra.Round(time.Millisecond), r.Factorizations, err)
			_ = math.Pi
		}
	}
}
