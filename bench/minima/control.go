package minima

import (
	"math"

	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

//go:generate go run ../../dual/lift -o control_lifted.go cartPole quadrotor

// CartPole swings up a pole by the force on its cart, ∫u² dt being least in 2 s, on n
// intervals: section 6 of M. Kelly, An introduction to trajectory optimization, SIAM Review
// 59, 2017, where the masses are 1 and 0.3 and the pole is 0.5 long, with no force at the
// end, as in the tests of Dymos, which have the published minimum for 40.
func CartPole(n int) Problem {
	var x0 []float64
	var bounds box
	for _, q := range []series{
		{0, 1, -2, 2, between(0, 1)},
		{0, math.Pi, -inf, inf, between(0, math.Pi)},
		{0, 0, -inf, inf, constant(0)},
		{0, 0, -inf, inf, constant(0)},
	} {
		x0, bounds = q.append(x0, bounds, n)
	}
	force := series{free, 0, -20, 20, between(1, 0)}
	x0, bounds = force.append(x0, bounds, 2*n)
	return family("cart-pole", n, cartPole, cartPoleOf[v], x0, bounds, equal(4*n))
}

// Quadrotor is the least time in which a quadrotor that flies in a plane gets from rest to
// rest 5 m away and 5 m up, by thrust and the rate of its pitch, in n steps: the model and
// the limits of M. Hehn, R. Ritz, R. D'Andrea, Performance benchmarking of quadrotor systems
// using time-optimal control, Autonomous Robots 33, 2012. All controls but few are at their
// limits.
func Quadrotor(n int) Problem { return Flight(n, 5, 5) }

// Flight is Quadrotor to another place. Straight up it is full thrust, then least, which
// takes √(2z(a+b)/(ab)) with the accelerations a = 20 − g and b = g − 1.
func Flight(n int, x, z float64) Problem {
	const g = 9.81
	p := trajectory("quadrotor", n, quadrotor, quadrotorOf[v], 5, 1.5/float64(n),
		series{0, x, -inf, inf, between(0, x)},
		series{0, z, -inf, inf, between(0, z)},
		series{0, 0, -inf, inf, constant(0)},
		series{0, 0, -inf, inf, constant(0)},
		series{0, 0, -2 * math.Pi, 2 * math.Pi, constant(0)},
		series{free, free, 1, 20, constant(g)},
		series{free, free, -10, 10, constant(0)})
	return p
}

// A Pendulum is control in a loop: the pole on the cart of CartPole is kept up by a force |u| ≤ 20
// on the cart, which is the first of those that are best for n steps of 0.05 s ahead.
type Pendulum struct {
	newton.Problem
	X0 []float64 // n times [u; q₁; q₂; v₁; v₂], the state after the step
	At []float64 // the state now, a parameter of Func
}

// NewPendulum leans by 0.4 to begin with.
func NewPendulum(n int) *Pendulum {
	const h, most = 0.05, 20
	p := &Pendulum{At: []float64{0, math.Pi - 0.4, 0, 0}}
	p.Func = reverse.NewFuncParamsVec(func(x, at []v) []v {
		out := make([]v, 1, 1+4*n)
		for i := range n {
			u, next := x[5*i], x[5*i+1:5*i+5]
			a1, a2 := cartPoleAccelerationOf(at[1], at[3], u)
			v1, v2 := at[2].Add(a1.Scale(h)), at[3].Add(a2.Scale(h))
			out = append(out, next[0].Sub(at[0].Add(v1.Scale(h))), next[1].Sub(at[1].Add(v2.Scale(h))),
				next[2].Sub(v1), next[3].Sub(v2))
			out[0] = out[0].Add(next[0].Square()).Add(next[1].Cos().AddReal(1).Scale(20)).Add(u.Square().Scale(1e-3))
			at = next
		}
		return out
	}, p.At)
	for range n {
		p.X0 = append(p.X0, append([]float64{0}, p.At...)...)
		p.Lower = append(p.Lower, -most, -inf, -inf, -inf, -inf)
		p.Upper = append(p.Upper, most, inf, inf, inf, inf)
	}
	p.Func = p.Func.With(p.At)
	return p
}

// Step takes the first force of a solution, with a push to the pole, and starts from the others.
func (p *Pendulum) Step(x []float64, push float64) {
	copy(p.At, x[1:5])
	p.At[3] += push
	p.Func = p.Func.With(p.At)
	copy(p.X0, x[5:])
}

// cartPole is ∫u² of a cart at q₁ with a pole at the angle q₂ from below,
// x = [q₁; q₂; v₁; v₂; u], u also in the middle of intervals, and the equations of motion,
// by Hermite and Simpson's rule.
func cartPole(x []float64) []float64 {
	n := (len(x) - 5) / 6
	h := 2 / float64(n)
	q1, q2, v1, v2, u := x[:n+1], x[n+1:2*n+2], x[2*n+2:3*n+3], x[3*n+3:4*n+4], x[4*n+4:]
	a1, a2 := make([]float64, n+1), make([]float64, n+1)
	for i := range a1 {
		a1[i], a2[i] = cartPoleAcceleration(q2[i], v2[i], u[2*i])
	}
	f := 0.0
	var defects []float64
	for i := 0; i < n; i++ {
		k, m := i+1, 2*i+1
		f += h / 6 * (u[2*i]*u[2*i] + 4*u[m]*u[m] + u[2*k]*u[2*k])
		mq := (q2[i]+q2[k])/2 + h/8*(v2[i]-v2[k])
		mv1 := (v1[i]+v1[k])/2 + h/8*(a1[i]-a1[k])
		mv2 := (v2[i]+v2[k])/2 + h/8*(a2[i]-a2[k])
		ma1, ma2 := cartPoleAcceleration(mq, mv2, u[m])
		defects = append(defects,
			q1[k]-q1[i]-h/6*(v1[i]+4*mv1+v1[k]),
			q2[k]-q2[i]-h/6*(v2[i]+4*mv2+v2[k]),
			v1[k]-v1[i]-h/6*(a1[i]+4*ma1+a1[k]),
			v2[k]-v2[i]-h/6*(a2[i]+4*ma2+a2[k]))
	}
	return append([]float64{f}, defects...)
}

func cartPoleAcceleration(q2, v2, u float64) (a1, a2 float64) {
	const m1, m2, l, g = 1, 0.3, 0.5, 9.81
	sin, cos := math.Sin(q2), math.Cos(q2)
	force := u + m2*l*sin*v2*v2
	mass := m1 + m2*sin*sin
	return (force + m2*g*cos*sin) / mass, -(force*cos + (m1+m2)*g*sin) / (l * mass)
}

// quadrotor is the time of a flight, y = [x; z; vₓ; v_z; pitch; thrust; rate; step], and its
// equations of motion by the trapezoidal rule.
func quadrotor(y []float64) []float64 {
	const g = 9.81
	n := len(y) / 7
	pitch, thrust, step := y[4*n:5*n], y[5*n:6*n], y[7*n]
	ax, az := make([]float64, n), make([]float64, n)
	for i := range ax {
		ax[i] = thrust[i] * math.Sin(pitch[i])
		az[i] = thrust[i]*math.Cos(pitch[i]) - g
	}
	out := []float64{step * float64(n-1)}
	for i := 0; i+1 < n; i++ {
		out = append(out,
			y[i+1]-y[i]-step/2*(y[2*n+i]+y[2*n+i+1]),
			y[n+i+1]-y[n+i]-step/2*(y[3*n+i]+y[3*n+i+1]),
			y[2*n+i+1]-y[2*n+i]-step/2*(ax[i]+ax[i+1]),
			y[3*n+i+1]-y[3*n+i]-step/2*(az[i]+az[i+1]),
			pitch[i+1]-pitch[i]-step/2*(y[6*n+i]+y[6*n+i+1]))
	}
	return out
}
