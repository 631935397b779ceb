package lane

import "github.com/hesse-ad/hesse/internal/op"

// Partial derivatives, by kernels; what these leave out, and where there is none, by the rules of
// package elem, in loops that are generated.

// First sets d to the first derivative of an operation of class Unary at x, with
// the constants c and the values v. It must not be one of these.
func First(code op.Code, d, x, c, v []float64) {
	n := len(d)
	firsts[code].first(code, d, x[:n], c[:n], v[:n])
}

func (k kernel) first(code op.Code, d, x, c, v []float64) {
	for {
		lo := k.callFirst(d, x, c, v)
		if lo == len(d) {
			return
		}
		hi := k.stops(lo, len(d))
		first(code, d[lo:hi], x[lo:hi], c[lo:hi], v[lo:hi])
		d, x, c, v = d[hi:], x[hi:], c[hi:], v[hi:]
	}
}

// Second sets dd to the second derivative, given the first.
func Second(code op.Code, dd, x, c, v, d []float64) {
	n := len(dd)
	seconds[code].second(code, dd, x[:n], c[:n], v[:n], d[:n])
}

func (k kernel) second(code op.Code, dd, x, c, v, d []float64) {
	for {
		lo := k.callSecond(dd, x, c, v, d)
		if lo == len(dd) {
			return
		}
		hi := k.stops(lo, len(dd))
		second(code, dd[lo:hi], x[lo:hi], c[lo:hi], v[lo:hi], d[lo:hi])
		dd, x, c, v, d = dd[hi:], x[hi:], c[hi:], v[hi:], d[hi:]
	}
}

// First2 sets dx and dy to the partials of an operation of class Binary.
func First2(code op.Code, dx, dy, x, y, v []float64) {
	n := len(dx)
	firsts[code].first2(code, dx, dy[:n], x[:n], y[:n], v[:n])
}

func (k kernel) first2(code op.Code, dx, dy, x, y, v []float64) {
	for {
		lo := k.callFirst2(dx, dy, x, y, v)
		if lo == len(dx) {
			return
		}
		hi := k.stops(lo, len(dx))
		first2(code, dx[lo:hi], dy[lo:hi], x[lo:hi], y[lo:hi], v[lo:hi])
		dx, dy, x, y, v = dx[hi:], dy[hi:], x[hi:], y[hi:], v[hi:]
	}
}

// Second2 sets dxx, dxy, dyy to the second partials of an operation of class
// Binary, given the first.
func Second2(code op.Code, dxx, dxy, dyy, x, y, v, dx, dy []float64) {
	n := len(dxx)
	seconds[code].second2(code, dxx, dxy[:n], dyy[:n], x[:n], y[:n], v[:n], dx[:n], dy[:n])
}

func (k kernel) second2(code op.Code, dxx, dxy, dyy, x, y, v, dx, dy []float64) {
	for {
		lo := k.callSecond2(dxx, dxy, dyy, x, y, v, dx, dy)
		if lo == len(dxx) {
			return
		}
		hi := k.stops(lo, len(dxx))
		second2(code, dxx[lo:hi], dxy[lo:hi], dyy[lo:hi], x[lo:hi], y[lo:hi], v[lo:hi], dx[lo:hi], dy[lo:hi])
		dxx, dxy, dyy, x, y, v, dx, dy = dxx[hi:], dxy[hi:], dyy[hi:], x[hi:], y[hi:], v[hi:], dx[hi:], dy[hi:]
	}
}
