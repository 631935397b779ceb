// Command lift takes functions as Go programmers write them, in plain Go over
// float64, and writes the same functions over [dual.Scalar], which every mode of
// differentiation of this module takes.
//
//	//go:generate go run github.com/hesse-ad/hesse/dual/lift Energy
//	func Energy(x []float64, d *Data) float64 { … for, if, math.Exp, helpers, +, −, … }
//
// writes energy_lifted.go with
//
//	func EnergyOf[T dual.Scalar[T]](x []T, d *Data) T
//
// # Usage
//
//	lift [flags] Function ...
//
//	-o file          the file to write; the first function's name and _lifted.go by default
//	-active x,p.Mu   what is differentiated: parameters, or fields of them, also of the
//	                 elements of a slice or map; the first parameter by default
//	-select          write branches that choose a value as Abs, Max, Min and Select, which
//	                 evaluate both sides and need no guard on a tape; NaN compared is NaN,
//	                 and |−0| and the largest and smallest of two zeros have the sign of
//	                 math.Abs, Max and Min. Branches that are kept are printed, with the cause
//	-type T,...      write instances for dual.Real, dual.Number, dual.Number3, dual.Hyper,
//	                 dual.Taylor or reverse.Var too: Go inlines their methods
//	-check           write nothing; fail if the file is not as it would be written
//
// The type arguments of a generic function stand behind its name, as in 'Energy[Spring]'; one
// that is left out is float64. A function with an error is recorded, and solved for, by
// reverse.Must.
//
// Once a module, go get -tool github.com/hesse-ad/hesse/dual/lift adds the command, and
// what it is built of, to go.mod.
//
// It reads the package in the current folder. Exit code 1 says that something cannot
// be lifted; then nothing is written, and each cause is printed with its file, line
// and column, and with what to write instead.
//
// # What is active
//
// A number is active if it depends on the inputs. From them the analysis follows
// assignments, calls, results, closures, slices, fields and maps, across packages:
// what is active becomes T, all else stays as it is, so that data costs nothing. A
// number is assigned one way, a float64 becomes a constant T where an active one is
// wanted. What shares memory or a type becomes active together: the elements of a
// slice and of all its parts, a variable and what points to it, a parameter of type
// func and the functions that are passed for it. A struct whose fields are active
// becomes a generic type, with its methods; where the same function or type is used
// with other activity, it is written once more. A complex128 becomes a [dual.Complex].
// Structs and arrays are copied where they meet active ones, also those of parameters, and
// so are slices and maps in variables of packages that nothing changes; functions in such
// variables are lifted.
//
// A comparison of active numbers, and int(x), looks at a value: on a tape it is a
// guard, as when written by hand (see package reverse). So does dual.Value(x), which is a
// plain number; dual.Detach(x) is a constant. Printed numbers are their values, and
// those in errors, in prints and in the argument of panic are no guards, since nothing but people
// read them.
//
// # What cannot be lifted
//
// Goroutines and channels with active values (also goroutines that might call a function
// which sees them), interfaces that would hold them (but for numbers that are printed),
// reflection, unsafe pointers, bits of numbers, float32 and complex64 made of active ones,
// maps with active keys, functions that recover, tangents and inverse functions of package
// math/cmplx, and assembly without Go text beside it. Active values cannot be stored where
// they would outlive the call: in variables of a package, or in what a passive parameter
// points to. Variables that another package does not export are copied where nothing changes
// them.
//
// What is written is type-checked first: what would not compile is refused with its place.
//
// # What has been lifted
//
// Tests lift and compare a corpus of the constructs of the language and of models
// (internal/corpus), random functions, and functions of gonum v0.17. Of the 526 exported
// functions and methods of gonum's optimize/functions, stat/distuv, mathext, floats, stat,
// integrate, interp, spatial/r2, spatial/r3 and num/quat that compute numbers from numbers,
// and take no interface, 522 are lifted; refused are stat.Mode (keys of a map),
// stat.WassersteinDistance (sort.Sort), NoncentralT.Quantile and r3.NewMat (unsafe).
//
// From package math it takes what is an operation of dual.Scalar, Frexp, Ldexp, Lgamma,
// Logb, Ilogb, Modf, RoundToEven and Sincos, and Bessel functions, Dim, Erfinv and others
// by their source; so also Sin, Cos, Polar, Rect and others from math/cmplx, whose Abs, Conj,
// Exp, Log, Phase, Pow and Sqrt are those of [dual.Complex].
//
// # How it works
//
// What is active is found by internal/activity. Then the source of each function is
// copied, with operators and types replaced where they are active (render.go,
// writer.go), so that comments and layout stay.
//
// Values of a lifted function over dual.Real have the bits of the original, but
// where the library computes a function of package math more accurately (Pow is), in
// math.Max and math.Min of an infinity and NaN, which are NaN, in signs of zeros (√−0,
// Max and Min of 0 and −0, and the fraction of Modf of a negative integer are 0) and
// Copysign by NaN, where a package has a function in assembly (the Go text beside it is
// lifted), and where the compiler fuses products of the original into sums, for arm64
// among others.
package main
