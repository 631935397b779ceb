package models

import (
	"fmt"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/dual"
)

// Model is a function of its parameters with the point at which it is evaluated.
type Model struct {
	Name string
	X0   []float64
}

// All lists the models of which [Func] has the function.
var All = []Model{
	{"mlp-tanh", mlpStart},
	{"mlp-logistic", mlpStart},
	{"mlp-softplus", mlpStart},
	{"mlp-relu", mlpStart},
	{"mlp-elu", mlpStart},
	{"mlp-gelu", mlpStart},
	{"mlp-silu", mlpStart},
	{"cross-entropy", crossEntropyStart},
	{"rnn", rnnStart},
	{"lstm", lstmStart},
	{"auto-encoder", autoEncoderStart},
	{"vae", vaeStart},
	{"decoder", decoderStart},
	{"score-denoising", scoreStart},
	{"score-trace", scoreStart},
	{"score-hutchinson", scoreStart},
	{"gan", ganStart},
	{"gaussian-process", gpStart},
	{"counts", countsStart},
}

// Named is the model of a name. It panics for one that is not in All.
func Named(name string) Model {
	for _, m := range All {
		if m.Name == name {
			return m
		}
	}
	panic(fmt.Sprintf("models: no model %q", name))
}

// Func is the function of a model over the numbers T. It panics for a name that
// is not in All. Go has no generic function values, so that the names and not
// the functions are in the table.
func Func[T dual.Scalar[T]](m Model) func(w []T) T {
	mlp := func(act func(T) T) func(w []T) T {
		return func(w []T) T { return MLP(act, w) }
	}
	switch m.Name {
	case "mlp-tanh":
		return mlp(T.Tanh)
	case "mlp-logistic":
		return mlp(T.Logistic)
	case "mlp-softplus":
		return mlp(T.Softplus)
	case "mlp-relu":
		return mlp(dual.ReLU[T])
	case "mlp-elu":
		return mlp(func(x T) T { return dual.ELU(x, 1) })
	case "mlp-gelu":
		return mlp(dual.GELU[T])
	case "mlp-silu":
		return mlp(dual.SiLU[T])
	case "cross-entropy":
		return CrossEntropy[T]
	case "rnn":
		return RNN[T]
	case "lstm":
		return LSTM[T]
	case "auto-encoder":
		return AutoEncoder[T]
	case "vae":
		return VAE[T]
	case "decoder":
		return Decoder[T]
	case "score-denoising":
		return ScoreDenoising[T]
	case "score-trace":
		return ScoreTrace[T]
	case "score-hutchinson":
		return ScoreHutchinson[T]
	case "gan":
		return GAN[T]
	case "gaussian-process":
		return func(w []T) T { return GaussianProcess(gp, w) }
	case "counts":
		return Counts[T]
	}
	panic(fmt.Sprintf("models: no model %q", m.Name))
}

// normal returns n normally distributed numbers with a standard deviation,
// the same ones for the same seed.
func normal(seed uint64, n int, deviation float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make([]float64, n)
	for i := range x {
		x[i] = deviation * rng.NormFloat64()
	}
	return x
}

// normals returns rows of standard normal numbers.
func normals(seed uint64, rows, columns int) [][]float64 {
	x := normal(seed, rows*columns, 1)
	m := make([][]float64, rows)
	for i := range m {
		m[i], x = x[:columns], x[columns:]
	}
	return m
}
