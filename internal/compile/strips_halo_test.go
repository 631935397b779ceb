package compile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/tape"
)

// many has n operands and as many results.
type many int

func (f many) Dims() (n, m int)              { return int(f), int(f) }
func (many) Name() string                    { return "many" }
func (many) Eval(y, x []float64) error       { return nil }
func (many) JVP(dy, x, dx []float64) error   { return nil }
func (many) VJP(gx, x, w []float64) error    { return nil }
func (many) HVP(h, x, w, dx []float64) error { return nil }
func (many) Jacobian(int) []int32            { return nil }
func (many) Hessian(int) []int32             { return nil }

// A product of matrices has tens of thousands of operands and of results.
func TestOperandsOfACallAreSeenOnce(t *testing.T) {
	const n = 50
	r := tape.NewRecording(n, 0)
	defer r.Close()
	x, y := make([]int32, n), make([]int32, n)
	for i := range x {
		x[i] = int32(i)
	}
	first := r.Call(many(n), x)
	for i := range y {
		y[i] = first + int32(i)
	}
	p := Compile(r, []int32{r.Sum(0, y)})
	seen := 0
	for i := range p.batches {
		p.eachOperand(&p.batches[i], func(j int32) {
			if j < n {
				seen++
			}
		})
	}
	require.Equal(t, n, seen)
}
