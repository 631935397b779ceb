package models

import "github.com/hesse-ad/hesse/dual"

const (
	scoreInputs = 2
	scoreHidden = 4
	scorePoints = 6
	scoreSigma  = 0.5 // deviation of the noise that is added to the data
)

var (
	scoreX     = normals(71, scorePoints, scoreInputs)
	scoreNoise = normals(72, scorePoints, scoreInputs)
	scoreStart = normal(73, perceptronParams(scoreInputs, scoreHidden, scoreInputs), 0.7)
)

// score is the model s(x) of the gradient of a logarithmic density.
func score[T dual.Scalar[T]](w, x []T) []T {
	p := params[T](w)
	return perceptron(&p, scoreHidden, scoreInputs, T.Tanh, x)
}

// ScoreDenoising is the loss of denoising score matching,
//
//	1/N Σ ½‖s(x + σε) + ε/σ‖²,
//
// with the noise ε of each data point fixed and s a perceptron, in its
// parameters. Source: Vincent, A connection between score matching and
// denoising autoencoders, 2011.
func ScoreDenoising[T dual.Scalar[T]](w []T) T {
	loss := make([]T, scorePoints)
	for i := range loss {
		x, target := constants[T](scoreX[i]), constants[T](scoreNoise[i])
		for j, e := range scoreNoise[i] {
			x[j] = x[j].AddReal(scoreSigma * e)
			target[j] = target[j].Scale(-1 / scoreSigma)
		}
		loss[i] = squares(score(w, x), target).Scale(0.5)
	}
	return mean(loss)
}

// ScoreTrace is the loss of score matching without noise,
//
//	1/N Σ ½‖s(x)‖² + tr ∂s/∂x,
//
// which has the trace of the Jacobian of the score in it: a derivative within
// the function that is differentiated twice, by dual numbers over T. Source:
// Hyvärinen, Estimation of non-normalized statistical models by score matching,
// 2005.
func ScoreTrace[T dual.Scalar[T]](w []T) T {
	loss := make([]T, scorePoints)
	for i, x := range scoreX {
		loss[i] = scoreTrace(w, x)
	}
	return mean(loss)
}

func scoreTrace[T dual.Scalar[T]](w []T, x []float64) T {
	var s, trace T
	for j := range x {
		v := make([]float64, len(x))
		v[j] = 1
		y, dy := scoreJVP(w, x, v)
		s, trace = dual.Dot(y, y), trace.Add(dy[j])
	}
	return s.Scale(0.5).Add(trace)
}

// ScoreHutchinson is ScoreTrace with Hutchinson's estimate vᵀ(∂s/∂x)v of the
// trace, v having random signs, one v for each data point: a derivative along
// one direction instead of all. Source: Song, Garg, Shi and Ermon, Sliced score
// matching, 2019.
func ScoreHutchinson[T dual.Scalar[T]](w []T) T {
	loss := make([]T, scorePoints)
	for i, x := range scoreX {
		v := make([]float64, len(x))
		for j := range v {
			v[j] = float64(1 - 2*(i>>j&1))
		}
		loss[i] = scoreHutchinson(w, x, v)
	}
	return mean(loss)
}

func scoreHutchinson[T dual.Scalar[T]](w []T, x, v []float64) T {
	y, dy := scoreJVP(w, x, v)
	return dual.Dot(y, y).Scale(0.5).Add(dual.Affine(0, v, dy))
}

// scoreJVP is s(x) and its derivative along v.
func scoreJVP[T dual.Scalar[T]](w []T, x, v []float64) (y, dy []T) {
	z := make([]dual.Of[T], len(x))
	for i, x := range constants[T](x) {
		z[i] = dual.Of[T]{V: x, D: x.Const(v[i])}
	}
	c := make([]dual.Of[T], len(w))
	for i, w := range w {
		c[i] = dual.Of[T]{V: w}
	}
	y, dy = make([]T, len(x)), make([]T, len(x))
	for i, s := range score(c, z) {
		y[i], dy[i] = s.V, s.D
	}
	return y, dy
}
