package terms_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	known "github.com/hesse-ad/hesse/bench/classics"
	"github.com/hesse-ad/hesse/bench/models"
	"github.com/hesse-ad/hesse/bench/problems"
	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/hessian"
	"github.com/hesse-ad/hesse/internal/testkit/gorun"
	"github.com/hesse-ad/hesse/reverse"
)

// written is Go source of plans, and what their functions give.
type written struct {
	files  map[string][]byte
	main   bytes.Buffer
	names  []string // of the plans
	calls  []string
	want   [][]float64 // nil for an error
	sizes  []int       // how many results of a call need not have the bits, the last ones
	far    []bool      // what is computed on the way may overflow
	isNear []bool      // of a call, near when it was added

	fails  bool // the functions return an error, too
	near   bool // derivatives agree up to rounding
	isFar  bool // of the point at hand
	text   string
	allocs bool // the next calls must not allocate
}

// hash is a number for the bits of others; all NaN are the same.
func hash(x ...[]float64) uint64 {
	h := uint64(14695981039346656037)
	for _, x := range x {
		for _, v := range x {
			b := math.Float64bits(v)
			if v != v {
				b = 1
			}
			for range 8 {
				h = (h ^ b&0xff) * 1099511628211
				b >>= 8
			}
		}
	}
	return h
}

func goSource(name string) reverse.GoSource {
	var inputs []string
	if name == "named" || name == "Named" {
		inputs = []string{"careful", "finite", "err"}
	}
	return reverse.GoSource{Inputs: inputs, Package: "main", Name: name, Primitives: map[string]reverse.GoPrimitive{"sine": {F: "sin", DF: "cos", DDF: "negSin"}}}
}

// fileOf is the file of a name; names may differ in a capital.
func fileOf(name string) string {
	if name == "Named" {
		name += "2"
	}
	return name + ".go"
}

// ramp is n numbers that the program makes, too, where their bits would be many.
func ramp(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + float64(i%8)/8
	}
	return x
}

func bitsOf(x []float64) string {
	if len(x) > 1000 && slices.Equal(x, ramp(len(x))) {
		return fmt.Sprintf("ramp(%d)", len(x))
	}
	var s strings.Builder
	s.WriteString("at(")
	for _, v := range x {
		fmt.Fprintf(&s, "%#x, ", math.Float64bits(v))
	}
	return s.String() + ")"
}

// call adds a call, with DST for an array of the numbers that come out.
func (w *written) call(call string, f bool, err error, sizes []int, want ...[]float64) {
	for k, n := range sizes {
		call = strings.Replace(call, fmt.Sprintf("DST%d", k), fmt.Sprintf("dst[%d][:%d]", k, n), 1)
	}
	var shown []string
	for k, n := range sizes {
		shown = append(shown, fmt.Sprintf("dst[%d][:%d]", k, n))
	}
	var results []string
	if f {
		results = append(results, "f")
		shown = append([]string{"[]float64{f}"}, shown...)
	}
	if w.fails {
		results = append(results, "err")
	}
	function := call[:strings.Index(call, "(")]
	if _, rest, _ := strings.Cut(w.text, "func "+function+"("); strings.Contains(rest[:strings.Index(rest, "\n")], "work *") {
		call = call[:len(call)-1] + ", work)"
	}
	fmt.Fprintf(&w.main, "near, err = %v, nil\n", w.near)
	run := call
	if len(results) > 0 {
		run = strings.Join(results, ", ") + " = " + call
	}
	if w.allocs && err == nil {
		fmt.Fprintf(&w.main, "allocs(func() { %s })\n", run)
	} else {
		fmt.Fprintf(&w.main, "%s\n", run)
	}
	fmt.Fprintf(&w.main, "show(%s)\n", strings.Join(shown, ", "))
	w.calls, w.far = append(w.calls, call), append(w.far, w.isFar)
	size := 0
	if w.near {
		for _, n := range sizes {
			size += n
		}
	}
	all := append([]float64{}, slices.Concat(want...)...)
	if err != nil {
		all = nil
	}
	w.want, w.sizes, w.isNear = append(w.want, all), append(w.sizes, size), append(w.isNear, w.near)
}

// agrees reports whether a line of the program, for call k, is what is wanted.
func (w *written) agrees(k int, line string) bool {
	want := w.want[k]
	switch {
	case want == nil || line == "err":
		return want == nil && line == "err"
	case !w.isNear[k]:
		return line == strconv.FormatUint(hash(want), 10)
	}
	got := strings.FieldsFunc(line, func(c rune) bool { return c == ',' })
	if len(got) != len(want) {
		return false
	}
	largest := floats.Norm(want, math.Inf(1))
	for i, s := range got {
		bits, err := strconv.ParseUint(s, 16, 64)
		v := math.Float64frombits(bits)
		switch exact := i < len(want)-w.sizes[k]; {
		case err != nil:
			return false
		case v == want[i] && (!exact || math.Float64bits(v) == math.Float64bits(want[i])) || v != v && want[i] != want[i]:
		case exact:
			return false
		case w.far[k]: // what overflows in the plan may not in its source, not the other way
			if v != v {
				return false
			}
		case !(math.Abs(v-want[i]) <= 1e-9*(1+largest)): // bounds are asked of tapes, in randprog
			return false
		}
	}
	return true
}

const writtenMain = `package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// allocs runs f, which must not allocate.
func allocs(f func()) {
	if n := testing.AllocsPerRun(1, f); n != 0 {
		fmt.Fprintln(os.Stderr, n, "allocations")
		os.Exit(1)
	}
}

var (
	f    float64
	err  error
	near bool
	dst  [2][]float64
)

func sin(x float64) float64    { return math.Sin(x) }
func cos(x float64) float64    { return math.Cos(x) }
func negSin(x float64) float64 { return -math.Sin(x) }

func at(bits ...uint64) []float64 {
	x := make([]float64, len(bits))
	for i, b := range bits {
		x[i] = math.Float64frombits(b)
	}
	return x
}

func ramp(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1 + float64(i%8)/8
	}
	return x
}

func show(x ...[]float64) {
	h := uint64(14695981039346656037)
	var all []string
	for _, x := range x {
		for _, v := range x {
			b := math.Float64bits(v)
			if v != v {
				b = 1
			}
			if near {
				all = append(all, fmt.Sprintf("%x", math.Float64bits(v)))
			}
			for range 8 {
				h = (h ^ b&0xff) * 1099511628211
				b >>= 8
			}
		}
	}
	switch {
	case err != nil:
		fmt.Println("err")
	case near:
		fmt.Println(strings.Join(all, ","))
	default:
		fmt.Println(h)
	}
	for k := range dst {
		for i := range dst[k] {
			dst[k][i] = 7
		}
	}
}

func main() {
	for k := range dst {
		dst[k] = make([]float64, 100000)
	}
`

// run compiles all that was written and compares.
func (w *written) run(t *testing.T) {
	var main bytes.Buffer
	main.WriteString(writtenMain)
	for _, name := range w.names {
		fmt.Fprintf(&main, "call%s()\n", name)
	}
	main.Write(w.main.Bytes())
	main.WriteString("}\n")
	w.files["main.go"] = main.Bytes()
	out := strings.Split(strings.TrimSuffix(gorun.Run(t, w.files), "\n"), "\n")
	require.Len(t, out, len(w.want))
	for k, s := range out {
		if !w.agrees(k, s) {
			name := regexp.MustCompile(`(Gradient|Hessian|Jacobian|All|Value|HVP)\(.*`).ReplaceAllString(w.calls[k], "")
			t.Errorf("%s differs: %s, want %x\n%s", w.calls[k], s, w.want[k], w.files[fileOf(name)])
			return
		}
	}
}

// begin begins the calls of functions of a name.
func (w *written) begin(name, text string) {
	w.fails = strings.Contains(text, "BranchError")
	w.near = strings.Contains(text, "Swept")
	fmt.Fprintf(&w.main, "}\n\nfunc call%s() {\n", name)
	if w.text = text; strings.Contains(text, name+"Work struct") {
		fmt.Fprintf(&w.main, "work := new(%sWork)\n", name)
	}
}

// point is the arguments of calls at point k.
func (w *written) point(k int, x []float64, n int) string {
	w.allocs = k == 0
	w.isFar = slices.ContainsFunc(x, func(v float64) bool { return !(math.Abs(v) < 1e100) })
	fmt.Fprintf(&w.main, "{\nx := %s\n", bitsOf(x[:n]))
	if len(x) == n {
		return "x"
	}
	fmt.Fprintf(&w.main, "p := %s\n", bitsOf(x[n:]))
	return "x, p"
}

func (w *written) addHessian(t *testing.T, name string, tape *reverse.Tape, points [][]float64, s hessian.SparseSettings) bool {
	h, err := s.New(tape)
	if err != nil {
		return false
	}
	var text bytes.Buffer
	if err := h.WriteGo(&text, goSource(name)); err != nil {
		require.ErrorAs(t, err, new(*reverse.NoSourceError))
		return false
	}
	w.files[fileOf(name)], w.names = text.Bytes(), append(w.names, name)
	var weights []float64
	if m := tape.Outputs(); m > 1000 {
		weights = ramp(m)
	} else if m > 1 {
		for j := range m {
			weights = append(weights, 1-0.75*float64(j%4))
		}
	}
	n, nnz := tape.Inputs(), h.Pattern().NNZ()
	w.begin(name, text.String())
	for k, x := range points {
		args := w.point(k, x, n)
		if weights != nil {
			args += ", w"
			fmt.Fprintf(&w.main, "w := %s\n", bitsOf(weights))
		}
		a, g := h.Matrix(), make([]float64, n)
		f, _, err := h.ValueGradient(g, x, weights...)
		w.call(name+"Gradient(DST0, "+args+")", true, err, []int{n}, []float64{f}, g)
		_, err = h.Eval(a, x, weights...)
		w.call(name+"Hessian(DST0, "+args+")", false, err, []int{nnz}, a.Values())
		f, err = h.EvalAll(a, g, x, weights...)
		w.call(name+"All(DST0, DST1, "+args+")", true, err, []int{nnz, n}, []float64{f}, a.Values(), g)
		w.main.WriteString("}\n")
	}
	return true
}

func (w *written) addJacobian(t *testing.T, name string, tape *reverse.Tape, points [][]float64, s reverse.SparseSettings) bool {
	j, err := s.New(tape)
	if err != nil {
		return false
	}
	var text bytes.Buffer
	if err := j.WriteGo(&text, goSource(name)); err != nil {
		require.ErrorAs(t, err, new(*reverse.NoSourceError))
		return false
	}
	w.files[fileOf(name)], w.names = text.Bytes(), append(w.names, name)
	n, nnz := tape.Inputs(), j.Pattern().NNZ()
	w.begin(name, text.String())
	for k, x := range points {
		args := w.point(k, x, n)
		a, y := j.Matrix(), make([]float64, tape.Outputs())
		err := j.EvalAll(a, y, x)
		w.call(name+"Jacobian(DST0, "+args+")", false, err, []int{nnz}, a.Values())
		w.call(name+"All(DST0, DST1, "+args+")", false, err, []int{nnz, len(y)}, a.Values(), y)
		w.main.WriteString("}\n")
	}
	return true
}

// addTape adds the functions of a tape with one output.
func (w *written) addTape(t *testing.T, name string, tape *reverse.Tape, points [][]float64) bool {
	var text bytes.Buffer
	if err := tape.WriteGo(&text, goSource(name)); err != nil {
		require.ErrorAs(t, err, new(*reverse.NoSourceError))
		return false
	}
	w.files[fileOf(name)], w.names = text.Bytes(), append(w.names, name)
	n := tape.Inputs()
	w.begin(name, text.String())
	w.near = true
	v := make([]float64, n)
	for i := range v {
		v[i] = 1 - 0.75*float64(i%4)
	}
	for k, x := range points {
		args := w.point(k, x, n)
		fmt.Fprintf(&w.main, "v := %s\n", bitsOf(v))
		f, err := tape.Value(x)
		w.call(name+"Value("+args+")", true, err, nil, []float64{f})
		f, g, err := tape.ValueGradient(nil, x)
		w.call(name+"Gradient(DST0, "+args+")", true, err, []int{n}, []float64{f}, g)
		h, err := tape.HVP(nil, x, v)
		w.call(name+"HVP(DST0, "+args+", v)", false, err, []int{n}, h)
		w.main.WriteString("}\n")
	}
	return true
}

var sourcePrograms = flag.Int("programs", 24, "how many random programs' plans are written as Go; from 100 on all classics and models, too, as tapes and plans")

// The Go source of a plan gives what the plan gives, also where that is not finite: by terms bit
// for bit, by a coloring up to rounding.
func TestSourceAgreesWithThePlan(t *testing.T) {
	programs := *sourcePrograms
	if testing.Short() {
		programs = min(programs, 10)
	}
	w := &written{files: map[string][]byte{}}
	hessians, jacobians := 0, 0
	for k := range programs {
		s := rapid.Custom(drawSeparable).Example(k)
		s.dense = false
		tape, err := reverse.RecordParamsVec(s.function, s.x, s.params)
		require.NoError(t, err)
		point := append(append([]float64(nil), s.x...), s.params...)
		points := [][]float64{point}
		for i, v := range []float64{0, math.Inf(1), math.NaN(), -1e200, math.Copysign(0, -1)} {
			z := append([]float64(nil), point...)
			z[(i+k)%len(s.x)] = v
			points = append(points, z)
		}
		hessianMethod := []hessian.Method{hessian.ByTerms, hessian.ByTerms, hessian.ByStar, hessian.ByAcyclic}[k%4]
		if w.addHessian(t, fmt.Sprintf("h%d", k), tape, points, hessian.SparseSettings{Method: hessianMethod, Lower: k%3 == 0}) {
			hessians++
		}
		jacobianMethod := []reverse.Method{reverse.ByTerms, reverse.ByTerms, reverse.ByColumns, reverse.ByRows, reverse.ByBoth}[k%5]
		if w.addJacobian(t, fmt.Sprintf("j%d", k), tape, points, reverse.SparseSettings{Method: jacobianMethod}) {
			jacobians++
		}
	}
	require.Greater(t, hessians+jacobians, programs)
	w.addKnown(t)
	w.addLarge(t)
	w.addCalls(t)
	w.run(t)
}

// addCalls adds plans of functions with loops and sums that are one operation, of which a
// step compares.
func (w *written) addCalls(t *testing.T) {
	const n = 40
	x := ramp(n)
	outputs := func(x []reverse.Var) (y []reverse.Var) {
		l := dual.Loop[reverse.Var]{Start: x[:1], Shared: x[1:2], Steps: 6, Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
			z := s[0].Mul(w[0]).Sin()
			if z.LessReal(0.8) {
				z = z.AddReal(1)
			}
			return []reverse.Var{z}, []reverse.Var{z.Square().Mul(s[0])}
		}}
		last, sum := dual.Scan(l)
		term := func(x, p []reverse.Var) reverse.Var { return x[0].Mul(x[1]).Exp() }
		index := [][]int{{2, 3, 4, 5, 6}, {3, 4, 5, 6, 7}}
		y = append(y, last[0].Mul(x[8]), sum[0], reverse.Repeat(term, x, index, nil).Log())
		for i := 8; i+1 < n; i++ {
			y = append(y, x[i].Mul(x[i+1]).Tanh())
		}
		return y
	}
	points := [][]float64{x, ramp(n), ramp(n), ramp(n)}
	points[1][9], points[2][1], points[3][0] = math.Inf(1), math.NaN(), -0.3
	tape, err := reverse.RecordVec(outputs, x)
	require.NoError(t, err)
	require.True(t, w.addJacobian(t, "callColumns", tape, points, reverse.SparseSettings{Method: reverse.ByColumns}))
	require.True(t, w.addJacobian(t, "callRows", tape, points, reverse.SparseSettings{Method: reverse.ByRows}))
	require.True(t, w.addHessian(t, "callMany", tape, points, hessian.SparseSettings{Method: hessian.ByStar}))
	tape, err = reverse.Record(func(x []reverse.Var) reverse.Var { return dual.Sum(outputs(x)) }, x)
	require.NoError(t, err)
	require.True(t, w.addHessian(t, "callSum", tape, points, hessian.SparseSettings{Method: hessian.ByStar}))
	require.True(t, w.addHessian(t, "callTerms", tape, points, hessian.SparseSettings{Method: hessian.ByTerms}))
	w.addBeyond(t)
	w.addPoles(t)
	// Inputs are called as generated code calls variables, and two names differ in a capital.
	tape, err = reverse.Record(func(x []reverse.Var) reverse.Var {
		if y := x[0].Mul(x[1]); y.LessReal(9) {
			return y.Sin().Div(x[2].Exp())
		}
		return x[0]
	}, x[:3])
	require.NoError(t, err)
	for _, name := range []string{"named", "Named"} {
		require.True(t, w.addHessian(t, name, tape, [][]float64{x[:3], {math.Inf(1), 0, 1}, {4, 5, 6}}, hessian.SparseSettings{Method: hessian.ByStar}))
	}
}

// addBeyond adds a loop whose steps take logarithms, at points where the value is NaN and
// the partial 1/x is a number.
func (w *written) addBeyond(t *testing.T) {
	for k, name := range []string{"beyond", "beyondWays"} {
		outputs := func(x []reverse.Var) []reverse.Var {
			last, sum := dual.Scan(dual.Loop[reverse.Var]{Start: x[:1], Shared: x[1:], Steps: 5, Step: func(s, w, u, p []reverse.Var) (next, out []reverse.Var) {
				z := s[0].Sub(w[0]).Scale(0.9)
				if k == 1 && z.LessReal(-3) {
					z = z.AddReal(1)
				}
				return []reverse.Var{z}, []reverse.Var{s[0].Log(), s[0].Mul(w[0])}
			}})
			return append(last, sum...)
		}
		x := []float64{1, 0}
		points := [][]float64{x, {1, 0.5}, {-1, -0.25}, {-1, 0}}
		tape, err := reverse.RecordVec(outputs, x)
		require.NoError(t, err)
		require.True(t, w.addJacobian(t, name+"Columns", tape, points, reverse.SparseSettings{Method: reverse.ByColumns}))
		require.True(t, w.addJacobian(t, name+"Rows", tape, points, reverse.SparseSettings{Method: reverse.ByRows}))
		require.True(t, w.addHessian(t, name, tape, points, hessian.SparseSettings{Method: hessian.ByStar}))
	}
}

// addPoles adds functions with poles at the results of a loop: adjoints of these are then
// infinite, or NaN without derivative products, and meet partial derivatives that are 0.
func (w *written) addPoles(t *testing.T) {
	points := [][]float64{{0.3, 0.4, 0.7, 0.5}, {0, 0, 0, 0}, {0.8, 0, 0.1, 0}, {0, 0.2, 0.7, 0}, {0, 0, 0.7, 0.1}, {0.5, 0.2, 0, 0.3}}
	poles := []func(x, sum reverse.Var) reverse.Var{
		func(x, _ reverse.Var) reverse.Var { return x.Sqrt() },
		func(_, sum reverse.Var) reverse.Var { return sum.Abs().PowReal(0.3) },
		func(x, sum reverse.Var) reverse.Var { return x.Hypot(sum) },
	}
	for k, name := range []string{"poleRoot", "polePower", "poleDistance"} {
		f := func(x []reverse.Var) reverse.Var {
			last, sum := dual.Scan(dual.Loop[reverse.Var]{Start: x[:2], Shared: x[2:], Steps: 5, Step: func(s, w, _, _ []reverse.Var) (next, out []reverse.Var) {
				return []reverse.Var{s[0].Mul(w[0]), s[1].Scale(0.5).Add(w[1].Mul(s[0]))}, []reverse.Var{s[0].Mul(s[1])}
			}})
			return poles[k](last[0], sum[0])
		}
		tape, err := reverse.Record(f, points[0])
		require.NoError(t, err)
		require.True(t, w.addTape(t, name, tape, points))
		require.True(t, w.addHessian(t, name+"Matrix", tape, points, hessian.SparseSettings{Method: hessian.ByStar}))
	}
}

// addLarge adds a function whose outputs would not fit on the stack.
func (w *written) addLarge(t *testing.T) {
	const n = 20000
	x := ramp(n)
	tape, err := reverse.RecordVec(func(x []reverse.Var) (y []reverse.Var) {
		for i := 1; i < n; i++ {
			y = append(y, x[i].Mul(x[i-1].Square()).Exp())
		}
		return y
	}, x)
	require.NoError(t, err)
	require.True(t, w.addHessian(t, "large", tape, [][]float64{x}, hessian.SparseSettings{Method: hessian.ByTerms}))
	require.Contains(t, w.text, "work *largeWork")
}

// addKnown adds the classics, models and measuring problems.
func (w *written) addKnown(t *testing.T) {
	at := func(x []float64) (points [][]float64) {
		for k, v := range []float64{x[0], 0.7, math.Inf(-1), math.NaN()} {
			z := append([]float64(nil), x...)
			z[k%len(x)] = v
			points = append(points, z)
		}
		return points
	}
	count := 0
	for k, c := range known.All[reverse.Var]() {
		tape, err := reverse.Record(c.F, c.X0)
		require.NoError(t, err)
		if w.addHessian(t, fmt.Sprintf("c%d", k), tape, at(c.X0), hessian.SparseSettings{}) {
			count++
		}
		if *sourcePrograms >= 100 || k%8 == 0 {
			require.True(t, w.addTape(t, fmt.Sprintf("t%d", k), tape, at(c.X0)))
		}
	}
	require.Greater(t, count, 15)
	count = 0
	some := map[string]bool{"mlp-tanh": true, "cross-entropy": true, "counts": true}
	for k, m := range models.All {
		if *sourcePrograms < 100 && !some[m.Name] {
			continue
		}
		tape, err := reverse.Record(models.Func[reverse.Var](m), m.X0)
		require.NoError(t, err)
		if w.addHessian(t, fmt.Sprintf("m%d", k), tape, at(m.X0)[:2], hessian.SparseSettings{}) {
			count++
			require.True(t, w.addTape(t, fmt.Sprintf("n%d", k), tape, at(m.X0)[:2]))
		}
	}
	require.GreaterOrEqual(t, count, len(some))
	methods := []hessian.Method{hessian.ByStar, hessian.ByAcyclic} // of many operations
	for k, p := range problems.All {
		in := p.At(max(p.Min, 700))
		switch p.Name {
		case "helmholtz", "rnn": // dense
			continue
		case "bratu":
			tape, err := reverse.RecordVec(problems.VecFunc[reverse.Var](in), in.X0)
			require.NoError(t, err)
			require.True(t, w.addJacobian(t, "j"+p.Name, tape, at(in.X0), reverse.SparseSettings{}))
			require.True(t, w.addJacobian(t, "r"+p.Name, tape, at(in.X0), reverse.SparseSettings{Method: reverse.ByRows}))
		default:
			tape, err := reverse.Record(problems.Func[reverse.Var](in), in.X0)
			require.NoError(t, err)
			require.True(t, w.addHessian(t, "p"+p.Name, tape, at(in.X0), hessian.SparseSettings{}))
			require.True(t, w.addHessian(t, "s"+p.Name, tape, at(in.X0), hessian.SparseSettings{Method: methods[k%2], Lower: k%3 == 0}))
			if *sourcePrograms >= 100 {
				require.True(t, w.addTape(t, "t"+p.Name, tape, at(in.X0)))
			}
		}
	}
}
