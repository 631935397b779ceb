package sparsity_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/hesse-ad/hesse/sparsity"
	"gonum.org/v1/gonum/mat"
)

func ExampleFromCoordinates() {
	p := sparsity.FromCoordinates(2, 3, []int{1, 0, 1, 1}, []int{2, 1, 0, 2})
	for i := range 2 {
		fmt.Println(i, p.Row(i))
	}
	fmt.Println(p.Position(1, 2), p.Position(0, 0))
	// Output:
	// 0 [1]
	// 1 [0 2]
	// 2 -1
}

func ExamplePattern_Spy() {
	p := sparsity.Banded(200, 3, 3).Union(sparsity.Arrow(200, 50))
	fmt.Print(p.Spy(24))
	// Output:
	// ⎡⠻⣦⡀⠀⠀⢸⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⎤
	// ⎢⠀⠈⠻⣦⡀⢸⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⎥
	// ⎢⣀⣀⣀⣈⣻⣾⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⎥
	// ⎢⠀⠀⠀⠀⠀⢸⠻⣦⡀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⎥
	// ⎢⠀⠀⠀⠀⠀⢸⠀⠈⠻⣦⡀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⎥
	// ⎢⠀⠀⠀⠀⠀⢸⠀⠀⠀⠈⠻⣦⡀⠀⠀⠀⠀⠀⠀⠀⠀⠀⎥
	// ⎢⠀⠀⠀⠀⠀⢸⠀⠀⠀⠀⠀⠈⠻⣦⡀⠀⠀⠀⠀⠀⠀⠀⎥
	// ⎢⠀⠀⠀⠀⠀⢸⠀⠀⠀⠀⠀⠀⠀⠈⠻⣦⡀⠀⠀⠀⠀⠀⎥
	// ⎢⠀⠀⠀⠀⠀⢸⠀⠀⠀⠀⠀⠀⠀⠀⠀⠈⠻⣦⡀⠀⠀⠀⎥
	// ⎢⠀⠀⠀⠀⠀⢸⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠈⠻⣦⡀⠀⎥
	// ⎣⠀⠀⠀⠀⠀⢸⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠈⠻⣦⎦
}

func ExamplePattern_SVG() {
	p := sparsity.Banded(4, 1, 0)
	// Columns of one class have no row in common.
	err := p.SVG(os.Stdout, p.ByColumn([]int{0, 1, 0, 1}))
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// <svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 4 4" shape-rendering="crispEdges">
	// <rect width="4" height="4" fill="#ffffff"/>
	// <rect x="0" y="0" width="1" height="1" fill="#2263c3"/>
	// <rect x="0" y="1" width="1" height="1" fill="#2263c3"/>
	// <rect x="1" y="1" width="1" height="1" fill="#92c322"/>
	// <rect x="1" y="2" width="1" height="1" fill="#92c322"/>
	// <rect x="2" y="2" width="1" height="1" fill="#2263c3"/>
	// <rect x="2" y="3" width="1" height="1" fill="#2263c3"/>
	// <rect x="3" y="3" width="1" height="1" fill="#92c322"/>
	// </svg>
}

func ExampleMatrix() {
	m := sparsity.NewMatrix(sparsity.Banded(3, 1, 1))
	copy(m.Values(), []float64{2, -1, -1, 2, -1, -1, 2})
	fmt.Println(mat.Formatted(m))

	var y mat.VecDense
	m.MulVecTo(&y, false, mat.NewVecDense(3, []float64{1, 2, 4}))
	fmt.Println(y.RawVector().Data)
	// Output:
	// ⎡ 2  -1   0⎤
	// ⎢-1   2  -1⎥
	// ⎣ 0  -1   2⎦
	// [0 -1 6]
}

func ExampleMatrix_Raw() {
	m := sparsity.NewMatrix(sparsity.Banded(3, 1, 0))
	copy(m.Values(), []float64{1, 2, 3, 4, 5})
	// With github.com/james-bowman/sparse: sparse.NewCSR(m.Raw())
	rows, cols, ia, ja, data := m.Raw()
	fmt.Println(rows, cols, ia, ja, data)
	// Output: 3 3 [0 1 3 5] [0 0 1 1 2] [1 2 3 4 5]
}

func ExampleNewSymMatrix() {
	lower := sparsity.NewMatrix(sparsity.Banded(3, 1, 0))
	copy(lower.Values(), []float64{2, -1, 2, -1, 2})
	m := sparsity.NewSymMatrix(lower)
	fmt.Println(mat.Formatted(m))
	var chol mat.Cholesky
	fmt.Println(chol.Factorize(m))
	// Output:
	// ⎡ 2  -1   0⎤
	// ⎢-1   2  -1⎥
	// ⎣ 0  -1   2⎦
	// true
}

func ExamplePattern_All() {
	for i, j := range sparsity.Arrow(3, 0).All() {
		fmt.Print("(", i, ",", j, ") ")
	}
	// Output: (0,0) (0,1) (0,2) (1,0) (1,1) (2,0) (2,2)
}

// A step of Levenberg and Marquardt solves (JᵀJ + λI)d = −Jᵀr.
func ExampleNewGram() {
	j := sparsity.NewMatrix(sparsity.Banded(3, 1, 0))
	copy(j.Values(), []float64{1, 2, 3, 4, 5})
	damping := sparsity.NewMatrix(sparsity.Diagonal(3))
	g := sparsity.NewGram(j.Pattern(), damping.Pattern()) // once

	copy(damping.Values(), []float64{0.5, 0.5, 0.5})
	a := g.Eval(nil, j, nil, damping)
	fmt.Println(mat.Formatted(a))
	// Output:
	// ⎡ 5.5     6     0⎤
	// ⎢   6  25.5    20⎥
	// ⎣   0    20  25.5⎦
}

func ExampleNewBlocks() {
	h := sparsity.NewMatrix(sparsity.Diagonal(2))
	copy(h.Values(), []float64{2, 3})
	j := sparsity.NewMatrix(sparsity.Full(1, 2))
	copy(j.Values(), []float64{4, 5})
	b := sparsity.NewBlocks([][]sparsity.Block{ // once
		{{Pattern: h.Pattern()}, {Pattern: j.Pattern(), Transposed: true}},
		{{Pattern: j.Pattern()}, {}},
	})
	kkt := b.Eval(nil, [][]*sparsity.Matrix{{h, j}, {j, nil}})
	fmt.Println(mat.Formatted(kkt))
	// Output:
	// ⎡2  0  4⎤
	// ⎢0  3  5⎥
	// ⎣4  5  0⎦
}

func ExampleReadMatrixMarket() {
	file := `%%MatrixMarket matrix coordinate real symmetric
% the lower triangle
3 3 4
1 1 2
2 1 -1
2 2 2
3 3 5
`
	m, header, err := sparsity.ReadMatrixMarket(strings.NewReader(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(header.Symmetry, m.NNZ())
	fmt.Println(mat.Formatted(m))
	// Output:
	// symmetric 5
	// ⎡ 2  -1   0⎤
	// ⎢-1   2   0⎥
	// ⎣ 0   0   5⎦
}

func ExampleWriteMatrixMarket() {
	m := sparsity.NewMatrix(sparsity.Banded(2, 1, 1))
	copy(m.Values(), []float64{2, -1, -1, 2})
	err := sparsity.WriteMatrixMarket(os.Stdout, m, sparsity.MarketHeader{Symmetry: "symmetric"})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// %%MatrixMarket matrix coordinate real symmetric
	// 2 2 3
	// 1 1 2
	// 2 1 -1
	// 2 2 2
}
