// Package coloring finds groups of columns or rows of a sparse matrix that can be
// computed together.
package coloring
