package source

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hesse-ad/hesse/internal/op"
)

// mathOnly imports a package of functions of package math without their bodies.
type mathOnly struct{}

func (m mathOnly) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path)
	if path == "sync" {
		// func OnceValue[T any](f func() T) func() T
		param := types.NewTypeParam(types.NewTypeName(token.NoPos, p, "T", nil), types.Universe.Lookup("any").Type())
		f := types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(types.NewVar(0, p, "", param)), false)
		sig := types.NewSignatureType(nil, nil, []*types.TypeParam{param}, types.NewTuple(types.NewVar(0, p, "f", f)), types.NewTuple(types.NewVar(0, p, "", f)), false)
		p.Scope().Insert(types.NewFunc(0, p, "OnceValue", sig))
	}
	float := types.Typ[types.Float64]
	add := func(name, in, out string) {
		tuple := func(kinds string) *types.Tuple {
			var v []*types.Var
			for _, k := range kinds {
				t := float
				if k == 'i' {
					t = types.Typ[types.Int]
				}
				v = append(v, types.NewVar(0, p, "", t))
			}
			return types.NewTuple(v...)
		}
		p.Scope().Insert(types.NewFunc(0, p, name, types.NewSignatureType(nil, nil, nil, tuple(in), tuple(out), false)))
	}
	for name := range strings.FieldsSeq("Sqrt Cbrt Exp Exp2 Expm1 Log Log2 Log10 Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf Erfc Gamma Abs Floor Ceil Round Trunc RoundToEven") {
		add(name, "f", "f")
	}
	for name := range strings.FieldsSeq("Hypot Atan2 Mod Copysign Pow") {
		add(name, "ff", "f")
	}
	add("FMA", "fff", "f")
	add("Lgamma", "f", "fi")
	add("Frexp", "f", "fi")
	add("Ldexp", "fi", "f")
	add("Inf", "i", "f")
	add("NaN", "", "f")
	for name, c := range map[string]float64{"MaxFloat64": math.MaxFloat64, "Ln2": math.Ln2, "Ln10": math.Ln10, "Sqrt2": math.Sqrt2, "SqrtPi": math.SqrtPi, "Pi": math.Pi} {
		p.Scope().Insert(types.NewConst(0, p, name, types.Typ[types.UntypedFloat], constant.MakeFloat64(c)))
	}
	p.MarkComplete()
	return p, nil
}

// Every operation, its partials and second partials are Go with what is copied.
func TestEveryOperationTypeChecks(t *testing.T) {
	f, err := New("p", "All")
	require.NoError(t, err)
	for code := range op.All {
		c := 0.3
		if code.Constant() == op.IntConstant {
			c = 5
		}
		f.Printf("func %v(x, y, v, d, e float64) (a, b, c float64) {\n", code)
		if code != op.Own {
			f.Printf("_ = %s\n", f.Value(code, c, "x", "y"))
		}
		switch code.Class() {
		case op.Unary:
			if code != op.Own {
				f.Printf("_ = %s\n", f.FirstOf(code, "5", "x", "v"))
			}
		case op.Binary:
			f.Printf("b, c = %s\n", f.First2(code, "x", "y", "v"))
		}
		f.Printf("return\n}\n\n")
	}
	f.Printf("func incomplete(a, b, x float64) (p, q, r float64) {\nreturn %s, %s, %s\n}\n",
		f.Several(op.IncGamma, op.OrdersConstant(1, 0), []string{"a", "x"}), f.Several(op.IncBeta, op.OrdersConstant(0, 1, 1), []string{"a", "b", "x"}), f.Several(op.FMA, 0, []string{"a", "b", "x"}))
	text, err := f.Bytes()
	require.NoError(t, err)
	check(t, text)
	again, err := f.Bytes()
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
}

// check fails unless text is a package by itself.
func check(t *testing.T, text []byte) *ast.File {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "p.go", text, 0)
	require.NoError(t, err, "%s", text)
	config := types.Config{Importer: mathOnly{}, Error: func(err error) { t.Error(err) }}
	config.Check("p", set, []*ast.File{tree}, nil)
	if t.Failed() {
		t.Logf("%s", text)
	}
	return tree
}

func TestNames(t *testing.T) {
	for _, bad := range []string{"", "_", "func", "a b", "1x", "x-y", "len", "float64", "nil", "math", "init", "é\xff"} {
		assert.Error(t, CheckName(bad), "%q", bad)
	}
	for _, good := range []string{"x", "Energy", "_x", "größe", "x1"} {
		assert.NoError(t, CheckName(good), "%q", good)
	}
	_, err := New("p q", "F")
	assert.Error(t, err)
	_, err = New("p", "func")
	assert.Error(t, err)

	s := Names{}
	require.NoError(t, s.Add("v1"))
	assert.Error(t, s.Add("v1"))
	assert.Equal(t, "v1_", s.Fresh("v1"))
	assert.Equal(t, "v_", s.Family("v"))
	assert.Equal(t, "w", s.Family("w"))
}

// A package is imported by a name made of its path, which is free.
func TestImports(t *testing.T) {
	f, err := New("p", "F")
	require.NoError(t, err)
	for _, test := range [][2]string{
		{"example/prim", "prim"}, {"example/other/prim", "prim_"}, {"example/prim/v2", "prim__"}, {"gopkg.in/yaml.v3", "yaml"},
		{"example/go-fit", "gofit"}, {"example/math", "math_"}, {"math", "math"}, {"example/len", "len_"}, {"example/func", "imported"}, {"example/prim", "prim"},
	} {
		name, err := f.Import(test[0])
		require.NoError(t, err)
		assert.Equal(t, test[1], name, test[0])
		f.Printf("var _ = %s.A\n", name)
	}
	_, err = f.Import("a b")
	assert.Error(t, err)
	text, err := f.Bytes()
	require.NoError(t, err)
	tree, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	require.NoError(t, err)
	assert.Len(t, tree.Imports, 9)

	f.Calls("g")
	f.Printf("func F(g []float64) { _ = g(1) }\n")
	_, err = f.Bytes()
	assert.ErrorContains(t, err, `"g", which a primitive is called by`)
}

// What is printed is read back as it was.
func TestNumbersReadBack(t *testing.T) {
	for _, c := range []float64{0, math.Copysign(0, -1), 1, -3, 0.1, 1e300, 5e-324, math.MaxFloat64, math.Nextafter(1, 2), math.Inf(1), math.Inf(-1), math.NaN()} {
		f, err := New("p", "F")
		require.NoError(t, err)
		s := f.Number(c)
		switch {
		case c != c:
			assert.Equal(t, "math.NaN()", s)
		case math.IsInf(c, 1):
			assert.Equal(t, "math.Inf(1)", s)
		case math.IsInf(c, -1):
			assert.Equal(t, "math.Inf(-1)", s)
		case c == 0 && math.Signbit(c):
			assert.Equal(t, "math.Copysign(0, -1)", s)
		default:
			v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, "float64("+s+")")
			require.NoError(t, err)
			got, _ := constant.Float64Val(v.Value)
			assert.Equal(t, c, got)
		}
	}
}
