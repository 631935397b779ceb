package main

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/hesse-ad/hesse/internal/activity"
)

var gonumPackages = strings.Fields("optimize/functions stat/distuv mathext floats stat integrate interp spatial/r2 spatial/r3 num/quat")

// Of the exported functions and methods of these packages that compute numbers from
// numbers, as the module cache has them, lift takes 97 of 100, so that what it writes
// type-checks. Each is called by a function of its own; all numbers are active.
func TestGonumIsLifted(t *testing.T) {
	var paths []string
	for _, p := range gonumPackages {
		paths = append(paths, "gonum.org/v1/gonum/"+p)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps}, paths...)
	require.NoError(t, err)
	var text strings.Builder
	var calls caller
	for _, q := range loaded {
		scope := q.Types.Scope()
		for _, name := range scope.Names() {
			switch o := scope.Lookup(name).(type) {
			case *types.Func:
				calls.add(&text, o, nil)
			case *types.TypeName:
				if n, ok := o.Type().(*types.Named); ok && n.TypeParams().Len() == 0 && o.Exported() && !types.IsInterface(n) {
					for m := range n.Methods() {
						calls.add(&text, m, n)
					}
				}
			}
		}
	}
	dir, err := os.MkdirTemp("testdata", "coverage")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	head := "package coverage\n\nimport (\n"
	for _, q := range loaded {
		head += fmt.Sprintf("%q\n", q.PkgPath)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "calls.go"), []byte(head+")\n"+text.String()), 0o644))
	path, err := filepath.Abs(dir)
	require.NoError(t, err)
	p, err := load(path, settings{})
	require.NoError(t, err)
	require.Empty(t, p.Root.Errors)

	var refused []string
	all := 0
	for _, f := range calls.functions {
		_, _, faults, err := lift(p, settings{functions: []string{f.name}, active: f.active, output: "lifted.go"})
		require.NoError(t, err, f.name)
		if all++; len(faults) > 0 {
			refused = append(refused, f.of+": "+faults[0][:min(len(faults[0]), 300)])
		}
	}
	t.Logf("%d of %d are lifted; refused are\n%s", all-len(refused), all, strings.Join(refused, "\n"))
	require.Greater(t, all, 400)
	require.LessOrEqual(t, 100*len(refused), 3*all)
}

// A caller writes functions that call others.
type caller struct {
	functions []called
}

type called struct {
	name   string
	active []string
	of     string
}

// add writes a function that calls fn, a method of recv if that is not nil, with numbers
// of x and other arguments of its own. Functions that take what has no number and is
// more than a plain value, as interfaces, are left out, also those that give none.
func (c *caller) add(text *strings.Builder, fn *types.Func, recv *types.Named) {
	sig := fn.Signature()
	if !fn.Exported() || sig.TypeParams().Len() > 0 || sig.Results().Len() == 0 {
		return
	}
	name := func(t types.Type) string {
		return types.TypeString(t, func(p *types.Package) string { return p.Name() })
	}
	params, args, active := []string{"x []float64"}, []string{}, []string{"x"}
	numbers, of := 0, fn.FullName()
	call := fn.Pkg().Name() + "." + fn.Name()
	if recv != nil {
		if holdsFloat(recv) {
			active = append(active, "r")
		}
		params = append(params, "r *"+name(recv))
		call = "r." + fn.Name()
	}
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		arg := fmt.Sprintf("a%d", i)
		switch u := t.Underlying().(type) {
		case *types.Basic:
			if u.Kind() == types.Float64 {
				numbers++
				arg = fmt.Sprintf("%s(x[%d])", name(t), i)
			} else {
				params = append(params, arg+" "+name(t))
			}
		case *types.Slice:
			if name(t) == "[]float64" {
				numbers++
				arg = "x"
				break
			}
			params = append(params, arg+" "+name(t))
		case *types.Signature:
			if name(t) != "func(float64) float64" {
				return
			}
			numbers++
			arg = "func(v float64) float64 { return v * x[0] }"
		case *types.Struct:
			params = append(params, arg+" "+name(t))
			if holdsFloat(t) {
				active = append(active, arg)
			}
		default:
			return
		}
		if sig.Variadic() && i == sig.Params().Len()-1 {
			arg += "..."
		}
		args = append(args, arg)
	}
	var results []string
	holds := false
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		results = append(results, name(t))
		holds = holds || holdsFloat(t)
	}
	if !holds || len(active) == 1 && numbers == 0 {
		return
	}
	all := strings.Join(append(params, results...), " ")
	if strings.Contains(all, "mat.") || strings.Contains(all, "blas64.") {
		return
	}
	f := called{fmt.Sprintf("call%d", len(c.functions)), active, of}
	c.functions = append(c.functions, f)
	fmt.Fprintf(text, "\nfunc %s(%s) (%s) {\n\treturn %s(%s)\n}\n", f.name, strings.Join(params, ", "), strings.Join(results, ", "), call, strings.Join(args, ", "))
}

// holdsFloat reports whether values of t have a float64 in them.
func holdsFloat(t types.Type) bool {
	a := activity.New(nil, nil)
	found := false
	a.Place(t).Walk(func(p *activity.Place) { found = found || p.Kind() == activity.Number })
	return found
}
