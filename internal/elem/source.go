package elem

import "embed"

// Source is the files of this package, from which generated code has copies of the
// functions that it needs.
//
//go:embed elem.go exponential.go hyperbolic.go incomplete.go piecewise.go power.go special.go trigonometric.go
var Source embed.FS
