package corpus

import (
	"math"
	"math/cmplx"
)

// kalman is the likelihood of observations under a walk with drift: a Kalman filter
// of position and speed.
func kalman(x []float64) float64 {
	q, r := math.Exp(x[0]), math.Exp(x[1])
	observed := []float64{0.1, 0.5, 0.9, 1.7, 2.2, 2.8, 3.1}
	state := [2]float64{x[2], x[3]}
	p := [2][2]float64{{1, 0}, {0, 1}}
	const dt = 0.5
	logLikelihood := 0.0
	for _, z := range observed {
		// Predict.
		state[0] += dt * state[1]
		p[0][0] += dt*(p[1][0]+p[0][1]+dt*p[1][1]) + q
		p[0][1] += dt * p[1][1]
		p[1][0] += dt * p[1][1]
		p[1][1] += q
		// Update.
		innovation := z - state[0]
		s := p[0][0] + r
		k := [2]float64{p[0][0] / s, p[1][0] / s}
		for i := range state {
			state[i] += k[i] * innovation
		}
		old := p
		for i := range p {
			for j := range p[i] {
				p[i][j] = old[i][j] - k[i]*old[0][j]
			}
		}
		logLikelihood -= 0.5 * (math.Log(2*math.Pi*s) + innovation*innovation/s)
	}
	return logLikelihood
}

type ode func(dst []float64, t float64, y []float64)

// rk4 takes n steps of the classical method of Runge and Kutta.
func rk4(f ode, y0 []float64, h float64, n int) []float64 {
	y := append([]float64(nil), y0...)
	k := make([][]float64, 4)
	for i := range k {
		k[i] = make([]float64, len(y))
	}
	trial := make([]float64, len(y))
	for step := 0; step < n; step++ {
		t := h * float64(step)
		f(k[0], t, y)
		for s, c := range []float64{0.5, 0.5, 1} {
			for i := range trial {
				trial[i] = y[i] + c*h*k[s][i]
			}
			f(k[s+1], t+c*h, trial)
		}
		for i := range y {
			y[i] += h / 6 * (k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i])
		}
	}
	return y
}

func lorenz(x []float64) float64 {
	sigma, rho, beta := 10*x[0], 28*x[1], 8./3*x[2]
	y := rk4(func(dst []float64, _ float64, y []float64) {
		dst[0] = sigma * (y[1] - y[0])
		dst[1] = y[0]*(rho-y[2]) - y[1]
		dst[2] = y[0]*y[1] - beta*y[2]
	}, []float64{1, x[3], 1}, 0.01, 20)
	return y[0] + y[1]*y[2]
}

func pendulum(x []float64) float64 {
	y := rk4(func(dst []float64, t float64, y []float64) {
		dst[0] = y[1]
		dst[1] = -math.Sin(y[0]) - 0.1*y[1] + 0.3*math.Cos(t)
	}, x[:2], 0.1, 15)
	return y[0]*y[0] + y[1]
}

// spline is the natural cubic spline through values at equal distances.
type spline struct{ y, m []float64 }

func newSpline(y []float64) *spline {
	n := len(y)
	s := &spline{y: y, m: make([]float64, n)}
	c, d := make([]float64, n), make([]float64, n)
	for i := 1; i < n-1; i++ { // Thomas
		rhs := 6 * (y[i+1] - 2*y[i] + y[i-1])
		w := 4 - c[i-1]
		c[i] = 1 / w
		d[i] = (rhs - d[i-1]) / w
	}
	for i := n - 2; i > 0; i-- {
		s.m[i] = d[i] - c[i]*s.m[i+1]
	}
	return s
}

func (s *spline) at(t float64) float64 {
	i := min(int(t), len(s.y)-2)
	if i < 0 {
		i = 0
	}
	b := t - float64(i)
	a := 1 - b
	return a*s.y[i] + b*s.y[i+1] + ((a*a*a-a)*s.m[i]+(b*b*b-b)*s.m[i+1])/6
}

func splineOfValues(x []float64) float64 {
	s := newSpline(x)
	return s.at(0.3) + 2*s.at(2.5) - s.at(4.9)*s.at(1)
}

func splineAtInput(x []float64) float64 {
	s := newSpline([]float64{1, 3, 2, 5, 4})
	return s.at(4*x[0]) * s.at(3.5*x[1])
}

type number struct{ re, im float64 }

func (a number) add(b number) number { return number{a.re + b.re, a.im + b.im} }
func (a number) sub(b number) number { return number{a.re - b.re, a.im - b.im} }
func (a number) mul(b number) number {
	return number{a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re}
}

// fft is the transform of Cooley and Tukey, whose factors are complex constants.
func fft(a []number) []number {
	n := len(a)
	if n == 1 {
		return a
	}
	even, odd := make([]number, 0, n/2), make([]number, 0, n/2)
	for i, v := range a {
		if i%2 == 0 {
			even = append(even, v)
		} else {
			odd = append(odd, v)
		}
	}
	even, odd = fft(even), fft(odd)
	out := make([]number, n)
	for k := range even {
		w := cmplx.Exp(complex(0, -2*math.Pi*float64(k)/float64(n)))
		t := number{real(w), imag(w)}.mul(odd[k])
		out[k] = even[k].add(t)
		out[k+n/2] = even[k].sub(t)
	}
	return out
}

func spectrum(x []float64) float64 {
	a := make([]number, 8)
	for i := range a {
		a[i].re = x[i%len(x)] * float64(i+1)
	}
	s := 0.0
	for k, v := range fft(a) {
		s += (v.re*v.re + v.im*v.im) / float64(k+1)
	}
	return s
}

type dense struct {
	n    int
	data []float64
}

func newDense(n int) *dense              { return &dense{n, make([]float64, n*n)} }
func (m *dense) at(i, j int) float64     { return m.data[i*m.n+j] }
func (m *dense) set(i, j int, v float64) { m.data[i*m.n+j] = v }
func (m *dense) row(i int) []float64     { return m.data[i*m.n : (i+1)*m.n] }
func (m *dense) each(f func(i, j int) float64) {
	for i := range m.n {
		for j := range m.n {
			m.set(i, j, f(i, j))
		}
	}
}

func (m *dense) cholesky() (*dense, bool) {
	l := newDense(m.n)
	for j := range m.n {
		s := m.at(j, j)
		for k := range j {
			s -= l.at(j, k) * l.at(j, k)
		}
		if s <= 0 {
			return nil, false
		}
		l.set(j, j, math.Sqrt(s))
		for i := j + 1; i < m.n; i++ {
			s := m.at(i, j)
			for k := range j {
				s -= l.at(i, k) * l.at(j, k)
			}
			l.set(i, j, s/l.at(j, j))
		}
	}
	return l, true
}

// gaussianProcess is the log marginal likelihood of a Gaussian process.
func gaussianProcess(x []float64) float64 {
	const n = 5
	y := []float64{0.1, 0.8, 0.9, 0.3, -0.4}
	k := newDense(n)
	k.each(func(i, j int) float64 {
		d := float64(i - j)
		v := x[0] * math.Exp(-d*d/(2*x[1]*x[1]))
		if i == j {
			v += x[2] + 0.1
		}
		return v
	})
	l, ok := k.cholesky()
	if !ok {
		return math.Inf(-1)
	}
	a := make([]float64, n)
	s := 0.0
	for i := range a {
		v := y[i]
		for j, lij := range l.row(i)[:i] {
			v -= lij * a[j]
		}
		a[i] = v / l.at(i, i)
		s -= 0.5*a[i]*a[i] + math.Log(l.at(i, i))
	}
	return s
}

// solveLU solves a system by elimination with partial pivoting.
func solveLU(a [][]float64, b []float64) []float64 {
	n := len(b)
	for k := range n {
		p := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[p][k]) {
				p = i
			}
		}
		a[k], a[p] = a[p], a[k]
		b[k], b[p] = b[p], b[k]
		for i := k + 1; i < n; i++ {
			f := a[i][k] / a[k][k]
			for j := k; j < n; j++ {
				a[i][j] -= f * a[k][j]
			}
			b[i] -= f * b[k]
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		x[i] = b[i]
		for j := i + 1; j < n; j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x
}

func linearSystem(x []float64) float64 {
	a := [][]float64{{x[0], 2, x[1]}, {4, x[2], 1}, {1, x[3], 3 + x[4]}}
	y := solveLU(a, []float64{1, x[0], 3})
	return y[0] + y[1]*y[2]
}

func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

func blackScholes(x []float64) float64 {
	spot, strike, rate, vol, years := 100*(1+x[0]), 110., 0.05*x[1], 0.1+x[2], 0.5+x[3]
	d1 := (math.Log(spot/strike) + (rate+vol*vol/2)*years) / (vol * math.Sqrt(years))
	d2 := d1 - vol*math.Sqrt(years)
	return spot*normalCDF(d1) - strike*math.Exp(-rate*years)*normalCDF(d2)
}

// heston is the price of a call in the model of Heston by one path for each sequence
// of shocks, with the variance kept positive.
func heston(x []float64) float64 {
	kappa, theta, xi, rho := 1+x[0], 0.04*(1+x[1]), 0.3*x[2], -0.7*x[3]
	const steps, paths = 10, 4
	dt := 1.0 / steps
	mean := 0.0
	for p := range paths {
		s, v := 1.0, 0.04
		for k := range steps {
			z1 := math.Sin(float64(3*p + k))
			z2 := rho*z1 + math.Sqrt(1-rho*rho)*math.Cos(float64(p+5*k))
			vol := math.Sqrt(math.Max(v, 0))
			s *= math.Exp(-0.5*math.Max(v, 0)*dt + vol*math.Sqrt(dt)*z1)
			v += kappa*(theta-math.Max(v, 0))*dt + xi*vol*math.Sqrt(dt)*z2
		}
		if s > 0.95 {
			mean += (s - 0.95) / paths
		}
	}
	return mean
}

type vec3 [3]float64

func (a vec3) dot(b vec3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec3) cross(b vec3) vec3 {
	return vec3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
func (a vec3) scale(c float64) vec3 { return vec3{a[0] * c, a[1] * c, a[2] * c} }
func (a vec3) plus(b vec3) vec3     { return vec3{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// rotate turns p about w by the angle ‖w‖ (Rodrigues).
func rotate(w, p vec3) vec3 {
	theta2 := w.dot(w)
	if theta2 < 1e-16 {
		return p.plus(w.cross(p))
	}
	theta := math.Sqrt(theta2)
	u := w.scale(1 / theta)
	sin, cos := math.Sincos(theta)
	return p.scale(cos).plus(u.cross(p).scale(sin)).plus(u.scale(u.dot(p) * (1 - cos)))
}

func reprojection(x []float64) float64 {
	camera := struct {
		rotation, translation vec3
		focal, k1, k2         float64
	}{vec3{x[0], x[1], x[2]}, vec3{0.1, x[3], 5}, 500 * (1 + x[4]), 0.01 * x[5], 0.001}
	s := 0.0
	for _, p := range []vec3{{1, 0, 0}, {0, 1, 1}, {-1, 1, 2}} {
		q := rotate(camera.rotation, p).plus(camera.translation)
		u, v := q[0]/q[2], q[1]/q[2]
		r2 := u*u + v*v
		d := camera.focal * (1 + r2*(camera.k1+camera.k2*r2))
		s += math.Hypot(d*u-3, d*v+2)
	}
	return s
}

type branch struct {
	from, to int
	g, b     float64
}

type grid struct {
	branches []branch
	load     []float64
}

// mismatch is the sum of squares of what is missing in the power balance of a grid.
func mismatch(x []float64, g *grid) float64 {
	n := len(g.load)
	p := make([]float64, n)
	for _, l := range g.branches {
		vi, vj := 1+0.1*x[l.from], 1+0.1*x[l.to]
		angle := x[n+l.from] - x[n+l.to]
		sin, cos := math.Sincos(angle)
		p[l.from] += vi*vi*l.g - vi*vj*(l.g*cos+l.b*sin)
		p[l.to] += vj*vj*l.g - vi*vj*(l.g*cos-l.b*sin)
	}
	s := 0.0
	for i, v := range p {
		d := v - g.load[i]
		s += d * d
	}
	return s
}

func powerFlow(x []float64) float64 {
	return mismatch(x, &grid{[]branch{{0, 1, 1, -5}, {1, 2, 2, -7}, {2, 0, 1.5, -6}}, []float64{0.5, -0.2, -0.3}})
}

func logSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	if math.IsInf(top, -1) {
		return top
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - top)
	}
	return top + math.Log(s)
}

func mixture(x []float64) float64 {
	data := []float64{-1, 0.2, 0.4, 2, 2.5}
	s := 0.0
	terms := make([]float64, 2)
	for _, d := range data {
		for k := range terms {
			mu, sigma, w := 2*x[3*k], math.Exp(x[3*k+1]), x[3*k+2]
			z := (d - mu) / sigma
			terms[k] = w - math.Log(sigma) - 0.5*z*z
		}
		s += logSumExp(terms)
	}
	return s - 5*logSumExp([]float64{x[2], x[5]})
}

// hiddenMarkov is the likelihood of a sequence by the forward algorithm, scaled.
func hiddenMarkov(x []float64) float64 {
	stay := []float64{x[0], x[1]}
	emit := [2][2]float64{{x[2], 1 - x[2]}, {x[3], 1 - x[3]}}
	alpha := []float64{0.5, 0.5}
	log := 0.0
	for _, o := range []int{0, 1, 1, 0, 0, 1} {
		next := make([]float64, 2)
		for i, a := range alpha {
			next[i] += a * stay[i]
			next[1-i] += a * (1 - stay[i])
		}
		total := 0.0
		for i := range next {
			next[i] *= emit[i][o]
			total += next[i]
		}
		for i := range next {
			next[i] /= total
		}
		alpha, log = next, log+math.Log(total)
	}
	return log
}

// tax has brackets, deductions and early returns.
func tax(x []float64) float64 {
	income, deduction := 100*x[0], 20*x[1]
	if deduction > income {
		return 0
	}
	taxable := income - deduction
	switch {
	case taxable < 10:
		return 0
	case taxable < 40:
		return 0.1 * (taxable - 10)
	}
	due := 3.0
	for _, b := range []struct{ from, to, rate float64 }{{40, 60, 0.2}, {60, 80, 0.3}, {80, math.Inf(1), 0.4}} {
		if taxable <= b.from {
			break
		}
		due += b.rate * (math.Min(taxable, b.to) - b.from)
	}
	if credit := 5 * x[2]; credit < due {
		return due - credit
	}
	return 0
}

// bisection finds a root of a function of its parameters by steps that branch.
func bisection(x []float64) float64 {
	f := func(t float64) float64 { return t*t*t + x[0]*t - x[1] - 1 }
	lo, hi := 0.0, 2.0
	for range 40 {
		if mid := (lo + hi) / 2; f(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	t := (lo + hi) / 2
	return t - f(t)/(3*t*t+x[0]) // a step of Newton, which has the derivative
}

type layer struct {
	w    [][]float64
	bias []float64
	act  func(float64) float64
}

func (l layer) forward(x []float64) []float64 {
	y := make([]float64, len(l.bias))
	for i, row := range l.w {
		y[i] = l.bias[i]
		for j, w := range row {
			y[i] += w * x[j]
		}
		y[i] = l.act(y[i])
	}
	return y
}

func network(x []float64) float64 {
	relu := func(v float64) float64 { return max(v, 0) }
	layers := []layer{
		{[][]float64{{x[0], x[1]}, {x[2], -x[3]}, {1, x[4]}}, []float64{0, x[5], 0.1}, math.Tanh},
		{[][]float64{{x[1], 1, x[0]}, {0.5, x[2], -1}}, []float64{0.2, 0}, relu},
	}
	y := []float64{0.5, -1}
	for _, l := range layers {
		y = l.forward(y)
	}
	return y[0]*y[0] + math.Log1p(y[1])
}

func leapfrog(x []float64) float64 {
	q, p := [2]float64{x[0], 1}, [2]float64{0.3, x[1]}
	force := func(q [2]float64) (f [2]float64) {
		r2 := q[0]*q[0] + q[1]*q[1]
		for i := range f {
			f[i] = -q[i] / (r2 * math.Sqrt(r2))
		}
		return
	}
	const h = 0.05
	for range 10 {
		for i, f := range force(q) {
			p[i] += h / 2 * f
		}
		for i := range q {
			q[i] += h * p[i]
		}
		for i, f := range force(q) {
			p[i] += h / 2 * f
		}
	}
	return (p[0]*p[0]+p[1]*p[1])/2 - 1/math.Hypot(q[0], q[1])
}

func lotkaVolterra(x []float64) float64 {
	prey, predator := 1+x[0], 0.5+x[1]
	loss := 0.0
	for k, want := range []float64{1.2, 1.1, 0.9, 0.8} {
		for range 5 {
			prey, predator = prey+0.02*prey*(1.1-x[2]*predator), predator+0.02*predator*(x[3]*prey-0.4)
		}
		loss += math.Pow(prey-want, 2) * float64(k+1)
	}
	return loss
}

func softmaxRegression(x []float64) float64 {
	features := [][]float64{{1, 0.5}, {0.2, -1}, {-0.7, 0.3}}
	labels := []int{0, 2, 1}
	loss := 0.0
	for i, f := range features {
		logits := make([]float64, 3)
		for c := range logits {
			logits[c] = x[2*c]*f[0] + x[2*c+1]*f[1]
		}
		loss += logSumExp(logits) - logits[labels[i]]
	}
	return loss / float64(len(features))
}

func portfolio(x []float64) float64 {
	cov := [3][3]float64{{0.04, 0.01, 0}, {0.01, 0.09, 0.02}, {0, 0.02, 0.16}}
	w := make([]float64, 3)
	total := 0.0
	for i := range w {
		w[i] = math.Exp(x[i])
		total += w[i]
	}
	variance, entropy := 0.0, 0.0
	for i := range w {
		w[i] /= total
		entropy -= w[i] * math.Log(w[i])
		for j := 0; j <= i; j++ {
			v := w[i] * w[j] * cov[i][j]
			if i != j {
				v *= 2
			}
			variance += v
		}
	}
	return math.Sqrt(variance) - 0.01*entropy
}

func quadrature(x []float64) float64 {
	simpson := func(f func(float64) float64, a, b float64, n int) float64 {
		h := (b - a) / float64(2*n)
		s := f(a) + f(b)
		for i := 1; i < 2*n; i++ {
			s += float64(2+2*(i%2)) * f(a+float64(i)*h)
		}
		return s * h / 3
	}
	return simpson(func(t float64) float64 { return math.Exp(-x[0]*t*t) * math.Cos(x[1]*t) }, 0, 1+x[2], 8)
}

// newtonRoot solves t³ + at − b = 0 until the step is small.
func newtonRoot(x []float64) float64 {
	a, b := 1+x[0], 2+x[1]
	t := 1.0
	for range 50 {
		step := (t*t*t + a*t - b) / (3*t*t + a)
		t -= step
		if math.Abs(step) < 1e-12 {
			break
		}
	}
	return t
}

// movingAverage is the error of exponential smoothing of a series.
func movingAverage(x []float64) float64 {
	series := []float64{1, 1.4, 1.2, 1.9, 2.3}
	level, trend, loss := series[0], x[1], 0.0
	for _, v := range series[1:] {
		forecast := level + trend
		loss += (v - forecast) * (v - forecast)
		old := level
		level = x[0]*v + (1-x[0])*forecast
		trend = x[2]*(level-old) + (1-x[2])*trend
	}
	return loss
}

type queue struct{ items []float64 }

func (q *queue) push(v float64) { q.items = append(q.items, v) }

func (q *queue) pop() (float64, bool) {
	if len(q.items) == 0 {
		return 0, false
	}
	v := q.items[0]
	q.items = q.items[1:]
	return v, true
}

// cascade works off a queue that its steps fill.
func cascade(x []float64) float64 {
	var q queue
	for _, v := range x {
		q.push(v)
	}
	s := 0.0
	for {
		v, ok := q.pop()
		if !ok {
			break
		}
		s += v * v
		if v > 0.3 {
			q.push(v / 3)
		}
	}
	return s
}

// geodesic is the distance of two places on a sphere.
func geodesic(x []float64) float64 {
	rad := func(degrees float64) float64 { return degrees * math.Pi / 180 }
	a, b := rad(90*x[0]), rad(90*x[1]-45)
	h := math.Pow(math.Sin((b-a)/2), 2) + math.Cos(a)*math.Cos(b)*math.Pow(math.Sin(rad(x[2])/2), 2)
	return 2 * 6371 * math.Asin(math.Sqrt(h))
}
