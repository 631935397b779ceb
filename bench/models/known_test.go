package models

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// derivatives of a function at x: value, gradient and Hessian.
func derivatives(t *testing.T, x []float64, f func(x []reverse.Var) reverse.Var) (float64, []float64, *mat.SymDense) {
	t.Helper()
	tape := record(t, x, f)
	v, g, err := tape.ValueGradient(nil, x)
	require.NoError(t, err)
	h, err := hessian.New(tape, hessian.FoR).Dense(nil, x)
	require.NoError(t, err)
	return v, g, h
}

func requireMatrix(t *testing.T, want func(i, j int) float64, got mat.Matrix, tol float64) {
	t.Helper()
	r, c := got.Dims()
	for i := range r {
		for j := range c {
			require.InDelta(t, want(i, j), got.At(i, j), tol, "(%d, %d)", i, j)
		}
	}
}

func delta(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

func TestStepOfRNN(t *testing.T) {
	p := params[dual.Real](reals([]float64{
		0.5, -0.3, 0.8, 0.2, 0.1, 0.4, // W_xh
		1, 2, 3, 4, 5, 6, 7, 8, 9, // W_hh, which meets h₀ = 0
		0, 0, 0,
	}))
	h := rnnStep(&p, reals([]float64{1, 2}), make([]dual.Real, 3))
	for i, z := range []float64{-0.1, 1.2, 0.9} {
		require.InDelta(t, math.Tanh(z), float64(h[i]), 2e-16)
	}
	require.Empty(t, p)
}

// Without weights of h and x the cell runs through the forget gates alone: c
// falls by logistic(b_f) each step, and so does its derivative.
func TestCellOfLSTMIsACarousel(t *testing.T) {
	const (
		forget = 0.7
		steps  = 5
	)
	w := make([]float64, 4*(1+1+1))
	w[2] = -math.MaxFloat64 // input gate shut
	w[5] = forget
	f := func(c []reverse.Var) reverse.Var {
		h := make([]reverse.Var, 1)
		for range steps {
			p := params[reverse.Var](constants[reverse.Var](w))
			h, c = lstmStep(&p, make([]reverse.Var, 1), h, c)
		}
		return h[0]
	}
	x := []float64{0.9}
	v, g, h := derivatives(t, x, f)
	factor := math.Pow(1/(1+math.Exp(-forget)), steps)
	tanh := math.Tanh(factor * x[0])
	require.InDelta(t, tanh/2, v, 1e-15) // output gate logistic(0)
	require.InDelta(t, factor/2*(1-tanh*tanh), g[0], 1e-15)
	require.InDelta(t, -factor*factor*tanh*(1-tanh*tanh), h.At(0, 0), 1e-15)
}

func identity[T any](x T) T { return x }

func TestLinearAutoEncoderOfTwoNumbers(t *testing.T) {
	w := []float64{0.5, -1, 1, 0.5} // encoder, decoder
	x := []float64{2, 0}
	v, g, _ := derivatives(t, w, func(w []reverse.Var) reverse.Var {
		return reconstruction(identity, w, 1, constants[reverse.Var](x))
	})
	require.Equal(t, 0.625, v)
	// The code is 1, the error r = x̂ − x = (−1, ½): Dᵀr·x for the encoder, r for
	// the decoder.
	require.InDeltaSlice(t, []float64{-1.5, 0, -1, 0.5}, g, 1e-15)
}

// A linear auto-encoder is least where it projects on the first principal
// components: its loss is half the sum of the other variances, its gradient 0,
// and its Hessian positive semidefinite with as many zeros as an invertible
// matrix between code and decoder has elements. Source: Baldi and Hornik, Neural
// networks and principal component analysis, 1989.
func TestLinearAutoEncoderFindsPrincipalComponents(t *testing.T) {
	const n, k = autoEncoderInputs, autoEncoderCode
	second := mat.NewSymDense(n, nil) // moments about 0
	for _, x := range autoEncoderX {
		second.SymRankOne(second, 1./autoEncoderPoints, mat.NewVecDense(n, x))
	}
	var eigen mat.EigenSym
	require.True(t, eigen.Factorize(second, true))
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	w := make([]float64, 2*n*k)
	for i := range n {
		for j := range k {
			u := vectors.At(i, n-1-j)
			w[j*n+i], w[n*k+i*k+j] = u, u
		}
	}
	v, g, h := derivatives(t, w, func(w []reverse.Var) reverse.Var {
		terms := make([]reverse.Var, autoEncoderPoints)
		for i, x := range autoEncoderX {
			terms[i] = reconstruction(identity, w, k, constants[reverse.Var](x))
		}
		return mean(terms)
	})
	require.InDelta(t, floats.Sum(values[:n-k])/2, v, 1e-14)
	require.InDelta(t, 0, floats.Norm(g, math.Inf(1)), 1e-14)
	require.True(t, eigen.Factorize(h, false))
	curvatures := eigen.Values(nil)
	require.InDeltaSlice(t, make([]float64, k*k), curvatures[:k*k], 1e-13)
	require.Greater(t, curvatures[k*k], 1e-3)
}

func TestDivergenceOfThreeProbabilities(t *testing.T) {
	p, u := []float64{9. / 25, 12. / 25, 4. / 25}, []float64{1. / 3, 1. / 3, 1. / 3}
	require.InDelta(t, 0.0852996, float64(divergence(reals(p), reals(u))), 5e-8)
	require.InDelta(t, 0.0974550, float64(divergence(reals(u), reals(p))), 5e-8)
	require.InDelta(t, stat.KullbackLeibler(p, u), float64(divergence(reals(p), reals(u))), 1e-16)

	// Of softmax(z) from p: gradient softmax(z) − p, Hessian diag q − qqᵀ.
	z := []float64{0.3, -0.8, 1.1}
	_, g, h := derivatives(t, z, func(z []reverse.Var) reverse.Var {
		return divergence(constants[reverse.Var](p), dual.Softmax(nil, z))
	})
	q := dual.Softmax(nil, reals(z))
	for i := range q {
		require.InDelta(t, float64(q[i])-p[i], g[i], 1e-15)
	}
	requireMatrix(t, func(i, j int) float64 { return float64(q[i]) * (delta(i, j) - float64(q[j])) }, h, 1e-15)
}

// The integral of q ln(q/p) by Gauss–Hermite quadrature, exact for the
// quadratic logarithms of normal densities.
func TestDivergenceOfNormalDistributions(t *testing.T) {
	x := []float64{0.8, -0.4, 0.3, -0.9} // μ, then ℓ
	v, g, h := derivatives(t, x, func(x []reverse.Var) reverse.Var { return normalDivergence(x[:2], x[2:]) })
	want := 0.0
	for i := range 2 {
		mu, logVar := x[i], x[2+i]
		want += quad.Fixed(func(s float64) float64 {
			z := mu + math.Exp(logVar/2)*math.Sqrt2*s
			return (z*z/2 - s*s - logVar/2) / math.SqrtPi // the weight is exp(−s²)
		}, math.Inf(-1), math.Inf(1), 4, quad.Hermite{}, 0)
	}
	require.InDelta(t, want, v, 1e-14)
	var2 := []float64{math.Exp(x[2]), math.Exp(x[3])}
	require.InDeltaSlice(t, []float64{x[0], x[1], (var2[0] - 1) / 2, (var2[1] - 1) / 2}, g, 1e-15)
	requireMatrix(t, func(i, j int) float64 { return delta(i, j) * []float64{1, 1, var2[0] / 2, var2[1] / 2}[i] }, h, 1e-15)
}

// Gradient (p − y)xᵀ and Hessian (diag p − ppᵀ) ⊗ xxᵀ of each term.
func TestCrossEntropyHasItsClosedForms(t *testing.T) {
	const n = crossEntropyInputs
	w := crossEntropyStart
	_, g, h := derivatives(t, w, CrossEntropy)
	wantG := make([]float64, len(w))
	wantH := mat.NewSymDense(len(w), nil)
	for i, x := range crossEntropyX {
		p := dual.Softmax(nil, times(reals(w), reals(x)))
		for a := range w {
			y := delta(a/n, crossEntropyClass(i))
			wantG[a] += (float64(p[a/n]) - y) * x[a%n] / crossEntropyPoints
			for b := range a + 1 {
				c := float64(p[a/n]) * (delta(a/n, b/n) - float64(p[b/n])) * x[a%n] * x[b%n]
				wantH.SetSym(a, b, wantH.At(a, b)+c/crossEntropyPoints)
			}
		}
	}
	require.InDeltaSlice(t, wantG, g, 1e-15)
	requireMatrix(t, wantH.At, h, 1e-15)
}

// With the functions x ↦ eˢx of some weights and x ↦ e⁻ˢx of others, that leave
// a model as it is, and G = diag(±1) on these weights: ∇f·Gx = 0, and, this
// differentiated, HGx + G∇f = 0.
func TestInvariances(t *testing.T) {
	type part struct {
		at, n int
		sign  float64
	}
	const d, words = decoderWidth * decoderWidth, decoderWords * decoderWidth
	for _, c := range []struct {
		what, model string
		parts       []part
	}{
		{"relu is homogeneous", "mlp-relu", []part{
			{0, mlpHidden * (mlpInputs + 1), 1}, {mlpHidden * (mlpInputs + 1), mlpOutputs * mlpHidden, -1}}},
		{"queries and keys meet in products", "decoder", []part{{words, d, 1}, {words + d, d, -1}}},
		{"values are linear", "decoder", []part{{words + 2*d, d, 1}, {words + 3*d, d, -1}}},
	} {
		m := Named(c.model)
		_, g, h := derivatives(t, m.X0, Func[reverse.Var](m))
		n := len(m.X0)
		gx, gg, slope := mat.NewVecDense(n, nil), make([]float64, n), 0.0
		for _, p := range c.parts {
			for i := p.at; i < p.at+p.n; i++ {
				gx.SetVec(i, p.sign*m.X0[i])
				gg[i] = p.sign * g[i]
				slope += p.sign * g[i] * m.X0[i]
			}
		}
		require.Greater(t, floats.Norm(gg, 2), 1e-3, c.what)
		require.InDelta(t, 0, slope, 1e-14, c.what)
		var hgx mat.VecDense
		hgx.MulVec(h, gx)
		for i := range n {
			require.InDelta(t, -gg[i], hgx.AtVec(i), 1e-13, "%s, %d", c.what, i)
		}
	}
}

// The first position of the decoder sees the first word, the last one all: seen
// in the pattern of the Jacobian by the embeddings of different words.
func TestDecoderSeesNoLaterWord(t *testing.T) {
	const d = decoderWidth
	text := []int{3, 0, 4, 1, 2}
	tape, err := reverse.RecordVec(func(w []reverse.Var) []reverse.Var {
		return slices.Concat(decoderStates(w, text)...)
	}, decoderStart)
	require.NoError(t, err)
	j, err := tape.Jacobian(nil, decoderStart)
	require.NoError(t, err)
	pattern := tape.JacobianPattern()
	for at := range text {
		for s, word := range text {
			for a := range d {
				for b := range d {
					row, column := at*d+a, word*d+b
					require.Equal(t, s <= at, pattern.Has(row, column), "position %d, word %d", at, s)
					require.Equal(t, s <= at, j.At(row, column) != 0, "position %d, word %d", at, s)
				}
			}
		}
	}
}

// Scores of −∞ instead of a loop that ends early: weights of 0, and derivatives
// without NaN.
func TestMaskOfInfinitiesIsTheShorterSum(t *testing.T) {
	const kept = 3
	x := []float64{0.4, -0.2, 1.3, 0.7, 2}
	f := func(masked bool) func(x []reverse.Var) reverse.Var {
		return func(x []reverse.Var) reverse.Var {
			score := slices.Clone(x)
			if masked {
				for i := kept; i < len(x); i++ {
					score[i] = dual.Const[reverse.Var](math.Inf(-1))
				}
			} else {
				score = score[:kept]
			}
			return dual.Dot(dual.Softmax(nil, score), x[:len(score)]).Exp()
		}
	}
	want, wantG, wantH := derivatives(t, x, f(false))
	v, g, h := derivatives(t, x, f(true))
	require.InDelta(t, want, v, 1e-15)
	require.InDeltaSlice(t, wantG, g, 1e-14)
	requireMatrix(t, wantH.At, h, 1e-14)
}

// Layer norm y = γ∘(x − m)/s + β, s = √(v + ε), has the Jacobian
// γᵢ/s·(δᵢⱼ − 1/d − x̂ᵢx̂ⱼ/d), x̂ = (x − m)/s.
func TestJacobianOfLayerNorm(t *testing.T) {
	x := []float64{0.3, -1.2, 0.8, 2.1}
	gain, bias := []float64{1.1, 0.7, -0.4, 1.9}, []float64{0.1, -0.2, 0.3, 0}
	d := float64(len(x))
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		p := params[reverse.Var](constants[reverse.Var](slices.Concat(gain, bias)))
		y := [][]reverse.Var{slices.Clone(x)}
		normalize(&p, y)
		return y[0]
	}, x)
	require.NoError(t, err)
	m, v := stat.PopMeanVariance(x, nil)
	s := math.Sqrt(v + normEps)
	y, err := tape.Values(nil, x)
	require.NoError(t, err)
	for i := range y {
		require.InDelta(t, gain[i]*(x[i]-m)/s+bias[i], y[i], 1e-15)
	}
	j, err := tape.Jacobian(nil, x)
	require.NoError(t, err)
	requireMatrix(t, func(i, k int) float64 {
		return gain[i] / s * (delta(i, k) - 1/d - (x[i]-m)*(x[k]-m)/(s*s*d))
	}, j, 1e-15)
}

// The decoder in matrices: the mask is −∞ above the diagonal of the scores.
func TestDecoderInMatrices(t *testing.T) {
	const d, words, width = decoderWidth, decoderWords, decoderWidth / decoderHeads
	w := params[float64](decoderStart)
	matrix := func(r, c int) *mat.Dense { return mat.NewDense(r, c, w.next(r*c)) }
	times := func(x, y mat.Matrix) *mat.Dense {
		var z mat.Dense
		z.Mul(x, y)
		return &z
	}
	softmax := func(x *mat.Dense) {
		for i := range x.RawMatrix().Rows {
			row := x.RawRowView(i)
			floats.AddConst(-floats.LogSumExp(row), row)
		}
		x.Apply(func(_, _ int, v float64) float64 { return math.Exp(v) }, x)
	}
	norm := func(x *mat.Dense) {
		gain, bias := w.next(d), w.next(d)
		for i := range x.RawMatrix().Rows {
			row := x.RawRowView(i)
			m, v := stat.PopMeanVariance(row, nil)
			floats.AddConst(-m, row)
			floats.Scale(1/math.Sqrt(v+normEps), row)
			floats.Mul(row, gain)
			floats.Add(row, bias)
		}
	}
	table := matrix(words, d)
	text, next := decoderText[:len(decoderText)-1], decoderText[1:]
	n := len(text)
	x := mat.NewDense(n, d, nil)
	for t, word := range text {
		for i := range d {
			angle := float64(t) / math.Pow(1e4, float64(i/2*2)/d)
			x.Set(t, i, table.At(word, i)+[]float64{math.Sin(angle), math.Cos(angle)}[i%2])
		}
	}
	q, k, v := times(x, matrix(d, d).T()), times(x, matrix(d, d).T()), times(x, matrix(d, d).T())
	heads := mat.NewDense(n, d, nil)
	for h := range decoderHeads {
		lo, hi := h*width, (h+1)*width
		score := times(q.Slice(0, n, lo, hi), k.Slice(0, n, lo, hi).T())
		score.Apply(func(i, j int, s float64) float64 {
			if j > i {
				return math.Inf(-1)
			}
			return s / math.Sqrt(width)
		}, score)
		softmax(score)
		heads.Slice(0, n, lo, hi).(*mat.Dense).Mul(score, v.Slice(0, n, lo, hi))
	}
	x.Add(x, times(heads, matrix(d, d).T()))
	norm(x)
	inner := times(x, matrix(decoderInner, d).T())
	b1 := w.next(decoderInner)
	inner.Apply(func(_, j int, z float64) float64 {
		z += b1[j]
		return z * distuv.UnitNormal.CDF(z)
	}, inner)
	forward := times(inner, matrix(d, decoderInner).T())
	b2 := w.next(d)
	forward.Apply(func(_, j int, z float64) float64 { return z + b2[j] }, forward)
	x.Add(x, forward)
	norm(x)
	require.Empty(t, w)
	logits := times(x, table.T())
	softmax(logits)
	loss := 0.0
	for t, word := range next {
		loss -= math.Log(logits.At(t, word)) / float64(n)
	}
	require.InDelta(t, loss, Decoder(reals(decoderStart)).Value(), 1e-14)
}

func TestPositionalEncoding(t *testing.T) {
	require.Equal(t, []float64{0, 1, 0, 1}, position(0, 4))
	require.InDeltaSlice(t, []float64{math.Sin(3), math.Cos(3), math.Sin(0.03), math.Cos(0.03)}, position(3, 4), 1e-16)
}

// tr ∂s/∂x of W₂·tanh(W₁x + b₁) + b₂ is Σₖ (1 − tanh²(W₁x + b₁)ₖ)(W₁W₂)ₖₖ.
func TestTraceOfTheScoreHasItsClosedForm(t *testing.T) {
	const n, k = scoreInputs, scoreHidden
	closed := func(w []reverse.Var, x []float64) reverse.Var {
		s := score(w, constants[reverse.Var](x))
		p := params[reverse.Var](w)
		w1, b1, w2 := p.next(k*n), p.next(k), p.next(n*k)
		out := dual.Dot(s, s).Scale(0.5)
		for h := range k {
			tanh := dual.Affine(0, x, w1[h*n:(h+1)*n]).Add(b1[h]).Tanh()
			for i := range n {
				out = out.Add(tanh.Square().RSub(1).Mul(w1[h*n+i]).Mul(w2[i*k+h]))
			}
		}
		return out
	}
	for _, x := range scoreX {
		want, wantG, wantH := derivatives(t, scoreStart, func(w []reverse.Var) reverse.Var { return closed(w, x) })
		v, g, h := derivatives(t, scoreStart, func(w []reverse.Var) reverse.Var { return scoreTrace(w, x) })
		require.InDelta(t, want, v, 1e-14)
		require.InDeltaSlice(t, wantG, g, 1e-14)
		requireMatrix(t, wantH.At, h, 1e-13)
	}
}

// The mean of Hutchinson's estimate over all vectors of signs is the trace, and
// so are the means of its derivatives.
func TestHutchinsonIsTheTraceOnAverage(t *testing.T) {
	x := scoreX[0]
	want, wantG, wantH := derivatives(t, scoreStart, func(w []reverse.Var) reverse.Var { return scoreTrace(w, x) })
	v, g, h := derivatives(t, scoreStart, func(w []reverse.Var) reverse.Var {
		var all []reverse.Var
		for signs := range 1 << len(x) {
			e := make([]float64, len(x))
			for j := range e {
				e[j] = float64(1 - 2*(signs>>j&1))
			}
			all = append(all, scoreHutchinson(w, x, e))
		}
		return mean(all)
	})
	require.InDelta(t, want, v, 1e-14)
	require.InDeltaSlice(t, wantG, g, 1e-14)
	requireMatrix(t, wantH.At, h, 1e-13)
}

// With a score for each of the points of two discrete distributions p of data
// and q of the generator, the best discriminator is ln p/q, and its loss
// 2 ln 2 − 2 JSD(p, q). Source: Goodfellow et al., theorem 1.
func TestBestDiscriminator(t *testing.T) {
	p, q := []float64{9, 12, 4}, []float64{5, 8, 12} // of 25
	repeat := func(d []reverse.Var, counts []float64) (all []reverse.Var) {
		for i, c := range counts {
			for range int(c) {
				all = append(all, d[i])
			}
		}
		return all
	}
	best, middle := make([]float64, 3), make([]float64, 3)
	for i := range best {
		best[i] = math.Log(p[i] / q[i])
		p[i], q[i] = p[i]/25, q[i]/25
		middle[i] = (p[i] + q[i]) / 2
	}
	v, g, h := derivatives(t, best, func(d []reverse.Var) reverse.Var {
		return discrimination(repeat(d, []float64{9, 12, 4}), repeat(d, []float64{5, 8, 12}))
	})
	js := float64(divergence(reals(p), reals(middle))+divergence(reals(q), reals(middle))) / 2
	require.InDelta(t, 2*math.Ln2-2*js, v, 1e-15)
	require.InDelta(t, 0, floats.Norm(g, 2), 1e-15)
	requireMatrix(t, func(i, j int) float64 { return delta(i, j) * p[i] * q[i] / (p[i] + q[i]) }, h, 1e-15)
}

// With α = K⁻¹y and Kᵢ = ∂K/∂wᵢ the derivatives of ½yᵀα + ½ln det K are
//
//	gᵢ  = ½tr(K⁻¹Kᵢ) − ½αᵀKᵢα,
//	hᵢⱼ = ½tr(K⁻¹Kᵢⱼ − K⁻¹KᵢK⁻¹Kⱼ) − ½αᵀKᵢⱼα + αᵀKᵢK⁻¹Kⱼα.
//
// Source: Rasmussen and Williams, equation 5.9.
func TestGaussianProcessHasItsClosedForms(t *testing.T) {
	const n = gpPoints
	w := gpStart
	variance, ridge := math.Exp(2*w[0]), math.Exp(2*w[2])
	k := mat.NewSymDense(n, nil)
	first := [3]*mat.Dense{} // by ln σ, ln ℓ and ln τ
	second := [3][3]*mat.Dense{}
	for i := range 3 {
		first[i] = mat.NewDense(n, n, nil)
		for j := range 3 {
			second[i][j] = mat.NewDense(n, n, nil)
		}
	}
	for i := range n {
		for j := range n {
			d := gp.x[i] - gp.x[j]
			r := d * d * math.Exp(-2*w[1])
			e := variance * math.Exp(-r/2)
			k.SetSym(i, j, e+ridge*delta(i, j))
			first[0].Set(i, j, 2*e)
			first[1].Set(i, j, r*e)
			first[2].Set(i, j, 2*ridge*delta(i, j))
			second[0][0].Set(i, j, 4*e)
			second[0][1].Set(i, j, 2*r*e)
			second[1][0].Set(i, j, 2*r*e)
			second[1][1].Set(i, j, (r-2)*r*e)
			second[2][2].Set(i, j, 4*ridge*delta(i, j))
		}
	}
	var chol mat.Cholesky
	require.True(t, chol.Factorize(k))
	var inverse mat.SymDense
	require.NoError(t, chol.InverseTo(&inverse))
	var alpha mat.VecDense
	y := mat.NewVecDense(n, gp.y)
	require.NoError(t, chol.SolveVecTo(&alpha, y))

	v, g, h := derivatives(t, w, func(w []reverse.Var) reverse.Var { return GaussianProcess(gp, w) })
	require.InDelta(t, mat.Dot(y, &alpha)/2+chol.LogDet()/2+n/2.*math.Log(2*math.Pi), v, 1e-13)
	for i := range 3 {
		var a mat.Dense
		a.Mul(&inverse, first[i])
		require.InDelta(t, a.Trace()/2-mat.Inner(&alpha, first[i], &alpha)/2, g[i], 1e-12)
		for j := range 3 {
			var b, aa, inner mat.Dense
			b.Mul(&inverse, second[i][j])
			aa.Product(&a, &inverse, first[j])
			inner.Product(first[i], &inverse, first[j])
			want := (b.Trace()-aa.Trace()-mat.Inner(&alpha, second[i][j], &alpha))/2 + mat.Inner(&alpha, &inner, &alpha)
			require.InDelta(t, want, h.At(i, j), 1e-11)
		}
	}
}

// ∇²f is diag exp z and the tridiagonal precision of the walk, and no more is
// stored.
func TestHessianOfCountsIsTridiagonal(t *testing.T) {
	const n, precision = countsSteps, 1 / (countsDrift * countsDrift)
	plan, err := hessian.NewSparse(record(t, countsStart, Counts))
	require.NoError(t, err)
	h := plan.Matrix()
	_, err = plan.Eval(h, countsStart)
	require.NoError(t, err)
	require.Equal(t, 3*n-2, h.NNZ())
	requireMatrix(t, func(i, j int) float64 {
		switch {
		case i == j && i == 0:
			return math.Exp(countsStart[i]) + 1 + precision
		case i == j && i == n-1:
			return math.Exp(countsStart[i]) + precision
		case i == j:
			return math.Exp(countsStart[i]) + 2*precision
		case i-j == 1 || j-i == 1:
			return -precision
		}
		return 0
	}, h, 1e-13)
}

// divergence is the Kullback–Leibler divergence Σ pᵢ ln(pᵢ/qᵢ) of two discrete
// distributions with positive probabilities.
func divergence[T dual.Scalar[T]](p, q []T) T {
	d := make([]T, len(p))
	for i := range d {
		d[i] = p[i].Mul(p[i].Div(q[i]).Log())
	}
	return dual.Sum(d)
}
