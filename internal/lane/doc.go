// Package lane is the loops over lanes: functions and arithmetic on whole arrays,
// by vector instructions where the processor has them, with the bits of the
// scalar rules.
//
// Bits are decided by the sequence of roundings, not by how many numbers are
// rounded at a time. So a kernel is the scalar rule instruction by instruction:
// additions, multiplications, divisions and roots alike, fused where the rule is
// fused and nowhere else, branches as both sides and a choice, exponents by
// shifts. The rules are those of packages math and elem, see the list in
// functions.go. Two NaNs count as the same.
//
// # Who computes what
//
// Kernels are in assembly, for AVX2 with FMA and for AVX-512, four and eight lanes
// a register. The best that processor and operating system have is taken when the
// program starts; the environment variable HESSE_LANES=portable, avx2 or avx512
// takes a lesser one. All other processors, and all other functions, are left to
// plain Go.
//
// A kernel of a function knows the function's main range. It ends before the first
// group of lanes with one that is elsewhere, such as an exponential that is no
// normal number; the scalar rule does that group, and the kernel goes on.
//
// A kernel is used only if it agrees with the scalar rule at 64 arguments when the
// program starts: another version of package math may compute another way. Where
// the compiler fuses multiplications and additions (GOAMD64=v3), kernels of rules
// in plain Go have other bits and are not used.
//
// # Adding a function
//
// Kernels are generated, see the directory generate: vector.go has the words that
// they are written in, an instruction each, and arithmetic.go, exponential.go and
// so on a Go function for each kernel. A new function is such a Go function, a line
// in list.go, the variable with its rule here in functions.go, and what is
// exported. Arithmetic and partials are written by nobody twice: rule.go there makes their
// kernels, and the loops in Go beside them, of the Go functions in its directory rules and in
// package elem. The tests take all from the lists: they draw a million arguments, and
//
//	go test ./internal/lane -arguments 1000000000
//
// as many as one has time for.
//
// # Times
//
// Nanoseconds a lane in the first-level cache, on an AMD EPYC of 2022 (Zen 4),
// `go test -run '^$' -bench . ./internal/lane`:
//
//	                   portable   AVX2   AVX-512
//	exp                     8.0    1.2       0.9
//	exp2                   13.8    1.4       1.0
//	expm1                  11.1    4.8       3.2
//	log                     9.8    1.6       1.1
//	log1p                  10.3    3.9       2.3
//	log2                   15.1    2.1       1.7
//	log10                  14.4    2.2       1.4
//	sin                     7.4    1.9       1.4
//	cos                     7.8    1.9       1.4
//	sincos                  8.3    2.1       1.5
//	tan                    13.3    1.9       1.2
//	asin, acos             11.8    3.5       2.5
//	atan                    6.5    1.8       1.2
//	atan2                   9.8    2.7       2.0
//	sinh                   12.9    3.0       1.7
//	cosh                   11.5    2.4       1.5
//	tanh                    9.3    2.4       1.7
//	logistic                9.5    1.6       1.2
//	softplus               27.2    6.6       3.9
//	cbrt                   10.1    2.5       1.8
//	erf                     5.9    2.9       2.3
//	erfc                    6.6    3.2       2.3
//	pow                    43.4    7.7       4.7
//	pow, whole             18.6    2.0       2.0
//	hypot                   4.5    1.0
//	sum, difference         0.3    0.1
//	quotient                1.3    0.3
//
// Gathers by index stay scalar: the instructions take 0.43 (AVX2) and 0.40 ns
// (AVX-512) a lane where the loop takes 0.66, in the first-level cache, but as long
// as the loop in the second-level cache, 0.6, and they do not check the index.
package lane

//go:generate go -C generate run . -out ../zkernels_amd64.s -stubs ../zstubs_amd64.go -pkg lane
