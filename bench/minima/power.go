package minima

import (
	"math"

	"github.com/hesse-ad/hesse/reverse"
)

//go:generate go run ../../dual/lift -active x,loads -o power_lifted.go powerFlow

// Grid is an electric network, in the units of the test systems of MATPOWER: MW and MVAr,
// admittances and voltages relative to their bases, buses by their index.
type Grid struct {
	Name       string
	Base       float64 // MVA
	Buses      []Bus
	Generators []Generator
	Branches   []Branch
	Minimum    float64 // the published cost of optimal power flow, $/h
}

// Bus has a load, a shunt susceptance, and limits of the voltage.
type Bus struct{ P, Q, B, Low, High float64 }

// Generator delivers power within limits at a cost of c₂P² + c₁P.
type Generator struct {
	Bus              int
	PMax, QMin, QMax float64
	C1, C2           float64
}

// Branch is a line or a transformer: series resistance and reactance, charging
// susceptance, limit of the apparent power or 0 for none, tap ratio.
type Branch struct {
	From, To            int
	R, X, B, Limit, Tap float64
}

// PJM5 and IEEE14 are cases 5 and 14 of R. D. Zimmerman, C. E. Murillo-Sánchez,
// R. J. Thomas, MATPOWER, IEEE Trans. Power Systems 26, 2011, from F. Li, R. Bo, Small
// test systems for power system economic studies, IEEE PES General Meeting 2010, and from
// the archive of the University of Washington.
var (
	PJM5 = &Grid{
		Name: "case5", Base: 100, Minimum: 17551.8908,
		Buses: []Bus{
			{0, 0, 0, 0.9, 1.1}, {300, 98.61, 0, 0.9, 1.1}, {300, 98.61, 0, 0.9, 1.1},
			{400, 131.47, 0, 0.9, 1.1}, {0, 0, 0, 0.9, 1.1},
		},
		Generators: []Generator{
			{0, 40, -30, 30, 14, 0}, {0, 170, -127.5, 127.5, 15, 0}, {2, 520, -390, 390, 30, 0},
			{3, 200, -150, 150, 40, 0}, {4, 600, -450, 450, 10, 0},
		},
		Branches: []Branch{
			{0, 1, 0.00281, 0.0281, 0.00712, 400, 1}, {0, 3, 0.00304, 0.0304, 0.00658, 0, 1},
			{0, 4, 0.00064, 0.0064, 0.03126, 0, 1}, {1, 2, 0.00108, 0.0108, 0.01852, 0, 1},
			{2, 3, 0.00297, 0.0297, 0.00674, 0, 1}, {3, 4, 0.00297, 0.0297, 0.00674, 240, 1},
		},
	}
	IEEE14 = &Grid{
		Name: "case14", Base: 100, Minimum: 8081.53,
		Buses: []Bus{
			{0, 0, 0, 0.94, 1.06}, {21.7, 12.7, 0, 0.94, 1.06}, {94.2, 19, 0, 0.94, 1.06}, {47.8, -3.9, 0, 0.94, 1.06},
			{7.6, 1.6, 0, 0.94, 1.06}, {11.2, 7.5, 0, 0.94, 1.06}, {0, 0, 0, 0.94, 1.06}, {0, 0, 0, 0.94, 1.06},
			{29.5, 16.6, 19, 0.94, 1.06}, {9, 5.8, 0, 0.94, 1.06}, {3.5, 1.8, 0, 0.94, 1.06}, {6.1, 1.6, 0, 0.94, 1.06},
			{13.5, 5.8, 0, 0.94, 1.06}, {14.9, 5, 0, 0.94, 1.06},
		},
		Generators: []Generator{
			{0, 332.4, 0, 10, 20, 0.0430292599}, {1, 140, -40, 50, 20, 0.25}, {2, 100, 0, 40, 40, 0.01},
			{5, 100, -6, 24, 40, 0.01}, {7, 100, -6, 24, 40, 0.01},
		},
		Branches: []Branch{
			{0, 1, 0.01938, 0.05917, 0.0528, 0, 1}, {0, 4, 0.05403, 0.22304, 0.0492, 0, 1},
			{1, 2, 0.04699, 0.19797, 0.0438, 0, 1}, {1, 3, 0.05811, 0.17632, 0.034, 0, 1},
			{1, 4, 0.05695, 0.17388, 0.0346, 0, 1}, {2, 3, 0.06701, 0.17103, 0.0128, 0, 1},
			{3, 4, 0.01335, 0.04211, 0, 0, 1}, {3, 6, 0, 0.20912, 0, 0, 0.978}, {3, 8, 0, 0.55618, 0, 0, 0.969},
			{4, 5, 0, 0.25202, 0, 0, 0.932}, {5, 10, 0.09498, 0.1989, 0, 0, 1}, {5, 11, 0.12291, 0.25581, 0, 0, 1},
			{5, 12, 0.06615, 0.13027, 0, 0, 1}, {6, 7, 0, 0.17615, 0, 0, 1}, {6, 8, 0, 0.11001, 0, 0, 1},
			{8, 9, 0.03181, 0.0845, 0, 0, 1}, {8, 13, 0.12711, 0.27038, 0, 0, 1}, {9, 10, 0.08205, 0.19207, 0, 0, 1},
			{11, 12, 0.22092, 0.19988, 0, 0, 1}, {12, 13, 0.17093, 0.34802, 0, 0, 1},
		},
	}
)

// Grids are the networks.
var Grids = []*Grid{PJM5, IEEE14}

// Loads are the loads P of the buses.
func (g *Grid) Loads() []float64 {
	loads := make([]float64, len(g.Buses))
	for i, b := range g.Buses {
		loads[i] = b.P
	}
	return loads
}

// PowerFlow is the dispatch of least cost: x = [θ; v; p; q] has the angles and sizes of
// the voltages of the buses and the power of the generators relative to Base, the
// constraints are the balances of P and Q of each bus and the squares of the apparent
// power at both ends of the branches with a limit. The first bus has the angle 0.
func (g *Grid) PowerFlow() Problem {
	loads := g.Loads()
	p := Problem{Name: g.Name, Minima: []float64{g.Minimum}}
	p.Plain = func(x []float64) []float64 { return powerFlow(x, loads, g) }
	p.Func = reverse.NewFuncParamsVec(g.Function, loads)
	bounds := all(len(g.Buses), -math.Pi, math.Pi)
	bounds[0] = [2]float64{0, 0}
	p.X0 = make([]float64, len(g.Buses))
	var active, reactive box
	for _, b := range g.Buses {
		bounds = append(bounds, [2]float64{b.Low, b.High})
		p.X0 = append(p.X0, 1)
	}
	for _, r := range g.Generators {
		active = append(active, [2]float64{0, r.PMax / g.Base})
		reactive = append(reactive, [2]float64{r.QMin / g.Base, r.QMax / g.Base})
	}
	bounds = bounds.and(active).and(reactive)
	for _, b := range active.and(reactive) {
		p.X0 = append(p.X0, (b[0]+b[1])/2)
	}
	p.Lower, p.Upper = bounds.split()
	constraints := equal(2 * len(g.Buses))
	for _, b := range g.Branches {
		if b.Limit > 0 {
			constraints = constraints.and(all(2, -inf, sq(b.Limit/g.Base)))
		}
	}
	p.ConstraintLower, p.ConstraintUpper = constraints.split()
	return p
}

// Function is [f; c] of PowerFlow with the loads P, by which newton.Result.Sensitivities
// differentiates the solution: the derivative of the cost is the price at a bus.
func (g *Grid) Function(x, loads []reverse.Var) []reverse.Var { return powerFlowOf(x, loads, g) }

// powerFlow is the cost of optimal power flow, what is missing at the buses of P and of Q,
// and squares of the apparent power of branches.
func powerFlow(x, loads []float64, g *Grid) []float64 {
	n, m := len(g.Buses), len(g.Generators)
	theta, v, p, q := x[:n], x[n:2*n], x[2*n:2*n+m], x[2*n+m:]
	cost := 0.0
	missingP, missingQ := make([]float64, n), make([]float64, n)
	for i, b := range g.Buses {
		missingP[i] = loads[i] / g.Base
		missingQ[i] = (b.Q - b.B*v[i]*v[i]) / g.Base
	}
	for k, r := range g.Generators {
		cost += r.C2*sq(g.Base*p[k]) + r.C1*(g.Base*p[k])
		missingP[r.Bus] -= p[k]
		missingQ[r.Bus] -= q[k]
	}
	var flows []float64
	for _, b := range g.Branches {
		z := b.R*b.R + b.X*b.X
		conductance, susceptance := b.R/z, -b.X/z
		charged := susceptance + b.B/2
		from, to := b.From, b.To
		vf, vt := v[from]/b.Tap, v[to]
		d := theta[from] - theta[to]
		c, s := vf*vt*math.Cos(d), vf*vt*math.Sin(d)
		pf := conductance*vf*vf - conductance*c - susceptance*s
		pt := conductance*vt*vt - conductance*c + susceptance*s
		qf := -charged*vf*vf + susceptance*c - conductance*s
		qt := -charged*vt*vt + susceptance*c + conductance*s
		missingP[from] += pf
		missingP[to] += pt
		missingQ[from] += qf
		missingQ[to] += qt
		if b.Limit > 0 {
			flows = append(flows, pf*pf+qf*qf, pt*pt+qt*qt)
		}
	}
	out := append([]float64{cost}, missingP...)
	return append(append(out, missingQ...), flows...)
}
