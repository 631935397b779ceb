package small

import "github.com/hesse-ad/hesse/reverse"

// Problem is a function, with its derivatives by hand and as written: value, gradient and
// Hessian at once.
type Problem struct {
	Name           string
	X, P           []float64
	ByHand, Source func(h, g, x []float64) float64
	Record         func() (*reverse.Tape, error)
}

// Problems is all functions.
func Problems() []Problem {
	p := []float64{0.3, -0.2, 0.5, 0.7}
	of := func(f func(x []reverse.Var) reverse.Var, x []float64) func() (*reverse.Tape, error) {
		return func() (*reverse.Tape, error) { return reverse.Record(f, x) }
	}
	hs71, wood, powell := []float64{1, 5, 4, 1.5}, []float64{-3, -1, -3, -1}, []float64{3, -1, 0.5, 1}
	pendulum := []float64{0.1, 0.4, -0.2, 0.8, 1.5}
	return []Problem{
		{"HS71", hs71, nil, HS71ByHand, HS71All, of(HS71Of, hs71)},
		{"Wood", wood, nil, WoodByHand, WoodAll, of(WoodOf, wood)},
		{"Powell", powell, nil, PowellByHand, PowellAll, of(PowellOf, powell)},
		{
			"cart-pole", pendulum, p,
			func(h, g, x []float64) float64 { return CartPoleByHand(h, g, x, p) },
			func(h, g, x []float64) float64 { return CartPoleAll(h, g, x, p) },
			func() (*reverse.Tape, error) { return reverse.RecordParams(CartPoleOf, pendulum, p) },
		},
	}
}
