package hessian

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/reverse"
)

// Strategy is how first derivatives are composed to second ones. The package
// comment compares them.
type Strategy uint8

// The strategies; the first word is the outer mode.
const (
	FoR Strategy = iota // forward over reverse: the one for production
	FoF                 // forward over forward
	RoF                 // reverse over forward
	RoR                 // reverse over reverse
)

// Strategies lists them all.
var Strategies = []Strategy{FoF, FoR, RoF, RoR}

var strategyNames = [...]string{"FoR", "FoF", "RoF", "RoR"}

func (s Strategy) String() string {
	if int(s) < len(strategyNames) {
		return strategyNames[s]
	}
	return fmt.Sprintf("Strategy(%d)", uint8(s))
}

// Hessian evaluates the Hessian of Σ wⱼFⱼ of a tape by one strategy. It is
// immutable and safe for concurrent use. Points, errors, dst, aliasing and
// allocation are as for reverse.Tape.
type Hessian struct {
	strategy Strategy
	n, m     int
	of       *reverse.Tape
	t        *reverse.Tape // what one run sweeps
	points   sync.Pool     // inputs of t
}

// New prepares a strategy for a tape: FoR needs nothing, FoF and RoF make the
// tape of the JVP, RoR that of the VJP. It panics if t is nil.
func New(t *reverse.Tape, s Strategy) *Hessian {
	if t == nil {
		panic("hessian: nil tape")
	}
	h := &Hessian{strategy: s, n: t.Inputs(), m: t.Outputs(), of: t, t: t}
	switch s {
	case FoR:
	case FoF, RoF:
		h.t = t.Tangent()
	case RoR:
		h.t = t.Adjoint()
	default:
		panic(fmt.Sprintf("hessian: no strategy %d", s))
	}
	h.points.New = func() any {
		x := make([]float64, 0, h.t.Inputs()+t.Params())
		return &x
	}
	return h
}

// Tape returns the tape that one run sweeps: F for FoR, its JVP for FoF and RoF, its
// VJP for RoR.
func (h *Hessian) Tape() *reverse.Tape { return h.t }

// point splits x into inputs and parameters and checks x and the weights.
func (h *Hessian) point(x, w []float64) (in, params, weights []float64) {
	return h.of.Inside().Weighted("hessian", x, w)
}

func check(x []float64, n int, what string) {
	if len(x) != n {
		panic(fmt.Sprintf("hessian: %s has length %d, want %d", what, len(x), n))
	}
}

// Dense returns Σ wⱼ∇²Fⱼ(x), n×n; a function with one output needs no weights. dst
// may be nil, empty or n×n. Runs: n for FoR, RoF and RoR, n(n+1)/2 for FoF.
func (h *Hessian) Dense(dst *mat.SymDense, x []float64, w ...float64) (*mat.SymDense, error) {
	x, params, w := h.point(x, w)
	n := h.n
	checkDst(dst, n)
	if n == 0 {
		return symmetric(dst, n), h.rows(x, params, w, nil)
	}
	if !h.t.Inside().Engine().MayFail() {
		var to blas64.Symmetric
		err := h.rows(x, params, w, func(i int, hi []float64) {
			if i == 0 { // a comparison that comes out otherwise is met before
				dst = symmetric(dst, n)
				to = dst.RawSymmetric()
			}
			copy(to.Data[i*to.Stride+i:], hi)
		})
		return dst, err
	}
	room := sweep.Room(n * n)
	defer sweep.Leave(room)
	if err := h.rows(x, params, w, func(i int, hi []float64) { copy((*room)[i*n+i:], hi) }); err != nil {
		return dst, err
	}
	dst = symmetric(dst, n)
	to := dst.RawSymmetric()
	for i := range n {
		copy(to.Data[i*to.Stride+i:], (*room)[i*n+i:][:n-i])
	}
	return dst, nil
}

// checkDst panics unless dst is nil, empty or n×n.
func checkDst(dst *mat.SymDense, n int) {
	if dst != nil && !dst.IsEmpty() && dst.SymmetricDim() != n {
		panic(fmt.Sprintf("hessian: dst is %d×%[1]d, want %d×%[2]d", dst.SymmetricDim(), n))
	}
}

// symmetric is dst with the size n×n.
func symmetric(dst *mat.SymDense, n int) *mat.SymDense {
	if dst == nil {
		dst = new(mat.SymDense)
	}
	if dst.IsEmpty() && n > 0 {
		dst.ReuseAsSym(n)
	}
	return dst
}

// rows hands the rows of the upper triangle to row, from the first one on.
func (h *Hessian) rows(x, params, w []float64, row sweep.Result) error {
	if h.strategy == FoR {
		return h.triangle(x, params, w, row)
	}
	unit := func(v []float64, j int) { v[j] = 1 }
	return h.products(x, params, w, h.n, true, unit, func(i int, hv []float64) { row(i, hv[i:]) })
}

// HVP returns (Σ wⱼ∇²Fⱼ(x))v, of length n. Runs: 1 for FoR, RoF and RoR, n for FoF.
func (h *Hessian) HVP(dst, x, v []float64, w ...float64) ([]float64, error) {
	x, params, w := h.point(x, w)
	check(v, h.n, "v")
	if dst != nil {
		check(dst, h.n, "dst")
	}
	seed := func(s []float64, _ int) { copy(s, v) }
	err := h.products(x, params, w, 1, false, seed, func(_ int, hv []float64) {
		if dst == nil {
			dst = make([]float64, h.n)
		}
		copy(dst, hv)
	})
	return dst, err
}

// Bilinear returns uᵀ(Σ wⱼ∇²Fⱼ(x))v. Runs: 1.
func (h *Hessian) Bilinear(x, u, v []float64, w ...float64) (float64, error) {
	x, params, w := h.point(x, w)
	check(u, h.n, "u")
	check(v, h.n, "v")
	if h.strategy == FoF {
		return h.forwardBilinear(x, params, w, u, v)
	}
	s := 0.0
	seed := func(s []float64, _ int) { copy(s, v) }
	err := h.products(x, params, w, 1, false, seed, func(_ int, hv []float64) {
		for i, u := range u {
			if u != 0 {
				s += float64(u * hv[i])
			}
		}
	})
	return s, err
}
