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
	{"internal/sweep/adjoint.go", "mulTo(dd, dd, bar)", "mulTo(dd, bar, dd)", otherOrder},
	{"internal/sweep/adjoint.go", "mulTo(eaa, eaa, bar)", "mulTo(eaa, bar, eaa)", otherOrder},
	{"internal/sweep/adjoint.go", "mulTo(eab, eab, bar)", "mulTo(eab, bar, eab)", otherOrder},
	{"internal/sweep/adjoint.go", "mulTo(ebb, ebb, bar)", "mulTo(ebb, bar, ebb)", otherOrder},
	{"internal/sweep/affine.go", "addMulTo(dst, c, w, x)", "addMulTo(dst, c, x, w)", otherOrder},
	{"internal/sweep/affine.go", "addMulTo(dst, dst, w, x)", "addMulTo(dst, dst, x, w)", otherOrder},
	{"internal/sweep/affine.go", "mulTo(dst, w, x)", "mulTo(dst, x, w)", otherOrder},
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
