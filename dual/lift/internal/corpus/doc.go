// Package corpus has functions in plain Go, one for each construct of the language
// and some real ones, and the same functions as command lift writes them: its tests
// compare the two.
package corpus

//go:generate go run ../.. -o constructs_lifted.go operators constantsLeftAndRight opAssignments squares zeroValues mixedDeclarations arrays matrices structs embedding linkedList recursiveTypes maps appending copying minAndMax ranges rangeOverPassive rangeOverFunction sequences inserting switches switchOnActive labels closures functionValues methodValues variadics severalResults namedResults recursion generics namedTypes methodsOfNumbers callOrder updatesOfCallResults earlyReturns conversions comparisons notANumber mathFunctions shadowing activeLoop pointers parallelAssignment blanks comments sliceExpressions structCopies nestedLiterals mapsOfStructs deferred loopVariables curried passiveHelpers switchWithStatement ifWithStatement arraysAsValues swaps
//go:generate go run ../.. -o models_lifted.go kalman lorenz pendulum splineOfValues splineAtInput spectrum gaussianProcess linearSystem blackScholes heston reprojection powerFlow logSumExp mixture hiddenMarkov tax bisection network leapfrog lotkaVolterra softmaxRegression portfolio quadrature newtonRoot movingAverage cascade geodesic
