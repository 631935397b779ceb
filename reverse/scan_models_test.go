package reverse_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

type scanner func(l dual.Loop[reverse.Var], at []int, each bool) (last []V, out [][]V)

// observed are T numbers to be explained by a model.
func observed(steps int) [][]float64 {
	y := make([][]float64, steps)
	for k := range y {
		y[k] = []float64{math.Sin(0.7*float64(k)) + 0.1*float64(k%3)}
	}
	return y
}

// kalman is the negative log-likelihood of observations of a random walk: x = [q; r],
// the logarithms of the variances of its steps and of the observations.
func kalman(x []V, scan scanner) V {
	_, sum := scan(dual.Loop[reverse.Var]{
		Start: []V{{}, dual.Const[reverse.Var](1)}, Shared: x, Data: observed(25), Steps: 25,
		Step: func(s, w, _, y []V) (next, out []V) {
			mean, variance := s[0], s[1].Add(w[0].Exp())
			miss, total := y[0].Sub(mean), variance.Add(w[1].Exp())
			gain := variance.Div(total)
			next = []V{mean.Add(gain.Mul(miss)), variance.Mul(gain.RSub(1))}
			return next, []V{miss.Square().Div(total).Add(total.Log()).Scale(0.5)}
		},
	}, nil, false)
	return sum[0][0]
}

// hidden is minus the log-likelihood of a hidden Markov model with two states by the
// forward algorithm, in logarithms: x = [means; logits of staying].
func hidden(x []V, scan scanner) V {
	last, _ := scan(dual.Loop[reverse.Var]{
		Start: make([]V, 2), Shared: x, Data: observed(25), Steps: 25,
		Step: func(s, w, _, y []V) (next, out []V) {
			for j := range 2 {
				var from [2]V
				for i := range 2 {
					stay := w[2+i].Neg().Softplus().Neg() // ln of the logistic function
					if i != j {
						stay = w[2+i].Softplus().Neg()
					}
					from[i] = s[i].Add(stay)
				}
				seen := y[0].Sub(w[j]).Square().Scale(-0.5)
				next = append(next, dual.LogSumExp(from[:]).Add(seen))
			}
			return next, nil
		},
	}, nil, false)
	return dual.LogSumExp(last).Neg()
}

// lstm is the square of what a long short-term memory with two cells says last; x is
// its weights, 4 gates of 2 rows for [h; y; 1].
func lstm(x []V, scan scanner) V {
	last, _ := scan(dual.Loop[reverse.Var]{
		Start: make([]V, 4), Shared: x, Data: observed(20), Steps: 20, // [h; c]
		Step: func(s, w, _, y []V) (next, out []V) {
			in := []V{s[0], s[1], y[0], dual.Const[reverse.Var](1)}
			gate := func(g, i int) V { return dual.Dot(w[(2*g+i)*4:][:4], in) }
			var h, c []V
			for i := range 2 {
				cell := gate(0, i).Logistic().Mul(s[2+i]).Add(gate(1, i).Logistic().Mul(gate(2, i).Tanh()))
				c = append(c, cell)
				h = append(h, gate(3, i).Logistic().Mul(cell.Tanh()))
			}
			return append(h, c...), nil
		},
	}, nil, false)
	return dual.SumSquares(last[:2])
}

// shooting is the cost of steering a pendulum by the controls x, from rest upwards.
func shooting(x []V, scan scanner) V {
	u := make([][]V, len(x))
	for k := range u {
		u[k] = x[k : k+1]
	}
	last, sum := scan(dual.Loop[reverse.Var]{
		Start: make([]V, 2), Vars: u, Steps: len(x),
		Step: func(s, _, u, _ []V) (next, out []V) {
			v := s[1].Add(u[0].Sub(s[0].Sin()).Scale(0.1))
			return []V{s[0].Add(v.Scale(0.1)), v}, []V{u[0].Square()}
		},
	}, nil, false)
	return sum[0][0].Scale(0.01).Add(last[0].SubReal(math.Pi).Square()).Add(last[1].Square())
}

func TestScannedModels(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(x []V, scan scanner) V
		x    []float64
	}{
		{"Kalman filter", kalman, []float64{-1, 0.3}},
		{"hidden Markov model", hidden, []float64{-0.5, 0.8, 1, 2}},
		{"LSTM", lstm, rnnWeights(8)[:32]},
		{"optimal control", shooting, rnnWeights(8)[:30]},
	} {
		a, err := reverse.Record(func(x []V) V { return c.f(x, asScan[V]) }, c.x)
		require.NoError(t, err)
		b, err := reverse.Record(func(x []V) V { return c.f(x, asLoop[V]) }, c.x)
		require.NoError(t, err)
		require.Less(t, a.Ops(), 40, c.name) // the loop is one of them
		for _, part := range []string{"strategies", "transforms", "patterns"} {
			sameTapes(t, named(c.name), a, b, c.x, 1e-9, part)
		}
		require.True(t, a.HessianPattern().Equal(b.HessianPattern()), c.name)
	}
}
