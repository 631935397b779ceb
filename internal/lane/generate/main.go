// Command generate writes the kernels of package lane, as assembly, and what
// calls them by number.
//
//	go generate ./internal/lane
//
// It is a module of its own, so that users of the library need nothing of it.
package main

import (
	"log"

	. "github.com/mmcloughlin/avo/build"
)

// widest is how many lanes the widest register has.
const widest = 8

func main() {
	log.SetFlags(0)
	log.SetPrefix("generate: ")
	ConstraintExpr("amd64")
	readRules()
	functions = append(functions, partialKernels()...)
	for _, f := range functions {
		for _, w := range f.widths() {
			width = w
			f.write()
		}
	}
	width = 4
	loops, inGo := arithmetic()
	for _, l := range loops {
		l.write()
	}
	for _, s := range sums {
		s.write()
	}
	writeSteps()
	writeMulRows()
	writeAxpyRows()
	writeAxpy2Rows()
	writeAxpyTiles()
	writeConvolve("convolveAVX2", false)
	writeConvolve("convolveDerivativeAVX2", true)
	writeConstants()
	writeTails()
	Generate()
	writeCalls(loops, inGo+partialLoops())
}
