// Package source is the frame of generated Go: a file with a header, imports, names
// that cannot clash, and the functions that its code needs of packages math and elem.
//
// What comes in are the package, a name for all that is declared, and the declarations,
// written one after the other with [File.Printf]. What goes out is the formatted file,
// the same for the same declarations byte for byte. Nothing is written before all of it
// is known to be Go.
//
//	file.go    the file: header, imports, what was printed, copies
//	names.go   which names may be asked for, and those that are made up
//	copy.go    functions of package elem, copied with all that they need
//	spell.go   operations, their partials and numbers as Go expressions
//
// # Bits
//
// Generated code has the bits of the loops of this module on every machine: products
// that may be added to something are written float64(a*b), which no compiler fuses, also
// those that a copied function returns, since it may be inlined. Numbers are printed so
// that they read back as they were.
package source
