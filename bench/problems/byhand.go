package problems

import "math"

// ByHand is a function with its gradient and its Hessian, as one writes them down
// who needs all three: plain Go, one loop over the terms. It returns the value at x
// and sets g to the gradient and h to the values of the full Hessian, compressed
// row by row, row i from rows[i] on.
type ByHand func(g, h []float64, rows []int32, x []float64) float64

// byHand is by the name of the problem.
var byHand = map[string]ByHand{
	"rosen": rosenByHand, "arrow": arrowByHand, "bdqrtic": bdqrticByHand, "minsurf": minsurfByHand, "trig": trigByHand,
}

// rosenByHand has row i of its Hessian from 3i − 1 on, less what is left of the
// first row.
func rosenByHand(g, h []float64, _ []int32, x []float64) float64 {
	n := len(x)
	g, h = g[:n], h[:3*n-2]
	g[0], h[0] = 0, 0
	var s float64
	for i := 1; i < n; i++ {
		y := x[i-1]
		a := x[i] - y*y
		b := 1 - y
		s += 100*(a*a) + b*b
		g[i-1] -= 400*a*y + 2*b
		g[i] = 200 * a
		k := 3*i - 3
		h[k] += 800*y*y - 400*a + 2
		h[k+1] = -400 * y
		h[k+2] = -400 * y
		h[k+3] = 200
	}
	return s
}

// arrowByHand has two numbers in each row of its Hessian but the last.
func arrowByHand(g, h []float64, _ []int32, x []float64) float64 {
	last := len(x) - 1
	z := x[last]
	bottom := h[2*last:][:last+1]
	var s, gz, hz float64
	for i, y := range x[:last] {
		q := y*y + z*z
		s += q*q - 4*y + 3
		g[i] = 4*q*y - 4
		gz += 4 * q * z
		h[2*i] = 4*q + 8*y*y
		e := 8 * y * z
		h[2*i+1] = e
		bottom[i] = e
		hz += 4*q + 8*z*z
	}
	g[last], bottom[last] = gz, hz
	return s
}

// bdqrticByHand has in row i, but for the first and the last three, the columns
// i − 3 … i + 3 and the last one.
func bdqrticByHand(g, h []float64, rows []int32, x []float64) float64 {
	n := len(x)
	last := n - 1
	z := x[last]
	clear(g)
	clear(h)
	bottom := h[rows[last]:]
	var s, gz, hz float64
	for i := range n - 4 {
		y0, y1, y2, y3 := x[i], x[i+1], x[i+2], x[i+3]
		a := 3 - 4*y0
		q := y0*y0 + 2*(y1*y1) + 3*(y2*y2) + 4*(y3*y3) + 5*(z*z)
		s += a*a + q*q
		d0, d1, d2, d3, dz := 2*y0, 4*y1, 6*y2, 8*y3, 10*z // of q
		q2 := 2 * q
		g[i] += q2*d0 - 8*a
		g[i+1] += q2 * d1
		g[i+2] += q2 * d2
		g[i+3] += q2 * d3
		gz += q2 * dz
		hz += 2*dz*dz + 20*q
		h00, h11, h22, h33 := 2*d0*d0+4*q+32, 2*d1*d1+8*q, 2*d2*d2+12*q, 2*d3*d3+16*q
		h01, h02, h03, h12, h13, h23 := 2*d0*d1, 2*d0*d2, 2*d0*d3, 2*d1*d2, 2*d1*d3, 2*d2*d3
		z0, z1, z2, z3 := 2*d0*dz, 2*d1*dz, 2*d2*dz, 2*d3*dz
		bottom[i] += z0
		bottom[i+1] += z1
		bottom[i+2] += z2
		bottom[i+3] += z3
		if i >= 3 && i+6 < last {
			r0, r1 := (*[8]float64)(h[rows[i]:]), (*[8]float64)(h[rows[i+1]:])
			r2, r3 := (*[8]float64)(h[rows[i+2]:]), (*[8]float64)(h[rows[i+3]:])
			r0[3], r0[4], r0[5], r0[6], r0[7] = r0[3]+h00, r0[4]+h01, r0[5]+h02, r0[6]+h03, r0[7]+z0
			r1[2], r1[3], r1[4], r1[5], r1[7] = r1[2]+h01, r1[3]+h11, r1[4]+h12, r1[5]+h13, r1[7]+z1
			r2[1], r2[2], r2[3], r2[4], r2[7] = r2[1]+h02, r2[2]+h12, r2[3]+h22, r2[4]+h23, r2[7]+z2
			r3[0], r3[1], r3[2], r3[3], r3[7] = r3[0]+h03, r3[1]+h13, r3[2]+h23, r3[3]+h33, r3[7]+z3
			continue
		}
		for k, row := range [4][5]float64{{h00, h01, h02, h03, z0}, {h01, h11, h12, h13, z1}, {h02, h12, h22, h23, z2}, {h03, h13, h23, h33, z3}} {
			j := i + k
			r := h[rows[j]:rows[j+1]]
			for l, e := range row[:4] {
				r[i+l-max(j-3, 0)] += e
			}
			r[len(r)-1] += row[4]
		}
	}
	g[last], bottom[last] = gz, hz
	return s
}

// minsurfByHand has in each row, but for the nodes at the boundary, the three
// neighbors in each of three rows of the grid.
func minsurfByHand(g, h []float64, rows []int32, x []float64) float64 {
	m := gridSide(len(x))
	r := float64(m - 1)
	k, w := r*r/2, 1/(r*r)
	clear(g)
	clear(h)
	var s float64
	for i := 0; i+1 < m; i++ {
		for a := i * m; a < i*m+m-1; a++ { // cells with the corners a, b, c, d
			b, c, d := a+1, a+m, a+m+1
			p, q := x[a]-x[d], x[b]-x[c]
			t := math.Sqrt(k*(p*p+q*q) + 1)
			s += t
			inv := 1 / t
			u := w * k * inv
			g[a] += u * p
			g[d] -= u * p
			g[b] += u * q
			g[c] -= u * q
			v := u * k * (inv * inv)
			pp, pq, qq := u-v*p*p, -v*p*q, u-v*q*q
			if j := a - i*m; i == 0 || i+2 == m || j == 0 || j+2 == m {
				minsurfBoundary(h, rows, m, i, j, pp, pq, qq)
				continue
			}
			top, bottom := (*[18]float64)(h[rows[a]:]), (*[18]float64)(h[rows[c]:])
			top[4] += pp
			top[5] += pq
			top[7] -= pq
			top[8] -= pp
			top[9+3] += pq
			top[9+4] += qq
			top[9+6] -= qq
			top[9+7] -= pq
			bottom[1] -= pq
			bottom[2] -= qq
			bottom[4] += qq
			bottom[5] += pq
			bottom[9+0] -= pp
			bottom[9+1] -= pq
			bottom[9+3] += pq
			bottom[9+4] += pp
		}
	}
	return s * w
}

// minsurfBoundary adds the second derivatives of the cell i, j: from the diagonal
// entries A, B, C, D of its corners, those of neighbors in a row are one off, in a
// column as many as a row of the grid has neighbors.
func minsurfBoundary(h []float64, rows []int32, m, i, j int, pp, pq, qq float64) {
	width := func(j int) int { return min(j+1, m-1) - max(j-1, 0) + 1 }
	a := i*m + j
	here, next := width(j), width(j+1)
	A, B := int(rows[a])+min(i, 1)*here+min(j, 1), int(rows[a+1])+min(i, 1)*next+1
	C, D := int(rows[a+m])+here+min(j, 1), int(rows[a+m+1])+next+1
	h[A] += pp
	h[A+1] += pq
	h[A+here] -= pq
	h[A+here+1] -= pp
	h[B] += qq
	h[B-1] += pq
	h[B+next] -= pq
	h[B+next-1] -= qq
	h[C] += qq
	h[C+1] += pq
	h[C-here] -= pq
	h[C-here+1] -= qq
	h[D] += pp
	h[D-1] += pq
	h[D-next] -= pq
	h[D-next-1] -= pp
}

// trigByHand has the same pattern as rosenByHand.
func trigByHand(g, h []float64, _ []int32, x []float64) float64 {
	n := len(x)
	g, h = g[:n], h[:3*n-2]
	g[0], h[0] = 0, 0
	var s float64
	for i := 1; i < n; i++ {
		y, z := x[i-1], x[i]
		sin, cos := math.Sincos(y * z)
		e := math.Exp(-0.1 * (y * y))
		q := 1 + z*z
		s += sin*e + math.Log(q)
		d := -0.2 * y // of the exponent
		g[i-1] += e * (cos*z + sin*d)
		g[i] = e*cos*y + 2*z/q
		k := 3*i - 3
		h[k] += e * (sin*(d*d-0.2-z*z) + 2*cos*z*d)
		m := e * (cos*(1+d*y) - sin*y*z)
		h[k+1] = m
		h[k+2] = m
		h[k+3] = -e*sin*y*y + 2*(1-z*z)/(q*q)
	}
	return s
}
