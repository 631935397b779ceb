package reverse_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

// rosenbrock is Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)².
func rosenbrock[T dual.Scalar[T]](x []T) T {
	var s T
	for i := range len(x) - 1 {
		s = s.Add(x[i+1].Sub(x[i].Square()).Square().Scale(100))
		s = s.Add(x[i].RSub(1).Square())
	}
	return s
}

func Example() {
	t, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return x[0].Add(x[0].Square())
	}, []float64{3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range []float64{3, 10} {
		f, g, err := t.ValueGradient(nil, []float64{x})
		fmt.Println(f, g, err)
	}
	// Output:
	// 12 [7] <nil>
	// 110 [21] <nil>
}

func ExampleGradient() {
	g, err := reverse.Gradient(nil, rosenbrock, []float64{-1, 2})
	fmt.Println(g, err)
	// Output: [396 200] <nil>
}

func ExampleRecord() {
	t, err := reverse.Record(rosenbrock, make([]float64, 4))
	if err != nil {
		fmt.Println(err)
		return
	}
	g := make([]float64, 4) // filled again and again
	for _, x := range [][]float64{{1, 1, 1, 1}, {1, 2, 3, 4}} {
		f, _, err := t.ValueGradient(g, x)
		fmt.Println(f, g, err)
	}
	// Output:
	// 0 [0 0 0 0] <nil>
	// 2705 [-400 1002 5804 -1000] <nil>
}

func ExampleRecordVec() {
	polar := func(x []reverse.Var) []reverse.Var {
		r, phi := x[0], x[1]
		return []reverse.Var{r.Mul(phi.Cos()), r.Mul(phi.Sin())}
	}
	x := []float64{2, math.Pi / 2}
	t, err := reverse.RecordVec(polar, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	j, err := t.Jacobian(nil, x)
	fmt.Printf("%.1f %v\n", mat.Formatted(j), err)
	v, err := t.JVP(nil, x, []float64{1, 0})
	fmt.Printf("%.1f %v\n", v, err)
	w, err := t.VJP(nil, x, []float64{1, 0})
	fmt.Printf("%.1f %v\n", w, err)
	// Output:
	// ⎡ 0.0  -2.0⎤
	// ⎣ 1.0   0.0⎦ <nil>
	// [0.0 1.0] <nil>
	// [0.0 -2.0] <nil>
}

func ExampleRecordParams() {
	// a·exp(b·t) of the inputs a and b, at the time t, a parameter.
	model := func(x, p []reverse.Var) reverse.Var {
		return x[0].Mul(x[1].Mul(p[0]).Exp())
	}
	t, err := reverse.RecordParams(model, []float64{2, 0}, []float64{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := t.Gradient(nil, []float64{2, 0}) // at t = 1, as recorded
	fmt.Println(g, err)
	g, err = t.With([]float64{5}).Gradient(nil, []float64{2, 0}) // at t = 5
	fmt.Println(g, err)
	// Output:
	// [1 2] <nil>
	// [1 10] <nil>
}

func ExampleRecorder() {
	huber := func(x []reverse.Var) reverse.Var {
		if x[0].Abs().LessEqReal(1) {
			return x[0].Square().Scale(0.5)
		}
		return x[0].Abs().SubReal(0.5)
	}
	t, err := reverse.Recorder{Lines: true}.Record(huber, []float64{0.25})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := t.Gradient(nil, []float64{0.5})
	fmt.Println(g, err)
	_, err = t.Gradient(nil, []float64{3}) // the other branch
	var branch *reverse.BranchError
	if errors.As(err, &branch) {
		fmt.Printf("%s(%v, %v) in %s\n", branch.Op, branch.X, branch.Y, filepath.Base(branch.File))
	}
	// Output:
	// [0.5] <nil>
	// LessEq(3, 1) in example_test.go
}

func ExampleFunc() {
	fn := reverse.NewFunc(func(x []reverse.Var) reverse.Var {
		if x[0].LessReal(0) {
			return x[0].Square()
		}
		return x[0].PowInt(3)
	})
	for _, x := range []float64{-2, 2, -3} {
		g, err := fn.Gradient(nil, []float64{x})
		fmt.Println(g, err)
	}
	// Output:
	// [-4] <nil>
	// [12] <nil>
	// [-6] <nil>
}

// Hamiltonian Monte Carlo: a correlated normal density is sampled by leapfrog steps along
// its gradient. The samples' moments come near to its means 0, variances 1 and covariance ½.
// A function with an error, as command lift writes it of plain Go.
func ExampleMust() {
	errFlow := errors.New("no flow")
	loss := func(x []reverse.Var) (reverse.Var, error) {
		if x[0].LessReal(0) {
			return x[0], errFlow
		}
		return x[0].PowReal(1.852), nil
	}
	f := reverse.NewFunc(func(x []reverse.Var) reverse.Var { return reverse.Must(loss(x)) })
	_, err := f.Gradient(nil, []float64{-1})
	fmt.Println(err, errors.Is(err, errFlow))
	g, err := f.Gradient(nil, []float64{1})
	fmt.Println(g, err)
	// Output:
	// no flow true
	// [1.852] <nil>
}

func ExampleFunc_sampling() {
	energy := reverse.NewFunc(func(x []reverse.Var) reverse.Var { // −ln density
		return x[0].Square().Sub(x[0].Mul(x[1])).Add(x[1].Square()).Scale(2. / 3)
	})
	random := rand.New(rand.NewPCG(1, 2))
	const samples, steps, h = 20000, 8, 0.3
	x, p, g, next := []float64{0, 0}, make([]float64, 2), make([]float64, 2), make([]float64, 2)
	var moments [3]float64
	for range samples {
		copy(next, x)
		e, _, _ := energy.ValueGradient(g, next) // no branch, no error
		for i := range p {
			p[i] = random.NormFloat64()
			e += p[i] * p[i] / 2
		}
		for range steps {
			for i := range p {
				p[i] -= h / 2 * g[i]
				next[i] += h * p[i]
			}
			energy.ValueGradient(g, next)
			for i := range p {
				p[i] -= h / 2 * g[i]
			}
		}
		if after, _ := energy.Value(next); random.Float64() < math.Exp(e-after-(p[0]*p[0]+p[1]*p[1])/2) {
			copy(x, next)
		}
		for k, m := range []float64{x[0], x[0] * x[0], x[0] * x[1]} {
			moments[k] += m / samples
		}
	}
	fmt.Printf("%.1f %.1f %.1f\n", math.Abs(moments[0]), moments[1], moments[2])
	// Output: 0.0 1.0 0.5
}

func ExampleTape_HVP() {
	x := []float64{1, 1}
	t, err := reverse.Record(rosenbrock, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := t.HVP(nil, x, []float64{1, 0})
	fmt.Println(h, err)
	// Output: [802 -400] <nil>
}

func ExampleTape_HVPs() {
	x := []float64{1, 1}
	t, err := reverse.Record(rosenbrock, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := t.HVPs(nil, x, mat.NewDense(2, 2, []float64{1, 1, 0, 1}))
	fmt.Println(mat.Formatted(h), err)
	// Output:
	// ⎡ 802   402⎤
	// ⎣-400  -200⎦ <nil>
}

func ExampleTape_HVP_weighted() {
	// The Hessian of the Lagrangian 1·x₀²x₁ − 3·(x₀² + x₁²) times (1, 0).
	x := []float64{2, 5}
	t, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		return []reverse.Var{x[0].Square().Mul(x[1]), dual.Dot(x, x)}
	}, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := t.HVP(nil, x, []float64{1, 0}, 1, -3)
	fmt.Println(h, err)
	// Output: [4 4] <nil>
}

func ExampleTape_Tangent() {
	t, err := reverse.Record(func(x []reverse.Var) reverse.Var { return x[0].PowInt(4) }, []float64{2})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Inputs x, ẋ, then ẍ: x⁴ and its first and second derivative along ẋ = 1.
	y, err := t.Tangent().Tangent().Values(nil, []float64{2, 1, 1, 0})
	fmt.Println(y[0], y[1], y[3], err)
	// Output: 16 32 48 <nil>
}

func ExampleTape_Adjoint() {
	x := []float64{1, 1}
	t, err := reverse.Record(rosenbrock, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	gradient := t.Adjoint() // of x and the weight of the output
	g, err := gradient.Values(nil, []float64{-1, 2, 1})
	fmt.Println(g, err)
	h, err := gradient.Jacobian(nil, []float64{1, 1, 1})
	fmt.Println(mat.Formatted(h.Slice(0, 2, 0, 2)), err)
	// Output:
	// [396 200] <nil>
	// ⎡ 802  -400⎤
	// ⎣-400   200⎦ <nil>
}

func ExampleTape_HessianPattern() {
	t, err := reverse.Record(rosenbrock, make([]float64, 5))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := t.HessianPattern()
	for i := range 5 {
		fmt.Println(p.Row(i))
	}
	// Output:
	// [0 1]
	// [0 1 2]
	// [1 2 3]
	// [2 3 4]
	// [3 4]
}

func ExampleNewPrimitive() {
	// sinc x = sin x / x, smooth at 0 where the formula is not.
	sinc := reverse.NewPrimitive("sinc",
		func(x float64) float64 {
			if x == 0 {
				return 1
			}
			return math.Sin(x) / x
		},
		func(x float64) float64 {
			if x == 0 {
				return 0
			}
			return (x*math.Cos(x) - math.Sin(x)) / (x * x)
		},
		func(x float64) float64 {
			if x == 0 {
				return -1. / 3
			}
			return ((2-x*x)*math.Sin(x) - 2*x*math.Cos(x)) / (x * x * x)
		})
	x := []float64{0}
	t, err := reverse.Record(func(x []reverse.Var) reverse.Var { return sinc.Apply(x[0]) }, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, g, err := t.ValueGradient(nil, x)
	fmt.Println(f, g, err)
	h, err := t.HVP(nil, x, []float64{1})
	fmt.Printf("%.4f %v\n", h, err)
	// Output:
	// 1 [0] <nil>
	// [-0.3333] <nil>
}

// rotation is the linear map (x, y) ↦ (−y, x).
type rotation struct{}

func (rotation) Dims() (n, m int)                { return 2, 2 }
func (rotation) Name() string                    { return "rotation" }
func (rotation) Eval(y, x []float64) error       { y[0], y[1] = -x[1], x[0]; return nil }
func (rotation) JVP(dy, x, dx []float64) error   { dy[0], dy[1] = -dx[1], dx[0]; return nil }
func (rotation) VJP(gx, x, w []float64) error    { gx[0], gx[1] = w[1], -w[0]; return nil }
func (rotation) HVP(h, x, dx, w []float64) error { h[0], h[1] = 0, 0; return nil }
func (rotation) Jacobian(i int) []int            { return []int{1 - i} }
func (rotation) Hessian(i int) []int             { return []int{} }

func ExampleApply() {
	x := []float64{2, 3}
	t, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		y := reverse.Apply(rotation{}, x...)
		return y[0].Mul(y[1]) // −x₁x₀
	}, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := t.Gradient(nil, x)
	fmt.Println(g, err)
	// Output: [-3 -2] <nil>
}

func ExampleNewSparseJacobian() {
	// Second differences: row i depends on x₍ᵢ₋₁₎, xᵢ, x₍ᵢ₊₁₎.
	x := []float64{1, 2, 4, 8, 16}
	t, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, len(x)-2)
		for i := range y {
			y[i] = x[i+2].Sub(x[i+1].Square()).Add(x[i])
		}
		return y
	}, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := reverse.NewSparseJacobian(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	j, err := plan.Eval(nil, x)
	fmt.Println(mat.Formatted(j), err)
	// Output:
	// ⎡  1   -4    1    0    0⎤
	// ⎢  0    1   -8    1    0⎥
	// ⎣  0    0    1  -16    1⎦ <nil>
}

// The energy of springs between points on a line, Σ k/2·(xⱼ − xᵢ)². The Hessian
// is the Laplacian of their graph.
func ExampleRepeat() {
	from, to := []int{0, 1, 2, 0}, []int{1, 2, 3, 3}
	stiffness := []float64{1, 2, 4, 8}
	spring := func(x, k []reverse.Var) reverse.Var {
		return x[1].Sub(x[0]).Square().Mul(k[0]).Scale(0.5)
	}
	x := []float64{0, 1, 3, 6}
	t, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		return reverse.Repeat(spring, x, [][]int{from, to}, [][]float64{stiffness})
	}, x)
	fmt.Println(t.Ops(), "operation", err)
	fmt.Println(t.ValueGradient(nil, x))
	for i := range x {
		v := make([]float64, len(x))
		v[i] = 1
		fmt.Println(t.HVP(nil, x, v))
	}
	// Output:
	// 1 operation <nil>
	// 166.5 [-49 -3 -8 60] <nil>
	// [9 -1 0 -8] <nil>
	// [-1 3 -2 0] <nil>
	// [0 -2 6 -4] <nil>
	// [-8 0 -4 12] <nil>
}

// The distances of points from a circle around (c₀, c₁) with the radius c₂, one
// output each.
func ExampleRepeatVec() {
	px, py := []float64{1, 0, -1}, []float64{0, 2, 0}
	distance := func(c, p []reverse.Var) []reverse.Var {
		return []reverse.Var{p[0].Sub(c[0]).Hypot(p[1].Sub(c[1])).Sub(c[2])}
	}
	rows := [][]int{{0, 1, 2}}
	index := [][]int{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}
	c := []float64{0, 0, 1}
	t, err := reverse.RecordVec(func(c []reverse.Var) []reverse.Var {
		return reverse.RepeatVec(distance, c, index, [][]float64{px, py}, 3, rows)
	}, c)
	fmt.Println(err)
	fmt.Println(t.Values(nil, c))
	j, err := t.Jacobian(nil, c)
	fmt.Println(mat.Formatted(j), err)
	// Output:
	// <nil>
	// [0 1 0] <nil>
	// ⎡-1   0  -1⎤
	// ⎢ 0  -1  -1⎥
	// ⎣ 1   0  -1⎦ <nil>
}
