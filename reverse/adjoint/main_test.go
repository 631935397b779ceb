package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is refused is named with its file, line and column, and nothing is written then.
func TestRefusedConstructsAreNamedWithTheirPlace(t *testing.T) {
	dir, err := filepath.Abs("testdata/refused")
	require.NoError(t, err)
	p, err := newProgram(dir, "")
	require.NoError(t, err)
	src, err := os.ReadFile(filepath.Join(dir, "refused.go"))
	require.NoError(t, err)
	mark := regexp.MustCompile(`/\*!([^*]*)\*/ ?`)
	n := 0
	refused := func(name string) []string {
		_, faults, err := p.gradients([]string{name}, "out.go")
		require.NoError(t, err, name)
		require.NotEmpty(t, faults, name)
		return faults
	}
	var all []string
	for _, d := range p.Root.Syntax[0].Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && strings.HasPrefix(p.Text(d.Type.Params.Pos(), d.Type.Params.End()), "(x []float64") && d.Name.Name != "two" {
			all = append(all, strings.Join(refused(d.Name.Name), "\n"))
			n++
		}
	}
	said := strings.Join(all, "\n")
	file := p.Fset.File(p.Root.Syntax[0].Pos())
	for _, m := range mark.FindAllSubmatchIndex(src, -1) {
		at := p.Fset.Position(file.Pos(0) + token.Pos(m[1]))
		want := fmt.Sprintf("refused.go:%d:%d: ", at.Line, at.Column)
		found := false
		for _, f := range strings.Split(said, "\n") {
			found = found || strings.HasPrefix(f, want) && strings.Contains(f, string(src[m[2]:m[3]]))
		}
		require.True(t, found, "want %s%s, have\n%s", want, src[m[2]:m[3]], said)
	}
	require.GreaterOrEqual(t, n, 40)
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args, says string
		code       int
	}{
		{"", "usage", 2},
		{"-nonsense F", "usage", 2},
		{"fmas", "math.FMA", 1},
	} {
		var errs bytes.Buffer
		require.Equal(t, test.code, run(strings.Fields(test.args), "testdata/refused", &errs), test.args)
		require.Contains(t, errs.String(), test.says, test.args)
	}
	files, err := os.ReadDir("testdata/refused")
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing is written")
}

func TestFunctionsWithoutGradientAreErrors(t *testing.T) {
	p, err := newProgram("testdata/refused", "")
	require.NoError(t, err)
	for name, says := range map[string]string{"Missing": "no function Missing", "two": "no function of a []float64", "model": "no function model"} {
		_, _, err := p.gradients([]string{name}, "out.go")
		require.ErrorContains(t, err, says)
	}
}

// Files are as they are written now, but for the version of Go in their first lines.
func TestFilesAreUpToDate(t *testing.T) {
	doc, err := os.ReadFile("internal/corpus/doc.go")
	require.NoError(t, err)
	line := regexp.MustCompile(`//go:generate go run \.\./\.\. -o models_adjoint.go (.*)`).FindSubmatch(doc)
	for file, functions := range map[string]string{"internal/corpus/models_adjoint.go": string(line[1]), "internal/barrier/price_adjoint.go": "Price"} {
		dir, err := filepath.Abs(filepath.Dir(file))
		require.NoError(t, err)
		p, err := newProgram(dir, filepath.Base(file))
		require.NoError(t, err)
		want, faults, err := p.gradients(strings.Fields(functions), filepath.Base(file))
		require.NoError(t, err)
		require.Empty(t, faults)
		have, err := os.ReadFile(file)
		require.NoError(t, err)
		rest := func(s []byte) string { _, after, _ := strings.Cut(string(s), "\n"); return after }
		require.Equal(t, rest(want), rest(have))
	}
}
