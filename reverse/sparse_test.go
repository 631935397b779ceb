package reverse_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/coloring"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
	"github.com/hesse-ad/hesse/sparsity"
)

func bratu(t require.TestingT, n int) (*problems.Instance, *reverse.Tape) {
	for _, p := range problems.All {
		if p.Name == "bratu" {
			in := p.At(n)
			tape, err := reverse.RecordVec(problems.VecFunc[reverse.Var](in), in.X0)
			require.NoError(t, err)
			return in, tape
		}
	}
	panic("no bratu")
}

var methods = []reverse.Method{reverse.Auto, reverse.ByTerms, reverse.ByColumns, reverse.ByRows, reverse.ByBoth}

func TestSparseJacobianOfBratuHasItsPublishedProduct(t *testing.T) {
	in, tape := bratu(t, 1024)
	for _, settings := range []reverse.SparseSettings{{}, {Method: reverse.ByColumns, Workers: 3}, {Method: reverse.ByRows}, {Method: reverse.ByBoth, Workers: 2}} {
		j, err := settings.New(tape)
		require.NoError(t, err)
		a := j.Matrix()
		f := mat.NewVecDense(len(in.X0), nil)
		require.NoError(t, j.EvalAll(a, f.RawVector().Data, in.X0))
		require.NoError(t, j.Verify(in.X0))
		w := mat.NewVecDense(len(in.X0), nil)
		for i := range in.X0 {
			w.SetVec(i, math.Cos(float64(i)))
		}
		require.InEpsilon(t, -92.27269641336, mat.Dot(w, f), 1e-12)
		y := mat.NewVecDense(len(in.X0), nil)
		a.MulVecTo(y, false, w)
		require.InEpsilon(t, 742295.67183466, mat.Dot(w, y), 1e-12)
	}
}

func TestConcurrentSparseJacobian(t *testing.T) {
	in, tape := bratu(t, 40000) // large enough to be shared
	n := len(in.X0)
	one, err := reverse.NewSparseJacobian(tape)
	require.NoError(t, err)
	require.Equal(t, reverse.ByTerms, one.Method())
	a, y := one.Matrix(), make([]float64, n)
	require.NoError(t, one.EvalAll(a, y, in.X0))
	for _, workers := range []int{2, 3, 7} {
		j, err := reverse.SparseSettings{Workers: workers}.New(tape)
		require.NoError(t, err)
		b, z := j.Matrix(), make([]float64, n)
		require.NoError(t, j.EvalAll(b, z, in.X0))
		require.True(t, slices.Equal(y, z) && slices.Equal(a.Values(), b.Values()), "%d workers", workers)
		clear(b.Values())
		_, err = j.Eval(b, in.X0)
		require.NoError(t, err)
		require.True(t, slices.Equal(a.Values(), b.Values()), "%d workers", workers)
	}
}

func TestSparseJacobianIsDense(t *testing.T) { rapid.Check(t, sparseJacobianIsDense) }
func FuzzSparseJacobianIsDense(f *testing.F) { f.Fuzz(rapid.MakeFuzz(sparseJacobianIsDense)) }

func sparseJacobianIsDense(t *rapid.T) {
	p := randprog.Draw(t, randprog.Options{MaxInputs: 10, MaxOutputs: 10, MaxLen: 50, Primitives: true})
	tape := record(t, p)
	want, err := tape.Jacobian(nil, p.X)
	require.NoError(t, err)
	// An entry recovered by substitution has the rounding errors of others.
	bound := make([]float64, p.Outputs)
	for k := range p.X {
		q := *p
		q.U = make([]float64, len(p.X))
		q.U[k] = 1
		q.V = q.U
		m1, _ := randprog.Bounds(&q)
		for i, m := range m1 {
			bound[i] += m
		}
	}
	all := 0.0
	for _, m := range bound {
		all += m
	}
	for _, method := range methods {
		j, err := reverse.SparseSettings{Method: method}.New(tape)
		if errors.Is(err, reverse.ErrNoTerms) {
			continue
		}
		require.NoError(t, err)
		a := j.Matrix()
		y := make([]float64, tape.Outputs())
		require.NoError(t, j.EvalAll(a, y, p.X))
		values, err := tape.Values(nil, p.X)
		require.NoError(t, err)
		for i := range y {
			if !close(y[i], values[i], 1e-12*(1+math.Abs(values[i]))) {
				t.Fatalf("%v output %d: %v, want %v\n%v", method, i, y[i], values[i], p)
			}
		}
		if err := j.Verify(p.X); err != nil {
			t.Fatalf("%v: %v\n%v", method, err, p)
		}
		for i := range y {
			for k := range p.X {
				if !close(a.At(i, k), want.At(i, k), tolerance(all)) {
					t.Fatalf("%v (%d, %d): %v, want %v\n%v", method, i, k, a.At(i, k), want.At(i, k), p)
				}
			}
		}
	}
}

// The first output depends on all inputs, all outputs on the first input: one
// color for the other columns, one for the first, one for the first row.
func TestArrowJacobianTakesRowsAndColumns(t *testing.T) {
	n := 40
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + float64(i)
	}
	tape, err := reverse.RecordVec(func(x []reverse.Var) []reverse.Var {
		y := make([]reverse.Var, n)
		for i := range y {
			y[i] = x[i].Mul(x[0]).Sin()
			y[0] = y[0].Add(x[i].Exp())
		}
		return y
	}, x)
	require.NoError(t, err)
	j, err := reverse.SparseSettings{Pattern: tape.JacobianPattern()}.New(tape)
	require.NoError(t, err)
	require.Equal(t, reverse.ByBoth, j.Method())
	require.LessOrEqual(t, j.Coloring().Num(), 4)
	require.NoError(t, j.Verify(x))
}

func TestVerifyFindsAMissedJacobianEntry(t *testing.T) {
	in, tape := bratu(t, 25)
	full := tape.JacobianPattern()
	var is, js []int
	for i := range 25 {
		for _, j := range full.Row(i) {
			if i != 7 || j != 8 {
				is, js = append(is, i), append(js, int(j))
			}
		}
	}
	j, err := reverse.SparseSettings{Pattern: sparsity.FromCoordinates(25, 25, is, js)}.New(tape)
	require.NoError(t, err)
	var missed *reverse.MissedError
	require.ErrorAs(t, j.Verify(in.X0), &missed)
	require.NotEmpty(t, missed.Error())
}

func TestSparseJacobianRejects(t *testing.T) {
	_, tape := bratu(t, 9)
	require.Panics(t, func() { reverse.SparseSettings{Pattern: sparsity.Full(9, 8)}.New(tape) })
	star := coloring.New(coloring.Star, sparsity.Diagonal(9))
	require.Panics(t, func() { reverse.SparseSettings{Coloring: star}.New(tape) })
	bad := coloring.New(coloring.Column, sparsity.Diagonal(9))
	_, err := reverse.SparseSettings{Coloring: bad}.New(tape)
	var conflict *coloring.ConflictError
	require.ErrorAs(t, err, &conflict)
	j, err := reverse.NewSparseJacobian(tape)
	require.NoError(t, err)
	require.Panics(t, func() { j.Eval(sparsity.NewMatrix(sparsity.Full(9, 9)), make([]float64, 9)) })
	require.Panics(t, func() { j.EvalAll(j.Matrix(), make([]float64, 8), make([]float64, 9)) })
}

// A stencil of five points takes five colors.
func TestColorsOfBratu(t *testing.T) {
	_, tape := bratu(t, 400)
	for method, want := range map[reverse.Method][2]int{reverse.ByColumns: {5, 0}, reverse.ByRows: {0, 5}} {
		j, err := reverse.SparseSettings{Method: method}.New(tape)
		require.NoError(t, err)
		require.Equal(t, method, j.Method())
		c := j.Coloring()
		require.Equal(t, want, [2]int{c.Columns().Num(), c.Rows().Num()})
		require.Contains(t, j.Explain(), strconv.Itoa(j.Pattern().NNZ()))
	}
}

func TestUnknownMethodsAreNumbers(t *testing.T) {
	require.Equal(t, "both Method(5)", fmt.Sprint(reverse.ByBoth, " ", reverse.Method(5)))
}
