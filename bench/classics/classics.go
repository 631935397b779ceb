// Package classics holds the test functions of gonum's optimize/functions, each
// written once in plain Go and lifted by command dual/lift: the collection of Moré, Garbow and Hillstrom,
// functions of one variable for line searches, functions with many minima, and
// a minimal surface. They come with their starting points and known minima.
//
//	for _, p := range classics.All[reverse.Var]() {
//		t, err := reverse.Record(p.X0, p.F)
//		…
//	}
//
// The tests compare values, gradients and Hessians with gonum's and by all
// strategies, and run gonum's Newton method with derivatives of this module from
// the starting points to the minima. They show that gonum v0.17 is wrong in the
// Hessian of Beale and in the functions CrossInTray and Schaffer4.
//
// Sources: Moré, Garbow, Hillstrom, Testing unconstrained optimization software,
// ACM Trans. Math. Softw. 7 (1981), 17–41; Surjanovic, Bingham, Virtual library
// of simulation experiments, sfu.ca/~ssurjano/optimization.html.
package classics

//go:generate go run ../../dual/lift -o classics_lifted.go Ackley Beale BiggsEXP2 BiggsEXP3 BiggsEXP4 BiggsEXP5 BiggsEXP6 Box3D BraninHoo BrownAndDennis BrownBadlyScaled Bukin6 CamelSix CamelThree ConcaveLeft ConcaveRight CrossInTray DixonPrice DropWave Eggholder ExtendedPowellSingular ExtendedRosenbrock Gaussian GramacyLee Griewank GulfResearchAndDevelopment HelicalValley HolderTable Langermann2 Levy Levy13 Linear PenaltyI PenaltyII Plassmann PowellBadlyScaled Rastrigin Schaffer2 Schaffer4 Schwefel Shubert Sphere Trigonometric VariablyDimensioned Watson Wood YanaiOzawaKaneko surfaceArea

import (
	"math"

	"github.com/hesse-ad/hesse/dual"
)

// A Problem is a test function over the numbers T.
type Problem[T dual.Scalar[T]] struct {
	// Name is that of gonum's type.
	Name string
	F    func(x []T) T
	// X0 is the standard start; of functions that have none, a point from
	// which a descent finds the first of the minima.
	X0 []float64
	// Minima are known minima, not all of them.
	Minima []Minimum
}

// A Minimum is a local minimum F at X, to the digits of its source. X is nil
// where the source has none or it is no single point.
type Minimum struct {
	X []float64
	F float64
}

// All returns the functions over the numbers T, those of any dimension once for
// each dimension that minima are known of.
func All[T dual.Scalar[T]]() []Problem[T] {
	return []Problem[T]{
		{"Beale", BealeOf[T], []float64{1, 1}, []Minimum{{[]float64{3, 0.5}, 0}}},
		{"BiggsEXP2", BiggsEXP2Of[T], []float64{1, 2}, []Minimum{{[]float64{1, 10}, 0}}},
		{"BiggsEXP3", BiggsEXP3Of[T], []float64{1, 2, 1}, []Minimum{{[]float64{1, 10, 5}, 0}}},
		{"BiggsEXP4", BiggsEXP4Of[T], []float64{1, 2, 1, 1}, []Minimum{{[]float64{1, 10, 1, 5}, 0}}},
		{"BiggsEXP5", BiggsEXP5Of[T], []float64{1, 2, 1, 1, 1}, []Minimum{{[]float64{1, 10, 1, 5, 4}, 0}}},
		{"BiggsEXP6", BiggsEXP6Of[T], []float64{1, 2, 1, 1, 1, 1}, []Minimum{
			{[]float64{1, 10, 1, 5, 4, 3}, 0},
			{[]float64{4, 10, 3, 5, 1, 1}, 0}, // the same terms
			{[]float64{1.7114159947956764, 17.68319817846745, 1.1631436609697268,
				5.1865615510738605, 1.7114159947949301, 1.1631436609697998}, 0.005655649925499929},
			{nil, 0.306366772624790}, // x₁ → ∞, x₃ → −∞
		}},
		{"Box3D", Box3DOf[T], []float64{0, 10, 20}, []Minimum{
			{[]float64{1, 10, 1}, 0},
			{[]float64{10, 1, -1}, 0},
			{nil, 0}, // (a, a, 0) for all a
		}},
		{"BrownAndDennis", BrownAndDennisOf[T], []float64{25, 5, -5, -1}, []Minimum{
			{[]float64{-11.594439904762162, 13.203630051207202, -0.4034394881768612, 0.2367787744557347},
				85822.20162635634},
		}},
		{"BrownBadlyScaled", BrownBadlyScaledOf[T], []float64{1, 1}, []Minimum{{[]float64{1e6, 2e-6}, 0}}},
		{"ExtendedPowellSingular", ExtendedPowellSingularOf[T], []float64{3, -1, 0, 1},
			[]Minimum{{make([]float64, 4), 0}}},
		{"ExtendedPowellSingular", ExtendedPowellSingularOf[T], []float64{3, -1, 0, 1, 3, -1, 0, 1},
			[]Minimum{{make([]float64, 8), 0}}},
		{"ExtendedRosenbrock", ExtendedRosenbrockOf[T], []float64{-1.2, 1}, []Minimum{{[]float64{1, 1}, 0}}},
		{"ExtendedRosenbrock", ExtendedRosenbrockOf[T], []float64{-1.2, 1, -1.2, 1}, []Minimum{
			{[]float64{1, 1, 1, 1}, 0},
			{[]float64{-0.7756592265653526, 0.6130933654850433, 0.38206284633839305, 0.14597201855219452},
				3.701428610430017},
		}},
		{"ExtendedRosenbrock", ExtendedRosenbrockOf[T], []float64{-1.2, 1, -1.2, 1, -1.2, 1, -1.2}, []Minimum{
			{repeat(7, 1), 0},
			{[]float64{-0.9917225725614055, 0.9935553935033712, 0.992173321594692, 0.9868987626903134,
				0.975164756608872, 0.9514319827049906, 0.9052228177139495}, 3.9836005364248543},
		}},
		{"Gaussian", GaussianOf[T], []float64{0.4, 1, 0}, []Minimum{
			{[]float64{0.398956137837997, 1.0000190844805048, 0}, 1.12793276961912e-08},
		}},
		{"GulfResearchAndDevelopment", GulfResearchAndDevelopmentOf[T], []float64{5, 2.5, 0.15},
			[]Minimum{{[]float64{50, 25, 1.5}, 0}}},
		{"HelicalValley", HelicalValleyOf[T], []float64{-1, 0, 0}, []Minimum{{[]float64{1, 0, 0}, 0}}},
		{"Linear", LinearOf[T], []float64{1, 1}, nil},
		{"PenaltyI", PenaltyIOf[T], []float64{1, 2, 3, 4}, []Minimum{
			{repeat(4, 0.2500074995875379), 2.2499775008999372e-05},
		}},
		{"PenaltyI", PenaltyIOf[T], []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, []Minimum{
			{repeat(10, 0.15812230111311634), 7.087651467090369e-05},
		}},
		{"PenaltyII", PenaltyIIOf[T], repeat(4, 0.5), []Minimum{
			{[]float64{0.19999933335, 0.19131670128566283, 0.4801014860897, 0.5188454026659},
				9.376293007355449e-06},
		}},
		{"PenaltyII", PenaltyIIOf[T], repeat(10, 0.5), []Minimum{
			{[]float64{0.19998360520892217, 0.010350644318663525, 0.01960493546891094, 0.03208906550305253,
				0.04993267593895693, 0.07651399534454084, 0.11862407118600789, 0.1921448731780023,
				0.3473205862372022, 0.36916437893066273}, 0.00029366053745674594},
		}},
		{"PowellBadlyScaled", PowellBadlyScaledOf[T], []float64{0, 1}, []Minimum{
			{[]float64{1.0981593296997149e-05, 9.106146739867375}, 0},
		}},
		{"Sphere", SphereOf[T], []float64{1, 2, 3, 4, 5}, []Minimum{{make([]float64, 5), 0}}},
		{"Trigonometric", TrigonometricOf[T], repeat(10, 0.1), []Minimum{
			{[]float64{0.04296456438227447, 0.043976287478192246, 0.045093397949095684, 0.04633891624617569,
				0.047744381782831, 0.04935473251330618, 0.05123734850076505, 0.19520946391410446,
				0.1649776652761741, 0.06014857783799575}, 0},
			{[]float64{0.05515090434047145, 0.05684061730812344, 0.05876400231100774, 0.060990608903034337,
				0.06362621381044778, 0.06684318087364617, 0.2081615177172172, 0.16436309604419047,
				0.08500689695564931, 0.09143145386293675}, 2.795056121876575e-05},
		}},
		{"VariablyDimensioned", VariablyDimensionedOf[T], []float64{0.5, 0}, []Minimum{{repeat(2, 1), 0}}},
		{"VariablyDimensioned", VariablyDimensionedOf[T], []float64{.9, .8, .7, .6, .5, .4, .3, .2, .1, 0},
			[]Minimum{{repeat(10, 1), 0}}},
		{"Watson", WatsonOf[T], make([]float64, 6), []Minimum{
			{[]float64{-0.01572508644590686, 1.012434869244884, -0.23299162372002916, 1.2604300800978554,
				-1.51372891341701, 0.9929964286340117}, 0.0022876700535523838},
		}},
		{"Watson", WatsonOf[T], make([]float64, 9), []Minimum{
			{[]float64{-1.5307036521992127e-05, 0.9997897039319495, 0.01476396369355022, 0.14634232829939883,
				1.0008211030046426, -2.617731140519101, 4.104403164479245, -3.1436122785568514,
				1.0526264080103074}, 1.399760138096796e-06},
		}},
		{"Watson", WatsonOf[T], make([]float64, 12), []Minimum{{nil, 4.72238e-10}}},
		{"Wood", WoodOf[T], []float64{-3, -1, -3, -1}, []Minimum{{[]float64{1, 1, 1, 1}, 0}}},

		{"ConcaveLeft", ConcaveLeftOf[T], []float64{1}, []Minimum{{[]float64{1.596}, -2.6214400}}},
		{"ConcaveRight", ConcaveRightOf[T], []float64{1}, []Minimum{{[]float64{math.Sqrt2}, -math.Sqrt2 / 4}}},
		{"Plassmann", PlassmannOf[T], []float64{1.02}, []Minimum{{[]float64{1}, 0.005 - 2*0.99/(39*math.Pi)}}},
		{"YanaiOzawaKaneko", YanaiOzawaKanekoOf[T], []float64{0.9}, []Minimum{{[]float64{0.5}, 0.9990024980}}},

		{"Ackley", AckleyOf[T], []float64{0.1, 0.2, -0.1}, []Minimum{{[]float64{0, 0, 0}, 0}}},
		{"BraninHoo", BraninHooOf[T], []float64{3, 3}, []Minimum{
			{[]float64{math.Pi, 2.275}, 0.397887},
			{[]float64{-math.Pi, 12.275}, 0.397887},
			{[]float64{9.424778, 2.475}, 0.397887},
		}},
		{"Bukin6", Bukin6Of[T], []float64{-9, 0.7}, []Minimum{{[]float64{-10, 1}, 0}}},
		{"CamelThree", CamelThreeOf[T], []float64{0.3, -0.2}, []Minimum{{[]float64{0, 0}, 0}}},
		{"CamelSix", CamelSixOf[T], []float64{0.2, -0.8}, []Minimum{
			{[]float64{0.0898, -0.7126}, -1.0316},
			{[]float64{-0.0898, 0.7126}, -1.0316},
		}},
		{"CrossInTray", CrossInTrayOf[T], []float64{1.2, 1.5}, []Minimum{
			{[]float64{1.349407, 1.349407}, -2.06261},
			{[]float64{-1.349407, 1.349407}, -2.06261},
		}},
		{"DixonPrice", DixonPriceOf[T], []float64{2, 2}, []Minimum{{[]float64{1, math.Sqrt2 / 2}, 0}}},
		{"DropWave", DropWaveOf[T], []float64{0.1, -0.05}, []Minimum{{[]float64{0, 0}, -1}}},
		{"Eggholder", EggholderOf[T], []float64{500, 400}, []Minimum{{[]float64{512, 404.2319}, -959.6407}}},
		{"GramacyLee", GramacyLeeOf[T], []float64{0.55}, []Minimum{{[]float64{0.548563}, -0.869011}}},
		{"Griewank", GriewankOf[T], []float64{0.5, -0.5, 1}, []Minimum{{[]float64{0, 0, 0}, 0}}},
		{"HolderTable", HolderTableOf[T], []float64{8, 9.7}, []Minimum{
			{[]float64{8.05502, 9.66459}, -19.2085},
			{[]float64{-8.05502, -9.66459}, -19.2085},
		}},
		{"Langermann2", Langermann2Of[T], []float64{2.8, 1.6}, []Minimum{{[]float64{2.793402, 1.597230}, -4.155809}}},
		{"Levy", LevyOf[T], []float64{1.5, 0.8, 1.2}, []Minimum{{[]float64{1, 1, 1}, 0}}},
		{"Levy13", Levy13Of[T], []float64{1.1, 0.95}, []Minimum{{[]float64{1, 1}, 0}}},
		{"Rastrigin", RastriginOf[T], []float64{0.1, -0.2, 0.15}, []Minimum{{[]float64{0, 0, 0}, 0}}},
		{"Schaffer2", Schaffer2Of[T], []float64{0.3, 0.2}, []Minimum{{[]float64{0, 0}, 0}}},
		{"Schaffer4", Schaffer4Of[T], []float64{0.1, 1.2}, []Minimum{{[]float64{0, 1.25313}, 0.292579}}},
		{"Schwefel", SchwefelOf[T], []float64{430, 410}, []Minimum{{[]float64{420.9687, 420.9687}, 2.5455e-05}}},
		{"Shubert", ShubertOf[T], []float64{5.5, 4.9}, []Minimum{{[]float64{5.4829, 4.8581}, -186.7309}}},

		{"MinimalSurface", MinimalSurface[T](6), surfaceStart(6), nil},
	}
}

// repeat is k times x.
func repeat(k int, x ...float64) []float64 {
	var r []float64
	for range k {
		r = append(r, x...)
	}
	return r
}
