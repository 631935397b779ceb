package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hesse-ad/hesse/internal/activity"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	collectLess()
	os.Exit(m.Run())
}

// loadEnergy is the package in testdata/energy, which functions are lifted from.
var loadEnergy = sync.OnceValues(func() (*activity.Program, error) {
	dir, err := filepath.Abs("testdata/energy")
	if err != nil {
		return nil, err
	}
	return load(dir, settings{output: "out.go", types: []string{"reverse.Var"}})
})

// liftEnergy lifts functions of testdata/energy as the arguments of the command say.
func liftEnergy(t *testing.T, args string) (text []byte, err error) {
	t.Helper()
	p, err := loadEnergy()
	require.NoError(t, err)
	s, ok := parse(strings.Fields(args), t.Output())
	require.True(t, ok)
	text, _, faults, err := lift(p, s)
	require.Empty(t, faults)
	return text, err
}

// What is written for the functions of testdata/energy, by flags.
func TestFilesAreWrittenAsBefore(t *testing.T) {
	for golden, args := range map[string]string{
		"energy":    "Energy",
		"all":       "posterior",
		"parameter": "-active slope,shift posterior",
		"field":     "-active p.noise.Sigma,slope posterior",
		"elements":  "-active net.weights output",
		"select":    "-select clamp",
		"choices":   "-select cheapest",
		"guards":    "clamp",
		"roots":     "sumOfSquares trapezoid[Normal] tempered",
		"concrete":  "-type dual.Number,dual.Taylor,reverse.Var Energy",
	} {
		t.Run(golden, func(t *testing.T) {
			got, err := liftEnergy(t, args)
			require.NoError(t, err)
			name := filepath.Join("testdata", golden+".golden")
			if *update {
				require.NoError(t, os.WriteFile(name, got, 0o644))
			}
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

func TestCheckComparesTheFile(t *testing.T) {
	dir := copied(t)
	golden, err := os.ReadFile("testdata/energy.golden")
	require.NoError(t, err)
	var errs bytes.Buffer
	lift := func(args ...string) int { return run(append(args, "-o", "out.go", "Energy"), dir, &errs) }
	require.Equal(t, 1, lift("-check"), "there is none")
	require.Zero(t, lift(), errs.String())
	have, err := os.ReadFile(filepath.Join(dir, "out.go"))
	require.NoError(t, err)
	require.Equal(t, golden, have)
	require.Zero(t, lift("-check"), errs.String())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "out.go"), append(golden, '\n'), 0o644))
	errs.Reset()
	require.Equal(t, 1, lift("-check"))
	require.Contains(t, errs.String(), "out of date")
}

// The tags of the build hold for what is read, and no others.
func TestThePackageIsReadAsItIsBuilt(t *testing.T) {
	dir := copied(t)
	for tag, factor := range map[string]string{"!safe": "3", "safe && !mine": "30", "mine": "300"} {
		text := "//go:build " + tag + "\n\npackage energy\n\nfunc Penalty(x []float64) float64 { return " + factor + " * x[0] }\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "penalty"+factor+".go"), []byte(text), 0o644))
	}
	for flags, want := range map[string]string{"": ".Scale(3)", "-tags=safe": ".Scale(30)", "-tags=safe,mine": ".Scale(300)"} {
		t.Setenv("GOFLAGS", flags)
		var errs bytes.Buffer
		require.Zero(t, run([]string{"-o", "out.go", "Penalty"}, dir, &errs), errs.String())
		have, err := os.ReadFile(filepath.Join(dir, "out.go"))
		require.NoError(t, err)
		require.Contains(t, string(have), want, flags)
	}
}

// Modules are the same whether they are read by a workspace or by their requirements.
func TestCheckAgreesInAndOutOfAWorkspace(t *testing.T) {
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	requires := regexp.MustCompile(`(?ms)^go .*`).FindString(string(mod)) + "\nrequire github.com/hesse-ad/hesse v0.0.0\nreplace github.com/hesse-ad/hesse => " + root + "\n"
	work := regexp.MustCompile(`(?m)^go .*`).FindString(string(mod)) + "\nuse (\n./model\n./springs\n)\n"
	for name, text := range map[string]string{
		"go.work":         work + "replace github.com/hesse-ad/hesse => " + root + "\n",
		"model/go.mod":    "module example.org/model\n" + requires + "require example.org/springs v0.0.0\nreplace example.org/springs => ../springs\n",
		"model/go.sum":    string(sum),
		"model/model.go":  "package model\n\nimport \"example.org/springs\"\n\nfunc Energy(x []float64) float64 { return springs.Energy(x[0]) + springs.Stiffness*x[1] }\n",
		"springs/go.mod":  "module example.org/springs\n" + regexp.MustCompile(`(?m)^go .*`).FindString(string(mod)) + "\n",
		"springs/load.go": "package springs\n\nimport \"example.org/springs/internal/lengths\"\n\nvar Stiffness = 2.0\n\nfunc Energy(x float64) float64 { return Stiffness * (x - lengths.Rest) }\n",

		"springs/internal/lengths/lengths.go": "package lengths\n\nvar Rest = 0.5\n",
	} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	t.Setenv("GOFLAGS", "-mod=mod")
	lift := func(workspace string, args ...string) {
		t.Setenv("GOWORK", workspace)
		if workspace != "off" {
			t.Setenv("GOFLAGS", "")
		}
		var errs bytes.Buffer
		require.Zero(t, run(append(args, "Energy"), filepath.Join(dir, "model"), &errs), errs.String())
	}
	lift("off")
	lift(filepath.Join(dir, "go.work"), "-check")
}

// What is said besides the file, and what is carried over into it.
func TestFilesTellWhatTheyAreFor(t *testing.T) {
	dir := copied(t)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("area.go", `//go:build !never && go1.20

package energy

func area(a, b float64, c []float64, d float64) float64 {
	return a * /* the height */ b * // of the box
		d + c[0]
}
`)
	write("sum.go", `package energy

func sum(x []float64) float64 { return area(x[0], 2, x, 1) }

func taken(x []float64) float64 { return x[0] }

func takenOf(x []float64) float64 { return x[0] }
`)
	write("broken.go", "package energy\n\nfunc broken(x []float64) float64 { return y }\n")
	lift := func(args ...string) (code int, said string) {
		var errs bytes.Buffer
		code = run(args, dir, &errs)
		return code, errs.String()
	}
	out, err := filepath.Abs(filepath.Join(dir, "out.go"))
	require.NoError(t, err)

	code, said := lift("-o", out, "area")
	require.Zero(t, code, said)
	require.Contains(t, said, "area.go:5:1: b, d is not active: -active a,b,d makes them so")
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	for _, s := range []string{"//go:build !never && go1.20\n", "the height", "of the box"} {
		require.Contains(t, string(text), s)
	}

	code, said = lift("-o", "out.go", "taken")
	require.Equal(t, 1, code)
	require.Contains(t, said, "sum.go:7:6: takenOf is declared already")
	code, said = lift("-o", "out.go", "broken")
	require.Equal(t, 1, code)
	require.Contains(t, said, "undefined: y")
	code, said = lift("-o", "out.go", "sum")
	require.Zero(t, code, said)
	require.Empty(t, said)
}

// copied is a copy of testdata/energy within the module.
func copied(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("testdata", "copy")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, f := range []string{"energy.go", "models.go"} {
		text, err := os.ReadFile(filepath.Join("testdata/energy", f))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, f), text, 0o644))
	}
	return dir
}

func TestGoldenFilesPassVet(t *testing.T) {
	args := []string{"vet"}
	for _, golden := range []string{"energy", "all", "select", "concrete"} {
		dir := copied(t)
		text, err := os.ReadFile(filepath.Join("testdata", golden+".golden"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "out.go"), text, 0o644))
		args = append(args, "./"+dir)
	}
	out, err := goCommand(args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args, says string
		code       int
	}{
		{"", "usage", 2},
		{"-nonsense Energy", "usage", 2},
		{"Missing", "no function Missing", 1},
		{"Model.Energy", "name a function that calls the method", 1},
		{"-o missing/out.go Energy", "missing", 1},
	} {
		dir := copied(t)
		var errs bytes.Buffer
		require.Equal(t, test.code, run(strings.Fields(test.args), dir, &errs), test.args)
		require.Contains(t, errs.String(), test.says, test.args)
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, files, 2, "%s: nothing is written", test.args)
	}
}

func TestUnknownNamesAreErrors(t *testing.T) {
	for args, says := range map[string]string{
		"-active z Energy":          "no parameter z",
		"-active c.Missing Energy":  "no field Missing",
		"-active net.weight output": "net has no field weight",
		"-type float64 Energy":      "none of dual.Real",
		"-type dual.Complex Energy": "none of dual.Real",
		"trapezoid":                 "missing method LogProb",
		"trapezoid[Missing]":        "undefined: Missing",
		"trapezoid[Normal,int]":     "has 1 type parameters",
	} {
		_, err := liftEnergy(t, args)
		require.ErrorContains(t, err, says, args)
	}
}

// Where something cannot be lifted, all of it is printed and nothing written.
func TestNothingIsWrittenWhereSomethingIsRefused(t *testing.T) {
	dir := copied(t)
	bad := "package energy\n\nvar last float64\n\nfunc Bad(x []float64) float64 {\n\tlast = x[0]\n\t_ = []any{x[1]}\n\treturn x[0]\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.go"), []byte(bad), 0o644))
	var errs bytes.Buffer
	require.Equal(t, 1, run([]string{"Bad"}, dir, &errs))
	require.Contains(t, errs.String(), "bad.go:6:2: ")
	require.Contains(t, errs.String(), "bad.go:7:12: ")
	require.NoFileExists(t, filepath.Join(dir, "bad_lifted.go"))
}
