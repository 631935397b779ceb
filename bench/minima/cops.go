package minima

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hesse-ad/hesse/hessian/newton"
	"github.com/hesse-ad/hesse/reverse"
)

//go:generate go run ../../dual/lift -o cops_lifted.go polygon electrons chain torsion bearing surface rocket steering glider

// Family is problems of any size.
type Family struct {
	Name  string
	Sizes []int // that are measured: steps or points a side of a discretization, vertices, charges
	At    func(size int) Problem
}

// COPS lists problems of E. D. Dolan, J. J. Moré, T. S. Munson, Benchmarking
// optimization software with COPS 3.0, Argonne National Laboratory, Technical Report
// ANL/MCS-TM-273, 2004.
var COPS = []Family{
	{"polygon", []int{25, 50, 100}, Polygon},
	{"electrons", []int{25, 50, 100}, Electrons},
	{"chain", []int{400, 4000, 40000}, Chain},
	{"torsion", []int{50, 100, 316}, square(Torsion)},
	{"bearing", []int{50, 100, 316}, square(Bearing)},
	{"surface", []int{50, 100, 316}, square(Surface)},
	{"rocket", []int{400, 3200, 25000}, Rocket},
	{"steering", []int{200, 2000, 20000}, Steering},
	{"glider", []int{100, 1600, 20000}, Glider},
}

// Models lists problems of trajectories, finance and statistics.
var Models = []Family{
	{"cart-pole", []int{40, 400, 15000}, CartPole},
	{"quadrotor", []int{50, 400, 10000}, Quadrotor},
	{"portfolio", []int{100, 1000, 20000}, Portfolio},
	{"logistic", []int{1000, 10000, 1000000}, Logistic},
}

func family(name string, size int, plain func(x []float64) []float64, f func(x []v) []v, x0 []float64, bounds, constraints box) Problem {
	p := Problem{Name: fmt.Sprintf("%s %d", name, size), Plain: plain, X0: x0}
	p.Problem = newton.Problem{Func: reverse.NewFuncVec(f)}
	p.Lower, p.Upper = bounds.split()
	p.ConstraintLower, p.ConstraintUpper = constraints.split()
	return p
}

// Polygon is the largest polygon of diameter 1 with n vertices. For odd n that is the
// regular one, of area ½n cos(π/n) tan(π/2n) (Reinhardt 1922). For even n it is not: in the
// best that are known the longest diagonals are those of a regular one with n−1 vertices and
// one more, to a vertex in the middle of a side (Foster and Szabo, Diameter graphs of polygons
// and the proof of a conjecture of Graham, J. Combin. Theory A 114, 2007). It starts from
// these polygons, smaller by a tenth if n is odd, by a hundredth if it is even, when there are
// many local minima. From the start of the report, points of a parabola, all solvers end in
// those where most vertices coincide.
func Polygon(n int) Problem {
	x0, bounds := make([]float64, 2*n), all(2*n, 0, math.Pi)
	sides, size := n, 0.9
	if n%2 == 0 {
		sides, size = n-1, 0.99
	}
	for i := range n {
		k := float64(i + 1)
		if sides < n && i >= n/2-1 {
			k = max(k-1, float64(sides)/2)
		}
		x0[i] = size * math.Sin(math.Pi*k/float64(sides))
		x0[n+i] = math.Pi * k / float64(sides)
		bounds[i] = [2]float64{0, 1}
	}
	bounds[n-1], bounds[2*n-1] = [2]float64{0, 0}, [2]float64{math.Pi, math.Pi}
	return family("polygon", n, polygon, polygonOf[v], x0, bounds, all(n*(n-1)/2, -inf, 1).and(positive(n-1)))
}

// Electrons is n charges on the unit sphere in equilibrium, from random places. There are
// ever more local minima with n.
func Electrons(n int) Problem {
	rnd := rand.New(rand.NewPCG(4, 2))
	x0 := make([]float64, 3*n)
	for i := 0; i < len(x0); i += 3 {
		z, phi := 2*rnd.Float64()-1, 2*math.Pi*rnd.Float64()
		r := math.Sqrt(1 - z*z)
		x0[i], x0[i+1], x0[i+2] = r*math.Cos(phi), r*math.Sin(phi), z
	}
	return family("electrons", n, electrons, electronsOf[v], x0, nil, all(n, 1, 1))
}

// Chain is a chain of length 4 that hangs from (0, 1) and (1, 3), of n intervals.
func Chain(n int) Problem {
	x0, bounds := make([]float64, 2*n+2), all(2*n+2, -inf, inf)
	for i := range n + 1 {
		t := float64(i) / float64(n)
		x0[i] = 8*t*(t/2-0.25) + 1
		x0[n+1+i] = 8 * (t - 0.25)
	}
	bounds[0], bounds[n] = [2]float64{1, 1}, [2]float64{3, 3}
	return family("chain", n, chain, chainOf[v], x0, bounds, equal(n).and(all(1, 4, 4)))
}

// onGrid is a problem of nx×ny inner points of a grid and bounds alone; at gives the start
// and the bounds of point (i, j).
func onGrid(name string, nx, ny int, plain func(x []float64, nx, ny int) []float64, f func(x []v, nx, ny int) []v, at func(i, j int) (x0, lower, upper float64)) Problem {
	var x0 []float64
	var bounds box
	for i := range nx + 2 {
		for j := range ny + 2 {
			x, l, u := at(i, j)
			x0, bounds = append(x0, x), append(bounds, [2]float64{l, u})
		}
	}
	p := family(name, ny, func(x []float64) []float64 { return plain(x, nx, ny) }, func(x []v) []v { return f(x, nx, ny) }, x0, bounds, nil)
	p.Name = fmt.Sprintf("%s %d×%d", name, nx, ny)
	return p
}

// square is a family of problems on square grids.
func square(on func(nx, ny int) Problem) func(size int) Problem {
	return func(size int) Problem { return on(size, size) }
}

// Torsion is the stress in an elastic-plastic bar of square section.
func Torsion(nx, ny int) Problem {
	return onGrid("torsion", nx, ny, torsion, torsionOf[v], func(i, j int) (x0, lower, upper float64) {
		d := min(float64(min(i, nx+1-i))/float64(nx+1), float64(min(j, ny+1-j))/float64(ny+1))
		return d, -d, d
	})
}

// Bearing is the pressure in a journal bearing.
func Bearing(nx, ny int) Problem {
	return onGrid("bearing", nx, ny, bearing, bearingOf[v], func(i, j int) (x0, lower, upper float64) {
		if min(i, nx+1-i, j, ny+1-j) == 0 {
			return 0, 0, 0
		}
		return max(0, math.Sin(float64(i)*2*math.Pi/float64(nx+1))), 0, inf
	})
}

// Surface is a minimal surface over an obstacle, a table of height 1 in the middle.
func Surface(nx, ny int) Problem {
	hx, hy := 1/float64(nx+1), 1/float64(ny+1)
	inner := func(i int, h float64) bool {
		return int(math.Floor(0.25/h)) <= i && i <= int(math.Ceil(0.75/h))
	}
	return onGrid("surface", nx, ny, surface, surfaceOf[v], func(i, j int) (x0, lower, upper float64) {
		arch := 1 - sq(2*float64(i)*hx-1)
		switch {
		case i == 0 || i == nx+1:
			return 0, 0, 0
		case j == 0 || j == ny+1:
			return arch, arch, arch
		case inner(i, hx) && inner(j, hy):
			return arch, 1, inf
		}
		return arch, 0, inf
	})
}

// series is the start and the bounds of a quantity at n+1 points, given by its first and
// last value and a start between these, NaN where it is free.
type series struct {
	first, last  float64
	lower, upper float64
	start        func(t float64) float64
}

// append appends start and bounds of n+1 points.
func (q series) append(x0 []float64, bounds box, n int) ([]float64, box) {
	at := len(bounds)
	for i := range n + 1 {
		x0 = append(x0, q.start(float64(i)/float64(n)))
		bounds = append(bounds, [2]float64{q.lower, q.upper})
	}
	if !math.IsNaN(q.first) {
		bounds[at] = [2]float64{q.first, q.first}
	}
	if !math.IsNaN(q.last) {
		bounds[at+n] = [2]float64{q.last, q.last}
	}
	return x0, bounds
}

// trajectory is a problem of optimal control with n steps of length h₀ at the start.
func trajectory(name string, n int, plain func(x []float64) []float64, f func(x []v) []v, equations int, h0 float64, quantities ...series) Problem {
	var x0 []float64
	var bounds box
	for _, q := range quantities {
		x0, bounds = q.append(x0, bounds, n)
	}
	return family(name, n, plain, f, append(x0, h0), append(bounds, [2]float64{0, inf}), equal(n*equations))
}

var free = math.NaN()

func constant(c float64) func(t float64) float64 { return func(float64) float64 { return c } }

func between(a, b float64) func(t float64) float64 {
	return func(t float64) float64 { return a + t*(b-a) }
}

// Rocket is Goddard's: the greatest height that a rocket reaches.
func Rocket(n int) Problem {
	return trajectory("rocket", n, rocket, rocketOf[v], 3, 1/float64(n),
		series{1, free, 1, inf, constant(1)},
		series{0, free, 0, inf, func(t float64) float64 { return t * (1 - t) }},
		series{1, 0.6, 0.6, 1, between(1, 0.6)},
		series{free, free, 0, 3.5, constant(1.75)})
}

// Steering is the least time to bring a particle to height 5 and velocity 45.
func Steering(n int) Problem {
	return trajectory("steering", n, steering, steeringOf[v], 4, 1/float64(n),
		series{0, free, -inf, inf, constant(0)},
		series{0, 5, -inf, inf, between(0, 5)},
		series{0, 45, -inf, inf, between(0, 45)},
		series{0, 0, -inf, inf, constant(0)},
		series{free, free, -math.Pi / 2, math.Pi / 2, constant(0)})
}

// Glider is the farthest that a hang glider gets in an updraft.
func Glider(n int) Problem {
	return trajectory("glider", n, glider, gliderOf[v], 4, 100/float64(n),
		series{0, free, 0, inf, between(0, 1250)},
		series{1000, 900, -inf, inf, between(1000, 900)},
		series{13.23, 13.23, 0, inf, constant(13.23)},
		series{-1.288, -1.288, -inf, inf, constant(-1.288)},
		series{free, free, 0, 1.4, constant(0.7)})
}
