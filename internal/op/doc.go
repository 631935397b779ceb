// Package op is the table of elementary operations: everything that is known
// about one stands in its row, and whoever asks about it asks the table.
//
// Recording, sweeps, detection of sparsity, symbolic derivatives and estimates
// of cost differ in what they do with an operation, not in what they know of
// it. The functions that compute values and partials are those of package elem,
// in a row by name. What no table can say stays with its room: how sums and
// products of many operands are laid out, which operations have loops of their
// own, how expressions are simplified.
//
// Command generate writes from it the methods of the number types and whatever
// else names all operations one by one. A new operation is a row here, its
// functions in package elem, a method of dual.Scalar, its rule in dual.Of, and
// lines in the tables of dual/conventions.md and dual/testdata/golden.py.
package op

//go:generate go run ./generate
