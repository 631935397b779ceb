package minima

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/hessian/newton"
)

func TestCOPS(t *testing.T) {
	for _, c := range []struct {
		p      Problem
		within float64 // relative
		minima []float64
	}{
		// Reinhardt's regular polygons, and Graham's hexagon (The largest small hexagon,
		// J. Combin. Theory A 18, 1975); all are the best of several local minima.
		{Polygon(5), 1e-7, []float64{-2.5 * math.Cos(math.Pi/5) * math.Tan(math.Pi/10)}},
		{Polygon(6), 1e-6, []float64{-0.674981}},
		{Polygon(7), 1e-7, []float64{-3.5 * math.Cos(math.Pi/7) * math.Tan(math.Pi/14)}},
		{Polygon(25), 1e-7, []float64{-12.5 * math.Cos(math.Pi/25) * math.Tan(math.Pi/50)}},
		// C. Audet, P. Hansen, F. Messine, J. Xiong, The largest small octagon, J. Combin. Theory A
		// 98, 2002; D. Henrion, F. Messine, Finding largest small polygons with GloptiPoly, J.
		// Global Optim. 56, 2013.
		{Polygon(8), 1e-7, []float64{-0.726868483}},
		{Polygon(10), 1e-7, []float64{-0.749137346}},
		{Polygon(12), 1e-7, []float64{-0.760729873}},
		// Thomson's problem: tetrahedron, octahedron and icosahedron have closed forms.
		{Electrons(4), 1e-8, []float64{6 / math.Sqrt(8./3)}},
		{Electrons(6), 1e-8, []float64{12/math.Sqrt2 + 1.5}},
		{Electrons(12), 1e-7, []float64{49.165253058}},
		{Electrons(25), 1e-7, []float64{243.812760299}},
		// Minima of the report, to all of its digits, of which it cuts off the rest.
		{Electrons(50), 1e-5, []float64{1055.18}},
		{Chain(400), 1e-6, []float64{5.06862}},
		{Torsion(50, 50), 3e-6, []float64{-0.418087}},
		{Torsion(50, 75), 3e-6, []float64{-0.418199}},
		{Torsion(50, 100), 3e-6, []float64{-0.418239}},
		{Bearing(50, 50), 7e-6, []float64{-0.154824}},
		{Bearing(50, 75), 7e-6, []float64{-0.154984}},
		{Bearing(50, 100), 7e-6, []float64{-0.155042}},
		{Surface(50, 50), 4e-6, []float64{2.51488}},
		{Surface(50, 75), 4e-6, []float64{2.50568}},
		{Surface(50, 100), 4e-6, []float64{2.50694}},
		{Rocket(400), 1e-5, []float64{-1.01283}},
		{Rocket(800), 1e-5, []float64{-1.01283}},
		{Steering(200), 2e-6, []float64{0.554577}},
		{Steering(400), 2e-6, []float64{0.554572}},
		{Glider(100), 8e-6, []float64{-1254.61}},
		{Glider(400), 8e-6, []float64{-1247.97}},
	} {
		r, err := newton.InteriorPoint{}.Solve(context.Background(), c.p.Problem, c.p.X0)
		require.NoError(t, err, c.p.Name)
		require.LessOrEqual(t, r.Iterations, 70, c.p.Name)
		for _, m := range c.minima {
			require.InEpsilon(t, m, r.F, max(c.within, 1e-9), c.p.Name)
		}
		want := c.p.Plain(r.X)
		require.InEpsilon(t, want[0], r.F, 1e-11, "%s: lifted and plain", c.p.Name)
		require.InDeltaSlice(t, append(want[1:], 0), append(r.C, 0), 1e-9, c.p.Name)
	}
}

// For even n the area of the best polygon is below a bound of Foster and Szabo, by O(1/n³)
// (C. Bingane, M. J. Mossinghoff, Small polygons with large area, J. Global Optim. 88, 2024).
func TestPolygonsWithEvenVertices(t *testing.T) {
	for _, n := range []float64{16, 20, 50, 100} {
		p := Polygon(int(n))
		bound := n/2*math.Sin(math.Pi/n) - (n-1)/2*math.Tan(math.Pi/(2*n-2))
		area := -solve(t, p).F
		require.InDelta(t, bound, area, 3/(n*n*n), "%v", n)
		require.Less(t, area, bound)
	}
}

// Trajectories on which the choice of μ in each iteration goes astray: what is found is
// what is found with μ kept, and not in many more iterations.
func TestAdaptiveBarrierGoesAstray(t *testing.T) {
	for _, p := range []Problem{Glider(1600), Quadrotor(2000)} {
		kept, err := newton.InteriorPoint{Monotone: true}.Solve(context.Background(), p.Problem, p.X0)
		require.NoError(t, err, p.Name)
		r := solve(t, p)
		require.InEpsilon(t, kept.F, r.F, 1e-8, p.Name)
		require.LessOrEqual(t, r.Iterations, 20+kept.Iterations, p.Name)
	}
}

// The chain is a catenary, y = a cosh((t−b)/a) + k of length 4 from (0, 1) to (1, 3):
// the energy of a finer chain comes near to its.
func TestChainIsACatenary(t *testing.T) {
	lo, hi := 0.05, 1. // √(4² − 2²) = 2a sinh(1/2a)
	for range 200 {
		if a := (lo + hi) / 2; 2*a*math.Sinh(1/(2*a)) > math.Sqrt(12) {
			lo = a
		} else {
			hi = a
		}
	}
	a := lo
	// y(1) − y(0) = 2a sinh((1/2 − b)/a) sinh(1/2a) = 2.
	b := 0.5 - a*math.Asinh(1/(a*math.Sinh(1/(2*a))))
	k := 1 - a*math.Cosh(b/a)
	primitive := func(t float64) float64 { // of y √(1 + y′²) = (a cosh s + k) cosh s, s = (t−b)/a
		s := (t - b) / a
		return a*(a*(s/2+math.Sinh(2*s)/4)) + a*k*math.Sinh(s)
	}
	exact := primitive(1) - primitive(0)
	var off []float64
	for _, n := range []int{50, 100, 200} {
		p := Chain(n)
		r, err := newton.InteriorPoint{}.Solve(context.Background(), p.Problem, p.X0)
		require.NoError(t, err)
		off = append(off, math.Abs(r.F-exact))
	}
	require.Greater(t, off[0], 2.5*off[1])
	require.Greater(t, off[1], 2.5*off[2])
}
