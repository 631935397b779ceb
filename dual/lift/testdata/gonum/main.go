// Command gonum compares functions of gonum with their lifted forms, which are not in
// this tree: a test writes them, and runs it.
package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/optimize/functions"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hesse-ad/hesse/dual"
)

func optBeale(x []float64) float64 { return functions.Beale{}.Func(x[:2]) }

func optBiggsEXP2(x []float64) float64 { return functions.BiggsEXP2{}.Func(x[:2]) }

func optBiggsEXP3(x []float64) float64 { return functions.BiggsEXP3{}.Func(x[:3]) }

func optBiggsEXP4(x []float64) float64 { return functions.BiggsEXP4{}.Func(x[:4]) }

func optBiggsEXP5(x []float64) float64 { return functions.BiggsEXP5{}.Func(x[:5]) }

func optBiggsEXP6(x []float64) float64 { return functions.BiggsEXP6{}.Func(x[:6]) }

func optBox3D(x []float64) float64 { return functions.Box3D{}.Func(x[:3]) }

func optBraninHoo(x []float64) float64 { return functions.BraninHoo{}.Func(x[:2]) }

func optBrownBadlyScaled(x []float64) float64 { return functions.BrownBadlyScaled{}.Func(x[:2]) }

func optBrownAndDennis(x []float64) float64 { return functions.BrownAndDennis{}.Func(x[:4]) }

func optExtendedPowellSingular(x []float64) float64 {
	return functions.ExtendedPowellSingular{}.Func(x[:8])
}

func optExtendedRosenbrock(x []float64) float64 { return functions.ExtendedRosenbrock{}.Func(x[:6]) }

func optGaussian(x []float64) float64 { return functions.Gaussian{}.Func(x[:3]) }

func optGulfResearchAndDevelopment(x []float64) float64 {
	return functions.GulfResearchAndDevelopment{}.Func(x[:3])
}

func optHelicalValley(x []float64) float64 { return functions.HelicalValley{}.Func(x[:3]) }

func optLinear(x []float64) float64 { return functions.Linear{}.Func(x[:6]) }

func optPenaltyI(x []float64) float64 { return functions.PenaltyI{}.Func(x[:6]) }

func optPenaltyII(x []float64) float64 { return functions.PenaltyII{}.Func(x[:6]) }

func optPowellBadlyScaled(x []float64) float64 { return functions.PowellBadlyScaled{}.Func(x[:2]) }

func optSphere(x []float64) float64 { return functions.Sphere{}.Func(x[:2]) }

func optTrigonometric(x []float64) float64 { return functions.Trigonometric{}.Func(x[:6]) }

func optVariablyDimensioned(x []float64) float64 { return functions.VariablyDimensioned{}.Func(x[:5]) }

func optWatson(x []float64) float64 { return functions.Watson{}.Func(x[:9]) }

func optWood(x []float64) float64 { return functions.Wood{}.Func(x[:4]) }

func optConcaveRight(x []float64) float64 { return functions.ConcaveRight{}.Func(x[:1]) }

func optConcaveLeft(x []float64) float64 { return functions.ConcaveLeft{}.Func(x[:1]) }

func optPlassmann(x []float64) float64 { return functions.Plassmann{L: 5, Beta: 0.5}.Func(x[:1]) }

func optYanaiOzawaKaneko(x []float64) float64 {
	return functions.YanaiOzawaKaneko{Beta1: 0.1, Beta2: 0.2}.Func(x[:1])
}

func distBernoulli(x []float64) float64 { return distuv.Bernoulli{P: x[1]}.LogProb(1) }

func distBeta(x []float64) float64 { return distuv.Beta{Alpha: x[1], Beta: x[2]}.LogProb(x[0]) }

func distBinomial(x []float64) float64 { return distuv.Binomial{N: 5, P: x[1]}.LogProb(3) }

func distChi(x []float64) float64 { return distuv.Chi{K: x[1]}.LogProb(x[0]) }

func distChiSquared(x []float64) float64 { return distuv.ChiSquared{K: x[1]}.LogProb(x[0]) }

func distExponential(x []float64) float64 { return distuv.Exponential{Rate: x[1]}.LogProb(x[0]) }

func distF(x []float64) float64 { return distuv.F{D1: x[1], D2: x[2]}.LogProb(x[0]) }

func distGamma(x []float64) float64 { return distuv.Gamma{Alpha: x[1], Beta: x[2]}.LogProb(x[0]) }

func distGumbelRight(x []float64) float64 {
	return distuv.GumbelRight{Mu: x[1], Beta: x[2]}.LogProb(x[0])
}

func distInverseGamma(x []float64) float64 {
	return distuv.InverseGamma{Alpha: x[1], Beta: x[2]}.LogProb(x[0])
}

func distLaplace(x []float64) float64 { return distuv.Laplace{Mu: x[1], Scale: x[2]}.LogProb(x[0]) }

func distLogistic(x []float64) float64 { return distuv.Logistic{Mu: x[1], S: x[2]}.LogProb(x[0]) }

func distLogNormal(x []float64) float64 { return distuv.LogNormal{Mu: x[1], Sigma: x[2]}.LogProb(x[0]) }

func distNoncentralT(x []float64) float64 {
	return distuv.NoncentralT{Nu: x[1], Mu: x[2]}.LogProb(x[0])
}

func distNormal(x []float64) float64 { return distuv.Normal{Mu: x[1], Sigma: x[2]}.LogProb(x[0]) }

func distPareto(x []float64) float64 { return distuv.Pareto{Xm: x[1], Alpha: x[2]}.LogProb(1 + x[0]) }

func distPoisson(x []float64) float64 { return distuv.Poisson{Lambda: x[1]}.LogProb(3) }

func distStudentsT(x []float64) float64 {
	return distuv.StudentsT{Mu: x[1], Sigma: x[2], Nu: x[3]}.LogProb(x[0])
}

func distTriangle(x []float64) float64 {
	return distuv.NewTriangle(x[1]-1, x[2]+1, x[3], nil).LogProb(x[0])
}

func distUniform(x []float64) float64 {
	return distuv.Uniform{Min: x[1] - 1, Max: x[2] + 1}.LogProb(x[0])
}

func distWeibull(x []float64) float64 { return distuv.Weibull{K: x[1], Lambda: x[2]}.LogProb(x[0]) }

func distCategorical(x []float64) float64 {
	return distuv.NewCategorical([]float64{x[0], x[1], x[2]}, nil).LogProb(1)
}

func mathextBeta(x []float64) float64 { return mathext.Beta(x[0], x[1]) }

func mathextLbeta(x []float64) float64 { return mathext.Lbeta(x[0], x[1]) }

func mathextInvRegIncBeta(x []float64) float64 { return mathext.InvRegIncBeta(1+x[0], 1+x[1], x[2]) }

func mathextRegIncBeta(x []float64) float64 { return mathext.RegIncBeta(x[0], x[1], x[2]) }

func mathextGammaIncReg(x []float64) float64 { return mathext.GammaIncReg(x[0], x[1]) }

func mathextGammaIncRegComp(x []float64) float64 { return mathext.GammaIncRegComp(x[0], x[1]) }

func mathextZeta(x []float64) float64 { return mathext.Zeta(2+x[0], 1+x[1]) }

func mathextDigamma(x []float64) float64 { return mathext.Digamma(x[0]) }

func mathextCompleteK(x []float64) float64 { return mathext.CompleteK(x[0]) }

func mathextCompleteE(x []float64) float64 { return mathext.CompleteE(x[0]) }

func mathextEllipticF(x []float64) float64 { return mathext.EllipticF(x[0], x[1]) }

func mathextEllipticE(x []float64) float64 { return mathext.EllipticE(x[0], x[1]) }

func mathextEllipticRF(x []float64) float64 { return mathext.EllipticRF(x[0], x[1], x[2]) }

func mathextEllipticRD(x []float64) float64 { return mathext.EllipticRD(x[0], x[1], x[2]) }

func mathextNormalQuantile(x []float64) float64 { return mathext.NormalQuantile(x[0]) }

func mathextMvLgamma(x []float64) float64 { return mathext.MvLgamma(2+x[0], 3) }

func statMean(x []float64) float64 { return stat.Mean(x, nil) }

func statMeanWeighted(x []float64) float64 { return stat.Mean(x[:3], []float64{1, 2, 3}) }

func statVariance(x []float64) float64 { return stat.Variance(x, nil) }

func statStdDev(x []float64) float64 { return stat.StdDev(x, nil) }

func statSkew(x []float64) float64 { return stat.Skew(x, nil) }

func statExKurtosis(x []float64) float64 { return stat.ExKurtosis(x, nil) }

func statCovariance(x []float64) float64 { return stat.Covariance(x[:3], x[3:6], nil) }

func statCorrelation(x []float64) float64 { return stat.Correlation(x[:3], x[3:6], nil) }

func statGeometricMean(x []float64) float64 { return stat.GeometricMean(x, nil) }

func statHarmonicMean(x []float64) float64 { return stat.HarmonicMean(x, nil) }

func statEntropy(x []float64) float64 { return stat.Entropy(x) }

func statKullbackLeibler(x []float64) float64 { return stat.KullbackLeibler(x[:3], x[3:6]) }

func statMoment(x []float64) float64 { return stat.Moment(3, x, nil) }

func statLinearRegression(x []float64) float64 {
	a, b := stat.LinearRegression(x[:3], x[3:6], nil, false)
	return a*x[0] + b
}

func integrateTrapezoidal(x []float64) float64 {
	return integrate.Trapezoidal([]float64{0, 1, 2, 3, 4, 5}, x[:6])
}

func integrateSimpsons(x []float64) float64 {
	return integrate.Simpsons([]float64{0, 1, 2, 3, 4, 5}, x[:6])
}

func integrateRomberg(x []float64) float64 { return integrate.Romberg(x[:5], 0.1) }

func interpPiecewiseLinear(x []float64) float64 {
	var p interp.PiecewiseLinear
	_ = p.Fit([]float64{0, 1, 2, 3, 4, 5}, x[:6])
	return p.Predict(2.5 + x[0])
}

func interpAkima(x []float64) float64 {
	var p interp.AkimaSpline
	_ = p.Fit([]float64{0, 1, 2, 3, 4, 5}, x[:6])
	return p.Predict(2.5)
}

func interpFritschButland(x []float64) float64 {
	var p interp.FritschButland
	_ = p.Fit([]float64{0, 1, 2, 3, 4, 5}, x[:6])
	return p.Predict(2.5)
}

func floatsNorms(x []float64) float64 {
	return floats.Norm(x, 2) + floats.Norm(x, 1) + floats.Norm(x, math.Inf(1)) + floats.Norm(x, 3)
}

func floatsDistance(x []float64) float64 { return floats.Distance(x[:3], x[3:6], 2) }

func floatsDot(x []float64) float64 { return floats.Dot(x[:3], x[3:6]) }

func floatsLogSumExp(x []float64) float64 { return floats.LogSumExp(x) }

func floatsSumAndProd(x []float64) float64 { return floats.Sum(x) * floats.Prod(x) }

func floatsMaxAndMin(x []float64) float64 { return floats.Max(x) - 2*floats.Min(x) }

func floatsCumulative(x []float64) float64 {
	y := make([]float64, len(x))
	floats.CumSum(y, x)
	floats.CumProd(y, y)
	return y[2] + floats.Sum(y)
}

func floatsVectors(x []float64) float64 {
	y := make([]float64, len(x))
	floats.AddScaled(y, 2, x)
	floats.Mul(y, x)
	floats.Scale(0.5, y)
	floats.SubTo(y, x, y)
	return y[2]
}

func distNormalCDF(x []float64) float64 { return distuv.Normal{Mu: x[0], Sigma: x[1]}.CDF(x[2]) }

func distNormalQuantile(x []float64) float64 {
	return distuv.Normal{Mu: x[0], Sigma: x[1]}.Quantile(x[2])
}

func distWeibullCDF(x []float64) float64 { return distuv.Weibull{K: x[0], Lambda: x[1]}.CDF(x[2]) }

func bessel(x []float64) float64 {
	return math.J0(x[0]) + math.Y1(1+x[1]) + math.Jn(3, x[2]) + math.Erfinv(x[3])
}

// The sort of long slices makes random numbers by a type that is not exported.
func sorting(x []float64) float64 {
	y, z := slices.Clone(x), slices.Clone(x)
	sort.Float64s(y)
	slices.SortFunc(z, func(a, b float64) int { return cmp.Compare(b*b, a*a) })
	return y[0] + 2*y[4] + 3*z[1]
}

var table = []struct {
	name   string
	plain  func(x []float64) float64
	real   func(x []dual.Real) dual.Real
	number func(x []dual.Number) dual.Number
}{
	{"optBeale", optBeale, optBealeOf[dual.Real], optBealeOf[dual.Number]},
	{"optBiggsEXP2", optBiggsEXP2, optBiggsEXP2Of[dual.Real], optBiggsEXP2Of[dual.Number]},
	{"optBiggsEXP3", optBiggsEXP3, optBiggsEXP3Of[dual.Real], optBiggsEXP3Of[dual.Number]},
	{"optBiggsEXP4", optBiggsEXP4, optBiggsEXP4Of[dual.Real], optBiggsEXP4Of[dual.Number]},
	{"optBiggsEXP5", optBiggsEXP5, optBiggsEXP5Of[dual.Real], optBiggsEXP5Of[dual.Number]},
	{"optBiggsEXP6", optBiggsEXP6, optBiggsEXP6Of[dual.Real], optBiggsEXP6Of[dual.Number]},
	{"optBox3D", optBox3D, optBox3DOf[dual.Real], optBox3DOf[dual.Number]},
	{"optBraninHoo", optBraninHoo, optBraninHooOf[dual.Real], optBraninHooOf[dual.Number]},
	{"optBrownBadlyScaled", optBrownBadlyScaled, optBrownBadlyScaledOf[dual.Real], optBrownBadlyScaledOf[dual.Number]},
	{"optBrownAndDennis", optBrownAndDennis, optBrownAndDennisOf[dual.Real], optBrownAndDennisOf[dual.Number]},
	{"optExtendedPowellSingular", optExtendedPowellSingular, optExtendedPowellSingularOf[dual.Real], optExtendedPowellSingularOf[dual.Number]},
	{"optExtendedRosenbrock", optExtendedRosenbrock, optExtendedRosenbrockOf[dual.Real], optExtendedRosenbrockOf[dual.Number]},
	{"optGaussian", optGaussian, optGaussianOf[dual.Real], optGaussianOf[dual.Number]},
	{"optGulfResearchAndDevelopment", optGulfResearchAndDevelopment, optGulfResearchAndDevelopmentOf[dual.Real], optGulfResearchAndDevelopmentOf[dual.Number]},
	{"optHelicalValley", optHelicalValley, optHelicalValleyOf[dual.Real], optHelicalValleyOf[dual.Number]},
	{"optLinear", optLinear, optLinearOf[dual.Real], optLinearOf[dual.Number]},
	{"optPenaltyI", optPenaltyI, optPenaltyIOf[dual.Real], optPenaltyIOf[dual.Number]},
	{"optPenaltyII", optPenaltyII, optPenaltyIIOf[dual.Real], optPenaltyIIOf[dual.Number]},
	{"optPowellBadlyScaled", optPowellBadlyScaled, optPowellBadlyScaledOf[dual.Real], optPowellBadlyScaledOf[dual.Number]},
	{"optSphere", optSphere, optSphereOf[dual.Real], optSphereOf[dual.Number]},
	{"optTrigonometric", optTrigonometric, optTrigonometricOf[dual.Real], optTrigonometricOf[dual.Number]},
	{"optVariablyDimensioned", optVariablyDimensioned, optVariablyDimensionedOf[dual.Real], optVariablyDimensionedOf[dual.Number]},
	{"optWatson", optWatson, optWatsonOf[dual.Real], optWatsonOf[dual.Number]},
	{"optWood", optWood, optWoodOf[dual.Real], optWoodOf[dual.Number]},
	{"optConcaveRight", optConcaveRight, optConcaveRightOf[dual.Real], optConcaveRightOf[dual.Number]},
	{"optConcaveLeft", optConcaveLeft, optConcaveLeftOf[dual.Real], optConcaveLeftOf[dual.Number]},
	{"optPlassmann", optPlassmann, optPlassmannOf[dual.Real], optPlassmannOf[dual.Number]},
	{"optYanaiOzawaKaneko", optYanaiOzawaKaneko, optYanaiOzawaKanekoOf[dual.Real], optYanaiOzawaKanekoOf[dual.Number]},
	{"distBernoulli", distBernoulli, distBernoulliOf[dual.Real], distBernoulliOf[dual.Number]},
	{"distBeta", distBeta, distBetaOf[dual.Real], distBetaOf[dual.Number]},
	{"distBinomial", distBinomial, distBinomialOf[dual.Real], distBinomialOf[dual.Number]},
	{"distChi", distChi, distChiOf[dual.Real], distChiOf[dual.Number]},
	{"distChiSquared", distChiSquared, distChiSquaredOf[dual.Real], distChiSquaredOf[dual.Number]},
	{"distExponential", distExponential, distExponentialOf[dual.Real], distExponentialOf[dual.Number]},
	{"distF", distF, distFOf[dual.Real], distFOf[dual.Number]},
	{"distGamma", distGamma, distGammaOf[dual.Real], distGammaOf[dual.Number]},
	{"distGumbelRight", distGumbelRight, distGumbelRightOf[dual.Real], distGumbelRightOf[dual.Number]},
	{"distInverseGamma", distInverseGamma, distInverseGammaOf[dual.Real], distInverseGammaOf[dual.Number]},
	{"distLaplace", distLaplace, distLaplaceOf[dual.Real], distLaplaceOf[dual.Number]},
	{"distLogistic", distLogistic, distLogisticOf[dual.Real], distLogisticOf[dual.Number]},
	{"distLogNormal", distLogNormal, distLogNormalOf[dual.Real], distLogNormalOf[dual.Number]},
	{"distNoncentralT", distNoncentralT, distNoncentralTOf[dual.Real], distNoncentralTOf[dual.Number]},
	{"distNormal", distNormal, distNormalOf[dual.Real], distNormalOf[dual.Number]},
	{"distPareto", distPareto, distParetoOf[dual.Real], distParetoOf[dual.Number]},
	{"distPoisson", distPoisson, distPoissonOf[dual.Real], distPoissonOf[dual.Number]},
	{"distStudentsT", distStudentsT, distStudentsTOf[dual.Real], distStudentsTOf[dual.Number]},
	{"distTriangle", distTriangle, distTriangleOf[dual.Real], distTriangleOf[dual.Number]},
	{"distUniform", distUniform, distUniformOf[dual.Real], distUniformOf[dual.Number]},
	{"distWeibull", distWeibull, distWeibullOf[dual.Real], distWeibullOf[dual.Number]},
	{"distCategorical", distCategorical, distCategoricalOf[dual.Real], distCategoricalOf[dual.Number]},
	{"mathextBeta", mathextBeta, mathextBetaOf[dual.Real], mathextBetaOf[dual.Number]},
	{"mathextLbeta", mathextLbeta, mathextLbetaOf[dual.Real], mathextLbetaOf[dual.Number]},
	{"mathextInvRegIncBeta", mathextInvRegIncBeta, mathextInvRegIncBetaOf[dual.Real], mathextInvRegIncBetaOf[dual.Number]},
	{"mathextRegIncBeta", mathextRegIncBeta, mathextRegIncBetaOf[dual.Real], mathextRegIncBetaOf[dual.Number]},
	{"mathextGammaIncReg", mathextGammaIncReg, mathextGammaIncRegOf[dual.Real], mathextGammaIncRegOf[dual.Number]},
	{"mathextGammaIncRegComp", mathextGammaIncRegComp, mathextGammaIncRegCompOf[dual.Real], mathextGammaIncRegCompOf[dual.Number]},
	{"mathextZeta", mathextZeta, mathextZetaOf[dual.Real], mathextZetaOf[dual.Number]},
	{"mathextDigamma", mathextDigamma, mathextDigammaOf[dual.Real], mathextDigammaOf[dual.Number]},
	{"mathextCompleteK", mathextCompleteK, mathextCompleteKOf[dual.Real], mathextCompleteKOf[dual.Number]},
	{"mathextCompleteE", mathextCompleteE, mathextCompleteEOf[dual.Real], mathextCompleteEOf[dual.Number]},
	{"mathextEllipticF", mathextEllipticF, mathextEllipticFOf[dual.Real], mathextEllipticFOf[dual.Number]},
	{"mathextEllipticE", mathextEllipticE, mathextEllipticEOf[dual.Real], mathextEllipticEOf[dual.Number]},
	{"mathextEllipticRF", mathextEllipticRF, mathextEllipticRFOf[dual.Real], mathextEllipticRFOf[dual.Number]},
	{"mathextEllipticRD", mathextEllipticRD, mathextEllipticRDOf[dual.Real], mathextEllipticRDOf[dual.Number]},
	{"mathextNormalQuantile", mathextNormalQuantile, mathextNormalQuantileOf[dual.Real], mathextNormalQuantileOf[dual.Number]},
	{"mathextMvLgamma", mathextMvLgamma, mathextMvLgammaOf[dual.Real], mathextMvLgammaOf[dual.Number]},
	{"statMean", statMean, statMeanOf[dual.Real], statMeanOf[dual.Number]},
	{"statMeanWeighted", statMeanWeighted, statMeanWeightedOf[dual.Real], statMeanWeightedOf[dual.Number]},
	{"statVariance", statVariance, statVarianceOf[dual.Real], statVarianceOf[dual.Number]},
	{"statStdDev", statStdDev, statStdDevOf[dual.Real], statStdDevOf[dual.Number]},
	{"statSkew", statSkew, statSkewOf[dual.Real], statSkewOf[dual.Number]},
	{"statExKurtosis", statExKurtosis, statExKurtosisOf[dual.Real], statExKurtosisOf[dual.Number]},
	{"statCovariance", statCovariance, statCovarianceOf[dual.Real], statCovarianceOf[dual.Number]},
	{"statCorrelation", statCorrelation, statCorrelationOf[dual.Real], statCorrelationOf[dual.Number]},
	{"statGeometricMean", statGeometricMean, statGeometricMeanOf[dual.Real], statGeometricMeanOf[dual.Number]},
	{"statHarmonicMean", statHarmonicMean, statHarmonicMeanOf[dual.Real], statHarmonicMeanOf[dual.Number]},
	{"statEntropy", statEntropy, statEntropyOf[dual.Real], statEntropyOf[dual.Number]},
	{"statKullbackLeibler", statKullbackLeibler, statKullbackLeiblerOf[dual.Real], statKullbackLeiblerOf[dual.Number]},
	{"statMoment", statMoment, statMomentOf[dual.Real], statMomentOf[dual.Number]},
	{"statLinearRegression", statLinearRegression, statLinearRegressionOf[dual.Real], statLinearRegressionOf[dual.Number]},
	{"integrateTrapezoidal", integrateTrapezoidal, integrateTrapezoidalOf[dual.Real], integrateTrapezoidalOf[dual.Number]},
	{"integrateSimpsons", integrateSimpsons, integrateSimpsonsOf[dual.Real], integrateSimpsonsOf[dual.Number]},
	{"integrateRomberg", integrateRomberg, integrateRombergOf[dual.Real], integrateRombergOf[dual.Number]},
	{"interpPiecewiseLinear", interpPiecewiseLinear, interpPiecewiseLinearOf[dual.Real], interpPiecewiseLinearOf[dual.Number]},
	{"interpAkima", interpAkima, interpAkimaOf[dual.Real], interpAkimaOf[dual.Number]},
	{"interpFritschButland", interpFritschButland, interpFritschButlandOf[dual.Real], interpFritschButlandOf[dual.Number]},
	{"floatsNorms", floatsNorms, floatsNormsOf[dual.Real], floatsNormsOf[dual.Number]},
	{"floatsDistance", floatsDistance, floatsDistanceOf[dual.Real], floatsDistanceOf[dual.Number]},
	{"floatsDot", floatsDot, floatsDotOf[dual.Real], floatsDotOf[dual.Number]},
	{"floatsLogSumExp", floatsLogSumExp, floatsLogSumExpOf[dual.Real], floatsLogSumExpOf[dual.Number]},
	{"floatsSumAndProd", floatsSumAndProd, floatsSumAndProdOf[dual.Real], floatsSumAndProdOf[dual.Number]},
	{"floatsMaxAndMin", floatsMaxAndMin, floatsMaxAndMinOf[dual.Real], floatsMaxAndMinOf[dual.Number]},
	{"floatsCumulative", floatsCumulative, floatsCumulativeOf[dual.Real], floatsCumulativeOf[dual.Number]},
	{"floatsVectors", floatsVectors, floatsVectorsOf[dual.Real], floatsVectorsOf[dual.Number]},
	{"distNormalCDF", distNormalCDF, distNormalCDFOf[dual.Real], distNormalCDFOf[dual.Number]},
	{"distNormalQuantile", distNormalQuantile, distNormalQuantileOf[dual.Real], distNormalQuantileOf[dual.Number]},
	{"distWeibullCDF", distWeibullCDF, distWeibullCDFOf[dual.Real], distWeibullCDFOf[dual.Number]},
	{"sorting", sorting, sortingOf[dual.Real], sortingOf[dual.Number]},
	{"bessel", bessel, besselOf[dual.Real], besselOf[dual.Number]},
}

// Values may differ in the last digits: gonum adds in vector instructions, and the
// library has operations of its own for Pow, Digamma and others. Derivatives are
// compared with central differences; some functions have jumps.
func main() {
	const inputs, points, h = 9, 100, 6e-6
	failed := false
	for _, f := range table {
		rnd := rand.New(rand.NewPCG(1, 2))
		off, used := 0, 0
		for range points {
			x, d := make([]float64, inputs), make([]float64, inputs)
			up, down := make([]float64, inputs), make([]float64, inputs)
			numbers := make([]dual.Number, inputs)
			for i := range x {
				x[i], d[i] = 0.1+0.8*rnd.Float64(), rnd.NormFloat64()
				up[i], down[i] = x[i]+h*d[i], x[i]-h*d[i]
				numbers[i] = dual.Number{V: x[i], D: d[i]}
			}
			want, got := f.plain(x), float64(f.real(dual.Consts[dual.Real](nil, x)))
			if math.IsNaN(want) || math.IsInf(want, 0) {
				continue
			}
			used++
			if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) && f.name != "mathextDigamma" {
				fmt.Println(f.name, "is", got, "and not", want, "at", x)
				failed = true
			}
			a, b := f.plain(up), f.plain(down)
			first := f.number(numbers).D
			if slope := (a - b) / (2 * h); !(math.Abs(slope-first) <= 1e-4*(1+math.Abs(first)+math.Abs(slope)+math.Abs(want))) {
				off++
			}
		}
		if used < points/2 || off > points/10 {
			fmt.Println(f.name, "was evaluated at", used, "points; at", off, "the derivative is not that of differences")
			failed = true
		}
	}
	fmt.Println(len(table), "functions")
	if failed {
		os.Exit(1)
	}
}
