package models

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// LoopModel is a model that is a loop with a state, by dual.Scan and by hand.
type LoopModel struct {
	Name  string
	Steps int
	X0    []float64
}

// Loops lists them, at the lengths at which they are measured.
var Loops = []LoopModel{
	Loop("lorenz", 1e5),
	Loop("heat", 1e5),
	Loop("leapfrog", 1e5),
	Loop("kalman", 1e4),
	Loop("hidden-markov", 1e4),
	Loop("rnn-series", 1e4),
	Loop("lstm-series", 1e4),
	Loop("shooting", 1e4),
	Loop("multiple-shooting", 1e4),
}

const (
	heatPoints   = 200
	loopHidden   = 16 // of rnn-series and lstm-series
	markovStates = 4
	intervals    = 100 // of multiple-shooting
)

// Loop is a model with so many steps. It panics for a name that there is not, and if
// multiple-shooting has no whole number of steps an interval.
func Loop(name string, steps int) LoopModel {
	m := LoopModel{Name: name, Steps: steps}
	switch name {
	case "lorenz":
		m.X0 = []float64{1, 1, 1, 10, 28, 8. / 3}
	case "heat":
		m.X0 = append([]float64{0.5}, normal(71, heatPoints, 1)...)
	case "leapfrog":
		m.X0 = []float64{1, 0, 0, 1.1, 1}
	case "kalman":
		m.X0 = []float64{-1, -2, 0.3}
	case "hidden-markov":
		m.X0 = normal(72, markovStates*(markovStates+1), 0.5)
	case "rnn-series":
		m.X0 = normal(73, loopHidden*(loopHidden+3), 0.2)
	case "lstm-series":
		m.X0 = normal(74, 4*loopHidden*(loopHidden+2)+loopHidden, 0.2)
	case "shooting":
		m.X0 = normal(75, steps, 0.1)
	case "multiple-shooting":
		if steps%intervals != 0 {
			panic("models: multiple-shooting takes a multiple of 100 steps")
		}
		m.X0 = normal(76, 2*intervals+steps, 0.1)
	default:
		panic("models: no loop " + name)
	}
	return m
}

// LoopFunc is the function of such a model over the numbers T.
func LoopFunc[T dual.Scalar[T]](m LoopModel) func(x []T) T {
	switch m.Name {
	case "lorenz":
		return func(x []T) T { return Lorenz(x, m.Steps, 0) }
	case "heat":
		return func(x []T) T { return Heat(x, m.Steps) }
	case "leapfrog":
		return func(x []T) T { return Leapfrog(x, m.Steps) }
	case "kalman":
		return func(x []T) T { return Kalman(x, series(m.Steps)) }
	case "hidden-markov":
		return func(x []T) T { return HiddenMarkov(x, markovStates, series(m.Steps)) }
	case "rnn-series":
		return func(x []T) T { return RNNSeries(x, series(m.Steps)) }
	case "lstm-series":
		return func(x []T) T { return LSTMSeries(x, series(m.Steps)) }
	case "shooting":
		return Shooting[T]
	}
	return MultipleShooting[T]
}

// Plain is the function by hand.
func (m LoopModel) Plain() func(x []float64) float64 {
	data := series(m.Steps)
	switch m.Name {
	case "lorenz":
		return func(x []float64) float64 { return lorenzPlain(x, m.Steps) }
	case "heat":
		return func(x []float64) float64 { return heatPlain(x, m.Steps) }
	case "leapfrog":
		return func(x []float64) float64 { return leapfrogPlain(x, m.Steps) }
	case "kalman":
		return func(x []float64) float64 { return kalmanPlain(x, data) }
	case "hidden-markov":
		return func(x []float64) float64 { return hiddenMarkovPlain(x, markovStates, data) }
	case "rnn-series":
		return func(x []float64) float64 { return rnnSeriesPlain(x, data) }
	case "lstm-series":
		return func(x []float64) float64 { return lstmSeriesPlain(x, data) }
	case "shooting":
		return shootingPlain
	}
	return multipleShootingPlain
}

// series is numbers that are observed one after another.
func series(steps int) [][]float64 {
	y := make([][]float64, steps)
	for k := range y {
		y[k] = []float64{math.Sin(0.7*float64(k)) + 0.1*float64(k%3)}
	}
	return y
}

// rk4 is a step of length h of the Runge–Kutta method of order 4.
func rk4[T dual.Scalar[T]](s []T, h float64, slope func(s []T) []T) []T {
	at := func(k []T, h float64) []T {
		y := make([]T, len(s))
		for i := range y {
			y[i] = s[i].Add(k[i].Scale(h))
		}
		return y
	}
	k1 := slope(s)
	k2 := slope(at(k1, h/2))
	k3 := slope(at(k2, h/2))
	k4 := slope(at(k3, h))
	next := make([]T, len(s))
	for i := range next {
		next[i] = s[i].Add(k1[i].Add(k2[i].Scale(2)).Add(k3[i].Scale(2)).Add(k4[i]).Scale(h / 6))
	}
	return next
}

const lorenzStep = 0.005

// Lorenz is the mean of the squares of the first coordinate of the system of Lorenz, from
// the state x[:3] on with the parameters x[3:] = [σ, ρ, β].
func Lorenz[T dual.Scalar[T]](x []T, steps, checkpoints int) T {
	_, sum := dual.Scan(dual.Loop[T]{
		Start: x[:3], Shared: x[3:], Steps: steps, Checkpoints: checkpoints,
		Step: func(s, w, _, _ []T) (next, out []T) {
			next = rk4(s, lorenzStep, func(s []T) []T {
				return []T{
					w[0].Mul(s[1].Sub(s[0])),
					s[0].Mul(w[1].Sub(s[2])).Sub(s[1]),
					s[0].Mul(s[1]).Sub(w[2].Mul(s[2])),
				}
			})
			return next, []T{next[0].Square()}
		},
	})
	return sum[0].Scale(1 / float64(steps))
}

func lorenzPlain(x []float64, steps int) float64 {
	const h = lorenzStep
	s := [3]float64{x[0], x[1], x[2]}
	sigma, rho, beta := x[3], x[4], x[5]
	slope := func(s [3]float64) [3]float64 {
		return [3]float64{sigma * (s[1] - s[0]), s[0]*(rho-s[2]) - s[1], s[0]*s[1] - beta*s[2]}
	}
	at := func(k [3]float64, h float64) [3]float64 {
		return [3]float64{s[0] + k[0]*h, s[1] + k[1]*h, s[2] + k[2]*h}
	}
	sum := 0.0
	for range steps {
		k1 := slope(s)
		k2 := slope(at(k1, h/2))
		k3 := slope(at(k2, h/2))
		k4 := slope(at(k3, h))
		for i := range s {
			s[i] += (k1[i] + k2[i]*2 + k3[i]*2 + k4[i]) * (h / 6)
		}
		sum += s[0] * s[0]
	}
	return sum / float64(steps)
}

const heatStep = 0.1

// Heat is Σ uᵢ² of u′ = c·u_xx on points between zeros, after so many steps from x[1:]
// on, with c = x[0].
func Heat[T dual.Scalar[T]](x []T, steps int) T {
	last, _ := dual.Scan(dual.Loop[T]{
		Start: x[1:], Shared: x[:1], Steps: steps,
		Step: func(s, w, _, _ []T) (next, out []T) {
			return rk4(s, heatStep, func(s []T) []T {
				y := make([]T, len(s))
				for i := range y {
					y[i] = s[i].Scale(-2)
					if i > 0 {
						y[i] = y[i].Add(s[i-1])
					}
					if i+1 < len(s) {
						y[i] = y[i].Add(s[i+1])
					}
					y[i] = y[i].Mul(w[0])
				}
				return y
			}), nil
		},
	})
	return dual.SumSquares(last)
}

func heatPlain(x []float64, steps int) float64 {
	const h = heatStep
	c, n := x[0], len(x)-1
	s := append([]float64(nil), x[1:]...)
	var k [4][]float64
	for i := range k {
		k[i] = make([]float64, n)
	}
	y := make([]float64, n)
	slope := func(y, x []float64) {
		y[0] = (x[1] - 2*x[0]) * c
		for i := 1; i+1 < n; i++ {
			y[i] = (x[i-1] - 2*x[i] + x[i+1]) * c
		}
		y[n-1] = (x[n-2] - 2*x[n-1]) * c
	}
	at := func(k []float64, h float64) []float64 {
		for i := range y {
			y[i] = s[i] + k[i]*h
		}
		return y
	}
	for range steps {
		slope(k[0], s)
		slope(k[1], at(k[0], h/2))
		slope(k[2], at(k[1], h/2))
		slope(k[3], at(k[2], h))
		k1, k2, k3, k4 := k[0], k[1], k[2], k[3]
		for i := range s {
			s[i] += (k1[i] + k2[i]*2 + k3[i]*2 + k4[i]) * (h / 6)
		}
	}
	sum := 0.0
	for _, v := range s {
		sum += v * v
	}
	return sum
}

const leapfrogStep = 0.001

// Leapfrog is |q|² of a body around another, after so many steps by leapfrog: x = [q; v;
// the mass of the other].
func Leapfrog[T dual.Scalar[T]](x []T, steps int) T {
	const h = leapfrogStep
	last, _ := dual.Scan(dual.Loop[T]{
		Start: x[:4], Shared: x[4:], Steps: steps,
		Step: func(s, w, _, _ []T) (next, out []T) {
			q, v := s[:2], s[2:]
			kick := func(q, v []T) []T {
				r2 := q[0].Square().Add(q[1].Square())
				a := w[0].Scale(-h / 2).Div(r2.Mul(r2.Sqrt()))
				return []T{v[0].Add(a.Mul(q[0])), v[1].Add(a.Mul(q[1]))}
			}
			v = kick(q, v)
			q = []T{q[0].Add(v[0].Scale(h)), q[1].Add(v[1].Scale(h))}
			return append(q, kick(q, v)...), nil
		},
	})
	return last[0].Square().Add(last[1].Square())
}

func leapfrogPlain(x []float64, steps int) float64 {
	const h = leapfrogStep
	qx, qy, vx, vy, mass := x[0], x[1], x[2], x[3], x[4]
	for range steps {
		r2 := qx*qx + qy*qy
		a := mass * (-h / 2) / (r2 * math.Sqrt(r2))
		vx, vy = vx+a*qx, vy+a*qy
		qx, qy = qx+vx*h, qy+vy*h
		r2 = qx*qx + qy*qy
		a = mass * (-h / 2) / (r2 * math.Sqrt(r2))
		vx, vy = vx+a*qx, vy+a*qy
	}
	return qx*qx + qy*qy
}

// Kalman is −2 times the logarithm of the likelihood of a level that wanders with a slope
// that wanders, seen with errors, but for constants: x is the logarithms of the variances
// of level, slope and errors; at first both have the mean 0 and the variance 1.
func Kalman[T dual.Scalar[T]](x []T, y [][]float64) T {
	start := make([]T, 5) // means, covariance
	start[2], start[4] = dual.Const[T](1), dual.Const[T](1)
	_, sum := dual.Scan(dual.Loop[T]{
		Start: start, Shared: []T{x[0].Exp(), x[1].Exp(), x[2].Exp()}, Data: y,
		Step: func(s, w, _, y []T) (next, out []T) {
			level, slope := s[0].Add(s[1]), s[1]
			p11 := s[2].Add(s[3].Scale(2)).Add(s[4]).Add(w[0])
			p12 := s[3].Add(s[4])
			p22 := s[4].Add(w[1])
			miss, total := y[0].Sub(level), p11.Add(w[2])
			g1, g2 := p11.Div(total), p12.Div(total)
			return []T{
				level.Add(g1.Mul(miss)), slope.Add(g2.Mul(miss)),
				p11.Sub(g1.Mul(p11)), p12.Sub(g1.Mul(p12)), p22.Sub(g2.Mul(p12)),
			}, []T{miss.Square().Div(total).Add(total.Log())}
		},
	})
	return sum[0]
}

func kalmanPlain(x []float64, y [][]float64) float64 {
	q1, q2, r := math.Exp(x[0]), math.Exp(x[1]), math.Exp(x[2])
	level, slope, p11, p12, p22 := 0.0, 0.0, 1.0, 0.0, 1.0
	sum := 0.0
	for _, y := range y {
		level += slope
		p11, p12, p22 = p11+2*p12+p22+q1, p12+p22, p22+q2
		miss, total := y[0]-level, p11+r
		g1, g2 := p11/total, p12/total
		level, slope = level+g1*miss, slope+g2*miss
		p11, p12, p22 = p11-g1*p11, p12-g1*p12, p22-g2*p12
		sum += miss*miss/total + math.Log(total)
	}
	return sum
}

// HiddenMarkov is minus the logarithm of the likelihood of a hidden Markov model with so
// many states by the forward algorithm with scaling, but for constants. x is the means of
// what is seen in each state, with the variance 1, then the rows of transitions before
// softmax; at first all states are alike.
func HiddenMarkov[T dual.Scalar[T]](x []T, states int, y [][]float64) T {
	shared := append([]T(nil), x[:states]...)
	for i := range states {
		shared = append(shared, softmax(x[states*(1+i):][:states])...)
	}
	start := make([]T, states)
	for i := range start {
		start[i] = dual.Const[T](1 / float64(states))
	}
	_, sum := dual.Scan(dual.Loop[T]{
		Start: start, Shared: shared, Data: y,
		Step: func(s, w, _, y []T) (next, out []T) {
			var total T
			for j := range s {
				var from T
				for i := range s {
					from = from.Add(s[i].Mul(w[states*(1+i)+j]))
				}
				next = append(next, from.Mul(y[0].Sub(w[j]).Square().Scale(-0.5).Exp()))
				total = total.Add(next[j])
			}
			scale := total.RDiv(1)
			for j := range next {
				next[j] = next[j].Mul(scale)
			}
			return next, []T{total.Log()}
		},
	})
	return sum[0].Neg()
}

func softmax[T dual.Scalar[T]](x []T) []T {
	l := dual.LogSumExp(x)
	z := make([]T, len(x))
	for i, x := range x {
		z[i] = x.Sub(l).Exp()
	}
	return z
}

func hiddenMarkovPlain(x []float64, states int, y [][]float64) float64 {
	means := x[:states]
	rows := make([]float64, 0, states*states)
	for i := range states {
		row := x[states*(1+i):][:states]
		l := logSumExp(row)
		for _, v := range row {
			rows = append(rows, math.Exp(v-l))
		}
	}
	s, next := make([]float64, states), make([]float64, states)
	for i := range s {
		s[i] = 1 / float64(states)
	}
	sum := 0.0
	for _, y := range y {
		total := 0.0
		for j, mean := range means {
			from := 0.0
			for i, p := range s {
				from += p * rows[states*i+j]
			}
			d := y[0] - mean
			next[j] = from * math.Exp(-0.5*d*d)
			total += next[j]
		}
		for j := range s {
			s[j] = next[j] / total
		}
		sum += math.Log(total)
	}
	return -sum
}

// RNNSeries is Σ ½(vᵀh_k − y_{k+1})² of the network h ← tanh(Wh + uy + b), which predicts
// a series: x = [W; u; b; v].
func RNNSeries[T dual.Scalar[T]](x []T, y [][]float64) T {
	const n = loopHidden
	_, sum := dual.Scan(dual.Loop[T]{
		Start: make([]T, n), Shared: x, Data: pairs(y),
		Step: func(h, w, _, y []T) (next, out []T) {
			u, b, v := w[n*n:][:n], w[n*(n+1):][:n], w[n*(n+2):]
			for i := range h {
				next = append(next, dual.Dot(w[i*n:][:n], h).Add(u[i].Mul(y[0])).Add(b[i]).Tanh())
			}
			return next, []T{dual.Dot(v, next).Sub(y[1]).Square().Scale(0.5)}
		},
	})
	return sum[0]
}

// pairs is each number with the next.
func pairs(y [][]float64) (z [][]float64) {
	for k := range y[1:] {
		z = append(z, []float64{y[k][0], y[k+1][0]})
	}
	return z
}

func rnnSeriesPlain(x []float64, y [][]float64) float64 {
	const n = loopHidden
	u, b, v := x[n*n:][:n], x[n*(n+1):][:n], x[n*(n+2):][:n]
	h, next := make([]float64, n), make([]float64, n)
	sum := 0.0
	for k := range y[1:] {
		miss := -y[k+1][0]
		for i := range next {
			a := u[i]*y[k][0] + b[i]
			row := x[i*n:][:len(h)]
			for j, h := range h {
				a += row[j] * h
			}
			next[i] = math.Tanh(a)
			miss += v[i] * next[i]
		}
		h, next = next, h
		sum += 0.5 * miss * miss
	}
	return sum
}

// LSTMSeries is Σ ½(vᵀh_k − y_{k+1})² of a long short-term memory that predicts a series:
// x is 4 gates with a row for [h; y; 1] of each cell, then v.
func LSTMSeries[T dual.Scalar[T]](x []T, y [][]float64) T {
	const n = loopHidden
	_, sum := dual.Scan(dual.Loop[T]{
		Start: make([]T, 2*n), Shared: x, Data: pairs(y), // [h; c]
		Step: func(s, w, _, y []T) (next, out []T) {
			gate := func(g, i int) T {
				row := w[(n+2)*(n*g+i):][:n+2]
				return dual.Dot(row[:n], s[:n]).Add(row[n].Mul(y[0])).Add(row[n+1])
			}
			var h, c []T
			for i := range n {
				cell := gate(0, i).Logistic().Mul(s[n+i]).Add(gate(1, i).Logistic().Mul(gate(2, i).Tanh()))
				c = append(c, cell)
				h = append(h, gate(3, i).Logistic().Mul(cell.Tanh()))
			}
			return append(h, c...), []T{dual.Dot(w[4*n*(n+2):], h).Sub(y[1]).Square().Scale(0.5)}
		},
	})
	return sum[0]
}

func lstmSeriesPlain(x []float64, y [][]float64) float64 {
	const n = loopHidden
	v := x[4*n*(n+2):][:n]
	h, next, c := make([]float64, n), make([]float64, n), make([]float64, n)
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	sum := 0.0
	for k := range y[1:] {
		miss := -y[k+1][0]
		for i := range next {
			var gates [4]float64
			for g := range gates {
				row := x[(n+2)*(n*g+i):][:n+2]
				a := row[n]*y[k][0] + row[n+1]
				for j, h := range h {
					a += row[j] * h
				}
				gates[g] = a
			}
			c[i] = logistic(gates[0])*c[i] + logistic(gates[1])*math.Tanh(gates[2])
			next[i] = logistic(gates[3]) * math.Tanh(c[i])
			miss += v[i] * next[i]
		}
		h, next = next, h
		sum += 0.5 * miss * miss
	}
	return sum
}

const swing = 0.01 // a step of a pendulum

// swung is the state [angle; speed] of a pendulum after a step with a torque.
func swung[T dual.Scalar[T]](s []T, torque T) []T {
	v := s[1].Add(torque.Sub(s[0].Sin()).Scale(swing))
	return []T{s[0].Add(v.Scale(swing)), v}
}

// Shooting is what it costs to swing a pendulum up by the torques x, one a step, from
// rest: their squares, and how far from standing upright it is at the end.
func Shooting[T dual.Scalar[T]](x []T) T {
	rows := make([][]T, len(x))
	for k := range x {
		rows[k] = x[k : k+1]
	}
	last, sum := dual.Scan(dual.Loop[T]{
		Start: make([]T, 2), Vars: rows,
		Step: func(s, _, u, _ []T) (next, out []T) { return swung(s, u[0]), []T{u[0].Square()} },
	})
	return upright(sum[0], last)
}

func upright[T dual.Scalar[T]](effort T, s []T) T {
	return effort.Scale(swing).Add(s[0].SubReal(math.Pi).Square()).Add(s[1].Square())
}

func shootingPlain(x []float64) float64 {
	angle, speed, effort := 0.0, 0.0, 0.0
	for _, u := range x {
		speed += (u - math.Sin(angle)) * swing
		angle += speed * swing
		effort += u * u
	}
	return effort*swing + (angle-math.Pi)*(angle-math.Pi) + speed*speed
}

// MultipleShooting is [Shooting] in intervals whose first states are variables as well,
// and 10 times the squares of the gaps between them: x is the states, then the torques.
// The intervals are run side by side.
func MultipleShooting[T dual.Scalar[T]](x []T) T {
	states, torques := x[:2*intervals], x[2*intervals:]
	steps := len(torques) / intervals
	lanes := make([]dual.Lane[T], intervals)
	for i := range lanes {
		lanes[i].Start = states[2*i:][:2]
		for k := range steps {
			lanes[i].Vars = append(lanes[i].Vars, torques[i*steps+k:][:1])
		}
	}
	last, sum := dual.ScanLanes(dual.Loop[T]{
		Step: func(s, _, u, _ []T) (next, out []T) { return swung(s, u[0]), []T{u[0].Square()} },
	}, lanes)
	gaps := states[0].Square().Add(states[1].Square())
	effort := sum[0][0]
	for i := 1; i < intervals; i++ {
		effort = effort.Add(sum[i][0])
		for j := range 2 {
			gaps = gaps.Add(states[2*i+j].Sub(last[i-1][j]).Square())
		}
	}
	return upright(effort, last[intervals-1]).Add(gaps.Scale(10))
}

func multipleShootingPlain(x []float64) float64 {
	states, torques := x[:2*intervals], x[2*intervals:]
	steps := len(torques) / intervals
	angle, speed, effort, gaps := 0.0, 0.0, 0.0, 0.0
	for i := range intervals {
		d, e := states[2*i]-angle, states[2*i+1]-speed
		gaps += d*d + e*e
		angle, speed = states[2*i], states[2*i+1]
		for _, u := range torques[i*steps:][:steps] {
			speed += (u - math.Sin(angle)) * swing
			angle += speed * swing
			effort += u * u
		}
	}
	return effort*swing + (angle-math.Pi)*(angle-math.Pi) + speed*speed + 10*gaps
}
