package compile_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/internal/compile"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/sweep"
	"github.com/hesse-ad/hesse/internal/tape"
	_ "github.com/hesse-ad/hesse/internal/testkit/hundreds"
)

var (
	nan, inf = math.NaN(), math.Inf(1)
	// The numbers for which a simplification might go wrong.
	specials = []float64{0, tape.NegZero, 1, -1, 2, -3, 0.1, -0.7, 5e-324, -0x1p-1022, math.MaxFloat64, inf, -inf, nan}
)

func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// twin is a primitive with two outputs, x·y and x − y.
type twin struct{}

func (twin) Dims() (n, m int)          { return 2, 2 }
func (twin) Name() string              { return "twin" }
func (twin) Eval(y, x []float64) error { y[0], y[1] = x[0]*x[1], x[0]-x[1]; return nil }
func (twin) JVP(dy, x, dx []float64) error {
	dy[0], dy[1] = x[1]*dx[0]+x[0]*dx[1], dx[0]-dx[1]
	return nil
}
func (twin) VJP(gx, x, w []float64) error {
	gx[0], gx[1] = x[1]*w[0]+w[1], x[0]*w[0]-w[1]
	return nil
}
func (twin) HVP(h, x, w, dx []float64) error { h[0], h[1] = w[0]*dx[1], w[0]*dx[0]; return nil }
func (twin) Jacobian(int) []int32            { return nil }
func (twin) Hessian(int) []int32             { return nil }

var cube = &tape.Scalar1{Name: "cube", F: [3]func(float64) float64{
	func(x float64) float64 { return x * x * x },
	func(x float64) float64 { return 3 * x * x },
	func(x float64) float64 { return 6 * x },
}}

// primitives are cube and twin by their operations.
type primitives struct{}

func (primitives) Own(f *tape.Scalar1, order int, x dual.Real) dual.Real {
	return dual.Real(f.At(order)(float64(x)))
}

func (primitives) Call(f tape.Func, x []dual.Real) []dual.Real {
	return []dual.Real{x[0].Mul(x[1]), x[0].Sub(x[1])}
}

// interpret evaluates a recording node by node, sums from their constant on.
func interpret(r *tape.Recording, x []float64) []dual.Real {
	v := make([]dual.Real, r.Len())
	real := func(c float64) dual.Real { return dual.Real(c) }
	for k := range v {
		i := int32(k)
		n := r.Node(i)
		if k < len(x) {
			v[k] = real(x[k])
			continue
		}
		switch n.Op {
		case op.Const:
			v[k] = real(r.ConstantOf(n))
		case op.Sum:
			v[k] = real(r.ConstantOf(n))
			for _, j := range r.List(n) {
				v[k] = v[k].Add(v[j])
			}
		case op.Affine:
			v[k] = real(r.ConstantOf(n))
			for t, j := range r.List(n) {
				v[k] = v[k].Add(v[j].Scale(r.Weights(n)[t]))
			}
		case op.Dot:
			v[k] = real(tape.NegZero)
			x, y := r.List(n)[:n.B], r.List(n)[n.B:]
			for t, j := range x {
				v[k] = v[k].Add(v[j].Mul(v[y[t]]))
			}
		case op.Select:
			l := r.List(n)
			v[k] = v[l[2]].Select(v[l[0]], v[l[1]])
		case op.Own:
			v[k] = primitives{}.Own(cube, int(n.B%4), v[n.A])
		case op.Call:
			var x []dual.Real
			for _, j := range r.List(r.Node(i - n.B)) {
				x = append(x, v[j])
			}
			v[k] = primitives{}.Call(twin{}, x)[n.B]
		default:
			y := v[n.A]
			if n.Op.Operands() == 2 {
				y = v[n.B]
			}
			v[k] = tape.Apply(n.Op, r.ConstantOf(n), v[n.A], y)
		}
	}
	return v
}

// traced is a recording that keeps operations as they are, for interpret.
func traced(inputs, params int) *tape.Recording {
	r := tape.NewRecording(inputs, params)
	r.Trace(func() uintptr { return 0 })
	return r
}

// drawn is a random recording: a body of operations, repeated on several
// inputs, so that there are batches; a few inputs are those of all. The same
// operations are recorded as they are, too.
type drawn struct {
	record func(r *tape.Recording) (out []int32)
	r      *tape.Recording
	inputs int
	params int
	out    []int32

	asIs    *tape.Recording
	asIsOut []int32
}

func drawRecording(t *rapid.T) drawn {
	copies := rapid.SampledFrom([]int{1, 2, 9, 40}).Draw(t, "copies")
	own := rapid.IntRange(1, 3).Draw(t, "own")
	interleaved := rapid.Bool().Draw(t, "interleaved")
	const shared = 2
	d := drawn{inputs: copies*own + 1, params: shared - 1}
	type instr struct {
		op   op.Code
		c    float64
		a, b int
		list []int
		w    []float64
	}
	ops := []op.Code{op.Const, op.Own, op.Sum, op.Affine, op.Dot, op.Select, op.Call}
	for code := range op.All {
		ops = append(ops, code, code)
	}
	for range 6 {
		ops = append(ops, op.Add, op.Sub, op.AddReal, op.Mul, op.Neg)
	}
	back := rapid.IntRange(0, 12)
	number := rapid.SampledFrom(append(specials, 0.5, -4, 0x1p1000, 1.5))
	least := rapid.SampledFrom([]int{1, 5, 20, 40}).Draw(t, "least") // rapid's slices are short
	body := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) instr {
		in := instr{op: rapid.SampledFrom(ops).Draw(t, "op"), a: back.Draw(t, "a"), b: back.Draw(t, "b")}
		switch in.op {
		case op.AddReal, op.RSub, op.Scale, op.DivReal, op.RDiv, op.PowReal, op.Const:
			in.c = number.Draw(t, "c")
		case op.PowInt:
			in.c = float64(rapid.IntRange(-4, 5).Draw(t, "n"))
		case op.Polygamma:
			in.c = float64(rapid.IntRange(0, 2).Draw(t, "n"))
		case op.Sum, op.Affine, op.Dot:
			in.list = rapid.SliceOfN(back, 1, 12).Draw(t, "list")
			in.c = number.Draw(t, "c")
			for range in.list {
				in.w = append(in.w, number.Draw(t, "w"))
			}
		case op.Select:
			in.list = []int{back.Draw(t, "z")}
		}
		return in
	}), least, 40).Draw(t, "body")
	guards := rapid.IntRange(0, 3).Draw(t, "guards")
	summed := rapid.Bool().Draw(t, "summed")
	live := rapid.Bool().Draw(t, "live") // what has no user is an output
	d.record = func(r *tape.Recording) []int32 {
		var ends []int32
		for c := range copies {
			v := []int32{int32(d.inputs - 1), int32(d.inputs)}
			for i := range own {
				if interleaved {
					v = append(v, int32(i*copies+c))
				} else {
					v = append(v, int32(c*own+i))
				}
			}
			used := map[int]bool{}
			at := func(back int) int32 {
				k := max(0, len(v)-1-back)
				used[k] = true
				return v[k]
			}
			for _, in := range body {
				list := make([]int32, len(in.list))
				for k, b := range in.list {
					list[k] = at(b)
				}
				a, b := at(in.a), at(in.b)
				switch in.op {
				case op.Const:
					v = append(v, r.Constant(in.c))
				case op.Own:
					v = append(v, r.Own(cube, 0, a))
				case op.Sum:
					c := in.c
					if c == 0 {
						c = tape.NegZero // as sums are recorded: they start with the first term
					}
					v = append(v, r.Sum(c, list))
				case op.Affine:
					v = append(v, r.Affine(in.c, in.w, list))
				case op.Dot:
					other := slices.Clone(list)
					slices.Reverse(other)
					v = append(v, r.Dot(list, other))
				case op.Select:
					v = append(v, r.Several(op.Select, 0, b, list[0], a))
				case op.Call:
					first := r.Call(twin{}, []int32{a, b})
					v = append(v, first, first+1)
				default:
					if in.op.Operands() == 1 {
						b = 0
					}
					v = append(v, r.Push(in.op, a, b, in.c))
				}
			}
			for k := range guards {
				r.Guard(tape.Guard{Kind: tape.LessReal, A: at(k * 5), C: nan}) // holds anywhere
			}
			for k := range v {
				if live && !used[k] || k == len(v)-1 {
					ends = append(ends, v[k])
				}
			}
		}
		if summed {
			s := ends[0]
			for _, e := range ends[1:] {
				s = r.Push(op.Add, s, e, 0)
			}
			ends = []int32{s}
		}
		return ends
	}
	d.r = tape.NewRecording(d.inputs, d.params)
	d.out = d.record(d.r)
	d.asIs = traced(d.inputs, d.params)
	d.asIsOut = d.record(d.asIs)
	return d
}

// String is the recording, one node a line.
func (d drawn) String() string {
	var b strings.Builder
	for i := d.inputs + d.params; i < d.asIs.Len(); i++ {
		n := d.asIs.Node(int32(i))
		fmt.Fprintf(&b, "%%%d = %v %d %d %v %v\n", i, n.Op, n.A, n.B, d.asIs.ConstantOf(n), d.asIs.List(n))
	}
	fmt.Fprintf(&b, "outputs %v\n", d.asIsOut)
	return b.String()
}

// While operations are recorded their uses are counted.
func TestUsesAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRecording(t).r
		if !r.CountsUses() {
			return
		}
		want := make([]int, r.Len())
		for i := r.First(); i < r.Len(); i++ {
			n := r.Node(int32(i))
			switch n.Op.Operands() {
			case 2:
				want[n.B]++
				fallthrough
			case 1:
				want[n.A]++
			}
			for _, j := range r.List(n) {
				want[j]++
			}
		}
		for i := r.First(); i < r.Len(); i++ {
			if got := r.Node(int32(i)).Uses(); got != min(want[i], 2) {
				t.Fatalf("node %d has %d uses, want %d", i, got, want[i])
			}
		}
	})
}

// Uses are counted where a second one comes so late that it is in the hash table.
func TestUsesFarApartAreCounted(t *testing.T) {
	r := tape.NewRecording(2, 0)
	sum := r.Push(op.Add, 0, 1, 0)
	last := r.Push(op.Sin, sum, 0, 0)
	for range 1 << 17 {
		last = r.Push(op.Sin, last, 0, 0)
	}
	r.Push(op.Cos, sum, 0, 0)
	require.Equal(t, 2, r.Node(sum).Uses())
}

// A node has room for two operands, or for one and a constant.
func TestConstantsAreInPlaceOfAnOperand(t *testing.T) {
	for code := range op.All {
		if code.Constant() != op.NoConstant {
			require.Equal(t, 1, code.Operands(), code)
		}
	}
}

// Whatever the compiler does, the bits stay: at all numbers.
func TestCompiledProgramsHaveTheBitsOfTheRecording(t *testing.T) { rapid.Check(t, compiledBits) }
func FuzzCompiledProgramsHaveTheBitsOfTheRecording(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(compiledBits))
}

func compiledBits(t *rapid.T) {
	d := drawRecording(t)
	p := sweep.New(compile.Compile(d.r, d.out))
	ws := p.Get()
	for range 3 {
		x := rapid.SliceOfN(rapid.SampledFrom(specials), d.inputs+d.params, d.inputs+d.params).Draw(t, "x")
		want := interpret(d.asIs, x)
		guard, err := ws.Value(x[:d.inputs], x[d.inputs:])
		if guard != nil || err != nil {
			t.Fatal(guard, err)
		}
		for j, i := range d.asIsOut {
			if got := ws.Output(j); !sameBits(got, float64(want[i])) {
				t.Fatalf("output %d: %v, want %v at %v\n%v", j, got, want[i], x, d)
			}
		}
		// Node by node as in batches.
		all := slices.Clone(ws.Values())
		one := sweep.New(compile.NodeByNode(&p.Tape))
		wo := one.Get()
		if _, err := wo.Value(x[:d.inputs], x[d.inputs:]); err != nil {
			t.Fatal(err)
		}
		for i := range all {
			if !sameBits(all[i], wo.Values()[i]) {
				t.Fatalf("node %d: %v, unbatched %v\n%v", i, all[i], wo.Values()[i], d)
			}
		}
	}
}

// The form of a program is what its comment says.
func TestCompiledProgramsAreInOrder(t *testing.T) { rapid.Check(t, inOrder) }
func FuzzCompiledProgramsAreInOrder(f *testing.F) { f.Fuzz(rapid.MakeFuzz(inOrder)) }

func inOrder(t *rapid.T) {
	d := drawRecording(t)
	p := sweep.New(compile.Compile(d.r, d.out))
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf(format+"\n%v", append(args, d)...)
	}

	// Every operand is before its user.
	size := int32(p.Len())
	reached := make([]bool, size)
	for _, i := range p.OutputNodes() {
		reached[i] = true
	}
	for _, g := range p.Guards() {
		reached[g.A] = true
	}
	inner := make([]bool, size)
	for i := size - 1; i >= int32(p.Base()); i-- {
		called := p.Op(i) == op.Call
		if called { // its outputs stay together
			first := p.FirstOutput(i)
			reached[first] = reached[first] || reached[i]
			inner[first] = inner[first] || inner[i]
		}
		if !reached[i] && !called {
			fail("node %d reaches nothing", i)
		}
		p.EachOperand(i, func(j int32) {
			if j >= i || j < 0 {
				fail("operand %d of node %d", j, i)
			}
			reached[j] = true
			inner[j] = inner[j] || inner[i] || !p.Op(i).Linear()
		})
	}

	// Batches are all nodes in order; the nodes of one do not depend on each
	// other, and their operands lie as it says.
	next := int32(p.Base())
	for _, b := range p.Batches() {
		if b.Lo != next || b.Hi <= b.Lo {
			fail("batch %d … %d after %d", b.Lo, b.Hi, next)
		}
		next = b.Hi
		some := slices.Contains(inner[b.Lo:b.Hi], true)
		if some && !b.FeedsNonlinear {
			fail("batch %d … %d has nonlinear descendants", b.Lo, b.Hi)
		}
		if b.Kind == compile.Mixed {
			continue
		}
		for i := b.Lo; i < b.Hi; i++ {
			if p.Op(i) != b.Op {
				fail("%v in a batch of %v", p.Op(i), b.Op)
			}
			p.EachOperand(i, func(j int32) {
				if j >= b.Lo {
					fail("node %d in the batch of its user %d", j, i)
				}
			})
			first, second := p.Args(i)
			for k, o := range []compile.Operand{b.A, b.B}[:b.Op.Operands()] {
				j := []int32{first, second}[k]
				if o.Access == compile.Consecutive && j != o.At+i-b.Lo || o.Access == compile.Uniform && j != o.At || j != o.Index[i-b.Lo] {
					fail("operand %d of node %d is not at %v", j, i, o)
				}
			}
		}
	}
	if next != size {
		fail("batches end at %d of %d", next, size)
	}

	// Equal nodes are one.
	type key struct {
		op   op.Code
		a, b int32
		c    uint64
	}
	seen := map[key]int32{}
	for i := int32(p.Base()); i < size; i++ {
		code := p.Op(i)
		if code.HasList() {
			continue
		}
		k := key{op: code, c: math.Float64bits(p.Constant(i))}
		k.a, k.b = p.Args(i)
		if code.Operands() == 1 && code != op.Own {
			k.b = 0
		}
		if j, ok := seen[k]; ok {
			fail("nodes %d and %d are equal: %v", j, i, k)
		}
		seen[k] = i
	}
}

// compiled is the operations of a program.
func compiled(p *sweep.Engine) (ops []op.Code) {
	for i := p.Base(); i < p.Len(); i++ {
		ops = append(ops, p.Op(int32(i)))
	}
	return ops
}

func TestSimplifications(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(r *tape.Recording) int32
		want []op.Code
	}{
		{"x·x", func(r *tape.Recording) int32 { return r.Push(op.Mul, 0, 0, 0) }, []op.Code{op.Square}},
		{"x∘x", func(r *tape.Recording) int32 { return r.Push(op.Prod, 0, 0, 0) }, []op.Code{op.Square}},
		{"x + (−y)", func(r *tape.Recording) int32 { return r.Push(op.Add, 0, r.Push(op.Neg, 1, 0, 0), 0) }, []op.Code{op.Sub}},
		{"(−x) + y", func(r *tape.Recording) int32 { return r.Push(op.Add, r.Push(op.Neg, 0, 0, 0), 1, 0) }, []op.Code{op.Sub}},
		{"(−x) + (−y)", func(r *tape.Recording) int32 {
			return r.Push(op.Add, r.Push(op.Neg, 0, 0, 0), r.Push(op.Neg, 1, 0, 0), 0)
		}, []op.Code{op.Neg, op.Sub}},
		{"(−x) + (−x)", func(r *tape.Recording) int32 {
			n := r.Push(op.Neg, 0, 0, 0)
			return r.Push(op.Add, n, n, 0)
		}, []op.Code{op.Neg, op.Sub}},
		{"x − (−y)", func(r *tape.Recording) int32 { return r.Push(op.Sub, 0, r.Push(op.Neg, 1, 0, 0), 0) }, []op.Code{op.Add}},
		{"−(−x)", func(r *tape.Recording) int32 { return r.Push(op.Neg, r.Push(op.Neg, 0, 0, 0), 0, 0) }, []op.Code{}},
		{"(−x)²", func(r *tape.Recording) int32 { return r.Push(op.Square, r.Push(op.Neg, 0, 0, 0), 0, 0) }, []op.Code{op.Square}},
		{"|−x|", func(r *tape.Recording) int32 { return r.Push(op.Abs, r.Push(op.Neg, 0, 0, 0), 0, 0) }, []op.Code{op.Abs}},
		{"cos(−x)", func(r *tape.Recording) int32 { return r.Push(op.Cos, r.Push(op.Neg, 0, 0, 0), 0, 0) }, []op.Code{op.Cos}},
		{"sin(−x)", func(r *tape.Recording) int32 { return r.Push(op.Sin, r.Push(op.Neg, 0, 0, 0), 0, 0) }, []op.Code{op.Neg, op.Sin}},
		{"1·x", func(r *tape.Recording) int32 { return r.Push(op.Scale, 0, 0, 1) }, []op.Code{}},
		{"−1·x", func(r *tape.Recording) int32 { return r.Push(op.Scale, 0, 0, -1) }, []op.Code{op.Neg}},
		{"3·(−x)", func(r *tape.Recording) int32 { return r.Push(op.Scale, r.Push(op.Neg, 0, 0, 0), 0, 3) }, []op.Code{op.Scale}},
		{"0·(−x)", func(r *tape.Recording) int32 { return r.Push(op.Scale, r.Push(op.Neg, 0, 0, 0), 0, 0) }, []op.Code{op.Scale}},
		{"x/1", func(r *tape.Recording) int32 { return r.Push(op.DivReal, 0, 0, 1) }, []op.Code{}},
		{"x/4", func(r *tape.Recording) int32 { return r.Push(op.DivReal, 0, 0, 4) }, []op.Code{op.Scale}},
		{"x/−0.5", func(r *tape.Recording) int32 { return r.Push(op.DivReal, 0, 0, -0.5) }, []op.Code{op.Scale}},
		{"x/2¹⁰²³", func(r *tape.Recording) int32 { return r.Push(op.DivReal, 0, 0, 0x1p1023) }, []op.Code{op.Scale}},
		{"x/2⁻¹⁰²²", func(r *tape.Recording) int32 { return r.Push(op.DivReal, 0, 0, 0x1p-1022) }, []op.Code{op.Scale}},
		{"x/2⁻¹⁰⁷⁴", func(r *tape.Recording) int32 { return r.Push(op.DivReal, 0, 0, 0x1p-1074) }, []op.Code{op.DivReal}},
		{"x/3", func(r *tape.Recording) int32 { return r.Push(op.DivReal, 0, 0, 3) }, []op.Code{op.DivReal}},
		{"x/0", func(r *tape.Recording) int32 { return r.Push(op.DivReal, 0, 0, 0) }, []op.Code{op.DivReal}},
		{"x/∞", func(r *tape.Recording) int32 { return r.Push(op.DivReal, 0, 0, inf) }, []op.Code{op.DivReal}},
		{"x + 0", func(r *tape.Recording) int32 { return r.Push(op.AddReal, 0, 0, 0) }, []op.Code{op.AddReal}},
		{"0·x", func(r *tape.Recording) int32 { return r.Push(op.Scale, 0, 0, 0) }, []op.Code{op.Scale}},
		{"x − x", func(r *tape.Recording) int32 { return r.Push(op.Sub, 0, 0, 0) }, []op.Code{op.Sub}},
		{"y·x + x·y", func(r *tape.Recording) int32 {
			return r.Push(op.Add, r.Push(op.Mul, 1, 0, 0), r.Push(op.Mul, 0, 1, 0), 0)
		}, []op.Code{op.Mul, op.Add}},
		{"y − x, x − y", func(r *tape.Recording) int32 {
			return r.Push(op.Add, r.Push(op.Sub, 1, 0, 0), r.Push(op.Sub, 0, 1, 0), 0)
		}, []op.Code{op.Sub, op.Sub, op.Add}},
		{"Sum x, y", func(r *tape.Recording) int32 { return r.Sum(tape.NegZero, []int32{0, 1}) }, []op.Code{op.Add}},
		{"2 + Sum x, y", func(r *tape.Recording) int32 { return r.Sum(2, []int32{0, 1}) }, []op.Code{op.AddReal, op.Add}},
		{"Affine", func(r *tape.Recording) int32 { return r.Affine(0, []float64{1, -1, 3}, []int32{0, 1, 1}) }, nil},
		{"Dot", func(r *tape.Recording) int32 { return r.Dot([]int32{0, 1}, []int32{1, 1}) }, []op.Code{op.Mul, op.Square, op.Add}},
		{"Dot of 8", func(r *tape.Recording) int32 {
			return r.Dot([]int32{0, 1, 0, 1, 0, 1, 0, 1}, []int32{1, 1, 1, 1, 1, 1, 1, 1})
		}, []op.Code{op.Dot}},
	} {
		r := tape.NewRecording(2, 0)
		p := sweep.New(compile.Compile(r, []int32{c.make(r)}))
		asIs := traced(2, 0)
		out := c.make(asIs)
		got := slices.Clone(compiled(p))
		slices.Sort(got)
		slices.Sort(c.want)
		if c.want != nil {
			require.Equal(t, fmt.Sprint(c.want), fmt.Sprint(got), c.name)
		}
		ws := p.Get()
		for _, x := range specials {
			for _, y := range specials {
				_, err := ws.Value([]float64{x, y}, nil)
				require.NoError(t, err)
				want := float64(interpret(asIs, []float64{x, y})[out])
				require.True(t, sameBits(want, ws.Output(0)), "%s at (%v, %v): %v, want %v", c.name, x, y, ws.Output(0), want)
			}
		}
	}
}

// Loops that add term by term.
func TestChainsBecomeSums(t *testing.T) {
	const n = 12 // inputs; terms are their squares
	type loop func(r *tape.Recording, term []int32) int32
	add := func(r *tape.Recording, s, t int32) int32 { return r.Push(op.Add, s, t, 0) }
	for _, c := range []struct {
		name string
		loop loop
		want map[op.Code]int
	}{
		{"s + t", func(r *tape.Recording, term []int32) int32 {
			s := term[0]
			for _, t := range term[1:] {
				s = add(r, s, t)
			}
			return s
		}, map[op.Code]int{op.Sum: 1}},
		{"t + s", func(r *tape.Recording, term []int32) int32 {
			s := term[0]
			for _, t := range term[1:] {
				s = add(r, t, s)
			}
			return s
		}, map[op.Code]int{op.Sum: 1}},
		{"s + t from a constant", func(r *tape.Recording, term []int32) int32 {
			s := r.Push(op.AddReal, term[0], 0, 3)
			for _, t := range term[1:] {
				s = add(r, s, t)
			}
			return s
		}, map[op.Code]int{op.Sum: 1}},
		{"constants between", func(r *tape.Recording, term []int32) int32 {
			s := term[0]
			for _, t := range term[1:] {
				s = r.Push(op.AddReal, add(r, s, t), 0, 0.5)
			}
			return s
		}, map[op.Code]int{op.Sum: 1}},
		{"s ± t", func(r *tape.Recording, term []int32) int32 {
			s := term[0]
			for k, t := range term[1:] {
				s = r.Push([]op.Code{op.Add, op.Sub}[k%2], s, t, 0)
			}
			return s
		}, map[op.Code]int{op.Affine: 1}},
		{"seven additions", func(r *tape.Recording, term []int32) int32 {
			s := term[0]
			for _, t := range term[1:8] {
				s = add(r, s, t)
			}
			return s
		}, map[op.Code]int{op.Add: 7}},
		{"t − s", func(r *tape.Recording, term []int32) int32 {
			s := term[0]
			for _, t := range term[1:] {
				s = r.Push(op.Sub, t, s, 0)
			}
			return s
		}, map[op.Code]int{op.Sub: n - 1}},
		{"a sum between is used", func(r *tape.Recording, term []int32) int32 {
			s := term[0]
			var between int32
			for k, t := range term[1:] {
				s = add(r, s, t)
				if k == 1 {
					between = s
				}
			}
			return r.Push(op.Mul, s, between, 0)
		}, map[op.Code]int{op.Add: 2, op.Sum: 1, op.Mul: 1}},
		{"a sum between is guarded", func(r *tape.Recording, term []int32) int32 {
			s := term[0]
			for k, t := range term[1:] {
				s = add(r, s, t)
				if k == 1 {
					r.Guard(tape.Guard{Kind: tape.LessReal, A: s, C: nan})
				}
			}
			return s
		}, map[op.Code]int{op.Add: 2, op.Sum: 1}},
		{"a sum is used twice, once added to a longer one", func(r *tape.Recording, term []int32) int32 {
			u, s := term[0], term[1]
			for k := range 10 {
				u = add(r, u, term[k+2])
			}
			for k := range 9 {
				s = add(r, s, term[k])
			}
			return r.Push(op.Mul, add(r, s, u), s, 0)
		}, map[op.Code]int{op.Sum: 2, op.Mul: 1}},
		{"a sum is added to in vain", func(r *tape.Recording, term []int32) int32 {
			s := term[0]
			for _, t := range term[1:] {
				s = add(r, s, t)
			}
			add(r, s, term[0])
			return r.Push(op.Exp, s, 0, 0)
		}, map[op.Code]int{op.Sum: 1, op.Exp: 1}},
		{"two loops meet", func(r *tape.Recording, term []int32) int32 {
			s, u := term[0], term[1]
			for k := range 9 {
				s, u = add(r, s, term[k]), r.Push(op.Sub, u, term[k], 0)
			}
			return add(r, s, u)
		}, map[op.Code]int{op.Sum: 1, op.Affine: 1}},
	} {
		record := func(r *tape.Recording) int32 {
			term := make([]int32, n)
			for i := range term {
				term[i] = r.Push(op.Square, int32(i), 0, 0)
			}
			return c.loop(r, term)
		}
		r, asIs := tape.NewRecording(n, 0), traced(n, 0)
		p := sweep.New(compile.Compile(r, []int32{record(r)}))
		out := record(asIs)
		got := map[op.Code]int{}
		for _, code := range compiled(p) {
			if code != op.Square {
				got[code]++
			}
		}
		require.Equal(t, c.want, got, c.name)
		ws := p.Get()
		x := make([]float64, n)
		for k := range 50 {
			for i := range x {
				x[i] = math.Sin(float64(i*k)) * math.Exp2(float64(i*k%60-30))
				if k >= 40 {
					x[i] = specials[(i*k+k)%len(specials)]
				}
			}
			_, err := ws.Value(x, nil)
			require.NoError(t, err)
			require.True(t, sameBits(float64(interpret(asIs, x)[out]), ws.Output(0)), c.name)
		}
	}
}

// Nodes of alike operations are batches; what is consecutive stays so, and
// what can be made consecutive is.
func TestBatchesOfLoops(t *testing.T) {
	const n = 100
	for _, c := range []struct {
		name string
		make func(r *tape.Recording, i int32) int32
		want []string
	}{
		{"neighbors", func(r *tape.Recording, i int32) int32 { return r.Push(op.Mul, i, i+1, 0) }, []string{"Mul direct direct"}},
		{"two kinds in turn", func(r *tape.Recording, i int32) int32 {
			return r.Push(op.Div, r.Push(op.Exp, i, 0, 0), r.Push(op.Sin, i+1, 0, 0), 0)
		}, []string{"Exp direct", "Sin direct", "Div direct direct"}},
		{"one for all", func(r *tape.Recording, i int32) int32 { return r.Push(op.Pow, i, n, 0) }, []string{"Pow direct uniform"}},
		{"all for one", func(r *tape.Recording, i int32) int32 { return r.Push(op.Scale, n, 0, float64(i+2)) }, []string{"Scale uniform"}},
		{"two of a kind in turn", func(r *tape.Recording, i int32) int32 {
			return r.Push(op.Div, r.Push(op.Scale, i, 0, 3), r.Push(op.Scale, i, 0, 5), 0)
		}, []string{"Scale direct", "Scale direct", "Div direct direct"}},
		{"sums", func(r *tape.Recording, i int32) int32 {
			return r.Affine(1, []float64{3, 5, float64(i + 2)}, []int32{i, n, i + 1})
		}, []string{"Affine direct uniform direct"}},
		{"scattered", func(r *tape.Recording, i int32) int32 { return r.Push(op.Sub, i*i%n, i*i*i%n, 0) }, []string{"Sub indexed indexed"}},
	} {
		r := tape.NewRecording(n+1, 0)
		var out []int32
		for i := range int32(n) {
			out = append(out, c.make(r, i))
		}
		p := sweep.New(compile.Compile(r, out))
		var got []string
		for _, b := range p.Batches() {
			s := b.Op.String()
			operands := []compile.Operand{b.A, b.B}[:b.Op.Operands()]
			for _, t := range b.Terms {
				operands = append(operands, t.Operand)
			}
			for _, o := range operands {
				s += [...]string{" indexed", " direct", " uniform"}[o.Access]
			}
			got = append(got, s)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		require.Equal(t, c.want, got, c.name)
	}
}

func TestDeadCodeGoesAway(t *testing.T) {
	r := tape.NewRecording(3, 0)
	live := r.Push(op.Mul, 0, 1, 0)
	r.Push(op.Exp, live, 0, 0)
	first := r.Call(twin{}, []int32{2, live})
	r.Call(twin{}, []int32{live, live}) // dead
	r.Sum(1, []int32{0, 1, 2, live})    // dead
	out := r.Push(op.Sin, first+1, 0, 0)
	p := sweep.New(compile.Compile(r, []int32{out}))
	require.Equal(t, []op.Code{op.Mul, op.Call, op.Call, op.Sin}, compiled(p))
}

// A recording and its compilation leave nothing to the next.
func TestCompilationsAreIndependent(t *testing.T) { rapid.Check(t, compilationsAreIndependent) }
func FuzzCompilationsAreIndependent(f *testing.F) { f.Fuzz(rapid.MakeFuzz(compilationsAreIndependent)) }

func compilationsAreIndependent(t *rapid.T) {
	d := drawRecording(t)
	first := sweep.New(compile.Compile(d.r, d.out))
	d.r.Close()
	other := drawRecording(t)
	compile.Compile(other.r, nil)
	other.r.Close()
	r := tape.NewRecording(d.inputs, d.params)
	again := sweep.New(compile.Compile(r, d.record(r)))
	r.Close()
	require.Equal(t, fmt.Sprint(first.Program), fmt.Sprint(again.Program))
}
