package reverse_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/dual"
	"github.com/hesse-ad/hesse/reverse"
)

func ExampleTape_WriteTo() {
	t, err := reverse.RecordParams(func(x, p []reverse.Var) reverse.Var {
		y := x[0].Mul(p[0]).Exp().AddReal(1)
		if x[1].LessReal(3) {
			return y.Log()
		}
		return y
	}, []float64{1, 2}, []float64{5})
	if err != nil {
		fmt.Println(err)
		return
	}
	t.WriteTo(os.Stdout)
	// Output:
	// 2 inputs, 1 parameters, 1 outputs, 4 operations
	// v0 = Mul(x0, p0)
	// v1 = Exp(v0)
	// v2 = AddReal(v1, 1)
	// v3 = Log(v2)
	// y0 = v3
	// holds if Less(x1, 3) is true
}

func ExampleVar_String() {
	reverse.Record(func(x []reverse.Var) reverse.Var {
		y := x[0].Square().Sin()
		fmt.Println(x[0])
		fmt.Println(y)
		fmt.Println(dual.Const[reverse.Var](2))
		return y
	}, []float64{3})
	// Output:
	// x0 = 3
	// v1 = 0.4121184852417566
	// 2
}

// textbook is ln x₀ + x₀x₁ − sin x₁, of which Baydin, Pearlmutter, Radul and
// Siskind, Automatic Differentiation in Machine Learning: a Survey, JMLR 18 (2018),
// Table 3, has all values and adjoints at (2, 5).
func textbook(x []reverse.Var) reverse.Var {
	return x[0].Log().Add(x[0].Mul(x[1])).Sub(x[1].Sin())
}

func TestDOTHasValuesAndAdjointsOfTheTextbook(t *testing.T) {
	tape, err := reverse.Record(textbook, []float64{1, 1})
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, tape.WriteDOT(&b, []float64{2, 5}))
	node := regexp.MustCompile(`n(\d+) \[label="(?:\w+ = )?(\w+)(?:\([^)]*\))?\\nv = ([^\\]*)\\nv̄ = ([^"]*)", peripheries=(\d)\]`)
	got := map[string][3]string{}
	names := map[string]string{}
	for _, m := range node.FindAllStringSubmatch(b.String(), -1) {
		got[m[2]] = [3]string{m[3], m[4], m[5]}
		names[m[1]] = m[2]
	}
	require.Equal(t, map[string][3]string{
		"x0":  {"2", "5.5", "1"},
		"x1":  {"5", "1.71634", "1"},
		"Log": {"0.693147", "1", "1"},
		"Mul": {"10", "1", "1"},
		"Sin": {"-0.958924", "-1", "1"},
		"Add": {"10.6931", "1", "1"},
		"Sub": {"11.6521", "1", "2"},
	}, got)
	var arrows []string
	for _, m := range regexp.MustCompile(`n(\d+) -> n(\d+)`).FindAllStringSubmatch(b.String(), -1) {
		arrows = append(arrows, names[m[1]]+" "+names[m[2]])
	}
	slices.Sort(arrows)
	require.Equal(t, []string{"Add Sub", "Log Add", "Mul Add", "Sin Sub", "x0 Log", "x0 Mul", "x1 Mul", "x1 Sin"}, arrows)
}

// Every kind of operation is in a listing, long lists shortened, with the line
// that made it if lines were noted.
func TestListings(t *testing.T) {
	own := reverse.NewPrimitive("cube", func(x float64) float64 { return x * x * x }, math.Sqrt, math.Sqrt)
	f := func(x, p []reverse.Var) []reverse.Var {
		long := x[0].AffineOf(0.5, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, slices.Concat(x, x, x))
		sum := reverse.Repeat(func(x, _ []reverse.Var) reverse.Var { return x[0].Mul(x[1]) }, x, [][]int{{0, 1}, {1, 2}}, nil)
		twice := reverse.Apply(exchanged{}, x[0], x[1])
		if x[0].Less(p[0]) {
			long = long.Mul(x[0].Const(4).Pow(p[0]))
		}
		x[2].Value()
		return []reverse.Var{long, sum.Add(own.Apply(x[2])), twice[1].Div(x[0].Const(3))}
	}
	lines := func(o reverse.Recorder) []string {
		tape, err := o.RecordParamsVec(f, []float64{1, 2, 3}, []float64{4})
		require.NoError(t, err)
		var b strings.Builder
		n, err := tape.WriteTo(&b)
		require.NoError(t, err)
		require.Equal(t, int64(b.Len()), n)
		s := strings.Split(strings.TrimSpace(b.String()), "\n")[1:]
		slices.Sort(s)
		return s
	}
	plain := lines(reverse.Recorder{})
	text := strings.Join(plain, "\n")
	for _, want := range []string{
		"AffineOf(0.5, 1·x0, 2·x1, …, 9·x2) of 10", "= Repeat(x0, x1, x2)[0]", "2 terms, each", "= Mul(x0, x1)",
		"= cube(x2)", "= swap(x0, x1)[1]", "= Pow(4, p0)", "Div(", ", 3)", "holds if Less(x0, p0) is true", "holds if Value(x2) is 3",
		"y2 = ",
	} {
		require.Contains(t, text, want)
	}
	noted := lines(reverse.Recorder{Lines: true})
	require.Len(t, noted, len(plain))
	at := regexp.MustCompile(` +listing_test\.go:\d+$`)
	for i := range plain {
		require.Equal(t, plain[i], at.ReplaceAllString(noted[i], ""))
		made := !strings.HasPrefix(plain[i], " ") && !strings.HasPrefix(plain[i], "y")
		require.Equal(t, made, at.MatchString(noted[i]), noted[i])
	}
}

// exchanged is (x, y) ↦ (y, x).
type exchanged struct{}

func (exchanged) Name() string                   { return "swap" }
func (exchanged) Dims() (n, m int)               { return 2, 2 }
func (exchanged) Eval(y, x []float64) error      { y[0], y[1] = x[1], x[0]; return nil }
func (exchanged) JVP(dy, x, dx []float64) error  { dy[0], dy[1] = dx[1], dx[0]; return nil }
func (exchanged) VJP(gx, x, w []float64) error   { gx[0], gx[1] = w[1], w[0]; return nil }
func (exchanged) HVP(h, x, d, w []float64) error { clear(h); return nil }
func (exchanged) Jacobian(int) []int             { return nil }
func (exchanged) Hessian(int) []int              { return nil }

// full is a writer that fails after n bytes.
type full struct{ n int }

var errFull = errors.New("full")

func (f *full) Write(b []byte) (int, error) {
	k := min(f.n, len(b))
	f.n -= k
	if k < len(b) {
		return k, errFull
	}
	return k, nil
}

func TestListingsReturnTheErrorOfTheWriter(t *testing.T) {
	tape, err := reverse.Record(textbook, []float64{1, 1})
	require.NoError(t, err)
	n, err := tape.WriteTo(&full{10})
	require.ErrorIs(t, err, errFull)
	require.Equal(t, int64(10), n)
	require.ErrorIs(t, tape.WriteDOT(&full{10}, []float64{1, 1}), errFull)
	require.Panics(t, func() { tape.WriteDOT(io.Discard, nil) })
	branch, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		x[0].LessReal(2)
		return x[0].Exp()
	}, []float64{1})
	require.NoError(t, err)
	var e *reverse.BranchError
	require.ErrorAs(t, branch.WriteDOT(io.Discard, []float64{3}), &e)
}

// What String reads is no guard.
func TestStringIsNoGuard(t *testing.T) {
	tape, err := reverse.Record(func(x []reverse.Var) reverse.Var {
		require.Equal(t, "x0 = 1", fmt.Sprint(x[0]))
		return x[0].Exp()
	}, []float64{1})
	require.NoError(t, err)
	_, err = tape.Value([]float64{2})
	require.NoError(t, err)
}
