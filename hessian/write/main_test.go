package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A module that needs this one, in a folder of its own.
func newModule(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	files["go.mod"] = strings.Replace(string(mod), "module github.com/hesse-ad/hesse", "module example", 1) +
		"\nrequire github.com/hesse-ad/hesse v0.0.0\n\nreplace github.com/hesse-ad/hesse => " + root + "\n"
	files["go.sum"] = string(sum)
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// A line that begins with what go generate looks for would be run in this package.
const energy = `package main

import "math"

/` + `/go:generate go run github.com/hesse-ad/hesse/dual/lift energy
/` + `/go:generate go run github.com/hesse-ad/hesse/hessian/write -n 2 -args stiffness() -name Energy energy

func stiffness() []float64 { return []float64{3, 0.5} }

// energy is k₀/2·x₀² + k₁·exp(x₀x₁), for x₀ ≥ 0.
func energy(x []float64, k []float64) float64 {
	if x[0] < 0 {
		return 0
	}
	return k[0]/2*x[0]*x[0] + k[1]*math.Exp(x[0]*x[1])
}
`

const well = `package main

import "github.com/hesse-ad/hesse/dual"

func wellOf[T dual.Scalar[T]](x []T) T { return x[0].Square().SubReal(1).Square().Add(x[1].Sin()) }
`

const energyMain = `package main

import "fmt"

func main() {
	x, g := []float64{2, 0}, make([]float64, 2)
	f, err := EnergyGradient(g, x)
	fmt.Println(f, g, err)
	fmt.Println(EnergyHVP(g, x, []float64{1, 0}), g)
	_, err = EnergyValue([]float64{-1, 0})
	fmt.Println(err != nil)
}
`

// A module that has the command as a tool has the checksums of what the command imports:
// the test that it adds to the module's package imports nothing else.
func TestTheCommandImportsWhatItsTestDoes(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	has := strings.Fields(string(out))
	tree, err := parser.ParseFile(token.NewFileSet(), "well.go", well, 0)
	require.NoError(t, err)
	s := settings{function: "well", n: 2, sparse: "hessian"}
	test, err := s.test(&program{name: "main"}, function{tree.Decls[1].(*ast.FuncDecl), tree})
	require.NoError(t, err)
	tree, err = parser.ParseFile(token.NewFileSet(), "test.go", test, parser.ImportsOnly)
	require.NoError(t, err)
	require.Len(t, tree.Imports, 5)
	for _, i := range tree.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		require.NoError(t, err)
		if path != "testing" {
			assert.Contains(t, has, path)
		}
	}
}

// Two lines of go generate lead from plain Go to its derivatives in plain Go, in a
// package whose main function uses them already.
func TestFromPlainGoToDerivatives(t *testing.T) {
	dir := newModule(t, map[string]string{"energy.go": energy, "main.go": energyMain, "well.go": well,
		"energy_test.go": "package main\n\nthis is no Go\n"})
	command := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s %v: %s", name, args, out)
		return string(out)
	}
	command("go", "generate")
	// f = 6 + 0.5, ∇f = (6 + 0.5·0, 0.5·2), ∇²f·e₀ = (3 + 0, 0.5)
	assert.Equal(t, "6.5 [6 1]\n<nil> [3 0.5]\ntrue\n", strings.ReplaceAll(command("go", "run", "."), " <nil>\n", "\n"))

	text, err := os.ReadFile(filepath.Join(dir, "energy_derivatives.go"))
	require.NoError(t, err)
	assert.Empty(t, command("gofmt", "-l", "energy_derivatives.go"))
	t.Setenv("GOFLAGS", "-mod=mod")
	var stderr bytes.Buffer
	args := strings.Fields("-n 2 -args stiffness() -name Energy energy")
	require.Zero(t, run(args, dir, &stderr), "%s", stderr.String()) // again
	again, err := os.ReadFile(filepath.Join(dir, "energy_derivatives.go"))
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	check := append([]string{"-check"}, args...)
	require.Zero(t, run(check, dir, &stderr), "%s", stderr.String())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "energy_derivatives.go"), append(again, "\n// more\n"...), 0o644))
	assert.Equal(t, 1, run(check, dir, &stderr))
	assert.Contains(t, stderr.String(), "out of date")

	// The sparse Hessian is written by its plan.
	require.Zero(t, run(strings.Fields("-x []float64{2,0} -sparse hessian well"), dir, &stderr), "%s", stderr.String())
	text, err = os.ReadFile(filepath.Join(dir, "well_derivatives.go"))
	require.NoError(t, err)
	assert.Contains(t, string(text), "func wellAll(dst, g, x []float64)")

	// Names of which one begins with the other do not clash, also when all is written again;
	// the same ones do, and then nothing is written.
	sparse := strings.Fields("-n 2 -args stiffness() -sparse hessian -name EnergySparse energy")
	for range 2 {
		require.Zero(t, run(sparse, dir, &stderr), "%s", stderr.String())
		require.Zero(t, run(args, dir, &stderr), "%s", stderr.String())
	}
	stderr.Reset()
	assert.Equal(t, 1, run(append([]string{"-o", "other.go"}, args...), dir, &stderr))
	assert.Contains(t, stderr.String(), "is declared in energy_derivatives.go")
	assert.NoFileExists(t, filepath.Join(dir, "other.go"))

	// What is wrong with the function shows, and nothing is written.
	stderr.Reset()
	assert.Equal(t, 1, run(strings.Fields("-x none() -args stiffness() -name Other -o other.go energy"), dir, &stderr))
	assert.Contains(t, stderr.String(), "undefined: none")
	assert.NoFileExists(t, filepath.Join(dir, "other.go"))
	stderr.Reset()
	assert.Equal(t, 1, run(strings.Fields("-n 2 -args stiffness() -inputs func,b -name Other -o other.go energy"), dir, &stderr))
	assert.Contains(t, stderr.String(), `"func" is a keyword`)
	assert.NoFileExists(t, filepath.Join(dir, "other.go"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "own.go"), []byte("package main\n\nfunc panic(s string) {}\n"), 0o644))
	stderr.Reset()
	assert.Equal(t, 1, run(strings.Fields("-n 2 -args stiffness() -name Other -o other.go energy"), dir, &stderr))
	assert.Contains(t, stderr.String(), "own.go declares panic")
	assert.NoFileExists(t, filepath.Join(dir, "other.go"))
}

const several = `package several

import "github.com/hesse-ad/hesse/dual"

func plain(x float64) float64 { return x }

func One[T dual.Scalar[T]](x []T) T { return x[0] }

func Points[T dual.Scalar[T]](angle, speed T) []T { return []T{angle.Mul(speed)} }

func With[T dual.Scalar[T]](x, p []T, c float64) T { return x[0].Mul(p[0]).Scale(c) }

func Two[T dual.Scalar[T]](x []T) (a, b T) { return x[0], x[1] }

`

// A package can be written for while other files need what is not written yet: for this function,
// for another, or what such files declare. A function that panics, or returns nothing, gets a
// message.
func TestTheFirstGenerationAndFunctionsThatFail(t *testing.T) {
	dir := newModule(t, map[string]string{
		"f.go":     fit,
		"use.go":   "package main\n\nfunc solve(x []float64) float64 { return FitGradient(make([]float64, 2), x) }\n",
		"other.go": "package main\n\nfunc other(x []float64) float64 { return OtherGradient(make([]float64, 1), x) }\n",
		"main.go":  "package main\n\nfunc main() { println(solve([]float64{1, 2})) }\n",
	})
	var stderr bytes.Buffer
	require.Zero(t, run([]string{"-n", "2", "Fit"}, dir, &stderr), stderr.String())
	require.Zero(t, run([]string{"-n", "1", "Other"}, dir, &stderr), stderr.String())
	c := exec.Command("go", "run", ".")
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for name, says := range map[string]string{"None": "None panics: reverse: no outputs", "Panics": "Panics panics: out of luck"} {
		stderr.Reset()
		require.Equal(t, 1, run([]string{"-n", "1", name}, dir, &stderr))
		require.Equal(t, "write: "+says+"\n", stderr.String())
	}
}

const fit = `package main

import "github.com/hesse-ad/hesse/dual"

func Fit[T dual.Scalar[T]](x []T) T { return x[0].Mul(x[1]).Sin() }

func Other[T dual.Scalar[T]](x []T) T { return x[0].Exp() }

func None[T dual.Scalar[T]](x []T) []T { return nil }

func Panics[T dual.Scalar[T]](x []T) T { panic("out of luck") }
`

func TestWhatIsWrongIsSaid(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "several.go"), []byte(several), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hand.go"), []byte("package several\n"), 0o644))
	for _, test := range []struct {
		args, says string
		code       int
	}{
		{"", "usage", 2},
		{"-nonsense One", "usage", 2},
		{"One Two", "usage", 2},
		{"Nothing", "no function Nothing in package several", 1},
		{"-n 1 plain", "lift it first", 1},
		{"One", "by -n or a point by -x", 1},
		{"-n 2 -x a() One", "by -n or a point by -x", 1},
		{"-n 3 Points", "Points has 2 inputs, not 3", 1},
		{"-n 1 With", "name them by -args", 1},
		{"-n 1 -args 2 With", "-p is for the second slice", 1},
		{"-n 1 -args 2,3 -p q With", "no argument for 3", 1},
		{"-n 1 -args 2,,3 One", "-args", 1},
		{"-n 1 -p q One", "-p is for the second slice", 1},
		{"-n 2 Two", "must return a number or a slice", 1},
		{"-n 1 -o hand.go One", "hand.go is there and was not generated", 1},
		{"-n 1 -name func One", "keyword", 1},
		{"-n 1 -name a-b One", "no identifier", 1},
		{"-n 1 -sparse matrix One", "hessian or jacobian", 1},
		{"-n 1 -functions Value,Hess One", "-functions Hess", 1},
	} {
		var stderr bytes.Buffer
		assert.Equal(t, test.code, run(strings.Fields(test.args), dir, &stderr), test.args)
		assert.Contains(t, stderr.String(), test.says, test.args)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 2) // nothing was written
}
