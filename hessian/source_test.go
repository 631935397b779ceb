package hessian_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

func ExampleSparse_WriteGo() {
	f := func(x []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Square() }
	tape, err := reverse.Record(f, []float64{1, 2})
	if err != nil {
		panic(err)
	}
	plan, err := hessian.SparseSettings{Method: hessian.ByTerms}.New(tape)
	if err != nil {
		panic(err)
	}
	var text bytes.Buffer
	err = plan.WriteGo(&text, reverse.GoSource{Name: "Area", Inputs: []string{"width", "height"}, Functions: []reverse.GoFunction{reverse.GoAll}})
	if err != nil {
		panic(err)
	}
	all := text.String()
	begin := strings.Index(all, "func AreaAll(")
	os.Stdout.WriteString(all[begin : begin+strings.Index(all[begin:], "\n}\n")+3])

	// Output:
	// func AreaAll(dst, g, x []float64) (f float64) {
	// 	if len(dst) != 4 || len(g) != 2 || len(x) != 2 {
	// 		panic("AreaAll: wrong length")
	// 	}
	// 	dst, g, x = dst[:4:4], g[:2:2], x[:2:2] // with constant lengths they take a register each
	// 	width := x[0]
	// 	height := x[1]
	// 	t1 := width * height
	// 	f0 := float64(t1 * t1)
	// 	g0 := float64(2 * (height * t1))
	// 	g1 := float64(2 * (width * t1))
	// 	h0_0 := float64(2 * (height * height))
	// 	h1_0 := float64(4 * t1)
	// 	h1_1 := float64(2 * (width * width))
	// 	g[0] = g0
	// 	g[1] = g1
	// 	dst[0] = h0_0
	// 	dst[1] = h1_0
	// 	dst[2] = h1_0
	// 	dst[3] = h1_1
	// 	z := ((f0 + g0) + g1) + (h0_0 + h1_1) // finite only if all results are
	// 	if z-z != 0 {
	// 		return hesseAreaAllCareful(dst, g, x)
	// 	}
	// 	return f0 + 0
	// }
}

func band(n int) func(x []reverse.Var) reverse.Var {
	return func(x []reverse.Var) reverse.Var {
		s := x[0]
		for i := 1; i < n; i++ {
			s = s.Add(x[i].Sub(x[i-1]).Exp().Mul(x[i]))
		}
		return s
	}
}

func TestSourceIsTheSameEachTime(t *testing.T) {
	var texts [3]bytes.Buffer
	for k := range texts {
		tape, err := reverse.Record(band(300), make([]float64, 300))
		require.NoError(t, err)
		plan, err := hessian.SparseSettings{Method: hessian.ByTerms}.New(tape)
		require.NoError(t, err)
		require.NoError(t, plan.WriteGo(&texts[k], reverse.GoSource{}))
	}
	assert.Equal(t, texts[0].String(), texts[1].String())
	assert.Equal(t, texts[0].String(), texts[2].String())
	assert.NotContains(t, texts[0].String(), "Places", "places in even steps need no table")
}

func TestSourceOfWrongSettingsIsNotWritten(t *testing.T) {
	tape, err := reverse.Record(band(5), make([]float64, 5))
	require.NoError(t, err)
	plan, err := hessian.SparseSettings{Method: hessian.ByTerms}.New(tape)
	require.NoError(t, err)
	for _, s := range []reverse.GoSource{
		{Package: "a b"},
		{Name: "func"},
		{Name: "F-1"},
		{Functions: []reverse.GoFunction{reverse.GoAll, reverse.GoAll}},
		{Functions: []reverse.GoFunction{reverse.GoJVP}},
		{Inputs: []string{"a", "b"}},
		{Inputs: []string{"a", "b", "c", "d", "a"}},
		{Inputs: []string{"a", "b", "c", "d", "range"}},
		{Params: []string{"a"}},
	} {
		var text bytes.Buffer
		assert.Error(t, plan.WriteGo(&text, s), "%+v", s)
		assert.Zero(t, text.Len())
	}
}
