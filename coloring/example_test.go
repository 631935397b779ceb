package coloring_test

import (
	"errors"
	"fmt"

	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/sparsity"
)

// A tridiagonal Hessian of any size takes three products, and two with
// substitution.
func Example() {
	p := sparsity.Banded(1000, 1, 1)
	fmt.Println(coloring.New(coloring.Star, p))
	fmt.Println(coloring.New(coloring.Acyclic, p))
	// Output:
	// star: 3 colors (natural 3), at least 3
	// acyclic: 2 colors (natural 2), at least 2
}

// A Jacobian with three entries in its longest row, recovered from as many
// products: here with a matrix in place of the function.
func ExampleNew() {
	a := [][]float64{
		{1, 2, 0, 0},
		{0, 3, 4, 5},
		{6, 0, 7, 0},
	}
	p := sparsity.FromDense(a)
	c := coloring.New(coloring.Column, p)
	fmt.Println(c.Columns().Colors())

	r := c.Recovery(nil)
	vals := make([]float64, p.NNZ())
	b := make([]float64, len(a))
	for k := range c.Columns().Num() {
		for i := range a {
			b[i] = 0
			for _, j := range c.Columns().Class(k) {
				b[i] += a[i][j]
			}
		}
		r.GatherColumns(vals, k, b)
	}
	r.Finish(vals)
	fmt.Println(vals)
	// Output:
	// [0 1 2 0]
	// [1 2 3 4 5 6 7]
}

// The portfolio shows what each order gave. With one order, only that is tried.
func ExampleNew_orders() {
	p := sparsity.BoxStencil(30, 30)
	fmt.Println(coloring.New(coloring.Acyclic, p))
	fmt.Println(coloring.New(coloring.Acyclic, p, coloring.SmallestLast))
	// Output:
	// acyclic: 6 colors (natural 6, smallest last 7, largest first 6, incidence degree 6, random(1) 8), at least 5
	// acyclic: 7 colors (smallest last 7), at least 5
}

// A dense row and a dense column: by columns or by rows alone as many products
// as the matrix has columns or rows, by both three.
func ExampleNew_bicoloring() {
	p := sparsity.Arrow(100, 0)
	fmt.Println(coloring.New(coloring.Column, p).Num())
	c := coloring.New(coloring.StarBicoloring, p)
	fmt.Println(c.Columns().Num(), c.Rows().Num())
	// Output:
	// 100
	// 2 1
}

// Colors from elsewhere are checked; the error names the vertices.
func ExampleFromColors() {
	p := sparsity.Banded(5, 1, 1)
	c, err := coloring.FromColors(coloring.Star, p, []int{0, 1, 2, 0, 1}, nil)
	fmt.Println(c.Num(), err)

	_, err = coloring.FromColors(coloring.Star, p, []int{0, 1, 0, 1, 0}, nil)
	var conflict *coloring.ConflictError
	fmt.Println(errors.As(err, &conflict), conflict.Conflict)
	fmt.Println(err)
	// Output:
	// 3 <nil>
	// true path with two colors
	// coloring: no star coloring: path with two colors: column 0 (color 0) – column 1 (color 1) – column 2 (color 0) – column 3 (color 1)
}

func ExampleClasses_Seed() {
	p := sparsity.FromDense([][]float64{
		{0, 1, 0, 1, 0},
		{0, 0, 0, 1, 1},
		{0, 1, 1, 0, 0},
		{1, 0, 1, 0, 0},
	})
	columns := coloring.New(coloring.Column, p).Columns()
	for c := range columns.Num() {
		fmt.Println(columns.Seed(nil, c), columns.Class(c))
	}
	// Output:
	// [1 1 0 0 1] [0 1 4]
	// [0 0 1 1 0] [2 3]
}

// With substitution the values are complete after Finish.
func ExampleColoring_Recovery() {
	p := sparsity.Banded(4, 1, 1)
	c := coloring.New(coloring.Acyclic, p)
	r := c.Recovery(p.Lower()) // the values of the lower triangle
	fmt.Println(c.Columns().Colors(), r.Depth())

	// The products of [2 5 . .; 5 3 6 .; . 6 4 7; . . 7 8] with both seeds.
	vals := make([]float64, p.Lower().NNZ())
	r.GatherColumns(vals, 0, []float64{2, 11, 4, 7})
	r.GatherColumns(vals, 1, []float64{5, 3, 13, 8})
	r.Finish(vals)
	fmt.Println(vals)
	// Output:
	// [0 1 0 1] 1
	// [2 5 3 6 4 7 8]
}
