package minima

import "math"

// The functions [f; c] of the problems of COPS.

// polygon is minus the area of the polygon with the vertices (rᵢ, θᵢ), the squares of
// the distances between them, and θᵢ₊₁ − θᵢ; x = [r; θ].
func polygon(x []float64) []float64 {
	n := len(x) / 2
	r, theta := x[:n], x[n:]
	area := 0.0
	for i := 0; i+1 < n; i++ {
		area += 0.5 * r[i] * r[i+1] * math.Sin(theta[i+1]-theta[i])
	}
	out := []float64{-area}
	for i := range r {
		for j := 0; j < i; j++ {
			out = append(out, r[i]*r[i]+r[j]*r[j]-2*r[i]*r[j]*math.Cos(theta[i]-theta[j]))
		}
	}
	for i := 0; i+1 < n; i++ {
		out = append(out, theta[i+1]-theta[i])
	}
	return out
}

// electrons is the Coulomb potential of charges at (x₃ᵢ, x₃ᵢ₊₁, x₃ᵢ₊₂), and the squares of
// their distances from 0.
func electrons(x []float64) []float64 {
	f := 0.0
	var norms []float64
	for i := 0; i < len(x); i += 3 {
		norms = append(norms, sq(x[i])+sq(x[i+1])+sq(x[i+2]))
		for j := 0; j < i; j += 3 {
			f += 1 / math.Sqrt(sq(x[i]-x[j])+sq(x[i+1]-x[j+1])+sq(x[i+2]-x[j+2]))
		}
	}
	return append([]float64{f}, norms...)
}

// chain is the potential energy of a chain with heights y at even steps and slopes u,
// x = [y; u], y′ = u by the trapezoidal rule, and its length.
func chain(x []float64) []float64 {
	n := len(x) / 2
	y, u := x[:n], x[n:]
	h := 1 / float64(n-1)
	energy, length := 0.0, 0.0
	var defects []float64
	for i := 0; i+1 < n; i++ {
		a, b := math.Sqrt(1+u[i]*u[i]), math.Sqrt(1+u[i+1]*u[i+1])
		energy += h / 2 * (y[i]*a + y[i+1]*b)
		length += h / 2 * (a + b)
		defects = append(defects, y[i+1]-y[i]-h/2*(u[i]+u[i+1]))
	}
	return append(append([]float64{energy}, defects...), length)
}

// A grid has nx×ny inner points in a rectangle, and those of its boundary; point (i, j) is
// element i(ny+2) + j.
func torsion(v []float64, nx, ny int) []float64 {
	hx, hy := 1/float64(nx+1), 1/float64(ny+1)
	f := 0.0
	for i := 0; i <= nx; i++ {
		for j := 0; j <= ny; j++ {
			p, q, r, s := v[i*(ny+2)+j], v[(i+1)*(ny+2)+j], v[i*(ny+2)+j+1], v[(i+1)*(ny+2)+j+1]
			f += hx * hy / 2 * ((sq((q-p)/hx)+sq((r-p)/hy)+sq((s-r)/hx)+sq((s-q)/hy))/2 - 5./3*(p+2*q+2*r+s))
		}
	}
	return []float64{f}
}

// bearing is the energy of a film of lubricant of pressure v between circular cylinders
// of excentricity 0.1, (0, 2π)×(0, 20). The weight of a triangle is that of the model in
// AMPL of which the minima are published: in the upper ones (2w₀+2w₁)/3, which is not a
// mean of the weights at their corners.
func bearing(v []float64, nx, ny int) []float64 {
	const e, b = 0.1, 10
	hx, hy := 2*math.Pi/float64(nx+1), 2*b/float64(ny+1)
	f := 0.0
	for i := 0; i <= nx; i++ {
		w0, w1 := math.Pow(1+e*math.Cos(float64(i)*hx), 3), math.Pow(1+e*math.Cos(float64(i+1)*hx), 3)
		for j := 0; j <= ny; j++ {
			p, q, r, s := v[i*(ny+2)+j], v[(i+1)*(ny+2)+j], v[i*(ny+2)+j+1], v[(i+1)*(ny+2)+j+1]
			f += hx * hy / 12 * ((w0+2*w1)*(sq((q-p)/hx)+sq((r-p)/hy)) + (2*w1+2*w0)*(sq((s-r)/hx)+sq((s-q)/hy)))
			f -= hx * hy * e * math.Sin(float64(i)*hx) * p
		}
	}
	return []float64{f}
}

// surface is the area of the surface of heights v.
func surface(v []float64, nx, ny int) []float64 {
	hx, hy := 1/float64(nx+1), 1/float64(ny+1)
	f := 0.0
	for i := 0; i <= nx; i++ {
		for j := 0; j <= ny; j++ {
			p, q, r, s := v[i*(ny+2)+j], v[(i+1)*(ny+2)+j], v[i*(ny+2)+j+1], v[(i+1)*(ny+2)+j+1]
			f += hx * hy / 2 * (math.Sqrt(1+sq((q-p)/hx)+sq((r-p)/hy)) + math.Sqrt(1+sq((s-r)/hx)+sq((s-q)/hy)))
		}
	}
	return []float64{f}
}

// rocket is minus the last height of a rocket with heights, velocities, masses and
// thrusts at even steps, x = [h; v; m; T; step], and its equations of motion by the
// trapezoidal rule.
func rocket(x []float64) []float64 {
	n := len(x) / 4
	h, v, m, thrust, step := x[:n], x[n:2*n], x[2*n:3*n], x[3*n:4*n], x[4*n]
	force := make([]float64, n)
	for i := range force {
		drag := 310 * v[i] * v[i] * math.Exp(500*(1-h[i]))
		force[i] = (thrust[i]-drag)/m[i] - 1/sq(h[i])
	}
	out := []float64{-h[n-1]}
	for i := 0; i+1 < n; i++ {
		out = append(out,
			h[i+1]-h[i]-step/2*(v[i]+v[i+1]),
			v[i+1]-v[i]-step/2*(force[i]+force[i+1]),
			m[i+1]-m[i]+step*(thrust[i]+thrust[i+1])) // /(2c), c = 1/2
	}
	return out
}

// steering is the time in which a particle is steered, with an acceleration of 100 at
// the angles u, x = [y₁; y₂; v₁; v₂; u; step].
func steering(x []float64) []float64 {
	n := len(x) / 5
	u, step := x[4*n:5*n], x[5*n]
	out := []float64{step * float64(n-1)}
	for i := 0; i+1 < n; i++ {
		y := func(k int) float64 { return x[k*n+i+1] - x[k*n+i] }
		out = append(out,
			y(0)-step/2*(x[2*n+i]+x[2*n+i+1]),
			y(1)-step/2*(x[3*n+i]+x[3*n+i+1]),
			y(2)-50*step*(math.Cos(u[i])+math.Cos(u[i+1])),
			y(3)-50*step*(math.Sin(u[i])+math.Sin(u[i+1])))
	}
	return out
}

// glider is minus the last position of a hang glider in a thermal updraft,
// x = [x; y; vₓ; v_y; c_L; step].
func glider(x []float64) []float64 {
	n := len(x) / 5
	vx, vy, cl, step := x[2*n:3*n], x[3*n:4*n], x[4*n:5*n], x[5*n]
	ax, ay := make([]float64, n), make([]float64, n)
	for i := range ax {
		r := sq(x[i]/100 - 2.5)
		w := vy[i] - 2.5*(1-r)*math.Exp(-r)
		v := math.Sqrt(vx[i]*vx[i] + w*w)
		drag := 0.5 * (0.034 + 0.069662*cl[i]*cl[i]) * 1.13 * 14 * v
		lift := 0.5 * cl[i] * 1.13 * 14 * v
		ax[i] = (-lift*w - drag*vx[i]) / 100
		ay[i] = (lift*vx[i]-drag*w)/100 - 9.81
	}
	out := []float64{-x[n-1]}
	for i := 0; i+1 < n; i++ {
		out = append(out,
			x[i+1]-x[i]-step/2*(vx[i]+vx[i+1]),
			x[n+i+1]-x[n+i]-step/2*(vy[i]+vy[i+1]),
			vx[i+1]-vx[i]-step/2*(ax[i]+ax[i+1]),
			vy[i+1]-vy[i]-step/2*(ay[i]+ay[i+1]))
	}
	return out
}
