package classics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
)

var plains = map[string]func(x []float64) float64{
	"Ackley": Ackley, "Beale": Beale, "BiggsEXP2": BiggsEXP2, "BiggsEXP3": BiggsEXP3, "BiggsEXP4": BiggsEXP4,
	"BiggsEXP5": BiggsEXP5, "BiggsEXP6": BiggsEXP6, "Box3D": Box3D, "BraninHoo": BraninHoo,
	"BrownAndDennis": BrownAndDennis, "BrownBadlyScaled": BrownBadlyScaled, "Bukin6": Bukin6, "CamelSix": CamelSix,
	"CamelThree": CamelThree, "ConcaveLeft": ConcaveLeft, "ConcaveRight": ConcaveRight, "CrossInTray": CrossInTray,
	"DixonPrice": DixonPrice, "DropWave": DropWave, "Eggholder": Eggholder,
	"ExtendedPowellSingular": ExtendedPowellSingular, "ExtendedRosenbrock": ExtendedRosenbrock, "Gaussian": Gaussian,
	"GramacyLee": GramacyLee, "Griewank": Griewank, "GulfResearchAndDevelopment": GulfResearchAndDevelopment,
	"HelicalValley": HelicalValley, "HolderTable": HolderTable, "Langermann2": Langermann2, "Levy": Levy, "Levy13": Levy13,
	"Linear": Linear, "MinimalSurface": func(x []float64) float64 { return surfaceArea(x, newSurface(6)) },
	"PenaltyI": PenaltyI, "PenaltyII": PenaltyII, "Plassmann": Plassmann, "PowellBadlyScaled": PowellBadlyScaled,
	"Rastrigin": Rastrigin, "Schaffer2": Schaffer2, "Schaffer4": Schaffer4, "Schwefel": Schwefel, "Shubert": Shubert,
	"Sphere": Sphere, "Trigonometric": Trigonometric, "VariablyDimensioned": VariablyDimensioned, "Watson": Watson,
	"Wood": Wood, "YanaiOzawaKaneko": YanaiOzawaKaneko,
}

// The lifted functions over dual.Real are the plain ones, to some roundings: compilers
// may fuse products of the plain ones, and powers are rounded otherwise. Minima are
// left out, where some functions are the root of a rounding error.
func TestLiftedFunctionsAreThePlainOnes(t *testing.T) {
	for _, p := range All[dual.Real]() {
		p.Minima = nil
		for _, x := range points(p) {
			want := plains[p.Name](x)
			require.InDelta(t, want, value(p, x), 1e-9*(1+math.Abs(want)), "%s at %v", p.Name, x)
		}
	}
}
