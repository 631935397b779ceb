package code

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawLines is random lines of all operations, the first of which needs no result before.
func drawLines(t *rapid.T, leaves bool) []line {
	register := rapid.Uint16Range(0, 300)
	var lines []line
	for k := range rapid.IntRange(0, 30).Draw(t, "lines") {
		first, last := move, operations-1
		if k == 0 || lines[k-1].op <= leave {
			last = sqrt
		}
		if leaves {
			first = function
		}
		lines = append(lines, line{
			op: operation(rapid.Uint8Range(uint8(first), uint8(last)).Draw(t, "operation")),
			d:  register.Draw(t, "d"), a: register.Draw(t, "a"), b: register.Draw(t, "b"), c: register.Draw(t, "c"), e: register.Draw(t, "e"),
		})
	}
	return append(lines, line{op: stop})
}

func drawRegisters(t *rapid.T) []float64 {
	r := make([]float64, 301)
	for i := range r {
		r[i] = rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -0.7, 1.3, 1e300, 3e-310, math.Inf(1), -2}).Draw(t, "number")
	}
	return r
}

func sameNumbers(t require.TestingT, want, got []float64) {
	for i, v := range want {
		if math.Float64bits(v) != math.Float64bits(got[i]) && !(v != v && got[i] != got[i]) {
			require.Equal(t, v, got[i], "number %d", i)
		}
	}
}

// What the processor's own code runs are the lines as Go has them, bit for bit.
func TestSegments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines, want := drawLines(t, true), drawRegisters(t)
		got := slices.Clone(want)
		require.Equal(t, segmentGo(lines, want), segment(lines, got))
		sameNumbers(t, want, got)
	})
}

func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := stepping{
			lines: drawLines(t, false), r: drawRegisters(t),
			steps: rapid.IntRange(0, 5).Draw(t, "steps"),
			state: rapid.IntRange(0, 5).Draw(t, "state"), width: rapid.IntRange(0, 5).Draw(t, "width"),
		}
		size := want.state + rapid.IntRange(0, 2).Draw(t, "more")
		want.recordBy, want.rowBy = size, want.width
		if rapid.Bool().Draw(t, "back") && want.steps > 0 {
			want.recordAt, want.recordBy, want.rowAt, want.rowBy = (want.steps-1)*size, -size, (want.steps-1)*want.width, -want.width
		}
		for range want.steps * want.width {
			want.rows = append(want.rows, rapid.Float64Range(-2, 2).Draw(t, "row"))
		}
		got := want
		got.r = slices.Clone(want.r)
		want.records, got.records = make([]float64, want.steps*size), make([]float64, want.steps*size)
		want.runGo()
		got.run()
		require.Zero(t, got.steps)
		sameNumbers(t, want.records, got.records)
		sameNumbers(t, want.r, got.r)
	})
}

// Each operation is what its comment says.
func TestOperations(t *testing.T) {
	const x, a, b, c, e = 0.9, 0.7, -1.3, 2.1, 0.4
	ab, ce := float64(a*b), float64(c*e) // of constants, each rounded
	xb, xe := float64(x*b), float64(x*e)
	want := map[operation]float64{
		move: a, add: a + b, sub: a - b, mul: ab, mulAdd: ab + c, mulSub: ab - c, subMul: c - ab,
		dot: ab + ce, det: ab - ce, div: a / b, sqrt: math.Sqrt(a),
		addX: x + b, subX: x - b, xSub: a - x, mulX: xb, mulXAdd: xb + c, mulAddX: ab + x, mulXSub: xb - c,
		mulSubX: ab - x, subMulX: c - xb, xSubMul: x - ab, dotX: xb + ce, detX: xb - ce, xDet: ab - xe,
		divX: x / b, xDiv: a / x, sqrtX: math.Sqrt(x),
	}
	for op := move; op < operations; op++ {
		r := []float64{1: a, 2: b, 3: c, 4: e, 5: x, 9: 0}
		segment([]line{{op: move, d: 9, a: 5}, {op: op, d: 8, a: 1, b: 2, c: 3, e: 4}, {op: stop}}, r)
		require.InDelta(t, want[op], r[8], 1e-15, op)
	}
}
