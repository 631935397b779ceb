package models

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

const (
	decoderWidth = 4
	decoderHeads = 2
	decoderInner = 8
	decoderWords = 5
)

var (
	decoderText  = []int{2, 0, 3, 3, 1, 4} // each word is to be predicted from those before it
	decoderStart = newDecoderStart()
)

// newDecoderStart is random but for the gains of the norms, which are near 1.
func newDecoderStart() []float64 {
	const d = decoderWidth
	w := normal(61, decoderWords*d, 0.7)
	norm := func(seed uint64) {
		gain := normal(seed, d, 0.1)
		for i := range gain {
			gain[i]++
		}
		w = append(append(w, gain...), normal(seed+1, d, 0.1)...)
	}
	w = append(w, normal(62, 4*d*d, 0.6)...)
	norm(63)
	w = append(w, normal(65, perceptronParams(d, decoderInner, d), 0.5)...)
	norm(66)
	return w
}

// Decoder is the cross-entropy of a language model of one decoder block: words
// are embedded as rows of a table, to which the positional encoding is added;
// masked multi-head self-attention and a feed-forward network follow, each with
// residual and layer norm; the scores of the next word are products with the
// rows of the table,
//
//	x = E[word] + position,
//	x ← norm(x + attention(x)),
//	x ← norm(x + W₂·gelu(W₁x + b₁) + b₂),
//	−1/T Σ ln softmax(E·xₜ)_next word,
//
// in w = (E, W_Q, W_K, W_V, W_O, norm, W₁, b₁, W₂, b₂, norm). Source: Vaswani et
// al., Attention is all you need, 2017.
func Decoder[T dual.Scalar[T]](w []T) T {
	table := w[:decoderWords*decoderWidth]
	text, next := decoderText[:len(decoderText)-1], decoderText[1:]
	loss := make([]T, len(next))
	for t, x := range decoderStates(w, text) {
		loss[t] = negLogSoftmax(times(table, x), next[t])
	}
	return mean(loss)
}

// decoderStates is the output of the block at each position of a text.
func decoderStates[T dual.Scalar[T]](w []T, text []int) [][]T {
	const d = decoderWidth
	p := params[T](w)
	table := p.next(decoderWords * d)
	x := make([][]T, len(text))
	for t, word := range text {
		x[t] = make([]T, d)
		for i, e := range position(t, d) {
			x[t][i] = table[word*d+i].AddReal(e)
		}
	}
	add(x, attention(&p, decoderHeads, x))
	normalize(&p, x)
	forward := make([][]T, len(x))
	rest := p
	for t := range x {
		p = rest
		forward[t] = perceptron(&p, decoderInner, d, dual.GELU[T], x[t])
	}
	add(x, forward)
	normalize(&p, x)
	return x
}

// position is the positional encoding of the position t: sine and cosine of t
// times falling frequencies.
func position(t, d int) []float64 {
	e := make([]float64, d)
	for i := 0; i < d; i += 2 {
		e[i], e[i+1] = math.Sincos(float64(t) / math.Pow(1e4, float64(i)/float64(d)))
	}
	return e
}

// attention is masked multi-head self-attention: with q = W_Q x, k = W_K x and
// v = W_V x cut into heads of width d, the output of a head at t is
//
//	Σ_s≤t softmax(qₜᵀk_s/√d)_s v_s,
//
// and W_O times all of them the result.
func attention[T dual.Scalar[T]](p *params[T], heads int, x [][]T) [][]T {
	width := len(x[0])
	project := func(x [][]T) [][]T {
		w := p.next(width * width)
		y := make([][]T, len(x))
		for t := range x {
			y[t] = times(w, x[t])
		}
		return y
	}
	q, k, v := project(x), project(x), project(x)
	out := make([][]T, len(x))
	d := width / heads
	for t := range x {
		out[t] = make([]T, width)
		for lo := 0; lo < width; lo += d {
			score := make([]T, t+1)
			for s := range score {
				score[s] = dual.Dot(q[t][lo:lo+d], k[s][lo:lo+d]).Scale(1 / math.Sqrt(float64(d)))
			}
			value := make([]T, t+1)
			weight := dual.Softmax(score, score)
			for i := lo; i < lo+d; i++ {
				for s := range value {
					value[s] = v[s][i]
				}
				out[t][i] = dual.Dot(weight, value)
			}
		}
	}
	return project(out)
}

// add adds the elements of y to those of x.
func add[T dual.Scalar[T]](x, y [][]T) {
	for t := range x {
		for i := range x[t] {
			x[t][i] = x[t][i].Add(y[t][i])
		}
	}
}

// normEps keeps a norm finite.
const normEps = 1e-5

// normalize is layer norm with gain and bias: each x becomes
// γ∘(x − m)/√(v + ε) + β, m and v the mean and the variance of its elements.
func normalize[T dual.Scalar[T]](p *params[T], x [][]T) {
	d := len(x[0])
	gain, bias := p.next(d), p.next(d)
	for _, x := range x {
		m := mean(x)
		for i := range x {
			x[i] = x[i].Sub(m)
		}
		deviation := dual.Dot(x, x).Scale(1 / float64(d)).AddReal(normEps).Sqrt()
		for i := range x {
			x[i] = x[i].Div(deviation).Mul(gain[i]).Add(bias[i])
		}
	}
}
