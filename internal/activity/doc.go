// Package activity reads functions in Go and finds which of their numbers depend on the
// inputs that are differentiated. Commands that transform source import it, and nothing
// else does.
//
// # What goes in
//
// [Load] reads a package with all that it imports, as source with types. [New] takes it,
// and what the command makes of calls of declared functions: some it writes as operations
// (math.Exp), some only look at values (math.IsNaN), all others are looked into.
// [Analysis.Root] names a function and its inputs; [Analysis.Run] goes through it and what
// it calls.
//
// # What comes out
//
// Every place that can hold a float64 has a [Place]: variables, parameters, results,
// fields, elements of slices, arrays, maps and of what pointers point to, arguments and
// results of functions as values. A place that depends on the inputs is active.
//
// Each call of a function that something active reaches is an [Instance] of its own, with
// the places of its variables and expressions, its calls and their instances: a function
// that is called with other activity has other places. Instances with the same
// [Instance.Pattern] have the same activity. A function that calls itself is one instance
// within.
//
// A number is assigned one way: a passive float64 may flow into an active place, where
// it is a constant, and leaves its own place passive. What shares memory or a type becomes
// one place, both ways: the elements of a slice and of all its parts, a variable and what
// points to it, structs that are assigned, function values. What an active value reaches
// through a comparison or a conversion to an integer alone is passive: it is a reading.
//
// A [Fault] is what the transformation of a function cannot do, with its position, what to
// write instead and, in another package, the call that leads there: an active value that
// goes where it cannot be followed (an interface, a channel, a goroutine, a variable of a
// package, what a passive parameter points to, the key of a map, the bits of a number).
//
// [Program.Pure] and [Program.Ordered] tell what code may be evaluated twice, or in
// another order than it is written, [Program.Constant] which variables of packages never
// change, and [Program.Check] whether what is written compiles.
//
// # How it works
//
// Places are the cells of a points-to analysis in almost linear time (Steensgaard, POPL
// 1996): assignments of numbers are edges between cells, what is shared is one cell by
// union and find (place.go). A function's body is gone through once an instance (analysis.go,
// expr.go, call.go); calls wait until one of their places is active, then get an
// instance, until nothing changes any more.
package activity
