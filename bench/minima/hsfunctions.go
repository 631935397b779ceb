package minima

import "math"

// The functions [f; c] of the problems of Hock and Schittkowski, numbered from 0
// where they number from 1.

func sq(x float64) float64 { return x * x }

func rosenbrock(x []float64) float64 { return 100*sq(x[1]-x[0]*x[0]) + sq(1-x[0]) }

func hs1(x []float64) []float64 { return []float64{rosenbrock(x)} }

func hs3(x []float64) []float64 { return []float64{x[1] + 1e-5*sq(x[1]-x[0])} }

func hs4(x []float64) []float64 { return []float64{(x[0]+1)*sq(x[0]+1)/3 + x[1]} }

func hs5(x []float64) []float64 {
	return []float64{math.Sin(x[0]+x[1]) + sq(x[0]-x[1]) - 1.5*x[0] + 2.5*x[1] + 1}
}

func hs6(x []float64) []float64 { return []float64{sq(1 - x[0]), 10 * (x[1] - x[0]*x[0])} }

func hs7(x []float64) []float64 {
	return []float64{math.Log(1+x[0]*x[0]) - x[1], sq(1+x[0]*x[0]) + x[1]*x[1] - 4}
}

func hs8(x []float64) []float64 {
	return []float64{-1, x[0]*x[0] + x[1]*x[1] - 25, x[0]*x[1] - 9}
}

func hs9(x []float64) []float64 {
	return []float64{math.Sin(math.Pi*x[0]/12) * math.Cos(math.Pi*x[1]/16), 4*x[0] - 3*x[1]}
}

func hs10(x []float64) []float64 {
	return []float64{x[0] - x[1], -3*x[0]*x[0] + 2*x[0]*x[1] - x[1]*x[1] + 1}
}

func hs11(x []float64) []float64 {
	return []float64{sq(x[0]-5) + x[1]*x[1] - 25, -x[0]*x[0] + x[1]}
}

func hs12(x []float64) []float64 {
	return []float64{0.5*x[0]*x[0] + x[1]*x[1] - x[0]*x[1] - 7*x[0] - 7*x[1], 25 - 4*x[0]*x[0] - x[1]*x[1]}
}

func hs13(x []float64) []float64 {
	return []float64{sq(x[0]-2) + x[1]*x[1], (1-x[0])*sq(1-x[0]) - x[1]}
}

func hs14(x []float64) []float64 {
	return []float64{sq(x[0]-2) + sq(x[1]-1), -0.25*x[0]*x[0] - x[1]*x[1] + 1, x[0] - 2*x[1] + 1}
}

func hs15(x []float64) []float64 {
	return []float64{rosenbrock(x), x[0]*x[1] - 1, x[0] + x[1]*x[1]}
}

func hs16(x []float64) []float64 {
	return []float64{rosenbrock(x), x[0] + x[1]*x[1], x[0]*x[0] + x[1]}
}

func hs17(x []float64) []float64 {
	return []float64{rosenbrock(x), x[1]*x[1] - x[0], x[0]*x[0] - x[1]}
}

func hs18(x []float64) []float64 {
	return []float64{0.01*x[0]*x[0] + x[1]*x[1], x[0]*x[1] - 25, x[0]*x[0] + x[1]*x[1] - 25}
}

func hs19(x []float64) []float64 {
	return []float64{
		(x[0]-10)*sq(x[0]-10) + (x[1]-20)*sq(x[1]-20),
		sq(x[0]-5) + sq(x[1]-5) - 100, -sq(x[1]-5) - sq(x[0]-6) + 82.81,
	}
}

func hs20(x []float64) []float64 {
	return []float64{rosenbrock(x), x[0] + x[1]*x[1], x[0]*x[0] + x[1], x[0]*x[0] + x[1]*x[1] - 1}
}

func hs21(x []float64) []float64 {
	return []float64{0.01*x[0]*x[0] + x[1]*x[1] - 100, 10*x[0] - x[1] - 10}
}

func hs22(x []float64) []float64 {
	return []float64{sq(x[0]-2) + sq(x[1]-1), -x[0] - x[1] + 2, -x[0]*x[0] + x[1]}
}

func hs23(x []float64) []float64 {
	return []float64{
		x[0]*x[0] + x[1]*x[1], x[0] + x[1] - 1, x[0]*x[0] + x[1]*x[1] - 1,
		9*x[0]*x[0] + x[1]*x[1] - 9, x[0]*x[0] - x[1], x[1]*x[1] - x[0],
	}
}

func hs24(x []float64) []float64 {
	r := math.Sqrt(3)
	return []float64{
		(sq(x[0]-3) - 9) * x[1] * x[1] * x[1] / (27 * r),
		x[0]/r - x[1], x[0] + r*x[1], -x[0] - r*x[1] + 6,
	}
}

func hs26(x []float64) []float64 {
	return []float64{sq(x[0]-x[1]) + sq(sq(x[1]-x[2])), (1+x[1]*x[1])*x[0] + sq(x[2]*x[2]) - 3}
}

func hs27(x []float64) []float64 {
	return []float64{0.01*sq(x[0]-1) + sq(x[1]-x[0]*x[0]), x[0] + x[2]*x[2] + 1}
}

func hs28(x []float64) []float64 {
	return []float64{sq(x[0]+x[1]) + sq(x[1]+x[2]), x[0] + 2*x[1] + 3*x[2] - 1}
}

func hs29(x []float64) []float64 {
	return []float64{-x[0] * x[1] * x[2], -x[0]*x[0] - 2*x[1]*x[1] - 4*x[2]*x[2] + 48}
}

func hs30(x []float64) []float64 {
	return []float64{x[0]*x[0] + x[1]*x[1] + x[2]*x[2], x[0]*x[0] + x[1]*x[1] - 1}
}

func hs31(x []float64) []float64 {
	return []float64{9*x[0]*x[0] + x[1]*x[1] + 9*x[2]*x[2], x[0]*x[1] - 1}
}

func hs32(x []float64) []float64 {
	return []float64{
		sq(x[0]+3*x[1]+x[2]) + 4*sq(x[0]-x[1]),
		6*x[1] + 4*x[2] - x[0]*x[0]*x[0] - 3, 1 - x[0] - x[1] - x[2],
	}
}

func hs33(x []float64) []float64 {
	return []float64{
		(x[0]-1)*(x[0]-2)*(x[0]-3) + x[2],
		x[2]*x[2] - x[1]*x[1] - x[0]*x[0], x[0]*x[0] + x[1]*x[1] + x[2]*x[2] - 4,
	}
}

func hs34(x []float64) []float64 {
	return []float64{-x[0], x[1] - math.Exp(x[0]), x[2] - math.Exp(x[1])}
}

func hs35(x []float64) []float64 {
	return []float64{
		9 - 8*x[0] - 6*x[1] - 4*x[2] + 2*x[0]*x[0] + 2*x[1]*x[1] + x[2]*x[2] + 2*x[0]*x[1] + 2*x[0]*x[2],
		3 - x[0] - x[1] - 2*x[2],
	}
}

func hs36(x []float64) []float64 {
	return []float64{-x[0] * x[1] * x[2], 72 - x[0] - 2*x[1] - 2*x[2]}
}

func hs37(x []float64) []float64 {
	return []float64{-x[0] * x[1] * x[2], 72 - x[0] - 2*x[1] - 2*x[2], x[0] + 2*x[1] + 2*x[2]}
}

func hs38(x []float64) []float64 {
	return []float64{rosenbrock(x) + 90*sq(x[3]-x[2]*x[2]) + sq(1-x[2]) +
		10.1*(sq(x[1]-1)+sq(x[3]-1)) + 19.8*(x[1]-1)*(x[3]-1)}
}

func hs39(x []float64) []float64 {
	return []float64{-x[0], x[1] - x[0]*x[0]*x[0] - x[2]*x[2], x[0]*x[0] - x[1] - x[3]*x[3]}
}

func hs40(x []float64) []float64 {
	return []float64{-x[0] * x[1] * x[2] * x[3], x[0]*x[0]*x[0] + x[1]*x[1] - 1, x[0]*x[0]*x[3] - x[2], x[3]*x[3] - x[1]}
}

func hs41(x []float64) []float64 {
	return []float64{2 - x[0]*x[1]*x[2], x[0] + 2*x[1] + 2*x[2] - x[3]}
}

func hs42(x []float64) []float64 {
	return []float64{sq(x[0]-1) + sq(x[1]-2) + sq(x[2]-3) + sq(x[3]-4), x[0] - 2, x[2]*x[2] + x[3]*x[3] - 2}
}

func hs43(x []float64) []float64 {
	a, b, c, d := x[0]*x[0], x[1]*x[1], x[2]*x[2], x[3]*x[3]
	return []float64{
		a + b + 2*c + d - 5*x[0] - 5*x[1] - 21*x[2] + 7*x[3],
		8 - a - b - c - d - x[0] + x[1] - x[2] + x[3],
		10 - a - 2*b - c - 2*d + x[0] + x[3],
		5 - 2*a - b - c - 2*x[0] + x[1] + x[3],
	}
}

func hs44(x []float64) []float64 {
	return []float64{
		x[0] - x[1] - x[2] - x[0]*x[2] + x[0]*x[3] + x[1]*x[2] - x[1]*x[3],
		8 - x[0] - 2*x[1], 12 - 4*x[0] - x[1], 12 - 3*x[0] - 4*x[1],
		8 - 2*x[2] - x[3], 8 - x[2] - 2*x[3], 5 - x[2] - x[3],
	}
}

func hs45(x []float64) []float64 { return []float64{2 - x[0]*x[1]*x[2]*x[3]*x[4]/120} }

func hs46(x []float64) []float64 {
	return []float64{
		sq(x[0]-x[1]) + sq(x[2]-1) + sq(sq(x[3]-1)) + sq((x[4]-1)*sq(x[4]-1)),
		x[0]*x[0]*x[3] + math.Sin(x[3]-x[4]) - 1, x[1] + sq(x[2]*x[2])*x[3]*x[3] - 2,
	}
}

func hs48(x []float64) []float64 {
	return []float64{
		sq(x[0]-1) + sq(x[1]-x[2]) + sq(x[3]-x[4]),
		x[0] + x[1] + x[2] + x[3] + x[4] - 5, x[2] - 2*(x[3]+x[4]) + 3,
	}
}

func hs49(x []float64) []float64 {
	return []float64{
		sq(x[0]-x[1]) + sq(x[2]-1) + sq(sq(x[3]-1)) + sq((x[4]-1)*sq(x[4]-1)),
		x[0] + x[1] + x[2] + 4*x[3] - 7, x[2] + 5*x[4] - 6,
	}
}

func hs50(x []float64) []float64 {
	return []float64{
		sq(x[0]-x[1]) + sq(x[1]-x[2]) + sq(sq(x[2]-x[3])) + sq(x[3]-x[4]),
		x[0] + 2*x[1] + 3*x[2] - 6, x[1] + 2*x[2] + 3*x[3] - 6, x[2] + 2*x[3] + 3*x[4] - 6,
	}
}

func hs51(x []float64) []float64 {
	return []float64{
		sq(x[0]-x[1]) + sq(x[1]+x[2]-2) + sq(x[3]-1) + sq(x[4]-1),
		x[0] + 3*x[1] - 4, x[2] + x[3] - 2*x[4], x[1] - x[4],
	}
}

func hs52(x []float64) []float64 {
	return []float64{
		sq(4*x[0]-x[1]) + sq(x[1]+x[2]-2) + sq(x[3]-1) + sq(x[4]-1),
		x[0] + 3*x[1], x[2] + x[3] - 2*x[4], x[1] - x[4],
	}
}

func hs53(x []float64) []float64 {
	return []float64{
		sq(x[0]-x[1]) + sq(x[1]+x[2]-2) + sq(x[3]-1) + sq(x[4]-1),
		x[0] + 3*x[1], x[2] + x[3] - 2*x[4], x[1] - x[4],
	}
}

func hs55(x []float64) []float64 {
	return []float64{
		x[0] + 2*x[1] + 4*x[4] + math.Exp(x[0]*x[3]),
		x[0] + 2*x[1] + 5*x[4] - 6, x[0] + x[1] + x[2] - 3, x[3] + x[4] + x[5] - 2,
		x[0] + x[3] - 1, x[1] + x[4] - 2, x[2] + x[5] - 2,
	}
}

func hs56(x []float64) []float64 {
	return []float64{
		-x[0] * x[1] * x[2],
		x[0] - 4.2*sq(math.Sin(x[3])), x[1] - 4.2*sq(math.Sin(x[4])), x[2] - 4.2*sq(math.Sin(x[5])),
		x[0] + 2*x[1] + 2*x[2] - 7.2*sq(math.Sin(x[6])),
	}
}

func hs60(x []float64) []float64 {
	return []float64{
		sq(x[0]-1) + sq(x[0]-x[1]) + sq(sq(x[1]-x[2])),
		x[0]*(1+x[1]*x[1]) + sq(x[2]*x[2]) - 4 - 3*math.Sqrt2,
	}
}

func hs61(x []float64) []float64 {
	return []float64{
		4*x[0]*x[0] + 2*x[1]*x[1] + 2*x[2]*x[2] - 33*x[0] + 16*x[1] - 24*x[2],
		3*x[0] - 2*x[1]*x[1] - 7, 4*x[0] - x[2]*x[2] - 11,
	}
}

func hs62(x []float64) []float64 {
	a := math.Log((x[0] + x[1] + x[2] + 0.03) / (0.09*x[0] + x[1] + x[2] + 0.03))
	b := math.Log((x[1] + x[2] + 0.03) / (0.07*x[1] + x[2] + 0.03))
	c := math.Log((x[2] + 0.03) / (0.13*x[2] + 0.03))
	return []float64{-32.174 * (255*a + 280*b + 290*c), x[0] + x[1] + x[2] - 1}
}

func hs63(x []float64) []float64 {
	return []float64{
		1000 - x[0]*x[0] - 2*x[1]*x[1] - x[2]*x[2] - x[0]*x[1] - x[0]*x[2],
		8*x[0] + 14*x[1] + 7*x[2] - 56, x[0]*x[0] + x[1]*x[1] + x[2]*x[2] - 25,
	}
}

func hs64(x []float64) []float64 {
	return []float64{
		5*x[0] + 50000/x[0] + 20*x[1] + 72000/x[1] + 10*x[2] + 144000/x[2],
		1 - 4/x[0] - 32/x[1] - 120/x[2],
	}
}

func hs65(x []float64) []float64 {
	return []float64{
		sq(x[0]-x[1]) + sq(x[0]+x[1]-10)/9 + sq(x[2]-5),
		48 - x[0]*x[0] - x[1]*x[1] - x[2]*x[2],
	}
}

func hs66(x []float64) []float64 {
	return []float64{0.2*x[2] - 0.8*x[0], x[1] - math.Exp(x[0]), x[2] - math.Exp(x[1])}
}

func hs71(x []float64) []float64 {
	return []float64{
		x[0]*x[3]*(x[0]+x[1]+x[2]) + x[2],
		x[0] * x[1] * x[2] * x[3], x[0]*x[0] + x[1]*x[1] + x[2]*x[2] + x[3]*x[3],
	}
}

func hs72(x []float64) []float64 {
	return []float64{
		1 + x[0] + x[1] + x[2] + x[3],
		0.0401 - 4/x[0] - 2.25/x[1] - 1/x[2] - 0.25/x[3],
		0.010085 - 0.16/x[0] - 0.36/x[1] - 0.64/x[2] - 0.64/x[3],
	}
}

func hs73(x []float64) []float64 {
	return []float64{
		24.55*x[0] + 26.75*x[1] + 39*x[2] + 40.5*x[3],
		2.3*x[0] + 5.6*x[1] + 11.1*x[2] + 1.3*x[3] - 5,
		12*x[0] + 11.9*x[1] + 41.8*x[2] + 52.1*x[3] - 21 -
			1.645*math.Sqrt(0.28*x[0]*x[0]+0.19*x[1]*x[1]+20.5*x[2]*x[2]+0.62*x[3]*x[3]),
		x[0] + x[1] + x[2] + x[3] - 1,
	}
}

func hs74(x []float64) []float64 {
	return []float64{
		3*x[0] + 1e-6*x[0]*x[0]*x[0] + 2*x[1] + 2./3*1e-6*x[1]*x[1]*x[1],
		x[3] - x[2],
		1000*math.Sin(-x[2]-0.25) + 1000*math.Sin(-x[3]-0.25) + 894.8 - x[0],
		1000*math.Sin(x[2]-0.25) + 1000*math.Sin(x[2]-x[3]-0.25) + 894.8 - x[1],
		1000*math.Sin(x[3]-0.25) + 1000*math.Sin(x[3]-x[2]-0.25) + 1294.8,
	}
}

func hs76(x []float64) []float64 {
	return []float64{
		x[0]*x[0] + 0.5*x[1]*x[1] + x[2]*x[2] + 0.5*x[3]*x[3] - x[0]*x[2] + x[2]*x[3] - x[0] - 3*x[1] + x[2] - x[3],
		5 - x[0] - 2*x[1] - x[2] - x[3], 4 - 3*x[0] - x[1] - 2*x[2] + x[3], x[1] + 4*x[2] - 1.5,
	}
}

func hs77(x []float64) []float64 {
	return []float64{
		sq(x[0]-1) + sq(x[0]-x[1]) + sq(x[2]-1) + sq(sq(x[3]-1)) + sq((x[4]-1)*sq(x[4]-1)),
		x[0]*x[0]*x[3] + math.Sin(x[3]-x[4]) - 2*math.Sqrt2, x[1] + sq(x[2]*x[2])*x[3]*x[3] - 8 - math.Sqrt2,
	}
}

func hs78(x []float64) []float64 {
	return append([]float64{x[0] * x[1] * x[2] * x[3] * x[4]}, powell(x)...)
}

// powell is the constraints of Powell's problem, of 78, 80 and 81.
func powell(x []float64) []float64 {
	return []float64{
		x[0]*x[0] + x[1]*x[1] + x[2]*x[2] + x[3]*x[3] + x[4]*x[4] - 10,
		x[1]*x[2] - 5*x[3]*x[4], x[0]*x[0]*x[0] + x[1]*x[1]*x[1] + 1,
	}
}

func hs79(x []float64) []float64 {
	return []float64{
		sq(x[0]-1) + sq(x[0]-x[1]) + sq(x[1]-x[2]) + sq(sq(x[2]-x[3])) + sq(sq(x[3]-x[4])),
		x[0] + x[1]*x[1] + x[2]*x[2]*x[2] - 2 - 3*math.Sqrt2, x[1] - x[2]*x[2] + x[3] + 2 - 2*math.Sqrt2, x[0]*x[4] - 2,
	}
}

func hs80(x []float64) []float64 {
	return append([]float64{math.Exp(x[0] * x[1] * x[2] * x[3] * x[4])}, powell(x)...)
}

func hs81(x []float64) []float64 {
	f := math.Exp(x[0]*x[1]*x[2]*x[3]*x[4]) - 0.5*sq(x[0]*x[0]*x[0]+x[1]*x[1]*x[1]+1)
	return append([]float64{f}, powell(x)...)
}

func hs83(x []float64) []float64 {
	return []float64{
		5.3578547*x[2]*x[2] + 0.8356891*x[0]*x[4] + 37.293239*x[0] - 40792.141,
		85.334407 + 0.0056858*x[1]*x[4] + 0.0006262*x[0]*x[3] - 0.0022053*x[2]*x[4],
		80.51249 + 0.0071317*x[1]*x[4] + 0.0029955*x[0]*x[1] + 0.0021813*x[2]*x[2],
		9.300961 + 0.0047026*x[2]*x[4] + 0.0012547*x[0]*x[2] + 0.0019085*x[2]*x[3],
	}
}

// The data of Colville's first and second problem, 86 and 117.
var (
	colvilleE = []float64{-15, -27, -36, -18, -12}
	colvilleD = []float64{4, 8, 10, 6, 2}
	colvilleC = [][]float64{
		{30, -20, -10, 32, -10}, {-20, 39, -6, -31, 32}, {-10, -6, 10, -6, -10}, {32, -31, -6, 39, -20}, {-10, 32, -10, -20, 30},
	}
	colvilleA = [][]float64{
		{-16, 2, 0, 1, 0}, {0, -2, 0, 0.4, 2}, {-3.5, 0, 2, 0, 0}, {0, -2, 0, -4, -1}, {0, -9, -2, 1, -2.8},
		{2, 0, -4, 0, 0}, {-1, -1, -1, -1, -1}, {-1, -2, -3, -2, -1}, {1, 2, 3, 4, 5}, {1, 1, 1, 1, 1},
	}
	colvilleB = []float64{-40, -2, -0.25, -4, -4, -1, -40, -60, 5, 1}
)

func hs86(x []float64) []float64 {
	f := 0.0
	for j := range x {
		f += colvilleE[j]*x[j] + colvilleD[j]*x[j]*x[j]*x[j]
		for i := range x {
			f += colvilleC[i][j] * x[i] * x[j]
		}
	}
	out := []float64{f}
	for i, row := range colvilleA {
		c := -colvilleB[i]
		for j := range x {
			c += row[j] * x[j]
		}
		out = append(out, c)
	}
	return out
}

func hs93(x []float64) []float64 {
	a, b := x[0]*x[3]*(x[0]+x[1]+x[2]), x[1]*x[2]*(x[0]+1.57*x[1]+x[3])
	return []float64{
		0.0204*a + 0.0187*b + 0.0607*a*x[4]*x[4] + 0.0437*b*x[5]*x[5],
		0.001*x[0]*x[1]*x[2]*x[3]*x[4]*x[5] - 2.07, 1 - 0.00062*a*x[4]*x[4] - 0.00058*b*x[5]*x[5],
	}
}

func hs100(x []float64) []float64 {
	return []float64{
		sq(x[0]-10) + 5*sq(x[1]-12) + sq(x[2]*x[2]) + 3*sq(x[3]-11) + 10*sq(x[4]*x[4]*x[4]) + 7*x[5]*x[5] +
			sq(x[6]*x[6]) - 4*x[5]*x[6] - 10*x[5] - 8*x[6],
		127 - 2*x[0]*x[0] - 3*sq(x[1]*x[1]) - x[2] - 4*x[3]*x[3] - 5*x[4],
		282 - 7*x[0] - 3*x[1] - 10*x[2]*x[2] - x[3] + x[4],
		196 - 23*x[0] - x[1]*x[1] - 6*x[5]*x[5] + 8*x[6],
		-4*x[0]*x[0] - x[1]*x[1] + 3*x[0]*x[1] - 2*x[2]*x[2] - 5*x[5] + 11*x[6],
	}
}

func hs104(x []float64) []float64 {
	f := 0.4*math.Pow(x[0]/x[6], 0.67) + 0.4*math.Pow(x[1]/x[7], 0.67) + 10 - x[0] - x[1]
	return []float64{
		f,
		1 - 0.0588*x[4]*x[6] - 0.1*x[0], 1 - 0.0588*x[5]*x[7] - 0.1*x[0] - 0.1*x[1],
		1 - 4*x[2]/x[4] - 2/(math.Pow(x[2], 0.71)*x[4]) - 0.0588*x[6]/math.Pow(x[2], 1.3),
		1 - 4*x[3]/x[5] - 2/(math.Pow(x[3], 0.71)*x[5]) - 0.0588*x[7]/math.Pow(x[3], 1.3),
		f,
	}
}

func hs106(x []float64) []float64 {
	return []float64{
		x[0] + x[1] + x[2],
		1 - 0.0025*(x[3]+x[5]), 1 - 0.0025*(x[4]+x[6]-x[3]), 1 - 0.01*(x[7]-x[4]),
		x[0]*x[5] - 833.33252*x[3] - 100*x[0] + 83333.333,
		x[1]*x[6] - 1250*x[4] - x[1]*x[3] + 1250*x[3],
		x[2]*x[7] - 1250000 - x[2]*x[4] + 2500*x[4],
	}
}

func hs110(x []float64) []float64 {
	f, p := 0.0, 1.0
	for _, v := range x {
		f += sq(math.Log(v-2)) + sq(math.Log(10-v))
		p *= v
	}
	return []float64{f - math.Pow(p, 0.2)}
}

// chemical is the free energies of 111 and 112.
var chemical = []float64{-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.100, -10.708, -26.662, -22.179}

func hs111(x []float64) []float64 {
	e := make([]float64, len(x))
	sum := 0.0
	for i, v := range x {
		e[i] = math.Exp(v)
		sum += e[i]
	}
	f := 0.0
	for i, v := range x {
		f += e[i] * (chemical[i] + v - math.Log(sum))
	}
	return append([]float64{f}, elements(e)...)
}

func hs112(x []float64) []float64 {
	f, sum := 0.0, 0.0
	for _, v := range x {
		sum += v
	}
	for i, v := range x {
		f += v * (chemical[i] + math.Log(v/sum))
	}
	return append([]float64{f}, elements(x)...)
}

func elements(e []float64) []float64 {
	return []float64{
		e[0] + 2*e[1] + 2*e[2] + e[5] + e[9] - 2,
		e[3] + 2*e[4] + e[5] + e[6] - 1,
		e[2] + e[6] + e[7] + 2*e[8] + e[9] - 1,
	}
}

func hs113(x []float64) []float64 {
	return []float64{
		x[0]*x[0] + x[1]*x[1] + x[0]*x[1] - 14*x[0] - 16*x[1] + sq(x[2]-10) + 4*sq(x[3]-5) + sq(x[4]-3) +
			2*sq(x[5]-1) + 5*x[6]*x[6] + 7*sq(x[7]-11) + 2*sq(x[8]-10) + sq(x[9]-7) + 45,
		105 - 4*x[0] - 5*x[1] + 3*x[6] - 9*x[7],
		-10*x[0] + 8*x[1] + 17*x[6] - 2*x[7],
		8*x[0] - 2*x[1] - 5*x[8] + 2*x[9] + 12,
		-3*sq(x[0]-2) - 4*sq(x[1]-3) - 2*x[2]*x[2] + 7*x[3] + 120,
		-5*x[0]*x[0] - 8*x[1] - sq(x[2]-6) + 2*x[3] + 40,
		-0.5*sq(x[0]-8) - 2*sq(x[1]-4) - 3*x[4]*x[4] + x[5] + 30,
		-x[0]*x[0] - 2*sq(x[1]-2) + 2*x[0]*x[1] - 14*x[4] + 6*x[5],
		3*x[0] - 6*x[1] - 12*sq(x[8]-8) + 7*x[9],
	}
}

func hs117(x []float64) []float64 {
	u, y := x[:10], x[10:]
	f := 0.0
	for j, b := range colvilleB {
		f -= b * u[j]
	}
	for k := range y {
		f += 2 * colvilleD[k] * y[k] * y[k] * y[k]
		for j := range y {
			f += colvilleC[k][j] * y[k] * y[j]
		}
	}
	out := []float64{f}
	for j := range y {
		c := 3*colvilleD[j]*y[j]*y[j] + colvilleE[j]
		for k := range y {
			c += 2 * colvilleC[k][j] * y[k]
		}
		for k := range u {
			c -= colvilleA[k][j] * u[k]
		}
		out = append(out, c)
	}
	return out
}

func hs118(x []float64) []float64 {
	f := 0.0
	for k := 0; k < 15; k += 3 {
		f += 2.3*x[k] + 0.0001*x[k]*x[k] + 1.7*x[k+1] + 0.0001*x[k+1]*x[k+1] + 2.2*x[k+2] + 0.00015*x[k+2]*x[k+2]
	}
	out := []float64{f}
	for k := 3; k < 15; k++ {
		out = append(out, x[k]-x[k-3])
	}
	for k := 0; k < 15; k += 3 {
		out = append(out, x[k]+x[k+1]+x[k+2])
	}
	return out
}
