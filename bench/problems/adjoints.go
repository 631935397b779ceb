package problems

//go:generate go run ../../reverse/adjoint -gradient -hvp -o adjoints_adjoint.go rosenPlain arrowPlain bdqrticPlain minsurfPlain trigPlain

// adjoints are the gradients that command adjoint wrote of plain functions, by the name of
// the problem.
var adjoints = map[string]func(dst, x []float64) float64{
	"rosen": rosenPlainGradient, "arrow": arrowPlainGradient, "bdqrtic": bdqrticPlainGradient,
	"minsurf": minsurfPlainGradient, "trig": trigPlainGradient,
}

// products are the products with Hessians that it wrote.
var products = map[string]func(dst, x, v []float64){
	"rosen": rosenPlainHVP, "arrow": arrowPlainHVP, "bdqrtic": bdqrticPlainHVP,
	"minsurf": minsurfPlainHVP, "trig": trigPlainHVP,
}
