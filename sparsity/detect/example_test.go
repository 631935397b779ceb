package detect_test

import (
	"fmt"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/sparsity/detect"
)

func rosenbrock[T dual.Scalar[T]](x []T) T {
	var s T
	for i := range len(x) - 1 {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Square())
	}
	return s
}

func ExampleHessian() {
	p := detect.Hessian(rosenbrock, 5)
	fmt.Println(p)
	fmt.Print(p.Spy(0))
	// Output:
	// 5×5 pattern, 13 nonzeros (52 %)
	// ● ● · · ·
	// ● ● ● · ·
	// · ● ● ● ·
	// · · ● ● ●
	// · · · ● ●
}

func ExampleJacobian() {
	f := func(x []detect.Tracer) []detect.Tracer {
		return []detect.Tracer{
			x[0].Mul(x[2]),
			x[1].Sub(x[2].Exp()),
			x[0].Const(4),
		}
	}
	fmt.Print(detect.Jacobian(f, 3).Spy(0))
	// Output:
	// ● · ●
	// · ● ●
	// · · ·
}
