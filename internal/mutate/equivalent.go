package main

// An equivalence is a mutant that no test of results can tell from the
// original.
type equivalence struct {
	file, from, to string
	why            string
}

const (
	sameValues = "a derivative product and a plain one of finite numbers are the same"
	isNaN      = "NaN either way"
	otherOrder = "a product in the other order"
	equalTerms = "v and d are equal"
	linear     = "the curvature of what is linear is 0"
)

var equivalent = []equivalence{
	{"dual/of.go", "c-c", "c + c", sameValues},
	{"dual/of.go", "c-c", "c", sameValues},
	{"dual/of.go", "ci-ci", "ci + ci", sameValues},
	{"dual/of.go", "ci-ci", "ci", sameValues},
	{"dual/hyper.go", "elem.ExpDD(x.V, v, d)", "elem.ExpDD(x.V, d, v)", equalTerms},
	{"internal/sweep/adjoint.go", "lane.Mul(dd, dd, bar)", "lane.Mul(dd, bar, dd)", otherOrder},
	{"internal/sweep/adjoint.go", "lane.Mul(eaa, eaa, bar)", "lane.Mul(eaa, bar, eaa)", otherOrder},
	{"internal/sweep/adjoint.go", "lane.Mul(eab, eab, bar)", "lane.Mul(eab, bar, eab)", otherOrder},
	{"internal/sweep/adjoint.go", "lane.Mul(ebb, ebb, bar)", "lane.Mul(ebb, bar, ebb)", otherOrder},
	{"internal/sweep/affine.go", "lane.AddMul(dst, c, w, x)", "lane.AddMul(dst, c, x, w)", otherOrder},
	{"internal/sweep/affine.go", "lane.AddMul(dst, dst, w, x)", "lane.AddMul(dst, dst, x, w)", otherOrder},
	{"internal/sweep/affine.go", "lane.Mul(dst, w, x)", "lane.Mul(dst, x, w)", otherOrder},
	{"hessian/problem.go", "hess.SetSym(i, j, math.NaN())", "hess.SetSym(j, i, math.NaN())", "one entry of a symmetric matrix"},
	{
		"hessian/problem.go",
		"slices.EqualFunc(p.x, x, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })",
		"slices.EqualFunc(x, p.x, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })",
		"equality is symmetric",
	},
	{"internal/expr/derive.go", "d.Steps[i].flags()&curved", "d.Steps[i].flags()", linear},
	{"internal/expr/edges.go", "flags&curved", "flags", linear},
	{"internal/elem/power.go", "math.FMA(y, hi, -p)", "math.FMA(hi, y, -p)", otherOrder},
	{"internal/elem/special.go", "0.5-math.Abs(r)", "0.5 + math.Abs(r)", "tan(π − a) = −tan a, and the sign is set"},
	{"internal/elem/piecewise.go", "x + y", "x - y", isNaN},
}
