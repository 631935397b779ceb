package corpus

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

const inputs = 6

// A lifted function, for some number types.
type lifted struct {
	plain  func(x []float64) float64
	real   func(x []dual.Real) dual.Real
	number func(x []dual.Number) dual.Number
	hyper  func(x []dual.Hyper) dual.Hyper
	tape   func(x []reverse.Var) reverse.Var
}

var functions = map[string]lifted{
	"operators":               {operators, operatorsOf[dual.Real], operatorsOf[dual.Number], operatorsOf[dual.Hyper], operatorsOf[reverse.Var]},
	"constantsLeftAndRight":   {constantsLeftAndRight, constantsLeftAndRightOf[dual.Real], constantsLeftAndRightOf[dual.Number], constantsLeftAndRightOf[dual.Hyper], constantsLeftAndRightOf[reverse.Var]},
	"opAssignments":           {opAssignments, opAssignmentsOf[dual.Real], opAssignmentsOf[dual.Number], opAssignmentsOf[dual.Hyper], opAssignmentsOf[reverse.Var]},
	"squares":                 {squares, squaresOf[dual.Real], squaresOf[dual.Number], squaresOf[dual.Hyper], squaresOf[reverse.Var]},
	"zeroValues":              {zeroValues, zeroValuesOf[dual.Real], zeroValuesOf[dual.Number], zeroValuesOf[dual.Hyper], zeroValuesOf[reverse.Var]},
	"mixedDeclarations":       {mixedDeclarations, mixedDeclarationsOf[dual.Real], mixedDeclarationsOf[dual.Number], mixedDeclarationsOf[dual.Hyper], mixedDeclarationsOf[reverse.Var]},
	"arrays":                  {arrays, arraysOf[dual.Real], arraysOf[dual.Number], arraysOf[dual.Hyper], arraysOf[reverse.Var]},
	"matrices":                {matrices, matricesOf[dual.Real], matricesOf[dual.Number], matricesOf[dual.Hyper], matricesOf[reverse.Var]},
	"structs":                 {structs, structsOf[dual.Real], structsOf[dual.Number], structsOf[dual.Hyper], structsOf[reverse.Var]},
	"embedding":               {embedding, embeddingOf[dual.Real], embeddingOf[dual.Number], embeddingOf[dual.Hyper], embeddingOf[reverse.Var]},
	"linkedList":              {linkedList, linkedListOf[dual.Real], linkedListOf[dual.Number], linkedListOf[dual.Hyper], linkedListOf[reverse.Var]},
	"recursiveTypes":          {recursiveTypes, recursiveTypesOf[dual.Real], recursiveTypesOf[dual.Number], recursiveTypesOf[dual.Hyper], recursiveTypesOf[reverse.Var]},
	"maps":                    {maps, mapsOf[dual.Real], mapsOf[dual.Number], mapsOf[dual.Hyper], mapsOf[reverse.Var]},
	"appending":               {appending, appendingOf[dual.Real], appendingOf[dual.Number], appendingOf[dual.Hyper], appendingOf[reverse.Var]},
	"copying":                 {copying, copyingOf[dual.Real], copyingOf[dual.Number], copyingOf[dual.Hyper], copyingOf[reverse.Var]},
	"minAndMax":               {minAndMax, minAndMaxOf[dual.Real], minAndMaxOf[dual.Number], minAndMaxOf[dual.Hyper], minAndMaxOf[reverse.Var]},
	"ranges":                  {ranges, rangesOf[dual.Real], rangesOf[dual.Number], rangesOf[dual.Hyper], rangesOf[reverse.Var]},
	"rangeOverPassive":        {rangeOverPassive, rangeOverPassiveOf[dual.Real], rangeOverPassiveOf[dual.Number], rangeOverPassiveOf[dual.Hyper], rangeOverPassiveOf[reverse.Var]},
	"rangeOverFunction":       {rangeOverFunction, rangeOverFunctionOf[dual.Real], rangeOverFunctionOf[dual.Number], rangeOverFunctionOf[dual.Hyper], rangeOverFunctionOf[reverse.Var]},
	"inserting":               {inserting, insertingOf[dual.Real], insertingOf[dual.Number], insertingOf[dual.Hyper], insertingOf[reverse.Var]},
	"sequences":               {sequences, sequencesOf[dual.Real], sequencesOf[dual.Number], sequencesOf[dual.Hyper], sequencesOf[reverse.Var]},
	"switches":                {switches, switchesOf[dual.Real], switchesOf[dual.Number], switchesOf[dual.Hyper], switchesOf[reverse.Var]},
	"switchOnActive":          {switchOnActive, switchOnActiveOf[dual.Real], switchOnActiveOf[dual.Number], switchOnActiveOf[dual.Hyper], switchOnActiveOf[reverse.Var]},
	"labels":                  {labels, labelsOf[dual.Real], labelsOf[dual.Number], labelsOf[dual.Hyper], labelsOf[reverse.Var]},
	"closures":                {closures, closuresOf[dual.Real], closuresOf[dual.Number], closuresOf[dual.Hyper], closuresOf[reverse.Var]},
	"functionValues":          {functionValues, functionValuesOf[dual.Real], functionValuesOf[dual.Number], functionValuesOf[dual.Hyper], functionValuesOf[reverse.Var]},
	"methodValues":            {methodValues, methodValuesOf[dual.Real], methodValuesOf[dual.Number], methodValuesOf[dual.Hyper], methodValuesOf[reverse.Var]},
	"variadics":               {variadics, variadicsOf[dual.Real], variadicsOf[dual.Number], variadicsOf[dual.Hyper], variadicsOf[reverse.Var]},
	"severalResults":          {severalResults, severalResultsOf[dual.Real], severalResultsOf[dual.Number], severalResultsOf[dual.Hyper], severalResultsOf[reverse.Var]},
	"namedResults":            {namedResults, namedResultsOf[dual.Real], namedResultsOf[dual.Number], namedResultsOf[dual.Hyper], namedResultsOf[reverse.Var]},
	"recursion":               {recursion, recursionOf[dual.Real], recursionOf[dual.Number], recursionOf[dual.Hyper], recursionOf[reverse.Var]},
	"generics":                {generics, genericsOf[dual.Real], genericsOf[dual.Number], genericsOf[dual.Hyper], genericsOf[reverse.Var]},
	"namedTypes":              {namedTypes, namedTypesOf[dual.Real], namedTypesOf[dual.Number], namedTypesOf[dual.Hyper], namedTypesOf[reverse.Var]},
	"methodsOfNumbers":        {methodsOfNumbers, methodsOfNumbersOf[dual.Real], methodsOfNumbersOf[dual.Number], methodsOfNumbersOf[dual.Hyper], methodsOfNumbersOf[reverse.Var]},
	"callOrder":               {callOrder, callOrderOf[dual.Real], callOrderOf[dual.Number], callOrderOf[dual.Hyper], callOrderOf[reverse.Var]},
	"updatesOfCallResults":    {updatesOfCallResults, updatesOfCallResultsOf[dual.Real], updatesOfCallResultsOf[dual.Number], updatesOfCallResultsOf[dual.Hyper], updatesOfCallResultsOf[reverse.Var]},
	"earlyReturns":            {earlyReturns, earlyReturnsOf[dual.Real], earlyReturnsOf[dual.Number], earlyReturnsOf[dual.Hyper], earlyReturnsOf[reverse.Var]},
	"conversions":             {conversions, conversionsOf[dual.Real], conversionsOf[dual.Number], conversionsOf[dual.Hyper], conversionsOf[reverse.Var]},
	"comparisons":             {comparisons, comparisonsOf[dual.Real], comparisonsOf[dual.Number], comparisonsOf[dual.Hyper], comparisonsOf[reverse.Var]},
	"notANumber":              {notANumber, notANumberOf[dual.Real], notANumberOf[dual.Number], notANumberOf[dual.Hyper], notANumberOf[reverse.Var]},
	"mathFunctions":           {mathFunctions, mathFunctionsOf[dual.Real], mathFunctionsOf[dual.Number], mathFunctionsOf[dual.Hyper], mathFunctionsOf[reverse.Var]},
	"shadowing":               {shadowing, shadowingOf[dual.Real], shadowingOf[dual.Number], shadowingOf[dual.Hyper], shadowingOf[reverse.Var]},
	"activeLoop":              {activeLoop, activeLoopOf[dual.Real], activeLoopOf[dual.Number], activeLoopOf[dual.Hyper], activeLoopOf[reverse.Var]},
	"pointers":                {pointers, pointersOf[dual.Real], pointersOf[dual.Number], pointersOf[dual.Hyper], pointersOf[reverse.Var]},
	"parallelAssignment":      {parallelAssignment, parallelAssignmentOf[dual.Real], parallelAssignmentOf[dual.Number], parallelAssignmentOf[dual.Hyper], parallelAssignmentOf[reverse.Var]},
	"blanks":                  {blanks, blanksOf[dual.Real], blanksOf[dual.Number], blanksOf[dual.Hyper], blanksOf[reverse.Var]},
	"comments":                {comments, commentsOf[dual.Real], commentsOf[dual.Number], commentsOf[dual.Hyper], commentsOf[reverse.Var]},
	"kalman":                  {kalman, kalmanOf[dual.Real], kalmanOf[dual.Number], kalmanOf[dual.Hyper], kalmanOf[reverse.Var]},
	"lorenz":                  {lorenz, lorenzOf[dual.Real], lorenzOf[dual.Number], lorenzOf[dual.Hyper], lorenzOf[reverse.Var]},
	"pendulum":                {pendulum, pendulumOf[dual.Real], pendulumOf[dual.Number], pendulumOf[dual.Hyper], pendulumOf[reverse.Var]},
	"splineOfValues":          {splineOfValues, splineOfValuesOf[dual.Real], splineOfValuesOf[dual.Number], splineOfValuesOf[dual.Hyper], splineOfValuesOf[reverse.Var]},
	"splineAtInput":           {splineAtInput, splineAtInputOf[dual.Real], splineAtInputOf[dual.Number], splineAtInputOf[dual.Hyper], splineAtInputOf[reverse.Var]},
	"spectrum":                {spectrum, spectrumOf[dual.Real], spectrumOf[dual.Number], spectrumOf[dual.Hyper], spectrumOf[reverse.Var]},
	"gaussianProcess":         {gaussianProcess, gaussianProcessOf[dual.Real], gaussianProcessOf[dual.Number], gaussianProcessOf[dual.Hyper], gaussianProcessOf[reverse.Var]},
	"linearSystem":            {linearSystem, linearSystemOf[dual.Real], linearSystemOf[dual.Number], linearSystemOf[dual.Hyper], linearSystemOf[reverse.Var]},
	"blackScholes":            {blackScholes, blackScholesOf[dual.Real], blackScholesOf[dual.Number], blackScholesOf[dual.Hyper], blackScholesOf[reverse.Var]},
	"heston":                  {heston, hestonOf[dual.Real], hestonOf[dual.Number], hestonOf[dual.Hyper], hestonOf[reverse.Var]},
	"reprojection":            {reprojection, reprojectionOf[dual.Real], reprojectionOf[dual.Number], reprojectionOf[dual.Hyper], reprojectionOf[reverse.Var]},
	"powerFlow":               {powerFlow, powerFlowOf[dual.Real], powerFlowOf[dual.Number], powerFlowOf[dual.Hyper], powerFlowOf[reverse.Var]},
	"logSumExp":               {logSumExp, logSumExpOf[dual.Real], logSumExpOf[dual.Number], logSumExpOf[dual.Hyper], logSumExpOf[reverse.Var]},
	"mixture":                 {mixture, mixtureOf[dual.Real], mixtureOf[dual.Number], mixtureOf[dual.Hyper], mixtureOf[reverse.Var]},
	"hiddenMarkov":            {hiddenMarkov, hiddenMarkovOf[dual.Real], hiddenMarkovOf[dual.Number], hiddenMarkovOf[dual.Hyper], hiddenMarkovOf[reverse.Var]},
	"tax":                     {tax, taxOf[dual.Real], taxOf[dual.Number], taxOf[dual.Hyper], taxOf[reverse.Var]},
	"bisection":               {bisection, bisectionOf[dual.Real], bisectionOf[dual.Number], bisectionOf[dual.Hyper], bisectionOf[reverse.Var]},
	"network":                 {network, networkOf[dual.Real], networkOf[dual.Number], networkOf[dual.Hyper], networkOf[reverse.Var]},
	"leapfrog":                {leapfrog, leapfrogOf[dual.Real], leapfrogOf[dual.Number], leapfrogOf[dual.Hyper], leapfrogOf[reverse.Var]},
	"lotkaVolterra":           {lotkaVolterra, lotkaVolterraOf[dual.Real], lotkaVolterraOf[dual.Number], lotkaVolterraOf[dual.Hyper], lotkaVolterraOf[reverse.Var]},
	"softmaxRegression":       {softmaxRegression, softmaxRegressionOf[dual.Real], softmaxRegressionOf[dual.Number], softmaxRegressionOf[dual.Hyper], softmaxRegressionOf[reverse.Var]},
	"portfolio":               {portfolio, portfolioOf[dual.Real], portfolioOf[dual.Number], portfolioOf[dual.Hyper], portfolioOf[reverse.Var]},
	"newtonRoot":              {newtonRoot, newtonRootOf[dual.Real], newtonRootOf[dual.Number], newtonRootOf[dual.Hyper], newtonRootOf[reverse.Var]},
	"movingAverage":           {movingAverage, movingAverageOf[dual.Real], movingAverageOf[dual.Number], movingAverageOf[dual.Hyper], movingAverageOf[reverse.Var]},
	"cascade":                 {cascade, cascadeOf[dual.Real], cascadeOf[dual.Number], cascadeOf[dual.Hyper], cascadeOf[reverse.Var]},
	"geodesic":                {geodesic, geodesicOf[dual.Real], geodesicOf[dual.Number], geodesicOf[dual.Hyper], geodesicOf[reverse.Var]},
	"sliceExpressions":        {sliceExpressions, sliceExpressionsOf[dual.Real], sliceExpressionsOf[dual.Number], sliceExpressionsOf[dual.Hyper], sliceExpressionsOf[reverse.Var]},
	"structCopies":            {structCopies, structCopiesOf[dual.Real], structCopiesOf[dual.Number], structCopiesOf[dual.Hyper], structCopiesOf[reverse.Var]},
	"nestedLiterals":          {nestedLiterals, nestedLiteralsOf[dual.Real], nestedLiteralsOf[dual.Number], nestedLiteralsOf[dual.Hyper], nestedLiteralsOf[reverse.Var]},
	"mapsOfStructs":           {mapsOfStructs, mapsOfStructsOf[dual.Real], mapsOfStructsOf[dual.Number], mapsOfStructsOf[dual.Hyper], mapsOfStructsOf[reverse.Var]},
	"deferred":                {deferred, deferredOf[dual.Real], deferredOf[dual.Number], deferredOf[dual.Hyper], deferredOf[reverse.Var]},
	"loopVariables":           {loopVariables, loopVariablesOf[dual.Real], loopVariablesOf[dual.Number], loopVariablesOf[dual.Hyper], loopVariablesOf[reverse.Var]},
	"curried":                 {curried, curriedOf[dual.Real], curriedOf[dual.Number], curriedOf[dual.Hyper], curriedOf[reverse.Var]},
	"passiveHelpers":          {passiveHelpers, passiveHelpersOf[dual.Real], passiveHelpersOf[dual.Number], passiveHelpersOf[dual.Hyper], passiveHelpersOf[reverse.Var]},
	"switchWithStatement":     {switchWithStatement, switchWithStatementOf[dual.Real], switchWithStatementOf[dual.Number], switchWithStatementOf[dual.Hyper], switchWithStatementOf[reverse.Var]},
	"ifWithStatement":         {ifWithStatement, ifWithStatementOf[dual.Real], ifWithStatementOf[dual.Number], ifWithStatementOf[dual.Hyper], ifWithStatementOf[reverse.Var]},
	"arraysAsValues":          {arraysAsValues, arraysAsValuesOf[dual.Real], arraysAsValuesOf[dual.Number], arraysAsValuesOf[dual.Hyper], arraysAsValuesOf[reverse.Var]},
	"swaps":                   {swaps, swapsOf[dual.Real], swapsOf[dual.Number], swapsOf[dual.Hyper], swapsOf[reverse.Var]},
	"quadrature":              {quadrature, quadratureOf[dual.Real], quadratureOf[dual.Number], quadratureOf[dual.Hyper], quadratureOf[reverse.Var]},
	"mapLookups":              {mapLookups, mapLookupsOf[dual.Real], mapLookupsOf[dual.Number], mapLookupsOf[dual.Hyper], mapLookupsOf[reverse.Var]},
	"closureResults":          {closureResults, closureResultsOf[dual.Real], closureResultsOf[dual.Number], closureResultsOf[dual.Hyper], closureResultsOf[reverse.Var]},
	"keysOfMaps":              {keysOfMaps, keysOfMapsOf[dual.Real], keysOfMapsOf[dual.Number], keysOfMapsOf[dual.Hyper], keysOfMapsOf[reverse.Var]},
	"typeSwitches":            {typeSwitches, typeSwitchesOf[dual.Real], typeSwitchesOf[dual.Number], typeSwitchesOf[dual.Hyper], typeSwitchesOf[reverse.Var]},
	"sequencesOfData":         {sequencesOfData, sequencesOfDataOf[dual.Real], sequencesOfDataOf[dual.Number], sequencesOfDataOf[dual.Hyper], sequencesOfDataOf[reverse.Var]},
	"oneLine":                 {oneLine, oneLineOf[dual.Real], oneLineOf[dual.Number], oneLineOf[dual.Hyper], oneLineOf[reverse.Var]},
	"passiveOperations":       {passiveOperations, passiveOperationsOf[dual.Real], passiveOperationsOf[dual.Number], passiveOperationsOf[dual.Hyper], passiveOperationsOf[reverse.Var]},
	"declarationGroups":       {declarationGroups, declarationGroupsOf[dual.Real], declarationGroupsOf[dual.Number], declarationGroupsOf[dual.Hyper], declarationGroupsOf[reverse.Var]},
	"resultsAsArguments":      {resultsAsArguments, resultsAsArgumentsOf[dual.Real], resultsAsArgumentsOf[dual.Number], resultsAsArgumentsOf[dual.Hyper], resultsAsArgumentsOf[reverse.Var]},
	"switchesOverData":        {switchesOverData, switchesOverDataOf[dual.Real], switchesOverDataOf[dual.Number], switchesOverDataOf[dual.Hyper], switchesOverDataOf[reverse.Var]},
	"aliases":                 {aliases, aliasesOf[dual.Real], aliasesOf[dual.Number], aliasesOf[dual.Hyper], aliasesOf[reverse.Var]},
	"arraysOfSlices":          {arraysOfSlices, arraysOfSlicesOf[dual.Real], arraysOfSlicesOf[dual.Number], arraysOfSlicesOf[dual.Hyper], arraysOfSlicesOf[reverse.Var]},
	"methodsOfTypeParameters": {methodsOfTypeParameters, methodsOfTypeParametersOf[dual.Real], methodsOfTypeParametersOf[dual.Number], methodsOfTypeParametersOf[dual.Hyper], methodsOfTypeParametersOf[reverse.Var]},
	"argumentsLeftOut":        {argumentsLeftOut, argumentsLeftOutOf[dual.Real], argumentsLeftOutOf[dual.Number], argumentsLeftOutOf[dual.Hyper], argumentsLeftOutOf[reverse.Var]},
	"localTypes":              {localTypes, localTypesOf[dual.Real], localTypesOf[dual.Number], localTypesOf[dual.Hyper], localTypesOf[reverse.Var]},
	"shadowedPackages":        {shadowedPackages, shadowedPackagesOf[dual.Real], shadowedPackagesOf[dual.Number], shadowedPackagesOf[dual.Hyper], shadowedPackagesOf[reverse.Var]},
	"newOfValues":             {newOfValues, newOfValuesOf[dual.Real], newOfValuesOf[dual.Number], newOfValuesOf[dual.Hyper], newOfValuesOf[reverse.Var]},
	"gammaFunction":           {gammaFunction, gammaFunctionOf[dual.Real], gammaFunctionOf[dual.Number], gammaFunctionOf[dual.Hyper], gammaFunctionOf[reverse.Var]},
	"powersOfTwo":             {powersOfTwo, powersOfTwoOf[dual.Real], powersOfTwoOf[dual.Number], powersOfTwoOf[dual.Hyper], powersOfTwoOf[reverse.Var]},
	"variablesOfPackages":     {variablesOfPackages, variablesOfPackagesOf[dual.Real], variablesOfPackagesOf[dual.Number], variablesOfPackagesOf[dual.Hyper], variablesOfPackagesOf[reverse.Var]},
	"comparedStructs":         {comparedStructs, comparedStructsOf[dual.Real], comparedStructsOf[dual.Number], comparedStructsOf[dual.Hyper], comparedStructsOf[reverse.Var]},
	"methodExpressions":       {methodExpressions, methodExpressionsOf[dual.Real], methodExpressionsOf[dual.Number], methodExpressionsOf[dual.Hyper], methodExpressionsOf[reverse.Var]},
	"clonedMaps":              {clonedMaps, clonedMapsOf[dual.Real], clonedMapsOf[dual.Number], clonedMapsOf[dual.Hyper], clonedMapsOf[reverse.Var]},
	"binaryExponents":         {binaryExponents, binaryExponentsOf[dual.Real], binaryExponentsOf[dual.Number], binaryExponentsOf[dual.Hyper], binaryExponentsOf[reverse.Var]},
	"copiesOfVariables":       {copiesOfVariables, copiesOfVariablesOf[dual.Real], copiesOfVariablesOf[dual.Number], copiesOfVariablesOf[dual.Hyper], copiesOfVariablesOf[reverse.Var]},
	"complexNumbers":          {complexNumbers, complexNumbersOf[dual.Real], complexNumbersOf[dual.Number], complexNumbersOf[dual.Hyper], complexNumbersOf[reverse.Var]},
	"complexFunctions":        {complexFunctions, complexFunctionsOf[dual.Real], complexFunctionsOf[dual.Number], complexFunctionsOf[dual.Hyper], complexFunctionsOf[reverse.Var]},
	"functionVariables":       {functionVariables, functionVariablesOf[dual.Real], functionVariablesOf[dual.Number], functionVariablesOf[dual.Hyper], functionVariablesOf[reverse.Var]},
	"steadyVariables":         {steadyVariables, steadyVariablesOf[dual.Real], steadyVariablesOf[dual.Number], steadyVariablesOf[dual.Hyper], steadyVariablesOf[reverse.Var]},
	"clonedStructs":           {clonedStructs, clonedStructsOf[dual.Real], clonedStructsOf[dual.Number], clonedStructsOf[dual.Hyper], clonedStructsOf[reverse.Var]},
	"detachedNumbers":         {detachedNumbers, detachedNumbersOf[dual.Real], detachedNumbersOf[dual.Number], detachedNumbersOf[dual.Hyper], detachedNumbersOf[reverse.Var]},
	"printedNumbers":          {printedNumbers, printedNumbersOf[dual.Real], printedNumbersOf[dual.Number], printedNumbersOf[dual.Hyper], printedNumbersOf[reverse.Var]},
}

// edges are functions of x₀ that are compared at all kinds of values, beside x₁.
var edges = map[string]struct {
	plain  func(x []float64) float64
	lifted func(x []dual.Real) dual.Real
}{
	"ldexp":       {ldexp, ldexpOf[dual.Real]},
	"gammaSigns":  {gammaSigns, gammaSignsOf[dual.Real]},
	"roundToEven": {roundToEven, roundToEvenOf[dual.Real]},
	"exponents":   {exponents, exponentsOf[dual.Real]},
	"frexp":       {frexp, frexpOf[dual.Real]},
	"frozen":      {frozen, frozenOf[dual.Real]},
}

// points are inputs in (0, 1), where all the functions are defined, and a direction.
func points(yield func(x, d []float64) bool) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		x, d := make([]float64, inputs), make([]float64, inputs)
		for i := range x {
			x[i], d[i] = 0.01+0.98*rnd.Float64(), rnd.NormFloat64()
		}
		if !yield(x, d) {
			return
		}
	}
}

// fuses reports whether the compiler rounds x·y + z once, in plain functions.
func fuses() bool {
	x, z := 1+0x1p-30, -1-0x1p-29
	return multiplyAdd(x, x, z) != float64(x*x)+z
}

//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }

func TestLiftedFunctionsHaveTheBitsOfTheirOriginals(t *testing.T) {
	for name, f := range functions {
		for x := range points {
			want := f.plain(x)
			require.False(t, math.IsNaN(want), name)
			real := float64(f.real(dual.Consts[dual.Real](nil, x)))
			if !fuses() {
				require.Equal(t, math.Float64bits(want), math.Float64bits(real), "%s at %v", name, x)
			}
			tape, err := reverse.Record(f.tape, x)
			require.NoError(t, err, name)
			got, err := tape.Value(x)
			require.NoError(t, err, name)
			require.Equal(t, real, got, "%s on a tape, at %v", name, x)
		}
	}
}

// At zeros of both signs, subnormal and infinite numbers, NaN and beside integers.
func TestEdgesHaveTheBitsOfTheirOriginals(t *testing.T) {
	var values []float64
	for _, v := range []float64{0, 5e-324, 0x1p-1040, 0x1p-1022 * (1 + 0x1p-52), 0x1p-1010 * (1 + 0x1p-25 + 0x1p-52), 0.5, 1, 1.5, 2, 2.5, 1e9 + 0.5, 0x1p52, math.MaxFloat64, math.Inf(1), math.NaN()} {
		values = append(values, v, -v)
	}
	values = append(values, math.Copysign(0, -1))
	for name, f := range edges {
		for _, v := range values {
			for _, w := range []float64{1, 1.25} {
				x := []float64{v, w}
				want, got := f.plain(x), float64(f.lifted(dual.Consts[dual.Real](nil, x)))
				if !math.IsNaN(want) || !math.IsNaN(got) {
					require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%s at %v", name, v)
				}
			}
		}
	}
}

// Modes agree with each other to roundings, and the first derivative with a central
// difference, whose error is h²f‴/6 + εf/h: a step of ε^⅓ leaves about ε^⅔ of the
// sizes of f and of its derivatives, and more beside the jumps of the functions.
func TestDerivativesOfLiftedFunctionsAgree(t *testing.T) {
	const h = 6e-6
	for name, f := range functions {
		off := 0
		for x, d := range points {
			numbers, hypers := make([]dual.Number, inputs), make([]dual.Hyper, inputs)
			up, down := make([]float64, inputs), make([]float64, inputs)
			for i := range x {
				numbers[i] = dual.Number{V: x[i], D: d[i]}
				hypers[i] = dual.Hyper{V: x[i], D1: d[i], D2: d[i]}
				up[i], down[i] = x[i]+h*d[i], x[i]-h*d[i]
			}
			number, hyper := f.number(numbers), f.hyper(hypers)
			tape, err := reverse.Record(f.tape, x)
			require.NoError(t, err, name)
			g, err := tape.Gradient(nil, x)
			require.NoError(t, err, name)
			hv, err := tape.HVP(nil, x, d)
			require.NoError(t, err, name)
			first, second, size1, size2 := 0.0, 0.0, 1.0, 1.0
			for i := range d {
				first += g[i] * d[i]
				second += hv[i] * d[i]
				size1 += math.Abs(g[i] * d[i])
				size2 += math.Abs(hv[i] * d[i])
			}
			require.InDelta(t, first, number.D, 1e-10*size1, "%s at %v", name, x)
			require.InDelta(t, first, hyper.D1, 1e-10*size1, "%s at %v", name, x)
			require.InDelta(t, second, hyper.D12, 1e-9*size2, "%s at %v", name, x)

			slope := (f.plain(up) - f.plain(down)) / (2 * h)
			if !(math.Abs(slope-first) <= 1e-7*(size1+size2+math.Abs(number.V))) {
				off++
			}
		}
		require.LessOrEqual(t, off, 5, "%s: points of 100 at which differences say otherwise", name)
	}
}

func TestDetachedNumbersHaveNoDerivatives(t *testing.T) {
	x := []float64{3, 5}
	tape, err := reverse.Record(frozenOf[reverse.Var], x)
	require.NoError(t, err)
	g, err := tape.Gradient(nil, x)
	require.NoError(t, err)
	require.Equal(t, []float64{0, 3}, g)
}

// Values in texts are no guards where people alone read them.
func TestPrintedValuesAreGuardsWhereCodeReadsThem(t *testing.T) {
	tape, err := reverse.Record(printedNumbersOf[reverse.Var], []float64{1, 4})
	require.NoError(t, err)
	guards := 0
	for _, g := range tape.Inside().Tape().Guards() {
		if g.Kind.String() == "Value" {
			guards++
		}
	}
	require.Equal(t, 2, guards)
}

// Every function of the sources is lifted and compared.
func TestTheTableIsComplete(t *testing.T) {
	for _, file := range []string{"constructs.go", "mixed.go", "models.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv != nil || d.Type.TypeParams != nil || len(d.Type.Params.List) != 1 {
				continue
			}
			if p := d.Type.Params.List[0]; len(p.Names) == 1 && p.Names[0].Name == "x" && isSlice(p.Type) && d.Type.Results != nil && len(d.Type.Results.List) == 1 && isFloat(d.Type.Results.List[0].Type) {
				if _, ok := edges[d.Name.Name]; !ok {
					require.Contains(t, functions, d.Name.Name)
				}
			}
		}
	}
}

func isSlice(e ast.Expr) bool {
	a, ok := e.(*ast.ArrayType)
	return ok && a.Len == nil && isFloat(a.Elt)
}

func isFloat(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "float64"
}
