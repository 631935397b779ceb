package models

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/dual/matrix"
)

// DenseModel is a model whose work is in matrices, by package matrix and by hand with
// gonum.
type DenseModel struct {
	Name  string
	X0    []float64
	Plain func(w []float64) float64
}

// Process, Mixture and Perceptron are the models of [Dense].
var (
	Process    = newProcess(300)
	Mixture    = newMixture(10, 5, 1000)
	Perceptron = newNetwork(256, 128)
)

// Dense lists them.
var Dense = []DenseModel{
	{"process", []float64{0.2, -0.1, -1}, Process.Plain},
	{"mixture", Mixture.start, Mixture.Plain},
	{"perceptron", Perceptron.start, Perceptron.Plain},
}

// DenseFunc is the function of such a model over the numbers T. It panics for another
// name.
func DenseFunc[T dual.Scalar[T]](m DenseModel) func(w []T) T {
	switch m.Name {
	case "process":
		return func(w []T) T { return GaussianProcess(Process, w) }
	case "mixture":
		return func(w []T) T { return GaussianMixture(Mixture, w) }
	case "perceptron":
		return func(w []T) T { return Network(Perceptron, w) }
	}
	panic("models: no dense model " + m.Name)
}

// ProcessData are the points x and the observations y of a Gaussian process.
type ProcessData struct{ x, y []float64 }

// newProcess is a noisy sine at n points.
func newProcess(n int) *ProcessData {
	p := &ProcessData{normal(91, n, 2), normal(92, n, 0.2)}
	for i, x := range p.x {
		p.y[i] += math.Sin(x)
	}
	return p
}

// Plain is [GaussianProcess] by hand.
func (p *ProcessData) Plain(w []float64) float64 {
	n := len(p.x)
	k := mat.NewSymDense(n, nil)
	variance, precision := 2*w[0], math.Exp(-2*w[1])
	for i, x := range p.x {
		row := k.RawSymmetric().Data[i*n:][:n]
		for j := i + 1; j < n; j++ {
			d := x - p.x[j]
			row[j] = math.Exp(variance - 0.5*d*d*precision)
		}
		row[i] = math.Exp(variance) + math.Exp(2*w[2])
	}
	var c mat.Cholesky
	if !c.Factorize(k) {
		return math.NaN()
	}
	y := mat.NewVecDense(n, p.y)
	var alpha mat.VecDense
	if c.SolveVecTo(&alpha, y) != nil {
		return math.NaN()
	}
	return 0.5 * (mat.Dot(y, &alpha) + c.LogDet() + float64(n)*math.Log(2*math.Pi))
}

// MixtureData are n points of d dimensions, by rows, for a mixture of k Gaussians.
type MixtureData struct {
	d, k, n int
	points  []float64
	start   []float64
}

func newMixture(d, k, n int) *MixtureData {
	return &MixtureData{d, k, n, normal(93, n*d, 1), normal(94, k*(1+d+d*(d+1)/2), 0.3)}
}

// GaussianMixture is the logarithm of the likelihood of a mixture of Gaussians with a
// Wishart prior (γ = 1, m = 0), but for constants,
//
//	Σᵢ ln Σ_k exp(α_k + ln N(xᵢ; μ_k, (Q_kᵀQ_k)⁻¹)) − n·ln Σ_k exp α_k + ½Σ_k ‖Q_k‖²,
//
// in the α, then the μ, then for each k the logarithms of the diagonal of Q_k and what is
// below it, by columns. Source: the benchmark GMM of ADBench (Šrajer, Kukelova and
// Fitzgibbon, A benchmark of selected algorithmic differentiation tools on some problems
// in computer vision and machine learning, 2018).
func GaussianMixture[T dual.Scalar[T]](g *MixtureData, w []T) T {
	p := params[T](w)
	alpha, means := p.next(g.k), p.next(g.k*g.d)
	points := matrix.FromMat[T](mat.NewDense(g.n, g.d, g.points))
	terms := make([][]T, g.k)
	var prior T
	for k := range terms {
		q := matrix.New[T](g.d, g.d, nil)
		for i, v := range p.next(g.d) {
			q.Set(i, i, v.Exp())
		}
		for j := range g.d {
			for i := j + 1; i < g.d; i++ {
				q.Set(i, j, p.next(1)[0])
			}
		}
		prior = prior.Add(dual.SumSquares(q.Data))
		terms[k] = matrix.LogNormal(nil, points, means[k*g.d:][:g.d], matrix.InverseFactor, q)
	}
	logs := make([]T, g.n)
	for i := range logs {
		of := make([]T, g.k)
		for k := range of {
			of[k] = alpha[k].Add(terms[k][i])
		}
		logs[i] = dual.LogSumExp(of)
	}
	return dual.Sum(logs).Sub(dual.LogSumExp(alpha).Scale(float64(g.n))).Add(prior.Scale(0.5))
}

// Plain is [GaussianMixture] by hand.
func (g *MixtureData) Plain(w []float64) float64 {
	alpha, w := w[:g.k], w[g.k:]
	means, w := w[:g.k*g.d], w[g.k*g.d:]
	qs := make([][]float64, g.k) // by rows
	logDet := make([]float64, g.k)
	prior := 0.0
	for k := range qs {
		q := make([]float64, g.d*g.d)
		for i, v := range w[:g.d] {
			q[i*g.d+i] = math.Exp(v)
			logDet[k] += v
		}
		w = w[g.d:]
		for j := range g.d {
			for i := j + 1; i < g.d; i++ {
				q[i*g.d+j], w = w[0], w[1:]
			}
		}
		for _, v := range q {
			prior += v * v
		}
		qs[k] = q
	}
	sum := 0.0
	terms, d := make([]float64, g.k), make([]float64, g.d)
	for i := range g.n {
		x := g.points[i*g.d:][:g.d]
		for k, q := range qs {
			for j, m := range means[k*g.d:][:g.d] {
				d[j] = x[j] - m
			}
			r := 0.0
			for j := range g.d {
				s := 0.0
				for l, v := range q[j*g.d:][:j+1] {
					s += v * d[l]
				}
				r += s * s
			}
			terms[k] = alpha[k] + logDet[k] - 0.5*r
		}
		sum += logSumExp(terms)
	}
	return sum - 0.5*float64(g.n*g.d)*math.Log(2*math.Pi) - float64(g.n)*logSumExp(alpha) + 0.5*prior
}

func logSumExp(x []float64) float64 {
	m, s := slices.Max(x), 0.0
	for _, v := range x {
		s += math.Exp(v - m)
	}
	return m + math.Log(s)
}

// networkLayers is how many hidden layers there are.
const networkLayers = 3

// NetworkData are a batch of inputs and outputs, by rows.
type NetworkData struct {
	width, batch int
	x, y         []float64
	start        []float64
}

func newNetwork(width, batch int) *NetworkData {
	return &NetworkData{width, batch, normal(95, batch*width, 1), normal(96, batch*width, 1),
		normal(97, networkLayers*width*(width+1), 1/math.Sqrt(float64(width)))}
}

// Network is the mean square of XₖWₖ₊₁ + bₖ₊₁ − Y, Xₖ₊₁ = tanh(XₖWₖ₊₁ + bₖ₊₁), of a
// perceptron whose layers are all of one width, in W₁, b₁, W₂, ….
func Network[T dual.Scalar[T]](g *NetworkData, w []T) T {
	p := params[T](w)
	x := matrix.FromMat[T](mat.NewDense(g.batch, g.width, g.x))
	for l := range networkLayers {
		x = matrix.Mul(nil, x, matrix.New(g.width, g.width, p.next(g.width*g.width)))
		b := p.next(g.width)
		for i := range g.batch {
			for j, v := range x.Row(i) {
				v = v.Add(b[j])
				if l < networkLayers-1 {
					v = v.Tanh()
				}
				x.Set(i, j, v)
			}
		}
	}
	for i, y := range g.y {
		x.Data[i] = x.Data[i].SubReal(y)
	}
	return dual.SumSquares(x.Data).Scale(1 / float64(len(g.y)))
}

// Plain is [Network] by hand.
func (g *NetworkData) Plain(w []float64) float64 {
	general := func(rows int, data []float64) blas64.General {
		return blas64.General{Rows: rows, Cols: g.width, Stride: g.width, Data: data}
	}
	x := general(g.batch, g.x)
	for l := range networkLayers {
		z := general(g.batch, make([]float64, g.batch*g.width))
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, general(g.width, w[:g.width*g.width]), 0, z)
		w = w[g.width*g.width:]
		for i := range g.batch {
			for j, b := range w[:g.width] {
				v := &z.Data[i*g.width+j]
				*v += b
				if l < networkLayers-1 {
					*v = math.Tanh(*v)
				}
			}
		}
		w = w[g.width:]
		x = z
	}
	sum := 0.0
	for i, y := range g.y {
		d := x.Data[i] - y
		sum += d * d
	}
	return sum / float64(len(g.y))
}
