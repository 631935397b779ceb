package problems

import "github.com/hesse-ad/hesse/dual"

//go:generate go run ../../dual/lift -type dual.Number3,dual.Hyper -o concrete_lifted.go rosenPlain trigPlain

// Concrete returns the plain function of rosen or trig as lifted for the numbers of
// forward mode alone, whose methods Go inlines; nil for the others.
func Concrete(in *Instance) (func(x []dual.Number3) dual.Number3, func(x []dual.Hyper) dual.Hyper) {
	switch in.Name {
	case "rosen":
		return rosenPlainNumber3, rosenPlainHyper
	case "trig":
		return trigPlainNumber3, trigPlainHyper
	}
	return nil, nil
}
