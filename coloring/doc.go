// Package coloring finds out how few products with vectors give all entries of a
// sparse matrix, and reads the entries out of them.
//
// # The problem
//
// A derivative matrix A costs a sweep of automatic differentiation for each
// product A·s (or Aᵀ·s), so one for each column (row). But columns without an
// entry in a common row can share a sweep: with s = 1 on both, each entry of
// A·s is an entry of one of them. Which columns may share is a question of
// coloring a graph: columns that must not share are given different colors.
//
//	x . . x
//	. x . x    columns 0, 1 and 2 never meet in a row, column 3 meets two
//	. . x .    of them: colors 0 0 0 1, two sweeps instead of four
//
// The members of a color are a class, the 0-1 vector of a class is the seed s of
// a product, the products A·S of all seeds the compressed matrix, and getting A
// back from it is the recovery. As many sweeps are needed as there are colors.
//
// # Which kind
//
//	Column             A by products A·s (JVPs)
//	Row                A by products Aᵀ·s (VJPs)
//	StarBicoloring     A by both; for a few dense rows and a few dense columns
//	AcyclicBicoloring  the same, with substitution
//	Star               a symmetric A by products A·s, each entry read directly
//	Acyclic            the same with fewer colors, entries read or subtracted
//	Distance1          no recovery: vertices that are not neighbors
//	Distance2          Column for a symmetric A, whatever its diagonal
//
// The vertices of the graph of a symmetric pattern are the columns (or rows),
// the edges the entries off the diagonal. By symmetry an entry can be read in
// two places, and one of them is enough. Column, Star and Acyclic need 12, 11 and
// 7 colors on a grid of 7 points in space, 33, 21 and 10 on a random pattern with
// 11 entries a row. For a Hessian take Star, unless a product costs far more than
// its recovery; then take Acyclic.
//
// # How
//
//	c := coloring.New(coloring.Star, p)    // several orders; the fewest colors
//	r := c.Recovery(nil)                   // once
//	for k := range c.Columns().Num() {     // for each matrix
//		// b = A·s, where s is 1 on c.Columns().Class(k)
//		r.GatherColumns(vals, k, b)
//	}
//	r.Finish(vals)
//
// The colorings are greedy: the vertices are taken in some order, and each gets
// the smallest color that it can have. Finding the fewest colors is NP-hard for
// every kind; a good order often finds them. [New] tries several orders,
// [Coloring.String] shows what they gave. [FromColors] takes colors from
// elsewhere, and checks them.
//
// # Sources
//
// Gebremedhin, Manne, Pothen, What color is your Jacobian?, SIAM Review 47, 2005
// (the survey). Gebremedhin, Tarafdar, Manne, Pothen, New acyclic and star
// coloring algorithms with application to computing Hessians, SIAM J. Sci.
// Comput. 29, 2007. Gebremedhin, Pothen, Tarafdar, Walther, Efficient computation
// of sparse Hessians using coloring and automatic differentiation, INFORMS J.
// Comput. 21, 2009. Montoison, Dalle, Gebremedhin, Revisiting sparse matrix
// coloring and bicoloring, 2025.
package coloring
