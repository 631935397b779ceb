package randprog_test

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/hesse-ad/hesse/internal/bounds"
	"github.com/hesse-ad/hesse/internal/gosource"
	"github.com/hesse-ad/hesse/internal/op"
	"github.com/hesse-ad/hesse/internal/roundoff"
	"github.com/hesse-ad/hesse/internal/testkit/gorun"
	"github.com/hesse-ad/hesse/internal/testkit/randprog"
	"github.com/hesse-ad/hesse/reverse"
)

// sourceCase is a call of a generated function and what the tape gives.
type sourceCase struct {
	call string // with DST for the result
	size int    // of dst
	f    bool   // it returns f
	want []float64
	off  func() []float64 // bounds of the rounding errors of derivatives
	far  bool             // what is computed on the way may overflow
	err  error
}

// The Go source of a tape gives what the tape gives, also where that is not finite or a
// comparison comes out otherwise: values bit for bit, derivatives up to rounding.
func TestSourceOfTapesAgreesWithThem(t *testing.T) {
	programs := 500
	if testing.Short() {
		programs = 25
	}
	defer func(longest int) { gosource.Longest = longest }(gosource.Longest)
	files := map[string][]byte{}
	var main bytes.Buffer
	var cases []sourceCase
	guards := 0
	made := madePrograms()
	for k := range programs + len(made) {
		o := randprog.Options{MaxInputs: 4, MaxOutputs: 2, MaxLen: 12, Branches: true}
		switch {
		case k%25 == 1: // long enough for batches
			o = randprog.Options{MaxInputs: 12, MaxOutputs: 2, MinLen: 60, MaxLen: 120, Reach: 100}
		case k%4 == 2:
			o.Primitives = true
		}
		p := rapid.Custom(func(t *rapid.T) *randprog.Prog { return randprog.Draw(t, o) }).Example(k)
		switch {
		case k == programs-1:
			p = mesh()
		case k%8 == 5:
			p = inTurn(p, 8+k%40)
		}
		if (k+k/4)%2 == 1 { // nodes in memory
			gosource.Longest = 0
		} else {
			gosource.Longest = 1000
		}
		f := func(x []reverse.Var) []reverse.Var { return randprog.Run(p, x, randprog.Vars) }
		if k >= programs {
			gosource.Longest = 1000 * (k % 2)
			f, p = made[k-programs], somewhere(14)
		}
		tape, err := reverse.RecordVec(f, p.X)
		require.NoError(t, err)
		var text bytes.Buffer
		name := fmt.Sprintf("P%d", k)
		functions := []reverse.GoFunction{reverse.GoHVP} // two a program, since compiling takes the time
		functions = append(functions, []reverse.GoFunction{reverse.GoJacobian, reverse.GoJVP, reverse.GoVJP, reverse.GoValue}[k%4])
		if p.Outputs == 1 && k%3 > 0 {
			functions[k%2] = reverse.GoGradient
		}
		if k >= 250 {
			functions = functions[:1]
		}
		if k >= programs {
			functions = []reverse.GoFunction{reverse.GoHVP, reverse.GoJacobian, reverse.GoJVP, reverse.GoVJP, reverse.GoValue}
		}
		err = tape.WriteGo(&text, reverse.GoSource{Package: "main", Name: name, Functions: functions,
			Primitives: map[string]reverse.GoPrimitive{"sine": {F: "sin", DF: "cos", DDF: "negSin"}, "xyy": {F: "xyy", JVP: "dst", VJP: "xyyVJP", HVP: "xyyHVP"}}})
		require.NoError(t, err)
		files[name+".go"] = text.Bytes()
		fails := strings.Contains(text.String(), "BranchError")
		if fails {
			guards++
		}
		fmt.Fprintf(&main, "func call%d() {\n", k)
		if bytes.Contains(text.Bytes(), []byte("type "+name+"Work")) {
			fmt.Fprintf(&main, "work := new(%sWork)\n", name)
		}
		for at, x := range sourcePoints(p) {
			for _, c := range tapeCases(tape, p, x) {
				if !slices.ContainsFunc(functions, func(f reverse.GoFunction) bool { return strings.HasPrefix(c.call, f.String()+"(") }) {
					continue
				}
				c.call = name + c.call
				cases = append(cases, c)
				if function := c.call[len(name):strings.IndexByte(c.call, '(')]; regexp.MustCompile("func " + name + function + `\(.*work \*`).Match(text.Bytes()) {
					c.call = strings.TrimSuffix(c.call, ")") + ", work)"
				}
				call := strings.Replace(c.call, "DST", fmt.Sprintf("results[:%d]", c.size), 1)
				switch {
				case c.f && fails:
					fmt.Fprintf(&main, "f, err = %s\nshow(err, %d, f)\n", call, c.size)
				case c.f:
					fmt.Fprintf(&main, "f = %s\nshow(nil, %d, f)\n", call, c.size)
				case fails:
					fmt.Fprintf(&main, "err = %s\nshow(err, %d)\n", call, c.size)
				default:
					fmt.Fprintf(&main, "%s\nshow(nil, %d)\n", call, c.size)
				}
				if k >= programs && at == 0 && !bytes.Contains(text.Bytes(), []byte("RegIncGamma")) { // that does
					head, args, _ := strings.Cut(call, "at(")
					args, last, _ := strings.Cut(args, ")")
					if !strings.Contains(last, "at(") { // else the arguments are made anew
						fmt.Fprintf(&main, "{\nx := at(%s)\nshow(nil, 0, testing.AllocsPerRun(3, func() { %sx%s }))\n}\n", args, head, last)
						cases = append(cases, sourceCase{call: "allocations of " + name + "Value", f: true, want: []float64{0}})
					}
				}
			}
		}
		main.WriteString("}\n\n")
	}
	require.Greater(t, guards, programs/20)
	var head bytes.Buffer
	head.WriteString(sourceMain)
	for k := range programs + len(made) {
		if files[fmt.Sprintf("P%d.go", k)] != nil {
			fmt.Fprintf(&head, "call%d()\n", k)
		}
	}
	head.WriteString("}\n\n")
	head.Write(main.Bytes())
	files["main.go"] = head.Bytes()
	out := strings.Split(strings.TrimSpace(gorun.Run(t, files)), "\n")
	require.Len(t, out, len(cases))
	for k, c := range cases {
		got := strings.Fields(out[k])
		if c.err != nil {
			require.Equal(t, "err", got[0], c.call)
			continue
		}
		require.Equal(t, "ok", got[0], c.call)
		var off []float64
		for i, want := range c.want {
			bits, err := strconv.ParseUint(got[1+i], 16, 64)
			require.NoError(t, err)
			v := math.Float64frombits(bits)
			same := math.Float64bits(v) == math.Float64bits(want) || v != v && want != want
			at := i - (len(c.want) - c.size) // among derivatives
			if !same && c.off != nil && at >= 0 {
				if off == nil {
					off = c.off()
				}
				switch {
				case off[at] < math.Inf(1) && want == want:
					same = near(v, want, 4*off[at]+math.SmallestNonzeroFloat64)
				case c.far: // what overflows in the tape may not in its source, not the other way
					same = v == v || want != want
				default: // nothing is known, as where a function of the user is near a jump
					same = math.Abs(v-want) <= 1e-9*(1+floats.Norm(c.want, math.Inf(1)))
				}
			}
			require.True(t, same, "[%d]: %v, want %v of %s\n%s", i, v, want, c.call, files[c.call[:strings.IndexAny(c.call, "VJGH")]+".go"])
		}
	}
}

// inTurn is a program with many copies of p, each on the next inputs, some of which all
// have: its outputs are those of the copies and their products with the sum of all.
func inTurn(p *randprog.Prog, copies int) *randprog.Prog {
	q := &randprog.Prog{Inputs: p.Inputs + copies}
	for i := range q.Inputs {
		q.X, q.U, q.V = append(q.X, p.X[i%p.Inputs]+0.01*float64(i)), append(q.U, p.U[i%p.Inputs]), append(q.V, p.V[i%p.Inputs]-0.1*float64(i%7))
	}
	for t := range copies {
		first := q.Inputs + len(q.Code)
		at := func(j int) int {
			switch {
			case j >= p.Inputs:
				return j - p.Inputs + first
			case j == 0:
				return 0
			}
			return j + t*(1+j%2)%copies
		}
		for _, in := range p.Code {
			in.A, in.B = at(in.A), at(in.B)
			in.List = slices.Clone(in.List)
			for k, j := range in.List {
				in.List[k] = at(j)
			}
			q.Code = append(q.Code, in)
		}
		q.Out = append(q.Out, at(p.Out[0]))
	}
	sum := randprog.Instr{Kind: randprog.KindSum, List: slices.Clone(q.Out)}
	q.Code = append(q.Code, sum)
	total := q.Inputs + len(q.Code) - 1
	if copies%3 == 0 {
		q.Out = []int{total}
	} else {
		for k, y := range q.Out {
			q.Code = append(q.Code, randprog.Instr{Kind: randprog.KindOp, Op: op.Mul, A: y, B: total})
			q.Out[k] = q.Inputs + len(q.Code) - 1
		}
	}
	q.Outputs = len(q.Out)
	return q
}

// mesh is a program with batches that second-order sweeps go over in sections.
func mesh() *randprog.Prog {
	const n = 720
	p := &randprog.Prog{Inputs: n, Outputs: 1}
	next := n
	add := func(code op.Code, a, b int) int {
		p.Code = append(p.Code, randprog.Instr{Kind: randprog.KindOp, Op: code, A: a, B: b})
		next++
		return next - 1
	}
	var terms []int
	for i := range n - 2 {
		d := add(op.Sub, i+1, add(op.Square, i, i))
		terms = append(terms, add(op.Mul, add(op.Div, add(op.Sin, d, d), i+2), add(op.Add, i, d)))
	}
	sum := terms[0]
	for _, t := range terms[1:] {
		sum = add(op.Add, sum, t)
	}
	p.Out = []int{sum}
	for i := range n {
		p.X = append(p.X, 1+0.3*math.Sin(float64(i)))
		p.U = append(p.U, 2+math.Cos(float64(i)))
		p.V = append(p.V, 0.1+math.Sin(float64(3*i)))
	}
	return p
}

// sourcePoints is the point of a program and others where it has infinities and NaNs.
func sourcePoints(p *randprog.Prog) [][]float64 {
	points := [][]float64{p.X, p.U}
	for k, v := range []float64{0, math.Inf(1), math.NaN(), -1e200} {
		x := append([]float64(nil), p.X...)
		x[k%len(x)] = v
		points = append(points, x)
	}
	return points
}

// tapeCases is what the tape gives at x.
func tapeCases(tape *reverse.Tape, p *randprog.Prog, x []float64) (cases []sourceCase) {
	m, n := tape.Outputs(), tape.Inputs()
	w := make([]float64, m)
	for j := range w {
		w[j] = 1 - 0.7*float64(j)
	}
	far := slices.ContainsFunc(x, func(v float64) bool { return !(math.Abs(v) < 1e100) })
	var off func() []float64
	add := func(f bool, size int, want []float64, err error, call string, args ...[]float64) {
		literals := make([]any, len(args))
		for k, a := range args {
			literals[k] = goSlice(a)
		}
		cases = append(cases, sourceCase{fmt.Sprintf(call, literals...), size, f, want, off, far, err})
	}
	program := &tape.Inside().Engine().Tape
	along := func(v []float64, inputs bool, of func(y bounds.Rounded) roundoff.Number) func() []float64 {
		return func() (off []float64) {
			var b bounds.Bounds
			y := &b.Outputs
			if inputs {
				b, y = bounds.Of(program, bounds.At(x, nil, v), w), &b.Inputs
			} else {
				b = bounds.Of(program, bounds.At(x, nil, v), nil)
			}
			for _, y := range *y {
				off = append(off, of(y).Width())
			}
			return off
		}
	}
	value := func(y bounds.Rounded) roundoff.Number { return y.V }
	derivative := func(y bounds.Rounded) roundoff.Number { return y.D }
	if m == 1 {
		v, err := tape.Value(x)
		add(true, 0, []float64{v}, err, "Value(%s)", x)
		v, g, err := tape.ValueGradient(nil, x)
		off = along(make([]float64, n), true, value)
		add(true, n, append([]float64{v}, g...), err, "Gradient(DST, %s)", x)
		off = along(p.V, true, derivative)
		h, err := tape.HVP(nil, x, p.V)
		add(false, n, h, err, "HVP(DST, %s, %s)", x, p.V)
	} else {
		y, err := tape.Values(nil, x)
		add(false, m, y, err, "Value(DST, %s)", x)
		off = along(p.V, true, derivative)
		h, err := tape.HVP(nil, x, p.V, w...)
		add(false, n, h, err, "HVP(DST, %s, %s, %s)", x, p.V, w)
	}
	y, err := tape.JVP(nil, x, p.V)
	off = along(p.V, false, derivative)
	add(false, m, y, err, "JVP(DST, %s, %s)", x, p.V)
	g, err := tape.VJP(nil, x, w)
	off = along(make([]float64, n), true, value)
	add(false, n, g, err, "VJP(DST, %s, %s)", x, w)
	jacobian, err := tape.Jacobian(new(mat.Dense), x)
	var data []float64
	if err == nil {
		data = jacobian.RawMatrix().Data
	}
	off = func() []float64 {
		off := make([]float64, m*n)
		for k := range n {
			e := make([]float64, n)
			e[k] = 1
			for j, y := range along(e, false, derivative)() {
				off[j*n+k] = y
			}
		}
		return off
	}
	add(false, m*n, data, err, "Jacobian(DST, %s)", x)
	return cases
}

func goSlice(x []float64) string {
	var s strings.Builder
	s.WriteString("at(")
	for _, v := range x {
		fmt.Fprintf(&s, "%#x, ", math.Float64bits(v))
	}
	return s.String() + ")"
}

const sourceMain = `package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"testing"
)

var (
	out = bufio.NewWriter(os.Stdout)
	results = make([]float64, 2000)
	err error
	f   float64
)

func sin(x float64) float64    { return math.Sin(x) }
func cos(x float64) float64    { return math.Cos(x) }
func negSin(x float64) float64 { return -math.Sin(x) }

// The primitive xyy, its products by a name that generated code has, too.
func xyy(y, x []float64) { y[0], y[1] = x[0]*(x[1]*x[1]), x[0]+x[1] }

func dst(dy, x, dx []float64) {
	dy[0], dy[1] = x[1]*x[1]*dx[0]+2*x[0]*x[1]*dx[1], dx[0]+dx[1]
}

func xyyVJP(gx, x, w []float64) {
	gx[0], gx[1] = w[0]*x[1]*x[1]+w[1], w[0]*2*x[0]*x[1]+w[1]
}

func xyyHVP(h, x, dx, w []float64) {
	h[0] = w[0] * 2 * x[1] * dx[1]
	h[1] = w[0] * (2*x[1]*dx[0] + 2*x[0]*dx[1])
}

func at(bits ...uint64) []float64 {
	x := make([]float64, len(bits))
	for i, b := range bits {
		x[i] = math.Float64frombits(b)
	}
	return x
}

// show prints f, if that was returned, and the first n of results.
func show(e error, n int, f ...float64) {
	if e != nil {
		fmt.Fprintln(out, "err", e)
		return
	}
	fmt.Fprintf(out, "ok")
	for _, v := range append(f, results[:n]...) {
		fmt.Fprintf(out, " %x", math.Float64bits(v))
	}
	fmt.Fprintln(out)
}

func main() {
	defer out.Flush()
`
