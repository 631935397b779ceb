// Package op is the table of elementary operations: everything that is known
// about one stands in its row, and whoever asks about it asks the table.
//
// Recording, sweeps, detection of sparsity, symbolic derivatives and estimates
// of cost differ in what they do with an operation, not in what they know of
// it. The functions that compute values and partials are those of package elem,
// in a row by name. What no table can say stays with its room: how sums and
// products of many operands are laid out, which operations have loops of their
// own, how expressions are simplified.
package op
