package problems

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/reverse"
)

// within asserts that got is the printed number want, to half a unit of its
// last place or 12 digits, whichever is more.
func within(t *testing.T, want string, got float64, what string) {
	t.Helper()
	w, err := strconv.ParseFloat(want, 64)
	require.NoError(t, err)
	places := 0
	if dot := strings.IndexByte(want, '.'); dot >= 0 {
		places = len(want) - dot - 1
	}
	assert.InDelta(t, w, got, max(0.5*math.Pow10(-places), 1e-12*math.Abs(w)), what)
}

// The table was computed outside of this library, by two independent programs:
// f, wᵀ∇f and wᵀ∇²f w at the start point, with wᵢ = cos i.
func TestScalarProblemsHaveTheirPublishedValues(t *testing.T) {
	for _, c := range []struct {
		name                    string
		size                    int
		value, slope, curvature string
	}{
		{"rosen", 1000, "5049.4144325584", "-0.71484326096", "31634.4332907596"},
		{"arrow", 1000, "3921.95796637394", "10574.6839092537", "27842.0957294677"},
		{"bdqrtic", 1000, "259846.917766304", "399231.35067901", "1080178.94119446"},
		{"minsurf", 1000, "1.08280747027618", "-0.0079296198734", "445.49591297415"},
		{"trig", 1000, "464.214849341812", "-0.0484863968674", "816.71358589945"},
		{"helmholtz", 100, "-3.65135124839956", "1.03689264618063", "6978.88713540113"},
		{"rnn", 8, "0.00529028096326", "0.0802617002498826", "0.848709200326"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Named(c.name).At(c.size)
			w := cosines(len(in.X0))
			r := make([]dual.Real, len(in.X0))
			n := make([]dual.Number, len(in.X0))
			h := make([]dual.Hyper, len(in.X0))
			for i, x := range in.X0 {
				r[i] = dual.Real(x)
				n[i] = dual.Number{V: x, D: w[i]}
				h[i] = dual.Hyper{V: x, D1: w[i], D2: w[i]}
			}
			within(t, c.value, in.Plain(in.X0), "plain f")
			within(t, c.value, Func[dual.Real](in)(r).Value(), "f")
			dn := Func[dual.Number](in)(n)
			within(t, c.value, dn.V, "f by Number")
			within(t, c.slope, dn.D, "wᵀ∇f by Number")
			dh := Func[dual.Hyper](in)(h)
			within(t, c.value, dh.V, "f by Hyper")
			within(t, c.slope, dh.D1, "wᵀ∇f by Hyper")
			within(t, c.slope, dh.D2, "wᵀ∇f by Hyper")
			within(t, c.curvature, dh.D12, "wᵀ∇²f w by Hyper")
			if f := ScanFunc[dual.Hyper](in); f != nil {
				dh := f(h)
				within(t, c.value, dh.V, "f by Scan")
				within(t, c.slope, dh.D1, "wᵀ∇f by Scan")
				within(t, c.curvature, dh.D12, "wᵀ∇²f w by Scan")
			}
			tape, err := reverse.Record(Func[reverse.Var](in), in.X0)
			require.NoError(t, err)
			f, g, err := tape.ValueGradient(nil, in.X0)
			require.NoError(t, err)
			within(t, c.value, f, "f by the tape")
			within(t, c.slope, floats.Dot(g, w), "wᵀ∇f by the tape")
			jvp, err := tape.JVP(nil, in.X0, w)
			require.NoError(t, err)
			within(t, c.slope, jvp[0], "∇f·w by the tape")
			for _, s := range hessian.Strategies {
				h := hessian.New(tape, s)
				b, err := h.Bilinear(in.X0, w, w)
				require.NoError(t, err)
				within(t, c.curvature, b, "wᵀ∇²f w by "+s.String())
				hv, err := h.HVP(nil, in.X0, w)
				require.NoError(t, err)
				within(t, c.curvature, floats.Dot(hv, w), "wᵀ(∇²f w) by "+s.String())
			}
		})
	}
}

// The table as above: wᵀF and wᵀJw.
func TestBratuHasItsPublishedValues(t *testing.T) {
	in := Named("bratu").At(1000)
	x, w := make([]dual.Number, len(in.X0)), cosines(len(in.X0))
	for i := range x {
		x[i] = dual.Number{V: in.X0[i], D: w[i]}
	}
	plain := make([]float64, len(x))
	in.PlainVec(plain, in.X0)
	var plainF, f, j float64
	for i, y := range VecFunc[dual.Number](in)(x) {
		plainF += w[i] * plain[i]
		f += w[i] * y.V
		j += w[i] * y.D
	}
	within(t, "-92.27269641336", plainF, "plain wᵀF")
	within(t, "-92.27269641336", f, "wᵀF")
	within(t, "742295.67183466", j, "wᵀJw")
	tape, err := reverse.RecordVec(VecFunc[reverse.Var](in), in.X0)
	require.NoError(t, err)
	y, err := tape.Values(nil, in.X0)
	require.NoError(t, err)
	within(t, "-92.27269641336", floats.Dot(w, y), "wᵀF by the tape")
	jw, err := tape.JVP(nil, in.X0, w)
	require.NoError(t, err)
	within(t, "742295.67183466", floats.Dot(w, jw), "wᵀ(Jw) by the tape")
	wj, err := tape.VJP(nil, in.X0, w)
	require.NoError(t, err)
	within(t, "742295.67183466", floats.Dot(wj, w), "(wᵀJ)w by the tape")
}

// cosines is wᵢ = cos i, i < n.
func cosines(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = math.Cos(float64(i))
	}
	return w
}

// Values in the domain of every problem: positive, and below 1 as helmholtz
// needs for bᵀx < 1.
func TestPlainFunctionIsTheGenericOne(t *testing.T) {
	sizes := map[string]int{"rnn": 7, "helmholtz": 23}
	for _, p := range All {
		size := 60
		if s, ok := sizes[p.Name]; ok {
			size = s
		}
		in := p.At(size)
		t.Run(p.Name, rapid.MakeCheck(func(t *rapid.T) {
			n := len(in.X0)
			x := rapid.SliceOfN(rapid.Float64Range(0.01, 1), n, n).Draw(t, "x")
			r := make([]dual.Real, n)
			for i := range r {
				r[i] = dual.Real(x[i])
			}
			if in.Plain != nil {
				want := in.Plain(x)
				assert.InDelta(t, want, Func[dual.Real](in)(r).Value(), 1e-14*math.Abs(want))
				return
			}
			// Components cancel, so that the scale is the largest of them.
			want := make([]float64, n)
			in.PlainVec(want, x)
			var scale float64
			for _, w := range want {
				scale = max(scale, math.Abs(w))
			}
			for i, y := range VecFunc[dual.Real](in)(r) {
				assert.InDelta(t, want[i], y.Value(), 1e-14*scale)
			}
		}))
	}
}

func TestEveryProblemHasOneKindOfFunction(t *testing.T) {
	for _, p := range All {
		in := p.At(p.Sizes[0])
		assert.Equal(t, in.Plain != nil, Func[dual.Real](in) != nil, p.Name)
		assert.Equal(t, in.PlainVec != nil, VecFunc[dual.Real](in) != nil, p.Name)
		assert.NotEqual(t, in.Plain != nil, in.PlainVec != nil, p.Name)
	}
}

func TestSizes(t *testing.T) {
	dims := map[string][]int{
		"rosen":     {1000, 10000, 100000},
		"arrow":     {1000, 10000, 100000},
		"bdqrtic":   {1000, 10000, 100000},
		"minsurf":   {32 * 32, 100 * 100, 316 * 316},
		"trig":      {1000, 10000, 100000},
		"helmholtz": {20, 100, 400},
		"rnn":       {8*8 + 6*8, 16*16 + 6*16, 32*32 + 6*32},
		"bratu":     {32 * 32, 100 * 100, 316 * 316},
	}
	for _, p := range All {
		var got []int
		for _, size := range p.Sizes {
			in := p.At(size)
			assert.Equal(t, size, in.Size)
			got = append(got, len(in.X0))
		}
		assert.Equal(t, dims[p.Name], got, p.Name)
	}
}

func TestSmallestSizesEvaluate(t *testing.T) {
	for _, p := range All {
		assert.Panics(t, func() { p.At(p.Min - 1) }, p.Name)
		in := p.At(p.Min)
		if in.Plain != nil {
			assert.False(t, math.IsNaN(in.Plain(in.X0)), p.Name)
			continue
		}
		y := make([]float64, len(in.X0))
		in.PlainVec(y, in.X0)
		assert.False(t, math.IsNaN(y[0]), p.Name)
	}
}

func TestPlainFunctionDoesNotAllocate(t *testing.T) {
	for _, p := range All {
		in := p.At(p.Sizes[0])
		y := make([]float64, len(in.X0))
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			if in.Plain != nil {
				in.Plain(in.X0)
			} else {
				in.PlainVec(y, in.X0)
			}
		}), p.Name)
	}
}

func TestVariablesOfNoSquareGridPanic(t *testing.T) {
	assert.PanicsWithValue(t, "problems: 8 variables are no square grid", func() {
		Minsurf(make([]dual.Real, 8))
	})
	assert.PanicsWithValue(t, "problems: 8 variables are no square grid", func() {
		Bratu(make([]dual.Real, 8))
	})
}

// BenchmarkPlain is the unit of all ratios, BenchmarkNumber one evaluation on
// dual numbers through the generic function.
func BenchmarkPlain(b *testing.B) {
	for _, p := range All {
		in := p.At(p.Sizes[1])
		y := make([]float64, len(in.X0))
		b.Run(p.Name, func(b *testing.B) {
			for b.Loop() {
				if in.Plain != nil {
					in.Plain(in.X0)
				} else {
					in.PlainVec(y, in.X0)
				}
			}
			perVariable(b, in)
		})
	}
}

func BenchmarkNumber(b *testing.B) {
	for _, p := range All {
		in := p.At(p.Sizes[1])
		x := make([]dual.Number, len(in.X0))
		for i := range x {
			x[i] = dual.Number{V: in.X0[i], D: 1}
		}
		f, vec := Func[dual.Number](in), VecFunc[dual.Number](in)
		b.Run(p.Name, func(b *testing.B) {
			for b.Loop() {
				if f != nil {
					f(x)
				} else {
					vec(x)
				}
			}
			perVariable(b, in)
		})
	}
}

func perVariable(b *testing.B, in *Instance) {
	ns := float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(ns/float64(b.N)/float64(len(in.X0)), "ns/variable")
}
