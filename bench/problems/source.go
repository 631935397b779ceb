package problems

//go:generate go run ../../hessian/write -sparse hessian -functions All -x rosenStart(10000) -name rosenSource -o rosen_source.go Rosen
//go:generate go run ../../hessian/write -sparse hessian -functions All -x arrowStart(10000) -name arrowSource -o arrow_source.go Arrow
//go:generate go run ../../hessian/write -sparse hessian -functions All -x bdqrticStart(10000) -name bdqrticSource -o bdqrtic_source.go Bdqrtic
//go:generate go run ../../hessian/write -sparse hessian -functions All -x minsurfStart(100) -name minsurfSource -o minsurf_source.go Minsurf
//go:generate go run ../../hessian/write -sparse hessian -functions All -x trigStart(10000) -name trigSource -o trig_source.go Trig

// sourceSize is for how many variables source is there.
const sourceSize = 10000

// Source is the function written by command write for the value, the gradient and the
// Hessian of a problem with n variables, nil if there is none: it sets h to the values of
// the Hessian and g to the gradient, and returns the value.
func Source(name string, n int) func(h, g, x []float64) float64 {
	if n != sourceSize {
		return nil
	}
	return map[string]func(h, g, x []float64) float64{
		"rosen": rosenSourceAll, "arrow": arrowSourceAll, "bdqrtic": bdqrticSourceAll, "minsurf": minsurfSourceAll, "trig": trigSourceAll,
	}[name]
}
