// Package code turns expressions into instructions and runs them. What comes in are the
// outputs of a graph of package expr. What goes out is [Vector] code, which a [Machine]
// runs over many lanes, block by block; [Scalar] code, which works on single numbers; or a
// [Recurrence], whose steps depend on each other. A lane is one of many alike terms, with
// numbers of its own.
//
// # Making code
//
// Names in parentheses are files. For each node that is needed an instruction is selected,
// a tile; a tile may cover several nodes, such as a product and its scaling, or compute
// two, such as sine and cosine (select). Tiles are put in order depth first from the
// outputs. A linear scan allocates registers: a node has one from the instruction that
// computes it to the last that reads it (allocate). What is the same in all lanes is
// computed once, before the blocks (vector).
//
// # Running it
//
// An instruction of vector code is one call of package lane for the lanes of a block, 256
// at most, in registers that stay in the first-level cache (machine). A load gathers from
// an array by an [Index], the place of each lane; a store adds to an array by another. An
// index with equal differences is kept as runs and takes no memory (index). What blocks
// add to the same place is added in the order of the blocks, whether one goroutine runs
// them or several (sink, pages).
//
// On single numbers, time is that of the longest chain of operations. The instructions, the
// lines, are put in chains in which each has the result of the one before as an operand,
// which then stays in a register of the processor. They are run by threaded code, in which
// each jumps to the next, in assembly on amd64 (scalar, chains, lines).
//
// A recurrence has steps of which each needs the result of the one before, so that there
// are no lanes (recurrence).
//
// Package cost says what instructions cost.
//
// # Go source
//
// A [Printer] writes a graph as Go statements with the bits of the machines: a variable
// for what is used more than once, expressions for all else (print).
//
// # Sources
//
// Linear scan register allocation: Poletto and Sarkar, ACM Trans. Program. Lang. Syst.
// 21, 1999. Selection by tiles: Aho, Lam, Sethi and Ullman, Compilers, 2nd ed., 2006,
// section 8.9. Threaded code: Bell, Commun. ACM 16, 1973.
package code
